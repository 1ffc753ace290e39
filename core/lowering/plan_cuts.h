// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ipu/conv_plan.h"
#include "ipu/conv_problem.h"
#include "planned.h"

#include <array>
#include <cstdint>
#include <vector>

/// How the tensors of a planned convolution are turned, and which part of it each tile works on.
namespace tilescope::lowering {

/// Joins dimensions into one. Those longer than one are neighbours; the others go.
PlannedTensor joined(const PlannedTensor& tensor, const std::vector<ConvDim>& which, ConvDim as);
void exchange_dims(PlannedTensor& tensor, ConvDim a, ConvDim b);

using ipu::Range;

constexpr std::size_t conv_dims = 10;
inline std::size_t index(ConvDim dim) {
    return static_cast<std::size_t>(dim);
}

/// One range for each dimension of the convolution.
struct Ranges {
    std::array<Range, conv_dims> of;
    Range& operator[](ConvDim dim) { return of[index(dim)]; }
    const Range& operator[](ConvDim dim) const { return of[index(dim)]; }
};

/// How one dimension of the transformed problem is cut by a plan.
struct Cut {
    std::int64_t extent = 1;
    std::int64_t block = 1;  ///< elements of a part
    std::int64_t parts = 1;  ///< on different tiles
    std::int64_t stride = 0; ///< tiles from one part to the next
};

/// The cuts of a plan, with tiles in the order (groups, input channels, kernel, batch, height, width, output
/// channels), so that neighbours share their input (PopLibs lib/poplin/ConvModel.cpp).
struct Cuts {
    Cut group, batch, height, width, kernel, in, out;
    std::int64_t weight_users = 1; ///< tiles that read the same weights, `out.parts` apart
    std::int64_t depth = 1;        ///< tiles that hold partials of the same results
    std::int64_t depth_stride = 1; ///< tiles from one of them to the next
};

Cuts cuts_of(const ipu::ConvProblem& problem, const ipu::ConvPlan& plan);

/// The part of a cut dimension that a tile has; empty for tiles beyond the last part.
Range part_of(const Cut& cut, std::int64_t tile);

/// What a tile works on in the first of the serial parts, in the transformed problem.
Ranges share_of(const ipu::ConvProblem& problem, const Cuts& cuts, std::int64_t tile);

/// The block of a tensor that has these ranges of the convolution's dimensions.
program::Box box_of(const PlannedTensor& tensor, const Ranges& ranges);

/// An operand of these dimensions with its channels in whole groups, where it lies: the padding is where the
/// last ones are.
program::TileMapping with_padding(const program::TileMapping& mapping, const std::vector<ConvDim>& dims,
                                  const ipu::ConvGrouping& grouping);

/// Whether there is anything to do.
bool works(const Ranges& ranges);

/// Shares the blocks of `axes` among `count` tiles that are `stride` apart as evenly as pieces of whole
/// grains along the axes of `order` can be: those of the fullest tile are as few as possible.
void share_pieces(std::vector<program::Axis>& axes, const std::vector<std::size_t>& order, std::int64_t count,
                  std::int64_t stride, const std::vector<std::int64_t>& grains);

} // namespace tilescope::lowering
