// SPDX-License-Identifier: GPL-3.0-or-later
#include "compile/compiler.h"
#include "graph/builder.h"
#include "run/executor.h"
#include "tests/core/operators/graph_runner.h"

#include <gtest/gtest.h>

namespace tilescope::run {
namespace {

// A batch and the update compute the same of a counter: the update reads it as it was before it.
TEST(Counter, IsRaisedByTheUpdateThoughABatchComputesTheSame) {
    graph::Graph graph;
    graph::Builder build(graph, test::registry());
    const graph::TensorType type{graph::DType::Float32, {}};
    const graph::ValueId count = build.variable("count", graph::InitialValue::filled(type, 0), false).value();
    const graph::ValueId weight = build.variable("weight", graph::InitialValue::filled(type, 0)).value();
    build.fetch("later", build.emit("add", {count, build.scalar(1)}).value());
    build.scope.phase = Phase::Update;
    graph.variables[0].next = build.emit("add", {count, build.scalar(1)}).value();
    const graph::ValueId before = build.emit("multiply", {count, build.scalar(10)}).value();
    graph.variables[1].next = build.emit("add", {weight, before}).value();

    compile::Options options;
    options.host_only = true;
    const auto executable = compile::compile(std::move(graph), test::registry(), options);
    ASSERT_TRUE(executable) << executable.error().line();
    WorkerPool pool(1);
    Weights weights;
    Executor executor(executable->graph, test::registry(), pool, weights);
    double sum = 0;
    for (int step = 0; step < 4; ++step) {
        executor.step({1, static_cast<std::uint64_t>(step), 0, true});
        sum += 10.0 * step;
        EXPECT_EQ(executor.fetched(0).at(0), step + 1);
        EXPECT_EQ(weights.at("count").at(0), step + 1);
        EXPECT_EQ(weights.at("weight").at(0), sum);
    }
}

} // namespace
} // namespace tilescope::run
