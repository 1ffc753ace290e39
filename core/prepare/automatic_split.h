// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/cancellation.h"
#include "compile/compiler.h"
#include "workload/workload.h"

namespace tilescope::prepare {

/// Where a workload asks for a number of shards or stages but says nothing of layers: compiles the model for
/// one IPU and cuts its layers, in their order, so that the largest share of a shard in the step's cycles,
/// its copies to others included, or in the memory of weights, optimiser state and activations is least.
/// Fills in `workload.shards`. Errors: those of building and compiling; BadInput where the model has fewer
/// layers than shards.
Result<void> split_automatically(workload::Workload& workload, const graph::OperatorRegistry& registry,
                                 compile::Options options, const CancelToken& cancel);

} // namespace tilescope::prepare
