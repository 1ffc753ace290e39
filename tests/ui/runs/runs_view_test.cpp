// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/record_run.h"
#include "tests/temporary_folder.h"
#include "tests/ui/shown_text.h"
#include "ui/runs/runs_view.h"
#include "ui/theme/application_font.h"
#include "ui/widgets/data_table.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QDir>
#include <QLabel>
#include <QPointer>
#include <QProgressBar>
#include <QSignalSpy>
#include <QTabWidget>
#include <QTableView>
#include <QTest>
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <memory>

namespace tilescope::ui {
namespace {

using tests::ToldRun;

/// Four runs of one workload with two batch sizes; one does not fit.
struct Runs : testing::Test {
    Runs() {
        record("a", {"cnn", 10, 20000, 600, 1000});
        record("b", {"cnn", 20, 30000, 700, 2000});
        record("c", {"cnn", 20, 40000, 900, 3000});
        record("d", {"cnn", 80, 0, 1040, 4000, profile::RunStatus::OutOfMemory});
        view.resize(1100, 700);
        view.restoreState({{QStringLiteral("folder"), QString::fromStdString(folder / "")}});
        view.show();
        EXPECT_TRUE(QTest::qWaitForWindowActive(&view));
        wait([this] { return rows() == 4; });
    }
    void record(const std::string& name, const ToldRun& run) {
        EXPECT_TRUE(tests::record_run(folder / (name + ".tilescope"), run));
    }
    template<class Done>
    static void wait(const Done& done) {
        EXPECT_TRUE(QTest::qWaitFor(done, 20000));
    }
    DataTable* table(const char* name) { return view.findChild<DataTable*>(QLatin1String(name)); }
    int rows() {
        DataTable* runs = table("runsTable");
        return runs == nullptr ? 0 : runs->view()->model()->rowCount();
    }
    /// A line of a table of which one cell reads so.
    QStringList line(const char* of, const QString& cell) {
        for (const QString& one :
             tests::shown_rows(*table(of)->view(), QLatin1Char('\t')).split(QLatin1Char('\n')))
            if (QStringList cells = one.split(QLatin1Char('\t')); cells.contains(cell))
                return cells;
        return {};
    }
    void chooseRows(std::initializer_list<int> which) {
        auto* rows = table("runsTable")->view();
        rows->clearSelection();
        for (const int row : which)
            rows->selectionModel()->select(rows->model()->index(row, 0),
                                           QItemSelectionModel::Select | QItemSelectionModel::Rows);
    }
    QWidget* plot() { return view.findChild<QWidget*>(QStringLiteral("runsPlot")); }

