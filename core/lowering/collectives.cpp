// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/units.h"
#include "families.h"
#include "ipu/elementwise_cycles.h"
#include "program/exchange_traffic.h"

namespace tilescope::lowering {
namespace {

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
    context.exchange("reduce-scatter",
                     program::ring_exchange(RingPhase::ReduceScatter, mapping, bytes, replicas),
                     {input, output});
    std::vector<std::int64_t> cycles = mapping.elements_per_tile();
    for (std::int64_t& n : cycles)
        n = ipu::scaled_add_cycles(context.target(), bytes, ceil_div(n * (replicas - 1), replicas));
    context.execute("Add", ipu::codelets::scaled_add, cycles, {input, output});
    context.exchange("all-gather", program::ring_exchange(RingPhase::AllGather, mapping, bytes, replicas),
                     {output});
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
    context.execute("Accumulate", ipu::codelets::scaled_add, cycles, std::move(uses));
}

} // namespace

void add_collective_lowerings(LoweringTable& table) {
    table.set("all_reduce", lower_all_reduce);
    table.set("accumulate", lower_accumulate);
}

} // namespace tilescope::lowering
