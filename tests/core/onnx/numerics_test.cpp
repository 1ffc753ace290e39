// SPDX-License-Identifier: GPL-3.0-or-later
#include "computed.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

/// What operators make at the ends of their types: infinities, halves, numbers near 0, small whole numbers.
/// Values by hand or of the C++ library's own functions.
namespace tilescope::onnx {
namespace {

using graph::DType;
using graph::HostTensor;
using graph::Shape;
using tests::OnnxModelMaker;
using Ints = std::vector<std::int64_t>;
using Values = std::vector<double>;
using Attributes = std::map<std::string, OnnxModelMaker::Attribute>;

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr int half = 10; ///< TensorProto::DataType
constexpr int int8 = 3, uint8 = 2, int16 = 5, uint16 = 4, int64 = 7, uint32 = 12;
constexpr std::int64_t one = 1;

HostTensor tensor(DType dtype, const Shape& shape, const Values& values) {
    HostTensor result(graph::TensorType{dtype, shape});
    for (std::size_t i = 0; i < values.size(); ++i)
        result.set(static_cast<std::int64_t>(i), values[i]);
    return result;
}

HostTensor halves(const Shape& shape, const Values& values) {
    return tensor(DType::Float16, shape, values);
}
HostTensor reals(const Shape& shape, const Values& values) {
    return tensor(DType::Float32, shape, values);
}
HostTensor ints(const Values& values) {
    return tensor(DType::Int32, {static_cast<std::int64_t>(values.size())}, values);
}

/// A node's inputs, all of which are fed, and of one type where `type` is given.
struct Fed {
    std::string kind;
    std::vector<HostTensor> inputs;
    Attributes attributes = {};
    int type = 0;
    std::int64_t opset = 17;
    Ints axes = {}; ///< a further input, as an initialiser
};

Values of(const Fed& node) {
    OnnxModelMaker maker(node.opset);
    std::vector<std::string> names;
    for (const HostTensor& input : node.inputs) {
        names.push_back("x" + std::to_string(names.size()));
        const int type = input.type().dtype == DType::Float16 ? half
                         : input.type().dtype == DType::Int32 ? 6
                                                              : 1;
        maker.input(names.back(), {input.shape().begin(), input.shape().end()},
                    node.type == 0 ? type : node.type);
    }
    if (!node.axes.empty()) {
        names.emplace_back("axes");
        maker.integers("axes", node.kind == "CumSum" ? Ints{} : Ints{1}, node.axes);
    }
    maker.node(node.kind, names, {"y"}, node.attributes);
    maker.output("y");
    return values_of(computed_outputs(maker, node.inputs)[0]);
}

std::string refusal(const Fed& node) {
    try {
        of(node);
    } catch (const std::runtime_error& error) {
        return error.what();
    }
    return {};
}

void expect_near(const Values& values, const Values& expected, double relative) {
    ASSERT_EQ(values.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i)
        if (std::isfinite(expected[i]))
            EXPECT_NEAR(values[i], expected[i], relative * std::fabs(expected[i])) << "element " << i;
        else
            EXPECT_EQ(values[i], expected[i]) << "element " << i;
}

TEST(OnnxNumerics, AModulusIsExactWhateverItsQuotient) {
    EXPECT_EQ(of({"Mod",
                  {reals({4}, {1e9, 5, -5, 16777216}), reals({4}, {3, infinite, infinite, -3})},
                  {{"fmod", one}}}),
              (Values{1, 5, -5, 1}));
}

TEST(OnnxNumerics, SumsOfExponentialsAreInfiniteWhereTheirTermsAre) {
    EXPECT_EQ(of({"ReduceLogSumExp",
                  {reals({2, 2}, {-infinite, -infinite, infinite, 1})},
                  {{"axes", Ints{1}}, {"keepdims", std::int64_t{0}}}}),
              (Values{-infinite, infinite}));
}

TEST(OnnxNumerics, SumsSoFarKnowNothingOfWhatComesLater) {
    const HostTensor x = reals({5}, {1, 2, infinite, 3, 4});
    EXPECT_EQ(of({"CumSum", {x}, {}, 0, 14, {0}}), (Values{1, 3, infinite, infinite, infinite}));
    EXPECT_EQ(of({"CumSum", {x}, {{"reverse", one}}, 0, 14, {0}}),
              (Values{infinite, infinite, infinite, 7, 4}));
    EXPECT_EQ(of({"CumSum", {x}, {{"exclusive", one}}, 0, 14, {0}}), (Values{0, 1, 3, infinite, infinite}));
    EXPECT_EQ(of({"CumSum", {reals({1}, {infinite})}, {{"exclusive", one}}, 0, 14, {0}}), (Values{0}));
}

// Of 1 to 5 in pairs the last has 5 alone; what ceil_mode adds behind the padding is counted by none.
TEST(OnnxNumerics, AveragesDoNotCountWhatCeilModeAdds) {
    const Attributes pairs{
        {"kernel_shape", Ints{2}}, {"strides", Ints{2}}, {"ceil_mode", one}, {"count_include_pad", one}};
    EXPECT_EQ(of({"AveragePool", {reals({1, 1, 5}, {1, 2, 3, 4, 5})}, pairs}), (Values{1.5, 3.5, 5}));
    const Attributes padded{{"kernel_shape", Ints{2, 2}},
                            {"strides", Ints{2, 2}},
                            {"pads", Ints{1, 0, 0, 1}},
                            {"ceil_mode", one},
                            {"count_include_pad", one}};
    // A row of padding and 1 2, which count four; then 3 4 and a row that is not there.
    EXPECT_EQ(of({"AveragePool", {reals({1, 1, 2, 2}, {1, 2, 3, 4})}, padded}), (Values{0.75, 3.5}));
}

// In halves the squares of 300 and 1000 are infinite.
TEST(OnnxNumerics, StatisticsOfHalvesAreThoseOfFloats) {
    const Values x{1000, -1000, 500, -500};
    const double deviation = std::sqrt((2 * 1e6 + 2 * 2.5e5) / 4);
    Values normal;
    for (const double value : x)
        normal.push_back(value / deviation);
    expect_near(of({"LayerNormalization", {halves({1, 4}, x), halves({4}, {1, 1, 1, 1})}}), normal, 1e-3);
    expect_near(of({"InstanceNormalization", {halves({1, 1, 4}, x), halves({1}, {1}), halves({1}, {0})}}),
                normal, 1e-3);
    expect_near(of({"GroupNormalization",
                    {halves({1, 4}, x), halves({1}, {2}), halves({1}, {0})},
                    {{"num_groups", one}},
                    0,
                    18}),
                {2 * normal[0], 2 * normal[1], 2 * normal[2], 2 * normal[3]}, 1e-3);
    const Attributes all{{"axes", Ints{0}}, {"keepdims", std::int64_t{0}}};
    expect_near(of({"ReduceL2", {halves({2}, {300, 400})}, all}), {500}, 1e-3);
    expect_near(of({"ReduceLogSum", {halves({2}, {60000, 60000})}, all}), {std::log(120000.0)}, 1e-3);
    expect_near(of({"LpNormalization", {halves({2}, {300, 400})}}), {0.6, 0.8}, 1e-3);
    expect_near(of({"MeanVarianceNormalization", {halves({1, 1, 4}, x)}, {{"axes", Ints{2}}}}), normal, 1e-3);
}

TEST(OnnxNumerics, HyperbolicFunctionsKeepTheirDigitsNearZeroAndFarOut) {
    const auto compare = [](const char* kind, double (*function)(double), const Values& at) {
        Values expected;
        Values rounded;
        for (const double x : at) {
            rounded.push_back(static_cast<double>(static_cast<float>(x)));
            expected.push_back(function(rounded.back()));
        }
        SCOPED_TRACE(kind);
        expect_near(of({kind, {reals({static_cast<std::int64_t>(at.size())}, rounded)}}), expected, 2e-6);
    };
    compare("Sinh", std::sinh, {1e-8, -1e-5, 1e-3, 0.01, 0.9, -1.1, 10, -89, 0, infinite});
    compare("Cosh", std::cosh, {0, 1e-3, -1, 20, -89, infinite});
    compare("Asinh", std::asinh, {1e-8, -1e-5, 1e-3, 0.01, 1, -20, 9999, 10001, -3e19, 3e38, 0, infinite});
    compare("Acosh", std::acosh, {1, 1.0001, 1.5, 9999, 10001, 1e20, 3e38, infinite});
    compare("Atanh", std::atanh, {1e-8, -1e-5, 1e-3, 0.01, -0.5, 0.999, 0, 1, -1});
    for (const double x : {0.5, -3.0, -1e6})
        EXPECT_TRUE(std::isnan(of({"Acosh", {reals({1}, {x})}})[0])) << x;
    EXPECT_TRUE(std::isnan(of({"Atanh", {reals({1}, {1.5})}})[0]));
    expect_near(of({"Asinh", {halves({2}, {60000, 1e-3})}}), {std::asinh(60000.0), 1e-3}, 1e-3);
}

// The pixels of the corners of 64 rows of 64: in halves 63 * 64 + 63 = 4095 is 4096, of which there is none.
TEST(OnnxNumerics, PixelsAreCountedInWholeNumbers) {
    Values image(4096);
    for (std::size_t row = 0; row < 64; ++row)
        for (std::size_t x = 0; x < 64; ++x)
            image[64 * row + x] = x == 63 ? static_cast<double>(row) : -1;
    EXPECT_EQ(of({"GridSample",
                  {halves({1, 1, 64, 64}, image), halves({1, 1, 3, 2}, {1, 1, 1, 0.96875, 1, -1})},
                  {{"mode", std::string("nearest")}, {"align_corners", one}}}),
              (Values{63, 62, 0}));
}

TEST(OnnxNumerics, AThresholdLeavesNothingOfAnInfinity) {
    EXPECT_EQ(of({"ThresholdedRelu", {reals({3}, {-infinite, 2, infinite})}}), (Values{0, 2, infinite}));
}

TEST(OnnxNumerics, SmallWholeNumbersWrapAround) {
    const auto added = [](int type, const Values& a, const Values& b) {
        return of({"Add", {ints(a), ints(b)}, {}, type});
    };
    EXPECT_EQ(added(uint8, {200, 3}, {100, 4}), (Values{44, 7}));
    EXPECT_EQ(added(uint16, {65535}, {2}), (Values{1}));
    EXPECT_EQ(added(int16, {32767, -5}, {1, 2}), (Values{-32768, -3}));
    EXPECT_EQ(of({"Mul", {ints({12, -12}), ints({12, 3})}, {}, int8}), (Values{-112, -36}));
    EXPECT_EQ(of({"Sub", {ints({10}), ints({20})}, {}, uint8}), (Values{246}));
    EXPECT_EQ(of({"Neg", {ints({-128, 5})}, {}, int8}), (Values{-128, -5}));
    EXPECT_EQ(added(int64, {200}, {100}), (Values{300}));
    EXPECT_NE(refusal({"Add", {ints({1}), ints({1})}, {}, uint32}).find("computes with uint32"),
              std::string::npos);
}

TEST(OnnxNumerics, TypesGoOnFromNodeToNode) {
    OnnxModelMaker maker;
    maker.input("x", {one}, uint8);
    maker.node("Identity", {"x"}, {"same"});
    maker.node("Reshape", {"same", "shape"}, {"column"});
    maker.integers("shape", {2}, {1, 1});
    maker.node("Mul", {"column", "column"}, {"square"});
    maker.node("Cast", {"square"}, {"wide"}, {{"to", std::int64_t{int64}}});
    maker.node("Mul", {"wide", "wide"}, {"y"});
    maker.output("y", int64);
    EXPECT_EQ(values_of(computed_outputs(maker, {ints({20})})[0]), (Values{144 * 144})); // 400 - 256, squared
}

TEST(OnnxNumerics, KnownWholeNumbersBeyondInt32AreRefused) {
    const auto of_known = [](const std::string& kind, const Ints& values, bool twice) {
        OnnxModelMaker maker;
        maker.integers("a", {static_cast<std::int64_t>(values.size())}, values);
        maker.node(kind, twice ? std::vector<std::string>{"a", "a"} : std::vector<std::string>{"a"}, {"y"});
        maker.output("y", int64);
        return values_of(computed_outputs(maker, {})[0]);
    };
    EXPECT_EQ(of_known("Mul", {46340, -46340}, true), (Values{2147395600, 2147395600}));
    EXPECT_EQ(of_known("ReduceSum", {1 << 30, (1 << 30) - 1}, false), (Values{2147483647}));
    for (const auto& [kind, values, twice] :
         {std::tuple{"Mul", Ints{100000}, true}, std::tuple{"Add", Ints{1 << 30}, true},
          std::tuple{"ReduceSum", Ints{1 << 30, 1 << 30}, false},
          std::tuple{"ReduceProd", Ints{65536, 65536}, false}})
        try {
            of_known(kind, values, twice);
            ADD_FAILURE() << kind;
        } catch (const std::runtime_error& error) {
            EXPECT_NE(std::string(error.what()).find("int32 does not hold"), std::string::npos)
                << error.what();
        }
}

TEST(OnnxNumerics, SmallTypesAreCastToNeitherWay) {
    OnnxModelMaker maker(15);
    maker.input("x", {one}, 6);
    maker.input("like", {one}, int8);
    maker.node("CastLike", {"x", "like"}, {"y"});
    maker.output("y", int8);
    try {
        computed_outputs(maker, {ints({300}), ints({1})});
        ADD_FAILURE();
    } catch (const std::runtime_error& error) {
        EXPECT_NE(std::string(error.what()).find("casts to int8"), std::string::npos) << error.what();
    }
}

// The input is spread by 1; a kernel of two taps 3 apart reaches 3 elements further, and 2 lie behind it.
TEST(OnnxNumerics, AnOutputMayBePaddedByLessThanADilation) {
    const Attributes attributes{{"strides", Ints{1}}, {"dilations", Ints{3}}, {"output_padding", Ints{2}}};
    const HostTensor x = reals({1, 1, 2}, {1, 2});
    const HostTensor w = reals({1, 1, 2}, {10, 100});
    EXPECT_EQ(of({"ConvTranspose", {x, w, reals({1}, {5})}, attributes}),
              (Values{15, 25, 5, 105, 205, 5, 5}));
    Attributes cut = attributes;
    cut.emplace("pads", Ints{1, 1});
    EXPECT_EQ(of({"ConvTranspose", {x, w}, cut}), (Values{20, 0, 100, 200, 0}));
}

// Tanh has no alpha, whatever a file says; another alpha of Elu than 1 is not there.
TEST(OnnxNumerics, AttributesThatNothingReadsAreRefused) {
    Attributes attributes{{"hidden_size", one}, {"activation_alpha", std::vector<float>{0.5F}}};
    const std::vector<HostTensor> inputs(3, reals({1, 1, 1}, {1}));
    EXPECT_EQ(refusal({"RNN", inputs, attributes}), "");
    attributes.emplace("activations", std::vector<std::string>{"Elu"});
    EXPECT_NE(refusal({"RNN", inputs, attributes}).find("attribute \"activation_alpha\" is not supported"),
              std::string::npos);
    EXPECT_EQ(
        refusal({"MaxPool", {reals({1, 1, 2}, {1, 2})}, {{"kernel_shape", Ints{1}}, {"storage_order", one}}}),
        "");
}

} // namespace
} // namespace tilescope::onnx
