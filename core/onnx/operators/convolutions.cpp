// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/try.h"
#include "windows.h"

#include <algorithm>

/// Convolutions of one, two and three dimensions, as those of two: a row for one dimension, slices for three.
namespace tilescope::onnx {
namespace {

using graph::Shape;

Result<OnnxValue> with_row(const OnnxOperation& op, const OnnxValue& x) {
    return reshape(op, x, {x.shape()[0], x.shape()[1], 1, x.shape()[2]});
}
Result<OnnxValue> without_row(const OnnxOperation& op, const OnnxValue& x) {
    return reshape(op, x, {x.shape()[0], x.shape()[1], x.shape()[3]});
}
OnnxWindows with_row(const OnnxWindows& w) {
    return {{1, w.kernel[0]}, {1, w.strides[0]}, {1, w.dilations[0]}, {0, w.before[0]}, {0, w.after[0]}};
}

Result<OnnxValue> convolve_2d(const OnnxOperation& op, const OnnxValue& x, const OnnxValue& w,
                              const OnnxWindows& windows) {
    graph::Attributes attributes = windows.attributes();
    attributes.set("groups", op.integer("group", 1));
    return channels_first(
        op, op.emit("conv2d", {channels_last(op, x), transpose(op, w, {2, 3, 1, 0})}, attributes));
}

Result<OnnxValue> convolve_3d(const OnnxOperation& op, const OnnxValue& x, const OnnxValue& w,
                              const OnnxWindows& windows) {
    if (x.shape()[2] + windows.before[0] + windows.after[0] < windows.span(0))
        return refused("the kernel does not fit its input");
    TRY(expect_countable(windows.count(0, x.shape()[2])));
    TRY(const OnnxValue kernel, (transpose(op, w, {2, 3, 4, 1, 0})));
    TRY(const OnnxValue volumes, volumes_channels_last(op, x));
    return volumes_channels_first(op,
                                  layers::convolve_volumes(OnnxOps{op}, volumes, kernel,
                                                           volume_windows(windows, op.integer("group", 1))));
}

Result<OnnxValues> with_bias(const OnnxOperation& op, const Result<OnnxValue>& made) {
    TRY(const OnnxValue y, made);
    if (!op.has(2))
        return values_of({y});
    TRY(const OnnxValue bias, op.in(2));
    Shape shape(y.shape().size() - 1, 1);
    shape[0] = bias.type.elements();
    return values_of({op.emit("add", {y, reshape(op, bias, shape)})});
}

Result<void> check_weights(const OnnxValue& x, const OnnxValue& w) {
    if (w.rank() != x.rank())
        return refused("weights " + graph::to_string(w.type) + " do not fit " + graph::to_string(x.type));
    return {};
}

Result<OnnxValues> convolution(const OnnxOperation& op) {
    TRY(const OnnxValue x, op.in(0));
    TRY(const OnnxValue w, op.in(1));
    TRY(const Integers extents, spatial(x));
    TRY(check_weights(x, w));
    TRY(const Integers kernel, spatial(w));
    TRY(const OnnxWindows windows, windows_of(op, kernel, extents));
    if (windows.rank() == 2)
        return with_bias(op, convolve_2d(op, x, w, windows));
    if (windows.rank() == 3)
        return with_bias(op, convolve_3d(op, x, w, windows));
    TRY(const OnnxValue row_kernel, with_row(op, w));
    TRY(const OnnxValue rows, with_row(op, x));
    TRY(const OnnxValue y, convolve_2d(op, rows, row_kernel, with_row(windows)));
    return with_bias(op, without_row(op, y));
}

/// Paddings and output extents of a transposed convolution (ONNX operator reference, ConvTranspose).
struct Transposed {
    OnnxWindows windows;
    Integers extents;
    Integers behind; ///< elements that no window reaches, and that are 0 but for the bias: beside `extents`
};

/// Output extents that a window more would fit into are cut: no input is of that window.
void cut_behind(Transposed& t, const Integers& in) {
    t.behind.assign(in.size(), 0);
    for (std::size_t d = 0; d < in.size(); ++d) {
        const std::int64_t stride = t.windows.strides[d];
        const std::int64_t spare = t.extents[d] + t.windows.before[d] + t.windows.after[d] -
                                   t.windows.span(d) - stride * (in[d] - 1);
        const std::int64_t over = std::max<std::int64_t>(0, spare - (stride - 1));
        const std::int64_t of_padding = std::min(over, t.windows.after[d]);
        t.windows.after[d] -= of_padding;
        t.behind[d] = over - of_padding;
        t.extents[d] -= t.behind[d];
    }
}

Result<Transposed> transposed_geometry(const OnnxOperation& op, const OnnxValue& x, const OnnxValue& w) {
    TRY(const Integers in, spatial(x));
    TRY(const Integers kernel, spatial(w));
    TRY(OnnxWindows windows, windows_of(op, kernel, in));
    Transposed t{std::move(windows), {}, {}};
    const std::size_t rank = in.size();
    const Integers extra = op.integers("output_padding", Integers(rank, 0));
    const Integers asked = op.integers("output_shape");
    const std::string automatic = op.text("auto_pad", "NOTSET");
    const bool same = automatic.starts_with("SAME");
    const auto is_extent = [](std::int64_t n) { return n >= 0 && n <= (std::int64_t{1} << 32); };
    if (!std::all_of(extra.begin(), extra.end(), is_extent) ||
        !std::all_of(asked.begin(), asked.end(), is_extent))
        return refused("output_padding or output_shape are out of range");
    if (extra.size() != rank || (!asked.empty() && asked.size() != rank && asked.size() != rank + 2))
        return refused("output_padding or output_shape do not fit " + graph::to_string(x.type));
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
    cut_behind(t, in);
    return t;
}

/// The data gradient of a convolution with these weights [in, out / groups, height, width].
Result<OnnxValue> convolve_back_2d(const OnnxOperation& op, const OnnxValue& x, const OnnxValue& w,
                                   const OnnxWindows& windows, const Integers& extents) {
    const std::int64_t groups = op.integer("group", 1);
    graph::Attributes attributes = windows.attributes();
    attributes.set("groups", groups);
    attributes.set("shape", Integers{x.shape()[0], extents[0], extents[1], w.shape()[1] * groups});
    return channels_first(op, op.emit("conv2d_input_gradient",
                                      {channels_last(op, x), transpose(op, w, {2, 3, 1, 0})}, attributes));
}

Result<OnnxValue> convolve_back_3d(const OnnxOperation& op, const OnnxValue& x, const OnnxValue& w,
                                   const Transposed& t) {
    TRY(expect_countable(t.extents[0]));
    TRY(const OnnxValue kernel, (transpose(op, w, {2, 3, 4, 1, 0})));
    TRY(const OnnxValue volumes, volumes_channels_last(op, x));
    return volumes_channels_first(
        op, layers::convolve_volumes_back(OnnxOps{op}, volumes, kernel,
                                          volume_windows(t.windows, op.integer("group", 1)), t.extents));
}

Result<OnnxValue> convolve_back(const OnnxOperation& op, const OnnxValue& x, const OnnxValue& w,
                                const Transposed& t) {
    if (t.windows.rank() == 2)
        return convolve_back_2d(op, x, w, t.windows, t.extents);
    if (t.windows.rank() == 3)
        return convolve_back_3d(op, x, w, t);
    TRY(const OnnxValue row_kernel, with_row(op, w));
    TRY(const OnnxValue rows, with_row(op, x));
    TRY(const OnnxValue y, (convolve_back_2d(op, rows, row_kernel, with_row(t.windows), {1, t.extents[0]})));
    return without_row(op, y);
}

Result<OnnxValues> transposed_convolution(const OnnxOperation& op) {
    TRY(const OnnxValue x, op.in(0));
    TRY(const OnnxValue w, op.in(1));
    TRY(check_weights(x, w));
    TRY(const Transposed t, transposed_geometry(op, x, w));
    TRY(OnnxValue y, convolve_back(op, x, w, t));
    if (std::any_of(t.behind.begin(), t.behind.end(), [](auto n) { return n > 0; })) {
        Integers behind{0, 0};
        behind.insert(behind.end(), t.behind.begin(), t.behind.end());
        TRY(y,
            op.emit("pad", {y}, {{"before", Integers(behind.size(), 0)}, {"after", behind}, {"value", 0.0}}));
    }
    return with_bias(op, y);
}

} // namespace

void add_onnx_convolutions(OnnxMappings& m) {
    m["Conv"] = convolution;
    m["ConvTranspose"] = transposed_convolution;
}

} // namespace tilescope::onnx
