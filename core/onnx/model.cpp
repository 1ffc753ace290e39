// SPDX-License-Identifier: GPL-3.0-or-later
#include "onnx/model.h"

#include "base/entry.h"
#include "base/nearest_name.h"
#include "base/try.h"
#include "base/worker_pool.h"
#include "graph.h"
#include "operation.h"
#include "unsupported.h"
#include "weights.h"
#include "whole_types.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

namespace tilescope::onnx {
namespace {

using graph::Builder;
using graph::Shape;
using graph::ValueId;

/// A node without a name is called after its first output.
std::string name_of(const OnnxNode& node) {
    if (!node.name.empty())
        return node.name;
    const auto output = std::find_if(node.outputs.begin(), node.outputs.end(),
                                     [](const std::string& name) { return !name.empty(); });
    return output == node.outputs.end() ? node.kind : *output;
}

std::string place_of(const std::string& path, const OnnxNode& node) {
    return path + ": node \"" + name_of(node) + "\" (" + node.kind + ")";
}

/// A failure is of this place, whichever operation or tensor it named.
template<class T>
Result<T> at(const std::string& place, Result<T> result) {
    if (!result)
        result.error().place = place;
    return result;
}

Result<void> check_operators(const OnnxModel& model, const std::string& path) {
    const std::vector<std::string> names = supported_onnx_operators();
    for (const OnnxNode& node : model.nodes) {
        if (std::binary_search(names.begin(), names.end(), node.kind))
            continue;
        return not_supported("operator \"" + node.kind + "\" is not supported", place_of(path, node),
                             remedy_for_unsupported(node.kind));
    }
    return {};
}

/// One model while it is taken over.
class OnnxImporter {
  public:
    OnnxImporter(Builder& build, const OnnxModel& model, std::string path, const OnnxSettings& settings)
        : build_(build), model_(model), path_(std::move(path)), settings_(settings), graph_(build, pool_),
          shard_(settings.shards.empty() ? -1 : 0) {
        for (const auto& [node, shard] : settings.shards)
            unseen_shards_.insert(node);
        for (const auto& [name, extent] : settings.dimensions)
            unused_dimensions_.insert(name);
        dimensions_ = settings.dimensions;
    }

    Result<std::vector<ValueId>> run() {
        const std::set<std::string> shared = shared_initialisers();
        for (const OnnxTensor& initialiser : model_.initialisers) {
            const OnnxValue value = graph_.known(initialiser, true);
            value.known->shared = value.type.elements() > 1 && shared.contains(initialiser.name);
            values_[initialiser.name] = value;
        }
        TRY(add_inputs());
        for (const OnnxNode& node : model_.nodes)
            TRY(add_node(node));
        if (!unseen_shards_.empty())
            return bad_input("the model has no node \"" + *unseen_shards_.begin() + "\" to give a shard",
                             path_, "name nodes as tilescope summary lists them");
        return outputs();
    }

  private:
    std::string place(const OnnxNode& node) const { return place_of(path_, node); }

    /// Those that several nodes read in ways of their own, some by another name that Identity gives them.
    /// Kernels that are convolved alike are turned alike, and so stay one.
    std::set<std::string> shared_initialisers() const {
        std::map<std::string, std::string> own; // by name
        for (const OnnxTensor& initialiser : model_.initialisers)
            own[initialiser.name] = initialiser.name;
        std::map<std::string, std::pair<const OnnxNode*, std::size_t>> first; // reader and its input
        std::set<std::string> shared;
        for (const OnnxNode& node : model_.nodes)
            for (std::size_t i = 0; i < node.inputs.size(); ++i) {
                const auto found = own.find(node.inputs[i]);
                if (found == own.end())
                    continue;
                if (node.kind == "Identity" && !node.outputs.empty())
                    own[node.outputs[0]] = found->second;
                else if (const auto [before, fresh] = first.try_emplace(found->second, &node, i);
                         !fresh &&
                         !(before->second.second == i && convolve_alike(*before->second.first, node)))
                    shared.insert(found->second);
            }
        return shared;
    }

    static bool convolve_alike(const OnnxNode& a, const OnnxNode& b) {
        const auto groups = [](const OnnxNode& node) {
            const auto found = node.attributes.find("group");
            const auto* number =
                found == node.attributes.end() ? nullptr : std::get_if<std::int64_t>(&found->second);
            return number == nullptr ? 1 : *number;
        };
        return a.kind == b.kind && (a.kind == "Conv" || a.kind == "ConvTranspose") && groups(a) == groups(b);
    }

