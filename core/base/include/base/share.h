// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>

namespace tilescope {

/// Share that a part is of a whole; nullopt where there is no whole to be a part of.
inline std::optional<double> share_of(std::int64_t part, std::int64_t whole) {
    return whole > 0 ? std::optional(static_cast<double>(part) / static_cast<double>(whole)) : std::nullopt;
}

/// What a figure changed by, as a share of what it was; nullopt where it was 0.
inline std::optional<double> relative_change(double base, double now) {
    if (base == 0)
        return std::nullopt;
    return base == now ? 0 : (now - base) / std::fabs(base);
}

} // namespace tilescope
