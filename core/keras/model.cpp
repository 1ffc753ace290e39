// SPDX-License-Identifier: GPL-3.0-or-later
#include "keras/model.h"

#include "base/entry.h"
#include "base/nearest_name.h"
#include "base/text.h"
#include "base/try.h"
#include "document.h"
#include "formats/json_reader.h"
#include "keras/layers.h"
#include "keras/names.h"
#include "regularisers.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

namespace tilescope::keras {
namespace {

using formats::Json;
using formats::member;

using graph::Shape;
using graph::ValueId;
using Values = std::vector<ValueId>;

/// A value and the mask that goes with it.
struct Tensor {
    ValueId value = graph::no_value;
    ValueId mask = graph::no_value;
};
using Tensors = std::vector<Tensor>;

/// A model while its layers are added: the outermost one, or one that is a layer of another.
struct Scope {
    std::string prefix;     ///< of its layers' names: "encoder/"
    std::string layer;      ///< of the outermost model that it is in; "" for the outermost itself
    std::string checkpoint; ///< where its layers are saved: "layers/functional/layers/"
    std::map<TensorName, Tensor> values = {};
    std::map<std::string, std::string> groups = {}; ///< by layer name, in the checkpoint
    bool outermost() const { return layer.empty(); }
};

/// As Keras names a model's outputs: by the layers that give them, or as the keys of a dictionary. A layer
/// that gives several has a number with all but the first. The only output is called "output".
std::vector<std::string> output_names(const Json& config) {
    std::vector<std::string> names;
    const Json& outputs = member(config, "output_layers");
    const auto add = [&](const std::string& name) {
        std::string fresh = name;
        for (int n = 1; std::find(names.begin(), names.end(), fresh) != names.end(); ++n)
            fresh = name + "_" + std::to_string(n);
        names.push_back(fresh);
    };
    if (outputs.is_object()) {
        for (const auto& [name, tensor] : outputs.items())
            add(name);
        return names;
    }
    for (const TensorName& output : tensors_in(outputs))
        add(output.layer);
    if (names.size() == 1)
        names.front() = "output";
    return names;
}

/// How .keras files name the groups of a class' weights, where that is not the name that it is exported by.
std::string checkpoint_kind(const std::string& kind) {
    return kind == "GroupQueryAttention" ? "grouped_query_attention" : snake_case(kind);
}

class KerasImporter {
  public:
    KerasImporter(graph::Builder& build, std::string path, const KerasOptions& options)
        : build_(build), path_(std::move(path)), options_(options), training_(options.training),
          shard_(options.shards.empty() ? build.scope.placement.shard : 0) {
        for (const auto& [layer, shard] : options.shards)
            unseen_.insert(layer);
        for (const graph::Variable& variable : build_.graph().variables) // a layer that was called before
            weights_.emplace(variable.name, options.updated.contains(variable.value)
                                                ? options.updated.at(variable.value)
                                                : variable.value);
        registered_ = build_.graph().variables.size();
    }

    Result<KerasModel> run(const Json& document) {
        Scope scope{"", "", "layers/"};
        model_.name = layer_name(document);
        Tensors inputs;
        for (const ValueId input : options_.inputs)
            inputs.push_back({input});
        TRY(const auto outputs, model(document, scope, inputs));
        const std::vector<std::string> names = output_names(document["config"]);
        for (std::size_t i = 0; i < outputs.size(); ++i)
            model_.outputs.push_back(
                {i < names.size() ? names[i] : "output", outputs[i].value, outputs[i].mask});
        if (unseen_.empty())
            return std::move(model_);
        std::vector<std::string> layers;
        for (const graph::Layer& row : model_.layers)
            layers.push_back(row.name);
        return bad_input("the model has no layer \"" + *unseen_.begin() + "\" to give a shard", path_,
                         remedy_for(*unseen_.begin(), layers, "name one of its layers"));
    }

  private:
    std::string place(const Scope& scope, const std::string& layer) const {
        return path_ + ": layer " + scope.prefix + layer;
    }

