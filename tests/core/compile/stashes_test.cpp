// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/compile/pass_program.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace tilescope::compile {
namespace {

/// A graph's stages of one tile each, eight micro-batches for an update; their IPUs, or one for each.
Executable lowered(const std::string& text, PipelineSchedule schedule, std::vector<std::int32_t> stage_ipus,
                   bool offload = false) {
    Options options = options_for(1);
    options.schedule.accumulation = options.schedule.steps_per_execution = 8;
    options.schedule.ipus_per_replica = stage_ipus.empty() ? 3 : 2;
    options.schedule.pipeline = schedule;
    options.offload_activations = offload;
    options.schedule.stage_ipus = std::move(stage_ipus);
    return executable_after("plan, map and lower", text, options);
}

/// Three stages of one exp each, of 4 floats: a, b and c; what their backward passes do, and its result.
std::string three_stages(const std::string& backward, const std::string& gradient) {
    return R"(graph "g" {
  feed %x : float32 [4]
  %a = exp(%x) shard 0
  %b = exp(%a) shard 1
  %c = exp(%b) shard 2
  %loss = reduce_sum(%c) shard 2
  %gc = multiply(%c, %c) backward shard 2
)" + backward +
           "  fetch \"loss\" = %loss loss\n  fetch \"gradient\" = " + gradient + R"(
  train %loss "sgd" {}
})";
}

/// Their backward passes read what the forward pass of the same stage gave: a on stage 0, b on stage 1; what
/// stage 2 keeps is read at once.
Executable pipelined(PipelineSchedule schedule, std::vector<std::int32_t> stage_ipus = {},
                     bool offload = false) {
    return lowered(three_stages("  %gb = multiply(%gc, %b) backward shard 1\n"
                                "  %ga = multiply(%gb, %a) backward shard 0\n",
                                "%ga"),
                   schedule, std::move(stage_ipus), offload);
}

struct Stash {
    std::int64_t depth = 0, bytes = 0;
    std::int32_t ipu = -1;
    bool operator==(const Stash&) const = default;
};
using Stashes = std::map<std::string, Stash>; ///< by the value

Stashes stashes_of(const Executable& executable) {
    Stashes found;
    for (const program::Variable& variable : executable.program.variables)
        if (variable.stash_depth > 0)
            found[variable.name.substr(0, variable.name.find('/'))] = {variable.stash_depth,
                                                                       variable.total_bytes(), variable.ipu};
    return found;
}

/// Where these texts begin, in this order.
std::vector<std::size_t> places(const std::string& text, const std::vector<std::string>& of) {
    std::vector<std::size_t> found;
    for (const std::string& each : of) {
        found.push_back(text.find(each));
        EXPECT_NE(found.back(), std::string::npos) << each << "\n" << text;
    }
    return found;
}

using Copies = std::map<std::string, std::vector<std::int64_t>>; ///< by name: bytes, those always live

/// The copies of %a, made on stage 0, and of %gd, made by the backward pass of stage 3, each of 4 floats, in
/// four stages on IPUs of their own; %a is read again `skip` stages on, %gd by the stage so far back.
Copies copies_of_skip(PipelineSchedule schedule, int skip) {
    const auto also = [&](int stage, const char* value, const char* otherwise) {
        return std::string(stage == skip ? value : otherwise);
    };
    Options options = options_for(1);
    options.schedule.accumulation = options.schedule.steps_per_execution = 8;
    options.schedule.ipus_per_replica = 4;
    options.schedule.pipeline = schedule;
    const Executable e = executable_after("plan, map and lower", R"(graph "g" {
  feed %x : float32 [4]
  %a = exp(%x) shard 0
  %b = add(%a, %a) shard 1
  %c = add(%b, )" + also(2, "%a", "%b") + R"() shard 2
  %d = add(%c, )" + also(3, "%a", "%c") + R"() shard 3
  %loss = reduce_sum(%d) shard 3
  %gd = multiply(%d, %d) backward shard 3
  %gc = multiply(%gd, %gd) backward shard 2
  %gb = multiply(%gc, )" + also(2, "%gd", "%gc") + R"() backward shard 1
  %ga = multiply(%gb, )" + also(3, "%gd", "%gb") + R"() backward shard 0
  fetch "loss" = %loss loss
  fetch "gradient" = %ga
  train %loss "sgd" {}
})",
                                          options);
    Copies copies;
    for (const program::Variable& v : e.program.variables)
        if (v.role == StepRole::Copy && (v.name.starts_with("a/") || v.name.starts_with("gd/")))
            copies[v.name] = {v.total_bytes(), v.always_live ? v.total_bytes() : 0};
    for (const program::Exchange& exchange : e.program.exchanges)
        if (exchange.kind == ExchangeKind::InterIpu && schedule != PipelineSchedule::Sequential) {
            EXPECT_EQ(std::abs(exchange.ipu - exchange.peer), 1) << exchange.name;
        }
    return copies;
}

} // namespace

