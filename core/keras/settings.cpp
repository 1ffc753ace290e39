// SPDX-License-Identifier: GPL-3.0-or-later
#include "settings.h"

#include "base/random.h"
#include "base/try.h"
#include "constraints.h"
#include "formats/json_reader.h"
#include "keras/initialisers.h"
#include "regularisers.h"

#include <algorithm>
#include <utility>

namespace tilescope::keras {

using graph::ValueId;

LayerClass::LayerClass(OneOutput operations, std::vector<const char*> known, Masking rule,
                       std::vector<const char*> named)
    : apply([operations](KerasLayer& layer, const Values& inputs) -> Result<Values> {
          TRY(auto y, operations(layer, inputs));
          return Values{y};
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
    return formats::member(layer.config, key);
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
    if (!formats::is_count(value, 1))
        return layer.fail(std::string("\"") + key + "\" is not a whole number from 1 to " +
                          std::to_string(formats::most_setting) + ": " + value.dump());
    return value.get<std::int64_t>();
}

Result<ValueId> weight(KerasLayer& layer, WeightSpec spec) {
    const std::string full = layer.name + "/" + spec.name;
    const auto known = layer.weights.find(full);
    if (known != layer.weights.end()) {
        if (layer.build.type(known->second).shape != spec.shape)
            return layer.fail("the layer is shared by inputs of different shapes");
        return spec.trainable ? layer.build.as_type(known->second, layer.dtype) : known->second;
    }
    TRY(auto constraint, constraint_of(layer, spec.setting + "_constraint", spec.shape));
    if (!spec.first) {
        const Json& initialiser = setting(layer, (spec.setting + "_initializer").c_str());
        TRY(auto first, initialise(initialiser.is_null() ? spec.otherwise : initialiser,
                                   {layer.weights_dtype, std::move(spec.shape)}, layer.seed, full));
        spec.first = std::move(first);
    }
    const bool trains = spec.trainable && flag(layer, "trainable", true);
    TRY(const ValueId made, layer.build.variable(full, std::move(*spec.first), trains));
    layer.build.graph().variables.back().constraint = std::move(constraint);
    layer.weights.emplace(full, made);
    const std::string between = layer.part.empty() || spec.part.empty() ? "" : "/";
    layer.parts[layer.build.graph().variables.size() - 1] = layer.part + between + spec.part;
    TRY(regularise(layer, spec.setting + "_regularizer", made));
    return spec.trainable ? layer.build.as_type(made, layer.dtype) : made;
}

Result<ValueId> add_bias(KerasLayer& layer, ValueId y, std::int64_t units) {
    if (!flag(layer, "use_bias", true))
        return y;
    TRY(auto bias, weight(layer, {"bias", {units}, "bias", "zeros"}));
    return layer.build.emit("add", {y, bias}, {}, "BiasAdd");
}

std::int64_t random_salt(const KerasLayer& layer) {
    return static_cast<std::int64_t>(RandomStream(0, layer.name).bits(0) >> 9);
}

Result<ValueId> activate(KerasLayer& layer, ValueId y) {
    return apply_activation(layer, setting(layer, "activation"), y);
}

} // namespace tilescope::keras
