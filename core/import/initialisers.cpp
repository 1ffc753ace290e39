// SPDX-License-Identifier: GPL-3.0-or-later
#include "import/initialisers.h"

#include "base/nearest_name.h"
#include "base/random.h"
#include "import/keras_names.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace tilescope::import {
namespace {

using Json = nlohmann::json;

struct Fans {
    double in = 1, out = 1;
};

Fans fans_of(const graph::Shape& shape) {
    if (shape.empty())
        return {};
    if (shape.size() == 1)
        return {static_cast<double>(shape[0]), static_cast<double>(shape[0])};
    double receptive = 1;
    for (std::size_t d = 0; d + 2 < shape.size(); ++d)
        receptive *= static_cast<double>(shape[d]);
    return {receptive * static_cast<double>(shape[shape.size() - 2]),
            receptive * static_cast<double>(shape.back())};
}

double setting(const Json& config, const char* key, double otherwise) {
    return config.is_object() && config.contains(key) && config[key].is_number() ? config[key].get<double>()
                                                                                 : otherwise;
}

/// A normal number cut at two standard deviations, by trying again (as TensorFlow does).
double truncated_normal(const RandomStream& stream, std::uint64_t i) {
    constexpr std::uint64_t tries = 64;
    for (std::uint64_t k = 0; k < tries; ++k) {
        const double value = stream.normal(i * tries + k);
        if (std::fabs(value) <= 2)
            return value;
    }
    return 0;
}

struct Scaling {
    double scale;
    const char* mode;
    bool uniform;
};

} // namespace

Result<graph::InitialValue> initialise(const Json& initialiser, const graph::TensorType& type,
                                       std::uint64_t seed, const std::string& variable) {
    std::string name = "glorot_uniform";
    Json config = Json::object();
    if (initialiser.is_string()) {
        name = initialiser.get<std::string>();
    } else if (initialiser.is_object()) {
        name = initialiser.value("class_name", name);
        if (initialiser.contains("config") && initialiser["config"].is_object())
            config = initialiser["config"];
    }
    name = snake_case(name);

    const RandomStream stream(seed, variable);
    const auto fill = [&](graph::InitialValue::Formula value) {
        return graph::InitialValue(type, std::move(value));
    };
    if (name == "zeros")
        return fill([](std::uint64_t) { return 0.0; });
    if (name == "ones")
        return fill([](std::uint64_t) { return 1.0; });
    if (name == "constant")
        return fill([value = setting(config, "value", 0)](std::uint64_t) { return value; });
    if (name == "random_uniform") {
        const double low = setting(config, "minval", -0.05);
        const double high = setting(config, "maxval", 0.05);
        return fill(
            [=](std::uint64_t i) { return low + (high - low) * static_cast<double>(stream.uniform(i)); });
    }
    if (name == "random_normal" || name == "truncated_normal") {
        const double mean = setting(config, "mean", 0);
        const double deviation = setting(config, "stddev", 0.05);
        const bool cut = name == "truncated_normal";
        return fill([=](std::uint64_t i) {
            return mean + deviation * (cut ? truncated_normal(stream, i) : stream.normal(i));
        });
    }
    Scaling scaling{1, "fan_in", true};
    if (name == "glorot_uniform" || name == "glorot_normal")
        scaling = {1, "fan_avg", name == "glorot_uniform"};
    else if (name == "he_uniform" || name == "he_normal")
        scaling = {2, "fan_in", name == "he_uniform"};
    else if (name == "lecun_uniform" || name == "lecun_normal")
        scaling = {1, "fan_in", name == "lecun_uniform"};
    else if (name != "variance_scaling") {
        const std::string nearest =
            nearest_name(name, {"zeros", "ones", "constant", "random_uniform", "random_normal",
                                "truncated_normal", "glorot_uniform", "glorot_normal", "he_uniform",
                                "he_normal", "lecun_uniform", "lecun_normal", "variance_scaling"});
        return bad_input("initialiser \"" + name + "\" is not supported", variable,
                         nearest.empty() ? "" : "the nearest is \"" + nearest + "\"");
    }
    std::string mode = scaling.mode;
    if (name == "variance_scaling") {
        scaling.scale = setting(config, "scale", 1);
        mode = config.value("mode", "fan_in");
        scaling.uniform = config.value("distribution", "truncated_normal") == "uniform";
    }
    const Fans fans = fans_of(type.shape);
    const double fan = mode == "fan_in" ? fans.in : mode == "fan_out" ? fans.out : (fans.in + fans.out) / 2;
    const double variance = scaling.scale / std::max(1.0, fan);
    if (scaling.uniform) {
        const double limit = std::sqrt(3 * variance);
        return fill(
            [=](std::uint64_t i) { return limit * (2 * static_cast<double>(stream.uniform(i)) - 1); });
    }
    constexpr double cut_deviation = 0.87962566103423978; // of a normal distribution cut at two
    return fill(
        [=](std::uint64_t i) { return std::sqrt(variance) / cut_deviation * truncated_normal(stream, i); });
}

} // namespace tilescope::import
