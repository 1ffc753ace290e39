// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/graph/operation_graph.h"
#include "ui/widgets/detail_table.h"

namespace tilescope::ui {

/// Rich text for the panel at the side: what an operation or parameter is, costs and holds, its plan and
/// compute sets where they are recorded; with a base (or null) its cycles. `node` indexes the graph.
Result<QString> nodeDetails(const profile::Profile& file, const OperationGraph& graph, std::size_t index,
                            const GraphBaseline* base = nullptr);
/// The same for a group: its sums, and its members that take most cycles.
QString groupDetails(const OperationGraph& graph, std::size_t index, const GraphBaseline* base = nullptr);
/// Where nothing is selected: how large the graph is, and what takes most of its IPU's time.
QString graphDetails(const OperationGraph& graph, const GraphBaseline* base = nullptr);

/// Such details with what an operation costs.
class OperationTable : public DetailTable {
  public:
    /// `then`: the cycles of the base, where it has them.
    void base(std::optional<std::int64_t> then, std::int64_t now, double clock_hz);
    /// `base`: null where there is none.
    void cost(const GraphCost& cost, const OperationGraph& graph, const GraphBaseline* base);
};

} // namespace tilescope::ui
