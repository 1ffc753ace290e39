// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/timeline_widget.h"

#include <QApplication>
#include <QScrollBar>
#include <QTest>
#include <QWheelEvent>
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
    EXPECT_FALSE(widget.showsGroup(1));
    EXPECT_TRUE(widget.showsGroup(0));
    widget.revealGroup(1);
    EXPECT_TRUE(widget.showsGroup(1));
    EXPECT_FALSE(widget.showsGroup(7)) << "there is none";
}

TEST(RevealedGroup, TheWheelOverTheNamesScrollsAndZoomsNothing) {
    TimelineWidget widget;
    widget.resize(600, 300);
    widget.setVisible(true);
    widget.setAnimated(false);
    widget.setGroups(groups(30));
    widget.setLimits(0, 1000);
    widget.setZoom({});
    const QRect name = widget.laneRect(0, 3);
    const auto turn = [&](int x) {
        const QPointF at(x, name.center().y());
        QWheelEvent wheel(at, widget.viewport()->mapToGlobal(at), {}, {0, -120}, {}, {}, Qt::NoScrollPhase,
                          false);
        QApplication::sendEvent(widget.viewport(), &wheel);
    };
    widget.show(200, 400);
    const double before = widget.view().span();
    turn(name.left() - 20);
    EXPECT_GT(widget.verticalScrollBar()->value(), 0);
    EXPECT_EQ(widget.view().span(), before);
    turn(name.left() + 20);
    EXPECT_GT(widget.view().span(), before) << "over a lane it zooms";
}

} // namespace tilescope::ui
