// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/timeline_painter.h"

#include <QWidget>
#include <gtest/gtest.h>

namespace tilescope::ui {
namespace {

constexpr int lane_height = 60;

/// A hundred passes of as many pixels each, painted.
QImage passes(int pixels) {
    TimelineLane lane;
    lane.kind = LaneKind::Activity;
    for (int i = 0; i < 100; ++i) {
        TimelineSlice slice;
        slice.start = i * 1000;
        slice.end = slice.start + 1000;
        slice.activity = analyse::PipelineActivity::Forward;
        slice.micro_batch = i;
        slice.label = QString::number(i);
        lane.slices.push_back(slice);
    }
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

} // namespace
} // namespace tilescope::ui
