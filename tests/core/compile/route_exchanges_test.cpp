// SPDX-License-Identifier: GPL-3.0-or-later
#include "ipu/link_cycles.h"
#include "tests/core/compile/pass_text.h"

namespace tilescope::compile {
namespace {

using ipu::IpuIds;

/// Transfers of 1,024 floats, which take ceil(4096 / 40.1) = 103 cycles over a link of a Mk2, with a set-up
/// of 100; two that share a link 100 + ceil(2 * 4096 / 40.1).
const std::string copy = "exchange 203";
const std::string shared_copy = "exchange 305";

class RouteExchanges : public testing::Test {
  protected:
    RouteExchanges() { options_.target = *ipu::find_target("ipu2"); }

    void run_on(const IpuIds& ipus, std::int32_t ipus_per_model) {
        options_.schedule.ipus_per_replica = ipus_per_model;
        options_.schedule.replicas = static_cast<std::int32_t>(ipus.size()) / ipus_per_model;
        options_.attachment = {ipu::Topology(8), ipus};
    }
    void pipelined(PipelineSchedule schedule) {
        options_.schedule.accumulation = options_.schedule.steps_per_execution = 8;
        options_.schedule.pipeline = schedule;
    }
    /// The transfers between IPUs of a graph as text, one a line: "y1/copy(y0): sync 500 exchange 203".
    std::string routed(const std::string& text) const {
        const Executable executable = executable_after("route exchanges", text, options_);
        std::string lines;
        for (const program::StepId id : executable.program.leaves()) {
            const program::Step& step = executable.program.step(id);
            if (step.exchange < 0 ||
                executable.program.exchanges[static_cast<std::size_t>(step.exchange)].kind !=
                    ExchangeKind::InterIpu)
                continue;
            lines += step.name + ": sync " + std::to_string(step.sync_cycles) + " exchange " +
                     std::to_string(step.exchange_cycles) + "\n";
        }
        return lines;
    }
    /// One operation after another, on shards 0, 1, 2 …
    static std::string chain(std::int32_t shards) {
        std::string text = "graph \"chain\" {\n  feed %x : float32 [1024]\n";
        std::string value = "x";
        for (std::int32_t shard = 0; shard < shards; ++shard) {
            const std::string number = std::to_string(shard);
            text += "  %y" + number + " = sigmoid(%" + value + ") shard " + number + "\n";
            value = "y" + number;
        }
        return text + "  fetch \"y\" = %" + value + "\n}";
    }
    /// An all-reduce on each of these shards.
    std::string reduce_on(const std::vector<std::int32_t>& shards) const {
        std::string text = "graph \"reduce\" {\n";
        for (const std::int32_t shard : shards) {
            const std::string number = std::to_string(shard);
            text += "  feed %x" + number + " : float32 [1024]\n  %r" + number + " = all_reduce(%x" + number +
                    ") {replicas: " + std::to_string(options_.schedule.replicas) + "} shard " + number +
                    "\n  fetch \"r" + number + "\" = %r" + number + "\n";
        }
        return text + "}";
    }
    /// What is expected of it: the same of both phases of each.
    static std::string phases(const std::vector<std::int32_t>& shards, const std::string& cost) {
        std::string lines;
        for (const std::int32_t shard : shards)
            for (const char* phase : {"reduce-scatter", "all-gather"})
                lines += "r" + std::to_string(shard) + "/" + phase + ": " + cost + "\n";
        return lines;
    }

    Options options_;
};

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
    EXPECT_EQ(routed(chain(2)), "y1/copy(y0): sync 500 " + copy + "\n");
}

TEST_F(RouteExchanges, WithoutAnAttachmentIpusAreThoseOfALadder) {
    options_.schedule.ipus_per_replica = 4;
    EXPECT_EQ(routed(chain(4)), "y1/copy(y0): sync 500 " + copy +              // 0 to 1
                                    "\ny2/copy(y1): sync 540 " + copy +        // 1 over 0 to 2
                                    "\ny3/copy(y2): sync 500 " + copy + "\n"); // 2 to 3
}

/// The copies of a chain of four, with the cost of each.
std::string three_copies(const std::string& first, const std::string& second, const std::string& third) {
    return "y1/copy(y0): " + first + "\ny2/copy(y1): " + second + "\ny3/copy(y2): " + third + "\n";
}

TEST_F(RouteExchanges, ASnakeHasNoCopyBeyondANeighbour) {
    run_on({0, 1, 3, 2}, 4);
    const std::string each = "sync 500 " + copy;
    EXPECT_EQ(routed(chain(4)), three_copies(each, each, each));
}

// Stages on 0 4 2 6: the first copy goes 0 2 4, the third 2 4 6; they meet on 2 to 4. The second goes back.
TEST_F(RouteExchanges, StagesThatCopyAtOnceShareTheirLinks) {
    run_on({0, 4, 2, 6}, 4);
    const std::string shared =
        three_copies("sync 540 " + shared_copy, "sync 500 " + copy, "sync 540 " + shared_copy);
    pipelined(PipelineSchedule::Grouped);
    EXPECT_EQ(routed(chain(4)), shared);
    pipelined(PipelineSchedule::Interleaved);
    EXPECT_EQ(routed(chain(4)), shared);
}

TEST_F(RouteExchanges, WhatCopiesInTurnSharesNothing) {
    run_on({0, 4, 2, 6}, 4);
    const std::string alone = three_copies("sync 540 " + copy, "sync 500 " + copy, "sync 540 " + copy);
    EXPECT_EQ(routed(chain(4)), alone); // shards
    pipelined(PipelineSchedule::Sequential);
    EXPECT_EQ(routed(chain(4)), alone);
}

/// A copy from shard 0 to 1 in the forward pass, and one from shard 3 to 2 in another.
std::string both_ways(const std::string& phase) {
    return R"(graph "both ways" {
  feed %x : float32 [1024]
  variable %w : float32 [1024] = 1.0
  %y0 = sigmoid(%x) shard 0
  %y1 = sigmoid(%y0) shard 1
  %g3 = sigmoid(%w) )" +
           phase + R"( shard 3
  %g2 = sigmoid(%g3) )" +
           phase + R"( shard 2
  fetch "y" = %y1
  fetch "g" = %g2
})";
}
std::string both(const std::string& cost) {
    return "y1/copy(y0): sync 540 " + cost + "\ng2/copy(g3): sync 540 " + cost + "\n";
}

