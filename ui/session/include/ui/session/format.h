// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <cstdint>
#include <string>

/// The texts of base/text.h as Qt's; how figures are written is said there.
namespace tilescope::ui {

QString text(const std::string& utf8);
QString formatCount(std::int64_t value);
QString formatBytes(double bytes);
QString formatCycles(std::int64_t cycles);
QString formatSeconds(double seconds);
QString formatPercent(double share);
QString formatNumber(double value);
QString formatChange(double base, double now);
QString formatPoints(double base, double now);
QString formatTime(std::int64_t cycles, double clock_hz); ///< cycles as simulated time

} // namespace tilescope::ui
