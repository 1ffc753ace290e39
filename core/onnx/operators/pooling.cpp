// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/try.h"
#include "windows.h"

#include <algorithm>
#include <limits>
#include <numeric>

/// Poolings of one, two and three dimensions. A window of three is pooled in its slices, then across them.
namespace tilescope::onnx {
namespace {

using graph::HostTensor;
using graph::Shape;

/// With `ceil_mode` the last window may reach beyond the padding, but begins within the input or the padding
/// before it (onnx/defs/nn/defs.cc; as PyTorch has it).
Result<OnnxWindows> pooling_windows(const OnnxOperation& op, const OnnxValue& x) {
    TRY(const Integers extents, spatial(x));
    TRY(OnnxWindows w, windows_of(op, op.integers("kernel_shape"), extents));
    for (std::size_t d = 0; d < w.rank(); ++d) {
        const std::int64_t room = extents[d] + w.before[d] + w.after[d] - w.span(d);
        if (room < 0)
            return refused("a window of " + std::to_string(w.span(d)) + " does not fit its input of " +
                           std::to_string(extents[d]));
        const std::int64_t last = ceil_div(room, w.strides[d]) * w.strides[d];
        if (op.flag("ceil_mode", false) && last < extents[d] + w.before[d])
            w.after[d] += last - room;
    }
    return w;
}

graph::Attributes pool_attributes(const OnnxOperation& op, const OnnxWindows& w) {
    graph::Attributes attributes = w.attributes();
    attributes.set("count_include_pad", op.flag("count_include_pad", false));
    return attributes;
}

Result<OnnxValue> pool_2d(const OnnxOperation& op, const char* kind, const OnnxValue& x,
                          const OnnxWindows& w) {
    return channels_first(op, op.emit(kind, {channels_last(op, x)}, pool_attributes(op, w)));
}

/// Along a dimension on its own: [n, extent, rest] as an image of one column with `rest` channels.
Result<OnnxValue> pool_1d(const OnnxOperation& op, const char* kind, const OnnxValue& x,
                          const OnnxWindows& w) {
    const Shape& s = x.shape();
    const OnnxWindows column{
        {w.kernel[0], 1}, {w.strides[0], 1}, {w.dilations[0], 1}, {w.before[0], 0}, {w.after[0], 0}};
    TRY(const OnnxValue y,
        op.emit(kind, {reshape(op, x, {s[0], s[1], 1, s[2]})}, pool_attributes(op, column)));
    return reshape(op, y, {s[0], y.shape()[1], s[2]});
}

Result<OnnxValue> pool_3d(const OnnxOperation& op, const char* kind, const OnnxValue& x,
                          const OnnxWindows& w) {
    TRY(const OnnxValue volumes, volumes_channels_last(op, x));
    return volumes_channels_first(op, layers::pool_volumes(OnnxOps{op}, kind, volumes, volume_windows(w),
                                                           op.flag("count_include_pad", false)));
}

Result<OnnxValue> pool(const OnnxOperation& op, const char* kind, const OnnxValue& x, const OnnxWindows& w) {
    if (w.rank() == 3)
        return pool_3d(op, kind, x, w);
    if (w.rank() == 2)
        return pool_2d(op, kind, x, w);
    TRY(const OnnxValue last, axis_last(op, x, 1));
    return axis_back(op, pool_1d(op, kind, last, w), 1);
}

/// Where in x the element at `offset` of each window is, in ONNX's flat count.
HostTensor flat_places(const OnnxOperation& op, const Shape& x, const Shape& y, const OnnxWindows& w,
                       const Integers& offset) {
    const bool column_major = op.flag("storage_order", false);
    HostTensor places(graph::TensorType{graph::DType::Int32, y});
    const std::size_t rank = w.rank();
    const std::int64_t image = graph::element_count(Shape(x.begin() + 2, x.end()));
    const std::int64_t windows = graph::element_count(Shape(y.begin() + 2, y.end()));
    for (std::int64_t i = 0; i < places.elements(); ++i) {
        std::int64_t rest = i % windows;
        Integers at(rank);
        for (std::size_t d = rank; d-- > 0;) {
            at[d] = rest % y[d + 2] * w.strides[d] + offset[d] * w.dilations[d] - w.before[d];
            rest /= y[d + 2];
        }
        std::int64_t flat = 0;
        for (std::size_t k = 0; k < rank; ++k) {
            const std::size_t d = column_major ? rank - 1 - k : k;
            flat = flat * x[d + 2] + at[d];
        }
        const std::int64_t before = i / windows * image; // of the images before
        places.set(i, static_cast<double>(before + flat));
    }
    return places;
}

Result<OnnxValue> padded(const OnnxOperation& op, const OnnxValue& x, const OnnxWindows& w, double value) {
    Integers before{0, 0};
    Integers after{0, 0};
    before.insert(before.end(), w.before.begin(), w.before.end());
    after.insert(after.end(), w.after.begin(), w.after.end());
    return op.emit("pad", {x}, {{"before", before}, {"after", after}, {"value", value}});
}

Result<OnnxValue> padded_with_lowest(const OnnxOperation& op, const OnnxValue& x, const OnnxWindows& w) {
    return padded(op, x, w, -std::numeric_limits<double>::infinity());
}

/// Where element `offset` of each window along dimension d is, in what is padded.
Result<Integers> places_of(const OnnxWindows& w, std::size_t d, std::int64_t offset, std::int64_t windows) {
    TRY(expect_countable(windows));
    Integers places;
    for (std::int64_t i = 0; i < windows; ++i)
        places.push_back(i * w.strides[d] + offset * w.dilations[d]);
    return places;
}

bool dilated(const OnnxWindows& w) {
    return std::any_of(w.dilations.begin(), w.dilations.end(), [](auto d) { return d != 1; });
}

/// Dimension by dimension: the elements of all windows of x, padded, side by side, then the reduction of
/// each.
Result<OnnxValue> pool_of_elements(const OnnxOperation& op, const char* reduction, const OnnxValue& x,
                                   const OnnxValue& with_padding, const OnnxWindows& w) {
    OnnxValue y = with_padding;
    for (std::size_t d = 0; d < w.rank(); ++d) {
        const std::int64_t windows = w.count(d, x.shape()[d + 2]);
        TRY(expect_countable(windows * w.kernel[d]));
        Integers places;
        for (std::int64_t k = 0; k < w.kernel[d]; ++k) {
            TRY(const Integers part, places_of(w, d, k, windows));
            places.insert(places.end(), part.begin(), part.end());
        }
        TRY(y, take(op, y, d + 2, places));
        Shape apart = y.shape();
        const auto axis = static_cast<std::int64_t>(d + 2);
        apart[d + 2] = windows;
        apart.insert(apart.begin() + axis, w.kernel[d]);
        TRY(y, reduce(op, reduction, reshape(op, y, apart), {axis}, false));
    }
    return y;
}

/// How many elements of window i along dimension d are inside of the input, or with `padding` within it and
/// the padding that the node asks for, which the part that ceil_mode adds is not.
std::int64_t elements_inside(const OnnxWindows& w, std::size_t d, std::int64_t i, std::int64_t extent,
                             bool padding, std::int64_t asked_after) {
    std::int64_t inside = 0;
    for (std::int64_t k = 0; k < w.kernel[d]; ++k) {
        const std::int64_t at = i * w.strides[d] + k * w.dilations[d] - w.before[d];
        inside += padding ? at < extent + asked_after : at >= 0 && at < extent;
    }
    return inside;
}

Result<OnnxWindows> windows_as_asked(const OnnxOperation& op, const OnnxValue& x) {
    TRY(const Integers extents, spatial(x));
    return windows_of(op, op.integers("kernel_shape"), extents);
}

/// One over the elements that each window's average is of: [1, 1, windows…].
Result<OnnxValue> shares_of_windows(const OnnxOperation& op, const OnnxValue& x, const OnnxWindows& w) {
    TRY(const OnnxWindows asked, windows_as_asked(op, x));
    const bool padding = op.flag("count_include_pad", false);
    Shape shape{1, 1};
    for (std::size_t d = 0; d < w.rank(); ++d)
        shape.push_back(w.count(d, x.shape()[d + 2]));
    TRY(expect_countable(graph::element_count(shape)));
    HostTensor shares(graph::TensorType{x.type.dtype, shape});
    for (std::int64_t i = 0; i < shares.elements(); ++i) {
        std::int64_t rest = i;
        std::int64_t inside = 1;
        for (std::size_t d = w.rank(); d-- > 0; rest /= shape[d + 2])
            inside *= elements_inside(w, d, rest % shape[d + 2], x.shape()[d + 2], padding, asked.after[d]);
        shares.set(i, 1.0 / static_cast<double>(std::max<std::int64_t>(inside, 1)));
    }
    return op.graph.known(shares);
}

Result<OnnxValue> average_of_elements(const OnnxOperation& op, const OnnxValue& x, const OnnxWindows& w) {
    TRY(const OnnxValue with_padding, padded(op, x, w, 0));
    TRY(const OnnxValue sums, pool_of_elements(op, "reduce_sum", x, with_padding, w));
    TRY(const OnnxValue shares, shares_of_windows(op, x, w));
    return op.emit("multiply", {sums, shares});
}

Result<OnnxValues> average_pool(const OnnxOperation& op) {
    TRY(const OnnxValue x, op.in(0));
    TRY(const OnnxWindows w, pooling_windows(op, x));
    TRY(const OnnxWindows asked, windows_as_asked(op, x));
    // What ceil_mode adds behind the padding is counted by no average, which that operator does not tell
    // apart.
    const bool reaches_beyond = op.flag("count_include_pad", false) && w.after != asked.after;
    return values_of(
        {dilated(w) || reaches_beyond ? average_of_elements(op, x, w) : pool(op, "average_pool2d", x, w)});
}

/// The largest of each window and its place, element by element of the window.
Result<OnnxValues> max_with_places(const OnnxOperation& op, const OnnxValue& x, const OnnxWindows& w) {
    TRY(const OnnxValue padded, padded_with_lowest(op, x, w));
    std::optional<OnnxValue> best;
    std::optional<OnnxValue> where;
    const std::int64_t elements = graph::element_count(w.kernel);
    if (elements > 1024)
        return refused("has windows of " + std::to_string(elements) + " elements and their places",
                       "use windows of at most 1024, or do without the places");
    for (std::int64_t e = 0; e < elements; ++e) {
        OnnxValue candidate = padded;
        Integers offset(w.rank());
        std::int64_t rest = e;
        for (std::size_t d = w.rank(); d-- > 0;) {
            offset[d] = rest % w.kernel[d];
            rest /= w.kernel[d];
            TRY(const Integers places, places_of(w, d, offset[d], w.count(d, x.shape()[d + 2])));
            TRY(candidate, take(op, candidate, d + 2, places));
        }
        const OnnxValue places = op.graph.known(flat_places(op, x.shape(), candidate.shape(), w, offset));
        if (!best) {
            where = places;
            best = candidate;
            continue;
        }
        TRY(where, op.emit("select", {op.emit("greater", {candidate, *best}), places, *where}));
        TRY(best, op.emit("maximum", {candidate, *best}));
    }
    return values_of({*best, *where});
}

Result<OnnxValues> max_pool(const OnnxOperation& op) {
    TRY(const OnnxValue x, op.in(0));
    TRY(const OnnxWindows w, pooling_windows(op, x));
    if (op.wants(1))
        return max_with_places(op, x, w);
    if (dilated(w)) {
        TRY(const OnnxValue with_padding, padded_with_lowest(op, x, w));
        return values_of({pool_of_elements(op, "reduce_max", x, with_padding, w)});
    }
    return values_of({pool(op, "max_pool2d", x, w)});
}

/// The p-norm of each window, and of what is padded nothing.
Result<OnnxValues> norm_pool(const OnnxOperation& op) {
    TRY(const OnnxValue x, op.in(0));
    TRY(const OnnxWindows w, pooling_windows(op, x));
    const auto p = static_cast<double>(op.integer("p", 2));
    TRY(const OnnxValue powers, op.emit("power", {op.emit("abs", {x}), op.scalar_like(x, p)}));
    TRY(const OnnxValue with_padding, padded(op, powers, w, 0));
    TRY(const OnnxValue sums, pool_of_elements(op, "reduce_sum", x, with_padding, w));
    return values_of({op.emit("power", {sums, op.scalar_like(x, 1 / p)})});
}

OnnxMapping global_pool(const char* kind) {
    return [kind](const OnnxOperation& op) -> Result<OnnxValues> {
        TRY(Integers axes, spatial(op.in(0)));
        std::iota(axes.begin(), axes.end(), 2);
        return values_of({reduce(op, kind, op.in(0), axes, true)});
    };
}

} // namespace

void add_onnx_pooling(OnnxMappings& m) {
    m["AveragePool"] = average_pool;
    m["MaxPool"] = max_pool;
    m["LpPool"] = norm_pool;
    m["GlobalAveragePool"] = global_pool("reduce_mean");
    m["GlobalMaxPool"] = global_pool("reduce_max");
}

} // namespace tilescope::onnx
