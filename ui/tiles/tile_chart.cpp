// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tiles/tile_chart.h"

#include "ui/session/format.h"
#include "ui/theme/chart_style.h"
#include "ui/theme/theme.h"
#include "ui/widgets/chart_actions.h"
#include "ui/widgets/table_text.h"
#include "ui/widgets/told_keys.h"

#include <QPainter>
#include <QPainterPath>
#include <algorithm>
#include <cmath>
#include <cstdlib>

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
    makeChart(this, tr("Memory per tile"), {0, 0}, [this](QChar separator) { return toText(separator); });
    tellKeys(this, tr("Tiles"),
             {{tr("Left, Right"), tr("to the tile beside; with Shift the tiles between are chosen, too")},
              {tr("PageUp, PageDown"), tr("64 tiles on")},
              {tr("Home, End"), tr("to the first, to the last tile")},
              {tr("Return"), tr("goes on from the chosen tile")},
              {tr("+, -"), tr("nearer, farther")},
              {tr("0"), tr("all tiles")},
              {tr("Z"), tr("the scale reaches to the data, or to the limit")},
              {tr("Esc"), tr("chooses all tiles")}});
}

QSize TileChart::minimumSizeHint() const {
    constexpr int least_lines = 8; // of text: title, notes, axis and a few of the scale
    return {0, least_lines * fontMetrics().height()};
}

void TileChart::setTitle(const QString& title) {
    title_ = title;
    tellAccessible();
    update();
}

void TileChart::setOverlay(std::vector<std::int64_t> bytes, const QString& name) {
    overlay_ = std::move(bytes);
    overlay_name_ = name;
    update();
}

/// What the picture shows, and where the keys are.
void TileChart::tellAccessible() {
    const auto most = std::max_element(totals_.begin(), totals_.end());
    const auto told = [this](std::int64_t tile) {
        const auto bytes = static_cast<double>(totals_[static_cast<std::size_t>(tile)]);
        return tr("%1, %2").arg(nameOf(tile), difference_ ? formatSignedBytes(bytes) : formatBytes(bytes));
    };
    setAccessibleName(most == totals_.end()
                          ? title_
                          : (difference_ ? tr("%1, %2 bars, grown most %3") : tr("%1, %2 bars, fullest %3"))
                                .arg(title_, formatCount(tiles()), told(most - totals_.begin())));
    setAccessibleDescription(cursor_.tile() < 0 ? QString() : told(cursor_.tile()));
}

QString TileChart::toText(QChar separator) const {
    QStringList line{tr("ipu"), tr("tile")};
    for (const TileSeries& s : series_)
        line << s.name + tr(" bytes");
    if (!with_gaps_.empty())
        line << tr("with gaps bytes");
    QString text = tableLine(line, separator);
    const std::int64_t per = tilesPerIpu();
    for (std::int64_t tile = 0; tile < tiles(); ++tile) {
        const auto t = static_cast<std::size_t>(tile);
        const auto ipu = static_cast<std::size_t>(tile / per);
        line = {QString::number(t < number_ipus_.size() ? number_ipus_[t]
                                : ipu < ipus_.size()    ? ipus_[ipu]
                                                        : 0),
                QString::number(tile % per)};
        for (const TileSeries& s : series_)
            line << QString::number(t < s.values.size() ? s.values[t] : 0);
        if (!with_gaps_.empty())
            line << QString::number(t < with_gaps_.size() ? with_gaps_[t] : 0);
        text += tableLine(line, separator);
    }
    return text;
}

std::int64_t TileChart::tiles() const {
    return static_cast<std::int64_t>(totals_.size());
}

void TileChart::setSeries(std::vector<TileSeries> series) {
    const std::int64_t before = tiles();
    difference_ = false;
    series_ = std::move(series);
    std::size_t count = 0;
    for (const TileSeries& s : series_)
        count = std::max(count, s.values.size());
    totals_.assign(count, 0);
    for (const TileSeries& s : series_)
        for (std::size_t t = 0; t < s.values.size(); ++t)
            totals_[t] += s.values[t];
    cursor_.resize(count);
    if (tiles() != before)
        setRange(0, static_cast<double>(count));
    tellAccessible();
    update();
}

void TileChart::setDifference(std::vector<std::int64_t> bytes) {
    setSeries({{tr("difference"), &Theme::accent, std::move(bytes)}});
    difference_ = true;
    tellAccessible();
    update();
}

