// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/session/format.h"
#include "ui/theme/chart_style.h"
#include "ui/theme/theme.h"
#include "ui/tiles/bytes_matrix.h"
#include "ui/tiles/shade.h"
#include "ui/widgets/axis_ticks.h"

#include <QPainter>
#include <algorithm>
#include <cmath>

namespace tilescope::ui {

double BytesMatrix::share(std::int64_t bytes) const {
    if (least_ >= most_)
        return 1;
    const auto of = [](std::int64_t value) { return std::log(static_cast<double>(value)); };
    return palest + (1 - palest) * (of(bytes) - of(least_)) / (of(most_) - of(least_));
}

/// The smallest difference is not the same.
QColor BytesMatrix::colourOf(const Theme& theme, std::int64_t bytes) const {
    if (!ofTwo())
        return shadeOf(theme, share(bytes));
    const double size = std::min(1.0, std::abs(static_cast<double>(bytes)) / static_cast<double>(end_));
    return shadeOfDifference(theme, std::copysign(palest + (1 - palest) * size, static_cast<double>(bytes)));
}

void BytesMatrix::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Theme& theme = Theme::of(this);
    painter.setPen(theme.muted);
    painter.drawText(
        QRectF(border, 0, width() - 2 * border, fontMetrics().height() + 2), Qt::AlignLeft | Qt::AlignVCenter,
        fontMetrics().elidedText(title_, Qt::ElideMiddle, width() - static_cast<int>(2 * border)));
    if (!known()) {
        painter.drawText(QRectF(rect()).adjusted(3 * border, 3 * border, -3 * border, -3 * border),
                         Qt::AlignCenter | Qt::TextWordWrap, note_);
    } else {
        paintCells(painter, theme);
        paintNumbers(painter, theme);
        paintSums(painter, theme);
        paintAxes(painter, theme);
        paintMarks(painter, theme);
        paintBusiest(painter, theme);
        paintScale(painter, theme);
    }
    if (hasFocus()) {
        painter.setPen(QPen(theme.accent, 2));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(rect().adjusted(1, 1, -1, -1));
    }
}

void BytesMatrix::paintCells(QPainter& painter, const Theme& theme) {
    if (image_.isNull()) {
        image_ = QImage(across_, down_, QImage::Format_RGB32);
        image_.fill(theme.panel);
        for (int r = 0; r < down_; ++r)
            for (int c = 0; c < across_; ++c)
                if (const std::int64_t bytes = at({r, c}); bytes != 0)
                    image_.setPixelColor(c, r, colourOf(theme, bytes));
    }
    const QRectF area = plot();
    painter.drawImage(area, image_);
    painter.setPen(QPen(theme.border, 1));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(area.adjusted(-1, -1, 0, 0));
}

/// Bytes in cells that have room for any.
void BytesMatrix::paintNumbers(QPainter& painter, const Theme& theme) const {
    const double side = plot().width() / across_;
    if (side < fontMetrics().horizontalAdvance(QStringLiteral("−888.8 KiB")) + border)
        return;
    for (int r = 0; r < down_; ++r)
        for (int c = 0; c < across_; ++c)
            if (const std::int64_t bytes = at({r, c}); bytes != 0) {
                painter.setPen(ChartStyle::textOn(colourOf(theme, bytes)));
                painter.drawText(cell({r, c}), Qt::AlignCenter,
                                 ofTwo() ? formatSignedBytes(static_cast<double>(bytes))
                                         : formatBytes(bytes));
            }
}

