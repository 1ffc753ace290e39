// SPDX-License-Identifier: GPL-3.0-or-later
#include "operators/interpreter.h"
#include "tests/core/operators/graph_runner.h"

#include <gtest/gtest.h>
#include <random>

using namespace tilescope;
using graph::Builder;
using graph::DType;
using graph::ValueId;
using test::HostTensor;
using test::registry;

namespace {

/// w [m, n], from which a share of x^T dy is taken; x [k, m], dy [k, n].
struct Descent {
    struct Settings {
        std::int64_t k = 5, m = 33, n = 50;
        DType dtype = DType::Float32;
        bool fetched = false; ///< the gradient, too
        bool summed = false;  ///< and its sum
        bool by_momentum = false;
        bool reads_weights = false; ///< what is fetched depends on w before its update
    };
    graph::Graph graph;
    ValueId gradient = graph::no_value;

    explicit Descent(const Settings& s) {
        Builder build(graph, registry());
        const ValueId x = build.feed("x", {s.dtype, {s.k, s.m}}).value();
        const ValueId dy = build.feed("dy", {s.dtype, {s.k, s.n}}).value();
        const ValueId w = build.variable("w", HostTensor({s.dtype, {s.m, s.n}})).value();
        const ValueId slot = build.variable("slot", HostTensor({s.dtype, {s.m, s.n}})).value();
        build.scope.phase = Phase::Backward;
        gradient = build.emit("matmul", {x, dy}, {{"transpose_a", true}}).value();
        if (s.fetched)
            build.fetch("gradient", gradient);
        if (s.summed)
            build.fetch("sum", build.emit("reduce_sum", {gradient}).value());
        if (s.reads_weights)
            build.fetch("y", build.emit("matmul", {x, w}).value());
        build.scope.phase = Phase::Update;
        const graph::Attributes rate{{"learning_rate", 0.3}};
        if (s.by_momentum) {
            const auto next = build.add("momentum_update", {w, slot, gradient}, rate).value();
            graph.variables[0].next = next[0];
            graph.variables[1].next = next[1];
        } else {
            graph.variables[0].next = build.emit("sgd_update", {w, gradient}, rate).value();
        }
    }
};

void fill(HostTensor& tensor, std::uint32_t seed) {
    std::mt19937 random(seed);
    for (std::int64_t i = 0; i < tensor.elements(); ++i)
        tensor.set(i, std::uniform_real_distribution<double>(-1, 1)(random));
    tensor.round_to_type();
}

/// The variable after three steps, and what is fetched in the last.
struct Outcome {
    std::vector<std::vector<std::byte>> bytes;
    bool gradient_after_batch = true; ///< whether it was there before the update
};

std::vector<std::byte> bytes_of(const HostTensor& tensor) {
    const auto bytes = std::as_bytes(tensor.floats());
    return {bytes.begin(), bytes.end()};
}

Outcome outcome(const Descent& descent, bool one_batch, const kernels::KernelTable& table) {
    std::vector<HostTensor> variables;
    for (const graph::Variable& variable : descent.graph.variables)
        fill(variables.emplace_back(descent.graph.type(variable.value)), 7);
    operators::Interpreter values(descent.graph, registry(), variables, one_batch);
    WorkerPool pool(2);
    const operators::Machine machine{registry(), pool, table};
    Outcome result;
    for (std::uint32_t step = 0; step < 3; ++step) {
        fill(values.at(descent.graph.feeds[0].value), 10 + step);
        fill(values.at(descent.graph.feeds[1].value), 20 + step);
        values.run_batch(machine, {});
        const HostTensor& a = values.at(descent.graph.feeds[0].value);
        const HostTensor& b = values.at(descent.graph.feeds[1].value);
        double first = 0;
        for (std::int64_t k = 0; k < a.shape()[0]; ++k)
            first += a.at(k * a.shape()[1]) * b.at(k * b.shape()[1]);
        result.gradient_after_batch =
            result.gradient_after_batch && std::abs(values.at(descent.gradient).at(0) - first) < 0.01;
        values.run_update(machine, {});
        for (const graph::Variable& variable : descent.graph.variables)
            if (variable.next != graph::no_value)
                operators::copy_values(HostTensor(values.at(variable.next)), values.at(variable.value));
    }
    for (const HostTensor& variable : variables)
        result.bytes.push_back(bytes_of(variable));
    for (const graph::Fetch& fetch : descent.graph.fetches)
        result.bytes.push_back(bytes_of(values.at(fetch.value)));
    return result;
}

} // namespace

TEST(UpdateByProduct, GivesToTheBitWhatProductAndUpdateGive) {
    for (const kernels::KernelTable* table : kernels::able_kernels())
        for (const auto& settings :
             {Descent::Settings{}, {384, 400, 900}, {1, 7, 3}, {16, 784, 128}, {32, 64, 10}}) {
            const Descent descent(settings);
            const Outcome apart = outcome(descent, false, *table);
            const Outcome at_once = outcome(descent, true, *table);
            const std::string what = std::string(table->name) + ", " + std::to_string(settings.m) + " rows";
            EXPECT_EQ(at_once.bytes, apart.bytes) << what;
            EXPECT_TRUE(apart.gradient_after_batch) << what;
        }
}

TEST(UpdateByProduct, TheGradientIsNotWrittenDown) {
    const Outcome at_once = outcome(Descent({}), true, kernels::best_kernels());
    EXPECT_FALSE(at_once.gradient_after_batch);
}

TEST(UpdateByProduct, WhatElseReadsTheGradientFindsIt) {
    const kernels::KernelTable& table = kernels::best_kernels();
    for (const Descent::Settings& settings : {Descent::Settings{.fetched = true},
                                              {.summed = true},
                                              {.by_momentum = true},
                                              {.dtype = DType::Float16},
                                              {.k = 385, .m = 500, .n = 2000}, // summed in parts
                                              {.k = 40, .m = 10, .n = 10}}) { // x and dy would be kept for it
        const Descent descent(settings);
        const Outcome at_once = outcome(descent, true, table);
        EXPECT_TRUE(at_once.gradient_after_batch);
        EXPECT_EQ(at_once.bytes, outcome(descent, false, table).bytes);
    }
}

TEST(UpdateByProduct, TheBatchReadsTheVariableAsItWas) {
    const Descent descent({.reads_weights = true});
    const kernels::KernelTable& table = kernels::best_kernels();
    EXPECT_EQ(outcome(descent, true, table).bytes, outcome(descent, false, table).bytes);
}