void TileChart::setIpus(std::vector<std::int64_t> ipus) {
    ipus_ = std::move(ipus);
    update();
}

void TileChart::setNumbers(std::vector<std::int64_t> ipus, std::vector<std::int64_t> least) {
    number_ipus_ = std::move(ipus);
    least_ = std::move(least);
    tellAccessible();
    update();
}

void TileChart::setGaps(std::vector<std::int64_t> with_gaps) {
    with_gaps_ = std::move(with_gaps);
    update();
}

void TileChart::setLimit(std::int64_t bytes) {
    limit_ = bytes;
    update();
}

std::int64_t TileChart::tilesPerIpu() const {
    return std::max<std::int64_t>(1, tiles() /
                                         static_cast<std::int64_t>(std::max<std::size_t>(1, ipus_.size())));
}

QString TileChart::nameOf(std::int64_t tile) const {
    const std::int64_t per = tilesPerIpu();
    const auto ipu = static_cast<std::size_t>(tile / per);
    const auto number = static_cast<std::size_t>(tile);
    return (number < number_ipus_.size() ? tr("IPU %1 tile %2").arg(number_ipus_[number]).arg(tile)
            : ipu < ipus_.size()         ? tr("IPU %1 tile %2").arg(ipus_[ipu]).arg(tile % per)
                                         : tr("Tile %1").arg(tile)) +
           (tile % per >= per - io_tiles_ ? tr(", for I/O") : QString());
}

void TileChart::setBase(std::vector<std::int64_t> totals, const QString& name) {
    base_ = std::move(totals);
    base_name_ = name;
    update();
}

void TileChart::setSelectedTiles(const std::vector<std::int64_t>& tiles) {
    cursor_.choose(tiles);
    const auto at = static_cast<double>(cursor_.tile());
    if (cursor_.any() && (at < from_ || at >= to_)) // it is brought into view
        setRange(at - (to_ - from_) / 2, at + (to_ - from_) / 2);
    tellAccessible();
    update();
}

QRect TileChart::plot() const {
    const auto wide = [this](const QString& words) { return fontMetrics().horizontalAdvance(words); };
    const int left = std::max(wide(QStringLiteral("888.8 KiB")), wide(formatBytes(double(limit_)))) + 14;
    const int right = limit_ > 0 ? std::max(wide(limitName()), wide(limitText(false))) + 10 : 14;
    return rect().adjusted(left, notes_height_ + 4, -right, -fontMetrics().height() - 18);
}

QString TileChart::limitName() const {
    return tr("limit");
}

QString TileChart::limitText(bool within) const {
    return formatBytes(limit_) + (within ? QString() : QStringLiteral(" ↑"));
}

double TileChart::tileAt(double x) const {
    const QRect area = plot();
    return from_ + (x - area.left()) / std::max(1, area.width()) * (to_ - from_);
}

double TileChart::xOf(double tile) const {
    const QRect area = plot();
    return area.left() + (tile - from_) / (to_ - from_) * area.width();
}

QVariantList TileChart::zoom() const {
    const bool all = from_ <= 0 && to_ >= static_cast<double>(tiles());
    return all ? QVariantList() : QVariantList{from_, to_};
}

