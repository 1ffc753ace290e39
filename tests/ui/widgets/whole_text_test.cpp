// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/shown_text.h"
#include "ui/widgets/data_table.h"
#include "ui/widgets/whole_text.h"

#include <QHeaderView>
#include <QLabel>
#include <QTest>
#include <gtest/gtest.h>

namespace tilescope::ui {
namespace {

TEST(WholeText, OfTheRowThatIsChosenStandsBelowTheTable) {
    DataTable table(
        QStringLiteral("Causes"),
        {{QStringLiteral("Cause")}, {QStringLiteral("Cycles"), true}, {QStringLiteral("Why"), false, true}});
    showWholeText(table, 2);
    const auto* whole = table.findChild<QLabel*>(QStringLiteral("wholeText"));
    const QString name = QStringLiteral("conv2d_1/Conv2D/gradient/").repeated(8);
    const QString why = QStringLiteral("is planned as AMP 1×1 on 1,440 tiles, ").repeated(8);
    table.resize(800, 300);
    table.show();
    EXPECT_FALSE(whole->isVisible());
    table.setRows({{1, {textCell(name), countCell(5), textCell(why)}},
                   {2, {textCell(QStringLiteral("b")), countCell(9), textCell(QStringLiteral("size"))}},
                   {3, {textCell(QStringLiteral("c")), countCell(1), textCell({})}}});
    EXPECT_EQ(tests::as_read(whole->text()), name + QStringLiteral(": ") + why) << "of the first";
    EXPECT_TRUE(whole->isVisible());
    QTableView& view = *table.view();
    EXPECT_EQ(view.horizontalHeader()->length(), view.viewport()->width())
        << "names and sentences share the width: nothing is to be scrolled to";
    table.selectKey(2);
    EXPECT_EQ(whole->text(), QStringLiteral("b: size"));
    table.selectKey(3);
    EXPECT_FALSE(whole->isVisible()) << "there is nothing to say";
    table.selectKey(-1);
    view.sortByColumn(1, Qt::DescendingOrder);
    EXPECT_EQ(whole->text(), QStringLiteral("b: size")) << "of the first as they are sorted";
}

} // namespace
} // namespace tilescope::ui
