// SPDX-License-Identifier: GPL-3.0-or-later
// A lane that is pinned at the top while the others of its IPU scroll.
#include "ui/timeline/timeline_widget.h"

#include <QApplication>
#include <QMouseEvent>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>
#include <gtest/gtest.h>

namespace tilescope::ui {
namespace {

constexpr std::int64_t last_cycle = 1000;

/// Four IPUs of three lanes; before them a lane of the first one, which stays.
struct Pinned {
    Pinned() {
        TimelineLane lane;
        lane.kind = LaneKind::Layer;
        lane.slices.resize(1);
        lane.slices[0].end = last_cycle;
        std::vector<TimelineGroup> all;
        for (const std::int64_t ipu : {0, 0, 1, 2, 3}) {
            TimelineGroup& group = all.emplace_back();
            group.ipu = ipu;
            group.name = QStringLiteral("IPU %1").arg(ipu);
            group.part = group.fixed = all.size() == 1;
            group.lanes = SharedLanes(std::vector<TimelineLane>(group.part ? 1 : 3, lane));
        }
        widget.setArrangeable(true);
        widget.setAnimated(false);
        widget.resize(600, 900);
        widget.setLimits(0, last_cycle);
        widget.setVisible(true);
        widget.setGroups(std::move(all));
    }
    /// In the row above the first lane of a group.
    QPoint head(std::size_t group) const { return {20, widget.laneRect(group, 0).top() - 5}; }
    QImage picture(const QRect& of) { return widget.viewport()->grab(of).toImage(); }

    TimelineWidget widget;
};

TEST(PinnedLane, IsNoPlaceOfItsIpuWhenAnotherIsDraggedBeforeThat) {
    Pinned pinned;
    std::vector<std::pair<qint64, std::optional<qint64>>> dragged;
    QObject::connect(&pinned.widget, &TimelineWidget::ipuDragged,
                     [&](qint64 ipu, std::optional<qint64> before) { dragged.emplace_back(ipu, before); });
    const auto drag = [&](std::size_t group, int to) {
        QWidget* viewport = pinned.widget.viewport();
        const QPoint at = pinned.head(group);
        QTest::mousePress(viewport, Qt::LeftButton, {}, at);
        for (const int y : {(at.y() + to) / 2, to}) {
            const QPointF now(at.x(), y);
            QMouseEvent move(QEvent::MouseMove, now, viewport->mapToGlobal(now), Qt::NoButton, Qt::LeftButton,
                             {});
            QApplication::sendEvent(viewport, &move);
        }
        QTest::mouseRelease(viewport, Qt::LeftButton, {}, {at.x(), to});
    };
    const int above = pinned.head(1).y();
    drag(2, above);
    drag(4, above);
    ASSERT_EQ(dragged.size(), 2U);
    EXPECT_EQ(dragged[0], (std::pair<qint64, std::optional<qint64>>(1, 0)));
    EXPECT_EQ(dragged[1], (std::pair<qint64, std::optional<qint64>>(3, 0)));
}

TEST(PinnedLane, AClickOnItsHeadFoldsNothing) {
    Pinned pinned;
    QSignalSpy background(&pinned.widget, &TimelineWidget::backgroundClicked);
    const QRect before = pinned.widget.laneRect(2, 0);
    const auto click = [&](QPoint at) {
        QTest::mouseClick(pinned.widget.viewport(), Qt::LeftButton, {}, at);
        return pinned.widget.laneRect(2, 0);
    };
    EXPECT_EQ(click(pinned.head(0)), before);
    EXPECT_EQ(click(pinned.head(0) + QPoint(pinned.widget.gutter() + 40, 0)), before);
    EXPECT_EQ(background.size(), 0) << "nor lets go of what is chosen";
    EXPECT_NE(click(pinned.head(1)), before) << "that of the IPU does";
}

TEST(PinnedLane, ArrowsOfLanesThatAreScrolledBelowItEndThere) {
    Pinned pinned;
    pinned.widget.resize(600, 320);
    QScrollBar& bar = *pinned.widget.verticalScrollBar();
    const QRect lane = pinned.widget.laneRect(0, 0);
    bar.setValue(pinned.widget.laneRect(2, 0).top() -
                 lane.top()); // that of IPU 1 lies where the pinned one is
    ASSERT_EQ(pinned.widget.laneRect(2, 0).top(), lane.top());
    ASSERT_EQ(pinned.widget.laneRect(0, 0), lane);
    const QRect stays(pinned.widget.gutter(), lane.top(), lane.right() - pinned.widget.gutter(),
                      lane.height());
    const QRect scrolls(stays.left(), stays.bottom() + 1, stays.width(),
                        pinned.widget.viewport()->height() - stays.bottom() - 1);
    const QImage no_arrow = pinned.picture(stays);
    const QImage none_below = pinned.picture(scrolls);
    TimelineFlow flow{1, 100, 2, 900, true, LaneKind::Layer};
    pinned.widget.setFlows({flow});
    EXPECT_EQ(pinned.picture(stays), no_arrow);
    EXPECT_NE(pinned.picture(scrolls), none_below) << "it leads to IPU 2";
    // To the pinned lane it comes from its edge, not from a lane that is not there.
    flow.to_ipu = 0;
    pinned.widget.setFlows({flow});
    const QRect begins(stays.left(), stays.top(), 110, stays.height() - 4);
    EXPECT_EQ(pinned.picture(begins), no_arrow.copy(QRect({}, begins.size())));
    EXPECT_NE(pinned.picture(stays), no_arrow);
}

} // namespace
} // namespace tilescope::ui
