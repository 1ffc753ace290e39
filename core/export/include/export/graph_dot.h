// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/error.h"
#include "profile/profile.h"

#include <ostream>

namespace tilescope::exports {

/// The compiled graph in Graphviz's language: a node per operation with the type and shape of what it makes,
/// coloured by phase, a cluster for what a layer does in a phase, and an edge from each maker to each user
/// within a phase. Ovals are tensors that come from elsewhere, in the colour of their phase (activations that
/// the backward pass needs) or grey (parameters, inputs); each layer that uses one has its own. Edges across
/// the phases would be as long as the graph, and `dot` would need hours for a large one.
Result<void> graph_dot(const profile::Profile& profile, std::ostream& out);

} // namespace tilescope::exports
