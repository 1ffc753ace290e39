// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/summary.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>

namespace tilescope::analyse {
namespace {

using profile::ExecutionKind;
using profile::Profile;

std::int64_t sum(const std::vector<std::int64_t>& values) {
    return std::accumulate(values.begin(), values.end(), std::int64_t{0});
}

/// Takes the value of a query, or keeps its error and leaves the default.
class Gather {
  public:
    template<class T>
    T take(Result<T> result) {
        if (result)
            return std::move(*result);
        if (!error)
            error = result.error();
        return T{};
    }
    std::optional<Error> error;
};

void add_epochs(Summary& s, const std::vector<profile::EpochMetricRecord>& rows) {
    for (const auto& row : rows) {
        if (row.kind == ExecutionKind::Evaluate) {
            s.evaluation.emplace_back(row.name, row.value);
            continue;
        }
        if (s.epochs.empty() || s.epochs.back().epoch != row.epoch + 1)
            s.epochs.push_back({row.epoch + 1, {}});
        s.epochs.back().metrics.emplace_back(row.name, row.value);
    }
}

void add_timing(Summary& s, const Profile& profile, Gather& gather) {
    const auto executions = gather.take(profile.executions());
    const auto has = [&](ExecutionKind kind) {
        return std::any_of(executions.begin(), executions.end(),
                           [&](const auto& e) { return e.kind == kind; });
    };
    const ExecutionKind main = has(ExecutionKind::Train)     ? ExecutionKind::Train
                               : has(ExecutionKind::Predict) ? ExecutionKind::Predict
                                                             : ExecutionKind::Evaluate;
    std::int64_t all_cycles = 0;
    std::int64_t cycles = 0;
    std::int64_t wall_us = 0;
    for (const auto& e : executions) {
        all_cycles += e.cycles;
        if (e.kind != main)
            continue;
        ++s.executions;
        s.steps += e.steps;
        cycles += e.cycles;
        wall_us += e.wall_us;
    }
    const bool simulated = s.run.device != "cpu" && s.target.clock_hz > 0;
    if (simulated && !executions.empty()) {
        s.cycles_total = all_cycles;
        s.by_phase = gather.take(profile.phase_cycles(main));
    }
    if (s.steps == 0 || (!simulated && s.run.estimate))
        return;
    s.step_us =
        (simulated ? static_cast<double>(cycles) / s.target.clock_hz * 1e6 : static_cast<double>(wall_us)) /
        static_cast<double>(s.steps);
    if (*s.step_us > 0)
        s.samples_per_s = static_cast<double>(s.run.batch_size) / *s.step_us * 1e6;
}

void raise(FullestTile& fullest, std::int64_t ipu, const std::vector<std::int64_t>& bytes) {
    const auto most = std::max_element(bytes.begin(), bytes.end());
    if (most != bytes.end() && *most > fullest.bytes)
        fullest = {ipu, most - bytes.begin(), *most};
}

/// Adds an IPU whose tiles were laid out; returns its bytes, none where they were not.
std::optional<std::int64_t> add_ipu_memory(MemorySummary& memory, const Profile& profile, std::int64_t ipu,
                                           std::map<std::string, profile::CategoryBytes>& categories,
                                           Gather& gather) {
    const auto total = gather.take(profile.tile_values("memory", 0, ipu, "total"));
    if (total.empty())
        return {};
    const auto with_gaps = gather.take(profile.tile_values("memory", 0, ipu, "total_with_gaps"));
    const auto always = gather.take(profile.tile_values("memory", 0, ipu, "always_live"));
    memory.total_bytes += sum(total);
    memory.total_bytes_with_gaps += sum(with_gaps);
    memory.always_live_bytes += sum(always);
    raise(memory.fullest, ipu, total);
    raise(memory.fullest_with_gaps, ipu, with_gaps);
    for (const auto& category : gather.take(profile.memory_by_category(ipu))) {
        auto& row = categories[category.category];
        row.category = category.category;
        const std::string entity = "category:" + category.category;
        row.always_live += sum(gather.take(profile.tile_values(entity, 0, ipu, "always_live")));
        row.not_always_live += sum(gather.take(profile.tile_values(entity, 0, ipu, "not_always_live")));
    }
    return sum(total);
}

void add_memory(Summary& s, const Profile& profile, const std::vector<profile::IpuRecord>& ipus,
                Gather& gather) {
    MemorySummary memory;
    std::map<std::string, profile::CategoryBytes> categories;
    for (const auto& ipu : ipus) {
        const auto bytes = add_ipu_memory(memory, profile, ipu.id, categories, gather);
        const auto phases = gather.take(profile.phase_cycles({}, ipu.id));
        std::optional<double> utilisation;
        if (phases.total() > 0)
            utilisation = static_cast<double>(phases.compute) / static_cast<double>(phases.total());
        s.ipus.push_back({ipu.id, ipu.replica, ipu.stage, utilisation, bytes});
    }
    if (std::none_of(s.ipus.begin(), s.ipus.end(), [](const auto& ipu) { return ipu.memory_bytes; }))
        return;
    for (const auto& [name, row] : categories)
        memory.categories.push_back(row);
    std::stable_sort(memory.categories.begin(), memory.categories.end(), [](const auto& a, const auto& b) {
        return a.always_live + a.not_always_live > b.always_live + b.not_always_live;
    });
    s.memory = std::move(memory);
}

/// "cancelled before the first execution", or what a run that goes on has not reached yet.
std::string ended_before(const Summary& s, const std::string& event) {
    if (s.run.status == profile::RunStatus::Running)
        return "the run has not reached " + event + " yet";
    std::string status = profile::to_string(s.run.status);
    std::replace(status.begin(), status.end(), '_', ' ');
    return status + " before " + event;
}

/// Says why, for each figure that could have been there.
void explain_absences(Summary& s) {
    const bool complete = s.run.status == profile::RunStatus::Complete;
    const bool host = s.run.device == "cpu";
    const auto absent = [&](const std::string& figure, bool there, const std::string& reason) {
        if (!there)
            s.absent.push_back({figure, reason});
    };
    const std::string on_host = "computed on the host: no tiles and no cycles";
    const std::string not_run = complete ? "nothing was executed" : ended_before(s, "the first execution");
    const std::string no_time = host && s.run.estimate ? "an estimate computes nothing on the host" : not_run;
    const std::string no_cycles = host ? on_host : not_run;
    const std::string not_laid_out = host ? on_host : ended_before(s, "the end of compilation");
    const bool cycles = s.cycles_total.has_value();
    absent("timing.cycles_total", cycles, no_cycles);
    absent("timing.step_us", s.step_us.has_value(), no_time);
    absent("timing.samples_per_s", s.samples_per_s.has_value(), no_time);
    absent("timing.by_phase", cycles, no_cycles);
    absent("timing.compile_s", s.compile_s.has_value(), ended_before(s, "the end of compilation"));
    absent("memory", s.memory.has_value(), not_laid_out);
    absent("ipus.utilisation", cycles, no_cycles);
    absent("ipus.memory_bytes", s.memory.has_value(), not_laid_out);
    if (complete && !s.run.estimate)
        return;
    const std::string no_values = "an estimate computes no values";
    if (const auto workload = nlohmann::json::parse(s.run.workload, nullptr, false);
        workload.is_object() && workload.contains("graph"))
        absent("result.outputs", !s.outputs.empty(),
               s.run.estimate ? no_values : ended_before(s, "its result"));
    absent("result.epochs", !s.epochs.empty(),
           s.run.estimate ? no_values : ended_before(s, "the end of an epoch"));
    absent("result.evaluate", !s.evaluation.empty(),
           s.run.estimate ? no_values : ended_before(s, "the end of the evaluation"));
}

void add_layers(Summary& s, const Profile& profile, Gather& gather) {
    std::map<std::int64_t, LayerCost> rows;
    for (const auto& layer : gather.take(profile.layers()))
        rows[layer.id] = {layer.name, layer.kind, layer.parameters, 0, 0, 0, 0, 0};
    std::map<std::int64_t, std::int64_t> layer_of;
    for (const auto& op : gather.take(profile.operations())) {
        layer_of[op.id] = op.layer_id;
        rows[op.layer_id].flops += op.flops;
    }
    for (const auto& cost : gather.take(profile.operation_costs())) {
        const auto layer = layer_of.find(cost.operation_id);
        LayerCost& row = rows[layer == layer_of.end() ? -1 : layer->second];
        row.sync += cost.sync;
        row.exchange += cost.exchange;
        row.compute += cost.compute;
    }
    for (const auto& variable : gather.take(profile.variables()))
        rows[variable.layer_id].memory_bytes += variable.bytes;
    // What belongs to no layer stands last.
    for (const auto& [id, row] : rows)
        if (id >= 0)
            s.layers.push_back(row);
    if (const auto rest = rows.find(-1); rest != rows.end())
        s.layers.push_back(rest->second);
}

} // namespace

Result<Summary> summarise(const Profile& profile) {
    Gather gather;
    Summary s;
    s.run = gather.take(profile.run());
    s.target = gather.take(profile.target());
    s.outputs = gather.take(profile.outputs());
    add_epochs(s, gather.take(profile.epoch_metrics()));
    add_timing(s, profile, gather);
    if (s.run.compile_s > 0)
        s.compile_s = s.run.compile_s;
    const auto ipus = gather.take(profile.ipus());
    add_memory(s, profile, ipus, gather);
    add_layers(s, profile, gather);
    if (gather.error)
        return Failure(std::move(*gather.error));
    auto insights = find_insights(profile, s);
    if (!insights)
        return Failure(insights.error());
    s.insights = std::move(*insights);
    explain_absences(s);
    return s;
}

std::string Summary::why_absent(const std::string& figure) const {
    for (const Absence& absence : absent)
        if (figure == absence.figure || figure.starts_with(absence.figure + "."))
            return absence.reason;
    return {};
}

namespace {

using Json = nlohmann::ordered_json;

template<class T>
Json number(const std::optional<T>& value) {
    return value ? Json(*value) : Json(nullptr);
}

Json timing_json(const Summary& s) {
    const auto phase = [&](std::int64_t profile::PhaseCycles::*cycles) {
        return s.by_phase ? Json((*s.by_phase).*cycles) : Json(nullptr);
    };
    return {{"cycles_total", number(s.cycles_total)},
            {"executions", s.executions},
            {"steps", s.steps},
            {"step_us", number(s.step_us)},
            {"samples_per_s", number(s.samples_per_s)},
            {"by_phase",
             {{"compute", phase(&profile::PhaseCycles::compute)},
              {"exchange", phase(&profile::PhaseCycles::exchange)},
              {"sync", phase(&profile::PhaseCycles::sync)},
              {"inter_ipu", phase(&profile::PhaseCycles::inter_ipu)},
              {"host", phase(&profile::PhaseCycles::host)},
              {"waiting", phase(&profile::PhaseCycles::waiting)}}},
            {"compile_s", number(s.compile_s)}};
}

Json memory_json(const Summary& s) {
    const std::optional<MemorySummary>& m = s.memory;
    const auto figure = [&](std::int64_t value) { return m ? Json(value) : Json(nullptr); };
    const MemorySummary memory = m.value_or(MemorySummary{});
    Json categories = m ? Json::object() : Json(nullptr);
    for (const auto& category : memory.categories)
        categories[category.category] = category.always_live + category.not_always_live;
    return {{"total_bytes", figure(memory.total_bytes)},
            {"total_bytes_with_gaps", figure(memory.total_bytes_with_gaps)},
            {"max_tile_bytes", figure(memory.fullest.bytes)},
            {"max_tile", figure(memory.fullest.tile)},
            {"max_tile_ipu", figure(memory.fullest.ipu)},
            {"max_tile_bytes_with_gaps", figure(memory.fullest_with_gaps.bytes)},
            {"max_tile_with_gaps", figure(memory.fullest_with_gaps.tile)},
            {"max_tile_with_gaps_ipu", figure(memory.fullest_with_gaps.ipu)},
            {"always_live_bytes", figure(memory.always_live_bytes)},
            {"by_category", std::move(categories)}};
}

} // namespace

nlohmann::ordered_json document(const Summary& s) {
    Json outputs = Json::object();
    for (const auto& output : s.outputs)
        outputs[output.name] = Json::parse(output.values, nullptr, false);
    Json epochs = Json::array();
    for (const auto& epoch : s.epochs) {
        Json row{{"epoch", epoch.epoch}, {"loss", nullptr}, {"metrics", Json::object()}};
        for (const auto& [name, value] : epoch.metrics)
            (name == "loss" ? row["loss"] : row["metrics"][name]) = value;
        epochs.push_back(std::move(row));
    }
    Json evaluate = Json::object();
    for (const auto& [name, value] : s.evaluation)
        evaluate[name] = value;
    Json ipus = Json::array();
    for (const auto& ipu : s.ipus)
        ipus.push_back({{"id", ipu.id},
                        {"replica", ipu.replica},
                        {"stage", ipu.stage},
                        {"utilisation", number(ipu.utilisation)},
                        {"memory_bytes", number(ipu.memory_bytes)}});
    Json absent = Json::object();
    for (const Absence& absence : s.absent)
        absent[absence.figure] = absence.reason;
    Json layers = Json::array();
    for (const auto& layer : s.layers)
        layers.push_back({{"name", layer.name},
                          {"kind", layer.kind},
                          {"parameters", layer.parameters},
                          {"cycles", layer.cycles()},
                          {"flops", layer.flops},
                          {"memory_bytes", layer.memory_bytes}});
    Json insights = Json::array();
    for (const auto& insight : s.insights)
        insights.push_back(document(insight));
    return {{"run",
             {{"status", profile::to_string(s.run.status)},
              {"workload", s.run.name},
              {"device", s.run.device},
              {"tool_version", s.run.tool_version},
              {"seed", s.run.seed},
              {"estimate", s.run.estimate},
              {"data_note", s.run.data_note},
              {"error", s.run.error}}},
            {"target",
             {{"generation", s.target.generation},
              {"system", s.target.system},
              {"ipus", s.target.ipus},
              {"tiles_per_ipu", s.target.tiles_per_ipu},
              {"bytes_per_tile", s.target.bytes_per_tile},
              {"clock_hz", s.target.clock_hz}}},
            {"result", {{"outputs", outputs}, {"epochs", epochs}, {"evaluate", evaluate}}},
            {"timing", timing_json(s)},
            {"memory", memory_json(s)},
            {"ipus", ipus},
            {"layers", layers},
            {"insights", insights},
            {"absent", absent}};
}

} // namespace tilescope::analyse
