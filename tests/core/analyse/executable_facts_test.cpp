// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/executable_facts.h"
#include "profile/recorder.h"
#include "tests/profile_fixture.h"
#include "tests/temporary_folder.h"

#include <gtest/gtest.h>
#include <vector>

namespace tilescope {
namespace {

using analyse::ExecutableFacts;

ExecutableFacts told(const std::vector<profile::DeviceProgramRecord>& programs) {
    const tests::TemporaryFolder folder;
    auto recorder = *profile::Recorder::create(folder / "run.tilescope", profile::RunRecord{});
    for (const auto& program : programs)
        recorder->add(program);
    EXPECT_TRUE(recorder->finish(profile::RunStatus::Complete));
    return *analyse::executable_facts(**profile::Profile::open(folder / "run.tilescope"));
}

} // namespace

TEST(ExecutableFacts, SayWhetherTheCacheHadTheFirstProgramAndByWhichKey) {
    using profile::CacheUse;
    EXPECT_EQ(told({}).cache, std::nullopt);
    EXPECT_EQ(told({{0, "training", 0, true}}).cache, std::nullopt);
    EXPECT_EQ(told({{0, "training", 0, true, 0, CacheUse::Unused}}).cache, CacheUse::Unused);
    const ExecutableFacts taken = told({{0, "training", 0, true, 0, CacheUse::Taken, "0123abcd"},
                                        {1, "evaluation", 5, false, 0, CacheUse::Kept, "ffff"}});
    EXPECT_EQ(taken.cache, CacheUse::Taken);
    EXPECT_EQ(taken.key, "0123abcd");
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
