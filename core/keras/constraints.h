// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "keras/layers.h"

#include <optional>
#include <string>

namespace tilescope::keras {

/// The constraint of a layer's setting ("kernel_constraint") for a weight of this shape; none where it is
/// absent. Errors: NotSupported for one that is not there (the nearest that is), BadInput where it does not
/// fit the weight.
Result<std::optional<graph::Constraint>> constraint_of(const KerasLayer& layer, const std::string& key,
                                                       const graph::Shape& shape);

} // namespace tilescope::keras