/// Bars: what a row sends to all at the left, what a column receives from all at the top, or what is
/// more or less of that. The longest of each is in the full colour.
void BytesMatrix::paintSums(QPainter& painter, const Theme& theme) const {
    const QRectF area = plot();
    const double side = area.width() / across_;
    const auto colour = [&](std::int64_t sum, bool longest) {
        constexpr float faint = 0.4F;
        QColor one = ofTwo() ? shadeOfDifference(theme, sum < 0 ? -1 : 1) : theme.exchange;
        one.setAlphaF(longest ? 1 : faint);
        return one;
    };
    const auto bars = [&](const std::vector<std::int64_t>& sums, bool across) {
        const auto most = std::max_element(sums.begin(), sums.end(), [](std::int64_t a, std::int64_t b) {
            return std::abs(a) < std::abs(b);
        });
        for (std::size_t i = 0; most != sums.end() && *most != 0 && i < sums.size(); ++i) {
            const double length =
                std::abs(static_cast<double>(sums[i]) / static_cast<double>(*most)) * (sums_side - 4);
            const double along = static_cast<double>(i) * side;
            const QRectF bar = across ? QRectF(area.left() + along, area.top() - 3 - length, side, length)
                                      : QRectF(area.left() - 3 - length, area.top() + along, length, side);
            const bool longest = sums.begin() + static_cast<std::ptrdiff_t>(i) == most;
            painter.fillRect(bar, colour(sums[i], longest));
        }
    };
    bars(received_, true);
    bars(sent_, false);
}

void BytesMatrix::paintAxes(QPainter& painter, const Theme& theme) const {
    const QRectF area = plot();
    const int line = fontMetrics().height();
    const int wide = fontMetrics().horizontalAdvance(formatCount(count_));
    painter.setPen(theme.muted);
    const auto ticks = [](Range range, int most, const auto& draw) {
        const auto step = static_cast<std::int64_t>(
            std::max(1.0, tick_step(static_cast<double>(range.count), std::max(1, most))));
        for (std::int64_t t = (range.first + step - 1) / step * step; t < range.first + range.count;
             t += step)
            draw(t, (static_cast<double>(t - range.first) + 0.5) / static_cast<double>(range.count));
    };
    const double top = area.top() - sums_side - line - 1;
    ticks(columns_, static_cast<int>(area.width() / (wide + 14)), [&](std::int64_t number, double share) {
        painter.drawText(QRectF(area.left() + share * area.width() - 40, top, 80, line), Qt::AlignCenter,
                         formatCount(number));
    });
    const double left = area.left() - sums_side - wide - 4;
    ticks(rows_, static_cast<int>(area.height() / (2 * line)), [&](std::int64_t number, double share) {
        painter.drawText(QRectF(left, area.top() + share * area.height() - line / 2.0, wide, line),
                         Qt::AlignRight | Qt::AlignVCenter, formatCount(number));
    });
}

/// The cursor, what is selected, and what is dragged over.
void BytesMatrix::paintMarks(QPainter& painter, const Theme& theme) const {
    const QRectF area = plot();
    const double side = area.width() / across_;
    painter.setBrush(Qt::NoBrush);
    for (std::int64_t number = 0; number < static_cast<std::int64_t>(selected_.size()); ++number) {
        if (!selected_[static_cast<std::size_t>(number)])
            continue;
        const auto mark = [&](Range range, bool across) {
            if (number < range.first || number >= range.first + range.count)
                return;
            const std::int64_t block = (number - range.first) / block_;
            const double along = static_cast<double>(block) * side;
            painter.fillRect(across ? QRectF(area.left() + along, area.bottom() + 1, std::max(2.0, side), 4)
                                    : QRectF(area.right() + 1, area.top() + along, 4, std::max(2.0, side)),
                             theme.accent);
        };
        mark(columns_, true);
        mark(rows_, false);
    }
    if (cursor_.any()) {
        const QRectF here = cell(cursor_).adjusted(-2, -2, 2, 2);
        painter.setPen(QPen(theme.panel, 4));
        painter.drawRect(here);
        painter.setPen(QPen(theme.accent, 2));
        painter.drawRect(here);
    }
    if (pressed_ && (drag_end_ - drag_begin_).manhattanLength() > drag_from) {
        painter.setPen(QPen(theme.text, 1));
        painter.drawRect(QRectF(drag_begin_, drag_end_).normalized() & area);
    }
}

