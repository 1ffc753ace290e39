// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/summary.h"

#include "analyse/stage_ipus.h"
#include "analyse/training_progress.h"
#include "base/share.h"
#include "base/step_time.h"
#include "base/try.h"
#include "json_text.h"
#include "run_tables.h"
#include "tile_lists.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

namespace tilescope::analyse {
namespace {

using profile::ExecutionKind;
using profile::Profile;

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

void add_timing(Summary& s, const Profile& profile, Gather& gather) {
    const bool simulated = s.run.device != profile::RunDevice::Cpu && s.target.clock_hz > 0;
    s.kind = gather.take(main_kind(profile));
    std::int64_t all_cycles = 0;
    bool executed = false;
    for (const ExecutionKind kind : {ExecutionKind::Train, ExecutionKind::Evaluate, ExecutionKind::Predict}) {
        const auto totals = gather.take(profile.execution_totals(kind));
        all_cycles += totals.cycles;
        executed = executed || totals.executions > 0;
        if (kind == s.kind) {
            s.executions = totals.executions;
            s.steps = totals.steps;
            if (simulated && totals.executions > 0)
                s.cycles = totals.cycles;
            s.step_us = step_us(s.run, s.target, totals);
        } else if (kind == ExecutionKind::Evaluate) {
            s.evaluated = totals;
            s.evaluation_step_us = step_us(s.run, s.target, totals);
        }
    }
    if (simulated && executed) {
        s.cycles_total = all_cycles;
        s.by_phase = gather.take(profile.phase_cycles(s.kind));
    }
    s.samples_per_s = samples_per_s(s.run.batch_size, s.step_us);
}

/// Adds an IPU whose tiles were laid out; returns its bytes, none where they were not.
std::optional<std::int64_t> add_ipu_memory(MemorySummary& memory, const Profile& profile, std::int64_t ipu,
                                           Gather& gather) {
    const auto total = gather.take(profile.tile_values("memory", 0, ipu, "total"));
    if (total.empty())
        return {};
    const auto with_gaps = gather.take(profile.tile_values("memory", 0, ipu, "total_with_gaps"));
    const auto always = gather.take(profile.tile_values("memory", 0, ipu, "always_live"));
    memory.total_bytes += sum(total);
    memory.total_bytes_with_gaps += sum(with_gaps);
    memory.always_live_bytes += sum(always);
    memory.fullest.raise(ipu, total);
    memory.fullest_with_gaps.raise(ipu, with_gaps);
    memory.most_code.raise(ipu, gather.take(profile.tile_values("memory", 0, ipu, "code")));
    if (const auto limit = gather.take(profile.tile_values("memory", 0, ipu, "code_limit")); !limit.empty())
        memory.code_limit = limit.front();
    return sum(total);
}

void add_memory(Summary& s, const Profile& profile, const std::vector<profile::IpuRecord>& ipus,
                Gather& gather) {
    MemorySummary memory;
    const auto on = gather.take(stage_ipus(profile, ipus));
    for (const auto& ipu : ipus) {
        const auto bytes = add_ipu_memory(memory, profile, ipu.id, gather);
        const auto phases = gather.take(profile.phase_cycles(s.kind, ipu.id));
        s.ipus.push_back(
            {ipu.id, ipu.replica, ipu.stage, utilisation(phases), bytes, phases, stages_on(ipu, on)});
    }
    if (std::none_of(s.ipus.begin(), s.ipus.end(), [](const auto& ipu) { return ipu.memory_bytes; }))
        return;
    memory.streaming_bytes = gather.take(profile.streaming_bytes());
    memory.categories = gather.take(profile.memory_by_category());
    std::sort(memory.categories.begin(), memory.categories.end(), [](const auto& a, const auto& b) {
        const std::int64_t bytes_a = a.always_live + a.not_always_live;
        const std::int64_t bytes_b = b.always_live + b.not_always_live;
        return bytes_a != bytes_b ? bytes_a > bytes_b : a.category < b.category;
    });
    s.memory = std::move(memory);
}

void add_stages(Summary& s, const Profile& profile, Gather& gather) {
    const auto slots = gather.take(profile.pipeline_slots());
    if (slots.empty())
        return;
    const auto operations = gather.take(profile.operations());
    const auto ipus = gather.take(profile.ipus());
    const std::map<std::int64_t, std::int64_t> on = stage_ipus(operations, ipus);
    for (const PipelineStage& stage : pipeline_update(slots).stages) {
        const auto of_stage = on.find(stage.stage);
        const auto ipu = std::find_if(s.ipus.begin(), s.ipus.end(), [&](const IpuSummary& of) {
            return of_stage != on.end() && of.id == of_stage->second;
        });
        s.stages.push_back({stage, ipu == s.ipus.end() ? std::nullopt : ipu->memory_bytes});
    }
    s.uneven_cycles = pipeline_update(slots_by_ipu(slots, on)).uneven_cycles;
}

/// "cancelled before the first execution", or what a run that goes on has not reached yet.
std::string ended_before(const Summary& s, const std::string& event) {
    if (s.run.status == profile::RunStatus::Running)
        return "the run has not reached " + event + " yet";
    return profile::words(s.run.status) + " before " + event;
}

/// Why there is nothing of executions.
std::string not_executed(const Summary& s, const profile::ProgressRecord& progress) {
    const bool running = s.run.status == profile::RunStatus::Running;
    if (!in_first_execution(progress, s.executions + s.evaluated.executions))
        return ended_before(s, "the first execution");
    return running ? "the first execution has not ended yet"
                   : profile::words(s.run.status) + " before the first execution had ended";
}

/// Says why, for each figure that could have been there.
void explain_absences(Summary& s, const profile::ProgressRecord& progress) {
    const bool complete = profile::ran_to_its_end(s.run.status);
    const bool host = s.run.device == profile::RunDevice::Cpu;
    const auto absent = [&](const std::string& figure, bool there, const std::string& reason) {
        if (!there)
            s.absent.push_back({figure, reason});
    };
    const std::string on_host = "computed on the host: no tiles and no cycles";
    const std::string not_run = complete ? "nothing was executed" : not_executed(s, progress);
    const std::string no_time = host && s.run.estimate ? "an estimate computes nothing on the host" : not_run;
    const std::string no_cycles = host ? on_host : not_run;
    const std::string not_laid_out = host ? on_host : ended_before(s, "the end of compilation");
    const bool cycles = s.cycles_total.has_value();
    absent("timing.cycles_total", cycles, no_cycles);
    absent("timing.step_us", s.step_us.has_value(), no_time);
    const std::string no_samples = s.step_us ? "how many samples a step takes is not known" : no_time;
    absent("timing.samples_per_s", s.samples_per_s.has_value(), no_samples);
    absent("timing.samples_per_s_per_ipu", s.samples_per_s_per_ipu.has_value(), host ? on_host : no_samples);
    const bool no_peak = cycles && !s.target.half_flops_per_cycle;
    const std::string no_share = no_peak  ? "recorded by an older version"
                                 : cycles ? "no floating-point operations"
                                          : no_cycles;
    absent("timing.peak_share", s.peak_share.has_value(), no_share);
    absent("timing.model_flops_utilisation", s.model_flops_utilisation.has_value(), no_share);
    absent("timing.by_phase", cycles, no_cycles);
    absent("timing.cycles", s.cycles.has_value(), no_cycles);
    absent("timing.elapsed", s.elapsed > 0, no_cycles);
    absent("timing.compile_s", s.compile_s.has_value(), ended_before(s, "the end of compilation"));
    absent("memory", s.memory.has_value(), not_laid_out);
    absent("ipus.utilisation", cycles, no_cycles);
    absent("ipus.memory_bytes", s.memory.has_value(), not_laid_out);
    for (const char* figure :
         {"timing.io_tiles", "timing.evaluation.cycles", "layers.cycles", "layers.by_phase", "layers.flops",
          "layers.memory_bytes", "layers.always_live_bytes"})
        absent(figure, !host, on_host);
    if (complete && !s.run.estimate)
        return;
    const auto no_values = [&](const std::string& event) {
        return s.run.estimate ? "an estimate computes no values" : ended_before(s, event);
    };
    if (s.run.workload_kind == profile::WorkloadKind::Graph) {
        absent("result.outputs", !s.outputs.empty(), no_values("its result"));
        return;
    }
    absent("result.epochs", !s.epochs.empty(), no_values("the end of an epoch"));
    absent("result.evaluate", !s.evaluation.empty(), no_values("the end of the evaluation"));
}

void add_layers(Summary& s, const Profile& profile, const RunTables& tables, std::optional<Basis> basis,
                Gather& gather) {
    const Costs& costs = tables.costs;
    s.loops = costs.loops();
    s.basis = s.loops.shown(basis);
    s.elapsed = costs.elapsed();
    s.planned = costs.planned();
    s.peak_share = costs.share_of_peak();
    s.model_flops_utilisation = costs.model_flops_utilisation();
    const auto live = gather.take(live_variables(profile, tables.variables));
    const auto add = [&](LayerCost row) {
        const Cost cost = costs.layer(row.id);
        row.cycles = costs.in(s.basis, cost.cycles);
        row.share = costs.share(cost);
        row.share_or_planned = costs.share_or_planned(cost);
        row.ipus = cost.ipus;
        row.flops = costs.in(s.basis, cost.flops);
        row.peak_share = costs.share_of_peak(cost);
        if (const auto held = live.by_layer.find(row.id); held != live.by_layer.end())
            row.memory = held->second;
        s.layers.push_back(std::move(row));
        return !s.layers.back().ipus.empty() || s.layers.back().memory.at_peak > 0;
    };
    for (const auto& layer : gather.take(profile.layers()))
        add({layer.id, layer.name, layer.kind, layer.parameters, {}, {}, {}, {}, 0, {}, {}});
    if (!add({})) // what belongs to no layer stands last
        s.layers.pop_back();
}

} // namespace

std::optional<double> step_us(const profile::RunRecord& run, const profile::TargetRecord& target,
                              const profile::ExecutionTotals& totals) {
    const bool simulated = run.device != profile::RunDevice::Cpu && target.clock_hz > 0;
    if (totals.steps == 0 || (!simulated && run.estimate))
        return std::nullopt;
    return simulated ? tilescope::step_us(totals.cycles, totals.steps, target.clock_hz)
                     : static_cast<double>(totals.wall_us) / static_cast<double>(totals.steps);
}

std::optional<double> wall_step_us(const profile::RunRecord& run, const profile::ExecutionTotals& totals) {
    if (totals.steps == 0 || totals.wall_us <= 0 || run.estimate)
        return std::nullopt;
    return static_cast<double>(totals.wall_us) / static_cast<double>(totals.steps);
}

std::optional<double> samples_per_s(std::optional<std::int64_t> batch_size, std::optional<double> step_us) {
    if (!step_us || *step_us <= 0 || !batch_size)
        return std::nullopt;
    return static_cast<double>(*batch_size) / *step_us * 1e6;
}

std::optional<double> samples_in(std::int64_t cycles, double clock_hz, std::optional<double> samples_per_s) {
    if (clock_hz <= 0 || !samples_per_s)
        return std::nullopt;
    return static_cast<double>(cycles) / clock_hz * *samples_per_s;
}

std::optional<double> utilisation(const profile::PhaseCycles& phases) {
    return share_of(phases.compute, phases.total());
}

Result<RunTables> RunTables::read(const Profile& profile) {
    RunTables tables;
    TRY(tables.costs, Costs::read(profile));
    TRY(tables.variables, variables_of_replica(profile));
    return tables;
}

Result<Summary> summarise(const Profile& profile, std::optional<Basis> basis) {
    TRY(const auto tables, RunTables::read(profile));
    return summarise(profile, tables, basis);
}

Result<Summary> summarise_briefly(const Profile& profile, const RunTables& tables,
                                  std::optional<Basis> basis) {
    Gather gather;
    Summary s;
    s.run = gather.take(profile.run());
    s.target = gather.take(profile.target());
    s.outputs = gather.take(profile.outputs());
    s.error_bands = gather.take(profile.error_bands());
    auto results = results_of(gather.take(profile.epoch_metrics()));
    s.epochs = std::move(results.epochs);
    s.evaluation = std::move(results.evaluation);
    add_timing(s, profile, gather);
    s.io = gather.take(io_tiles(profile, s.kind));
    if (s.run.compile_s > 0)
        s.compile_s = s.run.compile_s;
    const auto ipus = gather.take(profile.ipus());
    s.programs = gather.take(read_device_programs(profile));
    add_memory(s, profile, ipus, gather);
    if (s.samples_per_s && s.run.device == profile::RunDevice::Ipu && s.target.ipus > 0)
        s.samples_per_s_per_ipu = *s.samples_per_s / static_cast<double>(s.target.ipus);
    add_layers(s, profile, tables, basis, gather);
    const profile::ProgressRecord progress = gather.take(profile.progress());
    if (gather.error)
        return Failure(std::move(*gather.error));
    explain_absences(s, progress);
    return s;
}

Result<Summary> summarise(const Profile& profile, const RunTables& tables, std::optional<Basis> basis) {
    TRY(auto s, summarise_briefly(profile, tables, basis));
    Gather gather;
    add_stages(s, profile, gather);
    if (gather.error)
        return Failure(std::move(*gather.error));
    TRY(auto insights, find_insights(profile, s, tables.costs));
    s.insights = std::move(insights);
    return s;
}

std::int64_t StageSummary::work() const {
    return stage.cycles[PipelineActivity::Forward] + stage.cycles[PipelineActivity::Recompute] +
           stage.cycles[PipelineActivity::Backward];
}

RunResults results_of(const std::vector<profile::EpochMetricRecord>& rows) {
    RunResults results;
    for (const auto& row : rows) {
        if (row.kind == ExecutionKind::Evaluate) {
            results.evaluation.emplace_back(row.name, row.value);
            continue;
        }
        if (results.epochs.empty() || results.epochs.back().epoch != row.epoch + 1)
            results.epochs.push_back({row.epoch + 1, {}});
        results.epochs.back().metrics.emplace_back(row.name, row.value);
    }
    return results;
}

std::string Summary::why_absent(const std::string& figure) const {
    for (const Absence& absence : absent)
        if (figure == absence.figure || figure.starts_with(absence.figure + "."))
            return absence.reason;
    return {};
}

std::optional<double> Summary::elapsed_cycles(Basis per) const {
    if (elapsed == 0)
        return std::nullopt;
    return static_cast<double>(elapsed) / static_cast<double>(loops.count(per));
}

std::optional<double> Summary::planned_cycles(Basis per) const {
    if (planned == 0)
        return std::nullopt;
    return static_cast<double>(planned) / static_cast<double>(loops.count(per));
}

std::optional<double> Summary::elapsed_us(Basis per) const {
    const auto elapsed_then = elapsed_cycles(per);
    return elapsed_then && target.clock_hz > 0 ? std::optional(*elapsed_then / target.clock_hz * 1e6)
                                               : std::nullopt;
}

std::optional<std::int64_t> Summary::free_bytes() const {
    if (!memory || target.bytes_per_tile <= 0)
        return std::nullopt;
    return target.bytes_per_tile - memory->fullest_with_gaps.bytes;
}

namespace {

using Json = nlohmann::ordered_json;

template<class T>
Json number(const std::optional<T>& value) {
    return value ? Json(*value) : Json(nullptr);
}

Json phases_json(const std::optional<profile::PhaseCycles>& cycles) {
    const auto phase = [&](std::int64_t profile::PhaseCycles::*part) {
        return cycles ? Json((*cycles).*part) : Json(nullptr);
    };
    return {{"compute", phase(&profile::PhaseCycles::compute)},
            {"exchange", phase(&profile::PhaseCycles::exchange)},
            {"sync", phase(&profile::PhaseCycles::sync)},
            {"inter_ipu", phase(&profile::PhaseCycles::inter_ipu)},
            {"host", phase(&profile::PhaseCycles::host)},
            {"waiting", phase(&profile::PhaseCycles::waiting)}};
}

Json elapsed_json(const Summary& s) {
    Json all = Json::object();
    for (const Basis per : s.loops.bases())
        all[key(per)] = {{"cycles", number(s.elapsed_cycles(per))}, {"us", number(s.elapsed_us(per))}};
    return all;
}

/// What a figure of tiles and cycles is: nothing where the host computed.
Json of_ipus(const Summary& s, std::int64_t value) {
    return s.run.device == profile::RunDevice::Cpu ? Json(nullptr) : Json(value);
}

Json timing_json(const Summary& s) {
    return {{"cycles_total", number(s.cycles_total)},
            {"executions", s.executions},
            {"steps", s.steps},
            {"step_us", number(s.step_us)},
            {"samples_per_s", number(s.samples_per_s)},
            {"samples_per_s_per_ipu", number(s.samples_per_s_per_ipu)},
            {"peak_share", number(s.peak_share)},
            {"model_flops_utilisation", number(s.model_flops_utilisation)},
            {"by_phase", phases_json(s.by_phase)},
            {"io_tiles",
             {{"cycles", of_ipus(s, s.io.cycles)}, {"hidden_cycles", of_ipus(s, s.io.hidden_cycles)}}},
            {"kind", profile::to_string(s.kind)},
            {"cycles", number(s.cycles)},
            {"elapsed", elapsed_json(s)},
            {"layers_per", key(s.basis)},
            {"evaluation",
             {{"executions", s.evaluated.executions},
              {"steps", s.evaluated.steps},
              {"cycles", of_ipus(s, s.evaluated.cycles)}}},
            {"compile_s", number(s.compile_s)}};
}

Json memory_json(const Summary& s) {
    const std::optional<MemorySummary>& m = s.memory;
    const auto figure = [&](std::int64_t value) { return m ? Json(value) : Json(nullptr); };
    const MemorySummary memory = m.value_or(MemorySummary{});
    const auto of_code = [&](std::int64_t value) { return memory.code_limit ? Json(value) : Json(nullptr); };
    Json categories = m ? Json::object() : Json(nullptr);
    for (const auto& category : memory.categories)
        categories[to_string(category.category)] = category.always_live + category.not_always_live;
    return {{"total_bytes", figure(memory.total_bytes)},
            {"total_bytes_with_gaps", figure(memory.total_bytes_with_gaps)},
            {"max_tile_bytes", figure(memory.fullest.bytes)},
            {"max_tile", figure(memory.fullest.tile)},
            {"max_tile_ipu", figure(memory.fullest.ipu)},
            {"max_tile_bytes_with_gaps", figure(memory.fullest_with_gaps.bytes)},
            {"max_tile_with_gaps", figure(memory.fullest_with_gaps.tile)},
            {"max_tile_with_gaps_ipu", figure(memory.fullest_with_gaps.ipu)},
            {"free_bytes", number(s.free_bytes())},
            {"max_code_bytes", of_code(memory.most_code.bytes)},
            {"max_code_tile", of_code(memory.most_code.tile)},
            {"max_code_tile_ipu", of_code(memory.most_code.ipu)},
            {"code_limit_bytes", number(memory.code_limit)},
            {"always_live_bytes", figure(memory.always_live_bytes)},
            {"streaming_bytes", figure(memory.streaming_bytes)},
            {"by_category", std::move(categories)}};
}

Json stages_json(const Summary& s) {
    Json stages = Json::array();
    for (const StageSummary& row : s.stages) {
        Json activities = Json::object();
        for (const PipelineActivity activity : pipeline_activities)
            activities[profile::to_string(activity)] = row.stage.cycles[activity];
        stages.push_back({{"stage", row.stage.stage},
                          {"cycles", row.work()},
                          {"by_activity", std::move(activities)},
                          {"utilisation", row.stage.cycles.utilisation()},
                          {"memory_bytes", number(row.memory_bytes)}});
    }
    return stages;
}

Json programs_json(const Summary& s) {
    Json programs = Json::array();
    for (const DeviceProgram& program : s.programs) {
        const auto ran = [&](std::int64_t profile::ExecutionTotals::*figure) {
            return program.ran ? Json((*program.ran).*figure) : Json(nullptr);
        };
        programs.push_back(
            {{"name", program.key},
             {"graph", program.graph},
             {"described", program.id == 0},
             {"program_steps", program.steps},
             {"executions", ran(&profile::ExecutionTotals::executions)},
             {"steps", ran(&profile::ExecutionTotals::steps)},
             {"cycles", ran(&profile::ExecutionTotals::cycles)},
             {"by_phase", phases_json(program.ran ? std::optional(program.by_phase) : std::nullopt)}});
    }
    return programs;
}

Json layers_json(const Summary& s) {
    const bool host = s.run.device == profile::RunDevice::Cpu;
    Json layers = Json::array();
    for (const LayerCost& layer : s.layers)
        layers.push_back({{"name", layer.name},
                          {"kind", layer.kind},
                          {"parameters", layer.parameters},
                          {"cycles", of_ipus(s, layer.cycles.total())},
                          {"by_phase", phases_json(host ? std::nullopt : std::optional(layer.cycles))},
                          {"share", number(layer.share)},
                          {"ipus", layer.ipus},
                          {"flops", of_ipus(s, layer.flops)},
                          {"peak_share", number(layer.peak_share)},
                          {"memory_bytes", of_ipus(s, layer.memory.at_peak)},
                          {"always_live_bytes", of_ipus(s, layer.memory.always)}});
    return layers;
}

} // namespace

nlohmann::ordered_json document(const Summary& s) {
    Json outputs = Json::object();
    for (const auto& output : s.outputs) {
        Json& values = outputs[output.name] = read_json(output.values);
        if (values.is_discarded())
            values = nullptr;
    }
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
                        {"stages", ipu.stages},
                        {"utilisation", number(ipu.utilisation)},
                        {"memory_bytes", number(ipu.memory_bytes)}});
    Json absent = Json::object();
    for (const Absence& absence : s.absent)
        absent[absence.figure] = absence.reason;
    Json insights = Json::array();
    for (const auto& insight : s.insights)
        insights.push_back(document(insight));
    return {{"run",
             {{"status", profile::to_string(s.run.status)},
              {"workload", s.run.name},
              {"device", profile::to_string(s.run.device)},
              {"label", s.run.label},
              {"tool_version", s.run.tool_version},
              {"seed", s.run.seed},
              {"estimate", s.run.estimate},
              {"data_note", s.run.data_note},
              {"trimmed", s.run.trimmed},
              {"error", s.run.error}}},
            {"target",
             {{"generation", s.target.generation},
              {"system", s.target.system},
              {"ipus", s.target.ipus},
              {"tiles_per_ipu", s.target.tiles_per_ipu},
              {"io_tiles_per_ipu", s.io.tiles},
              {"bytes_per_tile", s.target.bytes_per_tile},
              {"clock_hz", s.target.clock_hz},
              {"streaming_bytes", number(s.target.streaming_bytes)}}},
            {"result", {{"outputs", outputs}, {"epochs", epochs}, {"evaluate", evaluate}}},
            {"timing", timing_json(s)},
            {"programs", programs_json(s)},
            {"memory", memory_json(s)},
            {"accuracy", document(s.error_bands)},
            {"ipus", ipus},
            {"stages", stages_json(s)},
            {"layers", layers_json(s)},
            {"insights", insights},
            {"absent", absent}};
}

} // namespace tilescope::analyse
