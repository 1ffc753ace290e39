// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/compile/pass_program.h"

#include <map>

namespace tilescope::compile {
namespace {

/// A graph's stages of one tile each, eight micro-batches for an update; their IPUs, or one for each.
Executable lowered(const std::string& text, PipelineSchedule schedule, std::vector<std::int32_t> stage_ipus) {
    Options options = options_for(1);
    options.schedule.accumulation = options.schedule.steps_per_execution = 8;
    options.schedule.ipus_per_replica = stage_ipus.empty() ? 3 : 2;
    options.schedule.pipeline = schedule;
    options.schedule.stage_ipus = std::move(stage_ipus);
    return executable_after("plan, map and lower", text, options);
}

/// Three stages of one exp each, of 4 floats, whose backward pass reads what the forward pass of the same
/// stage gave: a on stage 0, b on stage 1; what stage 2 keeps is read at once.
Executable pipelined(PipelineSchedule schedule, std::vector<std::int32_t> stage_ipus = {}) {
    return lowered(R"(graph "g" {
  feed %x : float32 [4]
  %a = exp(%x) shard 0
  %b = exp(%a) shard 1
  %c = exp(%b) shard 2
  %loss = reduce_sum(%c) shard 2
  %gc = multiply(%c, %c) backward shard 2
  %gb = multiply(%gc, %b) backward shard 1
  %ga = multiply(%gb, %a) backward shard 0
  fetch "loss" = %loss loss
  fetch "gradient" = %ga
  train %loss "sgd" {}
})",
                   schedule, std::move(stage_ipus));
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

// What is pushed is made, and what is popped is read by the backward pass of the same stage.
TEST(Stashes, ArePushedBehindTheForwardPassAndPoppedBeforeTheBackwardPass) {
    const Executable e = pipelined(PipelineSchedule::Grouped);
    const std::string text = outline(e.program);
    const auto at = places(text, {"a/exp", "push(a)", "pop(a)", "ga/multiply"});
    EXPECT_TRUE(std::is_sorted(at.begin(), at.end())) << text;
    const auto of_b = places(text, {"b/exp", "push(b)", "pop(b)", "gb/multiply"});
    EXPECT_TRUE(std::is_sorted(of_b.begin(), of_b.end())) << text;
}

} // namespace tilescope::compile
