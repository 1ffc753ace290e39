// SPDX-License-Identifier: GPL-3.0-or-later
#include "graph/builder.h"
#include "tests/core/compile/pass_text.h"

#include <string>
#include <vector>

namespace tilescope::compile {
namespace {

struct Told {
    std::string what;
    std::size_t done = 0;
    std::size_t count = 0;
};

TEST(CompileProgress, LoweringSaysWhichOperationItWorksOnAndHowManyThereAre) {
    graph::Graph graph;
    graph.name = "network";
    graph::Builder build(graph, registry());
    graph::ValueId y = build.feed("x", {graph::DType::Float32, {8, 8}}).value();
    for (int layer = 0; layer < 3; ++layer) {
        const auto kernel = build
                                .variable("kernel" + std::to_string(layer),
                                          graph::InitialValue::filled({graph::DType::Float32, {8, 8}}, 0))
                                .value();
        y = build.emit("matmul", {y, kernel}).value();
    }
    build.fetch("y", y, graph::FetchKind::Output);
    std::vector<Told> told;
    Options options = options_for(16);
    options.within = [&](const std::string& what, std::size_t done, std::size_t count) {
        told.push_back({what, done, count});
    };
    const auto executable = compile(std::move(graph), registry(), options, {}, nullptr);
    ASSERT_TRUE(executable);
    const auto& operations = executable->graph.operations();
    std::vector<Told> lowered;
    bool planned = false;
    for (const Told& one : told) {
        EXPECT_LT(one.done, one.count) << one.what;
        if (one.what.starts_with("lowering "))
            lowered.push_back(one);
        else
            planned = planned || (one.what.starts_with("planning ") && one.count == 3);
    }
    EXPECT_TRUE(planned) << "three products";
    ASSERT_EQ(lowered.size(), operations.size());
    for (std::size_t i = 0; i < lowered.size(); ++i) {
        EXPECT_EQ(lowered[i].what, "lowering " + operations[i].name);
        EXPECT_EQ(lowered[i].done, i);
        EXPECT_EQ(lowered[i].count, operations.size());
    }
}

} // namespace
} // namespace tilescope::compile
