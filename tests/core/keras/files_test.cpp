// SPDX-License-Identifier: GPL-3.0-or-later
#include "keras/names.h"
#include "operators/operators.h"
#include "tests/core/keras/file_writer.h"
#include "tests/temporary_folder.h"
#include "workload/workload.h"

#include <cstring>
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sstream>

namespace tilescope::keras {
namespace {

using Json = nlohmann::json;

const graph::OperatorRegistry& registry() {
    static const graph::OperatorRegistry all = operators::standard_operators();
    return all;
}

Json described(const std::string& kind, Json config) {
    return {{"class_name", kind}, {"config", std::move(config)}};
}

/// Two inputs, a hidden layer of three units, a dropout, two outputs.
Json sequential(const std::string& name = "net") {
    return described("Sequential",
                     {{"name", name},
                      {"layers",
                       {described("InputLayer", {{"name", "x"}, {"batch_input_shape", {nullptr, 2}}}),
                        described("Dense", {{"name", "hidden"}, {"units", 3}, {"activation", "relu"}}),
                        described("Dropout", {{"name", "drop"}, {"rate", 0.5}}),
                        described("Dense", {{"name", "out"}, {"units", 2}, {"use_bias", false}})}}});
}

// Values that a detour over text or another type would change.
const std::vector<float> hidden_kernel{0.1F, -0.2F, 1e-40F, 3.4e38F, -0.0F, 1.0F / 3.0F};
const std::vector<float> hidden_bias{1, 2, 3};
const std::vector<float> out_kernel{1, 2, 3, 4, 5, 6};

class KerasFiles : public testing::Test {
  protected:
    tests::TemporaryFolder folder;

    std::string write(const std::string& name, const std::string& text) const {
        std::ofstream(folder / name, std::ios::binary) << text;
        return folder / name;
    }
    static std::string content(const std::string& path) {
        std::ostringstream text;
        text << std::ifstream(path, std::ios::binary).rdbuf();
        return text.str();
    }

    /// model.h5 in the layout of `model.save()`; `root` "" for that of `model.save_weights()`.
    std::string write_h5(const std::string& name, bool fixed, const std::string& root = "model_weights",
                         const std::string& training = {}) const {
        std::string path = folder / name;
        tests::Hdf5Writer file(path);
        const std::string prefix = root.empty() ? "" : root + "/";
        if (!root.empty()) {
            file.text("", "model_config", sequential().dump());
            file.group(root);
        }
        if (!training.empty())
            file.text("", "training_config", training);
        file.texts(root, "layer_names", {"hidden", "drop", "out"}, fixed);
        file.floats(prefix + "hidden/net/hidden/kernel:0", {2, 3}, hidden_kernel);
        file.floats(prefix + "hidden/net/hidden/bias:0", {3}, hidden_bias);
        file.floats(prefix + "out/net/out/kernel:0", {3, 2}, out_kernel);
        file.group(prefix + "drop");
        file.texts(prefix + "hidden", "weight_names", {"net/hidden/kernel:0", "net/hidden/bias:0"}, fixed);
        file.no_texts(prefix + "drop", "weight_names");
        file.texts(prefix + "out", "weight_names", {"net/out/kernel:0"}, fixed);
        return path;
    }
    /// The weights of `sequential()` as Keras 3 saves them.
    std::string write_checkpoint(const std::string& name) const {
        std::string path = folder / name;
        tests::Hdf5Writer file(path);
        file.floats("layers/dense/vars/0", {2, 3}, hidden_kernel);
        file.floats("layers/dense/vars/1", {3}, hidden_bias);
        file.floats("layers/dense_1/vars/0", {3, 2}, out_kernel);
        file.group("layers/dropout/vars");
        file.floats("layers/dropout/seed_generator/vars/0", {2}, {1, 2});
        file.floats("optimizer/vars/0", {1}, {7});
        return path;
    }

