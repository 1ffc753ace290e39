// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/compile/momentum_text.h"
#include "tests/core/compile/pass_program.h"

#include <map>
#include <string>
#include <utility>

namespace tilescope::compile {
namespace {

/// A gradient that replicas sum, a variable and its momentum, in streaming memory; `gradient` is what the
/// update reads of it, and may be made by `between`.
std::string trained_with_state(const std::string& gradient = "%sum", const std::string& between = {}) {
    return R"(graph "g" {
  feed %x : float32 [1000]
  variable %w : float32 [1000] = 1.0
  variable %m : float32 [1000] = 0 frozen
  %loss = reduce_sum(%x)
  %g = multiply(%x, %w) backward
  %sum = all_reduce(%g) {replicas: 4, scale: 1.0} update
)" + between +
           R"(  %m/load = remote_load(%m, %w) update
  %w/new, %m/new = momentum_update(%w, %m/load, )" +
           gradient + R"() {learning_rate: 0.1, momentum: 0.9} update
  %m/store = remote_store(%m/new, %m) update
  next %w = %w/new
  next %m = %m/store
  fetch "loss" = %loss loss
  train %loss "sgd"
})";
}

Options shared_by(std::int32_t replicas) {
    Options options = options_for(1);
    options.schedule.replicas = replicas;
    options.offload_state = options.shard_state = true;
    return options;
}

/// What the pass makes of it, with the same two pieces.
std::string shared_with_state(const std::string& gradient = "%sum", const std::string& between = {}) {
    return normal(R"(graph "g" {
  feed %x : float32 [1000]
  variable %w : float32 [1000] = 1.0
  variable %m : float32 [1000] = 0 frozen
  %loss = reduce_sum(%x)
  %g = multiply(%x, %w) backward
  %sum = reduce_scatter(%g, %w) {replicas: 4, scale: 1.0} update
)" + between + R"(  %w/share = take_share(%w) {replicas: 4} update
  %m/load = remote_load(%m, %w/share) update
  %w/new, %m/new = momentum_update(%w/share, %m/load, )" +
                  gradient + R"() {learning_rate: 0.1, momentum: 0.9, shares: 4} update
  %w/new/all_gather = all_gather(%w, %w/new) {replicas: 4} update
  %m/store = remote_store(%m/new, %m) update
  next %w = %w/new/all_gather
  next %m = %m/store
  fetch "loss" = %loss loss
  train %loss "sgd"
})");
}

} // namespace

TEST(ShardState, AReplicaUpdatesItsShareBetweenAReduceScatterAndAnAllGather) {
    EXPECT_EQ(after("shard state", trained_with_state(), shared_by(4)), shared_with_state());
}

TEST(ShardState, WhatScalesTheSumWorksOnTheShare) {
    EXPECT_EQ(after("shard state", trained_with_state("%scaled", "  %scaled = negate(%sum) update\n"),
                    shared_by(4)),
              shared_with_state("%scaled", "  %scaled = negate(%sum) {shares: 4} update\n"));
}

// What else reads the sum, or the scaled sum, needs all of it.
TEST(ShardState, ASumThatSomethingElseReadsStaysWhole) {
    for (const auto& [gradient, between] :
         {std::pair("%sum", "  %norm = reduce_sum(%sum) update\n"),
          std::pair("%scaled", "  %scaled = negate(%sum) update\n  %norm = reduce_sum(%scaled) update\n")}) {
        const std::string made = after("shard state", trained_with_state(gradient, between), shared_by(4));
        EXPECT_NE(made.find("%sum = all_reduce(%g)"), std::string::npos) << made;
        EXPECT_EQ(made.find("reduce_scatter"), std::string::npos) << made;
    }
}

TEST(ShardState, NothingIsSharedWithoutReplicasOrWithoutBeingAskedFor) {
    EXPECT_EQ(after("shard state", trained_with_state(), shared_by(1)), normal(trained_with_state()));
    Options offloaded = shared_by(4);
    offloaded.shard_state = false;
    EXPECT_EQ(after("shard state", trained_with_state(), offloaded), normal(trained_with_state()));
}

