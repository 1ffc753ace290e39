// SPDX-License-Identifier: GPL-3.0-or-later
// What if, over real runs that the program estimates.
#include "analyse/summary.h"
#include "build_paths.h"
#include "tests/core/profile/older_schema.h"
#include "tests/temporary_folder.h"
#include "tests/ui/shown_text.h"
#include "ui/runs/runs_view.h"
#include "ui/session/format.h"
#include "ui/widgets/data_table.h"

#include <QApplication>
#include <QFile>
#include <QFileDialog>
#include <QLineEdit>
#include <QProcess>
#include <QPushButton>
#include <QSignalSpy>
#include <QSlider>
#include <QTableView>
#include <QTest>
#include <QTimer>
#include <gtest/gtest.h>

namespace tilescope::ui {
namespace {

void estimate(const std::string& path, const QStringList& changes = {}, const char* sample = "mnist_tf2") {
    QStringList arguments{QStringLiteral("profile"),
                          QStringLiteral(TILESCOPE_SOURCE_DIR "/samples/%1.json").arg(QLatin1String(sample)),
                          QStringLiteral("--estimate"),
                          QStringLiteral("--no-remedies"),
                          QStringLiteral("--progress"),
                          QStringLiteral("none"),
                          QStringLiteral("-o"),
                          text(path)};
    for (const QString& change : changes)
        arguments << QStringLiteral("--set") << QStringLiteral("ipu_config.ipu_model.") + change;
    QProcess::execute(QStringLiteral(TILESCOPE_BIN_DIR "/tilescope"), arguments);
}

analyse::Summary summary(const std::string& path) {
    const auto told = analyse::summarise(**profile::Profile::open(path));
    EXPECT_TRUE(told);
    return *told;
}

/// One estimate in a folder, chosen, with What if in front.
class WhatIf : public testing::Test {
  protected:
    explicit WhatIf(const char* sample = "mnist_tf2", const std::string& changed = {}) {
        estimate(folder / "run.tilescope", {}, sample);
        profile::run_sql(folder / "run.tilescope", changed);
        view.resize(1200, 800);
        view.restoreState({{QStringLiteral("folder"), QString::fromStdString(folder / "")}});
        view.show();
        EXPECT_TRUE(QTest::qWaitForWindowActive(&view));
        EXPECT_TRUE(QTest::qWaitFor([this] { return rows("runsTable") == 1; }, 20000));
        find<DataTable>("runsTable")->view()->selectRow(0);
        QTest::keyClick(&view, Qt::Key_W);
        settle();
    }
    /// The estimate is there.
    void settle() {
        QTest::qWait(1);
        EXPECT_TRUE(QTest::qWaitFor([this] { return view.pending() == 0; }, 120000));
    }
    template<class Widget>
    Widget* find(const char* name) {
        auto* found = view.findChild<Widget*>(QLatin1String(name));
        EXPECT_NE(found, nullptr) << name;
        return found;
    }
    int rows(const char* table) {
        auto* found = view.findChild<DataTable*>(QLatin1String(table));
        return found == nullptr ? 0 : found->view()->model()->rowCount();
    }
    /// Of "Step time" and others: this run, what if, change.
    QStringList line(const QString& name) {
        const auto* model = find<DataTable>("whatIfFigures")->view()->model();
        for (int row = 0; row < model->rowCount(); ++row)
            if (model->index(row, 0).data().toString() == name) {
                QStringList cells;
                for (int column = 1; column < model->columnCount(); ++column)
                    cells << model->index(row, column).data().toString();
                return cells;
            }
        ADD_FAILURE() << "there is no row " << name.toStdString();
        return {{}, {}, {}};
    }
    void type(int figure, const QString& value) {
        auto* edit = find<QLineEdit>(QStringLiteral("whatIfValue%1").arg(figure).toLatin1());
        edit->setFocus();
        edit->selectAll();
        QTest::keyClicks(edit, value);
        QTest::keyClick(edit, Qt::Key_Return);
    }
    QString heading() { return tests::shown_texts(view).join(QLatin1Char('\n')); }

