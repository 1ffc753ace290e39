// SPDX-License-Identifier: GPL-3.0-or-later
#include "build_paths.h"
#include "operators/operators.h"
#include "tests/temporary_folder.h"
#include "workload/workload.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace tilescope;
using nlohmann::json;

namespace {

const graph::OperatorRegistry& registry() {
    static const auto all = operators::standard_operators();
    return all;
}

const std::string samples = TILESCOPE_SOURCE_DIR "/samples/";

struct Workloads : testing::Test {
    tests::TemporaryFolder folder;

    std::string write(const std::string& name, const std::string& text) {
        std::ofstream(folder / name) << text;
        return folder / name;
    }
    /// The line that reading and building a file ends with; "" where all went well.
    std::string line(const std::string& path, const workload::Overrides& overrides = {}) {
        const auto workload = workload::read_workload(path, overrides);
        if (!workload) {
            EXPECT_EQ(exit_code(workload.error().kind), 3);
            return workload.error().line();
        }
        const auto graph = workload::build_graph(*workload, registry(), workload::Mode::Train);
        if (!graph) {
            EXPECT_EQ(exit_code(graph.error().kind), 3);
            return graph.error().line();
        }
        return {};
    }
    /// A Keras model of the given layers, written to a file.
    std::string model(json layers) {
        return write("model.json", json{{"class_name", "Sequential"},
                                        {"config", {{"name", "model"}, {"layers", std::move(layers)}}}}
                                       .dump());
    }
};

json layer(const std::string& kind, json config) {
    config["name"] = kind + "_1";
    return {{"class_name", kind}, {"config", std::move(config)}};
}
json input(json shape, const std::string& dtype = "float32") {
    return layer("InputLayer", {{"batch_input_shape", std::move(shape)}, {"dtype", dtype}});
}

bool holds(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

} // namespace

// Eight IPUs, two stages in each of four replicas: 928 steps are 29 updates of 8 batches of each replica.
TEST_F(Workloads, HaveOneScheduleOfTheirTraining) {
    const auto w = workload::read_workload(samples + "keras_mnist_8ipu.json");
    ASSERT_TRUE(w) << w.error().line();
    const program::Schedule schedule = w->schedule();
    EXPECT_EQ(schedule.replicas, 4);
    EXPECT_EQ(schedule.ipus_per_replica, 2);
    EXPECT_EQ(schedule.accumulation, 8);
    EXPECT_EQ(schedule.pipeline, PipelineSchedule::Grouped);
    EXPECT_EQ(schedule.batches_per_update(), 32);
    EXPECT_EQ(schedule.updates_per_execution(), 29);
    workload::Workload in_turn = *w;
    in_turn.accumulation = 1;
    EXPECT_FALSE(in_turn.schedule().pipeline) << "one micro-batch goes through the stages in turn";
    workload::Workload untrained = *w;
    untrained.train.reset();
    EXPECT_EQ(untrained.schedule().ipus_per_replica, 2);
    EXPECT_EQ(untrained.schedule().replicas, 1);
    EXPECT_EQ(untrained.schedule().steps_per_execution, 1);
}

TEST_F(Workloads, SamplesAreReadWithEveryDefaultFilledIn) {
    const auto w = workload::read_workload(samples + "mnist_tf2.json");
    ASSERT_TRUE(w) << w.error().line();
    EXPECT_EQ(w->steps_per_execution, 100);
    EXPECT_EQ(w->target_version, "ipu2");
    EXPECT_TRUE(w->trains());
    // The canonical form says the same again.
    const auto again = workload::read_workload(write("again.json", w->canonical_json()));
    ASSERT_TRUE(again) << again.error().line();
    EXPECT_EQ(json::parse(again->canonical_json()).at("compile"),
              json::parse(w->canonical_json()).at("compile"));
}

// Whatever folder the program is called in.
TEST_F(Workloads, DataOfOnesOwnLieBesideTheWorkload) {
    json document = json::parse(std::ifstream(samples + "mnist_tf2.json"));
    document["model"]["keras"] = samples + document["model"]["keras"].get<std::string>();
    document["data"] = {{"train", {{"file", "data/x.npy"}, {"labels", "data/y.npy"}}},
                        {"evaluate", {{"file", "/elsewhere/data.npz"}}}};
    const std::string path = write("own.json", document.dump());
    const auto w = workload::read_workload(path);
    ASSERT_TRUE(w) << w.error().line();
    const std::filesystem::path own = std::filesystem::path(path).parent_path();
    EXPECT_EQ(w->train->file, (own / "data/x.npy").string());
    EXPECT_EQ(w->train->labels, (own / "data/y.npy").string());
    EXPECT_EQ(w->evaluate->file, "/elsewhere/data.npz");
    EXPECT_EQ(w->evaluate->labels, "");
}

TEST_F(Workloads, OverridesReplaceWhatTheFileSays) {
    const auto w = workload::read_workload(
        samples + "keras_mnist.json",
        {"fit.epochs=7", "compile.optimizer={\"name\": \"adam\"}", "ipu_config.ipu_model.tiles_per_ipu=64"});
    ASSERT_TRUE(w) << w.error().line();
    EXPECT_EQ(w->epochs, 7);
    EXPECT_EQ(w->optimiser, "adam");
    EXPECT_EQ(w->target.figures.at("tiles_per_ipu"), 64);
}

TEST_F(Workloads, UnknownKeysAreNamedWithTheNearest) {
    const std::string text = line(samples + "keras_mnist.json", {"fit.epoch=2"});
    EXPECT_TRUE(holds(text, "epoch")) << text;
    EXPECT_TRUE(holds(text, "epochs")) << text;
}

TEST_F(Workloads, SyntaxErrorsHaveLineAndColumn) {
    const std::string text = line(write("w.json", "{\n  \"name\": \"a\",\n  \"fit\": {,}\n}\n"));
    EXPECT_TRUE(holds(text, "line 3")) << text;
}

TEST_F(Workloads, MissingFilesAreNamed) {
    EXPECT_TRUE(holds(line(folder / "none.json"), "none.json"));
    EXPECT_TRUE(holds(line(samples + "keras_mnist.json", {"model.keras=nowhere.json"}), "nowhere.json"));
}

TEST_F(Workloads, WrongTypesAreNamedWithTheirPath) {
    const std::string text = line(samples + "keras_mnist.json", {"fit.epochs=\"three\""});
    EXPECT_TRUE(holds(text, "fit.epochs")) << text;
    EXPECT_FALSE(line(samples + "keras_mnist.json", {"fit.batch_size=0"}).empty());
    EXPECT_FALSE(line(samples + "keras_mnist.json", {"fit.batch_size=-64"}).empty());
}

TEST_F(Workloads, WhatTheDeviceLacksIsRefusedAtTheLayer) {
    std::string text = line(model({input({nullptr, 4}), layer("Telepathy", {{"units", 3}})}));
    EXPECT_TRUE(holds(text, "Telepathy_1")) << text;
    text = line(model({input({nullptr, 4}, "uint8"), layer("Dense", {{"units", 3}})}));
    EXPECT_TRUE(holds(text, "uint8")) << text;
    text = line(model({input({nullptr, nullptr, 4}), layer("Dense", {{"units", 3}})}));
    EXPECT_TRUE(holds(text, "static")) << text;
}

TEST_F(Workloads, DamagedModelsAreRefusedInOneLine) {
    for (const char* text : {"{}", "[]", "3", R"({"class_name": "Sequential"})",
                             R"({"class_name": "Sequential", "config": {"layers": []}})",
                             R"({"class_name": "Sequential", "config": {"layers": [1, 2]}})"}) {
        const std::string said = line(write("damaged.json", text));
        EXPECT_FALSE(said.empty()) << text;
        EXPECT_FALSE(holds(said, "\n")) << said;
    }
}

/// Extents whose products go beyond 64 bits, or beyond all memory.
TEST_F(Workloads, SizesThatCannotBeAreRefusedAtTheLayer) {
    constexpr std::int64_t huge = std::int64_t{1} << 62;
    constexpr std::int64_t large = std::int64_t{1} << 30;
    const auto refused = [&](const json& shape, const std::string& kind, const json& settings) {
        return line(model({input(shape), layer(kind, settings)}));
    };
    const std::string at_layer = folder / "model.json" + ": layer ";
    EXPECT_EQ(refused({nullptr, huge, huge}, "Flatten", json::object()),
              at_layer +
                  "InputLayer_1: makes a tensor of shape [32, 4611686018427387904, 4611686018427387904], "
                  "more than an IPU can hold; use a smaller batch or model");
    EXPECT_EQ(refused({nullptr, 4}, "Dense", {{"units", huge}}),
              at_layer +
                  "Dense_1: \"units\" is not a whole number from 1 to 1073741824: 4611686018427387904");
    EXPECT_EQ(refused({nullptr, 1024}, "Dense", {{"units", large}}),
              at_layer +
                  "Dense_1: makes a tensor of shape [1024, 1073741824], more than an IPU can hold; use a "
                  "smaller batch or model");
    EXPECT_NE(refused({nullptr, 4}, "RepeatVector", {{"n", large}}), "");
    EXPECT_NE(refused({nullptr, 4, 4, 1}, "UpSampling2D", {{"size", large}}), "");
    EXPECT_NE(refused({nullptr, 4, 4, 1}, "ZeroPadding2D", {{"padding", huge}}), "");
    EXPECT_NE(refused({nullptr, 4, 4, 1}, "Conv2DTranspose",
                      {{"filters", large}, {"kernel_size", large}, {"strides", large}}),
              "");
    EXPECT_EQ(refused({nullptr, 1000000, 1}, "LSTM", {{"units", 1}}),
              at_layer + "LSTM_1: a loop of 1000000 steps is too long; use sequences of at most 65536 steps");
    EXPECT_NE(line(model({input({nullptr, 4}), layer("Dense", {{"units", 4}})}),
                   {"fit.batch_size=1" + std::string(18, '0')}),
              "");
}

/// A model in a model whose first layer has no class; a layer whose class is no text.
TEST_F(Workloads, LayersWithoutAClassAreRefused) {
    const json classless{{"config", {{"name", "i"}, {"batch_shape", {nullptr, 4}}}}};
    const json inner{{"class_name", "Sequential"},
                     {"config", {{"name", "inner"}, {"layers", {classless, classless}}}}};
    EXPECT_TRUE(holds(line(model({inner, layer("Dense", {{"units", 2}})})), "a layer without class_name"));
    const std::string path =
        model({json{{"class_name", 5}, {"config", json::object()}}, input({nullptr, 4})});
    const std::string text = line(write("w.json", R"({"model": {"keras": "model.json", "shards": [0]}})"));
    EXPECT_TRUE(holds(text, path)) << text;
}

TEST_F(Workloads, BracketsWithoutEndAreRefused) {
    EXPECT_EQ(line(write("deep.json", std::string(100000, '['))),
              folder / "deep.json" + ": has more than 256 brackets in each other; nest less deeply");
    EXPECT_EQ(line(write("deep.json", std::string(1000, '[') + std::string(1000, ']'))),
              folder / "deep.json" + ": has more than 256 brackets in each other; nest less deeply");
}

TEST_F(Workloads, ASmallGraphsNumbersAreChecked) {
    const auto graph = [&](const std::string& node, const std::string& feed = R"({"shape": [2, 2]})") {
        return line(write("g.json", R"({"graph": {"nodes": [{"name": "o", "inputs": ["x"], )" + node +
                                        R"(}], "feeds": {"x": )" + feed + R"(}, "fetches": ["o"]}})"));
    };
    const std::string place = folder / "g.json" + ": ";
    EXPECT_EQ(graph(R"("op": "reduce_sum", "attributes": {"axes": "all"})"),
              place +
                  "node o: attribute \"axes\" is of another type than \"reduce_sum\" expects; see the page "
                  "about operators");
    EXPECT_EQ(graph(R"("op": "reshape", "attributes": {"shape": [-2, -2]})"),
              place + "node o: makes a tensor of shape [-2, -2]; use extents of at least 0");
    EXPECT_NE(graph(R"("op": "pad", "attributes": {"before": [4611686018427387904, 0], "after": [0, 0]})"),
              "");
    EXPECT_NE(graph(R"("op": "broadcast_to", "attributes": {"shape": [1000000000, 1000000000, 2, 2]})"), "");
    EXPECT_NE(graph(R"("op": "relu")", R"({"shape": [1000000000, 1000000000, 1000000000]})"), "");
    EXPECT_NE(graph(R"("op": "dropout")", R"({"shape": [4], "dtype": "bool"})"), "");
    EXPECT_EQ(graph(R"("op": "relu")"), "");
}

TEST_F(Workloads, StagesThatNoSystemHasAreRefused) {
    EXPECT_TRUE(
        holds(line(samples + "keras_mnist.json", {"model.shards=9000000000000000000"}), "from 2 to 256"));
}

TEST_F(Workloads, ASmallGraphsNodesAreChecked) {
    const std::string text = line(write("g.json", R"({"graph": {
        "nodes": [{"name": "o", "op": "add", "inputs": ["a", "x"]}],
        "feeds": {"a": [1, 2]}, "fetches": ["o"]}})"));
    EXPECT_TRUE(holds(text, "\"x\"")) << text;
}

