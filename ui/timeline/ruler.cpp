// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/summary.h"
#include "ui/session/format.h"
#include "ui/timeline/timeline_widget.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tilescope::ui {

std::int64_t TimelineWidget::rulerPoint(bool free) const {
    if (!pointer_ || pointer_->x() < gutter())
        return std::llround((view_.from() + view_.to()) / 2);
    return std::llround(free ? view_.cycle(pointer_->x() - gutter()) : snapped(*pointer_));
}

void TimelineWidget::measure(bool free) {
    if (!ruler_) {
        const std::int64_t at = rulerPoint(free);
        ruler_ = std::pair(at, at);
        measuring_ = true;
    } else if (std::exchange(measuring_, false)) {
        ruler_->second = rulerPoint(free);
        if (ruler_->second == ruler_->first)
            ruler_.reset();
    } else {
        ruler_.reset();
    }
    viewport()->update();
}

void TimelineWidget::dropRuler() {
    ruler_.reset();
    measuring_ = false;
    viewport()->update();
}

QString TimelineWidget::rulerText() const {
    if (!ruler_)
        return {};
    const auto cycle = [this](std::int64_t at) { return groups_.empty() ? at : groups_[0].cycle(at); };
    const std::int64_t cycles = std::abs(cycle(ruler_->second) - cycle(ruler_->first));
    QStringList amounts{tr("%1 cycles").arg(formatCount(cycles))};
    if (clock_hz_ > 0)
        amounts.prepend(formatTime(cycles, clock_hz_));
    if (const auto samples = analyse::samples_in(cycles, clock_hz_, samples_per_s_))
        amounts << tr("%1 samples").arg(formatAmount(*samples));
    return amounts.join(QStringLiteral(" · "));
}

/// Its two ends over all lanes, and between them, under the axis, how far they are apart.
void TimelineWidget::paintRuler(QPainter& painter, const ChartStyle& style) {
    if (!ruler_)
        return;
    const double first = gutter() + view_.x(static_cast<double>(ruler_->first));
    const double second = gutter() + view_.x(static_cast<double>(ruler_->second));
    const double y = headHeight() + fontMetrics().height() / 2.0 + 2;
    painter.setPen(QPen(style.text, 1.5));
    for (const double x : {first, second})
        painter.drawLine(QPointF(x, axisRect().top()), QPointF(x, viewport()->height()));
    painter.drawLine(QPointF(first, y), QPointF(second, y));
    const QString text = rulerText();
    const int width = fontMetrics().horizontalAdvance(text) + 14;
    const double middle =
        std::clamp((first + second) / 2, gutter() + width / 2.0, viewport()->width() - width / 2.0);
    const QRectF card(middle - width / 2.0, y - fontMetrics().height() / 2.0 - 1, width,
                      fontMetrics().height() + 2);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(style.text);
    painter.drawRoundedRect(card, 4, 4);
    painter.setPen(style.background);
    painter.drawText(card, Qt::AlignCenter, text);
    painter.setRenderHint(QPainter::Antialiasing, false);
}

} // namespace tilescope::ui
