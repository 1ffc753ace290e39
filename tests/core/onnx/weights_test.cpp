// SPDX-License-Identifier: GPL-3.0-or-later
#include "onnx/model.h"
#include "operators/operators.h"
#include "tests/onnx_model_maker.h"
#include "tests/temporary_folder.h"

#include <gtest/gtest.h>
#include <map>

namespace tilescope::onnx {
namespace {

using graph::Shape;
using tests::OnnxModelMaker;
using Ints = std::vector<std::int64_t>;

/// The trainable variables of a model, with their shapes.
std::map<std::string, Shape> weights_of(const OnnxModelMaker& maker) {
    const tests::TemporaryFolder folder;
    const graph::OperatorRegistry registry = operators::standard_operators();
    const auto model = load_onnx_model(maker.write(folder / "m.onnx"));
    EXPECT_TRUE(model) << (model ? "" : model.error().line());
    graph::Graph graph;
    graph::Builder build(graph, registry);
    const auto outputs = add_onnx_model(build, *model, "m.onnx", {});
    EXPECT_TRUE(outputs) << (outputs ? "" : outputs.error().line());
    std::map<std::string, Shape> weights;
    for (const graph::Variable& variable : graph.variables)
        if (variable.trainable)
            weights[variable.name] = graph.type(variable.value).shape;
    return weights;
}

/// x [2, 3] and nodes after it, one by one.
class Chain {
  public:
    Chain() { maker_.input("x", {std::int64_t{2}, std::int64_t{3}}); }
    Chain& number(const std::string& name, float value) {
        maker_.floats(name, {}, {value});
        return *this;
    }
    Chain& three(const std::string& name) {
        maker_.floats(name, {3}, {1, 2, 3});
        return *this;
    }
    Chain& node(const std::string& kind, const std::vector<std::string>& more = {}) {
        std::vector<std::string> inputs{last_};
        inputs.insert(inputs.end(), more.begin(), more.end());
        last_ = "t" + std::to_string(++nodes_);
        maker_.node(kind, inputs, {last_});
        return *this;
    }
    OnnxModelMaker& end() {
        maker_.output(last_);
        return maker_;
    }

  private:
    OnnxModelMaker maker_;
    std::string last_ = "x";
    int nodes_ = 0;
};

} // namespace

TEST(OnnxWeights, NumbersInFormulasStayConstant) {
    Chain chain;
    chain.number("low", 0).number("high", 6).number("half", 0.5F).number("exponent", 2.5F);
    chain.number("epsilon", 1e-5F).number("root", 1.4142135F).number("one", 1).number("two", 2);
    chain.node("Clip", {"low", "high"}).node("Mul", {"half"}).node("Pow", {"exponent"});
    chain.node("Add", {"epsilon"}).node("Div", {"root"}).node("Sub", {"one"}).node("Max", {"two"});
    EXPECT_EQ(weights_of(chain.end()), (std::map<std::string, Shape>{}));
}

TEST(OnnxWeights, BiasesScalesAndSlopesAreTrained) {
    Chain chain;
    chain.three("scale").three("bias").number("slope", 0.25F);
    chain.node("Mul", {"scale"}).node("Add", {"bias"}).node("PRelu", {"slope"});
    EXPECT_EQ(weights_of(chain.end()),
              (std::map<std::string, Shape>{{"scale", {3}}, {"bias", {3}}, {"slope", {}}}));
}

TEST(OnnxWeights, TheStatisticsOfWhatIsFedStayConstant) {
    Chain chain;
    chain.three("mean").three("deviation");
    chain.node("Sub", {"mean"}).node("Div", {"deviation"});
    EXPECT_EQ(weights_of(chain.end()), (std::map<std::string, Shape>{}));
}

TEST(OnnxWeights, ANormalisationOfOneChannelIsTrainedAndItsRunningStatisticsAreNot) {
    OnnxModelMaker maker;
    maker.input("x", {std::int64_t{2}, std::int64_t{1}, std::int64_t{4}, std::int64_t{4}});
    for (const char* name : {"scale", "bias", "mean", "variance"})
        maker.floats(name, {1}, {1.0F});
    maker.node("BatchNormalization", {"x", "scale", "bias", "mean", "variance"}, {"y"});
    maker.output("y");
    EXPECT_EQ(weights_of(maker), (std::map<std::string, Shape>{{"scale", {1, 1, 1}}, {"bias", {1, 1, 1}}}));
}

// Files share equal tensors: what is a slope in one place may be a factor in another.
TEST(OnnxWeights, OneTensorCanBeAWeightHereAndAConstantThere) {
    Chain chain;
    chain.number("shared", 0.25F);
    chain.node("Mul", {"shared"}).node("PRelu", {"shared"}).node("Add", {"shared"});
    EXPECT_EQ(weights_of(chain.end()), (std::map<std::string, Shape>{{"shared", {}}}));
}

TEST(OnnxWeights, AWeightThatIsRepeatedForABatchStaysOneWeight) {
    OnnxModelMaker maker;
    maker.input("x", {std::int64_t{4}, std::int64_t{5}, std::int64_t{3}});
    maker.floats("token", {1, 1, 3}, {1, 2, 3});
    maker.integers("shape", {3}, {4, 1, 3});
    maker.node("Expand", {"token", "shape"}, {"tokens"});
    maker.node("Concat", {"tokens", "x"}, {"y"}, {{"axis", std::int64_t{1}}});
    maker.output("y");
    EXPECT_EQ(weights_of(maker), (std::map<std::string, Shape>{{"token", {1, 1, 3}}}));
}

// Kernels that are convolved alike are turned once; a table that one node turns and another does not stays as
// it is, and is turned on the device.
TEST(OnnxWeights, WhatSeveralNodesReadIsOneWeight) {
    OnnxModelMaker convolutions;
    convolutions.input("x", {std::int64_t{1}, std::int64_t{1}, std::int64_t{8}, std::int64_t{8}});
    convolutions.floats("w", {1, 1, 3, 2}, std::vector<float>(6, 0.5F));
    convolutions.node("Conv", {"x", "w"}, {"a"});
    convolutions.node("Conv", {"a", "w"}, {"y"}, {{"strides", Ints{2, 2}}});
    convolutions.output("y");
    EXPECT_EQ(weights_of(convolutions), (std::map<std::string, Shape>{{"w", {3, 2, 1, 1}}}));

    for (const char* const other : {"w", "renamed"}) {
        OnnxModelMaker products;
        products.input("x", {std::int64_t{2}, std::int64_t{4}});
        products.floats("w", {3, 4}, std::vector<float>(12, 0.5F));
        products.node("Identity", {"w"}, {"renamed"});
        products.node("Transpose", {other}, {"t"}, {{"perm", Ints{1, 0}}});
        products.node("MatMul", {"x", "t"}, {"a"});
        products.node("MatMul", {"a", "w"}, {"y"});
        products.output("y");
        EXPECT_EQ(weights_of(products), (std::map<std::string, Shape>{{"w", {3, 4}}}));
    }
}

} // namespace tilescope::onnx
