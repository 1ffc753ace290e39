// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/error.h"
#include "profile/profile.h"

#include <cstdint>
#include <ostream>
#include <utility>
#include <vector>

namespace tilescope::exports {

/// Every program step that runs on `ipus` in the cycles [first, second), and what these cut, which is written
/// whole, as CSV: a line per run of a step, by IPU and time, with the names of step, operation and layer, the
/// engine run and the step or weight update of it, and its cycles by what they are spent on. Times are
/// simulated; empty where there is no clock. Names that are not known are empty.
/// Returns how many there are. Errors: those of `profile`, Cancelled among them.
Result<std::int64_t> steps_csv(const profile::Profile& profile, std::ostream& out,
                               std::pair<std::int64_t, std::int64_t> cycles,
                               const std::vector<std::int64_t>& ipus);

} // namespace tilescope::exports