// The totals that the Keras tutorial prints for its CNN.
TEST(KerasModels, TheTutorialsCnnHasTheParametersItPrints) {
    const auto w = workload::read_workload(samples + "keras_mnist.json");
    const auto summary = workload::summarise(*w, registry());
    ASSERT_TRUE(summary) << summary.error().line();
    EXPECT_EQ(summary->parameters, 34826);
    std::vector<std::int64_t> each;
    for (const auto& row : summary->layers)
        if (row.parameters > 0)
            each.push_back(row.parameters);
    EXPECT_EQ(each, (std::vector<std::int64_t>{320, 18496, 16010}));
}

/// Real files by other Keras versions, read as TensorFlow.js reads them.
class RealKerasModels : public testing::TestWithParam<const char*> {};

TEST_P(RealKerasModels, HaveTheLayersThatTensorFlowJsReads) {
    const std::string shared = TILESCOPE_SOURCE_DIR "/../shared/keras-models/";
    if (!std::ifstream(shared + GetParam() + ".json"))
        GTEST_SKIP() << "no folder of real Keras models beside the checkout";
    const auto w = workload::read_workload(shared + GetParam() + ".json");
    ASSERT_TRUE(w) << w.error().line();
    const auto summary = workload::summarise(*w, registry());
    ASSERT_TRUE(summary) << summary.error().line();
    const json expected = json::parse(std::ifstream(shared + GetParam() + ".expected.json"));
    EXPECT_EQ(summary->parameters, expected.at("total").get<std::int64_t>());
    EXPECT_EQ(summary->trainable, expected.at("trainable").get<std::int64_t>());
    json rows = expected.at("layers");
    if (json::parse(w->keras).at("class_name") == "Sequential") // whose inputs Keras does not list
        rows.erase(std::remove_if(rows.begin(), rows.end(),
                                  [](const json& row) { return row.at("class") == "InputLayer"; }),
                   rows.end());
    ASSERT_EQ(summary->layers.size(), rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const graph::Layer& row = summary->layers[i];
        EXPECT_EQ(row.name, rows[i].at("name").get<std::string>());
        EXPECT_EQ(row.kind, rows[i].at("class").get<std::string>());
        EXPECT_EQ(row.parameters, rows[i].at("params").get<std::int64_t>()) << row.name;
        json shape = row.output_shape;
        shape[0] = nullptr;
        EXPECT_EQ(shape, rows[i].at("output_shape")) << row.name;
    }
}

