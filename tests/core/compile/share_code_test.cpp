// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/compile/pass_program.h"

namespace tilescope::compile {
namespace {

/// Two layers of one shape, and one of another.
const std::string layers = R"(graph "g" {
  feed %x : float32 [16, 32]
  variable %w0 : float32 [32, 32] = 0.5
  variable %w1 : float32 [32, 32] = 0.5
  variable %w2 : float32 [32, 8] = 0.5
  %first = matmul(%x, %w0)
  %second = matmul(%first, %w1)
  %other = matmul(%second, %w2)
  fetch "y" = %other
})";

/// Names of the operation's compute sets that share, and those that do not.
std::pair<std::size_t, std::size_t> shared(const Executable& e, const std::string& operation) {
    std::pair<std::size_t, std::size_t> count{0, 0};
    for (const program::ComputeSet& set : e.program.compute_sets)
        if (set.operation >= 0 && e.graph.operation(graph::OpId(set.operation)).name == operation)
            ++(set.shared ? count.first : count.second);
    return count;
}

std::int64_t state_bytes(const Executable& e, const std::string& operation) {
    std::int64_t bytes = 0;
    for (const program::ComputeSet& set : e.program.compute_sets)
        if (set.operation >= 0 && e.graph.operation(graph::OpId(set.operation)).name == operation)
            bytes += e.program.variable(set.state).total_bytes();
    return bytes;
}

} // namespace

TEST(ShareCode, AnEqualOperationRunsTheVerticesOfTheFirst) {
    const Executable before = executable_after("route exchanges", layers, options_for(8));
    const Executable e = executable_after("share code", layers, options_for(8));
    const auto [of_first, own_of_first] = shared(e, "first");
    EXPECT_EQ(of_first, 0U);
    EXPECT_EQ(shared(e, "second"), std::pair(own_of_first, std::size_t{0}));
    EXPECT_EQ(shared(e, "other").first, 0U);
    EXPECT_EQ(state_bytes(e, "first"), state_bytes(before, "first"));
    EXPECT_GT(state_bytes(before, "second"), 0);
    EXPECT_EQ(state_bytes(e, "second"), 0);
    EXPECT_GT(state_bytes(e, "other"), 0);
}

} // namespace tilescope::compile
