// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/told_details.h"
#include "tests/ui/view_test_support.h"
#include "ui/query/query_view.h"
#include "ui/widgets/data_table.h"

#include <QTableView>
#include <gtest/gtest.h>

namespace tilescope::ui {
namespace {

using tests::ToldDetails;

class QueryDetails : public testing::Test {
  protected:
    void ask(const QString& sql) {
        shown.view.run(sql);
        shown.settle();
    }
    void choose(int row) { // by keys
        auto* table = shown.view.findChild<DataTable*>(QStringLiteral("answer"))->view();
        table->setFocus();
        table->setCurrentIndex(table->model()->index(0, 0));
        for (int i = 0; i < row; ++i)
            QTest::keyClick(table, Qt::Key_Down);
        shown.settle();
    }

    tests::ShownView<QueryView> shown;
    ToldDetails told{shown.view};
};

TEST_F(QueryDetails, AreTheRowThatIsChosenColumnByColumn) {
    ask(QStringLiteral("SELECT 'a b' AS words, 1234567 AS many, 0.0123456789 AS exact, NULL AS none, "
                       "'<b>' AS tag UNION ALL SELECT 'second', 8, 2, 3, 'x'"));
    EXPECT_EQ(told.html(), QString()) << "no row is chosen yet";
    choose(0);
    EXPECT_EQ(told.title(), QStringLiteral("Row 1"));
    EXPECT_EQ(told.value("words"), QStringLiteral("a b"));
    EXPECT_EQ(told.value("many"), QStringLiteral("1,234,567"));
    EXPECT_EQ(told.value("exact"), QStringLiteral("0.0123456789"));
    EXPECT_EQ(told.value("none"), QStringLiteral("NULL"));
    EXPECT_EQ(told.value("tag"), QStringLiteral("<b>"));
    choose(1);
    EXPECT_EQ(told.title(), QStringLiteral("Row 2"));
    EXPECT_EQ(told.value("words"), QStringLiteral("second"));
    ask(QStringLiteral("SELECT 1"));
    EXPECT_EQ(told.html(), QString()) << "it is a row of another answer";
}

// The row is of the answer before, which goes while its details are asked.
TEST_F(QueryDetails, OfARowThatGoesAreNotToldAnyMore) {
    ask(QStringLiteral("SELECT 'dense' AS words"));
    auto* table = shown.view.findChild<DataTable*>(QStringLiteral("answer"))->view();
    shown.view.run(QStringLiteral("SELECT 2"));
    table->setCurrentIndex(table->model()->index(0, 0)); // waits behind the question
    shown.settle();
    EXPECT_EQ(told.html(), QString());
}

// Ids have the name of what they are of beside them; both lead there.
TEST_F(QueryDetails, LinkWhatTheRowNames) {
    ask(QStringLiteral("SELECT operation.id AS operation_id, layer_id, 3 AS tile, 0 AS ipu, operation.kind "
                       "FROM operation WHERE operation.name = 'dense/MatMul'"));
    choose(0);
    const auto id = told.value("operation_id").section(QLatin1Char(','), 0, 0);
    EXPECT_EQ(told.value("operation_id"), id + QStringLiteral(", dense/MatMul"));
    EXPECT_TRUE(told.html().contains(QStringLiteral("href='operation:%1:0'").arg(id)))
        << told.html().toStdString();
    EXPECT_TRUE(told.value("layer_id").endsWith(QStringLiteral(", dense")));
    EXPECT_TRUE(told.html().contains(QStringLiteral("href='tile:3:0'>3</a>")));
    EXPECT_TRUE(told.html().contains(QStringLiteral("href='ipu:0:0'>0</a>")));
    EXPECT_FALSE(told.html().contains(QStringLiteral(">MatMul</a>"))) << "a kind is no name";
    ask(QStringLiteral(
        "SELECT 'no such thing' AS words, name, bytes FROM variable WHERE name = 'dense/WeightGrad'"));
    choose(0);
    EXPECT_EQ(told.value("words"), QStringLiteral("no such thing"));
    EXPECT_TRUE(told.html().contains(QStringLiteral(">dense/WeightGrad</a>"))) << told.html().toStdString();
}

// What the base alone has is told without links: they would lead to other things of the file that is shown.
TEST_F(QueryDetails, WithABaseHaveItsValuesAndTheDifference) {
    const tests::ShownView<QueryView> base(tests::FixtureSize{64, 3, 2, 2, 3});
    shown.view.setSources({shown.source, base.source});
    ask(QStringLiteral("SELECT id AS layer_id, id + 40 AS number FROM layer ORDER BY id"));
    choose(0);
    EXPECT_EQ(told.value("layer_id"), QStringLiteral("0, dense"));
    EXPECT_EQ(told.value("number"), QStringLiteral("40"));
    EXPECT_EQ(told.value("number, base"), QStringLiteral("40"));
    EXPECT_EQ(told.value("difference"), QStringLiteral("="));
    EXPECT_EQ(told.value("In"), QStringLiteral("both"));
    choose(2);
    EXPECT_EQ(told.value("In"), QStringLiteral("base"));
    EXPECT_EQ(told.value("layer_id"), QStringLiteral("2")) << "this file has no third layer";
    EXPECT_FALSE(told.html().contains(QStringLiteral("href")));
    shown.view.setSources({});
}

} // namespace
} // namespace tilescope::ui
