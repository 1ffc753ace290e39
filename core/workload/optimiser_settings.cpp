// SPDX-License-Identifier: GPL-3.0-or-later
#include "optimiser_settings.h"

#include <cctype>

namespace tilescope::workload {
namespace {

constexpr const char* numbers[] = {
    "momentum", "rho", "beta_1", "beta_2", "epsilon", "weight_decay", "initial_accumulator_value"};
constexpr const char* schedule_numbers[] = {"initial_learning_rate", "decay_steps", "decay_rate",
                                            "end_learning_rate",     "power",       "alpha"};

void read_list(formats::ObjectReader& reader, const char* key, graph::Attributes& settings) {
    const formats::Json* list = reader.member(key);
    if (list == nullptr)
        return;
    std::vector<double> values;
    for (const formats::Json& value : *list)
        if (value.is_number())
            values.push_back(value.get<double>());
        else
            reader.fail(key, "expects numbers, got " + value.dump());
    settings.set(key, std::move(values));
}

graph::RateSchedule read_schedule(const formats::Json& json, formats::Reading& reading) {
    formats::ObjectReader reader(json, "compile.optimizer.learning_rate", reading);
    graph::RateSchedule schedule{reader.text("name", "ExponentialDecay"), {}};
    for (const char* key : schedule_numbers)
        if (reader.has(key))
            schedule.settings.set(key, reader.real(key, 0));
        else
            reader.member(key);
    schedule.settings.set("staircase", reader.flag("staircase", false));
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
            w.optimiser_settings.set("learning_rate", o.real("learning_rate", 0));
        for (const char* key : numbers)
            if (o.has(key))
                w.optimiser_settings.set(key, o.real(key, 0));
            else
                o.member(key);
        for (const char* key : {"nesterov", "tf1"})
            if (o.has(key))
                w.optimiser_settings.set(key, o.flag(key, false));
            else
                o.member(key);
        o.finish();
    }
    for (char& c : w.optimiser)
        c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
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