// IPU TensorFlow holds 2 (S - 1 - i) micro-batches of stage i of S where forward and backward passes are in
// groups, S - 1 - i where they take turns; 16 bytes each.
TEST(Stashes, HoldAsManyMicroBatchesAsAreUnderWayBehindTheStage) {
    EXPECT_EQ(stashes_of(pipelined(PipelineSchedule::Grouped)),
              (Stashes{{"a", {4, 4 * 16, 0}}, {"b", {2, 2 * 16, 1}}}));
    EXPECT_EQ(stashes_of(pipelined(PipelineSchedule::Interleaved)),
              (Stashes{{"a", {2, 2 * 16, 0}}, {"b", {1, 16, 1}}}));
    EXPECT_EQ(stashes_of(pipelined(PipelineSchedule::Grouped, {1, 0, 1})),
              (Stashes{{"a", {4, 4 * 16, 1}}, {"b", {2, 2 * 16, 0}}}))
        << "stages 0 and 2 share IPU 1";
    // PopART's have a row for the micro-batch in work too.
    EXPECT_EQ(stashes_of(pipelined(PipelineSchedule::PopART)),
              (Stashes{{"a", {5, 5 * 16, 0}}, {"b", {3, 3 * 16, 1}}}));
    EXPECT_TRUE(stashes_of(pipelined(PipelineSchedule::Sequential)).empty());
}

// %a waits on IPU 0 from stage 0 to stage 2, one micro-batch for each slot between; of what stage 2 then
// keeps, each place is of one micro-batch.
TEST(Stashes, OfWhatSkipsAStageOnItsIpuHoldOneMicroBatchInEachPlace) {
    const Executable e = lowered(R"(graph "g" {
  feed %x : float32 [4]
  %a = exp(%x) shard 0
  %b = exp(%a) shard 1
  %c = add(%b, %a) shard 2
  %d = exp(%c) shard 3
  %loss = reduce_sum(%d) shard 3
  %gd = multiply(%d, %d) backward shard 3
  %gc = multiply(%gd, %a) backward shard 2
  fetch "loss" = %loss loss
  fetch "gradient" = %gc
  train %loss "sgd" {}
})",
                                 PipelineSchedule::Grouped, {0, 1, 0, 1});
    EXPECT_EQ(stashes_of(e), (Stashes{{"a", {2, 2 * 16, 0}}}));
    for (const program::Variable& variable : e.program.variables)
        if (variable.name == "a/for stage 2") {
            EXPECT_EQ(variable.total_bytes(), 2 * 16);
        }
}

// What is computed again for the backward pass is of its micro-batch: on stage 1 the copy of %a, which came
// from stage 0.
TEST(Stashes, AreReadByWhatIsComputedAgain) {
    const Executable e = lowered(three_stages("  %again = negate(%a) recompute shard 1\n"
                                              "  %gb = multiply(%gc, %again) backward shard 1\n",
                                              "%gb"),
                                 PipelineSchedule::Grouped, {});
    EXPECT_EQ(stashes_of(e), (Stashes{{"a", {2, 2 * 16, 1}}}));
    const auto at = places(outline(e.program), {"push(a)", "pop(a)", "again/negate"});
    EXPECT_TRUE(std::is_sorted(at.begin(), at.end()));
}

// What is pushed is made, and what is popped is read by the backward pass of the same stage.
TEST(Stashes, ArePushedBehindTheForwardPassAndPoppedBeforeTheBackwardPass) {
    const Executable e = pipelined(PipelineSchedule::Grouped);
    const std::string text = outline(e.program);
    const auto at = places(text, {"a/exp", "push(a)", "pop(a)", "ga/multiply"});
    EXPECT_TRUE(std::is_sorted(at.begin(), at.end())) << text;
    const auto of_b = places(text, {"b/exp", "push(b)", "pop(b)", "gb/multiply"});
    EXPECT_TRUE(std::is_sorted(of_b.begin(), of_b.end())) << text;
}

