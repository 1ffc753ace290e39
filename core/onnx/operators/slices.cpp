// SPDX-License-Identifier: GPL-3.0-or-later
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

Integers places(const Range& range) {
    expect_countable(count_of(range));
    Integers indices(static_cast<std::size_t>(count_of(range)), range.start);
    for (std::size_t i = 1; i < indices.size(); ++i)
        indices[i] = indices[i - 1] + range.step;
    return indices;
}

OnnxValues slice_operator(const OnnxOperation& op) {
    OnnxValue x = op.in(0);
    const Integers starts = op.integers_or_input("starts", 1);
    const Integers ends = op.integers_or_input("ends", 2);
    Integers all(starts.size());
    std::iota(all.begin(), all.end(), 0);
    const Integers axes = op.integers_or_input("axes", 3, all);
    const Integers steps = op.has(4) ? op.known_integers(4) : Integers(starts.size(), 1);
    if (ends.size() != starts.size() || axes.size() != starts.size() || steps.size() != starts.size())
        throw OnnxRefusal("starts, ends, axes and steps are not equally many");
    for (std::size_t i = 0; i < starts.size(); ++i) {
        const std::size_t axis = axis_of(axes[i], x.rank());
        const std::int64_t extent = x.shape()[axis];
        const std::int64_t step = std::clamp<std::int64_t>(steps[i], -extent - 1, extent + 1);
        if (step == 0)
            throw OnnxRefusal("a step is 0");
        const Range range = cut({starts[i], ends[i], step}, extent);
        const std::int64_t count = count_of(range);
        if (step == 1 || count <= 1)
            x = slice(op, x, axis, count == 0 ? 0 : range.start, count);
        else
            x = take(op, x, axis, places(range));
    }
    return {x};
}

OnnxValues split(const OnnxOperation& op) {
    const OnnxValue& x = op.in(0);
    const std::size_t axis = axis_of(op.integer("axis", 0), x.rank());
    const auto count = static_cast<std::int64_t>(op.outputs());
    Integers sizes = op.integers_or_input("split", 1);
    if (sizes.empty()) {
        if (count == 0 || x.shape()[axis] % count != 0)
            throw OnnxRefusal(std::to_string(x.shape()[axis]) + " elements are not cut into " +
                              std::to_string(count) + " equal parts");
        sizes.assign(op.outputs(), x.shape()[axis] / count);
    }
    OnnxValues parts;
    std::int64_t begin = 0;
    for (const std::int64_t size : sizes) {
        parts.push_back(slice(op, x, axis, begin, size));
        begin += size;
    }
    return parts;
}

/// Where the elements of a padded dimension come from.
Integers mirrored(std::int64_t before, std::int64_t after, std::int64_t extent, bool reflect) {
    if (extent == 0 || (reflect && std::max(before, after) >= extent))
        throw OnnxRefusal("a padding of " + std::to_string(std::max(before, after)) + " does not fit " +
                          std::to_string(extent) + " elements");
    expect_countable(before + extent + after);
    Integers indices;
    for (std::int64_t at = -before; at < extent + after; ++at) {
        const std::int64_t turned = at < 0 ? -at : at >= extent ? 2 * (extent - 1) - at : at;
        indices.push_back(reflect ? turned : std::clamp<std::int64_t>(at, 0, extent - 1));
    }
    return indices;
}

OnnxValues pad(const OnnxOperation& op) {
    OnnxValue x = op.in(0);
    const Integers pads = op.integers_or_input(op.opset < 2 ? "paddings" : "pads", 1);
    const auto rank = x.shape().size();
    if (pads.size() != 2 * rank)
        throw OnnxRefusal("pads " + graph::to_string(pads) + " do not fit " + graph::to_string(x.type));
    const std::string mode = op.text("mode", "constant");
    if (mode != "constant" && mode != "reflect" && mode != "edge")
        throw OnnxRefusal("mode \"" + mode + "\" is not supported", "use constant, reflect or edge");
    if (std::any_of(pads.begin(), pads.end(), [](auto n) { return n < -largest_pad || n > largest_pad; }))
        throw OnnxRefusal("pads " + graph::to_string(pads) + " are out of range");
    Integers before(rank);
    Integers after(rank);
    for (std::size_t d = 0; d < rank; ++d) { // negative ones cut away
        const std::int64_t front = std::max<std::int64_t>(0, -pads[d]);
        const std::int64_t back = std::max<std::int64_t>(0, -pads[d + rank]);
        x = slice(op, x, d, front, x.shape()[d] - front - back);
        before[d] = std::max<std::int64_t>(0, pads[d]);
        after[d] = std::max<std::int64_t>(0, pads[d + rank]);
        if (mode != "constant" && before[d] + after[d] > 0)
            x = take(op, x, d, mirrored(before[d], after[d], x.shape()[d], mode == "reflect"));
    }
    if (mode != "constant")
        return {x};
    const double value = op.has(2) ? op.known_real(2) : op.real("value", 0);
    return {op.emit("pad", {x}, {{"before", before}, {"after", after}, {"value", value}})};
}

} // namespace

void add_onnx_slices(OnnxMappings& m) {
    m["Slice"] = slice_operator;
    m["Split"] = split;
    m["Pad"] = pad;
}

} // namespace tilescope::onnx
