// SPDX-License-Identifier: GPL-3.0-or-later
// Lanes that were painted are kept while only what lies over them changes.
#include "ui/theme/chart_style.h"
#include "ui/timeline/timeline_widget.h"

#include <QScrollBar>
#include <functional>
#include <gtest/gtest.h>

namespace tilescope::ui {
namespace {

/// Two IPUs with more lanes than there is room for.
struct ShownLanes {
    ShownLanes() {
        std::vector<TimelineGroup> all;
        for (std::int64_t ipu = 0; ipu < 2; ++ipu) {
            std::vector<TimelineLane> lanes(8);
            for (TimelineLane& lane : lanes) {
                lane.kind = &lane == lanes.data() ? LaneKind::Phases : LaneKind::Layer;
                lane.key = &lane - lanes.data() + 10 * ipu;
                lane.name = QStringLiteral("lane %1").arg(lane.key);
                lane.slices.resize(1);
                lane.slices[0].end = 600;
                lane.slices[0].layer = 3;
                lane.slices[0].label = QStringLiteral("dense");
                lane.slices[0].cycles.compute = 400;
                lane.slices[0].cycles.exchange = 200;
            }
            TimelineGroup group;
            group.ipu = ipu;
            group.name = QStringLiteral("IPU %1").arg(ipu);
            group.lanes = SharedLanes(std::move(lanes));
            all.push_back(std::move(group));
        }
        widget.setAnimated(false);
        widget.resize(600, 320);
        widget.setVisible(true);
        widget.setLimits(0, 1000);
        widget.setGroups(std::move(all));
    }
    QImage picture() { return widget.grab().toImage(); }
    TimelineWidget widget;
};

using Change = std::function<void(TimelineWidget&)>;

} // namespace

TEST(KeptLanes, WhateverChangesIsSeen) {
    OverviewPiece piece;
    piece.end = 1000;
    piece.cycles.compute = 1000;
    const std::vector<std::pair<std::string, Change>> changes{
        {"range", [](TimelineWidget& w) { w.setRange(std::pair<std::int64_t, std::int64_t>(100, 300)); }},
        {"hits",
         [](TimelineWidget& w) {
             w.setHits({100, 200}, 1);
         }},
        {"marks",
         [](TimelineWidget& w) {
             w.setMarks({{150, 150, QStringLiteral("here")}});
         }},
        {"flows",
         [](TimelineWidget& w) {
             w.setFlows({{0, 100, 1, 400, true, LaneKind::Layer}});
         }},
        {"clock", [](TimelineWidget& w) { w.setClock(1e9); }},
        {"limits", [](TimelineWidget& w) { w.setLimits(0, 500); }},
        {"groups", [](TimelineWidget& w) { w.setGroups({w.groups()[1]}); }},
        {"overview", [&](TimelineWidget& w) { w.setOverview({piece}); }},
        {"sections", [](TimelineWidget& w) { w.setSections(QStringLiteral("Parts"), {TimelineSection()}); }},
        {"remarks",
         [](TimelineWidget& w) {
             w.setHeadRemarks({{{0, false}, QStringLiteral("40 %")}});
         }},
        {"lane", [](TimelineWidget& w) { w.setCurrentLane(1); }},
        {"highlight", [](TimelineWidget& w) { w.setHighlight({.layer = 3}); }},
        {"colour", [](TimelineWidget& w) { w.setColour(SliceColour::Time); }},
        {"heights",
         [](TimelineWidget& w) {
             w.setHeights({{LaneKind::Layer, 3}}, {});
         }},
        {"view", [](TimelineWidget& w) { w.show(400, 900); }},
        {"scrolling", [](TimelineWidget& w) { w.verticalScrollBar()->setValue(60); }},
        {"folding", [](TimelineWidget& w) { w.fold(0); }},
        {"unfolding of all", [](TimelineWidget& w) { w.foldAll(); }},
        {"revealing", [](TimelineWidget& w) { w.revealGroup(1); }},
        {"kinds", [](TimelineWidget& w) { hideKinds(&w, {QStringLiteral("compute")}); }},
        {"size", [](TimelineWidget& w) { w.resize(640, 300); }},
        {"font",
         [](TimelineWidget& w) {
             QFont larger = w.font();
             larger.setPointSizeF(larger.pointSizeF() * 1.5);
             w.setFont(larger);
         }},
        {"nothing to show",
         [](TimelineWidget& w) {
             w.setGroups({});
             w.setEmptyText(QStringLiteral("There is nothing."));
         }},
    };
    for (const auto& [name, change] : changes) {
        ShownLanes kept;
        const QImage before = kept.picture();
        EXPECT_EQ(kept.picture(), before) << name;
        change(kept.widget);
        const QImage after = kept.picture();
        ShownLanes fresh;
        change(fresh.widget);
        EXPECT_EQ(after, fresh.picture()) << name;
        EXPECT_NE(after, before) << name;
    }
}

TEST(KeptLanes, WhatLayOverThemIsGoneWithIt) {
    ShownLanes lanes;
    const QImage before = lanes.picture();
    lanes.widget.setRange(std::pair<std::int64_t, std::int64_t>(100, 300));
    lanes.widget.setHits({100, 200}, 1);
    EXPECT_NE(lanes.picture(), before);
    lanes.widget.setRange({});
    lanes.widget.setHits({}, -1);
    EXPECT_EQ(lanes.picture(), before);
}

} // namespace tilescope::ui