    Result<graph::Graph> graph_of(const std::string& path, const workload::Overrides& overrides = {}) const {
        const auto workload = workload::read_workload(path, overrides);
        if (!workload)
            return Failure(workload.error());
        return workload::build_graph(*workload, registry(), workload::Mode::Evaluate);
    }
    void expect_weights(const std::string& path, const workload::Overrides& overrides = {}) const {
        const auto graph = graph_of(path, overrides);
        ASSERT_TRUE(graph) << graph.error().line();
        ASSERT_EQ(graph->variables.size(), 3U);
        const std::vector<std::vector<float>> expected{hidden_kernel, hidden_bias, out_kernel};
        for (std::size_t v = 0; v < expected.size(); ++v) {
            const graph::HostTensor first = graph->variables[v].initial.make();
            const auto values = first.floats();
            ASSERT_EQ(values.size(), expected[v].size());
            EXPECT_EQ(std::memcmp(values.data(), expected[v].data(), values.size_bytes()), 0)
                << graph->variables[v].name;
        }
    }
    /// What a file is refused with, as BadInput on one line.
    std::string refusal(const std::string& path, const workload::Overrides& overrides = {}) const {
        const auto graph = graph_of(path, overrides);
        if (graph)
            return "accepted";
        EXPECT_EQ(exit_code(graph.error().kind), 3);
        std::string line = graph.error().line();
        EXPECT_EQ(line.find('\n'), std::string::npos);
        return line;
    }
    static void expect_parts(const std::string& text, const std::vector<std::string>& parts) {
        for (const std::string& part : parts)
            EXPECT_NE(text.find(part), std::string::npos) << text << " should have " << part;
    }
};

TEST_F(KerasFiles, AnH5FileGivesItsWeightsBitForBit) {
    expect_weights(write_h5("fixed.h5", true));
    expect_weights(write_h5("variable.h5", false));
}

TEST_F(KerasFiles, OlderCheckpointsCountLayersTwiceAndMayHaveBackslashes) {
    write("net.json", sequential().dump());
    const auto written = [&](const std::string& name, const std::string& first, const std::string& second) {
        std::string path = folder / name;
        tests::Hdf5Writer file(path);
        file.floats(first + "/vars/0", {2, 3}, hidden_kernel);
        file.floats(first + "/vars/1", {3}, hidden_bias);
        file.floats(second + "/vars/0", {3, 2}, out_kernel);
        return workload::Overrides{"model.weights=" + path};
    };
    const std::string older = "_layer_checkpoint_dependencies";
    const std::string model = write("w.json", R"({"model": {"keras": "net.json"}})");
    expect_weights(model, written("a.weights.h5", older + "/dense", older + "/dense_2"));
    expect_weights(model, written("b.weights.h5", older + "\\dense", older + "\\dense_2"));
    expect_weights(model, written("c.weights.h5", "layers\\dense", "layers\\dense_1"));
    expect_parts(refusal(model, written("d.weights.h5", older + "/dense", older + "/conv2d")), {"dense_1"});
}

/// Weights of a layer of several parts, within a wrapper, and within an inner model, each of other values.
TEST_F(KerasFiles, PartsOfLayersHaveGroupsOfTheirOwn) {
    const Json steps =
        described("TimeDistributed",
                  {{"name", "steps"},
                   {"layer", described("Dense", {{"name", "d"}, {"units", 2}, {"use_bias", false}})}});
    Json attention = described(
        "MultiHeadAttention", {{"name", "attention"}, {"num_heads", 1}, {"key_dim", 1}, {"use_bias", false}});
    attention["inbound_nodes"] = {{{"steps", 0, 0, {{"value", {"steps", 0, 0}}}}}};
    Json wrapped = steps;
    wrapped["inbound_nodes"] = {{{"x", 0, 0, Json::object()}}};
    Json input = described("InputLayer", {{"name", "x"}, {"batch_input_shape", {nullptr, 3, 2}}});
    const Json document = described(
        "Functional",
        {{"name", "net"}, {"layers", {input, wrapped, attention}}, {"output_layers", {{"attention", 0, 0}}}});
    write("net.json", document.dump());
    for (const std::string hidden : {"", "_"}) {
        const std::string path = folder / ("parts" + hidden + ".weights.h5");
        {
            tests::Hdf5Writer file(path);
            file.floats("layers/time_distributed/layer/vars/0", {2, 2}, {1, 2, 3, 4});
            const std::string at = "layers/multi_head_attention/" + hidden;
            file.floats(at + "key_dense/vars/0", {2, 1, 1}, {7, 8});
            file.floats(at + "output_dense/vars/0", {1, 1, 2}, {11, 12});
            file.floats(at + "query_dense/vars/0", {2, 1, 1}, {5, 6});
            file.floats(at + "value_dense/vars/0", {2, 1, 1}, {9, 10});
        }
        const auto graph =
            graph_of(write("w.json", R"({"model": {"keras": "net.json"}})"), {"model.weights=" + path});
        ASSERT_TRUE(graph) << graph.error().line();
        double next = 1; // in the order in which the layers make their weights
        for (const graph::Variable& variable : graph->variables) {
            const graph::HostTensor first = variable.initial.make();
            for (std::int64_t i = 0; i < first.elements(); ++i)
                EXPECT_EQ(first.at(i), next++) << variable.name;
        }
        EXPECT_EQ(next, 13);
    }
}

TEST_F(KerasFiles, AttributesThatKerasCutsIntoPartsArePutTogether) {
    const std::string path = folder / "parts.h5";
    {
        tests::Hdf5Writer file(path);
        file.text("", "model_config", sequential().dump());
        file.group("model_weights");
        file.texts("model_weights", "layer_names0", {"hidden", "drop"});
        file.texts("model_weights", "layer_names1", {"out"});
        file.group("model_weights/drop");
        file.floats("model_weights/hidden/kernel:0", {2, 3}, hidden_kernel);
        file.floats("model_weights/hidden/bias:0", {3}, hidden_bias);
        file.floats("model_weights/out/kernel:0", {3, 2}, out_kernel);
        file.texts("model_weights/hidden", "weight_names0", {"kernel:0"});
        file.texts("model_weights/hidden", "weight_names1", {"bias:0"});
        file.texts("model_weights/out", "weight_names", {"kernel:0"});
    }
    expect_weights(path);
}

TEST_F(KerasFiles, AKerasArchiveGivesItsWeights) {
    const std::string weights = content(write_checkpoint("net.weights.h5"));
    tests::write_zip(folder / "net.keras", {{"metadata.json", R"({"keras_version": "3.10.0"})"},
                                            {"config.json", sequential().dump()},
                                            {"model.weights.h5", weights}});
    expect_weights(folder / "net.keras");
    tests::write_zip(folder / "seeded.keras", {{"config.json", sequential().dump()}});
    EXPECT_TRUE(graph_of(folder / "seeded.keras")) << "a model without weights starts from the seed";
}

TEST_F(KerasFiles, WeightsMayStandInAFileOfTheirOwn) {
    const std::string model = write("net.json", sequential().dump());
    write_checkpoint("net.weights.h5");
    write_h5("weights.h5", true, "");
    write_h5("net.h5", true);
    for (const std::string weights : {"net.weights.h5", "weights.h5", "net.h5"})
        expect_weights(model, {"model.weights=" + weights});
    const auto seeded = graph_of(folder / "net.h5", {"model.weights=false"});
    ASSERT_TRUE(seeded) << seeded.error().line();
    EXPECT_EQ(seeded->variables[1].initial.make().at(0), 0) << "biases start at zero";
}

TEST_F(KerasFiles, NestedModelsListWhatIsTrainedFirst) {
    Json frozen = described("Dense", {{"name", "frozen"}, {"units", 3}, {"trainable", false}});
    Json inner = described(
        "Sequential",
        {{"name", "inner"}, {"layers", {frozen, described("Dense", {{"name", "trained"}, {"units", 1}})}}});
    const Json outer = described(
        "Sequential",
        {{"name", "outer"},
         {"layers", {described("InputLayer", {{"name", "x"}, {"batch_shape", {nullptr, 2}}}), inner}}});
    const std::string path = folder / "nested.h5";
    {
        tests::Hdf5Writer file(path);
        file.text("", "model_config", outer.dump());
        file.group("model_weights");
        file.texts("model_weights", "layer_names", {"inner"});
        const std::vector<std::string> names{"trained/kernel:0", "trained/bias:0", "frozen/kernel:0",
                                             "frozen/bias:0"};
        file.floats("model_weights/inner/" + names[0], {3, 1}, {1, 2, 3});
        file.floats("model_weights/inner/" + names[1], {1}, {4});
        file.floats("model_weights/inner/" + names[2], {2, 3}, hidden_kernel);
        file.floats("model_weights/inner/" + names[3], {3}, hidden_bias);
        file.texts("model_weights/inner", "weight_names", names);
    }
    const auto nested = graph_of(path);
    ASSERT_TRUE(nested) << nested.error().line();
    std::map<std::string, double> first;
    for (const graph::Variable& variable : nested->variables)
        first[variable.name] = variable.initial.make().at(0);
    EXPECT_EQ(first.at("inner/trained/kernel"), 1);
    EXPECT_EQ(first.at("inner/frozen/bias"), 1);
    EXPECT_FLOAT_EQ(static_cast<float>(first.at("inner/frozen/kernel")), 0.1F);
    const auto summary = workload::summarise(*workload::read_workload(path), registry());
    ASSERT_TRUE(summary) << summary.error().line();
    ASSERT_EQ(summary->layers.size(), 1U);
    EXPECT_EQ(summary->layers[0].parameters, 13);
    EXPECT_EQ(summary->trainable, 4);
}

TEST_F(KerasFiles, WhatTheModelWasCompiledWithHoldsWhereTheWorkloadIsSilent) {
    const std::string training =
        R"({"loss": {"class_name": "CategoricalCrossentropy", "config": {"from_logits": true}},
            "metrics": ["accuracy"],
            "optimizer_config": {"class_name": "Adam", "config": {"learning_rate": 0.002, "beta_1": 0.8,
                                                                  "amsgrad": false, "decay": 0.0}}})";
    write_h5("net.h5", true, "model_weights", training);
    const std::string path = write("w.json", R"({"model": {"keras": "net.h5"},
                                                 "data": {"train": {"synthetic": true}}})");
    auto workload = workload::read_workload(path);
    ASSERT_TRUE(workload) << workload.error().line();
    EXPECT_EQ(workload->optimiser, "adam");
    EXPECT_EQ(workload->optimiser_settings.real("learning_rate"), 0.002);
    EXPECT_EQ(workload->optimiser_settings.real("beta_1"), 0.8);
    EXPECT_EQ(workload->loss, "categorical_crossentropy");
    EXPECT_TRUE(workload->from_logits);
    EXPECT_EQ(workload->metrics, std::vector<std::string>{"accuracy"});

    workload = workload::read_workload(path, {"compile.loss=mse", "compile.optimizer=sgd"});
    ASSERT_TRUE(workload) << workload.error().line();
    EXPECT_EQ(workload->optimiser, "sgd");
    EXPECT_EQ(workload->loss, "mse");
    EXPECT_FALSE(workload->from_logits);
    EXPECT_TRUE(workload::read_workload(folder / "net.h5")->loss.empty()) << "a bare model is not trained";
}

