// SPDX-License-Identifier: GPL-3.0-or-later
#include "shown_memory.h"
#include "ui/theme/application_font.h"
#include "ui/widgets/yielding_split.h"

#include <QApplication>
#include <gtest/gtest.h>

namespace tilescope::ui {

/// What a window of 1440x900 leaves the view, whose bar and heading take several lines of large text.
TEST(MemoryRoom, TheChartHasItsLinesWhateverTheSizeOfText) {
    for (const int percent : {100, 150, 200}) {
        applyFont(*qApp, {}, percent);
        {
            tests::ShownView<MemoryView> shown(tests::ShownView<MemoryView>::Record(&record_two_ipus),
                                               QSize(1340, 700));
            QTest::qWait(20);
            const auto* chart = shown.view.findChild<TileChart*>();
            EXPECT_GE(chart->visibleRegion().boundingRect().height(), 8 * chart->fontMetrics().height())
                << percent;
            if (percent == 100) {
                EXPECT_FALSE(shown.view.findChild<YieldingSplit*>()->folds());
            }
        }
    }
    applyFont(*qApp, {}, 100);
}

} // namespace tilescope::ui
