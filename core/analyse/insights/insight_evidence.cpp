// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/costs.h"
#include "analyse/insight_rules.h"
#include "analyse/like_names.h"
#include "analyse/phases.h"
#include "analyse/stage_ipus.h"
#include "analyse/summary.h"
#include "base/share.h"
#include "base/try.h"
#include "tile_use.h"

#include <algorithm>
#include <map>
#include <utility>

namespace tilescope::analyse {
namespace {

Result<std::vector<Evidence::Ipu>> ipus_of(const profile::Profile& profile, const Summary& summary) {
    std::vector<Evidence::Ipu> ipus;
    for (const IpuSummary& ipu : summary.ipus) {
        TRY(const auto cycles, profile.phase_cycles(summary.kind, ipu.id));
        ipus.push_back({ipu.id, ipu.replica, cycles.total(), cycles.compute});
    }
    return ipus;
}

/// By compute set and IPU: what it computes there in an engine run.
using SetCycles = std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t>;

SetCycles set_cycles(const std::vector<profile::ProgramRecord>& program, const Costs& costs) {
    SetCycles cycles;
    for (const auto& step : program)
        if (step.compute_set_id >= 0)
            for (const std::int64_t ipu : costs.ipus())
                if (costs.ipus_of(step, ipu) > 0)
                    cycles[{step.compute_set_id, ipu}] += step.compute_cycles * step.runs;
    return cycles;
}

/// Compute sets that are alike, `members` of `sets`, as one.
Evidence::ComputeSets together(const std::vector<profile::ComputeSetRecord>& sets,
                               const std::vector<std::size_t>& members, const SetCycles& cycles,
                               double periods) {
    struct OnIpu {
        double cycles = 0, lost = 0;
        double most = -1; ///< that one compute set loses
        std::int64_t operation = -1;
    };
    std::map<std::int64_t, OnIpu> on;
    Numbered name(sets[members.front()].name);
    for (const std::size_t member : members) {
        const auto& set = sets[member];
        name.merge(Numbered(set.name));
        for (auto at = cycles.lower_bound({set.id, every_ipu});
             at != cycles.end() && at->first.first == set.id; ++at) {
            OnIpu& ipu = on[at->first.second];
            const double takes = static_cast<double>(at->second) / periods;
            const double lost = takes * (1 - set.balance);
            ipu.cycles += takes;
            ipu.lost += lost;
            if (lost > ipu.most) {
                ipu.most = lost;
                ipu.operation = set.operation_id;
            }
        }
    }
    Evidence::ComputeSets of;
    of.name = name.text();
    of.count = static_cast<std::int64_t>(members.size());
    for (const auto& [id, ipu] : on) {
        if (of.operation < 0 || ipu.lost > of.lost) {
            of.ipu = id;
            of.operation = ipu.operation;
            of.cycles = ipu.cycles;
            of.lost = ipu.lost;
        }
    }
    return of;
}

/// How long compute sets and syncs take, and what of the IPUs' peak comes of it.
void add_pace(Evidence& e, const std::vector<profile::ProgramRecord>& program, const Costs& costs,
              double periods) {
    std::int64_t sets = 0, set_cycles = 0, syncs = 0, sync_cycles = 0;
    for (const auto& step : program) {
        if (step.compute_set_id >= 0) {
            sets += step.runs;
            set_cycles += step.compute_cycles * step.runs;
        }
        if (step.sync_cycles > 0 && !leaves_ipus(step.kind)) {
            syncs += step.runs;
            sync_cycles += step.sync_cycles * step.runs;
        }
    }
    e.set_cycles = share_of(set_cycles, sets).value_or(0);
    e.sync_cycles = share_of(sync_cycles, syncs).value_or(0);
    const Cost all = costs.program();
    const std::int64_t busy = all.cycles.total() - all.cycles.host - all.cycles.waiting;
    if (costs.ipus().empty() || busy <= 0)
        return;
    e.busy = static_cast<double>(busy) / static_cast<double>(costs.ipus().size()) / periods;
    if (all.peak_cycles > 0)
        e.peak_share = all.peak_cycles / static_cast<double>(busy);
}

/// Of operations of one kind, those that are alike but for numbers in their names are one.
Result<std::vector<Evidence::ComputeSets>> compute_sets_of(const profile::Profile& profile,
                                                           const Costs& costs, double periods) {
    TRY(const auto sets, profile.compute_sets());
    TRY(const auto program, profile.program());
    TRY(const auto operations, profile.operations());
    std::map<std::int64_t, std::string> kind_of;
    for (const auto& op : operations)
        kind_of[op.id] = op.kind;
    std::vector<std::string> names;
    for (const auto& set : sets)
        names.push_back(set.name + " " + kind_of[set.operation_id]);
    const SetCycles cycles = set_cycles(program, costs);
    std::vector<Evidence::ComputeSets> result;
    for (const LikeNames& alike : fold_names(names))
        if (auto of = together(sets, alike.members, cycles, periods); of.cycles > 0)
            result.push_back(std::move(of));
    return result;
}

/// Cycles of an operation in an engine run that only bring operands to where they are used, or lay them out
/// there.
std::map<std::int64_t, std::int64_t> arranging_of(const std::vector<profile::ProgramRecord>& program,
                                                  const Costs& costs) {
    std::map<std::int64_t, std::int64_t> cycles;
    for (const auto& step : program)
        if (is_leaf(step.kind) && (step.role == StepRole::Bring || step.role == StepRole::Rearrange))
            cycles[step.operation_id] += cycles_of_run(step) * step.runs * costs.ipus_of(step);
    return cycles;
}

Result<std::vector<Evidence::Operations>> operations_of(const profile::Profile& profile, const Costs& costs,
                                                        double periods) {
    TRY(const auto operations, profile.operations());
    TRY(const auto program, profile.program());
    const auto arranging = arranging_of(program, costs);
    std::vector<std::string> names;
    for (const auto& op : operations)
        names.push_back(op.name + " " + op.kind);
    std::vector<Evidence::Operations> result;
    for (const LikeNames& alike : fold_names(names)) {
        Evidence::Operations of;
        of.count = static_cast<std::int64_t>(alike.members.size());
        std::map<std::int64_t, double> by_ipu;
        std::int64_t most = -1;
        Numbered name(operations[alike.members.front()].name);
        for (const std::size_t member : alike.members) {
            const auto& op = operations[member];
            name.merge(Numbered(op.name));
            const Cost cost = costs.operation(op.id);
            const std::int64_t cycles = cost.cycles.total();
            of.cycles += static_cast<double>(cycles) / periods;
            of.exchange += static_cast<double>(cost.cycles.exchange) / periods;
            if (const auto found = arranging.find(op.id); found != arranging.end())
                of.arranging += static_cast<double>(found->second) / periods;
            for (const std::int64_t ipu : cost.ipus)
                by_ipu[ipu] += static_cast<double>(costs.operation(op.id, ipu).cycles.total()) / periods;
            if (cycles > most) {
                most = cycles;
                of.operation = op.id;
                of.ipu = cost.ipus.empty() ? 0 : cost.ipus.front();
            }
        }
        of.name = name.text();
        for (const auto& [ipu, cycles] : by_ipu)
            of.longest = std::max(of.longest, cycles);
        if (of.cycles > 0)
            result.push_back(std::move(of));
    }
    return result;
}

/// Bytes of code, which is always live, on the tile that must fit.
Result<std::int64_t> code_on(const profile::Profile& profile, const MemorySummary& memory) {
    std::int64_t code = 0;
    const FullestTile& on = memory.fullest_with_gaps;
    for (const auto& of : memory.categories) {
        if (!is_code(of.category))
            continue;
        TRY(const auto bytes,
            profile.tile_values("category:" + to_string(of.category), 0, on.ipu, "always_live"));
        if (static_cast<std::size_t>(on.tile) < bytes.size())
            code += bytes[static_cast<std::size_t>(on.tile)];
    }
    return code;
}

Result<void> add_stages(Evidence& e, const profile::Profile& profile, const Summary& s) {
    if (s.stages.empty())
        return {};
    TRY(const auto operations, profile.operations());
    TRY(const auto ipus, profile.ipus());
    const std::map<std::int64_t, std::int64_t> on = stage_ipus(operations, ipus);
    std::map<std::int64_t, std::size_t> places; // by IPU
    for (const StageSummary& stage : s.stages) {
        const auto ipu = on.find(stage.stage.stage);
        const std::int64_t key = ipu == on.end() ? -1 - stage.stage.stage : ipu->second;
        const auto [place, fresh] = places.try_emplace(key, e.stages.size());
        if (fresh) {
            e.stages.push_back(0);
            e.first_stages.push_back(stage.stage.stage);
        }
        e.stages[place->second] += stage.work();
    }
    if (e.stages.size() == s.stages.size())
        e.first_stages.clear();
    e.uneven_cycles = s.uneven_cycles;
    return {};
}

} // namespace

Result<Evidence> evidence_of(const profile::Profile& profile, const Summary& s, const Costs& costs) {
    TRY(auto ipus, ipus_of(profile, s));
    const auto periods = static_cast<double>(s.loops.count(s.basis));
    TRY(auto compute_sets, compute_sets_of(profile, costs, periods));
    TRY(auto operations, operations_of(profile, costs, periods));
    TRY(const auto program, profile.program());
    Evidence e;
    if (s.memory) {
        TRY(e.highest_code, code_on(profile, *s.memory));
    }
    for (const Evidence::Operations& of : operations) {
        e.arranging += of.arranging;
        e.operation_cycles += of.cycles;
    }
    e.operations = std::move(operations);
    e.tiles_per_ipu = s.target.tiles_per_ipu;
    e.bytes_per_tile = s.target.bytes_per_tile;
    e.steps_per_execution = s.run.steps_per_execution;
    e.executions = s.executions;
    e.steps = s.steps;
    e.counter_on_ipu = s.run.global_step == profile::CounterPlace::Ipu;
    e.small_graph = !s.outputs.empty() || s.run.workload_kind == profile::WorkloadKind::Graph;
    e.batch_size = s.run.batch_size.value_or(0);
    if (s.run.status == profile::RunStatus::Diverged)
        e.divergence = s.run.error;
    e.phases = s.by_phase;
    e.host = host_time(program, costs, s.io, s.executions);
    if (s.memory) {
        const auto tile = [](const FullestTile& full) {
            return Evidence::Tile{full.ipu, full.tile, full.bytes};
        };
        e.fullest = tile(s.memory->fullest);
        e.highest = tile(s.memory->fullest_with_gaps);
        e.total_bytes = s.memory->total_bytes;
        if (s.run.status == profile::RunStatus::OutOfMemory && s.free_bytes().value_or(-1) >= 0)
            e.shortage = s.run.error;
        TRY(e.diagnosis, diagnose(profile, s));
    }
    e.ipus = std::move(ipus);
    e.compute_sets = std::move(compute_sets);
    TRY(add_stages(e, profile, s));
    add_pace(e, program, costs, periods);
    e.per = to_string(s.basis);
    e.planned = !s.elapsed_cycles(s.basis) && s.planned > 0;
    e.elapsed = (e.planned ? s.planned_cycles(s.basis) : s.elapsed_cycles(s.basis)).value_or(0);
    e.updates = static_cast<double>(s.loops.updates) / periods;
    return e;
}

} // namespace tilescope::analyse
