// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/told_details.h"
#include "tests/ui/view_test_support.h"
#include "ui/liveness/liveness_view.h"
#include "ui/session/format.h"

#include <gtest/gtest.h>

namespace tilescope::ui {
namespace {

using tests::ToldDetails;

/// Of the fixture: bytes that are always live, and live at its peak step, 20.
constexpr std::int64_t always = 186'372, at_peak = always + 180'224;

void goTo(tests::ShownView<LivenessView>& shown, std::int64_t step) {
    Q_EMIT shown.view.findChild<LivenessCurve*>()->stepChosen(step);
    shown.settle();
}

TEST(LiveDetails, OfAStepSayWhatItIsAndWhatLivesAtIt) {
    tests::ShownView<LivenessView> shown;
    const ToldDetails told(shown.view);
    goTo(shown, 20);
    EXPECT_EQ(told.title(), QStringLiteral("dense/WeightGrad"));
    EXPECT_EQ(told.value("Step"), QStringLiteral("20 of 25"));
    EXPECT_EQ(told.value("Kind"), QStringLiteral("compute set"));
    EXPECT_EQ(told.value("Operation"), QStringLiteral("dense/WeightGrad"));
    EXPECT_EQ(told.value("Layer"), QStringLiteral("dense"));
    EXPECT_EQ(told.value("Each run"), formatCyclesAndTime(std::int64_t{280}, 1e9));
    EXPECT_EQ(told.value("Live"),
              formatBytes(at_peak) + QStringLiteral(", 0.9 % of ") + formatBytes(64 * 638'976));
    EXPECT_EQ(told.value("Always live"), formatBytes(always));
    EXPECT_EQ(told.value("Fullest tile"), formatBytes(5732) + QStringLiteral(", 0.9 % of 624 KiB"));
    EXPECT_EQ(told.value("Since the step before"), QStringLiteral("+64 KiB"));
    EXPECT_EQ(told.value("Appear"), QStringLiteral("1 variable, 64 KiB\ndense/WeightGrad, 64 KiB"));
    EXPECT_EQ(told.value("Gone"), QString());
    EXPECT_EQ(told.value("Peak"), QStringLiteral("it is the peak step"));
    EXPECT_EQ(told.value("Base"), QString());
    EXPECT_TRUE(told.html().contains(QStringLiteral("href='variable:12:0'>dense/WeightGrad</a>")))
        << told.html().toStdString();
    goTo(shown, 21);
    EXPECT_EQ(told.title(), QStringLiteral("dense/Update/exchange"));
    EXPECT_EQ(told.value("Since the step before"), QStringLiteral("−32 KiB"));
    EXPECT_TRUE(told.value("Gone").startsWith(QStringLiteral("2 variables, 32 KiB\n")));
    EXPECT_EQ(told.value("Peak"), QStringLiteral("32 KiB more at dense/WeightGrad, step 20"));
    EXPECT_TRUE(told.html().contains(QStringLiteral("href='step:32:-1'>dense/WeightGrad</a>")));
    goTo(shown, 0);
    EXPECT_EQ(told.value("Operation"), QString()) << "the infeed is of none";
    EXPECT_EQ(told.value("Since the step before"), QString()) << "there is none";
}

TEST(LiveDetails, OfAStepAreThoseOfTheTileThatIsChosen) {
    tests::ShownView<LivenessView> shown;
    const ToldDetails told(shown.view);
    Selection next = shown.selection.current();
    next.lookAt(0, {5});
    shown.selection.set(next);
    shown.settle();
    goTo(shown, 20);
    EXPECT_EQ(told.value("On"), QStringLiteral("IPU 0 tile 5"));
    EXPECT_EQ(told.value("Live"), formatBytes(2912 + 2816) + QStringLiteral(", 0.9 % of 624 KiB"));
    EXPECT_EQ(told.value("Fullest tile"), QString()) << "it is one tile";
}

// The base has no second layer: the same step is its step 10, at which 114,688 bytes live beside 110,596.
TEST(LiveDetails, OfAStepStandAgainstTheSameOneOfTheBase) {
    tests::ShownView<LivenessView> shown;
    const tests::ShownView<LivenessView> base(tests::FixtureSize{64, 1, 1, 1, 1});
    const ToldDetails told(shown.view);
    shown.view.setSources({shown.source, base.source});
    shown.settle();
    goTo(shown, 20);
    EXPECT_EQ(told.value("Base"),
              formatBytes(114'688 + 110'596) + QStringLiteral(" at its step 10, +62.7 %"));
    goTo(shown, 6);
    EXPECT_EQ(told.title(), QStringLiteral("dense_1/MatMul"));
    EXPECT_EQ(told.value("Base"), QStringLiteral("has no such step"));
    shown.view.setSources({shown.source});
    shown.settle();
    EXPECT_EQ(told.title(), QStringLiteral("dense_1/MatMul")) << "it is told anew";
    EXPECT_EQ(told.value("Base"), QString());
}

} // namespace
} // namespace tilescope::ui
