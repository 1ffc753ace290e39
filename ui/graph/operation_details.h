// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/graph/operation_graph.h"

namespace tilescope::ui {

/// Rich text for the panel at the side: what an operation or parameter is, costs and holds, its plan and
/// compute sets where they are recorded; with a base (or null) its cycles. `node` indexes the graph.
Result<QString> nodeDetails(const profile::Profile& file, const OperationGraph& graph, std::size_t index,
                            const GraphBaseline* base = nullptr);
/// The same for a group: its sums, and its members that take most cycles.
QString groupDetails(const OperationGraph& graph, std::size_t index, const GraphBaseline* base = nullptr);
/// Where nothing is selected: how large the graph is, and what takes most of its IPU's time.
QString graphDetails(const OperationGraph& graph, const GraphBaseline* base = nullptr);

} // namespace tilescope::ui
