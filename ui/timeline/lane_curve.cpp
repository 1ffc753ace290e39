// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/session/format.h"
#include "ui/timeline/timeline_lane.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>

namespace tilescope::ui {

using analyse::Counter;

std::optional<Counter> counterOf(LaneKind kind) {
    switch (kind) {
    case LaneKind::LiveBytes:
        return Counter::LiveBytes;
    case LaneKind::ExchangeRate:
    case LaneKind::LinkRate:
        return Counter::ExchangeRate;
    case LaneKind::FlopRate:
        return Counter::FlopRate;
    case LaneKind::BusyTiles:
        return Counter::BusyTiles;
    default:
        return std::nullopt;
    }
}

profile::FigureSum LaneCurve::over(double begin, double end) const {
    return analyse::figure_over(stretches, from, width, begin, end);
}

QString counterText(Counter counter, double value, double clock_hz) {
    const auto text = [](const char* source) { return QCoreApplication::translate("LaneCurve", source); };
    switch (counter) {
    case Counter::LiveBytes:
        return formatBytes(value);
    case Counter::ExchangeRate:
        return clock_hz > 0 ? formatRate(value * clock_hz, text("B/s"))
                            : text("%1 bytes per cycle").arg(formatAmount(value));
    case Counter::FlopRate:
        return clock_hz > 0 ? formatRate(value * clock_hz, text("FLOP/s"))
                            : text("%1 FLOP per cycle").arg(formatAmount(value));
    case Counter::BusyTiles:
        break;
    }
    return formatPercent(value);
}

} // namespace tilescope::ui
