// SPDX-License-Identifier: GPL-3.0-or-later
#include "computed.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

/// What opsets 18 to 21 have changed, which the installed libonnx does not know. Values by hand, from the
/// operators' definitions.
namespace tilescope::onnx {
namespace {

using graph::HostTensor;
using graph::Shape;
using tests::OnnxModelMaker;
using Ints = std::vector<std::int64_t>;
using Values = std::vector<double>;

struct Node {
    std::string kind;
    std::vector<std::string> inputs;
    std::map<std::string, OnnxModelMaker::Attribute> attributes = {};
    std::vector<std::string> outputs = {"y"};
};

/// A model of one node on x of this shape; `more` adds initialisers.
template<class More>
OnnxModelMaker model_of(std::int64_t opset, const Shape& shape, const Node& node, More more) {
    OnnxModelMaker maker(opset);
    maker.input("x", {shape.begin(), shape.end()});
    more(maker);
    maker.node(node.kind, node.inputs, node.outputs, node.attributes);
    for (const std::string& output : node.outputs)
        maker.output(output);
    return maker;
}

std::vector<HostTensor> outputs_of(const OnnxModelMaker& maker, const HostTensor& x) {
    return computed_outputs(maker, {x});
}

std::string refusal(const OnnxModelMaker& maker, const HostTensor& x) {
    try {
        outputs_of(maker, x);
    } catch (const std::runtime_error& error) {
        return error.what();
    }
    return {};
}

const auto nothing_more = [](OnnxModelMaker&) {};
const HostTensor five = test::floats({5}, {1, 2, 3, 4, 5});

TEST(NewerOpsets, TheLastPartOfASplitMayBeSmaller) {
    const Node split{"Split", {"x"}, {{"num_outputs", std::int64_t{2}}}, {"a", "b"}};
    const auto parts = outputs_of(model_of(18, {5}, split, nothing_more), five);
    EXPECT_EQ(values_of(parts[0]), (Values{1, 2, 3}));
    EXPECT_EQ(values_of(parts[1]), (Values{4, 5}));
    const Node many{"Split", {"x"}, {{"num_outputs", std::int64_t{4}}}, {"a", "b", "c", "d"}};
    EXPECT_NE(refusal(model_of(18, {5}, many, nothing_more), five).find("5 elements are not cut into 4"),
              std::string::npos);
}

TEST(NewerOpsets, AxesOfPaddingsAndReductionsAreInputs) {
    const HostTensor x = test::floats({2, 3}, {1, 2, 3, 4, 5, 6});
    const auto pad =
        outputs_of(model_of(19, {2, 3}, {"Pad", {"x", "pads", "", "axes"}, {{"mode", std::string("wrap")}}},
                            [](OnnxModelMaker& m) {
                                m.integers("pads", {2}, {1, 2});
                                m.integers("axes", {1}, {-1});
                            }),
                   x);
    EXPECT_EQ(pad[0].shape(), (Shape{2, 6}));
    EXPECT_EQ(values_of(pad[0]), (Values{3, 1, 2, 3, 1, 2, 6, 4, 5, 6, 4, 5}));
    const auto highest =
        outputs_of(model_of(18, {2, 3}, {"ReduceMax", {"x", "axes"}, {{"keepdims", std::int64_t{0}}}},
                            [](OnnxModelMaker& m) { m.integers("axes", {1}, {0}); }),
                   x);
    EXPECT_EQ(values_of(highest[0]), (Values{4, 5, 6}));
}

TEST(NewerOpsets, WindowsOfAveragesAreDilated) {
    const auto average = [](const Shape& shape, std::map<std::string, OnnxModelMaker::Attribute> attributes) {
        attributes.emplace("dilations", Ints(shape.size() - 2, 2));
        attributes.emplace("kernel_shape", Ints(shape.size() - 2, 2));
        HostTensor x(graph::TensorType{graph::DType::Float32, shape});
        for (std::int64_t i = 0; i < x.elements(); ++i)
            x.set(i, static_cast<double>(i + 1));
        return values_of(
            outputs_of(model_of(19, shape, {"AveragePool", {"x"}, attributes}, [](auto&) {}), x).at(0));
    };
    // Of 1 to 16, each window has its corners: (1 + 3 + 9 + 11) / 4 and so on.
    EXPECT_EQ(average({1, 1, 4, 4}, {}), (Values{6, 7, 10, 11}));
    // Of 1 2 3 4, padded with one number on either side: what is outside counts or does not.
    EXPECT_EQ(average({1, 1, 4}, {{"pads", Ints{1, 1}}}), (Values{2, 2, 3, 3}));
    EXPECT_EQ(average({1, 1, 4}, {{"pads", Ints{1, 1}}, {"count_include_pad", std::int64_t{1}}}),
              (Values{1, 2, 3, 1.5}));
}

TEST(NewerOpsets, CentresAreCutAndPadded) {
    const HostTensor x = test::floats({2, 5}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
    const auto y = outputs_of(model_of(18, {2, 5}, {"CenterCropPad", {"x", "shape"}},
                                       [](OnnxModelMaker& m) {
                                           m.integers("shape", {2}, {3, 2});
                                       }),
                              x);
    EXPECT_EQ(y[0].shape(), (Shape{3, 2}));
    EXPECT_EQ(values_of(y[0]), (Values{2, 3, 7, 8, 0, 0}));
}

TEST(NewerOpsets, GeluIsExactOrApproximated) {
    const HostTensor x = test::floats({3}, {-1, 0.5F, 2});
    const Values exact = values_of(outputs_of(model_of(20, {3}, {"Gelu", {"x"}}, nothing_more), x)[0]);
    const Values near = values_of(outputs_of(
        model_of(20, {3}, {"Gelu", {"x"}, {{"approximate", std::string("tanh")}}}, nothing_more), x)[0]);
    for (std::size_t i = 0; i < 3; ++i) {
        const double at = x.at(static_cast<std::int64_t>(i));
        EXPECT_NEAR(exact[i], at / 2 * (1 + std::erf(at / std::sqrt(2.0))), 1e-6);
        EXPECT_NEAR(near[i], at / 2 * (1 + std::tanh(std::sqrt(2 / M_PI) * (at + 0.044715 * at * at * at))),
                    1e-6);
    }
}

// Two groups of two channels: means 2 and 6, variances 1 and 4, with epsilon 0.
TEST(NewerOpsets, GroupsAreScaledByGroupThenByChannel) {
    const HostTensor x = test::floats({1, 4, 1}, {1, 3, 4, 8});
    const auto of_groups = [](OnnxModelMaker& m) {
        m.floats("scale", {2}, {10, 100});
        m.floats("shift", {2}, {0, 1});
    };
    const auto of_channels = [](OnnxModelMaker& m) {
        m.floats("scale", {4}, {1, 2, 3, 4});
        m.floats("shift", {4}, {0, 0, 0, 1});
    };
    const Node node{"GroupNormalization", {"x", "scale", "shift"}, {{"num_groups", std::int64_t{2}}}};
    const Values old = values_of(outputs_of(model_of(18, {1, 4, 1}, node, of_groups), x)[0]);
    const Values now = values_of(outputs_of(model_of(21, {1, 4, 1}, node, of_channels), x)[0]);
    const Values old_wanted{-10, 10, -99, 101};
    const Values wanted{-1, 2, -3, 5};
    for (std::size_t i = 0; i < 4; ++i) { // as far as epsilon, 1e-5, moves them
        EXPECT_NEAR(old[i], old_wanted[i], 1e-3);
        EXPECT_NEAR(now[i], wanted[i], 1e-4);
    }
}

// Halved, each element looks at four with the weights 1, 3, 3, 1 of a triangle twice as wide.
TEST(NewerOpsets, ResizeWidensItsFilterAndTakesAxes) {
    const HostTensor x = test::floats({2, 4}, {8, 16, 24, 48, 0, 0, 8, 0});
    Node node{"Resize",
              {"x", "", "", "sizes"},
              {{"mode", std::string("linear")}, {"antialias", std::int64_t{1}}, {"axes", Ints{1}}}};
    const auto to_two = [](OnnxModelMaker& m) { m.integers("sizes", {1}, {2}); };
    // Beyond the edge its element counts again: (1 + 3) 8 + 3 16 + 24 over 8.
    EXPECT_EQ(values_of(outputs_of(model_of(18, {2, 4}, node, to_two), x)[0]), (Values{13, 35, 1, 3}));
    node.attributes = {{"keep_aspect_ratio_policy", std::string("not_larger")}};
    node.inputs = {"x", "", "", "both"};
    const auto kept = outputs_of(model_of(18, {2, 4}, node,
                                          [](OnnxModelMaker& m) {
                                              m.integers("both", {2}, {1, 4});
                                          }),
                                 x);
    EXPECT_EQ(kept[0].shape(), (Shape{1, 2})) << "half of each, though 4 columns would have room";
}

TEST(NewerOpsets, ReductionsOfNothingAreTheirNeutralElements) {
    const auto reduced = [](const char* kind) {
        OnnxModelMaker maker(20);
        maker.input("x", {std::int64_t{2}});
        maker.floats("none", {2, 0}, {});
        maker.integers("axes", {1}, {1});
        maker.node(kind, {"none", "axes"}, {"r"}, {{"keepdims", std::int64_t{0}}});
        maker.node("Add", {"x", "r"}, {"y"});
        maker.output("y");
        return values_of(outputs_of(maker, test::floats({2}, {1, 2}))[0]);
    };
    EXPECT_EQ(reduced("ReduceSum"), (Values{1, 2}));
    EXPECT_EQ(reduced("ReduceL2"), (Values{1, 2}));
    EXPECT_EQ(reduced("ReduceProd"), (Values{2, 3}));
    EXPECT_EQ(reduced("ReduceMax"), (Values{-INFINITY, -INFINITY}));
    EXPECT_EQ(reduced("ReduceMin"), (Values{INFINITY, INFINITY}));
    EXPECT_EQ(reduced("ReduceLogSumExp"), (Values{-INFINITY, -INFINITY}));
}

TEST(NewerOpsets, ImagesAreReadAtPoints) {
    // [[1, 2], [3, 4]] at one point (x, y).
    const auto sampled = [](float x, float y,
                            const std::map<std::string, OnnxModelMaker::Attribute>& attributes) {
        const auto more = [&](OnnxModelMaker& m) { m.floats("grid", {1, 1, 1, 2}, {x, y}); };
        return values_of(
                   outputs_of(model_of(20, {1, 1, 2, 2}, {"GridSample", {"x", "grid"}, attributes}, more),
                              test::floats({1, 1, 2, 2}, {1, 2, 3, 4}))
                       .at(0))
            .at(0);
    };
    const auto padding = [](const char* mode) {
        return std::map<std::string, OnnxModelMaker::Attribute>{{"padding_mode", std::string(mode)}};
    };
    EXPECT_EQ(sampled(0, 0, {}), 2.5);
    EXPECT_EQ(sampled(-0.5F, 0.5F, {}), 3);                              // the middle of a pixel
    EXPECT_EQ(sampled(-1, -1, {}), 0.25);                                // a corner: 3 / 4 are outside
    EXPECT_EQ(sampled(-1, -1, {{"align_corners", std::int64_t{1}}}), 1); // the middle of the first pixel
    EXPECT_EQ(sampled(-3, 0.5F, padding("border")), 3);
    EXPECT_EQ(sampled(-2, -0.5F, padding("reflection")), 1.5); // 1.5 beyond the edge is 1.5 within it, at 1
    EXPECT_EQ(sampled(0.4F, -0.9F, {{"mode", std::string("nearest")}}), 2);
    const auto grid = outputs_of(model_of(20, {1, 2, 3}, {"AffineGrid", {"x", "size"}},
                                          [](OnnxModelMaker& m) {
                                              m.integers("size", {4}, {1, 1, 1, 2});
                                          }),
                                 test::floats({1, 2, 3}, {1, 0, 0, 0, 1, 5}));
    EXPECT_EQ(grid[0].shape(), (Shape{1, 1, 2, 2}));
    EXPECT_EQ(values_of(grid[0]), (Values{-0.5, 5, 0.5, 5}));
    // Of too few dimensions, of points of one coordinate, for another batch.
    for (const std::vector<std::int64_t>& shape :
         {std::vector<std::int64_t>{1, 2}, {1, 1, 1, 1}, {2, 1, 1, 2}}) {
        const auto more = [&](OnnxModelMaker& m) {
            m.floats("grid", shape,
                     std::vector<float>(static_cast<std::size_t>(graph::element_count(shape))));
        };
        EXPECT_NE(refusal(model_of(20, {1, 1, 2, 2}, {"GridSample", {"x", "grid"}, {}}, more),
                          test::floats({1, 1, 2, 2}, {1, 2, 3, 4}))
                      .find("use points (x, y) for each image"),
                  std::string::npos);
    }
}

TEST(NewerOpsets, NumbersAreAskedAndShrunkAndWindowed) {
    const double infinity = std::numeric_limits<double>::infinity();
    const auto of = [](const Node& node, const std::vector<float>& x) {
        const Shape shape{static_cast<std::int64_t>(x.size())};
        return values_of(outputs_of(model_of(20, shape, node, nothing_more), test::floats(shape, x)).at(0));
    };
    const std::vector<float> odd{1, -static_cast<float>(infinity), static_cast<float>(infinity),
                                 static_cast<float>(std::nan(""))};
    EXPECT_EQ(of({"IsNaN", {"x"}}, odd), (Values{0, 0, 0, 1}));
    EXPECT_EQ(of({"IsInf", {"x"}}, odd), (Values{0, 1, 1, 0}));
    EXPECT_EQ(of({"IsInf", {"x"}, {{"detect_negative", std::int64_t{0}}}}, odd), (Values{0, 0, 1, 0}));
    EXPECT_EQ(of({"Shrink", {"x"}}, {-2, -0.5F, 0.25F, 1}), (Values{-2, 0, 0, 1}));
    // sinh, cosh and tanh of log 2 are 3 / 4, 5 / 4 and 3 / 5.
    EXPECT_NEAR(of({"Asinh", {"x"}}, {-0.75F})[0], -std::log(2), 1e-6);
    EXPECT_NEAR(of({"Acosh", {"x"}}, {1.25F})[0], std::log(2), 1e-6);
    EXPECT_NEAR(of({"Atanh", {"x"}}, {0.6F})[0], std::log(2), 1e-6);
    const auto window = [](const Node& node) {
        return values_of(
            outputs_of(model_of(17, {1}, node, [](OnnxModelMaker& m) { m.integers("n", {}, {4}); }),
                       test::floats({1}, {0}))
                .at(0));
    };
    EXPECT_EQ(window({"HannWindow", {"n"}}), (Values{0, 0.5, 1, 0.5}));
    EXPECT_NEAR(window({"HannWindow", {"n"}, {{"periodic", std::int64_t{0}}}})[1], 0.75, 1e-6);
    EXPECT_NEAR(window({"HammingWindow", {"n"}})[0], 4.0 / 46, 1e-6);
    EXPECT_NEAR(window({"BlackmanWindow", {"n"}})[1], 0.34, 1e-6);
}

TEST(NewerOpsets, SequencesAreReversedAndWindowsHaveNorms) {
    const auto reversed =
        outputs_of(model_of(20, {2, 3},
                            {"ReverseSequence",
                             {"x", "lengths"},
                             {{"batch_axis", std::int64_t{0}}, {"time_axis", std::int64_t{1}}}},
                            [](OnnxModelMaker& m) {
                                m.integers("lengths", {2}, {2, 3});
                            }),
                   test::floats({2, 3}, {1, 2, 3, 4, 5, 6}));
    EXPECT_EQ(values_of(reversed[0]), (Values{2, 1, 3, 6, 5, 4}));
    const auto norms = outputs_of(
        model_of(18, {1, 1, 4}, {"LpPool", {"x"}, {{"kernel_shape", Ints{2}}, {"strides", Ints{2}}}},
                 nothing_more),
        test::floats({1, 1, 4}, {3, -4, 5, 12}));
    EXPECT_EQ(values_of(norms[0]), (Values{5, 13}));
    const auto eye =
        outputs_of(model_of(9, {2, 3}, {"EyeLike", {"x"}, {{"k", std::int64_t{1}}}}, nothing_more),
                   test::floats({2, 3}, {0, 0, 0, 0, 0, 0}));
    EXPECT_EQ(values_of(eye[0]), (Values{0, 1, 0, 0, 0, 1}));
}

TEST(NewerOpsets, WhatIsNotThereIsNamed) {
    const auto refused = [](const Node& node) {
        return refusal(model_of(21, {5}, node, nothing_more), five);
    };
    EXPECT_NE(
        refused({"Relu", {"x"}, {{"leak", std::int64_t{1}}}}).find("attribute \"leak\" is not supported"),
        std::string::npos);
    EXPECT_NE(refused({"RoiAlign", {"x", "x", "x"}}).find("operator \"RoiAlign\" is not supported"),
              std::string::npos);
    EXPECT_NE(refused({"Cast", {"x"}, {{"to", std::int64_t{17}}}}).find("casts to float8e4m3fn"),
              std::string::npos);
}

} // namespace
} // namespace tilescope::onnx
