// SPDX-License-Identifier: GPL-3.0-or-later
// Products that are done in parts, one after another.
#include "tests/core/operators/graph_runner.h"
#include "training/differentiation.h"

#include <gtest/gtest.h>
#include <map>

namespace tilescope {
namespace {

using graph::Attributes;
using graph::DType;

struct Trained {
    std::vector<HostTensor> results;          ///< the product and both gradients
    std::map<std::string, std::string> parts; ///< "dA", "dB": the dimension in which each is done in parts
};

/// y = a b of [m, k] = [4, 6] and [k, n] = [6, 8], and the gradients of the sum of y's squares.
Trained trained(bool transpose_a, bool transpose_b, const std::string& dimension, std::int64_t parts) {
    graph::Graph graph;
    graph::Builder build(graph, test::registry());
    const ValueId a = *build.feed("a", {DType::Float32, transpose_a ? Shape{6, 4} : Shape{4, 6}});
    const ValueId b = *build.feed("b", {DType::Float32, transpose_b ? Shape{8, 6} : Shape{6, 8}});
    Attributes attributes{{"transpose_a", transpose_a}, {"transpose_b", transpose_b}};
    if (parts > 1) {
        attributes.set("serialization_factor", parts);
        attributes.set("serialization_dimension", dimension);
    }
    const ValueId y = *build.emit("matmul", {a, b}, attributes);
    const ValueId loss = *build.emit("reduce_sum", {build.emit("square", {y})});
    const auto gradients = training::differentiate(build, loss, {a, b});
    EXPECT_TRUE(gradients) << (gradients ? "" : gradients.error().line());
    std::vector<HostTensor> feeds;
    for (const ValueId of : {a, b}) {
        HostTensor values(graph.type(of));
        for (std::int64_t i = 0; i < values.elements(); ++i)
            values.set(i, static_cast<double>((i * 7 + of.value) % 11) - 5);
        feeds.push_back(values);
    }
    const auto values = test::run(graph, feeds);
    Trained result;
    for (const ValueId id : {y, gradients->at(0), gradients->at(1)})
        result.results.push_back(values[static_cast<std::size_t>(id.value)]);
    for (const auto& [name, id] : {std::pair{"dA", gradients->at(0)}, {"dB", gradients->at(1)}}) {
        const Attributes& of = graph.operation(graph.value(id).producer).attributes;
        result.parts[name] = of.text("serialization_dimension");
        EXPECT_EQ(of.integer("serialization_factor", 1), parts);
    }
    return result;
}

void expect_equal(const std::vector<HostTensor>& a, const std::vector<HostTensor>& b) {
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
        ASSERT_EQ(a[i].shape(), b[i].shape());
        for (std::int64_t e = 0; e < a[i].elements(); ++e)
            EXPECT_EQ(a[i].at(e), b[i].at(e)) << i << ", " << e;
    }
}

std::string refusal(const std::string& dimension, std::int64_t parts) {
    graph::Graph graph;
    graph::Builder build(graph, test::registry());
    const ValueId a = *build.feed("a", {DType::Float32, {4, 6}});
    const ValueId b = *build.feed("b", {DType::Float32, {6, 8}});
    const auto y = build.emit("matmul", {a, b},
                              {{"serialization_factor", parts}, {"serialization_dimension", dimension}});
    return y ? "" : y.error().line();
}

} // namespace

// Whatever is turned, dA = dY B^T is [m, k] and sums over n, dB = A^T dY is [k, n] and sums over m; a
// gradient for an operand that is turned is turned itself. In the words of PopART (SerializeMatMuls): of
// output channels n, the input's gradient is summed, the weights' comes in slices.
TEST(SerialProduct, GradientsAreDoneInPartsOfTheSameDimension) {
    const std::string rows = "a_columns";
    const std::string sum = "a_rows_b_columns";
    const std::string columns = "b_rows";
    struct Case {
        std::string forward;
        std::int64_t parts;
        std::string dA, turned_dA, dB, turned_dB;
    };
    for (const Case& c : {Case{rows, 2, rows, columns, sum, sum}, Case{sum, 3, columns, rows, rows, columns},
                          Case{columns, 4, sum, sum, columns, rows}})
        for (const bool a : {false, true})
            for (const bool b : {false, true}) {
                const Trained plain = trained(a, b, "", 1);
                const Trained serial = trained(a, b, c.forward, c.parts);
                EXPECT_EQ(serial.parts.at("dA"), a ? c.turned_dA : c.dA) << c.forward << a << b;
                EXPECT_EQ(serial.parts.at("dB"), b ? c.turned_dB : c.dB) << c.forward << a << b;
                expect_equal(serial.results, plain.results);
            }
}

TEST(SerialProduct, TheFactorDividesTheDimension) {
    EXPECT_EQ(refusal("b_rows", 4), "");
    EXPECT_NE(refusal("b_rows", 3).find("serialization_factor 3 does not divide the 8 of b_rows"),
              std::string::npos);
    EXPECT_NE(refusal("a_rows_b_columns", 4).find("does not divide the 6"), std::string::npos);
    EXPECT_NE(refusal("rows", 2).find("use a_columns, a_rows_b_columns or b_rows"), std::string::npos);
}

} // namespace tilescope
