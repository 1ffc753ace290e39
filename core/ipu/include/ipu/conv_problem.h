// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ipu/convolution_cycles.h"

#include <compare>
#include <cstdint>

namespace tilescope::ipu {

/// Which of the three products of training a convolution is. The data gradient reads the weights with their
/// channels exchanged, the weight gradient both operands with the batch as the channels to sum over.
enum class ConvPass { Forward, DataGradient, WeightGradient };

/// Which dimension of a matrix product is to be done in parts, one after another: m, k or n.
enum class SerialDim { None, Rows, Sum, Columns };

/// A convolution as the planner sees it; a matrix product [g, m, k] x [g, k, n] is one with a field and a
/// kernel of one, batch m, input channels k, output channels n and g groups.
struct ConvProblem {
    ConvPass pass = ConvPass::Forward;
    std::int64_t groups = 1;
    std::int64_t batch = 1;
    std::int64_t out_height = 1;
    std::int64_t out_width = 1;
    std::int64_t in_height = 1;
    std::int64_t in_width = 1;
    std::int64_t kernel_height = 1;
    std::int64_t kernel_width = 1;
    std::int64_t stride_height = 1;
    std::int64_t stride_width = 1;
    std::int64_t dilation_height = 1;
    std::int64_t dilation_width = 1;
    /// From one row, or column, of the input to the next, zeros between them, as in a data gradient.
    std::int64_t in_dilation_height = 1;
    std::int64_t in_dilation_width = 1;
    std::int64_t padding_height = 0; ///< rows before the first one of the input
    std::int64_t padding_width = 0;
    bool transposed = false;       ///< the kernel is turned round, as in a data gradient
    std::int64_t in_channels = 1;  ///< per group
    std::int64_t out_channels = 1; ///< per group
    ConvTypes types;
    SerialDim serial_dim = SerialDim::None;
    std::int64_t serial_parts = 1;  ///< of that dimension, which they divide
    double memory_proportion = 0.6; ///< of a tile, for the temporaries of its plan
    bool matrices = false;          ///< a matrix product rather than a convolution
    bool trained = false; ///< of a dense layer in training, whose three products are planned together

    std::int64_t macs() const {
        return groups * batch * out_height * out_width * kernel_height * kernel_width * in_channels *
               out_channels;
    }
    /// Kernel 1 x 1, every position of the input used once: images and rows are one long row.
    bool flat() const {
        return kernel_height == 1 && kernel_width == 1 && in_height == out_height && in_width == out_width;
    }
    auto operator<=>(const ConvProblem&) const = default;
};

/// How the problem is turned before it is cut. Source: PopLibs lib/poplin/ConvPlan.cpp.
struct ConvTransform {
    bool expand_height = false; ///< the kernel's height becomes input channels
    bool expand_width = false;  ///< the kernel's width becomes input channels
    bool flatten = false;       ///< images, rows and columns become one row
    bool swap = false;          ///< of a flat problem: positions and output channels change places
    bool joint = false;         ///< the weights lie as all three products of their layer want them
    auto operator<=>(const ConvTransform&) const = default;
};

/// The problem that is cut over the tiles.
ConvProblem transformed(const ConvProblem& problem, const ConvTransform& transform);

} // namespace tilescope::ipu
