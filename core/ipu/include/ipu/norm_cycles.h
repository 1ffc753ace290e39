// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ipu/target.h"

#include <cstdint>

/// Cycles of what norms are made of, on one tile.
namespace tilescope::ipu {

/// x op v for `elements` elements of which each run of `length` meets a vector of that length, or for
/// `length` 1 runs that meet one number. Source: PopLibs lib/popops/popopsCycleEstimators.cpp,
/// BroadcastVectorInner1D and BroadcastVectorOuter1D, add and multiply.
std::int64_t broadcast_vector_cycles(const Target& target, std::int64_t element_bytes, std::int64_t length,
                                     std::int64_t elements);

/// 1 / sqrt(variance + epsilon) of `elements` groups. Source: PopLibs lib/popnn, InverseStdDeviation: 4, and
/// 5 for each two elements.
std::int64_t inverse_deviation_cycles(std::int64_t elements);

} // namespace tilescope::ipu
