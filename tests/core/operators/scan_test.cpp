// SPDX-License-Identifier: GPL-3.0-or-later
#include "graph/flops.h"
#include "graph/scan.h"
#include "tests/core/operators/graph_runner.h"

#include <gtest/gtest.h>

using namespace tilescope;
using graph::Builder;
using graph::DType;
using graph::ScanInputs;
using graph::ScanOutputs;
using test::floats;
using test::HostTensor;
using test::ValueId;

namespace {

/// s' = w s + x, and y = s' - s.
Result<ScanOutputs> step(Builder& build, const ScanInputs& in) {
    const ValueId next =
        build.emit("add", {build.emit("multiply", {in.fixed[0], in.states[0]}), in.sequences[0]}).value();
    return ScanOutputs{{next}, {build.emit("subtract", {next, in.states[0]}).value()}};
}

struct Outcome {
    graph::Graph graph;
    Result<ScanOutputs> outputs;
    std::vector<HostTensor> values;
};

Outcome run(bool reversed) {
    Outcome r;
    Builder build(r.graph, test::registry());
    const ValueId s = build.feed("s", {DType::Float32, {2}}).value();
    const ValueId x = build.feed("x", {DType::Float32, {3, 2}}).value();
    const ValueId w = build.feed("w", {DType::Float32, {2}}).value();
    r.outputs = graph::add_scan(build, {{s}, {x}, {w}}, reversed, step);
    r.values = test::run(r.graph,
                         {floats({2}, {1, 2}), floats({3, 2}, {1, 10, 2, 20, 3, 30}), floats({2}, {2, -1})});
    return r;
}

void expect_values(const Outcome& r, ValueId id, const std::vector<double>& expected) {
    const HostTensor& got = r.values[static_cast<std::size_t>(id.value)];
    ASSERT_EQ(got.elements(), static_cast<std::int64_t>(expected.size()));
    for (std::size_t i = 0; i < expected.size(); ++i)
        EXPECT_EQ(got.at(static_cast<std::int64_t>(i)), expected[i]) << i;
}

} // namespace

// By hand: s = 1: 2+1 = 3, 6+2 = 8, 16+3 = 19; s = 2: -2+10 = 8, -8+20 = 12, -12+30 = 18.
TEST(Scan, CarriesStatesFromStepToStep) {
    const Outcome r = run(false);
    ASSERT_TRUE(r.outputs.has_value());
    expect_values(r, r.outputs->states[0], {19, 18});
    expect_values(r, r.outputs->sequences[0], {2, 6, 5, 4, 11, 6});
}

// By hand: s = 1: 2+3 = 5, 10+2 = 12, 24+1 = 25; s = 2: -2+30 = 28, -28+20 = -8, 8+10 = 18.
TEST(Scan, ReversedPutsResultsWhereTheSlicesCameFrom) {
    const Outcome r = run(true);
    ASSERT_TRUE(r.outputs.has_value());
    expect_values(r, r.outputs->states[0], {25, 18});
    expect_values(r, r.outputs->sequences[0], {13, 26, 7, -36, 4, 26});
}

TEST(Scan, RefusesANextStateOfAnotherShape) {
    graph::Graph graph;
    Builder build(graph, test::registry());
    const ValueId s = build.feed("s", {DType::Float32, {2}}).value();
    const ValueId x = build.feed("x", {DType::Float32, {3, 4, 2}}).value();
    const auto outputs =
        graph::add_scan(build, {{s}, {x}, {}}, false, [](Builder& body, const ScanInputs& in) {
            return Result<ScanOutputs>(
                ScanOutputs{{body.emit("add", {in.states[0], in.sequences[0]}).value()}, {}});
        });
    ASSERT_FALSE(outputs.has_value());
    EXPECT_NE(outputs.error().line().find("next state float32 [2]"), std::string::npos)
        << outputs.error().line();
}

// One multiplication, one addition and one subtraction of two elements in each of three steps.
TEST(Scan, CountsTheBodyInEveryStep) {
    const Outcome r = run(false);
    EXPECT_EQ(graph::flops_of(r.graph, r.graph.operations().back(), test::registry()), 3 * 3 * 2);
}

TEST(Scan, AttributesTellTheBodyAndItsConstants) {
    const auto json = [](double constant) {
        graph::Graph graph;
        Builder build(graph, test::registry());
        const ValueId x = build.feed("x", {DType::Float32, {3, 2}}).value();
        const auto ok = graph::add_scan(build, {{}, {x}, {}}, false, [&](Builder& b, const ScanInputs& in) {
            return Result<ScanOutputs>(
                ScanOutputs{{}, {b.emit("add", {in.sequences[0], b.scalar(constant)}).value()}});
        });
        EXPECT_TRUE(ok.has_value());
        return graph.operations().back().attributes.json();
    };
    EXPECT_EQ(json(1), json(1));
    EXPECT_NE(json(1), json(2));
    EXPECT_NE(json(1).find("%add = add(%slice, %scalar)"), std::string::npos) << json(1);
}
