// SPDX-License-Identifier: GPL-3.0-or-later
#include "keras/training.h"

#include "base/lower_case.h"
#include "formats/json_reader.h"
#include "keras/names.h"

#include <algorithm>
#include <map>
#include <set>

namespace tilescope::keras {
namespace {

using formats::Json;
using formats::member;

/// Whether a setting of a loss or metric is that which a workload's has, or says nothing of its values.
bool is_as_named(const std::string& key, const Json& value) {
    static const std::map<std::string, Json> others{
        {"label_smoothing", 0}, {"axis", -1}, {"delta", 1}, {"k", 5}, {"threshold", 0.5}};
    static const std::set<std::string> whole{"auto", "sum_over_batch_size", "AUTO"};
    if (key == "name" || key == "fn" || key == "dtype" || key == "from_logits" || value.is_null())
        return true;
    if (key == "reduction")
        return value.is_string() && whole.contains(value.get<std::string>());
    const auto known = others.find(key);
    return known != others.end() ? value == known->second : value == false;
}

/// The name of a loss or metric: none, a string, or a Keras object, which wraps a function or is of a class.
/// Settings that a workload's has not stand behind it, "huber(delta=0.1)", so that it is refused by them.
Json name_of(const Json& described) {
    const Json& config = member(described, "config");
    if (described.is_string())
        return described;
    if (config.is_string()) // Keras 3: {"class_name": "function", "config": "categorical_crossentropy"}
        return config;
    const Json& kind = member(described, "class_name");
    std::string name;
    for (const Json* given : {&member(config, "fn"), &member(config, "name")})
        if (name.empty() && given->is_string())
            name = given->get<std::string>();
    if (name.empty() && !kind.is_string())
        return described;
    if (name.empty())
        name = snake_case(kind.get<std::string>());
    std::string settings;
    if (config.is_object())
        for (const auto& [key, value] : config.items())
            if (!is_as_named(key, value))
                settings += (settings.empty() ? "(" : ", ") + key + "=" + value.dump();
    return settings.empty() ? name : name + settings + ")";
}

/// Settings that are off where they are null, false or 0; of those that are on, a workload refuses what it
/// has not.
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

/// IPU TensorFlow's and TensorFlow Addons' optimisers that are Keras' with further settings.
Json known_name(const Json& kind) {
    static const std::map<std::string, const char*> names = {{"AdamIpuOptimizer", "adam"},
                                                             {"SGDIpuOptimizer", "sgd"},
                                                             {"LAMBIpuOptimizer", "lamb"},
                                                             {"Addons>LAMB", "lamb"},
                                                             {"Addons>AdamW", "adamw"}};
    std::string name = kind.get<std::string>();
    const auto known = names.find(name);
    if (known != names.end())
        return known->second;
    if (constexpr std::string_view custom = "Custom>"; name.starts_with(custom)) // registered by its own name
        name.erase(0, custom.size());
    return name;
}

/// Their settings that change nothing at these values; others are refused by their names.
void add_precisions(const Json& config, Json& settings) {
    for (const char* key : {"m_dtype", "v_dtype", "vhat_dtype", "momentum_accum_dtype"})
        if (is_on(member(config, key)) && member(config, key) != "float32")
            settings[key] = member(config, key);
    if (member(config, "debiasing") == false)
        settings["debiasing"] = false;
    const Json& stages = member(config, "optimizer_compute_precisions");
    if (stages.is_array() &&
        std::any_of(stages.begin(), stages.end(), [](const Json& s) { return s != "float32"; }))
        settings["optimizer_compute_precisions"] = stages;
    for (const char* key : {"exclude_from_weight_decay", "exclude_from_layer_adaptation"})
        if (!member(config, key).empty())
            settings[key] = member(config, key);
    if (is_on(member(config, "weight_decay_rate")))
        settings["weight_decay"] = member(config, "weight_decay_rate");
}

Json optimizer_settings(const Json& described) {
    if (described.is_string())
        return described;
    const Json& kind = member(described, "class_name");
    const Json& config = member(described, "config");
    if (!kind.is_string())
        return described;
    Json settings{{"name", known_name(kind)}};
    if (kind == "AdamIpuOptimizer")
        settings["corrected_epsilon"] = true;
    add_precisions(config, settings);
    for (const char* key :
         {"learning_rate", "momentum", "nesterov", "rho", "beta_1", "beta_2", "epsilon",
          "initial_accumulator_value", "l1_regularization_strength", "l2_regularization_strength",
          "l2_shrinkage_regularization_strength", "beta", "learning_rate_power"})
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

/// An optimiser. keras.ipu's GradientAccumulationOptimizer wraps another, which updates once for its batches.
void add_optimizer(const Json& described, Json& settings) {
    const Json& config = member(described, "config");
    const Json& inner = member(config, "inner_optimizer_type");
    if (member(described, "class_name") != "GradientAccumulationOptimizer" || !inner.is_string()) {
        settings["optimizer"] = optimizer_settings(described);
        return;
    }
    settings["optimizer"] =
        optimizer_settings({{"class_name", inner}, {"config", member(config, "inner_optimizer_config")}});
    for (const char* key : {"offload_weight_update_variables", "replicated_optimizer_state_sharding"})
        if (is_on(member(config, key)))
            settings["optimizer"][key] = member(config, key);
    settings["gradient_accumulation_steps_per_replica"] = member(config, "num_mini_batches");
    const Json& reduction = member(config, "reduction_method");
    constexpr const char* reductions[] = {"sum", "mean", "running_mean"}; // by the values of its enumeration
    if (reduction.is_number_unsigned() && reduction < 3)
        settings["gradient_reduction"] = reductions[reduction.get<std::size_t>()];
    else if (!reduction.is_null())
        settings["gradient_reduction"] =
            reduction.is_string() ? Json(lower_case(reduction.get<std::string>())) : reduction;
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
    if (logits == std::set{true})
        settings["from_logits"] = true;
    else if (logits.size() > 1) // a workload has one for all
        loss = described;
}

} // namespace

nlohmann::json compile_settings(const std::string& training) {
    const Json document = Json::parse(training, nullptr, false);
    Json settings = Json::object();
    for (const char* key : {"optimizer_config", "optimizer"})
        if (!member(document, key).is_null())
            add_optimizer(member(document, key), settings);
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

} // namespace tilescope::keras
