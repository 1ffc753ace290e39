// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/spelling.h"
#include "graph/tensor.h"

#include <cstdint>
#include <vector>

/// Resizing dimension by dimension: nearest elements are picked, linear and cubic interpolation is a product
/// with a matrix of weights. Formulas: ONNX operator reference, Resize.
namespace tilescope::layers {

enum class ResizeMode { Nearest, Linear, Cubic };
constexpr auto spelling(ResizeMode) {
    return spelled("mode", "nearest", "linear", "cubic");
}
/// Which element a place between two is, of the nearest; Prefer: of a place in the middle.
enum class NearestMode { PreferFloor, PreferCeil, Floor, Ceil };
constexpr auto spelling(NearestMode) {
    return spelled("nearest_mode", "round_prefer_floor", "round_prefer_ceil", "floor", "ceil");
}
/// Where the elements of the result are in what is resized.
enum class Coordinates {
    HalfPixel,
    HalfPixelSymmetric,
    HalfPixelOfTorch,
    AlignCorners,
    Asymmetric,
    HalfPixelOfNearest,
    CropAndResize
};
constexpr auto spelling(Coordinates) {
    return spelled("coordinate_transformation_mode", "half_pixel", "half_pixel_symmetric",
                   "pytorch_half_pixel", "align_corners", "asymmetric", "tf_half_pixel_for_nn",
                   "tf_crop_and_resize");
}

/// How one dimension is resized. Its modes are those of ONNX.
struct Resampling {
    std::int64_t in = 1, out = 1;
    double scale = 1;
    double begin = 0, end = 1; ///< region of interest, as shares of the dimension
    Coordinates coordinates = Coordinates::HalfPixel;
    ResizeMode mode = ResizeMode::Nearest;
    NearestMode nearest = NearestMode::PreferFloor;
    double cubic = -0.75;
    bool exclude_outside = false;
    /// Where it is above 0, the weights are those of the nearest of so many places between two elements, as
    /// TensorFlow has them in a table (resize_bicubic_op.cc).
    std::int64_t places_between = 0;
    bool antialias = false; ///< linear and cubic ones that shrink look at all elements under the wider filter
};

/// Where element i of the result is, in elements of what is resized.
double source_place(const Resampling& r, std::int64_t i);
/// Whether a place of tf_crop_and_resize has no elements around it.
bool outside(const Resampling& r, double at);
/// The element that each of the result is, for mode Nearest.
std::vector<std::int64_t> nearest_places(const Resampling& r);
/// [in, out]: how much of each element is in each of the result, for the other modes.
graph::HostTensor interpolation(const Resampling& r);
/// [in, out]: how much of what an element of the result covers lies in each element (TensorFlow,
/// resize_area_op.cc).
graph::HostTensor covering(std::int64_t in, std::int64_t out);

} // namespace tilescope::layers
