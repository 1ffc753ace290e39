// SPDX-License-Identifier: GPL-3.0-or-later
#include "windows.h"

#include "base/try.h"

#include <algorithm>

namespace tilescope::onnx {

graph::Attributes OnnxWindows::attributes() const {
    return {{"window", kernel},
            {"strides", strides},
            {"dilations", dilations},
            {"padding", Integers{before[0], before[1], after[0], after[1]}}};
}

Result<OnnxWindows> windows_of(const OnnxOperation& op, const Integers& kernel, const Integers& extents) {
    const std::size_t rank = extents.size();
    OnnxWindows w;
    w.kernel = kernel;
    w.strides = op.integers("strides", Integers(rank, 1));
    w.dilations = op.integers("dilations", Integers(rank, 1));
    const Integers pads = op.integers("pads", Integers(2 * rank, 0));
    if (rank < 1 || rank > 3)
        return refused("has " + std::to_string(rank) + " spatial dimensions", "use one, two or three");
    if (kernel.size() != rank || w.strides.size() != rank || w.dilations.size() != rank ||
        pads.size() != 2 * rank)
        return refused("kernel, strides, dilations and pads are not those of " + std::to_string(rank) +
                       " spatial dimensions");
    for (std::size_t d = 0; d < rank; ++d)
        if (kernel[d] < 1 || w.strides[d] < 1 || w.dilations[d] < 1 ||
            std::max({kernel[d], w.strides[d], w.dilations[d]}) > (1 << 24))
            return refused("a kernel, stride or dilation is out of range");
    if (std::any_of(pads.begin(), pads.end(), [](auto n) { return n < 0 || n > (1 << 24); }))
        return refused("pads " + graph::to_string(pads) + " are out of range");
    w.before.assign(pads.begin(), pads.begin() + static_cast<std::ptrdiff_t>(rank));
    w.after.assign(pads.begin() + static_cast<std::ptrdiff_t>(rank), pads.end());
    const std::string automatic = op.text("auto_pad", "NOTSET");
    if (automatic == "NOTSET")
        return w;
    if (automatic != "SAME_UPPER" && automatic != "SAME_LOWER" && automatic != "VALID")
        return refused("auto_pad \"" + automatic + "\" is not known", "use SAME_UPPER, SAME_LOWER or VALID");
    for (std::size_t d = 0; d < rank; ++d) {
        const std::int64_t windows = ceil_div(extents[d], w.strides[d]);
        const std::int64_t total =
            automatic == "VALID"
                ? 0
                : std::max<std::int64_t>(0, (windows - 1) * w.strides[d] + w.span(d) - extents[d]);
        w.before[d] = automatic == "SAME_LOWER" ? total - total / 2 : total / 2;
        w.after[d] = total - w.before[d];
    }
    return w;
}

Result<OnnxValue> channels_last(const OnnxOperation& op, const Result<OnnxValue>& x) {
    return transpose(op, x, {0, 2, 3, 1});
}

Result<OnnxValue> channels_first(const OnnxOperation& op, const Result<OnnxValue>& x) {
    return transpose(op, x, {0, 3, 1, 2});
}

Result<OnnxValue> volumes_channels_last(const OnnxOperation& op, const Result<OnnxValue>& x) {
    return transpose(op, x, {0, 2, 3, 4, 1});
}

Result<OnnxValue> volumes_channels_first(const OnnxOperation& op, const Result<OnnxValue>& x) {
    return transpose(op, x, {0, 4, 1, 2, 3});
}

layers::VolumeWindows volume_windows(const OnnxWindows& w, std::int64_t groups) {
    return {w.kernel, w.strides, w.dilations, w.before, w.after, groups};
}

Result<Integers> spatial(const Result<OnnxValue>& value) {
    TRY(const OnnxValue x, value);
    if (x.rank() < 3)
        return refused("expects [batch, channels, …], got " + graph::to_string(x.type));
    return Integers(x.shape().begin() + 2, x.shape().end());
}

} // namespace tilescope::onnx