void TileChart::setZoom(const QVariantList& zoom) {
    zoom.size() == 2 ? setRange(zoom[0].toDouble(), zoom[1].toDouble())
                     : setRange(0, static_cast<double>(tiles()));
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
    const double lowest = lowestShown(highest);
    const double step = byteStep(highest, difference_ ? 2 : 5);
    const auto last = static_cast<int>(std::floor(highest / step));
    for (auto mark = static_cast<int>(std::ceil(lowest / step)); mark <= last; ++mark) {
        const double value = mark * step;
        const double y = area.bottom() - (value - lowest) / (highest - lowest) * area.height();
        painter.setPen(theme.grid);
        painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y));
        painter.setPen(theme.muted);
        painter.drawText(QRectF(0, y - 10, area.left() - 8, 20), Qt::AlignRight | Qt::AlignVCenter,
                         difference_ ? formatSignedBytes(value) : formatBytes(value));
    }
    const int below = area.bottom() + 9;
    const int line = fontMetrics().height();
    painter.setPen(theme.muted);
    if (ipus_.size() > 1) { // a name below each IPU, where there is room for all
        const auto per = static_cast<double>(tilesPerIpu());
        const int room = fontMetrics().horizontalAdvance(tr("IPU %1").arg(ipus_.back())) + 8;
        const bool words = xOf(per) - xOf(0) > room;
        for (std::size_t i = 0; i < ipus_.size(); ++i) {
            const double left = xOf(static_cast<double>(i) * per);
            const QRectF place(left, below, xOf(static_cast<double>(i + 1) * per) - left, line);
            if (place.right() < area.left() || left > area.right())
                continue;
            painter.setPen(theme.border);
            if (left > area.left())
                painter.drawLine(QPointF(left, area.top()), QPointF(left, below + line));
            painter.setPen(theme.muted);
            painter.drawText(place, Qt::AlignHCenter | Qt::TextDontClip,
                             words ? tr("IPU %1").arg(ipus_[i]) : QString::number(ipus_[i]));
        }
        if (!words)
            painter.drawText(QRectF(0, below, area.left() - 8, line), Qt::AlignRight, tr("IPU"));
        return;
    }
    const double length = to_ - from_;
    double tile_step = 1;
    while (length / tile_step > 12)
        tile_step *= tile_step == 1 ? 8 : 2;
    for (auto mark = static_cast<int>(std::ceil(from_ / tile_step)); mark * tile_step < to_; ++mark)
        if (const double tile = mark * tile_step; tile > 0) // the axis' name stands at 0
            painter.drawText(QRectF(xOf(tile) - 40, below, 80, line), Qt::AlignHCenter,
                             formatCount(static_cast<std::int64_t>(tile)));
    painter.drawText(QRectF(0, below, area.left() - 8, line), Qt::AlignRight, tr("tile"));
}

/// What the top of the plot stands for: the limit is always within, unless one asks for the data alone.
double TileChart::highestShown() const {
    const auto first = static_cast<std::size_t>(std::floor(from_));
    const auto last = std::min(totals_.size(), static_cast<std::size_t>(std::ceil(to_)));
    std::int64_t highest = 1;
    for (std::size_t t = first; t < last; ++t)
        for (const auto* values : {&totals_, &base_, &with_gaps_, &overlay_})
            highest = std::max(highest, t < values->size() ? std::abs((*values)[t]) : 0);
    constexpr double air = 1.06;
    return air * static_cast<double>(to_data_ ? highest : std::max(highest, limit_));
}

void TileChart::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Theme& theme = Theme::of(this);
    painter.setFont(font());
    if (tiles() == 0) {
        painter.setPen(theme.muted);
        painter.drawText(rect(), Qt::AlignCenter, tr("No memory was laid out"));
        return;
    }
    const double highest = highestShown();
    notes_height_ = notesPlace().height();
    paintAxes(painter, highest);
    paintBeyond(painter, highest);
    difference_ ? paintDifference(painter, highest) : paintColumns(painter, highest);
    paintLimit(painter, highest);
    paintChosen(painter);
    if (drag_begin_ >= 0 && !panning_) {
        const QRect area = plot();
        QColor band = theme.accent;
        band.setAlpha(40);
        painter.fillRect(QRectF(QPointF(xOf(std::min(drag_begin_, drag_end_)), area.top()),
                                QPointF(xOf(std::max(drag_begin_, drag_end_)), area.bottom())),
                         band);
    }
    if (hasFocus()) {
        painter.setPen(QPen(theme.accent, 2));
        painter.drawRect(rect().adjusted(1, 1, -1, -1));
    }
}

