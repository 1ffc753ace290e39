// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/cancellation.h"
#include "profile/profile.h"
#include "profile/recorder.h"
#include "tests/temporary_folder.h"

#include <filesystem>
#include <gtest/gtest.h>
#include <memory>
#include <set>
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

/// The first column of the last row.
std::string answer(sqlite3* db, const char* sql) {
    std::string text;
    const auto take = [](void* to, int, char** row, char**) {
        *static_cast<std::string*>(to) = row[0];
        return 0;
    };
    EXPECT_EQ(sqlite3_exec(db, sql, take, &text, nullptr), SQLITE_OK);
    return text;
}

/// A reader in the middle of a read, for longer than a recorder waits.
class LongRead {
  public:
    explicit LongRead(const std::string& path) {
        EXPECT_EQ(sqlite3_open(path.c_str(), &db_), SQLITE_OK);
        EXPECT_EQ(sqlite3_exec(db_, "BEGIN; SELECT * FROM run", nullptr, nullptr, nullptr), SQLITE_OK);
    }
    ~LongRead() { sqlite3_close(db_); }
    LongRead(const LongRead&) = delete;
    LongRead& operator=(const LongRead&) = delete;
    std::string status() const { return answer(db_, "SELECT status FROM run"); }

  private:
    sqlite3* db_ = nullptr;
};

std::unique_ptr<Recorder> begun(const std::string& path, const std::string& label) {
    RunRecord run;
    run.label = label;
    auto recorder = Recorder::create(path, run);
    EXPECT_TRUE(recorder) << recorder.error().line();
    return std::move(*recorder);
}

std::string label_of(const std::string& path) {
    return (*Profile::open(path))->run()->label;
}

std::set<std::string> files_of(const TemporaryFolder& folder) {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
        names.insert(entry.path().filename().string());
    return names;
}

// With and without an earlier run of the name.
TEST(Recorder, EndsAsOnePlainFileThoughAReaderDoesNotLetGo) {
    for (const bool earlier : {false, true}) {
        SCOPED_TRACE(earlier);
        const TemporaryFolder folder;
        const std::string path = folder / "run.tilescope";
        if (earlier) {
            ASSERT_TRUE(begun(path, "old")->finish(RunStatus::Complete));
        }
        const auto recorder = begun(path, "new");
        const LongRead reader(recorder->path());
        recorder->add(LogRecord{0, Severity::Info, "after the reader began"});
        const auto ended = recorder->finish(RunStatus::Complete);
        ASSERT_TRUE(ended) << ended.error().line();
        EXPECT_EQ(recorder->path(), path);
        EXPECT_FALSE(recorder->beside());
        EXPECT_EQ(files_of(folder), std::set<std::string>{"run.tilescope"});
        const auto profile = *Profile::open(path);
        EXPECT_EQ(profile->run()->label, "new");
        EXPECT_EQ(profile->run()->status, RunStatus::Complete);
        EXPECT_EQ(profile->log()->size(), 1);
        sqlite3* plain = nullptr;
        ASSERT_EQ(sqlite3_open_v2(path.c_str(), &plain, SQLITE_OPEN_READONLY, nullptr), SQLITE_OK);
        EXPECT_EQ(answer(plain, "PRAGMA integrity_check"), "ok");
        EXPECT_EQ(answer(plain, "PRAGMA journal_mode"), "delete");
        sqlite3_close(plain);
        EXPECT_EQ(reader.status(), "running") << "the reader goes on with what it has open";
    }
}

TEST(Recorder, AnEarlierRunKeepsItsNameThoughAReaderOfACancelledOneDoesNotLetGo) {
    const TemporaryFolder folder;
    const std::string path = folder / "run.tilescope";
    ASSERT_TRUE(begun(path, "old")->finish(RunStatus::Complete));
    const auto recorder = begun(path, "new");
    const LongRead reader(recorder->path());
    ASSERT_TRUE(recorder->finish(RunStatus::Cancelled));
    EXPECT_EQ(label_of(path), "old");
    EXPECT_EQ(label_of(path + ".partial"), "new");
    EXPECT_EQ(files_of(folder), (std::set<std::string>{"run.tilescope", "run.tilescope.partial"}));
}

// As it is left by a process that was killed before it gave its run the name.
TEST(Recorder, ACompleteRunThatHasNoNameYetTakesItBeforeTheNextBegins) {
    const TemporaryFolder folder;
    const std::string path = folder / "run.tilescope";
    ASSERT_TRUE(begun(path, "complete")->finish(RunStatus::Complete));
    std::filesystem::rename(path, path + ".partial");
    ASSERT_TRUE(begun(path, "cancelled")->finish(RunStatus::Cancelled));
    EXPECT_EQ(label_of(path), "complete");
    EXPECT_EQ(label_of(path + ".partial"), "cancelled");
    ASSERT_TRUE(begun(path, "next")->finish(RunStatus::Cancelled)); // what ended early is dropped
    EXPECT_EQ(label_of(path), "complete");
    EXPECT_EQ(label_of(path + ".partial"), "next");
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
