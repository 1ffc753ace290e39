// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/clock.h"

#include "ipu/host_cycles.h"
#include "stage_steps.h"

#include <algorithm>
#include <tuple>
#include <utility>

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
      io_(ipus_), replicas_(executable.schedule.replicas) {
    const program::Program& p = executable.program;
    host_cycles_ = ipu::launch_cycles(executable.target);
    if (!executable.schedule.pipeline && p.io_overlaps && p.micro_batches.value < 0) {
        overlap_rounds(p);
        return;
    }
    if (executable.schedule.pipeline)
        schedule_pipeline(executable);
    else if (p.root.value >= 0)
        unroll(p, p.root);
    close_rounds(executable.schedule.updates_per_execution());
}

/// What was appended since the last call is one of so many rounds that are alike.
void Clock::close_rounds(std::int64_t repeats) {
    Rounds rounds;
    if (!rounds_.empty())
        rounds.first = rounds_.back().first + rounds_.back().repeats;
    rounds.repeats = repeats;
    rounds.start = rounds_cycles_;
    std::int64_t end = closed_at_;
    for (const Ipu& ipu : ipus_)
        end = std::max(end, ipu.at);
    rounds.length = end - closed_at_;
    for (std::size_t i = 0; i < ipus_.size(); ++i) {
        Rounds::OnIpu& on = rounds.ipus.emplace_back();
        on.block = ipus_[i].block.finish();
        on.io_block = io_[i].block.finish();
        on.start = rounds.start + on.block.start_cycle - closed_at_;
        on.io_start = rounds.start + on.io_block.start_cycle - closed_at_;
        on.phases = std::exchange(ipus_[i].phases, {});
        on.io_cycles = std::exchange(io_[i].phases, {}).total();
        on.waited = std::exchange(ipus_[i].waited, 0);
    }
    closed_at_ = end;
    for (Ipu& ipu : ipus_)
        ipu.at = end;
    rounds_cycles_ += repeats * rounds.length;
    rounds_.push_back(std::move(rounds));
}

/// The children of a loop over batches whose exchange with the host overlaps them.
struct Clock::Batch : StageSteps::Host {
    std::vector<program::StepId> body;
};

Clock::Batch Clock::batch_of(const program::Program& program, program::StepId loop) {
    Batch batch;
    for (const program::StepId child : program.step(loop).children) {
        const ProgramPart part = program.step(child).part;
        if (part != ProgramPart::Infeed && part != ProgramPart::Outfeed) {
            batch.body.push_back(child);
            continue;
        }
        for (const program::StepId id : program.step(child).children)
            if (id != program.io_wait)
                batch.add(id, program.step(id));
    }
    return batch;
}

/// The rounds of an engine run are the batches: they are alike but for the first and the last one.
void Clock::overlap_rounds(const program::Program& program) {
    const Batch batch = batch_of(program, program.rounds);
    const std::int64_t count = program.step(program.rounds).repeats;
    overlap(program, batch, 0, count);
    close_rounds(1);
    if (count > 2) {
        overlap(program, batch, 1, count);
        close_rounds(count - 2);
    }
    overlap(program, batch, count - 1, count);
    close_rounds(1);
}

/// One batch: what was loaded for it comes from the I/O tiles, and the results of the one before go there;
/// then the next one is loaded and these results are stored while it is computed. The first one waits for its
/// load, the last one for its store (IPU TensorFlow, driver/visitors/repeat_loop_overlap_io_visitor.cc).
void Clock::overlap(const program::Program& program, const Batch& batch, std::int64_t number,
                    std::int64_t count) {
    const auto all = [&](const std::vector<program::StepId>& steps) {
        for (const program::StepId id : steps)
            unroll(program, id);
    };
    begin_pieces();
    if (number == 0) {
        exchange_with_host(program, batch.load);
        wait_for_host(program);
    }
    all(batch.arrive);
    if (number > 0)
        all(batch.leave);
    if (number + 1 < count)
        exchange_with_host(program, batch.load);
    if (number > 0)
        exchange_with_host(program, batch.store);
    all(batch.body);
    wait_for_host(program);
    if (number + 1 == count) {
        all(batch.leave);
        exchange_with_host(program, batch.store);
        wait_for_host(program);
    }
    end_pieces();
}