TEST_F(KerasFiles, OptimisersThatWereRegisteredAreReadByTheirOwnNames) {
    write_h5(
        "net.h5", true, "model_weights",
        R"({"loss": "mse", "optimizer_config": {"class_name": "Custom>Adam", "config": {"beta_1": 0.8}}})");
    const auto workload = workload::read_workload(
        write("w.json", R"({"model": {"keras": "net.h5"}, "data": {"train": {"synthetic": true}}})"));
    ASSERT_TRUE(workload) << workload.error().line();
    EXPECT_EQ(workload->optimiser, "adam");
    EXPECT_EQ(workload->optimiser_settings.real("beta_1"), 0.8);
}

TEST_F(KerasFiles, OptimisersThatTheDeviceLacksAreRefusedByName) {
    write_h5("net.h5", true, "model_weights",
             R"({"loss": "mse", "optimizer_config": {"class_name": "Adam", "config": {"use_ema": true}}})");
    const std::string path = write("w.json", R"({"model": {"keras": "net.h5"},
                                                 "data": {"train": {"synthetic": true}}})");
    expect_parts(refusal(path), {"w.json", "use_ema"});
}

TEST_F(KerasFiles, TruncatedAndForeignFilesAreRefusedInOneLine) {
    const std::string whole = content(write_h5("whole.h5", true));
    for (const std::size_t size : {std::size_t{8}, std::size_t{100}, whole.size() / 2, whole.size() - 1})
        expect_parts(refusal(write("cut.h5", whole.substr(0, size))), {"cut.h5: "});
    tests::write_zip(folder / "net.keras",
                     {{"config.json", sequential().dump()}, {"model.weights.h5", whole.substr(0, 500)}});
    expect_parts(refusal(folder / "net.keras"), {"net.keras", "damaged"});
    const std::string archive = content(folder / "net.keras");
    expect_parts(refusal(write("cut.keras", archive.substr(0, archive.size() / 2))),
                 {"cut.keras", "damaged"});
    tests::write_zip(folder / "other.zip", {{"readme.txt", "hello"}});
    expect_parts(refusal(folder / "other.zip"), {"other.zip", "config.json"});
    expect_parts(refusal(write("picture.png", "\x89PNG\r\n\x1a\n....")), {"picture.png", "not valid JSON"});
    expect_parts(refusal(write_h5("weights.h5", true, "")),
                 {"weights.h5", "no Keras model", "model.weights"});
}

