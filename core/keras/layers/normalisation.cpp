// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/try.h"
#include "formats/json_reader.h"
#include "keras/initialisers.h"
#include "settings.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <optional>
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
        return l.unsupported("axis " + setting(l, key).dump() + " of an input of " + std::to_string(rank) +
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

/// variable = momentum variable + (1 - momentum) value, with every batch: what it is then.
Result<ValueId> keep_average(KerasLayer& l, ValueId variable, ValueId value,
                             const char* momentum = "momentum") {
    const auto index = static_cast<std::size_t>(l.build.graph().value(variable).index);
    const ValueId before = l.build.graph().variables[index].next;
    TRY(const ValueId next,
        l.build.emit("moving_average_update",
                     {before == graph::no_value ? variable : before, l.build.as_type(value, l.weights_dtype)},
                     {{"momentum", number(l, momentum, 0.99)}}, "MovingAverage"));
    l.build.graph().variables[index].next = next;
    return next;
}

/// Whether Keras 2 has TensorFlow's fused batch norm compute the layer (keras/layers/normalization
/// /batch_normalization.py of 2.6, _raise_if_fused_cannot_be_used and build).
bool is_fused(const KerasLayer& l, std::size_t rank, std::int64_t axis) {
    const bool last = axis + 1 == static_cast<std::int64_t>(rank);
    return !l.keras3 && flag(l, "fused", true) && !flag(l, "renorm", false) && (rank == 4 || rank == 5) &&
           (last || axis == 1);
}

/// The variance of a batch of n numbers per channel as the running one takes it. TensorFlow's fused batch
/// norm gives n / max(n - 1, 1) times it, the estimate for the whole population, and so on the IPU, whose
/// plugin has no lowering of its own for the operation and computes the variance itself without that factor
/// (github.com/graphcore/tensorflow, r1.15 and r2.1 to r2.6, all SDKs: compiler/tf2xla/kernels
/// /batch_norm_op.cc, "Bessel's correction"; compiler/plugin/poplar/driver/ops/custom_ops/popnn/norm.cc,
/// unbiasedVarEstimate). The factor is of a replica's own batch, also where its statistics are of a group.
Result<ValueId> kept_variance(KerasLayer& l, ValueId variance, const Shape& x, bool fused) {
    const auto numbers =
        std::accumulate(x.begin(), x.end() - 1, std::int64_t{1}, std::multiplies<std::int64_t>());
    if (!fused || numbers < 2)
        return variance;
    const auto n = static_cast<double>(numbers);
    return l.build.emit("multiply", {variance, l.build.scalar(n / (n - 1), l.build.type(variance).dtype)}, {},
                        "Population");
}

/// The settings of renormalisation that its clipping may have. Errors: BadInput for others.
Result<void> check_clipping(const KerasLayer& l) {
    for (const auto& [key, bound] : setting(l, "renorm_clipping").items())
        if ((key != "rmin" && key != "rmax" && key != "dmax") || !bound.is_number())
            return l.fail("\"renorm_clipping\" has " + key + " = " + bound.dump(),
                          "give rmin, rmax and dmax numbers");
    return {};
}

/// The variables of batch renormalisation beside those of the norm: the deviation that evaluation has, and
/// mean and deviation that training corrects by. Deviations begin with the root of the first variance.
struct Renormalisation {
    ValueId moving_deviation, mean, deviation;
};
Result<Renormalisation> renormalisation(KerasLayer& l, const Shape& channels) {
    TRY(check_clipping(l));
    const auto deviation = [&](const char* name) -> Result<ValueId> {
        const Json& first = setting(l, "moving_variance_initializer");
        TRY(auto variance, initialise(first.is_null() ? Json("ones") : first, {l.weights_dtype, channels},
                                      l.seed, l.name + "/" + name));
        graph::HostTensor roots = variance.make();
        for (std::int64_t i = 0; i < roots.elements(); ++i)
            roots.set(i, std::sqrt(roots.at(i)));
        return weight(l, {name, channels, name, "ones", false, graph::InitialValue(std::move(roots))});
    };
    Renormalisation made{};
    TRY(made.moving_deviation, deviation("moving_stddev"));
    TRY(made.mean, weight(l, {"renorm_mean", channels, "moving_mean", "zeros", false}));
    TRY(made.deviation, deviation("renorm_stddev"));
    return made;
}

/// y r + d of a batch that is normalised by its own mean and variance: r is its deviation in those of what
/// the layer has seen, d how far its mean is from that, both clipped and taken as constants (Ioffe 2017;
/// _renorm_correction_and_moments of Keras 2.6). All averages move on with the batch.
Result<ValueId> renormalised(KerasLayer& l, const Values& own, const Renormalisation& seen,
                             ValueId variance) {
    const double epsilon = number(l, "epsilon", 1e-3);
    const auto scalar = [&](double value) { return l.build.scalar(value, l.weights_dtype); };
    const auto clipped = [&](const Result<ValueId>& value, const char* kind, const Json& bound,
                             double sign = 1) -> Result<ValueId> {
        return bound.is_null() ? value : l.build.emit(kind, {value, scalar(sign * bound.get<double>())});
    };
    const Json& clipping = setting(l, "renorm_clipping");
    const Json& most = formats::member(clipping, "dmax");
    TRY(const ValueId mean, l.build.as_type(own.at(0), l.weights_dtype));
    TRY(const ValueId deviation,
        l.build.emit("sqrt",
                     {l.build.emit("add", {l.build.as_type(own.at(1), l.weights_dtype), scalar(epsilon)})},
                     {}, "Deviation"));
    TRY(const ValueId of_seen,
        l.build.emit("maximum", {seen.deviation, scalar(std::sqrt(epsilon))}, {}, "RenormDeviation"));
    TRY(const ValueId r, clipped(clipped(l.build.emit("divide", {deviation, of_seen}), "maximum",
                                         formats::member(clipping, "rmin")),
                                 "minimum", formats::member(clipping, "rmax")));
    TRY(const ValueId d,
        clipped(clipped(l.build.emit("divide", {l.build.emit("subtract", {mean, seen.mean}), of_seen}),
                        "maximum", most, -1),
                "minimum", most));
    TRY(keep_average(l, seen.mean, mean, "renorm_momentum"));
    TRY(keep_average(l, seen.deviation, deviation, "renorm_momentum"));
    TRY(const ValueId kept, keep_average(l, seen.moving_deviation, deviation));
    TRY(const ValueId kept_squared, l.build.emit("square", {kept}));
    TRY(l.build.graph().variables[static_cast<std::size_t>(l.build.graph().value(variance).index)].next,
        l.build.emit("relu", {l.build.emit("subtract", {kept_squared, scalar(epsilon)})}, {},
                     "MovingVariance"));
    const auto constant = [&](ValueId value) {
        return l.build.as_type(l.build.emit("stop_gradient", {value}), l.dtype);
    };
    TRY(const ValueId scaled, l.build.emit("multiply", {own.at(2), constant(r)}, {}, "Renorm"));
    return l.build.emit("add", {scaled, constant(d)}, {}, "Renorm");
}

/// In training a batch's own statistics, else the running ones (keras/layers/normalization
/// /batch_normalization.py). A layer that is not trainable stays as it is.
Result<ValueId> batch_normalisation(KerasLayer& l, const Values& in) {
    TRY(const auto axis, channel_axis(l, l.build.type(in[0]).shape.size()));
    TRY(const ValueId input, with_axes_last(l, in[0], axis));
    const Shape x = l.build.type(input).shape;
    if (flag(l, "synchronized", false))
        return l.unsupported("\"synchronized\" is not supported", "set it to false");
    const Shape channels{x.back()};
    TRY(auto made, scale_weights(l, channels));
    TRY(auto mean, weight(l, {"moving_mean", channels, "moving_mean", "zeros", false}));
    TRY(auto variance, weight(l, {"moving_variance", channels, "moving_variance", "ones", false}));
    std::optional<Renormalisation> renorm;
    if (flag(l, "renorm", false)) {
        TRY(renorm, renormalisation(l, channels));
    }
    const Extents axes = all_but_last(x.size());
    ValueId y = graph::no_value;
    if (l.training && flag(l, "trainable", true)) {
        if (l.mask() != graph::no_value)
            return l.unsupported("statistics of a masked batch are not supported", "use LayerNormalization");
        TRY(const auto own, own_statistics(l, input, axes));
        TRY(keep_average(l, mean, own.at(0)));
        if (renorm) {
            TRY(y, renormalised(l, own, *renorm, variance));
        } else {
            TRY(const ValueId kept, kept_variance(l, own.at(1), x, is_fused(l, x.size(), axis.front())));
            TRY(keep_average(l, variance, kept));
            y = own.at(2);
        }
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
          {batch_normalisation,
           with_scale({"momentum", "moving_mean_initializer", "moving_variance_initializer", "renorm",
                       "renorm_clipping", "renorm_momentum", "fused", "synchronized"})}},
         {"LayerNormalization", {layer_normalisation, with_scale({"rms_scaling"})}},
         {"GroupNormalization",
          {group_normalisation, with_scale({"groups", "channels_axis", "strided_channel_grouping"})}},
         {"InstanceNormalization", {group_normalisation, with_scale({"groups", "channels_axis"})}},
         {"RMSNormalization", {rms_normalisation, {"axis", "epsilon"}}},
         {"UnitNormalization", {unit_normalisation, {"axis"}}}});
}

} // namespace tilescope::keras
