// SPDX-License-Identifier: GPL-3.0-or-later
#include "ipu/elementwise_cycles.h"
#include "tests/core/compile/momentum_text.h"
#include "tests/core/compile/pass_program.h"

#include <cmath>

namespace tilescope::compile {
namespace {

Options offloading(std::int64_t tiles) {
    Options options = options_for(tiles);
    options.offload_state = true;
    return options;
}

} // namespace

TEST(OffloadState, StateIsLoadedBeforeItsUpdateAndStoredBehindIt) {
    EXPECT_EQ(after("offload state", with_momentum("32"), offloading(1)), normal(R"(graph "g" {
  feed %x : float32 [32]
  variable %w : float32 [32] = 1.0
  variable %m : float32 [32] = 0 frozen
  %loss = reduce_sum(%x)
  %g = multiply(%x, %w) backward
  %m/load = remote_load(%m, %w) update
  %w/new, %m/new = momentum_update(%w, %m/load, %g) {learning_rate: 0.1, momentum: 0.9} update
  %m/store = remote_store(%m/new, %m) update
  next %w = %w/new
  next %m = %m/store
  fetch "loss" = %loss loss
  train %loss "sgd"
})"));
}

TEST(OffloadState, NothingMovesUnlessItIsAskedFor) {
    EXPECT_EQ(after("offload state", with_momentum("32")), normal(with_momentum("32")));
}

// 31 floats are 124 bytes; IPU TensorFlow's minimum_remote_tensor_size is 128.
TEST(OffloadState, SmallVariablesStayOnTheTiles) {
    EXPECT_EQ(after("offload state", with_momentum("31"), offloading(1)), normal(with_momentum("31")));
}

TEST(OffloadState, WhatAStepReadsOrTheHostGetsStaysOnTheTiles) {
    const std::string read = with_momentum("32", "  %y = negate(%m) backward\n");
    EXPECT_EQ(after("offload state", read, offloading(1)), normal(read));
    const std::string fetched = with_momentum("32", "", "  fetch \"m\" = %m/new\n");
    EXPECT_EQ(after("offload state", fetched, offloading(1)), normal(fetched));
}

// What accumulates the gradients is read and written in each micro-batch, and so no state of the update
// alone.
TEST(OffloadState, AccumulatorsStayOnTheTiles) {
    Options options = offloading(1);
    options.schedule.accumulation = 4;
    graph::Graph graph = graph_of(with_momentum("32"));
    ASSERT_TRUE(run_pass("reduce gradients", graph, options));
    ASSERT_EQ(graph.variables.size(), 3U);
    const auto said = run_pass("offload state", graph, options);
    ASSERT_TRUE(said) << said.error().line();
    EXPECT_EQ(*said, "1 variable, 128 B, to streaming memory");
}

// On one tile, 4,000 bytes at 20 GB/s: 4,000 / 20e9 s * 1.33e9 Hz = 266 cycles each way, after the set-up of
// an exchange, with a sync with what is outside; the pad is copied to the tensor, and the tensor to a pad.
TEST(OffloadState, ALoadAndAStoreAreStepsWithTheirBytesAndCycles) {
    const Executable e = executable_after("plan, map and lower", with_momentum("1000"), offloading(1));
    const std::string steps = outline(e.program);
    EXPECT_NE(steps.find("load m/load/load\nexecute m/load/Copy\nexecute w/new/Update\nexecute "
                         "m/store/Copy\nstore m/store/store\n"),
              std::string::npos)
        << steps;
    int transfers = 0;
    for (const program::Step& step : e.program.steps) {
        if (step.kind != StepKind::Load && step.kind != StepKind::Store)
            continue;
        ++transfers;
        const auto& exchange = e.program.exchanges[static_cast<std::size_t>(step.exchange)];
        EXPECT_EQ(exchange.kind, ExchangeKind::Streaming);
        EXPECT_EQ(exchange.bytes(), 4000);
        EXPECT_EQ(exchange.received[0], step.kind == StepKind::Load ? 4000 : 0);
        EXPECT_EQ(exchange.sent[0], step.kind == StepKind::Store ? 4000 : 0);
        EXPECT_EQ(step.exchange_cycles, 100 + 266);
        EXPECT_EQ(step.sync_cycles, e.target.global_sync_cycles);
        EXPECT_EQ(step.part, ProgramPart::Update);
    }
    EXPECT_EQ(transfers, 2);
}

TEST(OffloadState, StateTakesNoTileMemoryButForItsPadAndItsCopyDuringTheUpdate) {
    const Executable e = executable_after("lay out memory", with_momentum("1000"), offloading(1));
    const program::Variable& home = named(e.program, "m");
    EXPECT_EQ(home.streaming_bytes, 4000);
    EXPECT_EQ(home.total_bytes(), 0);
    for (const char* name : {"m/load/landing pad", "m/load", "m/store/landing pad"}) {
        const program::Variable& temporary = named(e.program, name);
        EXPECT_EQ(temporary.total_bytes(), 4000) << name;
        EXPECT_FALSE(temporary.always_live) << name;
    }
    const Executable plain = executable_after("lay out memory", with_momentum("1000"), options_for(1));
    EXPECT_EQ(named(plain.program, "m").total_bytes(), 4000);
    const auto data = [](const Executable& of) { // that is always live, without code
        std::int64_t bytes = 0;
        for (const program::Variable& v : of.program.variables)
            if (v.always_live && v.category == MemoryCategory::Variables)
                bytes += v.total_bytes();
        return bytes;
    };
    EXPECT_EQ(data(plain) - data(e), 4000);
}

// IPUs 0 to 3 are those of one IPU-Machine, 4 of the next.
TEST(OffloadState, TheIpusOfAMachineShareTheRateOfItsMemory) {
    const auto cycles = [](std::int32_t replicas) {
        Options options = offloading(1);
        options.schedule.replicas = replicas;
        const Executable e = executable_after("plan, map and lower", with_momentum("1000"), options);
        std::int64_t load = 0;
        for (const program::Step& step : e.program.steps)
            load = step.kind == StepKind::Load ? step.exchange_cycles : load;
        return load;
    };
    EXPECT_EQ(cycles(2), 100 + 532);
    EXPECT_EQ(cycles(4), 100 + 1064);
    EXPECT_EQ(cycles(5), 100 + 1064);
}

} // namespace tilescope::compile
