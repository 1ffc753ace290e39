// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/change_sum.h"
#include "analyse/like_names.h"
#include "operation_columns.h"
#include "operation_rows.h"
#include "roofline_page.h"
#include "ui/operations/operations_view.h"
#include "ui/session/format.h"
#include "ui/theme/themed_label.h"
#include "ui/widgets/data_table.h"
#include "ui/widgets/nothing_yet.h"
#include "ui/widgets/page_stack.h"

#include <QTableView>
#include <algorithm>
#include <utility>

/// The table of operations, and the sentence above it.
namespace tilescope::ui {
namespace {

using analyse::Costs;
using analyse::OperationFigures;
using Gone = analyse::OperationBaseline::Gone;

} // namespace

analyse::Basis OperationsView::shownBasis() const {
    return analyse::common_basis(base_ ? &base_->loops() : nullptr, table_->costs.loops(), basis());
}

OperationRows OperationsView::tableRows() const {
    return {table_, base_, shownBasis(), sources().difference && base_ != nullptr,
            grouping() != analyse::OperationGrouping::None};
}

const analyse::OperationGroup* OperationsView::groupOf(std::int64_t key) const {
    const auto group = static_cast<std::size_t>(key - keyOfGroup(0));
    return key >= keyOfGroup(0) && group < table_->groups.size() ? &table_->groups[group] : nullptr;
}

std::int64_t OperationsView::slowestOf(const analyse::OperationGroup& group) const {
    return analyse::slowest_in(group, table_->rows).record.id;
}

std::int64_t OperationsView::keyOf(std::int64_t operation) const {
    for (std::size_t i = 0; i < table_->groups.size(); ++i)
        for (const std::size_t member : table_->groups[i].members)
            if (table_->rows[member].record.id == operation && table_->groups[i].members.size() > 1)
                return keyOfGroup(i);
    return operation;
}

/// Those that are shown stay until the others are made.
void OperationsView::askRows() {
    if (table_->rows.empty())
        return showNothingYet(*pages_, *this, tr("<h3>No operations</h3>The program has none."));
    sources().current->ask<std::vector<TableRow>>(
        this, QStringLiteral("rows of operations"),
        [rows = tableRows()](const profile::Profile&) -> Result<std::vector<TableRow>> { return rows.all(); },
        [this, of = table_](Result<std::vector<TableRow>> rows) {
            if (rows && of == table_)
                showTable(std::move(*rows));
        });
}

void OperationsView::showTable(std::vector<TableRow> rows) {
    const bool difference = sources().difference && base_;
    operations_->setCaption(text(analyse::per(shownBasis())) + tr(", each on its own IPU"));
    operations_->setRows(std::move(rows));
    if (operations_->sortKeys().empty() && !difference)
        operations_->sortBy({{peaksKnown() ? Lost : Cycles, Qt::DescendingOrder}});
    roofline_->setRoofline(table_->roofline);
    showColumns(columns_);
    difference ? showDifference() : showHeading();
    pages_->showPage();
    followNow();
}

bool OperationsView::peaksKnown() const {
    return std::all_of(table_->rows.begin(), table_->rows.end(),
                       [](const OperationFigures& op) { return op.lost.has_value(); });
}

/// Which row changed most, and what is the difference of all.
void OperationsView::showDifference() {
    const OperationRows rows = tableRows();
    const analyse::Basis basis = rows.basis;
    analyse::ChangeSum sum;
    std::vector<std::string> names;
    for (const analyse::OperationGroup& group : table_->groups) {
        names.push_back(analyse::text_of({group.all.record.name, group.members}));
        sum.add(rows.baseCycles(group),
                std::optional(table_->costs.in(basis, group.all.cost.cycles).total()));
    }
    for (const Gone& gone : rows.gone()) {
        names.push_back(gone.name);
        sum.add(std::optional(gone.cycles), std::optional<std::int64_t>());
    }
    const auto added =
        std::count_if(table_->rows.begin(), table_->rows.end(),
                      [&rows](const OperationFigures& op) { return !rows.baseCycles(op.record.id); });
    const auto time = [&](double cycles) {
        return formatDifference(cycles, formatTime(cycles, rows.comparedClock()));
    };
    const QString base = sources().base->name();
    QString sentence =
        sum.largest() == 0
            ? inHtml(tr("All operations take as long as in %1."), {base})
            : inHtml(tr("<b>%1</b> has changed the most: %2 %3 against %4."),
                     {names[sum.largest_index()], time(sum.largest()), text(analyse::per(basis)), base});
    sentence += QStringLiteral(" <span style='color:@muted'>") +
                tr("All operations together: %1 of IPU time; %2 added, %3 removed.")
                    .arg(time(sum.by()), formatCount(added), formatCount(base_->gone_count())) +
                QStringLiteral("</span>");
    heading_->setHtml(sentence);
}

void OperationsView::showHeading() {
    const analyse::OperationGroup& most = analyse::slowest_of(table_->groups);
    const OperationFigures& slowest = most.all;
    const analyse::OperationTotals totals = analyse::totals_of(table_->rows);
    if (totals.cycles == 0)
        return heading_->setHtml(
            tr("%1.").arg(formatCounted(table_->rows.size(), tr("operation"), tr("operations"))));
    const analyse::Basis basis = shownBasis();
    const std::int64_t cycles = table_->costs.in(basis, slowest.cost.cycles).total();
    const auto share = table_->costs.share_or_planned(slowest.cost);
    QString sentence = inHtml(tr("<b>%1</b> takes the most: %2 %3"),
                              {analyse::text_of({slowest.record.name, most.members}),
                               formatTime(cycles, table_->clock_hz), text(analyse::per(basis))});
    if (share)
        sentence += inHtml(table_->costs.planned() > 0 ? tr(", %1 of the planned time of %2")
                                                       : tr(", %1 of the time of %2"),
                           {formatPercent(*share), Costs::ipus_text(slowest.cost.ipus)});
    sentence +=
        QStringLiteral(". <span style='color:@muted'>") +
        (table_->rows.size() == 1
             ? inHtml(tr("In %1 of its cycles tiles wait for the slowest of them."),
                      {formatPercent(totals.unbalanced.value_or(0))})
             : inHtml(
                   tr("In %1 of all cycles of the %2 operations tiles wait for the slowest of them."),
                   {formatPercent(totals.unbalanced.value_or(0)), formatCount(std::ssize(table_->rows))})) +
        (totals.lost ? inHtml(tr(" %1 of them are lost against the peak."), {formatPercent(*totals.lost)})
                     : QString()) +
        QStringLiteral("</span>");
    heading_->setHtml(sentence);
}

} // namespace tilescope::ui
