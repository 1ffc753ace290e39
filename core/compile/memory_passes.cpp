// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/worker_pool.h"
#include "compile/first_fit.h"
#include "compile/passes.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace tilescope::compile {
namespace {

constexpr std::int32_t alignment = 8; ///< of every allocation: the width of a load

std::int32_t aligned(std::int32_t bytes) {
    return (bytes + alignment - 1) / alignment * alignment;
}

bool live_at(const program::Variable& variable, const LiveRange& range, std::int32_t step) {
    return variable.always_live || (range.from <= step && step <= range.to);
}

/// The liveness of one IPU's variables over the steps.
IpuMemory liveness_of(const program::Program& program, const std::vector<LiveRange>& ranges, std::int32_t ipu,
                      std::size_t steps) {
    IpuMemory memory;
    const auto tiles = static_cast<std::size_t>(program.tiles);
    memory.always_live.assign(tiles, 0);
    std::vector<std::vector<std::size_t>> starts(steps);
    std::vector<std::vector<std::size_t>> ends(steps);
    for (std::size_t v = 0; v < program.variables.size(); ++v) {
        if (program.variables[v].ipu != ipu)
            continue;
        if (program.variables[v].always_live)
            for (std::size_t t = 0; t < tiles; ++t)
                memory.always_live[t] += program.variables[v].tile_bytes[t];
        else if (ranges[v].from >= 0) {
            starts[static_cast<std::size_t>(ranges[v].from)].push_back(v);
            ends[static_cast<std::size_t>(ranges[v].to)].push_back(v);
        }
    }
    const std::int64_t always =
        std::accumulate(memory.always_live.begin(), memory.always_live.end(), std::int64_t{0});
    memory.peak = memory.always_live;
    memory.peak_step.assign(tiles, 0);
    std::vector<std::int64_t> live(tiles, 0);
    LivenessPoint point;
    for (std::size_t s = 0; s < steps; ++s) {
        for (const std::size_t v : starts[s])
            for (std::size_t t = 0; t < tiles; ++t)
                live[t] += program.variables[v].tile_bytes[t];
        if (s == 0 || !starts[s].empty() || !ends[s - 1].empty()) {
            point = {always, 0, 0};
            for (std::size_t t = 0; t < tiles; ++t) {
                const std::int64_t total = memory.always_live[t] + live[t];
                point.not_always_live += live[t];
                point.max_tile = std::max(point.max_tile, total);
                if (total > memory.peak[t]) {
                    memory.peak[t] = total;
                    memory.peak_step[t] = static_cast<std::int32_t>(s);
                }
            }
        }
        memory.liveness.push_back(point);
        for (const std::size_t v : ends[s])
            for (std::size_t t = 0; t < tiles; ++t)
                live[t] -= program.variables[v].tile_bytes[t];
    }
    return memory;
}

/// The memory of one tile, or of several that hold the same.
struct TileLayout {
    std::vector<std::int32_t> addresses; ///< by variable of the IPU; -1 where it has no bytes
    std::int32_t end = 0;
};

/// Addresses for one IPU's variables.
class IpuLayout {
  public:
    IpuLayout(const program::Program& program, const ipu::Target& target, std::int32_t ipu,
              MemoryLayout& layout)
        : program_(program), target_(target), layout_(layout),
          memory_(layout.ipus[static_cast<std::size_t>(ipu)]),
          tiles_(static_cast<std::size_t>(program.tiles)),
          region_(static_cast<std::int32_t>(target.bytes_per_tile - target.interleaved_bytes_per_tile)) {
        for (std::size_t v = 0; v < program.variables.size(); ++v)
            if (program.variables[v].ipu == ipu)
                own_.push_back(v);
    }

