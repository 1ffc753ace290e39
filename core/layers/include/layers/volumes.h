// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/try.h"
#include "graph/attributes.h"
#include "graph/tensor.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

/// Convolutions and poolings of three dimensions, as those of two over a batch of slices. Tensors are [batch,
/// depth, height, width, channels], kernels [depth, height, width, in / groups, out].
///
/// `Ops` adds operations: a type `Value`, `emit(kind, values, attributes)`, which gives a Result<Value>, and
/// `shape(value)`. What is given must fit.
namespace tilescope::layers {

/// By spatial dimension.
struct VolumeWindows {
    std::vector<std::int64_t> kernel, strides, dilations, before, after;
    std::int64_t groups = 1;

    std::int64_t span(std::size_t d) const { return (kernel[d] - 1) * dilations[d] + 1; }
    /// Windows along dimension d of `in` elements.
    std::int64_t count(std::size_t d, std::int64_t in) const {
        return (in + before[d] + after[d] - span(d)) / strides[d] + 1;
    }
    /// Of the slices.
    graph::Attributes attributes() const {
        return {{"window", graph::Shape{kernel[1], kernel[2]}},
                {"strides", graph::Shape{strides[1], strides[2]}},
                {"dilations", graph::Shape{dilations[1], dilations[2]}},
                {"padding", graph::Shape{before[1], before[2], after[1], after[2]}},
                {"groups", groups}};
    }
};

template<class Ops>
using Made = Result<typename Ops::Value>;

template<class Ops>
Made<Ops> as_slices(const Ops& ops, const typename Ops::Value& x) {
    const graph::Shape s = ops.shape(x);
    return ops.emit("reshape", {x}, {{"shape", graph::Shape{s[0] * s[1], s[2], s[3], s[4]}}});
}
template<class Ops>
Made<Ops> as_volumes(const Ops& ops, const typename Ops::Value& slices, std::int64_t batch) {
    const graph::Shape s = ops.shape(slices);
    return ops.emit("reshape", {slices},
                    {{"shape", graph::Shape{batch, batch == 0 ? 0 : s[0] / batch, s[1], s[2], s[3]}}});
}
template<class Ops>
Made<Ops> kernel_slice(const Ops& ops, const typename Ops::Value& w, std::int64_t k) {
    const graph::Shape s = ops.shape(w);
    TRY(const auto part, ops.emit("slice", {w},
                                  {{"begin", graph::Shape{k, 0, 0, 0, 0}},
                                   {"size", graph::Shape{1, s[1], s[2], s[3], s[4]}}}));
    return ops.emit("reshape", {part}, {{"shape", graph::Shape{s[1], s[2], s[3], s[4]}}});
}
/// Slices of x at these depths.
template<class Ops>
Made<Ops> at_depths(const Ops& ops, const typename Ops::Value& x, const std::vector<std::int64_t>& depths) {
    return ops.emit("take", {x}, {{"axis", std::int64_t{1}}, {"indices", depths}});
}
template<class Ops>
Made<Ops> padded_depth(const Ops& ops, const typename Ops::Value& x, std::int64_t before,
                       std::int64_t after) {
    if (before == 0 && after == 0)
        return x;
    return ops.emit(
        "pad", {x},
        {{"before", graph::Shape{0, before, 0, 0, 0}}, {"after", graph::Shape{0, after, 0, 0, 0}}});
}

/// A sum over the kernel's slices, each of which meets every slice of x that it reaches.
template<class Ops>
Made<Ops> convolve_volumes(const Ops& ops, const typename Ops::Value& x, const typename Ops::Value& w,
                           const VolumeWindows& g) {
    const graph::Shape shape = ops.shape(x);
    const std::int64_t depth = g.count(0, shape[1]);
    TRY(const auto padded, padded_depth(ops, x, g.before[0], g.after[0]));
    std::optional<typename Ops::Value> sum;
    for (std::int64_t k = 0; k < g.kernel[0]; ++k) {
        std::vector<std::int64_t> places;
        for (std::int64_t i = 0; i < depth; ++i)
            places.push_back(i * g.strides[0] + k * g.dilations[0]);
        TRY(const auto reached, at_depths(ops, padded, places));
        TRY(const auto met, as_slices(ops, reached));
        TRY(const auto kernel, kernel_slice(ops, w, k));
        TRY(auto part, ops.emit("conv2d", {met, kernel}, g.attributes()));
        if (sum) {
            TRY(part, ops.emit("add", {*sum, part}, {}));
        }
        sum = part;
    }
    return as_volumes(ops, *sum, shape[0]);
}

/// The data gradient of a convolution with this kernel [depth, height, width, out / groups, in], for an
/// output of these spatial extents: each kernel slice adds to the output slices that it reaches; the others
/// get a slice of zeros.
template<class Ops>
Made<Ops> convolve_volumes_back(const Ops& ops, const typename Ops::Value& x, const typename Ops::Value& w,
                                const VolumeWindows& g, const std::vector<std::int64_t>& extents) {
    const graph::Shape shape = ops.shape(x);
    const std::int64_t depth = shape[1];
    graph::Attributes attributes = g.attributes();
    attributes.set("shape",
                   graph::Shape{shape[0] * depth, extents[1], extents[2], ops.shape(w)[3] * g.groups});
    TRY(const auto slices, as_slices(ops, x));
    std::optional<typename Ops::Value> sum;
    for (std::int64_t k = 0; k < g.kernel[0]; ++k) {
        TRY(const auto kernel, kernel_slice(ops, w, k));
        TRY(const auto part, ops.emit("conv2d_input_gradient", {slices, kernel}, attributes));
        TRY(const auto volumes, as_volumes(ops, part, shape[0]));
        TRY(const auto with_zeros, padded_depth(ops, volumes, 0, 1));
        std::vector<std::int64_t> places;
        for (std::int64_t i = 0; i < extents[0]; ++i) {
            const std::int64_t from = i + g.before[0] - k * g.dilations[0];
            const bool reached = from >= 0 && from % g.strides[0] == 0 && from / g.strides[0] < depth;
            places.push_back(reached ? from / g.strides[0] : depth);
        }
        TRY(auto spread, at_depths(ops, with_zeros, places));
        if (sum) {
            TRY(spread, ops.emit("add", {*sum, spread}, {}));
        }
        sum = spread;
    }
    return *sum;
}

/// In the slices, then across them, as one column with an image's elements as channels.
template<class Ops>
Made<Ops> pool_volumes(const Ops& ops, const char* kind, const typename Ops::Value& x, const VolumeWindows& g,
                       bool count_include_pad = false) {
    const std::int64_t batch = ops.shape(x)[0];
    const std::int64_t depth = ops.shape(x)[1];
    graph::Attributes attributes = g.attributes();
    attributes.set("count_include_pad", count_include_pad);
    TRY(const auto images, as_slices(ops, x));
    TRY(const auto slices, ops.emit(kind, {images}, attributes));
    const graph::Shape s = ops.shape(slices);
    TRY(const auto column,
        ops.emit("reshape", {slices}, {{"shape", graph::Shape{batch, depth, 1, s[1] * s[2] * s[3]}}}));
    attributes.set("window", graph::Shape{g.kernel[0], 1});
    attributes.set("strides", graph::Shape{g.strides[0], 1});
    attributes.set("dilations", graph::Shape{g.dilations[0], 1});
    attributes.set("padding", graph::Shape{g.before[0], 0, g.after[0], 0});
    TRY(const auto pooled, ops.emit(kind, {column}, attributes));
    return ops.emit("reshape", {pooled},
                    {{"shape", graph::Shape{batch, ops.shape(pooled)[1], s[1], s[2], s[3]}}});
}

} // namespace tilescope::layers