    tests::TemporaryFolder folder;
    RunsView view;
};

/// What a window of 1000x700 leaves the view.
TEST(RunsRoom, WhileFilesAreReadTheViewIsNotWiderThanASmallWindow) {
    applyFont(*qApp, {}, 150);
    {
        const tests::TemporaryFolder folder;
        EXPECT_TRUE(tests::record_run(folder / "a.tilescope", {"cnn", 10, 20000, 600, 1000}));
        RunsView view;
        view.resize(934, 530);
        view.restoreState({{QStringLiteral("folder"), QString::fromStdString(folder / "")}});
        EXPECT_FALSE(view.findChild<QProgressBar*>()->isHidden());
        EXPECT_LE(view.minimumSizeHint().width(), 934);
        view.show();
        auto* table = view.findChild<DataTable*>(QStringLiteral("runsTable"));
        const auto read = [&] { return !view.reading() && table->view()->model()->rowCount() == 1; };
        EXPECT_TRUE(QTest::qWaitFor(read, 20000));
        EXPECT_TRUE(view.findChild<QProgressBar*>()->isHidden());
        EXPECT_LE(view.minimumSizeHint().width(), 934);
    }
    applyFont(*qApp, {}, 100);
}

TEST_F(Runs, TheTableHasTheSettingsThatDifferAndTheFigures) {
    const QStringList b = line("runsTable", QStringLiteral("b.tilescope"));
    EXPECT_TRUE(b.contains(QStringLiteral("20"))) << "batch";
    EXPECT_TRUE(b.contains(QStringLiteral("3 µs"))) << b.join(u'|').toStdString();
    EXPECT_TRUE(b.contains(QStringLiteral("fits, 70.0 %"))) << b.join(u'|').toStdString();
    const QStringList d = line("runsTable", QStringLiteral("d.tilescope"));
    EXPECT_TRUE(d.contains(QStringLiteral("out of memory"))) << d.join(u'|').toStdString();
    EXPECT_TRUE(d.contains(QStringLiteral("does not fit, 104.0 %"))) << d.join(u'|').toStdString();
    EXPECT_TRUE(d.contains(QStringLiteral("–"))) << "no step time";
    EXPECT_FALSE(line("runsTable", QStringLiteral("Batch")).contains(QStringLiteral("system")))
        << "all alike";
}

TEST_F(Runs, ARowHasTheCourseOfTheFigureUpToItsRun) {
    const auto courses = [&] {
        const QAbstractItemModel& model = *table("runsTable")->view()->model();
        QStringList told;
        for (int c = 0; c < model.columnCount(); ++c)
            for (int r = 0; r < model.rowCount(); ++r)
                if (model.headerData(c, Qt::Horizontal).toString() == QStringLiteral("Course"))
                    told << QString::number(
                        model.index(r, c).data(DataTableModel::CourseRole).toList().size());
        return told;
    };
    EXPECT_EQ(courses(), (QStringList{QStringLiteral("1"), QStringLiteral("3"), QStringLiteral("2"),
                                      QStringLiteral("1")}))
        << "the latest first, which has no such figure";
    EXPECT_TRUE(line("runsTable", QStringLiteral("c.tilescope"))
                    .contains(QStringLiteral("5,000,000 → 6,666,667 → 5,000,000")))
        << line("runsTable", QStringLiteral("c.tilescope")).join(u'|').toStdString();
    auto* up = view.findChild<QComboBox*>(QStringLiteral("runsUp"));
    up->setCurrentIndex(up->findText(QStringLiteral("step time")));
    Q_EMIT up->activated(up->currentIndex());
    EXPECT_TRUE(tests::shows(view, QStringLiteral("course: step time of the runs of the workload")));
}

TEST_F(Runs, WhereThereIsLittleHeightTheChartIsATab) {
    auto* tabs = view.findChild<QTabWidget*>(QStringLiteral("runsTabs"));
    view.resize(1100, 800);
    ASSERT_TRUE(QTest::qWaitFor([&] { return plot()->isVisible() && table("runsTable")->isVisible(); }));
    EXPECT_EQ(tabs->count(), 3);
    view.resize(1100, 480);
    ASSERT_TRUE(QTest::qWaitFor([&] { return tabs->count() == 4; }));
    EXPECT_EQ(tabs->tabText(0), QStringLiteral("Chart"));
    EXPECT_TRUE(table("runsTable")->isVisible());
    EXPECT_FALSE(plot()->isVisible());
    view.setFocus();
    EXPECT_TRUE(table("runsTable")->view()->hasFocus()) << "what is seen has the keys";
    tabs->setCurrentIndex(0);
    EXPECT_TRUE(plot()->isVisible());
    view.setFocus();
    EXPECT_TRUE(plot()->hasFocus());
    view.resize(1100, 800);
    ASSERT_TRUE(QTest::qWaitFor([&] { return tabs->count() == 3; }));
    EXPECT_TRUE(plot()->isVisible());
    EXPECT_TRUE(plot()->hasFocus()) << "it keeps it";
}

TEST_F(Runs, ANumberThatDiffersCanBeAcross) {
    auto* across = view.findChild<QComboBox*>(QStringLiteral("runsAcross"));
    EXPECT_GE(across->findData(QStringLiteral("fit.batch_size")), 0);
    EXPECT_EQ(across->findData(QStringLiteral("run.workload")), -1);
    EXPECT_EQ(across->findData(QStringLiteral("target.ipus")), -1) << "all have one";
}

TEST_F(Runs, TheKneeOfACurveIsTold) {
    // Batches of 10, 20, 30 and 40 in steps of 20, 22, 32 and 42 ms: 500, 909, 938 and 952 samples a second.
    QDir(QString::fromStdString(folder / "")).removeRecursively();
    QDir().mkpath(QString::fromStdString(folder / ""));
    record("a", {"cnn", 10, 20000, 600, 1000});
    record("b", {"cnn", 20, 22000, 600, 2000});
    record("c", {"cnn", 30, 32000, 600, 3000});
    record("d", {"cnn", 40, 42000, 600, 4000});
    QTest::keyClick(plot(), Qt::Key_R);
    wait([this] { return rows() == 4 && !line("runsTable", QStringLiteral("40")).isEmpty(); });
    auto* across = view.findChild<QComboBox*>(QStringLiteral("runsAcross"));
    across->setCurrentIndex(across->findData(QStringLiteral("fit.batch_size")));
    Q_EMIT across->activated(across->currentIndex());
    const QString heading = tests::as_read(view.findChild<QLabel*>(QStringLiteral("runsHeading"))->text());
    EXPECT_TRUE(heading.contains(QStringLiteral("Past batch 20 <b>cnn</b> gains little: there it has 95.5 % "
                                                "of what it has at 40.")))
        << heading.toStdString();
}

TEST_F(Runs, TwoThatAreChosenAreComparedTheLaterWithTheEarlier) {
    QSignalSpy compared(&view, &View::comparisonRequested);
    view.setFocus();
    chooseRows({2});
    QTest::keyClick(plot(), Qt::Key_C);
    EXPECT_EQ(compared.size(), 0) << "one is not two";
    chooseRows({2, 0});
    QTest::keyClick(plot(), Qt::Key_C);
    ASSERT_EQ(compared.size(), 1);
    const QStringList paths = compared[0][0].toStringList();
    ASSERT_EQ(paths.size(), 2);
    EXPECT_LT(line("runsTable", QFileInfo(paths[0]).fileName())[2],
              line("runsTable", QFileInfo(paths[1]).fileName())[2]);
}

TEST_F(Runs, EnterOpensARun) {
    QSignalSpy opened(&view, &View::fileRequested);
    plot()->setFocus();
    QTest::keyClick(plot(), Qt::Key_Right); // the first along the fullest tile
    QTest::keyClick(plot(), Qt::Key_Return);
    ASSERT_EQ(opened.size(), 1);
    EXPECT_TRUE(opened[0][0].toString().endsWith(QStringLiteral("a.tilescope")));
}

TEST_F(Runs, SpaceMarksARunAndEnterComparesItWithAnother) {
    QSignalSpy compared(&view, &View::comparisonRequested);
    const QSignalSpy opened(&view, &View::fileRequested);
    plot()->setFocus();
    QTest::keyClick(plot(), Qt::Key_Right);
    QTest::keyClick(plot(), Qt::Key_Space);
    QTest::keyClick(plot(), Qt::Key_Right);
    QTest::keyClick(plot(), Qt::Key_Return);
    ASSERT_EQ(compared.size(), 1);
    EXPECT_EQ(compared[0][0].toStringList().size(), 2);
    EXPECT_EQ(opened.size(), 0);
    // Going on, the marked one stays and the other changes; once it is no more marked, it goes.
    QTest::keyClick(plot(), Qt::Key_Left);
    QTest::keyClick(plot(), Qt::Key_Space);
    QTest::keyClick(plot(), Qt::Key_Right);
    QTest::keyClick(plot(), Qt::Key_Return);
    EXPECT_EQ(compared.size(), 1) << "one alone is opened";
    EXPECT_EQ(opened.size(), 1);
}

TEST_F(Runs, HistoryTellsChangesAndTheirCauses) {
    auto* up = view.findChild<QComboBox*>(QStringLiteral("runsUp"));
    up->setCurrentIndex(0); // step time
    Q_EMIT up->activated(0);
    view.findChild<QTabWidget*>(QStringLiteral("runsTabs"))->setCurrentIndex(1);
    EXPECT_TRUE(line("runsHistory", QStringLiteral("a.tilescope")).contains(QStringLiteral("2 µs")));
    const auto cause = [this] { return line("runsHistory", QStringLiteral("b.tilescope")).last(); };
    wait([&] { return cause() != QStringLiteral("…"); });
    EXPECT_TRUE(cause().contains(QStringLiteral("batch"))) << cause().toStdString();
    EXPECT_TRUE(line("runsHistory", QStringLiteral("d.tilescope")).contains(QStringLiteral("–")));
}

// A spreadsheet takes what is copied as numbers.
TEST_F(Runs, CopiesPlainNumbersWithTheirUnitsInTheHeads) {
    record("quick", {"cnn", 20000, 163000, 700, 2000});
    plot()->setFocus();
    QTest::keyClick(plot(), Qt::Key_R);
    wait([this] { return rows() == 5; });
    const QStringList shown = line("runsTable", QStringLiteral("quick.tilescope"));
    EXPECT_TRUE(shown.contains(QStringLiteral("16.3 µs"))) << shown.join(u'|').toStdString();
    EXPECT_TRUE(shown.contains(QStringLiteral("700 B"))) << shown.join(u'|').toStdString();
    const QStringList lines =
        table("runsTable")->toText(QLatin1Char('\t')).trimmed().split(QLatin1Char('\n'));
    const QStringList heads = lines[0].split(QLatin1Char('\t'));
    const auto line_of = std::find_if(lines.begin(), lines.end(), [](const QString& each) {
        return each.contains(QStringLiteral("quick.tilescope"));
    });
    ASSERT_NE(line_of, lines.end());
    const QStringList copied = line_of->split(QLatin1Char('\t'));
    const auto under = [&](const char* head) { return copied.value(heads.indexOf(QLatin1String(head))); };
    EXPECT_EQ(under("Step time (s)"), QStringLiteral("1.63e-05")) << lines[0].toStdString();
    EXPECT_EQ(under("Fullest tile with gaps (bytes)"), QStringLiteral("700")) << lines[0].toStdString();
    EXPECT_EQ(std::llround(under("Samples/s").toDouble()), 1226993865) // 20,000 in 16.3 µs
        << line_of->toStdString();
}

// So waits who saves pictures of the views.
TEST_F(Runs, WhatIsPendingIsAllThatIsStillToBeShown) {
    EXPECT_EQ(view.pending(), 0);
    view.readFolder(QString::fromStdString(folder / ""));
    EXPECT_GT(view.pending(), 0);
    wait([this] { return view.pending() == 0; });
    EXPECT_EQ(rows(), 4);
    EXPECT_EQ(view.reading(), std::nullopt);
    view.findChild<QTabWidget*>(QStringLiteral("runsTabs"))->setCurrentIndex(1);
    EXPECT_GT(view.pending(), 0) << "causes of changes are looked for";
    wait([this] { return view.pending() == 0; });
    const QString told = table("runsHistory")->toText(QLatin1Char('\t'));
    EXPECT_FALSE(told.contains(QStringLiteral("…"))) << told.toStdString();
    view.readFolder(QString::fromStdString(folder / ""));
    view.cancelReading();
    EXPECT_EQ(view.pending(), 0);
}

TEST_F(Runs, LabelsHaveAColumnOnceThereIsOne) {
    EXPECT_TRUE(line("runsTable", QStringLiteral("Label")).isEmpty());
    record("f", {"cnn", 40, 50000, 800, 5000, profile::RunStatus::Complete, "main"});
    plot()->setFocus();
    QTest::keyClick(plot(), Qt::Key_R);
    wait([this] { return rows() == 5; });
    EXPECT_TRUE(line("runsTable", QStringLiteral("f.tilescope")).contains(QStringLiteral("main")));
}

TEST_F(Runs, AKeyThatTheUserHasGivenTheTableIsThatOfTheNextReading) {
    const QPointer<DataTable> before = table("runsTable");
    for (QAction* action : before->actions())
        if (action->text() == QStringLiteral("Copy rows"))
            action->setShortcut(Qt::CTRL | Qt::ALT | Qt::Key_J);
    record("f", {"cnn", 40, 50000, 800, 5000, profile::RunStatus::Complete, "main"});
    plot()->setFocus();
    QTest::keyClick(plot(), Qt::Key_R);
    wait([this] { return rows() == 5; });
    EXPECT_EQ(table("runsTable"), before) << "with another column";
    QApplication::clipboard()->clear();
    table("runsTable")->view()->setFocus();
    QTest::keyClick(table("runsTable")->view(), Qt::Key_J, Qt::ControlModifier | Qt::AltModifier);
    EXPECT_TRUE(QApplication::clipboard()->text().contains(QStringLiteral("f.tilescope")));
}

TEST_F(Runs, DatesAreInUtcWhereverTheWindowIs) {
    EXPECT_TRUE(
        line("runsTable", QStringLiteral("d.tilescope")).contains(QStringLiteral("1970-01-01 00:00:04")));
}

TEST_F(Runs, NewFilesAppearWhenItReadsAgain) {
    record("e", {"cnn", 40, 50000, 800, 5000});
    plot()->setFocus();
    QTest::keyClick(plot(), Qt::Key_R);
    wait([this] { return rows() == 5; });
    EXPECT_FALSE(line("runsTable", QStringLiteral("e.tilescope")).isEmpty());
}

TEST_F(Runs, AViewThatGoesWhileItReadsTellsNobody) {
    auto other = std::make_unique<RunsView>();
    other->show();
    other->readFolder(QString::fromStdString(folder / ""));
    QSignalSpy told(other->findChild<QObject*>(QStringLiteral("runReader")), SIGNAL(changed()));
    ASSERT_TRUE(told.isValid());
    told.clear();
    other.reset();
    EXPECT_EQ(told.size(), 0);
}

TEST_F(Runs, AFolderWithoutProfilesSaysSo) {
    tests::TemporaryFolder empty;
    view.readFolder(QString::fromStdString(empty / ""));
    const auto says = [this] {
        for (const QLabel* label : view.findChildren<QLabel*>())
            if (label->isVisible() && label->text().contains(QStringLiteral("No profiles in")))
                return true;
        return false;
    };
    wait(says);
}

} // namespace
} // namespace tilescope::ui
