// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ipu/conv_problem.h"

#include <vector>

namespace tilescope::ipu {

/// The ways of turning a problem that may pay.
std::vector<ConvTransform> conv_transforms(const ConvProblem& problem);

/// The vertices that can compute a transformed problem, with every useful grouping of its channels.
/// Source: PopLibs lib/poplin/ConvVertexType.cpp.
std::vector<ConvGrouping> conv_groupings(const Target& target, const ConvProblem& problem);

/// What a vertex reads and makes: the outer product, after which nothing is added up, makes what it reads.
ConvTypes vertex_types(const ConvGrouping& grouping, const ConvTypes& types);

} // namespace tilescope::ipu
