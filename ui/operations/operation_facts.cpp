// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/like_names.h"
#include "operation_rows.h"
#include "ui/operations/operations_view.h"
#include "ui/session/format.h"
#include "ui/session/subject_link.h"

#include <algorithm>
#include <numeric>
#include <utility>

/// What the panel at the side says: all figures of one operation, of several that are one row, or of all.
namespace tilescope::ui {
namespace {

using analyse::OperationFigures;

/// Figures of an operation, or of several together.
void addFigures(OperationTable& table, const OperationFigures& op, const analyse::Costs& costs,
                analyse::Basis basis, double clock_hz) {
    const auto per_basis = [&](std::int64_t of_execution) {
        return costs.in(basis, static_cast<double>(of_execution));
    };
    const auto bytes = [&](const QString& name, std::int64_t value) {
        table.row(name, value > 0 ? formatBytes(value) : QString());
    };
    table.row(OperationsView::tr("Runs"),
              op.runs > 0 ? text(analyse::runs_text(op.runs, costs.loops().count(basis), basis)) : QString());
    table.cost({op.cost, {}}, costs, basis, clock_hz);
    if (op.lost)
        table.row(OperationsView::tr("Lost"), formatCyclesAndTime(per_basis(*op.lost), clock_hz));
    if (op.balance) {
        table.row(OperationsView::tr("Balance"), formatPercent(*op.balance));
        table.row(OperationsView::tr("Unbalanced"), formatCyclesAndTime(per_basis(op.unbalanced), clock_hz));
    }
    if (op.cost.flops > 0)
        table.row(OperationsView::tr("FLOPs"), formatCount(costs.in(basis, op.cost.flops)));
    if (const auto rate = op.flops_per_cycle())
        table.row(OperationsView::tr("FLOPs per cycle"), formatNumber(*rate));
    if (const auto share = costs.share_of_peak(op.cost))
        table.row(OperationsView::tr("Of peak"), formatPercent(*share));
    bytes(OperationsView::tr("Exchanged"), per_basis(op.exchanged_bytes));
    bytes(OperationsView::tr("Rearranged"), op.rearranged_bytes);
    if (op.temporary_bytes > 0)
        table.row(OperationsView::tr("Temporary"),
                  OperationsView::tr("%1 on the fullest tile").arg(formatBytes(op.temporary_bytes)));
    bytes(OperationsView::tr("Code"), op.code_bytes.value_or(0));
    table.cost({{}, op.live}, costs, basis, clock_hz);
    table.row(OperationsView::tr("Plan"), text(op.plan));
}

} // namespace

/// A line each, what takes most first.
void OperationsView::addCostliest(DetailTable& table, const QString& name,
                                  const std::vector<std::size_t>& members) const {
    std::vector<std::pair<std::int64_t, const OperationFigures*>> costliest;
    costliest.reserve(members.size());
    for (const std::size_t member : members)
        costliest.emplace_back(table_->costs.in(shownBasis(), table_->rows[member].cost.cycles).total(),
                               &table_->rows[member]);
    std::stable_sort(costliest.begin(), costliest.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    constexpr qsizetype most = 6; // names of operations take lines each
    table.list(name, costliest.size(), most, [&](std::size_t i) {
        const auto& [cycles, op] = costliest[i];
        return tr("%1: %2").arg(subjectLink(Subject::Operation, op->record.id, text(op->record.name)),
                                formatTime(cycles, table_->clock_hz));
    });
}

QString OperationsView::detailsOf(const analyse::OperationGroup& group) const {
    const analyse::Basis basis = shownBasis();
    OperationTable table;
    table.row(tr("Operations"), formatCount(static_cast<std::int64_t>(group.members.size())));
    table.row(tr("Operation"), text(group.all.record.kind));
    addFigures(table, group.all, table_->costs, basis, table_->clock_hz);
    if (base_)
        table.base(tableRows().baseCycles(group), table_->costs.in(basis, group.all.cost.cycles).total(),
                   tableRows().comparedClock());
    addCostliest(table, tr("Of these"), group.members);
    return table.html(text(analyse::text_of({group.all.record.name, group.members})));
}

QString OperationsView::detailsOf(const OperationFigures& op) const {
    const analyse::Basis basis = shownBasis();
    OperationTable table = about_;
    addFigures(table, op, table_->costs, basis, table_->clock_hz);
    if (base_)
        table.base(tableRows().baseCycles(op.record.id), table_->costs.in(basis, op.cost.cycles).total(),
                   tableRows().comparedClock());
    return table.html(text(op.record.name));
}

QString OperationsView::detailsOfAll() const {
    std::vector<std::size_t> members(table_->rows.size());
    std::iota(members.begin(), members.end(), std::size_t{0});
    OperationTable table;
    table.row(tr("Operations"), formatCount(static_cast<std::int64_t>(members.size())));
    table.cost(table_->all, table_->costs, shownBasis(), table_->clock_hz);
    addCostliest(table, tr("Take most, each alone"), members);
    return table.html(tr("All operations"));
}

void OperationsView::tellDetails() {
    if (!isVisible() || table_->rows.empty() || selection() == nullptr)
        return;
    const std::int64_t operation = selection()->current().operation;
    const auto op = std::find_if(table_->rows.begin(), table_->rows.end(),
                                 [operation](const auto& each) { return each.record.id == operation; });
    const analyse::OperationGroup* group = groupOf(chosen_);
    if (op == table_->rows.end())
        Q_EMIT detailsChanged(detailsOfAll());
    else if (group != nullptr && slowestOf(*group) == operation)
        Q_EMIT detailsChanged(detailsOf(*group));
    else if (details_.operation == operation) // else once it is known
        Q_EMIT detailsChanged(detailsOf(*op));
}

} // namespace tilescope::ui
