// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dimensions.h"

namespace tilescope::app {

Result<std::map<std::string, std::int64_t>> read_dimensions(const std::vector<std::string>& options) {
    std::map<std::string, std::int64_t> dimensions;
    for (const std::string& option : options) {
        const std::size_t equals = option.rfind('=');
        const std::string digits = equals == std::string::npos ? "" : option.substr(equals + 1);
        if (equals == 0 || digits.empty() || digits.size() > 9 ||
            digits.find_first_not_of("0123456789") != std::string::npos)
            return wrong_usage("--shape " + option + " is not NAME=N", "--shape",
                               "for example --shape sequence=128");
        dimensions[option.substr(0, equals)] = std::stoll(digits);
    }
    return dimensions;
}

} // namespace tilescope::app
