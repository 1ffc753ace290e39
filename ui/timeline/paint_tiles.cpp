// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/timeline_painter.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>

namespace tilescope::ui {

void TimelinePainter::tiles(const TimelineLane& lane, const QRect& rect) {
    if (!lane.tiles)
        return;
    const analyse::TileRows& tiles = *lane.tiles;
    if (tiles.rows == 0) {
        painter_.setPen(style_.muted);
        painter_.drawText(rect, Qt::AlignCenter,
                          QCoreApplication::translate("TimelinePainter", "Zoom in to see the tiles (W)"));
        return;
    }
    const double ratio = painter_.device()->devicePixelRatioF();
    const auto pixels = [ratio](int size) {
        return std::max(1, static_cast<int>(std::lround(size * ratio)));
    };
    const auto width = static_cast<double>(tiles.width);
    const TilePictures::Look look{(viewport_.from() - static_cast<double>(tiles.from)) / width,
                                  viewport_.cyclesPerPixel() / ratio / width,
                                  {pixels(rect.width()), pixels(rect.height())},
                                  ratio,
                                  timeColors(style_),
                                  style_.background};
    painter_.drawImage(rect.topLeft(), pictures_.of(lane.tiles, look));
    ringSlowest(lane, rect);
}

/// The tile that all others wait for, where its compute set is wide enough to be seen.
void TimelinePainter::ringSlowest(const TimelineLane& lane, const QRect& rect) {
    constexpr double least_pixels = 24;
    const analyse::TileRows& tiles = *lane.tiles;
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
        const int top = TilePictures::edge(row, tiles, rect.height());
        const int high = std::max(6, TilePictures::edge(row + 1, tiles, rect.height()) - top);
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
