// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "graph/tensor.h"

#include <cstdint>
#include <string>
#include <vector>

/// Resizing dimension by dimension: nearest elements are picked, linear and cubic interpolation is a product
/// with a matrix of weights. Formulas: ONNX operator reference, Resize.
namespace tilescope::layers {

/// How one dimension is resized.
struct Resampling {
    std::int64_t in = 1, out = 1;
    double scale = 1;
    double begin = 0, end = 1;               ///< region of interest, as shares of the dimension
    std::string coordinates, mode, rounding; ///< ONNX' coordinate_transformation_mode, mode, nearest_mode
    double cubic = -0.75;
    bool exclude_outside = false;
    bool antialias = false; ///< linear and cubic ones that shrink look at all elements under the wider filter
};

/// Where element i of the result is, in elements of what is resized.
double source_place(const Resampling& r, std::int64_t i);
/// Whether a place of tf_crop_and_resize has no elements around it.
bool outside(const Resampling& r, double at);
/// The element that each of the result is, for mode "nearest".
std::vector<std::int64_t> nearest_places(const Resampling& r);
/// [in, out]: how much of each element is in each of the result, for the other modes.
graph::HostTensor interpolation(const Resampling& r);

} // namespace tilescope::layers
