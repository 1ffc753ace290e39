// SPDX-License-Identifier: GPL-3.0-or-later
// What stays below the axis while other lanes scroll.
#include "ui/timeline/timeline_widget.h"

#include <QScrollBar>
#include <QTest>
#include <gtest/gtest.h>

namespace tilescope::ui {
namespace {

constexpr std::int64_t end = 1000;

/// IPUs of six lanes, each a slice with the IPU's name from end to end; of the first, so many stay.
struct Lanes {
    explicit Lanes(std::size_t fixed_lanes) {
        std::vector<TimelineGroup> all;
        for (std::int64_t ipu = 0; ipu < 4; ++ipu) {
            TimelineLane lane;
            lane.kind = LaneKind::Layer;
            lane.slices.resize(1);
            lane.slices[0].end = end;
            lane.slices[0].label = QStringLiteral("of IPU %1").arg(ipu);
            TimelineGroup group;
            group.ipu = ipu;
            group.name = QStringLiteral("IPU %1").arg(ipu);
            group.fixed = ipu == 0;
            group.lanes = SharedLanes(std::vector<TimelineLane>(ipu == 0 ? fixed_lanes : 6, lane));
            all.push_back(std::move(group));
        }
        widget.resize(600, 320);
        widget.setLimits(0, end);
        widget.setVisible(true);
        widget.setGroups(std::move(all));
    }
    QScrollBar& bar() { return *widget.verticalScrollBar(); }
    QString under(int y) { return widget.description({widget.gutter() + 200, y}); }
    TimelineWidget widget;
};

} // namespace

TEST(FixedGroups, StayBelowTheAxisWhileTheOthersScroll) {
    Lanes lanes(1);
    ASSERT_GT(lanes.bar().maximum(), 0);
    const QRect fixed = lanes.widget.laneRect(0, 0);
    const QRect second = lanes.widget.laneRect(1, 0);
    EXPECT_EQ(lanes.under(fixed.center().y()), QStringLiteral("of IPU 0"));
    lanes.bar().setValue(lanes.bar().maximum());
    EXPECT_EQ(lanes.widget.laneRect(0, 0), fixed);
    EXPECT_EQ(lanes.widget.laneRect(1, 0).top(), second.top() - lanes.bar().maximum());
    EXPECT_EQ(lanes.under(fixed.center().y()), QStringLiteral("of IPU 0"));
    EXPECT_LE(lanes.widget.laneRect(3, 5).bottom(), lanes.widget.viewport()->height());
    EXPECT_EQ(lanes.widget.seenIpus(false).count(0), 1U);
    EXPECT_EQ(lanes.widget.seenIpus(false).count(1), 0U) << "it is scrolled below what stays";

    // A group that is revealed lies below it.
    lanes.widget.revealGroup(1);
    EXPECT_GT(lanes.widget.laneRect(1, 0).top(), fixed.bottom());
    EXPECT_EQ(lanes.under(lanes.widget.laneRect(1, 0).center().y()), QStringLiteral("of IPU 1"));
}

TEST(FixedGroups, ScrollWhereTheyWouldLeaveNoRoom) {
    Lanes lanes(12);
    const QRect before = lanes.widget.laneRect(0, 0);
    lanes.bar().setValue(40);
    EXPECT_EQ(lanes.widget.laneRect(0, 0), before.translated(0, -40));
}

TEST(FixedGroups, TheFirstStayWhereAllWouldLeaveNoRoom) {
    Lanes lanes(1);
    std::vector<TimelineGroup> all = lanes.widget.groups();
    all[1].fixed = true;
    lanes.widget.setGroups(all);
    const QRect first = lanes.widget.laneRect(0, 0);
    const QRect second = lanes.widget.laneRect(1, 0);
    lanes.bar().setValue(20);
    EXPECT_EQ(lanes.widget.laneRect(0, 0), first);
    EXPECT_EQ(lanes.widget.laneRect(1, 0), second.translated(0, -20));
}

TEST(FixedGroups, TheHeadOfTheTopmostGroupStays) {
    Lanes lanes(1);
    const int lanes_top = lanes.widget.laneRect(1, 0).top() - lanes.widget.laneRect(1, 0).height();
    const QRect area(0, lanes_top, lanes.widget.gutter(), lanes.widget.laneRect(1, 0).height());
    const auto picture = [&] { return lanes.widget.viewport()->grab(area).toImage(); };
    const QImage head = picture();
    lanes.bar().setValue(lanes.widget.laneRect(1, 2).top() - lanes_top);
    EXPECT_EQ(picture(), head) << "though its lanes have moved";
    EXPECT_EQ(lanes.under(area.center().y()), QString()) << "no slice below it is meant";
    lanes.bar().setValue(lanes.bar().value() + lanes.widget.laneRect(2, 2).top() - lanes_top);
    EXPECT_NE(picture(), head) << "it is IPU 2's";
}

} // namespace tilescope::ui
