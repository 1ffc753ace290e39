// SPDX-License-Identifier: GPL-3.0-or-later
// What the tabs of the totals have in their table: the part of TotalsPanel that fills it.
#include "base/share.h"
#include "ui/session/format.h"
#include "ui/trace/totals_panel.h"
#include "ui/widgets/data_table.h"
#include "ui/widgets/phase_look.h"

#include <QTabBar>
#include <algorithm>
#include <cmath>

namespace tilescope::ui {

void TotalsPanel::showTable(int tab) {
    if (tab == Marks)
        showMarks();
    else if (tab == Slice)
        showSlice();
    else if (difference_)
        showDifference(tab);
    else if (tab == Balance)
        showBalance();
    else if (tab == Ipus)
        showIpus();
    else
        showTotals(tab);
}

void TotalsPanel::sortBy(int kind) {
    const QString name = kindName(static_cast<analyse::TimeKind>(kind));
    const auto column = [&] {
        const auto* model = table_->view()->model();
        for (int c = 1; c < model->columnCount(); ++c)
            if (!table_->view()->isColumnHidden(c) &&
                model->headerData(c, Qt::Horizontal).toString().compare(name, Qt::CaseInsensitive) == 0)
                return c;
        return -1;
    };
    if (column() < 0)
        tabs_->setCurrentIndex(Operations);
    if (const int at = column(); at >= 0) {
        table_->view()->sortByColumn(at, Qt::DescendingOrder);
        table_->view()->scrollToTop();
    }
}

void TotalsPanel::fill(std::vector<Column> columns, std::vector<TableRow> rows) {
    // In cycles there is one column of them, not two.
    std::vector<bool> shown;
    for (const Column& column : columns)
        shown.push_back(!units().cycles || column.title != tr("Time"));
    table_->setColumns(std::move(columns));
    for (std::size_t c = 0; c < shown.size(); ++c)
        table_->showColumn(static_cast<int>(c), shown[c]);
    table_->setRows(std::move(rows));
}

namespace {

/// What is being worked out: no figure yet, to sort and to copy.
Cell comingCell() {
    Cell cell = absentCell();
    cell.text = QStringLiteral("…");
    return cell;
}

/// How long passes take; absent where there are none. `coming`: they are still being worked out.
void addDurations(std::vector<Cell>& cells, const analyse::Durations* durations, bool coming,
                  double clock_hz) {
    if (durations == nullptr) {
        cells.insert(cells.end(), 5, coming ? comingCell() : absentCell());
        return;
    }
    cells.push_back(countCell(durations->passes));
    cells.push_back(cyclesCell(durations->mean, clock_hz));
    for (const std::int64_t cycles : {durations->p50, durations->p99, durations->longest})
        cells.push_back(cyclesCell(static_cast<double>(cycles), clock_hz));
}

Cell bytesOrNone(const std::optional<double>& bytes) {
    return bytes ? bytesCell(*bytes) : absentCell();
}

} // namespace

void TotalsPanel::showTotals(int tab) {
    std::vector<Column> columns{{tr("Name")},  {tr("Cycles"), true}, {tr("Time")},
                                {tr("Share")}, {tr("Passes")},       {tr("Mean")},
                                {tr("P50")},   {tr("P99")},          {tr("Longest")}};
    const auto first_kind = static_cast<int>(columns.size());
    for (const PhaseLook& look : phaseLooks())
        columns.push_back({look.title});
    for (const QString& title : {tr("Program steps"), tr("Tile balance"), tr("Lost to imbalance")})
        columns.push_back({title});
    const auto& totals = tab == Operations ? totals_.operations
                         : tab == Layers   ? totals_.layers
                                           : totals_.programs;
    const auto& names = names_[static_cast<std::size_t>(tab)];
    std::vector<TableRow> rows;
    for (std::size_t i = 0; i < totals.size() && i < names.size(); ++i) {
        const analyse::TimeTotal& total = totals[i];
        const bool step = total.of == analyse::TimeTotal::Of::Step;
        const auto all = static_cast<double>(total.cycles.total());
        std::vector<Cell> cells{textCell(names[i]), countCell(total.cycles.total()),
                                clock_hz_ > 0 ? cyclesCell(all, clock_hz_) : absentCell(),
                                shareCell(share_of(total.cycles.total(), totals_.phases.total()))};
        addDurations(cells, step ? durationsOf(tab, total.id) : nullptr, step && pass_durations_ == nullptr,
                     clock_hz_);
        for (const analyse::TimeKind kind : analyse::time_kinds)
            cells.push_back(countCell(analyse::cycles_of(total.cycles, kind)));
        cells.push_back(total.runs > 0 ? countCell(total.runs) : absentCell());
        const auto balance = total.balance();
        cells.push_back(shareCell(balance));
        cells.push_back(balance ? countCell(std::llround(total.unbalanced())) : absentCell());
        rows.push_back({step ? total.id : -1, std::move(cells)});
    }
    fill(std::move(columns), std::move(rows));
    // What no time is spent on leaves its room to the names.
    for (const analyse::TimeKind kind : analyse::time_kinds)
        table_->showColumn(first_kind + static_cast<int>(kind), analyse::cycles_of(totals_.phases, kind) > 0);
}

/// Which compute sets give their work unevenly to the tiles.
void TotalsPanel::showBalance() {
    const auto shares = analyse::imbalance_shares(sets_, totals_.phases.total());
    std::vector<TableRow> rows;
    for (std::size_t i = 0; i < sets_.size(); ++i) {
        const analyse::TimeTotal& set = sets_[i];
        const double lost = set.unbalanced();
        rows.push_back({set.id,
                        {textCell(set_names_[i]), countCell(std::llround(lost)), cyclesCell(lost, clock_hz_),
                         shareCell(shares[i].of_lost), shareCell(shares[i].of_time), shareCell(set.balance()),
                         countCell(std::llround(set.slowest_each())),
                         countCell(std::llround(set.mean_each())), countCell(set.runs)}});
    }
    fill({{tr("Compute set")},
          {tr("Lost to imbalance"), true},
          {tr("Time")},
          {tr("Of all lost")},
          {tr("Of all time")},
          {tr("Tile balance")},
          {tr("Slowest tile, each run")},
          {tr("Mean of all tiles")},
          {tr("Runs")}},
         std::move(rows));
}

void TotalsPanel::showIpus() {
    std::vector<Column> columns{{tr("IPU")},          {tr("Parallel efficiency")},
                                {tr("Tile balance")}, {tr("Between tiles")},
                                {tr("Received")},     {tr("Sent")}};
    const auto first_kind = static_cast<int>(columns.size());
    for (const PhaseLook& look : phaseLooks())
        columns.push_back({look.title});
    std::vector<TableRow> rows;
    for (const analyse::IpuUse& use : uses_) {
        std::vector<Cell> cells{numberCell(tr("IPU %1").arg(use.ipu), static_cast<double>(use.ipu)),
                                shareCell(use.tiles ? std::optional(use.tiles->busy) : std::nullopt),
                                shareCell(use.tiles ? std::optional(use.tiles->balance) : std::nullopt),
                                bytesOrNone(use.between_tiles),
                                bytesOrNone(use.in),
                                bytesOrNone(use.out)};
        for (const analyse::NamedPhase& phase : analyse::phases)
            cells.push_back(shareCell(analyse::phase_share(use.cycles, phase.cycles)));
        rows.push_back({use.ipu, std::move(cells)});
    }
    fill(std::move(columns), std::move(rows));
    for (const analyse::TimeKind kind : analyse::time_kinds)
        table_->showColumn(first_kind + static_cast<int>(kind), analyse::cycles_of(totals_.phases, kind) > 0);
}

void TotalsPanel::showMarks() {
    std::vector<TableRow> rows;
    for (const TimelineMark& mark : marks_) {
        const auto number = static_cast<std::int64_t>(rows.size());
        const auto start = static_cast<double>(mark.from);
        rows.push_back({number,
                        {textCell(mark.note.isEmpty() ? tr("mark %1").arg(number + 1) : mark.note),
                         cyclesCell(start, marks_hz_), countCell(mark.from),
                         mark.to > mark.from ? cyclesCell(static_cast<double>(mark.to - mark.from), marks_hz_)
                                             : absentCell()}});
    }
    fill({{tr("Mark")}, {tr("At")}, {tr("Cycle")}, {tr("Length")}}, std::move(rows));
}

void TotalsPanel::showSlice() {
    std::vector<TableRow> rows;
    if (slice_.title.isEmpty())
        rows.push_back({-1, {textCell(tr("Click a slice to see all of it here.")), textCell({})}});
    else
        rows.push_back({-1, {textCell(tr("Slice")), textCell(slice_.title)}});
    if (!slice_.sentence.isEmpty())
        rows.push_back({-1, {textCell(tr("Merged")), textCell(slice_.sentence)}});
    for (const auto& [name, value] : slice_.rows)
        rows.push_back({-1, {textCell(name), textCell(value)}});
    fill({{tr("Of the slice")}, {tr("Value"), false, true}}, std::move(rows));
}

namespace {

Cell sideCell(const std::optional<double>& cycles) {
    return cycles ? countCell(std::llround(*cycles)) : absentCell();
}

/// Sorted by their size, whichever way they go.
void addChange(std::vector<Cell>& cells, const analyse::Difference& cycles) {
    const double by = cycles.by();
    cells.push_back(differenceCell(countCell(std::llround(by))));
    cells.push_back(!cycles.base  ? numberCell(TotalsPanel::tr("new"), std::abs(by))
                    : !cycles.now ? numberCell(TotalsPanel::tr("removed"), std::abs(by))
                                  : changeCell(*cycles.base, *cycles.now));
}

TableRow rowOf(std::int64_t key, const QString& name, const analyse::Difference& cycles,
               const analyse::Difference& runs) {
    TableRow row{key, {textCell(name), sideCell(cycles.base), sideCell(cycles.now)}};
    addChange(row.cells, cycles);
    row.cells.push_back(sideCell(runs.base));
    row.cells.push_back(sideCell(runs.now));
    return row;
}

} // namespace

void TotalsPanel::showDifference(int tab) {
    const bool kinds = tab == Kinds;
    std::vector<Column> columns{
        {tr("Name")},   {tr("Base, cycles")},  {tr("New, cycles")}, {tr("Difference"), true},
        {tr("Change")}, {tr("Steps in base")}, {tr("Steps in new")}};
    if (kinds)
        columns.resize(columns.size() - 2);
    std::vector<TableRow> rows;
    if (kinds) {
        for (const analyse::TimeKind kind : analyse::time_kinds)
            rows.push_back(rowOf(-1, kindName(kind), difference_->kinds[static_cast<std::size_t>(kind)], {}));
        rows.push_back(rowOf(-1, tr("all"), difference_->cycles, {}));
        for (TableRow& row : rows)
            row.cells.resize(columns.size());
        return fill(std::move(columns), std::move(rows));
    }
    const auto& differences = tab == Operations ? difference_->operations
                              : tab == Layers   ? difference_->layers
                                                : difference_->programs;
    const auto& names = names_[static_cast<std::size_t>(tab)];
    for (std::size_t i = 0; i < differences.changed.size() && i < names.size(); ++i) {
        const analyse::TotalDifference& row = differences.changed[i];
        rows.push_back(rowOf(row.of == analyse::TimeTotal::Of::Step ? row.id : -1, names[i], row.cycles,
                             row.of == analyse::TimeTotal::Of::Step ? row.runs : analyse::Difference()));
    }
    if (differences.unchanged > 0)
        rows.push_back(rowOf(-1, tr("%1 unchanged").arg(formatCount(differences.unchanged)),
                             differences.unchanged_cycles, {}));
    fill(std::move(columns), std::move(rows));
}

} // namespace tilescope::ui
