// SPDX-License-Identifier: GPL-3.0-or-later
#include "import/keras_model.h"

#include "base/nearest_name.h"
#include "import/json_reader.h"
#include "import/keras_document.h"
#include "import/keras_layers.h"
#include "import/keras_names.h"
#include "import/keras_regularisers.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

namespace tilescope::import {
namespace {

using graph::Shape;
using graph::ValueId;
using Values = std::vector<ValueId>;

/// A model while its layers are added: the outermost one, or one that is a layer of another.
struct Scope {
    std::string prefix;     ///< of its layers' names: "encoder/"
    std::string layer;      ///< of the outermost model that it is in; "" for the outermost itself
    std::string checkpoint; ///< where its layers are saved: "layers/functional/layers/"
    std::map<TensorName, ValueId> values = {};
    std::map<std::string, std::string> groups = {}; ///< by layer name, in the checkpoint
    bool outermost() const { return layer.empty(); }
};

class KerasImporter {
  public:
    KerasImporter(graph::Builder& build, std::string path, const KerasOptions& options)
        : build_(build), path_(std::move(path)), options_(options), shard_(options.shards.empty() ? -1 : 0) {
        for (const auto& [layer, shard] : options.shards)
            unseen_.insert(layer);
    }

    Result<KerasModel> run(const Json& document) {
        Scope scope{"", "", "layers/"};
        model_.name = layer_name(document);
        auto output = model(document, scope, {});
        if (!output)
            return Failure(output.error());
        model_.output = *output;
        if (unseen_.empty())
            return std::move(model_);
        std::vector<std::string> names;
        for (const graph::Layer& row : model_.layers)
            names.push_back(row.name);
        const std::string nearest = nearest_name(*unseen_.begin(), names);
        return bad_input("the model has no layer \"" + *unseen_.begin() + "\" to give a shard", path_,
                         nearest.empty() ? "name one of its layers" : "did you mean \"" + nearest + "\"?");
    }

  private:
    std::string place(const Scope& scope, const std::string& layer) const {
        return path_ + ": layer " + scope.prefix + layer;
    }

    /// `inputs`: of a model that is a layer; the outermost one is fed.
    Result<ValueId> model(const Json& document, Scope& scope, const Values& inputs) {
        const auto checked = check_model(document, path_);
        if (!checked)
            return Failure(checked.error());
        const Json& layers = layers_of(document["config"]);
        std::map<std::string, int> counts;
        for (const Json& description : layers) {
            if (auto ok = check_layer(description, path_); !ok)
                return Failure(ok.error());
            const std::string name = layer_name(description);
            const std::string kind = snake_case(description["class_name"].get<std::string>());
            const int before = counts[kind]++;
            scope.groups[name] = scope.checkpoint + kind + (before == 0 ? "" : "_" + std::to_string(before));
            const bool input = description["class_name"] == "InputLayer";
            if (scope.outermost() && !(input && *checked == ModelKind::Sequential))
                model_.layers.push_back({name, description["class_name"], {}, 0});
        }
        return *checked == ModelKind::Sequential ? sequential(layers, scope, inputs)
                                                 : functional(document["config"], layers, scope, inputs);
    }

    Result<ValueId> input(const Scope& scope, const std::string& name, const Json& config) {
        const auto extents = static_shape(input_shape(config), options_.batch, place(scope, name));
        if (!extents)
            return Failure(extents.error());
        const auto dtype = dtype_of(config, place(scope, name));
        if (!dtype)
            return Failure(dtype.error());
        if (auto ok = graph::check_size(*extents); !ok)
            return bad_input(ok.error().message, place(scope, name), ok.error().remedy);
        return build_.feed(name, {*dtype, *extents});
    }

    graph::Layer& row(const std::string& name) {
        return *std::find_if(model_.layers.begin(), model_.layers.end(),
                             [&](const graph::Layer& each) { return each.name == name; });
    }

    void begin_shard(const Scope& scope, const std::string& name) {
        if (!scope.outermost())
            return;
        if (const auto shard = options_.shards.find(name); shard != options_.shards.end()) {
            shard_ = shard->second;
            unseen_.erase(name);
        }
    }