    const tests::TemporaryFolder folder;
    RunsView view;
};

enum Figure { tiles, memory, clock, exchange, links, host };

TEST_F(WhatIf, ASliderCompilesTheRunAnewAndShowsBothSideBySide) {
    EXPECT_TRUE(find<QSlider>("whatIfSlider0")->hasFocus());
    EXPECT_EQ(line(QStringLiteral("Step time"))[1], QStringLiteral("–")) << "nothing is compiled unasked";
    QTest::keyClick(find<QSlider>("whatIfSlider0"), Qt::Key_PageDown);
    QTest::keyClick(find<QSlider>("whatIfSlider0"), Qt::Key_PageDown);
    EXPECT_EQ(find<QLineEdit>("whatIfValue0")->text(), QStringLiteral("736")) << "half of 1,472";
    EXPECT_TRUE(tests::shows(view, QStringLiteral("0.50 × 1,472")));
    settle();

    const analyse::Summary before = summary(folder / "run.tilescope");
    estimate(folder / "half.tilescope", {QStringLiteral("tiles_per_ipu=736")});
    const analyse::Summary half = summary(folder / "half.tilescope");
    EXPECT_NE(*before.step_us, *half.step_us);
    const QStringList step = line(QStringLiteral("Step time"));
    EXPECT_EQ(step[0], formatSeconds(*before.step_us * 1e-6));
    EXPECT_EQ(step[1], formatSeconds(*half.step_us * 1e-6));
    EXPECT_TRUE(step[2].contains(formatChange(*before.step_us, *half.step_us))) << step[2].toStdString();
    EXPECT_EQ(line(QStringLiteral("Fullest tile"))[1], formatBytes(half.memory->fullest_with_gaps.bytes));
    EXPECT_TRUE(line(QStringLiteral("Memory"))[1].startsWith(QStringLiteral("fits")));
    EXPECT_FALSE(line(QStringLiteral("Limited by"))[1].isEmpty());
    EXPECT_TRUE(heading().contains(QStringLiteral("with another target, estimate: Fits")))
        << heading().toStdString();

    QTest::mouseClick(find<QPushButton>("whatIfReset"), Qt::LeftButton);
    settle();
    EXPECT_EQ(line(QStringLiteral("Step time"))[1], QStringLiteral("–"));
    EXPECT_EQ(find<QLineEdit>("whatIfValue0")->text(), QStringLiteral("1,472"));
}

TEST_F(WhatIf, AnotherClockLeavesTheRatesOfLinksAndHostAsTheyAre) {
    type(clock, QStringLiteral("2.66 GHz"));
    settle();
    QSignalSpy wanted(&view, &View::runRequested);
    QTest::mouseClick(find<QPushButton>("whatIfRun"), Qt::LeftButton);
    ASSERT_EQ(wanted.size(), 1);
    EXPECT_TRUE(wanted[0][0].toString().endsWith(QStringLiteral("mnist_tf2.json")));
    const QStringList changes = wanted[0][1].toStringList();
    EXPECT_TRUE(changes.contains(QStringLiteral("ipu_config.ipu_model.clock_hz=2660000000")));
    EXPECT_TRUE(changes.contains(QStringLiteral("ipu_config.ipu_model.host_bytes_per_cycle=7.6")))
        << "half of 15.2: " << changes.join(u' ').toStdString();
}

// The dialog is answered as a person would: with a name, or with none.
TEST_F(WhatIf, AnEstimateIsKeptAsARunOfItsOwn) {
    auto* save = find<QPushButton>("whatIfSave");
    EXPECT_FALSE(save->isEnabled()) << "nothing is compiled yet";
    type(tiles, QStringLiteral("736"));
    settle();
    ASSERT_TRUE(save->isEnabled());
    const std::string path = folder / "kept.tilescope";
    const auto answer = [](const QString& name) {
        QTimer::singleShot(0, [name] {
            auto* dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget());
            ASSERT_NE(dialog, nullptr);
            if (name.isEmpty())
                return dialog->reject();
            dialog->findChild<QLineEdit*>()->setText(name);
            QMetaObject::invokeMethod(dialog, "accept");
        });
    };
    answer({});
    QTest::mouseClick(save, Qt::LeftButton);
    EXPECT_FALSE(QFile::exists(text(path))) << "the dialog was cancelled";
    answer(text(path));
    QTest::mouseClick(save, Qt::LeftButton);
    ASSERT_TRUE(QFile::exists(text(path)));
    EXPECT_EQ(line(QStringLiteral("Step time"))[1], formatSeconds(*summary(path).step_us * 1e-6));
    EXPECT_EQ((*profile::Profile::open(path))->target()->tiles_per_ipu, 736);
    EXPECT_TRUE(QTest::qWaitFor([this] { return rows("runsTable") == 2; }, 20000))
        << "it is listed beside the run";

