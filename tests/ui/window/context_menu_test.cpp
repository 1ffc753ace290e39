// SPDX-License-Identifier: GPL-3.0-or-later
#include "frame_fixture.h"
#include "tests/system_fixture.h"
#include "ui/compile/flame_chart.h"
#include "ui/graph/graph_view.h"
#include "ui/liveness/liveness_curve.h"
#include "ui/pipeline/pipeline_view.h"
#include "ui/query/answer_bars.h"
#include "ui/query/query_view.h"
#include "ui/sharding/sharding_view.h"
#include "ui/sharding/system_canvas.h"
#include "ui/trace/trace_view.h"
#include "ui/widgets/data_table.h"
#include "ui/widgets/scatter_plot.h"

#include <QAction>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QTabWidget>
#include <QTreeView>

namespace tilescope::ui {
namespace {

class ContextMenus : public Frame {
  protected:
    QMenu* shown(const char* name = "subjectMenu") {
        QMenu* menu = nullptr;
        (void)QTest::qWaitFor(
            [&] {
                menu = nullptr;
                for (auto* each : window->findChildren<QMenu*>(QLatin1String(name)))
                    menu = each->isVisible() ? each : menu;
                return menu != nullptr;
            },
            2000);
        return menu;
    }
    static QAction* entry(const QMenu& menu, const QString& name) {
        for (QAction* action : menu.actions())
            if (action->text().remove(QLatin1Char('&')).section(QLatin1Char('\t'), 0, 0) == name)
                return action;
        return nullptr;
    }
    /// Chooses an entry; "Go to>Trace" of the menu in it.
    static void choose(QMenu& menu, const char* path) {
        QMenu* at = &menu;
        const QStringList names = QString::fromUtf8(path).split(QLatin1Char('>'));
        for (const QString& name : names) {
            QAction* action = entry(*at, name);
            ASSERT_NE(action, nullptr) << name.toStdString();
            if (name == names.last())
                action->trigger();
            else
                at = action->menu();
        }
        menu.close();
    }
    static void ask(QWidget* part, const QPoint& at) {
        QContextMenuEvent event(QContextMenuEvent::Mouse, at, part->mapToGlobal(at));
        QApplication::sendEvent(part, &event);
    }
    static QString copied() { return QApplication::clipboard()->text(); }
};

TEST_F(ContextMenus, OfTheGraphByPointerAndByKey) {
    open("first.tilescope");
    press("G, G");
    settle();
    auto& canvas = window->findChild<GraphView*>()->canvas();
    const GraphBox& box = canvas.scene().boxes.front();
    ask(&canvas, canvas.toWidget(box.rect.center()).toPoint());
    QMenu* menu = shown();
    ASSERT_NE(menu, nullptr);
    EXPECT_EQ(canvas.marks().focus, 0U) << "what is under the pointer is chosen first";
    const QMenu* places = entry(*menu, QStringLiteral("Go to"))->menu();
    EXPECT_TRUE(places->actions().front()->text().endsWith(QStringLiteral("\tG, O")));
    choose(*menu, "Copy name");
    const QString name = copied();
    EXPECT_FALSE(name.isEmpty());
    QTest::keyClick(&canvas, Qt::Key_F10, Qt::ShiftModifier);
    menu = shown();
    ASSERT_NE(menu, nullptr);
    choose(*menu, "Copy as Markdown");
    EXPECT_TRUE(copied().contains(QStringLiteral("| --- |")));
    EXPECT_TRUE(copied().contains(name));
    QTest::keyClick(&canvas, Qt::Key_Menu);
    menu = shown();
    ASSERT_NE(menu, nullptr);
    choose(*menu, "Go to>Operations");
    EXPECT_EQ(view(), QStringLiteral("operations"));
}

TEST_F(ContextMenus, OfTheProgramShowsOnlyARowAndCopiesIt) {
    open("first.tilescope");
    press("G, P");
    settle();
    auto* tree = qobject_cast<QTreeView*>(QApplication::focusWidget());
    ASSERT_NE(tree, nullptr);
    press("Down");
    press("Down");
    settle();
    const QString label = tree->currentIndex().siblingAtColumn(0).data().toString();
    QTest::keyClick(tree, Qt::Key_Menu);
    QMenu* menu = shown();
    ASSERT_NE(menu, nullptr);
    choose(*menu, "Copy row");
    EXPECT_TRUE(copied().contains(QLatin1Char('\t')));
    QTest::keyClick(tree, Qt::Key_Menu);
    menu = shown();
    ASSERT_NE(menu, nullptr);
    choose(*menu, "Show only this");
    auto* field = window->findChild<QLineEdit*>(QStringLiteral("programFilter"));
    EXPECT_TRUE(label.startsWith(field->text())) << label.toStdString();
    EXPECT_FALSE(field->text().isEmpty());
    ask(tree->viewport(), QPoint(40, 8));
    menu = shown();
    ASSERT_NE(menu, nullptr);
    choose(*menu, "Show all again");
    EXPECT_TRUE(field->text().isEmpty());
    QTest::keyClick(tree, Qt::Key_F10, Qt::ShiftModifier);
    menu = shown();
    ASSERT_NE(menu, nullptr);
    choose(*menu, "Go to>Liveness");
    EXPECT_EQ(view(), QStringLiteral("liveness"));
}

TEST_F(ContextMenus, OfTheProgramAsksForAStepAndAllBelowItAsSql) {
    open("first.tilescope");
    press("G, P");
    settle();
    auto* tree = qobject_cast<QTreeView*>(QApplication::focusWidget());
    ASSERT_NE(tree, nullptr);
    tree->setCurrentIndex(tree->model()->index(0, 0));
    QTest::keyClick(tree, Qt::Key_Menu);
    QMenu* menu = shown();
    ASSERT_NE(menu, nullptr);
    choose(*menu, "Open as SQL");
    settle();
    EXPECT_EQ(view(), QStringLiteral("query"));
    // The program, its repeat, the infeed, and of each of twelve operations a sequence, an exchange and a
    // compute set.
    const auto* outcome = window->findChild<QLabel*>(QStringLiteral("outcome"));
    EXPECT_TRUE(outcome->text().startsWith(QStringLiteral("39 rows"))) << outcome->text().toStdString();
}

// Operations that are alike are one row, of which the slowest is shown elsewhere.
TEST_F(ContextMenus, OfARowLeadToTheOtherViewsThatShowWhatItNames) {
    open("first.tilescope");
    const auto first_row = [this](const char* table, const char* place) {
        auto* rows = window->findChild<DataTable*>(QLatin1String(table))->view();
        ASSERT_GT(rows->model()->rowCount(), 0) << table;
        rows->setCurrentIndex(rows->model()->index(0, 0));
        ask(rows->viewport(), rows->visualRect(rows->currentIndex()).center());
        QMenu* menu = shown("rowMenu");
        ASSERT_NE(menu, nullptr) << table;
        choose(*menu, place);
        settle();
    };
    press("G, O");
    settle();
    first_row("operations", "Go to>Graph");
    EXPECT_EQ(view(), QStringLiteral("graph"));
    const std::int64_t operation = window->findChild<SelectionModel*>()->current().operation;
    EXPECT_GE(operation, 0);
    press("G, O");
    settle();
    first_row("operationSteps", "Go to>Program");
    EXPECT_EQ(view(), QStringLiteral("program"));
    const Selection step = window->findChild<SelectionModel*>()->current();
    EXPECT_GE(step.program, 0) << "which choosing the row alone does not select";
    EXPECT_EQ(step.operation, -1);
    press("G, M");
    settle();
    first_row("tileVariables", "Go to>Liveness");
    EXPECT_EQ(view(), QStringLiteral("liveness"));
    EXPECT_GE(window->findChild<SelectionModel*>()->current().variable, 0);
}

TEST_F(ContextMenus, OfThePipelineLeadsASlotIntoTheTrace) {
    ASSERT_TRUE(tests::record_system(folder / "pipeline.tilescope", {2, 2, true}));
    open("pipeline.tilescope");
    press("G, K");
    settle();
    auto& timeline = window->findChild<PipelineView*>()->timeline();
    const QRect lane = timeline.laneRect(0, 0);
    ask(timeline.viewport(), {lane.left() + lane.width() / 8, lane.center().y()});
    QMenu* menu = shown();
    ASSERT_NE(menu, nullptr);
    choose(*menu, "Copy name");
    EXPECT_TRUE(copied().startsWith(QStringLiteral("IPU 0, Stage 0"))) << copied().toStdString();
    QTest::keyClick(&timeline, Qt::Key_Menu);
    menu = shown();
    ASSERT_NE(menu, nullptr);
    choose(*menu, "Go to>Trace");
    EXPECT_EQ(view(), QStringLiteral("trace"));
}

TEST_F(ContextMenus, OfTheBoxesOfSharding) {
    ASSERT_TRUE(tests::record_system(folder / "pipeline.tilescope", {2, 2, true}));
    open("pipeline.tilescope");
    press("G, H");
    settle();
    auto& canvas = window->findChild<ShardingView*>()->canvas();
    ask(canvas.viewport(), canvas.toWidget(canvas.layoutShown().boxes[1].rect).center().toPoint());
    QMenu* menu = shown();
    ASSERT_NE(menu, nullptr);
    choose(*menu, "Copy name");
    EXPECT_TRUE(copied().startsWith(QStringLiteral("IPU 1"))) << copied().toStdString();
    EXPECT_EQ(window->findChild<SelectionModel*>()->current().ipu, 1);
    QTest::keyClick(&canvas, Qt::Key_Menu);
    menu = shown();
    ASSERT_NE(menu, nullptr);
    choose(*menu, "Go to>Memory");
    settle();
    EXPECT_EQ(view(), QStringLiteral("memory"));
}

TEST_F(ContextMenus, OfTheCurveOfLivenessAndThePassesOfCompile) {
    open("first.tilescope");
    press("G, L");
    settle();
    auto* curve = window->findChild<LivenessCurve*>();
    ask(curve, curve->rect().center());
    QMenu* menu = shown();
    ASSERT_NE(menu, nullptr);
    choose(*menu, "Go to>Program");
    settle();
    EXPECT_EQ(view(), QStringLiteral("program"));
    EXPECT_GE(window->findChild<SelectionModel*>()->current().program, 0);
    press("G, C");
    settle();
    auto* passes = window->findChild<FlameChart*>();
    QTest::keyClick(passes, Qt::Key_Right);
    QTest::keyClick(passes, Qt::Key_F10, Qt::ShiftModifier);
    menu = shown();
    ASSERT_NE(menu, nullptr);
    choose(*menu, "Copy name");
    EXPECT_EQ(copied(), QStringLiteral("compile fixture"));
}

TEST_F(ContextMenus, OfTheRooflineAndOfTheCardsOfSummary) {
    open("first.tilescope");
    press("G, S");
    settle();
    auto* card = window->findChild<QWidget*>(QStringLiteral("card memory"));
    ask(card, {8, 8});
    QMenu* menu = shown();
    ASSERT_NE(menu, nullptr);
    choose(*menu, "Copy value");
    EXPECT_TRUE(copied().endsWith(QLatin1Char('%'))) << copied().toStdString();
    QTest::keyClick(card, Qt::Key_Menu);
    menu = shown();
    ASSERT_NE(menu, nullptr);
    choose(*menu, "Go to>Liveness");
    settle();
    EXPECT_EQ(view(), QStringLiteral("liveness"));
    EXPECT_EQ(window->findChild<SelectionModel*>()->current().tiles.size(), 1U);
    press("G, O");
    settle();
    press("Ctrl+PgDown");
    auto* plot = window->findChild<ScatterPlot*>(QStringLiteral("roofline"));
    ASSERT_TRUE(plot->isVisible());
    plot->setFocus();
    plot->grab(); // its area is known once it is painted
    QTest::keyClick(plot, Qt::Key_Right);
    settle();
    QTest::keyClick(plot, Qt::Key_Menu);
    menu = shown();
    ASSERT_NE(menu, nullptr);
    choose(*menu, "Go to>Graph");
    EXPECT_EQ(view(), QStringLiteral("graph"));
    EXPECT_GE(window->findChild<SelectionModel*>()->current().operation, 0);
}

// Which keys an action has is the user's choice.
TEST_F(ContextMenus, HaveTheSameEntriesWhateverTheirKeys) {
    open("first.tilescope");
    const auto give = [](const QWidget& part, const char* action, const QKeySequence& keys) {
        for (QAction* each : part.actions())
            if (each->text() == QLatin1String(action))
                return each->setShortcut(keys);
        ADD_FAILURE() << action;
    };
    const auto entries = [&](QWidget& part) {
        QStringList names;
        QTest::keyClick(&part, Qt::Key_Menu);
        QMenu* menu = shown();
        if (menu == nullptr)
            return names;
        for (const QAction* action : menu->actions())
            if (!action->isSeparator() && action->isVisible())
                names << action->text().section(QLatin1Char('\t'), 0, 0);
        delete menu;
        return names;
    };
    const QKeySequence other(QStringLiteral("Ctrl+Alt+J"));
    press("G, L");
    settle();
    auto* curve = window->findChild<LivenessCurve*>();
    const QStringList of_curve = entries(*curve);
    EXPECT_TRUE(of_curve.contains(QStringLiteral("Copy as picture")));
    EXPECT_TRUE(of_curve.contains(QStringLiteral("Copy figures")));
    give(*curve, "Copy as picture", other);
    give(*curve, "First step", {});
    EXPECT_EQ(entries(*curve), of_curve);

    press("G, T");
    settle();
    TimelineWidget& timeline = window->findChild<TraceView*>()->timeline();
    const QStringList of_trace = entries(timeline);
    for (const char* name : {"Frame selection", "Mark", "Range of the chosen slice", "Mark the range",
                             "Pin the IPU, or let it go", "Pin the lane, or let it go", "Hide the IPU",
                             "Copy as picture", "Export the range…"})
        EXPECT_TRUE(of_trace.contains(QString::fromUtf8(name))) << name;
    EXPECT_FALSE(of_trace.contains(QStringLiteral("Ruler")));
    give(timeline, "Pin the IPU, or let it go", other);
    give(timeline, "Hide the IPU", {});
    give(timeline, "Ruler", {});
    EXPECT_EQ(entries(timeline), of_trace);
}

TEST_F(ContextMenus, OfRowsOfTheTotalsOfTrace) {
    open("first.tilescope");
    press("G, T");
    settle();
    auto* rows = window->findChild<DataTable*>(QStringLiteral("rangeTotals"))->view();
    ASSERT_GT(rows->model()->rowCount(), 0);
    QSet<QString> places;
    for (int row = 0; row < rows->model()->rowCount(); ++row) { // some are of no operation
        rows->setCurrentIndex(rows->model()->index(row, 0));
        ask(rows->viewport(), rows->visualRect(rows->currentIndex()).center());
        QMenu* menu = shown("rowMenu");
        ASSERT_NE(menu, nullptr);
        if (const QAction* to = entry(*menu, QStringLiteral("Go to")))
            for (const QAction* action : to->menu()->actions())
                places << action->text().section(QLatin1Char('\t'), 0, 0);
        menu->close();
    }
    EXPECT_TRUE(places.contains(QStringLiteral("Operations")));
}

TEST_F(ContextMenus, OfTheChartOfAnAnswerLeadToWhatItsRowsName) {
    open("first.tilescope");
    press("G, Q");
    settle();
    auto* query = window->findChild<QueryView*>();
    query->run(QStringLiteral("SELECT name, id AS operation_id, id + 1 AS n FROM operation"));
    settle();
    for (auto* tabs : query->findChildren<QTabWidget*>())
        tabs->setCurrentIndex(1);
    auto* bars = window->findChild<AnswerBars*>();
    ASSERT_TRUE(bars->isVisible());
    ask(bars, {20, 20});
    QMenu* menu = shown();
    ASSERT_NE(menu, nullptr);
    choose(*menu, "Go to>Graph");
    EXPECT_EQ(view(), QStringLiteral("graph"));
    EXPECT_EQ(window->findChild<SelectionModel*>()->current().operation, 0);
}

} // namespace
} // namespace tilescope::ui
