// SPDX-License-Identifier: GPL-3.0-or-later
#include "optimiser_settings.h"

#include "base/lower_case.h"
#include "base/text.h"

#include <cmath>
#include <limits>
#include <string>
#include <utility>

namespace tilescope::workload {
namespace {

/// A number and what it may be: at least 0, and at most or below a limit. An optimiser divides by 1 -
/// beta^step.
struct Setting {
    const char* name;
    double limit = std::numeric_limits<double>::infinity();
    bool below = false;
};

constexpr Setting numbers[] = {{"momentum", 1},
                               {"rho", 1},
                               {"beta_1", 1, true},
                               {"beta_2", 1, true},
                               {"epsilon"},
                               {"weight_decay"},
                               {"initial_accumulator_value"},
                               {"beta"},
                               {"l1_regularization_strength"},
                               {"l2_regularization_strength"},
                               {"l2_shrinkage_regularization_strength"},
                               {"clipvalue"},
                               {"clipnorm"},
                               {"global_clipnorm"}};
constexpr Setting schedule_numbers[] = {{"initial_learning_rate"}, {"decay_steps"}, {"decay_rate"},
                                        {"end_learning_rate"},     {"power"},       {"alpha"},
                                        {"first_decay_steps"},     {"t_mul"},       {"m_mul"}};

double in_range(formats::ObjectReader& reader, const Setting& setting) {
    const double value = reader.real(setting.name, 0);
    if (value >= 0 && (setting.below ? value < setting.limit : value <= setting.limit))
        return value;
    std::string range = "of at least 0";
    if (std::isfinite(setting.limit))
        range = (setting.below ? "from 0 up to but not " : "from 0 to ") + number_text(setting.limit);
    reader.fail(setting.name, "expects a number " + range + ", got " + number_text(value));
    return 0;
}

void read_list(formats::ObjectReader& reader, const char* key, graph::Attributes& settings) {
    const formats::Json* list = reader.member(key);
    if (list == nullptr)
        return;
    std::vector<double> values;
    for (const formats::Json& value : *list)
        if (value.is_number() && value.get<double>() >= 0)
            values.push_back(value.get<double>());
        else
            reader.fail(key, "expects numbers of at least 0, got " + value.dump());
    settings.set(key, std::move(values));
}

graph::RateSchedule read_schedule(const formats::Json& json, formats::Reading& reading) {
    formats::ObjectReader reader(json, "compile.optimizer.learning_rate", reading);
    graph::RateSchedule schedule{reader.text("name", "ExponentialDecay"), {}};
    for (const Setting& setting : schedule_numbers)
        if (reader.has(setting.name))
            schedule.settings.set(setting.name, in_range(reader, setting));
        else
            reader.member(setting.name);
    for (const char* key : {"staircase", "cycle"})
        schedule.settings.set(key, reader.flag(key, false));
    read_list(reader, "boundaries", schedule.settings);
    read_list(reader, "values", schedule.settings);
    reader.finish();
    return schedule;
}

} // namespace

void read_optimiser(const formats::Json& json, formats::Reading& reading, Workload& w) {
    if (json.is_string()) {
        w.optimiser = json.get<std::string>();
    } else {
        formats::ObjectReader o(json, "compile.optimizer", reading);
        w.optimiser = o.text("name", "sgd");
        const formats::Json* rate = o.member("learning_rate");
        if (rate != nullptr && rate->is_object())
            w.rate_schedule = read_schedule(*rate, reading);
        else if (rate != nullptr)
            w.optimiser_settings.set("learning_rate", in_range(o, {"learning_rate"}));
        for (const Setting& setting : numbers)
            if (o.has(setting.name))
                w.optimiser_settings.set(setting.name, in_range(o, setting));
            else
                o.member(setting.name);
        if (const char* power = "learning_rate_power"; o.has(power)) {
            const double value = o.real(power, 0);
            if (value > 0)
                o.fail(power, "expects a number of at most 0, got " + number_text(value));
            w.optimiser_settings.set(power, value);
        } else {
            o.member(power);
        }
        for (const char* key : {"nesterov", "tf1", "amsgrad", "centered", "corrected_epsilon"})
            if (o.has(key))
                w.optimiser_settings.set(key, o.flag(key, false));
            else
                o.member(key);
        if (w.optimiser_settings.flag("corrected_epsilon") && w.optimiser_settings.flag("amsgrad"))
            o.fail("corrected_epsilon", "is not there with amsgrad");
        o.finish();
    }
    w.optimiser = lower_case(std::move(w.optimiser));
}

formats::Json optimiser_json(const Workload& w) {
    formats::Json optimiser = formats::Json::parse(w.optimiser_settings.json(), nullptr, false);
    optimiser["name"] = w.optimiser;
    if (w.rate_schedule) {
        optimiser["learning_rate"] = formats::Json::parse(w.rate_schedule->settings.json(), nullptr, false);
        optimiser["learning_rate"]["name"] = w.rate_schedule->name;
    }
    return optimiser;
}

} // namespace tilescope::workload
