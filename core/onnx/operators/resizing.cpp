// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/try.h"
#include "layers/resampling.h"
#include "operation.h"

#include <cmath>

/// Resize and Upsample, dimension by dimension: nearest elements are picked, linear and cubic interpolation
/// is a product with a matrix of weights. Formulas: ONNX operator reference, Resize.
namespace tilescope::onnx {
namespace {

using graph::HostTensor;
using graph::Shape;

Result<OnnxValue> resample(const OnnxOperation& op, const OnnxValue& x, std::size_t axis,
                           const layers::Resampling& r) {
    if (r.mode == "nearest") {
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

/// From `sizes` where they are given, else from `scales`.
Result<Target> target_of(const OnnxOperation& op, const Shape& in, std::size_t scales_input,
                         std::size_t sizes_input) {
    Target target;
    if (op.elements(sizes_input) > 0) {
        TRY(target.extents, op.known_integers(sizes_input));
        for (std::size_t d = 0; d < std::min(in.size(), target.extents.size()); ++d)
            target.scales.push_back(static_cast<double>(target.extents[d]) / static_cast<double>(in[d]));
    } else {
        TRY(target.scales, op.has(scales_input) ? op.known_reals(scales_input) : op.reals("scales"));
        for (std::size_t d = 0; d < std::min(in.size(), target.scales.size()); ++d)
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
std::string old_rounding(const OnnxOperation& op, double scale) {
    return op.opset == 10 && scale < 1 ? "ceil" : "floor";
}

Result<OnnxValues> resize(const OnnxOperation& op) {
    const bool old = op.opset < 11; // Upsample's rule: asymmetric places, rounded down
    TRY(OnnxValue x, op.in(0));
    TRY(const Target target, target_of(op, x.shape(), old ? 1 : 2, old ? 99 : 3));
    layers::Resampling r;
    r.mode = op.text("mode", "nearest");
    r.coordinates = op.text("coordinate_transformation_mode", old ? "asymmetric" : "half_pixel");
    r.rounding = op.text("nearest_mode", old ? "floor" : "round_prefer_floor");
    r.cubic = op.real("cubic_coeff_a", -0.75);
    r.exclude_outside = op.flag("exclude_outside", false);
    if (r.mode == "bilinear")
        r.mode = "linear";
    if (r.mode != "nearest" && r.mode != "linear" && r.mode != "cubic")
        return refused("mode \"" + r.mode + "\" is not supported", "use nearest, linear or cubic");
    const bool crops = r.coordinates == "tf_crop_and_resize";
    TRY(const std::vector<double> region, crops ? op.known_reals(1) : std::vector<double>{});
    if (crops && region.size() != 2 * x.shape().size())
        return refused("the region of interest does not fit " + graph::to_string(x.type));
    std::vector<layers::Resampling> resamplings;
    for (std::size_t d = 0; d < target.extents.size(); ++d) {
        r.in = x.shape()[d];
        r.out = target.extents[d];
        r.scale = target.scales[d];
        if (old)
            r.rounding = old_rounding(op, r.scale);
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
