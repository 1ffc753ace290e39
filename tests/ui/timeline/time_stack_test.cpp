// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/lane_items.h"
#include "ui/timeline/time_stack.h"

#include <cmath>
#include <gtest/gtest.h>
#include <numeric>

namespace tilescope::ui {
namespace {

using Column = analyse::TimeColumns::Column;

int sum(const TimeStack::Heights& heights) {
    return std::accumulate(heights.begin(), heights.end(), 0);
}

TEST(TimeStack, OnePartAloneFillsTheColumn) {
    const auto heights = TimeStack::heights({{10, 0, 0, 0, 0, 0}, {0, 0, 0, 0, 10, 0}}, 10, 40);
    EXPECT_EQ(heights[0], (TimeStack::Heights{40, 0, 0, 0, 0, 0}));
    EXPECT_EQ(heights[1], (TimeStack::Heights{0, 0, 0, 0, 40, 0}));
}

TEST(TimeStack, HeightsAreSharesOfTheTimeAndWhatIsMissingIsEmpty) {
    const auto heights = TimeStack::heights({{5, 2, 0, 1, 0, 0}}, 10, 40);
    EXPECT_EQ(heights[0], (TimeStack::Heights{20, 8, 0, 4, 0, 0}));
    EXPECT_EQ(TimeStack::heights({{}}, 10, 40)[0], TimeStack::Heights{});
}

TEST(TimeStack, CarriesWhatWholePixelsCannotShow) {
    // A share of 0.3 pixels is seen in every third or fourth column, and is 30 pixels in a hundred.
    constexpr int height = 30;
    const std::vector<Column> columns(100, {99, 0, 0, 1, 0, 0});
    int sync = 0;
    int seen = 0;
    for (const auto& column : TimeStack::heights(columns, 100, height)) {
        EXPECT_EQ(sum(column), height);
        EXPECT_LE(column[3], 1);
        sync += column[3];
        seen += column[3] > 0 ? 1 : 0;
    }
    EXPECT_NEAR(sync, 30, 1);
    EXPECT_NEAR(seen, 30, 1);
}

TEST(TimeStack, GivesNoColumnWhatIsOwedByAnother) {
    // After a column that owes half a pixel of sync come columns without any.
    std::vector<Column> columns(5, {10, 0, 0, 0, 0, 0});
    columns[0] = {9.5, 0, 0, 0.5, 0, 0};
    const auto heights = TimeStack::heights(columns, 10, 10);
    for (std::size_t c = 1; c < heights.size(); ++c)
        EXPECT_EQ(heights[c][0], 10);
}

TEST(TimeStack, PaintsTheColumnsFromBelow) {
    TimeStack::Colors colors;
    colors.part = {Qt::red, Qt::blue, Qt::magenta, Qt::yellow, Qt::gray, Qt::white};
    const QImage image = TimeStack::image({{1, 2, 0, 0, 0, 0}, {0, 0, 0, 0, 4, 0}}, 4, colors, Qt::white, {});
    EXPECT_EQ(image.pixelColor(0, 3), QColor(Qt::red));
    EXPECT_EQ(image.pixelColor(0, 2), QColor(Qt::blue));
    EXPECT_EQ(image.pixelColor(0, 1), QColor(Qt::blue));
    EXPECT_EQ(image.pixelColor(0, 0).alpha(), 0) << "nothing";
    EXPECT_EQ(image.pixelColor(1, 0), QColor(Qt::gray));
}

/// A lane of slices of `length` cycles, one after the other.
TimelineLane lane_of(const std::vector<std::pair<std::int64_t, QString>>& slices) {
    TimelineLane lane;
    std::int64_t at = 0;
    for (const auto& [length, label] : slices) {
        TimelineSlice slice;
        slice.start = at;
        slice.end = at += length;
        slice.label = label;
        slice.operation = lane.slices.empty() ? 7 : 8;
        slice.longest_cycles = length;
        slice.longest = static_cast<std::int64_t>(lane.slices.size());
        lane.slices.push_back(slice);
    }
    return lane;
}

TimelineViewport view_of(std::int64_t cycles, double pixels) {
    TimelineViewport view;
    view.setWidth(pixels);
    view.setLimits(0, cycles);
    view.showAll();
    return view;
}

TEST(LaneItems, SlicesOfThreePixelsHaveNamesAndRunsOfSmallerOnesHaveNone) {
    // 10 cycles a pixel: 5 pixels, 2, 1, and 4 that have no name.
    const TimelineLane lane =
        lane_of({{50, QStringLiteral("a")}, {20, QStringLiteral("b")}, {10, QStringLiteral("c")}, {40, {}}});
    const auto items = lane_items(lane, view_of(1200, 120));
    ASSERT_EQ(items.size(), 2U);
    EXPECT_FALSE(items[0].merged);
    EXPECT_TRUE(items[1].merged);
    EXPECT_EQ(items[1].first, 1U);
    EXPECT_EQ(items[1].end, 4U);
    const TimelineSlice sum = merged_slice(lane, items[1]);
    EXPECT_TRUE(sum.label.isEmpty());
    EXPECT_EQ(sum.merged, 3);
    EXPECT_EQ(sum.start, 50);
    EXPECT_EQ(sum.end, 120);
    EXPECT_EQ(sum.longest, 3);
    EXPECT_EQ(sum.longest_cycles, 40);
    EXPECT_EQ(lane_items(lane, view_of(1200, 1200)).size(), 4U) << "nearer, three have names";
}

TEST(LaneItems, ARunEndsWhereThereIsNothing) {
    TimelineLane lane =
        lane_of({{10, QStringLiteral("a")}, {100, QStringLiteral("b")}, {10, QStringLiteral("c")}});
    lane.slices.erase(lane.slices.begin() + 1);
    EXPECT_EQ(lane_items(lane, view_of(1200, 120)).size(), 2U);
}

TEST(LaneItems, WhatLiesBetweenIsNotDrawn) {
    TimelineLane lane = lane_of({{50, QStringLiteral("a")}, {50, QStringLiteral("waiting")}});
    lane.slices[1].merged = 0;
    EXPECT_EQ(lane_items(lane, view_of(1200, 1200)).size(), 1U);
}

} // namespace
} // namespace tilescope::ui
