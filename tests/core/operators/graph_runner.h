// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/worker_pool.h"
#include "graph/builder.h"
#include "kernels/kernel_table.h"
#include "operators/operators.h"

#include <cmath>
#include <cstdlib>
#include <vector>

namespace tilescope::test {

using graph::HostTensor;
using graph::Shape;
using graph::ValueId;

inline const graph::OperatorRegistry& registry() {
    static const graph::OperatorRegistry all = operators::standard_operators();
    return all;
}

/// Something that no operation would leave: all that it does not write is seen.
inline HostTensor unwritten(const graph::TensorType& type) {
    HostTensor tensor(type);
    for (std::int64_t i = 0; i < tensor.elements(); ++i)
        tensor.set(i, graph::is_floating(type.dtype) ? std::nan("") : -77);
    return tensor;
}

/// Computes every value of a graph, one operation after another, given its feeds.
inline std::vector<HostTensor> run(const graph::Graph& graph, const std::vector<HostTensor>& feeds,
                                   const kernels::KernelTable& kernels = kernels::best_kernels(),
                                   std::size_t threads = 2, graph::RandomState random = {5, 3, 0, true}) {
    std::vector<HostTensor> values(graph.values().size());
    const auto at = [&](ValueId id) -> HostTensor& { return values[static_cast<std::size_t>(id.value)]; };
    for (std::size_t i = 0; i < feeds.size(); ++i)
        at(graph.feeds[i].value) = feeds[i];
    for (const auto& constant : graph.constants)
        at(constant.value) = constant.tensor;
    for (const auto& variable : graph.variables)
        at(variable.value) = variable.initial.make();
    WorkerPool pool(threads);
    for (const auto& op : graph.operations()) {
        std::vector<const HostTensor*> inputs;
        std::vector<HostTensor*> outputs;
        for (const ValueId id : op.outputs)
            at(id) = unwritten(graph.type(id));
        for (const ValueId id : op.inputs)
            inputs.push_back(&at(id));
        for (const ValueId id : op.outputs)
            outputs.push_back(&at(id));
        graph::ComputeContext context{inputs, outputs, op.attributes, kernels, pool, random, registry()};
        registry().at(op.kind).compute(context);
        for (HostTensor* output : outputs)
            output->round_to_type();
    }
    return values;
}

/// One operation on the given inputs; its first output.
inline HostTensor apply(const std::string& kind, const std::vector<HostTensor>& inputs,
                        graph::Attributes attributes = {},
                        const kernels::KernelTable& kernels = kernels::best_kernels(),
                        std::size_t threads = 2) {
    graph::Graph graph;
    graph::Builder build(graph, registry());
    std::vector<ValueId> feeds;
    for (std::size_t i = 0; i < inputs.size(); ++i)
        feeds.push_back(build.feed(std::string("x").append(std::to_string(i)), inputs[i].type()).value());
    const ValueId y = build.emit(kind, feeds, std::move(attributes)).value();
    return run(graph, inputs, kernels, threads)[static_cast<std::size_t>(y.value)];
}

inline HostTensor floats(Shape shape, std::vector<float> values) {
    return HostTensor::of_floats(std::move(shape), values);
}

} // namespace tilescope::test
