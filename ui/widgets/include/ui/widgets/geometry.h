// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPointF>
#include <algorithm>
#include <cmath>

namespace tilescope::ui {

/// From a point to the nearest one between `a` and `b`.
inline double distanceToLine(const QPointF& point, const QPointF& a, const QPointF& b) {
    const QPointF d = b - a;
    const double length = QPointF::dotProduct(d, d);
    const double t = length == 0 ? 0 : std::clamp(QPointF::dotProduct(point - a, d) / length, 0.0, 1.0);
    const QPointF off = point - (a + d * t);
    return std::hypot(off.x(), off.y());
}

} // namespace tilescope::ui
