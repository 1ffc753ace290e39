// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tiles/tile_map.h"

#include "ui/session/format.h"
#include "ui/theme/theme.h"
#include "ui/tiles/shade.h"
#include "ui/tiles/tile_order.h"
#include "ui/widgets/chart_actions.h"
#include "ui/widgets/table_text.h"
#include "ui/widgets/told_keys.h"

#include <QKeyEvent>
#include <QLocale>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>
#include <utility>

namespace tilescope::ui {
namespace {

constexpr double margin = 8;
constexpr double unchosen = 0.6; ///< opacity of tiles beside those that are chosen

} // namespace

TileMap::TileMap(QWidget* parent) : QWidget(parent), title_(tr("Floor plan")) {
    makeChart(this, tr("Floor plan"), {180, 120}, [this](QChar separator) { return toText(separator); });
    tellKeys(this, tr("Floor plan"),
             {{tr("Arrows"),
               tr("to the tile beside, above or below; with Shift the tiles between are chosen, too")},
              {tr("[, ]"), tr("the same tile of the IPU before, of the next")},
              {tr("Return"), tr("goes on from the chosen tile")},
              {tr("Esc"), tr("chooses all tiles")}});
    connect(&SharedTileOrder::get(), &SharedTileOrder::changed, this, &TileMap::replan);
}

void TileMap::setTitle(const QString& title) {
    behind_heading_.reset();
    title_ = title;
    tellAccessible();
    update();
}

void TileMap::setTitleBehindHeading(const QString& rest) {
    behind_heading_ = rest;
    title_ = heading() + rest;
    tellAccessible();
    update();
}

void TileMap::setValues(std::vector<std::int64_t> values, std::int64_t full, std::vector<std::int64_t> ipus,
                        Scale scale) {
    values_ = std::move(values);
    ipus_ = std::move(ipus);
    full_ = std::max<std::int64_t>(1, full);
    scale_ = scale;
    cursor_.resize(values_.size());
    const auto most = std::max_element(values_.begin(), values_.end());
    const bool no_most = most == values_.end() || *most <= 0 || scale_ == Scale::Difference;
    fullest_ = no_most ? -1 : most - values_.begin();
    replan();
}

void TileMap::replan() {
    plan_ = analyse::floor_plan(values_.empty() ? 0 : perBlock(), SharedTileOrder::get().order());
    if (behind_heading_)
        title_ = heading() + *behind_heading_;
    tellAccessible();
    update();
}

void TileMap::setSelectedTiles(const std::vector<std::int64_t>& tiles) {
    cursor_.choose(tiles);
    tellAccessible();
    update();
}

/// What the picture shows, and where the keys are.
void TileMap::tellAccessible() {
    setAccessibleName(fullest_ < 0
                          ? title_
                          : tr("%1, %2 tiles, fullest %3, %4")
                                .arg(title_, formatCount(static_cast<std::int64_t>(values_.size())),
                                     nameOf(fullest_), amount(values_[static_cast<std::size_t>(fullest_)])));
    const std::int64_t at = cursor_.tile();
    setAccessibleDescription(
        at < 0 ? note() : tr("%1: %2").arg(nameOf(at), amount(values_[static_cast<std::size_t>(at)])));
    tellFocusedPart(*this);
}

PaintedParts::Part TileMap::part(int index) const {
    return {nameOf(index), amount(values_[static_cast<std::size_t>(index)]),
            cell(grid(), index).toAlignedRect(), QAccessible::Cell, cursor_.any() && cursor_.chosen(index)};
}

std::int64_t TileMap::perBlock() const {
    return std::max<std::int64_t>(1, static_cast<std::int64_t>(values_.size() / blocks()));
}

QString TileMap::nameOf(std::int64_t tile) const {
    const auto block = static_cast<std::size_t>(tile / perBlock());
    return (block < ipus_.size() ? tr("IPU %1 tile %2").arg(ipus_[block]).arg(tile % perBlock())
                                 : tr("Tile %1").arg(tile)) +
           (tile % perBlock() >= perBlock() - io_tiles_ ? tr(", for I/O") : QString());
}

QString TileMap::amount(std::int64_t value) const {
    if (value == none)
        return QStringLiteral("–");
    if (scale_ == Scale::Number)
        return formatNumber(static_cast<double>(value) * step_);
    if (scale_ == Scale::Cycles)
        return formatCycles(value);
    const QString bytes = formatBytes(value);
    if (scale_ == Scale::Difference)
        return formatSignedBytes(static_cast<double>(value));
    return scale_ == Scale::Bytes
               ? bytes
               : tr("%1 (%2)").arg(bytes,
                                   formatPercent(static_cast<double>(value) / static_cast<double>(full_)));
}

QString TileMap::heading() const {
    if (SharedTileOrder::get().order() == analyse::TileOrder::Numeric)
        return tr("Tiles by number");
    return plan_.schematic ? tr("Floor plan, schematic") : tr("Floor plan, C600 geometry");
}

QString TileMap::note() const {
    if (SharedTileOrder::get().order() == analyse::TileOrder::Numeric)
        return tr("In the order of the tiles' numbers.");
    return plan_.schematic
               ? tr("Schematic: columns, sides and pairs as published; their number and the places of the "
                    "numbers are not.")
               : tr("C600 geometry: 16 columns of 23 rows of four tiles, in two halves; tiles 2n and 2n + 1 "
                    "share an exchange bus. That other chips with 1,472 tiles are like it is likely, but not "
                    "published.");
}

QString TileMap::toText(QChar separator) const {
    QString text = tableLine({tr("ipu"), tr("tile"), tr("column"), tr("row"),
                              scale_ == Scale::Cycles   ? tr("cycles")
                              : scale_ == Scale::Number ? tr("value")
                                                        : tr("bytes")},
                             separator);
    for (std::size_t t = 0; t < values_.size(); ++t) {
        const std::size_t per = static_cast<std::size_t>(perBlock());
        const auto& place = plan_.places[t % per];
        text +=
            tableLine({QString::number(t / per < ipus_.size() ? ipus_[t / per] : 0), QString::number(t % per),
                       QString::number(place.column), QString::number(place.row),
                       values_[t] == none        ? QString()
                       : scale_ == Scale::Number ? QString::number(static_cast<double>(values_[t]) * step_,
                                                                   'g', QLocale::FloatingPointShortest)
                                                 : QString::number(values_[t])},
                      separator);
    }
    return text;
}

QString TileMap::headOf(std::size_t block, bool in_words) const {
    return in_words ? tr("IPU %1").arg(ipus_[block]) : QString::number(ipus_[block]);
}

/// It wraps rather than that it is cut.
int TileMap::titleHeight() const {
    const QRect room(0, 0, width() - 2 * static_cast<int>(margin), height());
    return fontMetrics().boundingRect(room, Qt::TextWordWrap, title_).height() + 2;
}

/// A place always means the same tiles, whatever the size of the widget; blocks stand so that cells are as
/// large as they can be.
TileMap::Grid TileMap::grid() const {
    Grid best;
    const int line = fontMetrics().height();
    best.head = ipus_.size() > 1 ? line : 0;
    best.top = titleHeight() + margin / 2;
    const bool parted = plan_.parted_column > 0 || plan_.parted_row > 0;
    const double width = this->width() - 2 * margin;
    const double height = this->height() - best.top - margin - 2 * line;
    const auto count = static_cast<int>(blocks());
    const double columns = plan_.columns + (plan_.parted_column > 0 ? 1 : 0);
    const double rows = plan_.rows + (plan_.parted_row > 0 ? 1 : 0);
    const auto arrange = [&](bool in_words) {
        Grid found = best;
        found.side = 0;
        found.in_words = in_words;
        int name = 0; // the widest
        for (std::size_t block = 0; ipus_.size() > 1 && block < blocks(); ++block)
            name = std::max(name, fontMetrics().horizontalAdvance(headOf(block, in_words)));
        found.name = name;
        for (int across = 1; across <= count; ++across) {
            if (across > 1 && across * (name + margin) > width + margin)
                break;
            const int down = (count + across - 1) / across;
            const double side = std::min((width - margin * (across - 1)) / (across * columns),
                                         ((height - margin * (down - 1)) / down - found.head) / rows);
            if (side > found.side) {
                found.side = side;
                found.across = across;
            }
        }
        return found;
    };
    best = arrange(true);
    if (const Grid numbers = arrange(false); numbers.side > best.side)
        best = numbers;
    constexpr double least = 0.5, largest = 28;
    best.side = std::clamp(best.side > 2 ? std::floor(best.side * 2) / 2 : best.side, least, largest);
    best.fabric = parted ? best.side : 0;
    best.block_width = std::max(columns * best.side, best.name) + margin;
    best.block_height = rows * best.side + best.head + margin;
    return best;
}

QRectF TileMap::cell(const Grid& g, std::int64_t tile) const {
    const std::int64_t block = tile / perBlock();
    const auto& place = plan_.places[static_cast<std::size_t>(tile % perBlock())];
    const bool right = plan_.parted_column > 0 && place.column >= plan_.parted_column;
    const bool below = plan_.parted_row > 0 && place.row >= plan_.parted_row;
    const auto [row, column] = std::pair(block / g.across, block % g.across);
    const double x =
        margin + static_cast<double>(column) * g.block_width + place.column * g.side + (right ? g.fabric : 0);
    const double y = g.top + static_cast<double>(row) * g.block_height + g.head + place.row * g.side +
                     (below ? g.fabric : 0);
    const double gap = g.side >= 4 ? 1 : 0;
    return {x, y, g.side - gap, g.side - gap};
}

std::int64_t TileMap::tileAt(const QPointF& at) const {
    if (values_.empty())
        return -1;
    const Grid g = grid();
    const auto across = static_cast<std::int64_t>(std::floor((at.x() - margin) / g.block_width));
    const auto down = static_cast<std::int64_t>(std::floor((at.y() - g.top) / g.block_height));
    if (across < 0 || across >= g.across || down < 0)
        return -1;
    double x = at.x() - margin - static_cast<double>(across) * g.block_width;
    double y = at.y() - g.top - static_cast<double>(down) * g.block_height - g.head;
    if (plan_.parted_column > 0 && x >= plan_.parted_column * g.side)
        x = std::max(x - g.fabric, plan_.parted_column * g.side - 1);
    if (plan_.parted_row > 0 && y >= plan_.parted_row * g.side)
        y = std::max(y - g.fabric, plan_.parted_row * g.side - 1);
    const std::int64_t block = down * g.across + across;
    const std::int32_t within = plan_.tile_at(static_cast<std::int32_t>(std::floor(x / g.side)),
                                              static_cast<std::int32_t>(std::floor(y / g.side)));
    const std::int64_t tile = block * perBlock() + within;
    return within >= 0 && tile < static_cast<std::int64_t>(values_.size()) ? tile : -1;
}

std::vector<std::int64_t> TileMap::tilesBetween(std::int64_t a, std::int64_t b, bool by_number) const {
    const std::int64_t per = perBlock();
    const std::int64_t start = a / per * per;
    const std::int64_t first = a - start;
    const std::int64_t second = b / per == a / per ? b - start : first;
    std::vector<std::int64_t> result;
    if (by_number)
        for (std::int64_t t = std::min(first, second); t <= std::max(first, second); ++t)
            result.push_back(t);
    else
        result = plan_.between(first, second);
    for (std::int64_t& tile : result)
        tile += start;
    return result;
}

void TileMap::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Theme& theme = Theme::of(this);
    painter.setFont(font());
    painter.setPen(theme.muted);
    painter.drawText(QRectF(margin, 0, width() - 2 * margin, titleHeight()),
                     Qt::AlignLeft | Qt::AlignVCenter | Qt::TextWordWrap, title_);
    if (values_.empty())
        return;
    const Grid g = grid();
    paintHeads(painter, g, theme);
    for (std::size_t t = 0; t < values_.size(); ++t) {
        const auto tile = static_cast<std::int64_t>(t);
        painter.setOpacity(cursor_.any() && !cursor_.chosen(tile) ? unchosen : 1);
        if (values_[t] != none) {
            painter.fillRect(cell(g, tile), shade(theme, values_[t]));
        } else {
            painter.setPen(theme.border);
            painter.drawRect(cell(g, tile).adjusted(0, 0, -1, -1));
        }
    }
    painter.setOpacity(1);
    paintMarks(painter, g, theme);
    if (scale_ == Scale::Difference)
        paintDifferenceScale(
            painter, theme,
            {margin, height() - margin - fontMetrics().height() - 8.0, width() - 2 * margin, 7}, full_,
            values_);
    else
        paintScale(painter, theme);
    if (hasFocus()) {
        painter.setPen(QPen(theme.accent, 2));
        painter.drawRect(rect().adjusted(1, 1, -1, -1));
    }
}

