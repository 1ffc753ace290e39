// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/cancellation.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tilescope::compile {

/// One allocation of a tile that is not always live.
struct Interval {
    std::size_t variable;
    std::int32_t bytes;
    std::int32_t from, to; ///< steps, inclusive
    std::int32_t base;     ///< lowest address that it may have
    std::int32_t address = 0;
    bool fixed = false; ///< has its address already
};

/// Gives each its address: beside those that have theirs, those bound to a region first, then the largest;
/// each at the lowest address that is free while it lives. Returns the end of the highest, or `top` if that
/// is higher. Once cancelled those that are left get none.
std::int32_t first_fit(std::vector<Interval>& intervals, std::int32_t top,
                       const CancelToken* cancel = nullptr);

} // namespace tilescope::compile
