// SPDX-License-Identifier: GPL-3.0-or-later
#include "keras/names.h"

#include <cctype>

namespace tilescope::keras {

std::string snake_case(const std::string& name) {
    std::string result;
    const auto upper = [&](std::size_t i) {
        return i < name.size() && std::isupper(static_cast<unsigned char>(name[i])) != 0;
    };
    const auto lower = [&](std::size_t i) {
        return i < name.size() && std::islower(static_cast<unsigned char>(name[i])) != 0;
    };
    for (std::size_t i = 0; i < name.size(); ++i) {
        if (i > 0 && upper(i) && (lower(i + 1) || lower(i - 1)))
            result += '_';
        result += static_cast<char>(std::tolower(static_cast<unsigned char>(name[i])));
    }
    return result;
}

} // namespace tilescope::keras
