// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>

namespace tilescope {

/// Share that a part is of a whole; nullopt where there is no whole to be a part of.
inline std::optional<double> share_of(std::int64_t part, std::int64_t whole) {
    return whole > 0 ? std::optional(static_cast<double>(part) / static_cast<double>(whole)) : std::nullopt;
}

} // namespace tilescope
