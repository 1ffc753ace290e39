// SPDX-License-Identifier: GPL-3.0-or-later
#include "keras/weights.h"

#include "base/nearest_name.h"
#include "base/try.h"
#include "checkpoint.h"
#include "keras/file.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace tilescope::keras {
namespace {

using Indices = std::vector<std::size_t>; ///< of variables in a graph

Failure mismatch(const formats::Hdf5File& file, const std::string& message) {
    return bad_input(message, file.path(), "give the weights that were saved with this model");
}

Result<void> load_variable(const formats::Hdf5File& file, const std::string& data_set,
                           graph::Variable& variable) {
    const graph::TensorType& type = variable.initial.type();
    TRY(const auto shape, file.shape(data_set));
    if (shape != type.shape)
        return mismatch(file, "\"" + data_set + "\" has shape " + graph::to_string(shape) + ", " +
                                  variable.name + " of the model " + graph::to_string(type.shape));
    TRY(auto values, file.floats(data_set));
    if (type.dtype == graph::DType::Float32) {
        variable.initial = std::move(values);
        return {};
    }
    graph::HostTensor rounded(type);
    for (std::int64_t i = 0; i < rounded.elements(); ++i)
        rounded.set(i, values.at(i));
    rounded.round_to_type();
    variable.initial = std::move(rounded);
    return {};
}

Result<void> load_group(const formats::Hdf5File& file, const std::string& group,
                        const std::vector<std::string>& data_sets, const Indices& variables,
                        graph::Graph& graph) {
    if (data_sets.size() != variables.size())
        return mismatch(file, "\"" + group + "\" holds " + std::to_string(data_sets.size()) +
                                  " weights, the layer has " + std::to_string(variables.size()));
    for (std::size_t i = 0; i < variables.size(); ++i)
        TRY(load_variable(file, data_sets[i], graph.variables[variables[i]]));
    return {};
}

/// Groups by layer name. Each lists first what is trained, then the rest, over all layers of a nested model.
Result<void> load_by_layer(const formats::Hdf5File& file, const std::string& root,
                           const std::vector<std::string>& layers,
                           const std::vector<SavedVariable>& variables, graph::Graph& graph) {
    std::map<std::string, Indices> wanted;
    for (const SavedVariable& saved : variables)
        wanted[saved.layer].push_back(saved.variable);
    for (auto& [layer, indices] : wanted)
        std::stable_partition(indices.begin(), indices.end(),
                              [&](std::size_t i) { return graph.variables[i].trainable; });
    const std::string prefix = root.empty() ? "" : root + "/";
    for (const std::string& layer : layers) {
        std::string group = prefix;
        group.append(layer);
        TRY(auto names, file.texts(group, "weight_names"));
        std::vector<std::string> data_sets = std::move(names).value_or(std::vector<std::string>{});
        const auto found = wanted.find(layer);
        if (data_sets.empty() && found == wanted.end())
            continue;
        if (found == wanted.end()) {
            std::vector<std::string> known(wanted.size());
            std::transform(wanted.begin(), wanted.end(), known.begin(),
                           [](const auto& each) { return each.first; });
            const std::string nearest = nearest_name(layer, known);
            return mismatch(file, "the model has no layer \"" + layer + "\" with weights" +
                                      (nearest.empty() ? "" : ", the nearest is \"" + nearest + "\""));
        }
        group.append("/");
        for (std::string& name : data_sets)
            name.insert(0, group);
        TRY(load_group(file, layer, data_sets, found->second, graph));
        wanted.erase(found);
    }
    if (!wanted.empty())
        return mismatch(file, "there are no weights for layer \"" + wanted.begin()->first + "\"");
    return {};
}

/// Groups by the layers' classes.
Result<void> load_by_class(const formats::Hdf5File& file, const KerasCheckpoint& checkpoint,
                           const std::vector<SavedVariable>& variables, graph::Graph& graph) {
    std::map<std::string, Indices> parts;
    std::set<std::string> wanted;
    for (const SavedVariable& saved : variables) {
        wanted.insert(checkpoint.group(saved.checkpoint));
        parts[checkpoint.group(saved.checkpoint, saved.part)].push_back(saved.variable);
    }
    for (const auto& [group, indices] : parts)
        TRY(load_group(file, group, checkpoint.data_sets(group), indices, graph));
    for (const std::string& group : checkpoint.groups())
        if (!wanted.contains(group) && !checkpoint.data_sets(group).empty())
            return mismatch(file, "the model has no layer for the weights \"" + group + "\"");
    return {};
}

} // namespace

Result<void> load_keras_weights(const std::string& path, const std::vector<SavedVariable>& variables,
                                graph::Graph& graph) {
    TRY(const auto file, open_keras_weights(path));
    for (const char* root : {"model_weights", ""}) {
        TRY(const auto layers, file.texts(root, "layer_names"));
        if (layers)
            return load_by_layer(file, root, *layers, variables, graph);
    }
    if (const KerasCheckpoint checkpoint(file); checkpoint.found())
        return load_by_class(file, checkpoint, variables, graph);
    return bad_input("the file holds no weights of a Keras model", path,
                     "save it with model.save() or model.save_weights()");
}

} // namespace tilescope::keras
