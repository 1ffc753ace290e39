// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/data_table.h"

#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QMenu>
#include <QTest>
#include <gtest/gtest.h>
#include <utility>

namespace tilescope::ui {
namespace {

enum { Name, Kind, Ipu, Cycles };

/// Four operations of two kinds on two IPUs.
class SortedTable : public testing::Test {
  protected:
    SortedTable() {
        table.resize(700, 300);
        table.show();
        EXPECT_TRUE(QTest::qWaitForWindowExposed(&table));
        const auto row = [](std::int64_t key, const char* name, const char* kind, std::int64_t ipu,
                            std::int64_t cycles) {
            return TableRow{key,
                            {textCell(QString::fromLatin1(name)), textCell(QString::fromLatin1(kind)),
                             countCell(ipu), countCell(cycles)}};
        };
        table.setRows({row(0, "a", "MatMul", 0, 5), row(1, "b", "Relu", 1, 7), row(2, "c", "MatMul", 1, 9),
                       row(3, "d", "MatMul", 1, 2)});
    }
    void click(int column, Qt::KeyboardModifiers held = {}) {
        auto& head = *table.view()->horizontalHeader();
        const QPoint at(head.sectionViewportPosition(column) + head.sectionSize(column) / 2,
                        head.height() / 2);
        QTest::mouseMove(head.viewport(), at);
        QTest::mouseClick(head.viewport(), Qt::LeftButton, held, at);
    }
    QString order() {
        QString names;
        for (int r = 0; r < table.view()->model()->rowCount(); ++r)
            names += table.view()->model()->index(r, 0).data().toString();
        return names;
    }
    QImage picture(int column) {
        auto& head = *table.view()->horizontalHeader();
        QTest::mouseMove(head.viewport(), QPoint(head.width() - 2, head.height() / 2)); // off all of them
        return head.viewport()
            ->grab(QRect(head.sectionViewportPosition(column), 0, head.sectionSize(column), head.height()))
            .toImage();
    }
    QString tip() { return table.view()->horizontalHeader()->viewport()->toolTip(); }
    DataTable table{QStringLiteral("Operations"),
                    {{QStringLiteral("Operation")},
                     {QStringLiteral("Kind")},
                     {QStringLiteral("IPU")},
                     {QStringLiteral("Cycles")}}};
};

TEST_F(SortedTable, ShiftAndAClickAddAColumnThenTurnItThenTakeItOut) {
    click(Kind);
    EXPECT_EQ(order(), QStringLiteral("acdb")) << "equal rows stay as they came";
    click(Cycles, Qt::ShiftModifier);
    EXPECT_EQ(order(), QStringLiteral("cadb")) << "most first within a kind";
    EXPECT_EQ(table.sortKeys(),
              (std::vector<SortKey>{{Kind, Qt::AscendingOrder}, {Cycles, Qt::DescendingOrder}}));
    click(Cycles, Qt::ShiftModifier);
    EXPECT_EQ(order(), QStringLiteral("dacb"));
    click(Cycles, Qt::ShiftModifier);
    EXPECT_EQ(order(), QStringLiteral("acdb"));
    EXPECT_EQ(table.sortKeys().size(), 1U);
}

TEST_F(SortedTable, AThirdColumnCountsWhereTwoAreEqual) {
    click(Kind);
    click(Ipu, Qt::ShiftModifier);
    EXPECT_EQ(order(), QStringLiteral("cdab"));
    click(Cycles, Qt::ShiftModifier);
    click(Cycles, Qt::ShiftModifier);
    EXPECT_EQ(order(), QStringLiteral("dcab"));
    click(Kind, Qt::ShiftModifier); // the first is turned, the others count on
    EXPECT_EQ(order(), QStringLiteral("bdca"));
    EXPECT_EQ(table.sortKeys().size(), 3U);
}

TEST_F(SortedTable, AClickAloneSortsByOneColumnAgain) {
    click(Kind);
    click(Cycles, Qt::ShiftModifier);
    click(Ipu);
    EXPECT_EQ(table.sortKeys(), (std::vector<SortKey>{{Ipu, Qt::DescendingOrder}}));
    EXPECT_EQ(order(), QStringLiteral("bcda"));
}

TEST_F(SortedTable, HeadsAndTheirTipSayInWhichOrder) {
    click(Kind);
    const QImage alone = picture(Kind);
    const QImage unsorted = picture(Cycles);
    EXPECT_TRUE(tip().startsWith(QStringLiteral("Sorted by Kind (from A on).\n"))) << tip().toStdString();
    click(Cycles, Qt::ShiftModifier);
    EXPECT_TRUE(tip().startsWith(QStringLiteral("Sorted by Kind (from A on), then Cycles (most first).\n")))
        << tip().toStdString();
    EXPECT_NE(picture(Kind), alone) << "1";
    const QImage second = picture(Cycles);
    EXPECT_NE(second, unsorted) << "2, and an arrow";
    table.sortBy({{Kind, Qt::AscendingOrder}, {Ipu, Qt::AscendingOrder}, {Cycles, Qt::DescendingOrder}});
    EXPECT_NE(picture(Cycles), second) << "3";
    click(Kind);
    EXPECT_EQ(picture(Cycles), unsorted);
}

TEST_F(SortedTable, CopiesAndFilesAreInThatOrder) {
    click(Kind);
    click(Cycles, Qt::ShiftModifier);
    EXPECT_EQ(
        table.toText(QLatin1Char(',')),
        QStringLiteral("Operation,Kind,IPU,Cycles\nc,MatMul,1,9\na,MatMul,0,5\nd,MatMul,1,2\nb,Relu,1,7\n"));
    table.view()->setFocus();
    table.view()->selectAll();
    QTest::keyClick(table.view(), Qt::Key_C, Qt::ControlModifier);
    EXPECT_TRUE(
        QApplication::clipboard()->text().startsWith(QStringLiteral("Operation\tKind\tIPU\tCycles\nc\t")))
        << QApplication::clipboard()->text().toStdString();
}

TEST_F(SortedTable, RowsThatComeLaterAreSortedTheSame) {
    table.sortBy({{Kind, Qt::AscendingOrder}, {Cycles, Qt::DescendingOrder}});
    auto rows = std::vector<TableRow>{
        {8, {textCell(QStringLiteral("x")), textCell(QStringLiteral("K")), countCell(0), countCell(1)}},
        {9, {textCell(QStringLiteral("y")), textCell(QStringLiteral("K")), countCell(0), countCell(4)}}};
    table.setRows(std::move(rows));
    EXPECT_EQ(order(), QStringLiteral("yx"));
}

TEST_F(SortedTable, TheMenuOfARowSortsByKeyToo) {
    const auto choose = [&](const char* menu_title, const char* column) {
        QTest::keyClick(table.view(), Qt::Key_F10, Qt::ShiftModifier);
        auto* menu = table.findChild<QMenu*>(QStringLiteral("rowMenu"));
        ASSERT_NE(menu, nullptr);
        for (QMenu* sub : menu->findChildren<QMenu*>())
            if (sub->title() == QLatin1String(menu_title))
                for (QAction* action : sub->actions())
                    if (action->text() == QLatin1String(column))
                        action->trigger();
        menu->close();
        delete menu;
    };
    choose("Sort by", "Kind");
    EXPECT_EQ(order(), QStringLiteral("acdb"));
    choose("Then by", "Cycles");
    EXPECT_EQ(order(), QStringLiteral("cadb"));
    choose("Sort by", "Kind");
    EXPECT_EQ(table.sortKeys(), (std::vector<SortKey>{{Kind, Qt::DescendingOrder}}));
}

// The header keeps the number of a column that is gone.
TEST_F(SortedTable, OfFewerColumnsIsNotSortedByOneThatIsGone) {
    table.view()->sortByColumn(Cycles, Qt::DescendingOrder);
    table.setColumns({{QStringLiteral("Name")}, {QStringLiteral("Kind")}});
    table.setRows({{0, {textCell(QStringLiteral("a")), textCell(QStringLiteral("MatMul"))}}});
    EXPECT_TRUE(table.sortKeys().empty());
}

// Nobody else wants the room.
TEST_F(SortedTable, ALongTextHasTheRoomThatNumbersLeave) {
    const QString name(50, QLatin1Char('m'));
    table.setColumns({{QStringLiteral("id")}, {QStringLiteral("name")}});
    table.setRows({{0, {countCell(7), textCell(name)}}});
    const int needed = table.view()->fontMetrics().horizontalAdvance(name);
    ASSERT_LT(needed, 600);
    EXPECT_GE(table.view()->columnWidth(1), needed);
}

} // namespace
} // namespace tilescope::ui
