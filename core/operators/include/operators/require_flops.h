// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "graph/operator_registry.h"

namespace tilescope::operators {

/// Stops the program with the name of an operator that neither says its floating-point operations, by
/// `flops` or as an elementwise one, nor is among those that have none.
void require_flops(const graph::OperatorRegistry& registry);

} // namespace tilescope::operators
