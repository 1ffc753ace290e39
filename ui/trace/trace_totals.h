// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "profile/profile.h"
#include "ui/trace/trace_tables.h"

#include <QString>
#include <cstdint>
#include <utility>
#include <vector>

namespace tilescope::ui {

/// Cycles of one name within a selected range.
struct TraceTotal {
    QString name;
    std::int64_t id = -1; ///< operation, layer or program step, as the table says; -1: none, -2: not traced
    std::int64_t sync = 0;
    std::int64_t exchange = 0; ///< within and between IPUs
    std::int64_t compute = 0;
    std::int64_t host = 0; ///< transfers of stream copies
    std::int64_t total() const { return sync + exchange + compute + host; }
};

/// What happened within [from, to) on one IPU. The three tables add up to the same `phases`, largest first.
struct TraceTotals {
    std::int64_t ipu = 0;
    std::pair<std::int64_t, std::int64_t> range;
    TraceTotal phases;
    std::int64_t idle = 0; ///< the range less all phases
    std::vector<TraceTotal> operations;
    std::vector<TraceTotal> layers;
    std::vector<TraceTotal> programs;
};

/// `slices` are those of Profile::trace_totals over `range`.
TraceTotals trace_totals(const TraceTables& tables, std::int64_t ipu,
                         std::pair<std::int64_t, std::int64_t> range,
                         const std::vector<profile::TraceSlice>& slices);

/// Where program steps of `wanted` ran on `ipu`, in order of time, at most `most`: what a search steps
/// through. Reads the traced executions one after the other.
Result<std::vector<profile::TraceSlice>> find_slices(const profile::Profile& file, std::int64_t ipu,
                                                     const std::vector<std::int64_t>& wanted,
                                                     std::size_t most);

} // namespace tilescope::ui
