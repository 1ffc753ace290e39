// SPDX-License-Identifier: GPL-3.0-or-later
#include "stage_steps.h"

#include "compile/operation_stages.h"

#include <algorithm>

namespace tilescope::run {

StageSteps::StageSteps(const compile::Executable& executable)
    : executable_(executable), of_operations_(compile::operation_stages(executable.graph)) {
    const program::Program& program = executable.program;
    stages_.resize(2 * static_cast<std::size_t>(std::max(program.ipus, executable.graph.shards())));
    std::vector<program::StepId> leaves;
    collect(program, program.root, leaves);
    for (const program::StepId id : leaves) {
        const program::Step& step = program.step(id);
        if (step.part == ProgramPart::Update) {
            update_.push_back(id);
            continue;
        }
        if (program.io_overlaps && id == program.io_wait) // of no stage: it comes about between the passes
            continue;
        if (step.operation < 0) { // the host feeds or fetches in a stage's forward pass
            const std::int32_t stage =
                step.part == ProgramPart::Outfeed ? executable.graph.shards() - 1 : stage_of(-1, step.ipu);
            Pass& pass = stages_[index({stage, 0, false})];
            if (!program.io_overlaps ||
                (step.part != ProgramPart::Infeed && step.part != ProgramPart::Outfeed))
                pass.add(id, false);
            else
                pass.host.add(id, step);
            continue;
        }
        const Phase phase = executable.graph.operation(graph::OpId(step.operation)).phase;
        const bool copies = step.peer >= 0 || step.work.role == StepRole::Copy;
        const std::int32_t stage = copies ? sender_of(step) : stage_of(step);
        Pass& pass = stages_[index({stage, 0, phase != Phase::Forward})];
        if (copies)
            pass.copies.push_back(id);
        else
            pass.add(id, phase == Phase::Recompute);
    }
}

void StageSteps::Host::add(program::StepId id, const program::Step& step) {
    const bool in = step.part == ProgramPart::Infeed;
    (step.on_io_tiles ? (in ? load : store) : (in ? arrive : leave)).push_back(id);
}

/// In the order of the program: what is run again begins a piece, and the steps behind it are the piece's
/// own.
void StageSteps::Pass::add(program::StepId step, bool recomputed) {
    if (recomputed && !pieces.back().steps.empty())
        pieces.emplace_back();
    (recomputed ? pieces.back().recomputed : pieces.back().steps).push_back(step);
}

/// An operation without a stage of its own runs where its first operand lies.
std::int32_t StageSteps::stage_of(std::int32_t operation, std::int32_t ipu) const {
    const std::int32_t stage = operation < 0 ? -1 : of_operations_[static_cast<std::size_t>(operation)];
    return compile::stage_on(executable_.schedule, stage, ipu);
}

std::int32_t StageSteps::stage_of(const program::Step& step) const {
    return stage_of(step.operation, step.peer >= 0 ? step.peer : step.ipu);
}

/// The stage that made what a copy takes to another IPU or stage.
std::int32_t StageSteps::sender_of(const program::Step& copy) const {
    return stage_of(copy.uses.empty() ? -1 : executable_.program.variable(copy.uses[0]).operation, copy.ipu);
}

void StageSteps::collect(const program::Program& program, program::StepId id,
                         std::vector<program::StepId>& out) const {
    const program::Step& step = program.step(id);
    if (step.leaf()) {
        out.push_back(id);
        return;
    }
    const std::int64_t times = program.loops_over_batches(id) ? 1 : step.repeats;
    for (std::int64_t i = 0; i < times; ++i)
        for (const program::StepId child : step.children)
            collect(program, child, out);
}

} // namespace tilescope::run
