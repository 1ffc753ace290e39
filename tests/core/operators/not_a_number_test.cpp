// SPDX-License-Identifier: GPL-3.0-or-later
// What is not a number, and what is infinite, goes through operators as in NumPy, in each set of kernels.
#include "tests/core/operators/graph_runner.h"

#include <gtest/gtest.h>
#include <limits>

namespace tilescope::operators {
namespace {

using test::apply;
using test::floats;

constexpr float none = std::numeric_limits<float>::quiet_NaN();
constexpr float infinite = std::numeric_limits<float>::infinity();
constexpr std::int64_t count = 35; // more than a vector has, and no multiple of one

graph::HostTensor all(float value) {
    return floats({count}, std::vector<float>(count, value));
}

/// Whether each element is what a function of one element gives.
void expect_all(const graph::HostTensor& values, double expected, const std::string& what) {
    for (std::int64_t i = 0; i < values.elements(); ++i)
        EXPECT_TRUE(values.at(i) == expected || (std::isnan(values.at(i)) && std::isnan(expected)))
            << what << ", element " << i << " is " << values.at(i);
}

class NotANumber : public testing::TestWithParam<const kernels::KernelTable*> {};

TEST_P(NotANumber, StaysThatInFunctionsOfOne) {
    for (const char* kind : {"relu", "relu6", "sign", "abs", "sqrt", "hard_sigmoid", "elu", "softplus"})
        expect_all(apply(kind, {all(none)}, {}, *GetParam()), none, kind);
    expect_all(apply("relu", {all(-2)}, {}, *GetParam()), 0, "relu of -2");
    expect_all(apply("sign", {all(-2)}, {}, *GetParam()), -1, "sign of -2");
    expect_all(apply("sign", {all(0)}, {}, *GetParam()), 0, "sign of 0");
}

TEST_P(NotANumber, IsTheLargestAndTheSmallestOfTwo) {
    for (const char* kind : {"maximum", "minimum"}) {
        expect_all(apply(kind, {all(none), all(0.5F)}, {}, *GetParam()), none, kind);
        expect_all(apply(kind, {all(0.5F), all(none)}, {}, *GetParam()), none, kind);
        expect_all(apply(kind, {all(none), floats({}, {0.5F})}, {}, *GetParam()), none, kind);
    }
    expect_all(apply("maximum", {all(-infinite), all(2)}, {}, *GetParam()), 2, "maximum");
    expect_all(apply("minimum", {all(infinite), all(2)}, {}, *GetParam()), 2, "minimum");
}

TEST_P(NotANumber, IsTheLargestAndTheSmallestOfMany) {
    const graph::HostTensor x = floats({2, 3}, {1, none, 3, 4, 5, 6});
    for (const char* kind : {"reduce_max", "reduce_min"})
        for (const std::int64_t axis : {0, 1}) {
            const auto y = apply(kind, {x}, {{"axes", graph::Shape{axis}}}, *GetParam());
            EXPECT_TRUE(std::isnan(y.at(axis == 0 ? 1 : 0))) << kind << " along " << axis;
            EXPECT_FALSE(std::isnan(y.at(axis == 0 ? 0 : 1))) << kind << " along " << axis;
        }
}

TEST_P(NotANumber, IsTheLargestOfAWindow) {
    for (const int place : {0, 1, 2, 3}) {
        std::vector<float> values{1, 2, 3, 4};
        values[static_cast<std::size_t>(place)] = none;
        const auto y = apply("max_pool2d", {floats({1, 2, 2, 1}, values)},
                             {{"window", graph::Shape{2, 2}}, {"strides", graph::Shape{2, 2}}}, *GetParam());
        EXPECT_TRUE(std::isnan(y.at(0))) << place;
    }
}

TEST_P(NotANumber, IsNotMadeOfWhatIsInfinite) {
    expect_all(apply("sqrt", {all(infinite)}, {}, *GetParam()), infinite, "sqrt");
    expect_all(apply("sqrt", {all(16)}, {}, *GetParam()), 4, "sqrt");
    expect_all(apply("sqrt", {all(-1)}, {}, *GetParam()), none, "sqrt");
    expect_all(apply("rsqrt", {all(infinite)}, {}, *GetParam()), 0, "rsqrt");
}

INSTANTIATE_TEST_SUITE_P(Kernels, NotANumber, testing::ValuesIn(kernels::able_kernels()),
                         [](const auto& each) { return std::string(each.param->name); });

} // namespace
} // namespace tilescope::operators