void Clock::exchange_with_host(const program::Program& program, const std::vector<program::StepId>& steps) {
    for (const program::StepId id : steps) {
        const std::int32_t of = program.step(id).ipu;
        for (std::size_t i = 0; i < ipus_.size(); ++i)
            if (of == program::all_ipus || of == static_cast<std::int32_t>(i))
                append(io_[i], program, id, std::max(io_[i].at, ipus_[i].at));
    }
}

/// Those of an IPU that compute wait until its I/O tiles have done what was begun.
void Clock::wait_for_host(const program::Program& program) {
    for (std::size_t i = 0; i < ipus_.size(); ++i) {
        Ipu& ipu = ipus_[i];
        const std::int64_t cycles = io_[i].at - ipu.at;
        if (cycles <= 0)
            continue;
        if (recorder_ != nullptr)
            ipu.block.step(ipu.at, root_ + program.io_wait.value, 0, cycles, 0);
        ipu.phases.host += cycles;
        ipu.waited += cycles;
        ipu.at += cycles;
    }
}

void Clock::swap_programs(const compile::Executable& executable) {
    std::int64_t bytes = 0;
    for (const program::Variable& variable : executable.program.variables)
        if (variable.always_live)
            bytes += variable.total_bytes() * (variable.category == MemoryCategory::Variables ? 2 : 1);
    host_cycles_ += ipu::swap_cycles(executable.target, bytes);
}

