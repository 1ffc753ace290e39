// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <cstdint>

/// How figures are written, everywhere in the window.
namespace tilescope::ui {

QString formatCount(std::int64_t value);   ///< "1,234,567"
QString formatBytes(double bytes);         ///< "12.3 MiB"
QString formatCycles(std::int64_t cycles); ///< "88,547 cycles"
QString formatSeconds(double seconds);     ///< "216 us", "3.01 ms", "2.4 s"
QString formatPercent(double share);       ///< "28.5 %"
QString formatNumber(double value);        ///< four significant digits
/// What `now` is to `base`: "+3.1 %", "="; "" where the base is 0 and `now` is not.
QString formatChange(double base, double now);
/// What the share `now` is to `base`: "+3.1 points" (hundredths), "=".
QString formatPoints(double base, double now);
QString formatTime(std::int64_t cycles, double clock_hz); ///< cycles as simulated time

} // namespace tilescope::ui
