// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/compile/pass_text.h"

using namespace tilescope;

namespace {

/// A norm with its scale, and the backward pass of that, which reads %read; `again` stands before it.
std::string norm(const std::string& again, const std::string& read) {
    return R"(graph "g" {
  layer @bn : "BatchNormalization" [8, 4]
  feed %x : float32 [8, 4]
  variable %gamma : float32 [4] = 1.0
  %mean, %variance = moments(%x) {axes: [0]} @bn
  %white = normalise(%x, %mean, %variance) {axes: [0]} @bn
  %y = multiply(%white, %gamma) @bn
  %loss = reduce_sum(%y)
  %gy = multiply(%y, %y) backward @bn
)" + again +
           "  %products = multiply(%gy, " + read + R"() backward @bn
  %ggamma = reduce_sum(%products) {axes: [0]} backward @bn
  %more = multiply(%products, )" +
           read + R"() backward @bn
  fetch "loss" = %loss loss
  fetch "gradient" = %ggamma
  fetch "more" = %more
  train %loss "sgd" {}
})";
}

} // namespace

// One more for all that read it, where the first does; the forward pass keeps its own.
TEST(RecomputeNorms, MakesAgainWhatTheBackwardPassReads) {
    EXPECT_EQ(compile::after("recompute norms", norm("", "%white")),
              compile::normal(norm("  %white/gradient/normalise = normalise(%x, %mean, %variance) "
                                   "{axes: [0]} backward @bn\n",
                                   "%white/gradient/normalise")));
}

TEST(RecomputeNorms, LeavesWhatOnlyTheForwardPassReads) {
    const std::string text = norm("", "%x");
    EXPECT_EQ(compile::after("recompute norms", text), compile::normal(text));
}

TEST(RecomputeNorms, LeavesAGraphThatIsNotTrained) {
    const std::string text = R"(graph "g" {
  feed %x : float32 [8, 4]
  %mean, %variance = moments(%x) {axes: [0]}
  %y = normalise(%x, %mean, %variance) {axes: [0]}
  fetch "y" = %y
})";
    EXPECT_EQ(compile::after("recompute norms", text), compile::normal(text));
}
