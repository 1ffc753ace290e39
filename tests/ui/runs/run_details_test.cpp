// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/record_run.h"
#include "tests/temporary_folder.h"
#include "tests/ui/told_details.h"
#include "ui/runs/runs_view.h"
#include "ui/widgets/data_table.h"

#include <QTableView>
#include <QTest>
#include <gtest/gtest.h>

namespace tilescope::ui {
namespace {

using profile::ExecutionKind;
using tests::ToldDetails;
using tests::ToldRun;

/// Three runs of a workload, each with another batch or time, and one of another workload; the newest is the
/// first row.
struct RunDetails : testing::Test {
    RunDetails() {
        record("first", {"cnn", 10, 20000, 600, 1000});
        record("slower", {"cnn",
                          10,
                          40000,
                          600,
                          2000,
                          profile::RunStatus::Complete,
                          "a<b>",
                          {{0, ExecutionKind::Train, "loss", 2},
                           {1, ExecutionKind::Train, "loss", 0.25},
                           {1, ExecutionKind::Train, "accuracy", 0.5},
                           {0, ExecutionKind::Evaluate, "loss", 0.75}}});
        record("full", {"cnn", 80, 0, 1040, 3000, profile::RunStatus::OutOfMemory});
        record("other", {"rnn", 10, 20000, 600, 4000});
        view.resize(1100, 700);
        view.restoreState({{QStringLiteral("folder"), QString::fromStdString(folder / "")}});
        view.show();
        settle();
    }
    ~RunDetails() override { view.setSources({}); }
    void record(const std::string& name, const ToldRun& run) {
        EXPECT_TRUE(tests::record_run(folder / (name + ".tilescope"), run));
    }
    void settle() {
        EXPECT_TRUE(QTest::qWaitFor(
            [this] { return table() != nullptr && table()->model()->rowCount() == 4 && view.pending() == 0; },
            20000));
    }
    QTableView* table() {
        auto* runs = view.findChild<DataTable*>(QStringLiteral("runsTable"));
        return runs == nullptr ? nullptr : runs->view();
    }
    int rowOf(const QString& file) {
        for (int row = 0; row < table()->model()->rowCount(); ++row)
            if (table()->model()->index(row, 1).data().toString() == file)
                return row;
        ADD_FAILURE() << file.toStdString();
        return -1;
    }
    void choose(const char* file) {
        table()->selectRow(rowOf(QLatin1String(file)));
        settle();
    }

    tests::TemporaryFolder folder;
    RunsView view;
    ToldDetails told{view};
};

TEST_F(RunDetails, AreOfTheRowThatIsChosen) {
    EXPECT_EQ(told.html(), QString()) << "none is chosen yet";
    choose("slower.tilescope");
    EXPECT_EQ(told.title(), QStringLiteral("slower.tilescope"));
    EXPECT_EQ(told.value("File"), QString::fromStdString(folder / "slower.tilescope"));
    EXPECT_EQ(told.value("Workload"), QStringLiteral("cnn"));
    EXPECT_EQ(told.value("Label"), QStringLiteral("a<b>"));
    EXPECT_EQ(told.value("Status"), QStringLiteral("complete"));
    EXPECT_EQ(told.value("Target"), QStringLiteral("ipu: 1 × ipu2 of 2 tiles, 1 GHz"));
    EXPECT_EQ(told.value("Memory"), QStringLiteral("fits, 60.0 %"));
    EXPECT_EQ(told.value("Epoch 2"), QStringLiteral("loss 0.25\naccuracy 50.0 %"));
    EXPECT_EQ(told.value("On test data"), QStringLiteral("loss 0.75"));
}

// 4 us a step after 2 us.
TEST_F(RunDetails, StandAgainstTheRunOfTheWorkloadBefore) {
    choose("slower.tilescope");
    EXPECT_TRUE(told.value("Step time").startsWith(QStringLiteral("4 µs, ")))
        << told.value("Step time").toStdString();
    EXPECT_TRUE(told.value("Step time").contains(QStringLiteral("+100.0 %")));
    EXPECT_TRUE(told.value("Step time").contains(QStringLiteral("worse")));
    EXPECT_EQ(told.value("Against"), QStringLiteral("first.tilescope, the run before"));
    EXPECT_EQ(told.value("Differs in"), QStringLiteral("no setting"));
    choose("first.tilescope");
    EXPECT_EQ(told.value("Step time"), QStringLiteral("2 µs"));
    EXPECT_EQ(told.value("Against"), QString()) << "none is before it";
    choose("other.tilescope");
    EXPECT_EQ(told.value("Against"), QString()) << "it is the first of its workload";
}

TEST_F(RunDetails, OfWhatDidNotFitHaveNoTimes) {
    choose("full.tilescope");
    EXPECT_EQ(told.value("Status"), QStringLiteral("out of memory"));
    EXPECT_EQ(told.value("Memory"), QStringLiteral("does not fit, 104.0 %"));
    EXPECT_EQ(told.value("Step time"), QString());
    EXPECT_EQ(told.value("Differs in"),
              QStringLiteral("status: out of memory, there complete\nbatch: 80, there 10"));
}

TEST_F(RunDetails, StandAgainstTheOtherOneOfTwo) {
    choose("full.tilescope");
    table()->selectionModel()->select(table()->model()->index(rowOf(QStringLiteral("first.tilescope")), 0),
                                      QItemSelectionModel::Select | QItemSelectionModel::Rows);
    settle();
    EXPECT_EQ(told.title(), QStringLiteral("first.tilescope")) << "it was chosen last";
    EXPECT_EQ(told.value("Against"), QStringLiteral("full.tilescope, the other one that is chosen"));
    EXPECT_EQ(told.value("Differs in"),
              QStringLiteral("status: complete, there out of memory\nbatch: 10, there 80"));
}

TEST_F(RunDetails, StandAgainstTheBaseOfTheWindow) {
    choose("other.tilescope");
    const auto base = ProfileSource::open(QString::fromStdString(folder / "first.tilescope"));
    const auto now = ProfileSource::open(QString::fromStdString(folder / "other.tilescope"));
    view.setSources({now, base});
    settle();
    EXPECT_EQ(told.value("Against"), QStringLiteral("first.tilescope, the base"));
    EXPECT_EQ(told.value("Differs in"), QStringLiteral("workload: rnn, there cnn"));
}

} // namespace
} // namespace tilescope::ui
