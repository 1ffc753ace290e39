// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "keras/layers.h"

#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

/// What the families of Keras layers share: reading settings, making weights, adding operations.
namespace tilescope::keras {

using Json = nlohmann::json;
using Values = std::vector<graph::ValueId>;
using Extents = std::vector<std::int64_t>;

/// What becomes of the mask of a layer's first input, unless the layer says so itself
/// (KerasLayer::output_mask). Keras calls layers that pass it on `supports_masking`.
enum class Masking { Ends, Passes };

/// How a class of layers becomes operations, and the settings that it has beside those of every layer.
struct LayerClass {
    using OneOutput = Result<graph::ValueId> (*)(KerasLayer& layer, const Values& inputs);
    using SeveralOutputs = Result<Values> (*)(KerasLayer& layer, const Values& inputs);

    LayerClass() = default;
    LayerClass(OneOutput operations, std::vector<const char*> known, Masking rule = Masking::Ends,
               std::vector<const char*> named = {});
    LayerClass(SeveralOutputs operations, std::vector<const char*> known, Masking rule = Masking::Ends,
               std::vector<const char*> named = {});

    std::function<Result<Values>(KerasLayer& layer, const Values& inputs)> apply;
    std::vector<const char*> settings;
    Masking masking = Masking::Ends;
    std::vector<const char*> arguments; ///< of a call, by name, beside "mask" and "training"
};
using LayerTable = std::map<std::string, LayerClass>;
/// The table with all its classes passing masks on.
LayerTable passing_masks(LayerTable table);

/// The classes of each family, one file each.
LayerTable core_layers();
LayerTable convolution_layers();
LayerTable pooling_layers();
LayerTable reshaping_layers();
LayerTable activation_layers();
LayerTable volume_layers();
LayerTable wrapping_layers();
LayerTable einsum_layers();
LayerTable preprocessing_layers();
LayerTable merging_layers();
LayerTable attention_layers();
LayerTable multi_head_attention_layers();
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

/// An extent for each of the layer's `rank` field dimensions: one number for all, or a list. One-dimensional
/// layers are computed as two-dimensional ones of height 1.
Result<Extents> extents(const KerasLayer& layer, std::size_t rank, const char* key, Extents otherwise);
/// Padding before each field dimension, then after each, for Keras' "same" (TensorFlow's rule: the odd one
/// goes after) or "valid"; `x` is [batch, …, channels] with as many dimensions as the window.
Result<Extents> padding(const KerasLayer& layer, const graph::Shape& x, const Extents& window,
                        const Extents& strides, const Extents& dilations);
/// What a transposed convolution of x, of a layer with `field` dimensions, gives (keras/utils/conv_utils.py,
/// deconv_output_length). Errors: an "output_padding" whose output is not convolved to x.
Result<graph::Shape> transposed_shape(const KerasLayer& layer, std::size_t field, const graph::Shape& x,
                                      const Extents& window, const Extents& strides, const Extents& dilations,
                                      std::int64_t filters);

/// The input as [batch, height, width, channels]: of `rank` 1 it is [batch, steps, channels].
Result<graph::ValueId> as_images(KerasLayer& layer, std::size_t rank, graph::ValueId x);
/// And back.
Result<graph::ValueId> from_images(KerasLayer& layer, std::size_t rank, const Result<graph::ValueId>& y);

/// How a weight is made.
struct WeightSpec {
    std::string name; ///< "kernel"
    graph::Shape shape;
    std::string setting;   ///< its settings' prefix: "kernel" for "kernel_initializer"
    Json otherwise;        ///< initialiser where there is no setting
    bool trainable = true; ///< as far as the layer is
    std::optional<graph::InitialValue> first = {}; ///< instead of what the initialiser gives
    std::string part = {};                         ///< of the layer, as .keras files name it: "query_dense"
};
/// A variable of the layer, that of an earlier call where the layer is shared, in the type that the layer
/// computes in; one that is not trainable as it is kept.
Result<graph::ValueId> weight(KerasLayer& layer, WeightSpec spec);
/// y + bias where the layer has one; `units` is the last extent of y.
Result<graph::ValueId> add_bias(KerasLayer& layer, graph::ValueId y, std::int64_t units);
/// A number that tells random layers apart, so that layers of the same name have the same mask in every run
/// and on every number of IPUs.
std::int64_t random_salt(const KerasLayer& layer);
/// 1 of x's type in this shape, without a tensor of it.
Result<graph::ValueId> ones_of(KerasLayer& layer, graph::DType dtype, const graph::Shape& shape);
/// x / sqrt(max(sum x^2, 1e-12)) along axes (tf.math.l2_normalize).
Result<graph::ValueId> unit_length(KerasLayer& layer, graph::ValueId x, const Extents& axes);
/// The field dimensions of x [batch, …, channels] resized, as tf.image.resize does. Errors: an interpolation
/// that is not nearest, bilinear or bicubic.
Result<graph::ValueId> resized(KerasLayer& layer, const Result<graph::ValueId>& x, const Extents& extents,
                               const std::string& interpolation);
/// x repeated by broadcasting to `broadcast`, seen as `result`; `open` is x with extents of 1 where it is
/// repeated.
Result<graph::ValueId> repeated(KerasLayer& layer, graph::ValueId x, const graph::Shape& open,
                                const graph::Shape& broadcast, const graph::Shape& result);
/// A bool tensor as 1 and 0 of a type, with dimensions of 1 at its end up to `rank`.
Result<graph::ValueId> mask_numbers(KerasLayer& layer, graph::ValueId mask, graph::DType dtype,
                                    std::size_t rank);
/// x after dropout at a rate, in training. `salt` tells several of a layer apart.
Result<graph::ValueId> drop_out(KerasLayer& layer, const Result<graph::ValueId>& x, double rate,
                                std::int64_t salt = 0);
/// x for a softmax: less 1e9 where a mask, numbers of 1 and 0 that broadcast to x, is 0
/// (keras/layers/activation/softmax.py).
Result<graph::ValueId> without_masked(KerasLayer& layer, graph::ValueId x,
                                      const Result<graph::ValueId>& mask);
/// Axes of a setting that is one number or a list, counted from the front and sorted; `otherwise` where it is
/// absent. Errors: no axis of `rank` dimensions, or none at all.
Result<Extents> axes_of(const KerasLayer& layer, const char* key, std::size_t rank,
                        std::int64_t otherwise = -1);
/// x with these axes last, in their order; `inverse` undoes it. x itself where they are already.
Result<graph::ValueId> with_axes_last(KerasLayer& layer, const Result<graph::ValueId>& x, const Extents& axes,
                                      bool inverse = false);
/// The layer's `activation`.
Result<graph::ValueId> activate(KerasLayer& layer, graph::ValueId y);

} // namespace tilescope::keras
