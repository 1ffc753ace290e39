// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "import/onnx_operation.h"

namespace tilescope::import {

/// The geometry that convolutions and poolings share, by spatial dimension.
struct OnnxWindows {
    Integers kernel, strides, dilations, before, after;

    std::size_t rank() const { return kernel.size(); }
    std::int64_t span(std::size_t d) const { return (kernel[d] - 1) * dilations[d] + 1; }
    /// Windows along dimension d of `in` elements.
    std::int64_t count(std::size_t d, std::int64_t in) const {
        return (in + before[d] + after[d] - span(d)) / strides[d] + 1;
    }
    /// Without spatial dimension 0.
    OnnxWindows inner() const;
    OnnxWindows outer() const; ///< spatial dimension 0 alone
    /// "window", "strides", "padding" and "dilations" of operators of two dimensions.
    graph::Attributes attributes() const;
};

/// Attributes of a node whose input has these spatial extents; `auto_pad` is resolved. Throws OnnxRefusal.
OnnxWindows windows_of(const OnnxOperation& op, const Integers& kernel, const Integers& extents);

/// [n, c, h, w] as [n, h, w, c], and back.
OnnxValue channels_last(const OnnxOperation& op, const OnnxValue& x);
OnnxValue channels_first(const OnnxOperation& op, const OnnxValue& x);
/// [n, c, d, h, w] as [n d, c, h, w]: a batch of slices; and back, with `n` samples.
OnnxValue as_slices(const OnnxOperation& op, const OnnxValue& x);
OnnxValue as_volumes(const OnnxOperation& op, const OnnxValue& x, std::int64_t n);
/// The spatial extents of x.
Integers spatial(const OnnxValue& x);

} // namespace tilescope::import
