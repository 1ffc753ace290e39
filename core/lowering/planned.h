// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "lowering/context.h"

#include <cstdint>
#include <string>
#include <vector>

/// The common way of lowering convolutions and matrix products under a plan.
namespace tilescope::lowering {

/// What a dimension of a tensor is in the planned convolution.
enum class ConvDim { Group, Batch, Height, Width, InputRow, InputColumn, KernelHeight, KernelWidth, In, Out };

/// A tensor in the view in which each dimension is one of the convolution's.
struct PlannedTensor {
    program::Shape view;
    std::vector<ConvDim> dims;
};

struct PlannedConvolution {
    ipu::ConvProblem problem;
    std::size_t input_index = 0;   ///< number of the operation's input that plays the activations
    std::size_t weights_index = 1; ///< and the weights
    PlannedTensor input, weights, output;
    /// What the output is spread to afterwards, zeros between its positions; empty: it stays as it is.
    PlannedTensor dilated = {};
};

/// Gives a kind of operation its lowering as a planned convolution, which follows from types and attributes:
/// rearrangement, exchange in, partials, and where the sum is split, exchange of partials and reduction.
/// Operands that nobody has placed yet lie where the plan wants them; the result lies where it is made.
void set_planned(LoweringTable& table, const std::string& kind,
                 PlannedConvolution (*of)(const LoweringContext& context));

} // namespace tilescope::lowering
