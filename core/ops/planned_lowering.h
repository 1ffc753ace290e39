// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ops/lowering_context.h"

#include <functional>

/// The common way of lowering convolutions and matrix products under a plan.
namespace tilescope::ops {

/// The part of a planned problem that one tile works on: [0, 1) of each of its dimensions.
struct ConvRanges {
    std::int64_t group0, group1, batch0, batch1, height0, height1, out0, out1, in0, in1, kernel0, kernel1;
};

/// How a planned problem reads its two operands and leaves its output.
struct PlannedOperands {
    std::size_t input = 0;   ///< number of the operation's input that plays the activations
    std::size_t weights = 1; ///< and the weights
    program::Shape input_shape;
    program::Shape weight_shape;
    std::function<program::Box(const ConvRanges&)> input_box;
    std::function<program::Box(const ConvRanges&)> weight_box;
    /// The output's dimensions, row-major, and the size of its blocks. `order` says in which order the
    /// dimensions that are cut stand in it; the output channel is the innermost.
    program::Shape output_view;
    std::function<program::Shape(const ipu::ConvSplits&)> output_blocks;
    enum class Order { BatchHeightGroup, HeightBatchGroup, GroupBatchHeight };
    Order order = Order::BatchHeightGroup;
};

/// Exchange in, partials, and where the sum is split, exchange of partials and reduction.
void lower_planned(LoweringContext& context, const ipu::ConvProblem& problem,
                   const PlannedOperands& operands);

/// The grid of `view` in `blocks`, each block cut along its longest dimension in up to `depth` parts.
program::TileMapping reduced_mapping(const program::Shape& view, program::Shape blocks, std::int64_t depth,
                                     std::int64_t tiles);

ipu::ConvTypes conv_types(const graph::TensorType& input, const graph::Attributes& attributes);

} // namespace tilescope::ops
