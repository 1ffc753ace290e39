// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/operations/operations_view.h"

#include "analyse/like_names.h"
#include "analyse/phases.h"
#include "base/try.h"
#include "history_page.h"
#include "operation_columns.h"
#include "operation_rows.h"
#include "plan_bars.h"
#include "roofline_page.h"
#include "tile_histogram.h"
#include "ui/session/format.h"
#include "ui/session/in_background.h"
#include "ui/session/step_kind.h"
#include "ui/session/subject_link.h"
#include "ui/session/subject_menu.h"
#include "ui/theme/themed_label.h"
#include "ui/tiles/tile_map.h"
#include "ui/widgets/data_table.h"
#include "ui/widgets/headed_page.h"
#include "ui/widgets/lifetime_delegate.h"
#include "ui/widgets/page_stack.h"
#include "ui/widgets/scatter_plot.h"
#include "ui/widgets/view_action.h"
#include "ui/widgets/yielding_split.h"

#include <QAction>
#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QJsonArray>
#include <QJsonObject>
#include <QMenu>
#include <QScrollArea>
#include <QTabBar>
#include <QTabWidget>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>
#include <cstdlib>
#include <utility>

namespace tilescope::ui {
namespace {

using analyse::Costs;
using analyse::OperationDetails;
using analyse::OperationFigures;
using analyse::PlanChoice;

constexpr int life_column = 2; ///< of the variables

Result<OperationsView::Table> readTable(const profile::Profile& file, analyse::OperationGrouping grouping) {
    OperationsView::Table table;
    TRY(table.costs, Costs::read(file));
    TRY(table.parts, analyse::Parts::read(file));
    TRY(const auto live, analyse::live_variables(file));
    TRY(table.rows, analyse::operation_figures(file, table.costs, live));
    TRY(const auto target, file.target());
    table.clock_hz = target.clock_hz;
    TRY(const auto tensors, file.tensors());
    table.groups = analyse::group_operations(table.rows, tensors, grouping);
    TRY(const auto operations, file.operations());
    table.all = analyse::cost_of_graph(table.costs, live, operations);
    std::vector<analyse::OperationGroup> points = table.groups;
    for (std::size_t i = 0; i < points.size(); ++i)
        if (const auto& members = points[i].members; members.size() > 1) {
            profile::OperationRecord& named = points[i].all.record;
            named.id = keyOfGroup(i);
            named.name = analyse::text_of({named.name, members});
        }
    table.roofline = analyse::roofline(target, points);
    return table;
}

} // namespace

OperationsView::OperationsView(QWidget* parent) : View(parent), columns_(columnPresets().front().columns) {
    operations_ = new DataTable(tr("Operations"), operationHeads());
    operations_->setSql(QStringLiteral("SELECT * FROM operation_cost\n"
                                       "ORDER BY compute_cycles + exchange_cycles + sync_cycles DESC"));
    connect(operations_, &DataTable::sqlWanted, this, &View::sqlRequested);
    operations_->setObjectName(QStringLiteral("operations"));
    QHeaderView* heads = operations_->view()->horizontalHeader();
    for (int c = Base; c < Columns; ++c) // beside the cycles that they are held against
        heads->moveSection(heads->visualIndex(c), Share + 1 + c - Base);
    pages_ = new PageStack(headedPage({makeHead()}, operations_, makeTabs(), 3, 2), this);
    findChild<YieldingSplit*>()->giveMostTo(roofline_, *tabs_);
    setFocusProxy(operations_->view());
    makeActions();
    addTabKeys(this, tabs_);
    showColumns(columns_);
    connect(operations_, &DataTable::keyChosen, this, &OperationsView::choose);
    operations_->setSubjects([this](std::int64_t key) { return linkOf(key); });
    offerSubjectOf(*this, roofline_->plot(), [plot = roofline_->plot(), this] {
        const auto& keys = plot->chosenKeys();
        return PictureSubject{plot->chosenName(), keys.empty() ? QString() : linkOf(*keys.begin())};
    });
    steps_->setSubjects([](std::int64_t step) { return linkTo(Subject::Step, step); });
}

QString OperationsView::linkOf(std::int64_t key) const {
    const analyse::OperationGroup* group = groupOf(key);
    return linkTo(Subject::Operation, group == nullptr ? key : slowestOf(*group));
}

QWidget* OperationsView::makeHead() {
    using analyse::OperationGrouping;
    heading_ = new ThemedLabel;
    heading_->setObjectName(QStringLiteral("operationsHeading"));
    heading_->setWordWrap(true);
    grouping_ = new QComboBox;
    grouping_->setObjectName(QStringLiteral("operationGrouping"));
    grouping_->setAccessibleName(tr("Group"));
    for (const auto& [grouping, words] : {std::pair(OperationGrouping::Alike, tr("alike together")),
                                          std::pair(OperationGrouping::Layer, tr("by layer")),
                                          std::pair(OperationGrouping::Kind, tr("by kind")),
                                          std::pair(OperationGrouping::None, tr("one by one"))})
        grouping_->addItem(words, static_cast<int>(grouping));
    connect(grouping_, &QComboBox::activated, this, [this] { groupBy(grouping()); });
    return headRow(heading_, {grouping_});
}

analyse::OperationGrouping OperationsView::grouping() const {
    return static_cast<analyse::OperationGrouping>(grouping_->currentData().toInt());
}

/// The rows that are shown stay until the others are known.
void OperationsView::groupBy(analyse::OperationGrouping grouping) {
    grouping_->setCurrentIndex(grouping_->findData(static_cast<int>(grouping)));
    chosen_ = -1;
    refresh();
}

QWidget* OperationsView::makeTabs() {
    steps_ = new DataTable({}, {{tr("Step")},
                                {tr("Kind")},
                                {tr("IPU")},
                                {tr("Runs")},
                                {tr("Sync")},
                                {tr("Exchange")},
                                {tr("Compute")},
                                {tr("In all"), true}});
    steps_->setObjectName(QStringLiteral("operationSteps"));
    plans_ = new DataTable({}, {{tr("Plan")},
                                {tr("Rank")},
                                {tr("Cycles"), true},
                                {tr("Temporary")},
                                {tr("Cost")},
                                {tr("Against the chosen")},
                                {tr("Decided")}});
    plans_->setObjectName(QStringLiteral("operationPlans"));
    why_ = new ThemedLabel;
    why_->setObjectName(QStringLiteral("operationWhy"));
    why_->setWordWrap(true);
    why_->setMargin(8);
    why_->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    auto* plans = new QWidget;
    auto* column = new QVBoxLayout(plans);
    column->setContentsMargins({});
    column->addWidget(why_);
    plan_bars_ = new PlanBars;
    column->addWidget(plan_bars_);
    column->addWidget(plans_, 1);
    auto* plan_page = new QScrollArea; // where bars and table have too little room
    plan_page->setWidget(plans);
    plan_page->setWidgetResizable(true);
    plan_page->setFrameShape(QFrame::NoFrame);
    plan_page->setFocusPolicy(Qt::NoFocus);
    plan_page->setFocusProxy(plans_);
    tiles_ = new TileHistogram;
    tiles_->setObjectName(QStringLiteral("operationTiles"));
    tile_map_ = new TileMap;
    tile_map_->setObjectName(QStringLiteral("operationTileMap"));
    auto* of_tiles = new QWidget;
    auto* beside = new QHBoxLayout(of_tiles);
    beside->setContentsMargins({});
    beside->addWidget(tiles_, 3);
    beside->addWidget(tile_map_, 2);
    of_tiles->setFocusProxy(tiles_);
    connect(tiles_, &TileHistogram::chosen, tile_map_, &TileMap::setSelectedTiles);
    connect(tiles_, &TileHistogram::activated, this, &OperationsView::showTiles);
    connect(tile_map_, &TileMap::tilesSelected, this, [this](const std::vector<std::int64_t>& tiles) {
        tile_map_->setSelectedTiles(tiles);
        map_tiles_ = tiles;
    });
    connect(tile_map_, &TileMap::tileActivated, this, [this] { showTiles(map_tiles_); });
    vertices_ =
        new DataTable({}, {{tr("Codelet")}, {tr("Compute set")}, {tr("Vertices"), true}, {tr("Tiles")}});
    vertices_->setObjectName(QStringLiteral("operationVertices"));
    variables_ = new DataTable({}, {{tr("Variable")},
                                    {tr("Bytes"), true},
                                    {tr("Life over the program")},
                                    {tr("Live")},
                                    {tr("Category")},
                                    {tr("Type")},
                                    {tr("IPU")}});
    variables_->setObjectName(QStringLiteral("operationVariables"));
    lives_ = new LifetimeDelegate(variables_);
    variables_->view()->setItemDelegateForColumn(life_column, lives_);
    variables_->setSubjects([this](std::int64_t variable) {
        for (const profile::VariableRecord& each : details_.variables)
            if (each.id == variable)
                return linkTo(Subject::Variable, variable, each.ipu);
        return QString();
    });
    tabs_ = new QTabWidget;
    tabs_->setDocumentMode(true);
    roofline_ = new RooflinePage;
    tabs_->addTab(steps_, tr("Steps"));
    tabs_->addTab(roofline_, tr("Roofline"));
    tabs_->addTab(plan_page, tr("Plan and runners-up"));
    tabs_->addTab(of_tiles, tr("Tiles"));
    tabs_->addTab(vertices_, tr("Vertices"));
    tabs_->addTab(variables_, tr("Variables"));
    history_ = new HistoryPage;
    tabs_->addTab(history_, tr("History over executions"));
    connect(history_, &HistoryPage::startChosen, this, &OperationsView::showExecution);
    connect(operations_, &DataTable::keyActivated, this, [this, plan_page] {
        tabs_->setCurrentWidget(plan_page);
        if (const auto* split = findChild<YieldingSplit*>(); split != nullptr && split->folded())
            tabs_->tabBar()->setFocus(Qt::OtherFocusReason); // which unfolds them
    });
    connect(roofline_, &RooflinePage::chosen, this, &OperationsView::choose);
    return tabs_;
}

void OperationsView::makeActions() {
    for (const ColumnPreset& preset : columnPresets()) {
        QAction* action = addViewAction(this, preset.name, {}, {}, tr("Choose the columns"),
                                        [this, columns = preset.columns] { chooseColumns(columns); });
        action->setCheckable(true);
        column_actions_.push_back(action);
    }
    addViewAction(this, tr("Most lost first"), {}, Qt::Key_L,
                  tr("Sort by the cycles that are lost against the peak (L)"),
                  [this] { operations_->view()->sortByColumn(Lost, Qt::DescendingOrder); });
    columns_menu_ = new QMenu(tr("Columns"), this);
    columns_menu_->setObjectName(QStringLiteral("operationColumns"));
    const std::vector<Column> heads = operationHeads();
    for (int column = first_chosen; column < Base; ++column) {
        QAction* action = columns_menu_->addAction(heads[static_cast<std::size_t>(column)].title);
        action->setCheckable(true);
        connect(action, &QAction::triggered, this, [this, column](bool shown) {
            std::set<int> columns = columns_;
            shown ? static_cast<void>(columns.insert(column)) : static_cast<void>(columns.erase(column));
            chooseColumns(columns);
        });
    }
    QHeaderView* head = operations_->view()->horizontalHeader();
    addViewAction(this, tr("Columns…"), {}, {}, tr("Choose each column (or right click on a head)"),
                  [this, head] { columns_menu_->popup(head->mapToGlobal(QPoint(0, head->height()))); });
    operations_->setChooser(columns_menu_);
}

void OperationsView::chooseColumns(const std::set<int>& columns) {
    const std::set<int> before = columns_;
    showColumns(columns);
    if (columns != before)
        Q_EMIT made(
            tr("columns of Operations"), [this, columns] { showColumns(columns); },
            [this, before] { showColumns(before); });
}

void OperationsView::orderBy(const QString& phase) {
    const int column = columnOfPhase(phase);
    if (column < 0)
        return;
    std::set<int> columns = columns_;
    columns.insert(column);
    chooseColumns(columns);
    operations_->view()->sortByColumn(column, Qt::DescendingOrder);
    operations_->view()->scrollToTop();
}

void OperationsView::showColumns(const std::set<int>& columns) {
    columns_ = columns;
    operations_->showColumn(Share, !sources().difference);
    for (int c = first_chosen; c < Base; ++c)
        operations_->showColumn(c, columns_.contains(c) && !sources().difference);
    for (int c = Base; c < Columns; ++c)
        operations_->showColumn(c, base_ != nullptr);
    const std::vector<ColumnPreset> presets = columnPresets();
    for (std::size_t i = 0; i < column_actions_.size(); ++i)
        column_actions_[i]->setChecked(presets[i].columns == columns_);
    const QList<QAction*> each = columns_menu_->actions();
    for (int c = first_chosen; c < Base; ++c)
        each[c - first_chosen]->setChecked(columns_.contains(c));
}

QJsonObject OperationsView::saveState() const {
    const std::vector<Column> heads = operationHeads();
    QJsonArray shown;
    for (const int column : columns_)
        shown.append(heads[static_cast<std::size_t>(column)].title);
    return {{QStringLiteral("columns"), shown},
            {QStringLiteral("tab"), tabs_->currentIndex()},
            {QStringLiteral("grouping"), text(tilescope::to_string(grouping()))}};
}

void OperationsView::restoreState(const QJsonObject& state) {
    const std::vector<Column> heads = operationHeads();
    const QJsonArray titles = state.value(QLatin1String("columns")).toArray();
    std::set<int> shown;
    for (int column = first_chosen; column < Base; ++column)
        if (titles.contains(heads[static_cast<std::size_t>(column)].title))
            shown.insert(column);
    if (state.contains(QLatin1String("columns")))
        showColumns(shown);
    if (const auto grouping = tilescope::parse<analyse::OperationGrouping>(
            state.value(QLatin1String("grouping")).toString().toStdString()))
        grouping_->setCurrentIndex(grouping_->findData(static_cast<int>(*grouping)));
    tabs_->setCurrentIndex(std::clamp(state.value(QLatin1String("tab")).toInt(), 0, tabs_->count() - 1));
}

void OperationsView::startOver(bool another) {
    freeInBackground(
        std::pair(std::exchange(base_, nullptr), std::exchange(table_, std::make_shared<const Table>())));
    chosen_ = -1;
    if (another) {
        shown_ = -1;
        details_ = {};
        about_ = {};
    }
    pages_->showText(sources().current ? tr("Reading the operations …")
                                       : tr("Open a profile to see its operations."));
}

void OperationsView::basisChosen() {
    if (table_->rows.empty())
        return;
    askRows();
    if (shown_ >= 0 && details_.operation == shown_)
        showDetails();
}

void OperationsView::refresh() {
    if (!sources().current)
        return;
    const auto read_table = [grouping = grouping()](const profile::Profile& file) {
        return readTable(file, grouping);
    };
    sources().current->ask<Table>(this, QStringLiteral("operations"), read_table, [this](Result<Table> read) {
        if (!read) {
            pages_->setText(read.error());
            return;
        }
        table_ = std::make_shared<const Table>(std::move(*read));
        askRows();
        if (!sources().base)
            return;
        sources().base->ask<BaseOperations>(
            this, QStringLiteral("operations of base"),
            [now = table_->parts, by_hand = sources().by_hand](const profile::Profile& file) {
                return BaseOperations::read(file, now, by_hand);
            },
            [this](Result<BaseOperations> base) {
                if (!base)
                    return;
                base_ = std::make_shared<const BaseOperations>(std::move(*base));
                if (sources().difference)
                    operations_->view()->sortByColumn(Difference, Qt::DescendingOrder);
                basisChosen(); // figures are per what both have
            });
    });
}

void OperationsView::choose(std::int64_t key) {
    if (key < 0 || key >= keyOfGroup(table_->groups.size())) // it is the base's alone
        return;
    chosen_ = key;
    const analyse::OperationGroup* group = groupOf(key);
    const std::int64_t operation = group == nullptr ? key : slowestOf(*group);
    if (selection() == nullptr)
        return askDetails(operation);
    Selection next = selection()->current();
    next.operation = operation;
    next.program = -1;
    for (const OperationFigures& op : table_->rows)
        if (op.record.id == operation) {
            next.layer = op.record.layer_id;
            if (!op.cost.ipus.empty())
                next.lookAt(op.cost.ipus.front());
        }
    selection()->set(next);
    askDetails(operation);
}

void OperationsView::follow(const Selection& s) {
    const analyse::OperationGroup* group = groupOf(chosen_);
    if (group != nullptr && slowestOf(*group) == s.operation) {
        operations_->selectKey(chosen_);
    } else {
        if (chosen_ != s.operation) // from another view
            operations_->unfoldTo(s.operation);
        operations_->selectKey(s.operation);
    }
    roofline_->setChosen(keyOf(s.operation));
    std::set<std::int64_t> of_layer;
    if (s.operation < 0 && s.layer >= 0)
        for (const OperationFigures& op : table_->rows)
            if (op.record.layer_id == s.layer)
                of_layer.insert({op.record.id, keyOf(op.record.id)});
    operations_->markKeys(of_layer);
    std::int64_t shown = s.operation;
    if (shown < 0 && !table_->groups.empty()) // nothing is chosen: of those that take the most
        shown = slowestOf(analyse::slowest_of(table_->groups));
    askDetails(shown);
    tellDetails();
}

void OperationsView::askDetails(std::int64_t operation) {
    if (operation == shown_ || !sources().current || table_->rows.empty())
        return;
    shown_ = operation;
    struct Found {
        OperationDetails details;
        OperationTable about;
        std::vector<analyse::AlikeExecutions> executions;
    };
    sources().current->ask<Found>(
        this, QStringLiteral("details of an operation"),
        [operation](const profile::Profile& file) -> Result<Found> {
            Found found;
            TRY(found.details, analyse::operation_details(file, operation));
            TRY(found.executions, analyse::operation_history(file, operation));
            TRY(const auto operations, file.operations());
            for (const profile::OperationRecord& each : operations)
                if (each.id == operation) {
                    TRY(found.about.about(file, each));
                }
            return found;
        },
        [this](Result<Found> found) {
            if (found) {
                details_ = std::move(found->details);
                about_ = std::move(found->about);
                executions_ = std::move(found->executions);
                showDetails();
                tellDetails();
            } else if (found.error().kind != ErrorKind::Cancelled)
                Q_EMIT message(text(found.error().line()));
        });
}

void OperationsView::showDetails() {
    const OperationDetails& details = details_;
    QString name;
    QString spent; // what its time is spent on
    for (const OperationFigures& op : table_->rows)
        if (op.record.id == details.operation) {
            name = text(op.record.name);
            if (const auto* group = groupOf(chosen_); group != nullptr && slowestOf(*group) == op.record.id)
                name = tr("%1, the slowest of %2")
                           .arg(name, formatCount(static_cast<std::int64_t>(group->members.size())));
            const profile::PhaseCycles& cycles = op.cost.cycles;
            const analyse::NamedPhase& most = analyse::largest_phase(cycles);
            if (const auto share = analyse::phase_share(cycles, most.cycles))
                spent = inHtml(tr(" %1 of its time is %2."),
                               {formatPercent(*share), analyse::phase_words(most.name)});
        }
    showSteps(name);
    showPlans(details.plans);
    if (details.plans.empty())
        why_->setHtml(why_->text() + spent);
    tiles_->setCycles(details.tile_cycles, tr("%1 computes nothing on the tiles.").arg(name));
    map_tiles_.clear();
    tile_map_->setSelectedTiles({});
    tile_map_->setVisible(!details.tile_cycles.empty());
    if (!details.tile_cycles.empty())
        tile_map_->setValues(details.tile_cycles,
                             std::max<std::int64_t>(1, *std::max_element(details.tile_cycles.begin(),
                                                                         details.tile_cycles.end())),
                             {}, TileMap::Scale::Cycles);
    tile_map_->setTitleBehindHeading(tr(": cycles of one run"));
    std::vector<TableRow> rows;
    for (const auto& vertex : details.vertices)
        rows.push_back(
            {static_cast<std::int64_t>(rows.size()),
             {textCell(text(vertex.codelet)), textCell(text(details.sets.at(vertex.compute_set_id))),
              countCell(vertex.count), countCell(vertex.tiles)}});
    vertices_->setCaption(name);
    vertices_->setRows(std::move(rows));
    showVariables(name);
    history_->setHistory(name, executions_, table_->clock_hz);
}

/// In Trace, that which begins there.
void OperationsView::showExecution(std::int64_t start) {
    for (const analyse::AlikeExecutions& each : executions_)
        if (each.first_start == start && selection() != nullptr) {
            Selection next = selection()->current();
            next.range = std::pair(start, start + each.cycles);
            selection()->set(next);
            Q_EMIT viewRequested(QStringLiteral("trace"));
        }
}

/// In Memory, those of the IPU that runs it.
void OperationsView::showTiles(const std::vector<std::int64_t>& tiles) {
    if (selection() == nullptr || tiles.empty())
        return;
    Selection next = selection()->current();
    next.tiles = tiles;
    selection()->set(next);
    Q_EMIT viewRequested(QStringLiteral("memory"));
}

/// Those that it makes, with their bytes over all tiles.
void OperationsView::showVariables(const QString& name) {
    std::vector<TableRow> rows;
    LifetimeDelegate::Lives lives;
    for (const profile::VariableRecord& v : details_.variables) {
        const LifetimeDelegate::Steps held = v.always_live
                                                 ? LifetimeDelegate::Steps(0, details_.live_steps - 1)
                                                 : std::pair(v.live_from, v.live_to);
        lives[v.id] = {{held, held}};
        rows.push_back({v.id,
                        {textCell(text(v.name)), bytesCell(v.bytes), textCell({}), liveCell(v),
                         textCell(text(to_string(v.category))), textCell(text(profile::type_text(v))),
                         countCell(v.ipu)}});
    }
    lives_->setLives(std::move(lives));
    lives_->setSpan(0, static_cast<double>(details_.live_steps), details_.peak_step);
    variables_->setCaption(
        rows.empty() ? tr("%1 makes no variable.").arg(name)
                     : tr("made by %1, over all tiles; %2 live at step %3, the peak of the IPU (the line)")
                           .arg(name, formatBytes(details_.live.at_peak), formatCount(details_.peak_step)));
    variables_->setRows(std::move(rows));
}

/// Per what the table of the operations is per.
void OperationsView::showSteps(const QString& name) {
    const analyse::Basis basis = shownBasis();
    const analyse::Loops& loops = table_->costs.loops();
    std::vector<TableRow> rows;
    for (const auto& [step, cycles] : details_.steps) {
        const auto time = [&](std::int64_t of_all_runs) {
            return timeCell(table_->costs.in(basis, static_cast<double>(of_all_runs)), table_->clock_hz);
        };
        rows.push_back({step.id,
                        {textCell(text(step.name)), textCell(stepKindName(step.kind)),
                         step.ipu < 0 ? textCell(tr("all")) : countCell(step.ipu),
                         runsCell(step.runs, loops.count(basis)), time(cycles.sync), time(cycles.exchanged()),
                         time(cycles.compute), time(cycles.total())}});
    }
    QString caption = tr("%1, %2").arg(name, text(analyse::per(basis)));
    const auto per_basis = [&](std::int64_t cycles) {
        return formatTime(table_->costs.in(basis, static_cast<double>(cycles)), table_->clock_hz);
    };
    const std::int64_t once = details_.cycles();
    const std::int64_t of_ipus = table_->costs.operation(details_.operation).cycles.total();
    if (of_ipus != once) // what its row in the table above has
        caption += tr("; together %1, and %2 of IPU time, since what is between IPUs takes each of them")
                       .arg(per_basis(once), per_basis(of_ipus));
    steps_->setCaption(caption);
    steps_->setRows(std::move(rows));
}

void OperationsView::showPlans(const std::vector<PlanChoice>& plans) {
    std::vector<TableRow> rows;
    const PlanChoice* chosen = nullptr;
    QString why;
    for (const PlanChoice& plan : plans) {
        if (plan.rank == 0)
            chosen = &plan;
        const QString against =
            chosen == nullptr || chosen == &plan ? tr("chosen") : text(analyse::against(*chosen, plan));
        if (why.isEmpty() && chosen != nullptr && chosen != &plan)
            why = inHtml(
                tr("Chosen: <b>%1</b>, planned at %2. The next, %3, is %4."),
                {chosen->summary, formatTime(chosen->cycles, table_->clock_hz), plan.summary, against});
        rows.push_back({static_cast<std::int64_t>(rows.size()),
                        {textCell(text(plan.summary)), countCell(plan.rank), countCell(plan.cycles),
                         bytesCell(plan.temporary_bytes), textCell(text(analyse::to_string(plan.items))),
                         textCell(against), textCell(text(plan.description()))}});
    }
    if (why.isEmpty())
        why = plans.empty() ? tr("This operation has no plan: only products and convolutions are planned.")
                            : inHtml(tr("Chosen: <b>%1</b>. No other plan fits."), {plans.front().summary});
    why_->setHtml(why);
    plan_bars_->setPlans(plans, details_.emitted(), table_->clock_hz);
    plans_->setVisible(!plans.empty());
    plans_->setRows(std::move(rows));
}

} // namespace tilescope::ui