    /// `inputs`: of a model that is a layer; the outermost one is fed.
    Result<Tensors> model(const Json& document, Scope& scope, const Tensors& inputs) {
        TRY(const auto checked, check_model(document, path_));
        const Json& layers = layers_of(document["config"]);
        std::map<std::string, int> counts;
        for (const Json& description : layers) {
            TRY(check_layer(description, path_));
            const std::string name = layer_name(description);
            const std::string kind = checkpoint_kind(description["class_name"]);
            const int before = counts[kind]++;
            scope.groups[name] = scope.checkpoint + kind + (before == 0 ? "" : "_" + std::to_string(before));
            const bool input = description["class_name"] == "InputLayer";
            if (scope.outermost() && !(input && checked == ModelKind::Sequential))
                model_.layers.push_back({name, description["class_name"], {}, 0});
        }
        return checked == ModelKind::Sequential ? sequential(layers, scope, inputs)
                                                : functional(document["config"], layers, scope, inputs);
    }

    Result<ValueId> input(const Scope& scope, const std::string& name, const Json& config) {
        TRY(const auto extents, static_shape(input_shape(config), options_.batch, place(scope, name)));
        TRY(const auto precision, precision_for(config, scope.prefix + name, place(scope, name)));
        if (auto ok = graph::check_size(extents); !ok)
            return bad_input(ok.error().message, place(scope, name), ok.error().remedy);
        return build_.feed(name, {precision.compute, extents});
    }

