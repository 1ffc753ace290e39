// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tiles/tile_map.h"

#include "ui/session/format.h"
#include "ui/theme/theme.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>

namespace tilescope::ui {
namespace {

constexpr double margin = 8;

/// Linear between neighbouring colours of a ramp; `at` counts them from 0.
QColor between(const QVector<QColor>& ramp, double at) {
    at = std::clamp(at, 0.0, static_cast<double>(ramp.size() - 1));
    const auto low = std::min(static_cast<qsizetype>(at), ramp.size() - 2);
    const auto part = static_cast<float>(at - static_cast<double>(low));
    const QColor& a = ramp[low];
    const QColor& b = ramp[low + 1];
    const auto mix = [part](float from, float to) { return from + (to - from) * part; };
    return QColor::fromRgbF(mix(a.redF(), b.redF()), mix(a.greenF(), b.greenF()), mix(a.blueF(), b.blueF()));
}

QColor shade(const Theme& theme, double share) {
    return share > 1 ? between(theme.overflow, 2 * (share - 1))
                     : between(theme.fullness, share * static_cast<double>(theme.fullness.size() - 1));
}

} // namespace

TileMap::TileMap(QWidget* parent) : QWidget(parent) {
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setMinimumSize(180, 180);
}

void TileMap::setValues(std::vector<std::int64_t> values, std::int64_t full, std::vector<std::int64_t> ipus) {
    values_ = std::move(values);
    ipus_ = std::move(ipus);
    full_ = std::max<std::int64_t>(1, full);
    cursor_.resize(values_.size());
    update();
}

void TileMap::setSelectedTiles(const std::vector<std::int64_t>& tiles) {
    cursor_.choose(tiles);
    update();
}

std::int64_t TileMap::perBlock() const {
    return std::max<std::int64_t>(1, static_cast<std::int64_t>(values_.size() / blocks()));
}

QString TileMap::nameOf(std::int64_t tile) const {
    const auto block = static_cast<std::size_t>(tile / perBlock());
    return block < ipus_.size() ? tr("IPU %1 tile %2").arg(ipus_[block]).arg(tile % perBlock())
                                : tr("Tile %1").arg(tile);
}

/// Rows are 32 tiles long (of small IPUs the root of their number), whatever the width of the widget, so that
/// a place always means the same tiles; blocks stand so that cells are as large as they can be.
TileMap::Grid TileMap::grid() const {
    constexpr std::int64_t large = 1024;
    const std::int64_t per = perBlock();
    Grid best;
    best.columns = per >= large ? 32 : static_cast<int>(std::ceil(std::sqrt(static_cast<double>(per))));
    best.rows = static_cast<int>((per + best.columns - 1) / best.columns);
    best.head = ipus_.size() > 1 ? fontMetrics().height() : 0;
    const double width = this->width() - 2 * margin;
    const double height = this->height() - 2 * margin - 2 * fontMetrics().height();
    const auto count = static_cast<int>(blocks());
    best.side = 0;
    for (int across = 1; across <= count; ++across) {
        const int down = (count + across - 1) / across;
        const double side = std::min((width - margin * (across - 1)) / (across * best.columns),
                                     ((height - margin * (down - 1)) / down - best.head) / best.rows);
        if (side > best.side) {
            best.side = side;
            best.across = across;
        }
    }
    constexpr double largest = 28;
    best.side = std::clamp(best.side > 2 ? std::floor(best.side * 2) / 2 : best.side, 1.0, largest);
    best.block_width = best.columns * best.side + margin;
    best.block_height = best.rows * best.side + best.head + margin;
    return best;
}

QRectF TileMap::cell(const Grid& g, std::int64_t tile) const {
    const std::int64_t block = tile / perBlock();
    const std::int64_t within = tile % perBlock();
    const double x = margin + static_cast<double>(block % g.across) * g.block_width +
                     static_cast<double>(within % g.columns) * g.side;
    const double y = margin + static_cast<double>(block / g.across) * g.block_height + g.head +
                     static_cast<double>(within / g.columns) * g.side;
    const double gap = g.side >= 4 ? 1 : 0;
    return {x, y, g.side - gap, g.side - gap};
}

std::int64_t TileMap::tileAt(const QPointF& at) const {
    const Grid g = grid();
    const double x = at.x() - margin;
    const double y = at.y() - margin;
    const auto across = static_cast<std::int64_t>(std::floor(x / g.block_width));
    const auto down = static_cast<std::int64_t>(std::floor(y / g.block_height));
    const auto column =
        static_cast<std::int64_t>(std::floor((x - static_cast<double>(across) * g.block_width) / g.side));
    const auto row = static_cast<std::int64_t>(
        std::floor((y - static_cast<double>(down) * g.block_height - g.head) / g.side));
    const std::int64_t block = down * g.across + across;
    const std::int64_t within = row * g.columns + column;
    const bool inside = across >= 0 && across < g.across && column >= 0 && column < g.columns && row >= 0 &&
                        row < g.rows && within < perBlock() && block >= 0 &&
                        block < static_cast<std::int64_t>(blocks());
    const std::int64_t tile = block * perBlock() + within;
    return inside && tile < static_cast<std::int64_t>(values_.size()) ? tile : -1;
}

/// The rectangle of places between two tiles of one IPU; of two, those of the first.
std::vector<std::int64_t> TileMap::tilesBetween(std::int64_t a, std::int64_t b) const {
    const Grid g = grid();
    const std::int64_t per = perBlock();
    const std::int64_t start = a / per * per;
    const std::int64_t first = a - start;
    const std::int64_t second = b / per == a / per ? b - start : first;
    const auto [low_row, high_row] = std::minmax(first / g.columns, second / g.columns);
    const auto [low_column, high_column] = std::minmax(first % g.columns, second % g.columns);
    std::vector<std::int64_t> result;
    for (std::int64_t row = low_row; row <= high_row; ++row)
        for (std::int64_t column = low_column; column <= high_column; ++column)
            if (const std::int64_t within = row * g.columns + column; within < per)
                result.push_back(start + within);
    return result;
}

void TileMap::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Theme& theme = Theme::of(this);
    const Grid g = grid();
    painter.setPen(theme.muted);
    for (std::size_t block = 0; ipus_.size() > 1 && block < ipus_.size(); ++block) {
        const QRectF first = cell(g, static_cast<std::int64_t>(block) * perBlock());
        painter.drawText(QRectF(first.left(), first.top() - g.head, g.block_width, g.head),
                         Qt::AlignLeft | Qt::AlignVCenter, tr("IPU %1").arg(ipus_[block]));
    }
    for (std::size_t t = 0; t < values_.size(); ++t) {
        const auto tile = static_cast<std::int64_t>(t);
        painter.setOpacity(cursor_.any() && !cursor_.chosen(tile) ? 0.6 : 1);
        painter.fillRect(cell(g, tile),
                         shade(theme, static_cast<double>(values_[t]) / static_cast<double>(full_)));
    }
    painter.setOpacity(1);
    painter.setPen(QPen(theme.accent, 2));
    if (cursor_.any() && cursor_.chosen(cursor_.tile()))
        painter.drawRect(cell(g, cursor_.tile()).adjusted(-2, -2, 2, 2));
    if (drag_begin_ >= 0 && drag_end_ >= 0) {
        painter.setPen(QPen(theme.text, 1));
        for (const std::int64_t t : tilesBetween(drag_begin_, drag_end_))
            painter.drawRect(cell(g, t));
    }
    paintScale(painter, theme);
    if (hasFocus()) {
        painter.setPen(QPen(theme.accent, 2));
        painter.drawRect(rect().adjusted(1, 1, -1, -1));
    }
}

