// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/tile_rows.h"

#include "analyse/replicas.h"
#include "analyse/tile_exchange.h"
#include "base/text.h"
#include "base/try.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace tilescope::analyse {
namespace {

using profile::TraceSlice;
using Values = std::vector<std::int64_t>;

constexpr std::size_t most_uses = 2'000; ///< kept, of all steps

/// A phase of a program step, in which each tile is active from its beginning on, and then waits.
struct Phase {
    double start = 0;
    double length = 0;
    TimeKind kind = TimeKind::Compute;
    const std::vector<float>* active = nullptr; ///< by tile, in units of
    double unit = 1;                            ///< so many cycles
    double of(std::size_t tile) const {
        return tile < active->size() ? std::min(length, static_cast<double>((*active)[tile]) * unit) : 0;
    }
};

void put(TimeColumns& columns, double start, double end, TimeKind kind, double cycles) {
    columns.spread(start, end, static_cast<std::size_t>(kind), cycles);
}

/// Of the tiles `first` to `last`, the last not included.
void add(TimeColumns& columns, const Phase& phase, std::size_t first, std::size_t last) {
    constexpr double told_apart = 2; // columns
    const auto count = static_cast<double>(last - first);
    const double end = phase.start + phase.length;
    if (phase.length >= told_apart * columns.width()) {
        for (std::size_t tile = first; tile < last; ++tile) {
            const double cycles = phase.of(tile);
            put(columns, phase.start, phase.start + cycles, phase.kind, cycles / count);
            put(columns, phase.start + cycles, end, TimeKind::Waiting, (phase.length - cycles) / count);
        }
        return;
    }
    double sum = 0;
    for (std::size_t tile = first; tile < last; ++tile)
        sum += phase.of(tile);
    put(columns, phase.start, end, phase.kind, sum / count);
    put(columns, phase.start, end, TimeKind::Waiting, phase.length - sum / count);
}

/// What a row shows of its own and of what all tiles do alike.
void write(TileRows::Cell* cells, const TimeColumns& own, const TimeColumns& common) {
    constexpr double whole = 255;
    for (std::size_t c = 0; c < own.columns().size(); ++c, ++cells)
        for (std::size_t kind = 0; kind < cells->size(); ++kind) {
            const double share = (own.columns()[c][kind] + common.columns()[c][kind]) / own.width();
            (*cells)[kind] = static_cast<std::uint8_t>(std::lround(std::clamp(share, 0.0, 1.0) * whole));
        }
}

} // namespace

Result<TileActivity> TileActivity::read(const profile::Profile& profile) {
    TileActivity activity;
    TRY(const auto target, profile.target());
    TRY(const auto ipus, profile.ipus());
    TRY(const auto program, profile.program());
    activity.tiles_ = target.tiles_per_ipu;
    for (const auto& ipu : ipus)
        activity.first_replica_[ipu.id] = first_like(ipu, ipus);
    for (const auto& row : program) {
        const auto id = static_cast<std::size_t>(row.id);
        if (activity.steps_.size() <= id)
            activity.steps_.resize(id + 1);
        activity.steps_[id] = {row.compute_set_id, row.exchange_id, true};
    }
    TRY(const auto vertices, profile.vertices());
    for (const auto& row : vertices) {
        std::string& all = activity.vertices_[row.compute_set_id];
        all += (all.empty() ? "" : ", ") + row.codelet + " (" + count_text(row.count) + ")";
    }
    return activity;
}

