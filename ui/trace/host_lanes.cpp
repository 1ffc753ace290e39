// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/epoch_spans.h"
#include "base/try.h"
#include "trace_text.h"
#include "ui/session/format.h"
#include "ui/trace/trace_lanes.h"

namespace tilescope::ui {
namespace {

/// The host's part of a slice; nullopt: it has none.
std::optional<TimelineSlice> host_part(const TraceTables& tables, const profile::TraceSlice& row) {
    if (row.cycles.host == 0)
        return std::nullopt;
    TimelineSlice slice;
    slice.start = row.start_cycle;
    slice.end = row.end_cycle;
    slice.execution = row.execution_id;
    slice.step = row.step;
    slice.program = row.program_id;
    slice.merged = row.merged;
    slice.longest = row.longest;
    slice.longest_cycles = row.longest_cycles;
    slice.traced = row.traced;
    slice.cycles.host = row.cycles.host;
    if (row.merged == 1 && row.program_id >= 0) { // without what it waits for before
        slice.start += row.cycles.sync;
        slice.label = tables.program().step(row.program_id).name;
    }
    return slice;
}

/// What the I/O tiles of an IPU exchange beside its compute; none where they do not.
Result<std::optional<TimelineLane>> io_lane(const TraceTables& tables, const profile::Profile& file,
                                            const TraceWindow& window, std::int64_t ipu) {
    TimelineLane lane{
        LaneKind::Host, text("I/O tiles, IPU %1").arg(ipu), {}, {}, -1, text("stream copies"), {}};
    TRY(const auto rows, file.io_trace(ipu, window.from, window.to, window.resolution));
    TRY(read_names(tables, file, rows));
    for (const profile::TraceSlice& row : rows)
        if (auto slice = host_part(tables, row); slice && row.merged > 0)
            lane.slices.push_back(std::move(*slice));
    return rows.empty() ? std::nullopt : std::optional(std::move(lane));
}

/// What the host's own clock says of epochs, evaluations and predictions; none where it is not recorded.
std::optional<TimelineLane> wall_lane(const TraceTables& tables, const TraceWindow& window) {
    TimelineLane lane{LaneKind::Execution, text("Wall time"), {}, {}, -1, text("epochs"), {}, {}};
    constexpr std::int64_t least_pixels = 3;
    for (const analyse::EpochSpan& span : analyse::epoch_spans(tables.executions, {window.from, window.to},
                                                               least_pixels * window.resolution)) {
        if (!span.wall_us)
            continue;
        TimelineSlice slice;
        slice.start = span.cycles.first;
        slice.end = span.cycles.second;
        slice.merged = span.epochs;
        const QString time = formatSeconds(*span.wall_us / 1e6);
        const QString what = span.kind == profile::ExecutionKind::Train
                                 ? text("train, epoch %1").arg(formatCount(span.epoch + 1))
                             : span.kind == profile::ExecutionKind::Evaluate ? text("evaluate")
                                                                             : text("predict");
        slice.label = span.epochs > 1 ? text("%1 epochs: %2").arg(formatCount(span.epochs), time)
                      : span.mean     ? text("%1: %2 on average").arg(what, time)
                                      : text("%1: %2").arg(what, time);
        lane.slices.push_back(std::move(slice));
    }
    return lane.slices.empty() ? std::nullopt : std::optional(std::move(lane));
}

} // namespace

Result<std::vector<TimelineLane>> host_lanes(const TraceTables& tables, const profile::Profile& file,
                                             const TraceWindow& window) {
    std::vector<TimelineLane> lanes;
    const QString steps = text("stream copies");
    TimelineLane launch{LaneKind::Host, text("Launch"), {}, {}, -1, text("launches"), {}};
    for (const std::int64_t ipu : tables.fed) {
        TimelineLane streams{LaneKind::Host, text("Streams, IPU %1").arg(ipu), {}, {}, -1, steps, {}};
        TRY(const auto rows, file.trace(ipu, window.from, window.to, window.resolution));
        TRY(read_names(tables, file, rows));
        for (const profile::TraceSlice& row : rows) {
            auto slice = host_part(tables, row);
            if (!slice)
                continue;
            if (row.merged > 0) {
                streams.slices.push_back(std::move(*slice));
            } else if (ipu == tables.fed.front()) { // the same for all
                slice->label = text("launch");
                slice->merged = 1;
                launch.slices.push_back(std::move(*slice));
            }
        }
        lanes.push_back(std::move(streams));
        TRY(auto beside, io_lane(tables, file, window, ipu));
        if (beside)
            lanes.push_back(std::move(*beside));
    }
    lanes.insert(lanes.begin(), std::move(launch));
    if (auto wall = wall_lane(tables, window))
        lanes.push_back(std::move(*wall));
    return lanes;
}

} // namespace tilescope::ui