    void run(WorkerPool& pool) {
        memory_.with_gaps.assign(tiles_, 0);
        memory_.interleaved.assign(tiles_, 0);
        memory_.overflowed.assign(tiles_, 0);
        gather_contents();
        std::map<std::vector<std::int32_t>, std::size_t> known; // tiles with the same contents
        std::vector<const std::vector<std::int32_t>*> distinct;
        std::vector<std::size_t> layout_of(tiles_);
        for (std::size_t t = 0; t < tiles_; ++t) {
            const auto [found, fresh] = known.try_emplace(std::move(contents_[t]), distinct.size());
            if (fresh)
                distinct.push_back(&found->first);
            layout_of[t] = found->second;
        }
        std::vector<TileLayout> layouts(distinct.size());
        pool.parallel_for(distinct.size(), 1, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i)
                layouts[i] = tile_layout(*distinct[i]);
        });
        for (std::size_t t = 0; t < tiles_; ++t)
            take(t, *distinct[layout_of[t]], layouts[layout_of[t]]);
    }

  private:
    void gather_contents() {
        contents_.assign(tiles_, std::vector<std::int32_t>(own_.size()));
        for (std::size_t k = 0; k < own_.size(); ++k)
            for (std::size_t t = 0; t < tiles_; ++t)
                contents_[t][k] = program_.variables[own_[k]].tile_bytes[t];
    }

    /// Always live variables from the bottom, then the others.
    TileLayout tile_layout(const std::vector<std::int32_t>& contents) const {
        TileLayout tile{std::vector<std::int32_t>(own_.size(), -1)};
        std::vector<Interval> intervals;
        for (std::size_t k = 0; k < own_.size(); ++k) {
            const program::Variable& variable = program_.variables[own_[k]];
            const LiveRange& range = layout_.ranges[own_[k]];
            if (contents[k] == 0)
                continue;
            if (variable.always_live) {
                tile.addresses[k] = tile.end;
                tile.end += aligned(contents[k]);
            } else if (range.from >= 0) {
                intervals.push_back(
                    {k, aligned(contents[k]), range.from, range.to, variable.interleaved ? region_ : 0, 0});
            }
        }
        for (Interval& interval : intervals)
            interval.base = std::max(interval.base, tile.end);
        tile.end = first_fit(intervals, tile.end);
        for (const Interval& interval : intervals)
            tile.addresses[interval.variable] = interval.address;
        return tile;
    }

    void take(std::size_t t, const std::vector<std::int32_t>& contents, const TileLayout& tile) {
        memory_.with_gaps[t] = tile.end;
        if (tile.end > target_.bytes_per_tile)
            memory_.oversize_tiles.push_back(static_cast<std::int64_t>(t));
        for (std::size_t k = 0; k < own_.size(); ++k) {
            layout_.addresses[own_[k]][t] = tile.addresses[k];
            if (tile.addresses[k] < 0 ||
                !live_at(program_.variables[own_[k]], layout_.ranges[own_[k]], memory_.peak_step[t]))
                continue;
            // Live at the tile's peak: which region it lies in.
            const std::int64_t begin = tile.addresses[k];
            const std::int64_t end = begin + contents[k];
            const std::int64_t high =
                std::max<std::int64_t>(0, end - std::max(begin, target_.bytes_per_tile));
            memory_.overflowed[t] += high;
            memory_.interleaved[t] +=
                std::max<std::int64_t>(0, end - high - std::max<std::int64_t>(begin, region_));
        }
    }

    const program::Program& program_;
    const ipu::Target& target_;
    MemoryLayout& layout_;
    IpuMemory& memory_;
    std::size_t tiles_;
    std::int32_t region_;                             ///< first address of interleaved memory
    std::vector<std::size_t> own_;                    ///< variables
    std::vector<std::vector<std::int32_t>> contents_; ///< by tile: bytes of each variable
};

/// What is written before a loop and read in it, or written in it and read after it, is there for all of the
/// loop. Returns the number of steps from the first on that are within `id`.
std::int32_t live_through_loops(const program::Program& program, program::StepId id, std::int32_t first,
                                const std::vector<std::vector<std::size_t>>& used,
                                std::vector<LiveRange>& ranges) {
    const program::Step& step = program.step(id);
    if (step.leaf())
        return 1;
    std::int32_t steps = 0;
    for (const program::StepId child : step.children)
        steps += live_through_loops(program, child, first + steps, used, ranges);
    if (step.kind != program::StepKind::Repeat || step.repeats < 2)
        return steps;
    const std::int32_t last = first + steps - 1;
    for (std::int32_t s = first; s <= last; ++s)
        for (const std::size_t v : used[static_cast<std::size_t>(s)])
            if (LiveRange& range = ranges[v]; range.from >= 0 && (range.from < first || range.to > last))
                range = {std::min(range.from, first), std::max(range.to, last)};
    return steps;
}

} // namespace

Result<std::string> analyse_liveness(Compilation& c) {
    const program::Program& program = c.executable.program;
    MemoryLayout& memory = c.executable.memory;
    const std::vector<program::StepId> leaves = program.leaves();
    memory.ranges.assign(program.variables.size(), {});
    std::vector<std::vector<std::size_t>> used(leaves.size()); // variables, by step
    for (std::size_t s = 0; s < leaves.size(); ++s)
        for (const program::VariableId id : program.step(leaves[s]).uses) {
            used[s].push_back(static_cast<std::size_t>(id.value));
            LiveRange& range = memory.ranges[static_cast<std::size_t>(id.value)];
            if (program.variable(id).always_live)
                continue;
            if (range.from < 0)
                range.from = static_cast<std::int32_t>(s);
            range.to = static_cast<std::int32_t>(s);
        }
    if (program.root.value >= 0)
        live_through_loops(program, program.root, 0, used, memory.ranges);
    std::int64_t always = 0;
    for (std::int32_t ipu = 0; ipu < program.ipus; ++ipu) {
        memory.ipus.push_back(liveness_of(program, memory.ranges, ipu, leaves.size()));
        always += memory.ipus.back().liveness.empty() ? 0 : memory.ipus.back().liveness[0].always_live;
    }
    return std::to_string(leaves.size()) + " steps, " + std::to_string(always) + " bytes always live";
}

Result<std::string> lay_out_memory(Compilation& c) {
    const program::Program& program = c.executable.program;
    MemoryLayout& memory = c.executable.memory;
    memory.addresses.assign(program.variables.size(),
                            std::vector<std::int32_t>(static_cast<std::size_t>(program.tiles), -1));
    WorkerPool pool;
    for (std::int32_t ipu = 0; ipu < program.ipus; ++ipu)
        IpuLayout(program, c.options.target, ipu, memory).run(pool);
    return "fullest tile " + std::to_string(c.executable.highest_tile_bytes()) + " of " +
           std::to_string(c.options.target.bytes_per_tile) + " bytes";
}

} // namespace tilescope::compile
