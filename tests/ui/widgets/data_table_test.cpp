// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/session/format.h"
#include "ui/widgets/data_table.h"

#include <QAbstractItemView>
#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPointer>
#include <QScrollArea>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>
#include <QTimer>
#include <QVBoxLayout>
#include <gtest/gtest.h>

namespace tilescope::ui {
namespace {

TEST(DataTable, ADifferenceHasItsSignAndIsSortedByHowMuchItIs) {
    EXPECT_EQ(bytesDifferenceCell(2048).text, QStringLiteral("+2 KiB"));
    EXPECT_EQ(bytesDifferenceCell(-3).text, QStringLiteral("−3 B"));
    EXPECT_EQ(bytesDifferenceCell(0).text, QStringLiteral("="));
    EXPECT_EQ(differenceCell(amountCell(-12)).text, QStringLiteral("−12"));
    DataTable table(QStringLiteral("Differences"), {{QStringLiteral("By")}});
    std::vector<TableRow> rows;
    for (const std::int64_t by : {0, 5, -7, 1})
        rows.push_back({by, {bytesDifferenceCell(by)}});
    table.setRows(std::move(rows));
    table.view()->sortByColumn(0, Qt::DescendingOrder);
    QStringList shown;
    for (int row = 0; row < 4; ++row)
        shown << table.view()->model()->index(row, 0).data().toString();
    EXPECT_EQ(shown, (QStringList{QStringLiteral("−7 B"), QStringLiteral("+5 B"), QStringLiteral("+1 B"),
                                  QStringLiteral("=")}));
}

TEST(DataTable, ABarIsOfTheWhole) {
    DataTable table(QStringLiteral("Layers"),
                    {{QStringLiteral("Share"), true}, {QStringLiteral("Cycles"), true}});
    table.setRows({{0, {shareCell(0.08), countCell(800)}}, {1, {shareCell(0.02), countCell(200)}}});
    const auto bar = [&](int row, int column) {
        return table.view()->model()->index(row, column).data(DataTableModel::ShareRole).toDouble();
    };
    EXPECT_DOUBLE_EQ(bar(0, 0), 0.08) << "8 % do not look like all";
    EXPECT_DOUBLE_EQ(bar(1, 0), 0.02);
    EXPECT_DOUBLE_EQ(bar(0, 1), 0.8) << "of what the column adds up to";
    EXPECT_DOUBLE_EQ(bar(1, 1), 0.2);
}

TEST(DataTable, InAPageThatScrollsItIsAsHighAsItsRowsAndThePageFollowsTheKeys) {
    constexpr int many = 80;
    auto* table =
        new DataTable(QStringLiteral("Layers"), {{QStringLiteral("Layer")}, {QStringLiteral("Bytes")}});
    table->showAllRows();
    QScrollArea page;
    page.setWidgetResizable(true);
    auto* inner = new QWidget;
    auto* column = new QVBoxLayout(inner);
    column->addWidget(table);
    column->addWidget(new QLabel(QStringLiteral("below")));
    page.setWidget(inner);
    page.resize(400, 300);
    page.show();
    ASSERT_TRUE(QTest::qWaitForWindowExposed(&page));
    std::vector<TableRow> rows;
    for (std::int64_t row = 0; row < many; ++row)
        rows.push_back({row, {textCell(QStringLiteral("layer_%1").arg(row)), bytesCell(row * 1000)}});
    table->setRows(rows);
    const QTableView& view = *table->view();
    ASSERT_TRUE(QTest::qWaitFor([&] {
        return view.viewport()->height() >= many * view.verticalHeader()->defaultSectionSize() &&
               view.verticalScrollBar()->maximum() == 0 &&
               page.verticalScrollBar()->maximum() + page.viewport()->height() >= view.height();
    }));
    EXPECT_EQ(view.horizontalScrollBar()->maximum(), 0) << "no bar stands over the last column";
    EXPECT_LE(view.horizontalHeader()->length(), view.viewport()->width());
    EXPECT_GE(view.viewport()->height(), many * view.verticalHeader()->defaultSectionSize());
    EXPECT_EQ(page.verticalScrollBar()->value(), 0);
    table->view()->setFocus();
    table->view()->setCurrentIndex(view.model()->index(0, 0));
    QTest::keyClick(table->view(), Qt::Key_End, Qt::ControlModifier);
    ASSERT_EQ(view.currentIndex().row(), many - 1);
    const QRect last = view.visualRect(view.currentIndex());
    EXPECT_TRUE(page.viewport()->rect().contains(view.viewport()->mapTo(page.viewport(), last.center())));
    rows.resize(2);
    table->setRows(rows);
    EXPECT_LT(view.height(), 8 * view.verticalHeader()->defaultSectionSize());
}

/// Three operations, shown as a person sees them.
class FilteredTable : public testing::Test {
  protected:
    FilteredTable() {
        table.resize(900, 300);
        table.show();
        EXPECT_TRUE(QTest::qWaitForWindowExposed(&table));
        table.activateWindow();
        const auto row = [](std::int64_t key, const char* name, const char* kind, std::int64_t cycles,
                            std::optional<std::int64_t> bytes, double share) {
            return TableRow{key,
                            {textCell(QString::fromLatin1(name)), textCell(QString::fromLatin1(kind)),
                             countCell(cycles), bytes ? bytesCell(*bytes) : absentCell(), shareCell(share)}};
        };
        table.setRows({row(0, "dense/matmul", "MatMul", 1000, 3 * 1024 * 1024 + 5, 0.5),
                       row(1, "dense/matmul/gradient", "MatMul", 600, 2048, 0.3),
                       row(2, "relu", "Relu", 400, std::nullopt, 0.2)});
    }
    QString shown(const char* filter) {
        field().setText(QString::fromLatin1(filter));
        QString keys;
        for (int r = 0; r < table.view()->model()->rowCount(); ++r)
            keys += table.view()->model()->index(r, 0).data(DataTableModel::KeyRole).toString();
        return keys;
    }
    QLineEdit& field() { return *table.findChild<QLineEdit*>(QStringLiteral("filter")); }
    QLabel& label(const char* name) { return *table.findChild<QLabel*>(QLatin1String(name)); }
    DataTable table{QStringLiteral("Operations"),
                    {{QStringLiteral("Operation")},
                     {QStringLiteral("Kind")},
                     {QStringLiteral("Cycles"), true},
                     {QStringLiteral("Exchange bytes"), true},
                     {QStringLiteral("Share")}}};
};

TEST_F(FilteredTable, WordsMustAllOccurAndSomeMustNot) {
    EXPECT_EQ(shown("matmul dense"), QStringLiteral("01"));
    EXPECT_EQ(shown("gradient matmul"), QStringLiteral("1")) << "in whichever order";
    EXPECT_EQ(shown("matmul -gradient"), QStringLiteral("0"));
    EXPECT_EQ(shown("kind:relu"), QStringLiteral("2"));
    EXPECT_EQ(shown("operation:relu"), QStringLiteral("2"));
    EXPECT_EQ(shown("-kind:matmul"), QStringLiteral("2"));
    EXPECT_EQ(shown("cycles>400"), QStringLiteral("01"));
    EXPECT_EQ(shown("cycles>=400 cycles<1,000"), QStringLiteral("12"));
    EXPECT_EQ(shown("cycles<=400"), QStringLiteral("2"));
    EXPECT_EQ(shown("cycles=600"), QStringLiteral("1"));
    EXPECT_EQ(shown("exchange>2KiB"), QStringLiteral("0"))
        << "the head begins so; what is absent is not less";
    EXPECT_EQ(shown("exchangebytes<1GiB"), QStringLiteral("01"));
    EXPECT_EQ(shown("share>20%"), QStringLiteral("01"));
    EXPECT_EQ(shown("nothing:at"), QString()) << "no such column: a word like others";
    EXPECT_EQ(shown(""), QStringLiteral("012"));
}

TEST_F(FilteredTable, OneLongTextLeavesTheOtherColumnsInSight) {
    const QString long_text = QStringLiteral("failed: the device ran out of something ").repeated(20);
    table.setRows({{0,
                    {textCell(QStringLiteral("a")), textCell(long_text), countCell(5), bytesCell(7.0),
                     shareCell(0.5)}}});
    const QTableView& view = *table.view();
    EXPECT_EQ(view.horizontalHeader()->length(), view.viewport()->width());
    EXPECT_LT(view.columnWidth(1), view.viewport()->width() / 2);
}

TEST_F(FilteredTable, SaysThatNothingMatches) {
    EXPECT_FALSE(label("nothingMatches").isVisible());
    shown("softmax");
    EXPECT_TRUE(label("nothingMatches").isVisible());
    EXPECT_TRUE(label("nothingMatches").text().contains(QStringLiteral("“softmax”")));
    Q_EMIT label("nothingMatches").linkActivated(QStringLiteral("clear"));
    EXPECT_FALSE(label("nothingMatches").isVisible());
    EXPECT_EQ(table.view()->model()->rowCount(), 3);
}

TEST_F(FilteredTable, SlashGoesToTheFieldAndEscOrReturnBack) {
    table.view()->setFocus();
    QTest::keyClick(table.view(), Qt::Key_Slash);
    EXPECT_TRUE(field().hasFocus());
    QTest::keyClicks(&field(), QStringLiteral("relu"));
    QTest::keyClick(&field(), Qt::Key_Escape);
    EXPECT_TRUE(table.view()->hasFocus());
    EXPECT_EQ(field().text(), QStringLiteral("relu")) << "what is filtered stays so";
    QTest::keyClick(table.view(), Qt::Key_Slash);
    QTest::keyClick(&field(), Qt::Key_Return);
    EXPECT_TRUE(table.view()->hasFocus());
}

TEST_F(FilteredTable, CopiesTheSelectedRowsExactlyWithUnitsInTheHead) {
    table.view()->setFocus();
    table.selectKey(0);
    QTest::keyClick(table.view(), Qt::Key_C, Qt::ControlModifier);
    EXPECT_EQ(QApplication::clipboard()->text(),
              QStringLiteral("Operation\tKind\tCycles\tExchange bytes (bytes)\tShare (%)\n"
                             "dense/matmul\tMatMul\t1000\t3145733\t50\n"));
    table.selectKey(-1);
    QTest::keyClick(table.view(), Qt::Key_C, Qt::ControlModifier);
    EXPECT_TRUE(QApplication::clipboard()->text().endsWith(QStringLiteral("relu\tRelu\t400\t\t20\n")))
        << "all of them, and what is absent is empty: " << QApplication::clipboard()->text().toStdString();
    EXPECT_EQ(table.toText(QLatin1Char(',')).count(QLatin1Char('\n')), 4);
}

TEST(DataTable, CopiesOfCyclesAreNumbersInTheUnitThatIsShown) {
    DataTable table(QStringLiteral("Steps"), {{QStringLiteral("Step")}, {QStringLiteral("Takes")}});
    table.setRows({{0, {textCell(QStringLiteral("a")), cyclesCell(1850, 1.85e9)}},
                   {1, {textCell(QStringLiteral("b")), cyclesCell(4625000.5, 1.85e9)}}});
    EXPECT_EQ(table.toText(QLatin1Char(',')),
              QStringLiteral("Step,Takes (s)\na,1e-06\nb,0.00250000027027\n"));
    setUnits({.cycles = true});
    EXPECT_EQ(table.toText(QLatin1Char(',')), QStringLiteral("Step,Takes (cycles)\na,1850\nb,4625000.5\n"));
    setUnits({});
}

TEST_F(FilteredTable, AddsUpWhatIsSelected) {
    EXPECT_FALSE(label("selectionSum").isVisible());
    table.view()->selectAll();
    EXPECT_TRUE(label("selectionSum").isVisible());
    EXPECT_EQ(label("selectionSum").text(),
              QStringLiteral("3 rows  ·  Cycles 2,000  ·  Exchange bytes 3.00 MiB"));
    table.selectKey(1);
    EXPECT_FALSE(label("selectionSum").isVisible()) << "one row";
}

TEST(DataTable, ManyRowsThatAreChosenAreCountedInThousands) {
    DataTable table(QStringLiteral("Exchanges"), {{QStringLiteral("Exchange")}});
    std::vector<TableRow> rows(1234);
    for (int i = 0; i < 1234; ++i)
        rows[static_cast<std::size_t>(i)] = {i, {textCell(QString::number(i))}};
    table.setRows(std::move(rows));
    table.view()->selectAll();
    EXPECT_EQ(table.findChild<QLabel*>(QStringLiteral("selectionSum"))->text(), QStringLiteral("1,234 rows"));
}

TEST_F(FilteredTable, AHeadShowsWhatIsMostFirstAndNamesFromAOn) {
    const auto click = [&](int column) {
        QHeaderView& head = *table.view()->horizontalHeader();
        QTest::mouseClick(head.viewport(), Qt::LeftButton, {},
                          {head.sectionViewportPosition(column) + 12, head.height() / 2});
    };
    const auto first = [&] { return table.view()->model()->index(0, 0).data().toString(); };
    click(2);
    EXPECT_EQ(first(), QStringLiteral("dense/matmul"));
    click(2);
    EXPECT_EQ(first(), QStringLiteral("relu"));
    click(0);
    EXPECT_EQ(first(), QStringLiteral("dense/matmul"));
}

TEST_F(FilteredTable, ColumnsAreHiddenInTheMenuOfTheirHead) {
    const auto menu = [&] {
        QHeaderView& head = *table.view()->horizontalHeader();
        Q_EMIT head.customContextMenuRequested({head.sectionViewportPosition(1) + 12, 5});
        return table.findChildren<QMenu*>().back();
    };
    const auto entry = [](QMenu& of, const char* name) {
        for (QAction* action : of.actions())
            if (action->text() == QString::fromUtf8(name))
                return action;
        return static_cast<QAction*>(nullptr);
    };
    QAction* hide = entry(*menu(), "Hide “Kind”");
    ASSERT_NE(hide, nullptr);
    hide->trigger();
    EXPECT_TRUE(table.view()->isColumnHidden(1));
    EXPECT_FALSE(table.toText(QLatin1Char(',')).contains(QStringLiteral("Kind")));
    table.showColumn(1, true);
    EXPECT_TRUE(table.view()->isColumnHidden(1)) << "the view wants it, the user does not";
    DataTable again(QStringLiteral("Operations"), {{QStringLiteral("Operation")}, {QStringLiteral("Kind")}});
    again.setWidths(table.widths());
    EXPECT_TRUE(again.view()->isColumnHidden(1)) << "it is remembered with the widths";
    entry(*menu(), "Kind")->setChecked(true);
    EXPECT_FALSE(table.view()->isColumnHidden(1));
}

TEST(DataTable, AColumnIsAsWideAsItsWidestTextWhateverItsLetters) {
    DataTable table(QStringLiteral("Changes"), {{QStringLiteral("Figure")}, {QStringLiteral("Change")}});
    table.resize(900, 200);
    table.show();
    const QString wide = QStringLiteral("▲ +560.0 % worse");
    const QString narrow = QStringLiteral("1,111,111,111,111"); // of more letters
    table.setRows({{0, {textCell(QStringLiteral("a")), numberCell(narrow, 1)}},
                   {1, {textCell(QStringLiteral("b")), numberCell(wide, 2)}}});
    ASSERT_GT(table.view()->fontMetrics().horizontalAdvance(wide),
              table.view()->fontMetrics().horizontalAdvance(narrow));
    EXPECT_GE(table.view()->horizontalHeader()->sectionSize(1),
              table.view()->fontMetrics().horizontalAdvance(wide) + 16);
}

// Digits are not equally wide in all fonts: of texts that are as long as each other any may be the widest.
TEST(DataTable, AColumnHasRoomForAnyDigits) {
    DataTable table(QStringLiteral("Runs"), {{QStringLiteral("Run")}, {QStringLiteral("Recorded")}});
    table.resize(900, 200);
    table.show();
    const QFontMetrics metrics = table.view()->fontMetrics();
    QChar widest = u'0';
    for (const QChar digit : QStringLiteral("123456789"))
        widest = metrics.horizontalAdvance(digit) > metrics.horizontalAdvance(widest) ? digit : widest;
    const QString ones = QStringLiteral("2026-11-11 11:11:11"); // is first, and as long
    const QString wide = QStringLiteral("2026-11-11 %1%1:%1%1:%1%1").arg(widest);
    table.setRows({{0, {textCell(QStringLiteral("a")), textCell(ones)}},
                   {1, {textCell(QStringLiteral("b")), textCell(wide)}}});
    EXPECT_GE(table.view()->horizontalHeader()->sectionSize(1), metrics.horizontalAdvance(wide) + 16);
}

TEST(DataTable, WidthsThatWereDraggedAreKeptByTheTitleOfTheColumn) {
    DataTable table(QStringLiteral("Layers"),
                    {{QStringLiteral("Name")}, {QStringLiteral("Kind")}, {QStringLiteral("Bytes")}});
    table.resize(800, 200);
    table.show();
    const auto width = [&](int column) { return table.view()->horizontalHeader()->sectionSize(column); };
    const auto fill = [&] {
        table.setRows({{0, {textCell(QStringLiteral("a")), textCell(QStringLiteral("x")), bytesCell(1.0)}}});
    };
    fill();
    const int fitting = width(1);
    table.setWidths({{QStringLiteral("Kind"), 222}});
    EXPECT_EQ(width(1), 222);
    fill();
    EXPECT_EQ(width(1), 222) << "whatever the rows are";
    table.setColumns({{QStringLiteral("Name")}, {QStringLiteral("Now")}, {QStringLiteral("Kind")}});
    fill();
    EXPECT_EQ(width(2), 222) << "and wherever it stands";
    EXPECT_EQ(table.widths().value(QStringLiteral("Kind")).toInt(), 222);
    table.setWidths({});
    table.setColumns({{QStringLiteral("Name")}, {QStringLiteral("Kind")}, {QStringLiteral("Bytes")}});
    fill();
    EXPECT_EQ(width(1), fitting);
}

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

/// A view takes other columns when its file answers, whatever is open just then.
TEST(DataTable, MayBeDeletedWhileItsMenuIsOpen) {
    QWidget window;
    QVBoxLayout layout(&window);
    auto* table = new DataTable(QStringLiteral("Layers"), {{QStringLiteral("Name")}});
    layout.addWidget(table);
    window.show();
    ASSERT_TRUE(QTest::qWaitForWindowActive(&window));
    QPointer<QWidget> menu;
    QTimer::singleShot(0, table, [&] {
        menu = QApplication::activePopupWidget();
        delete table;
    });
    Q_EMIT table->view()->customContextMenuRequested({});
    EXPECT_TRUE(QTest::qWaitFor([&] { return layout.isEmpty(); }, 5000));
    EXPECT_EQ(menu, nullptr) << "it goes with its table";
    EXPECT_EQ(QApplication::activePopupWidget(), nullptr);
}

TEST(DataTable, ItsMenuCopiesTheNameTheCellAndMarkdown) {
    DataTable table(QStringLiteral("Layers"), {{QStringLiteral("Name")}, {QStringLiteral("Bytes")}});
    table.setRows({{1, {textCell(QStringLiteral("a|b")), bytesCell(std::int64_t{2048})}},
                   {2, {textCell(QStringLiteral("c")), bytesCell(std::int64_t{3})}}});
    table.resize(600, 300);
    table.show();
    ASSERT_TRUE(QTest::qWaitForWindowActive(&table));
    QTableView* view = table.view();
    const auto copied = [&](int row, int column, const char* name) {
        const QModelIndex at = view->model()->index(row, column);
        QTest::mouseClick(view->viewport(), Qt::LeftButton, {}, view->visualRect(at).center());
        Q_EMIT view->customContextMenuRequested(view->visualRect(at).center());
        auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
        for (QAction* action : menu->actions())
            if (action->text() == QLatin1String(name))
                action->trigger();
        menu->close();
        return QApplication::clipboard()->text();
    };
    EXPECT_EQ(copied(0, 1, "Copy value"), QStringLiteral("2048")) << "exact, of the cell at the pointer";
    EXPECT_EQ(copied(0, 1, "Copy name"), QStringLiteral("a|b"));
    EXPECT_EQ(copied(0, 0, "Copy as Markdown"),
              QStringLiteral("| Name | Bytes (bytes) |\n| --- | --- |\n| a\\|b | 2048 |\n"));
    view->selectAll();
    Q_EMIT view->customContextMenuRequested({5, 5});
    auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
    for (QAction* action : menu->actions())
        if (action->text() == QStringLiteral("Copy as Markdown"))
            action->trigger();
    menu->close();
    EXPECT_EQ(QApplication::clipboard()->text().count(QLatin1Char('\n')), 4) << "all rows that are chosen";
}

TEST(DataTable, ItsMenuLeavesNothing) {
    DataTable table(QStringLiteral("Layers"), {{QStringLiteral("Name")}});
    table.show();
    ASSERT_TRUE(QTest::qWaitForWindowActive(&table));
    Q_EMIT table.view()->customContextMenuRequested({});
    ASSERT_NE(QApplication::activePopupWidget(), nullptr);
    QApplication::activePopupWidget()->close();
    EXPECT_TRUE(QTest::qWaitFor([&] { return table.findChildren<QMenu*>().isEmpty(); }, 5000));
}

// A number at the left edge would stand far from the others, were its column as wide as names need.
TEST(DataTable, FiguresStandTogetherAndNamesHaveRoom) {
    const QString name(60, QLatin1Char('m'));
    const auto width_of_first = [&](const Cell& first) {
        DataTable table({}, {{QStringLiteral("First")}, {QStringLiteral("Second")}});
        table.resize(1200, 300);
        table.show();
        table.setRows({{1, {first, countCell(2)}}});
        return table.view()->columnWidth(0);
    };
    EXPECT_LT(width_of_first(countCell(1)), 200);
    EXPECT_GT(width_of_first(textCell(QStringLiteral("a"))), 800);
    DataTable many({}, std::vector<Column>(12, Column{QStringLiteral("Thousand cycles")}));
    many.resize(900, 300);
    many.show();
    TableRow row{1, std::vector<Cell>(12, countCell(1'000'000))};
    row.cells[0] = textCell(name);
    many.setRows({row});
    EXPECT_GE(many.view()->columnWidth(0), 300) << "the rest is reached by scrolling";
}

TEST(DataTable, NamesGiveWayToSentencesThatWrap) {
    const QString long_words = QStringLiteral("a name that is longer than most of them are, and then some");
    DataTable table(QStringLiteral("Causes"), {{QStringLiteral("Cause")},
                                               {QStringLiteral("Time of all the units")},
                                               {QStringLiteral("Bytes of all the units")},
                                               {QStringLiteral("Why"), false, true}});
    table.wrapTexts();
    table.resize(900, 300);
    table.setRows(
        {{1, {textCell(long_words), countCell(1), countCell(2), textCell(long_words + long_words)}}});
    table.setVisible(true);
    const auto width = [&](int column) { return table.view()->columnWidth(column); };
    EXPECT_GE(width(0), 150) << "enough to be told apart";
    EXPECT_GE(width(3), width(0));
    table.resize(1500, 300);
    EXPECT_GT(width(0), 350) << "where there is room for both";
    EXPECT_GT(width(3), width(0));
    const QString part = QStringLiteral("the_gradient_of_a_categorical_crossentropy");
    table.setRows({{1,
                    {textCell(QStringLiteral("loss/") + part), countCell(1), countCell(2),
                     textCell(long_words + long_words)}}});
    table.resize(900, 300);
    EXPECT_GE(width(0), table.view()->fontMetrics().horizontalAdvance(part)) << "no line breaks within it";
}

TEST(DataTable, RowsThatWrapAreAsHighAsTheirTextsTake) {
    DataTable table(
        QStringLiteral("Causes"),
        {{QStringLiteral("Cause")}, {QStringLiteral("Time")}, {QStringLiteral("Why"), false, true}});
    table.wrapTexts();
    table.resize(500, 400);
    table.setVisible(true);
    const auto sentence = [](int words) {
        QString text;
        for (int i = 0; i < words; ++i)
            text += QStringLiteral("rearranged ");
        return textCell(text.trimmed());
    };
    std::vector<TableRow> rows;
    for (int words = 1; words < 30; ++words)
        rows.push_back(
            {words, {textCell(QStringLiteral("layer %1").arg(words)), countCell(words), sentence(words)}});
    rows.push_back({30, {textCell(QStringLiteral("whole")), countCell(1), sentence(1)}});
    rows.push_back({31, {sentence(40), countCell(1), sentence(40)}});
    rows.back().within = 30;
    table.setRows(rows);
    const QTableView& view = *table.view();
    const auto check = [&] {
        for (int row = 0; row < view.model()->rowCount(); ++row) {
            // as Qt lays text out itself, in a label of the room that a cell has within its padding and
            // margin
            const int margin = view.style()->pixelMetric(QStyle::PM_FocusFrameHMargin, nullptr, &view) + 1;
            const auto high = [&](int column, int arrows) {
                const QRect room(0, 0, view.columnWidth(column) - arrows - 10 - 2 * margin, 10'000);
                const QString text = view.model()->index(row, column).data().toString();
                return view.fontMetrics().boundingRect(room, Qt::TextWordWrap, text).height();
            };
            const int least = std::max(high(0, row == 30 ? 40 : 20), high(2, 0));
            EXPECT_GE(view.rowHeight(row), least) << row;
            EXPECT_LT(view.rowHeight(row), least + 2 * view.fontMetrics().height()) << row;
        }
    };
    check();
    const int narrow = view.rowHeight(28);
    table.resize(1100, 400);
    check();
    EXPECT_LT(view.rowHeight(28), narrow) << "another width, other lines";
    ASSERT_EQ(view.model()->rowCount(), 30);
    table.view()->setCurrentIndex(view.model()->index(29, 0));
    QTest::keyClick(table.view(), Qt::Key_Right);
    ASSERT_EQ(view.model()->rowCount(), 31);
    check();
}

TEST(DataTable, NamesStayInSightWhenFiguresAreScrolled) {
    DataTable table({}, std::vector<Column>(12, Column{QStringLiteral("Thousand cycles")}));
    table.resize(900, 300);
    table.show();
    std::vector<TableRow> rows;
    for (int i = 0; i < 3; ++i) {
        rows.push_back({i, std::vector<Cell>(12, countCell(1'000'000 + i))});
        rows.back().cells[0] = textCell(QStringLiteral("name %1").arg(i));
    }
    table.setRows(rows);
    ASSERT_TRUE(QTest::qWaitForWindowExposed(&table));
    QTableView& view = *table.view();
    const QRect names(0, 0, view.columnWidth(0) - 1, view.viewport()->height());
    const QImage before = view.viewport()->grab(names).toImage();
    const QImage heads = view.horizontalHeader()->viewport()->grab(names).toImage();
    view.horizontalScrollBar()->setValue(view.horizontalScrollBar()->maximum());
    ASSERT_GT(view.horizontalScrollBar()->value(), names.width());
    EXPECT_EQ(view.viewport()->grab(names).toImage(), before);
    EXPECT_EQ(view.horizontalHeader()
                  ->viewport()
                  ->grab(names.intersected(view.horizontalHeader()->rect()))
                  .toImage(),
              heads.copy(names.intersected(view.horizontalHeader()->rect())));
    // What is done to them there is done to them.
    const QPoint second(20, view.rowViewportPosition(1) + 5);
    EXPECT_EQ(view.indexAt(second).column(), 0);
    QSignalSpy chosen(&table, &DataTable::keyChosen);
    QTest::mouseClick(view.viewport(), Qt::LeftButton, {}, second);
    ASSERT_EQ(chosen.size(), 1);
    EXPECT_EQ(chosen[0][0].toLongLong(), 1);
    QTest::mouseClick(view.horizontalHeader()->viewport(), Qt::LeftButton, {}, QPoint(30, 10));
    EXPECT_EQ(view.horizontalHeader()->sortIndicatorSection(), 0) << "its head sorts by it";
}

} // namespace

namespace {

/// "b" holds two rows; "a" and "c" none.
void fillFolded(DataTable& table) {
    const auto row = [](std::int64_t key, const char* name, std::int64_t count, std::int64_t within) {
        return TableRow{key, {textCell(QLatin1String(name)), countCell(count)}, within};
    };
    table.setRows({row(1, "a", 5, -1), row(2, "b", 9, -1), row(3, "b small", 1, 2), row(4, "b large", 8, 2),
                   row(5, "c", 7, -1)});
}

QStringList namesOf(const DataTable& table) {
    QStringList names;
    for (int row = 0; row < table.view()->model()->rowCount(); ++row)
        names << table.view()->model()->index(row, 0).data().toString();
    return names;
}

} // namespace

TEST(DataTable, RowsFoldIntoAnotherAndStayBelowItHoweverTheyAreSorted) {
    DataTable table(QStringLiteral("Rows"), {{QStringLiteral("Name")}, {QStringLiteral("Count")}});
    fillFolded(table);
    table.resize(500, 400);
    table.show();
    table.view()->sortByColumn(1, Qt::DescendingOrder);
    EXPECT_EQ(namesOf(table).join(u','), QStringLiteral("b,c,a"));
    table.selectKey(2);
    QTest::keyClick(table.view(), Qt::Key_Right);
    EXPECT_EQ(namesOf(table).join(u','), QStringLiteral("b,b large,b small,c,a"));
    table.view()->sortByColumn(1, Qt::AscendingOrder);
    EXPECT_EQ(namesOf(table).join(u','), QStringLiteral("a,c,b,b small,b large"));
    fillFolded(table);
    EXPECT_EQ(namesOf(table).size(), 5) << "rows that are read anew stay unfolded";
    table.selectKey(4);
    QTest::keyClick(table.view(), Qt::Key_Left); // from within
    EXPECT_EQ(namesOf(table).join(u','), QStringLiteral("a,c,b"));
    EXPECT_EQ(table.view()->currentIndex().data().toString(), QStringLiteral("b"));
    table.selectKey(3);
    EXPECT_EQ(table.view()->currentIndex().data().toString(), QStringLiteral("b"))
        << "it is folded into that";
    table.unfoldTo(3);
    table.selectKey(3);
    EXPECT_EQ(table.view()->currentIndex().data().toString(), QStringLiteral("b small"));
}

TEST(DataTable, TheArrowUnfoldsAndTheFilterFindsWhatIsFolded) {
    DataTable table(QStringLiteral("Rows"), {{QStringLiteral("Name")}, {QStringLiteral("Count")}});
    fillFolded(table);
    table.resize(500, 400);
    table.show();
    const QRect of_b = table.view()->visualRect(table.view()->model()->index(1, 0));
    QTest::mouseClick(table.view()->viewport(), Qt::LeftButton, {}, of_b.topLeft() + QPoint(8, 8));
    EXPECT_EQ(namesOf(table).size(), 5);
    QTest::mouseClick(table.view()->viewport(), Qt::LeftButton, {}, of_b.topLeft() + QPoint(8, 8));
    EXPECT_EQ(namesOf(table).size(), 3);
    table.findChild<QLineEdit*>()->setText(QStringLiteral("large"));
    EXPECT_EQ(namesOf(table).join(u','), QStringLiteral("b,b large"));
}

} // namespace tilescope::ui
