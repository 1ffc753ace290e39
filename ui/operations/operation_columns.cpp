// SPDX-License-Identifier: GPL-3.0-or-later
#include "operation_columns.h"

#include "ui/operations/operations_view.h"
#include "ui/widgets/phase_look.h"

#include <utility>

namespace tilescope::ui {
namespace {

/// Columns of phases are in the order of analyse::phases.
std::size_t phaseOfColumn(int column) {
    return static_cast<std::size_t>(column - Compute);
}

} // namespace

std::vector<Column> operationHeads() {
    const auto tr = [](const char* head) { return OperationsView::tr(head); };
    const auto phase = [](int column) { return phaseLooks()[phaseOfColumn(column)].title; };
    return {{tr("Operation")},
            {tr("Time"), true},
            {tr("Share")},
            {tr("Lost"), true},
            {tr("Kind")},
            {tr("Layer")},
            {tr("Phase")},
            {tr("IPU")},
            {tr("Runs")},
            {phase(Compute)},
            {phase(Exchange)},
            {phase(InterIpu)},
            {phase(Sync)},
            {tr("Balance")},
            {tr("Unbalanced"), true},
            {tr("FLOPs")},
            {tr("FLOPs per cycle")},
            {tr("Of peak")},
            {tr("Exchanged"), true},
            {tr("Rearranged")},
            {tr("Temporary")},
            {tr("Live at peak")},
            {tr("Code")},
            {tr("Plan")},
            {tr("Base")},
            {tr("Difference")},
            {tr("Change")}};
}

int columnOfPhase(const QString& phase) {
    for (int column = Compute; column <= Sync; ++column)
        if (phase == phaseLooks()[phaseOfColumn(column)].key)
            return column;
    return -1;
}

std::vector<ColumnPreset> columnPresets() {
    std::set<int> all;
    for (int column = first_chosen; column < Base; ++column)
        all.insert(column);
    return {
        {OperationsView::tr("Columns of time"),
         {Lost, Phase, Ipu, Compute, Exchange, InterIpu, Sync, Balance, Unbalanced}},
        {OperationsView::tr("Columns of work"), {Lost, Kind, Layer, Phase, Flops, Rate, Peak, Balance, Plan}},
        {OperationsView::tr("Columns of exchange and memory"),
         {Layer, Ipu, Exchange, InterIpu, Exchanged, Rearranged, Temporary, Live, Code}},
        {OperationsView::tr("All columns"), std::move(all)}};
}

} // namespace tilescope::ui
