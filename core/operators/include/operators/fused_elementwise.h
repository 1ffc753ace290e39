// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "graph/attributes.h"

#include <string>
#include <vector>

namespace tilescope::operators {

/// One operation in the body of a fused_elementwise operation. Arguments 0 … inputs - 1 are the fused
/// operation's inputs, larger ones earlier results; the last result is the output.
struct FusedStep {
    std::string kind;
    std::vector<std::int64_t> arguments;
    double alpha = 0; ///< parameter of elu and leaky relu
};

/// The attributes that hold a body: "kinds", "arguments" (two for each step, -1: none), "alphas".
graph::Attributes fused_attributes(const std::vector<FusedStep>& body);
std::vector<FusedStep> fused_body(const graph::Attributes& attributes);
std::vector<std::string> fused_kinds(const graph::Attributes& attributes);

} // namespace tilescope::operators