INSTANTIATE_TEST_SUITE_P(Every, RealKerasModels,
                         testing::Values("lenet", "cnn_batchnorm", "toy_resnet", "mobilenet", "lstm_stack"),
                         [](const auto& model) { return std::string(model.param); });

// Totals without a file of expectations: FER's are those that its layers' shapes give, the others' are those
// of the same network without regularisers, and of the weights in the file.
TEST(KerasModels, RealFilesOfOtherFormsHaveTheirTotals) {
    const std::string shared = TILESCOPE_SOURCE_DIR "/../shared/keras-models/";
    if (!std::ifstream(shared + "fer.json"))
        GTEST_SKIP() << "no folder of real Keras models beside the checkout";
    for (const auto& [name, total, trainable] :
         {std::tuple{"fer.json", 5905863, 5902151}, std::tuple{"lenet_regularizers.json", 844326, 844326},
          std::tuple{"hiv_lstm.json", 226765, 226765}, std::tuple{"mnist_cnn_keras3.json", 179926, 179926},
          std::tuple{"mnist_cnn_keras3.h5", 179926, 179926}}) {
        const auto w = workload::read_workload(shared + name);
        ASSERT_TRUE(w) << w.error().line();
        const auto summary = workload::summarise(*w, registry());
        ASSERT_TRUE(summary) << summary.error().line();
        EXPECT_EQ(summary->parameters, total) << name;
        EXPECT_EQ(summary->trainable, trainable) << name;
    }
}
