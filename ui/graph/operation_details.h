// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/graph/operation_graph.h"
#include "ui/widgets/detail_table.h"

namespace tilescope::ui {

/// Rich text for the panel at the side: what an operation or parameter is, costs and holds, its plan and
/// compute sets where they are recorded; with a base (or null) its cycles. `node` indexes the graph.
Result<QString> nodeDetails(const profile::Profile& file, const OperationGraph& graph, std::size_t node,
                            const GraphBaseline* base = nullptr);
/// The same for a group: its sums, and its members that take most cycles.
QString groupDetails(const OperationGraph& graph, std::size_t group, const GraphBaseline* base = nullptr);
/// Where nothing is selected: how large the graph is, and what takes most of a step.
QString graphDetails(const OperationGraph& graph);

/// Such details with what an operation costs.
class OperationTable : public DetailTable {
  public:
    void base(std::optional<std::int64_t> base, std::int64_t now);
    void cost(const GraphCost& cost, const GraphCost& total, double clock_hz);
};

} // namespace tilescope::ui
