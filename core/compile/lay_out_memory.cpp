// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/worker_pool.h"
#include "compile/first_fit.h"
#include "compile/passes.h"

#include <algorithm>
#include <map>

namespace tilescope::compile {
namespace {

constexpr std::int32_t alignment = 8; ///< of every allocation: the width of a load

std::int32_t aligned(std::int32_t bytes) {
    return (bytes + alignment - 1) / alignment * alignment;
}

bool live_at(const program::Variable& variable, const LiveRange& range, std::int32_t step) {
    return variable.always_live || (range.from <= step && step <= range.to);
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

} // namespace

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
