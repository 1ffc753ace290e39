// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/budget.h"
#include "analyse/comparison.h"
#include "analyse/summary.h"
#include "tests/profile_fixture.h"
#include "tests/temporary_folder.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <numeric>

using namespace tilescope;
using Json = nlohmann::ordered_json;

namespace {

struct Analysed : testing::Test {
    tests::TemporaryFolder folder;
    std::unique_ptr<profile::Profile> profile;
    void SetUp() override { profile = record("fixture.tilescope", tests::small_fixture); }
    std::unique_ptr<profile::Profile> record(const std::string& name, const tests::FixtureSize& size) {
        const std::string path = folder / name;
        EXPECT_TRUE(tests::record_fixture(path, size));
        return std::move(*profile::Profile::open(path));
    }
};

Result<std::vector<analyse::Verdict>> checked(const std::string& budget, const Json& report,
                                              const Json* baseline = nullptr) {
    auto limits = analyse::parse_budget(budget, "budget.json");
    if (!limits)
        return Failure(limits.error());
    return analyse::check(*limits, report, baseline, "budget.json");
}

const Json& report() {
    static const Json document = Json::parse(
        R"({"memory": {"max_tile_bytes": 70000, "by_category": {"Vertex Code": 12}},
            "result": {"epochs": [{"loss": 2.0}, {"loss": 0.5}]}})");
    return document;
}

} // namespace

TEST_F(Analysed, TheSummaryAddsUpWithTheFixture) {
    const auto summary = analyse::summarise(*profile);
    ASSERT_TRUE(summary) << summary.error().line();
    const auto& size = tests::small_fixture;
    EXPECT_EQ(summary->executions, size.epochs * size.executions_per_epoch);
    EXPECT_EQ(summary->steps, summary->executions * size.steps_per_execution);
    const std::int64_t step = tests::fixture_step_cycles(size);
    const double execution_us =
        static_cast<double>(tests::fixture_host_cycles + size.steps_per_execution * step) /
        summary->target.clock_hz * 1e6;
    EXPECT_NEAR(summary->step_us, execution_us / static_cast<double>(size.steps_per_execution), 1e-6);
    std::int64_t layers = 0;
    for (const auto& layer : summary->layers)
        layers += layer.cycles();
    EXPECT_EQ(layers + tests::fixture_infeed_cycles, step); // the infeed belongs to no layer
    std::int64_t bytes = 0;
    for (const auto& category : summary->categories)
        bytes += category.always_live + category.not_always_live;
    EXPECT_EQ(bytes, summary->total_bytes);
}

TEST_F(Analysed, ARunComparedWithItselfHasNoDifference) {
    const auto comparison = analyse::compare(*profile, *profile);
    ASSERT_TRUE(comparison);
    ASSERT_FALSE(comparison->headline.empty());
    for (const auto& line : comparison->headline)
        EXPECT_EQ(line.change().value_or(0), 0) << line.name;
    EXPECT_TRUE(comparison->added_operations.empty());
    EXPECT_TRUE(comparison->removed_operations.empty());
}

TEST_F(Analysed, ALargerRunShowsWhatItAdded) {
    tests::FixtureSize larger = tests::small_fixture;
    larger.layers = 3;
    const auto other = record("larger.tilescope", larger);
    const auto comparison = analyse::compare(*profile, *other);
    ASSERT_TRUE(comparison);
    EXPECT_EQ(comparison->added_operations.size(), 6U);
    EXPECT_TRUE(comparison->removed_operations.empty());
    const auto back = analyse::compare(*other, *profile);
    EXPECT_EQ(back->removed_operations, comparison->added_operations);
}

TEST(Budget, LimitsHoldOrAreNamed) {
    const auto verdicts = checked(R"({"limits": [{"metric": "memory.max_tile_bytes", "max": 65536},
                                                  {"metric": "result.epochs.-1.loss", "max": 0.5},
                                                  {"metric": "memory.by_category.Vertex Code", "min": 13}]})",
                                  report());
    ASSERT_TRUE(verdicts) << verdicts.error().line();
    EXPECT_FALSE((*verdicts)[0].met);
    EXPECT_TRUE((*verdicts)[1].met); // a limit that is just reached holds
    EXPECT_FALSE((*verdicts)[2].met);
    EXPECT_NE((*verdicts)[0].detail.find("memory.max_tile_bytes"), std::string::npos);
}

TEST(Budget, RelativeLimitsNeedABaseline) {
    const std::string budget =
        R"({"limits": [{"metric": "memory.max_tile_bytes", "max_increase_percent": 5}]})";
    EXPECT_FALSE(checked(budget, report()));
    Json before = report();
    before["memory"]["max_tile_bytes"] = 67000; // 70,000 is 4.5 % more
    EXPECT_TRUE(checked(budget, report(), &before)->front().met);
    before["memory"]["max_tile_bytes"] = 66000; // 6.1 % more
    EXPECT_FALSE(checked(budget, report(), &before)->front().met);
    before["memory"]["max_tile_bytes"] = 140000; // half of it
    EXPECT_TRUE(checked(budget, report(), &before)->front().met);
}

TEST(Budget, MistakesAreNamedWithTheirPlace) {
    for (const char* budget : {
             R"({"limits": [{"metric": "memory.max_tile_byte", "max": 1}]})", // misspelt
             R"({"limits": [{"metric": "memory.max_tile_bytes"}]})",          // without a bound
             R"({"limits": [{"metric": "memory.max_tile_bytes", "maximum": 1}]})",
             R"({"limit": []})",
             R"({"limits": [)",
             R"([])",
         }) {
        const auto failed = checked(budget, report());
        ASSERT_FALSE(failed) << budget;
        EXPECT_EQ(exit_code(failed.error().kind), 3) << budget;
        EXPECT_NE(failed.error().line().find("budget.json"), std::string::npos) << failed.error().line();
    }
    EXPECT_NE(checked(R"({"limits": [{"metric": "memory.max_tile_byte", "max": 1}]})", report())
                  .error()
                  .line()
                  .find("memory.max_tile_bytes"),
              std::string::npos);
}
