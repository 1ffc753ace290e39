// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dimensions.h"

namespace tilescope::app {
namespace {

constexpr std::size_t most_digits = 9;

} // namespace

Result<std::map<std::string, std::int64_t>> read_dimensions(const std::vector<std::string>& options) {
    std::map<std::string, std::int64_t> dimensions;
    for (const std::string& option : options) {
        const std::size_t equals = option.rfind('=');
        const std::string digits = equals == std::string::npos ? "" : option.substr(equals + 1);
        if (equals == 0 || digits.empty() || digits.find_first_not_of("0123456789") != std::string::npos)
            return wrong_usage("--shape " + option + " is not NAME=N", "--shape",
                               "for example --shape sequence=128");
        if (digits.size() > most_digits && digits.find_first_not_of('0') + most_digits < digits.size())
            return wrong_usage("--shape " + option + " is too large", "--shape",
                               "give a number of at most " + std::to_string(most_digits) + " digits");
        dimensions[option.substr(0, equals)] = std::stoll(digits);
    }
    return dimensions;
}

} // namespace tilescope::app
