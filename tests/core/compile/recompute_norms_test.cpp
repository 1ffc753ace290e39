// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/compile/pass_text.h"

using namespace tilescope;

namespace {

struct Norm {
    std::string again;           ///< before the backward pass that reads the norm's result
    std::string read = "%white"; ///< what that reads
    std::string layer = "@bn";   ///< whose backward pass it is
    std::string source = "%x";   ///< what else a backward pass reads
    std::string of = "@bn";      ///< which that is
};

/// A norm with its scale, and the backward pass of that.
std::string text_of(const Norm& n) {
    return R"(graph "g" {
  layer @bn : "BatchNormalization" [8, 4]
  layer @next : "Dense" [8, 4]
  feed %x : float32 [8, 4]
  variable %gamma : float32 [4] = 1.0
  %mean, %variance = moments(%x) {axes: [0]} @bn
  %white = normalise(%x, %mean, %variance) {axes: [0]} @bn
  %y = multiply(%white, %gamma) @bn
  %z = exp(%y) @next
  %loss = reduce_sum(%z)
  %gy = multiply(%z, %z) backward @next
  %gx = multiply(%gy, )" +
           n.source + ") backward " + n.of + "\n" + n.again + "  %products = multiply(%gy, " + n.read +
           ") backward " + n.layer + "\n  %ggamma = reduce_sum(%products) {axes: [0]} backward " + n.layer +
           "\n  %more = multiply(%products, " + n.read + ") backward " + n.layer + R"(
  fetch "loss" = %loss loss
  fetch "gradient" = %ggamma
  fetch "input" = %gx
  fetch "more" = %more
  train %loss "sgd" {}
})";
}

const std::string made =
    "  %white/gradient/normalise = normalise(%x, %mean, %variance) {axes: [0]} backward @bn\n";

} // namespace

// One more for all that read it, where the first does; the forward pass keeps its own.
TEST(RecomputeNorms, MakesAgainWhatTheBackwardPassReads) {
    EXPECT_EQ(compile::after("recompute norms", text_of({})),
              compile::normal(text_of({.again = made, .read = "%white/gradient/normalise"})));
}

// Where the layer is computed again, for its statistics, its normalised values are so by the norm itself
// alone.
TEST(RecomputeNorms, AreMadeOnceWhereTheLayerIsComputedAgain) {
    compile::Options options;
    options.recompute = true;
    options.checkpoints = {"bn"};
    const std::string text =
        compile::after("recompute", compile::after("recompute norms", text_of({}), options), options);
    EXPECT_NE(text.find("%mean/recompute:0"), std::string::npos) << text;
    EXPECT_EQ(text.find("%white/recompute"), std::string::npos) << text;
    EXPECT_NE(text.find("%white/gradient/normalise = "), std::string::npos) << text;
}

// Kept: where nothing else of the backward pass reads what it is made of, and for another layer, also where
// that reads it.
TEST(RecomputeNorms, KeepsWhatWouldCostMore) {
    for (const Norm& norm :
         {Norm{.source = "%gamma"}, Norm{.layer = "@next"}, Norm{.layer = "@next", .of = "@next"}}) {
        const std::string text = text_of(norm);
        EXPECT_EQ(compile::after("recompute norms", text), compile::normal(text));
    }
}

TEST(RecomputeNorms, LeavesWhatOnlyTheForwardPassReads) {
    const std::string text = text_of({.read = "%x"});
    graph::Graph graph = compile::graph_of(text);
    const auto said = compile::run_pass("recompute norms", graph);
    EXPECT_EQ(print(graph), compile::normal(text));
    EXPECT_EQ(*said, "no normalised tensor is made again");
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
