// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/clock.h"

#include "stage_steps.h"

#include <algorithm>

namespace tilescope::run {

Clock::Clock(const compile::Executable& executable, profile::Recorder& recorder)
    : recorder_(recorder), ipus_(static_cast<std::size_t>(executable.program.ipus)),
      repeats_(executable.schedule.updates_per_execution()), replicas_(executable.schedule.replicas) {
    host_cycles_ = executable.target.cycles_of_us(executable.target.host_execution_us);
    if (executable.schedule.pipeline)
        schedule_pipeline(executable);
    else if (executable.program.root.value >= 0)
        unroll(executable.program, executable.program.root);
    for (const Ipu& ipu : ipus_)
        step_cycles_ = std::max(step_cycles_, ipu.at);
}

void Clock::swap_programs(const compile::Executable& executable) {
    std::int64_t bytes = 0;
    for (const program::Variable& variable : executable.program.variables)
        if (variable.always_live)
            bytes += variable.total_bytes() * (variable.category == program::Category::Variables ? 2 : 1);
    const ipu::Target& target = executable.target;
    host_cycles_ += target.cycles_of_us(target.host_execution_us) +
                    static_cast<std::int64_t>(static_cast<double>(bytes) / target.host_bytes_per_cycle);
}

/// Repeats within a round, of micro-batches or of a serial plan, run one after another; the loop over the
/// rounds is counted by `repeats_`.
void Clock::unroll(const program::Program& program, program::StepId id) {
    const program::Step& step = program.step(id);
    if (step.leaf()) {
        schedule(program, id);
        return;
    }
    const std::int64_t times = id == program.rounds ? 1 : step.repeats;
    for (std::int64_t i = 0; i < times; ++i)
        for (const program::StepId child : step.children)
            unroll(program, child);
}

/// Appends a leaf to those IPUs that take part in it, when the last of them has come to it.
void Clock::schedule(const program::Program& program, program::StepId id) {
    const program::Step& step = program.step(id);
    std::vector<Ipu*> takers;
    for (std::size_t i = 0; i < ipus_.size(); ++i)
        if (const auto ipu = static_cast<std::int32_t>(i);
            step.ipu == program::all_ipus || step.ipu == ipu || step.peer == ipu)
            takers.push_back(&ipus_[i]);
    std::int64_t start = 0;
    for (const Ipu* ipu : takers)
        start = std::max(start, ipu->at);
    for (Ipu* ipu : takers)
        append(*ipu, program, id, start);
}

void Clock::append(Ipu& ipu, const program::Program& program, program::StepId id, std::int64_t start) {
    const program::Step& step = program.step(id);
    const bool between =
        step.exchange >= 0 &&
        program.exchanges[static_cast<std::size_t>(step.exchange)].kind == program::ExchangeKind::InterIpu;
    ipu.slots.push_back({id.value, start, step.sync_cycles, step.exchange_cycles, step.compute_cycles});
    (step.kind == program::StepKind::StreamCopy ? ipu.phases.host
     : between                                  ? ipu.phases.inter_ipu
                                                : ipu.phases.exchange) += step.exchange_cycles;
    ipu.phases.sync += step.sync_cycles;
    ipu.phases.compute += step.compute_cycles;
    ipu.at = start + step.cycles();
}

/// All IPUs wait for the one that is last.
void Clock::align() {
    std::int64_t last = 0;
    for (const Ipu& ipu : ipus_)
        last = std::max(last, ipu.at);
    for (Ipu& ipu : ipus_)
        ipu.at = last;
}

/// What a stage has done since it was marked last.
void Clock::mark(std::size_t stage, Activity activity, std::int64_t slot, std::int64_t micro_batch) {
    Ipu& ipu = ipus_[stage];
    if (ipu.at > ipu.marked)
        slots_.push_back({static_cast<std::int64_t>(stage), ipu.marked, ipu.at, slot, activity, micro_batch});
    ipu.marked = ipu.at;
}

void Clock::run(const program::PipelineWork& work, std::int64_t slot, const program::Program& program,
                const StageSteps& steps) {
    const auto stage = static_cast<std::size_t>(work.stage);
    Ipu& ipu = ipus_[stage];
    for (const program::StepId id : steps.recomputed_for(work))
        append(ipu, program, id, ipu.at);
    mark(stage, Activity::Recompute, slot, work.micro_batch);
    for (const program::StepId id : steps.of(work))
        append(ipu, program, id, ipu.at);
    mark(stage, work.backward ? Activity::Backward : Activity::Forward, slot, work.micro_batch);
}

void Clock::schedule_pipeline(const compile::Executable& executable) {
    const program::Program& program = executable.program;
    const StageSteps steps(executable);
    const std::int32_t stages = executable.graph.shards();
    const bool halves =
        *executable.schedule.pipeline == program::PipelineSchedule::Grouped && executable.graph.training;
    const auto count = static_cast<std::size_t>(stages); // an IPU beyond them only waits
    std::int64_t part = 0;
    for (const auto& works :
         program::pipeline_slots(*executable.schedule.pipeline, stages, executable.schedule.accumulation,
                                 executable.graph.training.has_value())) {
        const std::int64_t slot = halves ? part++ / 2 : part++;
        std::vector<std::int64_t> batches(count, -1); // by stage: the micro-batch in work
        const auto wait = [&] {
            align();
            for (std::size_t s = 0; s < count; ++s)
                mark(s, batches[s] < 0 ? Activity::Idle : Activity::Waiting, slot, batches[s]);
        };
        for (const program::PipelineWork& work : works) {
            batches[static_cast<std::size_t>(work.stage)] = work.micro_batch;
            run(work, slot, program, steps);
        }
        wait();
        for (const program::PipelineWork& work : works)
            for (const program::StepId id : steps.copies_of(work))
                schedule(program, id);
        for (std::size_t s = 0; s < count; ++s)
            mark(s, Activity::Copy, slot, batches[s]);
        wait();
    }
    for (const program::StepId id : steps.update())
        schedule(program, id);
    for (std::size_t s = 0; s < count; ++s)
        mark(s, Activity::Update, -1, -1);
    align();
    for (std::size_t s = 0; s < count; ++s)
        mark(s, Activity::Waiting, -1, -1);
}

void Clock::execute(profile::ExecutionRecord execution, bool traced) {
    execution.start_cycle = now_;
    execution.cycles = execution_cycles();
    execution.traced = traced;
    recorder_.add(execution);
    const std::size_t ipus = ipus_.size();
    for (std::size_t i = 0; i < ipus * static_cast<std::size_t>(replicas_); ++i) { // replicas keep step
        const Ipu& ipu = ipus_[i % ipus];
        const Phases& p = ipu.phases;
        const std::int64_t waiting = (step_cycles_ - p.total()) * repeats_;
        recorder_.add(profile::ExecutionIpuRecord{
            execution.id, static_cast<std::int64_t>(i), p.compute * repeats_, p.exchange * repeats_,
            p.sync * repeats_, p.inter_ipu * repeats_, p.host * repeats_ + host_cycles_, waiting});
        for (std::int64_t step = 0; traced && step < repeats_; ++step) {
            const std::int64_t begin = now_ + host_cycles_ + step * step_cycles_;
            for (const Slot& slot : ipu.slots)
                recorder_.add(profile::TraceRecord{execution.id, step, slot.program_id,
                                                   static_cast<std::int64_t>(i), begin + slot.start,
                                                   slot.sync, slot.exchange, slot.compute});
        }
    }
    now_ += execution.cycles;
}

} // namespace tilescope::run
