// SPDX-License-Identifier: GPL-3.0-or-later
#include "compile/step_stages.h"

#include "base/entry.h"
#include "compile/operation_stages.h"

#include <algorithm>
#include <cstddef>

namespace tilescope::compile {
namespace {

using profile::PipelineActivity;
using program::Step;

class StageRule {
  public:
    explicit StageRule(const Executable& executable)
        : e_(executable), of_operations_(operation_stages(executable.graph)) {}

    StepStage of_leaf(program::StepId id) const {
        const Step& step = e_.program.step(id);
        if (step.part == ProgramPart::Update)
            return of_update(step);
        if (e_.program.io_overlaps && id == e_.program.io_wait) // it comes about between the passes
            return {};
        if (step.operation < 0)
            return of_host(step);
        if (copies(step))
            return {sender_of(step), reader_of(step), PipelineActivity::Copy};
        const Phase phase = e_.graph.operation(graph::OpId(step.operation)).phase;
        return {reader_of(step), -1,
                phase == Phase::Forward     ? PipelineActivity::Forward
                : phase == Phase::Recompute ? PipelineActivity::Recompute
                                            : PipelineActivity::Backward};
    }
    /// Of an operation that has no steps.
    std::int32_t of_empty(const Step& step) const {
        return step.operation < 0 || step.part == ProgramPart::Update
                   ? -1
                   : of_operations_[static_cast<std::size_t>(step.operation)];
    }

  private:
    static bool copies(const Step& step) { return step.peer >= 0 || step.work.role == StepRole::Copy; }

    StepStage of_update(const Step& step) const {
        if (step.ipu == program::all_ipus)
            return {-1, -1, PipelineActivity::Update};
        if (copies(step))
            return {sender_of(step), reader_of(step), PipelineActivity::Update};
        return {reader_of(step), -1, PipelineActivity::Update};
    }
    /// The host feeds or fetches in a stage's forward pass; beside the passes where it overlaps them, but for
    /// what then goes from the I/O tiles to the others and back.
    StepStage of_host(const Step& step) const {
        const std::int32_t stage =
            step.part == ProgramPart::Outfeed ? e_.graph.shards() - 1 : stage_of(-1, step.ipu);
        if (!e_.program.overlaps_passes(step))
            return {stage, -1, PipelineActivity::Forward};
        return {stage, -1, step.on_io_tiles ? std::nullopt : std::optional(PipelineActivity::Copy)};
    }
    /// An operation without a stage of its own runs where its first operand lies.
    std::int32_t stage_of(std::int32_t operation, std::int32_t ipu) const {
        const std::int32_t stage = operation < 0 ? -1 : of_operations_[static_cast<std::size_t>(operation)];
        return stage_on(e_.schedule, stage, ipu);
    }
    /// The stage of a step's operation, which reads what a copy brings.
    std::int32_t reader_of(const Step& step) const {
        return stage_of(step.operation, step.peer >= 0 ? step.peer : step.ipu);
    }
    /// The stage that made what a copy takes to another IPU or stage.
    std::int32_t sender_of(const Step& copy) const { return stage_of(copy.made_by, copy.ipu); }

    const Executable& e_;
    std::vector<std::int32_t> of_operations_;
};

constexpr std::int32_t several_stages = -2;

/// What is of one stage and of another.
std::int32_t of_both(std::int32_t a, std::int32_t b) {
    return a == -1 || a == b ? b : b == -1 ? a : several_stages;
}

} // namespace

std::vector<StepStage> step_stages(const Executable& executable) {
    const program::Program& program = executable.program;
    std::vector<StepStage> stages(program.steps.size());
    if (!executable.schedule.pipeline)
        return stages;
    const StageRule rule(executable);
    for (std::size_t i = stages.size(); i-- > 0;) { // parents stand before their children
        const Step& step = program.steps[i];
        if (step.leaf()) {
            stages[i] = rule.of_leaf(program::StepId(static_cast<std::int32_t>(i)));
            continue;
        }
        for (const program::StepId child : step.children) {
            const StepStage& of = entry(stages, child);
            stages[i].stage = of_both(stages[i].stage, of.peer_stage >= 0 ? of.peer_stage : of.stage);
        }
        if (stages[i].stage == -1)
            stages[i].stage = rule.of_empty(step);
    }
    for (StepStage& step : stages)
        step.stage = std::max(step.stage, -1);
    return stages;
}

} // namespace tilescope::compile
