// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/error.h"
#include "graph/builder.h"

#include <vector>

namespace tilescope::training {

/// Clips what an update takes, as Keras' optimisers do before they apply it: each number (`clipvalue`), each
/// gradient by its norm (`clipnorm`), all by the norm of them together (`global_clipnorm`), in this order.
/// `gradients`: of each trainable variable, no_value where there is none; they become the clipped ones.
/// `label`: how what is added is named.
Result<void> clip_gradients(graph::Builder& build, const graph::OptimiserSpec& optimiser,
                            const std::string& label, std::vector<graph::ValueId>& gradients);

} // namespace tilescope::training
