// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/clock.h"

#include <cmath>

namespace tilescope::run {

Clock::Clock(const compile::Executable& executable, profile::Recorder& recorder)
    : recorder_(recorder), repeats_(executable.steps_per_execution) {
    host_cycles_ = executable.target.cycles_of_us(executable.target.host_execution_us);
    if (executable.program.root.value >= 0)
        unroll(executable.program, executable.program.root);
}

/// Repeats within a step, as of a serial plan, run one after another; the loop over the steps itself is
/// counted by `repeats_`.
void Clock::unroll(const program::Program& program, program::StepId id) {
    const program::Step& step = program.step(id);
    if (step.leaf()) {
        leaves_.push_back({id.value, step.sync_cycles, step.exchange_cycles, step.compute_cycles});
        (step.kind == program::StepKind::StreamCopy ? phases_.host : phases_.exchange) +=
            step.exchange_cycles * repeats_;
        phases_.sync += step.sync_cycles * repeats_;
        phases_.compute += step.compute_cycles * repeats_;
        return;
    }
    const std::int64_t times = step.operation >= 0 ? step.repeats : 1;
    for (std::int64_t i = 0; i < times; ++i)
        for (const program::StepId child : step.children)
            unroll(program, child);
}

void Clock::execute(profile::ExecutionRecord execution, bool traced) {
    execution.start_cycle = now_;
    execution.cycles = execution_cycles();
    execution.traced = traced;
    recorder_.add(execution);
    recorder_.add(profile::ExecutionIpuRecord{execution.id, 0, phases_.compute, phases_.exchange,
                                              phases_.sync, 0, phases_.host + host_cycles_, 0});
    if (traced) {
        std::int64_t at = now_ + host_cycles_;
        for (std::int64_t step = 0; step < repeats_; ++step)
            for (const Leaf& leaf : leaves_) {
                recorder_.add(profile::TraceRecord{execution.id, step, leaf.program_id, 0, at, leaf.sync,
                                                   leaf.exchange, leaf.compute});
                at += leaf.sync + leaf.exchange + leaf.compute;
            }
    }
    now_ += execution.cycles;
}

} // namespace tilescope::run
