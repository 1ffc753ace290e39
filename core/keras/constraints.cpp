// SPDX-License-Identifier: GPL-3.0-or-later
#include "constraints.h"

#include "formats/json_reader.h"
#include "keras/names.h"
#include "settings.h"
#include "training/constraints.h"

#include <algorithm>
#include <map>
#include <utility>

namespace tilescope::keras {
namespace {

/// A name in any of Keras' spellings, or {class_name, config}.
std::string kind_of(const Json& constraint) {
    const Json& kind = constraint.is_object() ? formats::member(constraint, "class_name") : constraint;
    const std::string name = snake_case(formats::name_in(kind, constraint.dump()));
    static const std::map<std::string, std::string> short_forms = {{"maxnorm", "max_norm"},
                                                                   {"nonneg", "non_neg"},
                                                                   {"unitnorm", "unit_norm"},
                                                                   {"minmaxnorm", "min_max_norm"}};
    const auto known = short_forms.find(name);
    return known == short_forms.end() ? name : known->second;
}

} // namespace

Result<std::optional<graph::Constraint>> constraint_of(const KerasLayer& layer, const std::string& key,
                                                       const graph::Shape& shape) {
    const Json& described = setting(layer, key.c_str());
    if (described.is_null())
        return std::optional<graph::Constraint>();
    graph::Constraint constraint{kind_of(described), {}};
    const auto whole = [](const Json& n) { return n.is_number_integer(); };
    for (const auto& [name, value] : formats::member(described, "config").items()) {
        if (name == "axis" && whole(value))
            constraint.settings.set("axes", Extents{value.get<std::int64_t>()});
        else if (name == "axis" && value.is_array() && std::all_of(value.begin(), value.end(), whole))
            constraint.settings.set("axes", value.get<Extents>());
        else if (value.is_number())
            constraint.settings.set(name, value.get<double>());
        else if (!value.is_null())
            return layer.fail("\"" + key + "\": \"" + name + "\" is no number: " + value.dump());
    }
    if (auto ok = training::check_constraint(constraint, shape); !ok) {
        Error error = std::move(ok.error());
        error.message = "\"" + key + "\": " + error.message;
        error.place = layer.place;
        return Failure(std::move(error));
    }
    return std::optional(std::move(constraint));
}

} // namespace tilescope::keras
