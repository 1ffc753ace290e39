// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/cut_text.h"
#include "ui/widgets/data_table.h"

#include <QTest>
#include <gtest/gtest.h>
#include <utility>

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

TEST(DataTableFit, ASentenceInTheFirstColumnHasMoreOfTheTableThanANameHas) {
    const QString sentence = QStringLiteral("Much of the time goes to arranging operands");
    const QString name = QStringLiteral("layer_10_output/MatMul/gradient/matmul_to_arrange");
    const auto width_of_first = [](const QString& first) {
        DataTable table(QString(),
                        {{QStringLiteral("Finding")}, {QStringLiteral("Cost")}, {QStringLiteral("Where")}});
        table.resize(2 * table.fontMetrics().horizontalAdvance(first) + 60, 200);
        table.show();
        EXPECT_TRUE(QTest::qWaitForWindowExposed(&table));
        const QString cost = QStringLiteral("725 µs per weight update, planned");
        table.setRows({{0, {textCell(first), numberCell(cost, 725e-6), textCell(cost)}}});
        return std::pair(table.view()->columnWidth(0), table.fontMetrics().horizontalAdvance(first));
    };
    const auto [of_sentence, sentence_needs] = width_of_first(sentence);
    EXPECT_GT(of_sentence, sentence_needs);
    const auto [of_name, name_needs] = width_of_first(name);
    EXPECT_LT(of_name, name_needs) << "its first and last parts tell it";
}

TEST(DataTableFit, NoLineEndsBetweenANumberAndItsUnit) {
    DataTable table(QString(), {{QStringLiteral("Cause")}, {QStringLiteral("Why"), false, true}});
    table.wrapTexts();
    table.show();
    ASSERT_TRUE(QTest::qWaitForWindowExposed(&table));
    table.setRows({{0,
                    {textCell(QStringLiteral("the clock")),
                     textCell(QStringLiteral("1.33 GHz, was 1.85 GHz: the time of equal cycles +39.1 %"))}}});
    int lines = 0;
    for (int width = 220; width < 600; width += 3) {
        table.resize(width, 300);
        lines = 0;
        for (const tests::DrawnText& line : tests::drawn_texts(*table.view()->viewport())) {
            lines += line.text.startsWith(QLatin1String("the clock")) ? 0 : 1;
            EXPECT_FALSE(line.text.trimmed().startsWith(QLatin1Char('%'))) << width;
            EXPECT_FALSE(line.text.trimmed().startsWith(QLatin1String("GHz"))) << width;
            EXPECT_FALSE(line.text.trimmed().endsWith(QLatin1String("1.33"))) << width;
        }
        EXPECT_GE(lines, 1) << width;
    }
    EXPECT_EQ(table.toText(u'\t').count(QChar::Nbsp), 0) << "copies are plain";
}

} // namespace tilescope::ui
