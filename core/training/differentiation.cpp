// SPDX-License-Identifier: GPL-3.0-or-later
#include "training/differentiation.h"

#include "base/entry.h"
#include "base/try.h"

#include <utility>

namespace tilescope::training {

using graph::Builder;
using graph::GradientContext;
using graph::Graph;
using graph::HostTensor;
using graph::no_value;
using graph::Operation;
using graph::Operator;
using graph::OpId;
using graph::ValueId;
namespace {

/// For each value, whether it depends on one of `sources` through floating-point operations.
std::vector<bool> depends_on(const Graph& graph, const std::vector<ValueId>& sources) {
    std::vector<bool> result(graph.values().size(), false);
    for (const ValueId id : sources)
        entry(result, id) = true;
    for (const Operation& op : graph.operations()) {
        bool any = false;
        for (const ValueId input : op.inputs)
            any = any || entry(result, input);
        for (const ValueId output : op.outputs)
            if (any && is_floating(graph.type(output).dtype))
                entry(result, output) = true;
    }
    return result;
}

} // namespace

Result<std::vector<ValueId>> differentiate(Builder& build, ValueId loss,
                                           const std::vector<ValueId>& with_respect_to,
                                           const CancelToken* cancel) {
    const Graph& graph = build.graph();
    if (graph.type(loss).elements() != 1)
        return bad_input("a loss of shape " + graph::to_string(graph.type(loss).shape) +
                             " cannot be differentiated",
                         graph.value(loss).name, "reduce it to one number first");
    const Builder::Scope saved = build.scope;
    build.scope = {};
    HostTensor one(graph.type(loss));
    one.set(0, 1.0);
    const ValueId gradient = build.constant("gradient_of_loss", std::move(one));
    build.scope = saved;
    return backpropagate(build, {{loss, gradient}}, with_respect_to, cancel);
}

Result<std::vector<ValueId>> backpropagate(Builder& build,
                                           const std::vector<std::pair<ValueId, ValueId>>& known,
                                           const std::vector<ValueId>& with_respect_to,
                                           const CancelToken* cancel) {
    Graph& graph = build.graph();
    const std::vector<bool> needed = depends_on(graph, with_respect_to);
    const std::size_t forward_operations = graph.operations().size();
    std::vector<ValueId> gradients(graph.values().size(), no_value);
    const Builder::Scope saved = build.scope;
    build.scope = {};
    build.scope.phase = Phase::Backward;
    const auto accumulate = [&](ValueId of, ValueId gradient) -> Result<void> {
        ValueId& sum = entry(gradients, of);
        TRY(sum, sum == no_value ? gradient : build.emit("add", {sum, gradient}, {}, "accumulate"));
        return {};
    };
    for (const auto& [value, gradient] : known)
        TRY(accumulate(value, gradient));

    const auto inner = [](Builder& b, const auto& gradients_known, const auto& sources) {
        return backpropagate(b, gradients_known, sources);
    };
    for (std::size_t i = forward_operations; i-- > 0;) {
        if (is_cancelled(cancel)) {
            build.scope = saved;
            return cancelled();
        }
        const Operation op = graph.operation(OpId(static_cast<std::int32_t>(i)));
        GradientContext context{build, op, {}, {}, inner};
        bool reached = false;
        for (const ValueId output : op.outputs) {
            const ValueId gradient = entry(gradients, output);
            const bool wanted = entry(needed, output) && gradient != no_value;
            context.output_gradients.push_back(wanted ? gradient : no_value);
            reached = reached || wanted;
        }
        if (!reached)
            continue;
        for (const ValueId input : op.inputs)
            context.wanted.push_back(entry(needed, input));
        const Operator& kind = build.registry().at(op.kind);
        if (!kind.gradient) {
            build.scope = saved;
            return bad_input("operation \"" + op.kind + "\" has no gradient", op.name,
                             "keep it off the way from the weights to the loss");
        }
        build.scope.layer = op.layer;
        build.scope.placement = op.placement;
        build.scope.prefix = op.name + "/gradient/";
        const auto input_gradients = kind.gradient(context);
        if (!input_gradients) {
            build.scope = saved;
            return Failure(input_gradients.error());
        }
        for (std::size_t k = 0; k < input_gradients->size(); ++k)
            if ((*input_gradients)[k] != no_value && context.wanted[k])
                TRY(accumulate(op.inputs[k], (*input_gradients)[k]));
    }
    build.scope = saved;

    std::vector<ValueId> result;
    result.reserve(with_respect_to.size());
    for (const ValueId id : with_respect_to)
        result.push_back(entry(gradients, id));
    return result;
}

} // namespace tilescope::training
