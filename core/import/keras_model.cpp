// SPDX-License-Identifier: GPL-3.0-or-later
#include "import/keras_model.h"

#include "base/nearest_name.h"
#include "import/json_reader.h"
#include "import/keras_layers.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace tilescope::import {
namespace {

using graph::Shape;
using graph::ValueId;

/// The tensor (layer name, call number) that a layer reads.
using History = std::pair<std::string, std::int64_t>;

/// The first Keras wrote a Sequential's layers as the config itself.
const Json& layers_of(const Json& config) {
    return config.is_object() && config.contains("layers") ? config["layers"] : config;
}

std::string name_of(const Json& description) {
    const Json& config = description.contains("config") ? description["config"] : description;
    for (const Json* from : {&config, &description})
        if (from->is_object() && from->contains("name") && (*from)["name"].is_string())
            return (*from)["name"].get<std::string>();
    return description.value("class_name", std::string("layer"));
}

class KerasImporter {
  public:
    KerasImporter(graph::Builder& build, std::string path, std::int64_t batch, std::uint64_t seed,
                  const std::map<std::string, std::int32_t>& shards)
        : build_(build), path_(std::move(path)), batch_(batch), seed_(seed), shards_(shards),
          shard_(shards.empty() ? -1 : 0) {
        for (const auto& [layer, shard] : shards)
            unseen_.insert(layer);
    }

    Result<ValueId> run(const Json& document) {
        auto output = model(document);
        if (!output || unseen_.empty())
            return output;
        std::vector<std::string> names;
        for (const auto& [name, id] : layer_ids_)
            names.push_back(name);
        const std::string nearest = nearest_name(*unseen_.begin(), names);
        return bad_input("the model has no layer \"" + *unseen_.begin() + "\" to give a shard", path_,
                         nearest.empty() ? "name one of its layers" : "did you mean \"" + nearest + "\"?");
    }

  private:
    Result<ValueId> model(const Json& document) {
        if (!document.is_object() || !document.contains("class_name") || !document.contains("config"))
            return bad_input("not a Keras model: \"class_name\" and \"config\" are missing", path_,
                             "write it with model.to_json()");
        const std::string kind =
            document["class_name"].is_string() ? document["class_name"].get<std::string>() : "";
        const Json& config = document["config"];
        const Json& layers = layers_of(config);
        if (config.is_object() && config.contains("name") && config["name"].is_string())
            build_.graph().name = config["name"].get<std::string>();
        if (!layers.is_array() || layers.empty())
            return bad_input("the model has no layers", path_);
        if (kind == "Sequential")
            return sequential(layers);
        if (kind == "Functional" || kind == "Model")
            return functional(config, layers);
        return bad_input("model class \"" + kind + "\" is not supported", path_,
                         "use a Sequential or Functional model");
    }

    std::string place(const std::string& layer) const { return path_ + ": layer " + layer; }

    Result<Shape> static_shape(const Json& shape, const std::string& layer) const {
        if (!shape.is_array() || shape.empty())
            return bad_input("the input has no shape", place(layer),
                             "give the first layer a batch_input_shape");
        Shape result;
        for (std::size_t d = 0; d < shape.size(); ++d) {
            if (shape[d].is_number_integer() && shape[d].get<std::int64_t>() > 0)
                result.push_back(d == 0 ? batch_ : shape[d].get<std::int64_t>());
            else if (d == 0)
                result.push_back(batch_);
            else
                return bad_input("shape " + shape.dump() + " is not static", place(layer),
                                 "give every dimension but the batch a size");
        }
        return result;
    }

    Result<graph::DType> dtype_of(const Json& config, const std::string& layer) const {
        if (!config.contains("dtype") || config["dtype"].is_null())
            return graph::DType::Float32;
        const Json& dtype = config["dtype"];
        std::string name = dtype.is_string() ? dtype.get<std::string>() : "float32";
        if (dtype.is_object() && dtype.contains("config") && dtype["config"].is_object())
            name = dtype["config"].value("name", "float32");
        const auto known = graph::dtype_from_string(name);
        if (!known)
            return bad_input("element type " + name + " is not supported on the device", place(layer),
                             "cast it on the host to float32, float16, int32 or bool");
        return *known;
    }

    static Json shape_of(const Json& config) {
        for (const char* key : {"batch_input_shape", "batch_shape"})
            if (config.contains(key) && !config[key].is_null())
                return config[key];
        return nullptr;
    }

    Result<ValueId> input(const std::string& name, const Json& config, const Json& shape) {
        const auto extents = static_shape(shape, name);
        if (!extents)
            return Failure(extents.error());
        const auto dtype = dtype_of(config, name);
        if (!dtype)
            return Failure(dtype.error());
        return build_.feed(name, {*dtype, *extents});
    }

    Result<ValueId> call(const Json& description, const std::vector<ValueId>& inputs) {
        const std::string kind = description.value("class_name", std::string());
        const Json& config = description["config"];
        const std::string name = name_of(description);
        const auto dtype = dtype_of(config, name);
        if (!dtype)
            return Failure(dtype.error());
        const auto [known, fresh] = layer_ids_.try_emplace(name, graph::no_layer);
        if (fresh)
            known->second = build_.layer(name, kind);
        build_.scope.layer = known->second;
        build_.scope.prefix = name + "/";
        if (const auto shard = shards_.find(name); shard != shards_.end()) {
            shard_ = shard->second;
            unseen_.erase(name);
        }
        build_.scope.placement.shard = shard_;
        KerasLayer layer{build_, name, kind, config, place(name), seed_, *dtype, weights_};
        auto y = apply_layer(layer, inputs);
        if (y)
            build_.graph().layers[static_cast<std::size_t>(known->second.value)].output_shape =
                build_.type(*y).shape;
        build_.scope = {};
        return y;
    }

