// SPDX-License-Identifier: GPL-3.0-or-later
#include "product_updates.h"

#include <algorithm>
#include <vector>

namespace tilescope::operators {
namespace {

using graph::Operation;
using graph::ValueId;

/// How often each value is read, also from outside.
std::vector<int> reads_of(const graph::Graph& graph) {
    std::vector<int> reads(graph.values().size(), 0);
    const auto read = [&](ValueId id) { ++reads[static_cast<std::size_t>(id.value)]; };
    for (const Operation& op : graph.operations())
        std::for_each(op.inputs.begin(), op.inputs.end(), read);
    for (const graph::Fetch& fetch : graph.fetches)
        read(fetch.value);
    for (const graph::Variable& variable : graph.variables)
        if (variable.next != graph::no_value)
            read(variable.next);
    return reads;
}

bool is_gradient_by_product(const graph::Graph& graph, const Operation& op) {
    if (op.kind != "matmul" || op.phase == Phase::Update)
        return false;
    const graph::TensorType& a = graph.type(op.inputs[0]);
    const graph::TensorType& b = graph.type(op.inputs[1]);
    return a.shape.size() == 2 && a.elements() + b.elements() < graph.type(op.outputs[0]).elements() &&
           sums_at_once(a.shape, b.shape, op.attributes);
}

} // namespace

std::map<const Operation*, const Operation*> products_of_updates(const graph::Graph& graph) {
    // Halves may be rounded by chance, which follows from an operation's place in the order.
    const auto& values = graph.values();
    if (std::any_of(values.begin(), values.end(),
                    [](const graph::Value& value) { return value.type.dtype == graph::DType::Float16; }))
        return {};
    const std::vector<int> reads = reads_of(graph);
    std::map<const Operation*, const Operation*> products;
    for (const Operation& op : graph.operations()) {
        if (op.kind != "sgd_update" || op.phase != Phase::Update)
            continue;
        const graph::Value& gradient = graph.value(op.inputs.back());
        if (gradient.source != graph::Source::Operation ||
            reads[static_cast<std::size_t>(op.inputs.back().value)] != 1)
            continue;
        const Operation& product = graph.operation(gradient.producer);
        if (is_gradient_by_product(graph, product))
            products.emplace(&op, &product);
    }
    return products;
}

void update_by_product(graph::ComputeContext& product, graph::ComputeContext& update) {
    add_product(product, -descent_rate(update), *update.outputs[0]);
}

} // namespace tilescope::operators
