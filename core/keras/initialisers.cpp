// SPDX-License-Identifier: GPL-3.0-or-later
#include "keras/initialisers.h"

#include "base/lower_case.h"
#include "base/nearest_name.h"
#include "base/random.h"
#include "formats/json_reader.h"
#include "keras/names.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <vector>

namespace tilescope::keras {
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
    const Json& value = formats::member(config, key);
    return value.is_number() ? value.get<double>() : otherwise;
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
    bool cut = true; ///< where it is normal
};

/// An orthogonal matrix: the Q of a random normal one [rows, columns] with at least as many rows, R's
/// diagonal above 0, by Gram and Schmidt, each column twice for its digits.
std::vector<double> orthogonal_columns(const RandomStream& stream, std::size_t rows, std::size_t columns) {
    std::vector<double> q(rows * columns); // column after column
    for (std::size_t c = 0; c < columns; ++c) {
        double* own = q.data() + c * rows;
        for (std::size_t r = 0; r < rows; ++r)
            own[r] = stream.normal(r * columns + c);
        for (std::size_t k = 0; k < 2 * c; ++k) {
            const double* other = q.data() + k % c * rows;
            const double share = std::inner_product(own, own + rows, other, 0.0);
            for (std::size_t r = 0; r < rows; ++r)
                own[r] -= share * other[r];
        }
        const double length = std::sqrt(std::inner_product(own, own + rows, own, 0.0));
        for (std::size_t r = 0; r < rows; ++r)
            own[r] /= length;
    }
    return q;
}

/// keras/initializers, Orthogonal: the last dimension against all others. The matrix is made with the first
/// value that is asked for.
graph::InitialValue::Formula orthogonal(const RandomStream& stream, const graph::Shape& shape, double gain) {
    const auto columns = static_cast<std::size_t>(shape.back());
    const auto rows =
        static_cast<std::size_t>(graph::element_count(shape)) / std::max<std::size_t>(columns, 1);
    const bool wide = rows < columns;
    const auto q = std::make_shared<std::vector<double>>(); // shared: copies of the formula make it once
    return [=](std::uint64_t i) {
        if (q->empty())
            *q = orthogonal_columns(stream, std::max(rows, columns), std::min(rows, columns));
        const std::size_t row = i / columns;
        const std::size_t column = i % columns;
        return gain * (wide ? (*q)[row * columns + column] : (*q)[column * rows + row]);
    };
}

/// The initialiser that one of Keras' short names, of which old files have many, stands for.
std::string without_short_form(const std::string& name) {
    static const std::map<std::string, std::string> names = {
        {"uniform", "random_uniform"}, {"normal", "random_normal"}, {"zero", "zeros"}, {"one", "ones"}};
    const auto known = names.find(name);
    return known == names.end() ? name : known->second;
}

} // namespace

Result<graph::InitialValue> initialise(const Json& initialiser, const graph::TensorType& type,
                                       std::uint64_t seed, const std::string& variable) {
    const Json& config = formats::member(initialiser, "config");
    const std::string name = without_short_form(snake_case(
        formats::name_in(initialiser.is_object() ? formats::member(initialiser, "class_name") : initialiser,
                         "glorot_uniform")));
    // With a seed of its own it gives the same each time, whatever it is for.
    const Json& own = formats::member(config, "seed");
    const RandomStream stream = own.is_number_integer()
                                    ? RandomStream(own.get<std::uint64_t>(), "initialiser")
                                    : RandomStream(seed, variable);
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
    if (name == "identity" && type.shape.size() == 2)
        return fill([gain = setting(config, "gain", 1), columns = static_cast<std::uint64_t>(type.shape[1])](
                        std::uint64_t i) { return i / columns == i % columns ? gain : 0.0; });
    if (name == "orthogonal" && type.shape.size() >= 2)
        return fill(orthogonal(stream, type.shape, setting(config, "gain", 1)));
    Scaling scaling{1, "fan_in", true};
    if (name == "glorot_uniform" || name == "glorot_normal")
        scaling = {1, "fan_avg", name == "glorot_uniform"};
    else if (name == "he_uniform" || name == "he_normal")
        scaling = {2, "fan_in", name == "he_uniform"};
    else if (name == "lecun_uniform" || name == "lecun_normal")
        scaling = {1, "fan_in", name == "lecun_uniform"};
    else if (name != "variance_scaling") {
        return not_supported("initialiser \"" + name + "\" is not supported", variable,
                             remedy_for(name, {"zeros", "ones", "constant", "random_uniform", "random_normal",
                                               "truncated_normal", "glorot_uniform", "glorot_normal",
                                               "he_uniform", "he_normal", "lecun_uniform", "lecun_normal",
                                               "orthogonal", "variance_scaling"}));
    }
    std::string mode = scaling.mode;
    if (name == "variance_scaling") {
        scaling.scale = setting(config, "scale", 1);
        mode = formats::name_in(formats::member(config, "mode"), "fan_in");
        if (mode != "fan_in" && mode != "fan_out" && mode != "fan_avg")
            return bad_input("mode \"" + mode + "\" of initialiser \"variance_scaling\" is not known",
                             variable, remedy_for(mode, {"fan_in", "fan_out", "fan_avg"}));
        std::string distribution =
            lower_case(formats::name_in(formats::member(config, "distribution"), "truncated_normal"));
        if (distribution == "normal") // the name before Keras had both
            distribution = "truncated_normal";
        if (distribution != "uniform" && distribution != "truncated_normal" &&
            distribution != "untruncated_normal")
            return bad_input(
                "distribution \"" + distribution + "\" of initialiser \"variance_scaling\" is not known",
                variable, remedy_for(distribution, {"truncated_normal", "untruncated_normal", "uniform"}));
        scaling.uniform = distribution == "uniform";
        scaling.cut = distribution == "truncated_normal";
    }
    const Fans fans = fans_of(type.shape);
    const double fan = mode == "fan_in" ? fans.in : mode == "fan_out" ? fans.out : (fans.in + fans.out) / 2;
    const double variance = scaling.scale / std::max(1.0, fan);
    if (scaling.uniform) {
        const double limit = std::sqrt(3 * variance);
        return fill(
            [=](std::uint64_t i) { return limit * (2 * static_cast<double>(stream.uniform(i)) - 1); });
    }
    if (!scaling.cut)
        return fill([=](std::uint64_t i) { return std::sqrt(variance) * stream.normal(i); });
    constexpr double cut_deviation = 0.87962566103423978; // of a normal distribution cut at two
    return fill(
        [=](std::uint64_t i) { return std::sqrt(variance) / cut_deviation * truncated_normal(stream, i); });
}

} // namespace tilescope::keras
