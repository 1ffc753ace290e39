// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/setting_curve.h"

#include <gtest/gtest.h>
#include <utility>

namespace tilescope::analyse {
namespace {

/// Runs of "cnn" by batch and samples per second.
std::vector<RunEntry> runs(const std::vector<std::pair<int, double>>& told) {
    std::vector<RunEntry> all;
    for (const auto& [batch, throughput] : told) {
        RunEntry run;
        run.workload = "cnn";
        run.fit = Fit::Fits;
        run.settings = {{"fit.batch_size", "batch", FigureUnit::None, std::to_string(batch)}};
        run.figures[static_cast<std::size_t>(RunFigure::Throughput)] = throughput;
        run.figures[static_cast<std::size_t>(RunFigure::StepTime)] = 1000 / throughput;
        all.push_back(std::move(run));
    }
    return all;
}

SettingCurve curve(const std::vector<RunEntry>& of, RunFigure figure = RunFigure::Throughput) {
    return setting_curve(of, "cnn", "fit.batch_size", figure);
}

} // namespace

// Along the logarithms 0, 1/4, 1/2, 3/4, 1; up 0, 0.3, 0.83, 0.93, 1: highest above the line in the middle.
TEST(SettingCurve, TheKneeIsWhereMoreGivesLittleMore) {
    const SettingCurve found = curve(runs({{128, 400}, {8, 100}, {32, 350}, {16, 190}, {64, 380}}));
    EXPECT_EQ(found.runs, (std::vector<std::size_t>{1, 3, 2, 4, 0}));
    ASSERT_TRUE(found.knee);
    EXPECT_EQ(found.knee->at, 2U);
    EXPECT_DOUBLE_EQ(found.knee->share, 350.0 / 400);
}

TEST(SettingCurve, ThereIsNoneWhereAFigureGrowsEvenlyOrHasItsBestWithin) {
    EXPECT_FALSE(curve(runs({{10, 100}, {20, 200}, {30, 300}, {40, 400}})).knee);
    EXPECT_FALSE(curve(runs({{10, 100}, {20, 390}, {30, 420}, {40, 400}})).knee);
    EXPECT_FALSE(curve(runs({{10, 100}, {20, 390}, {40, 400}})).knee) << "three values are no curve";
}

TEST(SettingCurve, OfEachValueTheBestThatFitsCounts) {
    auto all = runs({{10, 100}, {20, 300}, {20, 360}, {30, 390}, {30, 900}, {40, 400}});
    all[4].fit = Fit::DoesNotFit;
    const SettingCurve found = curve(all);
    EXPECT_EQ(found.runs, (std::vector<std::size_t>{0, 2, 3, 5}));
    ASSERT_TRUE(found.knee);
    EXPECT_EQ(found.knee->at, 1U);
    // Less time is better: the same runs, of which the knee gets as far.
    const SettingCurve times = curve(all, RunFigure::StepTime);
    EXPECT_EQ(times.runs, found.runs);
    ASSERT_TRUE(times.knee);
    EXPECT_DOUBLE_EQ(times.knee->share, 360.0 / 400);
}

} // namespace tilescope::analyse
