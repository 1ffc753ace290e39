// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/worker_pool.h"
#include "compile/first_fit.h"
#include "compile/passes.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <utility>

namespace tilescope::compile {
namespace {

constexpr std::int32_t alignment = 8; ///< of every allocation: the width of a load

std::int32_t aligned(std::int32_t bytes) {
    return (bytes + alignment - 1) / alignment * alignment;
}

/// The memory of one tile.
struct TileLayout {
    std::vector<std::int32_t> addresses; ///< by variable of the IPU; -1 where it has no bytes
    std::int32_t end = 0;
};

/// Numbers below `count`, each once, those that are near each other far apart: tiles with much to lay out are
/// neighbours, and so shared among threads.
class Spread {
  public:
    explicit Spread(std::size_t count) : count_(count), step_(count * 5 / 8 + 1) {
        while (std::gcd(step_, count_) > 1)
            ++step_;
    }
    std::size_t operator[](std::size_t i) const { return i * step_ % count_; }

  private:
    std::size_t count_, step_;
};

/// Addresses for one IPU's variables. `own` are their numbers.
class IpuLayout {
  public:
    IpuLayout(const Compilation& c, std::vector<std::size_t> own, IpuMemory& memory, WorkerPool& pool)
        : c_(c), program_(c.executable.program), layout_(c.executable.memory), memory_(memory), pool_(pool),
          tiles_(static_cast<std::size_t>(program_.tiles)), own_(std::move(own)), by_start_(own_.size()),
          region_(static_cast<std::int32_t>(c.options.target.bytes_per_tile -
                                            c.options.target.interleaved_bytes_per_tile)) {
        std::iota(by_start_.begin(), by_start_.end(), std::size_t{0});
        std::stable_sort(by_start_.begin(), by_start_.end(), [&](std::size_t a, std::size_t b) {
            return layout_.ranges[own_[a]].from < layout_.ranges[own_[b]].from;
        });
    }

    void run() {
        pool_.parallel_for(own_.size(), 1, [&](std::size_t begin, std::size_t end) {
            for (std::size_t k = begin; k < end && !c_.cancelled(); ++k)
                layout_.addresses[own_[k]].assign(tiles_, -1);
        });
        memory_.with_gaps.assign(tiles_, 0);
        memory_.interleaved.assign(tiles_, 0);
        memory_.overflowed.assign(tiles_, 0);
        const std::vector<std::size_t> like = first_alike();
        const std::size_t blocks = (tiles_ + together - 1) / together;
        const Spread spread(blocks);
        pool_.parallel_for(blocks, 1, [&](std::size_t begin, std::size_t end) {
            for (std::size_t b = begin; b < end; ++b)
                lay_out(spread[b] * together, std::min(tiles_, (spread[b] + 1) * together), like);
        });
        pool_.parallel_for(own_.size(), 1, [&](std::size_t begin, std::size_t end) {
            for (std::size_t k = begin; k < end && !c_.cancelled(); ++k) {
                std::vector<std::int32_t>& addresses = layout_.addresses[own_[k]];
                for (std::size_t t = 0; t < tiles_; ++t)
                    addresses[t] = addresses[like[t]];
            }
        });
        for (std::size_t t = 0; t < tiles_; ++t) {
            memory_.with_gaps[t] = memory_.with_gaps[like[t]];
            memory_.interleaved[t] = memory_.interleaved[like[t]];
            memory_.overflowed[t] = memory_.overflowed[like[t]];
            if (memory_.with_gaps[t] > c_.options.target.bytes_per_tile)
                memory_.oversize_tiles.push_back(static_cast<std::int64_t>(t));
        }
    }

  private:
    static constexpr std::size_t together = 16; ///< tiles whose bytes of a variable share a line of the cache

    const std::vector<std::int32_t>& bytes_of(std::size_t k) const {
        return program_.variables[own_[k]].tile_bytes;
    }

    /// For each tile, the first that holds the same.
    std::vector<std::size_t> first_alike() const {
        std::vector<std::uint64_t> hashes(tiles_, 0);
        for (std::size_t k = 0; k < own_.size() && !c_.cancelled(); ++k)
            for (std::size_t t = 0; t < tiles_; ++t)
                hashes[t] = (hashes[t] ^ static_cast<std::uint64_t>(bytes_of(k)[t])) * 0x9E3779B97F4A7C15U +
                            (hashes[t] >> 32);
        std::unordered_map<std::uint64_t, std::size_t> firsts;
        std::vector<std::size_t> like(tiles_);
        for (std::size_t t = 0; t < tiles_; ++t)
            like[t] = firsts.try_emplace(hashes[t], t).first->second;
        std::vector<char> differs(tiles_, 0);
        for (std::size_t k = 0; k < own_.size() && !c_.cancelled(); ++k)
            for (std::size_t t = 0; t < tiles_; ++t)
                differs[t] = static_cast<char>(differs[t] | (bytes_of(k)[t] != bytes_of(k)[like[t]] ? 1 : 0));
        for (std::size_t t = 0; t < tiles_; ++t)
            if (differs[t] != 0)
                like[t] = t;
        return like;
    }

