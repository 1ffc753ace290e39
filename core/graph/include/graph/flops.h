// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "graph/graph.h"
#include "graph/operator_registry.h"

namespace tilescope::graph {

/// Floating-point operations of one operation of a graph: a scan's are those of its body in every step.
std::int64_t flops_of(const Graph& graph, const Operation& operation, const OperatorRegistry& registry);

} // namespace tilescope::graph
