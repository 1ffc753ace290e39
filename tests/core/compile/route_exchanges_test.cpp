// SPDX-License-Identifier: GPL-3.0-or-later
#include "compile/compiler.h"
#include "graph/builder.h"
#include "ipu/link_cycles.h"
#include "operators/operators.h"

#include <gtest/gtest.h>

namespace tilescope::compile {
namespace {

using graph::DType;
using ipu::IpuIds;
using program::PipelineSchedule;

/// 1,024 floats, which take ceil(4096 / 40.1) = 103 cycles over a link of a Mk2, with a set-up of 100.
constexpr std::int64_t elements = 1024;
constexpr std::int64_t copy_cycles = 100 + 103;
constexpr std::int64_t shared_copy_cycles = 100 + 205; // ceil(2 * 4096 / 40.1)

class RouteExchanges : public testing::Test {
  protected:
    RouteExchanges() { options_.target = *ipu::find_target("ipu2"); }

    void run_on(const IpuIds& ipus, std::int32_t ipus_per_model) {
        options_.schedule.ipus_per_replica = ipus_per_model;
        options_.schedule.replicas = static_cast<std::int32_t>(ipus.size()) / ipus_per_model;
        options_.attachment = {ipu::Topology(8), ipus};
    }
    /// The transfers between IPUs of the compiled graph.
    std::vector<program::Step> transfers() {
        const auto executable = compile(std::move(graph_), registry_, options_);
        EXPECT_TRUE(executable) << executable.error().line();
        graph_ = {};
        std::vector<program::Step> found;
        for (const program::StepId id : executable->program.leaves()) {
            const program::Step& step = executable->program.step(id);
            if (step.exchange >= 0 &&
                executable->program.exchanges[static_cast<std::size_t>(step.exchange)].kind ==
                    program::ExchangeKind::InterIpu)
                found.push_back(step);
        }
        return found;
    }
    /// One operation after another, on shards 0, 1, 2 …
    std::vector<program::Step> chain(std::int32_t shards) {
        graph::Builder build(graph_, registry_);
        graph::ValueId value = build.feed("x", {DType::Float32, {elements}});
        for (std::int32_t shard = 0; shard < shards; ++shard) {
            build.scope.placement.shard = shard;
            value = build.emit("sigmoid", {value});
        }
        build.fetch("y", value);
        return transfers();
    }
    /// An all-reduce on each of these shards.
    std::vector<program::Step> reduce_on(const std::vector<std::int32_t>& shards) {
        graph::Builder build(graph_, registry_);
        for (const std::int32_t shard : shards) {
            const std::string name = std::to_string(shard);
            const auto value = build.feed("x" + name, {DType::Float32, {elements}});
            build.scope.placement.shard = shard;
            build.fetch("y" + name,
                        build.emit("all_reduce", {value},
                                   {{"replicas", static_cast<std::int64_t>(options_.schedule.replicas)}}));
        }
        return transfers();
    }
    static std::vector<std::int64_t> cycles(const std::vector<program::Step>& steps) {
        std::vector<std::int64_t> result;
        for (const program::Step& step : steps)
            result.push_back(step.exchange_cycles);
        return result;
    }

