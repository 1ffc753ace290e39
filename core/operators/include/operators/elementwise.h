// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "graph/attributes.h"
#include "kernels/kernel_table.h"

#include <optional>
#include <string>
#include <vector>

namespace tilescope::operators {

/// The block function of a floating-point elementwise operation: what the single operation and the fused one
/// share.
struct ElementwiseBlock {
    std::optional<kernels::Unary> unary;
    std::optional<kernels::Binary> binary;
    float alpha = 0; ///< parameter of elu and leaky relu
};

/// nullopt for operations that are not floats to floats (comparisons, logic, cast, select).
std::optional<ElementwiseBlock> elementwise_block(const std::string& kind,
                                                  const graph::Attributes& attributes);

/// A function of one number under the names that frameworks have for it, "" where they have none.
struct UnaryFunction {
    std::string name;  ///< of the operator
    std::string keras; ///< of an activation
    std::string onnx;  ///< of an operator without attributes
};
std::vector<UnaryFunction> unary_functions();

} // namespace tilescope::operators
