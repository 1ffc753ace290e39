// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/costs.h"
#include "base/error.h"
#include "profile/profile.h"

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace tilescope::analyse {

/// What a step of the program takes in one engine run, for the IPUs of the first replica (the others keep
/// step with them).
struct StepTime {
    std::int64_t runs = 1; ///< how often it runs
    /// Cycles as time passes, of all its runs: from the begin of a run to its end. IPUs that work at the same
    /// time are not added: of steps below the loop of a pipeline it is the time of the IPU with the most to
    /// do, for the stages work on different micro-batches at once.
    std::int64_t elapsed = 0;
    /// Cycles of every IPU that takes part, added up; `waiting` stays 0.
    profile::PhaseCycles ipu_time;
    std::int64_t bytes = 0; ///< that its exchanges and stream copies move, in all runs
    /// Of control and exchange code that it and its parts add, once, over all tiles; nullopt: not known.
    std::optional<std::int64_t> code_bytes;
    bool at_once = false; ///< parts of it run at the same time: its children take longer than it does
    bool beside = false;  ///< of I/O tiles beside those that compute: none of the time of what it is part of
    /// Cycles of one of its runs, on average.
    double each() const { return static_cast<double>(elapsed) / static_cast<double>(runs); }
};

/// Cycles of steps one after the other, as time passes.
std::int64_t elapsed_of(const std::vector<StepTime>& steps);

/// The time of a step beside that of the same step of a base, each per what both are compared per, as time
/// passes.
struct StepDifference {
    double now = 0;
    std::optional<double> base; ///< nullopt: the base does not have the step
    double by() const { return now - base.value_or(0); }
    /// Times the base's; nullopt where that takes no time, or is not there.
    std::optional<double> times() const {
        return base && *base > 0 ? std::optional(now / *base) : std::nullopt;
    }
};

struct ProgramTime {
    std::vector<StepTime> steps; ///< as `records`
    std::int64_t elapsed = 0;    ///< cycles of the program in one engine run, without launching it
    std::int64_t ipus = 1;       ///< of one replica
};

/// The clock of the simulation again: without a pipeline a step begins when all IPUs that take part in it
/// have come to it, and loops run one turn after another; a pipeline keeps to the slots that were recorded.
/// What I/O tiles exchange with the host beside the others takes time, and none of what it is part of.
/// `records` by id, parents before children.
ProgramTime program_time(const std::vector<profile::ProgramRecord>& records,
                         const std::vector<profile::ExchangeRecord>& exchanges,
                         const std::vector<profile::PipelineSlotRecord>& slots);

/// The time of a mean engine run of a program.
struct ExecutionTime {
    std::int64_t cycles = 0;                  ///< with launching it
    std::int64_t launch = 0;                  ///< of these: before the program begins
    double share(const StepTime& step) const; ///< of these cycles; 0 where there are none
};
/// `program_cycles`: ProgramTime::elapsed; `elapsed`: of a mean engine run, 0 where none has ended.
ExecutionTime execution_time(std::int64_t program_cycles, std::int64_t elapsed);

/// Cycles of an engine run of the program that the profile describes, as planned, since none has ended:
/// those of planned_execution(), launching included; where that is not known it is as long as its program.
/// Errors: those of reading the profile.
Result<std::int64_t> planned_cycles(const profile::Profile& profile);
/// The same as an execution with its launch, which Profile::suppose() lays on the time line. nullopt: there
/// were executions, or it is not known what they would do. Errors: those of reading the profile.
Result<std::optional<profile::ExecutionGroupRecord>> planned_execution(const profile::Profile& profile);
/// Of the planned time of the IPUs that do it, as Costs::share is of their elapsed time; nullopt: no IPU
/// does.
std::optional<double> planned_share(const Cost& cost, std::int64_t planned_cycles);

/// The tile that computes longest in a run of a compute set.
struct LongestTile {
    std::int64_t ipu = 0; ///< the first that runs the compute set
    std::int64_t tile = 0;
    std::int64_t cycles = 0;
};
/// nullopt: no tile computes anything in it.
Result<std::optional<LongestTile>> longest_tile(const profile::Profile& profile, std::int64_t compute_set);

/// Puts the operations that a pipeline runs on a micro-batch under a sequence for each stage ("stage 1"),
/// which is added, since the stages work at once. Does nothing without a pipeline. Gives, by the ids of these
/// sequences, the IPU of the first replica that has the stage.
std::map<std::int64_t, std::int64_t> group_by_stage(std::vector<profile::ProgramRecord>& program,
                                                    const std::vector<profile::OperationRecord>& operations,
                                                    const std::vector<profile::IpuRecord>& ipus);

/// Puts the steps of a weight update that stand beside other parts of a program, where they are more than 16
/// (of a large model they are thousands), under a step of their own, "update".
void group_update(std::vector<profile::ProgramRecord>& program);

} // namespace tilescope::analyse
