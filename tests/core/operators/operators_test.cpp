// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/random.h"
#include "operators/fused_elementwise.h"
#include "operators/require_flops.h"
#include "tests/core/operators/graph_runner.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

using namespace tilescope;
using graph::Attributes;
using test::apply;
using test::floats;
using test::HostTensor;
using test::Shape;
using Ints = std::vector<std::int64_t>;

namespace {

void expect_values(const HostTensor& tensor, const std::vector<double>& expected, double tolerance = 1e-6) {
    ASSERT_EQ(tensor.elements(), static_cast<std::int64_t>(expected.size()));
    for (std::size_t i = 0; i < expected.size(); ++i)
        EXPECT_NEAR(tensor.at(static_cast<std::int64_t>(i)), expected[i], tolerance) << "element " << i;
}

HostTensor random_tensor(Shape shape, const char* name) {
    HostTensor x(graph::TensorType{graph::DType::Float32, std::move(shape)});
    const RandomStream random(3, name);
    for (std::int64_t i = 0; i < x.elements(); ++i)
        x.set(i, 2 * static_cast<double>(random.uniform(static_cast<std::uint64_t>(i))) - 1);
    return x;
}

/// The definition of a convolution, element by element.
double conv_at(const HostTensor& x, const HostTensor& w, const Attributes& a, std::int64_t n, std::int64_t oy,
               std::int64_t ox, std::int64_t o) {
    const auto strides = a.integers("strides", {1, 1});
    const auto padding = a.integers("padding", {0, 0, 0, 0});
    const auto dilations = a.integers("dilations", {1, 1});
    const std::int64_t groups = a.integer("groups", 1);
    const auto& xs = x.shape();
    const auto& ws = w.shape();
    const std::int64_t group = o / (ws[3] / groups);
    double sum = 0;
    for (std::int64_t ky = 0; ky < ws[0]; ++ky)
        for (std::int64_t kx = 0; kx < ws[1]; ++kx)
            for (std::int64_t c = 0; c < ws[2]; ++c) {
                const std::int64_t y = oy * strides[0] + ky * dilations[0] - padding[0];
                const std::int64_t z = ox * strides[1] + kx * dilations[1] - padding[1];
                if (y < 0 || y >= xs[1] || z < 0 || z >= xs[2])
                    continue;
                sum += x.at(((n * xs[1] + y) * xs[2] + z) * xs[3] + group * ws[2] + c) *
                       w.at(((ky * ws[1] + kx) * ws[2] + c) * ws[3] + o);
            }
    return sum;
}

} // namespace

TEST(Matmul, MultipliesByHand) {
    const auto y = apply("matmul", {floats({2, 3}, {1, 2, 3, 4, 5, 6}), floats({3, 2}, {1, 0, 0, 1, 1, 1})});
    EXPECT_EQ(y.shape(), (Shape{2, 2}));
    expect_values(y, {4, 5, 10, 11});
}

TEST(Matmul, EqualsItsDefinitionForAllSizesAndForms) {
    const Shape sizes[] = {{1, 1, 1}, {3, 5, 7}, {9, 49, 2}, {33, 100, 800}, {70, 10, 400}, {50, 17, 385}};
    for (const Shape& size : sizes)
        for (const bool turn_a : {false, true})
            for (const bool turn_b : {false, true}) {
                const std::int64_t m = size[0], n = size[1], k = size[2];
                const HostTensor a = random_tensor(turn_a ? Shape{k, m} : Shape{m, k}, "a");
                const HostTensor b = random_tensor(turn_b ? Shape{n, k} : Shape{k, n}, "b");
                const Attributes attributes{{"transpose_a", turn_a}, {"transpose_b", turn_b}};
                for (const auto* kernels : kernels::able_kernels()) {
                    const HostTensor y = apply("matmul", {a, b}, attributes, *kernels, 1);
                    for (std::int64_t i = 0; i < m; ++i)
                        for (std::int64_t j = 0; j < n; ++j) {
                            double sum = 0;
                            for (std::int64_t l = 0; l < k; ++l)
                                sum += a.at(turn_a ? l * m + i : i * k + l) *
                                       b.at(turn_b ? j * k + l : l * n + j);
                            ASSERT_NEAR(y.at(i * n + j), sum, 2e-5)
                                << kernels->name << " " << graph::to_string(size) << turn_a << turn_b;
                        }
                    const HostTensor dealt = apply("matmul", {a, b}, attributes, *kernels, 5);
                    ASSERT_EQ(dealt.device_bytes(), y.device_bytes());
                }
            }
}

