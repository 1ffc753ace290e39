// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/try.h"
#include "compile/passes.h"
#include "graph/builder.h"
#include "graph/update.h"
#include "training/differentiation.h"
#include "training/optimisers.h"

#include <vector>

namespace tilescope::compile {

using graph::ValueId;

Result<std::string> differentiate(Compilation& c) {
    graph::Graph& graph = c.graph();
    if (!graph.training)
        return std::string("inference: nothing to differentiate");
    if (has_update(graph))
        return std::string("the graph has its gradients and its update");
    const std::size_t before = graph.operations().size();
    std::vector<ValueId> trainable;
    for (const graph::Variable& variable : graph.variables)
        if (variable.trainable)
            trainable.push_back(variable.value);
    graph::Builder build(graph, c.registry);
    ValueId loss = graph.training->loss;
    if (const double scale = graph.training->optimiser.loss_scale; scale != 1) {
        TRY(loss,
            build.emit("multiply", {loss, build.scalar(scale, graph.type(loss).dtype)}, {}, "loss/scaled"));
    }
    TRY(const auto gradients, training::differentiate(build, loss, trainable, c.cancel));
    TRY(training::add_optimiser(build, graph.training->optimiser, gradients, c.cancel));
    return change(before, graph.operations().size(), "operations");
}

} // namespace tilescope::compile
