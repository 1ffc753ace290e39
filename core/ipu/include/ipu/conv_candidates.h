// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ipu/conv_problem.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace tilescope::ipu {

/// The ways of turning a problem that may pay.
std::vector<ConvTransform> conv_transforms(const ConvProblem& problem);

/// The vertices that can compute a transformed problem, with every useful grouping of its channels.
/// Source: PopLibs lib/poplin/ConvVertexType.cpp.
std::vector<ConvGrouping> conv_groupings(const Target& target, const ConvProblem& problem);

/// Adds vertices that multiply whole rows of input channels, in groups of a size: of those `wanted` each that
/// changes the number of groups.
void add_horizontal(const ConvProblem& problem, const std::function<bool(std::int64_t)>& wanted,
                    std::vector<ConvGrouping>& out);

/// What a vertex reads and makes: the outer product, after which nothing is added up, makes what it reads.
ConvTypes vertex_types(const ConvGrouping& grouping, const ConvTypes& types);

} // namespace tilescope::ipu