    /// One call of a layer, which may be a model of its own.
    Result<ValueId> call(const Json& description, Scope& scope, const Values& inputs) {
        const std::string name = layer_name(description);
        begin_shard(scope, name);
        const std::string outermost = scope.outermost() ? name : scope.layer;
        Result<ValueId> y = graph::no_value;
        if (is_model(description)) {
            Scope inner{scope.prefix + name + "/", outermost, scope.groups[name] + "/layers/"};
            y = model(description, inner, inputs);
        } else {
            y = call_layer(description, scope, outermost, inputs);
        }
        if (y && scope.outermost() && row(name).output_shape.empty())
            row(name).output_shape = build_.type(*y).shape;
        return y;
    }

    Result<ValueId> call_layer(const Json& description, Scope& scope, const std::string& outermost,
                               const Values& inputs) {
        const Json& config = description["config"];
        const std::string name = layer_name(description);
        const std::string full = scope.prefix + name;
        const std::string kind = description["class_name"];
        const auto dtype = dtype_of(config, place(scope, name));
        if (!dtype)
            return Failure(dtype.error());
        const auto [known, fresh] = layer_ids_.try_emplace(full, graph::no_layer);
        if (fresh)
            known->second = build_.layer(full, kind);
        build_.scope.layer = known->second;
        build_.scope.prefix = full + "/";
        build_.scope.placement.shard = shard_;
        const std::size_t first = build_.graph().variables.size();
        KerasLayer layer{build_,
                         full,
                         kind,
                         config,
                         place(scope, name),
                         options_.seed,
                         *dtype,
                         keras3_layer(config),
                         options_.training,
                         weights_,
                         model_.losses};
        auto y = applied(layer, inputs);
        if (y)
            build_.graph().layers[static_cast<std::size_t>(known->second.value)].output_shape =
                build_.type(*y).shape;
        for (std::size_t i = first; i < build_.graph().variables.size(); ++i)
            model_.variables.push_back({i, outermost, scope.groups[name]});
        build_.scope = {};
        return y;
    }

    /// What the layer makes; its activity regulariser is added to the losses.
    Result<ValueId> applied(KerasLayer& layer, const Values& inputs) const {
        try {
            auto y = apply_layer(layer, inputs);
            const auto batch = static_cast<double>(std::max<std::int64_t>(options_.batch, 1));
            if (y)
                if (auto ok = regularise(layer, "activity_regularizer", *y, 1 / batch); !ok)
                    y = Failure(ok.error());
            return y;
        } catch (const graph::BuildFailure& failure) {
            return layer.fail(failure.error.message, failure.error.remedy);
        }
    }

    Result<ValueId> sequential(const Json& layers, Scope& scope, const Values& inputs) {
        std::optional<ValueId> x;
        if (!scope.outermost() && inputs.size() != 1)
            return bad_input("a Sequential model takes one input, got " + std::to_string(inputs.size()),
                             path_ + ": layer " + scope.prefix);
        if (!inputs.empty())
            x = inputs[0];
        for (const Json& description : layers) {
            const std::string name = layer_name(description);
            const bool input_layer = description["class_name"] == "InputLayer";
            if (!x) {
                auto fed = input(scope, input_layer ? name : name + "_input", first_config(description));
                if (!fed)
                    return fed;
                x = *fed;
            }
            if (input_layer)
                continue;
            auto y = call(description, scope, {*x});
            if (!y)
                return y;
            x = *y;
        }
        return *x;
    }

    struct Call {
        const Json* description;
        TensorName output;
        std::vector<TensorName> inputs;
    };

    Result<void> add_inputs(const Json& config, const Json& layers, Scope& scope, const Values& inputs) {
        const std::vector<TensorName> order = tensors_in(config.value("input_layers", Json::array()));
        for (const Json& description : layers) {
            if (description["class_name"] != "InputLayer")
                continue;
            const std::string name = layer_name(description);
            if (scope.outermost()) {
                auto fed = input(scope, name, description["config"]);
                if (!fed)
                    return Failure(fed.error());
                scope.values[{name, 0}] = *fed;
                row(name).output_shape = build_.type(*fed).shape;
                continue;
            }
            const auto at = std::find(order.begin(), order.end(), TensorName{name, 0}) - order.begin();
            if (static_cast<std::size_t>(at) >= inputs.size())
                return bad_input("the model is called with " + std::to_string(inputs.size()) + " input(s)",
                                 place(scope, name), "give it one for each of its inputs");
            scope.values[{name, 0}] = inputs[static_cast<std::size_t>(at)];
        }
        return {};
    }

