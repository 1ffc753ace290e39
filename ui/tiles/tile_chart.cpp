// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tiles/tile_chart.h"

#include "ui/session/format.h"
#include "ui/theme/theme.h"

#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <QToolTip>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

namespace tilescope::ui {
namespace {

/// A round step for about `count` lines up to `highest` bytes: powers of two of KiB.
double byteStep(double highest, int count) {
    double step = 1;
    while (highest / step > count)
        step *= 2;
    return step;
}

} // namespace

TileChart::TileChart(QWidget* parent) : QWidget(parent) {
    setMouseTracking(true);
    setFocusPolicy(Qt::ClickFocus);
    setMinimumHeight(140);
}

std::int64_t TileChart::tiles() const {
    return static_cast<std::int64_t>(totals_.size());
}

void TileChart::setSeries(std::vector<TileSeries> series) {
    const std::int64_t before = tiles();
    series_ = std::move(series);
    std::size_t count = 0;
    for (const TileSeries& s : series_)
        count = std::max(count, s.values.size());
    totals_.assign(count, 0);
    for (const TileSeries& s : series_)
        for (std::size_t t = 0; t < s.values.size(); ++t)
            totals_[t] += s.values[t];
    if (tiles() != before)
        setRange(0, static_cast<double>(count));
    update();
}

void TileChart::setLimit(std::int64_t bytes, const QString& label) {
    limit_ = bytes;
    limit_label_ = label;
    update();
}

void TileChart::setBase(std::vector<std::int64_t> totals, const QString& name) {
    base_ = std::move(totals);
    base_name_ = name;
    update();
}

void TileChart::setSelectedTiles(const std::vector<std::int64_t>& tiles) {
    selected_.assign(tiles.empty() ? 0 : totals_.size(), false);
    for (const std::int64_t tile : tiles)
        if (tile >= 0 && tile < static_cast<std::int64_t>(selected_.size()))
            selected_[static_cast<std::size_t>(tile)] = true;
    update();
}

QRect TileChart::plot() const {
    const int left = fontMetrics().horizontalAdvance(QStringLiteral("888.8 KiB")) + 14;
    return rect().adjusted(left, 12, -14, -fontMetrics().height() - 12);
}

double TileChart::tileAt(double x) const {
    const QRect area = plot();
    return from_ + (x - area.left()) / std::max(1, area.width()) * (to_ - from_);
}

double TileChart::xOf(double tile) const {
    const QRect area = plot();
    return area.left() + (tile - from_) / (to_ - from_) * area.width();
}

void TileChart::setRange(double from, double to) {
    const auto count = std::max(1.0, static_cast<double>(tiles()));
    const double length = std::clamp(to - from, std::min(8.0, count), count);
    from_ = std::clamp(from, 0.0, count - length);
    to_ = from_ + length;
    update();
}

void TileChart::paintAxes(QPainter& painter, double highest) const {
    const Theme& theme = Theme::of(this);
    const QRect area = plot();
    const double step = byteStep(highest, 5);
    for (double value = 0; value <= highest; value += step) {
        const double y = area.bottom() - value / highest * area.height();
        painter.setPen(theme.grid);
        painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y));
        painter.setPen(theme.muted);
        painter.drawText(QRectF(0, y - 10, area.left() - 8, 20), Qt::AlignRight | Qt::AlignVCenter,
                         formatBytes(value));
    }
    const double length = to_ - from_;
    double tile_step = 1;
    while (length / tile_step > 12)
        tile_step *= tile_step == 1 ? 8 : 2;
    for (double tile = std::ceil(from_ / tile_step) * tile_step; tile < to_; tile += tile_step) {
        if (tile == 0)
            continue; // the axis' name stands there
        painter.setPen(theme.muted);
        painter.drawText(QRectF(xOf(tile) - 40, area.bottom() + 4, 80, fontMetrics().height()),
                         Qt::AlignHCenter, QString::number(static_cast<qlonglong>(tile)));
    }
    painter.drawText(QRectF(0, area.bottom() + 4, area.left() - 8, fontMetrics().height()), Qt::AlignRight,
                     tr("tile"));
}

