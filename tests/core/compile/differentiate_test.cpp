// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/compile/pass_text.h"

namespace tilescope::compile {

// The loss is the sum of x w, so that its gradient is x in every element; the step goes against it.
TEST(Differentiate, AddsTheBackwardPassAndTheUpdate) {
    const std::string text = R"(graph "g" {
  layer @dense : "Dense" [2]
  feed %x : float32 [2]
  variable %w : float32 [2] = 1.0 @dense
  variable %fixed : float32 [2] = 1.0 frozen
  %y = multiply(%x, %w) @dense shard 1
  %loss = reduce_sum(%y)
  fetch "loss" = %loss loss
  train %loss "sgd" {learning_rate: 0.1}
})";
    EXPECT_EQ(after("remove dead code", after("differentiate", text)), normal(R"(graph "g" {
  layer @dense : "Dense" [2]
  feed %x : float32 [2]
  variable %w : float32 [2] = 1.0 @dense
  variable %fixed : float32 [2] = 1.0 frozen
  constant %gradient_of_loss : float32 [] = 1.0
  %y = multiply(%x, %w) @dense shard 1
  %loss = reduce_sum(%y)
  %loss/gradient/reshape = reshape(%gradient_of_loss) {shape: [1]} : float32 [1] backward
  %loss/gradient/broadcast_to = broadcast_to(%loss/gradient/reshape) {shape: [2]} : float32 [2] backward
  %y/gradient/multiply_1 = multiply(%loss/gradient/broadcast_to, %x) : float32 [2] backward @dense shard 1
  %sgd/w = sgd_update(%w, %y/gradient/multiply_1) {learning_rate: 0.1} : float32 [2] update @dense
  next %w = %sgd/w
  fetch "loss" = %loss loss
  train %loss "sgd" {learning_rate: 0.1}
})"));
}

TEST(Differentiate, ScalesTheLossBeforeAndTheGradientBack) {
    const std::string text = after("differentiate", R"(graph "g" {
  variable %w : float32 [] = 1.0
  %loss = square(%w)
  fetch "loss" = %loss loss
  train %loss "sgd" {learning_rate: 0.1} scale 8.0
})");
    EXPECT_NE(text.find("%scalar : float32 [] = 8.0"), std::string::npos) << text;
    EXPECT_NE(text.find("%loss/scaled = multiply(%loss, %scalar)"), std::string::npos) << text;
    EXPECT_NE(text.find(" : float32 [] = 0.125"), std::string::npos) << text;
    EXPECT_NE(text.find("sgd_update(%w, %sgd/w/unscale)"), std::string::npos) << text;
}

TEST(Differentiate, LeavesInferenceAsItIs) {
    const std::string text = normal(R"(graph "g" {
  feed %x : float32 [2]
  variable %w : float32 [2] = 1.0
  %y = multiply(%x, %w)
  fetch "y" = %y
})");
    EXPECT_EQ(after("differentiate", text), text);
}

// A script has differentiated itself: the update may be of the phase of that name, or at once in the backward
// pass.
TEST(Differentiate, LeavesAGraphThatHasItsUpdate) {
    for (const char* phase : {"update", "backward"}) {
        const std::string text = normal(R"(graph "g" {
  feed %x : float32 [2]
  variable %w : float32 [2] = 1.0
  %y = multiply(%x, %w)
  %loss = reduce_sum(%y)
  %w/new = sgd_update(%w, %x) {learning_rate: 0.1} )" +
                                        std::string(phase) + R"(
  next %w = %w/new
  fetch "loss" = %loss loss
  train %loss "sgd"
})");
        EXPECT_EQ(after("differentiate", text), text) << phase;
    }
}

TEST(Differentiate, NamesTheOperationThatHasNoGradient) {
    graph::Graph graph = graph_of(R"(graph "g" {
  variable %w : float32 [4] = 1.0
  %slope = moving_average_update(%w, %w)
  %loss = reduce_sum(%slope)
  fetch "loss" = %loss loss
  train %loss "sgd"
})");
    const auto said = run_pass("differentiate", graph);
    ASSERT_FALSE(said.has_value());
    EXPECT_EQ(said.error().kind, ErrorKind::BadInput);
    EXPECT_EQ(said.error().place, "slope");
}

} // namespace tilescope::compile