/// One column per pixel at most. Of several tiles it is filled up to their mean, and a line is as high as the
/// fullest of them.
void TileChart::paintColumns(QPainter& painter, double highest) {
    const Theme& theme = Theme::of(this);
    const QRect area = plot();
    const int count = columns();
    const double span = (to_ - from_) / count;
    const auto yOf = [&](double bytes) { return area.bottom() - bytes / highest * area.height(); };
    const auto valueOf = [](const std::vector<std::int64_t>& values, std::size_t t) {
        return t < values.size() ? static_cast<double>(values[t]) : 0.0;
    };
    painter.save();
    painter.setClipRect(area.adjusted(0, -2, 1, 1));
    const bool several = tilesPerColumn() >= 2;
    const QColor behind = palette().color(backgroundRole());
    QPolygonF base_line;
    QPolygonF gaps;
    QPolygonF fullest_line;
    QPolygonF least_line;
    for (int column = 0; column < count; ++column) {
        const auto begin = static_cast<std::size_t>(from_ + column * span);
        const auto end = std::max(begin + 1, static_cast<std::size_t>(from_ + (column + 1) * span));
        std::size_t fullest = begin;
        bool chosen = false;
        for (std::size_t t = begin; t < end && t < totals_.size(); ++t) {
            if (totals_[t] > totals_[fullest])
                fullest = t;
            chosen = chosen || cursor_.chosen(static_cast<std::int64_t>(t));
        }
        if (fullest >= totals_.size())
            continue;
        const double x = area.left() + static_cast<double>(column) * area.width() / count;
        const double next = area.left() + static_cast<double>(column + 1) * area.width() / count;
        const std::size_t last = std::min(end, totals_.size());
        const auto meanOf = [&](const std::vector<std::int64_t>& values) {
            double all = 0;
            for (std::size_t t = begin; t < last; ++t)
                all += valueOf(values, t);
            return all / static_cast<double>(last - begin);
        };
        double sum = 0;
        const bool pale = cursor_.any() && !chosen;
        const auto shown = [&](const QColor& full) {
            return pale ? ChartStyle::mixed(behind, full, 0.6) : full;
        };
        for (const TileSeries& s : series_) {
            const double value = meanOf(s.values);
            if (value > 0)
                painter.fillRect(QRectF(x, yOf(sum + value), next - x + 0.4, yOf(sum) - yOf(sum + value)),
                                 shown(s.color.in(theme)));
            sum += value;
        }
        if (several)
            fullest_line << QPointF(x, yOf(valueOf(totals_, fullest)))
                         << QPointF(next, yOf(valueOf(totals_, fullest)));
        if (fullest < overlay_.size() && overlay_[fullest] > 0)
            painter.fillRect(QRectF(x, yOf(valueOf(overlay_, fullest)), std::max(1.0, next - x + 0.4),
                                    yOf(0) - yOf(valueOf(overlay_, fullest))),
                             shown(theme.accent));
        if (fullest < least_.size())
            least_line << QPointF(x, yOf(valueOf(least_, fullest)))
                       << QPointF(next, yOf(valueOf(least_, fullest)));
        if (fullest < base_.size())
            base_line << QPointF((x + next) / 2, yOf(valueOf(base_, fullest)));
        if (fullest < with_gaps_.size())
            gaps << QPointF(x, yOf(valueOf(with_gaps_, fullest)))
                 << QPointF(next, yOf(valueOf(with_gaps_, fullest)));
    }
    painter.setPen(theme.text);
    painter.drawPolyline(fullest_line);
    painter.drawPolyline(least_line);
    painter.setPen(QPen(theme.text, 1, Qt::DotLine));
    painter.drawPolyline(gaps);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(theme.text, 1.5, Qt::DashLine));
    painter.drawPolyline(base_line);
    painter.restore();
    paintNotes(painter);
}

/// One column per pixel at most: each takes the tile that changed most, whether it is less or more.
void TileChart::paintDifference(QPainter& painter, double highest) {
    const Theme& theme = Theme::of(this);
    const QRect area = plot();
    const int count = columns();
    const double span = (to_ - from_) / count;
    const double zero = (area.top() + area.bottom()) / 2.0;
    for (int column = 0; column < count; ++column) {
        const auto begin = static_cast<std::size_t>(from_ + column * span);
        const auto end = std::max(begin + 1, static_cast<std::size_t>(from_ + (column + 1) * span));
        std::size_t most = begin;
        bool chosen = false;
        for (std::size_t t = begin; t < end && t < totals_.size(); ++t) {
            if (std::abs(totals_[t]) > std::abs(totals_[most]))
                most = t;
            chosen = chosen || cursor_.chosen(static_cast<std::int64_t>(t));
        }
        if (most >= totals_.size() || totals_[most] == 0)
            continue;
        const double x = area.left() + static_cast<double>(column) * area.width() / count;
        const double next = area.left() + static_cast<double>(column + 1) * area.width() / count;
        const double high = static_cast<double>(std::abs(totals_[most])) / highest * area.height() / 2;
        painter.setOpacity(cursor_.any() && !chosen ? 0.6 : 1);
        const bool more = totals_[most] > 0;
        painter.fillRect(QRectF(x, more ? zero - high : zero, next - x + 0.4, high),
                         more ? theme.more() : theme.less());
    }
    painter.setOpacity(1);
    painter.setPen(theme.muted);
    painter.drawLine(QPointF(area.left(), zero), QPointF(area.right(), zero));
    paintNotes(painter);
}

/// A column of pixels at most for each of them.
int TileChart::columns() const {
    return std::max(1, std::min(plot().width(), static_cast<int>(std::ceil(to_) - std::floor(from_))));
}

