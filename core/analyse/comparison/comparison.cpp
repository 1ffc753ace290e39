// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/comparison.h"

#include "analyse/matching.h"
#include "analyse/phases.h"
#include "analyse/settings.h"
#include "base/axis_text.h"
#include "base/share.h"
#include "base/text.h"
#include "base/try.h"
#include "both_files.h"
#include "causes.h"
#include "memory_causes.h"
#include "run_tables.h"

#include <algorithm>
#include <cmath>
#include <future>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

namespace tilescope::analyse {
namespace {

void add_headline(Comparison& c, const Summary& base, const Summary& now) {
    using Figure = std::optional<double>;
    const auto add = [&](const std::string& name, FigureUnit unit, auto figure) {
        c.headline.push_back({name, unit, figure(base), figure(now)});
    };
    const auto add_memory = [&](const char* name, auto bytes) {
        add(name, FigureUnit::Bytes,
            [&](const Summary& s) { return s.memory ? Figure(bytes(*s.memory)) : Figure(); });
    };
    add("step time", FigureUnit::Us, [](const Summary& s) { return s.step_us; });
    add("throughput", FigureUnit::SamplesPerS, [](const Summary& s) { return s.samples_per_s; });
    if (base.loops.training && now.loops.training)
        add("weight update time", FigureUnit::Us,
            [](const Summary& s) { return s.elapsed_us(Basis::WeightUpdate); });
    const bool samples = base.run.batch_size && now.run.batch_size;
    for (const NamedPhase& phase : phases) {
        const auto cycles = [&](const Summary& s) {
            const auto of = static_cast<double>(s.steps * (samples ? *s.run.batch_size : 1));
            return s.by_phase && of > 0 ? Figure(static_cast<double>((*s.by_phase).*phase.cycles) / of)
                                        : Figure();
        };
        const bool alone = base.ipus.size() < 2 && now.ipus.size() < 2;
        if (!alone || cycles(base).value_or(0) > 0 || cycles(now).value_or(0) > 0)
            add(std::string(phase.name) + (samples ? " per sample" : " per step"), FigureUnit::Cycles,
                cycles);
    }
    add("cycles of all steps", FigureUnit::Cycles,
        [](const Summary& s) { return s.cycles ? Figure(static_cast<double>(*s.cycles)) : Figure(); });
    if (base.evaluation_step_us && now.evaluation_step_us)
        add("evaluation step time", FigureUnit::Us, [](const Summary& s) { return s.evaluation_step_us; });
    add_memory("memory", [](const MemorySummary& m) { return m.total_bytes; });
    add_memory("memory with gaps", [](const MemorySummary& m) { return m.total_bytes_with_gaps; });
    add_memory("fullest tile", [](const MemorySummary& m) { return m.fullest.bytes; });
    add_memory("fullest tile with gaps", [](const MemorySummary& m) { return m.fullest_with_gaps.bytes; });
    add_memory("always live", [](const MemorySummary& m) { return m.always_live_bytes; });
    const auto streams = [](const Summary& s) { return s.memory && s.memory->streaming_bytes > 0; };
    if (streams(base) || streams(now))
        add_memory("streaming memory", [](const MemorySummary& m) { return m.streaming_bytes; });
    add("compile time", FigureUnit::Seconds, [](const Summary& s) { return s.compile_s; });
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
        c.headline.push_back({name, FigureUnit::None, find(a, name), find(b, name)});
}

/// What a run has to compare.
struct Side {
    RunTables tables;
    Summary summary;
    LiveVariables live;
    Parts parts;

