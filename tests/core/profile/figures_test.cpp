// SPDX-License-Identifier: GPL-3.0-or-later
#include "profile/profile.h"
#include "profile/recorder.h"
#include "tests/profile_fixture.h"
#include "tests/temporary_folder.h"

#include <gtest/gtest.h>
#include <map>
#include <numeric>

namespace tilescope::profile {
namespace {

class Figures : public testing::Test {
  protected:
    void SetUp() override {
        ASSERT_TRUE(tests::record_fixture(path));
        profile = std::move(*Profile::open(path));
    }
    const tests::TemporaryFolder folder;
    const std::string path = folder / "a.tilescope";
    std::unique_ptr<Profile> profile;
};

TEST_F(Figures, ListTileValues) {
    const auto sent = profile->tile_values("exchange", 0, 0, "sent").value();
    const auto received = profile->tile_values("exchange", 0, 0, "received").value();
    ASSERT_EQ(sent.size(), 64U);
    EXPECT_EQ(std::accumulate(sent.begin(), sent.end(), 0), 16 * (0 + 8 + 16 + 24));
    EXPECT_EQ(std::accumulate(received.begin(), received.end(), 0), 16 * (0 + 8 + 16 + 24));
    EXPECT_TRUE(profile->tile_values("exchange", 0, 7, "sent")->empty());
}

TEST_F(Figures, AddUpMemoryByCategory) {
    std::map<MemoryCategory, CategoryBytes> by_category;
    const auto categories = profile->memory_by_category().value();
    for (const auto& category : categories)
        by_category[category.category] = category;
    // Two kernels of 64 KiB are always live. Updates come last: most is live while the lower layer makes the
    // gradient of its kernel, as large, beside that of the upper one's, the input, its activation and the
    // gradient of that (16 KiB each).
    EXPECT_EQ(by_category[MemoryCategory::Variables].always_live, 2 * 65536);
    EXPECT_EQ(by_category[MemoryCategory::Variables].not_always_live, 3 * 16384 + 2 * 65536);
    EXPECT_EQ(by_category[MemoryCategory::RearrangementBuffers].not_always_live, 0) << "they never live then";
    EXPECT_EQ(by_category[MemoryCategory::Constants].always_live, 4);
    EXPECT_EQ(categories.front().category, MemoryCategory::Variables) << "largest first";
    EXPECT_TRUE(profile->memory_by_category(3)->empty()) << "an IPU that the run does not use";
}

TEST_F(Figures, NameTheVariablesOfSomeTiles) {
    const auto all = profile->variables_on_tiles(0, {}).value();
    EXPECT_EQ(all.size(), profile->variables(0)->size());
    EXPECT_EQ(all.front().bytes, 65536);
    const auto one = profile->variables_on_tiles(0, {1, 2}).value();
    EXPECT_EQ(one.front().bytes, 2 * 65536 / 64);
    for (const auto& row : one)
        EXPECT_NE(row.variable.name, "zero") << "4 bytes that are all on tile 0";
    const auto first = profile->variables_on_tiles(0, {0}).value();
    EXPECT_EQ(first.back().variable.name, "zero");
    EXPECT_TRUE(profile->variables_on_tiles(0, {-1, 64}).value().empty()) << "no such tiles";
}

TEST_F(Figures, TellInSqlWhatOperationsCostInOneEngineRun) {
    const auto rows = profile
                          ->query("SELECT operation_id, sync_cycles, exchange_cycles, compute_cycles FROM "
                                  "operation_cost ORDER BY operation_id")
                          ->rows;
    ASSERT_EQ(rows.size(), 12U);
    const std::int64_t steps = 3; // of an engine run
    for (std::int64_t id = 0; id < 12; ++id) {
        const auto& row = rows[static_cast<std::size_t>(id)];
        EXPECT_EQ(row[1].text, std::to_string(steps * tests::fixture_sync_cycles));
        EXPECT_EQ(row[2].text, std::to_string(steps * tests::fixture_exchange_cycles(id)));
        EXPECT_EQ(row[3].text, std::to_string(steps * tests::fixture_compute_cycles(id)));
    }
}

TEST_F(Figures, FindTheStepAtWhichMostBytesAreLive) {
    // The weight gradient of the first layer is made, the tenth operation: its compute set is step 1 + 2 * 9
    // + 1. Both weight gradients (65,536 each), the input, one activation and its gradient (16,384 each) are
    // live.
    EXPECT_EQ(profile->peak_step(0).value(), 20);
    const auto liveness = *profile->liveness(0);
    EXPECT_EQ(liveness.at(20).not_always_live_bytes, 2 * 65536 + 3 * 16384);
    EXPECT_EQ(profile->peak_step(1).value(), -1) << "an IPU that the run does not use";
}

TEST_F(Figures, AddUpCyclesByPhase) {
    // 12 operations: compute 200 + 20 i, exchange 50 + 10 i, sync 100; the infeed and host time are the
    // host's.
    const auto train = profile->phase_cycles(ExecutionKind::Train).value();
    const std::int64_t steps = 4 * 3;
    EXPECT_EQ(train.compute, steps * (12 * 200 + 20 * 66));
    EXPECT_EQ(train.exchange, steps * (12 * 50 + 10 * 66));
    EXPECT_EQ(train.sync, steps * 1200);
    EXPECT_EQ(train.host, steps * 400 + 4 * 1000);
    EXPECT_EQ(train.total(), 4 * (1000 + 3 * tests::fixture_step_cycles(tests::small_fixture)));
    const auto all = profile->phase_cycles().value();
    EXPECT_EQ(all.total() * 4, train.total() * 5) << "the evaluation is one more execution";
    EXPECT_EQ(profile->phase_cycles(ExecutionKind::Predict)->total(), 0);
    EXPECT_EQ(profile->phase_cycles({}, 1)->total(), 0);
    EXPECT_EQ(profile->time_range().value(), (std::pair<std::int64_t, std::int64_t>{0, all.total()}));
}

TEST_F(Figures, SkipTheLogLinesThatAreKnown) {
    const auto log = profile->log().value();
    ASSERT_EQ(log.size(), 4U);
    EXPECT_EQ(profile->log(3)->at(0).message, log[3].message);
    EXPECT_TRUE(profile->log(4)->empty());
}

} // namespace
} // namespace tilescope::profile
