// SPDX-License-Identifier: GPL-3.0-or-later
#include "operators/interpreter.h"

#include <algorithm>
#include <utility>

namespace tilescope::operators {
namespace {

using graph::HostTensor;

void compute(const graph::Operator& kind, graph::ComputeContext context) {
    kind.compute(context);
    for (HostTensor* output : context.outputs)
        output->round_to_type();
}

} // namespace

std::vector<HostTensor> computed(const graph::Operator& kind, const std::vector<const HostTensor*>& inputs,
                                 const std::vector<graph::TensorType>& types,
                                 const graph::Attributes& attributes, const Machine& machine) {
    std::vector<HostTensor> results(types.begin(), types.end());
    std::vector<HostTensor*> outputs(results.size());
    std::transform(results.begin(), results.end(), outputs.begin(),
                   [](HostTensor& tensor) { return &tensor; });
    compute(kind, {inputs, outputs, attributes, machine.kernels, machine.pool, {}, machine.registry});
    return results;
}

void copy_values(const HostTensor& from, HostTensor& to) {
    switch (from.type().dtype) {
    case graph::DType::Int32:
        std::copy(from.ints().begin(), from.ints().end(), to.ints().begin());
        return;
    case graph::DType::Bool:
        std::copy(from.bools().begin(), from.bools().end(), to.bools().begin());
        return;
    case graph::DType::Float32:
    case graph::DType::Float16:
        std::copy(from.floats().begin(), from.floats().end(), to.floats().begin());
        return;
    }
}

Interpreter::Interpreter(const graph::Graph& graph, const graph::OperatorRegistry& registry,
                         const std::vector<HostTensor>& variables)
    : values_(graph.values().size()) {
    for (const graph::Constant& constant : graph.constants)
        at(constant.value) = constant.tensor;
    for (const graph::Feed& feed : graph.feeds)
        at(feed.value) = HostTensor(graph.type(feed.value));
    for (std::size_t i = 0; i < variables.size(); ++i)
        at(graph.variables[i].value) = variables[i];
    for (const graph::Operation& op : graph.operations()) {
        Call call{&op, &registry.at(op.kind), {}, {}, {}};
        if (call.kind->view) { // the same memory under another shape
            HostTensor tensor = at(op.inputs[0]);
            tensor.reshape(graph.type(op.outputs[0]).shape);
            at(op.outputs[0]) = std::move(tensor);
            continue;
        }
        for (const graph::ValueId input : op.inputs)
            call.inputs.push_back(&at(input));
        for (const graph::ValueId output : op.outputs) {
            at(output) = HostTensor(graph.type(output));
            call.outputs.push_back(&at(output));
        }
        (op.phase == graph::Phase::Update ? update_ : batch_).push_back(std::move(call));
    }
}

void Interpreter::run(std::vector<Call>& calls, const Machine& machine, const graph::RandomState& random) {
    for (Call& call : calls)
        compute(*call.kind, {call.inputs, call.outputs, call.operation->attributes, machine.kernels,
                             machine.pool, random, machine.registry, &call.kept});
}

} // namespace tilescope::operators
