// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/keras/file_writer.h"
#include "tests/fuzz/seeds.h"
#include "tests/temporary_folder.h"

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

namespace tilescope::tests {
namespace {

using Json = nlohmann::json;

std::string content(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
}

Json layer(const std::string& kind, Json config) {
    return {{"class_name", kind}, {"config", std::move(config)}};
}

/// A model of an input [null, extents…] and layers, whose settings are JSON.
std::string sequential(const Json& extents, const std::vector<std::pair<std::string, std::string>>& layers) {
    Json shape = Json::array({nullptr});
    shape.insert(shape.end(), extents.begin(), extents.end());
    Json list = Json::array({layer("InputLayer", {{"name", "x"}, {"batch_input_shape", shape}})});
    for (const auto& [kind, settings] : layers) {
        Json config = Json::parse(settings);
        config["name"] = "l" + std::to_string(list.size());
        list.push_back(layer(kind, std::move(config)));
    }
    return layer("Sequential", {{"name", "m"}, {"layers", list}}).dump();
}

/// Two branches of one input, joined.
std::string functional() {
    return R"({"class_name": "Functional", "config": {"name": "f", "layers": [
        {"class_name": "InputLayer", "name": "x", "config": {"name": "x", "batch_input_shape": [null, 4]},
         "inbound_nodes": []},
        {"class_name": "Dense", "name": "a", "config": {"name": "a", "units": 3},
         "inbound_nodes": [[["x", 0, 0, {}]]]},
        {"class_name": "Dense", "name": "b", "config": {"name": "b", "units": 3, "activation": "gelu"},
         "inbound_nodes": [[["x", 0, 0, {}]]]},
        {"class_name": "Concatenate", "name": "c", "config": {"name": "c", "axis": -1},
         "inbound_nodes": [[["a", 0, 0, {}], ["b", 0, 0, {}]]]}],
        "input_layers": [["x", 0, 0]], "output_layers": [["c", 0, 0]]}})";
}

/// A model in a model, as Keras 3 writes it.
std::string nested() {
    return R"({"class_name": "Sequential", "config": {"name": "outer", "layers": [
        {"class_name": "Sequential", "config": {"name": "inner", "layers": [
            {"class_name": "InputLayer", "config": {"name": "i", "batch_shape": [null, 4],
                "dtype": "float32"}},
            {"class_name": "Dense", "config": {"name": "d", "units": 2, "activation": "hard_sigmoid",
                "dtype": {"module": "keras", "class_name": "DTypePolicy", "config": {"name": "float32"}},
                "kernel_initializer": {"module": "keras.initializers", "class_name": "HeNormal",
                                       "config": {"seed": 1}},
                "activity_regularizer": {"class_name": "L1L2", "config": {"l1": 0.1, "l2": 0.2}}}}]}},
        {"class_name": "Softmax", "config": {"name": "s", "axis": -1}}]}})";
}

/// A call with arguments by name, as Keras 3 writes it.
std::string attention() {
    return R"({"class_name": "Functional", "config": {"name": "f", "layers": [
        {"class_name": "InputLayer", "name": "x", "config": {"name": "x", "batch_shape": [null, 3, 4]},
         "inbound_nodes": []},
        {"class_name": "MultiHeadAttention", "name": "a",
         "config": {"name": "a", "num_heads": 2, "key_dim": 2, "attention_axes": [1]},
         "inbound_nodes": [{"args": [{"class_name": "__keras_tensor__",
                                      "config": {"keras_history": ["x", 0, 0]}}],
                            "kwargs": {"value": {"class_name": "__keras_tensor__",
                                                 "config": {"keras_history": ["x", 0, 0]}},
                                       "use_causal_mask": true}}]}],
        "input_layers": [["x", 0, 0]], "output_layers": [["a", 0, 0]]}})";
}

std::string dense_net() {
    return sequential({2}, {{"Dense", R"({"units": 3})"}, {"Dense", R"({"units": 2, "use_bias": false})"}});
}

const std::vector<float> six{1, 2, 3, 4, 5, 6};

std::string h5(bool fixed, bool compiled) {
    const TemporaryFolder folder;
    {
        Hdf5Writer file(folder / "m.h5");
        file.text("", "model_config", dense_net());
        if (compiled)
            file.text("", "training_config", R"({"loss": "mse", "metrics": ["accuracy"], "optimizer_config":
                {"class_name": "SGD", "config": {"learning_rate": 0.1, "momentum": 0.9}}})");
        file.group("model_weights");
        file.texts("model_weights", "layer_names", {"l1", "l2"}, fixed);
        file.floats("model_weights/l1/l1/kernel:0", {2, 3}, six);
        file.floats("model_weights/l1/l1/bias:0", {3}, six);
        file.floats("model_weights/l2/l2/kernel:0", {3, 2}, six);
        file.texts("model_weights/l1", "weight_names", {"l1/kernel:0", "l1/bias:0"}, fixed);
        file.texts("model_weights/l2", "weight_names", {"l2/kernel:0"}, fixed);
    }
    return content(folder / "m.h5");
}

