// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "graph/graph.h"
#include "ipu/target.h"
#include "program/schedule.h"

#include <cstdint>
#include <string>

/// Tiles that are kept for the exchange with the host, so that it goes on while the others compute. Source of
/// all rules: IPU TensorFlow, driver/poplar_compiler.cc (GetNumIoTiles, PartitionTiles),
/// driver/passes/io_tiles_placer.cc, driver/ops/map_ops.cc (CreateLoopVisitor),
/// driver/visitors/repeat_loop_overlap_io_visitor.cc, grouped_overlap_pipeline_visitor.cc.
namespace tilescope::compile {

/// What is asked for, as `IPUConfig.io_tiles` names it.
struct IoTiles {
    std::int64_t num_io_tiles = 0; ///< of each IPU; an odd number is rounded up
    bool place_ops_on_io_tiles = false;
    double available_memory_proportion = 0.9; ///< of their memory, for what the host feeds and reads
};

/// What comes of it in one program.
struct IoPlacement {
    std::int64_t tiles = 0; ///< of each IPU, that compute nothing
    bool placed = false;    ///< what the host feeds and reads lies on them
    bool overlaps = false;  ///< and comes and goes beside the batches before and after
    std::string note;       ///< what is not as it was asked for, and why; "" where all is
};

IoPlacement place_io(const graph::Graph& graph, const ipu::Target& target, const program::Schedule& schedule,
                     const IoTiles& asked);

/// The fewest micro-batches of a pipeline of the schedule Grouped whose exchange with the host overlaps.
std::int64_t least_overlapped_micro_batches(std::int64_t stages, bool training);

} // namespace tilescope::compile
