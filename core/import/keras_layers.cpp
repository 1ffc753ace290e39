// SPDX-License-Identifier: GPL-3.0-or-later
#include "import/keras_layers.h"

#include "base/nearest_name.h"
#include "import/keras_settings.h"

#include <algorithm>
#include <utility>

namespace tilescope::import {
namespace {

using graph::ValueId;

const LayerTable& layers() {
    static const LayerTable table = [] {
        LayerTable all;
        for (auto family : {core_layers, convolution_layers, pooling_layers, reshaping_layers,
                            activation_layers, merging_layers, attention_layers, multi_head_attention_layers,
                            volume_layers, wrapping_layers, einsum_layers, preprocessing_layers,
                            normalisation_layers, regularisation_layers, recurrent_layers})
            all.merge(family());
        return all;
    }();
    return table;
}

/// Settings that layers of every class have, and that mean nothing to what they compute or are read with the
/// model.
constexpr const char* common_settings[] = {
    "name",         "trainable",           "dtype",       "batch_input_shape",
    "batch_shape",  "input_shape",         "data_format", "input_dtype",
    "build_config", "quantization_config", "autocast",    "activity_regularizer",
};

Result<void> refuse_unknown_settings(const KerasLayer& layer, const LayerClass& known) {
    std::vector<std::string> names(std::begin(common_settings), std::end(common_settings));
    names.insert(names.end(), known.settings.begin(), known.settings.end());
    for (const auto& [key, value] : layer.config.items()) {
        if (value.is_null() || std::find(names.begin(), names.end(), key) != names.end())
            continue;
        const std::string nearest = nearest_name(key, names);
        return layer.fail("setting \"" + key + "\" of " + layer.kind + " is not supported",
                          nearest.empty() ? "remove it from the layer" : "did you mean \"" + nearest + "\"?");
    }
    return {};
}

/// Arguments that every call may have: the mask and whether it is in training.
Result<void> read_call(KerasLayer& layer, const LayerClass& known) {
    std::vector<std::string> names(known.arguments.begin(), known.arguments.end());
    names.insert(names.end(), {"mask", "training"});
    const auto check = [&](const std::string& name) -> Result<void> {
        if (std::find(names.begin(), names.end(), name) != names.end())
            return {};
        const std::string nearest = nearest_name(name, names);
        return layer.fail("argument \"" + name + "\" of a call of " + layer.kind + " is not supported",
                          nearest.empty() ? "call it without" : "did you mean \"" + nearest + "\"?");
    };
    for (const auto& [name, values] : layer.arguments)
        if (auto ok = check(name); !ok)
            return ok;
    for (const auto& [name, value] : layer.call_settings.items())
        if (auto ok = check(name); !ok)
            return ok;
    if (layer.call_settings.value("training", Json()) == true)
        return layer.fail("a call in training mode is not supported",
                          "leave \"training\" to fit and evaluate");
    if (const auto masks = layer.arguments.find("mask"); masks != layer.arguments.end())
        layer.masks = masks->second;
    return {};
}

} // namespace

std::vector<std::string> supported_layers() {
    std::vector<std::string> names{"InputLayer"};
    for (const auto& [name, known] : layers())
        names.push_back(name);
    return names;
}

Result<Values> apply_layer(KerasLayer& layer, const Values& inputs) {
    const auto found = layers().find(layer.kind);
    if (found == layers().end()) {
        const std::string nearest = nearest_name(layer.kind, supported_layers());
        return layer.fail("layer class \"" + layer.kind + "\" is not supported",
                          nearest.empty() ? "" : "the nearest that is supported is \"" + nearest + "\"");
    }
    if (inputs.empty())
        return layer.fail("the layer has no input");
    if (auto ok = refuse_unknown_settings(layer, found->second); !ok)
        return Failure(ok.error());
    if (auto ok = read_call(layer, found->second); !ok)
        return Failure(ok.error());
    layer.output_mask = found->second.masking == Masking::Passes ? layer.mask() : graph::no_value;
    auto y = found->second.apply(layer, inputs);
    if (!y && y.error().place.rfind(layer.place, 0) != 0) {
        Error error = y.error();
        error.place = layer.place;
        return Failure(std::move(error));
    }
    return y;
}

} // namespace tilescope::import
