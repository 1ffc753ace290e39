// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/range_difference.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tilescope::analyse {
namespace {

using Ids = std::map<std::int64_t, std::int64_t>; ///< of the base by those of the new run
using Key = std::pair<TimeTotal::Of, std::int64_t>;

Difference of_cycles(std::int64_t base, std::int64_t now) {
    return {{}, FigureUnit::Cycles, static_cast<double>(base), static_cast<double>(now)};
}

void put(std::optional<double>& side, std::int64_t value) {
    side = static_cast<double>(value);
}

double weight(const TotalDifference& row) {
    return std::abs(row.cycles.by());
}

TotalDifferences differences(const std::vector<TimeTotal>& base, const std::vector<TimeTotal>& now,
                             const Ids& same) {
    Ids back;
    for (const auto& [here, there] : same)
        back[there] = here;
    std::map<Key, TotalDifference> rows; // by the new run's id; what only the base has, by its own, negative
    const auto row_of = [&](TimeTotal::Of of, std::int64_t id, std::int64_t base_id) -> TotalDifference& {
        TotalDifference& row = rows[{of, id >= 0 ? id : -2 - base_id}];
        row = {of, id, base_id, std::move(row.cycles), std::move(row.runs)};
        return row;
    };
    const auto partner = [](const Ids& ids, const TimeTotal& total) {
        const auto found = ids.find(total.id);
        return total.of != TimeTotal::Of::Step || found == ids.end() ? std::int64_t{-1} : found->second;
    };
    for (const TimeTotal& total : now) {
        const std::int64_t there = partner(same, total);
        TotalDifference& row = row_of(total.of, total.id, there);
        put(row.cycles.now, total.cycles.total());
        put(row.runs.now, total.runs);
        if (there >= 0 || total.of != TimeTotal::Of::Step) { // it is there, perhaps not in its range
            put(row.cycles.base, 0);
            put(row.runs.base, 0);
        }
    }
    for (const TimeTotal& total : base) {
        const std::int64_t here = partner(back, total);
        TotalDifference& row = row_of(total.of, here, total.of == TimeTotal::Of::Step ? total.id : -1);
        put(row.cycles.base, total.cycles.total());
        put(row.runs.base, total.runs);
        if (!row.cycles.now && (here >= 0 || total.of != TimeTotal::Of::Step)) {
            put(row.cycles.now, 0);
            put(row.runs.now, 0);
        }
    }
    TotalDifferences result;
    result.unchanged_cycles = of_cycles(0, 0);
    for (auto& [key, row] : rows) {
        row.cycles.unit = FigureUnit::Cycles;
        if (row.cycles.change() != 0) { // also nullopt
            result.changed.push_back(std::move(row));
            continue;
        }
        ++result.unchanged;
        *result.unchanged_cycles.base += *row.cycles.base;
        *result.unchanged_cycles.now += *row.cycles.now;
    }
    std::stable_sort(
        result.changed.begin(), result.changed.end(),
        [](const TotalDifference& a, const TotalDifference& b) { return weight(a) > weight(b); });
    return result;
}

/// Totals with those of parts, as of a layer that was split, in those of their wholes.
std::vector<TimeTotal> with_wholes(const std::vector<TimeTotal>& totals, const Ids& wholes) {
    std::map<std::int64_t, std::size_t> place; // by id
    std::vector<TimeTotal> result;
    for (TimeTotal total : totals) {
        if (total.of != TimeTotal::Of::Step) {
            result.push_back(total);
            continue;
        }
        if (const auto whole = wholes.find(total.id); whole != wholes.end())
            total.id = whole->second;
        const auto [found, is_new] = place.try_emplace(total.id, result.size());
        if (is_new) {
            result.push_back(total);
        } else {
            result[found->second].cycles += total.cycles;
            result[found->second].runs += total.runs;
        }
    }
    return result;
}

} // namespace

RangeDifference range_difference(const RangeTotals& base, const RangeTotals& now, const Matching& matching,
                                 const Ids& steps) {
    RangeDifference result;
    result.base_phases = base.phases;
    result.now_phases = now.phases;
    for (std::size_t i = 0; i < time_kinds.size(); ++i)
        result.kinds[i] =
            of_cycles(cycles_of(base.phases, time_kinds[i]), cycles_of(now.phases, time_kinds[i]));
    result.cycles = of_cycles(base.phases.total(), now.phases.total());
    result.operations = differences(base.operations, now.operations, matching.operations);
    result.layers = differences(with_wholes(base.layers, matching.merged),
                                with_wholes(now.layers, split_in_now(matching)), matching.layers);
    result.programs = differences(base.programs, now.programs, steps);
    return result;
}

} // namespace tilescope::analyse
