// SPDX-License-Identifier: GPL-3.0-or-later
#include "compile/compiler.h"
#include "graph/builder.h"
#include "operators/operators.h"
#include "tests/core/compile/cycles_of.h"
#include "tests/core/compile/pass_text.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace tilescope::compile {
namespace {

using graph::DType;

/// One product of two feeds, compiled for an ipu2 of so many tiles.
Executable compiled(const std::string& kind, const graph::TensorType& a, const graph::TensorType& b,
                    graph::Attributes attributes, Options options = {}, std::int64_t tiles = 1) {
    const graph::OperatorRegistry registry = operators::standard_operators();
    graph::Graph graph;
    graph::Builder build(graph, registry);
    const auto x = build.feed("a", a);
    const auto y = build.feed("b", b);
    build.fetch("y", build.add(kind, {*x, *y}, std::move(attributes))->front());
    options.target = *ipu::find_target("ipu2");
    options.target.tiles_per_ipu = tiles;
    return *compile(std::move(graph), registry, options);
}

std::int64_t bytes_of(const Executable& executable, const std::string& name) {
    const auto& variables = executable.program.variables;
    const auto found = std::find_if(variables.begin(), variables.end(),
                                    [&](const auto& v) { return v.name.ends_with("/" + name); });
    return found == variables.end() ? -1 : found->total_bytes();
}

} // namespace

// No vertex of a product has more than 14 fields; its operands' groups and its workers' lists come on top.
TEST(Products, VerticesHaveTheirListsBesideTheirFields) {
    const Executable e = compiled("matmul", {DType::Float32, {64, 64}}, {DType::Float32, {64, 64}}, {});
    EXPECT_GT(bytes_of(e, "Convolve/vertex state"), 14 * 4);
}

// 64 floats on a tile, 11 a worker, which the cast takes four at a time: 12 + 6 (18 + 19 + 2 * 3).
TEST(Products, OfHalvesWithFloatSumsAreCastWhereNothingIsAddedUp) {
    const graph::TensorType a{DType::Float16, {8, 16}};
    const graph::TensorType b{DType::Float16, {16, 8}};
    const Executable floats = compiled("matmul", a, b, {});
    EXPECT_EQ(bytes_of(floats, "partials"), 64 * 4);
    EXPECT_EQ(cycles_of(floats, "Cast"), 270);
    Options half;
    half.planning.all.half_partials = true;
    const Executable halves = compiled("matmul", a, b, {}, half);
    EXPECT_EQ(bytes_of(halves, "partials"), -1);
    EXPECT_EQ(cycles_of(halves, "Cast"), -1);
    const Executable singles = compiled("matmul", {DType::Float32, {8, 16}}, {DType::Float32, {16, 8}}, {});
    EXPECT_EQ(cycles_of(singles, "Cast"), -1);
}

// Half sums are results where they lie, unless they are to be gathered: 288 + bytes / 8.
TEST(Products, ResultsAmongPartialSumsAreCopiedWhereTheyAreGathered) {
    Options options;
    options.planning.all.half_partials = true;
    options.planning.rules.push_back({.of = ipu::ProductKind::Matmul, .gather_output = true});
    const graph::TensorType a{DType::Float16, {8, 16}};
    const graph::TensorType b{DType::Float16, {16, 8}};
    const Executable gathered = compiled("matmul", a, b, {}, options);
    ASSERT_GE(bytes_of(gathered, "partials"), 64 * 2);
    EXPECT_EQ(cycles_of(gathered, "Gather"), 288 + bytes_of(gathered, "partials") / 8);
    options.planning.rules[0].of = ipu::ProductKind::Convolution;
    EXPECT_EQ(cycles_of(compiled("matmul", a, b, {}, options), "Gather"), -1);
    options.planning.rules[0].of = std::nullopt;
    options.planning.all.half_partials = false;
    EXPECT_EQ(cycles_of(compiled("matmul", a, b, {}, options), "Gather"), -1) << "the cast gathers them";
}

// An outer product makes what it reads.
TEST(Products, OfOneColumnAndOneRowNeedNoCast) {
    const Executable outer = compiled("matmul", {DType::Float16, {6, 1}}, {DType::Float16, {1, 4}}, {});
    EXPECT_EQ(outer.plans.at(0).plans.at(0).grouping.vertex, ipu::ConvVertex::OuterProduct);
    EXPECT_EQ(cycles_of(outer, "Cast"), -1);
}

