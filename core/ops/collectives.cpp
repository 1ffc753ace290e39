// SPDX-License-Identifier: GPL-3.0-or-later
#include "ipu/elementwise_cycles.h"
#include "ops/families.h"
#include "ops/lowering.h"
#include "program/exchange_traffic.h"

#include <algorithm>

/// Sums over replicas. The executor adds up the micro-batches of all replicas before it computes the
/// operations of the update, so that the value is there already; here it is only scaled.
namespace tilescope::ops {
namespace {

void all_reduce(graph::ComputeContext& c) {
    const auto scale = static_cast<float>(c.attributes.real("scale", 1.0));
    const auto in = c.inputs[0]->floats();
    std::transform(in.begin(), in.end(), c.outputs[0]->floats().begin(),
                   [scale](float value) { return value * scale; });
}

/// Around the ring of the replicas: each sends every part of the tensor but its own twice, once to be added
/// up and once as the sum, and adds what comes by.
void lower_all_reduce(LoweringContext& context) {
    const std::int64_t replicas = context.attributes().integer("replicas", 1);
    const std::int64_t bytes = graph::element_bytes(context.output_type().dtype);
    const program::TileMapping mapping = context.input_mapping(0);
    const program::VariableId input = context.input_variable(0);
    const program::VariableId output = context.place_output(0, mapping);
    context.exchange("all-reduce", program::ring_all_reduce(context.target(), mapping, bytes, replicas),
                     {input, output});
    std::vector<std::int64_t> cycles = mapping.elements_per_tile();
    for (std::int64_t& n : cycles)
        n = ipu::scaled_add_cycles(context.target(), bytes, n);
    context.execute("Add", "ScaledAdd", cycles, {input, output});
}

} // namespace

void add_collective_operators(graph::OperatorRegistry& registry) {
    graph::Operator op;
    op.name = "all_reduce";
    op.summary = "y = `scale` times the sum of x over `replicas` replicas, the same on each.";
    op.infer = same_as_first(1);
    op.compute = all_reduce;
    op.lower = lower_all_reduce;
    registry.add(std::move(op));
}

} // namespace tilescope::ops
