// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/system_fixture.h"
#include "tests/ui/view_test_support.h"
#include "ui/summary/insight_list.h"
#include "ui/summary/summary_view.h"
#include "ui/widgets/share_bar.h"

#include <QScrollArea>
#include <QScrollBar>
#include <gtest/gtest.h>

namespace tilescope::ui {

// Large letters in a small window: nothing is at its right where one does not see it.
TEST(NarrowSummary, FindingsStandBelowWhatTheTimeGoesTo) {
    tests::ShownView<SummaryView> shown(
        [](const std::string& path) {
            return tests::record_system(path, {2, 2, true});
        },
        QSize(1200, 900));
    SummaryView& view = shown.view;
    const auto place = [&](const QWidget* part) { return QRect(part->mapTo(&view, QPoint()), part->size()); };
    const auto* time = view.findChild<ShareBar*>();
    const auto* findings = view.findChild<InsightList*>();
    EXPECT_GT(place(findings).left(), place(time).right());
    view.resize(90 * view.fontMetrics().averageCharWidth(), 700);
    EXPECT_TRUE(QTest::qWaitFor([&] { return place(findings).top() > place(time).bottom(); }));
    EXPECT_LT(place(findings).left(), place(time).right());
    EXPECT_EQ(view.findChild<QScrollArea*>()->horizontalScrollBar()->maximum(), 0);
}

} // namespace tilescope::ui
