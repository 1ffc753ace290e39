// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tiles/tile_map.h"

#include "ui/session/format.h"
#include "ui/theme/theme.h"

#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>

namespace tilescope::ui {
namespace {

/// From the empty tile's colour over the accent to the warning colour of a full one.
QColor shade(const Theme& theme, double share) {
    const auto mix = [](const QColor& a, const QColor& b, double t) {
        return QColor::fromRgbF(static_cast<float>(a.redF() + (b.redF() - a.redF()) * t),
                                static_cast<float>(a.greenF() + (b.greenF() - a.greenF()) * t),
                                static_cast<float>(a.blueF() + (b.blueF() - a.blueF()) * t));
    };
    if (share > 1)
        return theme.bad;
    return share < 0.85 ? mix(theme.waiting, theme.accent, std::sqrt(share / 0.85))
                        : mix(theme.accent, theme.bad, (share - 0.85) / 0.15);
}

} // namespace

TileMap::TileMap(QWidget* parent) : QWidget(parent) {
    setMouseTracking(true);
    setMinimumSize(180, 180);
}

void TileMap::setValues(std::vector<std::int64_t> values, std::int64_t full) {
    values_ = std::move(values);
    full_ = std::max<std::int64_t>(1, full);
    update();
}

void TileMap::setSelectedTiles(const std::vector<std::int64_t>& tiles) {
    selected_.assign(tiles.empty() ? 0 : values_.size(), false);
    for (const std::int64_t tile : tiles)
        if (tile >= 0 && tile < static_cast<std::int64_t>(selected_.size()))
            selected_[static_cast<std::size_t>(tile)] = true;
    update();
}

TileMap::Grid TileMap::grid() const {
    Grid g;
    const double width = this->width() - 16;
    const double height = this->height() - 16;
    const auto count = static_cast<double>(std::max<std::size_t>(values_.size(), 1));
    g.side = std::max(2.0, std::floor(std::sqrt(std::max(1.0, width * height / count)) * 2) / 2);
    while (g.side > 2 && std::ceil(count / std::floor(width / g.side)) * g.side > height)
        g.side -= 0.5;
    g.side = std::min(g.side, 28.0);
    g.columns = std::max(1, static_cast<int>(width / g.side));
    g.rows = static_cast<int>(std::ceil(count / g.columns));
    g.origin = {8, 8};
    return g;
}

std::int64_t TileMap::tileAt(const QPointF& at) const {
    const Grid g = grid();
    const int column = static_cast<int>(std::floor((at.x() - g.origin.x()) / g.side));
    const int row = static_cast<int>(std::floor((at.y() - g.origin.y()) / g.side));
    const std::int64_t tile = static_cast<std::int64_t>(row) * g.columns + column;
    const bool inside =
        column >= 0 && column < g.columns && row >= 0 && tile < static_cast<std::int64_t>(values_.size());
    return inside ? tile : -1;
}

std::vector<std::int64_t> TileMap::tilesBetween(std::int64_t a, std::int64_t b) const {
    const Grid g = grid();
    std::vector<std::int64_t> result;
    for (std::int64_t row = std::min(a / g.columns, b / g.columns);
         row <= std::max(a / g.columns, b / g.columns); ++row)
        for (std::int64_t c = std::min(a % g.columns, b % g.columns);
             c <= std::max(a % g.columns, b % g.columns); ++c)
            if (row * g.columns + c < static_cast<std::int64_t>(values_.size()))
                result.push_back(row * g.columns + c);
    return result;
}

void TileMap::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Theme& theme = Theme::of(this);
    const Grid g = grid();
    const double gap = g.side > 5 ? 1 : 0.5;
    painter.setPen(Qt::NoPen);
    for (std::size_t t = 0; t < values_.size(); ++t) {
        const double x = g.origin.x() + static_cast<double>(static_cast<int>(t) % g.columns) * g.side;
        const double y = g.origin.y() + static_cast<double>(static_cast<int>(t) / g.columns) * g.side;
        QColor color = shade(theme, static_cast<double>(values_[t]) / static_cast<double>(full_));
        if (!selected_.empty() && !selected_[t])
            color.setAlphaF(0.35F);
        painter.fillRect(QRectF(x, y, g.side - gap, g.side - gap), color);
    }
    if (drag_begin_ >= 0 && drag_end_ >= 0) {
        painter.setPen(QPen(theme.text, 1));
        for (const std::int64_t t : tilesBetween(drag_begin_, drag_end_))
            painter.drawRect(QRectF(g.origin.x() + static_cast<double>(t % g.columns) * g.side,
                                    g.origin.y() + static_cast<double>(t / g.columns) * g.side, g.side - gap,
                                    g.side - gap));
    }
}

void TileMap::mousePressEvent(QMouseEvent* event) {
    drag_begin_ = drag_end_ = tileAt(event->position());
}

void TileMap::mouseMoveEvent(QMouseEvent* event) {
    const std::int64_t tile = tileAt(event->position());
    if (drag_begin_ >= 0 && tile >= 0) {
        drag_end_ = tile;
        update();
    }
    if (tile >= 0) {
        const std::int64_t value = values_[static_cast<std::size_t>(tile)];
        QToolTip::showText(event->globalPosition().toPoint(),
                           tr("<b>Tile %1</b>: %2 (%3)")
                               .arg(tile)
                               .arg(formatBytes(static_cast<double>(value)),
                                    formatPercent(static_cast<double>(value) / static_cast<double>(full_))),
                           this);
    }
}

void TileMap::mouseReleaseEvent(QMouseEvent*) {
    if (drag_begin_ >= 0) {
        std::vector<std::int64_t> chosen = tilesBetween(drag_begin_, drag_end_);
        const bool same = chosen.size() == 1 && static_cast<std::size_t>(drag_begin_) < selected_.size() &&
                          selected_[static_cast<std::size_t>(drag_begin_)] &&
                          std::count(selected_.begin(), selected_.end(), true) == 1;
        drag_begin_ = -1;
        Q_EMIT tilesSelected(same ? std::vector<std::int64_t>{} : chosen);
    } else {
        Q_EMIT tilesSelected({});
    }
    update();
}

} // namespace tilescope::ui
