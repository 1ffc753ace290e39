// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/operators/graph_runner.h"
#include "training/differentiation.h"
#include "training/optimisers.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace tilescope;
using graph::Builder;
using graph::DType;
using graph::Graph;
using test::floats;
using test::registry;

namespace {

double value_of(const std::vector<graph::HostTensor>& values, graph::ValueId id) {
    return values[static_cast<std::size_t>(id.value)].at(0);
}

/// A variable x of one element, and the next values that an optimiser gives it for the gradient 2 (x - 3).
std::vector<double> descend(const graph::OptimiserSpec& optimiser, int steps, double x0) {
    Graph graph;
    Builder build(graph, registry());
    const auto x = build.variable("x", floats({1}, {static_cast<float>(x0)})).value();
    const auto difference = build.emit("subtract", {x, build.scalar(3)}).value();
    const auto loss = build.emit("reduce_sum", {build.emit("multiply", {difference, difference})}).value();
    const auto gradients = training::differentiate(build, loss, {x});
    EXPECT_TRUE(gradients.has_value());
    EXPECT_TRUE(training::add_optimiser(build, optimiser, *gradients).has_value());
    std::vector<double> path;
    for (int step = 0; step < steps; ++step) {
        const auto values = test::run(graph, {});
        for (auto& variable : graph.variables)
            if (variable.next != graph::no_value)
                variable.initial = values[static_cast<std::size_t>(variable.next.value)];
        path.push_back(graph.variables[0].initial.make().at(0));
    }
    return path;
}

} // namespace

TEST(Differentiation, GradientsOfUsesInSeveralPlacesAddUp) {
    Graph graph;
    Builder build(graph, registry());
    const auto x = build.feed("x", {DType::Float32, {1}}).value();
    const auto square = build.emit("multiply", {x, x}).value();
    const auto cube = build.emit("multiply", {square, x}).value();
    const auto loss = build.emit("reduce_sum", {build.emit("add", {cube, square})}).value(); // x^3 + x^2
    const auto gradient = training::differentiate(build, loss, {x});
    ASSERT_TRUE(gradient);
    EXPECT_NEAR(value_of(test::run(graph, {floats({1}, {2})}), gradient->at(0)), 3 * 4 + 2 * 2, 1e-5);
}

TEST(Differentiation, WhatTheLossDoesNotDependOnHasNoGradient) {
    Graph graph;
    Builder build(graph, registry());
    const auto x = build.feed("x", {DType::Float32, {1}}).value();
    const auto other = build.feed("other", {DType::Float32, {1}}).value();
    const auto loss = build.emit("reduce_sum", {x}).value();
    const auto gradients = training::differentiate(build, loss, {x, other});
    ASSERT_TRUE(gradients);
    EXPECT_NE(gradients->at(0), graph::no_value);
    EXPECT_EQ(gradients->at(1), graph::no_value);
}

TEST(Differentiation, TheLossMustBeAScalar) {
    Graph graph;
    Builder build(graph, registry());
    const auto x = build.feed("x", {DType::Float32, {2}}).value();
    EXPECT_FALSE(training::differentiate(build, x, {x}));
}

TEST(Differentiation, BackwardOperationsStandInTheLayerTheyDifferentiate) {
    Graph graph;
    Builder build(graph, registry());
    const auto x = build.feed("x", {DType::Float32, {2}}).value();
    build.scope.layer = build.layer("dense", "Dense");
    const auto y = build.emit("tanh", {x}).value();
    build.scope.layer = graph::no_layer;
    const auto loss = build.emit("reduce_sum", {y}).value();
    ASSERT_TRUE(training::differentiate(build, loss, {x}));
    bool seen = false;
    for (const auto& op : graph.operations())
        if (op.phase == Phase::Backward && op.layer.value == 0)
            seen = true;
    EXPECT_TRUE(seen);
}

// From x = 0 the gradient is -6, from 0.6 it is -4.8.
TEST(Optimisers, SgdByHand) {
    const auto path = descend({"sgd", {{"learning_rate", 0.1}}}, 2, 0);
    EXPECT_NEAR(path[0], 0.6, 1e-6);
    EXPECT_NEAR(path[1], 0.6 + 0.48, 1e-6);
}

TEST(Optimisers, MomentumByHand) {
    // Keras: v = 0.9 v - 0.1 g; x += v.
    const auto path = descend({"sgd", {{"learning_rate", 0.1}, {"momentum", 0.9}}}, 2, 0);
    EXPECT_NEAR(path[0], 0.6, 1e-6);
    EXPECT_NEAR(path[1], 0.6 + 0.9 * 0.6 + 0.48, 1e-6);
    // Nesterov: x += 0.9 v - 0.1 g.
    const auto ahead =
        descend({"sgd", {{"learning_rate", 0.1}, {"momentum", 0.9}, {"nesterov", true}}}, 1, 0);
    EXPECT_NEAR(ahead[0], 0.9 * 0.6 + 0.6, 1e-6);
}

TEST(Optimisers, AdamsFirstStepIsTheLearningRate) {
    // Bias correction makes m / sqrt(v) = sign(g) in the first step, whatever the gradient's size.
    EXPECT_NEAR(descend({"adam", {{"learning_rate", 0.01}}}, 1, 0)[0], 0.01, 1e-6);
    EXPECT_NEAR(descend({"adam", {{"learning_rate", 0.01}}}, 1, 100)[0], 99.99, 1e-4);
}

TEST(Optimisers, AdamsSecondStepByHand) {
    const double lr = 0.1, b1 = 0.9, b2 = 0.999, eps = 1e-7;
    double x = 0, m = 0, v = 0;
    const auto path = descend({"adam", {{"learning_rate", lr}}}, 2, 0);
    for (int t = 1; t <= 2; ++t) {
        const double g = 2 * (x - 3);
        m = b1 * m + (1 - b1) * g;
        v = b2 * v + (1 - b2) * g * g;
        x -= lr * std::sqrt(1 - std::pow(b2, t)) / (1 - std::pow(b1, t)) * m / (std::sqrt(v) + eps);
        EXPECT_NEAR(path[static_cast<std::size_t>(t - 1)], x, 1e-5);
    }
}

TEST(Optimisers, RmspropByHandAsKerasAndAsTf1) {
    // Keras: ms = 0.9 * 0 + 0.1 * 36; x += 0.01 * 6 / (sqrt(ms) + eps).
    EXPECT_NEAR(descend({"rmsprop", {{"learning_rate", 0.01}}}, 1, 0)[0], 0.06 / std::sqrt(3.6), 1e-5);
    // TF1 starts the mean square at one.
    EXPECT_NEAR(descend({"rmsprop", {{"learning_rate", 0.01}, {"tf1", true}}}, 1, 0)[0],
                0.06 / std::sqrt(0.9 + 3.6), 1e-5);
}

TEST(Optimisers, AnUnknownOneIsNamedWithTheNearest) {
    Graph graph;
    Builder build(graph, registry());
    const auto failed = training::add_optimiser(build, {"adem", {}}, {});
    ASSERT_FALSE(failed);
    EXPECT_NE(failed.error().line().find("adam"), std::string::npos);
}
