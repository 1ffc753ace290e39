// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/error.h"
#include "profile/profile.h"

#include <ostream>

namespace tilescope::exports {

/// What a node of the graph stands for.
enum class GraphNodes {
    Automatic, ///< operations, up to `most_operations` of them; layers of larger graphs
    Operations,
    Layers, ///< what a layer does in a phase
};
inline constexpr std::size_t most_operations = 4000; ///< that `dot` lays out within minutes

/// The compiled graph in Graphviz's language, coloured by phase.
///
/// By operations: a node each, with the type and shape of what it makes, a cluster for what a layer does in a
/// phase, and an edge from each maker to each user within a phase. Ovals are tensors that come from
/// elsewhere, in the colour of their phase (activations that the backward pass needs) or grey (parameters,
/// inputs); each layer that uses one has its own. Edges across the phases would be as long as the graph, and
/// `dot` would need hours for a large one.
///
/// By layers: a node for what a layer does in a phase, with the number of its operations, and an edge to each
/// that uses what it makes in that phase. Operations of no layer are nodes of their own.
Result<void> graph_dot(const profile::Profile& profile, std::ostream& out,
                       GraphNodes nodes = GraphNodes::Automatic);

} // namespace tilescope::exports
