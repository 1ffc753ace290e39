// SPDX-License-Identifier: GPL-3.0-or-later
#include "painted_lane.h"

#include <gtest/gtest.h>

namespace tilescope::ui {
namespace {

constexpr int lane_height = 60;

using Activity = analyse::PipelineActivity;

/// A lane with a hundred periods of 1,000 cycles, painted with as many pixels for each.
QImage painted(const TimelineLane& lane, int pixels) {
    return painted_lane(lane, 100'000, {100 * pixels, lane_height});
}

/// A hundred forward passes, one in each period.
QImage passes(int pixels) {
    TimelineLane lane;
    lane.kind = LaneKind::Activity;
    for (int i = 0; i < 100; ++i)
        add_pass(lane, i, Activity::Forward, i * 1000, (i + 1) * 1000);
    return painted(lane, pixels);
}

/// A hundred forward passes, each with a short backward pass after it.
QImage pairs(int pixels) {
    TimelineLane lane;
    lane.kind = LaneKind::Activity;
    for (int i = 0; i < 100; ++i) {
        add_pass(lane, i, Activity::Forward, i * 1000, i * 1000 + 900);
        add_pass(lane, i, Activity::Backward, i * 1000 + 900, (i + 1) * 1000);
    }
    return painted(lane, pixels);
}

/// How many numbers stand above the boxes: runs of columns with ink, parted by gaps wider than a digit's.
int numbers(const QImage& image) {
    int count = 0;
    int last = -100;
    constexpr int gap = 4;
    for (int x = 0; x < image.width(); ++x)
        for (int y = 0; y < 8; ++y)
            if (image.pixelColor(x, y).alpha() > 40) {
                count += x - last > gap ? 1 : 0;
                last = x;
                break;
            }
    return count;
}

TEST(PassNumbers, StandAboveWhatIsTooNarrowForThemAsManyAsHaveRoom) {
    EXPECT_EQ(numbers(passes(40)), 0) << "all are in their boxes";
    const int some = numbers(passes(8));
    EXPECT_GE(some, 15);
    EXPECT_LE(some, 34) << "every fifth, or so";
    EXPECT_LT(numbers(passes(4)), some);
    EXPECT_GT(numbers(passes(4)), 3);
}

TEST(PassNumbers, OfBackwardPassesStandThereWhereForwardOnesHaveTheirsInside) {
    EXPECT_EQ(numbers(pairs(60)), 99) << "of all backward passes but the last, which has no room";
    const int forward_only = numbers(passes(8));
    EXPECT_NEAR(numbers(pairs(8)), forward_only, 2) << "of forward passes: both would be mixed";
}

} // namespace
} // namespace tilescope::ui
