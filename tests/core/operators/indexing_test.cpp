// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/operators/graph_runner.h"

#include <gtest/gtest.h>

using namespace tilescope;
using test::apply;
using test::floats;
using test::HostTensor;
using test::Shape;
using Ints = std::vector<std::int64_t>;

namespace {

HostTensor indices(Shape shape, std::vector<std::int32_t> values) {
    return HostTensor::of_ints(std::move(shape), values);
}

std::vector<double> values_of(const HostTensor& tensor) {
    std::vector<double> values;
    for (std::int64_t i = 0; i < tensor.elements(); ++i)
        values.push_back(tensor.at(i));
    return values;
}

const HostTensor table = floats({3, 2}, {1, 2, 3, 4, 5, 6});

TEST(Take, PutsSlicesInAnyOrder) {
    const HostTensor rows =
        apply("take", {table}, {{"axis", std::int64_t{0}}, {"indices", Ints{2, 0, 2, 1}}});
    EXPECT_EQ(rows.shape(), (Shape{4, 2}));
    EXPECT_EQ(values_of(rows), (std::vector<double>{5, 6, 1, 2, 5, 6, 3, 4}));
    const HostTensor columns = apply("take", {table}, {{"axis", std::int64_t{1}}, {"indices", Ints{1}}});
    EXPECT_EQ(values_of(columns), (std::vector<double>{2, 4, 6}));
}

TEST(Take, RefusesAnIndexOutside) {
    const auto inferred = test::registry().at("take").infer(
        std::vector<graph::TensorType>{table.type()}, {{"axis", std::int64_t{0}}, {"indices", Ints{3}}});
    ASSERT_FALSE(inferred);
    EXPECT_EQ(inferred.error().message, "expects indices from 0 to 2, got 3");
}

TEST(Gather, PutsTheIndicesShapeInPlaceOfTheAxis) {
    const HostTensor places = indices({2, 2}, {0, -1, 7, 1});
    const HostTensor y = apply("gather", {table, places}, {{"axis", std::int64_t{0}}});
    EXPECT_EQ(y.shape(), (Shape{2, 2, 2}));
    EXPECT_EQ(values_of(y), (std::vector<double>{1, 2, 0, 0, 0, 0, 3, 4})); // -1 and 7 are outside
    const HostTensor z = apply("gather", {table, places}, {{"axis", std::int64_t{0}}, {"from_end", true}});
    EXPECT_EQ(values_of(z), (std::vector<double>{1, 2, 5, 6, 0, 0, 3, 4}));
}

TEST(Gather, CountsFromTheEndWhereToldSo) {
    const HostTensor one_before = indices({1, 2}, {-1, -3});
    const HostTensor block = indices({1, 1}, {-1});
    const HostTensor row = floats({1, 2}, {10, 20});
    const graph::Attributes axis{{"axis", std::int64_t{0}}};
    const graph::Attributes from_end{{"axis", std::int64_t{0}}, {"from_end", true}};
    EXPECT_EQ(values_of(apply("gather_elements", {table, one_before}, axis)), (std::vector<double>{0, 0}));
    EXPECT_EQ(values_of(apply("gather_elements", {table, one_before}, from_end)),
              (std::vector<double>{5, 2}));
    EXPECT_EQ(values_of(apply("gather_nd", {table, block})), (std::vector<double>{0, 0}));
    EXPECT_EQ(values_of(apply("gather_nd", {table, block}, {{"from_end", true}})),
              (std::vector<double>{5, 6}));
    EXPECT_EQ(values_of(apply("scatter_nd", {table, block, row})), values_of(table));
    EXPECT_EQ(values_of(apply("scatter_nd", {table, block, row}, {{"from_end", true}})),
              (std::vector<double>{1, 2, 3, 4, 10, 20}));
    EXPECT_EQ(values_of(apply("scatter_elements", {table, one_before, row}, axis)), values_of(table));
    EXPECT_EQ(values_of(apply("scatter_elements", {table, one_before, row}, from_end)),
              (std::vector<double>{1, 20, 3, 4, 10, 6}));
}

TEST(Gather, TakesElementsAndBlocks) {
    EXPECT_EQ(values_of(apply("gather_elements", {table, indices({2, 2}, {2, 0, 1, 2})},
                              {{"axis", std::int64_t{0}}})),
              (std::vector<double>{5, 2, 3, 6}));
    EXPECT_EQ(values_of(apply("gather_nd", {table, indices({2, 2}, {0, 1, 2, 0})})),
              (std::vector<double>{2, 5}));
    EXPECT_EQ(
        values_of(apply("gather_nd", {table, indices({3, 1}, {1, 0, 1})}, {{"batch_dims", std::int64_t{1}}})),
        (std::vector<double>{2, 3, 6}));
}

TEST(Scatter, PutsAddsOrMultiplies) {
    const HostTensor updates = floats({1, 2}, {10, 20});
    const HostTensor places = indices({1, 2}, {2, 0});
    const auto scattered = [&](const char* reduction) {
        return values_of(apply("scatter_elements", {table, places, updates},
                               {{"axis", std::int64_t{0}}, {"reduction", std::string(reduction)}}));
    };
    EXPECT_EQ(scattered("none"), (std::vector<double>{1, 20, 3, 4, 10, 6}));
    EXPECT_EQ(scattered("add"), (std::vector<double>{1, 22, 3, 4, 15, 6}));
    EXPECT_EQ(scattered("mul"), (std::vector<double>{1, 40, 3, 4, 50, 6}));
    EXPECT_EQ(scattered("min"), (std::vector<double>{1, 2, 3, 4, 5, 6}));
    EXPECT_EQ(scattered("max"), (std::vector<double>{1, 20, 3, 4, 10, 6}));
}

TEST(Scatter, AddsUpBlocksOfOnePlace) {
    const HostTensor y = apply("scatter_nd", {table, indices({2, 1}, {1, 1}), floats({2, 2}, {1, 1, 2, 2})},
                               {{"reduction", std::string("add")}});
    EXPECT_EQ(values_of(y), (std::vector<double>{1, 2, 6, 7, 5, 6}));
}

TEST(TopK, SortsAndKeepsTheFirstOfEquals) {
    graph::Graph graph;
    graph::Builder build(graph, test::registry());
    const HostTensor x = floats({2, 4}, {3, 9, 3, 1, 0, -1, 5, 5});
    const auto feed = build.feed("x", x.type()).value();
    const auto found = *build.add("top_k", {feed}, {{"k", std::int64_t{3}}});
    const auto values = test::run(graph, {x});
    EXPECT_EQ(values_of(values[static_cast<std::size_t>(found[0].value)]),
              (std::vector<double>{9, 3, 3, 5, 5, 0}));
    EXPECT_EQ(values_of(values[static_cast<std::size_t>(found[1].value)]),
              (std::vector<double>{1, 0, 2, 2, 3, 0}));
}

TEST(Rounding, GoesDownUpAndToTheEvenNeighbour) {
    const HostTensor x = floats({5}, {-1.5F, -0.2F, 0.5F, 1.5F, 2.7F});
    EXPECT_EQ(values_of(apply("floor", {x})), (std::vector<double>{-2, -1, 0, 1, 2}));
    EXPECT_EQ(values_of(apply("ceil", {x})), (std::vector<double>{-1, 0, 1, 2, 3}));
    EXPECT_EQ(values_of(apply("round", {x})), (std::vector<double>{-2, 0, 0, 2, 3}));
}

} // namespace
