// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "import/keras_layers.h"
#include "import/one_output.h"

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

/// What the families of Keras layers share: reading settings, making weights, adding operations.
namespace tilescope::import {

using Json = nlohmann::json;
using Values = std::vector<graph::ValueId>;
using Extents = std::vector<std::int64_t>;

/// How a class of layers becomes operations, and the settings that it has beside those of every layer.
struct LayerClass {
    Result<graph::ValueId> (*apply)(KerasLayer& layer, const Values& inputs);
    std::vector<const char*> settings;
};
using LayerTable = std::map<std::string, LayerClass>;

/// The classes of each family, one file each.
LayerTable core_layers();
LayerTable convolution_layers();
LayerTable pooling_layers();
LayerTable reshaping_layers();
LayerTable activation_layers();
LayerTable merging_layers();
LayerTable normalisation_layers();
LayerTable regularisation_layers();
LayerTable recurrent_layers();

/// A setting; null where it is absent.
const Json& setting(const KerasLayer& layer, const char* key);
std::string text(const KerasLayer& layer, const char* key, const std::string& otherwise);
double number(const KerasLayer& layer, const char* key, double otherwise);
bool flag(const KerasLayer& layer, const char* key, bool otherwise);
/// A positive whole number. Errors: it is something else, or absent and `otherwise` is 0.
Result<std::int64_t> integer(const KerasLayer& layer, const char* key, std::int64_t otherwise);

/// An extent for each of the layer's field dimensions: one number for all, or a list. One-dimensional layers
/// are computed as two-dimensional ones of height 1.
Result<Extents> extents(const KerasLayer& layer, std::size_t rank, const char* key, Extents otherwise);
/// Padding before and after (top, left, bottom, right) for Keras' "same" (TensorFlow's rule: the odd one
/// goes after) or "valid"; `x` is [batch, height, width, channels].
Result<Extents> padding(const KerasLayer& layer, const graph::Shape& x, const Extents& window,
                        const Extents& strides, const Extents& dilations);
/// Errors: the layer's data_format is channels_first.
Result<void> expect_channels_last(const KerasLayer& layer);

/// The input as [batch, height, width, channels]: of `rank` 1 it is [batch, steps, channels].
Result<graph::ValueId> as_images(KerasLayer& layer, std::size_t rank, graph::ValueId x);
/// And back.
graph::ValueId from_images(KerasLayer& layer, std::size_t rank, graph::ValueId y);

/// How a weight is made.
struct WeightSpec {
    std::string name; ///< "kernel"
    graph::Shape shape;
    std::string setting;   ///< its settings' prefix: "kernel" for "kernel_initializer"
    Json otherwise;        ///< initialiser where there is no setting
    bool trainable = true; ///< as far as the layer is
    std::optional<graph::InitialValue> first = {}; ///< instead of what the initialiser gives
};
/// A variable of the layer; that of an earlier call where the layer is shared.
Result<graph::ValueId> weight(KerasLayer& layer, WeightSpec spec);
/// y + bias where the layer has one; `units` is the last extent of y.
Result<graph::ValueId> add_bias(KerasLayer& layer, graph::ValueId y, std::int64_t units);
/// A number that tells random layers apart, so that layers of the same name have the same mask in every run
/// and on every number of IPUs.
std::int64_t random_salt(const KerasLayer& layer);
/// x repeated by broadcasting to `broadcast`, seen as `result`; `open` is x with extents of 1 where it is
/// repeated.
graph::ValueId repeated(KerasLayer& layer, graph::ValueId x, const graph::Shape& open,
                        const graph::Shape& broadcast, const graph::Shape& result);
/// The layer's `activation`.
Result<graph::ValueId> activate(KerasLayer& layer, graph::ValueId y);

} // namespace tilescope::import
