// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/entry.h"
#include "compile/step_stages.h"
#include "program/pipeline_schedule.h"

#include <vector>

namespace tilescope::run {

/// The program steps of a pipelined model by stage: what it does in the forward and in the backward pass of a
/// micro-batch, what it recomputes before the latter, the copies to other IPUs and stages that end the pass,
/// and the update of the weights after all micro-batches. Steps of an operation that repeat, as of a serial
/// plan, occur as often. An IPU may have several stages.
class StageSteps {
  public:
    explicit StageSteps(const compile::Executable& executable);

    std::int32_t ipu_of(std::int32_t stage) const { return executable_.schedule.ipu_of(stage); }
    /// A part of a pass: what is run again for it, and its own steps.
    struct Piece {
        std::vector<program::StepId> recomputed, steps;
    };
    const std::vector<Piece>& of(const program::PipelineWork& work) const {
        return stages_[index(work)].pieces;
    }
    const std::vector<program::StepId>& copies_of(const program::PipelineWork& work) const {
        return stages_[index(work)].copies;
    }
    const std::vector<program::StepId>& update() const { return update_; }
    std::int64_t micro_batches() const { return executable_.schedule.accumulation; }
    /// Where the exchange with the host overlaps compute, no part of the pieces: what the I/O tiles load for
    /// a pass and store after it, and what goes from them to the others before it and back after it.
    struct Host {
        std::vector<program::StepId> load, arrive, leave, store;
        void add(program::StepId id, const program::Step& step);
    };
    const Host& host_of(const program::PipelineWork& work) const { return stages_[index(work)].host; }

    /// Which stages a step is of, and as what it counts.
    const compile::StepStage& of_step(program::StepId id) const { return entry(of_steps_, id); }

  private:
    struct Pass {
        std::vector<Piece> pieces{{}};
        std::vector<program::StepId> copies;
        Host host;
        void add(program::StepId step, bool recomputed);
    };
    static std::size_t index(const program::PipelineWork& work) {
        return 2 * static_cast<std::size_t>(work.stage) + (work.backward ? 1 : 0);
    }
    void collect(const program::Program& program, program::StepId id,
                 std::vector<program::StepId>& out) const;

    const compile::Executable& executable_;
    std::vector<compile::StepStage> of_steps_;
    std::vector<Pass> stages_; ///< forward and backward of each stage
    std::vector<program::StepId> update_;
};

} // namespace tilescope::run
