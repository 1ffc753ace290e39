// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/session/format.h"

#include "base/text.h"

namespace tilescope::ui {
namespace {

QString shown(const std::string& text) {
    return QString::fromStdString(text);
}

} // namespace

QString formatCount(std::int64_t value) {
    return shown(count_text(value));
}

QString formatBytes(double bytes) {
    return shown(bytes_text(bytes));
}

QString formatCycles(std::int64_t cycles) {
    return shown(cycles_text(cycles));
}

QString formatSeconds(double seconds) {
    return shown(time_text(seconds));
}

QString formatPercent(double share) {
    return shown(share_text(share));
}

QString formatNumber(double value) {
    return shown(number_text(value));
}

QString formatChange(double base, double now) {
    return shown(change_text(base, now));
}

QString formatPoints(double base, double now) {
    return shown(points_text(base, now));
}

QString formatTime(std::int64_t cycles, double clock_hz) {
    return clock_hz > 0 ? formatSeconds(static_cast<double>(cycles) / clock_hz) : formatCycles(cycles);
}

} // namespace tilescope::ui
