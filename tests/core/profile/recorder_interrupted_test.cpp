// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/cancellation.h"
#include "profile/profile.h"
#include "profile/recorder.h"
#include "tests/temporary_folder.h"

#include <filesystem>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

/// Recording over what was killed, and recording that is cancelled.
namespace tilescope::profile {
namespace {

using tests::TemporaryFolder;

// A run that was killed while it changed its file leaves what its next reader would undo the change with.
TEST(Recorder, TheJournalOfAnOlderFileIsNotTakenForThatOfTheNewOne) {
    const TemporaryFolder folder;
    const std::string path = folder / "run.tilescope";
    const auto record = [&](const std::string& label) {
        RunRecord run;
        run.label = label;
        auto recorder = Recorder::create(path, run);
        ASSERT_TRUE(recorder) << recorder.error().line();
        ASSERT_TRUE((*recorder)->finish(RunStatus::Complete));
    };
    record("old");
    const pid_t child = fork();
    if (child == 0) {
        sqlite3* db = nullptr;
        const bool torn = sqlite3_open(path.c_str(), &db) == SQLITE_OK &&
                          sqlite3_exec(db, "BEGIN; UPDATE run SET label = 'torn'", nullptr, nullptr,
                                       nullptr) == SQLITE_OK &&
                          sqlite3_db_cacheflush(db) == SQLITE_OK;
        _exit(torn ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_EQ(status, 0);
    ASSERT_TRUE(std::filesystem::exists(path + "-journal"));
    record("new");
    EXPECT_FALSE(std::filesystem::exists(path + "-journal"));
    sqlite3* db = nullptr; // any program's reader would roll back
    ASSERT_EQ(sqlite3_open(path.c_str(), &db), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(db, "SELECT * FROM run", nullptr, nullptr, nullptr), SQLITE_OK);
    sqlite3_close(db);
    EXPECT_EQ((*Profile::open(path))->run()->label, "new");
}

TEST(Recorder, WaitsForNoDiskOnceCancelled) {
    const TemporaryFolder folder;
    const std::string path = folder / "a.tilescope";
    auto recorder = std::move(*Recorder::create(path, {}));
    sqlite3* other = nullptr; // keeps the recorder from writing for as long as it likes
    ASSERT_EQ(sqlite3_open(path.c_str(), &other), SQLITE_OK);
    ASSERT_EQ(sqlite3_exec(other, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr), SQLITE_OK);
    CancelToken cancel;
    recorder->listen(&cancel);
    cancel.cancel();
    for (int i = 0; i < 200000; ++i) // more than may be queued
        recorder->add(LogRecord{i, Severity::Info, "one of many"});
    recorder->flush(&cancel);
    ASSERT_EQ(sqlite3_exec(other, "ROLLBACK", nullptr, nullptr, nullptr), SQLITE_OK);
    sqlite3_close(other);
    ASSERT_TRUE(recorder->finish(RunStatus::Cancelled));
    EXPECT_EQ((*Profile::open(path))->log()->size(), 200000);
}

} // namespace
} // namespace tilescope::profile
