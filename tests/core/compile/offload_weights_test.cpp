// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/compile/momentum_text.h"
#include "tests/core/compile/pass_program.h"

namespace tilescope::compile {
namespace {

Options offloading_weights(std::int64_t tiles) {
    Options options = options_for(tiles);
    options.offload_state = options.offload_weights = true;
    return options;
}

/// A layer that computes in float16 with float32 weights.
std::string mixed() {
    return R"(graph "g" {
  feed %x : float16 [1000]
  variable %w : float32 [1000] = 1.0
  variable %m : float32 [1000] = 0 frozen
  %h = cast(%w) {dtype: "float16"}
  %y = multiply(%x, %h)
  %loss = reduce_sum(%y)
  %g = cast(%x) {dtype: "float32"} backward
  %w/new, %m/new = momentum_update(%w, %m, %g) {learning_rate: 0.1, momentum: 0.9} update
  next %w = %w/new
  next %m = %m/new
  fetch "loss" = %loss loss
  train %loss "sgd"
})";
}

const program::Variable* named(const Executable& e, const std::string& name) {
    const auto found = std::find_if(e.program.variables.begin(), e.program.variables.end(),
                                    [&](const program::Variable& v) { return v.name == name; });
    return found == e.program.variables.end() ? nullptr : &*found;
}

} // namespace

TEST(OffloadWeights, OfAMasterAFloat16CopyStays) {
    EXPECT_EQ(after("offload weights", mixed(), offloading_weights(1)), normal(R"(graph "g" {
  feed %x : float16 [1000]
  variable %w : float32 [1000] = 1.0
  variable %m : float32 [1000] = 0 frozen
  variable %w/float16 : float16 [1000] = 1.0 frozen
  %y = multiply(%x, %w/float16)
  %loss = reduce_sum(%y)
  %g = cast(%x) {dtype: "float32"} backward
  %w/new, %m/new = momentum_update(%w, %m, %g) {learning_rate: 0.1, momentum: 0.9} update
  %w/float16/new = cast(%w/new) {dtype: "float16"} update
  next %w = %w/new
  next %m = %m/new
  next %w/float16 = %w/float16/new
  fetch "loss" = %loss loss
  train %loss "sgd"
})"));
}

// The weight first, whichever is declared first: its state is loaded to where the weight then lies.
TEST(OffloadWeights, AreLoadedBeforeTheirState) {
    const std::string text = R"(graph "g" {
  feed %g : float32 [1000]
  variable %m : float32 [1000] = 0 frozen
  variable %w : float32 [1000] = 1.0
  %loss = reduce_sum(%g)
  )";
    const std::string end = R"(
  fetch "loss" = %loss loss
  train %loss "sgd"
})";
    EXPECT_EQ(
        after("offload state",
              text +
                  "%w/new, %m/new = momentum_update(%w, %m, %g) {learning_rate: 0.1, momentum: 0.9} update"
                  "\n  next %m = %m/new\n  next %w = %w/new" +
                  end,
              offloading_weights(1)),
        normal(text + R"(%w/load = remote_load(%w) update
  %m/load = remote_load(%m, %w/load) update
  %w/new, %m/new = momentum_update(%w/load, %m/load, %g) {learning_rate: 0.1, momentum: 0.9} update
  %m/store = remote_store(%m/new, %m) update
  %w/store = remote_store(%w/new, %w) update
  next %m = %m/store
  next %w = %w/store)" +
               end));
}

TEST(OffloadWeights, OthersAreLoadedForTheBackwardPassThatReadsThem) {
    EXPECT_EQ(after("offload weights", with_momentum("32"), offloading_weights(1)), normal(R"(graph "g" {
  feed %x : float32 [32]
  variable %w : float32 [32] = 1.0
  variable %m : float32 [32] = 0 frozen
  %loss = reduce_sum(%x)
  %w/load/backward = remote_load(%w) {reader: "backward"} backward
  %g = multiply(%x, %w/load/backward) backward
  %w/new, %m/new = momentum_update(%w, %m, %g) {learning_rate: 0.1, momentum: 0.9} update
  next %w = %w/new
  next %m = %m/new
  fetch "loss" = %loss loss
  train %loss "sgd"
})"));
}

