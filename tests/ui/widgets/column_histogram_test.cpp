// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/themed_label.h"
#include "ui/widgets/class_bars.h"
#include "ui/widgets/data_table.h"

#include <QAction>
#include <QApplication>
#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QDialog>
#include <QHeaderView>
#include <QLineEdit>
#include <QMenu>
#include <QTest>
#include <QTextDocument>
#include <gtest/gtest.h>

namespace tilescope::ui {
namespace {

constexpr double clock_hz = 1e9;

/// Ten variables of 1 to 10 KiB, of which the first has no share and the last is folded into the one before.
class HistogramOfAColumn : public testing::Test {
  protected:
    HistogramOfAColumn() {
        std::vector<TableRow> rows;
        for (std::int64_t i = 0; i < 10; ++i)
            rows.push_back({i,
                            {textCell(QStringLiteral("variable_%1").arg(i)), bytesCell(1024 * (i + 1)),
                             i == 0 ? absentCell() : shareCell(0.01 * static_cast<double>(i)),
                             cyclesCell(static_cast<double>(1000 * i), clock_hz),
                             numberCell(QStringLiteral("steps"), static_cast<double>(i))},
                            i == 9 ? 8 : -1});
        table.setRows(std::move(rows));
        table.resize(900, 400);
        table.show();
        EXPECT_TRUE(QTest::qWaitForWindowExposed(&table));
    }
    QDialog& open(int column) {
        table.showHistogram(column);
        return *table.findChildren<QDialog*>(QStringLiteral("columnHistogram")).last();
    }
    static QString facts(const QDialog& of) {
        QTextDocument rich;
        rich.setHtml(of.findChild<ThemedLabel*>(QStringLiteral("histogramFacts"))->text());
        return rich.toPlainText();
    }
    static ClassBars& bars(const QDialog& of) { return *of.findChild<ClassBars*>(); }
    QString shownRows() const {
        QStringList keys;
        for (int row = 0; row < table.view()->model()->rowCount(); ++row)
            keys << table.view()->model()->index(row, 0).data(DataTableModel::KeyRole).toString();
        return keys.join(u' ');
    }
    DataTable table{QStringLiteral("Variables"),
                    {{QStringLiteral("Variable")},
                     {QStringLiteral("On the tile")},
                     {QStringLiteral("Share")},
                     {QStringLiteral("Cycles")},
                     {QStringLiteral("Lives")}}};
};

} // namespace

TEST_F(HistogramOfAColumn, SaysHowItIsSpreadOverTheRowsThatAreShown) {
    EXPECT_EQ(facts(open(1)).toStdString(), "9 rows: least 1 KiB, median 5 KiB, mean 5 KiB, most 9 KiB");
    EXPECT_EQ(facts(open(2)).toStdString(),
              "9 rows: least 1.0 %, median 4.0 %, mean 4.5 %, most 8.0 %; 1 row has none");
    table.findChild<QLineEdit*>(QStringLiteral("filter"))->setText(QStringLiteral("share>=6%"));
    EXPECT_EQ(facts(open(1)).toStdString(), "3 rows: least 7 KiB, median 8 KiB, mean 8 KiB, most 9 KiB");
}

TEST_F(HistogramOfAColumn, AClassThatIsChosenFiltersTheTableToIt) {
    QDialog& histogram = open(1);
    ClassBars& chart = bars(histogram);
    QTest::keyClick(&chart, Qt::Key_Return);
    EXPECT_EQ(shownRows(), QStringLiteral("0 1 2 3 4 5 6 7 8")) << "none is chosen";
    QTest::keyClick(&chart, Qt::Key_End);
    QTest::keyClick(&chart, Qt::Key_Left);
    EXPECT_EQ(chart.accessibleDescription().toStdString(), "1 row (11.1 %): 8 KiB to less than 8.50 KiB");
    QTest::keyClick(&chart, Qt::Key_Return);
    EXPECT_EQ(table.findChild<QLineEdit*>(QStringLiteral("filter"))->text().toStdString(),
              "onthetile>=8KiB onthetile<8704");
    EXPECT_EQ(shownRows(), QStringLiteral("7"));
    EXPECT_FALSE(histogram.isVisible());
}

// Edges are shares of a hundred, which the filter must read as exactly the same.
TEST_F(HistogramOfAColumn, TheFilterLeavesExactlyTheRowsOfTheClass) {
    auto* filter = table.findChild<QLineEdit*>(QStringLiteral("filter"));
    for (const int column : {1, 2, 3})
        for (int at = 0; at < 9; ++at) {
            filter->clear();
            ClassBars& chart = bars(open(column));
            for (int step = 0; step <= at; ++step)
                QTest::keyClick(&chart, Qt::Key_Right);
            const auto count = chart.accessibleDescription().section(u' ', 0, 0).toInt();
            QTest::keyClick(&chart, Qt::Key_Return);
            EXPECT_EQ(table.view()->model()->rowCount(), count)
                << filter->text().toStdString() << " of column " << column;
        }
}

TEST_F(HistogramOfAColumn, CyclesThatAreShownAsTimeHaveClassesOfTime) {
    QDialog& histogram = open(3);
    EXPECT_EQ(facts(histogram).toStdString(), "9 rows: least 0 s, median 4 µs, mean 4 µs, most 8 µs");
    QTest::keyClick(&bars(histogram), Qt::Key_End);
    EXPECT_EQ(bars(histogram).accessibleDescription().toStdString(),
              "1 row (11.1 %): 8 µs to less than 8.50 µs");
    histogram.activateWindow();
    ASSERT_TRUE(QTest::qWaitForWindowActive(&histogram)); // where the key is heard
    QTest::keyClick(&bars(histogram), Qt::Key_C, Qt::ControlModifier);
    const QStringList lines = QApplication::clipboard()->text().split(u'\n');
    EXPECT_EQ(lines.value(0), QStringLiteral("from (s)\tto less than (s)\trows"));
    EXPECT_EQ(lines.value(1), QStringLiteral("0\t5e-07\t1"));
}

TEST_F(HistogramOfAColumn, AnotherColumnIsChosenInItAndClassesMayGrow) {
    QDialog& histogram = open(1);
    auto* columns = histogram.findChild<QComboBox*>();
    QStringList names;
    for (int i = 0; i < columns->count(); ++i)
        names << columns->itemText(i);
    EXPECT_EQ(names,
              (QStringList{QStringLiteral("On the tile"), QStringLiteral("Share"), QStringLiteral("Cycles")}))
        << "what has no unit is no amount";
    columns->setCurrentIndex(2);
    auto* grow = histogram.findChild<QCheckBox*>();
    EXPECT_FALSE(grow->isChecked());
    grow->setChecked(true);
    QTest::keyClick(&bars(histogram), Qt::Key_Home);
    EXPECT_EQ(bars(histogram).accessibleDescription().toStdString(), "1 row (11.1 %): 0 s");
}

TEST_F(HistogramOfAColumn, WordsAmongAmountsAreNone) {
    table.setRows(
        {{0, {textCell(QStringLiteral("a")), numberCell(QStringLiteral("always"), -1)}},
         {1, {textCell(QStringLiteral("b")), writtenCell(QStringLiteral("2 KiB, fits"), bytesCell(2048.0))}},
         {2, {textCell(QStringLiteral("c")), bytesCell(4096.0)}}});
    EXPECT_EQ(facts(open(1)).toStdString(),
              "3 rows: least 2 KiB, median 2 KiB, mean 3 KiB, most 4 KiB; 1 row has none");
    EXPECT_EQ(table.toText(u'\t').section(u'\n', 0, 2).toStdString(),
              "Variable\tOn the tile (bytes)\tShare\tCycles\tLives\na\talways\t\t\t\nb\t2048\t\t\t");
    table.setRows({{0, {textCell(QStringLiteral("a")), shareCell(0.5)}},
                   {1, {textCell(QStringLiteral("b")), bytesCell(2048.0)}}});
    EXPECT_FALSE(table.findChild<QAction*>(QStringLiteral("histogram"))->isVisible())
        << "of two units, which are not compared";
}

TEST_F(HistogramOfAColumn, DifferencesAreSortedBySizeAndSpreadBySign) {
    table.setRows({{0, {textCell(QStringLiteral("a")), bytesDifferenceCell(1024), changeCell(2, 1)}},
                   {1, {textCell(QStringLiteral("b")), bytesDifferenceCell(-4096), changeCell(4, 5)}},
                   {2, {textCell(QStringLiteral("c")), bytesDifferenceCell(0), changeCell(0, 0)}},
                   {3, {textCell(QStringLiteral("d")), absentCell(), changeCell(0, 1)}}});
    EXPECT_EQ(facts(open(1)).toStdString(),
              "4 rows: least −4 KiB, median 0 B, mean −1 KiB, most 1 KiB; 1 row has none");
    EXPECT_EQ(facts(open(2)).toStdString(),
              "4 rows: least −50.0 %, median 0, mean −8.3 %, most 25.0 %; 1 row has none");
    table.sortBy({{1, Qt::DescendingOrder}});
    EXPECT_EQ(shownRows(), QStringLiteral("1 0 2 3"));
    table.findChild<QLineEdit*>(QStringLiteral("filter"))->setText(QStringLiteral("onthetile<0"));
    EXPECT_EQ(shownRows(), QStringLiteral("1"));
    EXPECT_EQ(table.toText(u'\t').section(u'\n', 1, 1).toStdString(), "b\t-4096\t25\t\t");
}

TEST_F(HistogramOfAColumn, RunsAreCountedPerWhatTheyArePer) {
    table.setRows({{0, {textCell(QStringLiteral("a")), runsCell(8, 4)}},
                   {1, {textCell(QStringLiteral("b")), runsCell(1, 4)}}});
    EXPECT_EQ(table.view()->model()->index(1, 1).data().toString().toStdString(), "1 in 4");
    EXPECT_EQ(facts(open(1)).toStdString(), "2 rows: least 0.25, median 0.25, mean 1.125, most 2");
}

TEST_F(HistogramOfAColumn, IsAskedForAtTheHeadAndByKey) {
    QHeaderView& header = *table.view()->horizontalHeader();
    const auto menuAt = [&](int column) {
        Q_EMIT header.customContextMenuRequested(
            {header.sectionViewportPosition(column) + 10, header.height() / 2});
        return table.findChildren<QMenu*>().last();
    };
    const auto asksAt = [&](int column) {
        QMenu* menu = menuAt(column);
        QStringList names;
        for (const QAction* action : menu->actions())
            names << action->text();
        menu->close();
        return !names.filter(QStringLiteral("Histogram of “")).isEmpty();
    };
    EXPECT_FALSE(asksAt(0)) << "names";
    EXPECT_TRUE(asksAt(1));
    EXPECT_FALSE(asksAt(4)) << "nothing says what its numbers are of";
    table.sortBy({{2, Qt::DescendingOrder}});
    auto* action = table.findChild<QAction*>(QStringLiteral("histogram"));
    ASSERT_TRUE(action->isVisible());
    action->trigger();
    EXPECT_EQ(table.findChildren<QDialog*>().last()->findChild<QComboBox*>()->currentText(),
              QStringLiteral("Share"))
        << "that rows are sorted by";
    table.setRows({{0, {textCell(QStringLiteral("a"))}}});
    EXPECT_FALSE(action->isVisible());
}

} // namespace tilescope::ui
