// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/entry.h"
#include "base/text.h"
#include "compile/passes.h"

#include <set>
#include <string>
#include <utility>
#include <vector>

/// Normalised activations are not kept for the backward pass of their layer where that reads what they were
/// made of anyway: it makes them once more where it first needs them, as IPU TensorFlow's gradients of norms
/// do (a subtraction and a product more, for one tensor of the size of the activations less). A view of them,
/// as in a group norm, is kept.
namespace tilescope::compile {

using graph::Operation;
using graph::ValueId;

namespace {

using Readers =
    std::set<std::pair<std::int32_t, std::int32_t>>; ///< values, and layers whose backward pass reads them

Readers backward_readers(const graph::Graph& graph) {
    Readers readers;
    for (const Operation& op : graph.operations())
        if (op.phase == Phase::Backward)
            for (const ValueId input : op.inputs)
                readers.emplace(input.value, op.layer.value);
    return readers;
}

/// The norm whose result is made again for this reader; nullptr: it reads something else, or what is kept.
const Operation* made_again_for(const Operation& reader, ValueId input, const graph::Graph& graph,
                                const Readers& readers) {
    const Operation* const norm = forward_producer(graph, input);
    if (reader.phase != Phase::Backward || norm == nullptr || norm->kind != "normalise")
        return nullptr;
    const bool own = norm->layer == reader.layer && norm->placement == reader.placement;
    return own && readers.contains({norm->inputs[0].value, reader.layer.value}) ? norm : nullptr;
}

} // namespace

Result<std::string> recompute_norms(Compilation& c) {
    graph::Graph& graph = c.graph();
    if (!graph.training)
        return std::string("inference: nothing is kept for a backward pass");
    const std::vector<Operation> operations = graph.operations();
    const Readers readers = backward_readers(graph);
    std::vector<ValueId> again(graph.values().size(), graph::no_value); // by value
    std::vector<Operation> ordered;
    std::int64_t count = 0;
    for (Operation op : operations) {
        if (c.cancelled())
            return cancelled();
        for (ValueId& input : op.inputs) {
            const Operation* const norm = made_again_for(op, input, graph, readers);
            if (norm == nullptr)
                continue;
            if (entry(again, input) == graph::no_value) {
                Operation made = *norm;
                made.phase = Phase::Backward;
                made.name += "/gradient/normalise";
                const graph::OpId id = graph.add_operation(std::move(made), {graph.type(input)});
                entry(again, input) = graph.operation(id).outputs[0];
                ordered.push_back(graph.operation(id));
                ++count;
            }
            input = entry(again, input);
        }
        ordered.push_back(std::move(op));
    }
    graph.set_operations(std::move(ordered));
    if (count == 0)
        return std::string("no normalised tensor is made again");
    return counted_text(count, "normalised tensor is", "normalised tensors are") +
           " made again for the backward pass";
}

} // namespace tilescope::compile