    const graph::OperatorRegistry registry_ = operators::standard_operators();
    graph::Graph graph_;
    Options options_;
};

using Cycles = std::vector<std::int64_t>;

TEST(LinkCycles, AreSetUpsAndTheBytesOverTheSharedRate) {
    const ipu::Target target = *ipu::find_target("ipu2");
    EXPECT_EQ(ipu::link_cycles(target, 4096, 1, 1), 203);
    EXPECT_EQ(ipu::link_cycles(target, 4096, 1, 3), 100 + 307); // ceil(3 * 4096 / 40.1)
    EXPECT_EQ(ipu::link_cycles(target, 4096, 6, 1), 600 + 103);
}

// 15 ns there and 15 ns back are 39.9 cycles of 1.33 GHz.
TEST(LinkCycles, ASyncTakesLongerForEachLinkBeyondTheFirst) {
    const ipu::Target target = *ipu::find_target("ipu2");
    EXPECT_EQ(ipu::link_sync_cycles(target, 1), 500);
    EXPECT_EQ(ipu::link_sync_cycles(target, 2), 540);
    EXPECT_EQ(ipu::link_sync_cycles(target, 4), 620);
}

TEST_F(RouteExchanges, ACopyToANeighbourTakesTheRateOfTheLink) {
    run_on({0, 1}, 2);
    const auto steps = chain(2);
    ASSERT_EQ(cycles(steps), Cycles{copy_cycles});
    EXPECT_EQ(steps[0].sync_cycles, 500);
}

TEST_F(RouteExchanges, WithoutAnAttachmentIpusAreThoseOfALadder) {
    options_.schedule.ipus_per_replica = 4;
    const auto steps = chain(4);
    EXPECT_EQ(cycles(steps), Cycles(3, copy_cycles));
    EXPECT_EQ(steps[0].sync_cycles, 500); // 0 to 1
    EXPECT_EQ(steps[1].sync_cycles, 540); // 1 over 0 to 2
    EXPECT_EQ(steps[2].sync_cycles, 500); // 2 to 3
}

TEST_F(RouteExchanges, ASnakeHasNoCopyBeyondANeighbour) {
    run_on({0, 1, 3, 2}, 4);
    for (const program::Step& step : chain(4))
        EXPECT_EQ(step.sync_cycles, 500) << step.name;
}

// Stages on 0 4 2 6: the first copy goes 0 2 4, the third 2 4 6; they meet on 2 to 4. The second goes back.
TEST_F(RouteExchanges, StagesThatCopyAtOnceShareTheirLinks) {
    run_on({0, 4, 2, 6}, 4);
    options_.schedule.accumulation = options_.schedule.steps_per_execution = 8;
    options_.schedule.pipeline = PipelineSchedule::Grouped;
    EXPECT_EQ(cycles(chain(4)), (Cycles{shared_copy_cycles, copy_cycles, shared_copy_cycles}));
    options_.schedule.pipeline = PipelineSchedule::Interleaved;
    EXPECT_EQ(cycles(chain(4)), (Cycles{shared_copy_cycles, copy_cycles, shared_copy_cycles}));
}

TEST_F(RouteExchanges, WhatCopiesInTurnSharesNothing) {
    run_on({0, 4, 2, 6}, 4);
    EXPECT_EQ(cycles(chain(4)), Cycles(3, copy_cycles)); // shards
    options_.schedule.accumulation = options_.schedule.steps_per_execution = 8;
    options_.schedule.pipeline = PipelineSchedule::Sequential;
    EXPECT_EQ(cycles(chain(4)), Cycles(3, copy_cycles));
}

// Two replicas on 0 4 and 2 6: 0 2 4 and 2 4 6.
TEST_F(RouteExchanges, ReplicasCopyAtOnce) {
    run_on({0, 4, 2, 6}, 2);
    EXPECT_EQ(cycles(chain(2)), Cycles{shared_copy_cycles});
    run_on({0, 1, 2, 3}, 2);
    EXPECT_EQ(cycles(chain(2)), Cycles{copy_cycles});
}

// An all-reduce has two phases. In each, two replicas send (2 - 1) / 2 of the tensor in one turn, 2,048 bytes
// in ceil(2048 / 40.1) = 52 cycles, eight (8 - 1) / 8 in seven: 3,584 bytes in 90 cycles.
TEST_F(RouteExchanges, ARingOfNeighboursHasTheWholeRate) {
    run_on({0, 1}, 1);
    const auto two = reduce_on({0});
    EXPECT_EQ(cycles(two), Cycles(2, 100 + 52));
    EXPECT_EQ(two[0].sync_cycles, 500);
    run_on({0, 1, 2, 3, 4, 5, 6, 7}, 1);
    const auto eight = reduce_on({0});
    EXPECT_EQ(cycles(eight), Cycles(2, 700 + 90));
    EXPECT_EQ(eight[0].sync_cycles, 500);
}

// Four replicas of two IPUs: shard 0 up and down one rail, shard 1 the other. The way back is three links.
TEST_F(RouteExchanges, EachRailHasARingOfItsOwn) {
    run_on({0, 1, 2, 3, 4, 5, 6, 7}, 2);
    const auto steps = reduce_on({0, 1});
    EXPECT_EQ(cycles(steps), Cycles(4, 300 + 77)); // (4 - 1) / 4 of 4,096 bytes: ceil(3072 / 40.1) = 77
    EXPECT_EQ(steps[0].sync_cycles, 580);
}

// Two replicas of four: 0 2 4 and 2 4 6 on one rail, 1 3 5 and 3 5 7 on the other.
TEST_F(RouteExchanges, RingsOfSeveralIpusOfAReplicaShareTheirLinks) {
    run_on({0, 1, 2, 3, 4, 5, 6, 7}, 4);
    const auto steps = reduce_on({0, 1, 2, 3});
    EXPECT_EQ(cycles(steps), Cycles(8, 100 + 103));
    EXPECT_EQ(steps[0].sync_cycles, 540);
    EXPECT_EQ(cycles(reduce_on({0, 1})), Cycles(4, 100 + 52));
}

// Shard 0 on 5 4 3 2 and shard 1 on 7 6 1 0, as on a 16-IPU server's device 28: the ring of the second goes
// the other way round, so that both have all of 2 to 4 and 3 to 5.
TEST_F(RouteExchanges, RingsTakeTheDirectionInWhichTheyShareLess) {
    run_on({5, 7, 4, 6, 3, 1, 2, 0}, 2);
    EXPECT_EQ(cycles(reduce_on({0, 1})), Cycles(4, 300 + 77));
}

TEST_F(RouteExchanges, ThePassTellsTheLongestWayAndTheBusiestLink) {
    run_on({0, 4, 2, 6}, 2);
    graph::Builder build(graph_, registry_);
    const auto x = build.feed("x", {DType::Float32, {elements}});
    build.scope.placement.shard = 0;
    const auto y = build.emit("sigmoid", {x});
    build.scope.placement.shard = 1;
    build.fetch("z", build.emit("tanh", {y}));
    const auto executable = compile(std::move(graph_), registry_, options_);
    ASSERT_TRUE(executable);
    const auto event = std::find_if(executable->events.begin(), executable->events.end(),
                                    [](const auto& e) { return e.name == "route exchanges"; });
    ASSERT_NE(event, executable->events.end());
    EXPECT_EQ(event->detail,
              "1 transfers between IPUs: the longest over 2 link(s), up to 2 on a link at once");
}

} // namespace
} // namespace tilescope::compile
