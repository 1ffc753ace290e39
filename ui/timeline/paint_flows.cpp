// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/timeline_widget.h"

#include <QPainterPath>
#include <algorithm>

namespace tilescope::ui {

std::optional<TimelineWidget::FlowEnd> TimelineWidget::flowEnd(std::int64_t ipu, LaneKind wanted) const {
    std::optional<FlowEnd> end;
    for (std::size_t g = 0; g < groups_.size(); ++g) {
        const TimelineGroup& group = groups_[g];
        if (group.ipu != ipu || group.base)
            continue;
        for (std::size_t l = 0; l < group.lanes.size(); ++l) {
            const QRect rect = laneRect(g, l);
            if (rect.height() == 0)
                continue;
            if (group.lanes[l].kind == wanted)
                return FlowEnd{static_cast<double>(rect.center().y()), stays(g)};
            if (!end || group.lanes[l].kind == LaneKind::Phases)
                end = FlowEnd{static_cast<double>(rect.center().y()), stays(g)};
        }
    }
    return end;
}

/// Dotted curves with a head: those of what is chosen stand out. Between lanes that scroll they are below
/// what stays; to what stays they come from where the other lane has gone below it.
void TimelineWidget::paintFlows(QPainter& painter, const ChartStyle& style) {
    if (flows_.empty())
        return;
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    for (const TimelineFlow& flow : flows_) {
        const auto from = flowEnd(flow.from_ipu, flow.lane);
        const auto to = flowEnd(flow.to_ipu, flow.lane);
        if (!from || !to)
            continue;
        const int top = from->stays || to->stays ? headHeight() : lanesTop();
        painter.setClipRect(QRect(gutter(), top, viewport()->width() - gutter(), viewport()->height() - top));
        const auto y = [&](const FlowEnd& end) {
            return end.stays || from->stays == to->stays ? end.y : std::max<double>(end.y, lanesTop());
        };
        // Far beyond the view a curve has no shape that could be seen.
        const auto x = [&](std::int64_t cycle) {
            return gutter() + std::clamp(view_.x(static_cast<double>(cycle)), -2e4, view_.width() + 2e4);
        };
        const QPointF begin(x(flow.from), y(*from));
        const QPointF end(x(flow.to), y(*to));
        const double bend = std::max(16.0, std::abs(end.x() - begin.x()) / 2);
        QPainterPath path(begin);
        path.cubicTo(begin + QPointF(bend, 0), end - QPointF(bend, 0), end);
        painter.setBrush(Qt::NoBrush);
        for (const auto& [width, color] :
             {std::pair{flow.chosen ? 4.5 : 3.5, style.background},
              {flow.chosen ? 2.0 : 1.2, flow.chosen ? style.accent : style.text}}) {
            painter.setPen(QPen(color, width, color == style.background ? Qt::SolidLine : Qt::DotLine));
            painter.drawPath(path);
        }
        constexpr double head = 6;
        painter.setPen(Qt::NoPen);
        painter.setBrush(flow.chosen ? style.accent : style.text);
        painter.drawPolygon(QPolygonF{end, end + QPointF(-head, -head / 2), end + QPointF(-head, head / 2)});
    }
    painter.restore();
}

} // namespace tilescope::ui
