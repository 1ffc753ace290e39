// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/hatched_box.h"

#include "ui/theme/chart_style.h"
#include "ui/theme/theme.h"

#include <QPainter>
#include <cmath>

namespace tilescope::ui {

void paintHatchedBox(QPainter& painter, const QRectF& box, const QColor& color, const Theme& theme) {
    constexpr int every = 6; // as on time lines
    painter.fillRect(box, color);
    painter.save();
    painter.setClipRect(box, Qt::IntersectClip);
    painter.setPen(ChartStyle::mixed(color, theme.text, theme.dark ? 0.2 : 0.12));
    const int first = static_cast<int>(std::floor((box.left() - box.height()) / every));
    for (int line = first; line * every < box.right(); ++line)
        painter.drawLine(QPointF(line * every, box.bottom()),
                         QPointF(line * every + box.height(), box.top()));
    painter.restore();
}

} // namespace tilescope::ui
