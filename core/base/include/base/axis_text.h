// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

/// Figures as base/text.h writes them, with as many digits more as tell one from another that is `apart`
/// away: those along an axis, and two of which one is a little more.
namespace tilescope {

std::string time_text(double seconds, double apart); ///< "2.5404 ms" where 0.2 µs matter
std::string bytes_text(double bytes, double apart);  ///< "209.25 KiB" where 16 B matter
std::string amount_text(double value, double apart); ///< "12,584.5" where 0.5 matters

} // namespace tilescope