// The backward pass is of an earlier micro-batch than what the forward pass has just made.
TEST(Stashes, BackwardPassesReadWhatWasPopped) {
    for (const bool offload : {false, true}) {
        const Executable e = pipelined(PipelineSchedule::Grouped, {}, offload);
        for (const auto& [reader, popped, made] :
             {std::tuple("ga", "a/of the stash", "a"), std::tuple("gb", "b/of the stash", "b")}) {
            std::vector<std::string> used;
            for (const program::StepId id : e.program.leaves())
                if (const program::Step& step = e.program.step(id);
                    step.operation >= 0 && step.work.role == StepRole::Compute &&
                    e.graph.operation(graph::OpId(step.operation)).name == reader)
                    for (const program::VariableId variable : step.uses)
                        used.push_back(e.program.variable(variable).name);
            EXPECT_NE(std::find(used.begin(), used.end(), popped), used.end()) << reader;
            EXPECT_EQ(std::find(used.begin(), used.end(), made), used.end()) << reader;
        }
    }
}

// A remote buffer of as many rows: one row goes by a landing pad, of 16 bytes each way.
TEST(Stashes, MayLieInStreamingMemory) {
    const Executable e = pipelined(PipelineSchedule::Grouped, {}, true);
    EXPECT_EQ(stashes_of(e), (Stashes{{"a", {4, 0, 0}}, {"b", {2, 0, 1}}}));
    std::int64_t streamed = 0;
    for (const program::Variable& variable : e.program.variables)
        streamed += variable.streaming_bytes;
    EXPECT_EQ(streamed, (4 + 2) * 16);
    const std::string text = outline(e.program);
    const auto at = places(text, {"a/exp", "execute a/Copy", "store a/store(a)", "load ga/load(a)",
                                  "execute ga/Copy", "ga/multiply"});
    EXPECT_TRUE(std::is_sorted(at.begin(), at.end())) << text;
    EXPECT_EQ(text.find("push"), std::string::npos);
    int rows = 0;
    for (const program::Step& step : e.program.steps)
        if (step.kind == StepKind::Load || step.kind == StepKind::Store) {
            const auto& exchange = e.program.exchanges[static_cast<std::size_t>(step.exchange)];
            EXPECT_EQ(exchange.bytes(), 16);
            EXPECT_EQ(step.sync_cycles, e.target.global_sync_cycles);
            ++rows;
        }
    EXPECT_EQ(rows, 4);
}

// IPU TensorFlow's stages read of their neighbours: what skips n - 1 stages is n times under way, once on the
// IPU of each stage after its own. Where it goes on, the copy waits while that stage works. Under Sequential
// one micro-batch is under way at a time and what skips a stage goes straight to its reader.
TEST(Stashes, WhatSkipsStagesIsHeldOnceOnEachIpuThatItPasses) {
    for (const PipelineSchedule schedule : {PipelineSchedule::Grouped, PipelineSchedule::Interleaved}) {
        SCOPED_TRACE(static_cast<int>(schedule));
        EXPECT_EQ(copies_of_skip(schedule, 1), (Copies{{"a/on IPU 1", {16, 0}}, {"gd/on IPU 2", {16, 0}}}));
        EXPECT_EQ(copies_of_skip(schedule, 2), (Copies{{"a/on IPU 1", {16, 16}},
                                                       {"a/on IPU 2", {16, 0}},
                                                       {"gd/on IPU 2", {16, 16}},
                                                       {"gd/on IPU 1", {16, 0}}}));
        EXPECT_EQ(copies_of_skip(schedule, 3), (Copies{{"a/on IPU 1", {16, 16}},
                                                       {"a/on IPU 2", {16, 16}},
                                                       {"a/on IPU 3", {16, 0}},
                                                       {"gd/on IPU 2", {16, 16}},
                                                       {"gd/on IPU 1", {16, 16}},
                                                       {"gd/on IPU 0", {16, 0}}}));
    }
    EXPECT_EQ(copies_of_skip(PipelineSchedule::Sequential, 3), (Copies{{"a/on IPU 1", {16, 0}},
                                                                       {"a/on IPU 3", {16, 0}},
                                                                       {"gd/on IPU 2", {16, 0}},
                                                                       {"gd/on IPU 0", {16, 0}}}));
}

} // namespace tilescope::compile
