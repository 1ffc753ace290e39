// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/view_test_support.h"
#include "ui/program/program_view.h"
#include "ui/theme/theme.h"

#include <QApplication>
#include <QClipboard>
#include <QImage>
#include <QLineEdit>
#include <QSignalSpy>
#include <QTreeView>

namespace tilescope::ui {
namespace {

using tests::small_fixture;

/// The fixture's program: main, a repeat of three turns, in it the infeed and for each operation a sequence
/// of an exchange and a compute set.
struct Shown : tests::ShownView<ProgramView> {
    using ShownView::ShownView;
    QTreeView& tree() { return view.tree(); }
    QModelIndex row(const QString& name) {
        const auto found = tree().model()->match(tree().model()->index(0, 0), Qt::DisplayRole, name, 1,
                                                 Qt::MatchExactly | Qt::MatchRecursive);
        return found.isEmpty() ? QModelIndex() : found.first();
    }
    QString text(const QModelIndex& row, int column) { return row.siblingAtColumn(column).data().toString(); }
};

std::int64_t step_cycles() {
    std::int64_t sum = tests::fixture_infeed_cycles;
    for (std::int64_t id = 0; id < small_fixture.operations(); ++id)
        sum += tests::fixture_sync_cycles + tests::fixture_exchange_cycles(id) +
               tests::fixture_compute_cycles(id);
    return sum;
}

QString count(std::int64_t value) {
    return QLocale(QLocale::English).toString(static_cast<qlonglong>(value));
}

TEST(ProgramView, AddsUpCyclesByPhaseAndMultipliesRepeats) {
    Shown shown;
    const QModelIndex main = shown.row(QStringLiteral("main"));
    const QModelIndex repeat = shown.row(QStringLiteral("steps  × 3"));
    ASSERT_TRUE(repeat.isValid());
    EXPECT_EQ(shown.text(main, ProgramModel::Cycles), count(3 * step_cycles()));
    EXPECT_EQ(shown.text(repeat, ProgramModel::Cycles), count(3 * step_cycles()));
    EXPECT_EQ(shown.text(repeat, ProgramModel::Host), count(3 * tests::fixture_infeed_cycles));
    const QModelIndex matmul = shown.row(QStringLiteral("dense/MatMul"));
    EXPECT_EQ(shown.text(matmul, ProgramModel::Runs), QStringLiteral("3"));
    const std::int64_t cycles =
        tests::fixture_sync_cycles + tests::fixture_exchange_cycles(0) + tests::fixture_compute_cycles(0);
    EXPECT_EQ(shown.text(matmul, ProgramModel::Cycles), count(cycles));
    EXPECT_EQ(shown.text(matmul, ProgramModel::Compute), count(tests::fixture_compute_cycles(0)));
    EXPECT_EQ(shown.text(matmul, ProgramModel::Exchange), count(tests::fixture_exchange_cycles(0)));
    EXPECT_EQ(shown.text(matmul, ProgramModel::Sync), count(tests::fixture_sync_cycles));
    const double share = 100.0 * static_cast<double>(cycles) / static_cast<double>(step_cycles());
    EXPECT_EQ(shown.text(matmul, ProgramModel::Share), QStringLiteral("%1 %").arg(share, 0, 'f', 1));
    // 64 tiles send 0, 8, 16 or 24 bytes in turn.
    EXPECT_EQ(shown.text(matmul, ProgramModel::Bytes), QStringLiteral("768 B"));
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

TEST(ProgramView, FilterKeepsWhatIsFoundWithWhatHoldsIt) {
    Shown shown;
    QTest::keyClick(&shown.tree(), Qt::Key_F, Qt::ControlModifier);
    auto* field = shown.view.findChild<QLineEdit*>(QStringLiteral("programFilter"));
    EXPECT_TRUE(field->hasFocus());
    QTest::keyClicks(field, QStringLiteral("inputgrad"));
    const QAbstractItemModel& model = *shown.tree().model();
    const QModelIndex repeat = model.index(0, 0, model.index(0, 0));
    ASSERT_EQ(model.rowCount(repeat), 2);
    EXPECT_EQ(model.rowCount(model.index(0, 0, repeat)), 2);
    field->clear();
    EXPECT_EQ(model.rowCount(repeat), 1 + static_cast<int>(small_fixture.operations()));
}

TEST(ProgramView, CopiesTheUnfoldedRowsIndented) {
    Shown shown;
    QTest::keyClick(&shown.tree(), Qt::Key_C, Qt::ControlModifier);
    const QStringList lines = QApplication::clipboard()->text().split(QLatin1Char('\n'), Qt::SkipEmptyParts);
    ASSERT_EQ(lines.size(),
              1 + static_cast<int>(shown.view.model().tree().steps.size())); // small: all unfolded
    EXPECT_TRUE(lines[0].startsWith(QStringLiteral("Program step\tCycles\tShare\tRuns")));
    EXPECT_TRUE(lines[1].startsWith(QStringLiteral("main\t%1\t100.0 %\t1\t").arg(count(3 * step_cycles()))));
    EXPECT_TRUE(lines[3].startsWith(QStringLiteral("    infeed\t400\t")));
    EXPECT_TRUE(lines[3].endsWith(QStringLiteral("\tstream copy")));
    shown.tree().collapseAll();
    EXPECT_EQ(shown.view.toText(QLatin1Char(',')).count(QLatin1Char('\n')), 2);
}

TEST(ProgramView, DrawsPhasesAsABarInTheCell) {
    Shown shown;
    const QModelIndex main = shown.row(QStringLiteral("main"));
    const QRect cell = shown.tree().visualRect(main.siblingAtColumn(ProgramModel::Share));
    const QImage image = shown.tree().viewport()->grab().toImage();
    const Theme& theme = Theme::light();
    int compute = 0;
    int exchange = 0;
    for (int x = cell.left(); x < cell.right(); ++x) {
        compute += image.pixelColor(x, cell.center().y()) == theme.compute ? 1 : 0;
        exchange += image.pixelColor(x, cell.center().y()) == theme.exchange ? 1 : 0;
    }
    ASSERT_GT(exchange, 0);
    std::int64_t all_compute = 0;
    std::int64_t all_exchange = 0;
    for (std::int64_t id = 0; id < small_fixture.operations(); ++id) {
        all_compute += tests::fixture_compute_cycles(id);
        all_exchange += tests::fixture_exchange_cycles(id);
    }
    EXPECT_NEAR(static_cast<double>(compute) / exchange,
                static_cast<double>(all_compute) / static_cast<double>(all_exchange), 0.25);
}

TEST(ProgramView, ComparesWithABase) {
    Shown shown;
    EXPECT_TRUE(shown.tree().isColumnHidden(ProgramModel::Change));
    shown.view.setSources({shown.source, shown.source});
    shown.settle();
    EXPECT_FALSE(shown.tree().isColumnHidden(ProgramModel::Change));
    const QModelIndex matmul = shown.row(QStringLiteral("dense/MatMul"));
    EXPECT_EQ(shown.text(matmul, ProgramModel::Base), shown.text(matmul, ProgramModel::Cycles));
    EXPECT_EQ(shown.text(matmul, ProgramModel::Change), QStringLiteral("="));
}

} // namespace
} // namespace tilescope::ui
