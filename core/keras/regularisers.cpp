// SPDX-License-Identifier: GPL-3.0-or-later
#include "regularisers.h"

#include "base/nearest_name.h"
#include "base/try.h"
#include "formats/json_reader.h"
#include "keras/names.h"
#include "settings.h"

namespace tilescope::keras {
namespace {

using graph::ValueId;

/// A name, which means Keras' default of 0.01, or {class_name, config}.
Result<Norms> norms_of(const KerasLayer& layer, const std::string& key, const Json& regulariser) {
    const bool named = regulariser.is_string();
    const Json& kind = named ? regulariser : formats::member(regulariser, "class_name");
    const Json& config = formats::member(regulariser, "config");
    const std::string name = snake_case(formats::name_in(kind, regulariser.dump()));
    const auto factor = [&](const char* norm, double otherwise) {
        const Json& value = formats::member(config, norm);
        return value.is_number() ? value.get<double>() : otherwise;
    };
    constexpr double default_factor = 0.01;
    if (name == "l1" || name == "l1_l2" || name == "l1l2" || name == "l2") {
        const bool first = name != "l2";
        const bool second = name != "l1";
        const double otherwise = named || name == "l1" || name == "l2" ? default_factor : 0;
        return Norms{first ? factor("l1", otherwise) : 0, second ? factor("l2", otherwise) : 0};
    }
    return layer.unsupported("\"" + key + "\": regulariser \"" + name + "\" is not supported",
                             remedy_for(name, {"l1", "l2", "l1_l2"}, "use L1, L2 or L1L2"));
}

} // namespace

Result<void> penalise(KerasLayer& layer, const std::string& name, const Norms& norms, ValueId x,
                      double scale) {
    graph::Builder& build = layer.build;
    const auto add = [&](const char* kind, double factor) -> Result<void> {
        if (factor == 0)
            return {};
        TRY(const ValueId sum, build.emit("reduce_sum", {build.emit(kind, {x}, {}, name)}, {}, name));
        TRY(const ValueId loss,
            build.emit("multiply", {sum, build.scalar(factor * scale, build.type(x).dtype)}, {}, name));
        layer.losses.push_back(loss);
        return {};
    };
    TRY(add("abs", norms.l1));
    return add("square", norms.l2);
}

Result<void> regularise(KerasLayer& layer, const std::string& key, ValueId x, double scale) {
    const Json& regulariser = setting(layer, key.c_str());
    if (regulariser.is_null())
        return {};
    TRY(const auto norms, norms_of(layer, key, regulariser));
    return penalise(layer, key, norms, x, scale);
}

} // namespace tilescope::keras
