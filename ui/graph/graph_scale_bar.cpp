// SPDX-License-Identifier: GPL-3.0-or-later
#include "graph_scale_bar.h"

#include "ui/theme/theme.h"
#include "ui/tiles/shade.h"

#include <QPainter>
#include <algorithm>

namespace tilescope::ui {
namespace {

constexpr int ramp_width = 96;
constexpr int gap = 6;

} // namespace

bool GraphScaleBar::ramp() const {
    return isAmount(scale_.coloring());
}

void GraphScaleBar::setScale(const GraphScale& scale) {
    scale_ = scale;
    QStringList words;
    for (const auto& [share, name] : scale_.names())
        words.append(name);
    setAccessibleName(tr("Colours by %1: %2").arg(coloringName(scale_.coloring()), words.join(tr(", "))));
    updateGeometry();
    update();
}

QSize GraphScaleBar::sizeHint() const {
    const QFontMetrics metrics(font());
    int width = ramp() ? ramp_width : 0;
    for (const auto& [share, name] : scale_.names())
        width += metrics.horizontalAdvance(name) + gap + (ramp() ? 0 : metrics.height() + gap);
    return {width + metrics.horizontalAdvance(coloringName(scale_.coloring())) + gap, metrics.height() + 6};
}

void GraphScaleBar::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Theme& theme = Theme::of(this);
    const QFontMetrics metrics(font());
    const auto names = scale_.names();
    double x = 0;
    const auto write = [&](const QString& words) {
        const int width = metrics.horizontalAdvance(words);
        painter.setPen(theme.muted);
        painter.drawText(QRectF(x, 0, width, height()), Qt::AlignVCenter, words);
        x += width + gap;
    };
    const double side = metrics.height() - 4;
    const double top = (height() - side) / 2;
    if (names.empty())
        return;
    if (ramp()) {
        write(names.front().second);
        for (int i = 0; i < ramp_width; ++i)
            painter.fillRect(QRectF(x + i, top, 1, side), shadeOf(theme, i / double(ramp_width - 1)));
        x += ramp_width + gap;
        write(names.back().second);
        return;
    }
    write(coloringName(scale_.coloring()));
    for (const auto& [share, name] : names) {
        painter.fillRect(QRectF(x, top, side, side), shadeOf(theme, share));
        painter.setPen(theme.grid);
        painter.drawRect(QRectF(x, top, side, side));
        x += side + gap / 2.0;
        write(name);
    }
}

} // namespace tilescope::ui