void TileChart::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Theme& theme = Theme::of(this);
    const QRect area = plot();
    painter.setFont(font());
    if (tiles() == 0) {
        painter.setPen(theme.muted);
        painter.drawText(rect(), Qt::AlignCenter, tr("No memory was laid out"));
        return;
    }
    const auto first = static_cast<std::int64_t>(std::floor(from_));
    const auto last = std::min<std::int64_t>(tiles(), static_cast<std::int64_t>(std::ceil(to_)));
    double highest = 1;
    for (std::int64_t t = first; t < last; ++t) {
        const auto i = static_cast<std::size_t>(t);
        highest = std::max(highest, static_cast<double>(totals_[i]));
        if (i < base_.size())
            highest = std::max(highest, static_cast<double>(base_[i]));
    }
    highest *= 1.08;
    // The limit is drawn where it is near, not where it would flatten everything else.
    const bool show_limit = limit_ > 0 && static_cast<double>(limit_) < 2.5 * highest;
    if (show_limit)
        highest = std::max(highest, 1.05 * static_cast<double>(limit_));
    paintAxes(painter, highest);

    // One column per pixel at most: each takes the fullest of its tiles.
    const int columns = std::max(1, std::min(area.width(), static_cast<int>(last - first)));
    const auto yOf = [&](double bytes) { return area.bottom() - bytes / highest * area.height(); };
    painter.setClipRect(area.adjusted(0, -2, 1, 1));
    QPolygonF base_line;
    for (int column = 0; column < columns; ++column) {
        const double span = (to_ - from_) / columns;
        const auto begin = static_cast<std::size_t>(from_ + column * span);
        const auto end = std::max(begin + 1, static_cast<std::size_t>(from_ + (column + 1) * span));
        std::size_t fullest = begin;
        bool chosen = false;
        for (std::size_t t = begin; t < end && t < totals_.size(); ++t) {
            if (totals_[t] > totals_[fullest])
                fullest = t;
            chosen = chosen || (t < selected_.size() && selected_[t]);
        }
        if (fullest >= totals_.size())
            continue;
        const double x = area.left() + static_cast<double>(column) * area.width() / columns;
        const double next = area.left() + static_cast<double>(column + 1) * area.width() / columns;
        double sum = 0;
        for (const TileSeries& s : series_) {
            const auto value = fullest < s.values.size() ? static_cast<double>(s.values[fullest]) : 0.0;
            if (value == 0)
                continue;
            QColor color = s.color.in(theme);
            if (!selected_.empty() && !chosen)
                color.setAlphaF(0.35F);
            painter.fillRect(QRectF(x, yOf(sum + value), next - x + 0.4, yOf(sum) - yOf(sum + value)), color);
            sum += value;
        }
        if (fullest < base_.size())
            base_line << QPointF((x + next) / 2, yOf(static_cast<double>(base_[fullest])));
    }
    painter.setRenderHint(QPainter::Antialiasing);
    if (!base_line.isEmpty()) {
        painter.setPen(QPen(theme.text, 1.2));
        painter.drawPolyline(base_line);
        painter.drawText(area.adjusted(6, 2, 0, 0), Qt::AlignLeft | Qt::AlignTop,
                         tr("line: %1").arg(base_name_));
    }
    if (show_limit) {
        painter.setPen(QPen(theme.bad, 1.2, Qt::DashLine));
        painter.drawLine(QPointF(area.left(), yOf(static_cast<double>(limit_))),
                         QPointF(area.right(), yOf(static_cast<double>(limit_))));
        painter.drawText(QRectF(area.left(), yOf(static_cast<double>(limit_)) + 2, area.width() - 6, 20),
                         Qt::AlignRight, limit_label_);
    }
    if (drag_begin_ >= 0 && !panning_) {
        QColor band = theme.accent;
        band.setAlpha(40);
        painter.fillRect(QRectF(QPointF(xOf(std::min(drag_begin_, drag_end_)), area.top()),
                                QPointF(xOf(std::max(drag_begin_, drag_end_)), area.bottom())),
                         band);
    }
}

void TileChart::wheelEvent(QWheelEvent* event) {
    if (tiles() == 0)
        return;
    const double factor = std::pow(0.85, event->angleDelta().y() / 120.0);
    const double at = tileAt(event->position().x());
    setRange(at - (at - from_) * factor, at + (to_ - at) * factor);
    event->accept();
}

void TileChart::mousePressEvent(QMouseEvent* event) {
    panning_ = event->button() == Qt::MiddleButton || (event->modifiers() & Qt::ShiftModifier) != 0;
    pan_x_ = event->position().x();
    drag_begin_ = drag_end_ = std::clamp(tileAt(event->position().x()), 0.0, static_cast<double>(tiles()));
}

void TileChart::mouseMoveEvent(QMouseEvent* event) {
    if (tiles() == 0)
        return;
    const double at = tileAt(event->position().x());
    if (drag_begin_ >= 0 && panning_) {
        const double by = (pan_x_ - event->position().x()) / std::max(1, plot().width()) * (to_ - from_);
        pan_x_ = event->position().x();
        setRange(from_ + by, to_ + by);
        return;
    }
    if (drag_begin_ >= 0)
        drag_end_ = std::clamp(at, 0.0, static_cast<double>(tiles()));
    hovered_ = static_cast<std::int64_t>(std::floor(at));
    if (hovered_ >= 0 && hovered_ < tiles()) {
        const auto t = static_cast<std::size_t>(hovered_);
        QString text =
            tr("<b>Tile %1</b>: %2").arg(hovered_).arg(formatBytes(static_cast<double>(totals_[t])));
        for (auto s = series_.rbegin(); s != series_.rend(); ++s)
            if (t < s->values.size() && s->values[t] > 0)
                text += QStringLiteral("<br><span style='color:%1'>■</span> %2 %3")
                            .arg(s->color.in(Theme::of(this)).name(), s->name,
                                 formatBytes(static_cast<double>(s->values[t])));
        QToolTip::showText(event->globalPosition().toPoint(), text, this);
    }
    update();
}

void TileChart::mouseReleaseEvent(QMouseEvent*) {
    if (drag_begin_ >= 0 && !panning_ && tiles() > 0) {
        const auto first = static_cast<std::int64_t>(std::floor(std::min(drag_begin_, drag_end_)));
        const auto last = static_cast<std::int64_t>(std::floor(std::max(drag_begin_, drag_end_)));
        std::vector<std::int64_t> chosen;
        for (std::int64_t t = first; t <= std::min(last, tiles() - 1); ++t)
            chosen.push_back(t);
        // A click on the only selected tile lets go of it.
        const bool same = chosen.size() == 1 && static_cast<std::size_t>(first) < selected_.size() &&
                          selected_[static_cast<std::size_t>(first)] &&
                          std::count(selected_.begin(), selected_.end(), true) == 1;
        if (same)
            chosen.clear();
        Q_EMIT tilesSelected(chosen);
    }
    drag_begin_ = -1;
    panning_ = false;
    update();
}

void TileChart::mouseDoubleClickEvent(QMouseEvent*) {
    setRange(0, static_cast<double>(tiles()));
    Q_EMIT tilesSelected({});
}

void TileChart::leaveEvent(QEvent*) {
    hovered_ = -1;
    update();
}

} // namespace tilescope::ui
