// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "graph/graph.h"

#include <algorithm>

namespace tilescope::graph {

/// A sum over the micro-batches of one weight update that goes to the host: of values, not of gradients, and
/// each replica's own. It runs when the update does, in inference too, and changes no variable.
inline bool is_sum_for_the_host(const Operation& op) {
    return op.kind == "accumulated";
}

/// Whether a graph has operations that update its weights.
inline bool updates_weights(const Graph& graph) {
    return std::any_of(graph.operations().begin(), graph.operations().end(), [](const Operation& op) {
        return op.phase == Phase::Update && !is_sum_for_the_host(op);
    });
}

/// Whether a graph has its gradients and its update already: operations of an update, or a weight that a step
/// of a script's own has updated and read again, by operations of the backward pass. What a step merely
/// assigns is of the forward pass.
inline bool has_update(const Graph& graph) {
    return updates_weights(graph) ||
           std::any_of(graph.variables.begin(), graph.variables.end(), [&](const Variable& variable) {
               if (!variable.trainable || variable.next == no_value)
                   return false;
               const Value& next = graph.value(variable.next);
               return next.source == Source::Operation &&
                      graph.operation(next.producer).phase == Phase::Backward;
           });
}

} // namespace tilescope::graph
