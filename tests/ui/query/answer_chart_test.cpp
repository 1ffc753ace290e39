// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/profile_fixture.h"
#include "tests/ui/view_test_support.h"
#include "ui/query/answer_bars.h"
#include "ui/query/answer_chart.h"
#include "ui/query/query_view.h"
#include "ui/theme/theme.h"
#include "ui/tiles/tile_map.h"
#include "ui/widgets/data_table.h"
#include "ui/widgets/scatter_plot.h"

#include <QAction>
#include <QComboBox>
#include <QDialog>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSettings>
#include <QSignalSpy>
#include <QTabWidget>
#include <QTableView>
#include <gtest/gtest.h>

namespace tilescope::ui {
namespace {

class ChartedQuery : public testing::Test {
  protected:
    void ask(const QString& sql) {
        shown.view.run(sql);
        shown.settle();
    }
    AnswerBars* bars() { return shown.view.findChild<AnswerBars*>(); }
    AnswerChart* chart() { return shown.view.findChild<AnswerChart*>(); }
    void draw(int kind) {
        auto* box = chart()->findChild<QComboBox*>(QStringLiteral("chartKind"));
        box->setCurrentIndex(kind);
        Q_EMIT box->activated(kind);
    }
    void showChart() {
        shown.view.findChild<QTabWidget*>()->setCurrentWidget(chart());
        shown.settle();
    }

