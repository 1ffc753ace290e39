// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/error.h"
#include "compile/compiler.h"

#include <vector>

namespace tilescope::run {

/// Compiles a graph as a profile does and computes one step of it: the value of each fetch, in their order.
/// `feeds`: a tensor for each feed. A program that does not fit the tiles is computed all the same.
/// Errors: those of compilation.
Result<std::vector<graph::HostTensor>> infer(graph::Graph graph, const graph::OperatorRegistry& registry,
                                             const compile::Options& options,
                                             const std::vector<graph::HostTensor>& feeds);

} // namespace tilescope::run