// Stages on 0 4 6 2: forward 0 2 4, back 2 4 6. Grouped does all forward passes first.
TEST_F(RouteExchanges, ForwardAndBackwardPassesCopyAtOnceWhereTheyTakeTurns) {
    run_on({0, 4, 6, 2}, 4);
    pipelined(PipelineSchedule::Grouped);
    EXPECT_EQ(routed(both_ways("backward")), both(copy));
    pipelined(PipelineSchedule::Interleaved);
    EXPECT_EQ(routed(both_ways("backward")), both(shared_copy));
}

// The same ways, the second in the weight update, which runs when all micro-batches are through.
TEST_F(RouteExchanges, NothingCopiesBesideTheWeightUpdate) {
    run_on({0, 4, 6, 2}, 4);
    for (const PipelineSchedule schedule : {PipelineSchedule::Grouped, PipelineSchedule::Interleaved}) {
        pipelined(schedule);
        EXPECT_EQ(routed(both_ways("update")), both(copy));
    }
}

// Two replicas on 0 4 and 2 6: 0 2 4 and 2 4 6.
TEST_F(RouteExchanges, ReplicasCopyAtOnce) {
    run_on({0, 4, 2, 6}, 2);
    EXPECT_EQ(routed(chain(2)), "y1/copy(y0): sync 540 " + shared_copy + "\n");
    run_on({0, 1, 2, 3}, 2);
    EXPECT_EQ(routed(chain(2)), "y1/copy(y0): sync 500 " + copy + "\n");
}

// An all-reduce has two phases. In each, two replicas send (2 - 1) / 2 of the tensor in one turn, 2,048 bytes
// in ceil(2048 / 40.1) = 52 cycles, eight (8 - 1) / 8 in seven: 3,584 bytes in 90 cycles.
TEST_F(RouteExchanges, ARingOfNeighboursHasTheWholeRate) {
    run_on({0, 1}, 1);
    EXPECT_EQ(routed(reduce_on({0})), phases({0}, "sync 500 exchange 152")); // 100 + 52
    run_on({0, 1, 2, 3, 4, 5, 6, 7}, 1);
    EXPECT_EQ(routed(reduce_on({0})), phases({0}, "sync 500 exchange 790")); // 700 + 90
}

// Four replicas of two IPUs: shard 0 up and down one rail, shard 1 the other. The way back is three links.
// (4 - 1) / 4 of 4,096 bytes: ceil(3072 / 40.1) = 77.
TEST_F(RouteExchanges, EachRailHasARingOfItsOwn) {
    run_on({0, 1, 2, 3, 4, 5, 6, 7}, 2);
    EXPECT_EQ(routed(reduce_on({0, 1})), phases({0, 1}, "sync 580 exchange 377"));
}

// Two replicas of four: 0 2 4 and 2 4 6 on one rail, 1 3 5 and 3 5 7 on the other.
TEST_F(RouteExchanges, RingsOfSeveralIpusOfAReplicaShareTheirLinks) {
    run_on({0, 1, 2, 3, 4, 5, 6, 7}, 4);
    EXPECT_EQ(routed(reduce_on({0, 1, 2, 3})), phases({0, 1, 2, 3}, "sync 540 exchange 203"));
    EXPECT_EQ(routed(reduce_on({0, 1})), phases({0, 1}, "sync 540 exchange 152"));
}

// Shard 0 on 5 4 3 2 and shard 1 on 7 6 1 0, as on a 16-IPU server's device 28: the ring of the second goes
// the other way round, so that both have all of 2 to 4 and 3 to 5. The first, 5 4 2 3, has neighbours only,
// the second three links from 6 to 0 and from 1 to 7.
TEST_F(RouteExchanges, RingsTakeTheDirectionInWhichTheyShareLess) {
    run_on({5, 7, 4, 6, 3, 1, 2, 0}, 2);
    EXPECT_EQ(routed(reduce_on({0, 1})),
              phases({0}, "sync 500 exchange 377") + phases({1}, "sync 580 exchange 377"));
}

TEST_F(RouteExchanges, LeavesWhatStaysOnOneIpu) {
    const std::string text = chain(1);
    EXPECT_EQ(routed(text), "");
    EXPECT_EQ(executable_after("route exchanges", text, options_).program.print(),
              executable_after("plan, map and lower", text, options_).program.print());
}

TEST_F(RouteExchanges, ThePassTellsTheLongestWayAndTheBusiestLink) {
    run_on({0, 4, 2, 6}, 2);
    const auto executable = compile(graph_of(chain(2)), registry(), options_);
    ASSERT_TRUE(executable);
    const auto event = std::find_if(executable->events.begin(), executable->events.end(),
                                    [](const auto& e) { return e.name == "route exchanges"; });
    ASSERT_NE(event, executable->events.end());
    EXPECT_EQ(event->detail, "1 transfer between IPUs: the longest over 2 links, up to 2 on a link at once");
}

} // namespace
} // namespace tilescope::compile
