// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/try.h"
#include "layers/resampling.h"
#include "settings.h"

#include <algorithm>

/// Operations that several families of layers are made of.
namespace tilescope::keras {

using graph::Shape;
using graph::ValueId;

namespace {

graph::HostTensor interpolation_matrix(const layers::Resampling& r, graph::DType dtype) {
    const graph::HostTensor weights = layers::interpolation(r);
    graph::HostTensor result({dtype, weights.shape()});
    for (std::int64_t i = 0; i < weights.elements(); ++i)
        result.set(i, weights.at(i));
    result.round_to_type();
    return result;
}

} // namespace

Result<ValueId> ones_of(KerasLayer& layer, graph::DType dtype, const Shape& shape) {
    return layer.build.emit("broadcast_to", {layer.build.scalar(1, dtype)}, {{"shape", shape}}, "Ones");
}

Result<ValueId> unit_length(KerasLayer& layer, ValueId x, const Extents& axes) {
    graph::Builder& build = layer.build;
    TRY(auto square, build.emit("square", {x}, {}, "Square"));
    TRY(const ValueId sum, build.emit("reduce_sum", {square}, {{"axes", axes}, {"keep_dims", true}}, "Sum"));
    TRY(const ValueId length,
        build.emit("maximum", {sum, build.scalar(1e-12, build.type(x).dtype)}, {}, "Length"));
    return build.emit("multiply", {x, build.emit("rsqrt", {length}, {}, "Length")}, {}, "Unit");
}

Result<ValueId> resized(KerasLayer& layer, const Result<ValueId>& x, const Extents& extents,
                        const std::string& interpolation) {
    TRY(ValueId images, x);
    layers::Resampling r;
    if (interpolation == "nearest") {
        r.mode = layers::ResizeMode::Nearest;
        r.coordinates = layers::Coordinates::HalfPixelOfNearest;
        r.nearest = layers::NearestMode::Floor;
    } else if (interpolation == "bilinear" || interpolation == "bicubic") {
        r.mode = interpolation == "bilinear" ? layers::ResizeMode::Linear : layers::ResizeMode::Cubic;
        r.coordinates = layers::Coordinates::HalfPixel;
        r.cubic = -0.5; // Keys' kernel
        r.exclude_outside = true;
    } else {
        return layer.unsupported("interpolation \"" + interpolation + "\" is not supported",
                                 "use \"nearest\", \"bilinear\" or \"bicubic\"");
    }
    graph::Builder& build = layer.build;
    for (std::size_t d = 0; d < extents.size(); ++d) {
        const Extents axis{static_cast<std::int64_t>(d) + 1};
        r.in = build.type(images).shape[d + 1];
        r.out = extents[d];
        r.scale = static_cast<double>(r.out) / static_cast<double>(r.in);
        if (r.in == r.out)
            continue;
        if (r.mode == layers::ResizeMode::Nearest) {
            TRY(images, build.emit("take", {images},
                                   {{"axis", axis[0]}, {"indices", layers::nearest_places(r)}}, "Nearest"));
            continue;
        }
        if (!graph::is_floating(build.type(images).dtype))
            return layer.fail("expects a float input, got " + graph::to_string(build.type(images)));
        if (r.mode == layers::ResizeMode::Linear)
            r.exclude_outside = false; // the outermost element stands in for those beyond it
        TRY(const ValueId last, with_axes_last(layer, images, axis));
        Shape shape = build.type(last).shape;
        graph::HostTensor weights = interpolation_matrix(r, build.type(images).dtype);
        const ValueId matrix = build.constant(layer.name + "/interpolation", std::move(weights));
        TRY(const ValueId rows, build.emit("reshape", {last}, {{"shape", Shape{-1, r.in}}}, "Rows"));
        shape.back() = r.out;
        TRY(const ValueId turned,
            build.emit("reshape", {build.emit("matmul", {rows, matrix}, {}, "Interpolate")},
                       {{"shape", shape}}, "Rows"));
        TRY(images, with_axes_last(layer, turned, axis, true));
    }
    return images;
}

Result<ValueId> repeated(KerasLayer& layer, ValueId x, const Shape& open, const Shape& broadcast,
                         const Shape& result) {
    TRY(const ValueId apart, layer.build.emit("reshape", {x}, {{"shape", open}}, "ExpandDims"));
    TRY(const ValueId tiled, layer.build.emit("broadcast_to", {apart}, {{"shape", broadcast}}, "Repeat"));
    return layer.build.emit("reshape", {tiled}, {{"shape", result}}, "Reshape");
}

Result<ValueId> mask_numbers(KerasLayer& layer, ValueId mask, graph::DType dtype, std::size_t rank) {
    Shape shape = layer.build.type(mask).shape;
    shape.resize(std::max(rank, shape.size()), 1);
    TRY(const ValueId numbers,
        layer.build.emit("cast", {mask}, {{"dtype", graph::to_string(dtype)}}, "Mask"));
    return layer.build.emit("reshape", {numbers}, {{"shape", shape}}, "Mask");
}

Result<ValueId> drop_out(KerasLayer& layer, const Result<ValueId>& x, double rate, std::int64_t salt) {
    if (!layer.training || rate == 0)
        return x;
    return layer.build.emit("dropout", {x}, {{"rate", rate}, {"salt", random_salt(layer) + salt}}, "Dropout");
}

Result<ValueId> without_masked(KerasLayer& layer, ValueId x, const Result<ValueId>& mask) {
    const graph::DType dtype = layer.build.type(x).dtype;
    const double large = dtype == graph::DType::Float16 ? 65504 : 1e9;
    TRY(const ValueId missing,
        layer.build.emit("subtract", {mask, layer.build.scalar(1, dtype)}, {}, "Mask"));
    TRY(const ValueId less,
        layer.build.emit("multiply", {missing, layer.build.scalar(large, dtype)}, {}, "Mask"));
    return layer.build.emit("add", {x, less}, {}, "Masked");
}

Result<Extents> axes_of(const KerasLayer& layer, const char* key, std::size_t rank, std::int64_t otherwise) {
    const Json& value = setting(layer, key);
    const Json list = value.is_null()    ? Json::array({otherwise})
                      : value.is_array() ? value
                                         : Json::array({value});
    const auto n = static_cast<std::int64_t>(rank);
    Extents axes;
    for (const Json& axis : list) {
        if (!axis.is_number_integer() || axis.get<std::int64_t>() < -n || axis.get<std::int64_t>() >= n)
            return layer.fail(std::string("\"") + key + "\" is no axis of the input: " + value.dump());
        axes.push_back((axis.get<std::int64_t>() + n) % n);
    }
    if (axes.empty())
        return layer.fail(std::string("\"") + key + "\" names no axis");
    std::sort(axes.begin(), axes.end());
    axes.erase(std::unique(axes.begin(), axes.end()), axes.end());
    return axes;
}

Result<ValueId> with_axes_last(KerasLayer& layer, const Result<ValueId>& x, const Extents& axes,
                               bool inverse) {
    TRY(const ValueId turned, x);
    const auto rank = static_cast<std::int64_t>(layer.build.type(turned).shape.size());
    Extents order;
    for (std::int64_t d = 0; d < rank; ++d)
        if (std::find(axes.begin(), axes.end(), d) == axes.end())
            order.push_back(d);
    order.insert(order.end(), axes.begin(), axes.end());
    if (std::is_sorted(order.begin(), order.end()))
        return turned;
    Extents permutation = order;
    if (inverse)
        for (std::size_t d = 0; d < order.size(); ++d)
            permutation[static_cast<std::size_t>(order[d])] = static_cast<std::int64_t>(d);
    return layer.build.emit("transpose", {turned}, {{"permutation", permutation}}, "Transpose");
}

} // namespace tilescope::keras
