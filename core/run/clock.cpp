// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/clock.h"

#include "stage_steps.h"

#include <algorithm>
#include <tuple>

namespace tilescope::run {

std::int64_t execution_cycles(const compile::Executable& executable) {
    return Clock(executable, nullptr, 0, 0).execution_cycles();
}

Clock::Clock(const compile::Executable& executable, profile::Recorder* recorder, std::int64_t program,
             std::int64_t root)
    : recorder_(recorder), program_(program), root_(root),
      ipus_(static_cast<std::size_t>(executable.program.ipus),
            Ipu{profile::BlockBuilder([this](std::vector<profile::BlockPartRecord> parts) {
                    return recorder_ != nullptr ? recorder_->add_block(std::move(parts)) : 0;
                }),
                {}}),
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
            bytes += variable.total_bytes() * (variable.category == MemoryCategory::Variables ? 2 : 1);
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
    for (std::int64_t i = 0; i < times; ++i) {
        if (times > 1)
            begin_pieces();
        for (const program::StepId child : step.children)
            unroll(program, child);
        if (times > 1)
            end_pieces();
    }
}

void Clock::begin_pieces() {
    for (Ipu& ipu : ipus_)
        ipu.block.begin();
}

void Clock::end_pieces() {
    for (Ipu& ipu : ipus_)
        ipu.block.end();
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
        program.exchanges[static_cast<std::size_t>(step.exchange)].kind == ExchangeKind::InterIpu;
    if (recorder_ != nullptr)
        ipu.block.step(start, root_ + id.value, step.sync_cycles, step.exchange_cycles, step.compute_cycles);
    (leaves_ipus(step.kind) ? ipu.phases.host
     : between              ? ipu.phases.inter_ipu
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
void Clock::mark(std::int32_t stage, Activity activity, std::int64_t slot, std::int64_t micro_batch) {
    const auto s = static_cast<std::size_t>(stage);
    const std::int64_t at = ipus_[static_cast<std::size_t>(stage_ipus_[s])].at;
    Marked& marked = marked_[s];
    if (at == marked.at)
        return;
    if (marked.last >= 0)
        if (auto& last = slots_[static_cast<std::size_t>(marked.last)];
            std::tie(last.slot, last.activity, last.micro_batch) == std::tie(slot, activity, micro_batch)) {
            last.end_cycle = marked.at = at;
            return;
        }
    marked.last = static_cast<std::int64_t>(slots_.size());
    slots_.push_back({stage, marked.at, at, slot, activity, micro_batch, program_});
    marked.at = at;
}

void Clock::run(const program::PipelineWork& work, std::int64_t slot, const program::Program& program,
                const StageSteps& steps) {
    Ipu& ipu = ipus_[static_cast<std::size_t>(steps.ipu_of(work.stage))];
    const auto pass = [&](const std::vector<program::StepId>& of) {
        ipu.block.begin();
        for (const program::StepId id : of)
            append(ipu, program, id, ipu.at);
        ipu.block.end();
    };
    mark(work.stage, Activity::Waiting, slot, work.micro_batch); // for another stage of its IPU
    for (const StageSteps::Piece& piece : steps.of(work)) {
        pass(piece.recomputed);
        mark(work.stage, Activity::Recompute, slot, work.micro_batch);
        pass(piece.steps);
        mark(work.stage, work.backward ? Activity::Backward : Activity::Forward, slot, work.micro_batch);
    }
}

void Clock::schedule_pipeline(const compile::Executable& executable) {
    const program::Program& program = executable.program;
    const StageSteps steps(executable);
    const std::int32_t stages = executable.graph.shards(); // an IPU beyond theirs only waits
    for (std::int32_t s = 0; s < stages; ++s)
        stage_ipus_.push_back(steps.ipu_of(s));
    marked_.resize(stage_ipus_.size());
    const bool halves =
        *executable.schedule.pipeline == PipelineSchedule::Grouped && executable.graph.training;
    std::int64_t part = 0;
    std::int64_t open = -1; // slot
    const auto end_slot = [&] {
        if (open >= 0)
            end_pieces();
    };
    for (const auto& works :
         program::pipeline_slots(*executable.schedule.pipeline, stages, executable.schedule.accumulation,
                                 executable.graph.training.has_value())) {
        const std::int64_t slot = halves ? part++ / 2 : part++;
        if (slot != open) {
            end_slot();
            begin_pieces();
            open = slot;
        }
        std::vector<std::int64_t> batches(stage_ipus_.size(), -1); // by stage: the micro-batch in work
        const auto wait = [&] {
            align();
            for (std::int32_t s = 0; s < stages; ++s) {
                const std::int64_t batch = batches[static_cast<std::size_t>(s)];
                mark(s, batch < 0 ? Activity::Idle : Activity::Waiting, slot, batch);
            }
        };
        for (const program::PipelineWork& work : works) {
            batches[static_cast<std::size_t>(work.stage)] = work.micro_batch;
            run(work, slot, program, steps);
        }
        wait();
        for (const program::PipelineWork& work : works)
            for (const program::StepId id : steps.copies_of(work)) {
                schedule(program, id);
                const std::int32_t to = steps.stage_of(program.step(id));
                mark(work.stage, Activity::Copy, slot, work.micro_batch);
                mark(to, Activity::Copy, slot, batches[static_cast<std::size_t>(to)]);
            }
        wait();
    }
    end_slot();
    for (const program::StepId id : steps.update())
        schedule_update(program, id, steps);
    align();
    for (std::int32_t s = 0; s < stages; ++s)
        mark(s, Activity::Waiting, -1, -1);
}

/// The stages of an IPU update in turn.
void Clock::schedule_update(const program::Program& program, program::StepId id, const StageSteps& steps) {
    const program::Step& step = program.step(id);
    schedule(program, id);
    const std::int32_t own = step.ipu == program::all_ipus ? -1 : steps.stage_of(step);
    for (std::int32_t s = 0; s < static_cast<std::int32_t>(stage_ipus_.size()); ++s) {
        const bool waits = own >= 0 && own != s && steps.ipu_of(own) == steps.ipu_of(s);
        mark(s, waits ? Activity::Waiting : Activity::Update, -1, -1);
    }
}

/// Every replica keeps step with the first one, and every round of an engine run is like the first.
std::int64_t Clock::schedule_id() {
    if (schedule_id_)
        return *schedule_id_;
    std::vector<profile::BlockBuilder::Block> blocks;
    for (Ipu& ipu : ipus_)
        blocks.push_back(ipu.block.finish());
    std::vector<profile::ScheduleIpuRecord> phases;
    std::vector<profile::ScheduleRoundRecord> rounds;
    for (std::size_t i = 0; i < ipus_.size() * static_cast<std::size_t>(replicas_); ++i) {
        const auto id = static_cast<std::int64_t>(i);
        const Phases& p = ipus_[i % ipus_.size()].phases;
        phases.push_back({0, id, p.compute * repeats_, p.exchange * repeats_, p.sync * repeats_,
                          p.inter_ipu * repeats_, p.host * repeats_ + host_cycles_,
                          (step_cycles_ - p.total()) * repeats_});
        if (const auto& block = blocks[i % ipus_.size()]; block.id >= 0)
            rounds.push_back({0, id, 0, host_cycles_ + block.start_cycle, repeats_, step_cycles_, block.id});
    }
    schedule_id_ = recorder_->add_schedule(std::move(phases), std::move(rounds), program_);
    return *schedule_id_;
}

void Clock::execute(profile::ExecutionRecord execution) {
    execution.start_cycle = now_;
    execution.cycles = execution_cycles();
    execution.schedule_id = schedule_id();
    recorder_->add(execution);
    now_ += execution.cycles;
}

void Clock::execute(profile::ExecutionGroupRecord executions) {
    executions.start_cycle = now_;
    executions.cycles = executions.period_cycles = execution_cycles();
    executions.schedule_id = schedule_id();
    recorder_->add(executions);
    now_ += executions.count * executions.cycles;
}

} // namespace tilescope::run
