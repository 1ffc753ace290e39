// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "graph/graph.h"
#include "operators/replica_groups.h"
#include "program/program.h"

namespace tilescope::compile {

/// Whether an exchange is between the replicas of a group, rather than all.
inline bool is_of_group(const graph::Graph& graph, const program::Exchange& exchange) {
    return operators::of_group(graph.operation(graph::OpId(exchange.operation)).kind) != nullptr;
}

/// The replicas that an all-reduce goes around: those of a group, or all.
inline std::int32_t ring_replicas(const graph::Graph& graph, const program::Exchange& exchange,
                                  std::int32_t all) {
    const graph::Operation& op = graph.operation(graph::OpId(exchange.operation));
    return is_of_group(graph, exchange)
               ? static_cast<std::int32_t>(op.attributes.integer(operators::group_attribute, 1))
               : all;
}

} // namespace tilescope::compile