    static Result<Side> read(const profile::Profile& profile, std::int64_t ipu) {
        Side side;
        TRY(side.tables, RunTables::read(profile));
        TRY(side.summary, summarise_briefly(profile, side.tables)); // what is compared has no more
        TRY(side.live,
            ipu == every_ipu ? live_variables(profile, side.tables.variables) : live_variables(profile, ipu));
        TRY(side.parts, Parts::read(profile));
        return side;
    }
};

LiveBytes bytes_of(const std::map<std::int64_t, LiveBytes>& bytes, std::int64_t id) {
    const auto found = bytes.find(id);
    return found == bytes.end() ? LiveBytes{} : found->second;
}

/// Of a part: its id in the base where that has it, else that in the new run.
struct PartKey {
    bool in_base;
    std::int64_t id;
    auto operator<=>(const PartKey&) const = default;
};
PartKey key_in(const std::map<std::int64_t, std::int64_t>& matching, std::int64_t id) {
    const auto partner = matching.find(id);
    return partner == matching.end() ? PartKey{id < 0, id} : PartKey{true, partner->second};
}
using Rows = std::map<PartKey, CostDifference>;

/// Adds what one side has to the rows of both. `key`: of a part of that side. `cost`, `bytes`: of its layers
/// or of its operations. `name`: of what has that key; `part`: what it is of that, "" where it is that
/// itself.
template<class CostOf>
void add_part(Rows& rows, const PartKey& key, bool is_base, const std::string& name, const std::string& part,
              std::int64_t id, const CostOf& cost_of, const std::map<std::int64_t, LiveBytes>& bytes,
              const Costs& costs, Basis basis, std::int64_t ipu) {
    const Cost cost = cost_of(id);
    const LiveBytes held = bytes_of(bytes, id);
    if (cost.ipus.empty() && held == LiveBytes{} && (ipu != every_ipu || id < 0))
        return; // of another IPU
    CostDifference& row = rows.try_emplace(key, CostDifference{name,
                                                               name,
                                                               {"cycles", FigureUnit::Cycles, {}, {}},
                                                               {"memory", FigureUnit::Bytes, {}, {}}})
                              .first->second;
    (is_base ? row.base_name : row.name) = name;
    if (!part.empty())
        (is_base ? row.base_parts : row.parts).push_back(part);
    const auto add = [](std::optional<double>& sum, double by) { sum = sum.value_or(0) + by; };
    add(is_base ? row.cycles.base : row.cycles.now,
        static_cast<double>(costs.in(basis, cost.cycles).total()));
    add(is_base ? row.memory.base : row.memory.now, static_cast<double>(held.at_peak));
}

std::vector<CostDifference> largest_first(const Rows& rows) {
    std::vector<CostDifference> list;
    for (const auto& [key, row] : rows)
        list.push_back(row);
    const auto weight = [](const CostDifference& row) {
        return std::fabs(row.cycles.now.value_or(0) - row.cycles.base.value_or(0));
    };
    std::stable_sort(list.begin(), list.end(),
                     [&](const CostDifference& a, const CostDifference& b) { return weight(a) > weight(b); });
    return list;
}

void mark_by_hand(std::vector<CostDifference>& rows, PartKind part, const HandMatches& by_hand) {
    for (CostDifference& row : rows) {
        const HandMatch names{part, row.cycles.base ? row.base_name : std::string(),
                              row.cycles.now ? row.name : std::string()};
        row.by_hand = std::find(by_hand.begin(), by_hand.end(), names) != by_hand.end();
    }
}

void add_costs(Comparison& c, const Side& base, const Side& now, const Matching& matching) {
    Rows layers;
    Rows operations;
    for (const Side* side : {&base, &now}) {
        const bool is_base = side == &base;
        const auto of_layer = [&](std::int64_t id) { return side->tables.costs.layer(id, c.ipu); };
        const auto of_operation = [&](std::int64_t id) { return side->tables.costs.operation(id, c.ipu); };
        const auto wholes = is_base ? matching.merged : split_in_now(matching);
        std::map<std::int64_t, std::string> names;
        for (const auto& layer : side->parts.layers)
            names[layer.id] = layer.name;
        const auto add_layer = [&](std::int64_t id, const std::string& name) {
            const auto part = wholes.find(id); // is in the row of its whole
            const bool is_part = part != wholes.end();
            const std::int64_t whole = is_part ? part->second : id;
            add_part(layers, is_base ? PartKey{true, whole} : key_in(matching.layers, whole), is_base,
                     is_part ? names.at(whole) : name, is_part ? name : std::string(), id, of_layer,
                     side->live.by_layer, side->tables.costs, c.basis, c.ipu);
        };
        add_layer(-1, "(no layer)");
        for (const auto& layer : side->parts.layers)
            add_layer(layer.id, layer.name);
        for (const auto& operation : side->parts.operations)
            add_part(operations,
                     is_base ? PartKey{true, operation.id} : key_in(matching.operations, operation.id),
                     is_base, operation.name, {}, operation.id, of_operation, side->live.by_operation,
                     side->tables.costs, c.basis, c.ipu);
    }
    c.layers = largest_first(layers);
    c.operations = largest_first(operations);
    mark_by_hand(c.layers, PartKind::Layer, c.by_hand);
    mark_by_hand(c.operations, PartKind::Operation, c.by_hand);
}

std::vector<std::string> all_names(const std::string& whole, std::vector<std::string> parts) {
    parts.insert(parts.begin(), whole);
    return parts;
}

void add_names(Comparison& c, const Side& base, const Side& now, const Matching& matching) {
    std::set<std::int64_t> kept;
    for (const auto& operation : now.parts.operations)
        if (const auto partner = matching.operations.find(operation.id); partner != matching.operations.end())
            kept.insert(partner->second);
        else
            c.added_operations.push_back(operation.name);
    for (const auto& operation : base.parts.operations)
        if (!kept.contains(operation.id))
            c.removed_operations.push_back(operation.name);
    std::map<std::int64_t, std::string> base_names;
    for (const auto& layer : base.parts.layers)
        base_names[layer.id] = layer.name;
    for (const auto& layer : now.parts.layers)
        if (const auto partner = matching.layers.find(layer.id);
            partner != matching.layers.end() && base_names[partner->second] != layer.name &&
            matching.layer_grounds.at(layer.id) != MatchGround::Split) // which is told as such
            c.renamed_layers.emplace_back(base_names[partner->second], layer.name);
    for (const CostDifference& layer : c.layers)
        if (!layer.parts.empty() || !layer.base_parts.empty())
            c.split_layers.push_back(
                {all_names(layer.base_name, layer.base_parts), all_names(layer.name, layer.parts)});
}

/// Of the amounts without their signs: those that pull against each other could add up to nothing.
void add_shares(std::vector<Cause>& causes, std::optional<double> Cause::*amount) {
    double all = 0;
    for (const Cause& cause : causes)
        all += std::fabs((cause.*amount).value_or(0));
    for (Cause& cause : causes)
        if (cause.*amount && all > 0)
            cause.share = std::fabs(*(cause.*amount)) / all;
}

nlohmann::ordered_json causes_document(const std::vector<Cause>& causes, FigureUnit unit,
                                       std::optional<double> Cause::*amount) {
    using Json = nlohmann::ordered_json;
    Json list = Json::array();
    for (const Cause& cause : causes) {
        const auto number = [](const std::optional<double>& value) {
            return value ? Json(*value) : Json(nullptr);
        };
        list.push_back({{"what", cause.what},
                        {"kind", to_string(cause.kind)},
                        {"why", cause.why},
                        {to_string(unit), number(cause.*amount)},
                        {"share", number(cause.share)}});
        if (!cause.parts.empty())
            list.back()["parts"] = causes_document(cause.parts, unit, amount);
    }
    return list;
}

/// A setting of the model, with how many of its layers were split or merged.
std::string with_splits(const std::string& setting, const std::vector<SplitLayer>& splits) {
    const auto split = std::count_if(splits.begin(), splits.end(),
                                     [](const SplitLayer& layer) { return layer.now.size() > 1; });
    const auto merged = std::count_if(splits.begin(), splits.end(),
                                      [](const SplitLayer& layer) { return layer.base.size() > 1; });
    std::string text = setting_text(setting, FigureUnit::None);
    if (split > 0)
        text += ", " + counted_text(split, "layer") + " split";
    if (merged > 0)
        text += ", " + counted_text(merged, "layer") + " merged";
    return split + merged == 0 ? setting : nlohmann::json(text).dump();
}

bool is_compiled(const Summary& s) {
    return s.memory || std::any_of(s.programs.begin(), s.programs.end(),
                                   [](const DeviceProgram& program) { return program.steps > 0; });
}

} // namespace

std::optional<double> Difference::change() const {
    if (!base || !now || wall_time)
        return std::nullopt;
    if (*base == *now || (std::isnan(*base) && std::isnan(*now)))
        return 0;
    return std::isnan(*base) || std::isnan(*now) ? std::nullopt : std::optional(*now - *base);
}

std::optional<double> Difference::percent() const {
    const auto share = change() ? relative_change(*base, *now) : std::nullopt;
    return share ? std::optional(*share * 100) : std::nullopt;
}

std::string figure_text(const std::optional<double>& value, FigureUnit unit, double apart) {
    constexpr double us = 1e-6;
    if (!value)
        return "–";
    if (unit == FigureUnit::Bytes)
        return bytes_text(*value, apart);
    if (unit == FigureUnit::Us)
        return time_text(*value * us, apart * us);
    if (unit == FigureUnit::Seconds)
        return time_text(*value, apart);
    if (unit == FigureUnit::SamplesPerS)
        return amount_text(*value, apart);
    return apart > 0 ? amount_text(*value, apart) : number_text(*value);
}

std::string figure_label(const Difference& d) {
    const bool told = d.unit != FigureUnit::Cycles && d.unit != FigureUnit::SamplesPerS;
    const std::string unit = to_string(d.unit);
    return told || d.name.find(unit) != std::string::npos ? d.name : d.name + " (" + unit + ")";
}

std::string relative_text(const Difference& d) {
    if (d.wall_time)
        return "wall time";
    const auto by = d.change();
    if (!by)
        return "–";
    if (*by == 0)
        return "=";
    if (*d.base != 0)
        return change_text(*d.base, *d.now);
    const char* unit = d.unit != FigureUnit::Cycles ? "" : *by == 1 ? " cycle" : " cycles";
    return signed_text(*by, figure_text(by, d.unit)) + unit;
}

std::string name_text(const CostDifference& cost) {
    const std::string name = joined_names(all_names(cost.name, cost.parts));
    const std::string base_name = joined_names(all_names(cost.base_name, cost.base_parts));
    const bool other = name != base_name;
    const std::string was = other ? "was " + base_name : std::string();
    const std::string hand = cost.by_hand ? "by hand" : "";
    return was.empty() && hand.empty() ? name
                                       : name + " (" + was + (other && cost.by_hand ? ", " : "") + hand + ")";
}

Result<Comparison> compare(const profile::Profile& base, const profile::Profile& now, std::int64_t ipu,
                           std::optional<Basis> basis, const HandMatches& by_hand) {
    const std::array files{&base, &now};
    TRY(const auto sides,
        read_both(files, [&](const profile::Profile& file, std::size_t) { return Side::read(file, ipu); }));
    const auto& [before, after] = sides;
    const Summary &a = before.summary, &b = after.summary;
    Comparison c;
    c.base = {a.run.status, a.run.error, a.absent, is_compiled(a), a.error_bands, a.run.trimmed};
    c.now = {b.run.status, b.run.error, b.absent, is_compiled(b), b.error_bands, b.run.trimmed};
    c.settings = setting_differences(a, b);
    c.ipu = ipu;
    add_headline(c, a, b);
    c.by_hand = by_hand;
    c.basis = common_basis(&before.tables.costs.loops(), after.tables.costs.loops(), basis);
    if (!c.both_compiled())
        return c;
    // Meanwhile this thread reads no file.
    auto fullest = std::async(std::launch::async, [&files] {
        return read_both(files, [](const profile::Profile& file, std::size_t) { return fullest_use(file); });
    });
    const Matching matching = match(before.parts, after.parts, by_hand);
    add_costs(c, before, after, matching);
    add_names(c, before, after, matching);
    for (SettingDifference& d : c.settings) // of equal sizes
        if (d.key == "model.keras" && d.base == d.now && !c.renamed_layers.empty())
            d.now =
                nlohmann::json("the same, " + count_text(static_cast<std::int64_t>(c.renamed_layers.size())) +
                               " of its layers renamed")
                    .dump();
    for (SettingDifference& d : c.settings)
        if (d.key == "model.keras")
            d.now = with_splits(d.now, c.split_layers);
    TRY(const auto uses, fullest.get());
    const auto& [base_use, now_use] = uses;
    TRY(const auto parts, read_both(files, [&](const profile::Profile& file, std::size_t i) {
            const Side& side = sides[i];
            return RunParts::read(file, side.summary, side.tables, side.parts);
        }));
    const auto& [base_parts, now_parts] = parts;
    const OldNames old_names(before.parts, after.parts, matching);
    const BothRuns runs{base_parts, now_parts, matching, old_names, c.basis, ipu};
    const std::vector<FusionChange> fusions = fusion_changes(runs);
    TRY(c.causes, causes_of(runs, fusions));
    c.bridge = time_bridge(runs);
    if (base_use && now_use) {
        TRY(c.memory_causes, memory_causes(runs, fusions, *base_use, *now_use));
    }
    add_shares(c.causes, &Cause::cycles);
    add_shares(c.memory_causes, &Cause::bytes);
    return c;
}

std::vector<std::string> caveats(const ComparedRun& run, const std::string& name) {
    std::vector<std::string> all;
    if (!profile::ran_to_its_end(run.status))
        all.push_back(name + " is " + profile::words(run.status) + ": its figures are of what was recorded");
    else if (run.status == profile::RunStatus::Diverged)
        all.push_back(name + " has diverged: its losses are not numbers");
    if (!run.trimmed.empty())
        all.push_back(name + " was trimmed to " + run.trimmed + ": its figures are of these");
    const auto why = std::find_if(run.absent.begin(), run.absent.end(),
                                  [](const Absence& absence) { return absence.figure == "memory"; });
    if (!run.compiled)
        all.push_back(name + " has no compilation" +
                      (why == run.absent.end() ? "" : " (" + why->reason + ")") +
                      ": layers, operations and memory cannot be compared");
    return all;
}

bool grew(const Comparison& c, const std::string& figure) {
    return std::any_of(c.headline.begin(), c.headline.end(),
                       [&](const Difference& d) { return d.name == figure && d.change().value_or(0) > 0; });
}

bool differ(const Comparison& c) {
    const auto changed = [](const Difference& d) {
        return !d.wall_time && (d.base.has_value() != d.now.has_value() || (d.base && d.change() != 0.0));
    };
    const auto cost_changed = [&](const CostDifference& d) {
        return changed(d.cycles) || changed(d.memory) || d.base_name != d.name || d.base_parts != d.parts;
    };
    return !c.settings.empty() || std::any_of(c.headline.begin(), c.headline.end(), changed) ||
           std::any_of(c.layers.begin(), c.layers.end(), cost_changed) ||
           std::any_of(c.operations.begin(), c.operations.end(), cost_changed);
}

nlohmann::ordered_json document(const Comparison& c) {
    using Json = nlohmann::ordered_json;
    const auto number = [](const std::optional<double>& value) {
        return value ? Json(*value) : Json(nullptr);
    };
    const auto row = [&](const Difference& d) {
        return Json{{"name", d.name},       {"unit", to_string(d.unit)},    {"base", number(d.base)},
                    {"new", number(d.now)}, {"change", number(d.change())}, {"percent", number(d.percent())}};
    };
    const auto run = [](const ComparedRun& r) {
        Json absent = Json::object();
        for (const Absence& absence : r.absent)
            absent[absence.figure] = absence.reason;
        return Json{{"status", profile::to_string(r.status)},
                    {"error", r.error},
                    {"compiled", r.compiled},
                    {"absent", absent},
                    {"accuracy", document(r.error_bands)}};
    };
    Json settings = Json::array();
    for (const SettingDifference& d : c.settings)
        settings.push_back(
            {{"key", d.key}, {"name", d.name}, {"base", Json::parse(d.base)}, {"new", Json::parse(d.now)}});
    Json headline = Json::array();
    for (const Difference& d : c.headline)
        headline.push_back(row(d));
    const auto costs = [&](const std::vector<CostDifference>& rows, bool changed_only) {
        Json list = Json::array();
        for (const CostDifference& d : rows)
            if (!changed_only || d.cycles.change().value_or(0) != 0)
                list.push_back({{"name", d.name},
                                {"base_name", d.base_name},
                                {"by_hand", d.by_hand},
                                {"cycles", row(d.cycles)},
                                {"memory", row(d.memory)}});
        return list;
    };
    const auto is_explained = [](const std::vector<Cause>& causes, std::optional<double> Cause::*amount) {
        const auto sum = explained(causes, amount).value_or(Explained{});
        return Json{{"change", sum.all()}, {"explained", sum.explained}, {"not_explained", sum.unexplained}};
    };
    Json renamed = Json::array();
    for (const auto& [before, after] : c.renamed_layers)
        renamed.push_back({{"base", before}, {"new", after}});
    Json split = Json::array();
    for (const SplitLayer& layer : c.split_layers)
        split.push_back({{"base", layer.base}, {"new", layer.now}});
    return {{"base", run(c.base)},
            {"new", run(c.now)},
            {"differs", settings},
            {"headline", headline},
            {"costs_per", key(c.basis)},
            {"bridge", c.bridge ? document(*c.bridge) : Json(nullptr)},
            {"causes", causes_document(c.causes, FigureUnit::Cycles, &Cause::cycles)},
            {"memory_causes", causes_document(c.memory_causes, FigureUnit::Bytes, &Cause::bytes)},
            {"explained",
             {{"cycles", is_explained(c.causes, &Cause::cycles)},
              {"bytes", is_explained(c.memory_causes, &Cause::bytes)}}},
            {"layers", costs(c.layers, false)},
            {"renamed_layers", renamed},
            {"split_layers", split},
            {"matched_by_hand", document(c.by_hand)},
            {"operations",
             {{"added", c.added_operations},
              {"removed", c.removed_operations},
              {"changed", costs(c.operations, true)}}}};
}

} // namespace tilescope::analyse