namespace {

double inner(const HostTensor& a, const HostTensor& b) {
    double sum = 0;
    for (std::int64_t i = 0; i < a.elements(); ++i)
        sum += a.at(i) * b.at(i);
    return sum;
}

} // namespace

// A convolution is linear in x and in w, so with its gradients (x w) dy = x dx = w dw.
TEST(Conv2d, GradientsAreItsAdjoints) {
    const std::vector<std::pair<std::pair<Shape, Shape>, Attributes>> cases = {
        {{{3, 8, 7, 32}, {3, 3, 32, 64}}, {}},
        {{{2, 9, 9, 48}, {3, 3, 48, 20}}, {{"padding", Ints{1, 1, 1, 1}}}}, // more than are summed at once
        {{{2, 9, 11, 24}, {3, 5, 12, 34}},
         {{"strides", Ints{2, 3}}, {"padding", Ints{1, 2, 0, 2}}, {"groups", std::int64_t{2}}}},
        {{{2, 12, 10, 17}, {2, 3, 17, 19}}, {{"dilations", Ints{3, 2}}, {"padding", Ints{3, 1, 2, 4}}}},
        {{{2, 4, 4, 3}, {1, 1, 3, 16}}, {{"strides", Ints{3, 3}}}}, // elements of x that nothing reads
    };
    for (const auto& [shapes, attributes] : cases) {
        const HostTensor x = random_tensor(shapes.first, "x");
        const HostTensor w = random_tensor(shapes.second, "w");
        for (const auto* kernels : kernels::able_kernels()) {
            const HostTensor y = apply("conv2d", {x, w}, attributes, *kernels);
            const HostTensor dy = random_tensor(y.shape(), "dy");
            Attributes of_x = attributes;
            of_x.set("shape", x.shape());
            Attributes of_w = attributes;
            of_w.set("shape", w.shape());
            const double wanted = inner(y, dy);
            const double tolerance = 1e-5 * std::sqrt(inner(y, y) * inner(dy, dy));
            const HostTensor dx = apply("conv2d_input_gradient", {dy, w}, of_x, *kernels);
            EXPECT_NEAR(inner(x, dx), wanted, tolerance) << kernels->name;
            const HostTensor dw = apply("conv2d_filter_gradient", {x, dy}, of_w, *kernels);
            EXPECT_NEAR(inner(w, dw), wanted, tolerance) << kernels->name;
        }
    }
}

TEST(Conv2d, EqualsItsDefinitionForOddGeometries) {
    const std::vector<std::pair<std::pair<Shape, Shape>, Attributes>> cases = {
        {{{2, 5, 4, 2}, {3, 2, 2, 3}}, {}},
        {{{1, 9, 8, 4}, {3, 3, 2, 6}},
         {{"strides", Ints{2, 3}}, {"padding", Ints{1, 0, 2, 1}}, {"groups", std::int64_t{2}}}},
        {{{3, 7, 7, 1}, {2, 3, 1, 5}}, {{"dilations", Ints{2, 3}}, {"padding", Ints{2, 3, 1, 3}}}},
        {{{1, 6, 6, 8}, {3, 3, 1, 8}}, {{"groups", std::int64_t{8}}, {"padding", Ints{1, 1, 1, 1}}}},
        {{{1, 5, 6, 90}, {3, 3, 90, 50}}, {{"padding", Ints{1, 1, 1, 1}}}},
    };
    for (const auto& [shapes, attributes] : cases) {
        const HostTensor x = random_tensor(shapes.first, "x");
        const HostTensor w = random_tensor(shapes.second, "w");
        for (const auto* kernels : kernels::able_kernels()) {
            const HostTensor y = apply("conv2d", {x, w}, attributes, *kernels);
            const Shape& s = y.shape();
            std::int64_t at = 0;
            for (std::int64_t n = 0; n < s[0]; ++n)
                for (std::int64_t oy = 0; oy < s[1]; ++oy)
                    for (std::int64_t ox = 0; ox < s[2]; ++ox)
                        for (std::int64_t o = 0; o < s[3]; ++o, ++at)
                            ASSERT_NEAR(y.at(at), conv_at(x, w, attributes, n, oy, ox, o),
                                        1e-5 + 1e-6 * std::fabs(y.at(at)));
        }
    }
}

