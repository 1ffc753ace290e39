// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/compile/pass_text.h"

namespace tilescope::compile {

TEST(MergeCommonSubexpressions, ComputesOnceWhatIsTheSame) {
    const std::string twice = R"(graph "g" {
  feed %x : float32 [2, 4]
  %a = exp(%x)
  %b = exp(%x)
  %of_a = reduce_sum(%a) {axes: [0]}
  %of_b = reduce_sum(%b) {axes: [0]}
  %y = multiply(%of_a, %of_b)
  fetch "y" = %y
  fetch "b" = %b
})";
    EXPECT_EQ(after("merge common subexpressions", twice), normal(R"(graph "g" {
  feed %x : float32 [2, 4]
  %a = exp(%x)
  %of_a = reduce_sum(%a) {axes: [0]}
  %y = multiply(%of_a, %of_a)
  fetch "y" = %y
  fetch "b" = %a
})"));
}

TEST(MergeCommonSubexpressions, TellsOperationsApartByTheirKindAttributesInputsAndOrderOfInputs) {
    const std::string text = normal(R"(graph "g" {
  feed %x : float32 [4, 4]
  feed %z : float32 [4, 4]
  %rows = reduce_sum(%x) {axes: [0]}
  %columns = reduce_sum(%x) {axes: [1]}
  %of_z = reduce_sum(%z) {axes: [0]}
  %xz = subtract(%x, %z)
  %zx = subtract(%z, %x)
  %sum = add(%x, %z)
  fetch "rows" = %rows
  fetch "columns" = %columns
  fetch "of z" = %of_z
  fetch "xz" = %xz
  fetch "zx" = %zx
  fetch "sum" = %sum
})");
    EXPECT_EQ(after("merge common subexpressions", text), text);
}

// Two draws are two masks, replicas meet as often as they are told to, and the same operation on another IPU
// or on the host is there for a reason.
TEST(MergeCommonSubexpressions, LeavesWhatIsRandomAndWhatRunsElsewhere) {
    const std::string text = normal(R"(graph "g" {
  feed %x : float32 [4]
  %first = dropout(%x) {rate: 0.5}
  %second = dropout(%x) {rate: 0.5}
  %mean = group_mean(%x) {group: 2}
  %again = group_mean(%x) {group: 2}
  %here = exp(%x) shard 0
  %there = exp(%x) shard 1
  %host = exp(%x) on "/device:CPU:0"
  fetch "first" = %first
  fetch "second" = %second
  fetch "mean" = %mean
  fetch "again" = %again
  fetch "here" = %here
  fetch "there" = %there
  fetch "host" = %host
})");
    EXPECT_EQ(after("merge common subexpressions", text), text);
}

TEST(MergeCommonSubexpressions, MakesOneOfEqualSmallConstants) {
    const std::string two = R"(graph "g" {
  feed %x : float32 [2]
  constant %a : float32 [2] = [1.0, 2.0]
  constant %b : float32 [2] = [1.0, 2.0]
  constant %whole : int32 [2] = [1, 2]
  constant %c : float32 [2] = [1.0, 2.5]
  %xa = add(%x, %a)
  %xb = add(%x, %b)
  %xc = add(%x, %c)
  fetch "xa" = %xa
  fetch "xb" = %xb
  fetch "xc" = %xc
  fetch "whole" = %whole
})";
    EXPECT_EQ(after("merge common subexpressions", two), normal(R"(graph "g" {
  feed %x : float32 [2]
  constant %a : float32 [2] = [1.0, 2.0]
  constant %b : float32 [2] = [1.0, 2.0]
  constant %whole : int32 [2] = [1, 2]
  constant %c : float32 [2] = [1.0, 2.5]
  %xa = add(%x, %a)
  %xc = add(%x, %c)
  fetch "xa" = %xa
  fetch "xb" = %xa
  fetch "xc" = %xc
  fetch "whole" = %whole
})"));
}

// What an update takes from its batches is added up over them: a rate must not be.
TEST(MergeCommonSubexpressions, LeavesWhatAnUpdateOfSeveralBatchesComputesItself) {
    const std::string text = normal(R"(graph "g" {
  feed %x : float32 [4]
  variable %w : float32 [4] = 0.5
  variable %c : float32 [4] = 0.5 frozen
  %rate = exp(%c)
  %y = multiply(%x, %rate)
  %of_update = exp(%c) update
  %w/new = sgd_update(%w, %of_update) {learning_rate: 0.1} update
  next %w = %w/new
  fetch "y" = %y
})");
    Options options;
    options.schedule.accumulation = 2;
    EXPECT_EQ(after("merge common subexpressions", text, options), text);
    EXPECT_NE(after("merge common subexpressions", text), text);
}

} // namespace tilescope::compile
