// SPDX-License-Identifier: GPL-3.0-or-later
#include "known_texts.h"
#include "ui/timeline/timeline_painter.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace tilescope::ui {

QColor counter_color(const ChartStyle& style, analyse::Counter counter) {
    switch (counter) {
    case analyse::Counter::LiveBytes:
        return style.accent;
    case analyse::Counter::ExchangeRate:
        return style.exchange;
    case analyse::Counter::FlopRate:
    case analyse::Counter::BusyTiles:
        break;
    }
    return style.compute;
}

/// The area up to the mean, so that it has the size of the amount; a paler band from the least to the most.
/// Where the figure is not known there is nothing. What the scale ends with stands at the right.
void TimelinePainter::curve(const TimelineLane& lane, const QRect& rect) {
    const auto counter = *counterOf(lane.kind);
    const LaneCurve& curve = lane.curve;
    if (curve.top <= 0)
        return;
    const double ratio = painter_.device()->devicePixelRatioF();
    const int columns = static_cast<int>(std::lround(rect.width() * ratio));
    const int height = static_cast<int>(std::lround(rect.height() * ratio));
    const QColor color = lane.kind == LaneKind::LinkRate ? style_.inter_ipu : counter_color(style_, counter);
    const QRgb mean = ChartStyle::mixed(style_.background, color, 0.62).rgb();
    const QRgb band = ChartStyle::mixed(style_.background, color, 0.22).rgb();
    const QRgb line = color.rgb();
    QImage image(columns, std::max(1, height), QImage::Format_ARGB32_Premultiplied);
    image.fill(Qt::transparent);
    auto* const pixels = reinterpret_cast<QRgb*>(image.bits());
    const auto stride = static_cast<std::ptrdiff_t>(image.bytesPerLine() / sizeof(QRgb));
    const double per_column = viewport_.cyclesPerPixel() / ratio;
    for (int c = 0; c < columns; ++c) {
        const double begin = viewport_.from() + c * per_column;
        const profile::FigureSum sum = curve.over(begin, begin + per_column);
        if (sum.cycles <= 0)
            continue;
        const auto up = [&](double value) {
            return std::clamp(static_cast<int>(std::lround(value / curve.top * height)), 0, height);
        };
        const int to_mean = up(sum.mean());
        const int least = up(sum.least);
        const int most = up(sum.most);
        for (int y = 0; y < most; ++y)
            if (y < to_mean || y >= least)
                pixels[(height - 1 - y) * stride + c] = y == to_mean - 1 ? line : y < to_mean ? mean : band;
    }
    image.setDevicePixelRatio(ratio);
    painter_.drawImage(rect.topLeft(), image);
    const QString top = counterText(counter, curve.top, curve.clock_hz);
    const int width = textWidth(painter_.font(), top) + 10;
    const int text = painter_.fontMetrics().height();
    if (rect.height() >= text && rect.width() > 3 * width) {
        painter_.setPen(style_.line);
        painter_.drawLine(rect.left(), rect.top(), rect.right(), rect.top());
        plate(QRect(rect.right() - width, rect.top() + 1, width, text), top);
    }
}

} // namespace tilescope::ui
