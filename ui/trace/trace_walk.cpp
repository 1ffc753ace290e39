// SPDX-License-Identifier: GPL-3.0-or-later
// From slice to slice and from lane to lane by keys: the part of TraceView that goes there.
#include "ui/trace/trace_view.h"

#include <algorithm>

namespace tilescope::ui {
namespace {

bool canBeChosen(const TimelineSlice& slice) {
    return !slice.label.isEmpty() && slice.merged > 0;
}

/// The one that is nearest to a cycle of its group; null: the lane has none that can be chosen.
const TimelineSlice* nearest(const TimelineLane& lane, double cycle) {
    const TimelineSlice* found = nullptr;
    const auto distance = [cycle](const TimelineSlice& slice) {
        return std::max(
            {static_cast<double>(slice.start) - cycle, cycle - static_cast<double>(slice.end), 0.0});
    };
    for (const TimelineSlice& slice : lane.slices)
        if (canBeChosen(slice) && (found == nullptr || distance(slice) < distance(*found)))
            found = &slice;
    return found;
}

} // namespace

/// The next slice with a name on the lane of the one that was chosen last, or the first in view.
void TraceView::chooseNeighbour(int direction, bool alike) {
    for (const TimelineGroup& group : timeline_->groups()) {
        if (group.ipu != chosen_.ipu || group.base != chosen_.base)
            continue;
        const auto lane = std::find_if(group.lanes.begin(), group.lanes.end(),
                                       [&](const TimelineLane& l) { return l.kind == chosen_.lane; });
        if (lane == group.lanes.end())
            continue;
        const TimelineSlice* found = nullptr;
        for (const TimelineSlice& slice : lane->slices) {
            if (!canBeChosen(slice) || (alike && slice.label != chosen_.name))
                continue;
            if (direction > 0 ? slice.start > chosen_.start : slice.start < chosen_.start)
                found = &slice;
            if (direction > 0 && found != nullptr)
                break;
        }
        if (found == nullptr && alike && !chosen_.name.isEmpty())
            Q_EMIT message(
                tr("There is no other %1 near what is shown; search for it with /.").arg(chosen_.name));
        if (found == nullptr)
            return;
        const TimelineSlice slice = *found; // moving the view may bring other slices
        constexpr double least_pixels = 60;
        const auto length = static_cast<double>(slice.end - slice.start);
        const auto start = static_cast<double>(slice.start + group.shift);
        if (length < 3 * timeline_->view().cyclesPerPixel()) {
            const double span = length * timeline_->view().width() / least_pixels;
            timeline_->show(start + (length - span) / 2, start + (length + span) / 2);
        } else {
            timeline_->reveal(start, start + length);
        }
        choose(slice, chosen_.lane, chosen_.ipu, chosen_.base);
        return;
    }
}

/// The slice at the same time on the next lane that has any.
void TraceView::chooseLane(int by) {
    struct Lane {
        std::size_t group = 0;
        std::size_t lane = 0;
    };
    const auto& groups = timeline_->groups();
    const double middle = chosen_.start < 0 ? (timeline_->view().from() + timeline_->view().to()) / 2
                                            : static_cast<double>(chosen_.start + chosen_.end) / 2 +
                                                  static_cast<double>(shift(chosen_.base));
    const auto slice_of = [&](const Lane& at) {
        const TimelineGroup& group = groups[at.group];
        return nearest(group.lanes[at.lane], middle - static_cast<double>(group.shift));
    };
    std::vector<Lane> lanes;
    std::ptrdiff_t here = by > 0 ? -1 : 0;
    for (std::size_t g = 0; g < groups.size(); ++g)
        for (std::size_t l = 0; l < groups[g].lanes.size(); ++l) {
            const Lane at{g, l};
            if (groups[g].lanes[l].key >= 0 || timeline_->laneRect(g, l).height() == 0 || !slice_of(at))
                continue;
            if (groups[g].ipu == chosen_.ipu && groups[g].base == chosen_.base &&
                groups[g].lanes[l].kind == chosen_.lane && chosen_.start >= 0)
                here = std::ssize(lanes);
            lanes.push_back(at);
        }
    const std::ptrdiff_t next = here + by;
    if (next < 0 || next >= std::ssize(lanes))
        return;
    const Lane there = lanes[static_cast<std::size_t>(next)];
    const TimelineGroup& group = groups[there.group];
    const TimelineSlice slice = *slice_of(there); // moving the view may bring other slices
    const LaneKind kind = group.lanes[there.lane].kind;
    const std::int64_t ipu = group.ipu;
    const bool base = group.base;
    timeline_->reveal(static_cast<double>(slice.start + group.shift),
                      static_cast<double>(slice.end + group.shift));
    if (ipu != chosen_.ipu)
        timeline_->revealGroup(ipu);
    choose(slice, kind, ipu, base);
}

/// From the chosen slice on, to the end of the next one of its lane, or the begin of the one before.
void TraceView::growRange(int direction) {
    if (chosen_.start < 0)
        return Q_EMIT message(tr("Click a slice of the lane first, or go to one with . and ,"));
    const std::int64_t later = shift(chosen_.base);
    auto range = timeline_->range();
    if (!range)
        range = std::pair(chosen_.start + later, chosen_.end + later);
    else
        for (const TimelineGroup& group : timeline_->groups())
            for (const TimelineLane& lane : group.lanes) {
                if (group.ipu != chosen_.ipu || group.base != chosen_.base || lane.kind != chosen_.lane)
                    continue;
                const TimelineSlice* next = nullptr;
                for (const TimelineSlice& slice : lane.slices)
                    if (canBeChosen(slice) &&
                        (direction > 0 ? next == nullptr && slice.end + later > range->second
                                       : slice.start + later < range->first))
                        next = &slice;
                if (next != nullptr)
                    (direction > 0 ? range->second : range->first) =
                        (direction > 0 ? next->end : next->start) + later;
            }
    timeline_->setRange(range);
    timeline_->reveal(static_cast<double>(direction > 0 ? range->second : range->first),
                      static_cast<double>(direction > 0 ? range->second : range->first));
    selectRange(chosen_.ipu, chosen_.base, range->first, range->second);
}

} // namespace tilescope::ui
