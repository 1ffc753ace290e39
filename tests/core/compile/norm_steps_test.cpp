// SPDX-License-Identifier: GPL-3.0-or-later
#include "compile/compiler.h"
#include "graph/builder.h"
#include "operators/operators.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace tilescope::compile {
namespace {

/// Mean and variance of 8 channels over 32,768 positions.
Executable statistics() {
    const graph::OperatorRegistry registry = operators::standard_operators();
    graph::Graph graph;
    graph::Builder build(graph, registry);
    const graph::ValueId x = *build.feed("x", {graph::DType::Float32, {32768, 8}});
    const auto made = *build.add("moments", {x}, {{"axes", graph::Shape{0}}});
    build.fetch("mean", made[0]);
    build.fetch("variance", made[1]);
    Options options;
    options.target = *ipu::find_target("ipu2");
    return *compile(std::move(graph), registry, options);
}

std::ptrdiff_t exchanges_of_partials(const Executable& executable) {
    const auto& exchanges = executable.program.exchanges;
    return std::count_if(exchanges.begin(), exchanges.end(),
                         [](const auto& e) { return e.name.find("partials)") != std::string::npos; });
}

} // namespace

// PopLibs lib/poplin/Norms.cpp, normStatisticsImpl: one reduceMany, whose second result is a clone of the
// first. Of 1,472 tiles, all with partial sums, 38 add up 39 each, and then there is one for each channel.
TEST(NormSteps, MeanAndPowerAreReducedInTheSameSteps) {
    const Executable executable = statistics();
    EXPECT_EQ(exchanges_of_partials(executable), 2);
    const auto bytes = [&](std::size_t output) {
        const graph::ValueId value = executable.graph.fetches[output].value;
        for (const program::Variable& variable : executable.program.variables)
            if (variable.value == value.value)
                return variable.tile_bytes;
        return std::vector<std::int32_t>{};
    };
    EXPECT_FALSE(bytes(0).empty());
    EXPECT_EQ(bytes(0), bytes(1));
}

} // namespace tilescope::compile
