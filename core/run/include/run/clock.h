// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "compile/executable.h"
#include "profile/block_builder.h"
#include "profile/recorder.h"
#include "program/pipeline_schedule.h"

#include <optional>

namespace tilescope::run {

class StageSteps;

/// An executable that a run loads, and where its steps are in the profile.
struct DeviceProgram {
    compile::Executable executable;
    std::int64_t id = 0;      ///< 0: that which the profile describes
    std::int64_t root_id = 0; ///< number of the first of its program steps in the profile
};

/// Cycles of one engine run, as the clock below counts them.
std::int64_t execution_cycles(const compile::Executable& executable);

/// The bulk-synchronous clock of the IPUs of one model: each program step is sync, exchange, compute, and as
/// long as its slowest tile. An IPU goes through its own steps; a copy between two begins when both have come
/// to it, a step of all when all have. Cycles do not depend on the machine that simulates.
class Clock {
  public:
    Clock(const DeviceProgram& program, profile::Recorder& recorder)
        : Clock(program.executable, &recorder, program.id, program.root_id) {}

    Clock(const Clock&) = delete; // the blocks under way refer to it
    Clock& operator=(const Clock&) = delete;

    std::int64_t now() const { return now_; }
    /// Writes what an engine run will do, before there is any: its schedule, and what the stages of a
    /// pipeline do in one weight update (of evaluation: in one engine run). Of what the host computes:
    /// nothing.
    void plan();
    void start_at(std::int64_t cycle) { now_ = cycle; }
    /// Between engine runs another program takes the place of this one, as one that raises a step counter on
    /// the IPU does (semantics of IPU TensorFlow, "Host loop, feeds"): one more engine run each, before it
    /// the weights go to the host, after it weights, code and all else that is always live come back, at the
    /// host's rate.
    void swap_programs(const compile::Executable& executable);
    /// One engine run: host time, then the program, as its schedule has it. Writes the execution, whose
    /// `start_cycle`, `cycles` and `schedule_id` are filled in.
    void execute(profile::ExecutionRecord execution);
    /// Many of them, one after the other; the same.
    void execute(profile::ExecutionGroupRecord executions);
    /// Cycles of one engine run.
    std::int64_t execution_cycles() const { return host_cycles_ + rounds_cycles_; }

  private:
    friend std::int64_t execution_cycles(const compile::Executable& executable);
    Clock(const compile::Executable& executable, profile::Recorder* recorder, std::int64_t program,
          std::int64_t root);
    struct Phases {
        std::int64_t compute = 0, exchange = 0, sync = 0, inter_ipu = 0, host = 0;
        std::int64_t total() const { return compute + exchange + sync + inter_ipu + host; }
    };
    struct Ipu {
        profile::BlockBuilder block; ///< of the rounds since the last ones that were closed, as the phases
        Phases phases;
        std::int64_t at = 0;
        std::int64_t waited = 0; ///< of the phases: for its I/O tiles
    };
    /// Rounds that are alike, of weight updates and their batches, or steps where nothing is trained.
    struct Rounds {
        std::int64_t first = 0; ///< number within the engine run
        std::int64_t repeats = 1;
        std::int64_t start = 0, length = 0; ///< of the first one, and of each, on the IPU that takes longest
        struct OnIpu {
            profile::BlockBuilder::Block block, io_block;
            std::int64_t start = 0, io_start = 0; ///< of the blocks, since the engine run's rounds began
            Phases phases;
            std::int64_t io_cycles = 0; ///< of the I/O tiles
            std::int64_t waited = 0;    ///< of these, those that the others waited for
        };
        std::vector<OnIpu> ipus;
    };
    struct Marked {
        std::int64_t at = 0;    ///< end of what `slots_` has of a stage
        std::int64_t last = -1; ///< number of its last there
    };
    void unroll(const program::Program& program, program::StepId id);
    void schedule(const program::Program& program, program::StepId id);
    void append(Ipu& ipu, const program::Program& program, program::StepId id, std::int64_t start);
    void close_rounds(std::int64_t repeats);
    struct Batch;
    static Batch batch_of(const program::Program& program, program::StepId loop);
    void overlap_rounds(const program::Program& program);
    void overlap(const program::Program& program, const Batch& batch, std::int64_t number,
                 std::int64_t count);
    /// On the I/O tiles of the steps' IPU, as soon as these and the others are free.
    void exchange_with_host(const program::Program& program, const std::vector<program::StepId>& steps);
    void wait_for_host(const program::Program& program);
    void begin_pieces();
    void end_pieces();
    std::int64_t schedule_id();
    void align();
    void schedule_pipeline(const compile::Executable& executable);
    void schedule_update(const program::Program& program, program::StepId id, const StageSteps& steps);
    using Activity = profile::PipelineActivity;
    void mark(std::int32_t stage, Activity activity, std::int64_t slot, std::int64_t micro_batch);
    void run(const program::PipelineWork& work, std::int64_t slot, const program::Program& program,
             const StageSteps& steps);

    profile::Recorder* recorder_; ///< null: cycles are counted, nothing is written
    std::int64_t program_;
    std::int64_t root_;
    std::optional<std::int64_t> schedule_id_; ///< where it has been recorded
    std::vector<Ipu> ipus_;
    std::vector<Ipu> io_; ///< the I/O tiles of each, where they are by themselves
    std::vector<profile::PipelineSlotRecord> slots_;
    std::vector<std::int32_t> stage_ipus_; ///< by stage
    std::vector<Marked> marked_;           ///< by stage
    std::vector<Rounds> rounds_;           ///< of an engine run
    std::int64_t rounds_cycles_ = 0;
    std::int64_t closed_at_ = 0; ///< `Ipu::at` when the last of them were closed
    std::int32_t replicas_ = 1;
    std::int64_t host_cycles_ = 0;
    std::int64_t now_ = 0;
};

} // namespace tilescope::run
