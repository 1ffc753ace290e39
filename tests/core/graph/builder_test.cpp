// SPDX-License-Identifier: GPL-3.0-or-later
#include "graph/builder.h"
#include "operators/operators.h"

#include <gtest/gtest.h>
#include <span>
#include <variant>
#include <vector>

using namespace tilescope;
using graph::Builder;
using graph::DType;
using graph::Graph;
using graph::Shape;

namespace {

const graph::OperatorRegistry& registry() {
    static const auto all = operators::standard_operators();
    return all;
}

} // namespace

TEST(Builder, AnUnknownOperationIsNamedWithTheNearest) {
    Graph graph;
    Builder build(graph, registry());
    const auto x = build.feed("x", {DType::Float32, {2}}).value();
    const auto failed = build.add("rellu", {x});
    ASSERT_FALSE(failed);
    EXPECT_NE(failed.error().line().find("relu"), std::string::npos);
    EXPECT_EQ(exit_code(failed.error().kind), 3);
}

TEST(Builder, ShapesThatDoNotFitAreRefusedAtTheOperationsPlace) {
    Graph graph;
    Builder build(graph, registry());
    const auto a = build.feed("a", {DType::Float32, {2, 3}}).value();
    const auto b = build.feed("b", {DType::Float32, {4, 5}}).value();
    const auto failed = build.add("matmul", {a, b}, {}, "product");
    ASSERT_FALSE(failed);
    EXPECT_NE(failed.error().line().find("product"), std::string::npos);
    EXPECT_TRUE(graph.operations().empty());
}

TEST(Builder, PassesOnTheFirstOperandThatCannotBeMade) {
    Graph graph;
    Builder build(graph, registry());
    const auto x = build.feed("x", {DType::Float32, {2, 3}}).value();
    const auto failed = build.emit(
        "add", {build.emit("matmul", {x, x}, {}, "inner"), build.emit("rellu", {x}, {}, "second")});
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().place, "inner");
    EXPECT_TRUE(graph.operations().empty());
}

TEST(Builder, FeedsThatNoIpuCanHoldAreRefusedByTheirName) {
    Graph graph;
    Builder build(graph, registry());
    const auto failed = build.feed("x", {DType::Float32, {1 << 20, 1 << 20}});
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().place, "x");
    EXPECT_TRUE(graph.feeds.empty());
}

TEST(Builder, AnAttributeOfAnotherTypeIsRefused) {
    Graph graph;
    Builder build(graph, registry());
    const auto x = build.feed("x", {DType::Float32, {2, 3}}).value();
    const auto failed = build.emit("reduce_sum", {x}, {{"axes", 1.5}}, "sum");
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().line(),
              "sum: attribute \"axes\" is of another type than \"reduce_sum\" expects; see the "
              "page about operators");
}

// A variant that an operator itself reads wrongly is no fault of what was given.
TEST(Builder, AnOperatorsOwnMistakeIsNotTakenForAnAttribute) {
    graph::OperatorRegistry registry;
    graph::Operator op;
    op.name = "mistaken";
    op.infer = [](std::span<const graph::TensorType> in,
                  const graph::Attributes&) -> Result<std::vector<graph::TensorType>> {
        const std::variant<int, double> own = 1;
        return std::vector<graph::TensorType>(static_cast<std::size_t>(std::get<double>(own)), in[0]);
    };
    registry.add(op);
    Graph graph;
    Builder build(graph, registry);
    const auto x = build.feed("x", {DType::Float32, {2}}).value();
    EXPECT_THROW((void)build.add("mistaken", {x}), std::bad_variant_access);
}

TEST(Builder, NamesAreUnique) {
    Graph graph;
    Builder build(graph, registry());
    const auto x = build.feed("x", {DType::Float32, {2}}).value();
    build.emit("relu", {x}, {}, "r").value();
    build.emit("relu", {x}, {}, "r").value();
    EXPECT_NE(graph.operations()[0].name, graph.operations()[1].name);
}

TEST(Tensor, BroadcastFollowsNumpy) {
    EXPECT_EQ(graph::broadcast({2, 3}, {3}), (Shape{2, 3}));
    EXPECT_EQ(graph::broadcast({2, 1}, {1, 5}), (Shape{2, 5}));
    EXPECT_EQ(graph::broadcast({}, {4}), (Shape{4}));
    EXPECT_EQ(graph::broadcast({2}, {3}), std::nullopt);
}

// Values from the IEEE 754 binary16 format.
TEST(Tensor, HalfPrecisionRoundsToNearestEven) {
    EXPECT_EQ(graph::half_bits(1.0F), 0x3C00);
    EXPECT_EQ(graph::half_bits(-2.0F), 0xC000);
    EXPECT_EQ(graph::half_bits(65504.0F), 0x7BFF);
    EXPECT_EQ(graph::half_bits(65520.0F), 0x7C00); // rounds up to infinity
    EXPECT_EQ(graph::half_bits(5.960464477539063e-8F), 0x0001);
    EXPECT_EQ(graph::round_to_half(2049.0F), 2048.0F); // a tie goes to the even neighbour
    EXPECT_EQ(graph::round_to_half(2051.0F), 2052.0F);
    for (std::uint32_t bits = 0; bits < 0x7C00; bits += 7)
        EXPECT_EQ(graph::half_bits(graph::half_to_float(static_cast<std::uint16_t>(bits))), bits);
}
