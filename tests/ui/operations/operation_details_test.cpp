// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/told_details.h"
#include "tests/ui/view_test_support.h"
#include "ui/operations/operations_view.h"
#include "ui/session/format.h"
#include "ui/widgets/data_table.h"

#include <QTableView>
#include <QTest>
#include <gtest/gtest.h>

namespace tilescope::ui {
namespace {

using tests::ToldDetails;

void choose(tests::ShownView<OperationsView>& shown, std::int64_t operation) {
    Selection next = shown.selection.current();
    next.operation = operation;
    shown.selection.set(next);
    shown.settle();
}

} // namespace

// dense/Relu: 100 + 60 + 220 cycles, 32 x 128 FLOPs, which 64 tiles of 32 FLOPs a cycle do in two. An
// engine run is three steps of 6,580 cycles behind 1,000 of the host. Every other tile takes half of the
// compute. Four tiles in turn send 0, 8, 16 and 24 bytes.
TEST(OperationDetails, HaveAllFiguresOfTheChosenOne) {
    tests::ShownView<OperationsView> shown;
    const ToldDetails told(shown.view);
    choose(shown, 1);
    EXPECT_EQ(told.title(), QStringLiteral("dense/Relu"));
    EXPECT_EQ(told.value("Operation"), QStringLiteral("relu"));
    EXPECT_EQ(told.value("Phase"), QStringLiteral("forward"));
    EXPECT_EQ(told.value("Layer"), QStringLiteral("dense (Dense)"));
    EXPECT_EQ(told.value("Runs"), QStringLiteral("1 per step"));
    EXPECT_EQ(told.value("Cycles"), QStringLiteral("380 per step"));
    EXPECT_EQ(told.value("Compute"), formatCyclesAndTime(std::int64_t{220}, 1e9));
    EXPECT_EQ(told.value("Share"), QStringLiteral("5.5 % of the time of IPU 0")) << 3 * 380.0 / 20740;
    EXPECT_EQ(told.value("Lost"), formatCyclesAndTime(std::int64_t{378}, 1e9));
    EXPECT_EQ(told.value("Balance"), QStringLiteral("75.0 %"));
    EXPECT_EQ(told.value("Unbalanced"), formatCyclesAndTime(std::int64_t{55}, 1e9));
    EXPECT_EQ(told.value("FLOPs"), QStringLiteral("4,096"));
    EXPECT_EQ(told.value("Exchanged"), QStringLiteral("768 B")) << 16 * (8 + 16 + 24);
    EXPECT_EQ(told.value("Code"), QStringLiteral("3 KiB"));
    EXPECT_EQ(told.value("Plan"), QString()) << "it has none";
    EXPECT_EQ(told.value("Base"), QString());
    EXPECT_TRUE(told.html().contains(QStringLiteral("href='operation:0:-1'>dense/MatMul</a>")))
        << "which makes what it reads: " << told.html().toStdString();
    EXPECT_TRUE(told.html().contains(QStringLiteral("href='layer:0:-1'>dense</a>")));
    choose(shown, 0);
    EXPECT_EQ(told.value("Plan"), QStringLiteral("AMP on 64 tiles"));
    EXPECT_EQ(told.value("Attributes"), QStringLiteral("transpose false"));
    EXPECT_EQ(told.value("Temporary"), QStringLiteral("4 KiB on the fullest tile"));
}

TEST(OperationDetails, AreOfAllWhereNoneIsChosen) {
    tests::ShownView<OperationsView> shown;
    const ToldDetails told(shown.view);
    choose(shown, 1);
    choose(shown, -1);
    EXPECT_EQ(told.title(), QStringLiteral("All operations"));
    EXPECT_EQ(told.value("Operations"), QStringLiteral("12"));
    EXPECT_EQ(told.value("Cycles"), QStringLiteral("6,180 per step")) << 12 * 350 + 30 * 66;
    const QString costly = told.value("Take most, each alone");
    EXPECT_TRUE(costly.startsWith(QStringLiteral("dense_1/Update: ") + formatTime(std::int64_t{680}, 1e9)))
        << costly.toStdString();
    EXPECT_TRUE(told.html().contains(QStringLiteral("href='operation:11:-1'>dense_1/Update</a>")));
}

TEST(OperationDetails, AreOfAllThatARowStandsFor) {
    tests::ShownView<OperationsView> shown({16, 4, 1, 1, 1});
    const ToldDetails told(shown.view);
    auto* table = shown.view.findChild<DataTable*>(QStringLiteral("operations"))->view();
    int row = 0;
    const QString wanted = QStringLiteral("dense_*/MatMul × 3");
    while (row < table->model()->rowCount() && table->model()->index(row, 0).data().toString() != wanted)
        ++row;
    ASSERT_LT(row, table->model()->rowCount());
    table->setCurrentIndex(table->model()->index(row, 0));
    shown.settle();
    EXPECT_EQ(told.title(), wanted);
    EXPECT_EQ(told.value("Operations"), QStringLiteral("3"));
    EXPECT_EQ(told.value("Cycles"), QStringLiteral("2,130 per step")) << 3 * 350 + 30 * (6 + 12 + 18);
    EXPECT_EQ(told.html().count(QStringLiteral("href='operation:")), 3);
    EXPECT_TRUE(told.value("Of these").startsWith(QStringLiteral("dense_3/MatMul: "))) << "the slowest";
}

TEST(OperationDetails, StandAgainstTheBase) {
    tests::ShownView<OperationsView> shown;
    const tests::ShownView<OperationsView> base(tests::FixtureSize{64, 1, 1, 1, 1});
    const ToldDetails told(shown.view);
    shown.view.setSources({shown.source, base.source});
    shown.settle();
    choose(shown, 1);
    EXPECT_EQ(told.value("Base"), formatCyclesAndTime(std::int64_t{380}, 1e9) + QStringLiteral(", ="));
    choose(shown, 6);
    EXPECT_EQ(told.value("Base"), QStringLiteral("does not have it"));
    shown.view.setSources({shown.source});
    shown.settle();
    EXPECT_EQ(told.title(), QStringLiteral("dense_1/MatMul")) << "it is told anew";
    EXPECT_EQ(told.value("Base"), QString());
}

} // namespace tilescope::ui