    Result<void> check_layer(const Json& description) const {
        if (!description.is_object() || !description.contains("class_name") ||
            !description["class_name"].is_string() || !description.contains("config") ||
            !description["config"].is_object())
            return bad_input("a layer without class_name and config", path_,
                             "write the file with model.to_json()");
        return {};
    }

    Result<ValueId> sequential(const Json& layers) {
        std::optional<ValueId> x;
        for (const Json& description : layers) {
            if (auto ok = check_layer(description); !ok)
                return Failure(ok.error());
            const std::string name = name_of(description);
            const Json& config = description["config"];
            if (!x) {
                const bool input_layer = description["class_name"] == "InputLayer";
                auto fed = input(input_layer ? name : name + "_input", config, shape_of(config));
                if (!fed)
                    return fed;
                x = *fed;
                if (input_layer)
                    continue;
            }
            auto y = call(description, {*x});
            if (!y)
                return y;
            x = *y;
        }
        return *x;
    }

    /// Collects the tensors named anywhere in an inbound node: ["name", 0, 0, {}] or Keras 3's keras_history.
    static void collect(const Json& node, std::vector<History>& out) {
        if (node.is_array() && node.size() >= 3 && node[0].is_string() && node[1].is_number_integer()) {
            out.emplace_back(node[0].get<std::string>(), node[1].get<std::int64_t>());
        } else if (node.is_object() && node.contains("keras_history")) {
            collect(node["keras_history"], out);
        } else if (node.is_array() || node.is_object()) {
            for (const Json& part : node)
                collect(part, out);
        }
    }

    Result<ValueId> functional(const Json& config, const Json& layers) {
        struct Call {
            const Json* description;
            History output;
            std::vector<History> inputs;
        };
        std::vector<Call> calls;
        for (const Json& description : layers) {
            if (auto ok = check_layer(description); !ok)
                return Failure(ok.error());
            const std::string name = name_of(description);
            if (description["class_name"] == "InputLayer") {
                auto fed = input(name, description["config"], shape_of(description["config"]));
                if (!fed)
                    return fed;
                values_[{name, 0}] = *fed;
                continue;
            }
            if (!description.contains("inbound_nodes") || !description["inbound_nodes"].is_array())
                return bad_input("the layer has no inbound_nodes", place(name));
            std::int64_t number = 0;
            for (const Json& node : description["inbound_nodes"]) {
                Call c{&description, {name, number++}, {}};
                collect(node.is_object() && node.contains("args") ? node["args"] : node, c.inputs);
                calls.push_back(std::move(c));
            }
        }
        // Layers need not stand in the order of their use: take those that are ready until none is left.
        while (!calls.empty()) {
            const auto ready = std::find_if(calls.begin(), calls.end(), [&](const Call& c) {
                return std::all_of(c.inputs.begin(), c.inputs.end(),
                                   [&](const History& h) { return values_.contains(h); });
            });
            if (ready == calls.end())
                return bad_input("the layer's input does not exist", place(calls.front().output.first),
                                 "the file is cut or its layers form a circle");
            std::vector<ValueId> inputs;
            for (const History& h : ready->inputs)
                inputs.push_back(values_.at(h));
            auto y = call(*ready->description, inputs);
            if (!y)
                return y;
            values_[ready->output] = *y;
            calls.erase(ready);
        }
        std::vector<History> outputs;
        collect(config.value("output_layers", Json::array()), outputs);
        if (outputs.size() != 1)
            return bad_input("the model has " + std::to_string(outputs.size()) + " outputs", path_,
                             "this version runs models with one");
        const auto found = values_.find(outputs[0]);
        if (found == values_.end())
            return bad_input("the model's output is no layer of it", place(outputs[0].first));
        return found->second;
    }

    graph::Builder& build_;
    std::string path_;
    std::int64_t batch_;
    std::uint64_t seed_;
    const std::map<std::string, std::int32_t>& shards_;
    std::int32_t shard_ = -1;
    std::set<std::string> unseen_; ///< layers with a shard that have not come yet
    std::map<std::string, graph::LayerId> layer_ids_;
    std::map<std::string, ValueId> weights_;
    std::map<History, ValueId> values_;
};

} // namespace

std::vector<std::string> keras_layer_names(const std::string& text) {
    std::vector<std::string> names;
    const Json document = Json::parse(text, nullptr, false);
    if (!document.is_object() || !document.contains("config"))
        return names;
    const Json& layers = layers_of(document["config"]);
    for (const Json& layer : layers.is_array() ? layers : Json::array())
        if (layer.is_object() && layer.value("class_name", Json()) != "InputLayer")
            names.push_back(name_of(layer));
    return names;
}

Result<ValueId> add_keras_model(graph::Builder& build, const std::string& text, const std::string& path,
                                std::int64_t batch, std::uint64_t seed,
                                const std::map<std::string, std::int32_t>& shards) {
    const auto document = parse_json(text, path);
    if (!document)
        return Failure(document.error());
    try {
        auto output = KerasImporter(build, path, batch, seed, shards).run(*document);
        if (output)
            for (const graph::Variable& variable : build.graph().variables)
                if (variable.layer != graph::no_layer)
                    build.graph().layers[static_cast<std::size_t>(variable.layer.value)].parameters +=
                        variable.initial.elements();
        return output;
    } catch (const Json::exception& error) { // a member of another type than Keras writes
        return bad_input(std::string("not a Keras model: ") + error.what(), path,
                         "write it with model.to_json()");
    }
}

} // namespace tilescope::import
