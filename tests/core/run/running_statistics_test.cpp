// SPDX-License-Identifier: GPL-3.0-or-later
#include "graph/builder.h"
#include "operators/operators.h"
#include "run/executor.h"

#include <gtest/gtest.h>

namespace tilescope::run {
namespace {

/// A batch normalisation's average of x, and a weight from which the update takes x.
class RunningStatistics : public testing::Test {
  protected:
    RunningStatistics() : registry(operators::standard_operators()) {
        graph::Builder build(graph, registry);
        const graph::TensorType type{graph::DType::Float32, {1}};
        const graph::ValueId x = build.feed("x", type).value();
        const graph::ValueId average =
            build.variable("average", graph::InitialValue::filled(type, 0), false).value();
        const graph::ValueId weight = build.variable("weight", graph::InitialValue::filled(type, 1)).value();
        graph.variables[0].next =
            build.emit("moving_average_update", {average, x}, {{"momentum", 0.5}}).value();
        build.fetch("average", build.emit("multiply", {average, build.scalar(1)}).value());
        const graph::ValueId gradient = build.emit("multiply", {x, build.scalar(1)}).value();
        build.scope.phase = Phase::Update;
        graph.variables[1].next =
            build.emit("sgd_update", {weight, gradient}, {{"learning_rate", 1.0}}).value();
    }
    void feed(Executor& executor, float value) {
        executor.set_feed(0, graph::HostTensor::of_floats({1}, std::vector<float>{value}));
        executor.compute({});
    }
    double value(const char* variable) const { return weights.at(variable).at(0); }

    graph::OperatorRegistry registry;
    graph::Graph graph;
    WorkerPool pool{1};
    Weights weights;
};

// The averages follow every micro-batch, the weights only the update.
TEST_F(RunningStatistics, FollowEveryMicroBatchBeforeTheUpdate) {
    Executor executor(graph, registry, pool, weights);
    feed(executor, 4);
    EXPECT_EQ(value("average"), 2);
    feed(executor, 6);
    EXPECT_EQ(value("average"), 4);
    EXPECT_EQ(value("weight"), 1);
    executor.update({});
    EXPECT_EQ(value("average"), 4) << "the update leaves it alone";
    EXPECT_EQ(value("weight"), 1 - (4 + 6));
}

// Each replica has its own, and the host sees the first one's: of batches 4, 8 and 16, 2 these follow 4
// and 16.
TEST_F(RunningStatistics, AreEachReplicasOwn) {
    Executor executor(graph, registry, pool, weights, 2);
    feed(executor, 4);
    feed(executor, 8);
    executor.update({});
    EXPECT_EQ(value("average"), 2);
    feed(executor, 16);
    EXPECT_EQ(executor.fetched(0).at(0), 2) << "what its forward pass reads";
    feed(executor, 2);
    EXPECT_EQ(executor.fetched(0).at(0), 4) << "that of the second one, which had 8";
    executor.update({});
    EXPECT_EQ(value("average"), 9);
    EXPECT_EQ(value("weight"), 1 - (4 + 8 + 16 + 2));
    weights.at("average").set(0, 100); // by the host: for all replicas
    feed(executor, 0);
    feed(executor, 0);
    EXPECT_EQ(executor.fetched(0).at(0), 100);
    executor.update({});
    EXPECT_EQ(value("average"), 50);
}

TEST_F(RunningStatistics, AreLeftToACallerThatDealsThemOut) {
    Executor executor(graph, registry, pool, weights, 2, {"average"});
    feed(executor, 4);
    weights.at("average").set(0, 10); // what it has kept of the second replica
    feed(executor, 8);
    EXPECT_EQ(executor.fetched(0).at(0), 10);
    EXPECT_EQ(value("average"), 9);
    executor.update({});
    EXPECT_EQ(value("average"), 9);
}

} // namespace
} // namespace tilescope::run
