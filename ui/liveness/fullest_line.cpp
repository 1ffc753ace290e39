// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/liveness/liveness_curve.h"
#include "ui/session/format.h"
#include "ui/theme/theme.h"

#include <QPainter>
#include <algorithm>
#include <cmath>

namespace tilescope::ui {

QPen LivenessCurve::fullestPen(const Theme& theme, bool base) {
    constexpr int orange = 2; // which no part of the curve has
    return {theme.seriesColor(orange), 2, base ? Qt::DashLine : Qt::SolidLine};
}

bool LivenessCurve::hasFullest() const {
    return data_ && !difference_ && data_->tiles > 1 && fullest_known_;
}

double LivenessCurve::tileY(const QRectF& area, double bytes) const {
    return area.bottom() - bytes / tile_most_ * area.height();
}

QString LivenessCurve::tileLimitText() const {
    return tr("%1 a tile").arg(formatBytes(data_->bytes_per_tile));
}

/// With an edge of the panel's colour, so that it is told from what it lies over.
void LivenessCurve::paintFullest(QPainter& painter) const {
    if (tile_most_ <= 0)
        return;
    const Theme& theme = Theme::of(this);
    const QRectF area = plot();
    const auto place = [&](const analyse::Liveness::Point& point) {
        return tileY(area, static_cast<double>(point.fullest_tile));
    };
    if (base_fullest_known_)
        paintLine(painter, true, {fullestPen(theme, true)}, place);
    const QPen pen = fullestPen(theme, false);
    paintLine(painter, false, {QPen(theme.panel, pen.widthF() + 2), pen}, place);
}

std::vector<LivenessCurve::LimitName> LivenessCurve::limitNames(const QRectF& area) const {
    std::vector<LimitName> names;
    if (limit() <= 0)
        return names;
    const auto add = [&](double bytes, double most, const QString& text) {
        const bool within = bytes <= most;
        const double at = within ? area.bottom() - bytes / most * area.height() : area.top();
        const QString line = text + (within ? QString() : QStringLiteral(" ↑"));
        if (!names.empty() && names.back().within == within && std::abs(names.back().y - at) < 1)
            names.back().text += QLatin1Char('\n') + line;
        else
            names.push_back({at, within, tr("limit") + QLatin1Char('\n') + line, {}});
    };
    add(limit(), most_, formatBytes(limit()));
    if (tile_most_ > 0)
        add(static_cast<double>(data_->bytes_per_tile), tile_most_, tileLimitText());
    std::sort(names.begin(), names.end(), [](const auto& a, const auto& b) { return a.y < b.y; });
    const int line = fontMetrics().height();
    double below = 0; // the name above
    for (LimitName& name : names) {
        const auto lines = static_cast<double>(name.text.count(QLatin1Char('\n')) + 1);
        name.box = QRectF(area.right() + 6, std::max(below, name.y - line), right(), lines * line);
        below = name.box.bottom();
    }
    return names;
}

/// What all tiles of the IPU have together, and what each has. Names stand in the margin, where no curve is
/// behind them.
void LivenessCurve::paintLimit(QPainter& painter) const {
    const QRectF area = plot();
    painter.setPen(QPen(Theme::of(this).bad, 1.5));
    for (const LimitName& name : limitNames(area)) {
        if (name.within)
            painter.drawLine(QPointF(area.left(), name.y), QPointF(area.right(), name.y));
        painter.drawText(name.box, Qt::AlignLeft, name.text);
    }
}

/// Its numbers leave room for the names of the limits.
void LivenessCurve::paintTileAxis(QPainter& painter) const {
    const Theme& theme = Theme::of(this);
    const QRectF area = plot();
    const int line = painter.fontMetrics().height();
    const auto names = limitNames(area);
    for (const double bytes : tileMarks()) {
        const double at = tileY(area, bytes);
        painter.setPen(fullestPen(theme, false));
        painter.drawLine(QPointF(area.right(), at), QPointF(area.right() + 4, at));
        const QRectF box(area.right() + 6, at - line / 2.0, right(), line);
        if (std::any_of(names.begin(), names.end(),
                        [&](const auto& name) { return name.box.intersects(box); }))
            continue;
        painter.setPen(theme.muted);
        painter.drawText(box, Qt::AlignLeft | Qt::AlignVCenter, formatBytes(bytes));
    }
}

} // namespace tilescope::ui