TEST(Conv2d, FilterGradientIsTheSameForAnyNumberOfThreads) {
    const HostTensor x = random_tensor({9, 6, 6, 3}, "x");
    const HostTensor dy = random_tensor({9, 4, 4, 5}, "dy");
    const Attributes a{{"shape", Ints{3, 3, 3, 5}}};
    const HostTensor one = apply("conv2d_filter_gradient", {x, dy}, a, kernels::best_kernels(), 1);
    const HostTensor three = apply("conv2d_filter_gradient", {x, dy}, a, kernels::best_kernels(), 3);
    for (std::int64_t i = 0; i < one.elements(); ++i)
        EXPECT_EQ(one.at(i), three.at(i));
}

TEST(Pooling, GivesTheGradientToTheFirstLargestOfEachWindowAndChannel) {
    HostTensor x =
        random_tensor({2, 5, 6, 35}, "x"); // overlapping windows; whole and part blocks of channels
    for (std::int64_t i = 0; i < x.elements(); ++i)
        x.set(i, std::round(2 * x.at(i))); // many are equal
    const Attributes a{{"window", Ints{3, 2}}, {"strides", Ints{2, 1}}, {"padding", Ints{1, 0, 1, 1}}};
    for (const auto* kernels : kernels::able_kernels()) {
        const HostTensor y = apply("max_pool2d", {x}, a, *kernels);
        const HostTensor dy = random_tensor(y.shape(), "dy");
        const HostTensor dx = apply("max_pool2d_gradient", {x, y, dy}, a, *kernels);
        std::vector<double> wanted(static_cast<std::size_t>(x.elements()));
        const Shape& s = y.shape();
        for (std::int64_t at = 0; at < y.elements(); ++at) {
            const std::int64_t c = at % s[3], ox = at / s[3] % s[2], oy = at / s[3] / s[2] % s[1];
            const std::int64_t image = at / s[3] / s[2] / s[1];
            std::int64_t best = -1;
            for (std::int64_t k = 0; k < 6; ++k) {
                const std::int64_t iy = 2 * oy + k / 2 - 1, ix = ox + k % 2;
                const std::int64_t here = ((image * 5 + iy) * 6 + ix) * 35 + c;
                if (iy >= 0 && iy < 5 && ix < 6 && (best < 0 || x.at(here) > x.at(best)))
                    best = here;
            }
            EXPECT_EQ(y.at(at), x.at(best));
            wanted[static_cast<std::size_t>(best)] += dy.at(at);
        }
        expect_values(dx, wanted, 1e-6);
    }
}

TEST(Pooling, TakesMaximaAndMeansByHand) {
    const auto x = floats({1, 2, 4, 1}, {1, 5, 2, 0, 3, 4, 8, 6});
    const Attributes a{{"window", Ints{2, 2}}, {"strides", Ints{2, 2}}};
    expect_values(apply("max_pool2d", {x}, a), {5, 8});
    expect_values(apply("average_pool2d", {x}, a), {3.25, 4});
    const Attributes padded{{"window", Ints{2, 2}}, {"strides", Ints{2, 2}}, {"padding", Ints{1, 0, 1, 0}}};
    expect_values(apply("average_pool2d", {x}, padded), {3, 1, 3.5, 7}); // padding does not count
}