    tests::ShownView<QueryView> shown;
};

TEST_F(ChartedQuery, TakesTheKeysWhereItsTabIsShownByThem) {
    shown.view.activateWindow();
    ASSERT_TRUE(QTest::qWaitForWindowActive(&shown.view));
    ask(QStringLiteral("SELECT 'a' AS name, 100 AS bytes UNION ALL SELECT 'b', 25"));
    shown.view.findChild<DataTable*>(QStringLiteral("answer"))->setFocus();
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_PageDown, Qt::ControlModifier);
    EXPECT_EQ(QApplication::focusWidget(), bars());
    draw(static_cast<int>(AnswerChart::Kind::Scatter));
    chart()->setFocus();
    ASSERT_NE(QApplication::focusWidget(), nullptr);
    EXPECT_TRUE(QApplication::focusWidget()->inherits("tilescope::ui::ScatterPlot"));
}

TEST_F(ChartedQuery, NamedRowsAreBarsAsLongAsTheirNumbers) {
    ask(QStringLiteral(
        "SELECT 'a' AS name, 100 AS bytes UNION ALL SELECT 'b', 25 UNION ALL SELECT 'c', NULL"));
    showChart();
    EXPECT_EQ(chart()->kind(), AnswerChart::Kind::Bars);
    ASSERT_NE(bars(), nullptr);
    const QImage picture = bars()->grab().toImage();
    const QColor colour = Theme::of(bars()).seriesColor(0);
    const auto length = [&](int row) {
        int most = 0;
        const int y = bars()->barOf(static_cast<std::size_t>(row)).center().y();
        for (int x = 0; x < picture.width(); ++x)
            most += picture.pixelColor(x, y) == colour ? 1 : 0;
        return most;
    };
    EXPECT_GT(length(0), 200);
    EXPECT_NEAR(length(1), length(0) / 4.0, 2);
    EXPECT_EQ(length(2), 0) << "NULL is no number";
    // Numbers over numbers are lines at first, and the reader's choice stays.
    ask(QStringLiteral("SELECT 1 AS step, 2 AS bytes UNION ALL SELECT 2, 3"));
    EXPECT_EQ(chart()->kind(), AnswerChart::Kind::Lines);
    draw(static_cast<int>(AnswerChart::Kind::Scatter));
    ask(QStringLiteral("SELECT 3 AS step, 5 AS bytes UNION ALL SELECT 4, 6"));
    EXPECT_EQ(chart()->kind(), AnswerChart::Kind::Scatter);
}

TEST_F(ChartedQuery, BarsAreCopiedAsLinesOfCsv) {
    ask(QStringLiteral("SELECT 'a, or b' AS name, 100 AS bytes UNION ALL SELECT 'c', 25"));
    showChart();
    EXPECT_EQ(bars()->toText(QLatin1Char(',')), QStringLiteral("name,bytes\n\"a, or b\",100\nc,25\n"));
    EXPECT_EQ(bars()->toText(QLatin1Char('\t')), QStringLiteral("name\tbytes\na, or b\t100\nc\t25\n"));
}

TEST_F(ChartedQuery, PointsAreOneColumnOverAnother) {
    ask(QStringLiteral("SELECT name, id * 3 AS a, id + 7 AS b FROM operation ORDER BY id LIMIT 3"));
    showChart();
    draw(static_cast<int>(AnswerChart::Kind::Scatter));
    const QString points = chart()->findChild<ScatterPlot*>()->toText(QLatin1Char(','));
    EXPECT_TRUE(points.contains(QStringLiteral(",7,0\n"))) << points.toStdString();
    EXPECT_TRUE(points.contains(QStringLiteral(",9,6\n"))) << points.toStdString();
}

/// Lines of the floor plan as it is copied that have a value: "ipu tile value".
QStringList shownTiles(AnswerChart& chart) {
    QStringList shown;
    for (const QString& line :
         chart.findChild<TileMap*>()->toText(QLatin1Char(',')).split(QLatin1Char('\n'), Qt::SkipEmptyParts)) {
        const QStringList cells = line.split(QLatin1Char(','));
        if (!cells[4].isEmpty())
            shown << QStringList{cells[0], cells[1], cells[4]}.join(QLatin1Char(' '));
    }
    return shown;
}

TEST_F(ChartedQuery, RowsOfTilesAreAFloorPlan) {
    ask(QStringLiteral("SELECT tile, value AS bytes FROM tile_values('memory', 0, 0, 'total')"));
    showChart();
    EXPECT_EQ(chart()->kind(), AnswerChart::Kind::Tiles);
    const auto* table = shown.view.findChild<DataTable*>(QStringLiteral("answer"));
    const QStringList tiles = shownTiles(*chart());
    ASSERT_EQ(tiles.size(), table->view()->model()->rowCount() + 1);
    EXPECT_EQ(tiles[0], QStringLiteral("ipu tile bytes"));
    auto& map = *chart()->findChild<TileMap*>();
    EXPECT_TRUE(map.accessibleName().contains(QStringLiteral("bytes")));
    const QSignalSpy wanted(&shown.view, &View::viewRequested);
    map.setFocus();
    QTest::keyClick(&map, Qt::Key_Right);
    EXPECT_EQ(shown.selection.current().tiles, std::vector<std::int64_t>{0});
    EXPECT_EQ(table->view()->currentIndex().row(), 0) << "in the table, too";
    QTest::keyClick(&map, Qt::Key_Return);
    ASSERT_EQ(wanted.size(), 1);
    EXPECT_EQ(wanted[0][0].toString(), QStringLiteral("memory"));
}

TEST_F(ChartedQuery, AFloorPlanHasNothingWhereNoRowIsOfATile) {
    ask(QStringLiteral("SELECT 3 AS tile, 0.5 AS part UNION ALL SELECT 3, 0.25 UNION ALL SELECT 5, NULL"));
    showChart();
    EXPECT_EQ(shownTiles(*chart()),
              (QStringList{QStringLiteral("ipu tile value"), QStringLiteral("0 3 0.75")}));
    EXPECT_EQ(chart()->findChild<QLabel*>(QStringLiteral("chartTold"))->text(),
              QStringLiteral("rows of the same tile are added up"));
    ask(QStringLiteral("SELECT 1 AS ipu, 1 AS source_tile, 7 AS cycles UNION ALL SELECT 4, 2, 9"));
    EXPECT_EQ(shownTiles(*chart()), (QStringList{QStringLiteral("ipu tile cycles"), QStringLiteral("1 1 7"),
                                                 QStringLiteral("4 2 9")}));
    auto* kinds = chart()->findChild<QComboBox*>(QStringLiteral("chartKind"));
    const auto offered = [&] {
        return (kinds->model()->flags(kinds->model()->index(static_cast<int>(AnswerChart::Kind::Tiles), 0)) &
                Qt::ItemIsEnabled) != 0;
    };
    EXPECT_TRUE(offered());
    ask(QStringLiteral("SELECT -1 AS tile, 7 AS cycles"));
    EXPECT_FALSE(offered()) << "no tile has that number";
    EXPECT_NE(chart()->kind(), AnswerChart::Kind::Tiles);
    ask(QStringLiteral("SELECT 5 AS tile"));
    EXPECT_FALSE(offered()) << "it has nothing to draw";
    ask(QStringLiteral("SELECT 638976 AS bytes_per_tile, 4 AS ipus"));
    EXPECT_FALSE(offered()) << "these are bytes";
    ask(QStringLiteral("SELECT 2 AS tile, -7 AS total"));
    showChart();
    EXPECT_EQ(shownTiles(*chart()),
              (QStringList{QStringLiteral("ipu tile value"), QStringLiteral("0 2 -7")}));
    EXPECT_EQ(chart()->findChild<QLabel*>(QStringLiteral("chartTold"))->text(),
              QStringLiteral("what is below 0 has the shade of 0"));
}

TEST_F(ChartedQuery, ABarLeadsToWhatItsRowNames) {
    ask(QStringLiteral("SELECT name, id AS operation_id, 10 + id AS amount FROM operation ORDER BY id"));
    showChart();
    const QSignalSpy wanted(&shown.view, &View::viewRequested);
    bars()->setFocus();
    QTest::keyClick(bars(), Qt::Key_Down);
    QTest::keyClick(bars(), Qt::Key_Down);
    EXPECT_EQ(shown.selection.current().operation, 1);
    const auto* table = shown.view.findChild<DataTable*>(QStringLiteral("answer"));
    EXPECT_EQ(table->view()->currentIndex().row(), 1) << "in the table, too";
    QTest::keyClick(bars(), Qt::Key_Return);
    ASSERT_EQ(wanted.size(), 1);
    EXPECT_EQ(wanted[0][0].toString(), QStringLiteral("operations"));
}

TEST_F(ChartedQuery, ARowThatNamesSomethingWithoutItsIdLeadsThere) {
    const QSignalSpy wanted(&shown.view, &View::viewRequested);
    const auto enter = [&](const QString& sql) {
        ask(sql);
        auto* view = shown.view.findChild<DataTable*>(QStringLiteral("answer"))->view();
        view->setCurrentIndex(view->model()->index(0, 0));
        QTest::keyClick(view, Qt::Key_Return);
        shown.settle();
        return wanted.isEmpty() ? QString() : wanted.last()[0].toString();
    };
    const QSignalSpy messages(&shown.view, &View::message);
    EXPECT_EQ(enter(QStringLiteral("SELECT 'it''s nothing' AS name, 5 AS amount")), QString());
    ASSERT_FALSE(messages.isEmpty());
    EXPECT_TRUE(messages.last()[0].toString().startsWith(QStringLiteral("The row names no operation")));
    EXPECT_EQ(enter(QStringLiteral("SELECT 12 AS cycles, name FROM operation WHERE id = 1")),
              QStringLiteral("operations"));
    EXPECT_EQ(shown.selection.current().operation, 1);
    EXPECT_EQ(enter(QStringLiteral("SELECT name FROM layer WHERE id = 0")), QStringLiteral("graph"));
    EXPECT_EQ(shown.selection.current().layer, 0);
    EXPECT_EQ(shown.selection.current().operation, -1);
    EXPECT_EQ(enter(QStringLiteral("SELECT name, bytes FROM variable ORDER BY id LIMIT 1")),
              QStringLiteral("memory"));
    EXPECT_GE(shown.selection.current().variable, 0);
}

TEST_F(ChartedQuery, MoreRowsAreLoaded) {
    const auto rows = [this] {
        return shown.view.findChild<DataTable*>(QStringLiteral("answer"))->view()->model()->rowCount();
    };
    auto* more = shown.view.findChild<QPushButton*>(QStringLiteral("loadMore"));
    ask(QStringLiteral("SELECT 1 AS n"));
    EXPECT_FALSE(more->isVisibleTo(&shown.view));
    ask(QStringLiteral("WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 100007) "
                       "SELECT n FROM t"));
    EXPECT_EQ(rows(), 100000);
    ASSERT_TRUE(more->isVisibleTo(&shown.view));
    more->click();
    shown.settle();
    EXPECT_EQ(rows(), 100007);
    EXPECT_FALSE(more->isVisibleTo(&shown.view));
}

TEST_F(ChartedQuery, AQueryIsKeptWithItsNote) {
    QSettings().remove(QStringLiteral("queries"));
    auto* saved = shown.view.findChild<QListWidget*>(QStringLiteral("savedQueries"));
    const auto fill = [&](const QString& name, const QString& note) {
        auto* dialog = shown.view.findChild<QDialog*>(QStringLiteral("saveQuery"));
        ASSERT_NE(dialog, nullptr);
        dialog->findChild<QLineEdit*>()->setText(name);
        dialog->findChild<QPlainTextEdit*>()->setPlainText(note);
        dialog->accept();
        delete dialog;
    };
    shown.view.findChild<QPlainTextEdit*>(QStringLiteral("sql"))->setPlainText(QStringLiteral("SELECT 7"));
    for (auto* button : shown.view.findChildren<QPushButton*>())
        if (button->text() == QStringLiteral("Save…"))
            button->click();
    fill(QStringLiteral("seven"), QStringLiteral("what seven is"));
    ASSERT_GT(saved->count(), 0);
    EXPECT_EQ(saved->item(0)->text(), QStringLiteral("seven\nwhat seven is"));
    saved->setCurrentRow(0);
    const auto action = [&](const char* name) {
        for (QAction* each : saved->actions())
            if (each->text().startsWith(QLatin1String(name)))
                return each->trigger();
        ADD_FAILURE() << name;
    };
    action("Name and note");
    fill(QStringLiteral("eight"), QString());
    EXPECT_EQ(saved->item(0)->text(), QStringLiteral("eight"));
    EXPECT_EQ(QSettings().value(QStringLiteral("queries")).toMap().keys(),
              QStringList{QStringLiteral("eight")});
    QListWidgetItem* item = saved->item(0);
    Q_EMIT saved->itemActivated(item);
    shown.settle();
    EXPECT_EQ(shown.view.findChild<DataTable*>(QStringLiteral("answer"))->view()->model()->index(0, 0).data(),
              QStringLiteral("7"));
    saved->setCurrentRow(0);
    action("Remove");
    EXPECT_TRUE(QSettings().value(QStringLiteral("queries")).toMap().isEmpty());
    QSettings().remove(QStringLiteral("queries"));
}

} // namespace
} // namespace tilescope::ui