TEST_F(KerasFiles, BytesThatWereChangedNeverCrash) {
    const std::string whole = content(write_h5("whole.h5", true));
    for (std::size_t at = 8; at < whole.size(); at += 131) {
        std::string changed = whole;
        changed[at] = static_cast<char>(changed[at] ^ 0xFF);
        (void)graph_of(write("changed.h5", changed));
    }
}

// A heap of texts that says it is larger than it is: HDF5 1.10 looks for its end for ever.
TEST_F(KerasFiles, DamageThatHdf5NeverGetsPastIsRefused) {
    std::string bytes = content(write_h5("whole.h5", false));
    const std::size_t heap = bytes.find("GCOL");
    ASSERT_NE(heap, std::string::npos);
    constexpr std::size_t size_at = 8; // of the heap, 64 bits: 4,096
    ASSERT_EQ(bytes[heap + size_at + 1], 0x10);
    bytes[heap + size_at + 1] = 0x18;
    expect_parts(refusal(write("endless.h5", bytes)), {"endless.h5: ", "HDF5 cannot read the file", "; "});
}

TEST_F(KerasFiles, WeightsLargerThanAnyIpuAreRefused) {
    const std::string path = folder / "large.h5";
    {
        tests::Hdf5Writer file(path);
        file.text("", "model_config", sequential().dump());
        file.no_floats("model_weights/hidden/kernel:0", {1U << 20, 1U << 20});
    }
    expect_parts(refusal(path), {"large.h5: ", "unpacks to more than ", "; "});
}

