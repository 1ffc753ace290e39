// SPDX-License-Identifier: GPL-3.0-or-later
#include "compile/passes.h"

#include <algorithm>
#include <numeric>

namespace tilescope::compile {
namespace {

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

} // namespace tilescope::compile
