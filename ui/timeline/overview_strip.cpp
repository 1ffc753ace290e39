// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/overview_strip.h"

#include "ui/theme/chart_style.h"

#include <QPainter>
#include <algorithm>

namespace tilescope::ui {

int OverviewStrip::height(const QFontMetrics& metrics) {
    constexpr int least = 44; // pixels
    return std::max(least, metrics.height() * 2);
}

std::pair<double, double> OverviewStrip::edges() const {
    const auto [from, to] = view_.limits();
    const double scale = rect_.width() / static_cast<double>(std::max<std::int64_t>(1, to - from));
    const double left = rect_.left() + (view_.from() - static_cast<double>(from)) * scale;
    return {left, std::max(left + 3, rect_.left() + (view_.to() - static_cast<double>(from)) * scale)};
}

OverviewStrip::Grip OverviewStrip::gripAt(const QPoint& at) const {
    if (!rect_.contains(at))
        return Grip::None;
    constexpr double reach = 12; // pixels to each side of a handle
    const auto [left, right] = edges();
    const double inside = std::min(reach, (right - left) / 3); // a narrow view can still be moved
    if (at.x() > left - reach && at.x() < left + inside)
        return Grip::From;
    if (at.x() > right - inside && at.x() < right + reach)
        return Grip::To;
    return Grip::View;
}

double OverviewStrip::placeAt(double x) const {
    const auto [from, to] = view_.limits();
    return static_cast<double>(from) +
           (x - rect_.left()) / std::max(1.0, rect_.width()) * static_cast<double>(to - from);
}

TimelineViewport OverviewStrip::dragged(Grip grip, double x) const {
    TimelineViewport view = view_;
    const double at = placeAt(x);
    if (grip == Grip::From)
        view.show(std::min(at, view.to() - 1), view.to());
    else if (grip == Grip::To)
        view.show(view.from(), std::max(at, view.from() + 1));
    else if (grip == Grip::View)
        view.show(at - view.span() / 2, at + view.span() / 2);
    return view;
}

void OverviewStrip::paint(QPainter& painter, const ChartStyle& style) const {
    const auto [left, right] = edges();
    painter.save();
    QColor veil = style.background;
    veil.setAlphaF(0.62F);
    painter.fillRect(QRectF(rect_.left(), rect_.top(), left - rect_.left(), rect_.height()), veil);
    painter.fillRect(QRectF(right, rect_.top(), rect_.right() - right, rect_.height()), veil);
    painter.setPen(QPen(style.accent, 2));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(QRectF(left + 1, rect_.top() + 1, std::max(2.0, right - left - 2), rect_.height() - 2));
    constexpr double handle = 8;
    painter.setPen(Qt::NoPen);
    painter.setBrush(style.accent);
    const auto knob = [&](double x) { // beside the view, so that a narrow one is seen between them
        const double inside = std::clamp(x, rect_.left(), rect_.right() - handle);
        painter.drawRoundedRect(QRectF(inside, rect_.top() + rect_.height() / 4, handle, rect_.height() / 2),
                                3, 3);
    };
    knob(left - handle);
    knob(right);
    painter.restore();
}

} // namespace tilescope::ui
