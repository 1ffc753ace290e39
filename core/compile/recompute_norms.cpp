// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/entry.h"
#include "base/text.h"
#include "compile/passes.h"

#include <string>
#include <utility>
#include <vector>

/// Normalised activations are not kept for the backward pass, which reads what they were made of anyway: it
/// makes them once more where it first needs them, as IPU TensorFlow's gradients of norms do (a subtraction
/// and a product more, for one tensor of the size of the activations less).
namespace tilescope::compile {

using graph::Operation;
using graph::ValueId;

Result<std::string> recompute_norms(Compilation& c) {
    graph::Graph& graph = c.graph();
    if (!graph.training)
        return std::string("inference: nothing is kept for a backward pass");
    const std::vector<Operation> operations = graph.operations();
    std::vector<ValueId> again(graph.values().size(), graph::no_value); // by value
    std::vector<Operation> ordered;
    std::int64_t count = 0;
    for (Operation op : operations) {
        if (c.cancelled())
            return cancelled();
        for (ValueId& input : op.inputs) {
            const graph::Value& value = graph.value(input);
            if (op.phase != Phase::Backward || value.source != graph::Source::Operation)
                continue;
            Operation norm = graph.operation(value.producer);
            if (norm.kind != "normalise" || norm.phase == Phase::Backward)
                continue;
            if (entry(again, input) == graph::no_value) {
                norm.phase = Phase::Backward;
                norm.name += "/gradient/normalise";
                const graph::OpId id = graph.add_operation(std::move(norm), {graph.type(input)});
                entry(again, input) = graph.operation(id).outputs[0];
                ordered.push_back(graph.operation(id));
                ++count;
            }
            input = entry(again, input);
        }
        ordered.push_back(std::move(op));
    }
    graph.set_operations(std::move(ordered));
    return counted_text(count, "normalised tensor is", "normalised tensors are") +
           " made again for the backward pass";
}

} // namespace tilescope::compile