/// The IPUs' names, and the line between two halves or the fabric.
void TileMap::paintHeads(QPainter& painter, const Grid& g, const Theme& theme) const {
    painter.setPen(theme.muted);
    for (std::size_t block = 0; block < blocks(); ++block) {
        const auto number = static_cast<std::int64_t>(block);
        const auto [row, column] = std::pair(number / g.across, number % g.across);
        const double left = margin + static_cast<double>(column) * g.block_width;
        const double top = g.top + static_cast<double>(row) * g.block_height + g.head;
        if (ipus_.size() > 1)
            painter.drawText(QRectF(left, top - g.head, g.block_width, g.head),
                             Qt::AlignLeft | Qt::AlignVCenter, headOf(block, g.in_words));
        const double thick = std::max(1.0, g.fabric / 3);
        if (plan_.parted_row > 0)
            painter.fillRect(QRectF(left, top + plan_.parted_row * g.side + (g.fabric - thick) / 2,
                                    plan_.columns * g.side, thick),
                             theme.border);
        if (plan_.parted_column > 0)
            painter.fillRect(QRectF(left + plan_.parted_column * g.side + (g.fabric - thick) / 2, top, thick,
                                    plan_.rows * g.side),
                             theme.border);
    }
}

/// Rings around the fullest tile and the cursor, and what is being dragged over.
void TileMap::paintMarks(QPainter& painter, const Grid& g, const Theme& theme) const {
    const auto ring = [&](std::int64_t tile, const QColor& color, double pen) {
        const double wide = std::max(0.0, 6 - g.side) / 2 + pen;
        painter.setPen(QPen(theme.panel, pen + 2));
        painter.drawRect(cell(g, tile).adjusted(-wide, -wide, wide, wide));
        painter.setPen(QPen(color, pen));
        painter.drawRect(cell(g, tile).adjusted(-wide, -wide, wide, wide));
    };
    if (fullest_ >= 0)
        ring(fullest_, theme.text, 1);
    if (cursor_.any() && cursor_.chosen(cursor_.tile()))
        ring(cursor_.tile(), theme.accent, 2);
    if (drag_begin_ < 0 || drag_end_ < 0)
        return;
    painter.setPen(QPen(theme.text, 1));
    for (const std::int64_t t : tilesBetween(drag_begin_, drag_end_, by_number_))
        painter.drawRect(cell(g, t));
}

