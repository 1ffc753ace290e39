// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "graph/operator_registry.h"

namespace tilescope::operators {

/// All operations there are. A program makes this once and passes it on.
graph::OperatorRegistry standard_operators();

} // namespace tilescope::operators
