// SPDX-License-Identifier: GPL-3.0-or-later
#include "operation_rows.h"

#include "analyse/change_sum.h"
#include "analyse/like_names.h"
#include "analyse/phases.h"
#include "base/try.h"
#include "operation_columns.h"
#include "ui/session/format.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

namespace tilescope::ui {
namespace {

using analyse::Costs;
using analyse::OperationFigures;
using Gone = analyse::OperationBaseline::Gone;

} // namespace

Cell timeCell(std::int64_t cycles, double clock_hz) {
    const Cell cell = cyclesCell(static_cast<double>(cycles), clock_hz);
    return cycles == 0 ? writtenCell(QStringLiteral("0"), cell) : cell;
}

Result<BaseOperations> BaseOperations::read(const profile::Profile& file, const analyse::Parts& now,
                                            const analyse::HandMatches& by_hand) {
    TRY(auto all, analyse::OperationBaseline::read(file, now, by_hand));
    TRY(const auto target, file.target());
    return BaseOperations{std::move(all), target.clock_hz};
}

double OperationRows::comparedClock() const {
    return base == nullptr || base->clock_hz == table->clock_hz ? table->clock_hz : 0;
}

Cell OperationRows::time(std::int64_t cycles) const {
    return timeCell(cycles, table->clock_hz);
}

Cell OperationRows::timeDifference(std::int64_t by) const {
    return differenceCell(cyclesCell(static_cast<double>(by), comparedClock()));
}

TableRow OperationRows::row(const OperationFigures& op, std::optional<std::int64_t> before) const {
    const profile::PhaseCycles cycles = table->costs.in(basis, op.cost.cycles);
    const auto per_basis = [&](std::int64_t of_execution) {
        return table->costs.in(basis, static_cast<double>(of_execution));
    };
    const auto flops_rate = op.flops_per_cycle();
    TableRow row{op.record.id, {}};
    row.cells.reserve(Columns);
    row.cells.push_back(textCell(text(op.record.name)));
    row.cells.push_back(time(cycles.total()));
    row.cells.push_back(shareCell(table->costs.share_or_planned(op.cost)));
    row.cells.push_back(op.lost ? time(per_basis(*op.lost)) : absentCell());
    row.cells.push_back(textCell(text(op.record.kind)));
    row.cells.push_back(textCell(text(op.layer)));
    row.cells.push_back(textCell(text(profile::to_string(op.record.phase))));
    // Its share is of the time of all that run a step of it.
    const bool of_one = op.record.ipu >= 0 && op.cost.ipus.size() < 2;
    row.cells.push_back(
        of_one ? countCell(op.record.ipu)
               : numberCell(text(Costs::ipus_text(op.cost.ipus)), static_cast<double>(op.cost.ipus.size())));
    row.cells.push_back(op.runs == 0 ? absentCell()
                                     : amountCell(static_cast<double>(op.runs) /
                                                  static_cast<double>(table->costs.loops().count(basis))));
    for (std::size_t phase = 0; phase <= Sync - Compute; ++phase)
        row.cells.push_back(time(cycles.*analyse::phases[phase].cycles));
    row.cells.push_back(shareCell(op.balance));
    row.cells.push_back(op.balance ? time(per_basis(op.unbalanced)) : absentCell());
    row.cells.push_back(op.cost.flops > 0 ? countCell(table->costs.in(basis, op.cost.flops)) : absentCell());
    row.cells.push_back(flops_rate ? amountCell(*flops_rate) : absentCell());
    row.cells.push_back(shareCell(table->costs.share_of_peak(op.cost)));
    row.cells.push_back(bytesCell(per_basis(op.exchanged_bytes)));
    row.cells.push_back(bytesCell(op.rearranged_bytes));
    row.cells.push_back(bytesCell(op.temporary_bytes));
    row.cells.push_back(bytesCell(op.live.at_peak));
    row.cells.push_back(op.code_bytes ? bytesCell(*op.code_bytes) : absentCell());
    row.cells.push_back(textCell(text(op.plan)));
    const std::int64_t by = analyse::change_of(before, std::optional(cycles.total()));
    row.cells.push_back(before ? timeCell(*before, comparedClock()) : absentCell());
    row.cells.push_back(base ? timeDifference(by) : absentCell());
    row.cells.push_back(
        before ? changeCell(static_cast<double>(*before), static_cast<double>(cycles.total()))
               : numberCell(base ? OperationsView::tr("new") : QString(), static_cast<double>(std::abs(by))));
    return row;
}

std::vector<TableRow> OperationRows::ofGroup(std::size_t group) const {
    const analyse::OperationGroup& of = table->groups[group];
    std::vector<TableRow> rows;
    bool changed = false;
    if (of.members.size() > 1) {
        rows.push_back(row(of.all, baseCycles(of)));
        rows.front().key = keyOfGroup(group);
        rows.front().cells[Name].text = text(analyse::text_of({of.all.record.name, of.members}));
        if (of.phases.size() > 1)
            rows.front().cells[Phase] = textCell(OperationsView::tr("%1 phases").arg(of.phases.size()));
    }
    for (const std::size_t member : of.members) {
        const OperationFigures& op = table->rows[member];
        const auto before = baseCycles(op.record.id);
        changed = changed || before != table->costs.in(basis, op.cost.cycles).total();
        rows.push_back(row(op, before));
        if (of.members.size() > 1)
            rows.back().within = keyOfGroup(group);
    }
    return difference && !changed ? std::vector<TableRow>() : rows;
}

std::optional<std::int64_t> OperationRows::baseCycles(const analyse::OperationGroup& group) const {
    return base ? base->cycles(group, table->rows, basis) : std::nullopt;
}

std::optional<std::int64_t> OperationRows::baseCycles(std::int64_t operation) const {
    return base ? base->cycles(operation, basis) : std::nullopt;
}

std::vector<Gone> OperationRows::gone() const {
    return base->gone(folded_gone, basis);
}

std::vector<TableRow> OperationRows::ofGone(const Gone& gone, std::int64_t key) const {
    const auto removed = [this](std::int64_t own_key, const std::string& name, std::int64_t before) {
        TableRow made{own_key, {textCell(text(name))}};
        while (made.cells.size() < Base)
            made.cells.push_back(absentCell());
        made.cells.push_back(timeCell(before, comparedClock()));
        made.cells.push_back(timeDifference(analyse::change_of(before, std::optional<std::int64_t>())));
        made.cells.push_back(numberCell(OperationsView::tr("removed"), static_cast<double>(before)));
        return made;
    };
    if (gone.members.size() == 1)
        return {removed(-1, gone.name, gone.cycles)};
    std::vector<TableRow> rows{removed(key, gone.name, gone.cycles)};
    for (const Gone::One& one : gone.members) {
        rows.push_back(removed(-1, one.name, one.cycles));
        rows.back().within = key;
    }
    return rows;
}

/// Of all operations that take as long as in the base.
TableRow OperationRows::unchanged(std::int64_t count, std::int64_t cycles) const {
    TableRow row{-1, {textCell(OperationsView::tr("%1 unchanged").arg(formatCount(count)))}};
    row.cells.resize(Columns, absentCell());
    row.cells[Cycles] = numberCell(time(cycles).shown(), 0); // last, and without a bar
    row.cells[Base] = numberCell(timeCell(cycles, comparedClock()).shown(), 0);
    row.cells[Difference] = timeDifference(0);
    row.cells[Change] = changeCell(1, 1);
    return row;
}

std::vector<TableRow> OperationRows::all() const {
    std::vector<TableRow> rows;
    rows.reserve(table->rows.size());
    analyse::ChangeSum same;
    for (std::size_t group = 0; group < table->groups.size(); ++group) {
        std::vector<TableRow> of_group = ofGroup(group);
        if (of_group.empty()) {
            const analyse::OperationGroup& of = table->groups[group];
            const std::optional cycles = table->costs.in(basis, of.all.cost.cycles).total();
            same.add(cycles, cycles, static_cast<std::int64_t>(of.members.size()));
        }
        std::move(of_group.begin(), of_group.end(), std::back_inserter(rows));
    }
    if (difference)
        for (std::size_t key = table->groups.size(); const Gone& each : gone()) {
            std::vector<TableRow> of_gone = ofGone(each, keyOfGroup(key++));
            std::move(of_gone.begin(), of_gone.end(), std::back_inserter(rows));
        }
    if (same.unchanged() > 0)
        rows.push_back(unchanged(same.unchanged(), std::llround(same.of_unchanged())));
    return rows;
}

} // namespace tilescope::ui
