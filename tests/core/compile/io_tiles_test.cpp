// SPDX-License-Identifier: GPL-3.0-or-later
#include "compile/io_tiles.h"
#include "tests/core/compile/pass_program.h"

namespace tilescope::compile {
namespace {

/// 1,024 floats from the host for each step, and one to it: 4,100 bytes.
const std::string sum_of_batch = R"(graph "g" {
  feed %x : float32 [1024]
  %y = multiply(%x, %x)
  %s = reduce_sum(%y)
  fetch "s" = %s
})";

Options options_of(std::int64_t tiles, std::int64_t io_tiles, std::int64_t steps, bool placed = true) {
    Options options = options_for(tiles);
    options.schedule.steps_per_execution = steps;
    options.io_tiles = {io_tiles, placed, 0.9};
    return options;
}

IoPlacement placed(const Options& options) {
    return place_io(graph_of(sum_of_batch), options.target, options.schedule, options.io_tiles);
}

} // namespace

TEST(IoTiles, AnOddNumberIsRoundedUpToPairs) {
    EXPECT_EQ(placed(options_of(64, 0, 4)).tiles, 0);
    EXPECT_EQ(placed(options_of(64, 8, 4)).tiles, 8);
    EXPECT_EQ(placed(options_of(64, 7, 4)).tiles, 8);
    EXPECT_TRUE(placed(options_of(64, 8, 4)).overlaps);
    EXPECT_EQ(placed(options_of(64, 8, 4)).note, "");
}

TEST(IoTiles, WithoutPlacementTheyAreKeptAndEmpty) {
    const IoPlacement kept = placed(options_of(64, 8, 4, false));
    EXPECT_EQ(kept.tiles, 8);
    EXPECT_FALSE(kept.placed);
    EXPECT_NE(kept.note.find("place_ops_on_io_tiles is off"), std::string::npos);
}

TEST(IoTiles, OneBatchHasNoOtherToOverlapWith) {
    const IoPlacement one = placed(options_of(64, 8, 1));
    EXPECT_EQ(one.tiles, 8);
    EXPECT_TRUE(one.placed);
    EXPECT_FALSE(one.overlaps);
    EXPECT_NE(one.note.find("one batch"), std::string::npos);
}

TEST(IoTiles, OfPipelinesTheGroupedOneOverlaps) {
    Options options = options_of(64, 8, 8);
    options.schedule.accumulation = 8;
    options.schedule.pipeline = PipelineSchedule::Grouped;
    EXPECT_TRUE(placed(options).overlaps);
    options.schedule.pipeline = PipelineSchedule::Interleaved;
    EXPECT_TRUE(placed(options).placed);
    EXPECT_FALSE(placed(options).overlaps);
    options.schedule.pipeline = PipelineSchedule::Sequential;
    EXPECT_EQ(placed(options).tiles, 0) << "it has no use for them";
    EXPECT_EQ(least_overlapped_micro_batches(2, true), 6);
    EXPECT_EQ(least_overlapped_micro_batches(2, false), 4);
}

// Tiles of 4,100 / 0.9 / 2 = 2,277.8 bytes hold the batch on two of them; it must be less.
TEST(IoTiles, WhatDoesNotFitIsNotPlacedAndTheTilesComputeAgain) {
    Options options = options_of(64, 2, 4);
    options.target.bytes_per_tile = 2279;
    EXPECT_TRUE(placed(options).placed);
    options.target.bytes_per_tile = 2278; // floor(4,556 * 0.9) = 4,100
    EXPECT_FALSE(placed(options).placed);
    EXPECT_EQ(placed(options).tiles, 0);
    EXPECT_NE(placed(options).note.find("4,100 bytes"), std::string::npos) << placed(options).note;
}

// Four of 16 tiles: the batch lies on these, 1,024 bytes each, and all else on the other twelve.
TEST(IoTiles, ComputeAndHostHaveTilesOfTheirOwn) {
    const auto executable = compile(graph_of(sum_of_batch), registry(), options_of(16, 4, 4));
    ASSERT_TRUE(executable) << executable.error().line();
    const program::Program& p = executable->program;
    EXPECT_EQ(p.tiles, 16);
    EXPECT_EQ(p.io_tiles, 4);
    ASSERT_TRUE(p.io_overlaps);
    const program::Variable& batch = named(p, "x/stream");
    EXPECT_TRUE(batch.always_live) << "the next batch comes while one is in work";
    const auto one = compile(graph_of(sum_of_batch), registry(), options_of(16, 4, 1));
    ASSERT_TRUE(one);
    EXPECT_FALSE(named(one->program, "x/stream").always_live) << "there is no other batch";
    for (std::size_t t = 0; t < 16; ++t)
        EXPECT_EQ(batch.tile_bytes[t], t < 12 ? 0 : 1024) << t;
    EXPECT_EQ(named(p, "s/stream").total_bytes(), 4);
    for (const program::ComputeSet& set : p.compute_sets)
        for (std::size_t t = 12; t < 16; ++t)
            EXPECT_EQ(set.tile_cycles.at(t), 0) << set.name;
    const auto everywhere = [](MemoryCategory category) {
        return category == MemoryCategory::ControlCode || category == MemoryCategory::Stack ||
               category == MemoryCategory::InternalExchangeCode ||
               category == MemoryCategory::HostExchangeCode;
    };
    for (const program::Variable& v : p.variables)
        for (std::size_t t = 12; t < 16 && v.name != "x/stream" && v.name != "s/stream"; ++t)
            EXPECT_TRUE(v.tile_bytes.at(t) == 0 || everywhere(v.category)) << v.name;
    std::int64_t streams = 0;
    for (const program::StepId id : p.leaves()) {
        const program::Step& step = p.step(id);
        const bool stream = step.kind == StepKind::StreamCopy && id != p.io_wait;
        EXPECT_EQ(step.on_io_tiles, stream) << step.name;
        streams += stream ? 1 : 0;
    }
    EXPECT_EQ(streams, 6) << "begin, the tensor and end, in and out";
    // From each I/O tile to three others go 1,024 bytes at most in all.
    const auto moved = std::find_if(p.exchanges.begin(), p.exchanges.end(),
                                    [](const auto& e) { return e.name == "x/rearrange"; });
    ASSERT_NE(moved, p.exchanges.end());
    EXPECT_EQ(moved->bytes(), 4096);
    EXPECT_EQ(std::vector<std::int64_t>(moved->sent.begin() + 12, moved->sent.end()),
              std::vector<std::int64_t>(4, 1024));
}

} // namespace tilescope::compile