/// From nothing to the fullest tile, or to all of a tile's memory where that is more.
void TileMap::paintScale(QPainter& painter, const Theme& theme) const {
    double end = 1;
    for (const std::int64_t value : values_)
        end = std::max(end, static_cast<double>(value) / static_cast<double>(full_));
    const int line = fontMetrics().height();
    const QRectF bar(margin, height() - margin - line - 8, std::min(width() - 2 * margin, 260.0), 7);
    for (int x = 0; x < static_cast<int>(bar.width()); ++x)
        painter.fillRect(QRectF(bar.left() + x, bar.top(), 1, bar.height()),
                         shade(theme, x / bar.width() * end));
    painter.setPen(theme.muted);
    const auto label = [&](double share, Qt::Alignment side) {
        const double x = bar.left() + share / end * bar.width();
        painter.drawText(QRectF(x - 60, bar.bottom() + 1, 120, line),
                         static_cast<int>(side | Qt::AlignVCenter), formatWholePercent(share));
    };
    painter.drawText(QRectF(bar.left(), bar.bottom() + 1, 60, line), Qt::AlignLeft | Qt::AlignVCenter,
                     QStringLiteral("0"));
    label(1, Qt::AlignHCenter);
    constexpr double apart = 1.25; // two labels next to each other
    if (end > apart)
        label(end, Qt::AlignHCenter);
    if (end > 1) {
        painter.setPen(QPen(theme.text, 1));
        const double x = bar.left() + bar.width() / end;
        painter.drawLine(QPointF(x, bar.top() - 2), QPointF(x, bar.bottom() + 2));
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
                           QStringLiteral("<b>%1</b>: %2 (%3)")
                               .arg(nameOf(tile), formatBytes(static_cast<double>(value)),
                                    formatPercent(static_cast<double>(value) / static_cast<double>(full_))),
                           this);
    }
}

void TileMap::mouseReleaseEvent(QMouseEvent*) {
    if (drag_begin_ >= 0) {
        std::vector<std::int64_t> chosen = tilesBetween(drag_begin_, drag_end_);
        const bool same = chosen.size() == 1 && cursor_.only(drag_begin_);
        drag_begin_ = -1;
        Q_EMIT tilesSelected(same ? std::vector<std::int64_t>{} : chosen);
    } else {
        Q_EMIT tilesSelected({});
    }
    update();
}

void TileMap::keyPressEvent(QKeyEvent* event) {
    const bool extend = (event->modifiers() & Qt::ShiftModifier) != 0;
    const int row = grid().columns;
    switch (event->key()) {
    case Qt::Key_Left:
    case Qt::Key_Right:
        return Q_EMIT tilesSelected(cursor_.moved(event->key() == Qt::Key_Left ? -1 : 1, extend));
    case Qt::Key_Up:
    case Qt::Key_Down:
        return Q_EMIT tilesSelected(cursor_.moved(event->key() == Qt::Key_Up ? -row : row, extend));
    case Qt::Key_Escape:
        return Q_EMIT tilesSelected({});
    default:
        return QWidget::keyPressEvent(event);
    }
}

void TileMap::focusInEvent(QFocusEvent* event) {
    QWidget::focusInEvent(event);
    update();
}

void TileMap::focusOutEvent(QFocusEvent* event) {
    QWidget::focusOutEvent(event);
    update();
}

} // namespace tilescope::ui
