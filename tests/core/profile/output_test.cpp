// SPDX-License-Identifier: GPL-3.0-or-later
// Where a run may be written.
#include "profile/profile.h"
#include "profile/recorder.h"
#include "profile/writer_lock.h"
#include "tests/temporary_folder.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <unistd.h>

namespace tilescope::profile {
namespace {

using tests::TemporaryFolder;

std::ptrdiff_t count_of_files(const TemporaryFolder& folder) {
    return std::distance(std::filesystem::directory_iterator(folder.path()), {});
}

// A run makes files beside its own; others of these names are not its to lose.
TEST(Output, TouchesNoFileBesideItThatIsNotItsOwn) {
    const TemporaryFolder folder;
    const std::string path = folder / "a";
    for (const char* ending :
         {".lock", ".partial", ".partial.new", "-wal", "-shm", "-journal", ".partial-wal"}) {
        const std::string note = path + ending;
        std::ofstream(note) << "do not lose me";
        const auto refused = Recorder::create(path, {});
        ASSERT_FALSE(refused) << ending;
        EXPECT_EQ(refused.error().kind, ErrorKind::BadInput) << ending;
        EXPECT_EQ(refused.error().place, note);
        std::string kept;
        std::getline(std::ifstream(note), kept);
        EXPECT_EQ(kept, "do not lose me") << ending;
        EXPECT_EQ(count_of_files(folder), 1) << ending;
        std::filesystem::remove(note);
    }
    std::ofstream(folder / "b") << "nor me";
    std::filesystem::create_symlink(folder / "b", path + ".lock");
    EXPECT_FALSE(Recorder::create(path, {})) << "a lock elsewhere";
    std::string kept;
    std::getline(std::ifstream(folder / "b"), kept);
    EXPECT_EQ(kept, "nor me");
}

TEST(Output, WritesWhatWasReserved) {
    const TemporaryFolder folder;
    const std::string path = folder / "a.tilescope";
    auto reserved = reserve(path);
    ASSERT_TRUE(reserved) << reserved.error().line();
    EXPECT_EQ(writer_of(path), getpid());
    const auto other = Recorder::create(path, {});
    ASSERT_FALSE(other);
    EXPECT_EQ(other.error().message, "process " + std::to_string(getpid()) + " is writing this profile");
    auto recorder = Recorder::create(path, {}, Recorder::Existing::Keep, std::move(*reserved));
    ASSERT_TRUE(recorder) << recorder.error().line();
    ASSERT_TRUE((*recorder)->finish(RunStatus::Complete));
    recorder->reset();
    EXPECT_EQ((*Profile::open(path))->run()->status, RunStatus::Complete);
    EXPECT_EQ(count_of_files(folder), 1);
}

} // namespace
} // namespace tilescope::profile
