// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/error.h"
#include "profile/profile.h"

#include <ostream>

namespace tilescope::exports {

/// The compiled graph in Graphviz's language: a node per operation, coloured by phase (forward, backward,
/// update), a cluster per layer, an edge per tensor from its maker to each user, labelled with type and
/// shape. Tensors that no operation makes (parameters, inputs) are drawn as ovals.
Result<void> graph_dot(const profile::Profile& profile, std::ostream& out);

} // namespace tilescope::exports
