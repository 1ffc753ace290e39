// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/graph_cost.h"
#include "analyse/matching.h"
#include "analyse/operation_baseline.h"
#include "analyse/operation_details.h"
#include "analyse/operation_groups.h"
#include "analyse/operation_history.h"
#include "analyse/roofline.h"
#include "ui/session/view.h"
#include "ui/widgets/operation_table.h"

#include <memory>
#include <optional>
#include <set>
#include <vector>

class QComboBox;
class QLabel;
class QMenu;
class QTabWidget;

namespace tilescope::ui {

class DataTable;
struct BaseOperations;
struct OperationRows;
struct TableRow;
class PageStack;
class LifetimeDelegate;
class PlanBars;
class HistoryPage;
class RooflinePage;
class ThemedLabel;
class TileHistogram;
class TileMap;

/// All operations in a table: which is slow, and whether by its work, exchange, balance or plan. Below it the
/// steps of the chosen one, the plan with its runners-up, its tiles and vertices.
class OperationsView : public View {
    Q_OBJECT
  public:
    explicit OperationsView(QWidget* parent = nullptr);
    QString id() const override { return QStringLiteral("operations"); }
    QString title() const override { return tr("Operations"); }
    QString iconName() const override { return QStringLiteral("operations"); }
    bool offersDetails() const override { return true; }
    analyse::FigureKinds predicts() const override { return {FigureKind::Compute, FigureKind::Memory}; }
    void orderBy(const QString& phase) override;
    QJsonObject saveState() const override; ///< which columns are shown
    void restoreState(const QJsonObject& state) override;

    struct Table {
        analyse::Costs costs;
        analyse::Parts parts;
        std::vector<analyse::OperationFigures> rows;
        std::vector<analyse::OperationGroup> groups; ///< of these
        analyse::GraphCost all;                      ///< of all operations with all variables
        double clock_hz = 0;
        std::optional<analyse::Roofline> roofline;
    };

  protected:
    void tellDetails() override;
    void startOver(bool another) override;
    void refresh() override;
    void basisChosen() override;
    void follow(const Selection& selection) override;

  private:
    QWidget* makeTabs();
    void makeActions();
    analyse::Basis shownBasis() const; ///< one that both files have, where two are open
    QWidget* makeHead();
    OperationRows tableRows() const;                                    ///< of what is read
    const analyse::OperationGroup* groupOf(std::int64_t key) const;     ///< nullptr: the key of one operation
    std::int64_t slowestOf(const analyse::OperationGroup& group) const; ///< operation
    QString linkOf(std::int64_t key) const;           ///< to the operation, or the slowest of a group
    std::int64_t keyOf(std::int64_t operation) const; ///< of the point or row that stands for it
    analyse::OperationGrouping grouping() const;      ///< that is chosen
    void groupBy(analyse::OperationGrouping grouping);
    void askRows();
    void showTable(std::vector<TableRow> rows);
    void showHeading();
    void showDifference();
    void chooseColumns(const std::set<int>& columns); ///< the user
    void showColumns(const std::set<int>& columns);
    bool peaksKnown() const; ///< so that what is lost is
    void choose(std::int64_t key);
    void askDetails(std::int64_t operation);
    void showDetails();
    void showSteps(const QString& name);
    void showVariables(const QString& name);
    void showTiles(const std::vector<std::int64_t>& tiles);
    void showExecution(std::int64_t start);
    void showPlans(const std::vector<analyse::PlanChoice>& plans);
    QString detailsOf(const analyse::OperationFigures& op) const; ///< that is shown below
    QString detailsOf(const analyse::OperationGroup& group) const;
    QString detailsOfAll() const;
    void addCostliest(DetailTable& table, const QString& name, const std::vector<std::size_t>& members) const;

    std::shared_ptr<const Table> table_ = std::make_shared<const Table>();
    std::shared_ptr<const BaseOperations> base_;
    std::int64_t shown_ = -1; ///< operation below
    analyse::OperationDetails details_;
    std::vector<analyse::AlikeExecutions> executions_; ///< what it takes in them
    OperationTable about_;                             ///< the same one
    std::set<int> columns_;
    PageStack* pages_ = nullptr;
    ThemedLabel* heading_;
    QComboBox* grouping_;
    std::int64_t chosen_ = -1; ///< key of what the user chose here last
    DataTable* operations_;
    QTabWidget* tabs_;
    DataTable* steps_;
    DataTable* plans_;
    PlanBars* plan_bars_;
    ThemedLabel* why_;
    TileHistogram* tiles_;
    TileMap* tile_map_;
    std::vector<std::int64_t> map_tiles_; ///< chosen on it
    DataTable* vertices_;
    DataTable* variables_; ///< that the operation makes
    LifetimeDelegate* lives_;
    RooflinePage* roofline_;
    HistoryPage* history_;
    std::vector<QAction*> column_actions_; ///< of sets of columns
    QMenu* columns_menu_ = nullptr;        ///< each of those that may be there
};

} // namespace tilescope::ui
