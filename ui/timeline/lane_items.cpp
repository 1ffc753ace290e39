// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/lane_items.h"

#include <algorithm>

namespace tilescope::ui {
namespace {

constexpr double own_from = 3; // pixels: narrower ones have no edges that could be seen

bool between(const TimelineSlice& slice) { // two of the lane's things: nothing to draw
    return slice.merged == 0;
}

} // namespace

std::vector<LaneItem> lane_items(const TimelineLane& lane, const TimelineViewport& view) {
    std::vector<LaneItem> items;
    const double per_pixel = view.cyclesPerPixel();
    const auto& slices = lane.slices;
    const auto first =
        std::lower_bound(slices.begin(), slices.end(), view.from(),
                         [](const TimelineSlice& s, double at) { return static_cast<double>(s.end) <= at; });
    double run_end = 0;
    for (auto at = static_cast<std::size_t>(first - slices.begin());
         at < slices.size() && static_cast<double>(slices[at].start) < view.to(); ++at) {
        const TimelineSlice& slice = slices[at];
        if (between(slice))
            continue;
        const auto start = static_cast<double>(slice.start);
        const auto end = static_cast<double>(slice.end);
        const bool one = !slice.label.isEmpty() || lane.kind == LaneKind::Activity;
        const bool own = one && end - start >= own_from * per_pixel;
        if (!own && !items.empty() && items.back().merged && start - run_end < own_from * per_pixel)
            items.back().end = at + 1;
        else
            items.push_back({at, at + 1, !own});
        run_end = end;
    }
    return items;
}

void join(TimelineSlice& sum, const TimelineSlice& next) {
    sum.end = next.end;
    sum.add(next);
    if (sum.execution != next.execution)
        sum.execution = sum.step = -1;
    if (next.merged == 0)
        return;
    if (sum.step != next.step)
        sum.step = -1;
    if (sum.layer != next.layer)
        sum.layer = profile::several;
    if (sum.operation != next.operation)
        sum.operation = profile::several;
    if (sum.program != next.program)
        sum.program = -1;
}

TimelineSlice merged_slice(const TimelineLane& lane, const LaneItem& item) {
    TimelineSlice sum = lane.slices[item.first];
    for (std::size_t i = item.first + 1; i < item.end; ++i)
        join(sum, lane.slices[i]);
    if (item.end - item.first > 1)
        sum.label.clear();
    return sum;
}

TimelineSlice in_cycles(TimelineSlice slice, const TimelineGroup& group) {
    slice.start = group.cycle(slice.start);
    slice.end = group.cycle(slice.end);
    return slice;
}

} // namespace tilescope::ui
