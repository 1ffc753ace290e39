// SPDX-License-Identifier: GPL-3.0-or-later
#include "profile/recorder.h"
#include "tests/record_rows.h"
#include "tests/ui/shown_text.h"
#include "tests/ui/view_test_support.h"
#include "ui/operations/operations_view.h"
#include "ui/session/format.h"
#include "ui/tiles/tile_map.h"
#include "ui/widgets/data_table.h"
#include "ui/widgets/legend.h"
#include "ui/widgets/scatter_plot.h"
#include "ui/widgets/yielding_split.h"

#include <QAbstractItemModel>
#include <QAction>
#include <QComboBox>
#include <QHeaderView>
#include <QMenu>
#include <QTabWidget>
#include <QTableView>
#include <QTest>
#include <algorithm>
#include <gtest/gtest.h>
#include <limits>
#include <map>

namespace tilescope::ui {
namespace {

using tests::fixture_compute_cycles;
using tests::fixture_exchange_cycles;
using tests::fixture_sync_cycles;

QString time(std::int64_t cycles) {
    return formatTime(cycles, 1e9); // the clock of the fixture
}

/// Rows of a table as they are shown: cells of the columns that are not hidden.
std::vector<QStringList> shownRows(const QWidget& view, const char* name) {
    const QTableView* table = view.findChild<DataTable*>(QLatin1String(name))->view();
    std::vector<QStringList> rows;
    for (int r = 0; r < table->model()->rowCount(); ++r) {
        QStringList cells;
        for (int c = 0; c < table->model()->columnCount(); ++c)
            if (!table->isColumnHidden(c))
                cells << table->model()->index(r, c).data().toString();
        rows.push_back(cells);
    }
    return rows;
}

} // namespace

TEST(Operations, WhatLosesMostStandsFirst) {
    tests::ShownView<OperationsView> shown;
    const auto* table = shown.view.findChild<DataTable*>(QStringLiteral("operations"))->view();
    int lost = -1;
    for (int c = 0; c < table->model()->columnCount(); ++c)
        if (table->model()->headerData(c, Qt::Horizontal).toString() == QStringLiteral("Lost"))
            lost = c;
    ASSERT_GE(lost, 0);
    double before = std::numeric_limits<double>::infinity();
    for (int r = 0; r < table->model()->rowCount(); ++r) {
        const double now = table->model()->index(r, lost).data(DataTableModel::SortRole).toDouble();
        EXPECT_LE(now, before) << r;
        before = now;
    }
    EXPECT_GE(before, 0) << "all are known";
}

TEST(Operations, AreSortedByTheCyclesThatTheyTake) {
    tests::ShownView<OperationsView> shown;
    shown.view.findChild<DataTable*>(QStringLiteral("operations"))
        ->view()
        ->sortByColumn(1, Qt::DescendingOrder);
    const auto rows = shownRows(shown.view, "operations");
    ASSERT_EQ(static_cast<std::int64_t>(rows.size()), tests::small_fixture.operations());
    const std::int64_t last = tests::small_fixture.operations() - 1; // later ones take longer
    EXPECT_EQ(rows.front()[1],
              time(fixture_sync_cycles + fixture_exchange_cycles(last) + fixture_compute_cycles(last)));
    EXPECT_EQ(rows.back()[1],
              time(fixture_sync_cycles + fixture_exchange_cycles(0) + fixture_compute_cycles(0)));
}

TEST(Operations, TheSlowestIsNamedAndItsStepsAreShown) {
    tests::ShownView<OperationsView> shown;
    const QString slowest = shownRows(shown.view, "operations").front()[0];
    EXPECT_TRUE(tests::shows(shown.view, slowest + QStringLiteral(" takes the most")))
        << slowest.toStdString();
    const auto steps = shownRows(shown.view, "operationSteps");
    ASSERT_EQ(steps.size(), 2U);
    EXPECT_EQ(steps[0][1], QStringLiteral("exchange"));
    EXPECT_EQ(steps[1][1], QStringLiteral("compute set"));
    const std::int64_t last = tests::small_fixture.operations() - 1;
    EXPECT_EQ(steps[1][6], time(fixture_compute_cycles(last)));
}

// An engine run of four steps: per step the operation runs once, and its program step takes what one run
// does.
TEST(Operations, StepsArePerWhatTheTableIsPer) {
    tests::ShownView<OperationsView> shown([](const std::string& path) {
        auto recorder = profile::Recorder::create(path, profile::RunRecord{});
        if (!recorder)
            return Result<void>(Failure(recorder.error()));
        profile::Recorder& r = **recorder;
        r.set(profile::TargetRecord{"pod4", "ipu2", 1, 4, 1000, 1e9, 6});
        r.add(profile::IpuRecord{0, 0, "", 0, 0});
        r.add(profile::OperationRecord{0, "op", "matmul", -1, profile::Phase::Forward});
        r.add(profile::DeviceProgramRecord{0, "predict", 0, false});
        r.add(profile::ProgramRecord{0, -1, 0, profile::StepKind::Repeat, "steps", -1, -1, -1, 4});
        r.add(profile::ProgramRecord{1, 0, 0, profile::StepKind::Execute, "op/run", 0, -1, -1, 1, 0, 20, 0,
                                     300, 0, -1, 4});
        return r.finish(profile::RunStatus::OutOfMemory); // it was never run
    });
    EXPECT_TRUE(tests::shows(shown.view, QStringLiteral(" of its cycles tiles wait"))) << "there is one";
    const auto of = [&](analyse::Basis basis) {
        Selection next = shown.selection.current();
        next.basis = basis;
        shown.selection.set(next);
        shown.settle();
        return shownRows(shown.view, "operationSteps").at(0);
    };
    const QStringList whole = of(analyse::Basis::Execution);
    EXPECT_EQ(whole.mid(3),
              (QStringList{QStringLiteral("4"), time(80), QStringLiteral("0"), time(1200), time(1280)}))
        << whole.join(u'|').toStdString();
    const QStringList step = of(analyse::Basis::Step);
    EXPECT_EQ(step.mid(3),
              (QStringList{QStringLiteral("1"), time(20), QStringLiteral("0"), time(300), time(320)}))
        << step.join(u'|').toStdString();
    EXPECT_EQ(shownRows(shown.view, "operations").at(0).at(2), QStringLiteral("100.0 %"))
        << "of the planned time, for no time has passed";
    EXPECT_TRUE(tests::shows(shown.view, QStringLiteral("of the planned time of IPU 0")));
    const Units before = units();
    setUnits({true, before.whole_bytes});
    shown.view.writeAnew();
    shown.settle();
    EXPECT_EQ(shownRows(shown.view, "operations").at(0).at(1), QStringLiteral("320 cycles"));
    setUnits(before);
}

TEST(Operations, AChosenRowIsTheSelectionOfAllViewsAndOneOfAnotherViewIsFollowed) {
    tests::ShownView<OperationsView> shown;
    auto* table = shown.view.findChild<DataTable*>(QStringLiteral("operations"))->view();
    table->sortByColumn(1, Qt::DescendingOrder);
    table->selectionModel()->setCurrentIndex(table->model()->index(1, 0),
                                             QItemSelectionModel::SelectCurrent | QItemSelectionModel::Rows);
    EXPECT_EQ(shown.selection.current().operation, tests::small_fixture.operations() - 2);
    Selection other = shown.selection.current();
    other.operation = 0;
    shown.selection.set(other);
    shown.settle();
    EXPECT_EQ(table->currentIndex().row(), static_cast<int>(tests::small_fixture.operations()) - 1);
    EXPECT_EQ(shownRows(shown.view, "operationSteps")[1][6], time(fixture_compute_cycles(0)));
}

TEST(Operations, EnterShowsThePlanOfTheSlowestAndThePageKeysGoThroughTheTabs) {
    tests::ShownView<OperationsView> shown;
    auto* table = shown.view.findChild<DataTable*>(QStringLiteral("operations"))->view();
    const auto* tabs = shown.view.findChild<QTabWidget*>();
    table->setFocus();
    ASSERT_FALSE(table->currentIndex().isValid());
    QTest::keyClick(table, Qt::Key_Return);
    EXPECT_EQ(table->currentIndex().row(), 0);
    EXPECT_EQ(tabs->tabText(tabs->currentIndex()), QStringLiteral("Plan and runners-up"));
    QTest::keyClick(table, Qt::Key_PageUp, Qt::ControlModifier);
    EXPECT_EQ(tabs->tabText(tabs->currentIndex()), QStringLiteral("Roofline"));
    QTest::keyClick(table, Qt::Key_PageUp, Qt::ControlModifier);
    QTest::keyClick(table, Qt::Key_PageUp, Qt::ControlModifier);
    EXPECT_EQ(tabs->tabText(tabs->currentIndex()), QStringLiteral("History over executions"))
        << "round and round";
    EXPECT_TRUE(table->hasFocus()) << "so that the arrows go on";
}

// dense/MatMul is planned twice, once at twice the cycles, and made as a step that exchanges and one that
// computes.
TEST(Operations, WhereThereIsLittleHeightTheTabsFoldAndEnterOpensThem) {
    tests::ShownView<OperationsView> shown(tests::small_fixture, {950, 500});
    const auto* split = shown.view.findChild<YieldingSplit*>();
    shown.view.activateWindow();
    auto* table = shown.view.findChild<DataTable*>(QStringLiteral("operations"))->view();
    table->setFocus();
    ASSERT_TRUE(QTest::qWaitFor([&] { return split->folded(); }));
    const int rows = table->height();
    table->setCurrentIndex(table->model()->index(0, 0));
    QTest::keyClick(table, Qt::Key_Return);
    EXPECT_TRUE(QTest::qWaitFor([&] { return !split->folded(); }));
    EXPECT_LT(table->height(), rows);
    EXPECT_EQ(shown.view.findChild<QTabWidget*>()->currentIndex(), 2) << "the plan";
}

TEST(Operations, PlansStandAsBarsBesideWhatWasMadeOfThem) {
    tests::ShownView<OperationsView> shown;
    Selection selection;
    selection.operation = 0;
    shown.selection.set(selection);
    shown.settle();
    const auto* bars = shown.view.findChild<QWidget*>(QStringLiteral("planBars"));
    ASSERT_NE(bars, nullptr);
    EXPECT_TRUE(bars->isVisibleTo(bars->parentWidget()));
    const std::int64_t compute = fixture_compute_cycles(0);
    const std::int64_t made = fixture_sync_cycles + fixture_exchange_cycles(0) + compute;
    EXPECT_EQ(
        bars->accessibleDescription(),
        QStringLiteral("AMP on 64 tiles: %1; with its operands where they lie: %3; AMP on 64 tiles: %2; "
                       "what was made of it: %3")
            .arg(formatTime(compute, 1e9), formatTime(2 * compute, 1e9), formatTime(made, 1e9)));
    selection.operation = 1; // a relu
    shown.selection.set(selection);
    shown.settle();
    EXPECT_FALSE(bars->isVisibleTo(bars->parentWidget()));
}

TEST(Operations, AClassOfTilesIsOnTheFloorPlanAndEnterLeadsToMemory) {
    tests::ShownView<OperationsView> shown;
    Selection selection;
    selection.operation = 0;
    shown.selection.set(selection);
    shown.settle();
    auto* tabs = shown.view.findChild<QTabWidget*>();
    tabs->setCurrentIndex(3);
    auto* histogram = shown.view.findChild<QWidget*>(QStringLiteral("operationTiles"));
    const auto* map = shown.view.findChild<TileMap*>(QStringLiteral("operationTileMap"));
    EXPECT_EQ(map->partCount(), static_cast<int>(tests::small_fixture.tiles));
    QString place;
    QObject::connect(&shown.view, &View::viewRequested, &shown.view, [&](const QString& id) { place = id; });
    histogram->setFocus();
    QTest::keyClick(histogram, Qt::Key_Return);
    EXPECT_EQ(place, QString()) << "no class is chosen";
    QTest::keyClick(histogram, Qt::Key_Left); // the slowest of them
    EXPECT_TRUE(histogram->accessibleDescription().contains(formatCount(fixture_compute_cycles(0))))
        << histogram->accessibleDescription().toStdString();
    QTest::keyClick(histogram, Qt::Key_Return);
    EXPECT_EQ(place, QStringLiteral("memory"));
    ASSERT_FALSE(shown.selection.current().tiles.empty());
    EXPECT_LT(shown.selection.current().tiles.size(), static_cast<std::size_t>(tests::small_fixture.tiles));
}

// Three steps in each of three executions, of two epochs; of the last one of training and
// of the evaluation only the phases are known.
TEST(Operations, WhatItTakesInExecutionsThatAreAlikeIsSaidOnce) {
    tests::ShownView<OperationsView> shown;
    Selection selection;
    selection.operation = 4;
    shown.selection.set(selection);
    shown.settle();
    auto* tabs = shown.view.findChild<QTabWidget*>();
    tabs->setCurrentIndex(tabs->count() - 1);
    EXPECT_EQ(tabs->tabText(tabs->currentIndex()), QStringLiteral("History over executions"));
    const std::int64_t spent =
        3 * (fixture_sync_cycles + fixture_exchange_cycles(4) + fixture_compute_cycles(4));
    EXPECT_TRUE(tests::shows(
        shown.view,
        QStringLiteral(" takes %1 of IPU time in 3 of 5 executions, ").arg(formatCyclesAndTime(spent, 1e9))))
        << tests::shown_texts(shown.view).join(u'\n').toStdString();
    EXPECT_TRUE(tests::shows(shown.view, QStringLiteral("the same in each: they do one schedule. "
                                                        "Of 2 executions only the phases are known.")));
    EXPECT_FALSE(shown.view.findChild<DataTable*>(QStringLiteral("operationHistory"))->isVisible());
}

// The second execution is longer, which is another schedule.
TEST(Operations, ExecutionsThatDifferStandBelowEachOtherAndLeadToTrace) {
    tests::ShownView<OperationsView> shown([](const std::string& path) {
        using namespace profile;
        auto recorder = *Recorder::create(path, {});
        recorder->set(TargetRecord{"ipu", "ipu2", 1, 16, 1000, 1e9, 6});
        recorder->add(IpuRecord{0, 0, "a"});
        recorder->add(OperationRecord{0, "matmul", "matmul", 0, Phase::Forward});
        recorder->add(ProgramRecord{0, -1, 0, StepKind::Sequence, "main"});
        recorder->add(ProgramRecord{1, 0, 0, StepKind::Execute, "matmul", 0, 0, 0});
        tests::record_rows(
            *recorder,
            {{0, ExecutionKind::Train, 0, 0, 1, 0, 100, 1}, {1, ExecutionKind::Train, 1, 0, 1, 100, 160, 1}},
            {{0, 0, 100, 0, 0, 0, 0, 0}, {1, 0, 160, 0, 0, 0, 0, 0}},
            {{0, 0, 1, 0, 0, 0, 0, 100}, {1, 0, 1, 0, 100, 0, 0, 160}});
        return recorder->finish(RunStatus::Complete);
    });
    auto* tabs = shown.view.findChild<QTabWidget*>();
    tabs->setCurrentIndex(tabs->count() - 1);
    EXPECT_TRUE(tests::shows(shown.view, QStringLiteral("each of the 2 executions, of 2 kinds")));
    const auto rows = shownRows(shown.view, "operationHistory");
    ASSERT_EQ(rows.size(), 2U);
    EXPECT_EQ(rows[0].mid(0, 5), tests::words({"train, epoch 1", "1", "1", "100 ns", "100 ns"}));
    EXPECT_EQ(rows[1].mid(0, 5), tests::words({"train, epoch 2", "1", "1", "160 ns", "160 ns"}));
    QString place;
    QObject::connect(&shown.view, &View::viewRequested, &shown.view, [&](const QString& id) { place = id; });
    auto* table = shown.view.findChild<DataTable*>(QStringLiteral("operationHistory"));
    table->view()->setCurrentIndex(table->view()->model()->index(1, 0));
    QTest::keyClick(table->view(), Qt::Key_Return);
    EXPECT_EQ(place, QStringLiteral("trace"));
    EXPECT_EQ(shown.selection.current().range, (std::pair<std::int64_t, std::int64_t>(100, 260)));
}

TEST(Operations, TheVariablesOfAnOperationStandWithTheirLives) {
    tests::ShownView<OperationsView> shown;
    Selection selection;
    selection.operation = 0;
    shown.selection.set(selection);
    shown.settle();
    const auto rows = shownRows(shown.view, "operationVariables");
    const auto product = std::find_if(rows.begin(), rows.end(), [](const QStringList& row) {
        return row[0] == QStringLiteral("dense/MatMul");
    });
    ASSERT_NE(product, rows.end());
    EXPECT_EQ((*product)[1], QStringLiteral("16 KiB"));
    EXPECT_TRUE((*product)[3].startsWith(QStringLiteral("steps "))) << (*product)[3].toStdString();
    EXPECT_EQ((*product)[4], QStringLiteral("Variables"));
    EXPECT_TRUE(std::none_of(rows.begin(), rows.end(), [](const QStringList& row) {
        return row[0].startsWith(QStringLiteral("dense/Relu"));
    })) << "another operation makes it";
}

TEST(Operations, RunsArePerWhatIsShownAndBytesAreThoseAtThePeak) {
    tests::ShownView<OperationsView> shown;
    for (QAction* action : shown.view.actions())
        if (action->text() == QStringLiteral("All columns"))
            action->trigger();
    const auto* table = shown.view.findChild<DataTable*>(QStringLiteral("operations"))->view();
    const auto cell = [&](const char* head, int row) {
        for (int c = 0; c < table->model()->columnCount(); ++c)
            if (table->model()->headerData(c, Qt::Horizontal).toString() == QLatin1String(head))
                return table->model()->index(row, c).data().toString();
        return QString();
    };
    std::map<QString, QString> live;
    for (int row = 0; row < table->model()->rowCount(); ++row) {
        EXPECT_EQ(cell("Runs", row), QStringLiteral("1")) << "once in each step";
        EXPECT_EQ(cell("Code", row), QStringLiteral("3 KiB"));
        live[cell("Operation", row)] = cell("Live at peak", row);
    }
    EXPECT_EQ(live[QStringLiteral("dense/Update")], QStringLiteral("0 B")) << "it makes none";
    EXPECT_TRUE(std::any_of(live.begin(), live.end(),
                            [](const auto& of) { return of.second == QStringLiteral("16 KiB"); }));
}

TEST(Operations, WhatTakesMostOfAPhaseComesFirstWhereThatIsAskedFor) {
    tests::ShownView<OperationsView> shown;
    const QTableView* table = shown.view.findChild<DataTable*>(QStringLiteral("operations"))->view();
    const auto sorted = [&] {
        const int column = table->horizontalHeader()->sortIndicatorSection();
        return table->isColumnHidden(column) ? QString()
                                             : table->model()->headerData(column, Qt::Horizontal).toString();
    };
    shown.view.orderBy(QStringLiteral("exchange"));
    EXPECT_EQ(sorted(), QStringLiteral("Exchange"));
    shown.view.orderBy(QStringLiteral("host"));
    EXPECT_EQ(sorted(), QStringLiteral("Exchange")) << "no operation waits for the host";
}

TEST(Operations, AClickUnderTheRoofChoosesTheOperation) {
    tests::ShownView<OperationsView> shown;
    auto* tabs = shown.view.findChild<QTabWidget*>();
    tabs->setCurrentIndex(1);
    auto* plot = shown.view.findChild<ScatterPlot*>(QStringLiteral("roofline"));
    const QStringList lines = plot->toText(QLatin1Char('\t')).split(QLatin1Char('\n'), Qt::SkipEmptyParts);
    EXPECT_EQ(lines.front(), QStringLiteral("Operation\tFLOPs per exchanged byte\tFLOPs per cycle"));
    ASSERT_GT(lines.size(), 1);
    plot->setFocus();
    QTest::keyClick(plot, Qt::Key_Home);
    QTest::keyClick(plot, Qt::Key_Right);
    const std::int64_t chosen = shown.selection.current().operation;
    ASSERT_GE(chosen, 0);
    const QTableView* table = shown.view.findChild<DataTable*>(QStringLiteral("operations"))->view();
    EXPECT_EQ(table->currentIndex().siblingAtColumn(0).data().toString(), lines[1].section(u'\t', 0, 0));
}

TEST(Operations, TheLegendOfTheRooflineHidesPhases) {
    tests::ShownView<OperationsView> shown;
    auto* tabs = shown.view.findChild<QTabWidget*>();
    tabs->setCurrentIndex(1);
    const auto* plot = shown.view.findChild<ScatterPlot*>(QStringLiteral("roofline"));
    auto* legend = shown.view.findChild<Legend*>(QStringLiteral("rooflineLegend"));
    ASSERT_NE(legend, nullptr);
    const auto names = [&] {
        QStringList lines = plot->toText(QLatin1Char('\t')).split(QLatin1Char('\n'), Qt::SkipEmptyParts);
        lines.removeFirst();
        return lines;
    };
    const qsizetype all = names().size();
    const auto of_forward = names().filter(QStringLiteral("/MatMul\t")).size();
    ASSERT_GT(of_forward, 0);
    ASSERT_LT(of_forward, all);
    ASSERT_EQ(legend->part(0).name, QStringLiteral("forward"));
    QTest::mouseClick(legend, Qt::LeftButton, {}, legend->part(0).rect.center());
    EXPECT_EQ(names().filter(QStringLiteral("/MatMul\t")).size(), 0);
    EXPECT_LT(names().size(), all);
    QTest::mouseClick(legend, Qt::LeftButton, {}, legend->part(0).rect.center());
    EXPECT_EQ(names().size(), all);
}

TEST(Operations, ColumnsAreChosenAndRemembered) {
    tests::ShownView<OperationsView> shown;
    const auto columns = [&] { return shownRows(shown.view, "operations").front().size(); };
    const auto of_time = columns();
    for (QAction* action : shown.view.actions())
        if (action->text() == QStringLiteral("All columns"))
            action->trigger();
    EXPECT_GT(columns(), of_time);
    OperationsView other;
    other.restoreState(shown.view.saveState());
    EXPECT_EQ(other.saveState(), shown.view.saveState());
}

TEST(Operations, EachColumnCanBeChosenAlone) {
    tests::ShownView<OperationsView> shown;
    const auto* menu = shown.view.findChild<QMenu*>(QStringLiteral("operationColumns"));
    const auto* head = shown.view.findChild<DataTable*>(QStringLiteral("operations"))->view();
    const auto choose = [&](const char* name) {
        for (QAction* action : menu->actions())
            if (action->text() == QLatin1String(name))
                action->trigger();
    };
    const auto isShown = [&](const char* name) {
        for (int c = 0; c < head->model()->columnCount(); ++c)
            if (head->model()->headerData(c, Qt::Horizontal).toString() == QLatin1String(name))
                return !head->isColumnHidden(c);
        return false;
    };
    EXPECT_TRUE(isShown("Lost"));
    EXPECT_FALSE(isShown("Plan"));
    Q_EMIT head->horizontalHeader()->customContextMenuRequested(QPoint(4, 4));
    auto* of_heads = qobject_cast<QMenu*>(QApplication::activePopupWidget());
    ASSERT_NE(of_heads, nullptr);
    QStringList offered;
    for (const QAction* action : of_heads->actions())
        if (!action->isSeparator())
            offered << action->text();
    EXPECT_EQ(offered,
              tests::words({"Most first", "Least first", "Where equal, by it too, turned, or no more",
                            "Columns", "Fit columns to their texts"}))
        << "and no second choice of columns";
    of_heads->close();
    choose("Plan");
    choose("Lost");
    EXPECT_TRUE(isShown("Plan"));
    EXPECT_FALSE(isShown("Lost"));
    tests::ShownView<OperationsView> other;
    other.view.restoreState(shown.view.saveState());
    EXPECT_EQ(shownRows(other.view, "operations").front(), shownRows(shown.view, "operations").front());
}

TEST(Operations, WithTheSameFileAsBaseNothingChanges) {
    tests::ShownView<OperationsView> shown;
    shown.view.setSources({shown.source, shown.source});
    shown.settle();
    for (const QStringList& row : shownRows(shown.view, "operations"))
        EXPECT_EQ(row.back(), QStringLiteral("="));
}

/// The first layer is in both; the base has a second, with operations 6 to 11.
TEST(Operations, TheDifferenceHasWhatWasRemovedToo) {
    tests::ShownView<OperationsView> shown(tests::FixtureSize{64, 1, 1, 1, 1});
    const tests::ShownView<OperationsView> base(tests::FixtureSize{64, 2, 1, 1, 1});
    shown.view.setSources({shown.source, base.source, true});
    shown.settle();
    const auto rows = shownRows(shown.view, "operations");
    ASSERT_EQ(rows.size(), 6U + 1U);
    EXPECT_EQ(rows.front().size(), 5) << "operation, cycles, base, difference, change";
    std::int64_t removed = 0;
    for (const QStringList& row : rows)
        removed += row.back() == QLatin1String("removed") ? 1 : 0;
    EXPECT_EQ(removed, 6);
    const std::int64_t largest =
        fixture_sync_cycles + fixture_exchange_cycles(11) + fixture_compute_cycles(11);
    EXPECT_EQ(rows.front(), (QStringList{rows.front()[0], QStringLiteral("–"), time(largest),
                                         u'−' + time(largest), QStringLiteral("removed")}))
        << "what has changed most stands first, whichever way";
    std::int64_t same = 0;
    for (std::int64_t op = 0; op < 6; ++op)
        same += fixture_sync_cycles + fixture_exchange_cycles(op) + fixture_compute_cycles(op);
    EXPECT_EQ(rows.back(), (QStringList{QStringLiteral("6 unchanged"), time(same), time(same),
                                        QStringLiteral("="), QStringLiteral("=")}));
    std::int64_t all = 0;
    for (std::int64_t op = 6; op < 12; ++op)
        all += fixture_sync_cycles + fixture_exchange_cycles(op) + fixture_compute_cycles(op);
    EXPECT_EQ(all, 3630);
    EXPECT_TRUE(tests::shows(shown.view, QStringLiteral("−3.63 µs of IPU time; 0 added, 6 removed")));

    // As was said by hand, the layer is the second one of the base: the six that were removed are its first.
    Sources said{shown.source, base.source, true};
    said.by_hand = {{analyse::PartKind::Layer, "dense_1", "dense"}};
    shown.view.setSources(said);
    shown.settle();
    EXPECT_TRUE(tests::comes_to_show(shown.view, QStringLiteral("0 added, 6 removed")));
    for (const QStringList& row : shownRows(shown.view, "operations"))
        EXPECT_EQ(row.back() == QLatin1String("removed"), row[1] == QStringLiteral("–"))
            << row[0].toStdString();
    EXPECT_FALSE(shownRows(shown.view, "operations").front().back() == QStringLiteral("="));
    shown.view.setSources({});
}

// The base has eight layers, of which the new run has the first four.
TEST(Operations, FoldedRowsStandAgainstThoseOfTheBaseThatTheyStandFor) {
    tests::ShownView<OperationsView> shown(tests::FixtureSize{16, 4, 1, 1, 1});
    const tests::ShownView<OperationsView> base(tests::FixtureSize{16, 8, 1, 1, 1});
    const auto settle = [&](bool difference) {
        shown.view.setSources({shown.source, base.source, difference});
        shown.settle();
    };
    auto* table = shown.view.findChild<DataTable*>(QStringLiteral("operations"))->view();
    const auto* model = table->model();
    const auto column = [&](const char* head) {
        for (int c = 0; c < model->columnCount(); ++c)
            if (model->headerData(c, Qt::Horizontal).toString() == QLatin1String(head))
                return c;
        ADD_FAILURE() << head;
        return -1;
    };
    const auto number = [&](int row, const char* head) {
        return model->index(row, column(head)).data(DataTableModel::SortRole).toDouble();
    };
    const auto folded = [&](const QString& ending) {
        for (int row = 0; row < model->rowCount(); ++row)
            if (model->index(row, 0).data().toString().contains(QStringLiteral(" × ")) &&
                model->index(row, column("Change")).data().toString().endsWith(ending))
                return row;
        return -1;
    };
    const auto unfold = [&](int row) {
        const int before = model->rowCount();
        table->setCurrentIndex(model->index(row, 0));
        QTest::keyClick(table, Qt::Key_Right);
        return model->rowCount() - before;
    };
    settle(false);
    EXPECT_LT(table->horizontalHeader()->visualIndex(column("Base")),
              table->horizontalHeader()->visualIndex(column("Lost")))
        << "beside the cycles that it is held against";
    int row = folded(QStringLiteral("="));
    ASSERT_GE(row, 0);
    EXPECT_EQ(number(row, "Base"), number(row, "Time"));
    const int members = unfold(row);
    ASSERT_EQ(members, 3);
    double sum = 0;
    for (int member = 1; member <= members; ++member)
        sum += number(row + member, "Base");
    EXPECT_DOUBLE_EQ(sum, number(row, "Base"));

    const std::int64_t chosen = shown.selection.current().operation;
    settle(true);
    row = folded(QStringLiteral("removed"));
    ASSERT_GE(row, 0) << "those of the other layers are folded too";
    const QString name = model->index(row, 0).data().toString();
    EXPECT_TRUE(tests::shows(shown.view, name + QStringLiteral(" has changed the most")))
        << "the first row is that of the sentence: " << name.toStdString();
    sum = 0;
    const int gone = unfold(row);
    ASSERT_EQ(gone, 4);
    for (int member = 1; member <= gone; ++member)
        sum += number(row + member, "Base");
    EXPECT_DOUBLE_EQ(sum, number(row, "Base"));
    EXPECT_EQ(shown.selection.current().operation, chosen) << "the new run has none of them to choose";
    shown.view.setSources({});
}

// Three layers of the fixture differ in a number alone: each of their operations is one row, until it is
// unfolded.
TEST(Operations, BlocksThatRepeatAreOneRowThatUnfolds) {
    tests::ShownView<OperationsView> shown({16, 4, 1, 1, 1});
    auto* operations = shown.view.findChild<DataTable*>(QStringLiteral("operations"));
    const auto* model = operations->view()->model();
    const auto file = profile::Profile::open(shown.source->path().toStdString());
    const auto all = static_cast<int>((*file)->operations()->size());
    const int folded = model->rowCount();
    EXPECT_LT(folded, all);
    int row = 0;
    while (row < folded && !model->index(row, 0).data().toString().endsWith(QStringLiteral(" × 3")))
        ++row;
    ASSERT_LT(row, folded);
    const QString name = model->index(row, 0).data().toString();
    const double together = model->index(row, 1).data(DataTableModel::SortRole).toDouble();
    operations->view()->setCurrentIndex(model->index(row, 0));
    QTest::keyClick(operations->view(), Qt::Key_Right);
    ASSERT_EQ(model->rowCount(), folded + 3);
    double sum = 0;
    for (int member = 1; member <= 3; ++member) {
        EXPECT_FALSE(model->index(row + member, 0).data().toString().contains(u'×'));
        sum += model->index(row + member, 1).data(DataTableModel::SortRole).toDouble();
    }
    EXPECT_DOUBLE_EQ(sum, together) << name.toStdString();

    auto* grouping = shown.view.findChild<QComboBox*>(QStringLiteral("operationGrouping"));
    grouping->setCurrentIndex(grouping->findText(QStringLiteral("one by one")));
    Q_EMIT grouping->activated(grouping->currentIndex());
    shown.settle();
    EXPECT_EQ(model->rowCount(), all);
    OperationsView other;
    other.restoreState(shown.view.saveState());
    EXPECT_EQ(other.findChild<QComboBox*>(QStringLiteral("operationGrouping"))->currentText(),
              QStringLiteral("one by one"));
}

} // namespace tilescope::ui