QColor TileMap::shade(const Theme& theme, std::int64_t value) const {
    const double share = static_cast<double>(value) / static_cast<double>(full_);
    return scale_ == Scale::Difference ? shadeOfDifference(theme, share) : shadeOf(theme, share);
}

/// From nothing to the fullest tile, or to all that the darkest shade stands for, where that is more.
void TileMap::paintScale(QPainter& painter, const Theme& theme) const {
    double end = 1;
    for (const std::int64_t value : values_)
        end = std::max(end, static_cast<double>(value) / static_cast<double>(full_));
    const int line = fontMetrics().height();
    const QRectF bar(margin, height() - margin - line - 8, std::min(width() - 8 * margin, 220.0), 7);
    for (int x = 0; x < static_cast<int>(bar.width()); ++x)
        painter.fillRect(QRectF(bar.left() + x, bar.top(), 1, bar.height()),
                         shadeOf(theme, x / bar.width() * end));
    painter.setPen(theme.muted);
    const auto label = [&](double share, Qt::Alignment side) {
        const double x = bar.left() + share / end * bar.width();
        painter.drawText(
            QRectF(x - 60, bar.bottom() + 1, 120, line), static_cast<int>(side | Qt::AlignVCenter),
            scale_ == Scale::Cycles   ? formatCycles(std::llround(share * static_cast<double>(full_)))
            : scale_ == Scale::Number ? formatNumber(share * static_cast<double>(full_) * step_)
            : scale_ == Scale::Bytes  ? formatBytes(share * static_cast<double>(full_))
                                      : formatWholePercent(share));
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
    paintFullest(painter, theme, bar.right() + 60);
}

/// What the ring stands for, beside the scale where there is room.
void TileMap::paintFullest(QPainter& painter, const Theme& theme, double left) const {
    if (fullest_ < 0)
        return;
    const QString words =
        tr("%1 has most: %2").arg(nameOf(fullest_), amount(values_[static_cast<std::size_t>(fullest_)]));
    const double line = fontMetrics().height();
    const double ring = 7;
    const QRectF place(left + ring + 6, height() - margin - 1.5 * line,
                       fontMetrics().horizontalAdvance(words) + 1, line);
    if (place.right() > width() - margin)
        return;
    painter.setPen(QPen(theme.text, 1));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(QRectF(left, place.center().y() - ring / 2, ring, ring));
    painter.setPen(theme.muted);
    painter.drawText(place, Qt::AlignLeft | Qt::AlignVCenter, words);
}

void TileMap::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton)
        return event->ignore();
    drag_begin_ = drag_end_ = tileAt(event->position());
    if (extending(*event))
        drag_begin_ = cursor_.anchor();
    by_number_ = (event->modifiers() & Qt::AltModifier) != 0;
}

