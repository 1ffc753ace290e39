// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "compile/executable.h"
#include "profile/recorder.h"

namespace tilescope::run {

/// The bulk-synchronous clock of one IPU: each program step is sync, exchange, compute, and as long as its
/// slowest tile. Cycles do not depend on the machine that simulates.
class Clock {
  public:
    Clock(const compile::Executable& executable, profile::Recorder& recorder);

    std::int64_t now() const { return now_; }
    void start_at(std::int64_t cycle) { now_ = cycle; }
    /// One engine run: host time, then the program. Writes the execution, its phases and, where `traced`,
    /// every program step. `execution.start_cycle` and `.cycles` are filled in.
    void execute(profile::ExecutionRecord execution, bool traced);
    /// Cycles of one engine run.
    std::int64_t execution_cycles() const { return host_cycles_ + phases_.total(); }
    /// Program steps that one engine run executes.
    std::int64_t trace_rows() const { return static_cast<std::int64_t>(leaves_.size()) * repeats_; }

  private:
    struct Leaf {
        std::int64_t program_id, sync, exchange, compute;
    };
    struct Phases {
        std::int64_t compute = 0, exchange = 0, sync = 0, host = 0;
        std::int64_t total() const { return compute + exchange + sync + host; }
    };
    void unroll(const program::Program& program, program::StepId id);

    profile::Recorder& recorder_;
    std::vector<Leaf> leaves_; ///< of one step of the model, in the order in which they run
    std::int64_t repeats_ = 1;
    std::int64_t host_cycles_ = 0;
    Phases phases_;
    std::int64_t now_ = 0;
};

} // namespace tilescope::run
