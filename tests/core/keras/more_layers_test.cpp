// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/keras/layer_fixture.h"

#include <array>
#include <cmath>

/// Wrapped layers, Einstein sums, preprocessing, noise and normalisations, against values worked out by hand.
namespace tilescope::keras {
namespace {

using KerasMoreLayers = KerasLayerTest;

TEST_F(KerasMoreLayers, TimeDistributedIsTheLayerForEveryStep) {
    const Json dense = layer("Dense", {{"units", 1}});
    // x0 + 10 x1 + 3 for the steps 0 1, 2 3, 4 5.
    expect_output(output({1, 3, 2}, {layer("TimeDistributed", {{"layer", dense}})}, {}, {1, 10, 3}),
                  {1, 3, 1}, {13, 35, 57});
    // A model in it: two layers, the inner one flattening images.
    const Json model{{"class_name", "Sequential"},
                     {"config",
                      {{"name", "images"},
                       {"layers", {layer("Flatten", Json::object()), layer("Dense", {{"units", 1}})}}}}};
    expect_output(output({1, 2, 2, 1}, {layer("TimeDistributed", {{"layer", model}})}, {}, {1, 10, 3}),
                  {1, 2, 1}, {13, 35});
    expect_parts(refusal({1, 3}, {layer("TimeDistributed", {{"layer", dense}})}), {"steps"});
    expect_parts(refusal({1, 3, 2}, {layer("TimeDistributed", {{"layer", layer("Densee", {})}})}),
                 {"layer layer/layer", "\"Dense\""});
}

TEST_F(KerasMoreLayers, EinsteinSumsAreProductsOfMatrices) {
    const auto einsum = [&](const Shape& input, const Json& config, const std::vector<float>& weights) {
        return output(input, {layer("EinsumDense", config)}, {}, weights);
    };
    // Rows 0 1 and 2 3 by a kernel [2, 1, 2] of 1 2 / 3 4, and a bias of 10 20.
    expect_output(
        einsum({1, 2, 2},
               {{"equation", "abc,cde->abde"}, {"output_shape", {nullptr, 1, 2}}, {"bias_axes", "de"}},
               {1, 2, 3, 4, 10, 20}),
        {1, 2, 1, 2}, {13, 24, 21, 36});
    // Both inner dimensions are summed: 0 1 2 3 by 1 10 100 1000.
    expect_output(einsum({1, 2, 2}, {{"equation", "aec,ecd->ad"}, {"output_shape", 1}}, {1, 10, 100, 1000}),
                  {1, 1}, {3210});
    // Open dimensions, and an order that turns them.
    expect_output(einsum({1, 2, 2}, {{"equation", "...x,xy->...y"}, {"output_shape", 2}}, {1, 0, 0, 10}),
                  {1, 2, 2}, {0, 10, 2, 30});
    // A product for each b: row b by matrix b, and a bias for each b.
    expect_output(einsum({1, 2, 2},
                         {{"equation", "abc,bcd->abd"}, {"output_shape", {2, 1}}, {"bias_axes", "b"}},
                         {1, 10, 100, 1000, 5, 6}),
                  {1, 2, 1}, {15, 3206});
    expect_parts(
        refusal({1, 2}, {layer("EinsumDense", {{"equation", "abc,cd->abd"}, {"output_shape", {1}}})}),
        {"abc,cd->abd"});
    for (const char* equation :
         {"ab", "ab,bc", "aa,ab->b", "ab,bc->aac", "ab,bc->ad", "a.,bc->ac", "ab,bc,cd->ad"})
        expect_parts(refusal({1, 2}, {layer("EinsumDense", {{"equation", equation}, {"output_shape", {1}}})}),
                     {"equation"});
}

TEST_F(KerasMoreLayers, PreprocessingScalesResizesAndCrops) {
    expect_output(output({1, 3}, {layer("Rescaling", {{"scale", 0.5}, {"offset", -1.0}})}), {1, 3},
                  {-1, -0.5, 0});
    expect_output(
        output({1, 2}, {layer("Normalization", {{"axis", -1}, {"mean", {1, 3}}, {"variance", {4, 16}}})}),
        {1, 2}, {-0.5, -0.5});
    expect_output(output({1, 2}, {layer("Normalization", {{"axis", {-1}}})}, {}, {1, 3, 4, 16, 99}), {1, 2},
                  {-0.5, -0.5});
    // Half-pixel places of 4 in 2: -0.25, 0.25, 0.75, 1.25.
    expect_output(output({1, 1, 2, 1},
                         {layer("UpSampling2D", {{"size", {1, 2}}, {"interpolation", "bilinear"}})}, {0, 8}),
                  {1, 1, 4, 1}, {0, 2, 6, 8});
    expect_output(output({1, 1, 4, 1},
                         {layer("Resizing", {{"height", 1}, {"width", 2}, {"interpolation", "bilinear"}})},
                         {0, 8, 2, 4}),
                  {1, 1, 2, 1}, {4, 3});
    // At half-pixel places of 3 in 5, floor((i + 0.5) 5 / 3).
    expect_output(output({1, 1, 5, 1},
                         {layer("Resizing", {{"height", 1}, {"width", 3}, {"interpolation", "nearest"}})}),
                  {1, 1, 3, 1}, {0, 2, 4});
    expect_output(output({1, 1, 4, 1}, {layer("CenterCrop", {{"height", 1}, {"width", 2}})}), {1, 1, 2, 1},
                  {1, 2});
    expect_parts(refusal({1, 2, 2, 1}, {layer("UpSampling2D", {{"interpolation", "lanczos3"}})}),
                 {"lanczos3", "bilinear"});
}

TEST_F(KerasMoreLayers, CubicInterpolationIsKeys) {
    // Of 2 to 4 at -0.25, 0.25 …: Keys' kernel with a = -1/2, elements outside left out and the rest scaled.
    const auto key = [](double x) {
        x = std::fabs(x);
        return x < 1 ? (1.5 * x - 2.5) * x * x + 1 : x < 2 ? ((-0.5 * x + 2.5) * x - 4) * x + 2 : 0;
    };
    const auto value = [&](double at) {
        return 10 * key(at - 1) / (key(at) + key(at - 1)); // of the elements 0 and 10
    };
    expect_output(output({1, 1, 2, 1},
                         {layer("UpSampling2D", {{"size", {1, 2}}, {"interpolation", "bicubic"}})}, {0, 10}),
                  {1, 1, 4, 1}, {value(-0.25), value(0.25), value(0.75), value(1.25)});
}

TEST_F(KerasMoreLayers, NormalisationsTakeAnyAxis) {
    // Channels first: 1 3 and 5 9, each by its own mean and deviation of 1 and 2.
    expect_output(output({1, 2, 2}, {layer("BatchNormalization", {{"axis", 1}, {"epsilon", 0.0}})},
                         {1, 3, 5, 9}, {1, 2, 0, 10}, workload::Mode::Train),
                  {1, 2, 2}, {-1, 1, 8, 12});
    expect_output(
        output({1, 2, 2}, {layer("LayerNormalization", {{"axis", 1}, {"epsilon", 0.0}})}, {1, 3, 5, 9}),
        {1, 2, 2}, {-1, -1, 1, 1});
    // 3 4: a mean square of 12.5; a variance of 1/4.
    expect_output(output({1, 2}, {layer("RMSNormalization", {{"epsilon", 0.0}})}, {3, 4}, {1, 10}), {1, 2},
                  {3 / std::sqrt(12.5), 40 / std::sqrt(12.5)});
    expect_output(
        output({1, 2}, {layer("LayerNormalization", {{"rms_scaling", true}, {"epsilon", 0.0}})}, {3, 4}),
        {1, 2}, {6, 8});
    expect_output(output({1, 2}, {layer("UnitNormalization", {{"axis", -1}})}, {3, 4}), {1, 2}, {0.6, 0.8});
    expect_output(
        output({1, 2, 2}, {layer("Softmax", {{"axis", {1, 2}}})}, {0, 0, 0, static_cast<float>(std::log(7))}),
        {1, 2, 2}, {0.1, 0.1, 0.1, 0.7});
    expect_output(output({1, 2, 1}, {layer("Softmax", {{"axis", 1}})}, {0, static_cast<float>(std::log(3))}),
                  {1, 2, 1}, {0.25, 0.75});
    expect_output(output({1, 3}, {layer("ThresholdedReLU", {{"theta", 1.0}})}), {1, 3}, {0, 0, 2});
}

TEST_F(KerasMoreLayers, DotOfUnitVectorsIsTheirCosine) {
    const auto y =
        outputs({input_node("a", {nullptr, 2}), input_node("b", {nullptr, 2}),
                 node("Dot", "dot", {{"axes", 1}, {"normalize", true}}, {Json::array({of("a"), of("b")})})},
                {of("dot")},
                {HostTensor::of_floats({1, 2}, std::vector<float>{3, 4}),
                 HostTensor::of_floats({1, 2}, std::vector<float>{5, 0})});
    expect_output(y.at("output"), {1, 1}, {0.6});
}

/// Mean and variance of what a layer makes of ones, in training.
std::pair<double, double> moments(const HostTensor& y) {
    double sum = 0;
    double squares = 0;
    for (std::int64_t i = 0; i < y.elements(); ++i) {
        sum += y.at(i);
        squares += y.at(i) * y.at(i);
    }
    const auto n = static_cast<double>(y.elements());
    return {sum / n, squares / n - sum * sum / n / n};
}

TEST_F(KerasMoreLayers, NoiseHasItsMeanAndVariance) {
    const std::vector<float> ones(100000, 1);
    const auto noised = [&](const std::string& kind, const Json& config, const std::vector<float>& x) {
        return output({1000, 100}, {layer(kind, config)}, x, {}, workload::Mode::Train);
    };
    const auto [mean, variance] = moments(noised("GaussianDropout", {{"rate", 0.2}}, ones));
    EXPECT_NEAR(mean, 1, 0.01);
    EXPECT_NEAR(variance, 0.25, 0.01);
    // Normal numbers keep their mean of 0 and variance of 1; two values of 1 and -1 are as good.
    std::vector<float> signs(100000);
    for (std::size_t i = 0; i < signs.size(); ++i)
        signs[i] = i % 2 == 0 ? 1 : -1;
    const auto [alpha_mean, alpha_variance] = moments(noised("AlphaDropout", {{"rate", 0.3}}, signs));
    EXPECT_NEAR(alpha_mean, 0, 0.02);
    EXPECT_NEAR(alpha_variance, 1, 0.02);
    // Shared along the second dimension: whole rows are dropped.
    const HostTensor rows = noised("Dropout", {{"rate", 0.5}, {"noise_shape", {nullptr, 1}}}, ones);
    for (std::int64_t i = 0; i < rows.elements(); ++i)
        EXPECT_EQ(rows.at(i), rows.at(i / 100 * 100));
    EXPECT_NEAR(moments(rows).first, 1, 0.1);
    // Nothing of it out of training.
    for (const char* kind : {"GaussianDropout", "AlphaDropout", "Dropout", "SpatialDropout1D"})
        expect_output(output({1, 2, 1}, {layer(kind, {{"rate", 0.5}})}), {1, 2, 1}, {0, 1});
}

TEST_F(KerasMoreLayers, ActivityIsPenalisedByTheSample) {
    const auto workload =
        workload::read_workload(model({2, 2}, {layer("ActivityRegularization", {{"l1", 0.5}, {"l2", 2.0}})}),
                                {"fit.batch_size=2", "compile.loss=mse"});
    ASSERT_TRUE(workload) << workload.error().line();
    auto graph = workload::build_graph(*workload, test::registry(), workload::Mode::Evaluate);
    ASSERT_TRUE(graph) << graph.error().line();
    const HostTensor x = HostTensor::of_floats({2, 2}, std::vector<float>{1, -2, 3, 0});
    EXPECT_NEAR(fetched(*graph, {x, x}, {}).at(0).at(0), (0.5 * 6 + 2 * 14) / 2, 1e-5);
}

// y[t] = 100 x[t] + 10 x[t - 1] + x[t - 2]; with a dilation of 2, 100 x[t] + 10 x[t - 2] + x[t - 4].
TEST_F(KerasMoreLayers, CausalConvolutionsReadNoStepThatFollows) {
    Json config{{"filters", 1},      {"kernel_size", {3}},     {"padding", "causal"}, {"strides", {1}},
                {"use_bias", false}, {"activation", "linear"}, {"dilation_rate", {1}}};
    expect_output(output({1, 4, 1}, {layer("Conv1D", config)}, {1, 2, 3, 4}, {1, 10, 100}), {1, 4, 1},
                  {100, 210, 321, 432});
    config["strides"] = {2};
    expect_output(output({1, 5, 1}, {layer("Conv1D", config)}, {1, 2, 3, 4, 5}, {1, 10, 100}), {1, 3, 1},
                  {100, 321, 543});
    config["strides"] = {1};
    config["dilation_rate"] = {2};
    expect_output(output({1, 5, 1}, {layer("Conv1D", config)}, {1, 2, 3, 4, 5}, {1, 10, 100}), {1, 5, 1},
                  {100, 200, 310, 420, 531});
    expect_parts(refusal({1, 4, 4, 1},
                         {layer("Conv2D", {{"filters", 1}, {"kernel_size", {3, 3}}, {"padding", "causal"}})}),
                 {"padding \"causal\" is not supported"});
}

TEST_F(KerasMoreLayers, WhatKerasHasAndIsNotThereIsToldFromWhatKerasRefuses) {
    const auto kind = [&](const std::string& name, const Json& config) {
        const auto graph = graph_of({1, 4}, {layer(name, config)});
        return graph ? ErrorKind::NotMet : graph.error().kind;
    };
    EXPECT_EQ(kind("Hashing", {{"num_bins", 3}}), ErrorKind::NotSupported);
    EXPECT_EQ(kind("Dense", {{"units", 2}, {"kernel_initializer", "mine"}}), ErrorKind::NotSupported);
    EXPECT_EQ(kind("Dense", {{"units", 2}, {"kernel_regularizer", "l3"}}), ErrorKind::NotSupported);
    EXPECT_EQ(kind("Dense", {{"units", 2}, {"kernel_constraint", "mine"}}), ErrorKind::NotSupported);
    EXPECT_EQ(kind("Dense", {{"units", 2}, {"activation", "mine"}}), ErrorKind::NotSupported);
    EXPECT_EQ(kind("Dense", {{"units", 2}, {"colour", "red"}}), ErrorKind::NotSupported);
    EXPECT_EQ(kind("Dense", {{"units", -2}}), ErrorKind::BadInput);
    EXPECT_EQ(kind("Reshape", {{"target_shape", {3}}}), ErrorKind::BadInput);
}

TEST_F(KerasMoreLayers, TransposedConvolutionsMayPadTheirOutput) {
    // 1 and 10 spread over a kernel of 1 2 3 with stride 2, and one more element.
    Json config{{"kernel_size", 3}, {"strides", 2}, {"filters", 1}, {"output_padding", 1}};
    expect_output(output({1, 2, 1}, {layer("Conv1DTranspose", config)}, {1, 10}, {1, 2, 3}), {1, 6, 1},
                  {1, 2, 13, 20, 30, 0});
    config["output_padding"] = 5;
    expect_parts(refusal({1, 2, 1}, {layer("Conv1DTranspose", config)}), {"output_padding"});
}

TEST_F(KerasMoreLayers, LayersOfTheIpuAddOns) {
    expect_output(output({1, 2}, {layer("AssumeEqualAcrossReplicas", {{"inplace", false}}),
                                  layer("RecomputationCheckpoint", Json::object()),
                                  layer("Dropout", {{"rate", 0.5}, {"ref", true}})}),
                  {1, 2}, {0, 1});
    // Two groups of four channels: 1 5 and 3 9 with a stride between them, 1 3 and 5 9 without.
    const Json group{
        {"channels_axis", -1}, {"groups", 2}, {"epsilon", 0.0}, {"scale", false}, {"center", false}};
    expect_output(output({1, 1, 1, 4}, {layer("GroupNormalization", group)}, {1, 3, 5, 9}), {1, 1, 1, 4},
                  {-1, -1, 1, 1});
    Json together = group;
    together["strided_channel_grouping"] = false;
    expect_output(output({1, 1, 1, 4}, {layer("GroupNormalization", together)}, {1, 3, 5, 9}), {1, 1, 1, 4},
                  {-1, 1, -1, 1});
    // Each channel by itself, channels first: 1 3 and 5 9.
    expect_output(output({1, 2, 1, 2},
                         {layer("InstanceNormalization", {{"channels_axis", 1}, {"epsilon", 0.0}})},
                         {1, 3, 5, 9}, {1, 2, 0, 10}),
                  {1, 2, 1, 2}, {-1, 1, 8, 12});
    const Json table{{"input_dim", 3}, {"output_dim", 2}, {"serialization_factor", 2}};
    expect_parts(refusal({1, 3}, {layer("Embedding", table)}),
                 {"serialization_factor 2 does not divide the 3 rows"});
    Json dense{{"units", 6}, {"serialization_factor", 4}, {"serialization_dimension", "kernel_rows"}};
    expect_parts(refusal({1, 3}, {layer("SerialDense", dense)}), {"does not divide the 6 of b_rows"});
    dense["serialization_dimension"] = "rows";
    expect_parts(refusal({1, 3}, {layer("SerialDense", dense)}), {"use input_columns"});
    expect_parts(refusal({1, 3}, {layer("EffectiveTransformer", Json::object())}),
                 {"EffectiveTransformer", "MultiHeadAttention"});
    expect_parts(refusal({1, 3}, {layer("CTCLoss", Json::object())}), {"CTCLoss", "host"});
    expect_parts(refusal({1, 3}, {layer("Lambda", Json::object())}), {"Lambda", "Rescaling"});
}

// Table (1 2) (3 4) (5 6): token 2 is (5 6), in reverse its products with the rows 17, 39 and 61. With a cap
// c, c tanh(x / c).
TEST_F(KerasMoreLayers, AReversibleEmbeddingProjectsOntoItsRows) {
    const auto logits = [&](const Json& more) {
        Json table{{"input_dim", 3}, {"output_dim", 2}};
        table.update(more);
        const auto values =
            outputs({input_node("ids", {nullptr, 1}, "int32"),
                     node("ReversibleEmbedding", "table", table,
                          {Json::array({of("ids")}), Json::array({of("table", {{"reverse", true}})})})},
                    Json::array({Json::array({"table", 1, 0})}), {HostTensor::of_ints({1, 1}, std::array{2})},
                    {1, 2, 3, 4, 5, 6, 10, 20, 30, 40, 50, 60});
        EXPECT_EQ(values.size(), 1U);
        return values.begin()->second;
    };
    expect_output(logits(Json::object()), {1, 1, 3}, {17, 39, 61});
    expect_output(logits({{"logit_soft_cap", 100.0}}), {1, 1, 3},
                  {100 * std::tanh(0.17), 100 * std::tanh(0.39), 100 * std::tanh(0.61)});
    // A matrix of its own, [2, 3]: (10 20 30) 5 + (40 50 60) 6.
    expect_output(logits({{"tie_weights", false}}), {1, 1, 3}, {290, 400, 510});
}

} // namespace
} // namespace tilescope::keras
