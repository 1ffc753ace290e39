// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/page_wheel.h"

#include <QApplication>
#include <QComboBox>
#include <QSpinBox>
#include <QTest>
#include <QVBoxLayout>
#include <QWheelEvent>
#include <gtest/gtest.h>

namespace tilescope::ui {
namespace {

/// Turns the wheel once over a field; whether the field takes it.
bool turn(QWidget& field) {
    const QPointF at = field.rect().center();
    QWheelEvent wheel(at, field.mapToGlobal(at), {}, {0, -120}, Qt::NoButton, Qt::NoModifier,
                      Qt::NoScrollPhase, false);
    QApplication::sendEvent(&field, &wheel);
    return wheel.isAccepted();
}

TEST(PageWheel, ChangesAFieldThatOneIsAtWorkInAlone) {
    QWidget page;
    auto* rows = new QVBoxLayout(&page);
    auto* box = new QComboBox;
    box->addItems({QStringLiteral("a"), QStringLiteral("b"), QStringLiteral("c")});
    auto* number = new QSpinBox;
    number->setValue(7);
    rows->addWidget(box);
    rows->addWidget(number);
    leaveWheelToPage(page);
    page.show();
    page.activateWindow();
    ASSERT_TRUE(QTest::qWaitForWindowActive(&page));
    number->setFocus();
    EXPECT_FALSE(turn(*box)) << "it is left to the page";
    EXPECT_EQ(box->currentIndex(), 0);
    EXPECT_TRUE(turn(*number));
    EXPECT_EQ(number->value(), 6);
    box->setFocus();
    EXPECT_TRUE(turn(*box));
    EXPECT_EQ(box->currentIndex(), 1);
    EXPECT_FALSE(turn(*number));
    EXPECT_EQ(number->value(), 6);
}

} // namespace
} // namespace tilescope::ui
