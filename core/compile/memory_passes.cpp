// SPDX-License-Identifier: GPL-3.0-or-later
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

/// One allocation of a tile that is not always live.
struct Interval {
    std::size_t variable;
    std::int32_t bytes;
    std::int32_t from, to; ///< steps, inclusive
    std::int32_t base;     ///< lowest address that it may have
    std::int32_t address = 0;
};

/// Those bound to a region first, then the largest; each at the lowest address that is free while it lives.
/// Returns the end of the highest.
std::int32_t place(std::vector<Interval>& intervals, std::int32_t top) {
    std::vector<std::size_t> order(intervals.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return std::pair(intervals[a].base, intervals[a].bytes) >
               std::pair(intervals[b].base, intervals[b].bytes);
    });
    std::vector<const Interval*> placed; // by address
    for (const std::size_t i : order) {
        Interval& interval = intervals[i];
        std::int32_t at = interval.base;
        for (const Interval* other : placed) {
            if (other->to < interval.from || interval.to < other->from || other->address + other->bytes <= at)
                continue;
            if (at + interval.bytes <= other->address)
                break;
            at = std::max(at, other->address + other->bytes);
        }
        interval.address = at;
        top = std::max(top, at + interval.bytes);
        placed.insert(
            std::upper_bound(placed.begin(), placed.end(), &interval,
                             [](const Interval* a, const Interval* b) { return a->address < b->address; }),
            &interval);
    }
    return top;
}

/// Bytes that are live at each tile's peak, by the region that they lie in.
void count_regions(const program::Program& program, const ipu::Target& target, MemoryLayout& memory) {
    const std::int64_t region = target.bytes_per_tile - target.interleaved_bytes_per_tile;
    memory.interleaved.assign(memory.peak.size(), 0);
    memory.overflowed.assign(memory.peak.size(), 0);
    for (std::size_t v = 0; v < program.variables.size(); ++v)
        for (std::size_t t = 0; t < memory.peak.size(); ++t) {
            const std::int64_t begin = memory.addresses[v][t];
            const std::int64_t end = begin + program.variables[v].tile_bytes[t];
            const bool live =
                program.variables[v].always_live ||
                (memory.ranges[v].from <= memory.peak_step[t] && memory.peak_step[t] <= memory.ranges[v].to);
            if (begin < 0 || !live)
                continue;
            const std::int64_t high = std::max<std::int64_t>(0, end - std::max(begin, target.bytes_per_tile));
            memory.overflowed[t] += high;
            memory.interleaved[t] += std::max<std::int64_t>(0, end - high - std::max(begin, region));
        }
}

} // namespace

