// SPDX-License-Identifier: GPL-3.0-or-later
#include "import/keras_settings.h"

#include "base/random.h"
#include "base/units.h"
#include "import/initialisers.h"
#include "import/json_reader.h"
#include "import/keras_regularisers.h"
#include "import/resampling.h"

#include <algorithm>
#include <utility>

namespace tilescope::import {

using graph::Shape;
using graph::ValueId;

namespace {

graph::HostTensor interpolation_matrix(const Resampling& r, graph::DType dtype) {
    const graph::HostTensor weights = interpolation(r);
    graph::HostTensor result({dtype, weights.shape()});
    for (std::int64_t i = 0; i < weights.elements(); ++i)
        result.set(i, weights.at(i));
    result.round_to_type();
    return result;
}

std::string range() {
    return " from 1 to " + std::to_string(most_setting) + ": ";
}

} // namespace

LayerClass::LayerClass(OneOutput operations, std::vector<const char*> known, Masking rule,
                       std::vector<const char*> named)
    : apply([operations](KerasLayer& layer, const Values& inputs) -> Result<Values> {
          auto y = operations(layer, inputs);
          if (!y)
              return Failure(y.error());
          return Values{*y};
      }),
      settings(std::move(known)), masking(rule), arguments(std::move(named)) {}

LayerClass::LayerClass(SeveralOutputs operations, std::vector<const char*> known, Masking rule,
                       std::vector<const char*> named)
    : apply(operations), settings(std::move(known)), masking(rule), arguments(std::move(named)) {}

LayerTable passing_masks(LayerTable table) {
    for (auto& [name, known] : table)
        known.masking = Masking::Passes;
    return table;
}

const Json& setting(const KerasLayer& layer, const char* key) {
    static const Json absent;
    return layer.config.contains(key) ? layer.config.at(key) : absent;
}

std::string text(const KerasLayer& layer, const char* key, const std::string& otherwise) {
    const Json& value = setting(layer, key);
    return value.is_string() ? value.get<std::string>() : otherwise;
}

double number(const KerasLayer& layer, const char* key, double otherwise) {
    const Json& value = setting(layer, key);
    return value.is_number() ? value.get<double>() : otherwise;
}

bool flag(const KerasLayer& layer, const char* key, bool otherwise) {
    const Json& value = setting(layer, key);
    return value.is_boolean() ? value.get<bool>() : otherwise;
}

Result<std::int64_t> integer(const KerasLayer& layer, const char* key, std::int64_t otherwise) {
    const Json& value = setting(layer, key);
    if (value.is_null() && otherwise > 0)
        return otherwise;
    if (!is_count(value, 1))
        return layer.fail(std::string("\"") + key + "\" is not a whole number" + range() + value.dump());
    return value.get<std::int64_t>();
}

Result<Extents> extents(const KerasLayer& layer, std::size_t rank, const char* key, Extents otherwise) {
    const Json& value = setting(layer, key);
    if (value.is_null())
        return otherwise;
    const Json list = value.is_number_integer() ? Json(std::vector<Json>(rank, value)) : value;
    const bool valid = list.is_array() && list.size() == rank &&
                       std::all_of(list.begin(), list.end(), [](const Json& n) { return is_count(n, 1); });
    if (!valid)
        return layer.fail(std::string("\"") + key + "\" is not " + std::to_string(rank) +
                          (rank == 1 ? " whole number" : " whole numbers") + range() + value.dump());
    auto result = list.get<Extents>();
    if (rank == 1)
        result.insert(result.begin(), 1);
    return result;
}

Result<Extents> padding(const KerasLayer& layer, const Shape& x, const Extents& window,
                        const Extents& strides, const Extents& dilations) {
    const std::string mode = text(layer, "padding", "valid");
    const std::size_t rank = window.size();
    Extents result(2 * rank, 0);
    if (mode == "valid")
        return result;
    if (mode != "same")
        return layer.fail("padding \"" + mode + "\" is not supported", "use \"valid\" or \"same\"");
    for (std::size_t d = 0; d < rank; ++d) {
        const std::int64_t out = ceil_div(x[d + 1], strides[d]);
        const std::int64_t total =
            std::max<std::int64_t>(0, (out - 1) * strides[d] + (window[d] - 1) * dilations[d] + 1 - x[d + 1]);
        result[d] = total / 2;
        result[d + rank] = total - total / 2;
    }
    return result;
}

Result<Shape> transposed_shape(const KerasLayer& layer, const Shape& x, const Extents& window,
                               const Extents& strides, const Extents& dilations, std::int64_t filters) {
    const std::size_t rank = window.size();
    const bool same = text(layer, "padding", "valid") == "same";
    Shape y{x[0]};
    const bool open = setting(layer, "output_padding").is_null();
    const std::size_t given = layer.kind.find("1D") == std::string::npos ? rank : 1;
    auto extra = Extents(rank, 0);
    if (!open) {
        const Json& value = setting(layer, "output_padding");
        const Json list = value.is_number_integer() ? Json(std::vector<Json>(given, value)) : value;
        for (std::size_t d = 0; d < given; ++d)
            if (!list.is_array() || list.size() != given || !list[d].is_number_integer() ||
                list[d].get<std::int64_t>() < 0)
                return layer.fail("\"output_padding\" is not " + std::to_string(given) +
                                  " whole number(s): " + value.dump());
            else
                extra[rank - given + d] = list[d];
    }
    for (std::size_t d = 0; d < rank; ++d) {
        const std::int64_t span = (window[d] - 1) * dilations[d] + 1;
        const bool padded = !open && d >= rank - given;
        const std::int64_t beyond = same ? 0 : std::max<std::int64_t>(span - strides[d], 0);
        y.push_back(padded ? (x[d + 1] - 1) * strides[d] + span - (same ? 2 * (span / 2) : 0) + extra[d]
                           : x[d + 1] * strides[d] + beyond);
    }
    y.push_back(filters);
    const auto pads = padding(layer, y, window, strides, dilations);
    if (!pads)
        return Failure(pads.error());
    for (std::size_t d = 0; d < rank; ++d) {
        const std::int64_t room =
            y[d + 1] + (*pads)[d] + (*pads)[d + rank] - (window[d] - 1) * dilations[d] - 1;
        if (y[d + 1] < 1 || room < 0 || room / strides[d] + 1 != x[d + 1])
            return layer.fail("an output of " + graph::to_string(y) + " is not convolved to " +
                                  graph::to_string(x),
                              "choose another \"output_padding\"");
    }
    return y;
}

Result<void> expect_channels_last(const KerasLayer& layer) {
    if (text(layer, "data_format", "channels_last") != "channels_first")
        return {};
    return layer.fail("data_format channels_first is not supported", "use channels_last");
}

Result<ValueId> as_images(KerasLayer& layer, std::size_t rank, ValueId x) {
    const Shape shape = layer.build.type(x).shape;
    if (auto ok = expect_channels_last(layer); !ok)
        return Failure(ok.error());
    if (shape.size() != rank + 2)
        return layer.fail(std::string("expects an input [batch, ") + (rank == 1 ? "steps" : "height, width") +
                          ", channels], got " + graph::to_string(shape));
    if (rank == 2)
        return x;
    return layer.build.emit("reshape", {x}, {{"shape", Shape{shape[0], 1, shape[1], shape[2]}}},
                            "ExpandDims");
}

ValueId from_images(KerasLayer& layer, std::size_t rank, ValueId y) {
    const Shape shape = layer.build.type(y).shape;
    if (rank == 2)
        return y;
    return layer.build.emit("reshape", {y}, {{"shape", Shape{shape[0], shape[2], shape[3]}}}, "Squeeze");
}

Result<ValueId> weight(KerasLayer& layer, WeightSpec spec) {
    const std::string full = layer.name + "/" + spec.name;
    const auto known = layer.weights.find(full);
    if (known != layer.weights.end()) {
        if (layer.build.type(known->second).shape != spec.shape)
            return layer.fail("the layer is shared by inputs of different shapes");
        return known->second;
    }
    if (!setting(layer, (spec.setting + "_constraint").c_str()).is_null())
        return layer.fail("\"" + spec.setting + "_constraint\" is not supported by this version",
                          "remove it from the layer");
    if (!spec.first) {
        const Json& initialiser = setting(layer, (spec.setting + "_initializer").c_str());
        auto first = initialise(initialiser.is_null() ? spec.otherwise : initialiser,
                                {layer.dtype, std::move(spec.shape)}, layer.seed, full);
        if (!first)
            return Failure(first.error());
        spec.first = std::move(*first);
    }
    const bool trains = spec.trainable && flag(layer, "trainable", true);
    const ValueId made = layer.build.variable(full, std::move(*spec.first), trains);
    layer.weights.emplace(full, made);
    const std::string between = layer.part.empty() || spec.part.empty() ? "" : "/";
    layer.parts[layer.build.graph().variables.size() - 1] = layer.part + between + spec.part;
    if (auto ok = regularise(layer, spec.setting + "_regularizer", made); !ok)
        return Failure(ok.error());
    return made;
}

Result<ValueId> add_bias(KerasLayer& layer, ValueId y, std::int64_t units) {
    if (!flag(layer, "use_bias", true))
        return y;
    auto bias = weight(layer, {"bias", {units}, "bias", "zeros"});
    if (!bias)
        return bias;
    return one(layer.build.add("add", {y, *bias}, {}, "BiasAdd"));
}

std::int64_t random_salt(const KerasLayer& layer) {
    return static_cast<std::int64_t>(RandomStream(0, layer.name).bits(0) >> 9);
}

ValueId ones_of(KerasLayer& layer, graph::DType dtype, const Shape& shape) {
    return layer.build.emit("broadcast_to", {layer.build.scalar(1, dtype)}, {{"shape", shape}}, "Ones");
}

Result<ValueId> unit_length(KerasLayer& layer, ValueId x, const Extents& axes) {
    graph::Builder& build = layer.build;
    const auto square = one(build.add("square", {x}, {}, "Square"));
    if (!square)
        return square;
    const ValueId sum = build.emit("reduce_sum", {*square}, {{"axes", axes}, {"keep_dims", true}}, "Sum");
    const ValueId length =
        build.emit("maximum", {sum, build.scalar(1e-12, build.type(x).dtype)}, {}, "Length");
    return one(build.add("multiply", {x, build.emit("rsqrt", {length}, {}, "Length")}, {}, "Unit"));
}

Result<ValueId> resized(KerasLayer& layer, ValueId x, const Extents& to, const std::string& interpolation) {
    Resampling r;
    if (interpolation == "nearest") {
        r.mode = "nearest";
        r.coordinates = "tf_half_pixel_for_nn";
        r.rounding = "floor";
    } else if (interpolation == "bilinear" || interpolation == "bicubic") {
        r.mode = interpolation == "bilinear" ? "linear" : "cubic";
        r.coordinates = "half_pixel";
        r.cubic = -0.5; // Keys' kernel
        r.exclude_outside = true;
    } else {
        return layer.fail("interpolation \"" + interpolation + "\" is not supported",
                          "use \"nearest\", \"bilinear\" or \"bicubic\"");
    }
    graph::Builder& build = layer.build;
    for (std::size_t d = 0; d < to.size(); ++d) {
        const Extents axis{static_cast<std::int64_t>(d) + 1};
        r.in = build.type(x).shape[d + 1];
        r.out = to[d];
        r.scale = static_cast<double>(r.out) / static_cast<double>(r.in);
        if (r.in == r.out)
            continue;
        if (r.mode == "nearest") {
            x = build.emit("take", {x}, {{"axis", axis[0]}, {"indices", nearest_places(r)}}, "Nearest");
            continue;
        }
        if (!graph::is_floating(build.type(x).dtype))
            return layer.fail("expects a float input, got " + graph::to_string(build.type(x)));
        if (r.mode == "linear")
            r.exclude_outside = false; // the outermost element stands in for those beyond it
        const ValueId last = with_axes_last(layer, x, axis);
        Shape shape = build.type(last).shape;
        graph::HostTensor weights = interpolation_matrix(r, build.type(x).dtype);
        const ValueId matrix = build.constant(layer.name + "/interpolation", std::move(weights));
        const ValueId rows = build.emit("reshape", {last}, {{"shape", Shape{-1, r.in}}}, "Rows");
        shape.back() = r.out;
        const ValueId made = build.emit("reshape", {build.emit("matmul", {rows, matrix}, {}, "Interpolate")},
                                        {{"shape", shape}}, "Rows");
        x = with_axes_last(layer, made, axis, true);
    }
    return x;
}

ValueId repeated(KerasLayer& layer, ValueId x, const Shape& open, const Shape& broadcast,
                 const Shape& result) {
    const ValueId apart = layer.build.emit("reshape", {x}, {{"shape", open}}, "ExpandDims");
    const ValueId tiled = layer.build.emit("broadcast_to", {apart}, {{"shape", broadcast}}, "Repeat");
    return layer.build.emit("reshape", {tiled}, {{"shape", result}}, "Reshape");
}

ValueId mask_numbers(KerasLayer& layer, ValueId mask, graph::DType dtype, std::size_t rank) {
    Shape shape = layer.build.type(mask).shape;
    shape.resize(std::max(rank, shape.size()), 1);
    const ValueId numbers = layer.build.emit("cast", {mask}, {{"dtype", graph::to_string(dtype)}}, "Mask");
    return layer.build.emit("reshape", {numbers}, {{"shape", shape}}, "Mask");
}

Result<ValueId> drop_out(KerasLayer& layer, ValueId x, double rate, std::int64_t salt) {
    if (!layer.training || rate == 0)
        return x;
    return one(
        layer.build.add("dropout", {x}, {{"rate", rate}, {"salt", random_salt(layer) + salt}}, "Dropout"));
}

ValueId without_masked(KerasLayer& layer, ValueId x, ValueId mask) {
    const graph::DType dtype = layer.build.type(x).dtype;
    const double large = dtype == graph::DType::Float16 ? 65504 : 1e9;
    const ValueId missing = layer.build.emit("subtract", {mask, layer.build.scalar(1, dtype)}, {}, "Mask");
    const ValueId less =
        layer.build.emit("multiply", {missing, layer.build.scalar(large, dtype)}, {}, "Mask");
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
    std::sort(axes.begin(), axes.end());
    axes.erase(std::unique(axes.begin(), axes.end()), axes.end());
    return axes;
}

ValueId with_axes_last(KerasLayer& layer, ValueId x, const Extents& axes, bool inverse) {
    const auto rank = static_cast<std::int64_t>(layer.build.type(x).shape.size());
    Extents order;
    for (std::int64_t d = 0; d < rank; ++d)
        if (std::find(axes.begin(), axes.end(), d) == axes.end())
            order.push_back(d);
    order.insert(order.end(), axes.begin(), axes.end());
    if (std::is_sorted(order.begin(), order.end()))
        return x;
    Extents permutation = order;
    if (inverse)
        for (std::size_t d = 0; d < order.size(); ++d)
            permutation[static_cast<std::size_t>(order[d])] = static_cast<std::int64_t>(d);
    return layer.build.emit("transpose", {x}, {{"permutation", permutation}}, "Transpose");
}

Result<ValueId> activate(KerasLayer& layer, ValueId y) {
    return apply_activation(layer, setting(layer, "activation"), y);
}

} // namespace tilescope::import
