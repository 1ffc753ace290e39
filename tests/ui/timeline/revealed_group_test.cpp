// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/timeline_widget.h"

#include <QScrollBar>
#include <QTest>
#include <gtest/gtest.h>

namespace tilescope::ui {
namespace {

/// Three IPUs with so many lanes each.
std::vector<TimelineGroup> groups(std::size_t lanes) {
    std::vector<TimelineGroup> all(3);
    for (std::size_t g = 0; g < all.size(); ++g) {
        all[g].ipu = static_cast<std::int64_t>(g);
        TimelineLane lane;
        lane.kind = LaneKind::Layer;
        all[g].lanes = SharedLanes(std::vector<TimelineLane>(lanes, lane));
    }
    return all;
}

} // namespace

// Lanes come as they are read: what is above a group that is revealed grows.
TEST(RevealedGroup, StaysInSightUntilTheUserScrolls) {
    TimelineWidget widget;
    widget.resize(600, 300);
    widget.setVisible(true);
    widget.setGroups({});
    widget.revealGroup(1); // nothing is known yet
    widget.setGroups(groups(1));
    widget.setGroups(groups(20));
    const auto seen = [&] {
        const QRect first = widget.laneRect(1, 0);
        return first.top() >= 0 && first.bottom() <= widget.viewport()->height();
    };
    EXPECT_TRUE(seen());
    widget.verticalScrollBar()->setValue(0);
    widget.setGroups(groups(30));
    EXPECT_EQ(widget.verticalScrollBar()->value(), 0);
    EXPECT_FALSE(seen());
}

} // namespace tilescope::ui
