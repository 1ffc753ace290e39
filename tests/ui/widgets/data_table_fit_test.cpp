// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/data_table.h"

#include <QTest>
#include <gtest/gtest.h>

namespace tilescope::ui {

TEST(DataTableFit, NumbersAreWholeWithTheirWordsAndTheTableScrollsWhereTextsAreCut) {
    DataTable table(QString(),
                    {{QStringLiteral("Finding")}, {QStringLiteral("Cost")}, {QStringLiteral("Where")}});
    const QString cost = QStringLiteral("725 µs per weight update, planned");
    const QString text = QStringLiteral("the operations of all layers that are alike");
    table.resize(400, 200);
    table.show();
    ASSERT_TRUE(QTest::qWaitForWindowExposed(&table));
    table.setRows({{0, {textCell(text), numberCell(cost, 725e-6), textCell(text)}},
                   {1, {textCell(text), absentCell(), textCell(text)}}});
    const QTableView& view = *table.view();
    const auto needs = [&](const QString& shown) { return view.fontMetrics().horizontalAdvance(shown); };
    ASSERT_GT(needs(cost), view.viewport()->width() / 4);
    EXPECT_GT(view.columnWidth(1), needs(cost));
    EXPECT_LT(view.columnWidth(2), needs(text)) << "its beginning and end tell it";
}

} // namespace tilescope::ui
