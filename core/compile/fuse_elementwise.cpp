// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/entry.h"
#include "compile/passes.h"
#include "operators/elementwise.h"
#include "operators/fused_elementwise.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

namespace tilescope::compile {
namespace {

using graph::Operation;
using graph::ValueId;

/// A chain under construction: steps whose arguments are graph values or (negative: -1 - k) earlier steps.
struct Chain {
    struct Step {
        std::string kind;
        std::vector<std::int64_t> arguments;
        double alpha = 0;
    };
    std::vector<Step> steps;
};

std::vector<int> count_uses(const graph::Graph& graph) {
    std::vector<int> uses(graph.values().size(), 0);
    const auto use = [&](ValueId id, int by) {
        if (id != graph::no_value)
            entry(uses, id) += by;
    };
    for (const Operation& op : graph.operations())
        for (const ValueId input : op.inputs)
            use(input, 1);
    for (const graph::Fetch& fetch : graph.fetches)
        use(fetch.value, 2); // must stay visible
    for (const graph::Variable& variable : graph.variables)
        use(variable.next, 2);
    return uses;
}

/// The operation as a chain of one, if it may be fused: floats, operands that repeat as a whole.
std::optional<Chain> chain_of(const graph::Graph& graph, const Operation& op) {
    const auto block = operators::elementwise_block(op.kind, op.attributes);
    if (!block || op.outputs.size() != 1)
        return std::nullopt;
    const graph::TensorType& out = graph.type(op.outputs[0]);
    if (!graph::is_floating(out.dtype))
        return std::nullopt;
    Chain::Step step{op.kind, {}, static_cast<double>(block->alpha)};
    for (const ValueId input : op.inputs) {
        const graph::TensorType& type = graph.type(input);
        const bool trailing = type.shape.size() <= out.shape.size() &&
                              std::equal(type.shape.rbegin(), type.shape.rend(), out.shape.rbegin());
        if (type.dtype != out.dtype || (!trailing && type.elements() != 1))
            return std::nullopt;
        step.arguments.push_back(input.value);
    }
    return Chain{{step}};
}

Operation fused_operation(const Operation& last, const Chain& chain) {
    Operation op = last;
    op.kind = "fused_elementwise";
    op.inputs.clear();
    std::map<std::int64_t, std::int64_t> places; // of the values among the inputs
    for (const Chain::Step& step : chain.steps)
        for (const std::int64_t argument : step.arguments)
            if (argument >= 0 && places.try_emplace(argument, std::ssize(op.inputs)).second)
                op.inputs.emplace_back(static_cast<std::int32_t>(argument));
    std::vector<operators::FusedStep> body;
    const auto inputs = static_cast<std::int64_t>(op.inputs.size());
    for (const Chain::Step& step : chain.steps) {
        operators::FusedStep out{step.kind, {}, step.alpha};
        for (const std::int64_t argument : step.arguments)
            out.arguments.push_back(argument < 0 ? inputs - 1 - argument : places.at(argument));
        body.push_back(std::move(out));
    }
    op.attributes = operators::fused_attributes(body);
    return op;
}

} // namespace

void fuse_elementwise(graph::Graph& graph, const Compilation& c) {
    const std::size_t before = graph.operations().size();
    const std::vector<int> uses = count_uses(graph);
    std::vector<std::optional<Chain>> chains(before);
    std::vector<bool> absorbed(before, false);
    for (std::size_t i = 0; i < before; ++i) {
        if (c.cancelled())
            return;
        const Operation& op = graph.operations()[i];
        chains[i] = chain_of(graph, op);
        if (!chains[i])
            continue;
        Chain joined;
        Chain::Step own = chains[i]->steps[0];
        for (std::int64_t& argument : own.arguments) {
            const graph::Value& value = graph.value(ValueId(static_cast<std::int32_t>(argument)));
            if (value.source != graph::Source::Operation)
                continue;
            const auto p = static_cast<std::size_t>(value.producer.value);
            const Operation& producer = graph.operations()[p];
            const bool same_shape = value.type == graph.type(op.outputs[0]);
            const bool sole_user = uses[static_cast<std::size_t>(argument)] == 1;
            if (!chains[p] || !same_shape || !sole_user || producer.phase != op.phase ||
                producer.placement != op.placement)
                continue;
            // Its steps are needed nowhere else: they move.
            if (const auto offset = static_cast<std::int64_t>(joined.steps.size()); offset == 0)
                joined.steps = std::move(chains[p]->steps);
            else
                for (Chain::Step& step : chains[p]->steps) {
                    for (std::int64_t& a : step.arguments)
                        a = a < 0 ? a - offset : a;
                    joined.steps.push_back(std::move(step));
                }
            absorbed[p] = true;
            argument = -static_cast<std::int64_t>(joined.steps.size()); // the chain's last step
        }
        joined.steps.push_back(std::move(own));
        chains[i] = std::move(joined);
    }
    std::vector<Operation> kept;
    for (std::size_t i = 0; i < before; ++i) {
        if (absorbed[i])
            continue;
        const Operation& op = graph.operations()[i];
        kept.push_back(chains[i] && chains[i]->steps.size() > 1 ? fused_operation(op, *chains[i]) : op);
    }
    graph.set_operations(std::move(kept));
}

} // namespace tilescope::compile