void TileMap::mouseMoveEvent(QMouseEvent* event) {
    const std::int64_t tile = tileAt(event->position());
    if (drag_begin_ >= 0 && tile >= 0) {
        drag_end_ = tile;
        update();
    }
    if (tile >= 0)
        QToolTip::showText(event->globalPosition().toPoint(),
                           inHtml(QStringLiteral("<b>%1</b>: %2"),
                                  {nameOf(tile), amount(values_[static_cast<std::size_t>(tile)])}),
                           this);
    else
        QToolTip::showText(event->globalPosition().toPoint(), note(), this);
}

void TileMap::mouseReleaseEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton)
        return;
    if (drag_begin_ >= 0 && drag_begin_ == drag_end_ && (event->modifiers() & Qt::ControlModifier) != 0) {
        Q_EMIT tilesSelected(cursor_.toggled(std::exchange(drag_begin_, -1), perBlock()));
    } else if (drag_begin_ >= 0 && extending(*event)) {
        cursor_.movedTo(drag_end_, true);
        Q_EMIT tilesSelected(tilesBetween(std::exchange(drag_begin_, -1), drag_end_, by_number_));
    } else if (drag_begin_ >= 0) {
        std::vector<std::int64_t> chosen = tilesBetween(drag_begin_, drag_end_, by_number_);
        const bool same = chosen.size() == 1 && cursor_.only(drag_begin_);
        drag_begin_ = -1;
        Q_EMIT tilesSelected(same ? std::vector<std::int64_t>{} : chosen);
    } else {
        Q_EMIT tilesSelected({});
    }
    update();
}

