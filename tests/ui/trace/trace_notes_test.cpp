// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/temporary_folder.h"
#include "ui/session/folders.h"
#include "ui/trace/trace_notes.h"

#include <QFile>
#include <gtest/gtest.h>

namespace tilescope::ui {
namespace {

TEST(TraceNotes, LieInTheUsersFolderWhereTheSettingsSaySo) {
    const tests::TemporaryFolder folder;
    const QString profile = QString::fromStdString(folder / "run.tilescope");
    const std::vector<TimelineMark> old{{7, 7, QStringLiteral("a")}}, marks{{9, 20, QStringLiteral("b")}};
    ASSERT_TRUE(writeNotes(profile, old));
    EXPECT_TRUE(QFile::exists(notesPath(profile)));
    setNotesBeside(false);
    EXPECT_EQ(*readNotes(profile), old) << "those that were made before are not lost";
    ASSERT_TRUE(writeNotes(profile, marks));
    EXPECT_TRUE(QFile::exists(notesPath(profile))) << "they may be another's";
    EXPECT_TRUE(ownNotesPath(profile).startsWith(ownNotesFolder()));
    EXPECT_TRUE(QFile::exists(ownNotesPath(profile)));
    EXPECT_EQ(*readNotes(profile), marks);
    ASSERT_TRUE(writeNotes(profile, {}));
    EXPECT_EQ(*readNotes(profile), std::vector<TimelineMark>()) << "nor does one see them again";
    ASSERT_TRUE(writeNotes(profile, marks));
    setNotesBeside(true);
    EXPECT_EQ(*readNotes(profile), marks) << "the later ones";
    ASSERT_TRUE(writeNotes(profile, marks));
    EXPECT_FALSE(QFile::exists(ownNotesPath(profile)));
    EXPECT_TRUE(QFile::exists(notesPath(profile)));
}

} // namespace
} // namespace tilescope::ui