    Result<std::int64_t> extent_of(const OnnxInput& input, std::size_t d, const std::string& where) {
        const OnnxDimension& dimension = input.shape[d];
        const auto* number = std::get_if<std::int64_t>(&dimension);
        if (number != nullptr && *number >= 0)
            return *number;
        const std::string name = number == nullptr ? std::get<std::string>(dimension) : "";
        if (const auto found = dimensions_.find(name); found != dimensions_.end()) {
            unused_dimensions_.erase(name);
            return found->second;
        }
        if (d == 0 && settings_.batch > 0) {
            if (!name.empty())
                dimensions_[name] = settings_.batch;
            return settings_.batch;
        }
        if (name.empty())
            return bad_input("dimension " + std::to_string(d) + " is not known", where,
                             d == 0 ? "give it with --batch N" : "export the model with static shapes");
        return bad_input("dimension \"" + name + "\" is not known", where,
                         "give it with --shape " + name + "=N");
    }

    Result<Shape> shape_of(const OnnxInput& input, std::size_t number, const std::string& where) {
        if (number < settings_.given.size()) {
            const OnnxTensor& given = settings_.given[number];
            bool fits = !input.ranked || given.shape.size() == input.shape.size();
            for (std::size_t d = 0; fits && input.ranked && d < input.shape.size(); ++d)
                if (const auto* extent = std::get_if<std::int64_t>(&input.shape[d]))
                    fits = *extent == given.shape[d];
            if (!fits || given.type != input.type)
                return bad_input("the model expects another " + input.type + " tensor than " + given.type +
                                     " " + graph::to_string(given.shape),
                                 where, "give a tensor of the input's type and shape");
            return given.shape;
        }
        if (!input.ranked)
            return bad_input("the input's shape is not in the model", where,
                             "export the model with the shapes of its inputs");
        Shape shape;
        for (std::size_t d = 0; d < input.shape.size(); ++d) {
            TRY(const auto extent, extent_of(input, d, where));
            shape.push_back(extent);
        }
        return shape;
    }

    Result<void> add_inputs() {
        if (!settings_.given.empty() && settings_.given.size() > model_.inputs.size())
            return bad_input("the model has " + std::to_string(model_.inputs.size()) + " inputs, " +
                                 std::to_string(settings_.given.size()) + " are given",
                             path_, "give one tensor for each");
        const std::int64_t fixed = fixed_batch(model_);
        if (settings_.batch > 0 && fixed > 0 && fixed != settings_.batch)
            return bad_input("the model's batch is fixed at " + std::to_string(fixed) + ", " +
                                 std::to_string(settings_.batch) + " is asked for",
                             path_, "use --batch " + std::to_string(fixed));
        for (std::size_t i = 0; i < model_.inputs.size(); ++i) {
            const OnnxInput& input = model_.inputs[i];
            const std::string where = path_ + ": input \"" + input.name + "\"";
            if (input.type == not_a_tensor)
                return bad_input("is a sequence, an optional or a map", where,
                                 "export the model with tensors");
            const auto dtype = device_type(input.type);
            if (!dtype)
                return bad_input("element type " + input.type + " cannot be on the device", where,
                                 "use float, float16, int32, int64 or bool");
            TRY(const auto shape, shape_of(input, i, where));
            const OnnxTensor* given = i < settings_.given.size() ? &settings_.given[i] : nullptr;
            OnnxValue& fed = values_[input.name];
            TRY(fed, at(where, graph_.feed(input.name, {*dtype, shape}, given)));
            if (dtype == graph::DType::Int32)
                fed.whole = input.type;
        }
        return check_dimensions();
    }

    Result<void> check_dimensions() const {
        if (unused_dimensions_.empty() || !settings_.given.empty())
            return {};
        std::vector<std::string> names;
        for (const OnnxInput& input : model_.inputs)
            for (const OnnxDimension& dimension : input.shape)
                if (const auto* name = std::get_if<std::string>(&dimension))
                    names.push_back(*name);
        return bad_input("no input has a dimension \"" + *unused_dimensions_.begin() + "\"", path_,
                         remedy_for(*unused_dimensions_.begin(), names));
    }

    /// Starts a layer for the node, on its shard.
    void begin_layer(const OnnxNode& node) {
        std::string name = name_of(node);
        for (int i = 1; !layer_names_.insert(name).second; ++i)
            name = node.kind + "_" + std::to_string(i);
        if (const auto shard = settings_.shards.find(name); shard != settings_.shards.end()) {
            shard_ = shard->second;
            unseen_shards_.erase(name);
        }
        build_.scope.layer = build_.layer(name, node.kind);
        build_.scope.placement.shard = shard_;
        build_.scope.prefix = name + "/";
    }

