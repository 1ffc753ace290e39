// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/error.h"
#include "graph/builder.h"

#include <string>
#include <vector>

namespace tilescope::training {

/// Names as Keras has them: max_norm, min_max_norm, non_neg, radial_constraint, unit_norm.
std::vector<std::string> constraint_names();

/// Errors: NotSupported for a constraint that is not there, BadInput for axes that a tensor of this shape has
/// not, and for a radial one of what is no square kernel [h, w, in, out].
Result<void> check_constraint(const graph::Constraint& constraint, const graph::Shape& shape);

/// w as the constraint wants it, by Keras' formulas (keras/constraints.py) with its epsilon of 1e-7. It must
/// have been checked. Settings and defaults: max_norm max_value 2; min_max_norm min_value 0, max_value 1,
/// rate 1; of both and unit_norm the axes 0 over which a norm is taken.
Result<graph::ValueId> constrained(graph::Builder& build, const graph::Constraint& constraint,
                                   graph::ValueId w, const std::string& name);

} // namespace tilescope::training
