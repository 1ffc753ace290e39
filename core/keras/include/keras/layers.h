// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/error.h"
#include "graph/builder.h"

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace tilescope::keras {

/// What a layer within a layer gives, and the mask of its first output.
struct InnerOutputs {
    std::vector<graph::ValueId> values;
    graph::ValueId mask = graph::no_value;
};

/// One layer of a Keras model while it is turned into operations.
struct KerasLayer {
    graph::Builder& build;
    std::string name; ///< with those of the models that it is nested in: "encoder/dense"
    std::string kind;
    const nlohmann::json& config;
    std::string place; ///< "FILE: layer NAME"
    std::uint64_t seed = 0;
    graph::DType dtype = graph::DType::Float32;         ///< that it computes in
    graph::DType weights_dtype = graph::DType::Float32; ///< that its weights are kept in
    bool keras3 = false;                                ///< some functions changed with Keras 3
    bool training = false;                              ///< batch statistics are taken, running ones updated
    std::map<std::string, graph::ValueId>& weights;     ///< of shared layers, by "NAME/kernel"
    std::vector<graph::ValueId>& losses;                ///< of regularisers, one number each
    /// For weights of a part of a layer, by index of the variable: where .keras files hold them below it.
    std::map<std::size_t, std::string>& parts;
    /// One call of a layer or a model within this one, which is its `part` as .keras files name it: "layer".
    std::function<Result<InnerOutputs>(KerasLayer& layer, const nlohmann::json& description,
                                       const std::string& part, const std::vector<graph::ValueId>& inputs,
                                       const std::vector<graph::ValueId>& masks)>
        inner = {};
    std::string part = {};                  ///< of the layer that it is in, itself: "layer"
    std::vector<graph::ValueId> masks = {}; ///< of each input: bool, true where it counts; or no_value
    std::map<std::string, std::vector<graph::ValueId>> arguments = {};      ///< of the call, by name
    std::map<std::string, std::vector<graph::ValueId>> argument_masks = {}; ///< as `masks`, of these
    nlohmann::json call_settings = nlohmann::json::object();                ///< arguments that are no tensors
    graph::ValueId output_mask = graph::no_value; ///< what goes on with the first output

    /// The mask of an input; no_value where there is none.
    graph::ValueId mask(std::size_t input = 0) const {
        return input < masks.size() ? masks[input] : graph::no_value;
    }
    Failure fail(const std::string& message, const std::string& remedy = {}) const {
        return bad_input(message, place, remedy);
    }
    Failure unsupported(const std::string& message, const std::string& remedy = {}) const {
        return not_supported(message, place, remedy);
    }
};

/// The operations of one call of a layer, which give its outputs. Errors: NotSupported for a class or a
/// setting that is not there (the nearest that is), BadInput for settings and inputs that do not fit.
Result<std::vector<graph::ValueId>> apply_layer(KerasLayer& layer, const std::vector<graph::ValueId>& inputs);

/// Applies an activation by its Keras name ("linear" is none).
Result<graph::ValueId> apply_activation(KerasLayer& layer, const nlohmann::json& activation,
                                        graph::ValueId x);

std::vector<std::string> supported_layers();

/// The settings that a class of layers may have, those of every class among them; none for a class that is
/// not supported.
std::vector<std::string> supported_settings(const std::string& kind);

} // namespace tilescope::keras
