// SPDX-License-Identifier: GPL-3.0-or-later
// What a time line tells of its lanes and slices to screen readers.
#include "ui/session/format.h"
#include "ui/timeline/lane_items.h"
#include "ui/timeline/pipeline_slice.h"
#include "ui/timeline/timeline_painter.h"
#include "ui/timeline/timeline_widget.h"

#include <QRectF>

namespace tilescope::ui {
namespace {

/// What a number and a colour stand for is said: "micro-batch 3, backward".
QString told_name(const TimelineLane& lane, const LaneItem& item, const TimelineSlice& slice) {
    if (lane.kind != LaneKind::Activity || slice.merged > 1)
        return TimelinePainter::item_name(lane, item, slice);
    const QString does = activityName(slice.activity);
    return slice.micro_batch < 0 ? does
                                 : TimelineWidget::tr("micro-batch %1, %2").arg(slice.micro_batch).arg(does);
}

/// How many things are in view, or how high a curve is there.
QString told_amount(const TimelineLane& lane, std::size_t items, const TimelineViewport& view) {
    const auto counter = counterOf(lane.kind);
    if (!counter)
        return TimelineWidget::tr("%1 in view").arg(formatCount(static_cast<std::int64_t>(items)));
    const profile::FigureSum figure = lane.curve.over(view.from(), view.to());
    if (figure.cycles <= 0)
        return TimelineWidget::tr("not known in view");
    return TimelineWidget::tr("%1 on average in view, %2 at most")
        .arg(counterText(*counter, figure.mean(), lane.curve.clock_hz),
             counterText(*counter, figure.most, lane.curve.clock_hz));
}

} // namespace

int TimelineWidget::partCount() const {
    if (!parts_told_.empty() || groups_.empty())
        return static_cast<int>(parts_told_.size());
    const QPoint corner = viewport()->pos();
    for (std::size_t g = 0; g < groups_.size(); ++g) {
        const TimelineGroup& group = groups_[g];
        const TimelineViewport view = viewOf(group);
        for (std::size_t l = 0; l < group.lanes.size(); ++l) {
            const TimelineLane& lane = group.lanes[l];
            const int top = stays(g) ? headHeight() : lanesTop();
            const QRect rect =
                laneRect(g, l).intersected({0, top, viewport()->width(), viewport()->height() - top});
            if (rect.isEmpty())
                continue;
            const auto items = lane_items(lane, view);
            parts_told_.push_back({tr("%1, %2").arg(group.name, lane.name),
                                   told_amount(lane, items.size(), view), rect.translated(corner),
                                   QAccessible::List, false});
            for (const LaneItem& item : items) {
                const TimelineSlice placed = merged_slice(lane, item);
                const TimelineSlice slice = in_cycles(placed, group);
                const double left = view.x(static_cast<double>(placed.start));
                const double wide = view.x(static_cast<double>(placed.end)) - left;
                constexpr double told_apart = 3; // pixels
                if (wide < told_apart)
                    continue;
                const QString name = told_name(lane, item, slice);
                const TimelineHighlight& chosen = group.base ? base_highlight_ : highlight_;
                parts_told_.push_back({name,
                                       tr("%1 from %2")
                                           .arg(formatTime(slice.end - slice.start, clock_hz_),
                                                formatTime(slice.start, clock_hz_)),
                                       QRectF(rect.left() + left, rect.top(), wide, rect.height())
                                           .intersected(rect)
                                           .toAlignedRect()
                                           .translated(corner),
                                       QAccessible::ListItem,
                                       chosen.any() && chosen.matches(lane.kind, slice)});
            }
        }
    }
    return static_cast<int>(parts_told_.size());
}

PaintedParts::Part TimelineWidget::part(int index) const {
    return index >= 0 && index < partCount() ? parts_told_[static_cast<std::size_t>(index)] : Part();
}

} // namespace tilescope::ui
