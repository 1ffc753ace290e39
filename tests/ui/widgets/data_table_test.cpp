// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/data_table.h"

#include <QApplication>
#include <QLineEdit>
#include <QTest>
#include <QVBoxLayout>
#include <gtest/gtest.h>

namespace tilescope::ui {
namespace {

TEST(DataTable, TabLeavesItAndArrowsMoveInIt) {
    QWidget window;
    QVBoxLayout layout(&window);
    auto* table =
        new DataTable(QStringLiteral("Layers"), {{QStringLiteral("Name")}, {QStringLiteral("Kind")}});
    auto* after = new QLineEdit;
    layout.addWidget(table);
    layout.addWidget(after);
    table->setRows({{0, {textCell(QStringLiteral("a")), textCell(QStringLiteral("x"))}},
                    {1, {textCell(QStringLiteral("b")), textCell(QStringLiteral("y"))}}});
    window.show();
    window.activateWindow();
    ASSERT_TRUE(QTest::qWaitForWindowActive(&window));
    table->view()->setFocus();
    QTest::keyClick(table->view(), Qt::Key_Down);
    QTest::keyClick(table->view(), Qt::Key_Down);
    EXPECT_EQ(table->view()->currentIndex().row(), 1);
    QTest::keyClick(table->view(), Qt::Key_Tab);
    EXPECT_FALSE(table->view()->hasFocus());
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
    EXPECT_TRUE(after->hasFocus()); // the filter lies between
}

} // namespace
} // namespace tilescope::ui
