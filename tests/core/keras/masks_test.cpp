// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/keras/layer_fixture.h"

#include <cmath>

/// Masks on their way through a model, several outputs and what is trained of them, against values worked out
/// by hand.
namespace tilescope::keras {
namespace {

using KerasMasks = KerasLayerTest;
using KerasOutputs = KerasLayerTest;

const Json keras3_policy = {
    {"module", "keras"}, {"class_name", "DTypePolicy"}, {"config", {{"name", "float32"}}}};

HostTensor floats(const Shape& shape, const std::vector<float>& values) {
    return HostTensor::of_floats(shape, values);
}

TEST_F(KerasMasks, AnEmbeddingMasksZeros) {
    // Rows 10 20, 1 2, 3 4; ids 1 0 2: the mean of the rows 1 2 and 3 4.
    const std::vector<Json> layers{
        layer("Embedding", {{"input_dim", 3}, {"output_dim", 2}, {"mask_zero", true}}),
        layer("Dropout", {{"rate", 0.5}}), layer("GlobalAveragePooling1D", {})};
    expect_output(output({1, 3}, layers, {1, 0, 2}, {10, 20, 1, 2, 3, 4}), {1, 2}, {2, 3});
    // Reshape has no mask to pass on: all three rows count.
    const std::vector<Json> ended{layers[0], layer("Reshape", {{"target_shape", {3, 2}}}), layers[2]};
    expect_output(output({1, 3}, ended, {1, 0, 2}, {10, 20, 1, 2, 3, 4}), {1, 2}, {14.0 / 3, 26.0 / 3});
}

TEST_F(KerasMasks, MaskingHidesStepsOfOneValue) {
    // Steps 5 7, -1 -1, -1 3: the second is all -1.
    const std::vector<float> x{5, 7, -1, -1, -1, 3};
    const Json masking = layer("Masking", {{"mask_value", -1.0}});
    expect_output(output({1, 3, 2}, {masking}, x), {1, 3, 2}, {5, 7, 0, 0, -1, 3});
    expect_output(output({1, 3, 2}, {masking, layer("GlobalAveragePooling1D", {})}, x), {1, 2}, {2, 5});
}

/// Two masked inputs merged, and the mean of the steps that count.
std::vector<Json> merged(const Json& dtype, const std::string& kind, const Json& config = Json::object()) {
    Json settings = config;
    settings["dtype"] = dtype;
    return {input_node("a", {nullptr, 3, 1}),
            input_node("b", {nullptr, 3, 1}),
            node("Masking", "mask_a", {}, {{of("a")}}),
            node("Masking", "mask_b", {}, {{of("b")}}),
            node(kind, "both", settings, {{of("mask_a"), of("mask_b")}}),
            node("GlobalAveragePooling1D", "mean", {}, {{of("both")}})};
}

TEST_F(KerasMasks, MergedInputsCountAsTheirVersionOfKerasSays) {
    // 1 2 0 and 0 4 5 sum up to 1 6 5: in Keras 2 only the second step counts, in Keras 3 every one.
    const std::vector<HostTensor> feeds{floats({1, 3, 1}, {1, 2, 0}), floats({1, 3, 1}, {0, 4, 5})};
    const Json out = {of("mean")};
    expect_output(outputs(merged("float32", "Add"), out, feeds).at("output"), {1, 1}, {6});
    expect_output(outputs(merged(keras3_policy, "Add"), out, feeds).at("output"), {1, 1}, {4});
    // One after another: 1 2 4 5 count.
    expect_output(outputs(merged("float32", "Concatenate", {{"axis", 1}}), out, feeds).at("output"), {1, 1},
                  {3});
    expect_output(outputs(merged("float32", "Concatenate", {{"axis", -1}}), out, feeds).at("output"), {1, 2},
                  {2, 4});
}

TEST_F(KerasMasks, ASoftmaxGivesNothingToWhatIsHidden) {
    const std::vector<Json> layers{input_node("a", {nullptr, 3}), input_node("m", {nullptr, 3}, "bool"),
                                   node("Softmax", "softmax", {}, {{of("a", {{"mask", {"m", 0, 0}}})}})};
    HostTensor mask({graph::DType::Bool, {1, 3}});
    mask.set(0, 1);
    mask.set(2, 1);
    expect_output(
        outputs(layers, {of("softmax")}, {floats({1, 3}, {0, 9, std::log(3.0F)}), mask}).at("output"), {1, 3},
        {0.25, 0, 0.75});
}

TEST_F(KerasMasks, ALossIsTheMeanOfWhatCounts) {
    const std::vector<Json> layers{input_node("x", {nullptr, 2, 2}),
                                   node("Masking", "masking", {}, {{of("x")}})};
    auto graph = graph_of_functional(layers, {of("masking")}, 2, {"compile.loss=mse"});
    ASSERT_TRUE(graph) << graph.error().line();
    // Steps 1 2 and 3 4 of the first sample and 5 6 of the second count, labels 0: the second sample's last
    // step, with labels of 9, does not.
    const auto values = fetched(
        *graph, {floats({2, 2, 2}, {1, 2, 3, 4, 5, 6, 0, 0}), floats({2, 2, 2}, {0, 0, 0, 0, 0, 0, 9, 9})},
        {});
    EXPECT_NEAR(values.at(0).at(0), (1 + 4 + 9 + 16 + 25 + 36) / 6.0, 1e-5);
}

/// y = 2 x and z = -x, of one input.
std::vector<Json> two_heads() {
    return {input_node("x", {nullptr, 1}),
            node("Dense", "y", {{"units", 1}, {"use_bias", false}}, {{of("x")}}),
            node("Dense", "z", {{"units", 1}, {"use_bias", false}}, {{of("x")}})};
}

TEST_F(KerasOutputs, AreNamedByTheirLayers) {
    const auto values = outputs(two_heads(), {of("y"), of("z")}, {floats({2, 1}, {1, 3})}, {2, -1});
    ASSERT_EQ(values.size(), 2U);
    expect_output(values.at("y"), {2, 1}, {2, 6});
    expect_output(values.at("z"), {2, 1}, {-1, -3});
}

TEST_F(KerasOutputs, OfAnInnerModelAreToldApart) {
    const Json inner{{"class_name", "Functional"},
                     {"name", "inner"},
                     {"config",
                      {{"name", "inner"},
                       {"layers", two_heads()},
                       {"input_layers", {of("x")}},
                       {"output_layers", {of("y"), of("z")}}}},
                     {"inbound_nodes", {{of("a")}}}};
    const std::vector<Json> layers{
        input_node("a", {nullptr, 1}), inner,
        node("Subtract", "difference", {},
             {Json::array({{"inner", 1, 1, Json::object()}, {"inner", 1, 0, Json::object()}})})};
    expect_output(outputs(layers, {of("difference")}, {floats({1, 1}, {5})}, {2, -1}).at("output"), {1, 1},
                  {-15});
}

TEST_F(KerasOutputs, HaveALossEach) {
    const auto loss = [&](const std::string& settings) {
        auto graph = graph_of_functional(two_heads(), {of("y"), of("z")}, 2, {"compile=" + settings});
        EXPECT_TRUE(graph) << graph.error().line();
        std::map<std::string, double> result;
        if (!graph)
            return result;
        EXPECT_EQ(graph->feeds.size(), 2U) << "labels of one type are fed once";
        const auto values = fetched(*graph, {floats({2, 1}, {1, 3}), floats({2, 1}, {0, 0})}, {2, -1});
        for (std::size_t i = 0; i < values.size(); ++i)
            result[graph->fetches[i].name] = values[i].at(0);
        return result;
    };
    using Losses = std::map<std::string, double>;
    EXPECT_EQ(loss(R"({"loss": "mse"})"), (Losses{{"loss", 25}, {"y_loss", 20}, {"z_loss", 5}}));
    EXPECT_EQ(loss(R"({"loss": {"z": "mae", "y": "mse"}, "loss_weights": {"z": 10}, "metrics": ["mse"]})"),
              (Losses{{"loss", 40}, {"y_loss", 20}, {"z_loss", 2}, {"y_mse", 20}, {"z_mse", 5}}));
    EXPECT_EQ(loss(R"({"loss": ["mse", "mae"], "loss_weights": [0.5, 1]})"),
              (Losses{{"loss", 12}, {"y_loss", 20}, {"z_loss", 2}}));
    EXPECT_EQ(loss(R"({"loss": [null, "mae"]})"), (Losses{{"loss", 2}}));
}

TEST_F(KerasOutputs, ThatDoNotExistAreRefused) {
    const auto refused = [&](const std::string& settings) {
        const auto graph = graph_of_functional(two_heads(), {of("y"), of("z")}, 2, {"compile=" + settings});
        return graph ? "accepted" : graph.error().line();
    };
    expect_parts(refused(R"({"loss": {"w": "mse"}})"), {"compile.loss", "no output \"w\""});
    expect_parts(refused(R"({"loss": "mse", "loss_weights": [1, 1, 1]})"), {"compile.loss_weights", "\"2\""});
    expect_parts(refused(R"({"loss": [["mse"]]})"), {"compile.loss", "name of a loss"});
}

TEST_F(KerasLayerTest, ArgumentsOfACallAreReadOrRefused) {
    const auto call = [&](const std::string& kind, const Json& config, const Json& arguments) {
        const auto graph = graph_of_functional(
            {input_node("x", {nullptr, 2}), node(kind, "layer", config, {{of("x", arguments)}})},
            {of("layer")}, 1);
        return graph ? "accepted" : graph.error().line();
    };
    EXPECT_EQ(call("Dropout", {{"rate", 0.5}}, {{"training", nullptr}}), "accepted");
    EXPECT_EQ(call("Dropout", {{"rate", 0.5}}, {{"training", false}}), "accepted");
    expect_parts(call("Dropout", {{"rate", 0.5}}, {{"training", true}}), {"layer layer", "training"});
    expect_parts(call("Dense", {{"units", 2}}, {{"maks", {"x", 0, 0}}}), {"did you mean \"mask\"?"});
}

TEST_F(KerasLayerTest, CallsOutsideOfTrainingTakeRunningStatistics) {
    const auto normalised = [&](const Json& arguments) {
        auto graph = graph_of_functional(
            {input_node("x", {nullptr, 1}),
             node("BatchNormalization", "layer", {{"epsilon", 0.0}}, {{of("x", arguments)}})},
            {of("layer")}, 2, {}, workload::Mode::Train);
        EXPECT_TRUE(graph) << graph.error().line();
        return graph ? fetched(*graph, {floats({2, 1}, {3, 5})}, {1, 0, 1, 4}).at(0) : HostTensor();
    };
    expect_output(normalised(Json::object()), {2, 1}, {-1, 1});
    expect_output(normalised({{"training", false}}), {2, 1}, {1, 2});
}

} // namespace
} // namespace tilescope::keras
