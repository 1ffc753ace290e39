// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>

/// How figures are written in text, Markdown and HTML.
namespace tilescope::exports {

std::string thousands(std::int64_t value); ///< "1,234,567"
std::string bytes_text(double bytes);      ///< "12.3 MiB"
std::string microseconds_text(double us);  ///< "223.0 us", "3.01 ms", "2.40 s"
std::string number_text(double value);     ///< five significant digits, whole from 1,000: "1.6035", "514,329"
std::string percent_text(double share);    ///< of 1: "12.3 %"
std::string signed_percent(double percent); ///< of 100: "+12.3 %", "x 8,012" above a thousandfold

} // namespace tilescope::exports
