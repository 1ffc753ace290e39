// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/headed_page.h"

#include <QComboBox>
#include <QLabel>
#include <QTest>
#include <gtest/gtest.h>
#include <memory>

namespace tilescope::ui {
namespace {

TEST(HeadRow, ChoosersGoBelowAHeadingThatTheyWouldLeaveTooLittleRoom) {
    auto* heading =
        new QLabel(QStringLiteral("Tile 0 of IPU 1 receives the most, 1.50 KiB: 1.08 times the mean."));
    heading->setWordWrap(true);
    QList<QWidget*> choosers;
    for (int i = 0; i < 3; ++i) {
        choosers << new QComboBox;
        choosers.last()->setFixedWidth(150);
    }
    const std::unique_ptr<QWidget> row(headRow(heading, choosers));
    row->resize(1400, 60);
    row->show();
    EXPECT_TRUE(QTest::qWaitFor([&] { return choosers[0]->mapTo(row.get(), QPoint()).x() > 600; }, 5000));
    EXPECT_GT(heading->width(), 600);
    row->resize(900, 90);
    EXPECT_TRUE(QTest::qWaitFor([&] { return heading->width() == 900; }, 5000)) << heading->width();
    EXPECT_LT(choosers[0]->mapTo(row.get(), QPoint()).x(), 20);
    EXPECT_GE(choosers[0]->mapTo(row.get(), QPoint()).y(), heading->geometry().bottom());
}

} // namespace
} // namespace tilescope::ui
