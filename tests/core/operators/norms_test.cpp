// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/operators/graph_runner.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

using namespace tilescope;
using test::apply;
using test::floats;
using test::HostTensor;
using test::Shape;
using Ints = std::vector<std::int64_t>;

namespace {

void expect_values(const HostTensor& tensor, const Shape& shape, const std::vector<double>& expected) {
    EXPECT_EQ(tensor.shape(), shape);
    ASSERT_EQ(tensor.elements(), static_cast<std::int64_t>(expected.size()));
    for (std::size_t i = 0; i < expected.size(); ++i)
        EXPECT_NEAR(tensor.at(static_cast<std::int64_t>(i)), expected[i], 1e-5) << "element " << i;
}

/// Both outputs of `moments`.
std::pair<HostTensor, HostTensor> moments(const HostTensor& x, const Ints& axes) {
    graph::Graph graph;
    graph::Builder build(graph, test::registry());
    const auto y = *build.add("moments", {build.feed("x", x.type()).value()}, {{"axes", axes}});
    const auto values = test::run(graph, {x});
    return {values[static_cast<std::size_t>(y[0].value)], values[static_cast<std::size_t>(y[1].value)]};
}

} // namespace

TEST(Moments, AreThoseWorkedOutByHand) {
    const HostTensor x = floats({2, 2, 2}, {1, 10, 2, 20, 3, 30, 6, 60});
    // Over batch and field: 1 2 3 6 has mean 3 and variance (4 + 1 + 0 + 9) / 4.
    auto [mean, variance] = moments(x, {0, 1});
    expect_values(mean, {2}, {3, 30});
    expect_values(variance, {2}, {3.5, 350});
    std::tie(mean, variance) = moments(x, {-1});
    expect_values(mean, {2, 2, 1}, {5.5, 11, 16.5, 33});
    expect_values(variance, {2, 2, 1}, {20.25, 81, 182.25, 729});
    std::tie(mean, variance) = moments(x, {0, 1, 2});
    expect_values(mean, {}, {16.5});
}

TEST(Moments, OfLargeValuesKeepTheirDigits) {
    const auto [mean, variance] = moments(floats({4, 1}, {10000, 10001, 10002, 10003}), {0});
    expect_values(mean, {1}, {10001.5});
    expect_values(variance, {1}, {1.25});
}

TEST(Normalise, TakesTheStatisticsThatItIsGiven) {
    const HostTensor y =
        apply("normalise", {floats({2, 2}, {1, 2, 3, 4}), floats({2}, {1, 2}), floats({2}, {4, 0.25F})},
              {{"axes", Ints{0}}, {"epsilon", 0.0}});
    expect_values(y, {2, 2}, {0, 0, 1, 4});
    const HostTensor smoothed = apply("normalise", {floats({1, 1}, {3}), floats({1}, {1}), floats({1}, {3})},
                                      {{"axes", Ints{0}}, {"epsilon", 1.0}});
    expect_values(smoothed, {1, 1}, {1});
}

TEST(Normalise, RefusesStatisticsOfOtherAxes) {
    graph::Graph graph;
    graph::Builder build(graph, test::registry());
    const auto feed = [&](Shape shape) {
        return build.feed("x", {graph::DType::Float32, std::move(shape)}).value();
    };
    const auto y = build.add("normalise", {feed({2, 3}), feed({2}), feed({2})}, {{"axes", Ints{0}}});
    ASSERT_FALSE(y.has_value());
    EXPECT_NE(y.error().line().find("float32 [3]"), std::string::npos) << y.error().line();
    EXPECT_FALSE(build.add("moments", {feed({2, 3})}, {{"axes", Ints{2}}}).has_value());
    EXPECT_FALSE(build.add("moments", {feed({2, 3})}).has_value());
}

TEST(MovingAverage, KeepsTheShareOfItsMomentum) {
    const HostTensor next =
        apply("moving_average_update", {floats({2}, {1, 10}), floats({2}, {2, 0})}, {{"momentum", 0.75}});
    expect_values(next, {2}, {1.25, 7.5});
}

TEST(Embedding, LooksUpRowsAndAddsUpTheGradientsOfEqualIds) {
    const HostTensor table = floats({3, 2}, {1, 2, 3, 4, 5, 6});
    const HostTensor ids = HostTensor::of_ints({2, 2}, std::vector<std::int32_t>{2, 0, -1, 2});
    expect_values(apply("embedding_lookup", {table, ids}), {2, 2, 2}, {5, 6, 1, 2, 0, 0, 5, 6});
    const HostTensor dy = floats({2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
    expect_values(apply("embedding_lookup_gradient", {ids, dy}, {{"rows", std::int64_t{3}}}), {3, 2},
                  {3, 4, 0, 0, 8, 10});
}

TEST(GaussianNoise, HasItsDeviationAndIsTheSameInEveryRun) {
    const HostTensor zeros(graph::TensorType{graph::DType::Float32, {100, 100}});
    const graph::Attributes a{{"stddev", 0.5}, {"salt", std::int64_t{1}}};
    const HostTensor y = apply("gaussian_noise", {zeros}, a);
    double sum = 0;
    double squares = 0;
    for (const float v : y.floats()) {
        sum += static_cast<double>(v);
        squares += static_cast<double>(v) * static_cast<double>(v);
    }
    EXPECT_NEAR(sum / 10000, 0, 0.02);
    EXPECT_NEAR(std::sqrt(squares / 10000), 0.5, 0.015);
    EXPECT_EQ(apply("gaussian_noise", {zeros}, a, kernels::best_kernels(), 1).device_bytes(),
              y.device_bytes());
}

// Of a normal number within two deviations the variance is 1 - 4 phi(2) / (2 Phi(2) - 1) = 0.774: by the
// density and the distribution of the standard normal.
TEST(GaussianNoise, StaysWithinItsLimit) {
    const HostTensor zeros(graph::TensorType{graph::DType::Float32, {100, 100}});
    const HostTensor y = apply(
        "gaussian_noise", {zeros},
        graph::Attributes{{"stddev", 0.5}, {"limit", 2.0}, {"salt", std::int64_t{1}}, {"always", true}});
    double squares = 0;
    float most = 0;
    for (const float v : y.floats()) {
        squares += static_cast<double>(v) * static_cast<double>(v);
        most = std::max(most, std::abs(v));
    }
    EXPECT_NEAR(squares / 10000, 0.25 * 0.774, 0.01);
    EXPECT_LE(most, 1);
    EXPECT_GT(most, 0.99);
}

// By hand: every input element adds its kernel, shifted by two.
TEST(TransposedConvolution, SpreadsEachElementOverItsKernel) {
    const HostTensor y =
        apply("conv2d_input_gradient", {floats({1, 1, 2, 1}, {1, 10}), floats({1, 3, 1, 1}, {1, 2, 3})},
              {{"strides", Ints{1, 2}}, {"shape", Ints{1, 1, 5, 1}}});
    expect_values(y, {1, 1, 5, 1}, {1, 2, 13, 20, 30});
}
