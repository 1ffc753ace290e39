// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/error.h"
#include "profile/profile.h"

#include <ostream>

namespace tilescope::exports {

/// The time line as Chrome trace JSON, which Perfetto and chrome://tracing open: a process per IPU, with a
/// thread each for executions, operations, program steps and their phases, and a counter of live memory.
/// Times are microseconds of simulated time.
Result<void> chrome_trace(const profile::Profile& profile, std::ostream& out);

} // namespace tilescope::exports
