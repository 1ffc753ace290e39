// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/number_checks.h"

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string>
#include <system_error>

namespace tilescope::app {

CLI::Validator at_least(std::int64_t least) {
    return CLI::Validator(
        [least](const std::string& text) {
            std::int64_t value = 0;
            const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
            const bool whole = code == std::errc() && end == text.data() + text.size();
            return whole && value >= least
                       ? std::string()
                       : "expects a whole number of at least " + std::to_string(least) + ", got " + text;
        },
        "");
}

CLI::Validator not_negative() {
    return CLI::Validator(
        [](const std::string& text) {
            char* end = nullptr;
            const double value = std::strtod(text.c_str(), &end);
            const bool number = !text.empty() && *end == '\0' && std::isfinite(value);
            return number && value >= 0 ? std::string() : "expects a number of at least 0, got " + text;
        },
        "");
}

} // namespace tilescope::app
