// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/timeline/timeline_lane.h"
#include "ui/trace/trace_tables.h"

#include <QString>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace tilescope::ui {

/// All that is known of a slice of the trace: its name, or what was merged into it, where it is, and what its
/// time is spent on.
struct SliceText {
    QString title;
    QString sentence; ///< of what was merged
    std::vector<std::pair<QString, QString>> rows;
    std::map<QString, QString> links = {};   ///< of rows that name another thing: rich text that selects it
    QString html(bool linked = false) const; ///< for a tip; with links for the details
};
/// `operations`: how many different ones a merged slice holds, where that is known.
SliceText slice_text(const TraceTables& tables, const TimelineSlice& slice, const TimelineLane& lane,
                     std::int64_t ipu, std::optional<std::int64_t> operations = {});

} // namespace tilescope::ui
