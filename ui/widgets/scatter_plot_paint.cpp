// SPDX-License-Identifier: GPL-3.0-or-later
// What a scatter plot looks like.
#include "ui/theme/chart_style.h"
#include "ui/theme/theme.h"
#include "ui/widgets/scatter_plot.h"

#include <QFontMetrics>
#include <QPainter>
#include <QPolygonF>
#include <algorithm>
#include <utility>
#include <vector>

namespace tilescope::ui {

/// As its tip says it: the first line is its name.
PaintedParts::Part ScatterPlot::part(int index) const {
    const ScatterPoint& point = points_[static_cast<std::size_t>(index)];
    const QPointF reach(point.radius, point.radius);
    const QPointF at = place(point);
    return {point.tip.section(QLatin1Char('\n'), 0, 0),
            point.tip.section(QLatin1Char('\n'), 1).replace(QLatin1Char('\n'), QLatin1String("; ")),
            QRectF(at - reach, at + reach).toAlignedRect(), QAccessible::ListItem,
            chosen_.contains(point.key)};
}

/// The point that arrows have come to, else the only one that is chosen.
int ScatterPlot::focusedPart() const {
    for (std::size_t i = 0; hasFocus() && i < points_.size(); ++i)
        if (chosen_.contains(points_[i].key) && (points_[i].key == cursor_ || chosen_.size() == 1))
            return static_cast<int>(i);
    return -1;
}

/// Where those of the horizontal axis end at most: clear of the name of what stands beside it.
double ScatterPlot::endOfLabels() const {
    constexpr double apart = 8;
    const QRectF beside = strip(ScatterPoint::Aside::Right);
    return beside.isEmpty()
               ? width()
               : beside.center().x() - fontMetrics().horizontalAdvance(right_name_) / 2.0 - apart;
}

void ScatterPlot::paintAxes(QPainter& painter) const {
    const Theme& theme = Theme::of(this);
    const QRectF& area = area_;
    const int line = fontMetrics().height();
    painter.setPen(theme.muted);
    for (const auto& [value, name] : ticks(Qt::Horizontal)) {
        const double x = area.left() + x_.share(value) * area.width();
        painter.setPen(theme.grid);
        painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()));
        painter.setPen(theme.muted);
        const double wide = fontMetrics().horizontalAdvance(name) + 2;
        const double left = std::min(x - wide / 2, endOfLabels() - wide);
        painter.drawText(QRectF(left, area.bottom() + 3, wide, line), Qt::AlignHCenter, name);
    }
    for (const auto& [value, name] : ticks(Qt::Vertical)) {
        const double y = area.bottom() - y_.share(value) * area.height();
        painter.setPen(theme.grid);
        painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y));
        painter.setPen(theme.muted);
        const double right = area.left() - strip(ScatterPoint::Aside::Left).width() -
                             (has(ScatterPoint::Aside::Left) ? beside_strip : 0) - 6;
        painter.drawText(QRectF(0, y - line / 2.0, right, line), Qt::AlignRight | Qt::AlignVCenter, name);
    }
    for (const auto& [aside, name] : {std::pair(ScatterPoint::Aside::Left, left_name_),
                                      std::pair(ScatterPoint::Aside::Right, right_name_)})
        if (const QRectF beside = strip(aside); !beside.isEmpty()) {
            painter.fillRect(beside, ChartStyle::mixed(theme.panel, theme.grid, 0.35));
            painter.setPen(theme.muted);
            painter.drawText(QRectF(beside.left(), area.bottom() + 3, beside.width(), line), Qt::AlignHCenter,
                             name);
        }
    painter.setPen(theme.text);
    painter.drawText(QRectF(area.left(), area.bottom() + 4 + line, area.width(), line), Qt::AlignHCenter,
                     x_axis_.title);
    painter.save();
    painter.translate(4, area.center().y());
    painter.rotate(-90);
    painter.drawText(QRectF(-area.height() / 2, 0, area.height(), line), Qt::AlignHCenter, y_axis_.title);
    painter.restore();
}

void ScatterPlot::paintCurves(QPainter& painter) const {
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(Theme::of(this).muted, 1.5, Qt::DashLine));
    for (const ScatterCurve& curve : curves_) {
        QPolygonF path;
        for (const QPointF& point : curve.points)
            path << place(point.x(), point.y());
        painter.drawPolyline(path);
    }
    QColor plate = Theme::of(this).panel;
    plate.setAlphaF(0.85F);
    for (const ScatterCurve& curve : curves_) {
        const QRectF name = nameRect(curve);
        if (name.isEmpty())
            continue;
        painter.fillRect(name, plate); // lines of others go behind it
        painter.drawText(name, Qt::AlignRight, curve.name);
    }
}

/// Where its line ends, or further back, clear of the names before it and, if there is such a place, of
/// points; empty: there is no room for it.
QRectF ScatterPlot::nameRect(const ScatterCurve& curve) const {
    const double line = fontMetrics().height();
    std::vector<QRectF> taken;
    const auto clear = [&](const ScatterCurve& of) {
        if (of.points.empty())
            return QRectF();
        const QPointF& last = of.points.back();
        const QPointF& before = of.points[of.points.size() - std::min<std::size_t>(2, of.points.size())];
        const QPointF end = place(last.x(), last.y()), start = place(before.x(), before.y());
        const double wide = fontMetrics().horizontalAdvance(of.name) + 2;
        QRectF best;
        std::ptrdiff_t fewest = -1; // points that lie on it
        for (const double back : {0.0, 0.2, 0.4, 0.6, 0.8})
            for (const bool below : {of.name_below, !of.name_below}) {
                const QPointF at = end + back * (start - end);
                const QRectF name(at.x() - 4 - wide, at.y() - (below ? -2 : line + 2), wide, line);
                if (!QRectF(rect()).contains(name) ||
                    std::any_of(taken.begin(), taken.end(),
                                [&](const QRectF& other) { return other.intersects(name); }))
                    continue;
                const auto points = std::count_if(points_.begin(), points_.end(), [&](const auto& point) {
                    const double r = point.radius;
                    return inView(point) && name.adjusted(-r, -r, r, r).contains(place(point));
                });
                if (points == 0)
                    return name;
                if (fewest < 0 || points < fewest) {
                    best = name;
                    fewest = points;
                }
            }
        return best;
    };
    for (const ScatterCurve& each : curves_) {
        const QRectF name = clear(each);
        if (&each == &curve)
            return name;
        taken.push_back(name);
    }
    return {};
}

