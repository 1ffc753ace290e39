// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/application_font.h"
#include "ui/theme/theme.h"

#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QImage>
#include <QStyle>
#include <QStyleOptionComboBox>
#include <QTabBar>
#include <algorithm>
#include <gtest/gtest.h>

namespace tilescope::ui {
namespace {

/// What is drawn in the part of an empty box to choose from that has its arrow: how wide, in pixels.
int arrowWidth(QComboBox& box) {
    box.resize(box.sizeHint());
    QImage picture(box.size(), QImage::Format_RGB32);
    box.render(&picture);
    QStyleOptionComboBox option;
    option.initFrom(&box);
    const QRect part = box.style()
                           ->subControlRect(QStyle::CC_ComboBox, &option, QStyle::SC_ComboBoxArrow, &box)
                           .adjusted(1, 3, -3, -3); // without the frame
    int left = part.right();
    int right = part.left();
    for (int x = part.left(); x <= part.right(); ++x)
        for (int y = part.top(); y <= part.bottom(); ++y)
            if (qGray(picture.pixel(x, y)) < 128) {
                left = std::min(left, x);
                right = std::max(right, x);
            }
    return right - left + 1;
}

} // namespace

TEST(GrownBoxes, ArrowsOfBoxesToChooseFromAreAsLargeAsText) {
    applyTheme(*qApp, ThemeMode::Light);
    for (const int percent : {100, 150, 200}) {
        applyFont(*qApp, {}, percent);
        QComboBox box;
        box.addItem(QStringLiteral("per weight update"));
        box.ensurePolished();
        const int line = box.fontMetrics().height();
        EXPECT_GE(arrowWidth(box), line / 3) << percent;
        EXPECT_LE(arrowWidth(box), line * 2 / 3) << percent;
        const QSize hint = box.sizeHint();
        QStyleOptionComboBox option;
        option.initFrom(&box);
        option.rect = QRect(QPoint(), hint);
        const QRect field =
            box.style()->subControlRect(QStyle::CC_ComboBox, &option, QStyle::SC_ComboBoxEditField, &box);
        EXPECT_GE(field.width(), box.fontMetrics().horizontalAdvance(box.itemText(0))) << percent;
    }
    applyFont(*qApp, {}, 100);
}

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
