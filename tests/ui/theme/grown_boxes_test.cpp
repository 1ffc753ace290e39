// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/application_font.h"
#include "ui/theme/theme.h"

#include <QApplication>
#include <QCheckBox>
#include <QStyle>
#include <QTabBar>
#include <gtest/gtest.h>

namespace tilescope::ui {

TEST(GrownBoxes, BoxesToTickAndIconsOfTabsAreAsLargeAsText) {
    applyTheme(*qApp, ThemeMode::Light);
    for (const int percent : {100, 150, 200}) {
        applyFont(*qApp, {}, percent);
        const QCheckBox box(QStringLiteral("Check"));
        const int line = box.fontMetrics().height();
        const int side = box.style()->pixelMetric(QStyle::PM_IndicatorWidth, nullptr, &box);
        EXPECT_GE(side, line * 3 / 4) << percent;
        EXPECT_LE(side, line) << percent;
        const QTabBar tabs;
        EXPECT_GE(tabs.iconSize().height(), line * 3 / 4) << percent;
    }
    applyFont(*qApp, {}, 100);
}

} // namespace tilescope::ui
