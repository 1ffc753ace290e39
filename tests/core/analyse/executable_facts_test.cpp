// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/executable_facts.h"
#include "profile/recorder.h"
#include "tests/profile_fixture.h"
#include "tests/temporary_folder.h"

#include <gtest/gtest.h>

namespace tilescope {
namespace {

using analyse::ExecutableFacts;

ExecutableFacts told(const std::string& message) {
    const tests::TemporaryFolder folder;
    auto recorder = *profile::Recorder::create(folder / "run.tilescope", profile::RunRecord{});
    recorder->add(profile::LogRecord{0, profile::Severity::Info, "training: one line before"});
    if (!message.empty())
        recorder->add(profile::LogRecord{1, profile::Severity::Info, message});
    EXPECT_TRUE(recorder->finish(profile::RunStatus::Complete));
    return *analyse::executable_facts(**profile::Profile::open(folder / "run.tilescope"));
}

} // namespace

TEST(ExecutableFacts, SayWhetherTheCacheHadItAndByWhichKey) {
    EXPECT_EQ(told("").cache, ExecutableFacts::Cache::Unused);
    EXPECT_EQ(told("").key, "");
    const ExecutableFacts taken =
        told("compilation was skipped: the executable is in /some folder/0123abcd.executable");
    EXPECT_EQ(taken.cache, ExecutableFacts::Cache::Taken);
    EXPECT_EQ(taken.key, "0123abcd");
    EXPECT_EQ(told("compiled; the executable is kept in /c/0123abcd.executable").cache,
              ExecutableFacts::Cache::Kept);
    const ExecutableFacts damaged =
        told("/c/0123abcd.executable is damaged or of another program; compiled again");
    EXPECT_EQ(damaged.cache, ExecutableFacts::Cache::Replaced);
    EXPECT_EQ(damaged.key, "0123abcd");
}

TEST(ExecutableFacts, CodeIsPartOfAllThatIsLoaded) {
    const tests::TemporaryFolder folder;
    ASSERT_TRUE(tests::record_fixture(folder / "run.tilescope"));
    const auto file = *profile::Profile::open(folder / "run.tilescope");
    const auto facts = *analyse::executable_facts(*file);
    ASSERT_FALSE(facts.parts.empty());
    std::int64_t all = 0, code = 0;
    const auto categories = *file->memory_by_category();
    for (const auto& category : categories) {
        all += category.always_live + category.not_always_live;
        code += to_string(category.category).find("Code") != std::string::npos
                    ? category.always_live + category.not_always_live
                    : 0;
    }
    EXPECT_EQ(facts.total_bytes(), all);
    EXPECT_EQ(facts.code_bytes(), code);
    EXPECT_GT(code, 0);
}

} // namespace tilescope
