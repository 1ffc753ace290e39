// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "compile/passes.h"
#include "lowering/context.h"
#include "program/pipeline_schedule.h"

namespace tilescope::compile {

/// The FIFOs of a pipeline's stages: what a backward pass reads of its stage's forward pass waits there while
/// other micro-batches go through. Each has the depth that the schedule needs, is always live, and is written
/// in the forward and read in the backward pass.
class Stashes {
  public:
    Stashes(const Compilation& c, lowering::LoweringState& state, program::StepId parent,
            PipelineSchedule schedule)
        : c_(c), state_(state), parent_(parent), schedule_(schedule) {}

    /// Appends variables and steps for all of them. All operations must be lowered. Ends early once
    /// the compilation is cancelled.
    void lower();

  private:
    void add(graph::ValueId id, const lowering::Placed& placed, const graph::Operation& reader);
    const graph::Operation* writer_of(graph::ValueId id, std::int32_t stage) const;
    void copy(const graph::Operation& op, const StepWork& work, const lowering::Placed& placed,
              std::int64_t bytes, std::vector<program::VariableId> uses);

    const Compilation& c_;
    lowering::LoweringState& state_;
    program::StepId parent_;
    PipelineSchedule schedule_;
};

} // namespace tilescope::compile
