// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/timeline_widget.h"

#include <algorithm>

namespace tilescope::ui {

QString TimelineWidget::flagText(std::size_t mark) const {
    const QString text =
        marks_[mark].note.isEmpty() ? tr("mark %1").arg(mark + 1) : marks_[mark].note.simplified();
    return fontMetrics().elidedText(text, Qt::ElideRight, fontMetrics().averageCharWidth() * 40);
}

QRect TimelineWidget::flagOf(std::size_t mark) const {
    const int height = fontMetrics().height() + 2;
    // Neighbours stand on different lines, so that notes close together can be read.
    const int line = static_cast<int>(mark % 3);
    const double x = gutter() + std::clamp(view_.x(static_cast<double>(marks_[mark].from)), -1e6, 1e6);
    return {static_cast<int>(x), viewport()->height() - (line + 1) * (height + 2),
            fontMetrics().horizontalAdvance(flagText(mark)) + 12, height};
}

void TimelineWidget::paintMarks(QPainter& painter, const ChartStyle& style) {
    const int top = overviewRect().bottom() + 1;
    for (std::size_t i = 0; i < marks_.size(); ++i) {
        const auto x = [this](std::int64_t cycle) {
            return gutter() + std::clamp(view_.x(static_cast<double>(cycle)), -1e6, 1e6);
        };
        const double from = x(marks_[i].from);
        painter.setPen(QPen(style.update, 1, Qt::DashLine));
        painter.drawLine(QPointF(from, top), QPointF(from, viewport()->height()));
        if (marks_[i].to > marks_[i].from) { // a bar under the axis, not over lanes
            painter.drawLine(QPointF(x(marks_[i].to), top), QPointF(x(marks_[i].to), viewport()->height()));
            painter.fillRect(QRectF(from, axisRect().bottom() - 3, x(marks_[i].to) - from, 3), style.update);
        }
        const QRect flag = flagOf(i);
        painter.fillRect(flag, style.update);
        painter.setPen(ChartStyle::textOn(style.update));
        painter.drawText(flag, Qt::AlignCenter, flagText(i));
    }
}

} // namespace tilescope::ui
