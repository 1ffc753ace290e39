// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>

/// How figures are written, in the window, in reports and in messages alike. Amounts have three significant
/// digits and a unit; where they are whole, no more digits than they need. The minus is U+2212.
namespace tilescope {

/// In the place of a layer's name.
inline constexpr const char* of_no_layer = "operations of no layer";

std::string count_text(std::int64_t value); ///< "1,234,567"
/// "1 step", "1,204 steps"; `many` where it is not `one` with an s.
std::string counted_text(std::int64_t count, const std::string& one, const std::string& many = {});
std::string spaced_text(std::string name);    ///< "out of memory" of "out_of_memory"
std::string cycles_text(std::int64_t cycles); ///< "88,547 cycles"
std::string bytes_text(double bytes);         ///< "512 B", "64 KiB", "62.7 MiB"
std::string time_text(double seconds);        ///< "216 µs", "3.01 ms", "2.40 s", "1,204 s"
std::string share_text(double share);         ///< of 1: "28.5 %"; "<0.1 %" below 0.05 %, "0" for none alone

std::string whole_share_text(double share); ///< "43 %": where there is little room
std::string times_text(double ratio);       ///< "1.30 times", "3 times"
/// Three significant digits of an amount whose unit is none of these: "15.3" operations a cycle.
std::string amount_text(double value);
std::string rate_text(double per_second, const std::string& unit); ///< "3.20 GFLOP/s"; unit: "FLOP/s"
std::string clock_text(double hz);                                 ///< "1.33 GHz"
/// With so many digits after the point, as along an axis: "1,204.50".
std::string fixed_text(double value, int decimals);

/// A number without a unit, as a loss: five significant digits, whole from 1,000 on: "1.6035", "514,329".
std::string number_text(double value);
/// With all the digits that tell it from every other number: "196.36914", "100,000,000,000".
std::string exact_text(double value);

/// What `now` is to `base`: "+3.1 %", "−12.0 %", "14.7 times" from ten times on, "+<0.1 %", "=" where they
/// are equal; "" where the base is 0.
std::string change_text(double base, double now);
/// What the share `now` is to the share `base`: "+3.1 points" of a hundred each, "+<0.1 points", "=" where
/// they are equal.
std::string points_text(double base, double now);
/// `text` of an amount that is a difference, with its sign: "+122 µs".
std::string signed_text(double difference, const std::string& text);

} // namespace tilescope
