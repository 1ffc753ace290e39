// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "compile/executable.h"
#include "profile/recorder.h"
#include "program/pipeline_schedule.h"

namespace tilescope::run {

class StageSteps;

/// The bulk-synchronous clock of the IPUs of one model: each program step is sync, exchange, compute, and as
/// long as its slowest tile. An IPU goes through its own steps; a copy between two begins when both have come
/// to it, a step of all when all have. Cycles do not depend on the machine that simulates.
class Clock {
  public:
    Clock(const compile::Executable& executable, profile::Recorder& recorder);

    std::int64_t now() const { return now_; }
    /// What the stages of a pipeline do in one weight update.
    const std::vector<profile::PipelineSlotRecord>& pipeline_slots() const { return slots_; }
    void start_at(std::int64_t cycle) { now_ = cycle; }
    /// Between engine runs another program takes the place of this one, as one that raises a step counter on
    /// the IPU does (semantics of IPU TensorFlow, "Host loop, feeds"): one more engine run each, before it
    /// the weights go to the host, after it weights, code and all else that is always live come back, at the
    /// host's rate.
    void swap_programs(const compile::Executable& executable);
    /// One engine run: host time, then the program. Writes the execution, its phases by IPU and, where
    /// `traced`, every program step. `execution.start_cycle` and `.cycles` are filled in.
    void execute(profile::ExecutionRecord execution, bool traced);
    /// Cycles of one engine run.
    std::int64_t execution_cycles() const { return host_cycles_ + step_cycles_ * repeats_; }

  private:
    /// One program step of one IPU within a step of the model; cycles from the model step's begin.
    struct Slot {
        std::int64_t program_id, start, sync, exchange, compute;
    };
    struct Phases {
        std::int64_t compute = 0, exchange = 0, sync = 0, inter_ipu = 0, host = 0;
        std::int64_t total() const { return compute + exchange + sync + inter_ipu + host; }
    };
    struct Ipu {
        std::vector<Slot> slots;
        Phases phases; ///< of one step of the model
        std::int64_t at = 0;
        std::int64_t marked = 0; ///< end of what `slots_` has
    };
    void unroll(const program::Program& program, program::StepId id);
    void schedule(const program::Program& program, program::StepId id);
    void append(Ipu& ipu, const program::Program& program, program::StepId id, std::int64_t start);
    void align();
    void schedule_pipeline(const compile::Executable& executable);
    using Activity = profile::PipelineActivity;
    void mark(std::size_t stage, Activity activity, std::int64_t slot, std::int64_t micro_batch);
    void run(const program::PipelineWork& work, std::int64_t slot, const program::Program& program,
             const StageSteps& steps);

    profile::Recorder& recorder_;
    std::vector<Ipu> ipus_;
    std::vector<profile::PipelineSlotRecord> slots_;
    std::int64_t repeats_ = 1;
    std::int32_t replicas_ = 1;
    std::int64_t step_cycles_ = 0; ///< of one weight update and its batches, on the IPU that takes longest
    std::int64_t host_cycles_ = 0;
    std::int64_t now_ = 0;
};

} // namespace tilescope::run
