// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/kinds.h"

#include <cstdint>
#include <vector>

/// When the stages of a pipeline work on which micro-batch. Source: the schedules of IPU TensorFlow
/// (compiler/plugin/poplar/driver/visitors/pipeline_visitor_utils.h, pipeline_fifo_inserter.cc), and PopART's
/// (docs/notes/transforms/pipelining.md, willow/src/transforms/pipeline.cpp).
namespace tilescope::program {

/// One stage's forward or backward pass of one micro-batch.
struct PipelineWork {
    std::int32_t stage = 0;
    std::int64_t micro_batch = 0;
    bool backward = false;
    bool operator==(const PipelineWork&) const = default;
};

/// Slots in the order of time; the works of a slot run side by side, each on the IPU of its stage, and the
/// slot is as long as the longest. A slot of the Grouped schedule is two here: all forwards, then all
/// backwards. In one of PopART's a stage makes its forward pass and then its backward pass, of another
/// micro-batch; several stages of an IPU work in the order of the slot. Without training there are forward
/// passes only: all but Sequential are the same then.
std::vector<std::vector<PipelineWork>> pipeline_slots(PipelineSchedule schedule, std::int64_t stages,
                                                      std::int64_t micro_batches, bool training = true);

/// Micro-batches must be a multiple of this: 2 S for Grouped, S for Interleaved, 1 for Sequential and PopART;
/// without training S, but 1 for Sequential.
std::int64_t pipeline_overlap(PipelineSchedule schedule, std::int64_t stages, bool training = true);

/// The fewest that it can do: PopART's P = 2 S - 1 stages, counted forward and backward, need one each.
std::int64_t least_micro_batches(PipelineSchedule schedule, std::int64_t stages, bool training = true);

/// Micro-batches whose activations wait in a stage's FIFO for its backward pass, beside the one in work;
/// PopART keeps that one there too.
std::int64_t stash_depth(PipelineSchedule schedule, std::int64_t stages, std::int64_t stage);

} // namespace tilescope::program
