// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/try.h"
#include "operation.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

/// Slices, splits and paddings.
namespace tilescope::onnx {
namespace {

constexpr std::int64_t largest_pad = 1 << 24;

struct Range {
    std::int64_t start, end, step;
};

/// Cut to the tensor as Python does.
Range cut(const Range& range, std::int64_t extent) {
    const bool back = range.step < 0;
    const auto inside = [&](std::int64_t at) {
        at = at < 0 ? at + extent : at;
        return std::clamp<std::int64_t>(at, back ? -1 : 0, back ? extent - 1 : extent);
    };
    return {inside(range.start), inside(range.end), range.step};
}

std::int64_t count_of(const Range& range) {
    const std::int64_t way = range.step < 0 ? range.start - range.end : range.end - range.start;
    return std::max<std::int64_t>(0, ceil_div(way, std::abs(range.step)));
}

Result<Integers> places(const Range& range) {
    TRY(expect_countable(count_of(range)));
    Integers indices(static_cast<std::size_t>(count_of(range)), range.start);
    for (std::size_t i = 1; i < indices.size(); ++i)
        indices[i] = indices[i - 1] + range.step;
    return indices;
}

Result<OnnxValues> slice_operator(const OnnxOperation& op) {
    TRY(OnnxValue x, op.in(0));
    TRY(const Integers starts, op.integers_or_input("starts", 1));
    TRY(const Integers ends, op.integers_or_input("ends", 2));
    Integers all(starts.size());
    std::iota(all.begin(), all.end(), 0);
    TRY(const Integers axes, op.integers_or_input("axes", 3, all));
    TRY(const Integers steps, op.has(4) ? op.known_integers(4) : Integers(starts.size(), 1));
    if (ends.size() != starts.size() || axes.size() != starts.size() || steps.size() != starts.size())
        return refused("starts, ends, axes and steps are not equally many");
    for (std::size_t i = 0; i < starts.size(); ++i) {
        TRY(const std::size_t axis, axis_of(axes[i], x.rank()));
        const std::int64_t extent = x.shape()[axis];
        const std::int64_t step = std::clamp<std::int64_t>(steps[i], -extent - 1, extent + 1);
        if (step == 0)
            return refused("a step is 0");
        const Range range = cut({starts[i], ends[i], step}, extent);
        const std::int64_t count = count_of(range);
        if (step == 1 || count <= 1) {
            TRY(x, slice(op, x, axis, count == 0 ? 0 : range.start, count));
        } else {
            TRY(const Integers at, places(range));
            TRY(x, take(op, x, axis, at));
        }
    }
    return values_of({x});
}

Result<OnnxValues> split(const OnnxOperation& op) {
    TRY(const OnnxValue x, op.in(0));
    TRY(const std::size_t axis, axis_of(op.integer("axis", 0), x.rank()));
    const auto count = static_cast<std::int64_t>(op.outputs());
    TRY(Integers sizes, op.integers_or_input("split", 1));
    if (sizes.empty()) { // from opset 18 on, the last part may be smaller
        const std::int64_t extent = x.shape()[axis];
        const std::int64_t parts = op.integer("num_outputs", count);
        if (count == 0 || parts != count || (op.opset < 18 && extent % count != 0) || extent < count)
            return refused(std::to_string(extent) + " elements are not cut into " + std::to_string(parts) +
                           " equal parts");
        sizes.assign(op.outputs(), ceil_div(extent, count));
        for (std::int64_t& size : sizes) // of what the others leave
            size = std::min(size, extent - (&size - sizes.data()) * sizes.front());
        if (sizes.back() < 0)
            return refused(std::to_string(extent) + " elements are not cut into " + std::to_string(parts) +
                           " parts");
    }
    OnnxValues parts;
    std::int64_t begin = 0;
    for (const std::int64_t size : sizes) {
        TRY(const OnnxValue part, slice(op, x, axis, begin, size));
        parts.push_back(part);
        begin += size;
    }
    return parts;
}

/// Where the elements of a padded dimension come from.
Result<Integers> mirrored(std::int64_t before, std::int64_t after, std::int64_t extent,
                          const std::string& mode) {
    const bool reflect = mode == "reflect";
    if (extent == 0 || (reflect && std::max(before, after) >= extent))
        return refused("a padding of " + std::to_string(std::max(before, after)) + " does not fit " +
                       std::to_string(extent) + " elements");
    TRY(expect_countable(before + extent + after));
    Integers indices;
    for (std::int64_t at = -before; at < extent + after; ++at) {
        const std::int64_t turned = at < 0 ? -at : at >= extent ? 2 * (extent - 1) - at : at;
        const std::int64_t wrapped = (at % extent + extent) % extent;
        indices.push_back(reflect          ? turned
                          : mode == "wrap" ? wrapped
                                           : std::clamp<std::int64_t>(at, 0, extent - 1));
    }
    return indices;
}

/// Elements before and after each dimension: from opset 18 on those of `axes`, an input, and else 0.
Result<Integers> padding_of(const OnnxOperation& op, const OnnxValue& x) {
    const auto rank = x.shape().size();
    TRY(const Integers given, op.integers_or_input(op.opset < 2 ? "paddings" : "pads", 1));
    Integers axes(rank);
    std::iota(axes.begin(), axes.end(), 0);
    if (op.has(3)) {
        TRY(axes, op.known_integers(3));
    }
    if (given.size() != 2 * axes.size())
        return refused("pads " + graph::to_string(given) + " do not fit " + graph::to_string(x.type));
    Integers pads(2 * rank, 0);
    for (std::size_t i = 0; i < axes.size(); ++i) {
        TRY(const std::size_t d, axis_of(axes[i], x.rank()));
        pads[d] = given[i];
        pads[d + rank] = given[i + axes.size()];
    }
    return pads;
}

/// Cut or padded with zeros to `shape` along `axes`, evenly; of an odd number the one more is at the end.
Result<OnnxValues> center_crop_pad(const OnnxOperation& op) {
    TRY(OnnxValue x, op.in(0));
    TRY(const Integers extents, op.known_integers(1));
    Integers axes(x.shape().size());
    std::iota(axes.begin(), axes.end(), 0);
    axes = op.integers("axes", axes);
    if (extents.size() != axes.size())
        return refused("a shape of " + graph::to_string(extents) + " does not fit its axes");
    Integers before(x.shape().size(), 0);
    Integers after(x.shape().size(), 0);
    for (std::size_t i = 0; i < axes.size(); ++i) {
        TRY(const std::size_t d, axis_of(axes[i], x.rank()));
        const std::int64_t more = extents[i] - x.shape()[d];
        if (extents[i] < 0 || more > largest_pad)
            return refused("an extent of " + std::to_string(extents[i]) + " is out of range");
        before[d] = std::max<std::int64_t>(0, more) / 2;
        after[d] = std::max<std::int64_t>(0, more) - before[d];
        TRY(x, slice(op, x, d, std::max<std::int64_t>(0, -more) / 2, std::min(extents[i], x.shape()[d])));
    }
    return values_of({op.emit("pad", {x}, {{"before", before}, {"after", after}, {"value", 0.0}})});
}

Result<OnnxValues> pad(const OnnxOperation& op) {
    TRY(OnnxValue x, op.in(0));
    TRY(const Integers pads, padding_of(op, x));
    const auto rank = x.shape().size();
    const std::string mode = op.text("mode", "constant");
    if (mode != "constant" && mode != "reflect" && mode != "edge" && mode != "wrap")
        return unsupported("mode \"" + mode + "\" is not supported", "use constant, reflect, edge or wrap");
    if (std::any_of(pads.begin(), pads.end(), [](auto n) { return n < -largest_pad || n > largest_pad; }))
        return refused("pads " + graph::to_string(pads) + " are out of range");
    Integers before(rank);
    Integers after(rank);
    for (std::size_t d = 0; d < rank; ++d) { // negative ones cut away
        const std::int64_t front = std::max<std::int64_t>(0, -pads[d]);
        const std::int64_t back = std::max<std::int64_t>(0, -pads[d + rank]);
        TRY(x, slice(op, x, d, front, x.shape()[d] - front - back));
        before[d] = std::max<std::int64_t>(0, pads[d]);
        after[d] = std::max<std::int64_t>(0, pads[d + rank]);
        if (mode != "constant" && before[d] + after[d] > 0) {
            TRY(const Integers at, mirrored(before[d], after[d], x.shape()[d], mode));
            TRY(x, take(op, x, d, at));
        }
    }
    if (mode != "constant")
        return values_of({x});
    TRY(const double value, op.has(2) ? op.known_real(2) : op.real("value", 0));
    return values_of({op.emit("pad", {x}, {{"before", before}, {"after", after}, {"value", value}})});
}

} // namespace

void add_onnx_slices(OnnxMappings& m) {
    m["Slice"] = slice_operator;
    m["Split"] = split;
    m["Pad"] = pad;
    m["CenterCropPad"] = center_crop_pad;
}

} // namespace tilescope::onnx
