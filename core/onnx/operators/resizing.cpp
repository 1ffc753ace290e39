// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/try.h"
#include "layers/resampling.h"
#include "operation.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <string_view>

/// Resize and Upsample, dimension by dimension: nearest elements are picked, linear and cubic interpolation
/// is a product with a matrix of weights. Formulas: ONNX operator reference, Resize.
namespace tilescope::onnx {
namespace {

using graph::HostTensor;
using graph::Shape;

Result<OnnxValue> resample(const OnnxOperation& op, const OnnxValue& x, std::size_t axis,
                           const layers::Resampling& r) {
    if (r.mode == layers::ResizeMode::Nearest) {
        return take(op, x, axis, layers::nearest_places(r));
    }
    TRY(expect_countable(r.in * r.out));
    TRY(const OnnxValue last, axis_last(op, x, axis));
    Shape shape = last.shape();
    TRY(const OnnxValue rows, reshape(op, last, {x.type.elements() / r.in, r.in}));
    TRY(const OnnxValue weights, cast(op, op.graph.known(layers::interpolation(r)), x.type.dtype));
    shape.back() = r.out;
    return axis_back(op, reshape(op, op.emit("matmul", {rows, weights}), shape), axis);
}

/// x where every place of dimension `axis` is inside, `value` elsewhere.
Result<OnnxValue> extrapolated(const OnnxOperation& op, const OnnxValue& x, std::size_t axis,
                               const layers::Resampling& r, double value) {
    Shape along(x.shape().size() - axis, 1);
    along[0] = r.out;
    HostTensor inside(graph::TensorType{graph::DType::Bool, along});
    bool everywhere = true;
    for (std::int64_t i = 0; i < r.out; ++i) {
        const bool has = !layers::outside(r, layers::source_place(r, i));
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

/// The dimensions that are resized: from opset 18 on an attribute, else all.
Result<std::vector<std::size_t>> resized_axes(const OnnxOperation& op, const Shape& in) {
    std::vector<std::size_t> axes(in.size());
    std::iota(axes.begin(), axes.end(), std::size_t{0});
    if (!op.has_attribute("axes"))
        return axes;
    axes.clear();
    for (const std::int64_t axis : op.integers("axes")) {
        TRY(const std::size_t d, axis_of(axis, static_cast<std::int64_t>(in.size())));
        axes.push_back(d);
    }
    return axes;
}

/// What is given for each of `axes`, at its dimension; `otherwise` at the others.
template<class T>
Result<std::vector<T>> spread(const std::vector<T>& given, const std::vector<std::size_t>& axes,
                              std::vector<T> otherwise) {
    if (given.size() != axes.size())
        return refused("scales or sizes do not fit the dimensions that are resized");
    for (std::size_t i = 0; i < axes.size(); ++i)
        otherwise[axes[i]] = given[i];
    return otherwise;
}

/// One scale for all axes, so that the result is not larger, or not smaller, than asked for.
Result<void> keep_aspect_ratio(const OnnxOperation& op, const Shape& in, const std::vector<std::size_t>& axes,
                               Target& target) {
    const std::string policy = op.text("keep_aspect_ratio_policy", "stretch");
    if (policy == "stretch" || axes.empty())
        return {};
    if (policy != "not_larger" && policy != "not_smaller")
        return unsupported("keep_aspect_ratio_policy \"" + policy + "\" is not supported",
                           "use stretch, not_larger or not_smaller");
    double scale = target.scales[axes[0]];
    for (const std::size_t d : axes)
        scale =
            policy == "not_larger" ? std::min(scale, target.scales[d]) : std::max(scale, target.scales[d]);
    for (const std::size_t d : axes) {
        target.scales[d] = scale;
        target.extents[d] = extent_of(std::floor(scale * static_cast<double>(in[d]) + 0.5));
    }
    return {};
}

/// From `sizes` where they are given, else from `scales`.
Result<Target> target_of(const OnnxOperation& op, const Shape& in, std::size_t scales_input,
                         std::size_t sizes_input) {
    Target target;
    TRY(const auto axes, resized_axes(op, in));
    if (op.elements(sizes_input) > 0) {
        TRY(const Integers sizes, op.known_integers(sizes_input));
        TRY(target.extents, spread(sizes, axes, in));
        for (std::size_t d = 0; d < in.size(); ++d)
            target.scales.push_back(static_cast<double>(target.extents[d]) / static_cast<double>(in[d]));
        TRY(keep_aspect_ratio(op, in, axes, target));
    } else {
        TRY(const auto scales, op.has(scales_input) ? op.known_reals(scales_input) : op.reals("scales"));
        TRY(target.scales, spread(scales, axes, std::vector<double>(in.size(), 1.0)));
        for (std::size_t d = 0; d < in.size(); ++d)
            target.extents.push_back(extent_of(std::floor(static_cast<double>(in[d]) * target.scales[d])));
    }
    bool valid = target.extents.size() == in.size() && target.scales.size() == in.size();
    for (std::size_t d = 0; valid && d < in.size(); ++d)
        valid =
            in[d] > 0 && target.extents[d] > 0 && target.extents[d] <= largest_extent && target.scales[d] > 0;
    if (!valid)
        return refused("scales or sizes do not fit " + graph::to_string(in));
    return target;
}

/// Of opset 10, whose tests (onnx 1.5, test_resize_downsample_nearest) round up where the tensor shrinks.
layers::NearestMode old_rounding(const OnnxOperation& op, double scale) {
    return op.opset == 10 && scale < 1 ? layers::NearestMode::Ceil : layers::NearestMode::Floor;
}

/// An attribute that names one of few ways.
template<class Kind>
Result<Kind> named(const OnnxOperation& op, Kind otherwise) {
    const std::string attribute(spelling(otherwise).what);
    const std::string given = op.text(attribute, tilescope::to_string(otherwise));
    const auto known = tilescope::parse<Kind>(given == "bilinear" ? "linear" : given);
    if (known)
        return *known;
    std::string all;
    const auto& values = spelling(otherwise).values;
    for (const std::string_view value : values)
        all += (all.empty() ? "" : value == values.back() ? " or " : ", ") + std::string(value);
    return unsupported(attribute + " \"" + given + "\" is not supported", "use " + all);
}

/// Where the region of interest begins in each dimension, then where it ends.
Result<std::vector<double>> region_of(const OnnxOperation& op, const Shape& in) {
    TRY(const auto given, op.known_reals(1));
    TRY(const auto axes, resized_axes(op, in));
    if (given.size() != 2 * axes.size())
        return refused("the region of interest does not fit " + graph::to_string(in));
    std::vector<double> region(in.size(), 0.0);
    region.resize(2 * in.size(), 1.0);
    for (std::size_t i = 0; i < axes.size(); ++i) {
        region[axes[i]] = given[i];
        region[axes[i] + in.size()] = given[i + axes.size()];
    }
    return region;
}

Result<OnnxValues> resize(const OnnxOperation& op) {
    const bool old = op.opset < 11; // Upsample's rule: asymmetric places, rounded down
    TRY(OnnxValue x, op.in(0));
    TRY(const Target target, target_of(op, x.shape(), old ? 1 : 2, old ? 99 : 3));
    layers::Resampling r;
    TRY(r.mode, named(op, layers::ResizeMode::Nearest));
    TRY(r.coordinates, named(op, old ? layers::Coordinates::Asymmetric : layers::Coordinates::HalfPixel));
    TRY(r.nearest, named(op, old ? layers::NearestMode::Floor : layers::NearestMode::PreferFloor));
    r.cubic = op.real("cubic_coeff_a", -0.75);
    r.exclude_outside = op.flag("exclude_outside", false);
    r.antialias = op.flag("antialias", false);
    const bool crops = r.coordinates == layers::Coordinates::CropAndResize;
    TRY(const std::vector<double> region, crops ? region_of(op, x.shape()) : std::vector<double>{});
    std::vector<layers::Resampling> resamplings;
    for (std::size_t d = 0; d < target.extents.size(); ++d) {
        r.in = x.shape()[d];
        r.out = target.extents[d];
        r.scale = target.scales[d];
        if (old)
            r.nearest = old_rounding(op, r.scale);
        if (crops) {
            r.begin = region[d];
            r.end = region[d + target.extents.size()];
        }
        const bool unchanged = r.scale == 1 && (!crops || (r.begin == 0 && r.end == 1));
        if (!unchanged) {
            TRY(x, resample(op, x, d, r));
        }
        resamplings.push_back(r);
    }
    for (std::size_t d = 0; crops && d < resamplings.size(); ++d) {
        TRY(x, extrapolated(op, x, d, resamplings[d], op.real("extrapolation_value", 0)));
    }
    return values_of({x});
}

} // namespace

void add_onnx_resizing(OnnxMappings& m) {
    m["Resize"] = resize;
    m["Upsample"] = resize;
}

} // namespace tilescope::onnx