TEST(Elementwise, BroadcastsAndComputesByHand) {
    expect_values(apply("add", {floats({2, 2}, {1, 2, 3, 4}), floats({2}, {10, 20})}), {11, 22, 13, 24});
    expect_values(apply("multiply", {floats({2, 1}, {2, 3}), floats({1, 3}, {1, 10, 100})}),
                  {2, 20, 200, 3, 30, 300});
    expect_values(apply("sigmoid", {floats({3}, {0, 2, -2})}), {0.5, 0.880797077977882, 0.119202922022118},
                  1e-5);
    expect_values(apply("tanh", {floats({2}, {0.5F, -1})}), {0.46211715726, -0.761594155956}, 1e-5);
    expect_values(apply("gelu", {floats({2}, {1, -1})}), {0.841344746068543, -0.158655253931457}, 1e-5);
    expect_values(apply("elu", {floats({2}, {-1, 2})}), {-0.632120558828558, 2}, 1e-5);
    expect_values(apply("less", {floats({3}, {1, 2, 3}), floats({}, {2})}), {1, 0, 0});
}

// 1e9 is 3 times 333333333 and 1, whatever a float makes of the quotient; an infinite divisor leaves all.
TEST(Elementwise, RemaindersHaveNoErrorOfAQuotient) {
    constexpr float infinite = std::numeric_limits<float>::infinity();
    const auto a = floats({8}, {1e9F, 33554432.0F, 5, -5, -7, 7, -6, 5.5F});
    const auto b = floats({8}, {3, 3, infinite, infinite, 3, -3, 3, -2});
    const auto cut = apply("fmod", {a, b});
    const auto floored = apply("floor_mod", {a, b});
    expect_values(cut, {1, 2, 5, -5, -1, 1, 0, 1.5}, 0);
    EXPECT_EQ(floored.at(3), infinite); // as Python has it
    for (const std::int64_t i : {0, 1, 2})
        EXPECT_EQ(floored.at(i), cut.at(i));
    expect_values(apply("slice", {floored}, {{"begin", Ints{4}}, {"size", Ints{4}}}), {2, -2, 0, -0.5}, 0);
    EXPECT_TRUE(std::isnan(apply("fmod", {floats({1}, {1}), floats({1}, {0})}).at(0)));
}

// As int32 has them: 2^31 is -2^31; 1103515245 times 12345 is 13622895699525, of which 3171 times 2^32 are
// left out; 7^11 is 1977326743.
TEST(Elementwise, WholeNumbersWrapAround) {
    const auto ints = [](std::vector<std::int32_t> values) {
        const auto extent = static_cast<std::int64_t>(values.size());
        return HostTensor::of_ints({extent}, values);
    };
    constexpr std::int32_t most = 2147483647;
    expect_values(apply("add", {ints({most, 1}), ints({1, 2})}), {-2147483648.0, 3});
    expect_values(apply("subtract", {ints({-most, 5}), ints({2, 7})}), {2147483647.0, -2});
    expect_values(apply("multiply", {ints({1103515245}), ints({12345})}),
                  {13622895699525.0 - 3172 * 4294967296.0});
    expect_values(apply("power", {ints({7, 3, -2, 2}), ints({11, 40, 3, 0})}),
                  {1977326743, 689956897, -8, 1});
    expect_values(apply("reduce_sum", {ints({most, most, 3})}), {1});
    expect_values(apply("reduce_prod", {ints({65536, 65536, 5})}), {0});
    expect_values(apply("reduce_mean", {HostTensor::of_ints({49}, std::vector<std::int32_t>(49, 1))}), {1});
}

// 12 is 1100, 10 is 1010; a shift by less than 0 is none, one beyond 31 is by 31.
TEST(Elementwise, BitsOfWholeNumbers) {
    const auto ints = [](std::vector<std::int32_t> values) {
        const auto extent = static_cast<std::int64_t>(values.size());
        return HostTensor::of_ints({extent}, values);
    };
    expect_values(apply("bitwise_and", {ints({12, -1}), ints({10, 7})}), {8, 7});
    expect_values(apply("bitwise_or", {ints({12, -8}), ints({10, 7})}), {14, -1});
    expect_values(apply("bitwise_xor", {ints({12, -1}), ints({10, 7})}), {6, -8});
    expect_values(apply("bitwise_not", {ints({0, -1, 12})}), {-1, 0, -13});
    expect_values(apply("left_shift", {ints({1, 3, -1, 5, 5}), ints({31, 31, 4, -2, 40})}),
                  {-2147483648.0, -2147483648.0, -16, 5, -2147483648.0});
    expect_values(apply("right_shift", {ints({-16, 16, -1, 7}), ints({2, 2, 40, -1})}), {-4, 4, -1, 7});
    graph::Graph graph;
    graph::Builder build(graph, test::registry());
    const auto x = build.feed("x", {graph::DType::Float32, {2}}).value();
    EXPECT_FALSE(build.emit("bitwise_and", {x, x}));
    EXPECT_FALSE(build.emit("bitwise_not", {x}));
}

