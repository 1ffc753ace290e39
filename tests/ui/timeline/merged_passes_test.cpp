// SPDX-License-Identifier: GPL-3.0-or-later
#include "painted_lane.h"
#include "tests/ui/cut_text.h"
#include "ui/timeline/activity_color.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace tilescope::ui {
namespace {

using Activity = analyse::PipelineActivity;

/// A thousand turns of 1,000 cycles: 300 forward, 500 backward, 200 waiting. By columns of pixels, how much
/// of each is forward.
std::vector<double> forward_of_columns(int width) {
    TimelineLane lane;
    lane.kind = LaneKind::MicroBatch;
    for (int turn = 0; turn < 1000; ++turn) {
        std::int64_t at = turn * 1000;
        for (const auto& [activity, length] :
             {std::pair(Activity::Forward, 300), {Activity::Backward, 500}, {Activity::Waiting, 200}}) {
            add_pass(lane, turn, activity, at, at + length);
            at += length;
        }
    }
    constexpr int high = 100;
    const QImage image = painted_lane(lane, 1'000'000, {width, high});
    const QWidget widget;
    const ChartStyle style(&widget);
    const QColor forward = activity_color(style, Activity::Forward);
    std::vector<double> shares;
    for (int x = 0; x < width; ++x) {
        int count = 0;
        for (int y = 0; y < high; ++y)
            count += image.pixelColor(x, y) == forward ? 1 : 0;
        shares.push_back(static_cast<double>(count) / high);
    }
    return shares;
}

TEST(MergedPasses, DoNotBeatAgainstThePixels) {
    for (const int width : {640, 1357, 2900}) { // 0.64, 1.4 and 2.9 pixels for each turn
        const std::vector<double> forward = forward_of_columns(width);
        // The last turns have none after them with which they end.
        const auto [least, most] = std::minmax_element(forward.begin(), forward.end() - 8);
        EXPECT_GE(*least, 0.28) << width;
        EXPECT_LE(*most, 0.32) << width;
        double sum = 0;
        for (const double share : forward)
            sum += share;
        EXPECT_NEAR(sum / width, 0.3, 0.002) << "area is time: " << width;
    }
}

TEST(MergedPasses, WaitingIsHatchedAsItIsByItself) {
    TimelineLane lane;
    lane.kind = LaneKind::Activity;
    for (int turn = 0; turn < 1000; ++turn) {
        add_pass(lane, turn, Activity::Forward, turn * 1000, turn * 1000 + 500);
        add_pass(lane, turn, Activity::Waiting, turn * 1000 + 500, turn * 1000 + 1000);
    }
    const QWidget widget;
    const ChartStyle style(&widget);
    const QRgb line = activity_color(style, Activity::Waiting).rgb();
    const QImage image = painted_lane(lane, 1'000'000, {600, 100});
    int lines = 0, between = 0, slanted = 0;
    for (int y = 0; y < 40; ++y) // above the half that is forward
        for (int x = 1; x < 590; ++x) {
            const bool inked = image.pixel(x, y) == line;
            lines += inked ? 1 : 0;
            between += image.pixel(x, y) == style.background.rgb() ? 1 : 0;
            slanted += inked && image.pixel(x - 1, y + 1) == line ? 1 : 0;
        }
    EXPECT_GT(lines, 0);
    EXPECT_NEAR(static_cast<double>(lines) / (lines + between), 1.0 / 6, 0.02) << "every sixth pixel";
    EXPECT_GT(slanted, 0.9 * lines);
}

TEST(MergedPasses, AreCountedInTheTraceAndHaveNumbersInThePipeline) {
    TimelineLane lane;
    lane.unit = QStringLiteral("passes");
    for (int turn = 0; turn < 1000; ++turn)
        add_pass(lane, turn, Activity::Forward, turn * 1000, turn * 1000 + 900);
    const auto texts = [&](LaneKind kind) {
        lane.kind = kind;
        const QWidget widget;
        tests::TextRecorder recorder(widget);
        {
            QPainter painter(&recorder);
            TimelineViewport view;
            view.setWidth(640);
            view.setLimits(0, 1'000'000);
            view.show(0, 1'000'000);
            const ChartStyle style(&widget);
            TilePictures pictures;
            TimelinePainter(painter, style, view, pictures).lane(lane, {0, 0, 640, 40}, {});
        }
        QStringList all;
        for (const tests::DrawnText& text : recorder.texts)
            all << text.text;
        return all;
    };
    EXPECT_TRUE(texts(LaneKind::MicroBatch).contains(QStringLiteral("1,000 passes")));
    EXPECT_FALSE(texts(LaneKind::Activity).contains(QStringLiteral("1,000 passes")))
        << "they stand above the lane";
}

TEST(MergedPasses, OfATurnThatHasRoomKeepTheirEdges) {
    const std::vector<double> forward = forward_of_columns(5000); // a forward pass is a pixel and a half
    const auto [least, most] = std::minmax_element(forward.begin(), forward.end());
    EXPECT_LT(*least, 0.02);
    EXPECT_GT(*most, 0.98);
}

} // namespace
} // namespace tilescope::ui
