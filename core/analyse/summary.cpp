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
    s.by_phase = gather.take(profile.phase_cycles(main));
    std::int64_t cycles = 0;
    std::int64_t wall_us = 0;
    for (const auto& e : executions) {
        s.cycles_total += e.cycles;
        if (e.kind != main)
            continue;
        ++s.executions;
        s.steps += e.steps;
        cycles += e.cycles;
        wall_us += e.wall_us;
    }
    if (s.steps == 0)
        return;
    const double total_us = s.run.device == "cpu" || s.target.clock_hz == 0
                                ? static_cast<double>(wall_us)
                                : static_cast<double>(cycles) / s.target.clock_hz * 1e6;
    s.step_us = total_us / static_cast<double>(s.steps);
    s.samples_per_s = s.step_us == 0 ? 0 : static_cast<double>(s.run.batch_size) / s.step_us * 1e6;
}

void add_memory(Summary& s, const Profile& profile, const std::vector<profile::IpuRecord>& ipus,
                Gather& gather) {
    std::map<std::string, profile::CategoryBytes> categories;
    for (const auto& ipu : ipus) {
        const auto total = gather.take(profile.tile_values("memory", 0, ipu.id, "total"));
        const auto with_gaps = gather.take(profile.tile_values("memory", 0, ipu.id, "total_with_gaps"));
        const auto always = gather.take(profile.tile_values("memory", 0, ipu.id, "always_live"));
        s.total_bytes += sum(total);
        s.total_bytes_with_gaps += sum(with_gaps);
        s.always_live_bytes += sum(always);
        const auto fullest = std::max_element(total.begin(), total.end());
        if (fullest != total.end() && *fullest > s.max_tile_bytes) {
            s.max_tile_bytes = *fullest;
            s.max_tile = fullest - total.begin();
        }
        const auto highest = std::max_element(with_gaps.begin(), with_gaps.end());
        if (highest != with_gaps.end() && *highest > s.highest_tile_bytes) {
            s.highest_tile_bytes = *highest;
            s.highest_tile = highest - with_gaps.begin();
        }
        for (const auto& category : gather.take(profile.memory_by_category(ipu.id))) {
            auto& row = categories[category.category];
            row.category = category.category;
            const std::string entity = "category:" + category.category;
            row.always_live += sum(gather.take(profile.tile_values(entity, 0, ipu.id, "always_live")));
            row.not_always_live +=
                sum(gather.take(profile.tile_values(entity, 0, ipu.id, "not_always_live")));
        }
        const auto phases = gather.take(profile.phase_cycles({}, ipu.id));
        s.ipus.push_back({ipu.id, ipu.replica, ipu.stage,
                          phases.total() == 0
                              ? 0.0
                              : static_cast<double>(phases.compute) / static_cast<double>(phases.total()),
                          sum(total)});
    }
    for (const auto& [name, row] : categories)
        s.categories.push_back(row);
    std::stable_sort(s.categories.begin(), s.categories.end(), [](const auto& a, const auto& b) {
        return a.always_live + a.not_always_live > b.always_live + b.not_always_live;
    });
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
    const auto ipus = gather.take(profile.ipus());
    add_memory(s, profile, ipus, gather);
    add_layers(s, profile, gather);
    if (gather.error)
        return Failure(std::move(*gather.error));
    auto insights = find_insights(profile, s);
    if (!insights)
        return Failure(insights.error());
    s.insights = std::move(*insights);
    return s;
}

nlohmann::ordered_json document(const Summary& s) {
    using Json = nlohmann::ordered_json;
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
    Json categories = Json::object();
    for (const auto& category : s.categories)
        categories[category.category] = category.always_live + category.not_always_live;
    Json ipus = Json::array();
    for (const auto& ipu : s.ipus)
        ipus.push_back({{"id", ipu.id},
                        {"replica", ipu.replica},
                        {"stage", ipu.stage},
                        {"utilisation", ipu.utilisation},
                        {"memory_bytes", ipu.memory_bytes}});
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
        insights.push_back({{"code", insight.code},
                            {"severity", insight.severity},
                            {"title", insight.title},
                            {"detail", insight.detail}});
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
            {"timing",
             {{"cycles_total", s.cycles_total},
              {"executions", s.executions},
              {"steps", s.steps},
              {"step_us", s.step_us},
              {"samples_per_s", s.samples_per_s},
              {"by_phase",
               {{"compute", s.by_phase.compute},
                {"exchange", s.by_phase.exchange},
                {"sync", s.by_phase.sync},
                {"inter_ipu", s.by_phase.inter_ipu},
                {"host", s.by_phase.host}}},
              {"compile_s", s.run.compile_s}}},
            {"memory",
             {{"total_bytes", s.total_bytes},
              {"total_bytes_with_gaps", s.total_bytes_with_gaps},
              {"max_tile_bytes", s.max_tile_bytes},
              {"max_tile", s.max_tile},
              {"always_live_bytes", s.always_live_bytes},
              {"by_category", categories}}},
            {"ipus", ipus},
            {"layers", layers},
            {"insights", insights}};
}

} // namespace tilescope::analyse