// Each pass of each stage loads a weight once, however many of its operations read it.
TEST(OffloadWeights, EachPassOfEachStageLoadsItForItself) {
    const std::string text = after("offload weights", R"(graph "g" {
  feed %x : float32 [32]
  variable %w : float32 [32] = 1.0
  %a = multiply(%x, %w) shard 0
  %b = add(%a, %w) shard 0
  %c = multiply(%b, %w) shard 1
  %loss = reduce_sum(%c) shard 1
  %g = multiply(%c, %w) backward shard 1
  %w/new = sgd_update(%w, %g) {learning_rate: 0.1} update
  next %w = %w/new
  fetch "loss" = %loss loss
  train %loss "sgd"
})",
                                   offloading_weights(1));
    std::size_t loads = 0;
    for (std::size_t at = text.find("remote_load("); at != std::string::npos;
         at = text.find("remote_load(", at + 1))
        ++loads;
    EXPECT_EQ(loads, 3U) << "forward on shards 0 and 1, backward on shard 1\n" << text;
}

TEST(OffloadWeights, OfOthersThatReplicasShareEachPassGathersTheShares) {
    Options options = offloading_weights(1);
    options.shard_weights = true;
    options.schedule.replicas = 4;
    const std::string made = after("offload weights", with_momentum("128"), options);
    EXPECT_NE(made.find("%w/load/backward = remote_load(%w) {reader: \"backward\", replicas: 4}"),
              std::string::npos)
        << made;
    EXPECT_EQ(after("offload weights", with_momentum("127"), options), normal(with_momentum("127")))
        << "less than 128 bytes for each replica";
}

TEST(OffloadWeights, NothingMovesUnlessItIsAskedFor) {
    EXPECT_EQ(after("offload weights", mixed(), options_for(1)), normal(mixed()));
    EXPECT_EQ(after("offload weights", with_momentum("31"), offloading_weights(1)),
              normal(with_momentum("31")))
        << "less than 128 bytes";
}

// 4,000 bytes of float32 and as many of momentum in streaming memory; 2,000 of float16 on the tile.
TEST(OffloadWeights, MastersTakeNoTileMemory) {
    const Executable e = executable_after("plan, map and lower", mixed(), offloading_weights(1));
    for (const char* name : {"w", "m"}) {
        ASSERT_NE(named(e, name), nullptr) << name;
        EXPECT_EQ(named(e, name)->streaming_bytes, 4000) << name;
        EXPECT_EQ(named(e, name)->total_bytes(), 0) << name;
    }
    ASSERT_NE(named(e, "w/float16"), nullptr);
    EXPECT_EQ(named(e, "w/float16")->total_bytes(), 2000);
    EXPECT_TRUE(named(e, "w/float16")->always_live);
    const std::string steps = outline(e.program);
    const std::vector<std::string> order{"load w/load/load", "load m/load/load", "w/new/Update",
                                         "store w/store/store"};
    std::size_t at = 0;
    for (const std::string& step : order) {
        const std::size_t found = steps.find(step, at);
        EXPECT_NE(found, std::string::npos) << step << "\n" << steps;
        at = found == std::string::npos ? at : found;
    }
}

// Where its reader wants it: loaded and copied from its pad just before, and gone afterwards.
TEST(OffloadWeights, AWeightIsOnTheTilesWhileAPassReadsIt) {
    const Executable e =
        executable_after("plan, map and lower", with_momentum("1000"), offloading_weights(1));
    const std::string steps = outline(e.program);
    const std::size_t load = steps.find("load w/load/backward/load\nexecute w/load/backward/Copy\n");
    ASSERT_NE(load, std::string::npos) << steps;
    EXPECT_LT(load, steps.find("execute g/")) << steps;
    ASSERT_NE(named(e, "w/load/backward"), nullptr);
    EXPECT_FALSE(named(e, "w/load/backward")->always_live);
    EXPECT_EQ(named(e, "w/load/backward")->total_bytes(), 4000);
    EXPECT_EQ(named(e, "w")->streaming_bytes, 4000);
    int loads = 0;
    for (const program::Step& step : e.program.steps)
        loads += step.kind == StepKind::Load ? 1 : 0;
    EXPECT_EQ(loads, 3) << "for the backward pass, and with the momentum for the update";
}

} // namespace tilescope::compile
