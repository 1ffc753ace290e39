// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/compile/pass_text.h"

namespace tilescope::compile {

// Inputs are numbered first, then the results of the steps; a step of one argument has -1 for the second.
TEST(FuseElementwise, MakesOneOperationOfAChain) {
    const std::string chain = R"(graph "g" {
  feed %x : float32 [2, 4]
  feed %bias : float32 [4]
  %sum = add(%x, %bias)
  %leaky = leaky_relu(%sum) {alpha: 0.25}
  %y = multiply(%x, %leaky)
  fetch "y" = %y
})";
    EXPECT_EQ(after("fuse elementwise", chain), normal(R"(graph "g" {
  feed %x : float32 [2, 4]
  feed %bias : float32 [4]
  %y = fused_elementwise(%x, %bias) {alphas: [0.0, 0.25, 0.0], arguments: [0, 1, 2, -1, 0, 3], kinds: ["add", "leaky_relu", "multiply"]}
  fetch "y" = %y
})"));
}

TEST(FuseElementwise, JoinsTwoChainsThatMeet) {
    const std::string chains = R"(graph "g" {
  feed %a : float32 [4]
  feed %b : float32 [4]
  %exp = exp(%a)
  %tanh = tanh(%b)
  %y = subtract(%exp, %tanh)
  fetch "y" = %y
})";
    EXPECT_EQ(after("fuse elementwise", chains), normal(R"(graph "g" {
  feed %a : float32 [4]
  feed %b : float32 [4]
  %y = fused_elementwise(%a, %b) {alphas: [1.0, 1.0, 0.0], arguments: [0, -1, 1, -1, 2, 3], kinds: ["exp", "tanh", "subtract"]}
  fetch "y" = %y
})"));
}

// The results of the second chain are numbered behind those of the first.
TEST(FuseElementwise, JoinsChainsOfSeveralStepsEach) {
    const std::string chains = R"(graph "g" {
  feed %a : float32 [4]
  feed %b : float32 [4]
  %exp = exp(%a)
  %minus = negate(%exp)
  %tanh = tanh(%b)
  %size = abs(%tanh)
  %y = subtract(%minus, %size)
  fetch "y" = %y
})";
    EXPECT_EQ(after("fuse elementwise", chains), normal(R"(graph "g" {
  feed %a : float32 [4]
  feed %b : float32 [4]
  %y = fused_elementwise(%a, %b) {alphas: [1.0, 1.0, 1.0, 1.0, 0.0], arguments: [0, -1, 2, -1, 1, -1, 4, -1, 3, 5], kinds: ["exp", "negate", "tanh", "abs", "subtract"]}
  fetch "y" = %y
})"));
}

TEST(FuseElementwise, KeepsWhatSomethingElseReadsToo) {
    for (const char* other : {"  %other = reduce_sum(%exp)\n  fetch \"other\" = %other\n",
                              "  fetch \"exp\" = %exp\n", "  next %w = %exp\n"}) {
        const std::string text = normal(std::string(R"(graph "g" {
  variable %w : float32 [4] = 1.0
  %exp = exp(%w)
  %y = tanh(%exp)
  fetch "y" = %y
)") + other + "}");
        EXPECT_EQ(after("fuse elementwise", text), text);
    }
}

TEST(FuseElementwise, KeepsWhatRunsElsewhereOrInAnotherPhaseAndWhatIsOfAnotherTypeOrShape) {
    for (const char* two :
         {"  %a = exp(%x) shard 0\n  %y = tanh(%a) shard 1\n",
          "  %a = exp(%x)\n  %y = tanh(%a) on \"/device:CPU:0\"\n",
          "  %a = exp(%x)\n  %y = tanh(%a) backward\n", "  %a = exp(%x)\n  %y = add(%wide, %a)\n",
          "  %a = cast(%x) {dtype: \"float16\"}\n  %y = tanh(%a)\n"}) {
        const std::string text = normal(std::string(R"(graph "g" {
  feed %x : float32 [4]
  feed %wide : float32 [2, 4]
)") + two + "  fetch \"y\" = %y\n}");
        EXPECT_EQ(after("fuse elementwise", text), text);
    }
}

} // namespace tilescope::compile
