// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/try.h"
#include "settings.h"

#include <algorithm>

namespace tilescope::keras {
namespace {

using graph::Shape;
using graph::ValueId;

/// The settings that say over which field a convolution works.
struct Field {
    Extents kernel, strides, dilations;
};

template<std::size_t Rank>
Result<Field> field(const KerasLayer& l) {
    TRY(const auto kernel, (extents(l, Rank, "kernel_size", {1, 1})));
    TRY(const auto strides, (extents(l, Rank, "strides", {1, 1})));
    TRY(const auto dilations, (extents(l, Rank, "dilation_rate", {1, 1})));
    return Field{kernel, strides, dilations};
}

/// Before and behind height and width. "causal" is of one dimension: all of it comes before, so that no step
/// reads what follows it.
template<std::size_t Rank>
Result<Extents> margins_of(const KerasLayer& l, ValueId images, const Field& f) {
    if (Rank == 1 && text(l, "padding", "valid") == "causal")
        return Extents{0, f.dilations[1] * (f.kernel[1] - 1), 0, 0};
    return padding(l, l.build.type(images).shape, f.kernel, f.strides, f.dilations);
}

/// images * weights [kh, kw, in / groups, out]; of `Rank` 1 the weights are [k, in / groups, out].
template<std::size_t Rank>
Result<ValueId> convolve(KerasLayer& l, ValueId images, ValueId weights, const Field& f, std::int64_t groups,
                         const char* name) {
    TRY(const auto pads, margins_of<Rank>(l, images, f));
    return l.build.emit(
        "conv2d", {images, weights},
        {{"strides", f.strides}, {"padding", pads}, {"dilations", f.dilations}, {"groups", groups}}, name);
}

/// A weight of the field's extents and two more; one-dimensional ones get a height of 1.
/// `setting_prefix` is the prefix of its settings: "depthwise" for "depthwise_initializer".
template<std::size_t Rank>
Result<ValueId> kernel(KerasLayer& l, const std::string& name, const std::string& setting_prefix,
                       const Extents& field, const Shape& last, const Shape& as) {
    Shape shape(field.begin() + (2 - Rank), field.end());
    shape.insert(shape.end(), last.begin(), last.end());
    auto made = weight(l, {name, shape, setting_prefix, "glorot_uniform"});
    Shape full = field;
    full.insert(full.end(), as.begin(), as.end());
    if (!made || full == shape)
        return made;
    return l.build.emit("reshape", {*made}, {{"shape", full}}, "ExpandDims");
}

template<std::size_t Rank>
Result<ValueId> finish(KerasLayer& l, const Result<ValueId>& images, std::int64_t filters) {
    TRY(const ValueId y, from_images(l, Rank, images));
    TRY(const ValueId biased, add_bias(l, y, filters));
    return activate(l, biased);
}

template<std::size_t Rank>
Result<ValueId> convolution(KerasLayer& l, const Values& in) {
    TRY(auto images, as_images(l, Rank, in[0]));
    const std::int64_t channels = l.build.type(images).shape[3];
    TRY(const auto filters, integer(l, "filters", 0));
    TRY(const auto groups, integer(l, "groups", 1));
    TRY(const auto f, field<Rank>(l));
    if (channels % groups != 0)
        return l.fail(std::to_string(channels) + " channels cannot be divided into " +
                      std::to_string(groups) + " groups");
    const Shape last{channels / groups, filters};
    TRY(auto weights, kernel<Rank>(l, "kernel", "kernel", f.kernel, last, last));
    return finish<Rank>(l, convolve<Rank>(l, images, weights, f, groups, Rank == 1 ? "Conv1D" : "Conv2D"),
                        filters);
}

/// A group for each channel, with `depth_multiplier` outputs: Keras' kernel [.., channels, multiplier] holds
/// the outputs of a channel one after another, as the weights [.., 1, channels multiplier] do.
template<std::size_t Rank>
Result<ValueId> by_channel(KerasLayer& l, ValueId images, const Field& f, std::int64_t multiplier) {
    const std::int64_t channels = l.build.type(images).shape[3];
    TRY(auto weights, kernel<Rank>(l, "depthwise_kernel", "depthwise", f.kernel, {channels, multiplier},
                                   {1, channels * multiplier}));
    return convolve<Rank>(l, images, weights, f, channels, "DepthwiseConv");
}

template<std::size_t Rank>
Result<ValueId> depthwise(KerasLayer& l, const Values& in) {
    TRY(const auto images, as_images(l, Rank, in[0]));
    TRY(const auto multiplier, integer(l, "depth_multiplier", 1));
    TRY(const auto f, field<Rank>(l));
    const std::int64_t channels = l.build.type(images).shape[3];
    return finish<Rank>(l, by_channel<Rank>(l, images, f, multiplier), channels * multiplier);
}

/// Each channel for itself, then a product over the channels.
template<std::size_t Rank>
Result<ValueId> separable(KerasLayer& l, const Values& in) {
    TRY(const auto images, as_images(l, Rank, in[0]));
    TRY(const auto filters, integer(l, "filters", 0));
    TRY(const auto multiplier, integer(l, "depth_multiplier", 1));
    TRY(const auto f, field<Rank>(l));
    TRY(auto apart, by_channel<Rank>(l, images, f, multiplier));
    const Shape last{l.build.type(apart).shape[3], filters};
    TRY(auto weights, kernel<Rank>(l, "pointwise_kernel", "pointwise", {1, 1}, last, last));
    return finish<Rank>(l, convolve<Rank>(l, apart, weights, {{1, 1}, {1, 1}, {1, 1}}, 1, "PointwiseConv"),
                        filters);
}

/// The data gradient of a convolution as a layer: Keras' kernel [.., filters, channels] is that of the
/// convolution from what is made to the input (keras/src/backend/common/backend_utils.py for the extents).
template<std::size_t Rank>
Result<ValueId> transposed(KerasLayer& l, const Values& in) {
    TRY(const auto images, as_images(l, Rank, in[0]));
    TRY(const auto filters, integer(l, "filters", 0));
    TRY(const auto f, field<Rank>(l));
    const Shape x = l.build.type(images).shape;
    TRY(const auto y, transposed_shape(l, Rank, x, f.kernel, f.strides, f.dilations, filters));
    TRY(const auto pads, padding(l, y, f.kernel, f.strides, f.dilations));
    const Shape last{filters, x[3]};
    TRY(auto weights, kernel<Rank>(l, "kernel", "kernel", f.kernel, last, last));
    TRY(auto made, l.build.emit("conv2d_input_gradient", {images, weights},
                                {{"strides", f.strides},
                                 {"padding", pads},
                                 {"dilations", f.dilations},
                                 {"groups", std::int64_t{1}},
                                 {"shape", y}},
                                "ConvTranspose"));
    return finish<Rank>(l, made, filters);
}

std::vector<const char*> with_convolution(std::vector<const char*> more) {
    more.insert(more.end(), {"kernel_size", "strides", "padding", "dilation_rate", "activation", "use_bias",
                             "bias_initializer", "bias_regularizer", "bias_constraint"});
    return more;
}

const std::vector<const char*> plain =
    with_convolution({"filters", "groups", "kernel_initializer", "kernel_regularizer", "kernel_constraint"});
const std::vector<const char*> transposed_settings = with_convolution(
    {"filters", "groups", "output_padding", "kernel_initializer", "kernel_regularizer", "kernel_constraint"});
const std::vector<const char*> depthwise_settings = with_convolution(
    {"depth_multiplier", "groups", "filters", "depthwise_initializer", "depthwise_regularizer",
     "depthwise_constraint", "kernel_initializer"}); // the last of early Keras 2, without meaning
const std::vector<const char*> separable_settings =
    with_convolution({"filters", "groups", "depth_multiplier", "depthwise_initializer",
                      "depthwise_regularizer", "depthwise_constraint", "pointwise_initializer",
                      "pointwise_regularizer", "pointwise_constraint", "kernel_initializer"});

} // namespace

LayerTable convolution_layers() {
    return {{"Conv1D", {convolution<1>, plain}},
            {"Conv2D", {convolution<2>, plain}},
            {"DepthwiseConv1D", {depthwise<1>, depthwise_settings}},
            {"DepthwiseConv2D", {depthwise<2>, depthwise_settings}},
            {"SeparableConv1D", {separable<1>, separable_settings}},
            {"SeparableConv2D", {separable<2>, separable_settings}},
            {"Conv1DTranspose", {transposed<1>, transposed_settings}},
            {"Conv2DTranspose", {transposed<2>, transposed_settings}}};
}

} // namespace tilescope::keras