    type(tiles, QStringLiteral("700"));
    settle();
    answer(QString::fromStdString(folder / "missing/kept.tilescope"));
    QTest::mouseClick(save, Qt::LeftButton);
    EXPECT_TRUE(tests::shows(view, QStringLiteral("cannot be written"))) << heading().toStdString();
}

TEST_F(WhatIf, WhatDoesNotFitIsAResult) {
    type(memory, QStringLiteral("4"));
    settle();
    EXPECT_TRUE(line(QStringLiteral("Memory"))[1].startsWith(QStringLiteral("does not fit, ")))
        << line(QStringLiteral("Memory"))[1].toStdString();
    EXPECT_EQ(line(QStringLiteral("Step time"))[1], QStringLiteral("–"));
    EXPECT_TRUE(heading().contains(QStringLiteral("Does not fit: tile ")));
    EXPECT_FALSE(find<QPushButton>("whatIfRun")->isEnabled());
}

struct WhatIfOfAnOlderFile : WhatIf {
    WhatIfOfAnOlderFile() : WhatIf("mnist_tf2", "UPDATE target SET link_bytes_per_cycle = NULL") {}
};

TEST_F(WhatIfOfAnOlderFile, IsRefusedInOneLine) {
    EXPECT_TRUE(
        tests::shows(view, QStringLiteral("this file is of an older version, which did not record all "
                                          "rates of the target: profile the workload again")))
        << heading().toStdString();
}

TEST_F(WhatIf, WhatIsRefusedIsSaidInOneLine) {
    type(tiles, QStringLiteral("9000"));
    settle();
    EXPECT_TRUE(tests::shows(view, QStringLiteral("tiles_per_ipu is 9,000; use 1 to 8,192")))
        << heading().toStdString();
    EXPECT_EQ(line(QStringLiteral("Step time"))[1], QStringLiteral("–"));
    type(tiles, QStringLiteral("many"));
    EXPECT_TRUE(tests::shows(view, QStringLiteral("“many” is no number above 0.")));
    type(tiles, QStringLiteral("1472"));
    settle();
    EXPECT_TRUE(tests::shows(view, QStringLiteral("What if mnist-tf2 had another target?")));
}

TEST_F(WhatIf, CancelStopsAndANewerWishReplacesAnOlderOne) {
    type(tiles, QStringLiteral("700"));
    QTest::mouseClick(find<QPushButton>("whatIfStop"), Qt::LeftButton);
    settle();
    EXPECT_TRUE(tests::shows(view, QStringLiteral("stopped before it was compiled")));
    type(tiles, QStringLiteral("701"));
    ASSERT_TRUE(QTest::qWaitFor([this] { return !heading().contains(QStringLiteral("stopped")); }, 5000));
    type(tiles, QStringLiteral("600"));
    settle();
    estimate(folder / "600.tilescope", {QStringLiteral("tiles_per_ipu=600")});
    EXPECT_EQ(line(QStringLiteral("Step time"))[1],
              formatSeconds(*summary(folder / "600.tilescope").step_us * 1e-6));
}

} // namespace
} // namespace tilescope::ui
