// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/trace/shown_trace.h"
#include "ui/theme/application_font.h"

namespace tilescope::ui {
namespace {

/// Whether the totals are asked for anew within twice the time for which the view rests before it asks.
bool asks_again(ShownTrace& shown) {
    return QTest::qWaitFor([&] { return !shown.view.atRest() || shown.view.totals().computing(); }, 400);
}

} // namespace

TEST(TotalsAtRest, AreNotAskedForAnewSinceTheLanesHaveMoreOrLessHeight) {
    ShownTrace shown(pipelined());
    shown.rest();
    EXPECT_FALSE(asks_again(shown));
    shown.view.resize(shown.view.width(), shown.view.height() - 40);
    EXPECT_FALSE(asks_again(shown)) << "the same is in view";
    shown.timeline().show(0, 1000);
    EXPECT_TRUE(asks_again(shown));
    shown.settle();
    EXPECT_EQ(shown.view.totals().totals().phases.total(), 1000);
}

TEST(TotalsAtRest, WhereTheirHeadlineBreaksTheLanesKeepTheirHeightWhileTheyAreComputed) {
    applyFont(*qApp, {}, 150);
    {
        ShownTrace shown(pipelined());
        auto* headline = shown.view.findChild<QLabel*>(QStringLiteral("rangeHeadline"));
        const auto lines = [&] { return headline->height() / headline->fontMetrics().height(); };
        // As narrow as lets the figures that come with the totals, and these alone, begin another line.
        shown.view.resize(900, 620);
        shown.rest();
        for (int width = 900; width > 500 && lines() < 2; width -= 20) {
            shown.view.resize(width, 620);
            shown.rest();
        }
        ASSERT_EQ(lines(), 2);
        const int height = headline->height();
        shown.timeline().show(0, 100000);
        ASSERT_TRUE(QTest::qWaitFor([&] { return shown.view.totals().computing(); }, 20000));
        EXPECT_EQ(headline->height(), height);
        shown.settle();
        EXPECT_FALSE(asks_again(shown));
        shown.view.resize(1400, 620);
        shown.rest();
        EXPECT_LT(headline->height(), height) << "and not longer";
    }
    applyFont(*qApp, {}, 100);
}

} // namespace tilescope::ui