    OnnxValue as_used(const OnnxValue& value, const OnnxNode& node, std::size_t input) {
        const bool candidate = value.known && value.known->weight;
        return candidate && !is_weight(node, input, value.type.elements()) ? graph_.frozen(value) : value;
    }

    Result<void> add_node(const OnnxNode& node) {
        std::vector<std::optional<OnnxValue>> inputs;
        for (const std::string& name : node.inputs) {
            const auto found = values_.find(name);
            if (!name.empty() && found == values_.end())
                return bad_input("its input \"" + name + "\" is not made before it", place(node),
                                 "export the model again");
            inputs.push_back(name.empty() ? std::nullopt
                                          : std::optional(as_used(found->second, node, inputs.size())));
        }
        while (!inputs.empty() && !inputs.back())
            inputs.pop_back();
        const std::size_t before = build_.graph().values().size();
        begin_layer(node);
        TRY(auto made, mapped(node, std::move(inputs)));
        if (build_.graph().values().size() == before)
            build_.graph().layers.pop_back(); // nothing of it runs
        else if (!made.empty())
            build_.graph().layers.back().output_shape = made.front().shape();
        build_.scope = {};
        for (std::size_t i = 0; i < node.outputs.size(); ++i) {
            if (node.outputs[i].empty())
                continue;
            if (i >= made.size())
                return not_supported("its output " + std::to_string(i) + " \"" + node.outputs[i] +
                                         "\" is not supported",
                                     place(node), "remove what reads it");
            values_[node.outputs[i]] = made[i];
        }
        return {};
    }

    Result<OnnxValues> mapped(const OnnxNode& node, std::vector<std::optional<OnnxValue>> inputs) {
        const OnnxOperation operation(node, model_.opset, std::move(inputs), graph_);
        auto made = onnx_mappings().at(node.kind)(operation);
        TRY(at(place(node), operation.check_attributes(made.has_value())));
        if (made)
            made = in_their_types(operation, std::move(*made));
        return at(place(node), std::move(made));
    }

    Result<std::vector<ValueId>> outputs() {
        std::vector<ValueId> result;
        for (const std::string& name : model_.outputs) {
            const auto found = values_.find(name);
            if (found == values_.end())
                return bad_input("nothing makes the output \"" + name + "\"", path_,
                                 "export the model again");
            const std::string where = path_ + ": output \"" + name + "\"";
            TRY(ValueId id, at(where, graph_.on_device(found->second)));
            if (build_.graph().value(id).source != graph::Source::Operation) {
                TRY(id, at(where, build_.emit("reshape", {id}, {{"shape", found->second.shape()}}, name)));
            }
            result.push_back(id);
        }
        if (result.empty())
            return bad_input("the model has no outputs", path_, "export the model again");
        return result;
    }

    Builder& build_;
    const OnnxModel& model_;
    std::string path_;
    const OnnxSettings& settings_;
    WorkerPool pool_{1};
    OnnxGraph graph_;
    std::int32_t shard_;
    std::map<std::string, OnnxValue> values_;
    std::map<std::string, std::int64_t> dimensions_;
    std::set<std::string> unused_dimensions_;
    std::set<std::string> unseen_shards_;
    std::set<std::string> layer_names_;
};

} // namespace

Result<OnnxModel> load_onnx_model(const std::string& path) {
    TRY(auto model, read_onnx_model(path));
    TRY(check_operators(model, path));
    TRY(check_onnx_model(model, path));
    return model;
}

Result<std::vector<ValueId>> add_onnx_model(Builder& build, const OnnxModel& model, const std::string& path,
                                            const OnnxSettings& settings) {
    build.graph().name = model.name;
    auto outputs = OnnxImporter(build, model, path, settings).run();
    if (outputs)
        for (const graph::Variable& variable : build.graph().variables)
            if (variable.layer != graph::no_layer)
                entry(build.graph().layers, variable.layer).parameters += variable.initial.elements();
    return outputs;
}

std::int64_t fixed_batch(const OnnxModel& model) {
    if (model.inputs.empty() || model.inputs[0].shape.size() < 2)
        return 0;
    const auto* extent = std::get_if<std::int64_t>(&model.inputs[0].shape[0]);
    return extent == nullptr ? 0 : std::max<std::int64_t>(*extent, 0);
}

std::vector<std::string> supported_onnx_operators() {
    std::vector<std::string> names;
    for (const auto& [name, mapping] : onnx_mappings())
        names.push_back(name);
    return names;
}

bool is_onnx_file(const std::string& path) {
    return std::filesystem::path(path).extension() == ".onnx";
}

} // namespace tilescope::onnx
