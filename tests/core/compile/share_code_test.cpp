// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/compile/pass_program.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

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

// Compute sets that take the same cycles on all tiles run the same code only where they are the same part of
// operations of the same kind, on the same IPU.
TEST(ShareCode, IsOfTheSamePartOfTheSameKind) {
    ByHand e(2);
    e.executable.graph = graph_of(R"(graph "g" {
  feed %x : float32 [4]
  %a = floor(%x)
  %b = ceil(%x)
  %c = floor(%b)
  %d = floor(%c)
  fetch "a" = %a
  fetch "d" = %d
})");
    const auto compute = [&](std::int32_t operation, std::int32_t ipu = 0) {
        program::ComputeSet set;
        set.operation = operation;
        set.ipu = ipu;
        set.tile_cycles = {100, 50};
        set.state = e.variable("state", {8, 8}, true);
        e.program().compute_sets.push_back(set);
    };
    for (const std::int32_t operation : {0, 0, 1, 2, 2})
        compute(operation);
    compute(3, 1);
    ASSERT_TRUE(e.run("share code").has_value());
    std::vector<bool> shared;
    for (const program::ComputeSet& set : e.program().compute_sets)
        shared.push_back(set.shared);
    EXPECT_EQ(shared, (std::vector{false, false, false, true, true, false}));
}

// What an operation is the first to place starts on the tile where an earlier one that is alike has put its
// own: of three equal norms the last one's statistics, scales and results lie like the second one's, and so
// nothing that it does has code of its own.
TEST(ShareCode, OperationsThatAreAlikeLieAlike) {
    std::string text = "graph \"g\" {\n  feed %x0 : float32 [64, 32]\n";
    const std::string norm = R"(  variable %gammaN : float32 [32] = 1.0
  %mN:0, %mN:1 = moments(%xN) {axes: [0]}
  %normalN = normalise(%xN, %mN:0, %mN:1) {axes: [0]}
  %productN = multiply(%normalN, %gammaN)
  %nextN = negate(%productN)
)";
    for (const char n : {'0', '1', '2'}) {
        std::string layer = norm;
        std::replace(layer.begin(), layer.end(), 'N', n);
        layer.replace(layer.find("%next"), 6, std::string("%x") + static_cast<char>(n + 1));
        text += layer;
    }
    const Executable e = executable_after("share code", text + "  fetch \"y\" = %x3\n}", options_for(64));
    std::size_t exchanges = 0;
    for (const char* operation : {"m2", "normal2", "product2", "x3"}) {
        EXPECT_EQ(shared(e, operation).second, 0U) << operation;
        for (const program::Exchange& exchange : e.program.exchanges)
            if (exchange.operation >= 0 &&
                e.graph.operation(graph::OpId(exchange.operation)).name == operation) {
                EXPECT_TRUE(exchange.shared) << exchange.name;
                ++exchanges;
            }
    }
    EXPECT_GT(exchanges, 2U);
}

// 32 biases lie from one tile on, the next 32 from another, up to 16 tiles; then on the first ones again.
TEST(ShareCode, HoweverManyAreAlikeTheyStartOnSixteenTiles) {
    std::string text =
        "graph \"g\" {\n  feed %x0 : float32 [16, 16]\n  variable %w : float32 [16, 16] = 1.0\n";
    std::string operations;
    for (int n = 0; n < 600; ++n) {
        const std::string number = std::to_string(n);
        text += "  variable %b" + number + " : float32 [16] = 1.0\n";
        operations += "  %m" + number + " = matmul(%x" + number + ", %w)\n  %x" + std::to_string(n + 1) +
                      " = add(%m" + number + ", %b" + number + ")\n";
    }
    text += operations;
    const Executable e =
        executable_after("plan, map and lower", text + "  fetch \"y\" = %x600\n}", options_for(64));
    std::map<std::ptrdiff_t, int> starts;
    for (const program::Variable& variable : e.program.variables)
        if (variable.name.front() == 'b' && variable.category == MemoryCategory::Variables)
            ++starts[std::find_if(variable.tile_bytes.begin(), variable.tile_bytes.end(),
                                  [](std::int32_t bytes) { return bytes > 0; }) -
                     variable.tile_bytes.begin()];
    std::map<int, int> tiles_with; // so many biases
    for (const auto& [tile, biases] : starts)
        ++tiles_with[biases];
    EXPECT_EQ(tiles_with, (std::map<int, int>{{32, 13}, {56, 1}, {64, 2}}));
}

} // namespace tilescope::compile