std::string archive(bool weights) {
    const TemporaryFolder folder;
    Json model = Json::parse(dense_net());
    model["compile_config"] = {{"loss", "mse"}, {"optimizer", "sgd"}};
    std::vector<std::pair<std::string, std::string>> entries{
        {"metadata.json", R"({"keras_version": "3.10.0"})"}, {"config.json", model.dump()}};
    if (weights) {
        {
            Hdf5Writer file(folder / "w.h5");
            file.floats("layers/dense/vars/0", {2, 3}, six);
            file.floats("layers/dense/vars/1", {3}, six);
            file.floats("layers/dense_1/vars/0", {3, 2}, six);
        }
        entries.emplace_back("model.weights.h5", content(folder / "w.h5"));
    }
    write_zip(folder / "m.keras", entries);
    return content(folder / "m.keras");
}

} // namespace

std::vector<Seed> keras_json_seeds() {
    const Json image{8, 8, 4};
    const Json steps{6, 4};
    return {
        {"functional", functional()},
        {"nested", nested()},
        {"dense", sequential({4}, {{"Dense", R"({"units": 3, "kernel_regularizer": "l2"})"},
                                   {"ReLU", R"({"max_value": 6.0, "negative_slope": 0.1, "threshold": 0.2})"},
                                   {"Dropout", R"({"rate": 0.5})"},
                                   {"RepeatVector", R"({"n": 3})"},
                                   {"Permute", R"({"dims": [2, 1]})"},
                                   {"Reshape", R"({"target_shape": [-1]})"},
                                   {"GaussianNoise", R"({"stddev": 0.1})"}})},
        {"embedding", sequential({5}, {{"Embedding", R"({"input_dim": 10, "output_dim": 4})"},
                                       {"LSTM", R"({"units": 3, "return_sequences": true})"},
                                       {"LSTM", R"({"units": 2, "go_backwards": true})"}})},
        {"convolution",
         sequential(image,
                    {{"ZeroPadding2D", R"({"padding": [[1, 2], [0, 1]]})"},
                     {"Conv2D", R"({"filters": 4, "kernel_size": [3, 3], "strides": 2, "padding": "same",
                                    "dilation_rate": 1, "groups": 2, "activation": "relu"})"},
                     {"BatchNormalization", R"({"momentum": 0.9, "epsilon": 0.001})"},
                     {"MaxPooling2D", R"({"pool_size": 2, "strides": 1, "padding": "same"})"},
                     {"GroupNormalization", R"({"groups": 2})"},
                     {"Flatten", "{}"}})},
        {"depthwise",
         sequential(image, {{"DepthwiseConv2D", R"({"kernel_size": 3, "depth_multiplier": 2})"},
                            {"SeparableConv2D", R"({"filters": 2, "kernel_size": 3, "padding": "same"})"},
                            {"PReLU", R"({"shared_axes": [1, 2]})"},
                            {"SpatialDropout2D", R"({"rate": 0.2})"},
                            {"UpSampling2D", R"({"size": [2, 3]})"},
                            {"Cropping2D", R"({"cropping": 1})"},
                            {"AveragePooling2D", R"({"pool_size": [2, 2]})"},
                            {"LayerNormalization", R"({"axis": [-1]})"},
                            {"GlobalAveragePooling2D", R"({"keepdims": true})"}})},
        {"transposed",
         sequential(image, {{"Conv2DTranspose", R"({"filters": 2, "kernel_size": 3, "strides": 2,
                                                    "padding": "same"})"},
                            {"ELU", R"({"alpha": 0.5})"},
                            {"LeakyReLU", R"({"alpha": 0.5})"},
                            {"Softmax", R"({"axis": -1})"},
                            {"GlobalMaxPooling2D", "{}"},
                            {"Activation", R"({"activation": "tanh"})"}})},
        {"attention", attention()},
        {"settings",
         sequential(steps,
                    {{"Bidirectional", R"({"merge_mode": "sum", "layer": {"class_name": "GRU", "config":
                        {"name": "g", "units": 2, "return_sequences": true}}})"},
                     {"TimeDistributed", R"({"layer": {"class_name": "Dense", "config": {"name": "d",
                        "units": 2, "activation": {"class_name": "function", "config": "relu"}}}})"},
                     {"Dense", R"({"units": 2, "dtype": "float32",
                        "kernel_constraint": {"class_name": "MaxNorm", "config": {"max_value": 2, "axis": [0]}},
                        "kernel_initializer": {"class_name": "VarianceScaling", "config": {"scale": 2.0,
                            "mode": "fan_avg", "distribution": "uniform", "seed": null}},
                        "bias_initializer": {"class_name": "Constant", "config": {"value": 0.5}},
                        "bias_regularizer": {"class_name": "L1", "config": {"l1": 0.1}}})"}})},
        {"sequence", sequential(steps, {{"Conv1D", R"({"filters": 3, "kernel_size": 2, "padding": "valid"})"},
                                        {"UpSampling1D", R"({"size": 2})"},
                                        {"ZeroPadding1D", R"({"padding": [1, 1]})"},
                                        {"Cropping1D", R"({"cropping": [1, 0]})"},
                                        {"MaxPooling1D", R"({"pool_size": 2})"},
                                        {"GlobalAveragePooling1D", "{}"}})},
    };
}

std::vector<Seed> keras_h5_seeds() {
    return {{"fixed.h5", h5(true, false)}, {"variable.h5", h5(false, true)}};
}

std::vector<Seed> keras_archive_seeds() {
    return {{"weights.keras", archive(true)}, {"config.keras", archive(false)}};
}

} // namespace tilescope::tests