// 8 x 8 positions of 16 floats are 4,096 bytes on the tile: 288 + 4096 / 8. The product is the one of the 4 x
// 4 positions that have one.
TEST(Products, GradientsOfStridedPointwiseConvolutionsAreDilatedAfterwards) {
    const graph::TensorType dy{DType::Float32, {1, 4, 4, 16}};
    const graph::TensorType w{DType::Float32, {1, 1, 16, 16}};
    const auto gradient = [&](std::int64_t stride, const graph::Shape& padding) {
        return compiled("conv2d_input_gradient", dy, w,
                        {{"strides", graph::Shape{stride, stride}},
                         {"padding", padding},
                         {"shape", graph::Shape{1, 4 * stride, 4 * stride, 16}}});
    };
    const Executable strided = gradient(2, {0, 0, 0, 0});
    const Executable plain = gradient(1, {0, 0, 0, 0});
    EXPECT_EQ(cycles_of(strided, "Dilate"), 800);
    EXPECT_EQ(bytes_of(strided, "undilated"), 4 * 4 * 16 * 4);
    EXPECT_GT(cycles_of(plain, "Convolve"), 0);
    EXPECT_EQ(cycles_of(strided, "Convolve"), cycles_of(plain, "Convolve"));
    EXPECT_EQ(cycles_of(plain, "Dilate"), -1);
}

// Each result lies once, whichever tiles share it: 2 images of 14 x 14 x 64 in steps of 2 both ways.
TEST(Products, DilatedGradientsLieOnTheTilesOnce) {
    const Executable e =
        compiled("conv2d_input_gradient", {DType::Float32, {2, 7, 7, 32}}, {DType::Float32, {1, 1, 64, 32}},
                 {{"strides", graph::Shape{2, 2}},
                  {"padding", graph::Shape{0, 0, 0, 0}},
                  {"shape", graph::Shape{2, 13, 14, 64}}},
                 {}, 64);
    const auto& variables = e.program.variables;
    const auto result = std::find_if(variables.begin(), variables.end(), [&](const program::Variable& v) {
        return v.value == e.graph.fetches[0].value.value && !v.always_live;
    });
    ASSERT_NE(result, variables.end());
    EXPECT_EQ(result->total_bytes(), 2 * 13 * 14 * 64 * 4);
}

// Tiles meet before they exchange, and not before they compute.
TEST(Products, ASuperstepHasOneSync) {
    const Executable e =
        compiled("matmul", {DType::Float32, {64, 256}}, {DType::Float32, {256, 64}}, {}, {}, 64);
    int exchanges = 0;
    for (const program::StepId id : e.program.leaves()) {
        const program::Step& step = e.program.step(id);
        if (step.kind == StepKind::Execute) {
            EXPECT_EQ(step.sync_cycles, 0) << step.name;
        } else if (step.kind == StepKind::Exchange) {
            ++exchanges;
            EXPECT_EQ(step.sync_cycles, e.target.sync_cycles) << step.name;
        }
    }
    EXPECT_GT(exchanges, 0);
}

// As if its figures were those of all, and the other products stay as they are.
TEST(Products, OfAStageArePlannedAsItsRuleSays) {
    const auto plans = [](ipu::PlanningOptions planning) {
        Options options = options_for(64);
        options.schedule.ipus_per_replica = 2;
        options.planning = std::move(planning);
        const Executable e = executable_after("plan, map and lower", R"(graph "g" {
  feed %x : float32 [512, 512]
  feed %w : float32 [512, 512]
  feed %v : float32 [512, 512]
  %a = matmul(%x, %w) shard 0
  %b = matmul(%a, %v) shard 1
  fetch "b" = %b
})",
                                              options);
        std::vector<std::string> winners;
        for (const lowering::OperationPlan& plan : e.plans)
            winners.push_back(ipu::describe(plan.plans.front()));
        return winners;
    };
    const auto all = plans({});
    const auto tight = plans({{0.02, false}, {}});
    ASSERT_EQ(all.size(), 2U);
    EXPECT_NE(all[1], tight[1]);
    EXPECT_EQ(plans({{}, {{.part = {.stages = {1}}, .available_memory_proportion = 0.02}}}),
              (std::vector<std::string>{all[0], tight[1]}));
    EXPECT_EQ(plans({{}, {{.of = ipu::ProductKind::Convolution, .available_memory_proportion = 0.02}}}), all);
}

} // namespace tilescope::compile
