// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/comparison.h"

#include "analyse/phases.h"
#include "analyse/settings.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

namespace tilescope::analyse {
namespace {

void add_headline(Comparison& c, const Summary& base, const Summary& now) {
    using Figure = std::optional<double>;
    const auto add = [&](const char* name, const char* unit, auto figure) {
        c.headline.push_back({name, unit, figure(base), figure(now)});
    };
    const auto add_memory = [&](const char* name, auto bytes) {
        add(name, "bytes", [&](const Summary& s) { return s.memory ? Figure(bytes(*s.memory)) : Figure(); });
    };
    add("step time", "us", [](const Summary& s) { return s.step_us; });
    add("throughput", "samples/s", [](const Summary& s) { return s.samples_per_s; });
    add("cycles in all", "cycles",
        [](const Summary& s) { return s.cycles_total ? Figure(*s.cycles_total) : Figure(); });
    for (const NamedPhase& phase : phases) {
        const auto cycles = [&](const Summary& s) {
            return s.by_phase ? Figure((*s.by_phase).*phase.cycles) : Figure();
        };
        const bool alone = base.ipus.size() < 2 && now.ipus.size() < 2;
        if (!alone || cycles(base).value_or(0) > 0 || cycles(now).value_or(0) > 0)
            add(phase.name, "cycles", cycles);
    }
    add_memory("memory", [](const MemorySummary& m) { return m.total_bytes; });
    add_memory("memory with gaps", [](const MemorySummary& m) { return m.total_bytes_with_gaps; });
    add_memory("fullest tile", [](const MemorySummary& m) { return m.fullest.bytes; });
    add_memory("fullest tile with gaps", [](const MemorySummary& m) { return m.fullest_with_gaps.bytes; });
    add_memory("always live", [](const MemorySummary& m) { return m.always_live_bytes; });
    add("compile time", "s", [](const Summary& s) { return s.compile_s; });
    c.headline.back().wall_time = true;
    const auto last = [](const Summary& s) {
        std::map<std::string, double> values;
        if (!s.epochs.empty())
            for (const auto& [name, value] : s.epochs.back().metrics)
                values["last epoch " + name] = value;
        for (const auto& [name, value] : s.evaluation)
            values["evaluation " + name] = value;
        return values;
    };
    const auto a = last(base);
    const auto b = last(now);
    std::set<std::string> names;
    for (const auto& side : {a, b})
        for (const auto& [name, value] : side)
            names.insert(name);
    const auto find = [](const std::map<std::string, double>& values, const std::string& name) {
        const auto found = values.find(name);
        return found == values.end() ? std::nullopt : std::optional(found->second);
    };
    for (const std::string& name : names)
        c.headline.push_back({name, "", find(a, name), find(b, name)});
}

void add_layers(Comparison& c, const Summary& base, const Summary& now) {
    std::vector<std::string> order;
    std::map<std::string, CostDifference> rows;
    const auto add = [&](const Summary& s, bool is_base) {
        for (const LayerCost& layer : s.layers) {
            const std::string name = layer.name.empty() ? "(no layer)" : layer.name;
            const auto [found, fresh] = rows.try_emplace(
                name, CostDifference{name, {"cycles", "cycles", {}, {}}, {"memory", "bytes", {}, {}}});
            if (fresh)
                order.push_back(name);
            (is_base ? found->second.cycles.base : found->second.cycles.now) =
                static_cast<double>(layer.cycles());
            (is_base ? found->second.memory.base : found->second.memory.now) =
                static_cast<double>(layer.memory_bytes);
        }
    };
    add(base, true);
    add(now, false);
    for (const std::string& name : order)
        c.layers.push_back(rows.at(name));
    const auto weight = [](const CostDifference& row) {
        return std::fabs(row.cycles.now.value_or(0) - row.cycles.base.value_or(0));
    };
    std::stable_sort(c.layers.begin(), c.layers.end(),
                     [&](const CostDifference& a, const CostDifference& b) { return weight(a) > weight(b); });
}

} // namespace

std::optional<double> Difference::change() const {
    return base && now && !wall_time ? std::optional(*now - *base) : std::nullopt;
}

std::optional<double> Difference::percent() const {
    const auto by = change();
    return by && *base != 0 ? std::optional(*by / std::fabs(*base) * 100) : std::nullopt;
}

Result<Comparison> compare(const profile::Profile& base, const profile::Profile& now) {
    const auto a = summarise(base);
    if (!a)
        return Failure(a.error());
    const auto b = summarise(now);
    if (!b)
        return Failure(b.error());
    Comparison c;
    c.base = {a->run.status, a->run.error, a->absent};
    c.now = {b->run.status, b->run.error, b->absent};
    c.settings = setting_differences(*a, *b);
    add_headline(c, *a, *b);
    add_layers(c, *a, *b);
    const auto names = [](const profile::Profile& p) -> Result<std::set<std::string>> {
        const auto operations = p.operations();
        if (!operations)
            return Failure(operations.error());
        std::set<std::string> result;
        for (const auto& op : *operations)
            result.insert(op.name);
        return result;
    };
    const auto before = names(base);
    const auto after = names(now);
    if (!before || !after)
        return Failure((!before ? before : after).error());
    std::set_difference(after->begin(), after->end(), before->begin(), before->end(),
                        std::back_inserter(c.added_operations));
    std::set_difference(before->begin(), before->end(), after->begin(), after->end(),
                        std::back_inserter(c.removed_operations));
    return c;
}

nlohmann::ordered_json document(const Comparison& c) {
    using Json = nlohmann::ordered_json;
    const auto number = [](const std::optional<double>& value) {
        return value ? Json(*value) : Json(nullptr);
    };
    const auto row = [&](const Difference& d) {
        return Json{{"name", d.name},
                    {"unit", d.unit},
                    {"base", number(d.base)},
                    {"new", number(d.now)},
                    {"change", number(d.change())},
                    {"percent", number(d.percent())}};
    };
    const auto run = [](const ComparedRun& r) {
        Json absent = Json::object();
        for (const Absence& absence : r.absent)
            absent[absence.figure] = absence.reason;
        return Json{{"status", profile::to_string(r.status)}, {"error", r.error}, {"absent", absent}};
    };
    Json settings = Json::array();
    for (const SettingDifference& d : c.settings)
        settings.push_back(
            {{"key", d.key}, {"name", d.name}, {"base", Json::parse(d.base)}, {"new", Json::parse(d.now)}});
    Json headline = Json::array();
    for (const Difference& d : c.headline)
        headline.push_back(row(d));
    Json layers = Json::array();
    for (const CostDifference& layer : c.layers)
        layers.push_back(
            {{"name", layer.name}, {"cycles", row(layer.cycles)}, {"memory", row(layer.memory)}});
    return {{"base", run(c.base)},
            {"new", run(c.now)},
            {"differs", settings},
            {"headline", headline},
            {"layers", layers},
            {"operations", {{"added", c.added_operations}, {"removed", c.removed_operations}}}};
}

} // namespace tilescope::analyse
