// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/entry.h"
#include "base/text.h"
#include "base/worker_pool.h"
#include "compile/passes.h"

#include <algorithm>
#include <iterator>

namespace tilescope::compile {
namespace {

/// Which of one IPU's variables are always live, and when the others begin and end to be.
struct Lives {
    std::vector<std::size_t> always, by_start, by_end;
};

Lives lives_of(const program::Program& program, const std::vector<LiveRange>& ranges,
               const std::vector<std::size_t>& own) {
    Lives lives;
    for (const std::size_t v : own)
        if (program.variables[v].always_live)
            lives.always.push_back(v);
        else if (ranges[v].from >= 0)
            lives.by_start.push_back(v);
    lives.by_end = lives.by_start;
    std::stable_sort(lives.by_start.begin(), lives.by_start.end(),
                     [&](std::size_t a, std::size_t b) { return ranges[a].from < ranges[b].from; });
    std::stable_sort(lives.by_end.begin(), lives.by_end.end(),
                     [&](std::size_t a, std::size_t b) { return ranges[a].to < ranges[b].to; });
    return lives;
}

/// The liveness of some of an IPU's tiles over the steps: [first, last) of `memory`'s vectors by tile, and
/// what these tiles hold by step.
class TilesLiveness {
  public:
    TilesLiveness(const Compilation& c, const Lives& lives, std::size_t first, std::size_t last,
                  IpuMemory& memory)
        : c_(c), lives_(lives), first_(first), last_(last), memory_(memory), live_(last - first, 0) {}

    std::vector<LivenessPoint> run(std::size_t steps) {
        for (const std::size_t v : lives_.always) {
            if (c_.cancelled())
                return {};
            for (std::size_t t = first_; t < last_; ++t)
                memory_.always_live[t] += bytes(v)[t];
        }
        for (std::size_t t = first_; t < last_; ++t)
            memory_.peak[t] = memory_.always_live[t];
        const std::vector<LiveRange>& ranges = c_.executable.memory.needed;
        std::vector<LivenessPoint> points;
        points.reserve(steps);
        auto start = lives_.by_start.begin();
        auto end = lives_.by_end.begin();
        for (std::int32_t s = 0; s < static_cast<std::int32_t>(steps); ++s) {
            bool changed = s == 0;
            for (; end != lives_.by_end.end() && ranges[*end].to < s; ++end, changed = true)
                for (std::size_t t = first_; t < last_; ++t)
                    live_[t - first_] -= bytes(*end)[t];
            for (; start != lives_.by_start.end() && ranges[*start].from == s; ++start, changed = true)
                for (std::size_t t = first_; t < last_; ++t)
                    live_[t - first_] += bytes(*start)[t];
            if (changed && c_.cancelled())
                break;
            points.push_back(changed ? point_at(s) : points.back());
        }
        return points;
    }

  private:
    const std::vector<std::int32_t>& bytes(std::size_t v) const {
        return c_.executable.program.variables[v].tile_bytes;
    }
    LivenessPoint point_at(std::int32_t step) {
        LivenessPoint point;
        for (std::size_t t = first_; t < last_; ++t) {
            const std::int64_t total = memory_.always_live[t] + live_[t - first_];
            point.always_live += memory_.always_live[t];
            point.not_always_live += live_[t - first_];
            point.max_tile = std::max(point.max_tile, total);
            if (total > memory_.peak[t]) {
                memory_.peak[t] = total;
                memory_.peak_step[t] = step;
            }
        }
        return point;
    }

    const Compilation& c_;
    const Lives& lives_;
    std::size_t first_, last_;
    IpuMemory& memory_;
    std::vector<std::int64_t> live_;
};

/// The liveness of one IPU's variables over the steps.
IpuMemory liveness_of(const Compilation& c, const std::vector<std::size_t>& own, std::size_t steps,
                      WorkerPool& pool) {
    const auto tiles = static_cast<std::size_t>(c.executable.program.tiles);
    IpuMemory memory;
    memory.always_live.assign(tiles, 0);
    memory.peak.assign(tiles, 0);
    memory.peak_step.assign(tiles, 0);
    const Lives lives = lives_of(c.executable.program, c.executable.memory.needed, own);
    constexpr std::size_t together = 256; // tiles whose sums stay in a core's cache
    std::vector<std::vector<LivenessPoint>> parts((tiles + together - 1) / together);
    pool.parallel_for(parts.size(), 1, [&](std::size_t begin, std::size_t end) {
        for (std::size_t p = begin; p < end; ++p)
            parts[p] =
                TilesLiveness(c, lives, p * together, std::min(tiles, (p + 1) * together), memory).run(steps);
    });
    if (c.cancelled())
        return memory;
    memory.liveness.assign(steps, {});
    for (const std::vector<LivenessPoint>& part : parts)
        for (std::size_t s = 0; s < steps; ++s) {
            LivenessPoint& point = memory.liveness[s];
            point.always_live += part[s].always_live;
            point.not_always_live += part[s].not_always_live;
            point.max_tile = std::max(point.max_tile, part[s].max_tile);
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
    if (step.kind != StepKind::Repeat || step.repeats < 2)
        return steps;
    const std::int32_t last = first + steps - 1;
    for (std::int32_t s = first; s <= last; ++s)
        for (const std::size_t v : used[static_cast<std::size_t>(s)])
            if (LiveRange& range = ranges[v]; range.from >= 0 && (range.from < first || range.to > last))
                range = {std::min(range.from, first), std::max(range.to, last)};
    return steps;
}

std::vector<LiveRange> needed_ranges(const program::Program& program,
                                     const std::vector<program::StepId>& leaves) {
    std::vector<LiveRange> ranges(program.variables.size());
    std::vector<std::vector<std::size_t>> used(leaves.size()); // variables, by step
    for (std::size_t s = 0; s < leaves.size(); ++s)
        for (const program::VariableId id : program.step(leaves[s]).uses) {
            used[s].push_back(static_cast<std::size_t>(id.value));
            LiveRange& range = entry(ranges, id);
            if (range.from < 0)
                range.from = static_cast<std::int32_t>(s);
            range.to = static_cast<std::int32_t>(s);
        }
    if (program.root.value >= 0)
        live_through_loops(program, program.root, 0, used, ranges);
    return ranges;
}

} // namespace

Result<std::string> analyse_liveness(Compilation& c) {
    const program::Program& program = c.executable.program;
    MemoryLayout& memory = c.executable.memory;
    const std::vector<program::StepId> leaves = program.leaves();
    memory.needed = needed_ranges(program, leaves);
    std::int64_t always = 0;
    WorkerPool pool(c.options.threads);
    for (const std::vector<std::size_t>& own : program.variables_by_ipu()) {
        memory.ipus.push_back(liveness_of(c, own, leaves.size(), pool));
        if (c.cancelled())
            return cancelled();
        always += memory.ipus.back().liveness.empty() ? 0 : memory.ipus.back().liveness[0].always_live;
    }
    return counted_text(std::ssize(leaves), "step") + ", " + bytes_text(static_cast<double>(always)) +
           " always live";
}

} // namespace tilescope::compile
