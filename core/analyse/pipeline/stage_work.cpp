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

using profile::ProgramPart;
using profile::ProgramRecord;

/// Which stage does a step, as the clock of the simulation sees it.
class Stages {
  public:
    explicit Stages(std::map<std::int64_t, std::int64_t> ipu_of) : ipu_of_(std::move(ipu_of)) {}

    /// Of an operation on `ipu`; nullptr: none, which is done by the first stage of the IPU, or by the last
    /// stage where it brings results to the host.
    std::int64_t of(const ProgramRecord& step, const profile::OperationRecord* operation,
                    std::int64_t ipu) const {
        if (operation == nullptr && step.part == ProgramPart::Outfeed)
            return ipu_of_.rbegin()->first;
        if (operation != nullptr)
            if (const auto own = ipu_of_.find(operation->stage); own != ipu_of_.end() && own->second == ipu)
                return own->first;
        for (const auto& [stage, of_stage] : ipu_of_)
            if (of_stage == ipu)
                return stage;
        return -1;
    }
    /// Those that do it: all that update at once, both ends of a copy, or one.
    std::vector<std::int64_t> all_of(const ProgramRecord& step,
                                     const profile::OperationRecord* operation) const {
        std::vector<std::int64_t> stages;
        if (step.ipu < 0) {
            for (const auto& [stage, ipu] : ipu_of_)
                stages.push_back(stage);
            return stages;
        }
        stages.push_back(of(step, operation, step.ipu));
        if (step.peer >= 0)
            stages.push_back(of(step, operation, step.peer));
        return stages;
    }

  private:
    std::map<std::int64_t, std::int64_t> ipu_of_; ///< by stage
};

PipelineActivity activity_of(const ProgramRecord& step, const profile::OperationRecord* operation) {
    if (step.part == ProgramPart::Update)
        return PipelineActivity::Update;
    if (step.peer >= 0 || step.role == StepRole::Copy)
        return PipelineActivity::Copy;
    if (operation == nullptr || operation->phase == profile::Phase::Forward)
        return PipelineActivity::Forward;
    return operation->phase == profile::Phase::Recompute ? PipelineActivity::Recompute
                                                         : PipelineActivity::Backward;
}

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

/// Every leaf of the program, in order, with its operation, null without one, and each stage that does it.
/// None without a pipeline.
template<class Visit>
Result<void> visit_steps(const profile::Profile& profile, const Visit& visit) {
    TRY(const auto operations, profile.operations());
    TRY(const auto ipus, profile.ipus());
    TRY(const auto program, profile.program());
    auto ipu_of = stage_ipus(operations, ipus);
    if (ipu_of.empty())
        return {};
    const Stages stages(std::move(ipu_of));
    std::map<std::int64_t, const profile::OperationRecord*> by_id;
    for (const auto& op : operations)
        by_id.emplace(op.id, &op);
    for (const ProgramRecord* step : leaves_in_order(program)) {
        const auto found = by_id.find(step->operation_id);
        const profile::OperationRecord* op = found == by_id.end() ? nullptr : found->second;
        for (const std::int64_t stage : stages.all_of(*step, op))
            visit(*step, op, stage);
    }
    return {};
}

} // namespace

Result<StageWork> stage_work(const profile::Profile& profile) {
    StageWork work;
    TRY(visit_steps(profile,
                    [&](const ProgramRecord& step, const profile::OperationRecord* op, std::int64_t stage) {
                        work[{stage, activity_of(step, op)}][op == nullptr ? host_copies : op->layer_id] +=
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
    TRY(visit_steps(profile,
                    [&](const ProgramRecord& step, const profile::OperationRecord*, std::int64_t stage) {
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
    TRY(visit_steps(profile,
                    [&](const ProgramRecord& step, const profile::OperationRecord* op, std::int64_t stage) {
                        Part& part = parts[{stage, activity_of(step, op)}];
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
