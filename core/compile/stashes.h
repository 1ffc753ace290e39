// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "compile/passes.h"
#include "lowering/context.h"
#include "program/pipeline_schedule.h"

#include <map>

namespace tilescope::compile {

/// The FIFOs of a pipeline's stages: what a backward pass reads of its stage's forward pass waits there while
/// other micro-batches go through. Each has the depth that the schedule needs, is always live, is written
/// behind what makes or first reads the value in the forward pass, and read before its first reader in the
/// backward pass, into memory of that pass. With `Options::offload_activations` it lies in streaming memory,
/// a remote buffer of as many rows (IPU TensorFlow driver/ops/custom_ops/fifo.cc).
class Stashes {
  public:
    /// `stages`: by operation.
    Stashes(const Compilation& c, lowering::LoweringState& state, PipelineSchedule schedule,
            const std::vector<std::int32_t>& stages);

    /// Appends variables and steps for all of them. All operations must be lowered. Ends early once
    /// the compilation is cancelled.
    void lower();

  private:
    struct Popped {
        program::VariableId stashed; ///< of the forward pass
        program::VariableId popped;  ///< what the backward pass reads in its place, from the pop on
    };
    void add(graph::ValueId id, const lowering::Placed& placed, const graph::Operation& reader);
    const graph::Operation* writer_of(graph::ValueId id, std::int32_t stage) const;
    /// Steps that `append` gives to what does them for the operation, before it or after. Returns the last.
    template<class Append>
    program::StepId steps_of(const graph::Operation& op, bool before, const Append& append);
    /// A dynamic slice.
    void copy(lowering::LoweringContext& context, const StepWork& work, const lowering::Placed& placed,
              std::int64_t bytes, std::vector<program::VariableId> uses) const;
    void read_popped();

    const Compilation& c_;
    lowering::LoweringState& state_;
    PipelineSchedule schedule_;
    const std::vector<std::int32_t>& stages_;
    std::vector<program::StepId> sequences_; ///< by operation
    std::vector<std::int32_t> pops_;         ///< by operation: steps before it
    std::map<std::int32_t, Popped> popped_;  ///< by the step of the pop
};

} // namespace tilescope::compile
