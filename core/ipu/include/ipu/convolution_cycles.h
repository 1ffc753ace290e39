// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ipu/codelets.h"
#include "ipu/target.h"

#include <compare>
#include <cstdint>
#include <string>

/// Cycles of the vertices that make the partial sums of convolutions and matrix products on one tile.
/// Source: PopLibs lib/poplin/PerformanceEstimation.hpp and ConvModel.cpp, restated.
namespace tilescope::ipu {

struct ConvTypes {
    std::int64_t input_bytes = 4;   ///< 2: half, 4: float
    std::int64_t partial_bytes = 4; ///< 2 or 4
    auto operator<=>(const ConvTypes&) const = default;
};

enum class ConvVertex { Amp1x1, AmpNx1, Slic, HorizontalMac, VerticalMac, OuterProduct };

/// A vertex, and how it wants its operands grouped: so many convolution groups, input and output channels
/// innermost.
struct ConvGrouping {
    ConvVertex vertex = ConvVertex::AmpNx1;
    std::int64_t units = 16; ///< of the AMP
    std::int64_t conv_groups = 1;
    std::int64_t in_channels = 1;
    std::int64_t out_channels = 1;
    auto operator<=>(const ConvGrouping&) const = default;
};

/// One tile's share of a convolution, counted in the vertex's groups.
struct ConvWork {
    std::int64_t conv_groups = 1; ///< groups of convolution groups
    std::int64_t batch = 1;       ///< images
    std::int64_t rows = 1;        ///< output rows
    std::int64_t row_length = 1;  ///< output positions in a row
    std::int64_t kernel_height = 1;
    std::int64_t kernel_width = 1;
    std::int64_t in_groups = 1;  ///< groups of input channels
    std::int64_t out_groups = 1; ///< groups of output channels
    std::int64_t stride = 1;     ///< along a row
    /// From one output row, and one position of a row, that a position of the kernel reaches to the next:
    /// more than 1 where the input has zeros between its positions.
    std::int64_t row_step = 1;
    std::int64_t step = 1;
    std::int64_t positions() const { return batch * rows * row_length; }
};

/// AMP units that these types can use: 16 or 8.
std::int64_t conv_units(const Target& target, const ConvTypes& types);
/// Input channels that fill a unit's weights: 16 for half, 8 for float.
std::int64_t weights_per_unit(const ConvTypes& types);
/// Whether the vertex loads and stores its sums at once, which only interleaved memory allows: the AMP's do
/// (lib/poplin/codelets/ConvPartial1x1Out.cpp, ConvPartialnx1.cpp).
bool loads_and_stores_at_once(ConvVertex vertex);
/// Multiply-adds per cycle and tile at best.
std::int64_t peak_macs(const Target& target, const ConvGrouping& grouping, const ConvTypes& types);
std::string to_string(ConvVertex vertex); ///< "AMP 1x1", …
/// The codelet of a partial product, and what it is instantiated for: "half,float".
const Codelet& conv_codelet(const ConvGrouping& grouping, const ConvTypes& types);
std::string codelet_types(const ConvGrouping& grouping, const ConvTypes& types);

/// Cycles of one tile.
std::int64_t conv_partial_cycles(const Target& target, const ConvGrouping& grouping, const ConvTypes& types,
                                 const ConvWork& work);

/// Bytes that the vertex has on the tile beside its fields: a pointer to each group of its operands and
/// results, and the lists of what each worker does, a length and a place for each list (lib/poplin
/// ConvVertices.cpp, lists as VectorList of DELTANELEMENTS).
std::int64_t conv_list_bytes(const Target& target, const ConvGrouping& grouping, const ConvTypes& types,
                             const ConvWork& work);

/// Sum of `depth` partials into `outputs` values on one tile, one of them lying there already (the
/// single-input form; lib/poplin ConvReducePlan.cpp, getReduceCycleEstimate).
std::int64_t conv_reduce_cycles(const Target& target, const ConvTypes& types, std::int64_t outputs,
                                std::int64_t depth);

} // namespace tilescope::ipu
