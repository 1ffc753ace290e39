// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ipu/target.h"

#include <cstdint>

/// Cycles of the vertices that make the partial sums of convolutions and matrix products on one tile.
/// Source: PopLibs lib/poplin/PerformanceEstimation.hpp and ConvModel.cpp, restated.
namespace tilescope::ipu {

enum class ConvVertex { Amp1x1, AmpNx1, HorizontalMac };

/// One tile's share of a convolution.
struct ConvWork {
    std::int64_t conv_groups = 1;
    std::int64_t batch = 1;      ///< images
    std::int64_t rows = 1;       ///< output rows (all outer field dimensions)
    std::int64_t row_length = 1; ///< output positions in a row
    std::int64_t kernel_height = 1;
    std::int64_t kernel_width = 1;
    std::int64_t in_channels = 1;  ///< of one convolution group
    std::int64_t out_channels = 1; ///< of one convolution group
    std::int64_t positions() const { return batch * rows * row_length; }
};

struct ConvTypes {
    std::int64_t input_bytes = 4;   ///< 2: half, 4: float
    std::int64_t partial_bytes = 4; ///< 2 or 4
};

/// AMP units that these types can use.
std::int64_t conv_units(const Target& target, const ConvTypes& types);
/// Input channels that fill a unit's weights: 16 for half, 8 for float.
std::int64_t weights_per_unit(const ConvTypes& types);

/// Cycles of one tile.
std::int64_t conv_partial_cycles(const Target& target, ConvVertex vertex, const ConvTypes& types,
                                 const ConvWork& work);

/// Sum of `depth` partials into `outputs` values on one tile, the single-input form (lib/poplin
/// ConvReducePlan.cpp; getReduceCycleEstimate).
std::int64_t conv_reduce_cycles(const Target& target, const ConvTypes& types, std::int64_t outputs,
                                std::int64_t depth);

} // namespace tilescope::ipu