// LAMB's direction is made of shares; its length, and the step along it, of the whole.
TEST(ShardState, WhatFollowsTheUpdateReadsTheGatheredWhole) {
    const std::string text = R"(graph "g" {
  feed %x : float32 [1000]
  feed %t : float32 []
  variable %w : float32 [1000] = 1.0
  variable %m : float32 [1000] = 0 frozen
  variable %v : float32 [1000] = 0 frozen
  %loss = reduce_sum(%x)
  %sum = all_reduce(%x) {replicas: 4, scale: 1.0} update
  %d, %m/new, %v/new = lamb_direction_update(%w, %m, %v, %t, %sum) update
  %w/new = subtract(%w, %d) update
  next %w = %w/new
  next %m = %m/new
  next %v = %v/new
  fetch "loss" = %loss loss
  train %loss "sgd"
})";
    graph::Graph graph = graph_of(text);
    ASSERT_TRUE(run_pass("offload state", graph, shared_by(4)));
    ASSERT_TRUE(run_pass("shard state", graph, shared_by(4)));
    const std::string made = print(graph);
    EXPECT_NE(made.find("%d/all_gather = all_gather(%d:0) {replicas: 4}"), std::string::npos) << made;
    EXPECT_NE(made.find("subtract(%w, %d/all_gather)"), std::string::npos) << made;
    EXPECT_NE(made.find("remote_load(%v, %w/share)"), std::string::npos) << made;
}

// With four replicas, on one tile: a share is 1000 / 4 elements, 1,000 bytes. Each phase of the ring moves
// 3/4 of 4,000 bytes, as those of an all-reduce do; a load takes 1,000 * 4 sharers / (20 GB/s) of 1.33 GHz:
// 266 cycles.
TEST(ShardState, AShareIsLoadedAndUpdatedAndTheRestComesOverTheLinks) {
    const Executable e = executable_after("plan, map and lower", with_momentum("1000"), shared_by(4));
    std::map<std::string, std::int64_t> bytes;
    std::map<std::string, std::int64_t> cycles;
    for (const program::Step& step : e.program.steps)
        if (step.exchange >= 0 && step.part == ProgramPart::Update) {
            const auto& exchange = e.program.exchanges[static_cast<std::size_t>(step.exchange)];
            bytes[step.name] = exchange.bytes();
            cycles[step.name] = step.exchange_cycles;
        }
    EXPECT_EQ(bytes, (std::map<std::string, std::int64_t>{{"w/new/all_reduce/reduce-scatter", 3000},
                                                          {"m/load/load", 1000},
                                                          {"w/new/all_gather/all-gather", 3000},
                                                          {"m/store/store", 1000}}));
    EXPECT_EQ(cycles["m/load/load"], 100 + 266);
    std::map<std::string, std::int64_t> held;
    for (const program::Variable& v : e.program.variables)
        held[v.name] = v.streaming_bytes > 0 ? v.streaming_bytes : v.total_bytes();
    for (const char* shared : {"m", "w/share", "m/load", "w/new/all_reduce"})
        EXPECT_EQ(held[shared], 1000) << shared;
    EXPECT_EQ(held["w"], 4000) << "whole on each replica";
}

namespace {

Options all_shared_by(std::int32_t replicas) {
    Options options = shared_by(replicas);
    options.offload_weights = options.shard_weights = true;
    return options;
}

/// What the passes that move weights and state make of it.
std::string moved(const std::string& text, const Options& options) {
    graph::Graph graph = graph_of(text);
    for (const char* pass : {"offload weights", "offload state", "shard state"})
        EXPECT_TRUE(run_pass(pass, graph, options)) << pass;
    return print(graph);
}

std::string summed_with_momentum(const std::string& after_update = {}, const std::string& next = "%w/new") {
    return R"(graph "g" {
  feed %x : float32 [1000]
  variable %w : float32 [1000] = 1.0
  variable %m : float32 [1000] = 0 frozen
  %y = multiply(%x, %w)
  %loss = reduce_sum(%y)
  %sum = all_reduce(%x) {replicas: 4, scale: 1.0} update
  %w/new, %m/new = momentum_update(%w, %m, %sum) {learning_rate: 0.1, momentum: 0.9} update
)" + after_update +
           "  next %w = " + next + R"(
  next %m = %m/new
  fetch "loss" = %loss loss
  train %loss "sgd"
})";
}

} // namespace

