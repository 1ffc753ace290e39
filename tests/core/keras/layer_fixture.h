// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "operators/operators.h"
#include "tests/core/operators/graph_runner.h"
#include "tests/temporary_folder.h"
#include "workload/workload.h"

#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace tilescope::keras {

using Json = nlohmann::json;
using graph::HostTensor;
using graph::Shape;

inline Json layer(const std::string& kind, Json config) {
    config["name"] = "layer";
    return {{"class_name", kind}, {"config", std::move(config)}};
}

/// A layer of a Functional model.
inline Json node(const std::string& kind, const std::string& name, Json config, Json inbound) {
    config["name"] = name;
    return {{"class_name", kind}, {"name", name}, {"config", std::move(config)}, {"inbound_nodes", inbound}};
}
inline Json input_node(const std::string& name, Json shape, const std::string& dtype = "float32") {
    return node("InputLayer", name, {{"batch_input_shape", std::move(shape)}, {"dtype", dtype}},
                Json::array());
}
/// The first output of a layer's first call, as Keras 2 names it.
inline Json of(const std::string& name, Json arguments = Json::object(), int output = 0) {
    return Json::array({name, 0, output, std::move(arguments)});
}

/// Models of a few layers, computed.
class KerasLayerTest : public testing::Test {
  protected:
    tests::TemporaryFolder folder;

    /// A model of an input and these layers.
    std::string model(const Shape& input, std::vector<Json> layers) const {
        Json shape = input;
        shape[0] = nullptr;
        layers.insert(layers.begin(), Json{{"class_name", "InputLayer"},
                                           {"config", {{"name", "x"}, {"batch_input_shape", shape}}}});
        std::ofstream(folder / "model.json")
            << Json{{"class_name", "Sequential"}, {"config", {{"name", "net"}, {"layers", layers}}}};
        return folder / "model.json";
    }
    Result<graph::Graph> graph_of(const Shape& input, const std::vector<Json>& layers,
                                  workload::Mode mode = workload::Mode::Evaluate) const {
        const auto workload =
            workload::read_workload(model(input, layers), {"fit.batch_size=" + std::to_string(input[0])});
        if (!workload)
            return Failure(workload.error());
        return workload::build_graph(*workload, test::registry(), mode);
    }
    /// The output for an input of 0, 1, 2 …, or of these values, with all weights at `weights`.
    HostTensor output(const Shape& input, const std::vector<Json>& layers, std::vector<float> x = {},
                      const std::vector<float>& weights = {},
                      workload::Mode mode = workload::Mode::Evaluate) const {
        auto graph = graph_of(input, layers, mode);
        EXPECT_TRUE(graph) << graph.error().line();
        if (!graph)
            return {};
        for (std::size_t i = x.size(); i < static_cast<std::size_t>(graph::element_count(input)); ++i)
            x.push_back(static_cast<float>(i));
        return fetched(*graph, {HostTensor::of_floats(input, x)}, weights).at(0);
    }
    /// What a Functional model of these layers gives, by the names of its outputs: description as in a file.
    std::map<std::string, HostTensor> outputs(const std::vector<Json>& layers, const Json& outputs,
                                              const std::vector<HostTensor>& feeds,
                                              const std::vector<float>& weights = {}) const {
        auto graph = graph_of_functional(layers, outputs, feeds.at(0).shape().at(0));
        EXPECT_TRUE(graph) << graph.error().line();
        std::map<std::string, HostTensor> result;
        if (!graph)
            return result;
        const auto values = fetched(*graph, feeds, weights);
        for (std::size_t i = 0; i < values.size(); ++i)
            result[graph->fetches[i].name] = values[i];
        return result;
    }
    Result<graph::Graph> graph_of_functional(const std::vector<Json>& layers, const Json& outputs,
                                             std::int64_t batch, std::vector<std::string> settings = {},
                                             workload::Mode mode = workload::Mode::Evaluate) const {
        std::ofstream(folder / "model.json")
            << Json{{"class_name", "Functional"},
                    {"config", {{"name", "net"}, {"layers", layers}, {"output_layers", outputs}}}};
        settings.push_back("fit.batch_size=" + std::to_string(batch));
        const auto workload = workload::read_workload(folder / "model.json", settings);
        if (!workload)
            return Failure(workload.error());
        return workload::build_graph(*workload, test::registry(), mode);
    }
    /// The values of all fetches, with the variables' elements in turn at `weights`.
    static std::vector<HostTensor> fetched(graph::Graph& graph, const std::vector<HostTensor>& feeds,
                                           const std::vector<float>& weights) {
        std::size_t at = 0;
        for (graph::Variable& variable : graph.variables) {
            HostTensor first = variable.initial.make();
            for (std::int64_t i = 0; i < first.elements() && at < weights.size(); ++i)
                first.set(i, static_cast<double>(weights[at++]));
            variable.initial = first;
        }
        const auto values = test::run(graph, feeds);
        std::vector<HostTensor> result;
        for (const graph::Fetch& fetch : graph.fetches)
            result.push_back(values[static_cast<std::size_t>(fetch.value.value)]);
        return result;
    }
    static void expect_output(const HostTensor& y, const Shape& shape, const std::vector<double>& expected) {
        EXPECT_EQ(y.shape(), shape);
        ASSERT_EQ(y.elements(), static_cast<std::int64_t>(expected.size()));
        for (std::size_t i = 0; i < expected.size(); ++i)
            EXPECT_NEAR(y.at(static_cast<std::int64_t>(i)), expected[i], 1e-5) << "element " << i;
    }
    std::string refusal(const Shape& input, const std::vector<Json>& layers) const {
        const auto graph = graph_of(input, layers);
        return graph ? "accepted" : graph.error().line();
    }
    static void expect_parts(const std::string& text, const std::vector<std::string>& parts) {
        for (const std::string& part : parts)
            EXPECT_NE(text.find(part), std::string::npos) << text << " should have " << part;
    }
};

} // namespace tilescope::keras
