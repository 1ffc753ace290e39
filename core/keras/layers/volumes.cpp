// SPDX-License-Identifier: GPL-3.0-or-later
#include "layers/volumes.h"

#include "base/try.h"
#include "layer_ops.h"

/// Layers with three field dimensions: convolutions and poolings.
namespace tilescope::keras {
namespace {

using graph::Shape;
using graph::ValueId;

Result<void> expect_volumes(const KerasLayer& l, ValueId x) {
    const graph::TensorType type = l.build.type(x);
    if (type.shape.size() != 5 || type.dtype != l.dtype || !graph::is_floating(type.dtype))
        return l.fail("expects an input " + graph::to_string(l.dtype) +
                      " [batch, depth, height, width, channels], got " + graph::to_string(type));
    return {};
}

/// Kernel, strides and dilations with the padding of "same" or "valid" for x [batch, …, channels].
Result<layers::VolumeWindows> windows(const KerasLayer& l, const Shape& x, const char* kernel_key,
                                      const Extents& kernel, const Extents& strides) {
    layers::VolumeWindows w;
    TRY(w.kernel, extents(l, 3, kernel_key, kernel));
    TRY(const auto steps, extents(l, 3, "strides", strides.empty() ? w.kernel : strides));
    TRY(const auto dilations, extents(l, 3, "dilation_rate", {1, 1, 1}));
    w.strides = steps;
    w.dilations = dilations;
    TRY(const auto pads, padding(l, x, w.kernel, w.strides, w.dilations));
    w.before.assign(pads.begin(), pads.begin() + 3);
    w.after.assign(pads.begin() + 3, pads.end());
    return w;
}

Result<void> expect_fit(const KerasLayer& l, const Shape& x, const layers::VolumeWindows& w) {
    for (std::size_t d = 0; d < 3; ++d)
        if (x[d + 1] + w.before[d] + w.after[d] < w.span(d))
            return l.fail("a window of " + std::to_string(w.span(d)) + " does not fit an input " +
                          graph::to_string(x));
    return {};
}

Result<ValueId> finish(KerasLayer& l, const Result<ValueId>& made, std::int64_t filters) {
    TRY(const ValueId y, made);
    TRY(const ValueId biased, add_bias(l, y, filters));
    return activate(l, biased);
}

Result<ValueId> convolution(KerasLayer& l, const Values& in) {
    TRY(expect_volumes(l, in[0]));
    const Shape x = l.build.type(in[0]).shape;
    TRY(const auto filters, integer(l, "filters", 0));
    TRY(const auto groups, integer(l, "groups", 1));
    TRY(auto w, windows(l, x, "kernel_size", {1, 1, 1}, {1, 1, 1}));
    TRY(expect_fit(l, x, w));
    if (x.back() % groups != 0 || filters % groups != 0)
        return l.fail(std::to_string(x.back()) + " channels and " + std::to_string(filters) +
                      " filters cannot be divided into " + std::to_string(groups) + " groups");
    w.groups = groups;
    Shape shape = w.kernel;
    shape.insert(shape.end(), {x.back() / groups, filters});
    TRY(auto kernel, weight(l, {"kernel", shape, "kernel", "glorot_uniform"}));
    return finish(l, layers::convolve_volumes(KerasOps{l}, in[0], kernel, w), filters);
}

Result<ValueId> transposed(KerasLayer& l, const Values& in) {
    TRY(expect_volumes(l, in[0]));
    const Shape x = l.build.type(in[0]).shape;
    TRY(const auto filters, integer(l, "filters", 0));
    TRY(auto w, windows(l, x, "kernel_size", {1, 1, 1}, {1, 1, 1}));
    TRY(const auto y, transposed_shape(l, 3, x, w.kernel, w.strides, w.dilations, filters));
    TRY(w, windows(l, y, "kernel_size", {1, 1, 1}, {1, 1, 1})); // padding is that of what is made
    Shape shape = w.kernel;
    shape.insert(shape.end(), {filters, x.back()});
    TRY(auto kernel, weight(l, {"kernel", shape, "kernel", "glorot_uniform"}));
    return finish(l,
                  layers::convolve_volumes_back(KerasOps{l}, in[0], kernel, w, {y.begin() + 1, y.end() - 1}),
                  filters);
}

template<bool Max>
Result<ValueId> pool(KerasLayer& l, const Values& in) {
    TRY(expect_volumes(l, in[0]));
    const Shape x = l.build.type(in[0]).shape;
    TRY(const auto w, windows(l, x, "pool_size", {2, 2, 2}, {}));
    TRY(expect_fit(l, x, w));
    return layers::pool_volumes(KerasOps{l}, Max ? "max_pool2d" : "average_pool2d", in[0], w);
}

const std::vector<const char*> pool_settings = {"pool_size", "strides", "padding"};

std::vector<const char*> with_volume(std::vector<const char*> more) {
    more.insert(more.end(),
                {"filters", "kernel_size", "strides", "padding", "dilation_rate", "groups", "activation",
                 "use_bias", "kernel_initializer", "bias_initializer", "kernel_regularizer",
                 "bias_regularizer", "kernel_constraint", "bias_constraint"});
    return more;
}

} // namespace

LayerTable volume_layers() {
    return {{"Conv3D", {convolution, with_volume({})}},
            {"Conv3DTranspose", {transposed, with_volume({"output_padding"})}},
            {"MaxPooling3D", {pool<true>, pool_settings}},
            {"AveragePooling3D", {pool<false>, pool_settings}}};
}

} // namespace tilescope::keras
