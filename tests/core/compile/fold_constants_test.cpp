// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/compile/pass_text.h"

namespace tilescope::compile {

TEST(FoldConstants, ComputesWhatFollowsFromConstantsAlone) {
    const std::string text = R"(graph "g" {
  feed %x : float32 [2]
  constant %two : float32 [] = 2.0
  constant %pair : float32 [2] = [1.0, 3.0]
  %half = reciprocal(%two)
  %halves = multiply(%pair, %half)
  %y = add(%x, %halves)
  fetch "y" = %y
})";
    EXPECT_EQ(after("fold constants", text), normal(R"(graph "g" {
  feed %x : float32 [2]
  constant %two : float32 [] = 2.0
  constant %pair : float32 [2] = [1.0, 3.0]
  constant %half : float32 [] = 0.5
  constant %halves : float32 [2] = [0.5, 1.5]
  %y = add(%x, %halves)
  fetch "y" = %y
})"));
}

// The smallest step of a half at 2048 is 2: the sum is a tie, and goes to the even neighbour.
TEST(FoldConstants, RoundsHalvesAsTheDeviceDoes) {
    const std::string text = R"(graph "g" {
  constant %a : float16 [] = 2048.0
  constant %b : float16 [] = 1.0
  %sum = add(%a, %b)
  fetch "y" = %sum
})";
    EXPECT_NE(after("fold constants", text).find("constant %sum : float16 [] = 2048.0"), std::string::npos);
}

// Variables change, feeds come, random numbers differ, replicas meet while they run, and a million numbers
// are made where they are used rather than kept in memory.
TEST(FoldConstants, LeavesWhatIsNotKnownRandomOrTooLarge) {
    const std::string text = normal(R"(graph "g" {
  variable %w : float32 [2] = 1.0
  constant %two : float32 [2] = 2.0
  constant %one : float32 [] = 1.0
  %of_w = add(%w, %two)
  %mask = dropout(%two) {rate: 0.5}
  %mean = group_mean(%two) {group: 2}
  %wide = broadcast_to(%one) {shape: [1048577]}
  fetch "of w" = %of_w
  fetch "mask" = %mask
  fetch "mean" = %mean
  fetch "wide" = %wide
})");
    EXPECT_EQ(after("fold constants", text), text);
}

TEST(FoldConstants, LooksIntoTheBodiesOfLoops) {
    const auto loop = [](const std::string& half) {
        return loop_text("    constant %two : float32 [] = 2.0\n" + half +
                             "    %next = multiply(%state, %half)\n",
                         "%next", "%slice", "0");
    };
    EXPECT_EQ(after("fold constants", loop("    %half = reciprocal(%two)\n")),
              normal(loop("    constant %half : float32 [] = 0.5\n")));
}

} // namespace tilescope::compile