/// From the tile where the choice begins, rather than from the one that is pressed.
bool TileMap::extending(const QMouseEvent& event) const {
    return drag_end_ >= 0 && cursor_.anchor() >= 0 && (event.modifiers() & Qt::ShiftModifier) != 0;
}

void TileMap::chooseFor(const QPoint& menu) {
    const std::int64_t tile = tileAt(menu);
    if (tile >= 0 && !cursor_.chosen(tile))
        Q_EMIT tilesSelected({tile});
}

QPoint TileMap::cursorPlace() const {
    return cursor_.tile() < 0 ? rect().center() : cell(grid(), cursor_.tile()).center().toPoint();
}

/// From where the keys are to another tile; `extend`: the rectangle between them is chosen.
void TileMap::goTo(std::int64_t tile, bool extend) {
    const std::int64_t from = cursor_.movedTo(tile, extend);
    Q_EMIT tilesSelected(tilesBetween(from, tile, false));
}

void TileMap::keyPressEvent(QKeyEvent* event) {
    if (values_.empty())
        return QWidget::keyPressEvent(event);
    const bool extend = (event->modifiers() & Qt::ShiftModifier) != 0;
    const std::int64_t per = perBlock();
    const std::int64_t at = std::max<std::int64_t>(0, cursor_.tile());
    const auto walk = [&](std::int32_t columns, std::int32_t rows) {
        goTo(cursor_.tile() < 0 ? 0 : at / per * per + plan_.beside(at % per, columns, rows), extend);
    };
    switch (event->key()) {
    case Qt::Key_Left:
        return walk(-1, 0);
    case Qt::Key_Right:
        return walk(1, 0);
    case Qt::Key_Up:
        return walk(0, -1);
    case Qt::Key_Down:
        return walk(0, 1);
    case Qt::Key_BracketLeft:
        return goTo(std::max(at - per, at % per), false);
    case Qt::Key_BracketRight:
        return goTo(at + per < static_cast<std::int64_t>(values_.size()) ? at + per : at, false);
    case Qt::Key_Return:
    case Qt::Key_Enter:
        return cursor_.any() ? Q_EMIT tileActivated() : QWidget::keyPressEvent(event);
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
