// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/change_sum.h"
#include "analyse/like_names.h"
#include "analyse/phases.h"
#include "operation_columns.h"
#include "roofline_page.h"
#include "ui/operations/operations_view.h"
#include "ui/session/format.h"
#include "ui/theme/themed_label.h"
#include "ui/widgets/data_table.h"
#include "ui/widgets/nothing_yet.h"
#include "ui/widgets/page_stack.h"

#include <QTableView>
#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

/// The rows of the table of operations, and the sentence above them.
namespace tilescope::ui {
namespace {

using analyse::Costs;
using analyse::OperationFigures;
using Gone = analyse::OperationBaseline::Gone;

} // namespace

analyse::Basis OperationsView::shownBasis() const {
    return analyse::common_basis(base_ ? &base_->loops() : nullptr, table_.costs.loops(), basis());
}

Cell OperationsView::timeCell(std::int64_t cycles) const {
    const Cell cell = cyclesCell(static_cast<double>(cycles), table_.clock_hz);
    return cycles == 0 ? writtenCell(QStringLiteral("0"), cell) : cell;
}

Cell OperationsView::timeDifferenceCell(std::int64_t by) const {
    return differenceCell(cyclesCell(static_cast<double>(by), table_.clock_hz));
}

std::optional<double> OperationsView::shareOf(const analyse::Cost& cost) const {
    return table_.costs.share_or_planned(cost);
}

TableRow OperationsView::rowOf(const OperationFigures& op, std::optional<std::int64_t> before,
                               analyse::Basis basis) const {
    const profile::PhaseCycles cycles = table_.costs.in(basis, op.cost.cycles);
    const auto per_basis = [&](std::int64_t of_execution) {
        return table_.costs.in(basis, static_cast<double>(of_execution));
    };
    const auto flops_rate = op.flops_per_cycle();
    TableRow row{op.record.id, {}};
    row.cells.reserve(Columns);
    row.cells.push_back(textCell(text(op.record.name)));
    row.cells.push_back(timeCell(cycles.total()));
    row.cells.push_back(shareCell(shareOf(op.cost)));
    row.cells.push_back(op.lost ? timeCell(per_basis(*op.lost)) : absentCell());
    row.cells.push_back(textCell(text(op.record.kind)));
    row.cells.push_back(textCell(text(op.layer)));
    row.cells.push_back(textCell(text(profile::to_string(op.record.phase))));
    row.cells.push_back(op.cost.ipus.size() == 1 ? countCell(op.cost.ipus.front())
                                                 : numberCell(text(Costs::ipus_text(op.cost.ipus)),
                                                              static_cast<double>(op.cost.ipus.size())));
    row.cells.push_back(op.runs == 0 ? absentCell()
                                     : amountCell(static_cast<double>(op.runs) /
                                                  static_cast<double>(table_.costs.loops().count(basis))));
    for (std::size_t phase = 0; phase <= Sync - Compute; ++phase)
        row.cells.push_back(timeCell(cycles.*analyse::phases[phase].cycles));
    row.cells.push_back(shareCell(op.balance));
    row.cells.push_back(op.balance ? timeCell(per_basis(op.unbalanced)) : absentCell());
    row.cells.push_back(op.cost.flops > 0 ? countCell(table_.costs.in(basis, op.cost.flops)) : absentCell());
    row.cells.push_back(flops_rate ? amountCell(*flops_rate) : absentCell());
    row.cells.push_back(shareCell(table_.costs.share_of_peak(op.cost)));
    row.cells.push_back(bytesCell(per_basis(op.exchanged_bytes)));
    row.cells.push_back(bytesCell(op.rearranged_bytes));
    row.cells.push_back(bytesCell(op.temporary_bytes));
    row.cells.push_back(bytesCell(op.live.at_peak));
    row.cells.push_back(op.code_bytes ? bytesCell(*op.code_bytes) : absentCell());
    row.cells.push_back(textCell(text(op.plan)));
    const std::int64_t by = analyse::change_of(before, std::optional(cycles.total()));
    row.cells.push_back(before ? timeCell(*before) : absentCell());
    row.cells.push_back(base_ ? timeDifferenceCell(by) : absentCell());
    row.cells.push_back(before
                            ? changeCell(static_cast<double>(*before), static_cast<double>(cycles.total()))
                            : numberCell(base_ ? tr("new") : QString(), static_cast<double>(std::abs(by))));
    return row;
}

std::vector<TableRow> OperationsView::rowsOf(std::size_t group, bool changed_only,
                                             analyse::Basis basis) const {
    const analyse::OperationGroup& of = table_.groups[group];
    std::vector<TableRow> rows;
    bool changed = false;
    if (of.members.size() > 1) {
        rows.push_back(rowOf(of.all, baseCycles(of), basis));
        rows.front().key = keyOfGroup(group);
        rows.front().cells[Name].text = text(analyse::text_of({of.all.record.name, of.members}));
    }
    for (const std::size_t member : of.members) {
        const OperationFigures& op = table_.rows[member];
        const auto before = baseCycles(op.record.id);
        changed = changed || before != table_.costs.in(basis, op.cost.cycles).total();
        rows.push_back(rowOf(op, before, basis));
        if (of.members.size() > 1)
            rows.back().within = keyOfGroup(group);
    }
    return changed_only && !changed ? std::vector<TableRow>() : rows;
}

const analyse::OperationGroup* OperationsView::groupOf(std::int64_t key) const {
    const auto group = static_cast<std::size_t>(key - keyOfGroup(0));
    return key >= keyOfGroup(0) && group < table_.groups.size() ? &table_.groups[group] : nullptr;
}

std::int64_t OperationsView::slowestOf(const analyse::OperationGroup& group) const {
    return analyse::slowest_in(group, table_.rows).record.id;
}

std::int64_t OperationsView::keyOf(std::int64_t operation) const {
    for (std::size_t i = 0; i < table_.groups.size(); ++i)
        for (const std::size_t member : table_.groups[i].members)
            if (table_.rows[member].record.id == operation && table_.groups[i].members.size() > 1)
                return keyOfGroup(i);
    return operation;
}

std::optional<std::int64_t> OperationsView::baseCycles(const analyse::OperationGroup& group) const {
    return base_ ? base_->cycles(group, table_.rows, shownBasis()) : std::nullopt;
}

/// Cycles of the same operation of the base, per what is shown; nullopt: there is none.
std::optional<std::int64_t> OperationsView::baseCycles(std::int64_t operation) const {
    return base_ ? base_->cycles(operation, shownBasis()) : std::nullopt;
}

std::vector<Gone> OperationsView::goneGroups() const {
    return base_->gone(grouping() != analyse::OperationGrouping::None, shownBasis());
}

std::vector<TableRow> OperationsView::rowsOfGone(const Gone& gone, std::int64_t key) const {
    const auto row = [this](std::int64_t own_key, const std::string& name, std::int64_t before) {
        TableRow made{own_key, {textCell(text(name))}};
        while (made.cells.size() < Base)
            made.cells.push_back(absentCell());
        made.cells.push_back(timeCell(before));
        made.cells.push_back(timeDifferenceCell(analyse::change_of(before, std::optional<std::int64_t>())));
        made.cells.push_back(numberCell(tr("removed"), static_cast<double>(before)));
        return made;
    };
    if (gone.members.size() == 1)
        return {row(-1, gone.name, gone.cycles)};
    std::vector<TableRow> rows{row(key, gone.name, gone.cycles)};
    for (const Gone::One& one : gone.members) {
        rows.push_back(row(-1, one.name, one.cycles));
        rows.back().within = key;
    }
    return rows;
}

/// Of all operations that take as long as in the base.
TableRow OperationsView::rowOfUnchanged(std::int64_t count, std::int64_t cycles) const {
    TableRow row{-1, {textCell(tr("%1 unchanged").arg(formatCount(count)))}};
    row.cells.resize(Columns, absentCell());
    row.cells[Cycles] = row.cells[Base] = numberCell(timeCell(cycles).shown(), 0); // last, and without a bar
    row.cells[Difference] = timeDifferenceCell(0);
    row.cells[Change] = changeCell(1, 1);
    return row;
}

void OperationsView::showTable() {
    if (table_.rows.empty())
        return showNothingYet(*pages_, *this, tr("<h3>No operations</h3>The program has none."));
    const analyse::Basis basis = shownBasis();
    std::vector<TableRow> rows;
    rows.reserve(table_.rows.size());
    const bool difference = sources().difference && base_;
    analyse::ChangeSum unchanged;
    for (std::size_t group = 0; group < table_.groups.size(); ++group) {
        std::vector<TableRow> of_group = rowsOf(group, difference, basis);
        if (of_group.empty()) {
            const analyse::OperationGroup& same = table_.groups[group];
            const std::optional cycles = table_.costs.in(basis, same.all.cost.cycles).total();
            unchanged.add(cycles, cycles, static_cast<std::int64_t>(same.members.size()));
        }
        std::move(of_group.begin(), of_group.end(), std::back_inserter(rows));
    }
    if (difference)
        for (std::size_t key = table_.groups.size(); const Gone& gone : goneGroups()) {
            std::vector<TableRow> of_gone = rowsOfGone(gone, keyOfGroup(key++));
            std::move(of_gone.begin(), of_gone.end(), std::back_inserter(rows));
        }
    if (unchanged.unchanged() > 0)
        rows.push_back(rowOfUnchanged(unchanged.unchanged(), std::llround(unchanged.of_unchanged())));
    operations_->setCaption(text(analyse::per(basis)) + tr(", each on its own IPU"));
    operations_->setRows(std::move(rows));
    if (operations_->sortKeys().empty() && !difference)
        operations_->sortBy({{peaksKnown() ? Lost : Cycles, Qt::DescendingOrder}});
    roofline_->setRoofline(table_.roofline);
    showColumns(columns_);
    sources().difference&& base_ ? showDifference() : showHeading();
    pages_->showPage();
    followNow();
}

bool OperationsView::peaksKnown() const {
    return std::all_of(table_.rows.begin(), table_.rows.end(),
                       [](const OperationFigures& op) { return op.lost.has_value(); });
}

/// Which row changed most, and what is the difference of all.
void OperationsView::showDifference() {
    const analyse::Basis basis = shownBasis();
    analyse::ChangeSum sum;
    std::vector<std::string> names;
    for (const analyse::OperationGroup& group : table_.groups) {
        names.push_back(analyse::text_of({group.all.record.name, group.members}));
        sum.add(baseCycles(group), std::optional(table_.costs.in(basis, group.all.cost.cycles).total()));
    }
    for (const Gone& gone : goneGroups()) {
        names.push_back(gone.name);
        sum.add(std::optional(gone.cycles), std::optional<std::int64_t>());
    }
    const auto added =
        std::count_if(table_.rows.begin(), table_.rows.end(),
                      [this](const OperationFigures& op) { return !baseCycles(op.record.id); });
    const auto time = [&](double cycles) {
        return formatDifference(cycles, formatTime(cycles, table_.clock_hz));
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
    const analyse::OperationGroup& most = analyse::slowest_of(table_.groups);
    const OperationFigures& slowest = most.all;
    const analyse::OperationTotals totals = analyse::totals_of(table_.rows);
    if (totals.cycles == 0)
        return heading_->setHtml(
            tr("%1.").arg(formatCounted(table_.rows.size(), tr("operation"), tr("operations"))));
    const analyse::Basis basis = shownBasis();
    const std::int64_t cycles = table_.costs.in(basis, slowest.cost.cycles).total();
    const auto share = shareOf(slowest.cost);
    QString sentence = inHtml(tr("<b>%1</b> takes the most: %2 %3"),
                              {analyse::text_of({slowest.record.name, most.members}),
                               formatTime(cycles, table_.clock_hz), text(analyse::per(basis))});
    if (share)
        sentence += inHtml(table_.costs.planned() > 0 ? tr(", %1 of the planned time of %2")
                                                      : tr(", %1 of the time of %2"),
                           {formatPercent(*share), Costs::ipus_text(slowest.cost.ipus)});
    sentence +=
        QStringLiteral(". <span style='color:@muted'>") +
        inHtml(tr("In %1 of all cycles of the %2 tiles wait for the slowest of them."),
               {formatPercent(totals.unbalanced.value_or(0)),
                formatCounted(table_.rows.size(), tr("operation"), tr("operations"))}) +
        (totals.lost ? inHtml(tr(" %1 of them are lost against the peak."), {formatPercent(*totals.lost)})
                     : QString()) +
        QStringLiteral("</span>");
    heading_->setHtml(sentence);
}

} // namespace tilescope::ui
