// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/temporary_folder.h"
#include "tests/ui/trace/shown_trace.h"
#include "ui/session/folders.h"
#include "ui/trace/trace_notes.h"

#include <QApplication>
#include <QFile>
#include <QSignalSpy>
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

/// Enter is a key of the lanes as well, and the field lies over them.
TEST(TraceNotes, EnterKeepsWhatIsWritten) {
    for (const Qt::Key enter : {Qt::Key_Return, Qt::Key_Enter}) {
        ShownTrace shown(tests::small_fixture);
        QWidget* window = shown.view.window();
        window->activateWindow();
        ASSERT_TRUE(QTest::qWaitForWindowActive(window)) << "else no shortcut is asked";
        shown.timeline().setFocus();
        QSignalSpy said(&shown.view, &View::message);
        QTest::keyClick(&shown.timeline(), Qt::Key_M);
        QWidget* field = QApplication::focusWidget();
        ASSERT_NE(field, nullptr);
        ASSERT_EQ(field->objectName(), QStringLiteral("markNote"));
        QTest::keyClicks(field, QStringLiteral("slow here"));
        QTest::keyClick(field, enter);
        EXPECT_TRUE(said.isEmpty()) << said.first().first().toString().toStdString();
        ASSERT_EQ(shown.timeline().marks().size(), 1U);
        EXPECT_EQ(shown.timeline().marks().front().note, QStringLiteral("slow here"));
        EXPECT_TRUE(field->isHidden());
        EXPECT_TRUE(shown.timeline().hasFocus());
    }
}

} // namespace
} // namespace tilescope::ui
