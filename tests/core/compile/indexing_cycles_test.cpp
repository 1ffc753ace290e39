// SPDX-License-Identifier: GPL-3.0-or-later
#include "compile/compiler.h"
#include "graph/builder.h"
#include "operators/operators.h"
#include "tests/core/compile/cycles_of.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace tilescope::compile {
namespace {

using graph::DType;
using graph::ValueId;

struct Input {
    DType dtype;
    graph::Shape shape;
};

/// One operation on feeds, compiled for an ipu2.
Executable compiled(const std::string& kind, const std::vector<Input>& inputs, graph::Attributes attributes) {
    const graph::OperatorRegistry registry = operators::standard_operators();
    graph::Graph graph;
    graph::Builder build(graph, registry);
    std::vector<ValueId> feeds;
    feeds.reserve(inputs.size());
    for (const Input& input : inputs)
        feeds.push_back(build.feed("x" + std::to_string(feeds.size()), {input.dtype, input.shape}).value());
    build.fetch("y", build.add(kind, feeds, std::move(attributes))->front());
    Options options;
    options.target = *ipu::find_target("ipu2", {});
    return *compile(std::move(graph), registry, options);
}

/// Eight floats lie on one tile. Six of them: one of each worker, 25 + 6 (39 + 24 + 2 floor(1 / 2)).
TEST(IndexingCycles, OfAGatherAreOneSliceOfWhatComesOutOfATile) {
    const Executable executable = compiled("gather", {{DType::Float32, {4, 2}}, {DType::Int32, {3}}}, {});
    EXPECT_EQ(cycles_of(executable, "MultiSlice"), 403);
}

/// Twenty-four updates: four of each worker, 25 + 6 (39 + 24 + 2 (4 / 2)), after a copy of 32 bytes in one
/// piece, 288 + 32 / 8.
TEST(IndexingCycles, OfAScatterAreACopyAndOneUpdate) {
    const Executable executable = compiled(
        "scatter_nd", {{DType::Float32, {4, 2}}, {DType::Int32, {12, 1}}, {DType::Float32, {12, 2}}}, {});
    EXPECT_EQ(cycles_of(executable, "MultiUpdate"), 427);
    EXPECT_EQ(cycles_of(executable, "Copy"), 292);
}

/// Eight elements: 3 * 4 / 2 stages, each a maximum, 11 + 6 (29 + 3), and a select, 11 + 6 (29 + 10), of two
/// elements of each worker.
TEST(IndexingCycles, OfTopKAreThoseOfABitonicNetwork) {
    const Executable executable = compiled("top_k", {{DType::Float32, {1, 8}}}, {{"k", std::int64_t{3}}});
    EXPECT_EQ(cycles_of(executable, "TopK"), 6 * (203 + 245));
}

/// Forty-eight halves are 96 bytes, on one tile. Rows of four stay whole: 288 + 96 / 8.
TEST(IndexingCycles, OfRowsThatStayWholeAreThoseOfACopyOfEightBytesAtATime) {
    const Input x{DType::Float16, {2, 3, 4}};
    EXPECT_EQ(cycles_of(compiled("concatenate", {x, x}, {{"axis", std::int64_t{1}}}), "Rearrange"), 300);
    EXPECT_EQ(cycles_of(compiled("concatenate", {x, x}, {{"axis", std::int64_t{2}}}), "Rearrange"), 300);
    EXPECT_EQ(cycles_of(compiled("transpose", {{DType::Float16, {4, 3, 4}}},
                                 {{"permutation", graph::Shape{1, 0, 2}}}),
                        "Rearrange"),
              300);
    EXPECT_EQ(cycles_of(compiled("slice", {{DType::Float16, {3, 16, 8}}},
                                 {{"begin", graph::Shape{0, 0, 4}}, {"size", graph::Shape{3, 4, 4}}}),
                        "Rearrange"),
              300);
}

/// The same in single halves, 288 + 96 / 2, and in pairs of them, 288 + 96 / 4.
TEST(IndexingCycles, OfElementsThatPartAreThoseOfACopyOfEach) {
    EXPECT_EQ(
        cycles_of(compiled("transpose", {{DType::Float16, {4, 12}}}, {{"permutation", graph::Shape{1, 0}}}),
                  "Rearrange"),
        336);
    EXPECT_EQ(cycles_of(compiled("pad", {{DType::Float16, {12, 2}}},
                                 {{"before", graph::Shape{0, 1}}, {"after", graph::Shape{0, 1}}}),
                        "Rearrange"),
              336);
    EXPECT_EQ(cycles_of(compiled("pad", {{DType::Float16, {12, 2}}},
                                 {{"before", graph::Shape{0, 2}}, {"after", graph::Shape{0, 0}}}),
                        "Rearrange"),
              312);
}

} // namespace
} // namespace tilescope::compile
