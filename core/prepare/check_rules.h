// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/error.h"
#include "graph/graph.h"
#include "workload/workload.h"

namespace tilescope::prepare {

/// Rules for parts of a model name stages, IPUs and layers that it has. Errors: BadInput.
Result<void> check_rules(const workload::Workload& workload, const graph::Graph& graph);

} // namespace tilescope::prepare
