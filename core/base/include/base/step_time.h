// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace tilescope {

/// Microseconds of one of `steps` steps, at least one, that take so many cycles together, at so many cycles a
/// second. The quotient of whole numbers comes first: runs of equal steps have the same time to the last bit
/// then, however many they did.
inline double step_us(std::int64_t cycles, std::int64_t steps, double clock_hz) {
    return static_cast<double>(cycles) / static_cast<double>(steps) / clock_hz * 1e6;
}

} // namespace tilescope
