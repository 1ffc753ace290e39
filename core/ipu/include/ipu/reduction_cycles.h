// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ipu/target.h"

#include <cstdint>

/// Cycles of reduction and pooling vertices on one tile.
namespace tilescope::ipu {

/// `outputs` values, each from `depth` inputs on the tile. Contiguous inputs where `contiguous`, else
/// strided. Source: PopLibs lib/popops/reduction, cycle estimators of the strided and the regions-contiguous
/// forms.
std::int64_t reduce_cycles(const Target& target, std::int64_t element_bytes, std::int64_t outputs,
                           std::int64_t depth, bool contiguous);

enum class PoolVertex { Max, Sum, MaxGradient };

/// Pooling of `outputs` positions of `channels` channels over windows of `window` positions.
/// Source: PopLibs lib/popnn/PerformanceEstimation.hpp.
std::int64_t pool_cycles(const Target& target, PoolVertex vertex, std::int64_t element_bytes,
                         std::int64_t outputs, std::int64_t channels, std::int64_t window);

/// Index of the largest of `classes` values for each of `rows` rows. Source: PopLibs lib/popnn,
/// 6 (30 + 3 size) + 9, at least 32 elements per worker.
std::int64_t argmax_cycles(const Target& target, std::int64_t rows, std::int64_t classes);

} // namespace tilescope::ipu
