// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <cstdint>

/// How figures are written, everywhere in the window.
namespace tilescope::ui {

QString formatCount(std::int64_t value);                  ///< "1,234,567"
QString formatBytes(double bytes);                        ///< "12.3 MiB"
QString formatCycles(std::int64_t cycles);                ///< "88,547 cycles"
QString formatSeconds(double seconds);                    ///< "216 us", "3.01 ms", "2.4 s"
QString formatPercent(double share);                      ///< "28.5 %"
QString formatNumber(double value);                       ///< four significant digits
QString formatTime(std::int64_t cycles, double clock_hz); ///< cycles as simulated time

} // namespace tilescope::ui
