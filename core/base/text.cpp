// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/text.h"

#include "base/axis_text.h"
#include "base/share.h"
#include "base/wait_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

namespace tilescope {
namespace {

constexpr const char* minus = "\u2212";
constexpr double largest_whole = 1e15; ///< above, doubles are written with an exponent

/// Puts commas between the thousands and the true minus in front of what fmt writes.
std::string grouped(std::string digits) {
    const bool negative = digits.starts_with('-');
    if (negative)
        digits.erase(0, 1);
    if (digits.find('e') == std::string::npos)
        for (std::size_t at = std::min(digits.find('.'), digits.size()); at > 3; at -= 3)
            digits.insert(at - 3, ",");
    return negative ? minus + digits : digits;
}

/// Whole, but for what rounding in units of time may leave.
bool is_whole(double value) {
    const double size = std::fabs(value);
    return std::fabs(value - std::round(value)) <= 1e-9 * size && size < largest_whole;
}

/// Digits after the point of three significant ones, as many as stay after rounding: 9.996 has one.
int decimals(double size) {
    return size < 9.995 ? 2 : size < 99.95 ? 1 : 0;
}

/// Digits after the point that tell numbers apart which differ by that; 0: by any.
int decimals_between(double apart) {
    constexpr int most = 12;
    return apart > 0 ? static_cast<int>(std::clamp(std::ceil(-std::log10(apart) - 1e-9), 0.0, 1.0 * most))
                     : 0;
}

std::string three_digits(double value, double apart = 0) {
    const int least = decimals_between(apart);
    const int digits = is_whole(value) ? least : std::max(least, decimals(std::fabs(value)));
    return grouped(fmt::format("{:.{}f}", value, digits));
}

/// In the first unit in which it is written below `step` of it.
template<std::size_t N>
std::string scaled(double value, const std::array<const char*, N>& units, double step, double apart = 0) {
    std::size_t unit = 0;
    const auto too_large = [&] { return std::fabs(value) >= step - (is_whole(value) ? 0 : 0.5); };
    while (unit + 1 < N && too_large()) {
        value /= step;
        apart /= step;
        ++unit;
    }
    return three_digits(value, apart) + " " + units[unit];
}

} // namespace

std::string count_text(std::int64_t value) {
    return grouped(fmt::format("{}", value));
}

std::string counted_text(std::int64_t count, const std::string& one, const std::string& many) {
    return count_text(count) + " " + (count == 1 ? one : many.empty() ? one + "s" : many);
}

std::string spaced_text(std::string name) {
    std::replace(name.begin(), name.end(), '_', ' ');
    return name;
}

std::string cycles_text(std::int64_t cycles) {
    return counted_text(cycles, "cycle");
}

std::string bytes_text(double bytes) {
    return bytes_text(bytes, 0);
}

std::string bytes_text(double bytes, double apart) {
    constexpr std::array<const char*, 5> units{"B", "KiB", "MiB", "GiB", "TiB"};
    return scaled(std::fabs(bytes) < 1024 ? std::round(bytes) : bytes, units, 1024,
                  std::max(apart, apart > 0 ? 1.0 : 0.0));
}

std::string time_text(double seconds) {
    return time_text(seconds, 0);
}

std::string time_text(double seconds, double apart) {
    constexpr std::array<const char*, 4> units{"ns", "\u00b5s", "ms", "s"};
    return seconds == 0 ? "0 s" : scaled(seconds * 1e9, units, 1000, apart * 1e9);
}

std::string wait_text(double seconds) {
    constexpr double minute = 60;
    constexpr double longest_in_seconds = 2 * minute - 0.5; // in whole seconds
    if (!(std::fabs(seconds) >= longest_in_seconds))
        return time_text(seconds);
    constexpr std::int64_t hour = 60;
    const std::int64_t minutes = std::llround(seconds / minute);
    return minutes < hour ? fmt::format("{} min", minutes)
                          : count_text(minutes / hour) + fmt::format(" h {:02} min", minutes % hour);
}

std::string share_text(double share) {
    if (share == 0)
        return "0";
    if (std::fabs(share) < 0.0005)
        return share < 0 ? std::string(minus) + "<0.1 %" : "<0.1 %";
    return grouped(fmt::format("{:.1f}", share * 100)) + " %";
}

std::string whole_share_text(double share) {
    return fixed_text(share * 100, 0) + " %";
}

std::string times_text(double ratio) {
    return three_digits(ratio) + " times";
}

std::string amount_text(double value) {
    return std::fabs(value) < 1 ? grouped(fmt::format("{:.3g}", value)) : three_digits(value);
}

std::string amount_text(double value, double apart) {
    return apart <= 0 ? amount_text(value) : three_digits(value, apart);
}

std::string rate_text(double per_second, const std::string& unit) {
    static constexpr std::array<const char*, 6> prefixes = {"", "k", "M", "G", "T", "P"};
    constexpr double apart = 1000;
    constexpr double rounded = 999.5; // to three digits: as much as the next prefix
    std::size_t prefix = 0;
    for (; std::fabs(per_second) >= rounded && prefix + 1 < prefixes.size(); ++prefix)
        per_second /= apart;
    return amount_text(per_second) + " " + prefixes[prefix] + unit;
}

std::string clock_text(double hz) {
    return number_text(hz / 1e9) + " GHz";
}

std::string fixed_text(double value, int decimals) {
    const double none = value == 0 ? 0 : value; // no "-0"
    return grouped(fmt::format("{:.{}f}", none, decimals));
}

std::string number_text(double value) {
    if (std::isnan(value))
        return "nan"; // which has a sign, of no meaning
    if (is_whole(value) || (std::fabs(value) >= 1000 && std::fabs(value) < largest_whole))
        return grouped(fmt::format("{:.0f}", value));
    return grouped(fmt::format("{:.5g}", value));
}

std::string exact_text(double value) {
    const bool whole = value == std::floor(value) && std::fabs(value) < largest_whole;
    return grouped(whole ? fmt::format("{:.0f}", value) : fmt::format("{}", value));
}

std::string change_text(double base, double now) {
    if (base == now)
        return "=";
    if (base > 0 && now >= 10 * base)
        return times_text(now / base);
    const auto share = relative_change(base, now);
    return share ? signed_text(*share, share_text(*share)) : std::string();
}

std::string points_text(double base, double now) {
    if (base == now)
        return "=";
    const double points = std::round((now - base) * 1000) / 10;
    if (points == 0)
        return (now > base ? "+" : minus) + std::string("<0.1 points");
    return signed_text(points, fixed_text(points, 1)) + " points";
}

std::string signed_text(double difference, const std::string& text) {
    return difference > 0 ? "+" + text : text;
}

} // namespace tilescope