Result<std::string> analyse_liveness(Compilation& c) {
    const program::Program& program = c.executable.program;
    MemoryLayout& memory = c.executable.memory;
    const auto tiles = static_cast<std::size_t>(program.tiles);
    const std::vector<program::StepId> leaves = program.leaves();

    memory.ranges.assign(program.variables.size(), {});
    for (std::size_t s = 0; s < leaves.size(); ++s)
        for (const program::VariableId id : program.step(leaves[s]).uses) {
            LiveRange& range = memory.ranges[static_cast<std::size_t>(id.value)];
            if (program.variable(id).always_live)
                continue;
            if (range.from < 0)
                range.from = static_cast<std::int32_t>(s);
            range.to = static_cast<std::int32_t>(s);
        }

    memory.always_live.assign(tiles, 0);
    std::vector<std::vector<std::size_t>> starts(leaves.size());
    std::vector<std::vector<std::size_t>> ends(leaves.size());
    for (std::size_t v = 0; v < program.variables.size(); ++v) {
        if (program.variables[v].always_live)
            for (std::size_t t = 0; t < tiles; ++t)
                memory.always_live[t] += program.variables[v].tile_bytes[t];
        else if (memory.ranges[v].from >= 0) {
            starts[static_cast<std::size_t>(memory.ranges[v].from)].push_back(v);
            ends[static_cast<std::size_t>(memory.ranges[v].to)].push_back(v);
        }
    }
    const std::int64_t always =
        std::accumulate(memory.always_live.begin(), memory.always_live.end(), std::int64_t{0});
    memory.peak = memory.always_live;
    memory.peak_step.assign(tiles, 0);
    std::vector<std::int64_t> live(tiles, 0);
    for (std::size_t s = 0; s < leaves.size(); ++s) {
        for (const std::size_t v : starts[s])
            for (std::size_t t = 0; t < tiles; ++t)
                live[t] += program.variables[v].tile_bytes[t];
        LivenessPoint point{always, 0, 0};
        for (std::size_t t = 0; t < tiles; ++t) {
            const std::int64_t total = memory.always_live[t] + live[t];
            point.not_always_live += live[t];
            point.max_tile = std::max(point.max_tile, total);
            if (total > memory.peak[t]) {
                memory.peak[t] = total;
                memory.peak_step[t] = static_cast<std::int32_t>(s);
            }
        }
        memory.liveness.push_back(point);
        for (const std::size_t v : ends[s])
            for (std::size_t t = 0; t < tiles; ++t)
                live[t] -= program.variables[v].tile_bytes[t];
    }
    return std::to_string(leaves.size()) + " steps, " + std::to_string(always) + " bytes always live";
}

Result<std::string> lay_out_memory(Compilation& c) {
    const program::Program& program = c.executable.program;
    MemoryLayout& memory = c.executable.memory;
    const auto tiles = static_cast<std::size_t>(program.tiles);
    memory.addresses.assign(program.variables.size(), std::vector<std::int32_t>(tiles, -1));
    memory.with_gaps.assign(tiles, 0);

    struct Layout {
        std::vector<std::int32_t> addresses;
        std::int32_t end = 0;
    };
    const auto region = static_cast<std::int32_t>(c.options.target.bytes_per_tile -
                                                  c.options.target.interleaved_bytes_per_tile);
    std::map<std::vector<std::int32_t>, Layout> known; // tiles with the same contents are laid out once
    for (std::size_t t = 0; t < tiles; ++t) {
        std::vector<std::int32_t> contents(program.variables.size());
        for (std::size_t v = 0; v < contents.size(); ++v)
            contents[v] = program.variables[v].tile_bytes[t];
        auto [found, fresh] = known.try_emplace(contents);
        Layout& layout = found->second;
        if (fresh) {
            layout.addresses.assign(contents.size(), -1);
            std::vector<Interval> intervals;
            for (std::size_t v = 0; v < contents.size(); ++v) {
                if (contents[v] == 0)
                    continue;
                if (program.variables[v].always_live) {
                    layout.addresses[v] = layout.end;
                    layout.end += aligned(contents[v]);
                } else if (memory.ranges[v].from >= 0) {
                    intervals.push_back({v, aligned(contents[v]), memory.ranges[v].from, memory.ranges[v].to,
                                         program.variables[v].interleaved ? region : 0, 0});
                }
            }
            for (Interval& interval : intervals)
                interval.base = std::max(interval.base, layout.end);
            layout.end = place(intervals, layout.end);
            for (const Interval& interval : intervals)
                layout.addresses[interval.variable] = interval.address;
        }
        for (std::size_t v = 0; v < contents.size(); ++v)
            memory.addresses[v][t] = layout.addresses[v];
        memory.with_gaps[t] = layout.end;
        if (layout.end > c.options.target.bytes_per_tile)
            memory.oversize_tiles.push_back(static_cast<std::int64_t>(t));
    }
    count_regions(program, c.options.target, memory);
    const std::int64_t fullest = *std::max_element(memory.with_gaps.begin(), memory.with_gaps.end());
    return "fullest tile " + std::to_string(fullest) + " of " +
           std::to_string(c.options.target.bytes_per_tile) + " bytes";
}

} // namespace tilescope::compile
