// SPDX-License-Identifier: GPL-3.0-or-later
#include "graph/builder.h"
#include "operators/operators.h"
#include "run/executor.h"

#include <gtest/gtest.h>

namespace tilescope::run {
namespace {

// A batch normalisation's averages follow every micro-batch, the weights only the update.
TEST(RunningStatistics, FollowEveryMicroBatchBeforeTheUpdate) {
    const graph::OperatorRegistry registry = operators::standard_operators();
    graph::Graph graph;
    graph::Builder build(graph, registry);
    const graph::TensorType type{graph::DType::Float32, {1}};
    const graph::ValueId x = build.feed("x", type).value();
    const graph::ValueId average =
        build.variable("average", graph::InitialValue::filled(type, 0), false).value();
    const graph::ValueId weight = build.variable("weight", graph::InitialValue::filled(type, 1)).value();
    graph.variables[0].next = build.emit("moving_average_update", {average, x}, {{"momentum", 0.5}}).value();
    const graph::ValueId gradient = build.emit("multiply", {x, build.scalar(1)}).value();
    build.scope.phase = Phase::Update;
    graph.variables[1].next = build.emit("sgd_update", {weight, gradient}, {{"learning_rate", 1.0}}).value();

    WorkerPool pool(1);
    Weights weights;
    Executor executor(graph, registry, pool, weights);
    const auto feed = [&](float value) {
        executor.set_feed(0, graph::HostTensor::of_floats({1}, std::vector<float>{value}));
        executor.compute({});
    };
    feed(4);
    EXPECT_EQ(weights.at("average").at(0), 2);
    feed(6);
    EXPECT_EQ(weights.at("average").at(0), 4);
    EXPECT_EQ(weights.at("weight").at(0), 1);
    executor.update({});
    EXPECT_EQ(weights.at("average").at(0), 4) << "the update leaves it alone";
    EXPECT_EQ(weights.at("weight").at(0), 1 - (4 + 6));
}

} // namespace
} // namespace tilescope::run
