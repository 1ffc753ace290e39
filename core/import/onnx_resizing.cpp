// SPDX-License-Identifier: GPL-3.0-or-later
#include "import/onnx_operation.h"

#include <algorithm>
#include <cmath>
#include <map>

/// Resize and Upsample, dimension by dimension: nearest elements are picked, linear and cubic interpolation
/// is a product with a matrix of weights. Formulas: ONNX operator reference, Resize.
namespace tilescope::import {
namespace {

using graph::HostTensor;
using graph::Shape;

/// How one dimension is resized.
struct Resampling {
    std::int64_t in = 1, out = 1;
    double scale = 1;
    double begin = 0, end = 1; ///< region of interest, as shares of the dimension
    std::string coordinates, mode, rounding;
    double cubic = -0.75;
    bool exclude_outside = false;
};

double source_place(const Resampling& r, std::int64_t i) {
    const auto at = static_cast<double>(i);
    const auto last = static_cast<double>(r.in - 1);
    const double width = r.scale * static_cast<double>(r.in);
    if (r.coordinates == "asymmetric")
        return at / r.scale;
    if (r.coordinates == "align_corners")
        return width == 1 ? 0 : at * last / (width - 1);
    if (r.coordinates == "tf_half_pixel_for_nn")
        return (at + 0.5) / r.scale;
    if (r.coordinates == "tf_crop_and_resize")
        return r.out > 1 ? r.begin * last + at * (r.end - r.begin) * last / static_cast<double>(r.out - 1)
                         : 0.5 * (r.begin + r.end) * last;
    if (r.coordinates == "pytorch_half_pixel" && r.out == 1)
        return 0;
    return (at + 0.5) / r.scale - 0.5;
}

std::int64_t nearest(const Resampling& r, double at) {
    const double up = std::floor(at + 0.5);
    double place = r.rounding == "floor"               ? std::floor(at)
                   : r.rounding == "ceil"              ? std::ceil(at)
                   : r.rounding == "round_prefer_ceil" ? up
                                                       : std::ceil(at - 0.5);
    place = std::clamp(place, 0.0, static_cast<double>(r.in - 1));
    return static_cast<std::int64_t>(place);
}

/// Weights of the elements around a place, the first of which is element floor(place) - 1 for cubic and
/// floor(place) for linear interpolation.
std::vector<double> weights_at(const Resampling& r, double share) {
    if (r.mode == "linear")
        return {1 - share, share};
    const double a = r.cubic;
    const auto near = [a](double x) { return ((a + 2) * x - (a + 3)) * x * x + 1; };
    const auto far = [a](double x) { return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a; };
    return {far(share + 1), near(share), near(1 - share), far(2 - share)};
}

/// Whether a place of tf_crop_and_resize has no elements around it.
bool outside(const Resampling& r, double at) {
    return r.coordinates == "tf_crop_and_resize" && (at < 0 || at > static_cast<double>(r.in - 1));
}

/// [in, out]: how much of each element is in each result.
HostTensor interpolation(const Resampling& r) {
    HostTensor matrix(graph::TensorType{graph::DType::Float32, {r.in, r.out}});
    for (std::int64_t i = 0; i < r.out; ++i) {
        const double at = source_place(r, i);
        if (outside(r, at))
            continue;
        const double whole = std::floor(at);
        std::vector<double> weights = weights_at(r, at - whole);
        const auto first = static_cast<std::int64_t>(whole) - (r.mode == "cubic" ? 1 : 0);
        double total = 1;
        if (r.exclude_outside) {
            total = 0;
            for (std::size_t k = 0; k < weights.size(); ++k) {
                const std::int64_t from = first + static_cast<std::int64_t>(k);
                weights[k] = from < 0 || from >= r.in ? 0 : weights[k];
                total += weights[k];
            }
        }
        for (std::size_t k = 0; k < weights.size(); ++k) {
            const std::int64_t from =
                std::clamp<std::int64_t>(first + static_cast<std::int64_t>(k), 0, r.in - 1);
            matrix.set(from * r.out + i, matrix.at(from * r.out + i) + weights[k] / total);
        }
    }
    return matrix;
}

OnnxValue resample(const OnnxOperation& op, const OnnxValue& x, std::size_t axis, const Resampling& r) {
    if (r.mode == "nearest") {
        Integers places;
        for (std::int64_t i = 0; i < r.out; ++i)
            places.push_back(nearest(r, source_place(r, i)));
        return take(op, x, axis, places);
    }
    expect_countable(r.in * r.out);
    const OnnxValue last = axis_last(op, x, axis);
    Shape shape = last.shape();
    const OnnxValue rows = reshape(op, last, {x.type.elements() / r.in, r.in});
    const OnnxValue weights = cast(op, op.graph.known(interpolation(r)), x.type.dtype);
    shape.back() = r.out;
    return axis_back(op, reshape(op, op.emit("matmul", {rows, weights}), shape), axis);
}

/// x where every place of dimension `axis` is inside, `value` elsewhere.
OnnxValue extrapolated(const OnnxOperation& op, const OnnxValue& x, std::size_t axis, const Resampling& r,
                       double value) {
    Shape along(x.shape().size() - axis, 1);
    along[0] = r.out;
    HostTensor inside(graph::TensorType{graph::DType::Bool, along});
    bool everywhere = true;
    for (std::int64_t i = 0; i < r.out; ++i) {
        const bool has = !outside(r, source_place(r, i));
        inside.set(i, has ? 1 : 0);
        everywhere = everywhere && has;
    }
    if (everywhere)
        return x;
    return op.emit("select", {broadcast(op, op.graph.known(inside), x.shape()), x,
                              broadcast(op, op.scalar_like(x, value), x.shape())});
}

constexpr std::int64_t largest_extent = (1 << 24) - 1;

struct Target {
    Integers extents;
    std::vector<double> scales;
};

/// 0 where it is out of range.
std::int64_t extent_of(double value) {
    return value > 0 && value <= static_cast<double>(largest_extent) ? static_cast<std::int64_t>(value) : 0;
}

/// From `sizes` where they are given, else from `scales`.
Target target_of(const OnnxOperation& op, const Shape& in, std::size_t scales_input,
                 std::size_t sizes_input) {
    Target target;
    if (op.has(sizes_input) && op.in(sizes_input).type.elements() > 0) {
        target.extents = op.known_integers(sizes_input);
        for (std::size_t d = 0; d < std::min(in.size(), target.extents.size()); ++d)
            target.scales.push_back(static_cast<double>(target.extents[d]) / static_cast<double>(in[d]));
    } else {
        target.scales = op.has(scales_input) ? op.known_reals(scales_input) : op.reals("scales");
        for (std::size_t d = 0; d < std::min(in.size(), target.scales.size()); ++d)
            target.extents.push_back(extent_of(std::floor(static_cast<double>(in[d]) * target.scales[d])));
    }
    bool valid = target.extents.size() == in.size() && target.scales.size() == in.size();
    for (std::size_t d = 0; valid && d < in.size(); ++d)
        valid =
            in[d] > 0 && target.extents[d] > 0 && target.extents[d] <= largest_extent && target.scales[d] > 0;
    if (!valid)
        throw OnnxRefusal("scales or sizes do not fit " + graph::to_string(in));
    return target;
}

OnnxValues resize(const OnnxOperation& op) {
    const bool old = op.opset < 11; // Upsample's rule: asymmetric places, rounded down
    OnnxValue x = op.in(0);
    const Target target = target_of(op, x.shape(), old ? 1 : 2, old ? 99 : 3);
    Resampling r;
    r.mode = op.text("mode", "nearest");
    r.coordinates = op.text("coordinate_transformation_mode", old ? "asymmetric" : "half_pixel");
    r.rounding = op.text("nearest_mode", old ? "floor" : "round_prefer_floor");
    r.cubic = op.real("cubic_coeff_a", -0.75);
    r.exclude_outside = op.flag("exclude_outside", false);
    if (r.mode == "bilinear")
        r.mode = "linear";
    if (r.mode != "nearest" && r.mode != "linear" && r.mode != "cubic")
        throw OnnxRefusal("mode \"" + r.mode + "\" is not supported", "use nearest, linear or cubic");
    const bool crops = r.coordinates == "tf_crop_and_resize";
    const std::vector<double> region = crops ? op.known_reals(1) : std::vector<double>{};
    if (crops && region.size() != 2 * x.shape().size())
        throw OnnxRefusal("the region of interest does not fit " + graph::to_string(x.type));
    std::vector<Resampling> resamplings;
    for (std::size_t d = 0; d < target.extents.size(); ++d) {
        r.in = x.shape()[d];
        r.out = target.extents[d];
        r.scale = target.scales[d];
        if (crops) {
            r.begin = region[d];
            r.end = region[d + target.extents.size()];
        }
        const bool unchanged = r.scale == 1 && (!crops || (r.begin == 0 && r.end == 1));
        if (!unchanged)
            x = resample(op, x, d, r);
        resamplings.push_back(r);
    }
    for (std::size_t d = 0; crops && d < resamplings.size(); ++d)
        x = extrapolated(op, x, d, resamplings[d], op.real("extrapolation_value", 0));
    return {x};
}

} // namespace

void add_onnx_resizing(OnnxMappings& m) {
    m["Resize"] = resize;
    m["Upsample"] = resize;
}

} // namespace tilescope::import
