// SPDX-License-Identifier: GPL-3.0-or-later
#include "lowering/remote.h"

#include "base/entry.h"
#include "families.h"
#include "ipu/elementwise_cycles.h"

namespace tilescope::lowering {
namespace {

program::VariableId landing_pad(LoweringContext& context, const program::TileMapping& mapping,
                                graph::DType dtype) {
    std::vector<std::int32_t> bytes;
    for (const std::int64_t n : mapping.elements_per_tile())
        bytes.push_back(static_cast<std::int32_t>(n * graph::element_bytes(dtype)));
    const program::VariableId pad =
        context.temporary("landing pad", graph::to_string(dtype), std::move(bytes));
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

void lower_remote_load(LoweringContext& context) {
    const graph::Operation& op = context.operation();
    Placed home;
    if (context.placed(0)) {
        home = entry(context.state().values, op.inputs[0]);
    } else if (op.inputs.size() > 1) {
        home = place_remotely(context.state(), op.inputs[0], context.input_mapping(1));
    } else if (context.attributes().has("reader")) {
        context.state().awaited[op.outputs[0].value] = context.sequence();
        return;
    } else {
        home = place_remotely(context.state(), op.inputs[0], context.linear(context.output_type()));
    }
    load_remotely(context, home.variable, {context.place_output(0, home.mapping), home.mapping},
                  context.output_type().dtype);
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
        const Placed home = place_remotely(state, load.inputs[0], placed.mapping);
        load_remotely(context, home.variable, placed, context.output_type().dtype);
        state.awaited.erase(found);
    }
}

void add_remote_lowerings(LoweringTable& table) {
    table.set("remote_load", lower_remote_load);
    table.set("remote_store", lower_remote_store);
}

} // namespace tilescope::lowering
