// SPDX-License-Identifier: GPL-3.0-or-later
#include "keras/initialisers.h"
#include "tests/core/keras/layer_fixture.h"
#include "training/differentiation.h"
#include "training/optimisers.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

/// What layers make of an input, against values worked out by hand.
namespace tilescope::keras {
namespace {

using KerasLayers = KerasLayerTest;

TEST_F(KerasLayers, MoveElementsAbout) {
    expect_output(output({1, 3}, {layer("RepeatVector", {{"n", 2}})}), {1, 2, 3}, {0, 1, 2, 0, 1, 2});
    expect_output(output({1, 2, 3}, {layer("Permute", {{"dims", {2, 1}}})}), {1, 3, 2}, {0, 3, 1, 4, 2, 5});
    expect_output(output({1, 2, 1}, {layer("ZeroPadding1D", {{"padding", {1, 2}}})}), {1, 5, 1},
                  {0, 0, 1, 0, 0});
    expect_output(output({1, 1, 2, 1}, {layer("ZeroPadding2D", {{"padding", {{0, 1}, {1, 0}}}})}),
                  {1, 2, 3, 1}, {0, 0, 1, 0, 0, 0});
    expect_output(output({1, 4, 1}, {layer("Cropping1D", {{"cropping", {1, 2}}})}), {1, 1, 1}, {1});
    expect_output(output({1, 3, 3, 1}, {layer("Cropping2D", {{"cropping", 1}})}), {1, 1, 1, 1}, {4});
    expect_output(output({1, 2, 1}, {layer("UpSampling1D", {{"size", 2}})}), {1, 4, 1}, {0, 0, 1, 1});
    expect_output(output({1, 1, 2, 2}, {layer("UpSampling2D", {{"size", {2, 2}}})}), {1, 2, 4, 2},
                  {0, 1, 0, 1, 2, 3, 2, 3, 0, 1, 0, 1, 2, 3, 2, 3});
    expect_output(output({1, 3, 2}, {layer("GlobalAveragePooling1D", {})}), {1, 2}, {2, 3});
    expect_output(output({1, 3, 2}, {layer("GlobalMaxPooling1D", {})}), {1, 2}, {4, 5});
}

TEST_F(KerasLayers, ConvolveByChannelAndBackwards) {
    // Two channels, two outputs each: kernel [1, 1, channel, output] of 1 2 / 3 4.
    expect_output(output({1, 1, 1, 2},
                         {layer("DepthwiseConv2D", {{"kernel_size", {1, 1}}, {"depth_multiplier", 2}})},
                         {5, 7}, {1, 2, 3, 4, 0, 0, 0, 10}),
                  {1, 1, 1, 4}, {5, 10, 21, 38});
    // Depthwise 2 and 3, then 1 and 10 over the channels, and a bias of 1.
    expect_output(output({1, 1, 1, 2}, {layer("SeparableConv2D", {{"kernel_size", {1, 1}}, {"filters", 1}})},
                         {5, 7}, {2, 3, 1, 10, 1}),
                  {1, 1, 1, 1}, {10 + 210 + 1});
    // 1 and 10 spread over a kernel of 1 2 3 with stride 2; "same" cuts the last.
    const Json wide{{"kernel_size", {1, 3}}, {"strides", {1, 2}}, {"filters", 1}};
    expect_output(output({1, 1, 2, 1}, {layer("Conv2DTranspose", wide)}, {1, 10}, {1, 2, 3}), {1, 1, 5, 1},
                  {1, 2, 13, 20, 30});
    Json same = wide;
    same["padding"] = "same";
    expect_output(output({1, 1, 2, 1}, {layer("Conv2DTranspose", same)}, {1, 10}, {1, 2, 3}), {1, 1, 4, 1},
                  {1, 2, 13, 20});
}

TEST_F(KerasLayers, LookUpRowsOfATable) {
    const Json table{{"input_dim", 3}, {"output_dim", 2}};
    expect_output(output({1, 3}, {layer("Embedding", table)}, {2, 0, 1}, {1, 2, 3, 4, 5, 6}), {1, 3, 2},
                  {5, 6, 1, 2, 3, 4});
}

TEST_F(KerasLayers, Normalise) {
    const double r = 1 / std::sqrt(1 + 1e-3);
    // Statistics of the batch: both channels have a deviation of 1.
    const Json batch{{"epsilon", 1e-3}};
    expect_output(output({2, 2}, {layer("BatchNormalization", batch)}, {1, 5, 3, 7}, {2, 1, 0, 10},
                         workload::Mode::Train),
                  {2, 2}, {-2 * r, 10 - r, 2 * r, 10 + r});
    // Running ones: mean 1 and 2, variance 4 and 9.
    const Json exact{{"epsilon", 0.0}};
    expect_output(output({1, 2}, {layer("BatchNormalization", exact)}, {3, 5}, {1, 1, 0, 0, 1, 2, 4, 9}),
                  {1, 2}, {1, 1});
    Json frozen = exact;
    frozen["trainable"] = false;
    expect_output(output({1, 2}, {layer("BatchNormalization", frozen)}, {3, 5}, {1, 1, 0, 0, 1, 2, 4, 9},
                         workload::Mode::Train),
                  {1, 2}, {1, 1});
    expect_output(
        output({2, 2}, {layer("LayerNormalization", {{"axis", -1}, {"epsilon", 0.0}})}, {1, 3, 5, 9}), {2, 2},
        {-1, 1, -1, 1});
    // Two groups of two channels over two positions: 1 1 3 3, and 10 10 10 14 with mean 11 and variance 3.
    const double d = std::sqrt(3);
    expect_output(output({1, 2, 1, 4}, {layer("GroupNormalization", {{"groups", 2}, {"epsilon", 0.0}})},
                         {1, 3, 10, 10, 1, 3, 10, 14}),
                  {1, 2, 1, 4}, {-1, 1, -1 / d, -1 / d, -1, 1, -1 / d, 3 / d});
}

class KerasNorms : public KerasLayers {
  protected:
    /// What a step of a batch of 2 and 6 in one channel leaves in the variables that do not train.
    std::map<std::string, double> running_after(const std::vector<std::int64_t>& shape,
                                                const Json& config) const {
        const auto graph = graph_of(shape, {layer("BatchNormalization", config)}, workload::Mode::Train);
        EXPECT_TRUE(graph) << (graph ? "" : graph.error().line());
        const auto values = test::run(*graph, {HostTensor::of_floats(shape, std::vector<float>{2, 6})});
        std::map<std::string, double> next;
        for (const graph::Variable& variable : graph->variables) {
            EXPECT_EQ(variable.trainable, variable.name == "layer/gamma" || variable.name == "layer/beta");
            if (variable.next != graph::no_value)
                next[variable.name] = values[static_cast<std::size_t>(variable.next.value)].at(0);
        }
        return next;
    }
};

// Mean 4, variance 4; from 0 and 1.
TEST_F(KerasNorms, RunningStatisticsFollowEveryBatch) {
    const auto with = [](double variance) {
        return std::map<std::string, double>{{"layer/moving_mean", 1}, {"layer/moving_variance", variance}};
    };
    Json config{{"momentum", 0.75}};
    EXPECT_EQ(running_after({2, 1}, config), with(1.75));
    // TensorFlow's fused norm tells of the population: 4 times 2 / (2 - 1).
    EXPECT_EQ(running_after({2, 1, 1, 1}, config), with(2.75));
    EXPECT_EQ(running_after({1, 2, 1, 1, 1}, config), with(2.75));
    config["dtype"] = {{"module", "keras"}, {"class_name", "DTypePolicy"}, {"config", {{"name", "float32"}}}};
    EXPECT_EQ(running_after({2, 1, 1, 1}, config), with(1.75)) << "Keras 3 does not";
    config = {{"momentum", 0.75}, {"fused", false}};
    EXPECT_EQ(running_after({2, 1, 1, 1}, config), with(1.75));
}

// The deviation of the batch is 2, that which the layer begins with 1; r is 2 and d is 4.
TEST_F(KerasNorms, RenormalisationCorrectsByWhatTheLayerHasSeen) {
    Json config{{"renorm", true}, {"epsilon", 0.0}, {"momentum", 0.75}, {"renorm_momentum", 0.5}};
    EXPECT_EQ(running_after({2, 1, 1, 1}, config),
              (std::map<std::string, double>{{"layer/moving_mean", 1},
                                             {"layer/moving_stddev", 1.25},
                                             {"layer/moving_variance", 1.5625},
                                             {"layer/renorm_mean", 2},
                                             {"layer/renorm_stddev", 1.5}}));
    const auto trained = [&] {
        return output({2, 1}, {layer("BatchNormalization", config)}, {2, 6}, {}, workload::Mode::Train);
    };
    expect_output(trained(), {2, 1}, {2, 6});
    config["renorm_clipping"] = {{"rmax", 1.5}, {"dmax", 3.0}};
    expect_output(trained(), {2, 1}, {1.5, 4.5});
    config["renorm_clipping"] = {{"rmin", 3.0}};
    expect_output(trained(), {2, 1}, {1, 7});
    config["renorm_clipping"] = {{"max", 3.0}};
    expect_parts(refusal({2, 1}, {layer("BatchNormalization", config)}), {"renorm_clipping", "max", "rmax"});
}

TEST_F(KerasLayers, ActivationsAreThoseOfTheirVersionOfKeras) {
    const std::vector<float> x{-4, -1, 1, 4};
    const auto activation = [&](const Json& config) {
        return output({1, 4}, {layer("Activation", config)}, x);
    };
    expect_output(activation({{"activation", "hard_sigmoid"}}), {1, 4}, {0, 0.3, 0.7, 1});
    const Json policy{{"module", "keras"}, {"class_name", "DTypePolicy"}, {"config", {{"name", "float32"}}}};
    expect_output(activation({{"activation", "hard_sigmoid"}, {"dtype", policy}}), {1, 4},
                  {0, 1.0 / 3, 2.0 / 3, 1});
    expect_output(activation({{"activation", "leaky_relu"}}), {1, 4}, {-0.8, -0.2, 1, 4});
    expect_output(activation({{"activation", "mish"}}), {1, 4},
                  {-0.072592, -0.303401, 0.865098, 3.997413}); // x tanh(ln(1 + e^x))
    expect_output(activation({{"activation", "log_sigmoid"}}), {1, 4},
                  {-4.018150, -1.313262, -0.313262, -0.018150}); // -ln(1 + e^-x)
    expect_output(activation({{"activation", {{"class_name", "function"}, {"config", "relu"}}}}), {1, 4},
                  {0, 0, 1, 4});
    const auto relu = [&](const Json& config) { return output({1, 4}, {layer("ReLU", config)}, x); };
    expect_output(relu({{"max_value", 2.0}}), {1, 4}, {0, 0, 1, 2});
    expect_output(relu({{"negative_slope", 0.5}, {"max_value", 3.0}}), {1, 4}, {-2, -0.5, 1, 3});
    expect_output(relu({{"threshold", 2.0}}), {1, 4}, {0, 0, 0, 4});
    expect_output(relu({{"threshold", 2.0}, {"negative_slope", 0.5}}), {1, 4}, {-3, -1.5, -0.5, 4});
    expect_output(output({1, 2}, {layer("PReLU", Json::object())}, {-2, 3}, {0.25F, 0.5F}), {1, 2},
                  {-0.5, 3});
}

TEST_F(KerasLayers, RecurrentWeightsBeginOrthogonalAndForgetGatesOpen) {
    const auto graph = graph_of({1, 2, 3}, {layer("LSTM", {{"units", 4}})});
    ASSERT_TRUE(graph) << graph.error().line();
    const HostTensor recurrent = graph->variables[1].initial.make(); // [4, 16]: its rows are orthonormal
    for (std::int64_t a = 0; a < 4; ++a)
        for (std::int64_t b = 0; b < 4; ++b) {
            double product = 0;
            for (std::int64_t k = 0; k < 16; ++k)
                product += recurrent.at(a * 16 + k) * recurrent.at(b * 16 + k);
            EXPECT_NEAR(product, a == b ? 1 : 0, 1e-5);
        }
    const HostTensor bias = graph->variables[2].initial.make();
    for (std::int64_t i = 0; i < 16; ++i)
        EXPECT_EQ(bias.at(i), i / 4 == 1 ? 1 : 0);
}

TEST_F(KerasLayers, RegularisersAddToTheLoss) {
    const Json dense = layer(
        "Dense", {{"units", 1},
                  {"kernel_regularizer", {{"class_name", "L1L2"}, {"config", {{"l1", 0.5}, {"l2", 0.25}}}}},
                  {"bias_regularizer", "l2"},
                  {"activity_regularizer", {{"class_name", "L2"}, {"config", {{"l2", 0.1}}}}}});
    const auto workload =
        workload::read_workload(model({2, 2}, {dense}), {"fit.batch_size=2", "compile.loss=mse"});
    ASSERT_TRUE(workload) << workload.error().line();
    auto graph = workload::build_graph(*workload, test::registry(), workload::Mode::Evaluate);
    ASSERT_TRUE(graph) << graph.error().line();
    graph->variables[0].initial = HostTensor::of_floats({2, 1}, std::vector<float>{1, -2});
    graph->variables[1].initial = HostTensor::of_floats({1}, std::vector<float>{3});
    // Outputs 1 - 2 + 3 and 2 + 3; labels equal to them.
    const auto values = test::run(*graph, {HostTensor::of_floats({2, 2}, std::vector<float>{1, 1, 2, 0}),
                                           HostTensor::of_floats({2, 1}, std::vector<float>{2, 5})});
    const double weights = 0.5 * 3 + 0.25 * 5 + 0.01 * 9;
    EXPECT_NEAR(values[static_cast<std::size_t>(graph->fetches[0].value.value)].at(0),
                weights + 0.1 * (4 + 25) / 2, 1e-5);
    expect_parts(refusal({1, 2}, {layer("Dense", {{"units", 1},
                                                  {"kernel_regularizer", {{"class_name", "Orthogonal"}}}})}),
                 {"kernel_regularizer", "orthogonal"});
}

TEST_F(KerasLayers, UnknownSettingsAndClassesAreRefusedByName) {
    expect_parts(refusal({1, 4}, {layer("Dense", {{"units", 2}, {"activaton", "relu"}})}),
                 {"model.json: layer layer", "\"activaton\"", "\"activation\""});
    expect_parts(refusal({1, 4}, {layer("Activation", {{"activation", "rellu"}})}), {"rellu", "\"relu\""});
    expect_parts(refusal({1, 4}, {layer("BatchNormalisation", Json::object())}),
                 {"BatchNormalisation", "\"BatchNormalization\""});
    expect_parts(refusal({1, 4, 4, 1}, {layer("Cropping2D", {{"cropping", 2}})}), {"nothing is left"});
    expect_parts(refusal({1, 4}, {layer("Dense", {{"units", 2}, {"kernel_constraint", "maxnorms"}})}),
                 {"kernel_constraint", "\"max_norm\""});
    expect_parts(
        refusal({1, 4}, {layer("Dense", {{"units", 2},
                                         {"bias_constraint",
                                          {{"class_name", "UnitNorm"}, {"config", {{"axis", 1}}}}}})}),
        {"bias_constraint", "axis 1"});
    expect_parts(refusal({1, 4, 2}, {layer("BatchNormalization", {{"axis", {1, 2}}})}), {"axis [1,2]"});
}

/// The layer's variables after one step of training with labels of 0 and a learning rate of 0: what its
/// constraints make of them.
std::vector<HostTensor> variables_after(graph::Graph graph, const std::vector<HostTensor>& feeds) {
    graph::Builder build(graph, test::registry());
    std::vector<graph::ValueId> trained;
    for (const graph::Variable& variable : graph.variables)
        trained.push_back(variable.value);
    const auto gradients = training::differentiate(build, graph.training->loss, trained);
    EXPECT_TRUE(gradients);
    EXPECT_TRUE(training::add_optimiser(build, graph.training->optimiser, *gradients));
    const auto values = test::run(graph, feeds);
    std::vector<HostTensor> result;
    for (const graph::Variable& variable : graph.variables)
        result.push_back(values[static_cast<std::size_t>(variable.next.value)]);
    return result;
}

TEST_F(KerasLayers, ConstraintsHoldAfterEachUpdate) {
    const auto constraint = [](const std::string& kind, Json config = Json::object()) {
        return Json{{"class_name", kind}, {"config", std::move(config)}};
    };
    // A kernel of 3 4 / 0 -12 in columns of lengths 3 and sqrt(160), rows of 5 and 12.
    const auto kernel = [&](const Json& kernel_constraint, const std::vector<double>& expected) {
        const Json dense =
            layer("Dense", {{"units", 2}, {"use_bias", false}, {"kernel_constraint", kernel_constraint}});
        const auto workload =
            workload::read_workload(model({1, 2}, {dense}), {"fit.batch_size=1", "compile.loss=mse",
                                                             "compile.optimizer.learning_rate=0.0"});
        ASSERT_TRUE(workload) << workload.error().line();
        auto graph = workload::build_graph(*workload, test::registry(), workload::Mode::Train);
        ASSERT_TRUE(graph) << graph.error().line();
        graph->variables[0].initial = HostTensor::of_floats({2, 2}, std::vector<float>{3, 4, 0, -12});
        const HostTensor x = HostTensor::of_floats({1, 2}, std::vector<float>{1, 1});
        expect_output(variables_after(*graph, {x, x}).at(0), {2, 2}, expected);
    };
    const double r = 1 / std::sqrt(160);
    kernel(constraint("NonNeg"), {3, 4, 0, 0});
    kernel("non_neg", {3, 4, 0, 0});
    kernel(constraint("MaxNorm", {{"max_value", 4.0}, {"axis", 0}}), {3, 16 * r, 0, -48 * r});
    kernel(constraint("UnitNorm", {{"axis", 1}}), {0.6, 0.8, 0, -1});
    kernel(constraint("MinMaxNorm", {{"min_value", 6.0}, {"max_value", 10.0}, {"rate", 0.5}, {"axis", 1}}),
           {3 * 5.5 / 5, 4 * 5.5 / 5, 0, -11});
}

TEST_F(KerasLayers, RadialConstraintsMakeRings) {
    const auto rings = [&](std::int64_t n, const std::vector<double>& expected) {
        const Json conv =
            layer("Conv2D",
                  {{"filters", 1},
                   {"kernel_size", n},
                   {"use_bias", false},
                   {"kernel_constraint", {{"class_name", "RadialConstraint"}, {"config", Json::object()}}}});
        const auto workload = workload::read_workload(
            model({1, n, n, 1}, {conv, layer("Flatten", Json::object())}),
            {"fit.batch_size=1", "compile.loss=mse", "compile.optimizer.learning_rate=0.0"});
        ASSERT_TRUE(workload) << workload.error().line();
        auto graph = workload::build_graph(*workload, test::registry(), workload::Mode::Train);
        ASSERT_TRUE(graph) << graph.error().line();
        std::vector<float> elements(static_cast<std::size_t>(n * n));
        std::iota(elements.begin(), elements.end(), 0.0F);
        graph->variables[0].initial = HostTensor::of_floats({n, n, 1, 1}, elements);
        const HostTensor x = HostTensor::of_floats({1, n, n, 1}, elements);
        expect_output(
            variables_after(*graph, {x, HostTensor::of_floats({1, 1}, std::vector<float>{0})}).at(0),
            {n, n, 1, 1}, expected);
    };
    // Element (i, i) of 4 x 4 is 5 i: the middle takes 1, 1, the rim 3, 3.
    rings(4, {15, 15, 15, 15, 15, 5, 5, 15, 15, 5, 5, 15, 15, 15, 15, 15});
    // Of 3 x 3 it is 4 i: the middle takes 0, 0, the rim 1, 1.
    rings(3, {4, 4, 4, 4, 0, 4, 4, 4, 4});
}

/// Two branches of a nested model that is called twice, and a dot product of what they make.
TEST_F(KerasLayers, ANestedModelMayBeShared) {
    const auto tensor = [](const std::string& name, int number) { return Json::array({name, number, 0}); };
    const auto call = [](Json input) {
        input.push_back(Json::object());
        return Json::array({input});
    };
    const auto input = [](const std::string& name) {
        return Json{{"class_name", "InputLayer"},
                    {"name", name},
                    {"config", {{"name", name}, {"batch_input_shape", {nullptr, 2}}}},
                    {"inbound_nodes", Json::array()}};
    };
    const Json inner{{"class_name", "Functional"},
                     {"name", "tower"},
                     {"config",
                      {{"name", "tower"},
                       {"layers",
                        {input("t"), Json{{"class_name", "Dense"},
                                          {"name", "d"},
                                          {"config", {{"name", "d"}, {"units", 2}, {"use_bias", false}}},
                                          {"inbound_nodes", Json::array({call(tensor("t", 0))})}}}},
                       {"input_layers", Json::array({tensor("t", 0)})},
                       {"output_layers", Json::array({tensor("d", 0)})}}},
                     {"inbound_nodes", Json::array({call(tensor("a", 0)), call(tensor("b", 0))})}};
    Json both = Json::array({tensor("tower", 1), tensor("tower", 2)});
    for (Json& each : both)
        each.push_back(Json::object());
    const Json dot{{"class_name", "Dot"},
                   {"name", "dot"},
                   {"config", {{"name", "dot"}, {"axes", 1}, {"normalize", false}}},
                   {"inbound_nodes", Json::array({both})}};
    const Json outer{{"class_name", "Functional"},
                     {"config",
                      {{"name", "outer"},
                       {"layers", {input("a"), input("b"), inner, dot}},
                       {"input_layers", Json::array({tensor("a", 0), tensor("b", 0)})},
                       {"output_layers", Json::array({tensor("dot", 0)})}}}};
    std::ofstream(folder / "outer.json") << outer;
    const auto workload = workload::read_workload(folder / "outer.json", {"fit.batch_size=1"});
    ASSERT_TRUE(workload) << workload.error().line();
    auto graph = workload::build_graph(*workload, test::registry(), workload::Mode::Evaluate);
    ASSERT_TRUE(graph) << graph.error().line();
    ASSERT_EQ(graph->variables.size(), 1U);
    graph->variables[0].initial = HostTensor::of_floats({2, 2}, std::vector<float>{1, 0, 0, 2});
    const auto values = test::run(*graph, {HostTensor::of_floats({1, 2}, std::vector<float>{1, 2}),
                                           HostTensor::of_floats({1, 2}, std::vector<float>{3, 5})});
    EXPECT_EQ(values[static_cast<std::size_t>(graph->fetches[0].value.value)].at(0), 1 * 3 + 4 * 10);
    const auto summary = workload::summarise(*workload, test::registry());
    ASSERT_TRUE(summary) << summary.error().line();
    std::vector<std::string> names;
    for (const graph::Layer& row : summary->layers)
        names.push_back(row.name);
    EXPECT_EQ(names, (std::vector<std::string>{"a", "b", "tower", "dot"}));
    EXPECT_EQ(summary->parameters, 4);
}

// Of n numbers with a variance of 2 / 50, of which a normal distribution has .0455 beyond twice its
// deviation; one that is cut there is widened by 1 / .8796 for the same variance.
TEST_F(KerasLayers, BeginWithTheDistributionThatVarianceScalingNames) {
    const graph::TensorType type{graph::DType::Float32, {50, 800}};
    const auto initial = [&](const std::string& distribution) {
        const Json config{{"scale", 2.0}, {"mode", "fan_in"}, {"distribution", distribution}};
        return initialise({{"class_name", "VarianceScaling"}, {"config", config}}, type, 7, "kernel");
    };
    const double deviation = std::sqrt(2.0 / 50);
    for (const auto& [distribution, beyond, most] :
         {std::tuple{"untruncated_normal", 0.0455, 10.0}, std::tuple{"truncated_normal", 0.0346, 2 / 0.8796},
          std::tuple{"normal", 0.0346, 2 / 0.8796}, std::tuple{"uniform", 0.0, std::sqrt(3.0)}}) {
        const graph::HostTensor values = initial(distribution)->make();
        double squares = 0;
        double far = 0;
        double highest = 0;
        for (std::int64_t i = 0; i < values.elements(); ++i) {
            const double x = values.at(i) / deviation;
            squares += x * x;
            far += std::fabs(x) > 2 ? 1 : 0;
            highest = std::max(highest, std::fabs(x));
        }
        const auto n = static_cast<double>(values.elements());
        EXPECT_NEAR(squares / n, 1, 0.03) << distribution;
        EXPECT_NEAR(far / n, beyond, 0.004) << distribution;
        EXPECT_LT(highest, most * 1.0002) << distribution;
    }
    expect_parts(initial("untruncated").error().line(),
                 {"distribution \"untruncated\"", "\"untruncated_normal\""});
}

} // namespace
} // namespace tilescope::keras
