// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/tile_facts.h"

#include "analyse/tile_contents.h"
#include "base/try.h"
#include "tile_lists.h"

#include <algorithm>
#include <map>

namespace tilescope::analyse {
namespace {

/// Cycles of the tile and of the slowest one, over all runs of all compute sets that run on its IPU.
Result<void> add_compute(TileFacts& facts, const profile::Profile& profile, std::int64_t ipu,
                         std::size_t tile) {
    TRY(const auto program, profile.program());
    std::map<std::int64_t, std::int64_t> runs;
    for (const profile::ProgramRecord& step : program)
        if (step.compute_set_id >= 0)
            runs[step.compute_set_id] += step.runs;
    TRY(const auto sets, profile.compute_sets());
    return each_list(profile, "compute_set", sets, ipu, "cycles", [&](const auto& set, const auto& cycles) {
        const std::int64_t times = runs[set.id];
        facts.computes += tile < cycles.size() ? times * cycles[tile] : 0;
        facts.ipu_compute += times * *std::max_element(cycles.begin(), cycles.end());
    });
}

} // namespace

Result<std::optional<TileFacts>> tile_facts(const profile::Profile& profile, std::int64_t ipu,
                                            std::int64_t tile) {
    TRY(const auto with_gaps, profile.tile_values("memory", 0, ipu, "total_with_gaps"));
    if (tile < 0 || tile >= static_cast<std::int64_t>(with_gaps.size()))
        return std::optional<TileFacts>();
    const auto at = static_cast<std::size_t>(tile);
    const auto value = [at](const std::vector<std::int64_t>& values) {
        return at < values.size() ? values[at] : 0;
    };
    TileFacts facts;
    TRY(const auto target, profile.target());
    facts.bytes_per_tile = target.bytes_per_tile;
    facts.with_gaps = with_gaps[at];
    facts.tiles = static_cast<std::int64_t>(with_gaps.size());
    facts.fuller = std::count_if(with_gaps.begin(), with_gaps.end(),
                                 [&](std::int64_t bytes) { return bytes > facts.with_gaps; });
    TRY(const auto total, profile.tile_values("memory", 0, ipu, "total"));
    TRY(const auto always, profile.tile_values("memory", 0, ipu, "always_live"));
    facts.at_peak = value(total);
    facts.always = value(always);
    TRY(const TileVariables held, variables_of(profile, ipu, {tile}));
    if (!held.rows.empty()) {
        TRY(facts.peak, step_place(profile, held.peak.step));
    }
    TRY(const auto exchanges, exchanges_on_tiles(profile, ipu, {tile}));
    for (const ExchangeOnTiles& each : exchanges) {
        facts.sent += each.sent * each.runs;
        facts.received += each.received * each.runs;
    }
    TRY(const std::int64_t first, first_of(profile, ipu));
    TRY(add_compute(facts, profile, first, at));
    return std::optional(facts);
}

} // namespace tilescope::analyse
