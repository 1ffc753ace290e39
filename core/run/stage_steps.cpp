// SPDX-License-Identifier: GPL-3.0-or-later
#include "stage_steps.h"

#include <algorithm>

namespace tilescope::run {

StageSteps::StageSteps(const compile::Executable& executable) {
    const program::Program& program = executable.program;
    stages_.resize(2 * static_cast<std::size_t>(program.ipus));
    std::vector<program::StepId> leaves;
    collect(program, program.root, leaves);
    // What the host feeds is part of a stage's forward pass, what it fetches of the last stage's.
    for (const program::StepId id : leaves) {
        const program::Step& step = program.step(id);
        const std::int32_t stage = std::max(step.ipu, 0);
        if (step.part == program::Part::Update) {
            update_.push_back(id);
            continue;
        }
        if (step.operation < 0) {
            const bool last = step.part == program::Part::Outfeed && step.ipu == program::all_ipus;
            stages_[index({last ? executable.graph.shards() - 1 : stage, 0, false})].steps.push_back(id);
            continue;
        }
        const graph::Phase phase = executable.graph.operation(graph::OpId(step.operation)).phase;
        Pass& pass = stages_[index({stage, 0, phase != graph::Phase::Forward})];
        (step.peer >= 0                     ? pass.copies
         : phase == graph::Phase::Recompute ? pass.recomputed
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
