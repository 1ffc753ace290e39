// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/application_font.h"
#include "ui/theme/theme.h"

#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QHeaderView>
#include <QImage>
#include <QLineEdit>
#include <QMenu>
#include <QPainter>
#include <QPushButton>
#include <QSpinBox>
#include <QStyle>
#include <QStyleOption>
#include <QTabBar>
#include <QTest>
#include <QToolButton>
#include <QTreeView>
#include <QTreeWidget>
#include <algorithm>
#include <gtest/gtest.h>
#include <vector>

namespace tilescope::ui {
namespace {

/// Of what is drawn within `part` of a picture: how wide, in pixels.
int drawnWidth(const QImage& picture, const QRect& part) {
    int left = part.right();
    int right = part.left();
    for (int x = part.left(); x <= part.right(); ++x)
        for (int y = part.top(); y <= part.bottom(); ++y)
            if (qGray(picture.pixel(x, y)) < 160) {
                left = std::min(left, x);
                right = std::max(right, x);
            }
    return right - left + 1;
}

/// Of an empty box to choose from.
int arrowWidth(QComboBox& box) {
    box.resize(box.sizeHint());
    QImage picture(box.size(), QImage::Format_RGB32);
    box.render(&picture);
    QStyleOptionComboBox option;
    option.initFrom(&box);
    const QRect part =
        box.style()->subControlRect(QStyle::CC_ComboBox, &option, QStyle::SC_ComboBoxArrow, &box);
    return drawnWidth(picture, part.adjusted(1, 3, -3, -3)); // without the frame
}

/// As the style draws it for `widget` where there is room.
int elementWidth(QStyle::PrimitiveElement element, QStyle::State state, const QWidget& widget) {
    QImage picture(60, 60, QImage::Format_RGB32);
    picture.fill(Qt::white);
    QStyleOptionViewItem option;
    option.initFrom(&widget);
    option.rect = picture.rect();
    option.state |= state;
    QPainter painter(&picture);
    widget.style()->drawPrimitive(element, &option, &painter, &widget);
    painter.end();
    return drawnWidth(picture, picture.rect());
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

TEST(GrownBoxes, ArrowsOfNumbersAreAsLargeAsText) {
    applyTheme(*qApp, ThemeMode::Light);
    for (const int percent : {100, 150, 200}) {
        applyFont(*qApp, {}, percent);
        QSpinBox box;
        box.setRange(-9, 9); // both steps are possible
        box.ensurePolished();
        box.resize(box.sizeHint());
        const int line = box.fontMetrics().height();
        QImage picture(box.size(), QImage::Format_RGB32);
        box.render(&picture);
        QStyleOptionSpinBox option;
        option.initFrom(&box);
        option.frame = true;
        for (const auto part : {QStyle::SC_SpinBoxUp, QStyle::SC_SpinBoxDown}) {
            const QRect room = box.style()->subControlRect(QStyle::CC_SpinBox, &option, part, &box);
            const int width = drawnWidth(picture, room.adjusted(1, 3, -3, -3)); // without the frame
            EXPECT_GE(width, line / 4) << percent;
            EXPECT_LE(width, line * 2 / 3) << percent;
        }
    }
    applyFont(*qApp, {}, 100);
}

TEST(GrownBoxes, ArrowsOfTreesAndMenusAreAsLargeAsText) {
    applyTheme(*qApp, ThemeMode::Light);
    for (const int percent : {100, 150, 200}) {
        applyFont(*qApp, {}, percent);
        const QTreeView tree;
        tree.ensurePolished();
        const int line = tree.fontMetrics().height();
        for (const int width :
             {elementWidth(QStyle::PE_IndicatorBranch, QStyle::State_Children | QStyle::State_Open, tree),
              elementWidth(QStyle::PE_IndicatorArrowDown, {}, tree)}) {
            EXPECT_GE(width, line / 3) << percent;
            EXPECT_LE(width, line * 2 / 3) << percent;
        }
        EXPECT_LE(elementWidth(QStyle::PE_IndicatorBranch, {}, tree), 0) << "it holds nothing";
        QPushButton button(QStringLiteral("Report…"));
        const int plain = button.sizeHint().width();
        QMenu ways;
        button.setMenu(&ways);
        EXPECT_GE(button.sizeHint().width() - plain, line * 2 / 3) << percent;
    }
    applyFont(*qApp, {}, 100);
}

TEST(GrownBoxes, TheArrowOfAColumnIsAsLargeAsText) {
    applyTheme(*qApp, ThemeMode::Light);
    QTreeWidget list;
    list.setHeaderLabel(QString());
    list.setSortingEnabled(true);
    QHeaderView& head = *list.header();
    list.show();
    for (const int percent : {100, 200}) {
        applyFont(*qApp, {}, percent);
        for (const Qt::SortOrder order : {Qt::DescendingOrder, Qt::AscendingOrder}) {
            head.setSortIndicator(0, order);
            QImage picture(head.size(), QImage::Format_RGB32);
            head.render(&picture);
            std::vector<int> widths; // of what is drawn in each row, but for the line below
            for (int y = 0; y < picture.height() - 2; ++y)
                if (const int width = drawnWidth(picture, QRect(0, y, picture.width(), 1)); width > 0)
                    widths.push_back(width);
            ASSERT_FALSE(widths.empty());
            EXPECT_GE(*std::max_element(widths.begin(), widths.end()), head.fontMetrics().height() / 3)
                << percent;
            const bool down = order == Qt::AscendingOrder; // Qt's heads say so; FrozenHeader turns it
            EXPECT_EQ(widths.front() > widths.back(), down) << percent;
        }
    }
    applyFont(*qApp, {}, 100);
}

TEST(GrownBoxes, IconsOfButtonsFieldsAndMenusAreAsLargeAsText) {
    applyTheme(*qApp, ThemeMode::Light);
    QToolButton button; // one that is there while text changes
    button.setIcon(themeIcon(QStringLiteral("copy")));
    for (const int percent : {100, 150, 200}) {
        applyFont(*qApp, {}, percent);
        const int line = button.fontMetrics().height();
        EXPECT_GE(button.iconSize().height(), line * 3 / 4) << percent;
        EXPECT_LE(button.iconSize().height(), line) << percent;
        EXPECT_GE(button.sizeHint().height(), button.iconSize().height()) << percent;
        QMenu menu;
        EXPECT_GE(menu.style()->pixelMetric(QStyle::PM_SmallIconSize, nullptr, &menu), line * 3 / 4);

        QLineEdit field;
        field.setClearButtonEnabled(true);
        field.setText(QStringLiteral("."));
        field.resize(field.sizeHint().expandedTo({20 * line, 0}));
        field.show(); // the cross comes in by and by
        const auto* cross = field.findChild<QToolButton*>();
        ASSERT_NE(cross, nullptr);
        const auto crossWidth = [&] {
            const QImage picture = field.grab().toImage();
            return drawnWidth(picture, cross->geometry().intersected(picture.rect().adjusted(4, 4, -4, -4)));
        };
        EXPECT_TRUE(QTest::qWaitFor([&] { return crossWidth() >= line / 3; }, 2000)) << crossWidth();
        EXPECT_LE(crossWidth(), line) << percent;
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