// A few kilobytes that would fill the memory: as text, packed, or as numbers that nobody wrote.
TEST_F(KerasFiles, WhatUnpacksToFarMoreThanItsSizeIsRefused) {
    constexpr std::size_t above = (std::size_t{64} << 20) + 1;
    const std::string config = sequential().dump();
    tests::write_zip(folder / "bomb.keras",
                     {{"config.json", config}, {"model.weights.h5", std::string(above, 'x')}});
    ASSERT_LT(std::filesystem::file_size(folder / "bomb.keras"), 1U << 20);
    expect_parts(refusal(folder / "bomb.keras"),
                 {"bomb.keras: ", "\"model.weights.h5\" in the archive unpacks to more than ", "; "});
    tests::write_zip(folder / "text.keras", {{"config.json", std::string(above, ' ')}});
    expect_parts(refusal(folder / "text.keras"),
                 {"\"config.json\" in the archive unpacks to more than ", "; "});
    tests::write_zip(folder / "long.keras", {{"config.json", std::string(above / 2, ' ') + config}});
    expect_parts(refusal(folder / "long.keras"),
                 {"long.keras: config.json: ", "is longer than 16 MiB", "; "});
    {
        tests::Hdf5Writer file(folder / "unwritten.h5");
        file.text("", "model_config", config);
        for (const char* name : {"a", "b", "c"}) // together more than they may be
            file.no_floats(std::string("model_weights/hidden/") + name, {6, 1U << 20});
    }
    expect_parts(refusal(folder / "unwritten.h5"), {"unwritten.h5: the file unpacks to more than ", "; "});
    tests::write_zip(folder / "within.keras",
                     {{"config.json", config}, {"model.weights.h5", content(folder / "unwritten.h5")}});
    expect_parts(refusal(folder / "within.keras"),
                 {"within.keras: model.weights.h5: the file unpacks to more than "});
}

