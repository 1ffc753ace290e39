// SPDX-License-Identifier: GPL-3.0-or-later
// Layers whose products and look-ups are done in parts, beside those that do them at once.
#include "compile/compiler.h"
#include "prepare/data_sets.h"
#include "run/executor.h"
#include "tests/core/operators/graph_runner.h"
#include "workload/workload.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace tilescope {
namespace {

using Json = nlohmann::json;

Json described(const std::string& kind, const std::string& name, Json config, const Json& more) {
    config["name"] = name;
    config.update(more);
    return {{"class_name", kind}, {"config", std::move(config)}};
}

/// Two dense layers over a digit's 784 numbers.
Json digits_model(const std::string& kind, const Json& first, const Json& second) {
    return {{"class_name", "Sequential"},
            {"config",
             {{"name", "digits"},
              {"layers",
               Json::array({{{"class_name", "InputLayer"},
                             {"config", {{"name", "x"}, {"batch_input_shape", Json::array({nullptr, 784})}}}},
                            described(kind, "hidden", {{"units", 64}, {"activation", "relu"}}, first),
                            described(kind, "out", {{"units", 10}, {"activation", "softmax"}}, second)})}}}};
}

graph::Graph graph_of(const Json& model) {
    const Json text{{"name", "serial"},
                    {"model", {{"keras", model}}},
                    {"compile",
                     {{"optimizer", {{"name", "sgd"}, {"learning_rate", 0.1}}},
                      {"loss", "sparse_categorical_crossentropy"}}},
                    {"fit", {{"batch_size", 16}}}};
    const auto workload = workload::parse_workload(text.dump(), "serial.json");
    EXPECT_TRUE(workload) << (workload ? "" : workload.error().line());
    auto graph = workload::build_graph(*workload, test::registry(), workload::Mode::Train);
    EXPECT_TRUE(graph) << (graph ? "" : graph.error().line());
    return graph ? std::move(*graph) : graph::Graph();
}

struct Outcome {
    std::vector<double> losses;
    std::int64_t serial = 0; ///< products in parts
};

Outcome trained(const Json& model) {
    compile::Options options;
    options.host_only = true;
    const auto executable = compile::compile(graph_of(model), test::registry(), options);
    EXPECT_TRUE(executable) << executable.error().line();
    Outcome outcome;
    for (const graph::Operation& op : executable->graph.operations())
        outcome.serial += op.attributes.integer("serialization_factor", 1) > 1 ? 1 : 0;
    const run::DataSet data = prepare::synthetic_digits(1600, prepare::Split::Train, 1);
    WorkerPool pool(2);
    run::Weights weights;
    run::Executor executor(executable->graph, test::registry(), pool, weights);
    for (std::int64_t step = 0; step < 100; ++step) {
        std::vector<std::int64_t> samples;
        for (std::int64_t i = 0; i < 16; ++i)
            samples.push_back(16 * step + i);
        run::gather(data, samples, executor.feed(0), executor.feed(1));
        executor.step({1, static_cast<std::uint64_t>(step), 0, true});
        outcome.losses.push_back(executor.fetched(0).at(0));
    }
    return outcome;
}

Json parts(int factor, const char* dimension) {
    return {{"serialization_factor", factor}, {"serialization_dimension", dimension}};
}

} // namespace

TEST(SerialLayers, SerialDenseTrainsToTheLossesOfDense) {
    const Outcome plain = trained(digits_model("Dense", Json::object(), Json::object()));
    EXPECT_LT(plain.losses.back(), plain.losses.front());
    EXPECT_EQ(plain.serial, 0);
    const Outcome serial =
        trained(digits_model("SerialDense", parts(8, "input_rows_kernel_columns"), parts(5, "kernel_rows")));
    EXPECT_EQ(serial.losses, plain.losses);
    EXPECT_EQ(serial.serial, 5) << "both products, the gradients of both kernels, and of what is between";
    EXPECT_EQ(
        trained(digits_model("SerialDense", parts(4, "input_columns"), parts(2, "input_columns"))).losses,
        plain.losses);
}

} // namespace tilescope