Result<const TileActivity::Use*> TileActivity::use(const profile::Profile& profile, std::int64_t step,
                                                   std::int64_t ipu) {
    if (step < 0 || step >= static_cast<std::int64_t>(steps_.size()) ||
        !steps_[static_cast<std::size_t>(step)].described)
        return static_cast<const Use*>(nullptr);
    if (const auto found = uses_.find({step, ipu}); found != uses_.end())
        return &found->second;
    Use use; // kept once all of it is read
    const Step& of = steps_[static_cast<std::size_t>(step)];
    if (of.exchange >= 0) {
        TRY(Values sent, profile.tile_values("exchange", of.exchange, ipu, "sent"));
        TRY(const Values received, profile.tile_values("exchange", of.exchange, ipu, "received"));
        const Values bytes = busy_bytes(std::move(sent), received);
        const std::int64_t most = bytes.empty() ? 0 : *std::max_element(bytes.begin(), bytes.end());
        if (most > 0)
            for (const std::int64_t each : bytes)
                use.exchange.push_back(static_cast<float>(each) / static_cast<float>(most));
    }
    if (of.compute_set >= 0) {
        TRY(const Values cycles, profile.tile_values("compute_set", of.compute_set, ipu, "cycles"));
        use.compute.assign(cycles.begin(), cycles.end());
        const auto most = std::max_element(cycles.begin(), cycles.end());
        if (most != cycles.end() && *most > 0)
            use.slowest = SlowestTile{
                most - cycles.begin(), *most,
                static_cast<double>(std::accumulate(cycles.begin(), cycles.end(), Values::value_type{0})) /
                    static_cast<double>(cycles.size()),
                vertices_[of.compute_set]};
    }
    return &uses_.emplace(std::pair(step, ipu), std::move(use)).first->second;
}

Result<TileRows> TileActivity::rows(const profile::Profile& profile, std::int64_t ipu, Range range,
                                    std::int64_t width, std::int64_t first, std::int64_t last,
                                    std::size_t most_rows) {
    TileRows result;
    result.last_tile = std::clamp<std::int64_t>(last, 0, tiles_ - 1);
    result.first_tile = std::clamp<std::int64_t>(first, 0, result.last_tile);
    result.from = range.first;
    result.width = std::max<std::int64_t>(1, width);
    const std::int64_t tiles = result.last_tile - result.first_tile + 1;
    const auto rows = static_cast<std::int64_t>(std::max<std::size_t>(1, most_rows));
    result.tiles_per_row = (tiles + rows - 1) / rows;
    std::vector<TraceSlice> steps;
    TRY(profile.trace_steps(ipu, range.first, range.second, nullptr, [&](const TraceSlice& step) {
        steps.push_back(step);
        return steps.size() <= most_steps;
    }));
    if (steps.size() > most_steps || range.second <= range.first)
        return result;
    result.rows = static_cast<std::size_t>((tiles + result.tiles_per_row - 1) / result.tiles_per_row);
    result.columns = static_cast<std::size_t>((range.second - range.first + result.width - 1) / result.width);
    if (uses_.size() > most_uses)
        uses_.clear();
    const auto twin = first_replica_.find(ipu);
    const TimeColumns empty(static_cast<double>(result.from), static_cast<double>(result.width),
                            result.columns);
    TimeColumns common = empty; // of all tiles alike
    std::vector<Phase> taken;
    for (const TraceSlice& step : steps) {
        TRY(const Use* use,
            this->use(profile, step.program_id, twin == first_replica_.end() ? ipu : twin->second));
        if (use == nullptr)
            continue;
        if (use->slowest)
            result.slowest[step.program_id] = *use->slowest;
        auto at = static_cast<double>(step.start_cycle);
        for (const TimeKind kind :
             {TimeKind::Sync, TimeKind::Exchange, TimeKind::InterIpu, TimeKind::Host, TimeKind::Compute}) {
            const auto length = static_cast<double>(cycles_of(step.cycles, kind));
            const bool computes = kind == TimeKind::Compute;
            const auto& active = computes ? use->compute : use->exchange;
            if (length > 0 && kind != TimeKind::Sync && !active.empty())
                taken.push_back({at, length, kind, &active, computes ? 1 : length});
            else if (!computes) // by which tiles a step computes may be unknown
                put(common, at, at + length, kind, length);
            at += length;
        }
    }
    // What lies between the steps: the host's before the first one, later waiting.
    TRY(const auto slices, profile.trace(ipu, range.first, range.second, 0));
    for (const TraceSlice& gap : slices)
        if (gap.merged == 0)
            common.add(gap);
    result.cells.resize(result.rows * result.columns);
    for (std::size_t row = 0; row < result.rows; ++row) {
        const std::int64_t first_of =
            result.first_tile + static_cast<std::int64_t>(row) * result.tiles_per_row;
        const std::int64_t last_of = std::min(first_of + result.tiles_per_row, result.last_tile + 1);
        TimeColumns own = empty;
        for (const Phase& phase : taken)
            add(own, phase, static_cast<std::size_t>(first_of), static_cast<std::size_t>(last_of));
        write(result.cells.data() + row * result.columns, own, common);
    }
    return result;
}

} // namespace tilescope::analyse
