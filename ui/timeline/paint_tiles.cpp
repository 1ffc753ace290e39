// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/timeline_painter.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>

namespace tilescope::ui {
namespace {

using analyse::TileRows;
using Column = analyse::TimeColumns::Column;

/// Shares of the kinds of time in a row between two places along its columns, of all that is between them.
Column between(const TileRows& tiles, std::size_t row, double begin, double end) {
    Column sum{};
    const TileRows::Cell* const cells = tiles.cells.data() + row * tiles.columns;
    constexpr double whole = 255;
    const double low = std::max(0.0, begin);
    const double high = std::min(static_cast<double>(tiles.columns), end);
    for (auto c = static_cast<std::size_t>(low); static_cast<double>(c) < high && c < tiles.columns; ++c) {
        const double share =
            (std::min(high, static_cast<double>(c + 1)) - std::max(low, static_cast<double>(c))) /
            (end - begin) / whole;
        for (std::size_t kind = 0; kind < sum.size(); ++kind)
            sum[kind] += share * cells[c][kind];
    }
    return sum;
}

int edge(std::size_t row, const TileRows& tiles, int height) {
    return static_cast<int>(row * static_cast<std::size_t>(height) / tiles.rows);
}

} // namespace

/// A row for each few tiles, the first one on top; within it the same rule as for phases.
void TimelinePainter::tiles(const TimelineLane& lane, const QRect& rect) {
    if (!lane.tiles)
        return;
    const TileRows& tiles = *lane.tiles;
    if (tiles.rows == 0) {
        painter_.setPen(style_.muted);
        painter_.drawText(rect, Qt::AlignCenter,
                          QCoreApplication::translate("TimelinePainter", "Zoom in to see the tiles (W)"));
        return;
    }
    const double ratio = painter_.device()->devicePixelRatioF();
    const int height = static_cast<int>(std::lround(rect.height() * ratio));
    const auto width = static_cast<std::size_t>(std::lround(std::max(1, rect.width()) * ratio));
    const double per_pixel = viewport_.cyclesPerPixel() / ratio / static_cast<double>(tiles.width);
    const double from =
        (viewport_.from() - static_cast<double>(tiles.from)) / static_cast<double>(tiles.width);
    TimeStack::Colors colors = timeColors(style_);
    QImage picture(static_cast<int>(width), std::max(1, height), QImage::Format_ARGB32_Premultiplied);
    picture.fill(Qt::transparent);
    std::vector<Column> columns(width);
    constexpr int hatched_from = 8; // pixels of a row
    if (height / static_cast<int>(tiles.rows) < hatched_from)
        colors.hatch = QColor();
    for (std::size_t row = 0; row < tiles.rows; ++row) {
        const int top = edge(row, tiles, height);
        const int high = edge(row + 1, tiles, height) - top;
        if (high <= 0)
            continue;
        for (std::size_t c = 0; c < width; ++c) {
            const double begin = from + static_cast<double>(c) * per_pixel;
            columns[c] = between(tiles, row, begin, begin + per_pixel);
        }
        const QImage line =
            TimeStack::image(TimeStack::heights(columns, 1, high), high, colors, style_.background, {});
        for (int y = 0; y < high; ++y)
            std::copy_n(line.constScanLine(y), line.bytesPerLine(), picture.scanLine(top + y));
    }
    picture.setDevicePixelRatio(ratio);
    painter_.drawImage(rect.topLeft(), picture);
    ringSlowest(lane, rect);
}

/// The tile that all others wait for, where its compute set is wide enough to be seen.
void TimelinePainter::ringSlowest(const TimelineLane& lane, const QRect& rect) {
    constexpr double least_pixels = 24;
    const TileRows& tiles = *lane.tiles;
    painter_.setRenderHint(QPainter::Antialiasing);
    painter_.setBrush(Qt::NoBrush);
    for (const TimelineSlice& slice : lane.slices) {
        const auto found = tiles.slowest.find(slice.program);
        if (slice.merged != 1 || found == tiles.slowest.end() ||
            static_cast<double>(slice.cycles.compute) < least_pixels * viewport_.cyclesPerPixel() ||
            found->second.tile < tiles.first_tile || found->second.tile > tiles.last_tile)
            continue;
        const auto row =
            static_cast<std::size_t>((found->second.tile - tiles.first_tile) / tiles.tiles_per_row);
        const int top = edge(row, tiles, rect.height());
        const int high = std::max(6, edge(row + 1, tiles, rect.height()) - top);
        const double end = viewport_.x(static_cast<double>(slice.end));
        if (end < 0 || end > rect.width() + high)
            continue;
        const QRectF ring(rect.left() + end - high, rect.top() + top - (high > 6 ? 0 : 2), high, high);
        painter_.setPen(QPen(style_.background, 3));
        painter_.drawEllipse(ring);
        painter_.setPen(QPen(style_.text, 1.5));
        painter_.drawEllipse(ring);
    }
    painter_.setRenderHint(QPainter::Antialiasing, false);
}

} // namespace tilescope::ui
