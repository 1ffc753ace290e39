// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/try.h"
#include "settings.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace tilescope::keras {
namespace {

using graph::Attributes;
using graph::Shape;
using graph::ValueId;

/// Whether the layer is IPU TensorFlow's (ipu_tensorflow_addons/keras/layers/normalization.py), which differs
/// from that of Keras of the same name.
bool from_ipu_addons(const KerasLayer& l) {
    return !setting(l, "channels_axis").is_null();
}

/// The one axis that holds the channels. Errors: there are several, or it is the batch.
Result<Extents> channel_axis(const KerasLayer& l, std::size_t rank) {
    const char* key = from_ipu_addons(l) ? "channels_axis" : "axis";
    TRY(auto axes, axes_of(l, key, rank));
    if (axes.size() != 1 || axes.front() == 0)
        return l.fail("axis " + setting(l, key).dump() + " of an input of " + std::to_string(rank) +
                          " dimensions is not supported",
                      "use one axis that is not the batch");
    return axes;
}

Extents all_but_last(std::size_t rank) {
    Extents axes(rank - 1);
    std::iota(axes.begin(), axes.end(), std::int64_t{0});
    return axes;
}

/// y gamma + beta, as far as the layer has them, `made` by scale_weights.
Result<ValueId> scale_and_shift(KerasLayer& l, ValueId y, const Values& made) {
    Result<ValueId> result = y;
    if (flag(l, "scale", true))
        result = l.build.emit("multiply", {*result, made[0]}, {}, "Scale");
    if (result && flag(l, "center", true)) {
        TRY(result, l.build.emit("add", {*result, made.back()}, {}, "Shift"));
    }
    return result;
}

/// gamma and beta, in this order, as far as the layer has them.
Result<Values> scale_weights(KerasLayer& l, const Shape& shape) {
    Values made;
    for (const auto& [use, name, first] :
         {std::tuple{"scale", "gamma", "ones"}, std::tuple{"center", "beta", "zeros"}}) {
        if (!flag(l, use, true))
            continue;
        // Variables without an initialiser begin as Keras' add_weight has it.
        TRY(auto value, weight(l, {name, shape, name, from_ipu_addons(l) ? "glorot_uniform" : first}));
        made.push_back(value);
    }
    return made;
}

Attributes norm_attributes(const KerasLayer& l, const Extents& axes) {
    return {{"axes", axes}, {"epsilon", number(l, "epsilon", 1e-3)}};
}

/// (x - mean) / sqrt(variance + epsilon) with x's own statistics, mean and variance before it.
Result<Values> own_statistics(KerasLayer& l, ValueId x, const Extents& axes) {
    TRY(auto statistics, l.build.add("moments", {x}, {{"axes", axes}}, "Moments"));
    TRY(auto y, l.build.emit("normalise", {x, statistics.at(0), statistics.at(1)}, norm_attributes(l, axes),
                             "Normalise"));
    return Values{statistics.at(0), statistics.at(1), y};
}

/// variable = momentum variable + (1 - momentum) value, with every batch.
Result<void> keep_average(KerasLayer& l, ValueId variable, ValueId value) {
    const auto index = static_cast<std::size_t>(l.build.graph().value(variable).index);
    const ValueId before = l.build.graph().variables[index].next;
    TRY(const ValueId next,
        l.build.emit("moving_average_update",
                     {before == graph::no_value ? variable : before, l.build.as_type(value, l.weights_dtype)},
                     {{"momentum", number(l, "momentum", 0.99)}}, "MovingAverage"));
    l.build.graph().variables[index].next = next;
    return {};
}

/// In training a batch's own statistics, else the running ones (keras/layers/normalization
/// /batch_normalization.py). The running variance follows the variance of the batch itself, not the estimate
/// for the whole population, as Keras 3 and popnn::bn do. A layer that is not trainable stays as it is.
Result<ValueId> batch_normalisation(KerasLayer& l, const Values& in) {
    TRY(const auto axis, channel_axis(l, l.build.type(in[0]).shape.size()));
    TRY(const ValueId input, with_axes_last(l, in[0], axis));
    const Shape x = l.build.type(input).shape;
    for (const char* key : {"renorm", "synchronized"})
        if (flag(l, key, false))
            return l.fail(std::string("\"") + key + "\" is not supported", "set it to false");
    const Shape channels{x.back()};
    TRY(auto made, scale_weights(l, channels));
    TRY(auto mean, weight(l, {"moving_mean", channels, "moving_mean", "zeros", false}));
    TRY(auto variance, weight(l, {"moving_variance", channels, "moving_variance", "ones", false}));
    const Extents axes = all_but_last(x.size());
    ValueId y = graph::no_value;
    if (l.training && flag(l, "trainable", true)) {
        if (l.mask() != graph::no_value)
            return l.fail("statistics of a masked batch are not supported", "use LayerNormalization");
        TRY(const auto own, own_statistics(l, input, axes));
        TRY(keep_average(l, mean, own.at(0)));
        TRY(keep_average(l, variance, own.at(1)));
        y = own.at(2);
    } else {
        TRY(y, l.build.emit("normalise",
                            {input, l.build.as_type(mean, l.dtype), l.build.as_type(variance, l.dtype)},
                            norm_attributes(l, axes), "Normalise"));
    }
    return with_axes_last(l, scale_and_shift(l, y, made), axis, true);
}

/// x / sqrt(of + epsilon) over the last axes, with what `of` is the mean.
Result<ValueId> without_shift(KerasLayer& l, ValueId x, ValueId of, const Extents& axes,
                              double epsilon_of_keras) {
    TRY(const ValueId mean, l.build.emit("reduce_mean", {of}, {{"axes", axes}, {"keep_dims", true}}, "Mean"));
    const ValueId epsilon = l.build.scalar(number(l, "epsilon", epsilon_of_keras), l.build.type(x).dtype);
    TRY(const ValueId inverse, l.build.emit("rsqrt", {l.build.emit("add", {mean, epsilon})}, {}, "Inverse"));
    return l.build.emit("multiply", {x, inverse}, {}, "Normalise");
}

/// The axes that are normalised, none of them the batch, as the last of x.
struct LastAxes {
    Extents axes; ///< in the input
    ValueId x;
    Extents last;
    Shape shape; ///< of them alone
};
Result<LastAxes> last_axes(KerasLayer& l, ValueId input) {
    const std::size_t rank = l.build.type(input).shape.size();
    TRY(const auto axes, axes_of(l, "axis", rank));
    if (axes.front() == 0)
        return l.fail("axis " + setting(l, "axis").dump() + " holds the batch", "use others");
    LastAxes found{axes, {}, {}, {}};
    TRY(found.x, with_axes_last(l, input, axes));
    const Shape& shape = l.build.type(found.x).shape;
    for (std::size_t d = rank - axes.size(); d < rank; ++d) {
        found.last.push_back(static_cast<std::int64_t>(d));
        found.shape.push_back(shape[d]);
    }
    return found;
}

/// With rms_scaling only divided by the deviation, and not shifted (keras/layers/normalization
/// /layer_normalization.py).
Result<ValueId> layer_normalisation(KerasLayer& l, const Values& in) {
    TRY(const auto last, last_axes(l, in[0]));
    ValueId y = graph::no_value;
    if (flag(l, "rms_scaling", false)) {
        TRY(auto gamma, weight(l, {"gamma", last.shape, "gamma", "ones"}));
        TRY(const ValueId mean,
            l.build.emit("reduce_mean", {last.x}, {{"axes", last.last}, {"keep_dims", true}}, "Mean"));
        TRY(const ValueId apart,
            l.build.emit("square", {l.build.emit("subtract", {last.x, mean})}, {}, "Apart"));
        TRY(y,
            l.build.emit("multiply", {without_shift(l, last.x, apart, last.last, 1e-3), gamma}, {}, "Scale"));
    } else {
        TRY(const auto made, scale_weights(l, last.shape));
        TRY(const auto own, own_statistics(l, last.x, last.last));
        TRY(y, scale_and_shift(l, own.at(2), made));
    }
    return with_axes_last(l, y, last.axes, true);
}

/// x / sqrt(mean(x^2) + epsilon) scale (Zhang and Sennrich 2019).
Result<ValueId> rms_normalisation(KerasLayer& l, const Values& in) {
    TRY(const auto last, last_axes(l, in[0]));
    TRY(const auto scale, weight(l, {"scale", last.shape, "scale", "ones"}));
    TRY(const auto square, l.build.emit("square", {last.x}, {}, "Square"));
    const auto y = without_shift(l, last.x, square, last.last, 1e-6);
    return with_axes_last(l, l.build.emit("multiply", {y, scale}, {}, "Scale"), last.axes, true);
}

Result<ValueId> unit_normalisation(KerasLayer& l, const Values& in) {
    TRY(const auto axes, axes_of(l, "axis", l.build.type(in[0]).shape.size()));
    return unit_length(l, in[0], axes);
}

/// The statistics of each sample and group of channels: x is seen as [batch, ..., groups, channels of one],
/// or strided, as IPU TensorFlow has it unless told otherwise, as [batch, ..., channels of one, groups].
Result<ValueId> group_normalisation(KerasLayer& l, const Values& in) {
    TRY(const auto axis, channel_axis(l, l.build.type(in[0]).shape.size()));
    TRY(const ValueId input, with_axes_last(l, in[0], axis));
    const Shape x = l.build.type(input).shape;
    const bool each = setting(l, "groups") == -1 || l.kind == "InstanceNormalization";
    TRY(const auto groups,
        each ? Result<std::int64_t>(x.back()) : integer(l, "groups", from_ipu_addons(l) ? 2 : 32));
    if (x.back() % groups != 0)
        return l.fail(std::to_string(x.back()) + " channels cannot be divided into " +
                      std::to_string(groups) + " groups");
    TRY(const auto made, scale_weights(l, {x.back()}));
    const bool strided = flag(l, "strided_channel_grouping", from_ipu_addons(l));
    Shape grouped = x;
    grouped.back() = strided ? x.back() / groups : groups;
    grouped.push_back(x.back() / grouped.back());
    Extents axes = all_but_last(x.size());
    axes.erase(axes.begin());
    axes.push_back(static_cast<std::int64_t>(x.size()) - (strided ? 1 : 0));
    TRY(const ValueId apart, l.build.emit("reshape", {input}, {{"shape", grouped}}, "Groups"));
    TRY(const auto own, own_statistics(l, apart, axes));
    TRY(const ValueId together, l.build.emit("reshape", {own.at(2)}, {{"shape", x}}, "Channels"));
    return with_axes_last(l, scale_and_shift(l, together, made), axis, true);
}

const std::vector<const char*> scale_settings = {"axis",
                                                 "epsilon",
                                                 "center",
                                                 "scale",
                                                 "beta_initializer",
                                                 "gamma_initializer",
                                                 "beta_regularizer",
                                                 "gamma_regularizer",
                                                 "beta_constraint",
                                                 "gamma_constraint"};

std::vector<const char*> with_scale(std::vector<const char*> more) {
    more.insert(more.end(), scale_settings.begin(), scale_settings.end());
    return more;
}

} // namespace

LayerTable normalisation_layers() {
    return passing_masks(
        {{"BatchNormalization",
          {batch_normalisation, with_scale({"momentum", "moving_mean_initializer",
                                            "moving_variance_initializer", "renorm", "synchronized"})}},
         {"LayerNormalization", {layer_normalisation, with_scale({"rms_scaling"})}},
         {"GroupNormalization",
          {group_normalisation, with_scale({"groups", "channels_axis", "strided_channel_grouping"})}},
         {"InstanceNormalization", {group_normalisation, with_scale({"groups", "channels_axis"})}},
         {"RMSNormalization", {rms_normalisation, {"axis", "epsilon"}}},
         {"UnitNormalization", {unit_normalisation, {"axis"}}}});
}

} // namespace tilescope::keras
