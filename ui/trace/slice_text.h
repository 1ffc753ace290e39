// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/timeline/timeline_lane.h"
#include "ui/trace/trace_tables.h"

#include <QString>
#include <cstdint>
#include <optional>

namespace tilescope::ui {

/// Rich text about a slice of the trace for a tip and the details: its name, or what was merged into it,
/// where it is, and what its time is spent on. `operations`: how many different ones a merged slice holds,
/// where that is known.
QString slice_text(const TraceTables& tables, const TimelineSlice& slice, const TimelineLane& lane,
                   std::int64_t ipu, std::optional<std::int64_t> operations = {});

} // namespace tilescope::ui
