// SPDX-License-Identifier: GPL-3.0-or-later
#include "stage_steps.h"

namespace tilescope::run {

StageSteps::StageSteps(const compile::Executable& executable) {
    const program::Program& program = executable.program;
    stages_.resize(2 * static_cast<std::size_t>(program.ipus));
    std::vector<program::StepId> leaves;
    collect(program, program.root, leaves);
    for (const program::StepId id : leaves) {
        const program::Step& step = program.step(id);
        if (step.part == ProgramPart::Update) {
            update_.push_back(id);
            continue;
        }
        if (step.operation < 0) { // the host feeds or fetches in a stage's forward pass
            stages_[index({step.ipu, 0, false})].steps.push_back(id);
            continue;
        }
        const Phase phase = executable.graph.operation(graph::OpId(step.operation)).phase;
        Pass& pass = stages_[index({step.ipu, 0, phase != Phase::Forward})];
        (step.peer >= 0              ? pass.copies
         : phase == Phase::Recompute ? pass.recomputed
                                     : pass.steps)
            .push_back(id);
    }
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
