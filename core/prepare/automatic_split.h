// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/cancellation.h"
#include "compile/compiler.h"
#include "prepare/compiling.h"
#include "workload/workload.h"

#include <optional>
#include <vector>

namespace tilescope::prepare {

/// Shares of the whole model's: cycles of a step, and bytes of what a layer holds between operations.
struct LayerCosts {
    std::vector<double> cycles, bytes;
};

/// What decides where a model is cut, however many parts there are.
struct ModelCosts {
    std::vector<graph::Layer> layers;
    LayerCosts of_layers;
    std::vector<double> cuts; ///< before each layer: cycles of the copies to it, a share of the step's
};

/// Compiles the model for one IPU. Errors: those of building and compiling.
Result<ModelCosts> model_costs(const workload::Workload& workload, const graph::OperatorRegistry& registry,
                               const compile::Options& options, const Compiling& compiling,
                               const CancelToken& cancel);

/// Of a workload that asks for a number of shards or stages but says nothing of layers: cuts its layers, in
/// their order, so that the largest share of a shard in the step's cycles, its copies to others included, or
/// in the memory of weights, optimiser state and activations is least. The cut is compiled as `options` say;
/// where it does not fit, others that lean more on the memory which the shards turned out to need are, and
/// the first that fits is taken, or the one nearest to it. Only its passes stay in the folder for dumps.
/// Fills in `workload.shards` and returns the cut as it was compiled; nothing where it runs on the host,
/// where there are no tiles to fit into. Errors: those of building and compiling; BadInput where the model
/// has fewer layers than shards; System where a dump cannot be written.
Result<std::optional<compile::Executable>>
split_automatically(workload::Workload& workload, ModelCosts costs, const graph::OperatorRegistry& registry,
                    compile::Options options, const Compiling& compiling, const CancelToken& cancel);

} // namespace tilescope::prepare
