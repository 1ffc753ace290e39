// SPDX-License-Identifier: GPL-3.0-or-later
#include "computed.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

namespace tilescope::onnx {
namespace {

using graph::HostTensor;
using graph::Shape;
using tests::OnnxModelMaker;
using Ints = std::vector<std::int64_t>;

/// The first output of a model for these inputs.
HostTensor computed(const OnnxModelMaker& maker, const std::vector<HostTensor>& inputs,
                    std::vector<std::string>* kinds = nullptr) {
    return computed_outputs(maker, inputs, kinds).front();
}

HostTensor numbered(const Shape& shape) {
    HostTensor tensor(graph::TensorType{graph::DType::Float32, shape});
    for (std::int64_t i = 0; i < tensor.elements(); ++i)
        tensor.set(i, static_cast<double>(i * 37 % 101) / 50.0 - 1.0);
    return tensor;
}

std::vector<OnnxModelMaker::Dimension> dimensions(const Shape& shape) {
    return {shape.begin(), shape.end()};
}

/// One operation on the output of a convolution of [2, 3, 5, 6].
struct AfterConvolution {
    std::string kind;
    std::vector<std::string> more_inputs = {};
    std::map<std::string, OnnxModelMaker::Attribute> attributes = {};
};

/// What a convolution leaves with its channels last gives the same values as a tensor that is fed.
TEST(OnnxValues, DoNotDependOnWhereChannelsAreKept) {
    const Shape shape{2, 3, 5, 6};
    const std::vector<AfterConvolution> cases = {
        {"Relu"},
        {"Add", {"h"}},
        {"Mul", {"channel"}},
        {"Sub", {"one"}},
        {"PRelu", {"channel"}},
        {"Add", {"row"}},
        {"Concat", {"h"}, {{"axis", std::int64_t{1}}}},
        {"Concat", {"h"}, {{"axis", std::int64_t{-1}}}},
        {"GlobalAveragePool"},
        {"ReduceMax", {}, {{"axes", Ints{1, -1}}}},
        {"ReduceMean", {}, {{"axes", Ints{1, 3}}, {"keepdims", std::int64_t{0}}}},
        {"Slice", {"starts", "ends", "axes"}},
        {"Pad", {"pads"}},
        {"Pad", {"pads"}, {{"mode", std::string("reflect")}}},
        {"Upsample9"},
        {"Transpose", {}, {{"perm", Ints{0, 2, 3, 1}}}},
        {"Transpose", {}, {{"perm", Ints{3, 1, 0, 2}}}},
        {"Softmax", {}, {{"axis", std::int64_t{1}}}},
        {"Flatten", {}, {}},
        {"MaxPool", {}, {{"kernel_shape", Ints{2, 3}}}},
        {"InstanceNormalization", {"three", "three"}},
    };
    for (const AfterConvolution& c : cases) {
        const bool resizes = c.kind == "Upsample9";
        const auto model = [&](bool convolves) {
            OnnxModelMaker maker(13);
            maker.input(convolves ? "x" : "h", dimensions(shape));
            maker.floats("channel", {3, 1, 1}, {0.5F, -1.0F, 2.0F});
            maker.floats("three", {3}, {0.5F, -1.0F, 2.0F});
            maker.floats("one", {1}, {0.25F});
            maker.floats("row", {6}, {1, 2, 3, 4, 5, 6});
            maker.floats("scales", {4}, {1, 1, 2, 2});
            maker.integers("starts", {2}, {1, 4});
            maker.integers("ends", {2}, {3, 1});
            maker.integers("axes", {2}, {1, 2});
            maker.integers("pads", {8}, {0, 1, 0, 2, 0, 0, 1, 1});
            maker.floats("none", {0}, {});
            if (c.kind == "Slice")
                maker.integers("steps", {2}, {1, -1});
            if (convolves) {
                maker.floats("eye", {3, 3, 1, 1}, {1, 0, 0, 0, 1, 0, 0, 0, 1});
                maker.node("Conv", {"x", "eye"}, {"h"});
            }
            std::vector<std::string> inputs{"h"};
            inputs.insert(inputs.end(), c.more_inputs.begin(), c.more_inputs.end());
            if (c.kind == "Slice")
                inputs.emplace_back("steps");
            if (resizes)
                maker.node("Resize", {"h", "none", "scales"}, {"y"});
            else
                maker.node(c.kind, inputs, {"y"}, c.attributes);
            maker.output("y");
            return maker;
        };
        const HostTensor direct = computed(model(false), {numbered(shape)});
        const HostTensor after = computed(model(true), {numbered(shape)});
        EXPECT_EQ(after.shape(), direct.shape()) << c.kind;
        const std::vector<double> expected = values_of(direct);
        const std::vector<double> values = values_of(after);
        for (std::size_t i = 0; i < expected.size(); ++i)
            ASSERT_NEAR(values[i], expected[i], 1e-5) << c.kind << " element " << i;
    }
}

/// Mod of two vectors; `fmod` as the attribute.
HostTensor modulus(const HostTensor& a, const HostTensor& b, bool fmod) {
    const bool whole = a.type().dtype == graph::DType::Int32;
    OnnxModelMaker maker;
    maker.input("a", {a.elements()}, whole ? 6 : 1);
    maker.input("b", {b.elements()}, whole ? 6 : 1);
    maker.node("Mod", {"a", "b"}, {"y"}, {{"fmod", std::int64_t{fmod ? 1 : 0}}});
    maker.output("y", whole ? 6 : 1);
    return computed(maker, {a, b});
}

TEST(OnnxValues, OfModHaveTheSignOfTheDivisorOrOfTheDividend) {
    const std::vector<std::int32_t> a{-4, 7, 5, 4, -7, 8, 6, -6, 0, 2147483647};
    const std::vector<std::int32_t> b{2, -3, 8, -2, 3, 5, -3, 4, 7, 1000};
    const Shape shape{static_cast<std::int64_t>(a.size())};
    const HostTensor floored = modulus(HostTensor::of_ints(shape, a), HostTensor::of_ints(shape, b), false);
    const HostTensor cut = modulus(HostTensor::of_ints(shape, a), HostTensor::of_ints(shape, b), true);
    for (std::size_t i = 0; i < a.size(); ++i) {
        const double quotient = static_cast<double>(a[i]) / b[i];
        EXPECT_EQ(floored.ints()[i], a[i] - b[i] * static_cast<std::int32_t>(std::floor(quotient))) << i;
        EXPECT_EQ(cut.ints()[i], a[i] % b[i]) << i;
    }
}

TEST(OnnxValues, OfModOfFloatsAreThoseOfFmod) {
    const std::vector<float> a{-4.3F, 7.2F, 5.0F, 4.3F, -7.2F, 8.0F, 0.3F, 9.0F, 1e6F, 0.0F, 3.3F};
    const std::vector<float> b{2.1F, -3.4F, 8.0F, -2.1F, 3.4F, 5.0F, 0.1F, 0.9F, 7.0F, 2.0F, 1.1F};
    const Shape shape{static_cast<std::int64_t>(a.size())};
    const HostTensor y = modulus(HostTensor::of_floats(shape, a), HostTensor::of_floats(shape, b), true);
    for (std::size_t i = 0; i < a.size(); ++i)
        EXPECT_NEAR(y.floats()[i], std::fmod(a[i], b[i]), 1e-5 * std::fabs(a[i])) << a[i] << " mod " << b[i];
}

TEST(OnnxValues, OfEinsumAreSumsOfProducts) {
    OnnxModelMaker maker;
    maker.input("a", {std::int64_t{2}, std::int64_t{3}});
    maker.input("b", {std::int64_t{3}, std::int64_t{2}, std::int64_t{2}});
    maker.node("Einsum", {"a", "b"}, {"y"}, {{"equation", std::string("ij, jki -> ki")}});
    maker.output("y");
    const HostTensor a = test::floats({2, 3}, {1, 2, 3, 4, 5, 6});
    const HostTensor b = test::floats({3, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
    // y[k, i] = sum over j of a[i, j] b[j, k, i]
    EXPECT_EQ(values_of(computed(maker, {a, b})),
              (std::vector<double>{1 * 1 + 2 * 5 + 3 * 9, 4 * 2 + 5 * 6 + 6 * 10, 1 * 3 + 2 * 7 + 3 * 11,
                                   4 * 4 + 5 * 8 + 6 * 12}));
}

TEST(OnnxValues, OfEinsumAreOfOpenDimensionsToo) {
    OnnxModelMaker maker;
    maker.input("a", {std::int64_t{2}, std::int64_t{1}, std::int64_t{2}});
    maker.input("b", {std::int64_t{2}, std::int64_t{2}});
    maker.node("Einsum", {"a", "b"}, {"y"}, {{"equation", std::string("...j,jk")}});
    maker.output("y");
    // Without an arrow: the open dimensions, then what is there once.
    const HostTensor y =
        computed(maker, {test::floats({2, 1, 2}, {1, 2, 3, 4}), test::floats({2, 2}, {1, 10, 100, 1000})});
    EXPECT_EQ(y.shape(), (Shape{2, 1, 2}));
    EXPECT_EQ(values_of(y), (std::vector<double>{201, 2010, 403, 4030}));
}

TEST(OnnxValues, OfCumSumAreSumsSoFar) {
    OnnxModelMaker maker(11);
    maker.input("x", {std::int64_t{2}, std::int64_t{3}});
    maker.integers("axis", {}, {1});
    maker.node("CumSum", {"x", "axis"}, {"y"},
               {{"exclusive", std::int64_t{1}}, {"reverse", std::int64_t{1}}});
    maker.output("y");
    EXPECT_EQ(values_of(computed(maker, {test::floats({2, 3}, {1, 2, 3, 4, 5, 6})})),
              (std::vector<double>{5, 3, 0, 11, 6, 0}));
}

TEST(OnnxValues, OfCumSumOfWholeNumbersAreExact) {
    OnnxModelMaker maker(11);
    maker.input("x", {std::int64_t{2}, std::int64_t{3}}, 6);
    maker.integers("axis", {}, {1});
    maker.node("CumSum", {"x", "axis"}, {"y"});
    maker.output("y");
    EXPECT_EQ(values_of(computed(maker, {HostTensor::of_ints(
                                            {2, 3}, std::vector<std::int32_t>{100000001, 2, 3, -4, 5, 6})})),
              (std::vector<double>{100000001, 100000003, 100000006, -4, 1, 7}));
}

// onnx 1.5, onnx/backend/test/case/node/resize.py: export_resize_upsample_nearest and _downsample_nearest.
TEST(OnnxValues, OfResizeOfOpset10AreThoseOfItsTests) {
    const auto resized = [](const graph::Shape& shape, const std::vector<float>& values, float scale) {
        OnnxModelMaker maker(10);
        maker.input("x", dimensions(shape));
        maker.floats("scales", {4}, {1, 1, scale, scale});
        maker.node("Resize", {"x", "scales"}, {"y"}, {{"mode", std::string("nearest")}});
        maker.output("y");
        return values_of(computed(maker, {test::floats(shape, values)}));
    };
    EXPECT_EQ(resized({1, 1, 2, 4}, {1, 2, 3, 4, 5, 6, 7, 8}, 0.6F), (std::vector<double>{1, 3}));
    EXPECT_EQ(resized({1, 1, 2, 2}, {1, 2, 3, 4}, 2.0F),
              (std::vector<double>{1, 1, 2, 2, 1, 1, 2, 2, 3, 3, 4, 4, 3, 3, 4, 4}));
}

TEST(OnnxValues, PowersOfKnownExponentsAreSimplerOperations) {
    for (const auto& [exponent, kind] : {std::pair{2.0F, "square"}, std::pair{0.5F, "sqrt"},
                                         std::pair{-1.0F, "reciprocal"}, std::pair{1.5F, "power"}}) {
        OnnxModelMaker maker;
        maker.input("x", {std::int64_t{2}});
        maker.floats("exponent", {}, {exponent});
        maker.node("Pow", {"x", "exponent"}, {"y"});
        maker.output("y");
        std::vector<std::string> kinds;
        const HostTensor y = computed(maker, {test::floats({2}, {4, 9})}, &kinds);
        EXPECT_EQ(kinds, std::vector<std::string>{kind});
        EXPECT_NEAR(y.at(1), std::pow(9.0, static_cast<double>(exponent)), 1e-5);
    }
}

} // namespace
} // namespace tilescope::onnx
