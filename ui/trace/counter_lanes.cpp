// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/try.h"
#include "trace_text.h"
#include "ui/trace/trace_lanes.h"

#include <algorithm>

namespace tilescope::ui {

namespace {

/// A figure over a window, a stretch for each pixel of it.
Result<LaneCurve> curve_of(const profile::Profile& file, const TraceWindow& window, std::int64_t ipu,
                           const profile::StepFigure& figure, double clock_hz) {
    LaneCurve curve;
    curve.from = window.from;
    curve.width = std::max<std::int64_t>(1, window.resolution);
    curve.clock_hz = clock_hz;
    const std::int64_t length = window.to - window.from;
    const auto count = static_cast<std::size_t>((length + curve.width - 1) / curve.width);
    TRY(curve.stretches, file.trace_figure(ipu, window.from, curve.width, count, figure));
    return curve;
}

} // namespace

Result<void> add_counters(std::vector<TimelineLane>& lanes, const profile::Profile& file,
                          const analyse::Counters& counters, const TraceWindow& window, double clock_hz,
                          const LaneChoice& wanted) {
    for (const LaneKind kind : LaneChoice::kinds) {
        const auto counter = counterOf(kind);
        if (!counter || kind == LaneKind::LinkRate || !wanted.shows(window.ipu, kind) ||
            counters.most(*counter) <= 0)
            continue;
        TimelineLane lane{kind, laneKindName(kind, false), {}, {}, -1, {}, {}};
        TRY(lane.curve, curve_of(file, window, window.ipu, counters.figure(*counter, window.ipu), clock_hz));
        lane.curve.top = *counter == analyse::Counter::BusyTiles ? 1 : counters.most(*counter);
        lanes.push_back(std::move(lane));
    }
    return {};
}

Result<std::vector<TimelineLane>> link_lanes(const TraceTables& tables, const profile::Profile& file,
                                             const TraceWindow& window, const LaneChoice& wanted) {
    std::vector<TimelineLane> lanes;
    const auto ipu_of = [&](std::int64_t id) {
        return std::find_if(tables.ipus.begin(), tables.ipus.end(),
                            [id](const profile::IpuRecord& ipu) { return ipu.id == id; });
    };
    const auto [from, to] = tables.range;
    double top = 0;
    for (const profile::LinkTrafficRecord& link : tables.links) {
        const auto sender = ipu_of(link.ipu);
        const auto receiver = ipu_of(link.peer);
        if (sender == tables.ipus.end() || receiver == tables.ipus.end() || to <= from)
            continue;
        TRY(const auto* program, tables.program(file));
        const profile::StepFigure figure = program->traffic.over_link(*sender, *receiver);
        TRY(const auto whole, file.trace_figure(link.ipu, from, to - from, 1, figure));
        top = std::max(top, whole.front().most);
        if (!wanted.shows(link.ipu) || whole.front().most <= 0)
            continue;
        TimelineLane lane{
            LaneKind::LinkRate, text("IPU %1 → %2").arg(link.ipu).arg(link.peer), {}, {}, -1, {}, {}};
        lane.remark = link.kind == profile::LinkKind::Copy ? text("copies") : text("collectives");
        TRY(lane.curve, curve_of(file, window, link.ipu, figure, tables.clock_hz));
        lanes.push_back(std::move(lane));
    }
    for (TimelineLane& lane : lanes)
        lane.curve.top = top;
    return lanes;
}

} // namespace tilescope::ui