/// Repeats within a round, of micro-batches or of a serial plan, run one after another; the loop over the
/// rounds is counted by `repeats_`.
void Clock::unroll(const program::Program& program, program::StepId id) {
    const program::Step& step = program.step(id);
    if (step.leaf()) {
        schedule(program, id);
        return;
    }
    if (program.io_overlaps && id == program.micro_batches) {
        const Batch batch = batch_of(program, id);
        for (std::int64_t i = 0; i < step.repeats; ++i)
            overlap(program, batch, i, step.repeats);
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
    for (std::vector<Ipu>* lanes : {&ipus_, &io_})
        for (Ipu& ipu : *lanes)
            ipu.block.begin();
}

void Clock::end_pieces() {
    for (std::vector<Ipu>* lanes : {&ipus_, &io_})
        for (Ipu& ipu : *lanes)
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
    const StageSteps::Host& host = steps.host_of(work);
    if (!host.load.empty()) {
        pass(host.arrive);
        mark(work.stage, Activity::Copy, slot, work.micro_batch);
        if (work.micro_batch + 1 < steps.micro_batches())
            exchange_with_host(program, host.load);
    }
    for (const StageSteps::Piece& piece : steps.of(work)) {
        pass(piece.recomputed);
        mark(work.stage, Activity::Recompute, slot, work.micro_batch);
        pass(piece.steps);
        mark(work.stage, work.backward ? Activity::Backward : Activity::Forward, slot, work.micro_batch);
    }
    pass(host.leave);
    mark(work.stage, Activity::Copy, slot, work.micro_batch);
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
    const auto all_wait = [&](std::int64_t slot) {
        wait_for_host(program);
        align();
        for (std::int32_t s = 0; s < stages; ++s)
            mark(s, Activity::Waiting, slot, -1);
    };
    std::vector<program::StepId> results; // that are on the I/O tiles when a slot ends
    const auto end_slot = [&] {
        if (open < 0)
            return;
        if (program.io_overlaps)
            all_wait(open);
        end_pieces();
    };
    if (program.io_overlaps) {
        begin_pieces();
        for (std::int32_t s = 0; s < stages; ++s)
            exchange_with_host(program, steps.host_of({s, 0, false}).load);
        all_wait(0);
        end_pieces();
    }
    for (const auto& works :
         program::pipeline_slots(*executable.schedule.pipeline, stages, executable.schedule.accumulation,
                                 executable.graph.training.has_value())) {
        const std::int64_t slot = halves ? part++ / 2 : part++;
        if (slot != open) {
            end_slot();
            begin_pieces();
            open = slot;
            exchange_with_host(program, std::exchange(results, {}));
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
            if (const auto& store = steps.host_of(work).store; !store.empty())
                results = store;
        }
        wait();
        for (const program::PipelineWork& work : works)
            for (const program::StepId id : steps.copies_of(work)) {
                schedule(program, id);
                const std::int32_t to = steps.of_step(id).peer_stage;
                mark(work.stage, Activity::Copy, slot, work.micro_batch);
                mark(to, Activity::Copy, slot, batches[static_cast<std::size_t>(to)]);
            }
        wait();
    }
    end_slot();
    if (!results.empty()) {
        begin_pieces();
        exchange_with_host(program, results);
        all_wait(open);
        end_pieces();
    }
    for (const program::StepId id : steps.update())
        schedule_update(program, id, steps);
    align();
    for (std::int32_t s = 0; s < stages; ++s)
        mark(s, Activity::Waiting, -1, -1);
}

/// The stages of an IPU update in turn.
void Clock::schedule_update(const program::Program& program, program::StepId id, const StageSteps& steps) {
    schedule(program, id);
    const compile::StepStage& of = steps.of_step(id);
    for (std::int32_t s = 0; s < static_cast<std::int32_t>(stage_ipus_.size()); ++s) {
        const bool updates = of.stage < 0 || s == of.stage || s == of.peer_stage;
        mark(s, updates ? Activity::Update : Activity::Waiting, -1, -1);
    }
}

/// Every replica keeps step with the first one, and every round of an engine run is like the first.
std::int64_t Clock::schedule_id() {
    if (schedule_id_)
        return *schedule_id_;
    std::vector<profile::ScheduleIpuRecord> phases;
    std::vector<profile::ScheduleRoundRecord> rounds;
    std::vector<profile::ScheduleIoRecord> ios;
    std::vector<profile::ScheduleIoRoundRecord> io_rounds;
    for (std::size_t i = 0; i < ipus_.size() * static_cast<std::size_t>(replicas_); ++i) {
        const auto id = static_cast<std::int64_t>(i);
        profile::ScheduleIpuRecord sum{0, id, 0, 0, 0, 0, host_cycles_, 0};
        profile::ScheduleIoRecord io{0, id, 0, 0};
        for (const Rounds& each : rounds_) {
            const Rounds::OnIpu& on = each.ipus[i % ipus_.size()];
            const Phases& p = on.phases;
            sum.compute += p.compute * each.repeats;
            sum.exchange += p.exchange * each.repeats;
            sum.sync += p.sync * each.repeats;
            sum.inter_ipu += p.inter_ipu * each.repeats;
            sum.host += p.host * each.repeats;
            sum.waiting += (each.length - p.total()) * each.repeats;
            if (on.block.id >= 0)
                rounds.push_back(
                    {0, id, each.first, host_cycles_ + on.start, each.repeats, each.length, on.block.id});
            io.cycles += on.io_cycles * each.repeats;
            io.hidden_cycles += (on.io_cycles - on.waited) * each.repeats;
            if (on.io_block.id >= 0)
                io_rounds.push_back({{0, id, each.first, host_cycles_ + on.io_start, each.repeats,
                                      each.length, on.io_block.id}});
        }
        phases.push_back(sum);
        if (io.cycles > 0)
            ios.push_back(io);
    }
    schedule_id_ = recorder_->add_schedule(std::move(phases), std::move(rounds), program_,
                                           {std::move(ios), std::move(io_rounds)});
    return *schedule_id_;
}

void Clock::plan() {
    if (rounds_cycles_ == 0) // there are no program steps
        return;
    for (const profile::PipelineSlotRecord& slot : slots_)
        recorder_->add(slot);
    schedule_id();
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