TEST(Softmax, SumsToOneAndShiftsWithItsInput) {
    expect_values(apply("softmax", {floats({1, 3}, {1, 2, 3})}), {0.0900305731, 0.2447284710, 0.6652409557},
                  1e-5);
    expect_values(apply("softmax", {floats({1, 3}, {1001, 1002, 1003})}),
                  {0.0900305731, 0.2447284710, 0.6652409557}, 1e-5);
}

// log(1 + exp(-1)) is .31326169, however large what is taken off both is.
TEST(Softmax, LogarithmsKeepTheirDigitsFarFromZero) {
    const auto logits = floats({2, 2}, {1e4F, 9999, 1e6F, 999999});
    expect_values(apply("log_softmax", {logits}), {-0.31326169, -1.31326169, -0.31326169, -1.31326169}, 3e-7);
    const Attributes how{{"from_logits", true}};
    expect_values(apply("categorical_crossentropy", {logits, floats({2, 2}, {1, 0, 0, 1})}, how),
                  {0.31326169, 1.31326169}, 3e-7);
    const auto classes = HostTensor::of_ints({2}, std::vector<std::int32_t>{1, 0});
    expect_values(apply("sparse_categorical_crossentropy", {logits, classes}, how), {1.31326169, 0.31326169},
                  3e-7);
}

TEST(CrossEntropy, FollowsKerasByHand) {
    const auto labels = HostTensor::of_ints({2}, std::vector<std::int32_t>{2, 0});
    const auto p = floats({2, 3}, {0.1F, 0.2F, 0.7F, 0, 0.5F, 0.5F});
    // -log 0.7; the zero probability is clipped to 1e-7.
    expect_values(apply("sparse_categorical_crossentropy", {p, labels}), {0.35667494393873, 16.118095651},
                  1e-4);
    const auto logits = floats({1, 3}, {1, 2, 3});
    const auto one_hot = floats({1, 3}, {0, 1, 0});
    expect_values(apply("categorical_crossentropy", {logits, one_hot}, {{"from_logits", true}}),
                  {1.40760596444438}, 1e-5);
    expect_values(apply("categorical_crossentropy", {floats({1, 3}, {1, 1, 2}), one_hot}), {1.38629436111989},
                  1e-5);
}

// Neither -1 nor 3 is one of three classes.
TEST(CrossEntropy, IsNotANumberForAClassThatThereIsNot) {
    const auto labels = HostTensor::of_ints({3}, std::vector<std::int32_t>{3, 1, -1});
    const auto logits = floats({3, 3}, {1, 2, 3, 1, 2, 3, 1, 2, 3});
    for (const bool from_logits : {false, true}) {
        const Attributes how{{"from_logits", from_logits}};
        const auto loss = apply("sparse_categorical_crossentropy", {logits, labels}, how);
        const auto slope =
            apply("sparse_categorical_crossentropy_gradient", {logits, labels, floats({3}, {1, 1, 1})}, how);
        for (std::int64_t row = 0; row < 3; ++row) {
            EXPECT_EQ(std::isnan(loss.at(row)), row != 1);
            for (std::int64_t k = 0; k < 3; ++k)
                EXPECT_EQ(std::isnan(slope.at(3 * row + k)), row != 1);
        }
    }
}

TEST(Reductions, ReduceByHandOverSomeAxes) {
    const auto x = floats({2, 3}, {1, 5, 3, 4, 2, 6});
    expect_values(apply("reduce_sum", {x}, {{"axes", Ints{0}}}), {5, 7, 9});
    expect_values(apply("reduce_mean", {x}, {{"axes", Ints{1}}}), {3, 4});
    expect_values(apply("reduce_max", {x}, {{"axes", Ints{-1}}}), {5, 6});
    expect_values(apply("reduce_prod", {x}), {720});
    expect_values(apply("argmax", {x}, {{"axis", std::int64_t{1}}}), {1, 2});
}

