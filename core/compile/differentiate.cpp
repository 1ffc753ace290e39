// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/try.h"
#include "compile/passes.h"
#include "graph/builder.h"
#include "graph/update.h"
#include "training/differentiation.h"
#include "training/optimisers.h"

#include <algorithm>
#include <vector>

namespace tilescope::compile {

using graph::ValueId;

namespace {

/// Whether a step of a script's own has updated a weight and read it again: the update is of the backward
/// pass then. What it merely assigns is of the forward pass.
bool updated_at_once(const graph::Graph& graph) {
    return std::any_of(graph.variables.begin(), graph.variables.end(), [&](const graph::Variable& variable) {
        if (!variable.trainable || variable.next == graph::no_value)
            return false;
        const graph::Value& next = graph.value(variable.next);
        return next.source == graph::Source::Operation &&
               graph.operation(next.producer).phase == Phase::Backward;
    });
}

} // namespace

Result<std::string> differentiate(Compilation& c) {
    graph::Graph& graph = c.graph();
    if (!graph.training)
        return std::string("inference: nothing to differentiate");
    if (updates_weights(graph) || updated_at_once(graph))
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
