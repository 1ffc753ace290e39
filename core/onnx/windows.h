// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "layers/volumes.h"
#include "operation.h"

#include <utility>

namespace tilescope::onnx {

/// The geometry that convolutions and poolings share, by spatial dimension.
struct OnnxWindows {
    Integers kernel, strides, dilations, before, after;

    std::size_t rank() const { return kernel.size(); }
    std::int64_t span(std::size_t d) const { return (kernel[d] - 1) * dilations[d] + 1; }
    /// Windows along dimension d of `in` elements.
    std::int64_t count(std::size_t d, std::int64_t in) const {
        return (in + before[d] + after[d] - span(d)) / strides[d] + 1;
    }
    /// "window", "strides", "padding" and "dilations" of operators of two dimensions.
    graph::Attributes attributes() const;
};

/// Attributes of a node whose input has these spatial extents; `auto_pad` is resolved.
Result<OnnxWindows> windows_of(const OnnxOperation& op, const Integers& kernel, const Integers& extents);

/// [n, c, h, w] as [n, h, w, c], and back.
Result<OnnxValue> channels_last(const OnnxOperation& op, const Result<OnnxValue>& x);
Result<OnnxValue> channels_first(const OnnxOperation& op, const Result<OnnxValue>& x);
/// [n, c, d, h, w] as [n, d, h, w, c], and back.
Result<OnnxValue> volumes_channels_last(const OnnxOperation& op, const Result<OnnxValue>& x);
Result<OnnxValue> volumes_channels_first(const OnnxOperation& op, const Result<OnnxValue>& x);
layers::VolumeWindows volume_windows(const OnnxWindows& windows, std::int64_t groups = 1);
/// The spatial extents of `value`.
Result<Integers> spatial(const Result<OnnxValue>& value);

} // namespace tilescope::onnx
