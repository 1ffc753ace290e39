// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "onnx/file.h"

namespace tilescope::onnx {

/// Whether an initialiser of so many elements, as input `input` of this node, is a weight that training
/// moves. A file does not say so: frameworks write parameters, buffers and plain numbers alike as
/// initialisers. The use does: what layers learn (kernels, biases, scales and shifts of normalisations,
/// slopes, tables) is a weight, whatever its size; what sets an operator up (bounds, exponents, divisors,
/// subtrahends, running statistics, first states, weights of classes) is a constant; elsewhere one number
/// (epsilon, 0.5, the square root of 2) is a constant, and a tensor of several, such as what is added as a
/// bias or multiplied by as a scale, a weight.
bool is_weight(const OnnxNode& node, std::size_t input, std::int64_t elements);

} // namespace tilescope::onnx