    /// That of the layer, or of the rule for it.
    Result<Precision> precision_for(const Json& config, const std::string& full,
                                    const std::string& place) const {
        TRY(const Precision own, precision_of(config, place));
        const std::string policy = setting_of(options_.dtypes, std::max(shard_, 0), full, std::string());
        if (policy.empty() || !graph::is_floating(own.compute))
            return own;
        return precision_named(policy, place);
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

    /// What a call gives a layer.
    struct Arguments {
        Tensors inputs;
        std::map<std::string, Tensors> named = {};
        Json settings = Json::object();
    };

    /// One call of a layer, which may be a model of its own.
    Result<Tensors> call(const Json& description, Scope& scope, const Arguments& arguments) {
        const std::string name = layer_name(description);
        begin_shard(scope, name);
        const std::string outermost = scope.outermost() ? name : scope.layer;
        Result<Tensors> y = Tensors{};
        if (is_model(description)) {
            Scope inner{scope.prefix + name + "/", outermost, scope.groups[name] + "/layers/"};
            y = call_model(description, inner, arguments, place(scope, name));
        } else {
            y = call_layer(description, scope, outermost, arguments);
        }
        if (y && scope.outermost() && row(name).output_shape.empty())
            row(name).output_shape = build_.type(y->at(0).value).shape;
        return y;
    }

    /// `training=False` of a call is that of all its layers.
    Result<Tensors> call_model(const Json& description, Scope& inner, const Arguments& arguments,
                               const std::string& place) {
        for (const auto& [name, value] : arguments.settings.items())
            if (name != "training" || value != false)
                return not_supported("argument \"" + name + "\": " + value.dump() +
                                         " of a call of a model is not "
                                         "supported",
                                     place, "call it without");
        if (!arguments.named.empty())
            return not_supported("argument \"" + arguments.named.begin()->first +
                                     "\" of a call of a model is not supported",
                                 place, "give the model its inputs only");
        const bool before = std::exchange(training_, training_ && arguments.settings.empty());
        auto y = model(description, inner, arguments.inputs);
        training_ = before;
        return y;
    }

    Result<Tensors> call_layer(const Json& description, Scope& scope, const std::string& outermost,
                               const Arguments& arguments) {
        const Json& config = description["config"];
        const std::string name = layer_name(description);
        const std::string full = scope.prefix + name;
        const std::string kind = description["class_name"];
        TRY(const auto precision, precision_for(config, full, place(scope, name)));
        const auto [known, fresh] = layer_ids_.try_emplace(full, graph::no_layer);
        if (fresh)
            known->second = build_.layer(full, kind);
        build_.scope.layer = known->second;
        build_.scope.prefix = full + "/";
        build_.scope.placement.shard = shard_;
        KerasLayer layer{.build = build_,
                         .name = full,
                         .kind = kind,
                         .config = config,
                         .place = place(scope, name),
                         .seed = options_.seed,
                         .dtype = precision.compute,
                         .weights_dtype = precision.weights,
                         .keras3 = keras3_layer(config),
                         .training = training_ && member(arguments.settings, "training") != false,
                         .weights = weights_,
                         .losses = model_.losses,
                         .parts = parts_,
                         .inner =
                             [this, &scope, outermost](KerasLayer& outer, const Json& inner,
                                                       const std::string& part, const Values& values,
                                                       const Values& masks) {
                                 return call_inner(outer, scope, outermost, inner, part, values, masks);
                             },
                         .call_settings = arguments.settings};
        Values inputs;
        for (const Tensor& x : arguments.inputs) {
            inputs.push_back(x.value);
            layer.masks.push_back(x.mask);
        }
        for (const auto& [argument, tensors] : arguments.named)
            for (const Tensor& x : tensors) {
                layer.arguments[argument].push_back(x.value);
                layer.argument_masks[argument].push_back(x.mask);
            }
        TRY(const auto y, applied(layer, inputs));
        Tensors outputs;
        for (const ValueId value : y)
            outputs.push_back({value, outputs.empty() ? layer.output_mask : graph::no_value});
        entry(build_.graph().layers, known->second).output_shape = build_.type(y.at(0)).shape;
        for (; registered_ < build_.graph().variables.size(); ++registered_)
            model_.variables.push_back({registered_, outermost, scope.groups[name], parts_[registered_]});
        build_.scope = {};
        return outputs;
    }

    /// A layer or a model within a layer. What is not a model has the scope of the layer that it is in.
    Result<InnerOutputs> call_inner(KerasLayer& outer, Scope& scope, const std::string& outermost,
                                    const Json& description, const std::string& part, const Values& values,
                                    const Values& masks) {
        TRY(check_layer(description, outer.place));
        const std::string name = outer.name + "/" + layer_name(description);
        if (is_model(description)) {
            Tensors inputs;
            for (std::size_t i = 0; i < values.size(); ++i)
                inputs.push_back({values[i], i < masks.size() ? masks[i] : graph::no_value});
            const graph::Builder::Scope saved = build_.scope;
            const std::string own = outer.name.substr(scope.prefix.size());
            Scope inner{name + "/", outermost, scope.groups[own] + "/" + part + "/layers/"};
            auto made = model(description, inner, inputs);
            build_.scope = saved;
            TRY(const auto y, std::move(made));
            InnerOutputs outputs{{}, y.at(0).mask};
            for (const Tensor& output : y)
                outputs.values.push_back(output.value);
            return outputs;
        }
        const Json& config = description["config"];
        TRY(const auto precision, precision_for(config, name, outer.place));
        const std::string kind = description["class_name"];
        KerasLayer layer{.build = build_,
                         .name = name,
                         .kind = kind,
                         .config = config,
                         .place = outer.place + "/" + layer_name(description),
                         .seed = outer.seed,
                         .dtype = precision.compute,
                         .weights_dtype = precision.weights,
                         .keras3 = outer.keras3,
                         .training = outer.training,
                         .weights = weights_,
                         .losses = model_.losses,
                         .parts = parts_,
                         .inner = outer.inner,
                         .part = outer.part.empty() ? part : outer.part + "/" + part,
                         .masks = masks};
        TRY(auto y, applied(layer, values));
        return InnerOutputs{y, layer.output_mask};
    }

    /// Floats in the type that the layer computes in, unless it is told not to (keras/layers/layer.py).
    Result<Values> as_computed_by(const KerasLayer& layer, Values values) const {
        if (member(layer.config, "autocast") != false && graph::is_floating(layer.dtype))
            for (ValueId& value : values)
                if (value != graph::no_value && graph::is_floating(build_.type(value).dtype)) {
                    TRY(value, build_.as_type(value, layer.dtype));
                }
        return values;
    }

    /// What the layer makes; its activity regulariser is added to the losses.
    Result<Values> applied(KerasLayer& layer, const Values& inputs) const {
        for (auto& [name, values] : layer.arguments) {
            TRY(values, as_computed_by(layer, values));
        }
        TRY(const Values computed, as_computed_by(layer, inputs));
        TRY(const Values y, apply_layer(layer, computed));
        for (const ValueId value : y)
            TRY(regularise_activity(layer, value));
        return y;
    }

    /// The mean over the samples.
    Result<void> regularise_activity(KerasLayer& layer, ValueId value) const {
        const Shape& shape = build_.type(value).shape;
        const auto samples = static_cast<double>(std::max<std::int64_t>(shape.empty() ? 1 : shape[0], 1));
        return regularise(layer, "activity_regularizer", value, 1 / samples);
    }

    Result<Tensors> sequential(const Json& layers, Scope& scope, const Tensors& inputs) {
        std::optional<Tensor> x;
        if (!scope.outermost() && inputs.size() != 1)
            return bad_input("a Sequential model takes one input, got " + std::to_string(inputs.size()),
                             path_ + ": layer " + scope.prefix);
        if (!inputs.empty())
            x = inputs[0];
        for (const Json& description : layers) {
            const std::string name = layer_name(description);
            const bool input_layer = description["class_name"] == "InputLayer";
            if (!x) {
                TRY(auto fed, input(scope, input_layer ? name : name + "_input", first_config(description)));
                x = Tensor{fed};
            }
            if (input_layer)
                continue;
            TRY(auto y, call(description, scope, {{*x}}));
            if (y.size() != 1)
                return bad_input("the layer gives " + std::to_string(y.size()) +
                                     " outputs, and a Sequential model passes one on",
                                 place(scope, name), "use a Functional model");
            x = y.front();
        }
        return Tensors{*x};
    }

    struct Call {
        const Json* description;
        TensorName output; ///< the first
        LayerCall call;
        std::vector<TensorName> read() const {
            std::vector<TensorName> all = call.inputs;
            for (const auto& [name, tensors] : call.named)
                all.insert(all.end(), tensors.begin(), tensors.end());
            return all;
        }
    };

    Result<void> add_inputs(const Json& config, const Json& layers, Scope& scope, const Tensors& inputs) {
        const std::vector<TensorName> order = tensors_in(member(config, "input_layers"));
        const auto place_of = [&](const Json& description) {
            return static_cast<std::size_t>(
                std::find(order.begin(), order.end(), TensorName{layer_name(description)}) - order.begin());
        };
        std::vector<const Json*> found;
        for (const Json& description : layers)
            if (description["class_name"] == "InputLayer")
                found.push_back(&description);
        // The model lists its inputs in an order of its own: that of the arrays that it is given.
        std::stable_sort(found.begin(), found.end(),
                         [&](const Json* a, const Json* b) { return place_of(*a) < place_of(*b); });
        for (const Json* description : found) {
            const std::string name = layer_name(*description);
            if (scope.outermost() && inputs.empty()) {
                TRY(auto fed, input(scope, name, (*description)["config"]));
                scope.values[{name}] = Tensor{fed};
                row(name).output_shape = build_.type(fed).shape;
                continue;
            }
            const std::size_t at = place_of(*description);
            if (at >= inputs.size())
                return bad_input("the model is called with " +
                                     counted_text(static_cast<std::int64_t>(inputs.size()), "input"),
                                 place(scope, name), "give it one for each of its inputs");
            scope.values[{name}] = inputs[at];
        }
        return {};
    }

    Result<std::vector<Call>> calls_of(const Json& config, const Json& layers, const Scope& scope) const {
        std::vector<Call> calls;
        std::vector<TensorName> read = tensors_in(member(config, "output_layers"));
        for (const Json& description : layers) {
            const std::string name = layer_name(description);
            if (description["class_name"] == "InputLayer")
                continue;
            const Json& nodes = member(description, "inbound_nodes");
            if (!nodes.is_array())
                return bad_input("the layer has no inbound_nodes", place(scope, name));
            std::int64_t number = 0;
            for (const Json& node : nodes) {
                TRY(auto described, call_in(node, place(scope, name)));
                calls.push_back({&description, {name, number++}, std::move(described)});
                const auto more = calls.back().read();
                read.insert(read.end(), more.begin(), more.end());
            }
        }
        // A model that is a layer has been called once before, when it was made: Keras counts from 1.
        for (Call& c : calls)
            if (is_model(*c.description) &&
                std::none_of(read.begin(), read.end(), [&](const TensorName& name) {
                    return name.layer == c.output.layer && name.call == 0;
                }))
                ++c.output.call;
        return calls;
    }

    static Tensors values_of(const std::vector<TensorName>& names, const Scope& scope) {
        Tensors values;
        for (const TensorName& name : names)
            values.push_back(scope.values.at(name));
        return values;
    }

    Result<Tensors> functional(const Json& config, const Json& layers, Scope& scope, const Tensors& inputs) {
        TRY(add_inputs(config, layers, scope, inputs));
        TRY(auto calls, calls_of(config, layers, scope));
        // Layers need not stand in the order of their use: take those that are ready until none is left.
        while (!calls.empty()) {
            const auto ready = std::find_if(calls.begin(), calls.end(), [&](const Call& c) {
                const auto read = c.read();
                return std::all_of(read.begin(), read.end(),
                                   [&](const TensorName& name) { return scope.values.contains(name); });
            });
            if (ready == calls.end())
                return bad_input("the layer's input does not exist", place(scope, calls.front().output.layer),
                                 "the file is cut or its layers form a circle");
            Arguments arguments{values_of(ready->call.inputs, scope)};
            for (const auto& [name, tensors] : ready->call.named)
                arguments.named[name] = values_of(tensors, scope);
            arguments.settings = ready->call.settings;
            TRY(auto y, call(*ready->description, scope, arguments));
            TensorName name = ready->output;
            for (const Tensor& output : y) {
                scope.values[name] = output;
                ++name.output;
            }
            calls.erase(ready);
        }
        const std::vector<TensorName> outputs = tensors_in(member(config, "output_layers"));
        if (outputs.empty())
            return bad_input("the model has no output", path_, "give it \"output_layers\"");
        for (const TensorName& output : outputs)
            if (!scope.values.contains(output))
                return bad_input("the model's output is no layer of it", place(scope, output.layer));
        return values_of(outputs, scope);
    }

    graph::Builder& build_;
    std::string path_;
    const KerasOptions& options_;
    bool training_;
    std::int32_t shard_ = -1;
    std::set<std::string> unseen_; ///< layers with a shard that have not come yet
    std::map<std::string, graph::LayerId> layer_ids_;
    std::map<std::string, ValueId> weights_;
    std::map<std::size_t, std::string> parts_; ///< by variable
    std::size_t registered_ = 0;               ///< variables that model_ knows
    KerasModel model_;
};

void count_parameters(graph::Graph& graph, KerasModel& model) {
    for (const SavedVariable& saved : model.variables) {
        const graph::Variable& variable = graph.variables[saved.variable];
        const std::int64_t elements = variable.initial.elements();
        entry(graph.layers, variable.layer).parameters += elements;
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
        if (layer.is_object() && member(layer, "class_name") != "InputLayer")
            names.push_back(layer_name(layer));
    return names;
}

Result<KerasModel> add_keras_model(graph::Builder& build, const std::string& text, const std::string& path,
                                   const KerasOptions& options) {
    TRY(const auto document, formats::parse_json(text, path));
    TRY(auto model, KerasImporter(build, path, options).run(document));
    count_parameters(build.graph(), model);
    return model;
}

} // namespace tilescope::keras
