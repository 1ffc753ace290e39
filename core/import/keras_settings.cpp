// SPDX-License-Identifier: GPL-3.0-or-later
#include "import/keras_settings.h"

#include "base/random.h"
#include "base/units.h"
#include "import/initialisers.h"
#include "import/json_reader.h"
#include "import/keras_regularisers.h"

#include <algorithm>
#include <utility>

namespace tilescope::import {

using graph::Shape;
using graph::ValueId;

namespace {

std::string range() {
    return " from 1 to " + std::to_string(most_setting) + ": ";
}

} // namespace

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
        return layer.fail(std::string("\"") + key + "\" is not " +
                          (rank == 1 ? "a whole number" : "one or two whole numbers") + range() +
                          value.dump());
    auto result = list.get<Extents>();
    result.insert(result.begin(), 2 - rank, 1);
    return result;
}

Result<Extents> padding(const KerasLayer& layer, const Shape& x, const Extents& window,
                        const Extents& strides, const Extents& dilations) {
    const std::string mode = text(layer, "padding", "valid");
    Extents result(4, 0);
    if (mode == "valid")
        return result;
    if (mode != "same")
        return layer.fail("padding \"" + mode + "\" is not supported", "use \"valid\" or \"same\"");
    for (std::size_t d = 0; d < 2; ++d) {
        const std::int64_t out = ceil_div(x[d + 1], strides[d]);
        const std::int64_t total =
            std::max<std::int64_t>(0, (out - 1) * strides[d] + (window[d] - 1) * dilations[d] + 1 - x[d + 1]);
        result[d] = total / 2;
        result[d + 2] = total - total / 2;
    }
    return result;
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

ValueId repeated(KerasLayer& layer, ValueId x, const Shape& open, const Shape& broadcast,
                 const Shape& result) {
    const ValueId apart = layer.build.emit("reshape", {x}, {{"shape", open}}, "ExpandDims");
    const ValueId tiled = layer.build.emit("broadcast_to", {apart}, {{"shape", broadcast}}, "Repeat");
    return layer.build.emit("reshape", {tiled}, {{"shape", result}}, "Reshape");
}

Result<ValueId> activate(KerasLayer& layer, ValueId y) {
    return apply_activation(layer, setting(layer, "activation"), y);
}

} // namespace tilescope::import
