// SPDX-License-Identifier: GPL-3.0-or-later
#include "older_schema.h"
#include "profile/profile.h"
#include "profile/recorder.h"
#include "tests/temporary_folder.h"

#include <gtest/gtest.h>
#include <vector>

namespace tilescope::profile {
namespace {

/// A profile of schema 22, which said in its log only what came of the cache of executables.
class OlderCache : public testing::Test {
  protected:
    std::vector<DeviceProgramRecord> read(const std::vector<std::string>& lines, bool old = true) {
        const std::string path = folder_ / "cache.tilescope";
        auto recorder = std::move(*Recorder::create(path, RunRecord{}, Recorder::Existing::Overwrite));
        recorder->add(DeviceProgramRecord{0, "training", 0, true, 0, CacheUse::Kept, "today"});
        recorder->add(DeviceProgramRecord{1, "evaluation", 5});
        for (const std::string& line : lines)
            recorder->add(LogRecord{0, Severity::Info, line});
        EXPECT_TRUE(recorder->finish(RunStatus::Complete));
        recorder.reset();
        if (old)
            run_sql(path, "DROP VIEW main.trace; " + without_cache_use + "PRAGMA user_version = 22");
        return (*Profile::open(path))->device_programs().value();
    }
    const tests::TemporaryFolder folder_;
};

TEST_F(OlderCache, ThoseOfTodaySayItInColumns) {
    const auto programs = read({}, false);
    EXPECT_EQ(programs[0].cache, CacheUse::Kept);
    EXPECT_EQ(programs[0].cache_key, "today");
    EXPECT_EQ(programs[1].cache, std::nullopt);
}

TEST_F(OlderCache, SaidInTheLogWhatCameOfIt) {
    struct Said {
        const char* line;
        CacheUse use;
    };
    for (const auto& [line, use] :
         {Said{"compilation was skipped: the executable is in /some folder/0123abcd.executable",
               CacheUse::Taken},
          Said{"compiled; the executable is kept in /c/0123abcd.executable", CacheUse::Kept},
          Said{"cache/0123abcd.executable is damaged or of another program; compiled again",
               CacheUse::Replaced}}) {
        const auto programs =
            read({"training: a line before", line, "compiled; the executable is kept in /c/ff.executable"});
        ASSERT_EQ(programs.size(), 2U);
        EXPECT_EQ(programs[0].cache, use) << line;
        EXPECT_EQ(programs[0].cache_key, "0123abcd") << line;
        EXPECT_EQ(programs[1].cache, std::nullopt) << "its line cannot be told from others";
        EXPECT_EQ(programs[1].cache_key, "");
    }
}

TEST_F(OlderCache, WithoutSuchALineNoneWasUsed) {
    for (const DeviceProgramRecord& program : read({"a line", "the executable is in the way"})) {
        EXPECT_EQ(program.cache, CacheUse::Unused);
        EXPECT_EQ(program.cache_key, "");
    }
}

} // namespace
} // namespace tilescope::profile
