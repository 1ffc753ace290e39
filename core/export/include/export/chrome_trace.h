// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/error.h"
#include "profile/profile.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <ostream>
#include <utility>

namespace tilescope::exports {

/// Which part of the time line is written, and who hears of it.
struct TracePart {
    /// Engine runs by `execution.id`, the last one included; nullopt: all.
    std::optional<std::pair<std::int64_t, std::int64_t>> executions;
    /// Only what is in these cycles [first, second), and what they cut, which is written whole.
    std::optional<std::pair<std::int64_t, std::int64_t>> cycles;
    /// Is called now and then with the share of the engine runs that is written, from 0 to 1.
    std::function<void(double)> written;
};

/// The time line as Chrome trace JSON, which Perfetto and chrome://tracing open, in simulated time, whole
/// nanoseconds (docs: commands, "export"). The host is a process with lanes for epochs and engine runs, their
/// launches, and the streams of each IPU, and counters of the losses and metrics. Each IPU is a process with
/// lanes for engine runs, layers, operations, program steps, their phases, and what its pipeline stage does,
/// and counters of its live memory. Arrows follow the micro-batches through the stages.
/// Errors: those of `profile`; BadInput for a run without simulated time, or a range without an engine run.
Result<void> chrome_trace(const profile::Profile& profile, std::ostream& out, const TracePart& part = {});

} // namespace tilescope::exports
