// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "graph/graph.h"
#include "ipu/attachment.h"
#include "ipu/target.h"
#include "lowering/context.h"
#include "profile/records.h"
#include "program/program.h"
#include "program/schedule.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tilescope::compile {

/// When a program variable is live: steps (indices in Program::leaves()) from first to last use.
struct LiveRange {
    std::int32_t from = -1; ///< -1: never used, or always live
    std::int32_t to = -1;
};

/// Bytes live while one step runs.
struct LivenessPoint {
    std::int64_t always_live = 0;     ///< over all tiles
    std::int64_t not_always_live = 0; ///< over all tiles
    std::int64_t max_tile = 0;        ///< both, on the fullest tile
};

/// The memory of one IPU. Vectors are by tile but for `liveness`.
struct IpuMemory {
    std::vector<LivenessPoint> liveness; ///< by step
    std::vector<std::int64_t> always_live;
    std::vector<std::int64_t> peak;           ///< most bytes live at once, always live ones included
    std::vector<std::int32_t> peak_step;      ///< the step of that
    std::vector<std::int64_t> interleaved;    ///< of the peak: bytes in the region with 128-bit loads
    std::vector<std::int64_t> overflowed;     ///< of the peak: bytes beyond the tile's memory
    std::vector<std::int64_t> with_gaps;      ///< end of the highest allocation
    std::vector<std::int64_t> oversize_tiles; ///< tiles whose memory does not suffice

    /// The tile whose allocations end highest, the first of several.
    std::size_t highest_tile() const {
        return static_cast<std::size_t>(std::max_element(with_gaps.begin(), with_gaps.end()) -
                                        with_gaps.begin());
    }
    std::int64_t highest_tile_bytes() const { return with_gaps[highest_tile()]; }
};

/// Where everything lies in tile memory.
struct MemoryLayout {
    /// By variable, the steps from its first use to its last, and all of a loop where it is also used outside
    /// of it. What is always live is there all the time, but needed then only.
    std::vector<LiveRange> needed;
    std::vector<std::vector<std::int32_t>> addresses; ///< by variable, then tile; -1 where it has no bytes
    std::vector<IpuMemory> ipus;
};

/// What is asked of the streaming memory of an IPU-Machine.
struct MachineMemory {
    std::int32_t machine = 0;
    std::int64_t ipus = 0; ///< of the run on it
    std::int64_t bytes = 0;
};

/// A graph made ready to run: what each step computes, on which tiles, in how many cycles.
struct Executable {
    graph::Graph graph;
    ipu::Target target;
    program::Program program;
    std::vector<lowering::OperationPlan> plans;
    MemoryLayout memory;
    program::Schedule schedule;
    ipu::Attachment attachment; ///< of the IPUs of all replicas
    std::vector<profile::CompileEventRecord> events;
    std::vector<profile::RemovedOperationRecord> removed; ///< by the pass of an event
    double compile_seconds = 0;
    std::string cache_note;     ///< what came of the executable cache; "" where there is none
    bool cache_warning = false; ///< whether the note is a warning
    profile::CacheUse cache_use = profile::CacheUse::Unused;
    std::string cache_key; ///< by which it is kept; "" without a cache
    /// On tiles and in streaming memory.
    bool fits() const { return fits_tiles() && fits_machines(); }
    bool fits_tiles() const {
        return std::all_of(memory.ipus.begin(), memory.ipus.end(),
                           [](const IpuMemory& ipu) { return ipu.oversize_tiles.empty(); });
    }
    bool fits_machines() const {
        return attachment.streaming_bytes == 0 || fullest_machine().bytes <= attachment.streaming_bytes;
    }
    /// The IPU-Machine of whose streaming memory most is asked, by all replicas that have IPUs on it.
    MachineMemory fullest_machine() const;
    /// The highest end of any tile's allocations, gaps included.
    std::int64_t highest_tile_bytes() const {
        std::int64_t highest = 0;
        for (const IpuMemory& ipu : memory.ipus)
            highest = std::max(highest, ipu.highest_tile_bytes());
        return highest;
    }
};

} // namespace tilescope::compile
