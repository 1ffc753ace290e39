// SPDX-License-Identifier: GPL-3.0-or-later
#include "tile_regions.h"

#include "profile/live_levels.h"
#include "rows.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <utility>

namespace tilescope::profile {
namespace {

const char* const no_path = "the profile";

/// A variable on the tile.
struct Held {
    VariableRecord variable; ///< its category and when it is live
    std::int64_t begin = 0;  ///< bytes [begin, end)
    std::int64_t end = 0;
};

using Span = std::pair<std::int64_t, std::int64_t>; ///< [first, second)

/// The bytes that any of these take, as spans that do not meet, by address.
std::vector<Span> united(std::vector<Span> spans) {
    std::sort(spans.begin(), spans.end());
    std::vector<Span> result;
    for (const Span& span : spans)
        if (!result.empty() && span.first <= result.back().second)
            result.back().second = std::max(result.back().second, span.second);
        else
            result.push_back(span);
    return result;
}

std::int64_t common(const Span& a, const Span& b) {
    return std::max<std::int64_t>(0, std::min(a.second, b.second) - std::max(a.first, b.first));
}

std::int64_t common(const Span& span, const std::vector<Span>& others) {
    std::int64_t bytes = 0;
    for (auto other = std::upper_bound(others.begin(), others.end(), span.first,
                                       [](std::int64_t at, const Span&o) { return at < o.second; });
         other != others.end() && other->first < span.second; ++other)
        bytes += common(span, *other);
    return bytes;
}

constexpr std::array region_names = {"non_interleaved", "interleaved", "overflowed"};

std::vector<TileRegionRow> regions_of(const std::vector<Held>& all, const std::array<Span, 3>& regions) {
    LiveSums live;
    for (const Held& held : all)
        live.add(held.variable, held.end - held.begin);
    const std::int64_t peak = live.peak().step;
    std::vector<Span> at_other_steps;
    for (const Held& held : all)
        if (!live_at(held.variable, peak))
            at_other_steps.emplace_back(held.begin, held.end);
    at_other_steps = united(std::move(at_other_steps));
    std::map<std::pair<MemoryCategory, std::size_t>, TileRegionRow> rows;
    for (const Held& held : all)
        for (std::size_t i = 0; live_at(held.variable, peak) && i < regions.size(); ++i) {
            const Span here(std::max(held.begin, regions[i].first), std::min(held.end, regions[i].second));
            if (here.first >= here.second)
                continue;
            TileRegionRow& row = rows[{held.variable.category, i}];
            row.category = held.variable.category;
            row.region = region_names[i];
            const std::int64_t overlapped = common(here, at_other_steps);
            row.overlapped += overlapped;
            row.non_overlapped += here.second - here.first - overlapped;
        }
    std::vector<TileRegionRow> result;
    result.reserve(rows.size());
    for (auto& [key, row] : rows)
        result.push_back(std::move(row));
    return result;
}

} // namespace

Result<std::unique_ptr<Rows>> TileRegionRows::open(const Scan& scan) {
    std::int64_t upper = -1, memory = 0;
    TRY(each_row(scan.db, no_path,
                 "SELECT bytes_per_tile - interleaved_bytes, bytes_per_tile FROM target WHERE "
                 "interleaved_bytes IS NOT NULL",
                 [&](const Statement& s) { s.read_all(upper, memory); }));
    std::vector<Held> all;
    if (upper >= 0)
        TRY(each_row(
            scan.db, no_path,
            "SELECT v.category, v.always_live, v.live_from, v.live_to, a.value, a.value + b.value FROM "
            "variable v, tile_values('variable', v.id, v.ipu, 'bytes') b, tile_values('variable', v.id, "
            "v.ipu, 'address') a WHERE v.ipu = ?1 AND b.tile = ?2 AND a.tile = ?2 AND b.value > 0",
            [&](const Statement& s) {
                Held& held = all.emplace_back();
                VariableRecord& v = held.variable;
                s.read_all(v.category, v.always_live, v.live_from, v.live_to, held.begin, held.end);
            },
            std::int64_t{sqlite3_value_int64(scan.arguments[0])},
            std::int64_t{sqlite3_value_int64(scan.arguments[1])}));
    return std::make_unique<TileRegionRows>(regions_of(
        all, {Span(0, upper), Span(upper, memory), Span(memory, std::numeric_limits<std::int64_t>::max())}));
}

} // namespace tilescope::profile
