// SPDX-License-Identifier: GPL-3.0-or-later
#include "stage_work.h"

#include "analyse/basis.h"
#include "analyse/phases.h"
#include "analyse/stage_host.h"
#include "analyse/stage_ipus.h"
#include "base/try.h"

#include <cmath>
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

/// Every leaf of the program with its operation, null without one, and each stage that does it. None without
/// a pipeline.
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
    for (const ProgramRecord& step : program) {
        if (!is_leaf(step.kind))
            continue;
        const auto found = by_id.find(step.operation_id);
        const profile::OperationRecord* op = found == by_id.end() ? nullptr : found->second;
        for (const std::int64_t stage : stages.all_of(step, op))
            visit(step, op, stage);
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

} // namespace tilescope::analyse