// What is not a number is the largest, as in NumPy's order, and the others are in order beside it.
TEST(Reductions, TheLargestAreInOrderWhereSomeAreNotNumbers) {
    const float none = std::numeric_limits<float>::quiet_NaN();
    const auto x = floats({7}, {4, none, 1, 5, none, 2, 3});
    for (const bool largest : {true, false}) {
        graph::Graph graph;
        graph::Builder build(graph, test::registry());
        const auto fed = build.feed("x", x.type()).value();
        const auto found = build.add("top_k", {fed}, {{"k", std::int64_t{7}}, {"largest", largest}}).value();
        const auto all = test::run(graph, {x});
        expect_values(all[static_cast<std::size_t>(found[1].value)],
                      largest ? std::vector<double>{1, 4, 3, 0, 6, 5, 2}
                              : std::vector<double>{2, 5, 6, 0, 3, 1, 4});
    }
}

TEST(ShapeOperations, MoveElementsByHand) {
    const auto x = floats({2, 3}, {1, 2, 3, 4, 5, 6});
    expect_values(apply("transpose", {x}, {{"permutation", Ints{1, 0}}}), {1, 4, 2, 5, 3, 6});
    expect_values(apply("slice", {x}, {{"begin", Ints{0, 1}}, {"size", Ints{2, 2}}}), {2, 3, 5, 6});
    expect_values(apply("pad", {x}, {{"before", Ints{0, 1}}, {"after", Ints{1, 0}}}),
                  {0, 1, 2, 3, 0, 4, 5, 6, 0, 0, 0, 0});
    expect_values(apply("concatenate", {x, floats({2, 1}, {7, 8})}, {{"axis", std::int64_t{1}}}),
                  {1, 2, 3, 7, 4, 5, 6, 8});
    expect_values(apply("broadcast_to", {floats({2, 1}, {1, 2})}, {{"shape", Ints{2, 2}}}), {1, 1, 2, 2});
}

TEST(Dropout, KeepsTheMeanAndTheMaskOfASampleWhereverItIsComputed) {
    HostTensor ones(graph::TensorType{graph::DType::Float32, {64, 100}});
    for (std::int64_t i = 0; i < ones.elements(); ++i)
        ones.set(i, 1);
    const Attributes a{{"rate", 0.25}, {"salt", std::int64_t{4}}};
    graph::Graph whole;
    graph::Builder build(whole, test::registry());
    const auto y = build.emit("dropout", {build.feed("x", ones.type())}, a).value();
    const auto all = test::run(whole, {ones})[static_cast<std::size_t>(y.value)];
    double sum = 0;
    for (std::int64_t i = 0; i < all.elements(); ++i)
        sum += all.at(i);
    EXPECT_NEAR(sum / 6400, 1.0, 0.05);

    // The second half of the batch alone, told where it stands in the whole.
    HostTensor half(graph::TensorType{graph::DType::Float32, {32, 100}});
    for (std::int64_t i = 0; i < half.elements(); ++i)
        half.set(i, 1);
    graph::Graph part;
    graph::Builder build_part(part, test::registry());
    const auto z = build_part.emit("dropout", {build_part.feed("x", half.type())}, a).value();
    const auto second = test::run(part, {half}, kernels::best_kernels(), 1,
                                  {5, 3, 32, true})[static_cast<std::size_t>(z.value)];
    for (std::int64_t i = 0; i < half.elements(); ++i)
        ASSERT_EQ(second.at(i), all.at(3200 + i));
}

