// SPDX-License-Identifier: GPL-3.0-or-later
#include "lowering/remote.h"

#include "base/entry.h"
#include "families.h"
#include "ipu/elementwise_cycles.h"
#include "program/exchange_traffic.h"

namespace tilescope::lowering {
namespace {

program::VariableId landing_pad(LoweringContext& context, const program::TileMapping& mapping,
                                graph::DType dtype) {
    std::vector<std::int32_t> bytes;
    for (const std::int64_t n : mapping.elements_per_tile())
        bytes.push_back(static_cast<std::int32_t>(n * graph::element_bytes(dtype)));
    const program::VariableId pad = context.temporary("landing pad", dtype, std::move(bytes));
    context.state().program.variable(pad).category = MemoryCategory::MessageBuffers;
    return pad;
}

void copy(LoweringContext& context, const program::TileMapping& mapping, graph::DType dtype,
          std::vector<program::VariableId> uses) {
    const std::int64_t bytes = graph::element_bytes(dtype);
    std::vector<std::int64_t> cycles = mapping.elements_per_tile();
    for (std::int64_t& n : cycles)
        n = ipu::copy_cycles(context.target(), n * bytes, bytes);
    context.execute("Copy", ipu::codelets::copy, cycles, std::move(uses));
}

/// Replicas of which each has a share of what is loaded.
std::int64_t sharers_of(const LoweringContext& context) {
    return context.attributes().integer(context.attributes().has("shares") ? "shares" : "replicas", 1);
}

/// Laid out as it is to be on tiles: whole, unless a share of it is all that a replica has.
Placed place_home(LoweringContext& context, const program::TileMapping& here) {
    const std::int64_t sharers = sharers_of(context);
    return place_remotely(context.state(), context.operation().inputs[0],
                          sharers == 1 ? here : shared_by(sharers, here, context.output_type().dtype));
}

/// To `to`, all of it: from streaming memory, or a share from there and the others from the replicas that
/// have them.
void bring_whole(LoweringContext& context, const Placed& home, const Placed& to) {
    const graph::DType dtype = context.output_type().dtype;
    const std::int64_t replicas = context.attributes().integer("replicas", 1);
    if (replicas == 1)
        return load_remotely(context, home.variable, to, dtype);
    const std::int64_t bytes = graph::element_bytes(dtype);
    std::vector<std::int32_t> of_share;
    for (const std::int64_t n : home.mapping.elements_per_tile())
        of_share.push_back(static_cast<std::int32_t>(n * bytes));
    const program::VariableId share = context.temporary("share", dtype, std::move(of_share));
    load_remotely(context, home.variable, {share, home.mapping}, dtype);
    context.exchange({StepRole::Exchange, "all-gather", {}},
                     program::ring_exchange(RingPhase::AllGather, to.mapping, bytes, replicas),
                     {share, to.variable});
}

void lower_remote_load(LoweringContext& context) {
    const graph::Operation& op = context.operation();
    Placed home;
    if (context.placed(0)) {
        home = entry(context.state().values, op.inputs[0]);
    } else if (op.inputs.size() > 1) {
        home = place_home(context, context.input_mapping(1));
    } else if (context.attributes().has("reader")) {
        context.state().awaited[op.outputs[0].value] = context.sequence();
        return;
    } else {
        home = place_home(context, context.linear(context.output_type()));
    }
    const program::TileMapping here =
        context.attributes().has("reader") ? home.mapping.shared(1, 1) : home.mapping;
    bring_whole(context, home, {context.place_output(0, here), here});
}

void lower_remote_store(LoweringContext& context) {
    const Placed home = context.input(1);
    const graph::DType dtype = context.output_type().dtype;
    const program::VariableId pad = landing_pad(context, home.mapping, dtype);
    std::vector<program::VariableId> uses{pad};
    context.bring(0, home.mapping.view(), program::needs_of(home.mapping), uses);
    copy(context, home.mapping, dtype, std::move(uses));
    context.stream(StepKind::Store, home.mapping, graph::element_bytes(dtype), {pad, home.variable});
    context.alias_output(0, 1);
}

} // namespace

void load_remotely(LoweringContext& context, program::VariableId home, const Placed& to, graph::DType dtype,
                   const std::string& of) {
    const program::VariableId pad = landing_pad(context, to.mapping, dtype);
    context.stream(StepKind::Load, to.mapping, graph::element_bytes(dtype), {home, pad}, of);
    copy(context, to.mapping, dtype, {pad, to.variable});
}

void store_remotely(LoweringContext& context, const Placed& from, program::VariableId home,
                    graph::DType dtype, const std::string& of) {
    const program::VariableId pad = landing_pad(context, from.mapping, dtype);
    copy(context, from.mapping, dtype, {from.variable, pad});
    context.stream(StepKind::Store, from.mapping, graph::element_bytes(dtype), {pad, home}, of);
}

void load_awaited(LoweringState& state, const graph::Operation& reader) {
    for (const graph::ValueId input : reader.inputs) {
        const auto found = state.awaited.find(input.value);
        const Placed placed = entry(state.values, input);
        if (found == state.awaited.end() || placed.variable == program::no_variable)
            continue;
        const graph::Operation& load = state.graph.operation(state.graph.value(input).producer);
        LoweringContext context(state, load, found->second);
        bring_whole(context, place_home(context, placed.mapping), placed);
        state.awaited.erase(found);
    }
}

void add_remote_lowerings(LoweringTable& table) {
    table.set("remote_load", lower_remote_load);
    table.set("remote_store", lower_remote_store);
}

} // namespace tilescope::lowering