    /// Those of the tiles [begin, end) that are like no earlier one.
    void lay_out(std::size_t begin, std::size_t end, const std::vector<std::size_t>& like) {
        std::vector<std::size_t> tiles;
        for (std::size_t t = begin; t < end; ++t)
            if (like[t] == t)
                tiles.push_back(t);
        std::vector<std::vector<std::int32_t>> contents(tiles.size(), std::vector<std::int32_t>(own_.size()));
        for (std::size_t k = 0; k < own_.size(); ++k)
            for (std::size_t i = 0; i < tiles.size(); ++i)
                contents[i][k] = bytes_of(k)[tiles[i]];
        std::vector<TileLayout> layouts;
        for (std::size_t i = 0; i < tiles.size(); ++i) {
            if (c_.cancelled())
                return;
            layouts.push_back(tile_layout(contents[i]));
            memory_.with_gaps[tiles[i]] = layouts.back().end;
            tell_regions(tiles[i], contents[i], layouts.back());
        }
        for (std::size_t k = 0; k < own_.size(); ++k)
            for (std::size_t i = 0; i < tiles.size(); ++i)
                layout_.addresses[own_[k]][tiles[i]] = layouts[i].addresses[k];
    }

    /// Always live variables from the bottom, then the others.
    TileLayout tile_layout(const std::vector<std::int32_t>& contents) const {
        TileLayout tile{std::vector<std::int32_t>(own_.size(), -1)};
        for (std::size_t k = 0; k < own_.size(); ++k)
            if (contents[k] != 0 && program_.variables[own_[k]].always_live) {
                tile.addresses[k] = tile.end;
                tile.end += aligned(contents[k]);
            }
        std::vector<Interval> intervals;
        for (const std::size_t k : by_start_) {
            const program::Variable& variable = program_.variables[own_[k]];
            const LiveRange& range = layout_.ranges[own_[k]];
            if (contents[k] != 0 && !variable.always_live && range.from >= 0)
                intervals.push_back({k, aligned(contents[k]), range.from, range.to,
                                     std::max(variable.interleaved ? region_ : 0, tile.end), 0});
        }
        tile.end = first_fit(intervals, tile.end, c_.cancel);
        for (const Interval& interval : intervals)
            tile.addresses[interval.variable] = interval.address;
        return tile;
    }

    /// In which regions lies what is live at the tile's peak.
    void tell_regions(std::size_t t, const std::vector<std::int32_t>& contents, const TileLayout& tile) {
        const std::int64_t top = c_.options.target.bytes_per_tile;
        for (std::size_t k = 0; k < own_.size(); ++k) {
            const LiveRange& range = layout_.ranges[own_[k]];
            if (tile.addresses[k] < 0 ||
                (!program_.variables[own_[k]].always_live &&
                 (memory_.peak_step[t] < range.from || range.to < memory_.peak_step[t])))
                continue;
            const std::int64_t begin = tile.addresses[k];
            const std::int64_t end = begin + contents[k];
            const std::int64_t high = std::max<std::int64_t>(0, end - std::max(begin, top));
            memory_.overflowed[t] += high;
            memory_.interleaved[t] +=
                std::max<std::int64_t>(0, end - high - std::max<std::int64_t>(begin, region_));
        }
    }

    const Compilation& c_;
    const program::Program& program_;
    MemoryLayout& layout_;
    IpuMemory& memory_;
    WorkerPool& pool_;
    std::size_t tiles_;
    std::vector<std::size_t> own_;      ///< variables
    std::vector<std::size_t> by_start_; ///< of `own_`, in the order of their first steps
    std::int32_t region_;               ///< first address of interleaved memory
};

} // namespace

Result<std::string> lay_out_memory(Compilation& c) {
    const program::Program& program = c.executable.program;
    MemoryLayout& memory = c.executable.memory;
    memory.addresses.resize(program.variables.size());
    WorkerPool pool(c.options.threads);
    std::vector<std::vector<std::size_t>> own = program.variables_by_ipu();
    for (std::size_t ipu = 0; ipu < own.size(); ++ipu) {
        if (c.cancelled())
            return cancelled();
        IpuLayout(c, std::move(own[ipu]), memory.ipus[ipu], pool).run();
    }
    if (c.cancelled())
        return cancelled();
    return "fullest tile " + std::to_string(c.executable.highest_tile_bytes()) + " of " +
           std::to_string(c.options.target.bytes_per_tile) + " bytes";
}

} // namespace tilescope::compile
