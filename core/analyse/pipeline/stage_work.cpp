// SPDX-License-Identifier: GPL-3.0-or-later
#include "stage_work.h"

#include "analyse/basis.h"
#include "analyse/phases.h"
#include "analyse/stage_host.h"
#include "analyse/stage_ipus.h"
#include "base/try.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

namespace tilescope::analyse {
namespace {

using profile::ProgramRecord;

/// As they run, one after the other.
std::vector<const ProgramRecord*> leaves_in_order(const profile::SharedRows<ProgramRecord>& program) {
    std::map<std::int64_t, std::vector<const ProgramRecord*>> children;
    std::set<std::int64_t> ids;
    for (const ProgramRecord& step : program)
        ids.insert(step.id);
    constexpr std::int64_t none = -1;
    for (const ProgramRecord& step : program)
        children[ids.contains(step.parent_id) ? step.parent_id : none].push_back(&step);
    for (auto& [parent, steps] : children)
        std::stable_sort(steps.begin(), steps.end(), [](const ProgramRecord* a, const ProgramRecord* b) {
            return a->position < b->position;
        });
    std::vector<const ProgramRecord*> leaves;
    std::vector<const ProgramRecord*> open(children[none].rbegin(),
                                           children[none].rend()); // the next one last
    while (!open.empty()) {
        const ProgramRecord* step = open.back();
        open.pop_back();
        if (is_leaf(step->kind))
            leaves.push_back(step);
        else if (const auto below = children.find(step->id); below != children.end())
            open.insert(open.end(), below->second.rbegin(), below->second.rend());
    }
    return leaves;
}

/// Every leaf of the program, in order, for each stage that does it: all that update at once, both ends of a
/// copy, or one. None without a pipeline.
template<class Visit>
Result<void> visit_steps(const profile::Profile& profile, const Visit& visit) {
    TRY(const auto operations, profile.operations());
    TRY(const auto ipus, profile.ipus());
    TRY(const auto program, profile.program());
    const std::map<std::int64_t, std::int64_t> ipu_of = stage_ipus(operations, ipus);
    if (ipu_of.empty())
        return {};
    for (const ProgramRecord* step : leaves_in_order(program)) {
        if (!step->activity)
            continue;
        if (step->stage >= 0)
            visit(*step, step->stage);
        else if (*step->activity == PipelineActivity::Update)
            for (const auto& [stage, ipu] : ipu_of)
                visit(*step, stage);
        if (step->peer_stage >= 0)
            visit(*step, step->peer_stage);
    }
    return {};
}

} // namespace

Result<StageWork> stage_work(const profile::Profile& profile) {
    StageWork work;
    std::map<std::int64_t, std::int64_t> layers; // by operation
    TRY(const auto operations, profile.operations());
    for (const auto& op : operations)
        layers.emplace(op.id, op.layer_id);
    TRY(visit_steps(profile, [&](const ProgramRecord& step, std::int64_t stage) {
        const auto layer = layers.find(step.operation_id);
        work[{stage, *step.activity}][layer == layers.end() ? host_copies : layer->second] +=
            cycles_of_run(step) * step.runs;
    }));
    return work;
}

Result<std::map<std::int64_t, std::int64_t>> stage_host_cycles(const profile::Profile& profile) {
    std::map<std::int64_t, std::int64_t> cycles;
    TRY(const auto beside, profile.schedule_io());
    if (!beside.empty())
        return cycles;
    TRY(const auto loops, read_loops(profile));
    const Basis update = loops.training ? Basis::WeightUpdate : Basis::Execution;
    TRY(visit_steps(profile, [&](const ProgramRecord& step, std::int64_t stage) {
        cycles[stage] += leaves_ipus(step.kind) ? step.exchange_cycles * step.runs : 0;
    }));
    for (auto& [stage, of_run] : cycles)
        of_run = std::llround(loops.mean(of_run, update));
    return cycles;
}

Result<HostedPasses> hosted_passes(const profile::Profile& profile) {
    TRY(const auto beside, profile.schedule_io());
    if (!beside.empty())
        return HostedPasses();
    TRY(const auto loops, read_loops(profile));
    struct Part {
        std::int64_t of_run = 0;                                 ///< cycles of all passes of a run
        std::vector<std::pair<std::int64_t, std::int64_t>> host; ///< in these
    };
    std::map<std::pair<std::int64_t, PipelineActivity>, Part> parts;
    TRY(visit_steps(profile, [&](const ProgramRecord& step, std::int64_t stage) {
        Part& part = parts[{stage, *step.activity}];
        const std::int64_t before = part.of_run;
        part.of_run += cycles_of_run(step) * step.runs;
        if (!leaves_ipus(step.kind) || step.exchange_cycles == 0)
            return;
        const std::int64_t from = before + step.sync_cycles * step.runs;
        if (!part.host.empty() && part.host.back().second == from)
            part.host.back().second = part.of_run;
        else
            part.host.emplace_back(from, from + step.exchange_cycles * step.runs);
    }));
    HostedPasses passes;
    for (const auto& [which, part] : parts) {
        const auto of_one = [&, update = which.second == PipelineActivity::Update](std::int64_t of_run) {
            const Basis basis = !update          ? Basis::MicroBatch
                                : loops.training ? Basis::WeightUpdate
                                                 : Basis::Execution;
            return std::llround(loops.mean(of_run, basis));
        };
        if (part.host.empty())
            continue;
        HostedPass& pass = passes[which];
        pass.cycles = of_one(part.of_run);
        for (const auto& [from, to] : part.host)
            pass.host.emplace_back(of_one(from), of_one(to));
    }
    return passes;
}

std::int64_t HostedPass::host_cycles() const {
    std::int64_t sum = 0;
    for (const auto& [from, to] : host)
        sum += to - from;
    return sum;
}

const HostedPass* host_in(const HostedPasses& passes, const profile::PipelineSlotRecord& slot) {
    const auto found = passes.find({slot.stage, slot.activity});
    return found != passes.end() && found->second.cycles == slot.end_cycle - slot.start_cycle ? &found->second
                                                                                              : nullptr;
}

} // namespace tilescope::analyse
