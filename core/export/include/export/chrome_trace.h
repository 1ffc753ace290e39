// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/error.h"
#include "profile/profile.h"

#include <ostream>

namespace tilescope::exports {

/// The time line as Chrome trace JSON, which Perfetto and chrome://tracing open, in simulated time, whole
/// nanoseconds (docs: commands, "export"). The host is a process with lanes for epochs and engine runs, their
/// launches, and the streams of each IPU, and counters of the losses and metrics. Each IPU is a process with
/// lanes for engine runs, layers, operations, program steps, their phases, and what its pipeline stage does,
/// and counters of its live memory. Arrows follow the micro-batches through the stages.
/// Errors: those of `profile`; BadInput for a run without simulated time.
Result<void> chrome_trace(const profile::Profile& profile, std::ostream& out);

} // namespace tilescope::exports
