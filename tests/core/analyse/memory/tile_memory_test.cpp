// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/memory_parts.h"
#include "analyse/summary.h"
#include "analyse/tile_contents.h"
#include "analyse/tile_memory.h"
#include "profile/recorder.h"
#include "tests/system_fixture.h"
#include "tests/temporary_folder.h"

#include <gtest/gtest.h>

namespace tilescope::analyse {
namespace {

using profile::VariableOnTiles;
using profile::VariableRecord;

VariableOnTiles live(std::int64_t from, std::int64_t to, std::int64_t bytes) {
    VariableRecord variable;
    variable.live_from = from;
    variable.live_to = to;
    return {variable, bytes};
}

VariableOnTiles always(std::int64_t bytes) {
    VariableRecord variable;
    variable.always_live = true;
    return {variable, bytes};
}

TEST(TileMemory, ThePeakIsTheStepAtWhichTheMostIsLiveTogether) {
    // 100 all the time; 50 in steps 2 to 4, 30 in 4 to 6, 60 in 5 to 9: 150, 180 in step 4, 190 in 5 and 6.
    const std::vector<VariableOnTiles> variables{always(100), live(2, 4, 50), live(4, 6, 30), live(5, 9, 60)};
    const profile::LiveLevel peak = live_peak(variables);
    EXPECT_EQ(peak.step, 5);
    EXPECT_EQ(peak.bytes, 190);
    std::int64_t sum = 0;
    for (const auto& [variable, bytes] : variables)
        sum += live_at(variable, peak.step) ? bytes : 0;
    EXPECT_EQ(sum, peak.bytes);
    EXPECT_FALSE(live_at(variables[1].variable, peak.step));
}

TEST(TileMemory, WhatIsAlwaysLiveHasItsPeakAtTheFirstStep) {
    EXPECT_EQ(live_peak({always(7)}).bytes, 7);
    EXPECT_EQ(live_peak({always(7)}).step, 0);
    EXPECT_EQ(live_peak({}).bytes, 0);
}

TEST(TileMemory, TheFullestTileOfSeveralIpusIsTheFirstThatHoldsMost) {
    const auto fullest = fullest_of({{0, 3, 10}, {1, 4, 30}, {2, 5, 30}, {3, 6, 20}});
    ASSERT_TRUE(fullest);
    EXPECT_EQ(fullest->ipu, 1);
    EXPECT_EQ(fullest->tile, 4);
    EXPECT_EQ(fullest->bytes, 30);
    EXPECT_FALSE(fullest_of({{0, 0, 0}}));
    EXPECT_FALSE(fullest_of({}));
}

TEST(TileMemory, TheShareOfTheFullestTileIsOfItsMemory) {
    EXPECT_EQ((FullestTile{0, 3, 600}).share(800), 0.75);
    EXPECT_EQ((FullestTile{0, 3, 900}).share(800), 1.125) << "it does not fit";
    EXPECT_EQ((FullestTile{0, 3, 600}).share(0), std::nullopt) << "the CPU has no tiles";
}

TEST(TileMemory, TheFullestTileIsThatOfAllIpusWithItsGaps) {
    const tests::TemporaryFolder folder;
    profile::RunRecord run;
    auto recorder = profile::Recorder::create(folder / "run.tilescope", run);
    ASSERT_TRUE(recorder);
    for (std::int64_t ipu = 0; ipu < 2; ++ipu)
        (*recorder)->add(profile::IpuRecord{ipu, ipu, "", 0, ipu});
    (*recorder)->add_tile_values("memory", 0, 0, "total", std::vector<std::int64_t>{10, 90, 20});
    (*recorder)->add_tile_values("memory", 0, 0, "total_with_gaps", std::vector<std::int64_t>{10, 95, 20});
    (*recorder)->add_tile_values("memory", 0, 1, "total", std::vector<std::int64_t>{10, 20, 80});
    (*recorder)->add_tile_values("memory", 0, 1, "total_with_gaps",
                                 std::vector<std::int64_t>{10, 20, 99}); // less is live, more must fit
    ASSERT_TRUE((*recorder)->finish(profile::RunStatus::Complete));
    const auto profile = profile::Profile::open(folder / "run.tilescope");
    ASSERT_TRUE(profile);
    const auto fullest = fullest_tile(**profile);
    ASSERT_TRUE(fullest);
    ASSERT_TRUE(*fullest);
    EXPECT_EQ((*fullest)->ipu, 1);
    EXPECT_EQ((*fullest)->tile, 2);
    EXPECT_EQ((*fullest)->bytes, 99);
}

// Two replicas of one IPU: the profile has the first one's variables, and each replica has as much.
TEST(TileMemory, WhatLiesInStreamingMemoryIsToldBesideTheTiles) {
    const tests::TemporaryFolder folder;
    profile::RunRecord run;
    auto recorder = profile::Recorder::create(folder / "run.tilescope", run);
    ASSERT_TRUE(recorder);
    profile::TargetRecord target{"pod4", "ipu2", 2, 3, 1000, 1e9, 6};
    target.streaming_bytes = 256'000'000'000;
    (*recorder)->set(target);
    for (std::int64_t ipu = 0; ipu < 2; ++ipu)
        (*recorder)->add(profile::IpuRecord{ipu, ipu, "", ipu, 0});
    VariableRecord momentum;
    momentum.name = "momentum";
    momentum.always_live = true;
    momentum.streaming_bytes = 4000;
    (*recorder)->add(momentum);
    (*recorder)->add_tile_values("memory", 0, 0, "total", std::vector<std::int64_t>{10, 90, 20});
    (*recorder)->add_tile_values("memory", 0, 0, "total_with_gaps", std::vector<std::int64_t>{10, 95, 20});
    (*recorder)->add_tile_values("memory", 0, 0, "always_live", std::vector<std::int64_t>{10, 10, 10});
    ASSERT_TRUE((*recorder)->finish(profile::RunStatus::Complete));
    const auto profile = profile::Profile::open(folder / "run.tilescope");
    ASSERT_TRUE(profile);
    const auto summary = summarise(**profile);
    ASSERT_TRUE(summary) << summary.error().line();
    EXPECT_EQ(summary->memory->streaming_bytes, 8000);
    EXPECT_EQ(summary->memory->total_bytes, 240) << "none of it is on a tile";
    EXPECT_EQ(memory_parts(**profile, {0})->streaming_bytes, 4000);
    EXPECT_EQ(memory_parts(**profile, {})->streaming_bytes, 8000);
    const auto of_all = memory_tree(**profile, 0, {});
    ASSERT_TRUE(of_all);
    EXPECT_EQ(of_all->back().name, "In streaming memory");
    EXPECT_EQ(of_all->back().bytes, std::vector<std::int64_t>{4000});
    EXPECT_EQ(memory_tree(**profile, 0, {1})->back().name, "Gaps") << "it is on no tile";
}

/// Vertex code and variables by tile, of IPUs with so many tiles each.
MemoryParts partsOfTiles(std::vector<std::int64_t> ipus, std::int64_t tiles, std::vector<std::int64_t> code,
                         std::vector<std::int64_t> always) {
    MemoryParts parts;
    parts.ipus = std::move(ipus);
    parts.tiles_per_ipu = tiles;
    parts.with_gaps.resize(code.size());
    parts.parts = {{Lasting::NotAlways, std::move(code)}, {Lasting::Always, std::move(always)}};
    return parts;
}

TEST(MemoryParts, LeavesOutPartsByTheirNames) {
    const MemoryParts parts = partsOfTiles({0}, 2, {1, 2}, {10, 20});
    EXPECT_EQ(parts.sum(), 33);
    EXPECT_EQ(parts.without({"always live"}).totals(), (std::vector<std::int64_t>{1, 2}));
    EXPECT_EQ(parts.without({"always live", "not always live"}).sum(), 0);
    EXPECT_EQ(parts.parts[1].sum(), 30);
    EXPECT_EQ(parts.sum_of("always live"), 30);
    EXPECT_EQ(parts.sum_of("Gaps"), 0);
}

TEST(MemoryDifference, IsByTheNumbersOfIpusAndTiles) {
    // IPU 1 has three tiles now and had two; IPU 2 is not in the base, whose IPU 0 is not shown
    const MemoryParts base = partsOfTiles({0, 1}, 2, {900, 900, 5, 6}, {0, 0, 10, 10});
    const MemoryParts now = partsOfTiles({1, 2}, 3, {5, 9, 4, 1, 2, 3}, {10, 5, 0, 0, 0, 0});
    const MemoryDifference difference = memory_difference(now, base);
    EXPECT_EQ(difference.by, (std::vector<std::int64_t>{0, -2, 4, 1, 2, 3}));
    EXPECT_EQ(difference.sum, 8);
    EXPECT_EQ(difference.most, 4);
    EXPECT_EQ(difference.ipu, 1);
    EXPECT_EQ(difference.tile, 2);
    EXPECT_EQ(difference.added_ipus, 1);
}

TEST(MemoryDifference, NamesNoTileWhereNoneHasGrown) {
    const MemoryParts base = partsOfTiles({0}, 2, {5, 5}, {1, 1});
    const MemoryDifference difference = memory_difference(partsOfTiles({0}, 2, {5, 3}, {1, 1}), base);
    EXPECT_EQ(difference.most, 0);
    EXPECT_EQ(difference.tile, -1);
    EXPECT_EQ(difference.sum, -2);
    EXPECT_EQ(change_of_part(partsOfTiles({0}, 2, {5, 3}, {1, 9}), base, "always live"), 8);
    EXPECT_EQ(change_of_part(partsOfTiles({0}, 2, {5, 3}, {1, 9}), base, "not always live"), -2);
    EXPECT_EQ(change_of_part(MemoryParts(), base, "always live"), -2) << "it is gone";
}

} // namespace
} // namespace tilescope::analyse
