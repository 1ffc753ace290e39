// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/joining_split.h"

#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QTabWidget>
#include <QTest>
#include <gtest/gtest.h>

namespace tilescope::ui {
namespace {

struct Joining : testing::Test {
    Joining() {
        tabs->addTab(new QLabel(QStringLiteral("rows")), QStringLiteral("Rows"));
        split.resize(line() * 60, 300);
        split.show();
        EXPECT_TRUE(QTest::qWaitForWindowExposed(&split));
    }
    int line() const { return split.fontMetrics().height(); }
    QPushButton* picture = new QPushButton(QStringLiteral("picture"));
    QTabWidget* tabs = new QTabWidget;
    JoiningSplit split{Qt::Horizontal, picture, JoiningSplit::Side::Behind, QStringLiteral("Plan"), tabs, 40};
};

TEST_F(Joining, WhereThereIsRoomThePictureStandsBesideTheTabs) {
    EXPECT_FALSE(split.joined());
    EXPECT_EQ(split.indexOf(picture), 1);
    EXPECT_TRUE(picture->isVisible());
    EXPECT_EQ(tabs->count(), 1);
}

TEST_F(Joining, ElseItIsOneOfThemAndComesBackAsItWas) {
    split.setSizes({line() * 20, line() * 40});
    const QList<int> apart = split.sizes();
    const QSignalSpy arranged(&split, &JoiningSplit::arranged);
    split.resize(line() * 30, 300);
    ASSERT_TRUE(split.joined());
    EXPECT_EQ(arranged.size(), 1);
    EXPECT_EQ(tabs->tabText(1), QStringLiteral("Plan"));
    EXPECT_EQ(tabs->currentIndex(), 0) << "the one in front stays there";
    EXPECT_FALSE(picture->isVisible());
    tabs->setCurrentIndex(1);
    EXPECT_TRUE(picture->isVisible());
    split.resize(line() * 60, 300);
    EXPECT_FALSE(split.joined());
    EXPECT_TRUE(picture->isVisible());
    EXPECT_NEAR(split.sizes()[0], apart[0], 2);
}

TEST_F(Joining, WhatIsRememberedIsThePlaceOfTheHandleWhereThereIsRoom) {
    split.setRoomySizes({line() * 20, line() * 40});
    const QList<int> apart = split.roomySizes();
    EXPECT_NEAR(apart[0], line() * 20, line());
    split.resize(line() * 30, 300);
    ASSERT_TRUE(split.joined());
    EXPECT_NEAR(2 * split.roomySizes()[0], split.roomySizes()[1], 4) << "as they were, of less";
    split.setRoomySizes({line() * 45, line() * 15}); // as from an earlier session
    EXPECT_TRUE(split.joined());
    split.resize(line() * 60, 300);
    EXPECT_NEAR(split.sizes()[0], line() * 45, line());
}

TEST_F(Joining, ThePictureThatHasTheKeysKeepsThem) {
    split.activateWindow();
    ASSERT_TRUE(QTest::qWaitForWindowActive(&split));
    picture->setFocus();
    split.resize(line() * 30, 300);
    EXPECT_EQ(tabs->currentWidget(), picture);
    EXPECT_TRUE(picture->hasFocus());
    split.resize(line() * 60, 300);
    EXPECT_TRUE(picture->hasFocus());
}

} // namespace
} // namespace tilescope::ui
