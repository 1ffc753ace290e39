// SPDX-License-Identifier: GPL-3.0-or-later
#include "graph/builder.h"
#include "tests/core/compile/pass_text.h"

#include <string>
#include <vector>

namespace tilescope::compile {
namespace {

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
    std::vector<WorkDone> told;
    Options options = options_for(16);
    options.within = [&](const WorkDone& progress) { told.push_back(progress); };
    const auto executable = compile(std::move(graph), registry(), options, {}, nullptr);
    ASSERT_TRUE(executable);
    const auto& operations = executable->graph.operations();
    std::vector<WorkDone> lowered;
    bool planned = false;
    for (const WorkDone& one : told) {
        EXPECT_LT(one.done, one.count) << verb(one.work) << " " << one.part;
        if (one.work == Work::Lower)
            lowered.push_back(one);
        planned = planned || (one.work == Work::Plan && one.count == 3);
    }
    EXPECT_TRUE(planned) << "three products";
    ASSERT_EQ(lowered.size(), operations.size());
    for (std::size_t i = 0; i < lowered.size(); ++i) {
        EXPECT_EQ(lowered[i].part, operations[i].name);
        EXPECT_EQ(lowered[i].done, i);
        EXPECT_EQ(lowered[i].count, operations.size());
    }
}

} // namespace
} // namespace tilescope::compile
