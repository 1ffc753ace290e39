// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/operations/operations_view.h"

#include "analyse/phases.h"
#include "base/try.h"
#include "operation_columns.h"
#include "roofline_page.h"
#include "tile_histogram.h"
#include "ui/session/format.h"
#include "ui/session/in_background.h"
#include "ui/theme/themed_label.h"
#include "ui/widgets/data_table.h"
#include "ui/widgets/headed_page.h"
#include "ui/widgets/page_stack.h"
#include "ui/widgets/view_action.h"

#include <QAction>
#include <QHeaderView>
#include <QJsonArray>
#include <QJsonObject>
#include <QMenu>
#include <QTabWidget>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>
#include <cstdlib>
#include <utility>

namespace tilescope::ui {
namespace {

using analyse::Costs;
using analyse::OperationFigures;
using analyse::PlanChoice;

QString phaseText(profile::Phase phase) {
    return QString::fromStdString(profile::to_string(phase));
}

Cell cyclesDifferenceCell(std::int64_t by) {
    return differenceCell(static_cast<double>(by), formatCount(by));
}

Result<OperationsView::Table> readTable(const profile::Profile& file) {
    OperationsView::Table table;
    TRY(table.costs, Costs::read(file));
    TRY(table.parts, analyse::Parts::read(file));
    TRY(table.rows, analyse::operation_figures(file, table.costs));
    TRY(const auto target, file.target());
    table.clock_hz = target.clock_hz;
    table.roofline = analyse::roofline(target, table.rows);
    return table;
}

Result<OperationsView::Details> readDetails(const profile::Profile& file, std::int64_t operation) {
    OperationsView::Details details;
    details.operation = operation;
    TRY(const auto program, file.program());
    TRY(const auto sets, file.compute_sets());
    for (const auto& step : program)
        if (step.operation_id == operation && is_leaf(step.kind))
            details.steps.push_back(step);
    TRY(details.plans, analyse::plan_choices(file, operation));
    for (const auto& set : sets) {
        if (set.operation_id != operation)
            continue;
        details.sets[set.id] = set.name;
        TRY(const auto vertices, file.vertices(set.id));
        details.vertices.insert(details.vertices.end(), vertices.begin(), vertices.end());
        const auto step = std::find_if(details.steps.begin(), details.steps.end(),
                                       [&](const auto& s) { return s.compute_set_id == set.id; });
        TRY(const auto cycles,
            file.tile_values("compute_set", set.id,
                             step == details.steps.end() ? 0 : std::max<std::int64_t>(step->ipu, 0),
                             "cycles"));
        details.tile_cycles.resize(std::max(details.tile_cycles.size(), cycles.size()), 0);
        for (std::size_t tile = 0; tile < cycles.size(); ++tile)
            details.tile_cycles[tile] += cycles[tile];
    }
    return details;
}

Result<OperationsView::Baseline> readBase(const profile::Profile& file, const analyse::Parts& now,
                                          const analyse::HandMatches& by_hand) {
    OperationsView::Baseline base;
    TRY(base.costs, Costs::read(file));
    TRY(const auto parts, analyse::Parts::read(file));
    std::set<std::int64_t> matched;
    for (const auto& [here, there] : analyse::match(parts, now, by_hand).operations) {
        base.cycles[here] = base.costs.operation(there).cycles;
        matched.insert(there);
    }
    for (const auto& operation : parts.operations)
        if (!matched.contains(operation.id))
            base.gone.push_back(operation);
    return base;
}

} // namespace

OperationsView::OperationsView(QWidget* parent) : View(parent), columns_(columnPresets().front().columns) {
    heading_ = new ThemedLabel;
    heading_->setObjectName(QStringLiteral("operationsHeading"));
    heading_->setWordWrap(true);
    operations_ = new DataTable(tr("Operations"), operationHeads());
    operations_->setSql(QStringLiteral("SELECT * FROM operation_cost\n"
                                       "ORDER BY compute_cycles + exchange_cycles + sync_cycles DESC"));
    connect(operations_, &DataTable::sqlWanted, this, &View::sqlRequested);
    operations_->setObjectName(QStringLiteral("operations"));
    operations_->view()->sortByColumn(Cycles, Qt::DescendingOrder);
    pages_ = new PageStack(headedPage({heading_}, operations_, makeTabs(), 3, 2), this);
    setFocusProxy(operations_->view());
    makeActions();
    addTabKeys(this, tabs_);
    showColumns(columns_);
    connect(operations_, &DataTable::keyChosen, this, &OperationsView::choose);
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
    column->addWidget(plans_, 1);
    tiles_ = new TileHistogram;
    vertices_ =
        new DataTable({}, {{tr("Codelet")}, {tr("Compute set")}, {tr("Vertices"), true}, {tr("Tiles")}});
    vertices_->setObjectName(QStringLiteral("operationVertices"));
    tabs_ = new QTabWidget;
    tabs_->setDocumentMode(true);
    roofline_ = new RooflinePage;
    tabs_->addTab(steps_, tr("Steps"));
    tabs_->addTab(roofline_, tr("Roofline"));
    tabs_->addTab(plans, tr("Plan and runners-up"));
    tabs_->addTab(tiles_, tr("Tiles"));
    tabs_->addTab(vertices_, tr("Vertices"));
    connect(operations_, &DataTable::keyActivated, this, [this, plans] { tabs_->setCurrentWidget(plans); });
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
    head->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(head, &QWidget::customContextMenuRequested, this,
            [this, head](const QPoint& at) { columns_menu_->popup(head->mapToGlobal(at)); });
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
    unsorted_ = false;
    operations_->view()->sortByColumn(column, Qt::DescendingOrder);
    operations_->view()->scrollToTop();
}

void OperationsView::showColumns(const std::set<int>& columns) {
    columns_ = columns;
    operations_->showColumn(Share, !sources().difference);
    for (int c = first_chosen; c < Base; ++c)
        operations_->showColumn(c, columns_.contains(c) && !sources().difference);
    for (int c = Base; c < Columns; ++c)
        operations_->showColumn(c, base_.has_value());
    const std::vector<ColumnPreset> presets = columnPresets();
    for (std::size_t i = 0; i < column_actions_.size(); ++i)
        column_actions_[i]->setChecked(presets[i].columns == columns_);
    const QList<QAction*> each = columns_menu_->actions();
    for (int c = first_chosen; c < Base; ++c)
        each[c - first_chosen]->setChecked(columns_.contains(c));
}

QJsonObject OperationsView::saveState() const {
    QJsonArray shown;
    for (const int column : columns_)
        shown.append(column);
    return {{QStringLiteral("shown"), shown}, {QStringLiteral("tab"), tabs_->currentIndex()}};
}

void OperationsView::restoreState(const QJsonObject& state) {
    std::set<int> shown;
    for (const auto column : state.value(QLatin1String("shown")).toArray())
        if (column.toInt() >= first_chosen && column.toInt() < Base)
            shown.insert(column.toInt());
    if (state.contains(QLatin1String("shown")))
        showColumns(shown);
    tabs_->setCurrentIndex(std::clamp(state.value(QLatin1String("tab")).toInt(), 0, tabs_->count() - 1));
}

void OperationsView::startOver(bool another) {
    freeInBackground(std::pair(std::exchange(base_, {}), std::exchange(table_, {})));
    if (another) {
        shown_ = -1;
        unsorted_ = true;
    }
    pages_->showText(sources().current ? tr("Reading the operations …")
                                       : tr("Open a profile to see its operations."));
}

void OperationsView::basisChosen() {
    if (!table_.rows.empty())
        showTable();
}

void OperationsView::refresh() {
    if (!sources().current)
        return;
    sources().current->ask<Table>(this, QStringLiteral("operations"), &readTable, [this](Result<Table> read) {
        if (!read) {
            pages_->setText(read.error());
            return;
        }
        table_ = std::move(*read);
        showTable();
        if (!sources().base)
            return;
        sources().base->ask<Baseline>(
            this, QStringLiteral("operations of base"),
            [now = table_.parts, by_hand = sources().by_hand](const profile::Profile& file) {
                return readBase(file, now, by_hand);
            },
            [this](Result<Baseline> base) {
                if (!base)
                    return;
                base_ = std::move(*base);
                if (sources().difference)
                    operations_->view()->sortByColumn(Difference, Qt::DescendingOrder);
                showTable();
            });
    });
}

analyse::Basis OperationsView::shownBasis() const {
    return base_ ? analyse::common_basis(base_->costs.loops(), table_.costs.loops(), basis())
                 : table_.costs.loops().shown(basis());
}

TableRow OperationsView::rowOf(const OperationFigures& op, analyse::Basis basis) const {
    const profile::PhaseCycles cycles = table_.costs.in(basis, op.cost.cycles);
    const auto per_basis = [&](std::int64_t of_execution) {
        return table_.costs.in(basis, static_cast<double>(of_execution));
    };
    const double flops_rate =
        op.cost.cycles.total() > 0 ? op.cost.flops / static_cast<double>(op.cost.cycles.total()) : 0;
    TableRow row{op.record.id, {textCell(text(op.record.name))}};
    row.cells.push_back(countCell(cycles.total()));
    row.cells.push_back(shareCell(table_.costs.share(op.cost)));
    row.cells.push_back(op.lost ? countCell(per_basis(*op.lost)) : absentCell());
    row.cells.push_back(textCell(text(op.record.kind)));
    row.cells.push_back(textCell(text(op.layer)));
    row.cells.push_back(textCell(phaseText(op.record.phase)));
    row.cells.push_back(op.cost.ipus.size() == 1 ? countCell(op.cost.ipus.front())
                                                 : numberCell(text(Costs::ipus_text(op.cost.ipus)),
                                                              static_cast<double>(op.cost.ipus.size())));
    for (const std::int64_t part : {cycles.compute, cycles.exchange, cycles.inter_ipu, cycles.sync})
        row.cells.push_back(countCell(part));
    row.cells.push_back(shareCell(op.balance));
    row.cells.push_back(op.balance ? countCell(per_basis(op.unbalanced)) : absentCell());
    row.cells.push_back(op.cost.flops > 0 ? countCell(table_.costs.in(basis, op.cost.flops)) : absentCell());
    row.cells.push_back(op.cost.flops > 0 && flops_rate > 0 ? numberCell(formatNumber(flops_rate), flops_rate)
                                                            : absentCell());
    row.cells.push_back(shareCell(table_.costs.share_of_peak(op.cost)));
    row.cells.push_back(bytesCell(per_basis(op.exchanged_bytes)));
    row.cells.push_back(bytesCell(op.rearranged_bytes));
    row.cells.push_back(bytesCell(op.temporary_bytes));
    row.cells.push_back(textCell(text(op.plan)));
    const std::optional<std::int64_t> before = baseCycles(op.record.id);
    row.cells.push_back(before ? countCell(*before) : absentCell());
    row.cells.push_back(base_ ? cyclesDifferenceCell(cycles.total() - before.value_or(0)) : absentCell());
    row.cells.push_back(
        before ? numberCell(formatChange(static_cast<double>(*before), static_cast<double>(cycles.total())),
                            static_cast<double>(cycles.total() - *before))
               : numberCell(base_ ? tr("new") : QString(), 0));
    return row;
}

/// Cycles of the same operation of the base, per what is shown; nullopt: there is none.
std::optional<std::int64_t> OperationsView::baseCycles(std::int64_t operation) const {
    if (!base_)
        return {};
    const auto found = base_->cycles.find(operation);
    return found == base_->cycles.end() ? std::nullopt
                                        : std::optional(base_->costs.in(shownBasis(), found->second).total());
}

TableRow OperationsView::rowOfGone(const profile::OperationRecord& op, analyse::Basis basis) const {
    const std::int64_t before = base_->costs.in(basis, base_->costs.operation(op.id).cycles).total();
    TableRow row{-1, {textCell(text(op.name))}};
    while (row.cells.size() < Base)
        row.cells.push_back(absentCell());
    row.cells.push_back(countCell(before));
    row.cells.push_back(cyclesDifferenceCell(-before));
    row.cells.push_back(numberCell(tr("removed"), 0));
    return row;
}

/// Of all operations that take as long as in the base.
TableRow OperationsView::rowOfUnchanged(std::int64_t count, std::int64_t cycles) const {
    TableRow row{-1, {textCell(tr("%1 unchanged").arg(formatCount(count)))}};
    row.cells.resize(Columns, absentCell());
    row.cells[Cycles] = row.cells[Base] = numberCell(formatCount(cycles), 0); // last, and without a bar
    row.cells[Difference] = row.cells[Change] = cyclesDifferenceCell(0);
    return row;
}

void OperationsView::showTable() {
    if (table_.rows.empty())
        return pages_->setText(
            tr("<h3>No operations</h3>Nothing has been compiled yet, or this run used no IPU."));
    const analyse::Basis basis = shownBasis();
    std::vector<TableRow> rows;
    rows.reserve(table_.rows.size());
    const bool difference = sources().difference && base_;
    std::int64_t unchanged = 0, of_unchanged = 0;
    for (const OperationFigures& op : table_.rows) {
        const std::int64_t cycles = table_.costs.in(basis, op.cost.cycles).total();
        if (difference && baseCycles(op.record.id) == cycles) {
            ++unchanged;
            of_unchanged += cycles;
        } else {
            rows.push_back(rowOf(op, basis));
        }
    }
    if (difference)
        for (const profile::OperationRecord& op : base_->gone)
            rows.push_back(rowOfGone(op, basis));
    if (unchanged > 0)
        rows.push_back(rowOfUnchanged(unchanged, of_unchanged));
    operations_->setCaption(text(analyse::per(basis)) + tr(", each on its own IPU"));
    operations_->setRows(std::move(rows));
    const bool as_made = operations_->view()->horizontalHeader()->sortIndicatorSection() == Cycles;
    if (std::exchange(unsorted_, false) && as_made && peaksKnown() && !difference)
        operations_->view()->sortByColumn(Lost, Qt::DescendingOrder);
    roofline_->setRoofline(table_.roofline);
    showColumns(columns_);
    sources().difference&& base_ ? showDifference() : showHeading();
    pages_->showPage();
    if (selection() != nullptr)
        follow(selection()->current());
}

bool OperationsView::peaksKnown() const {
    return std::all_of(table_.rows.begin(), table_.rows.end(),
                       [](const OperationFigures& op) { return op.lost.has_value(); });
}

/// Which operation changed most, and what is the difference of all.
void OperationsView::showDifference() {
    const analyse::Basis basis = shownBasis();
    std::int64_t all = 0;
    std::int64_t added = 0;
    std::int64_t most = 0;
    const OperationFigures* changed = nullptr;
    for (const OperationFigures& op : table_.rows) {
        const auto before = baseCycles(op.record.id);
        const std::int64_t by = table_.costs.in(basis, op.cost.cycles).total() - before.value_or(0);
        all += by;
        added += before ? 0 : 1;
        if (std::abs(by) > std::abs(most)) {
            most = by;
            changed = &op;
        }
    }
    for (const profile::OperationRecord& op : base_->gone)
        all -= base_->costs.in(basis, base_->costs.operation(op.id).cycles).total();
    const auto time = [&](std::int64_t cycles) {
        return formatDifference(static_cast<double>(cycles), formatTime(cycles, table_.clock_hz));
    };
    const QString base = sources().base->name().toHtmlEscaped();
    QString sentence = changed == nullptr ? tr("All operations take as long as in %1.").arg(base)
                                          : tr("<b>%1</b> has changed the most: %2 %3 against %4.")
                                                .arg(text(changed->record.name).toHtmlEscaped(), time(most),
                                                     text(analyse::per(basis)), base);
    sentence +=
        QStringLiteral(" <span style='color:@muted'>") +
        tr("All operations together: %1 of IPU time; %2 added, %3 removed.")
            .arg(time(all), formatCount(added), formatCount(static_cast<std::int64_t>(base_->gone.size()))) +
        QStringLiteral("</span>");
    heading_->setHtml(sentence);
}

void OperationsView::showHeading() {
    const OperationFigures* slowest = &table_.rows.front();
    std::int64_t all = 0;
    std::int64_t unbalanced = 0;
    std::int64_t lost = 0;
    for (const OperationFigures& op : table_.rows) {
        lost += op.lost.value_or(0);
        if (op.cost.cycles.total() > slowest->cost.cycles.total())
            slowest = &op;
        all += op.cost.cycles.total();
        unbalanced += op.unbalanced;
    }
    if (all == 0)
        return heading_->setHtml(
            tr("%1.").arg(formatCounted(table_.rows.size(), tr("operation"), tr("operations"))));
    const analyse::Basis basis = shownBasis();
    const std::int64_t cycles = table_.costs.in(basis, slowest->cost.cycles).total();
    const auto share = table_.costs.share(slowest->cost);
    QString sentence = tr("<b>%1</b> takes the most: %2 %3")
                           .arg(text(slowest->record.name).toHtmlEscaped(),
                                formatTime(cycles, table_.clock_hz), text(analyse::per(basis)));
    if (share)
        sentence += tr(", %1 of the time of %2")
                        .arg(formatPercent(*share), text(Costs::ipus_text(slowest->cost.ipus)));
    sentence += QStringLiteral(". <span style='color:@muted'>") +
                tr("Of all cycles of the %1 tiles wait %2 for the slowest of them.")
                    .arg(formatCounted(table_.rows.size(), tr("operation"), tr("operations")),
                         formatPercent(static_cast<double>(unbalanced) / static_cast<double>(all))) +
                (peaksKnown() ? tr(" %1 of them are lost against the peak.")
                                    .arg(formatPercent(static_cast<double>(lost) / static_cast<double>(all)))
                              : QString()) +
                QStringLiteral("</span>");
    heading_->setHtml(sentence);
}

void OperationsView::choose(std::int64_t operation) {
    if (operation < 0) // it is the base's alone
        return;
    if (selection() == nullptr)
        return askDetails(operation);
    Selection next = selection()->current();
    next.operation = operation;
    next.program = -1;
    for (const OperationFigures& op : table_.rows)
        if (op.record.id == operation) {
            next.layer = op.record.layer_id;
            if (!op.cost.ipus.empty() && next.ipu != op.cost.ipus.front()) {
                next.ipu = op.cost.ipus.front();
                next.tiles.clear(); // they were another IPU's
            }
        }
    selection()->set(next);
    askDetails(operation);
}

void OperationsView::follow(const Selection& s) {
    operations_->selectKey(s.operation);
    roofline_->setChosen(s.operation);
    std::set<std::int64_t> of_layer;
    if (s.operation < 0 && s.layer >= 0)
        for (const OperationFigures& op : table_.rows)
            if (op.record.layer_id == s.layer)
                of_layer.insert(op.record.id);
    operations_->markKeys(of_layer);
    std::int64_t shown = s.operation;
    if (shown < 0 && !table_.rows.empty()) // nothing is chosen: that which takes the most
        shown = std::max_element(table_.rows.begin(), table_.rows.end(), [](const auto& a, const auto& b) {
                    return a.cost.cycles.total() < b.cost.cycles.total();
                })->record.id;
    askDetails(shown);
}

void OperationsView::askDetails(std::int64_t operation) {
    if (operation == shown_ || !sources().current || table_.rows.empty())
        return;
    shown_ = operation;
    sources().current->ask<Details>(
        this, QStringLiteral("details of an operation"),
        [operation](const profile::Profile& file) { return readDetails(file, operation); },
        [this](const Result<Details>& details) {
            if (details)
                showDetails(*details);
            else if (details.error().kind != ErrorKind::Cancelled)
                Q_EMIT message(text(details.error().line()));
        });
}

void OperationsView::showDetails(const Details& details) {
    QString name;
    QString spent; // what its time is spent on
    for (const OperationFigures& op : table_.rows)
        if (op.record.id == details.operation) {
            name = text(op.record.name);
            const profile::PhaseCycles& cycles = op.cost.cycles;
            const auto most = std::max_element(
                analyse::phases.begin(), analyse::phases.end(),
                [&](const auto& a, const auto& b) { return cycles.*a.cycles < cycles.*b.cycles; });
            if (cycles.total() > 0)
                spent = tr(" %1 of its time is %2.")
                            .arg(formatPercent(static_cast<double>(cycles.*most->cycles) /
                                               static_cast<double>(cycles.total())),
                                 text(analyse::phase_words(most->name)));
        }
    std::vector<TableRow> rows;
    for (const auto& step : details.steps) {
        const std::int64_t once = step.sync_cycles + step.exchange_cycles + step.compute_cycles;
        rows.push_back({step.id,
                        {textCell(text(step.name)), textCell(text(profile::to_string(step.kind))),
                         step.ipu < 0 ? textCell(tr("all")) : countCell(step.ipu), countCell(step.runs),
                         countCell(step.sync_cycles), countCell(step.exchange_cycles),
                         countCell(step.compute_cycles), countCell(once * step.runs)}});
    }
    steps_->setCaption(tr("%1, cycles of one run; in all: of an execution").arg(name));
    steps_->setRows(std::move(rows));
    showPlans(details.plans);
    if (details.plans.empty())
        why_->setHtml(why_->text() + spent);
    tiles_->setCycles(details.tile_cycles, tr("%1 computes nothing on the tiles.").arg(name));
    rows.clear();
    for (const auto& vertex : details.vertices)
        rows.push_back(
            {static_cast<std::int64_t>(rows.size()),
             {textCell(text(vertex.codelet)), textCell(text(details.sets.at(vertex.compute_set_id))),
              countCell(vertex.count), countCell(vertex.tiles)}});
    vertices_->setCaption(name);
    vertices_->setRows(std::move(rows));
}

void OperationsView::showPlans(const std::vector<PlanChoice>& plans) {
    std::vector<TableRow> rows;
    const PlanChoice* chosen = nullptr;
    QString why;
    for (const PlanChoice& plan : plans) {
        if (plan.rank == 0)
            chosen = &plan;
        QStringList items;
        for (const PlanChoice::Item& item : plan.items)
            if (item.cycles != 0)
                items << QStringLiteral("%1 %2").arg(text(item.name), formatCount(item.cycles));
        const QString against =
            chosen == nullptr || chosen == &plan ? tr("chosen") : text(analyse::against(*chosen, plan));
        if (why.isEmpty() && chosen != nullptr && chosen != &plan)
            why = tr("Chosen: <b>%1</b>, planned at %2. The next, %3, is %4.")
                      .arg(text(chosen->summary).toHtmlEscaped(), formatCycles(chosen->cycles),
                           text(plan.summary).toHtmlEscaped(), against.toHtmlEscaped());
        rows.push_back({static_cast<std::int64_t>(rows.size()),
                        {textCell(text(plan.summary)), countCell(plan.rank), countCell(plan.cycles),
                         bytesCell(plan.temporary_bytes), textCell(items.join(QStringLiteral(", "))),
                         textCell(against), textCell(text(plan.description))}});
    }
    if (why.isEmpty())
        why = plans.empty() ? tr("This operation has no plan: only products and convolutions are planned.")
                            : tr("Chosen: <b>%1</b>. No other plan fits.")
                                  .arg(text(plans.front().summary).toHtmlEscaped());
    why_->setHtml(why);
    plans_->setVisible(!plans.empty());
    plans_->setRows(std::move(rows));
}

} // namespace tilescope::ui
