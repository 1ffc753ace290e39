// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/compile/pass_text.h"

namespace tilescope::compile {

TEST(RemoveDeadCode, KeepsWhatFetchesAndVariablesNeedAndNothingElse) {
    const std::string all = R"(graph "g" {
  feed %x : float32 [4]
  variable %w : float32 [4] = 0
  %fetched = relu(%x)
  %unused = tanh(%fetched)
  %of_unused = exp(%unused)
  %step = negate(%x)
  %w/new = add(%w, %step)
  next %w = %w/new
  fetch "y" = %fetched
})";
    EXPECT_EQ(after("remove dead code", all), normal(R"(graph "g" {
  feed %x : float32 [4]
  variable %w : float32 [4] = 0
  %fetched = relu(%x)
  %step = negate(%x)
  %w/new = add(%w, %step)
  next %w = %w/new
  fetch "y" = %fetched
})"));
}

TEST(RemoveDeadCode, KeepsAnOperationOfWhichOneOutputIsNeeded) {
    const std::string text = normal(R"(graph "g" {
  feed %x : float32 [4]
  %part:0, %part:1 = split(%x) {axis: 0, sizes: [1, 3]}
  fetch "y" = %part:1
})");
    EXPECT_EQ(after("remove dead code", text), text);
}

TEST(RemoveDeadCode, LooksIntoTheBodiesOfLoops) {
    const auto loop = [](const std::string& unused) {
        return loop_text("    %sum = add(%state, %slice)\n" + unused, "%sum", "%sum", "1");
    };
    EXPECT_EQ(after("remove dead code", loop("    %unused = exp(%sum)\n")), normal(loop("")));
}

} // namespace tilescope::compile