void ScatterPlot::paintPoints(QPainter& painter) const {
    const Theme& theme = Theme::of(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(theme.muted, 1.5, Qt::DashLine));
    for (const auto& line : lines_) // what a choice between two of them gives up
        for (std::size_t i = 1; i < line.size(); ++i)
            painter.drawLine(place(*line[i - 1]), place(*line[i]));
    std::vector<const ScatterPoint*> order; // small ones over large ones
    for (const ScatterPoint& point : points_)
        order.push_back(&point);
    std::stable_sort(order.begin(), order.end(),
                     [](const auto* a, const auto* b) { return a->radius > b->radius; });
    for (const ScatterPoint* each : order) {
        const ScatterPoint& point = *each;
        if (!inView(point))
            continue;
        const bool chosen = chosen_.contains(point.key);
        painter.setPen(QPen(chosen ? theme.text : theme.panel, chosen ? 2 : 1));
        painter.setBrush(point.color.in(theme));
        const double radius = point.radius + (&point == hovered_ || chosen ? 1.5 : 0);
        painter.drawEllipse(place(point), radius, radius);
        if (!marked_.empty() && point.key == cursor_ && hasFocus()) { // which of the chosen ones keys are at
            painter.setPen(QPen(theme.accent, 1.5));
            painter.setBrush(Qt::NoBrush);
            painter.drawEllipse(place(point), radius + 4, radius + 4);
        }
    }
}

/// From what is pointed at, or is the only one chosen, to what it could be.
void ScatterPlot::paintRoofs(QPainter& painter) const {
    painter.setPen(QPen(Theme::of(this).accent, 1.5, Qt::DotLine));
    for (const ScatterPoint& point : points_)
        if (point.roof && inView(point) &&
            (&point == hovered_ || (chosen_.size() == 1 && chosen_.contains(point.key)))) {
            const QPointF from = place(point);
            const QPointF to(from.x(), place(point.x, *point.roof).y());
            painter.drawLine(from, to);
            painter.drawLine(to - QPointF(5, 0), to + QPointF(5, 0));
        }
}

/// Of the largest points first, on whichever side they cover nothing, or at least no point that is large.
void ScatterPlot::paintNames(QPainter& painter) const {
    constexpr double gap = 4;
    constexpr int longest = 240;
    constexpr double large = 4; // radius
    std::vector<const ScatterPoint*> named;
    std::vector<QRectF> taken, specks;
    const auto box = [this](const ScatterPoint& point) {
        const QPointF at = place(point);
        return QRectF(at.x() - point.radius, at.y() - point.radius, 2 * point.radius, 2 * point.radius);
    };
    for (const ScatterPoint& point : points_) {
        if (!inView(point))
            continue;
        if (!point.name.isEmpty())
            named.push_back(&point);
        (point.radius >= large ? taken : specks).push_back(box(point));
    }
    for (const ScatterCurve& curve : curves_)
        if (!curve.points.empty())
            taken.push_back(nameRect(curve));
    std::stable_sort(named.begin(), named.end(),
                     [](const auto* a, const auto* b) { return a->radius > b->radius; });
    painter.setPen(Theme::of(this).text);
    const double high = fontMetrics().height();
    const QRectF aside = strip(ScatterPoint::Aside::Left);
    const double from = aside.isEmpty() ? area_.left() : aside.left(); // numbers of the axis stand before it
    const QRectF room(from, 0, width() - from, area_.bottom());
    for (const ScatterPoint* point : named) {
        const QString name = fontMetrics().elidedText(point->name, Qt::ElideMiddle, longest);
        const double wide = fontMetrics().horizontalAdvance(name) + 2;
        const QRectF dot = box(*point);
        const double right = dot.right() + gap, left = dot.left() - gap - wide,
                     middle = dot.center().x() - wide / 2, level = dot.center().y() - high / 2;
        std::vector<QRectF> places;
        for (const QPointF& corner :
             {QPointF(right, level), QPointF(left, level), QPointF(middle, dot.top() - high),
              QPointF(middle, dot.bottom()), QPointF(right, dot.top() - high), QPointF(right, dot.bottom()),
              QPointF(left, dot.top() - high), QPointF(left, dot.bottom())})
            if (const QRectF one(corner, QSizeF(wide, high)); room.contains(one))
                places.push_back(one);
        const auto covers = [](const QRectF& one, const std::vector<QRectF>& what) {
            return std::any_of(what.begin(), what.end(),
                               [&](const QRectF& other) { return other.intersects(one); });
        };
        std::erase_if(places, [&](const QRectF& one) { return covers(one, taken); });
        if (places.empty())
            continue;
        const auto clear = std::find_if(places.begin(), places.end(),
                                        [&](const QRectF& one) { return !covers(one, specks); });
        const QRectF chosen = clear == places.end() ? places.front() : *clear;
        painter.drawText(chosen, Qt::AlignCenter, name);
        taken.push_back(chosen);
    }
}

} // namespace tilescope::ui
