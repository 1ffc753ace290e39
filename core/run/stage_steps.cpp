// SPDX-License-Identifier: GPL-3.0-or-later
#include "stage_steps.h"

#include <algorithm>

namespace tilescope::run {

StageSteps::StageSteps(const compile::Executable& executable)
    : executable_(executable), of_steps_(compile::step_stages(executable)) {
    const program::Program& program = executable.program;
    stages_.resize(2 * static_cast<std::size_t>(std::max(program.ipus, executable.graph.shards())));
    std::vector<program::StepId> leaves;
    collect(program, program.root, leaves);
    for (const program::StepId id : leaves) {
        const program::Step& step = program.step(id);
        const compile::StepStage& of = of_step(id);
        if (step.part == ProgramPart::Update) {
            update_.push_back(id);
            continue;
        }
        if (of.stage < 0)
            continue;
        const bool backward = step.operation >= 0 &&
                              executable.graph.operation(graph::OpId(step.operation)).phase != Phase::Forward;
        Pass& pass = stages_[index({of.stage, 0, backward})];
        if (program.overlaps_passes(step))
            pass.host.add(id, step);
        else if (of.activity == profile::PipelineActivity::Copy)
            pass.copies.push_back(id);
        else
            pass.add(id, of.activity == profile::PipelineActivity::Recompute);
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
