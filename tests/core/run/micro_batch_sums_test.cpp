// SPDX-License-Identifier: GPL-3.0-or-later
// What updates read of several micro-batches.
#include "run/executor.h"
#include "tests/core/operators/graph_runner.h"

#include <gtest/gtest.h>

namespace tilescope::run {
namespace {

using graph::GradientReduction;

struct Left {
    double weight = 0, total = 0;
};

/// What steps on 1, 2 and 6 leave of a weight of 0, whose gradient they are, and of their sum for the host.
Left after_three(const graph::Shape& shape, GradientReduction reduction) {
    graph::Graph graph;
    graph::Builder build(graph, test::registry());
    const graph::TensorType type{graph::DType::Float32, shape};
    const graph::ValueId x = build.feed("x", type).value();
    const graph::ValueId weight = build.variable("weight", graph::InitialValue::filled(type, 0)).value();
    const graph::ValueId gradient = build.emit("negate", {x}).value();
    const graph::ValueId shown = build.emit("square", {x}).value();
    build.scope.phase = Phase::Update;
    graph.variables[0].next = build.emit("sgd_update", {weight, gradient}, {{"learning_rate", 1.0}}).value();
    build.fetch("total", build.emit("accumulated", {shown}).value());
    graph.training = graph::Training{shown, {}, reduction};

    WorkerPool pool(1);
    Weights weights;
    Executor executor(graph, test::registry(), pool, weights);
    for (const double value : {1.0, 2.0, 6.0}) {
        executor.feed(0).set(0, value);
        executor.compute({});
        EXPECT_EQ(executor.of_micro_batch(shown).at(0), value * value);
    }
    executor.update({});
    return {weights.at("weight").at(0), executor.fetched(0).at(0)};
}

TEST(MicroBatchSums, AreThoseOfNumbersWithoutAxesToo) {
    for (const graph::Shape& shape : {graph::Shape{}, graph::Shape{1}})
        EXPECT_EQ(after_three(shape, GradientReduction::Sum).weight, 9);
}

TEST(MicroBatchSums, ForTheHostAreSumsWhereGradientsAreMeans) {
    const Left left = after_three({1}, GradientReduction::RunningMean);
    EXPECT_FLOAT_EQ(static_cast<float>(left.weight), 3);
    EXPECT_EQ(left.total, 41);
}

// In half precision 2048 + 1 is 2048: a program's accumulators are of the gradients' type.
TEST(MicroBatchSums, AreOfTheGradientsType) {
    graph::Graph graph;
    graph::Builder build(graph, test::registry());
    const graph::TensorType type{graph::DType::Float16, {1}};
    const graph::ValueId x = build.feed("x", type).value();
    const graph::ValueId weight = build.variable("weight", graph::InitialValue::filled(type, 0)).value();
    const graph::ValueId gradient = build.emit("negate", {x}).value();
    build.scope.phase = Phase::Update;
    graph.variables[0].next = build.emit("sgd_update", {weight, gradient}, {{"learning_rate", 1.0}}).value();
    WorkerPool pool(1);
    Weights weights;
    Executor executor(graph, test::registry(), pool, weights);
    for (const double value : {2048.0, 1.0, 1.0}) {
        executor.feed(0).set(0, value);
        executor.compute({});
    }
    executor.update({});
    EXPECT_EQ(weights.at("weight").at(0), 2048);
}

} // namespace
} // namespace tilescope::run