TEST(Dropout, DrawsOnlyInTrainingUnlessItAlwaysDoes) {
    HostTensor ones(graph::TensorType{graph::DType::Float32, {1000}});
    for (std::int64_t i = 0; i < ones.elements(); ++i)
        ones.set(i, 1);
    for (const std::string kind : {"dropout", "gaussian_noise"})
        for (const bool always : {false, true}) {
            const Attributes a{
                {kind == "dropout" ? "rate" : "stddev", 0.5}, {"salt", std::int64_t{4}}, {"always", always}};
            graph::Graph graph;
            graph::Builder build(graph, test::registry());
            const auto y = build.emit(kind, {build.feed("x", ones.type())}, a).value();
            const auto values = test::run(graph, {ones}, kernels::best_kernels(), 1,
                                          {5, 3, 0, false})[static_cast<std::size_t>(y.value)];
            std::int64_t changed = 0;
            for (std::int64_t i = 0; i < values.elements(); ++i)
                changed += values.at(i) != 1 ? 1 : 0;
            EXPECT_EQ(changed, always ? 1000 : 0) << kind;
        }
}

TEST(Updates, FollowTheirFormulasByHand) {
    const auto w = floats({2}, {1, -2});
    const auto g = floats({2}, {0.5F, 1});
    const auto zero = floats({2}, {0, 0});
    expect_values(apply("sgd_update", {w, g}, {{"learning_rate", 0.1}}), {0.95, -2.1});
    expect_values(
        apply("momentum_update", {w, floats({2}, {1, 1}), g}, {{"learning_rate", 0.1}, {"momentum", 0.9}}),
        {1.85, -1.2}, 1e-5);
    expect_values(apply("momentum_update", {w, floats({2}, {1, 1}), g},
                        {{"learning_rate", 0.1}, {"momentum", 0.9}, {"nesterov", true}}),
                  {1 + 0.9 * 0.85 - 0.05, -2 + 0.9 * 0.8 - 0.1}, 1e-5);
    // TF1's accumulator is 0.9 + g, which the rate scales.
    expect_values(apply("accumulated_momentum_update", {w, floats({2}, {1, 1}), g},
                        {{"learning_rate", 0.1}, {"momentum", 0.9}}),
                  {1 - 0.14, -2 - 0.19}, 1e-5);
    expect_values(apply("accumulated_momentum_update", {w, floats({2}, {1, 1}), g},
                        {{"learning_rate", 0.1}, {"momentum", 0.9}, {"nesterov", true}}),
                  {1 - 0.05 - 0.09 * 1.4, -2 - 0.1 - 0.09 * 1.9}, 1e-5);
    // The first step of Adam moves each weight by the learning rate, against its gradient.
    expect_values(apply("adam_update", {w, zero, zero, floats({}, {1}), g}, {{"learning_rate", 0.01}}),
                  {0.99, -2.01}, 1e-5);
    // s = 0.1 g^2, w -= rate g / (sqrt(s) + eps) = rate sqrt(10).
    expect_values(apply("rmsprop_update", {w, zero, g}, {{"learning_rate", 0.01}}),
                  {1 - 0.0316227766, -2 - 0.0316227766}, 1e-5);
}

TEST(FusedElementwise, EqualsTheOperationsOneByOne) {
    const auto x = random_tensor({37, 129}, "x");
    const auto bias = random_tensor({129}, "bias");
    const auto scale = floats({}, {0.75F});
    const std::vector<operators::FusedStep> body{
        {"add", {0, 1}}, {"relu", {3}}, {"multiply", {4, 2}}, {"elu", {5}, 0.5}, {"add", {6, 0}}};
    for (const auto* kernels : kernels::able_kernels()) {
        const auto fused =
            apply("fused_elementwise", {x, bias, scale}, operators::fused_attributes(body), *kernels);
        auto y = apply("add", {x, bias}, {}, *kernels);
        y = apply("relu", {y}, {}, *kernels);
        y = apply("multiply", {y, scale}, {}, *kernels);
        y = apply("elu", {y}, {{"alpha", 0.5}}, *kernels);
        y = apply("add", {y, x}, {}, *kernels);
        for (std::int64_t i = 0; i < y.elements(); ++i)
            ASSERT_FLOAT_EQ(static_cast<float>(fused.at(i)), static_cast<float>(y.at(i)));
    }
}