/// The shades of bytes, what a cell is, and what is at the cursor.
void BytesMatrix::paintScale(QPainter& painter, const Theme& theme) const {
    const int line = fontMetrics().height();
    const QRectF area = plot();
    const bool beside = scaleBeside();
    const QRectF bar =
        beside ? QRectF(area.right() + 2 * border, area.top(), scaleWidth() - 2 * border, 7)
               : QRectF(area.left(), height() - border - line - 8, std::min(area.width() * 0.6, 220.0), 7);
    const QRectF labels(bar.left(), bar.bottom() + 1, bar.width(), line);
    painter.setPen(theme.muted);
    if (ofTwo()) {
        paintDifferenceScale(painter, theme, bar, end_, cells_);
    } else {
        for (int x = 0; x < static_cast<int>(bar.width()); ++x)
            painter.fillRect(QRectF(bar.left() + x, bar.top(), 1, bar.height()),
                             shadeOf(theme, palest + (1 - palest) * x / bar.width()));
        painter.drawText(labels, Qt::AlignLeft | Qt::AlignVCenter, formatBytes(least_));
        painter.drawText(labels, Qt::AlignRight | Qt::AlignVCenter, formatBytes(most_));
    }
    const QString of = tr("a cell is %1").arg(cellText(block_));
    const QRectF words = beside ? QRectF(bar.left(), labels.bottom() + line / 2.0, bar.width() + border,
                                         area.bottom() - labels.bottom() - line / 2.0)
                                : QRectF(bar.right() + 2 * border, bar.top() - 4,
                                         width() - bar.right() - 3 * border, 2 * line);
    const QString said = cursor_.any() && beside ? QStringLiteral("%1\n\n%2").arg(of, textOf(cursor_)) : of;
    QRectF taken;
    painter.drawText(words, Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap, said, &taken);
    if (beside)
        paintFacts(painter, theme,
                   {words.left(), words.top() + taken.height() + line, width() - border - words.left(),
                    area.bottom() - words.top() - taken.height() - line});
}

/// Each figure below its name, as many as there is room for.
void BytesMatrix::paintFacts(QPainter& painter, const Theme& theme, const QRectF& room) const {
    const double line = fontMetrics().height();
    double top = room.top();
    for (const auto& [name, figure] : facts_) {
        if (top + 2 * line > room.bottom())
            return;
        painter.setPen(theme.muted);
        painter.drawText(QRectF(room.left(), top, room.width(), line), Qt::AlignLeft | Qt::AlignVCenter,
                         name);
        painter.setPen(theme.text);
        painter.drawText(QRectF(room.left(), top + line, room.width(), line),
                         Qt::AlignLeft | Qt::AlignVCenter, figure);
        top += 2.5 * line;
    }
}

/// Where what receives, and what sends, the most is: a triangle at the far side of the
/// cells.
void BytesMatrix::paintBusiest(QPainter& painter, const Theme& theme) const {
    const QRectF area = plot();
    const double side = area.width() / across_;
    const double high = border - 1;
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme.text);
    const auto mark = [&](const std::vector<std::int64_t>& sums, Range range, bool receives) {
        const auto most = std::max_element(sums.begin(), sums.end(), [](std::int64_t a, std::int64_t b) {
            return std::abs(a) < std::abs(b);
        });
        const std::int64_t number = most - sums.begin();
        if (most == sums.end() || *most == 0 || number < range.first || number >= range.first + range.count)
            return;
        const std::int64_t block = (number - range.first) / block_;
        const double along = (static_cast<double>(block) + 0.5) * side;
        const QPointF tip = receives ? QPointF(area.left() + along, area.bottom() + 1)
                                     : QPointF(area.right() + 1, area.top() + along);
        const QPointF out = receives ? QPointF(0, high) : QPointF(high, 0);
        const QPointF aside = receives ? QPointF(high / 2, 0) : QPointF(0, high / 2);
        painter.drawPolygon(QPolygonF({tip, tip + out + aside, tip + out - aside}));
    };
    mark(sums_.received, columns_, true);
    mark(sums_.sent, rows_, false);
    painter.setBrush(Qt::NoBrush);
    painter.setRenderHint(QPainter::Antialiasing, false);
}

} // namespace tilescope::ui
