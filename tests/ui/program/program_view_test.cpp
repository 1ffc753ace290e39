// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/never_run.h"
#include "tests/system_fixture.h"
#include "tests/ui/shown_text.h"
#include "tests/ui/view_test_support.h"
#include "ui/program/program_view.h"
#include "ui/theme/theme.h"

#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QImage>
#include <QLabel>
#include <QLineEdit>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTreeView>

namespace tilescope::ui {
namespace {

using tests::FixtureSize;
using tests::small_fixture;

/// The fixture's program: main, a repeat of three turns, in it the infeed and for each operation a sequence
/// of an exchange and a compute set.
struct Shown : tests::ShownView<ProgramView> {
    template<class... Of>
    explicit Shown(Of&&... of) : ShownView(std::forward<Of>(of)...) {
        per(analyse::Basis::Execution);
    }
    void per(std::optional<analyse::Basis> basis) {
        Selection s = selection.current();
        s.basis = basis;
        selection.set(s);
        settle();
    }
    QTreeView& tree() { return view.tree(); }
    QModelIndex row(const QString& name) {
        const auto found = tree().model()->match(tree().model()->index(0, 0), Qt::DisplayRole, name, 1,
                                                 Qt::MatchExactly | Qt::MatchRecursive);
        return found.isEmpty() ? QModelIndex() : found.first();
    }
    QString text(const QModelIndex& row, int column) { return row.siblingAtColumn(column).data().toString(); }
    QString exact(const QModelIndex& row, int column) {
        return row.siblingAtColumn(column).data(ProgramModel::ExactRole).toString();
    }
};

std::int64_t step_cycles() {
    std::int64_t sum = tests::fixture_infeed_cycles;
    for (std::int64_t id = 0; id < small_fixture.operations(); ++id)
        sum += tests::fixture_sync_cycles + tests::fixture_exchange_cycles(id) +
               tests::fixture_compute_cycles(id);
    return sum;
}

// As Trace tells it: with the launch before the program.
TEST(ProgramView, OfWhatNeverRanTellsThePlannedTimeWithItsLaunch) {
    const tests::TemporaryFolder folder;
    ASSERT_TRUE(tests::never_run(profile::RunStatus::OutOfMemory)(folder / "never.tilescope"));
    const auto file = *profile::Profile::open(folder / "never.tilescope");
    const auto tree = ProgramTree::read(*file);
    ASSERT_TRUE(tree);
    EXPECT_FALSE(tree->executed);
    EXPECT_EQ(tree->cycles_per_execution, 160);
    EXPECT_EQ(tree->launch_cycles, 100);
}

TEST(ProgramView, TellsTheTimeOfEachRunAndOfAllAndTheirShareOfAnExecution) {
    Shown shown;
    ASSERT_EQ(step_cycles(), 6580); // at 1 GHz; an execution is three, and 1,000 cycles of the host before
    const QModelIndex main = shown.row(QStringLiteral("main"));
    const QModelIndex repeat = shown.row(QStringLiteral("steps  × 3"));
    ASSERT_TRUE(repeat.isValid());
    EXPECT_EQ(shown.exact(main, ProgramModel::InAll), QStringLiteral("19,740"));
    EXPECT_EQ(shown.text(main, ProgramModel::InAll), QStringLiteral("19.7 µs"));
    EXPECT_EQ(shown.text(main, ProgramModel::Share), QStringLiteral("95.2 %")); // 19,740 of 20,740
    EXPECT_EQ(shown.exact(repeat, ProgramModel::Host), QStringLiteral("1,200"));
    const QModelIndex matmul =
        shown.row(QStringLiteral("dense/MatMul")); // 100 sync, 50 exchange, 200 compute
    EXPECT_EQ(shown.text(matmul, ProgramModel::Runs), QStringLiteral("3"));
    EXPECT_EQ(shown.text(matmul, ProgramModel::Each), QStringLiteral("350 ns"));
    EXPECT_EQ(shown.exact(matmul, ProgramModel::InAll), QStringLiteral("1,050"));
    EXPECT_EQ(shown.exact(matmul, ProgramModel::Compute), QStringLiteral("600"));
    EXPECT_EQ(shown.exact(matmul, ProgramModel::Exchange), QStringLiteral("150"));
    EXPECT_EQ(shown.exact(matmul, ProgramModel::Sync), QStringLiteral("300"));
    EXPECT_EQ(shown.text(matmul, ProgramModel::Share), QStringLiteral("5.1 %"));
    // 64 tiles send 0, 8, 16 or 24 bytes in turn: 768 in each run.
    EXPECT_EQ(shown.exact(matmul, ProgramModel::Bytes), QStringLiteral("2,304"));
    EXPECT_TRUE(tests::shows(
        shown.view, QStringLiteral("20.7 µs elapsed per execution, 1 µs of it before the program begins.")));
}

TEST(ProgramView, FiguresAreOfTheBasisThatIsChosen) {
    Shown shown;
    const QModelIndex matmul = shown.row(QStringLiteral("dense/MatMul"));
    for (const auto& [basis, per, runs, cycles] :
         {std::tuple{std::optional<analyse::Basis>(), "per step", "1", "350"},
          {std::optional(analyse::Basis::MicroBatch), "per micro-batch", "1", "350"},
          {std::optional(analyse::Basis::Execution), "per execution", "3", "1,050"}}) {
        shown.per(basis);
        EXPECT_EQ(shown.text(matmul, ProgramModel::Runs), QLatin1String(runs)) << per;
        EXPECT_EQ(shown.exact(matmul, ProgramModel::InAll), QLatin1String(cycles)) << per;
        EXPECT_EQ(shown.text(matmul, ProgramModel::Each), QStringLiteral("350 ns")) << per;
        EXPECT_EQ(shown.text(matmul, ProgramModel::Share), QStringLiteral("5.1 %")) << per;
        EXPECT_TRUE(tests::shows(shown.view, QStringLiteral("elapsed ") + QLatin1String(per))) << per;
        EXPECT_TRUE(shown.view.model()
                        .headerData(ProgramModel::Runs, Qt::Horizontal, Qt::ToolTipRole)
                        .toString()
                        .contains(QLatin1String(per)));
    }
}

TEST(ProgramView, AFlatListSortsOperationsOverAll) {
    Shown shown;
    const QAbstractItemModel& model = *shown.tree().model();
    EXPECT_EQ(model.rowCount(), 1);
    QTest::keyClick(&shown.tree(), Qt::Key_F, Qt::ShiftModifier);
    EXPECT_EQ(model.rowCount(), 1 + static_cast<int>(small_fixture.operations())); // and the infeed
    EXPECT_FALSE(shown.row(QStringLiteral("main")).isValid());
    EXPECT_EQ(model.rowCount(shown.row(QStringLiteral("dense/MatMul"))), 2);
    shown.tree().sortByColumn(ProgramModel::Compute, Qt::DescendingOrder);
    EXPECT_EQ(model.index(0, 0).data().toString(), QStringLiteral("dense_1/Update"));
    EXPECT_EQ(model.index(model.rowCount() - 1, 0).data().toString(), QStringLiteral("infeed"));
    Selection selection = shown.selection.current();
    selection.operation = 9;
    shown.selection.set(selection);
    EXPECT_EQ(shown.tree().currentIndex().siblingAtColumn(0), shown.row(QStringLiteral("dense_1/InputGrad")));
    QTest::keyClick(&shown.tree(), Qt::Key_F, Qt::ShiftModifier);
    EXPECT_EQ(model.rowCount(), 1);
}

TEST(ProgramView, NamesStayWhenTheOthersAreScrolledSideways) {
    Shown shown;
    shown.view.resize(600, 500);
    const QModelIndex row = shown.row(QStringLiteral("dense/MatMul"));
    shown.tree().scrollTo(row);
    const QRect name = shown.tree().visualRect(row);
    const auto names = [&] {
        const QImage image = shown.tree().viewport()->grab().toImage();
        return image.copy(QRect(4, name.top(), 120, name.height()));
    };
    const QImage before = names();
    auto* bar = shown.tree().horizontalScrollBar();
    ASSERT_GT(bar->maximum(), 60);
    bar->setValue(60);
    EXPECT_EQ(shown.tree().header()->offset(), 60);
    EXPECT_EQ(names(), before);
    QTest::mouseClick(shown.tree().viewport(), Qt::LeftButton, {}, {name.left() + 20, name.center().y()});
    EXPECT_EQ(shown.tree().currentIndex().siblingAtColumn(0), row);
}

/// Two stages at once: 300 and 100 cycles on IPU 0, 600 and 200 on IPU 1; an execution takes 1,000.
TEST(ProgramView, StagesThatWorkAtTheSameTimeAreNotAdded) {
    Shown shown([](const std::string& path) { return tests::record_system(path, {2, 2, true}); });
    const QModelIndex main = shown.row(QStringLiteral("main"));
    EXPECT_EQ(shown.exact(main, ProgramModel::InAll), QStringLiteral("800"));
    EXPECT_EQ(shown.text(main, ProgramModel::Share), QStringLiteral("80.0 %"));
    EXPECT_EQ(shown.exact(main, ProgramModel::Compute), QStringLiteral("1,200"));
    const QAbstractItemModel& model = *shown.tree().model();
    EXPECT_EQ(model.headerData(ProgramModel::Compute, Qt::Horizontal).toString(),
              QStringLiteral("Compute\nIPU time"));
    EXPECT_EQ(shown.text(shown.row(QStringLiteral("layer_2")), ProgramModel::Share),
              QStringLiteral("60.0 %"));
    EXPECT_TRUE(tests::shows(shown.view, QStringLiteral("rows need not add up")));
}

TEST(ProgramView, NamesKindsAndBalanceOfTheLeaves) {
    Shown shown;
    const QModelIndex matmul = shown.row(QStringLiteral("dense/MatMul"));
    const QAbstractItemModel& model = *shown.tree().model();
    ASSERT_EQ(model.rowCount(matmul), 2);
    const QModelIndex exchange = model.index(0, 0, matmul);
    const QModelIndex compute = model.index(1, 0, matmul);
    EXPECT_EQ(shown.text(exchange, ProgramModel::Step),
              QStringLiteral("exchange")); // not its parent's name again
    EXPECT_EQ(shown.text(exchange, ProgramModel::Kind), QStringLiteral("exchange"));
    EXPECT_EQ(shown.text(compute, ProgramModel::Kind), QStringLiteral("compute set"));
    EXPECT_EQ(shown.text(compute, ProgramModel::Balance), QStringLiteral("75.0 %"));
    EXPECT_EQ(shown.text(compute, ProgramModel::Code), QStringLiteral("1 KiB"));
    EXPECT_EQ(shown.text(matmul, ProgramModel::Code), QStringLiteral("3 KiB")) << "once, in three steps";
    EXPECT_EQ(shown.exact(matmul, ProgramModel::Code), QStringLiteral("3,072"));
    EXPECT_EQ(shown.text(shown.row(QStringLiteral("infeed")), ProgramModel::Code), QString());
    EXPECT_EQ(shown.text(shown.row(QStringLiteral("infeed")), ProgramModel::Kind),
              QStringLiteral("stream copy"));
}

TEST(ProgramView, AStepSelectsItsOperationForAllViews) {
    Shown shown;
    QSignalSpy details(&shown.view, &View::detailsChanged);
    const QModelIndex row = shown.row(QStringLiteral("dense_1/Relu"));
    shown.tree().scrollTo(row);
    QTest::mouseClick(shown.tree().viewport(), Qt::LeftButton, {}, shown.tree().visualRect(row).center());
    EXPECT_EQ(shown.selection.current().operation, 7);
    EXPECT_EQ(shown.selection.current().layer, 1);
    EXPECT_EQ(shown.selection.current().program,
              shown.view.model().tree().steps[shown.view.model().tree().stepOfOperation(7)].id);
    shown.settle();
    ASSERT_FALSE(details.isEmpty());
    EXPECT_TRUE(details.last().first().toString().contains(QLatin1String("dense_1/Relu")));
    QTest::keyClick(&shown.tree(), Qt::Key_Down); // keys select as well
    EXPECT_NE(shown.selection.current().program, -1);
    EXPECT_NE(shown.tree().currentIndex(), row);
}

TEST(ProgramView, FollowsAnOperationAndALayerSelectedElsewhere) {
    Shown shown;
    Selection selection;
    selection.operation = 9;
    shown.selection.set(selection);
    EXPECT_EQ(shown.tree().currentIndex().siblingAtColumn(0), shown.row(QStringLiteral("dense_1/InputGrad")));
    EXPECT_EQ(shown.selection.current(), selection); // it does not answer back
    const QModelIndex matmul = shown.row(QStringLiteral("dense/MatMul"));
    EXPECT_FALSE(matmul.data(Qt::BackgroundRole).isValid());
    selection = {};
    selection.layer = 0;
    shown.selection.set(selection);
    EXPECT_EQ(shown.tree().currentIndex().siblingAtColumn(0), matmul);
    EXPECT_TRUE(matmul.data(Qt::BackgroundRole).isValid());
    EXPECT_TRUE(shown.row(QStringLiteral("dense/Update")).data(Qt::BackgroundRole).isValid());
    EXPECT_FALSE(shown.row(QStringLiteral("dense_1/Update")).data(Qt::BackgroundRole).isValid());
    shown.selection.set({});
    EXPECT_FALSE(shown.tree().currentIndex().isValid());
}

QLineEdit* filter(Shown& shown) {
    return shown.view.findChild<QLineEdit*>(QStringLiteral("programFilter"));
}

QString found(Shown& shown) {
    return shown.view.findChild<QLabel*>(QStringLiteral("programFound"))->text();
}

/// Types into the filter and waits until it has been looked for.
void look_for(Shown& shown, const QString& text) {
    QSignalSpy set(&shown.view.model(), &QAbstractItemModel::modelReset);
    filter(shown)->setText(text);
    EXPECT_TRUE(set.wait());
}

TEST(ProgramView, EscLeavesTheFilterForWhatItFound) {
    Shown shown;
    look_for(shown, QStringLiteral("InputGrad"));
    filter(shown)->setFocus();
    QTest::keyClick(filter(shown), Qt::Key_Escape);
    EXPECT_TRUE(shown.tree().hasFocus());
    EXPECT_EQ(filter(shown)->text(), QStringLiteral("InputGrad"));
}

TEST(ProgramView, FilterKeepsWhatIsFoundWithWhatHoldsIt) {
    Shown shown;
    QTest::keyClick(&shown.tree(), Qt::Key_F, Qt::ControlModifier);
    EXPECT_TRUE(filter(shown)->hasFocus());
    const QAbstractItemModel& model = *shown.tree().model();
    const auto repeat = [&] { return model.index(0, 0, model.index(0, 0)); };
    QSignalSpy set(&model, &QAbstractItemModel::modelReset);
    QTest::keyClicks(filter(shown), QStringLiteral("InputGrad"));
    EXPECT_EQ(model.rowCount(repeat()), 1 + static_cast<int>(small_fixture.operations())); // still typing
    EXPECT_TRUE(set.wait());
    EXPECT_EQ(set.size(), 1); // one search for nine letters
    ASSERT_EQ(model.rowCount(repeat()), 2);
    EXPECT_EQ(model.rowCount(model.index(0, 0, repeat())), 2);
    EXPECT_TRUE(shown.tree().isExpanded(repeat()));
    EXPECT_FALSE(shown.tree().isExpanded(model.index(0, 0, repeat()))); // what is in a hit stays folded
    EXPECT_EQ(found(shown), QStringLiteral("2 hits"));
    look_for(shown, QStringLiteral("inputgrad kind:exchange -dense_1"));
    ASSERT_EQ(model.rowCount(repeat()), 1);
    EXPECT_EQ(model.rowCount(model.index(0, 0, repeat())), 1);
    EXPECT_EQ(found(shown), QStringLiteral("1 hit"));
    look_for(shown, QString());
    EXPECT_EQ(model.rowCount(repeat()), 1 + static_cast<int>(small_fixture.operations()));
    EXPECT_EQ(found(shown), QString());
}

TEST(ProgramView, AFilterThatFindsNothingSaysSo) {
    Shown shown;
    look_for(shown, QStringLiteral("no such step"));
    EXPECT_TRUE(tests::shows(shown.view, QStringLiteral("Nothing matches “no such step”.")));
    EXPECT_FALSE(shown.tree().isVisible());
    look_for(shown, QString());
    EXPECT_TRUE(shown.tree().isVisible());
}

TEST(ProgramView, NStepsThroughTheHitsAndRoundToTheFirst) {
    Shown shown;
    look_for(shown, QStringLiteral("inputgrad"));
    QTest::keyClick(&shown.tree(), Qt::Key_N);
    EXPECT_EQ(shown.tree().currentIndex().siblingAtColumn(0), shown.row(QStringLiteral("dense_1/InputGrad")));
    EXPECT_EQ(found(shown), QStringLiteral("1 of 2"));
    EXPECT_EQ(shown.selection.current().operation, 9); // backward runs through the layers in reverse
    QTest::keyClick(&shown.tree(), Qt::Key_N);
    EXPECT_EQ(shown.selection.current().operation, 3);
    QTest::keyClick(&shown.tree(), Qt::Key_N);
    EXPECT_EQ(shown.selection.current().operation, 9);
    QTest::keyClick(&shown.tree(), Qt::Key_N, Qt::ShiftModifier);
    EXPECT_EQ(shown.selection.current().operation, 3);
}

TEST(ProgramView, AFilterUnfoldsNoMoreThanTwoThousandRows) {
    constexpr FixtureSize wide{16, 500, 1, 1, 1}; // 3,000 operations, 6,004 steps
    Shown shown(wide);
    look_for(shown, QStringLiteral("kind:exchange"));
    // Above each hit stands its operation, above those the run and its repeat: 2 + 2 * 999 rows.
    EXPECT_EQ(shown.view.model().hits().size(), 3000U);
    EXPECT_EQ(found(shown), QStringLiteral("3,000 hits, 999 shown; narrow the filter or step with N"));
    std::size_t rows = 0;
    for (QModelIndex row = shown.tree().model()->index(0, 0); row.isValid();
         row = shown.tree().indexBelow(row))
        ++rows;
    EXPECT_EQ(rows, ProgramModel::most_unfolded);
    QTest::keyClick(&shown.tree(), Qt::Key_N, Qt::ShiftModifier); // the last hit, which was not shown
    EXPECT_EQ(found(shown), QStringLiteral("3,000 of 3,000"));
    EXPECT_TRUE(shown.tree().currentIndex().isValid());
    EXPECT_TRUE(shown.tree().viewport()->rect().contains(
        shown.tree().visualRect(shown.tree().currentIndex()).center()));
}

TEST(ProgramView, FoldingOutlastsAFilterSortingAndReadingTheFileAgain) {
    constexpr FixtureSize wide{16, 20, 1, 1, 1}; // too large to be unfolded altogether
    Shown shown(wide);
    const auto unfolded = [&](const char* name) {
        return shown.tree().isExpanded(shown.row(QString::fromLatin1(name)));
    };
    EXPECT_FALSE(unfolded("dense/Relu"));
    shown.tree().expand(shown.row(QStringLiteral("dense/Relu")));
    look_for(shown, QStringLiteral("dense_3"));
    EXPECT_FALSE(unfolded("dense_3/Relu"));
    shown.tree().expand(shown.row(QStringLiteral("dense_3/Relu"))); // only for as long as it is filtered
    look_for(shown, QString());
    EXPECT_TRUE(unfolded("dense/Relu"));
    EXPECT_FALSE(unfolded("dense_3/Relu"));
    shown.tree().sortByColumn(ProgramModel::InAll, Qt::DescendingOrder);
    EXPECT_TRUE(unfolded("dense/Relu"));
    shown.view.setSources({shown.source, nullptr});
    shown.settle();
    EXPECT_TRUE(unfolded("dense/Relu"));
    EXPECT_FALSE(unfolded("dense_3/Relu"));
    const auto again = ProfileSource::open(shown.source->path());
    shown.view.setSources({again, nullptr});
    shown.settle();
    EXPECT_TRUE(unfolded("dense/Relu"));
    shown.view.setSources({});
}

TEST(ProgramView, AClickOnAHeadSortsSiblingsTheLargestFirstAndAThirdPutsThemBack) {
    Shown shown;
    const QAbstractItemModel& model = *shown.tree().model();
    const auto names = [&] {
        const QModelIndex repeat = model.index(0, 0, model.index(0, 0));
        QStringList found;
        for (int row = 0; row < model.rowCount(repeat); ++row)
            found << model.index(row, 0, repeat).data().toString();
        return found;
    };
    const QStringList executed = names();
    const QHeaderView* header = shown.tree().header();
    const auto click = [&] {
        QTest::mouseClick(
            header->viewport(), Qt::LeftButton, {},
            {header->sectionViewportPosition(ProgramModel::Compute) + 10, header->height() / 2});
    };
    click();
    EXPECT_EQ(names().first(),
              QStringLiteral("dense_1/Update")); // computes 20 cycles more than the one before
    EXPECT_EQ(names().last(), QStringLiteral("infeed"));
    click();
    EXPECT_EQ(names().first(), QStringLiteral("infeed"));
    EXPECT_EQ(names().last(), QStringLiteral("dense_1/Update"));
    click();
    EXPECT_EQ(names(), executed);
}

TEST(ProgramView, ExpandAllShowsEveryStepAndCollapseTheOperations) {
    constexpr FixtureSize wide{16, 100, 1, 1, 1};
    Shown shown(wide);
    const auto rows = [&] {
        std::size_t count = 0;
        for (QModelIndex row = shown.tree().model()->index(0, 0); row.isValid();
             row = shown.tree().indexBelow(row))
            ++count;
        return count;
    };
    const std::size_t operations = rows();
    EXPECT_EQ(operations, 3U + 500 + 1); // main, steps, infeed; the 100 of the update are folded into one
    QTest::keyClick(&shown.tree(), Qt::Key_E, Qt::ControlModifier | Qt::ShiftModifier);
    EXPECT_EQ(rows(), shown.view.model().tree().steps.size());
    QTest::keyClick(&shown.tree(), Qt::Key_L, Qt::ControlModifier | Qt::ShiftModifier);
    EXPECT_EQ(rows(), operations);
}

TEST(ProgramView, CopiesTheUnfoldedRowsIndented) {
    Shown shown;
    QTest::keyClick(&shown.tree(), Qt::Key_C, Qt::ControlModifier);
    const QStringList lines = QApplication::clipboard()->text().split(QLatin1Char('\n'), Qt::SkipEmptyParts);
    ASSERT_EQ(lines.size(),
              1 + static_cast<int>(shown.view.model().tree().steps.size())); // small: all unfolded
    EXPECT_TRUE(lines[0].startsWith(
        QStringLiteral("Program step\tRuns\tEach (cycles)\tIn all (cycles)\tShare\tCompute (cycles)")));
    EXPECT_TRUE(lines[1].startsWith(QStringLiteral("main\t1\t19,740\t19,740\t95.2 %\t")));
    EXPECT_TRUE(lines[3].startsWith(QStringLiteral("    infeed\t3\t400\t1,200\t")));
    EXPECT_TRUE(lines[3].endsWith(QStringLiteral("\tstream copy")));
    shown.tree().collapseAll();
    EXPECT_EQ(shown.view.toText(QLatin1Char(',')).count(QLatin1Char('\n')), 2);
}

/// Pixels of a colour along the middle of a row's bar.
int pixels(Shown& shown, const QModelIndex& row, const QColor& color) {
    const QRect cell = shown.tree().visualRect(row.siblingAtColumn(ProgramModel::Share));
    const QImage image = shown.tree().viewport()->grab().toImage();
    int found = 0;
    for (int x = cell.left(); x < cell.right(); ++x)
        found += image.pixelColor(x, cell.center().y()) == color ? 1 : 0;
    return found;
}

TEST(ProgramView, DrawsPhasesAsABarInTheCell) {
    Shown shown;
    const QModelIndex main = shown.row(QStringLiteral("main"));
    const int exchange = pixels(shown, main, Theme::light().exchange);
    ASSERT_GT(exchange, 0);
    std::int64_t all_compute = 0;
    std::int64_t all_exchange = 0;
    for (std::int64_t id = 0; id < small_fixture.operations(); ++id) {
        all_compute += tests::fixture_compute_cycles(id);
        all_exchange += tests::fixture_exchange_cycles(id);
    }
    EXPECT_NEAR(static_cast<double>(pixels(shown, main, Theme::light().compute)) / exchange,
                static_cast<double>(all_compute) / static_cast<double>(all_exchange), 0.25);
}

TEST(ProgramView, ABarIsTheShareOfItsCellThatTheStepHasOfTheWhole) {
    Shown shown([](const std::string& path) { return tests::record_system(path, {2, 2, true}); });
    const QColor compute = Theme::light().compute;
    const int all = pixels(shown, shown.row(QStringLiteral("main")), compute); // 80 %
    EXPECT_NEAR(pixels(shown, shown.row(QStringLiteral("layer_2")), compute), all * 0.75, 2);
    EXPECT_NEAR(pixels(shown, shown.row(QStringLiteral("layer_1")), compute), all * 0.125, 2);
}

TEST(ProgramView, ComparesWithABase) {
    Shown shown;
    EXPECT_TRUE(shown.tree().isColumnHidden(ProgramModel::Change));
    shown.view.setSources({shown.source, shown.source});
    shown.per({});
    EXPECT_FALSE(shown.tree().isColumnHidden(ProgramModel::Change));
    const QModelIndex matmul = shown.row(QStringLiteral("dense/MatMul"));
    EXPECT_EQ(shown.text(matmul, ProgramModel::Base), QStringLiteral("350 ns")); // per step of training
    EXPECT_EQ(shown.text(matmul, ProgramModel::Change), QStringLiteral("="));
}

TEST(ProgramView, TheDifferenceIsOfStepsThatAreTheSame) {
    Shown shown(tests::FixtureSize{64, 1, 1, 1, 1});
    const tests::ShownView<ProgramView> base(tests::FixtureSize{64, 2, 1, 1, 1});
    shown.view.setSources({shown.source, base.source, true});
    shown.per({});
    EXPECT_FALSE(shown.tree().isColumnHidden(ProgramModel::Difference));
    EXPECT_TRUE(shown.tree().isColumnHidden(ProgramModel::Balance));
    const QModelIndex matmul = shown.row(QStringLiteral("dense/MatMul"));
    EXPECT_EQ(shown.text(matmul, ProgramModel::Difference), QStringLiteral("="));
    const QModelIndex main = shown.row(QStringLiteral("main"));
    EXPECT_EQ(shown.text(main, ProgramModel::Difference), QStringLiteral("−3.63 µs")); // operations 6 to 11
    const auto* caption = shown.view.findChild<QLabel*>(QStringLiteral("programCaption"));
    EXPECT_TRUE(tests::as_read(caption->text())
                    .contains(QStringLiteral("the base has 6 steps that are not here, of 3.63 µs")))
        << caption->text().toStdString();

    // As was said by hand, the layer is the second one of the base, whose operations take longer.
    Sources said{shown.source, base.source, true};
    said.by_hand = {{analyse::PartKind::Layer, "dense_1", "dense"}};
    shown.view.setSources(said);
    shown.per({});
    EXPECT_TRUE(shown.text(shown.row(QStringLiteral("dense/MatMul")), ProgramModel::Difference)
                    .startsWith(QStringLiteral("−")));
    shown.view.setSources({});
}

} // namespace
} // namespace tilescope::ui
