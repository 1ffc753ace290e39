// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/profile_fixture.h"
#include "tests/temporary_folder.h"
#include "ui/graph/graph_view.h"
#include "ui/program/program_view.h"
#include "ui/trace/trace_view.h"
#include "ui/widgets/data_table.h"
#include "ui/window/all_views.h"

#include <QTest>
#include <QTreeView>
#include <algorithm>
#include <gtest/gtest.h>

namespace tilescope::ui {
namespace {

/// Every view of the window on the same file twice (as current and base) and one selection.
class SharedSelection : public testing::Test {
  protected:
    void SetUp() override {
        const std::string path = folder_ / "run.tilescope";
        ASSERT_TRUE(tests::record_fixture(path));
        source_ = ProfileSource::open(QString::fromStdString(path));
        base_ = ProfileSource::open(QString::fromStdString(path));
        for (const ViewPlace& place : allViews(nullptr))
            views_ << place.view;
        for (View* view : views_) {
            view->resize(1100, 800);
            view->setSelection(&selection_);
            view->setSources({source_, base_});
            view->QWidget::show();
        }
        settle();
    }
    void TearDown() override {
        for (View* view : views_)
            view->setSources({});
        qDeleteAll(views_);
    }

    void settle() {
        for (int round = 0; round < 3; ++round) {
            QTest::qWait(1);
            ASSERT_TRUE(QTest::qWaitFor(
                [this] {
                    return source_->pending() + base_->pending() == 0 &&
                           std::ranges::all_of(views_, &View::atRest);
                },
                20000));
        }
    }
    View* view(const char* id) {
        for (View* view : views_)
            if (view->id() == QLatin1String(id))
                return view;
        ADD_FAILURE() << "there is no view " << id;
        return nullptr;
    }
    /// The table of a view whose first column has that title.
    QTableView* table(const char* id, const QString& title) {
        for (DataTable* table : view(id)->findChildren<DataTable*>())
            if (table->view()->model()->headerData(0, Qt::Horizontal).toString() == title)
                return table->view();
        ADD_FAILURE() << "there is no table " << title.toStdString();
        return nullptr;
    }
    static QModelIndex row(QTableView* table, const QString& name) {
        const auto found =
            table->model()->match(table->model()->index(0, 0), Qt::DisplayRole, name, 1, Qt::MatchExactly);
        return found.isEmpty() ? QModelIndex() : found.first();
    }
    static bool tinted(QTableView* table, const QString& name) {
        return row(table, name).data(Qt::BackgroundRole).isValid();
    }

    tests::TemporaryFolder folder_;
    std::shared_ptr<ProfileSource> source_, base_;
    SelectionModel selection_;
    QList<View*> views_;
};

TEST_F(SharedSelection, ALayerChosenInTheGraphLightsUpEverywhere) {
    auto* graph = static_cast<GraphView*>(view("graph"));
    const auto& boxes = graph->canvas().scene().boxes;
    for (std::size_t b = 0; b < boxes.size(); ++b)
        if (boxes[b].kind == GraphBox::Kind::Group &&
            graph->canvas().graph()->groups[boxes[b].index].layer == 1)
            QTest::mouseClick(&graph->canvas(), Qt::LeftButton, {},
                              graph->canvas().toWidget(boxes[b].rect.center()).toPoint());
    settle();
    ASSERT_EQ(selection_.current().layer, 1);
    QTableView* variables = table("memory", QStringLiteral("Variable"));
    EXPECT_TRUE(tinted(variables, QStringLiteral("dense_1/kernel")));
    EXPECT_TRUE(tinted(variables, QStringLiteral("dense_1/WeightGrad")));
    EXPECT_FALSE(tinted(variables, QStringLiteral("dense/kernel")));
    EXPECT_EQ(static_cast<TraceView*>(view("trace"))->timeline().highlight().layer, 1);
    EXPECT_TRUE(static_cast<ProgramView*>(view("program"))
                    ->tree()
                    .currentIndex()
                    .data()
                    .toString()
                    .startsWith(QLatin1String("dense_1/")));
    for (const auto& [id, title] :
         {std::pair{"summary", QStringLiteral("Layer")}, std::pair{"compare", QStringLiteral("Layer")}}) {
        const QModelIndexList rows = table(id, title)->selectionModel()->selectedRows();
        ASSERT_EQ(rows.size(), 1) << id;
        EXPECT_EQ(rows.first().data().toString(), QStringLiteral("dense_1")) << id;
    }
}

TEST_F(SharedSelection, AVariableInMemorySelectsWhatMakesIt) {
    QTableView* variables = table("memory", QStringLiteral("Variable"));
    const QModelIndex chosen = row(variables, QStringLiteral("dense_1/WeightGrad")); // made by operation 10
    variables->scrollTo(chosen);
    QTest::mouseClick(variables->viewport(), Qt::LeftButton, {}, variables->visualRect(chosen).center());
    settle();
    EXPECT_EQ(selection_.current().operation, 10);
    EXPECT_EQ(selection_.current().layer, 1);
    auto* graph = static_cast<GraphView*>(view("graph"));
    EXPECT_EQ(graph->canvas().marks().focus,
              graph->canvas().scene().box_of_node[*graph->canvas().graph()->nodeOf(10)]);
    EXPECT_EQ(static_cast<ProgramView*>(view("program"))->tree().currentIndex().data().toString(),
              QStringLiteral("dense_1/WeightGrad"));
    EXPECT_EQ(static_cast<TraceView*>(view("trace"))->timeline().highlight().operation, 10);
    ASSERT_EQ(variables->selectionModel()->selectedRows().size(), 1); // and stays selected itself
    EXPECT_EQ(variables->currentIndex().siblingAtColumn(0).data().toString(),
              QStringLiteral("dense_1/WeightGrad"));
}

TEST_F(SharedSelection, ALayerChosenInCompareOrSummaryIsChosenForAll) {
    for (const char* id : {"compare", "summary"}) {
        selection_.set({});
        QTableView* layers = table(id, QStringLiteral("Layer"));
        const QModelIndex chosen = row(layers, QStringLiteral("dense"));
        ASSERT_TRUE(chosen.isValid()) << id;
        layers->scrollTo(chosen);
        QTest::mouseClick(layers->viewport(), Qt::LeftButton, {}, layers->visualRect(chosen).center());
        EXPECT_EQ(selection_.current().layer, 0) << id;
        EXPECT_EQ(selection_.current().operation, -1) << id;
    }
    EXPECT_EQ(static_cast<TraceView*>(view("trace"))->timeline().highlight().layer, 0);
}

TEST_F(SharedSelection, SelectedTilesNarrowTheVariablesAndKeepTheSelection) {
    QTableView* variables = table("memory", QStringLiteral("Variable"));
    Selection selection;
    selection.layer = 0;
    selection_.set(selection);
    settle();
    const QString all = row(variables, QStringLiteral("dense/kernel")).siblingAtColumn(1).data().toString();
    EXPECT_EQ(all, QStringLiteral("64 KiB"));
    selection.tiles = {3};
    selection_.set(selection);
    settle();
    const QModelIndex kernel = row(variables, QStringLiteral("dense/kernel"));
    EXPECT_EQ(kernel.siblingAtColumn(1).data().toString(), QStringLiteral("1 KiB")); // of 64 tiles
    EXPECT_TRUE(tinted(variables, QStringLiteral("dense/kernel")));
    EXPECT_FALSE(tinted(variables, QStringLiteral("dense_1/kernel")));
}

} // namespace
} // namespace tilescope::ui
