// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "compile/executable.h"
#include "program/pipeline_schedule.h"

#include <vector>

namespace tilescope::run {

/// The program steps of a pipelined model by stage: what its IPU does in the forward and in the backward pass
/// of a micro-batch, what it recomputes before the latter, the copies to other IPUs that end the pass, and
/// the update of the weights after all micro-batches. Steps of an operation that repeat, as of a serial plan,
/// occur as often.
class StageSteps {
  public:
    explicit StageSteps(const compile::Executable& executable);

    const std::vector<program::StepId>& of(const program::PipelineWork& work) const {
        return stages_[index(work)].steps;
    }
    const std::vector<program::StepId>& copies_of(const program::PipelineWork& work) const {
        return stages_[index(work)].copies;
    }
    /// What the stage of a backward pass runs again before it.
    const std::vector<program::StepId>& recomputed_for(const program::PipelineWork& work) const {
        return stages_[index(work)].recomputed;
    }
    const std::vector<program::StepId>& update() const { return update_; }

  private:
    struct Pass {
        std::vector<program::StepId> recomputed, steps, copies;
    };
    static std::size_t index(const program::PipelineWork& work) {
        return 2 * static_cast<std::size_t>(work.stage) + (work.backward ? 1 : 0);
    }
    void collect(const program::Program& program, program::StepId id,
                 std::vector<program::StepId>& out) const;

    std::vector<Pass> stages_; ///< forward and backward of each stage
    std::vector<program::StepId> update_;
};

} // namespace tilescope::run
