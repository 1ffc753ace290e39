// SPDX-License-Identifier: GPL-3.0-or-later
#include "import/keras_training.h"

#include "import/json_reader.h"
#include "import/keras_names.h"

#include <algorithm>
#include <set>

namespace tilescope::import {
namespace {

/// A member of an object; null where it is absent.
const Json& member(const Json& object, const char* key) {
    static const Json absent;
    return object.is_object() && object.contains(key) ? object.at(key) : absent;
}

/// The name of a loss or metric: none, a string, or a Keras object, which wraps a function or is of a class.
Json name_of(const Json& described) {
    const Json& config = member(described, "config");
    for (const Json* name : {&described, &member(config, "fn"), &member(config, "name")})
        if (name->is_string())
            return *name;
    if (config.is_string()) // Keras 3: {"class_name": "function", "config": "categorical_crossentropy"}
        return config;
    const Json& kind = member(described, "class_name");
    return kind.is_string() ? Json(snake_case(kind.get<std::string>())) : described;
}

/// Settings that are off where they are null, false or 0, and refused where they are on.
constexpr const char* usually_off[] = {
    "weight_decay", "clipnorm", "global_clipnorm", "clipvalue",         "amsgrad",
    "use_ema",      "centered", "decay",           "loss_scale_factor", "gradient_accumulation_steps"};

bool is_on(const Json& setting) {
    return !setting.is_null() && setting != false && setting != 0;
}

/// A number, or a schedule: {"class_name": "ExponentialDecay", "config": {…}}.
Json learning_rate(const Json& described) {
    const Json& kind = member(described, "class_name");
    if (!kind.is_string())
        return described;
    Json schedule{{"name", kind}};
    for (const auto& [key, value] : member(described, "config").items())
        if (key != "name" && key != "dtype" && !value.is_null())
            schedule[key] = value;
    return schedule;
}

Json optimizer_settings(const Json& described) {
    if (described.is_string())
        return described;
    const Json& kind = member(described, "class_name");
    const Json& config = member(described, "config");
    if (!kind.is_string())
        return described;
    Json settings{{"name", kind}};
    for (const char* key : {"learning_rate", "momentum", "nesterov", "rho", "beta_1", "beta_2", "epsilon"})
        if (!member(config, key).is_null())
            settings[key] = member(config, key);
    if (settings.contains("learning_rate"))
        settings["learning_rate"] = learning_rate(settings["learning_rate"]);
    if (!settings.contains("learning_rate") && !member(config, "lr").is_null()) // before Keras 2.3
        settings["learning_rate"] = member(config, "lr");
    for (const char* key : usually_off)
        if (is_on(member(config, key)))
            settings[key] = member(config, key);
    return settings;
}

void add_metrics(const Json& described, Json& names) {
    if (described.is_null())
        return;
    if (described.is_array()) {
        for (const Json& each : described)
            add_metrics(each, names);
        return;
    }
    const Json name = name_of(described);
    // The loss is reported anyway.
    if (name != "loss" && std::find(names.begin(), names.end(), name) == names.end())
        names.push_back(name);
}

/// One loss, or those of the outputs: a list or a dictionary of them.
void add_losses(const Json& described, Json& settings) {
    const bool several =
        described.is_array() ||
        (described.is_object() && !described.contains("class_name") && !described.contains("config"));
    Json& loss = settings["loss"];
    if (!several) {
        loss = name_of(described);
        const Json& logits = member(member(described, "config"), "from_logits");
        if (logits.is_boolean())
            settings["from_logits"] = logits;
        return;
    }
    loss = described;
    std::set<bool> logits;
    for (Json& each : loss) {
        const Json& from_logits = member(member(each, "config"), "from_logits");
        if (!each.is_null())
            logits.insert(from_logits == true);
        each = name_of(each);
    }
    if (logits.size() == 1)
        settings["from_logits"] = *logits.begin();
    else if (logits.size() > 1) // a workload has one for all
        loss = described;
}

} // namespace

nlohmann::json compile_settings(const std::string& training) {
    const Json document = Json::parse(training, nullptr, false);
    Json settings = Json::object();
    for (const char* key : {"optimizer_config", "optimizer"})
        if (!member(document, key).is_null())
            settings["optimizer"] = optimizer_settings(member(document, key));
    if (!member(document, "loss").is_null())
        add_losses(member(document, "loss"), settings);
    const Json& weights = member(document, "loss_weights");
    if (weights.is_array() || weights.is_object())
        settings["loss_weights"] = weights;
    Json metrics = Json::array();
    add_metrics(member(document, "metrics"), metrics);
    if (!metrics.empty())
        settings["metrics"] = metrics;
    return settings;
}

} // namespace tilescope::import
