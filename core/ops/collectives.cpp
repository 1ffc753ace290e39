// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/units.h"
#include "ipu/elementwise_cycles.h"
#include "ops/families.h"
#include "ops/lowering.h"
#include "program/exchange_traffic.h"

#include <algorithm>

/// Sums over replicas and micro-batches. The executor adds up what the update reads of all of them before it
/// computes the update, so that the sum is there already; here it is only scaled.
namespace tilescope::ops {
namespace {

void all_reduce(graph::ComputeContext& c) {
    const auto scale = static_cast<float>(c.attributes.real("scale", 1.0));
    const auto in = c.inputs[0]->floats();
    std::transform(in.begin(), in.end(), c.outputs[0]->floats().begin(),
                   [scale](float value) { return value * scale; });
}

/// Around the ring of the replicas, in two phases: each part of the tensor goes to where it has been added up
/// (reduce-scatter), then its sum goes to all (all-gather).
void lower_all_reduce(LoweringContext& context) {
    const std::int64_t replicas = context.attributes().integer("replicas", 1);
    if (replicas == 1) { // only a sum over micro-batches, which is there
        context.alias_output(0, 0);
        return;
    }
    const std::int64_t bytes = graph::element_bytes(context.output_type().dtype);
    const program::TileMapping mapping = context.input_mapping(0);
    const program::VariableId input = context.input_variable(0);
    const program::VariableId output = context.place_output(0, mapping);
    context.exchange("reduce-scatter", program::ring_phase(mapping, bytes, replicas), {input, output});
    std::vector<std::int64_t> cycles = mapping.elements_per_tile();
    for (std::int64_t& n : cycles)
        n = ipu::scaled_add_cycles(context.target(), bytes, ceil_div(n * (replicas - 1), replicas));
    context.execute("Add", "ScaledAdd", cycles, {input, output});
    context.exchange("all-gather", program::ring_phase(mapping, bytes, replicas), {output});
}

/// y = gradient: the executor adds up the micro-batches. On the device it is added to the accumulator.
void accumulate(graph::ComputeContext& c) {
    const auto in = c.inputs[1]->floats();
    std::copy(in.begin(), in.end(), c.outputs[0]->floats().begin());
}

void lower_accumulate(LoweringContext& context) {
    if (!context.placed(0))
        context.place_input(0, context.input_mapping(1));
    const program::TileMapping mapping = context.input_mapping(0);
    std::vector<program::VariableId> uses{context.input_variable(0)};
    context.bring(1, mapping.view(), program::needs_of(mapping), uses);
    context.alias_output(0, 0);
    std::vector<std::int64_t> cycles = mapping.elements_per_tile();
    for (std::int64_t& n : cycles)
        n = ipu::scaled_add_cycles(context.target(), graph::element_bytes(context.output_type().dtype), n);
    context.execute("Accumulate", "ScaledAdd", cycles, std::move(uses));
}

} // namespace

void add_collective_operators(graph::OperatorRegistry& registry) {
    graph::Operator op;
    op.name = "all_reduce";
    op.summary = "y = `scale` times the sum of x over `replicas` replicas, the same on each.";
    op.infer = of_floats(same_as_first(1));
    op.compute = all_reduce;
    op.lower = lower_all_reduce;
    registry.add(std::move(op));

    graph::Operator sum;
    sum.name = "accumulate";
    sum.summary = "accumulator' = accumulator + gradient, over the micro-batches of a weight update.";
    sum.infer = of_floats(same_as_first(2));
    sum.compute = accumulate;
    sum.lower = lower_accumulate;
    sum.in_place_input = 0;
    registry.add(std::move(sum));
}

} // namespace tilescope::ops
