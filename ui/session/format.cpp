// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/session/format.h"

#include "base/text.h"

namespace tilescope::ui {

QString text(const std::string& utf8) {
    return QString::fromStdString(utf8);
}

QString formatCount(std::int64_t value) {
    return text(count_text(value));
}

QString formatBytes(double bytes) {
    return text(bytes_text(bytes));
}

QString formatCycles(std::int64_t cycles) {
    return text(cycles_text(cycles));
}

QString formatSeconds(double seconds) {
    return text(time_text(seconds));
}

QString formatPercent(double share) {
    return text(share_text(share));
}

QString formatNumber(double value) {
    return text(number_text(value));
}

QString formatChange(double base, double now) {
    return text(change_text(base, now));
}

QString formatPoints(double base, double now) {
    return text(points_text(base, now));
}

QString formatTime(std::int64_t cycles, double clock_hz) {
    return clock_hz > 0 ? formatSeconds(static_cast<double>(cycles) / clock_hz) : formatCycles(cycles);
}

} // namespace tilescope::ui