// Nothing is gathered but for the pass that reads the weight.
TEST(ShardState, OfASharedWeightTheUpdateLoadsAndStoresItsShare) {
    EXPECT_EQ(moved(summed_with_momentum(), all_shared_by(4)), normal(R"(graph "g" {
  feed %x : float32 [1000]
  variable %w : float32 [1000] = 1.0
  variable %m : float32 [1000] = 0 frozen
  %w/load/forward = remote_load(%w) {reader: "forward", replicas: 4}
  %y = multiply(%x, %w/load/forward)
  %loss = reduce_sum(%y)
  %sum = reduce_scatter(%x, %w) {replicas: 4, scale: 1.0} update
  %w/load = remote_load(%w) {shares: 4} update
  %m/load = remote_load(%m, %w/load) update
  %w/new, %m/new = momentum_update(%w/load, %m/load, %sum) {learning_rate: 0.1, momentum: 0.9, shares: 4} update
  %w/store = remote_store(%w/new, %w) update
  %m/store = remote_store(%m/new, %m) update
  next %w = %w/store
  next %m = %m/store
  fetch "loss" = %loss loss
  train %loss "sgd"
})"));
}

TEST(ShardState, WhatFollowsTheUpdateOfASharedWeightIsWholeAndStoredAsAShare) {
    const std::string made =
        moved(summed_with_momentum("  %w/half = negate(%w/new) update\n", "%w/half"), all_shared_by(4));
    EXPECT_NE(made.find("%w/new/all_gather = all_gather(%w/new:0) {replicas: 4}"), std::string::npos) << made;
    EXPECT_NE(made.find("%w/half = negate(%w/new/all_gather)"), std::string::npos) << made;
    EXPECT_NE(made.find("%w/store/share = take_share(%w/half) {replicas: 4}"), std::string::npos) << made;
    EXPECT_NE(made.find("%w/store = remote_store(%w/store/share, %w)"), std::string::npos) << made;
}

// Where replicas share the weight but not its state, all of both is updated on each.
TEST(ShardState, StateThatIsNotSharedIsUpdatedBesideTheGatheredWeight) {
    Options options = all_shared_by(4);
    options.shard_state = false;
    const std::string made = moved(summed_with_momentum(), options);
    EXPECT_NE(made.find("%sum = all_reduce(%x)"), std::string::npos) << made;
    EXPECT_NE(made.find("%w/load/all_gather = all_gather(%w/load) {replicas: 4}"), std::string::npos) << made;
    EXPECT_NE(made.find("momentum_update(%w/load/all_gather, %m/load, %sum)"), std::string::npos) << made;
    EXPECT_NE(made.find("remote_load(%m, %w/load/all_gather)"), std::string::npos) << made;
    EXPECT_NE(made.find("%w/store/share = take_share(%w/new:0) {replicas: 4}"), std::string::npos) << made;
}

// Replicas that share state only: the weight, which each has in streaming memory, is whole there.
TEST(ShardState, AnOffloadedWeightThatIsNotSharedIsGatheredBeforeItIsStored) {
    Options options = all_shared_by(4);
    options.shard_weights = false;
    const std::string made = moved(summed_with_momentum(), options);
    EXPECT_NE(made.find("%w/load/share = take_share(%w/load) {replicas: 4}"), std::string::npos) << made;
    EXPECT_NE(made.find("remote_store(%w/new/all_gather, %w)"), std::string::npos) << made;
}