TEST_F(KerasFiles, TextsThatAreTooLongOrTooDeepAreRefused) {
    expect_parts(refusal(write("long.json", std::string(17 << 20, ' '))),
                 {"long.json: is longer than 16 MiB", "; "});
    expect_parts(refusal(write("deep.json", std::string(100000, '['))),
                 {"deep.json: has more than 256 brackets"});
    std::string quoted = sequential().dump(); // brackets in a text are letters
    quoted.insert(1, "\"note\": \"\\\"" + std::string(300, '[') + "\", ");
    EXPECT_TRUE(nlohmann::json::accept(quoted));
    EXPECT_EQ(refusal(write("quoted.json", quoted)).find("brackets"), std::string::npos);
}

TEST_F(KerasFiles, WeightsOfAnotherModelAreRefused) {
    write_h5("net.h5", true);
    Json wider = sequential();
    wider["config"]["layers"][1]["config"]["units"] = 4;
    expect_parts(refusal(write("wider.json", wider.dump()), {"model.weights=net.h5"}),
                 {"net.h5", "hidden", "[2, 3]", "[2, 4]"});
    Json renamed = sequential();
    renamed["config"]["layers"][1]["config"]["name"] = "hiden";
    expect_parts(refusal(write("renamed.json", renamed.dump()), {"model.weights=net.h5"}),
                 {"net.h5", "\"hidden\"", "\"hiden\""});
    write_checkpoint("net.weights.h5");
    Json unbiased = sequential();
    unbiased["config"]["layers"][1]["config"]["use_bias"] = false;
    expect_parts(refusal(write("unbiased.json", unbiased.dump()), {"model.weights=net.weights.h5"}),
                 {"net.weights.h5", "layers/dense", "2 weights", "1"});
    expect_parts(refusal(folder / "net.h5", {"model.weights=none.h5"}), {"none.h5", "no such file"});
}

TEST(KerasNames, FollowTheRuleOfKeras) {
    for (const auto& [name, expected] :
         std::map<std::string, std::string>{{"Conv2D", "conv2d"},
                                            {"MaxPooling2D", "max_pooling2d"},
                                            {"Conv2DTranspose", "conv2d_transpose"},
                                            {"BatchNormalization", "batch_normalization"},
                                            {"LeakyReLU", "leaky_re_lu"},
                                            {"PReLU", "p_re_lu"},
                                            {"LSTM", "lstm"},
                                            {"glorot_uniform", "glorot_uniform"}})
        EXPECT_EQ(snake_case(name), expected);
}

} // namespace
} // namespace tilescope::keras
