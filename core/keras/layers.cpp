// SPDX-License-Identifier: GPL-3.0-or-later
#include "keras/layers.h"

#include "base/nearest_name.h"
#include "base/try.h"
#include "formats/json_reader.h"
#include "settings.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace tilescope::keras {
namespace {

using graph::Shape;
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

/// Classes that have no meaning for a compiled graph of numbers, or none yet, with what to do instead.
const std::map<std::string, const char*>& refused_classes() {
    constexpr const char* on_host = "do it on the host, before the data are fed";
    constexpr const char* as_layers =
        "write what it computes as layers: Add, Multiply, Rescaling, EinsumDense …";
    constexpr const char* ctc =
        "compute it on the host; the nearest that is supported is a Softmax of each step";
    static const std::map<std::string, const char*> all = {
        {"Lambda", as_layers},
        {"TFOpLambda", as_layers},
        {"SlicingOpLambda", as_layers},
        {"TensorFlowOpLayer", as_layers},
        {"CTCLoss", ctc},
        {"CTCInferenceLayer", ctc},
        {"CTCPredictionsLayer", ctc},
        {"EffectiveTransformer", "the nearest that is supported is \"MultiHeadAttention\" with a mask"},
        {"ConvertToF8", "float16 is the narrowest type: the nearest that is supported is a dtype of float16"},
        {"ConvertFromF8",
         "float16 is the narrowest type: the nearest that is supported is a dtype of float16"},
        {"CaptureUpstreamGradients", "use the layer that it wraps, and loss_scale"},
        {"CaptureActivationGradients", "use the layer that it wraps, and loss_scale"},
        {"LocallyConnected1D", "the nearest that is supported is \"Conv1D\""},
        {"LocallyConnected2D", "the nearest that is supported is \"Conv2D\""},
        {"SpectralNormalization", "use the layer that it wraps, with a MaxNorm constraint"},
        {"TextVectorization", on_host},
        {"StringLookup", on_host},
        {"IntegerLookup", on_host},
        {"Hashing", on_host},
        {"HashedCrossing", on_host},
        {"Discretization", on_host},
        {"CategoryEncoding", on_host},
        {"RandomFlip", on_host},
        {"RandomRotation", on_host},
        {"RandomZoom", on_host},
        {"RandomCrop", on_host},
        {"RandomContrast", on_host},
        {"RandomBrightness", on_host},
        {"RandomTranslation", on_host},
        {"RandomHeight", on_host},
        {"RandomWidth", on_host}};
    return all;
}

/// Settings that layers of every class have, and that mean nothing to what they compute or are read with the
/// model.
constexpr const char* common_settings[] = {
    "name",         "trainable",           "dtype",       "batch_input_shape",
    "batch_shape",  "input_shape",         "data_format", "input_dtype",
    "build_config", "quantization_config", "autocast",    "activity_regularizer",
};

std::vector<std::string> settings_of(const LayerClass& known) {
    std::vector<std::string> names(std::begin(common_settings), std::end(common_settings));
    names.insert(names.end(), known.settings.begin(), known.settings.end());
    return names;
}

Result<void> refuse_unknown_settings(const KerasLayer& layer, const LayerClass& known) {
    const std::vector<std::string> names = settings_of(known);
    for (const auto& [key, value] : layer.config.items()) {
        if (value.is_null() || std::find(names.begin(), names.end(), key) != names.end())
            continue;
        return layer.unsupported("setting \"" + key + "\" of " + layer.kind + " is not supported",
                                 remedy_for(key, names, "remove it from the layer"));
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
        return layer.unsupported("argument \"" + name + "\" of a call of " + layer.kind + " is not supported",
                                 remedy_for(name, names, "call it without"));
    };
    for (const auto& [name, values] : layer.arguments)
        TRY(check(name));
    for (const auto& [name, value] : layer.call_settings.items())
        TRY(check(name));
    if (formats::member(layer.call_settings, "training") == true)
        return layer.unsupported("a call in training mode is not supported",
                                 "leave \"training\" to fit and evaluate");
    if (const auto masks = layer.arguments.find("mask"); masks != layer.arguments.end())
        layer.masks = masks->second;
    return {};
}

/// Values whose channels stand before the space, [batch, channels, …], as [batch, …, channels], or back.
Result<Values> channels_moved(KerasLayer& layer, const Values& values, bool to_last) {
    Values moved;
    for (const ValueId value : values) {
        const std::size_t rank = layer.build.type(value).shape.size();
        Shape order(rank);
        std::iota(order.begin(), order.end(), 0);
        if (rank > 2)
            std::rotate(order.begin() + 1, to_last ? order.begin() + 2 : order.end() - 1, order.end());
        TRY(const ValueId made,
            rank > 2 ? layer.build.emit("transpose", {value}, {{"permutation", order}}, "Transpose")
                     : Result<ValueId>(value));
        moved.push_back(made);
    }
    return moved;
}

/// A layer with data_format "channels_first": the same with its channels behind, between transpositions. Its
/// weights are the same in both.
Result<Values> apply_channels_first(KerasLayer& layer, const LayerClass& known, const Values& inputs) {
    TRY(const Values last, channels_moved(layer, inputs, true));
    TRY(const Values outputs, known.apply(layer, last));
    return channels_moved(layer, outputs, false);
}

} // namespace

std::vector<std::string> supported_layers() {
    std::vector<std::string> names{"InputLayer"};
    for (const auto& [name, known] : layers())
        names.push_back(name);
    return names;
}

std::vector<std::string> supported_settings(const std::string& kind) {
    const auto found = layers().find(kind);
    return found == layers().end() ? std::vector<std::string>() : settings_of(found->second);
}

Result<Values> apply_layer(KerasLayer& layer, const Values& inputs) {
    const auto found = layers().find(layer.kind);
    if (const auto refused = refused_classes().find(layer.kind); refused != refused_classes().end())
        return layer.unsupported("layer class \"" + layer.kind + "\" is not supported", refused->second);
    if (found == layers().end()) {
        return layer.unsupported("layer class \"" + layer.kind + "\" is not supported",
                                 remedy_for(layer.kind, supported_layers()));
    }
    if (inputs.empty())
        return layer.fail("the layer has no input");
    TRY(refuse_unknown_settings(layer, found->second));
    TRY(read_call(layer, found->second));
    layer.output_mask = found->second.masking == Masking::Passes ? layer.mask() : graph::no_value;
    auto y = setting(layer, "data_format") == "channels_first"
                 ? apply_channels_first(layer, found->second, inputs)
                 : found->second.apply(layer, inputs);
    if (!y && y.error().place.rfind(layer.place, 0) != 0) {
        Error error = y.error();
        error.place = layer.place;
        return Failure(std::move(error));
    }
    return y;
}

} // namespace tilescope::keras