    Result<std::vector<Call>> calls_of(const Json& config, const Json& layers, const Scope& scope) const {
        std::vector<Call> calls;
        std::vector<TensorName> read = tensors_in(config.value("output_layers", Json::array()));
        for (const Json& description : layers) {
            const std::string name = layer_name(description);
            if (description["class_name"] == "InputLayer")
                continue;
            if (!description.contains("inbound_nodes") || !description["inbound_nodes"].is_array())
                return bad_input("the layer has no inbound_nodes", place(scope, name));
            std::int64_t number = 0;
            for (const Json& node : description["inbound_nodes"]) {
                const Json& arguments = node.is_object() && node.contains("args") ? node["args"] : node;
                calls.push_back({&description, {name, number++}, tensors_in(arguments)});
                read.insert(read.end(), calls.back().inputs.begin(), calls.back().inputs.end());
            }
        }
        // A model that is a layer has been called once before, when it was made: Keras counts from 1.
        for (Call& c : calls)
            if (is_model(*c.description) &&
                std::find(read.begin(), read.end(), TensorName{c.output.first, 0}) == read.end())
                ++c.output.second;
        return calls;
    }

    Result<ValueId> functional(const Json& config, const Json& layers, Scope& scope, const Values& inputs) {
        if (auto ok = add_inputs(config, layers, scope, inputs); !ok)
            return Failure(ok.error());
        auto calls = calls_of(config, layers, scope);
        if (!calls)
            return Failure(calls.error());
        // Layers need not stand in the order of their use: take those that are ready until none is left.
        while (!calls->empty()) {
            const auto ready = std::find_if(calls->begin(), calls->end(), [&](const Call& c) {
                return std::all_of(c.inputs.begin(), c.inputs.end(),
                                   [&](const TensorName& name) { return scope.values.contains(name); });
            });
            if (ready == calls->end())
                return bad_input("the layer's input does not exist",
                                 place(scope, calls->front().output.first),
                                 "the file is cut or its layers form a circle");
            Values arguments;
            for (const TensorName& name : ready->inputs)
                arguments.push_back(scope.values.at(name));
            auto y = call(*ready->description, scope, arguments);
            if (!y)
                return y;
            scope.values[ready->output] = *y;
            calls->erase(ready);
        }
        const std::vector<TensorName> outputs = tensors_in(config.value("output_layers", Json::array()));
        if (outputs.size() != 1)
            return bad_input("the model has " + std::to_string(outputs.size()) + " outputs", path_,
                             "this version runs models with one");
        const auto found = scope.values.find(outputs[0]);
        if (found == scope.values.end())
            return bad_input("the model's output is no layer of it", place(scope, outputs[0].first));
        return found->second;
    }

    graph::Builder& build_;
    std::string path_;
    const KerasOptions& options_;
    std::int32_t shard_ = -1;
    std::set<std::string> unseen_; ///< layers with a shard that have not come yet
    std::map<std::string, graph::LayerId> layer_ids_;
    std::map<std::string, ValueId> weights_;
    KerasModel model_;
};

void count_parameters(graph::Graph& graph, KerasModel& model) {
    for (const SavedVariable& saved : model.variables) {
        const graph::Variable& variable = graph.variables[saved.variable];
        const std::int64_t elements = variable.initial.elements();
        graph.layers[static_cast<std::size_t>(variable.layer.value)].parameters += elements;
        for (graph::Layer& row : model.layers)
            row.parameters += row.name == saved.layer ? elements : 0;
    }
}

} // namespace

std::vector<std::string> keras_layer_names(const std::string& text) {
    std::vector<std::string> names;
    const Json document = Json::parse(text, nullptr, false);
    if (!document.is_object() || !document.contains("config"))
        return names;
    const Json& layers = layers_of(document["config"]);
    for (const Json& layer : layers.is_array() ? layers : Json::array())
        if (layer.is_object() && layer.value("class_name", Json()) != "InputLayer")
            names.push_back(layer_name(layer));
    return names;
}

Result<KerasModel> add_keras_model(graph::Builder& build, const std::string& text, const std::string& path,
                                   const KerasOptions& options) {
    const auto document = parse_json(text, path);
    if (!document)
        return Failure(document.error());
    try {
        auto model = KerasImporter(build, path, options).run(*document);
        if (model)
            count_parameters(build.graph(), *model);
        return model;
    } catch (const Json::exception& error) { // a member of another type than Keras writes
        return bad_input(std::string("not a Keras model: ") + error.what(), path,
                         "write it with model.to_json()");
    }
}

} // namespace tilescope::import
