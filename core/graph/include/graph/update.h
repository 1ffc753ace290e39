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

} // namespace tilescope::graph
