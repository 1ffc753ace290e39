// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/error.h"
#include "graph/tensor.h"

#include <compare>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

/// The form of a Keras model as JSON, in all its versions.
namespace tilescope::keras {

/// A tensor that a layer reads: an output of a call of another.
struct TensorName {
    std::string layer;
    std::int64_t call = 0;
    std::int64_t output = 0;
    auto operator<=>(const TensorName&) const = default;
};

/// One call of a layer, as an inbound node describes it.
struct LayerCall {
    std::vector<TensorName> inputs;
    std::map<std::string, std::vector<TensorName>> named; ///< arguments that are tensors, by their names
    nlohmann::json settings = nlohmann::json::object();   ///< those that are not: {"use_causal_mask": true}
};

enum class ModelKind { Sequential, Functional };

/// The kind of a model that has layers. Errors: BadInput for what is no model, NotSupported for another
/// class.
Result<ModelKind> check_model(const nlohmann::json& document, const std::string& path);
/// Errors: BadInput unless a layer has a class and settings.
Result<void> check_layer(const nlohmann::json& description, const std::string& path);

/// The layers of a model's config. The first Keras wrote a Sequential's layers as the config itself.
const nlohmann::json& layers_of(const nlohmann::json& config);
/// The name of a layer or model; its class where it has none.
std::string layer_name(const nlohmann::json& description);
/// Whether Keras 3 wrote a layer: its dtype is a policy object.
bool keras3_layer(const nlohmann::json& config);
/// Whether a layer is a model of its own.
bool is_model(const nlohmann::json& description);
/// The settings that hold the input shape of a Sequential model that begins with this layer.
const nlohmann::json& first_config(const nlohmann::json& description);
/// The shape of an input with its batch; null where there is none.
nlohmann::json input_shape(const nlohmann::json& config);
/// It as static extents for a batch. Errors: BadInput where it is absent or open.
Result<graph::Shape> static_shape(const nlohmann::json& shape, std::int64_t batch, const std::string& place);
/// The element types of a layer.
struct Precision {
    graph::DType compute = graph::DType::Float32;
    graph::DType weights = graph::DType::Float32; ///< with mixed_float16 they stay float32
};
/// The dtype or the policy of a layer. Errors: BadInput for one that the device lacks.
Result<Precision> precision_of(const nlohmann::json& config, const std::string& place);
/// That of a policy or a dtype by its name. Errors: the same.
Result<Precision> precision_named(const std::string& name, const std::string& place);
/// The tensors named anywhere in a list: ["name", 0, 0] or Keras 3's keras_history.
std::vector<TensorName> tensors_in(const nlohmann::json& node);
/// An inbound node: [["name", 0, 0, {"argument": …}], …], or Keras 3's {"args": […], "kwargs": {…}}. Errors:
/// BadInput for an argument without a name that is no tensor.
Result<LayerCall> call_in(const nlohmann::json& node, const std::string& place);

} // namespace tilescope::keras
