// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/comparison.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

namespace tilescope::analyse {
namespace {

void add_headline(Comparison& c, const Summary& base, const Summary& now) {
    const auto add = [&](const char* name, const char* unit, auto figure) {
        c.headline.push_back(
            {name, unit, static_cast<double>(figure(base)), static_cast<double>(figure(now))});
    };
    add("step time", "us", [](const Summary& s) { return s.step_us; });
    add("throughput", "samples/s", [](const Summary& s) { return s.samples_per_s; });
    add("cycles in all", "cycles", [](const Summary& s) { return s.cycles_total; });
    add("compute", "cycles", [](const Summary& s) { return s.by_phase.compute; });
    add("exchange", "cycles", [](const Summary& s) { return s.by_phase.exchange; });
    add("sync", "cycles", [](const Summary& s) { return s.by_phase.sync; });
    add("host", "cycles", [](const Summary& s) { return s.by_phase.host; });
    if (base.ipus.size() > 1 || now.ipus.size() > 1) {
        add("inter-IPU", "cycles", [](const Summary& s) { return s.by_phase.inter_ipu; });
        add("waiting", "cycles", [](const Summary& s) { return s.by_phase.waiting; });
    }
    add("memory", "bytes", [](const Summary& s) { return s.total_bytes; });
    add("memory with gaps", "bytes", [](const Summary& s) { return s.total_bytes_with_gaps; });
    add("fullest tile", "bytes", [](const Summary& s) { return s.max_tile_bytes; });
    add("always live", "bytes", [](const Summary& s) { return s.always_live_bytes; });
    add("compile time", "s", [](const Summary& s) { return s.run.compile_s; });
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
    return base && now ? std::optional(*now - *base) : std::nullopt;
}

std::optional<double> Difference::percent() const {
    return base && now && *base != 0 ? std::optional((*now - *base) / std::fabs(*base) * 100) : std::nullopt;
}

Result<Comparison> compare(const profile::Profile& base, const profile::Profile& now) {
    const auto a = summarise(base);
    if (!a)
        return Failure(a.error());
    const auto b = summarise(now);
    if (!b)
        return Failure(b.error());
    Comparison c;
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
    Json headline = Json::array();
    for (const Difference& d : c.headline)
        headline.push_back(row(d));
    Json layers = Json::array();
    for (const CostDifference& layer : c.layers)
        layers.push_back(
            {{"name", layer.name}, {"cycles", row(layer.cycles)}, {"memory", row(layer.memory)}});
    return {{"headline", headline},
            {"layers", layers},
            {"operations", {{"added", c.added_operations}, {"removed", c.removed_operations}}}};
}

} // namespace tilescope::analyse