/// Rounded up.
int TileChart::tilesPerColumn() const {
    return static_cast<int>(std::ceil((to_ - from_) / columns()));
}

QString TileChart::notes() const {
    QStringList notes;
    if (!title_.isEmpty())
        notes << title_;
    if (tilesPerColumn() >= 2)
        notes << (difference_ ? tr("each column: that of %1 tiles which changed most")
                              : tr("each column: %1 tiles, their mean and as a line the fullest"))
                     .arg(tilesPerColumn());
    if (!least_.empty())
        notes << tr("each number on the IPU where it holds the most; line: where it holds the least");
    if (!with_gaps_.empty())
        notes << tr("dotted: with gaps");
    if (!base_.empty())
        notes << tr("dashed: %1").arg(base_name_);
    if (!overlay_.empty())
        notes << tr("in front: %1").arg(overlay_name_);
    return notes.join(QStringLiteral("  ·  "));
}

/// Above the plot, in as many lines as they need.
QRect TileChart::notesPlace() const {
    const int line = fontMetrics().height();
    const QRect room(plot().left(), 0, width() - plot().left() - 4, height());
    const QRect taken = fontMetrics().boundingRect(room, Qt::TextWordWrap, notes());
    return {room.left(), 0, room.width(), std::max(line, taken.height())};
}

void TileChart::paintNotes(QPainter& painter) const {
    painter.setPen(Theme::of(this).muted);
    painter.drawText(notesPlace(), Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap, notes());
}

/// What lies above the limit is shaded, where anything is that high.
void TileChart::paintBeyond(QPainter& painter, double highest) const {
    const auto over = [this](std::int64_t bytes) { return bytes > limit_; };
    if (limit_ <= 0 || difference_ ||
        (std::none_of(totals_.begin(), totals_.end(), over) &&
         std::none_of(with_gaps_.begin(), with_gaps_.end(), over)))
        return;
    const QRect area = plot();
    const double y = area.bottom() - static_cast<double>(limit_) / highest * area.height();
    if (y <= area.top())
        return;
    QColor beyond = Theme::of(this).bad;
    beyond.setAlphaF(0.12F);
    painter.fillRect(QRectF(QPointF(area.left(), area.top()), QPointF(area.right(), y)), beyond);
}

/// Its label stands in the margin, where no bar is behind it.
void TileChart::paintLimit(QPainter& painter, double highest) const {
    if (limit_ <= 0)
        return;
    const Theme& theme = Theme::of(this);
    const QRect area = plot();
    const double y = area.bottom() - static_cast<double>(limit_) / highest * area.height();
    const bool within = y >= area.top() - 1;
    const int line = fontMetrics().height();
    painter.setPen(QPen(theme.bad, 1.5));
    if (within)
        painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y));
    const double top = std::max(1.0 * area.top(), within ? y - line : 0); // below the notes
    painter.drawText(QRectF(area.right() + 4, top, width() - area.right() - 4, 2 * line), Qt::AlignLeft,
                     limitName() + QLatin1Char('\n') + limitText(within));
}

/// A triangle below each run of chosen tiles, with the tile's number where there is one: it is found among
/// thousands.
void TileChart::paintChosen(QPainter& painter) const {
    if (!cursor_.any())
        return;
    const Theme& theme = Theme::of(this);
    const QRect area = plot();
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme.accent);
    for (std::int64_t t = 0; t < tiles(); ++t) {
        if (!cursor_.chosen(t) || cursor_.chosen(t - 1))
            continue;
        std::int64_t last = t;
        while (cursor_.chosen(last + 1))
            ++last;
        const double left = xOf(static_cast<double>(t));
        const double right = xOf(static_cast<double>(last + 1));
        if (right < area.left() || left > area.right())
            continue;
        const double middle = std::clamp((left + right) / 2, 1.0 * area.left(), 1.0 * area.right());
        painter.drawPolygon(QPolygonF({{middle - 5, area.bottom() + 8.0},
                                       {middle + 5, area.bottom() + 8.0},
                                       {middle, area.bottom() + 1.0}}));
        painter.fillRect(QRectF(std::max(left, 1.0 * area.left()), area.bottom() + 1.0,
                                std::min(right, 1.0 * area.right()) - std::max(left, 1.0 * area.left()), 2),
                         theme.accent);
    }
    painter.restore();
}

} // namespace tilescope::ui