// 2048 + 1 is 2048 in half precision, and 300 * 300 is infinite, whether the operations are fused or not.
TEST(FusedElementwise, RoundsBetweenItsSteps) {
    const auto half = [](float value) {
        HostTensor tensor({graph::DType::Float16, {5}});
        for (std::int64_t i = 0; i < 5; ++i)
            tensor.set(i, value);
        return tensor;
    };
    const auto sums = operators::fused_attributes({{"add", {0, 1}}, {"subtract", {2, 0}}});
    const auto products = operators::fused_attributes({{"multiply", {0, 0}}, {"multiply", {2, 1}}});
    for (std::int64_t i = 0; i < 5; ++i) {
        EXPECT_EQ(apply("fused_elementwise", {half(2048), half(1)}, sums).at(i), 0);
        EXPECT_TRUE(std::isinf(apply("fused_elementwise", {half(300), half(0.001F)}, products).at(i)));
    }
}

TEST(Activations, HaveKerasAlphaWhereNoneIsGiven) {
    const auto x = floats({1}, {-2});
    for (const auto* kernels : kernels::able_kernels()) {
        EXPECT_FLOAT_EQ(static_cast<float>(apply("leaky_relu", {x}, {}, *kernels).at(0)), -0.6F);
        EXPECT_FLOAT_EQ(static_cast<float>(apply("elu", {x}, {}, *kernels).at(0)), std::expm1(-2.0F));
        EXPECT_FLOAT_EQ(static_cast<float>(apply("leaky_relu_gradient", {x, x}, {}, *kernels).at(0)), -0.6F);
        EXPECT_FLOAT_EQ(static_cast<float>(apply("elu_gradient", {x, x}, {}, *kernels).at(0)),
                        -2 * std::exp(-2.0F));
    }
}

TEST(HalfPrecision, RoundsToNearestEven) {
    EXPECT_EQ(graph::round_to_half(1.0F + 1.0F / 2048), 1.0F); // a tie goes to the even neighbour
    EXPECT_EQ(graph::round_to_half(1.0F + 3.0F / 2048), 1.0F + 2.0F / 1024);
    EXPECT_EQ(graph::round_to_half(65504.0F), 65504.0F); // the largest
    EXPECT_TRUE(std::isinf(graph::round_to_half(65520.0F)));
    EXPECT_EQ(graph::round_to_half(5.9604645e-8F), 5.9604645e-8F); // the smallest subnormal
    EXPECT_EQ(graph::round_to_half(2e-8F), 0.0F);
    for (std::uint32_t bits = 0; bits < 0x7C00; ++bits) // every finite half survives the way there and back
        ASSERT_EQ(graph::half_bits(graph::half_to_float(static_cast<std::uint16_t>(bits))), bits);
}

TEST(Operators, RefuseInputsThatDoNotFitWithTheNumbers) {
    graph::Graph graph;
    graph::Builder build(graph, test::registry());
    const auto a = build.feed("a", {graph::DType::Float32, {2, 3}}).value();
    const auto b = build.feed("b", {graph::DType::Float32, {4, 5}}).value();
    const auto bad = build.add("matmul", {a, b}, {}, "dense/MatMul");
    ASSERT_FALSE(bad.has_value());
    EXPECT_EQ(bad.error().kind, ErrorKind::BadInput);
    EXPECT_EQ(bad.error().place, "dense/MatMul");
    EXPECT_NE(bad.error().message.find("[2, 3]"), std::string::npos);
    EXPECT_NE(bad.error().message.find("[4, 5]"), std::string::npos);
    const auto unknown = build.add("matmull", {a, b});
    ASSERT_FALSE(unknown.has_value());
    EXPECT_NE(unknown.error().remedy.find("matmul"), std::string::npos);
}

TEST(OperatorsDeathTest, AnOperatorThatSaysNoFlopsIsABugThatIsNamed) {
    graph::OperatorRegistry registry = operators::standard_operators();
    graph::Operator op;
    op.name = "unheard_of";
    registry.add(op);
    EXPECT_DEATH(operators::require_flops(registry), "operator unheard_of says no flops");
}

TEST(Operators, AllHaveASummaryAShapeRuleAndNumerics) {
    for (const std::string& name : test::registry().names()) {
        const auto& op = test::registry().at(name);
        EXPECT_FALSE(op.summary.empty()) << name;
        EXPECT_TRUE(op.infer) << name;
        EXPECT_TRUE(op.compute) << name;
    }
}
