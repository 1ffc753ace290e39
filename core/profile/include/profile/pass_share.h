// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace tilescope::profile {

/// What ProgressRecord::epoch comes to while compiling, when all that a pass does is done: thousandths.
inline constexpr std::int64_t whole_pass = 1000;

} // namespace tilescope::profile
