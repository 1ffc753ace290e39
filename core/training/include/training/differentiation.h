// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/cancellation.h"
#include "base/error.h"
#include "graph/builder.h"

#include <utility>
#include <vector>

namespace tilescope::training {

/// Reverse-mode differentiation: adds backward operations and returns, for each of `with_respect_to`, the
/// gradient of the scalar `loss` (same shape), or no_value where the loss does not depend on it.
/// Backward operations inherit layer and placement from the operation that they differentiate.
/// Errors: BadInput where the loss is not a scalar, or the way to it crosses an operation that has no
/// gradient (its name is the place); Cancelled.
Result<std::vector<graph::ValueId>> differentiate(graph::Builder& build, graph::ValueId loss,
                                                  const std::vector<graph::ValueId>& with_respect_to,
                                                  const CancelToken* cancel = nullptr);

/// The same for any values whose gradients are known, as (value, gradient): the sum over all of them. Values
/// may occur several times.
Result<std::vector<graph::ValueId>>
backpropagate(graph::Builder& build, const std::vector<std::pair<graph::ValueId, graph::ValueId>>& known,
              const std::vector<graph::ValueId>& with_respect_to, const CancelToken* cancel = nullptr);

} // namespace tilescope::training
