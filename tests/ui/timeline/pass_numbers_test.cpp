// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/timeline_painter.h"

#include <QWidget>
#include <gtest/gtest.h>

namespace tilescope::ui {
namespace {

constexpr int lane_height = 60;

using Activity = analyse::PipelineActivity;

void add_pass(TimelineLane& lane, int micro_batch, Activity activity, int start, int end) {
    TimelineSlice slice;
    slice.start = start;
    slice.end = end;
    slice.activity = activity;
    slice.micro_batch = micro_batch;
    slice.label = QString::number(micro_batch);
    lane.slices.push_back(slice);
}

/// A lane with a hundred periods of 1,000 cycles, painted with as many pixels for each.
QImage painted(const TimelineLane& lane, int pixels) {
    TimelineViewport view;
    view.setWidth(100 * pixels);
    view.setLimits(0, 100'000);
    view.show(0, 100'000);
    QImage image(100 * pixels, lane_height, QImage::Format_ARGB32_Premultiplied);
    image.fill(Qt::transparent);
    QPainter painter(&image);
    QWidget widget;
    const ChartStyle style(&widget);
    TilePictures pictures;
    TimelinePainter(painter, style, view, pictures).lane(lane, image.rect(), {});
    return image;
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
    EXPECT_EQ(numbers(pairs(60)), 100) << "of all backward passes";
    const int forward_only = numbers(passes(8));
    EXPECT_NEAR(numbers(pairs(8)), forward_only, 2) << "of forward passes: both would be mixed";
}

} // namespace
} // namespace tilescope::ui
