// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/timeline/timeline_lane.h"
#include "ui/timeline/timeline_viewport.h"

#include <cstddef>
#include <optional>
#include <vector>

namespace tilescope::ui {

/// What is drawn as one box: a slice at its true edges, or a run of slices too small for that.
struct LaneItem {
    std::size_t first = 0;
    std::size_t end = 0; ///< of the lane's slices: [first, end)
    bool merged = false; ///< it has no name
};

/// The boxes of a lane within the view, in order. A slice that has a label (each one of a lane of
/// activities) and is three pixels or more wide is one of its own; neighbours among the others are one.
std::vector<LaneItem> lane_items(const TimelineLane& lane, const TimelineViewport& view);

/// The slices of a box added up.
TimelineSlice merged_slice(const TimelineLane& lane, const LaneItem& item);
/// A slice of a group from cycle to cycle, also where that has a scale.
TimelineSlice in_cycles(TimelineSlice slice, const TimelineGroup& group);

/// Lengthens `sum` by `next`, which follows it.
void join(TimelineSlice& sum, const TimelineSlice& next);

inline std::int64_t begin_of(const TimelineSlice& slice) {
    return slice.start;
}
inline std::int64_t begin_of(const profile::PipelineSlotRecord& slot) {
    return slot.start_cycle;
}
/// The slot, or its slice, with which the next turn of a pipeline begins, before `end`, and at least `least`
/// and at most `most` cycles after `from`: that of a forward pass, or where none is so near, of a backward
/// one.
template<class Slots>
std::optional<std::size_t> next_turn(const Slots& slots, std::size_t from, std::size_t end, double least,
                                     double most) {
    std::optional<std::size_t> backward;
    for (std::size_t i = from + 1; i < end; ++i) {
        const auto after = static_cast<double>(begin_of(slots[i]) - begin_of(slots[from]));
        if (after > most)
            break;
        if (after >= least && slots[i].activity == analyse::PipelineActivity::Forward)
            return i;
        if (after >= least && !backward && slots[i].activity == analyse::PipelineActivity::Backward)
            backward = i;
    }
    return backward;
}

} // namespace tilescope::ui
