// SPDX-License-Identifier: GPL-3.0-or-later
#include "windows.h"

#include <algorithm>

/// Convolutions of one, two and three dimensions, as those of two: a row for one dimension, slices for three.
namespace tilescope::onnx {
namespace {

using graph::Shape;

OnnxValue with_row(const OnnxOperation& op, const OnnxValue& x) {
    return reshape(op, x, {x.shape()[0], x.shape()[1], 1, x.shape()[2]});
}
OnnxValue without_row(const OnnxOperation& op, const OnnxValue& x) {
    return reshape(op, x, {x.shape()[0], x.shape()[1], x.shape()[3]});
}
OnnxWindows with_row(const OnnxWindows& w) {
    return {{1, w.kernel[0]}, {1, w.strides[0]}, {1, w.dilations[0]}, {0, w.before[0]}, {0, w.after[0]}};
}

OnnxValue convolve_2d(const OnnxOperation& op, const OnnxValue& x, const OnnxValue& w,
                      const OnnxWindows& windows) {
    graph::Attributes attributes = windows.attributes();
    attributes.set("groups", op.integer("group", 1));
    return channels_first(
        op, op.emit("conv2d", {channels_last(op, x), transpose(op, w, {2, 3, 1, 0})}, attributes));
}

OnnxValue convolve_3d(const OnnxOperation& op, const OnnxValue& x, const OnnxValue& w,
                      const OnnxWindows& windows) {
    if (x.shape()[2] + windows.before[0] + windows.after[0] < windows.span(0))
        throw OnnxRefusal("the kernel does not fit its input");
    expect_countable(windows.count(0, x.shape()[2]));
    const OnnxValue y = layers::convolve_volumes(OnnxVolumes{op}, volumes_channels_last(op, x),
                                                 transpose(op, w, {2, 3, 4, 1, 0}),
                                                 volume_windows(windows, op.integer("group", 1)));
    return volumes_channels_first(op, y);
}

OnnxValue with_bias(const OnnxOperation& op, const OnnxValue& y) {
    if (!op.has(2))
        return y;
    Shape shape(y.shape().size() - 1, 1);
    shape[0] = op.in(2).type.elements();
    return op.emit("add", {y, reshape(op, op.in(2), shape)});
}

void check_weights(const OnnxValue& x, const OnnxValue& w) {
    if (w.rank() != x.rank())
        throw OnnxRefusal("weights " + graph::to_string(w.type) + " do not fit " + graph::to_string(x.type));
}

OnnxValues convolution(const OnnxOperation& op) {
    const OnnxValue& x = op.in(0);
    const OnnxValue& w = op.in(1);
    const Integers extents = spatial(x);
    check_weights(x, w);
    const OnnxWindows windows = windows_of(op, spatial(w), extents);
    if (windows.rank() == 2)
        return {with_bias(op, convolve_2d(op, x, w, windows))};
    if (windows.rank() == 3)
        return {with_bias(op, convolve_3d(op, x, w, windows))};
    const OnnxValue y = convolve_2d(op, with_row(op, x), with_row(op, w), with_row(windows));
    return {with_bias(op, without_row(op, y))};
}

/// Paddings and output extents of a transposed convolution (ONNX operator reference, ConvTranspose).
struct Transposed {
    OnnxWindows windows;
    Integers extents;
};

Transposed transposed_geometry(const OnnxOperation& op, const OnnxValue& x, const OnnxValue& w) {
    const Integers in = spatial(x);
    Transposed t{windows_of(op, spatial(w), in), {}};
    const std::size_t rank = in.size();
    const Integers extra = op.integers("output_padding", Integers(rank, 0));
    const Integers asked = op.integers("output_shape");
    const std::string automatic = op.text("auto_pad", "NOTSET");
    const bool same = automatic.starts_with("SAME");
    const auto is_extent = [](std::int64_t n) { return n >= 0 && n <= (std::int64_t{1} << 32); };
    if (!std::all_of(extra.begin(), extra.end(), is_extent) ||
        !std::all_of(asked.begin(), asked.end(), is_extent))
        throw OnnxRefusal("output_padding or output_shape are out of range");
    if (extra.size() != rank || (!asked.empty() && asked.size() != rank && asked.size() != rank + 2))
        throw OnnxRefusal("output_padding or output_shape do not fit " + graph::to_string(x.type));
    for (std::size_t d = 0; d < rank; ++d) {
        const std::int64_t full = t.windows.strides[d] * (in[d] - 1) + extra[d] + t.windows.span(d);
        if (asked.empty() && !same) {
            t.extents.push_back(full - t.windows.before[d] - t.windows.after[d]);
            continue;
        }
        t.extents.push_back(asked.empty() ? in[d] * t.windows.strides[d] : asked[asked.size() - rank + d]);
        const std::int64_t total = std::max<std::int64_t>(0, full - t.extents[d]); // less: padded behind
        t.windows.before[d] = automatic == "SAME_UPPER" ? total / 2 : total - total / 2;
        t.windows.after[d] = total - t.windows.before[d];
    }
    return t;
}

/// The data gradient of a convolution with these weights [in, out / groups, height, width].
OnnxValue convolve_back_2d(const OnnxOperation& op, const OnnxValue& x, const OnnxValue& w,
                           const OnnxWindows& windows, const Integers& extents) {
    const std::int64_t groups = op.integer("group", 1);
    graph::Attributes attributes = windows.attributes();
    attributes.set("groups", groups);
    attributes.set("shape", Integers{x.shape()[0], extents[0], extents[1], w.shape()[1] * groups});
    return channels_first(op, op.emit("conv2d_input_gradient",
                                      {channels_last(op, x), transpose(op, w, {2, 3, 1, 0})}, attributes));
}

OnnxValue convolve_back_3d(const OnnxOperation& op, const OnnxValue& x, const OnnxValue& w,
                           const Transposed& t) {
    expect_countable(t.extents[0]);
    const OnnxValue y = layers::convolve_volumes_back(
        OnnxVolumes{op}, volumes_channels_last(op, x), transpose(op, w, {2, 3, 4, 1, 0}),
        volume_windows(t.windows, op.integer("group", 1)), t.extents);
    return volumes_channels_first(op, y);
}

OnnxValues transposed_convolution(const OnnxOperation& op) {
    const OnnxValue& x = op.in(0);
    const OnnxValue& w = op.in(1);
    check_weights(x, w);
    const Transposed t = transposed_geometry(op, x, w);
    if (t.windows.rank() == 2)
        return {with_bias(op, convolve_back_2d(op, x, w, t.windows, t.extents))};
    if (t.windows.rank() == 3)
        return {with_bias(op, convolve_back_3d(op, x, w, t))};
    const OnnxValue y =
        convolve_back_2d(op, with_row(op, x), with_row(op, w), with_row(t.windows), {1, t.extents[0]});
    return {with_bias(op, without_row(op, y))};
}

} // namespace

void add_onnx_convolutions(OnnxMappings& m) {
    m["Conv"] = convolution;
    m["ConvTranspose"] = transposed_convolution;
}

} // namespace tilescope::onnx
