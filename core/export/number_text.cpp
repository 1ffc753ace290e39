// SPDX-License-Identifier: GPL-3.0-or-later
#include "export/number_text.h"

#include <cmath>
#include <cstdio>

namespace tilescope::exports {
namespace {

std::string format(const char* pattern, double value) {
    char text[64];
    std::snprintf(text, sizeof text, pattern, value);
    return text;
}

} // namespace

std::string thousands(std::int64_t value) {
    const std::string digits = std::to_string(value);
    const std::size_t sign = value < 0 ? 1 : 0;
    std::string text = digits.substr(0, sign);
    for (std::size_t i = sign; i < digits.size(); ++i) {
        if (i > sign && (digits.size() - i) % 3 == 0)
            text += ',';
        text += digits[i];
    }
    return text;
}

std::string bytes_text(double bytes) {
    constexpr double kib = 1024;
    const double size = std::fabs(bytes);
    if (size < kib)
        return format("%.0f B", bytes);
    if (size < kib * kib)
        return format("%.1f KiB", bytes / kib);
    if (size < kib * kib * kib)
        return format("%.1f MiB", bytes / kib / kib);
    return format("%.2f GiB", bytes / kib / kib / kib);
}

std::string microseconds_text(double us) {
    const double size = std::fabs(us);
    if (size < 1e3)
        return format("%.1f us", us);
    if (size < 1e6)
        return format("%.2f ms", us / 1e3);
    return format("%.2f s", us / 1e6);
}

std::string number_text(double value) {
    const double size = std::fabs(value);
    if (size < 1e15 && (size >= 1e3 || value == std::floor(value)))
        return thousands(std::llround(value));
    return format("%.5g", value);
}

std::string percent_text(double share) {
    return format("%.1f %%", share * 100);
}

std::string signed_percent(double percent) {
    if (std::fabs(percent) >= 1e5)
        return "x " + number_text(percent / 100 + 1);
    return format("%+.1f %%", percent);
}

} // namespace tilescope::exports