TEST(ShardState, OfASharedMasterTheFloat16CopyIsGathered) {
    const std::string made = moved(R"(graph "g" {
  feed %x : float16 [1000]
  variable %w : float32 [1000] = 1.0
  variable %m : float32 [1000] = 0 frozen
  %h = cast(%w) {dtype: "float16"}
  %y = multiply(%x, %h)
  %loss = reduce_sum(%y)
  %g = cast(%x) {dtype: "float32"} backward
  %sum = all_reduce(%g) {replicas: 4, scale: 1.0} update
  %w/new, %m/new = momentum_update(%w, %m, %sum) {learning_rate: 0.1, momentum: 0.9} update
  next %w = %w/new
  next %m = %m/new
  fetch "loss" = %loss loss
  train %loss "sgd"
})",
                                   all_shared_by(4));
    for (const char* line :
         {"%sum = reduce_scatter(%g, %w/float16) {replicas: 4, scale: 1.0}",
          "%w/load = remote_load(%w, %w/float16) {shares: 4}", "%w/store = remote_store(%w/new:0, %w)",
          "%w/float16/new = cast(%w/new:0) {dtype: \"float16\", shares: 4}",
          "%w/float16/new/all_gather = all_gather(%w/float16, %w/float16/new) {replicas: 4}"})
        EXPECT_NE(made.find(line), std::string::npos) << line << " in\n" << made;
}

// With four replicas, on one tile: 1,000 bytes of 4,000 in streaming memory and in a pad, a share of them,
// and the whole while the pass reads it. The gather is the second phase of an all-reduce, 3/4 of 4,000 bytes;
// the update moves none of the weight over links.
TEST(ShardState, APassGathersASharedWeightAndTheUpdateDoesNot) {
    const Executable e = executable_after("plan, map and lower", summed_with_momentum(), all_shared_by(4));
    std::map<std::string, std::int64_t> bytes;
    for (const program::Step& step : e.program.steps)
        if (step.kind == StepKind::Load || step.kind == StepKind::Store || step.name.ends_with("er") ||
            step.name.ends_with("gather"))
            bytes[step.name] = e.program.exchanges[static_cast<std::size_t>(step.exchange)].bytes();
    EXPECT_EQ(bytes, (std::map<std::string, std::int64_t>{{"w/load/forward/load", 1000},
                                                          {"w/load/forward/all-gather", 3000},
                                                          {"sum/reduce-scatter", 3000},
                                                          {"w/load/load", 1000},
                                                          {"m/load/load", 1000},
                                                          {"w/store/store", 1000},
                                                          {"m/store/store", 1000}}));
    const auto of_each = [](const Executable& executable) {
        std::map<std::string, std::int64_t> held;
        for (const program::Variable& v : executable.program.variables)
            held[v.name] = v.total_bytes() + v.streaming_bytes;
        return held;
    };
    std::map<std::string, std::int64_t> held = of_each(e);
    for (const char* share : {"w", "m", "w/load", "m/load", "sum"})
        EXPECT_EQ(held[share], 1000) << share;
    EXPECT_EQ(held["w/load/forward"], 4000) << "gathered";
    for (const program::Variable& v : e.program.variables)
        EXPECT_TRUE((v.name != "w" && v.name != "m") || v.total_bytes() == 0) << v.name << " on tiles";
    std::map<std::string, std::int64_t> whole =
        of_each(executable_after("plan, map and lower", summed_with_momentum(), options_for(1)));
    EXPECT_EQ(whole["w"] + whole["m"], 8000) << "always live where nothing is shared";
}

// 300 bytes are more than 128 but less than 128 for each of four replicas.
TEST(ShardState, VariablesTooSmallForSharesStayOnTheTiles) {
    const std::string text = with_momentum("75");
    EXPECT_EQ(after("offload state", text, shared_by(4)), normal(text));
    EXPECT_NE(after("offload state", text, shared_by(2)), normal(text));
}

} // namespace tilescope::compile
