// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdio>
#include <string>

namespace tilescope::analyse {

/// A share of 1 as insights tell it: "12 %".
inline std::string percent(double share) {
    char text[32];
    std::snprintf(text, sizeof text, "%.0f %%", share * 100);
    return text;
}

} // namespace tilescope::analyse
