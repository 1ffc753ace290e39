// SPDX-License-Identifier: GPL-3.0-or-later
#include "families.h"
#include "ipu/elementwise_cycles.h"

/// Remote buffers as both vendor frameworks use them: what streaming memory sends or receives lies in a
/// landing pad, a clone of the tensor on its tiles, and is copied between the two (PopART
/// willow/src/popx/op/exchange/exchangex.cpp; IPU TensorFlow driver/visitors/deferred_visitor.cc).
namespace tilescope::lowering {
namespace {

program::VariableId landing_pad(LoweringContext& context, const program::TileMapping& mapping) {
    const graph::TensorType& type = context.output_type();
    std::vector<std::int32_t> bytes;
    for (const std::int64_t n : mapping.elements_per_tile())
        bytes.push_back(static_cast<std::int32_t>(n * graph::element_bytes(type.dtype)));
    const program::VariableId pad =
        context.temporary("landing pad", graph::to_string(type.dtype), std::move(bytes));
    context.state().program.variable(pad).category = MemoryCategory::MessageBuffers;
    return pad;
}

void copy(LoweringContext& context, const program::TileMapping& mapping,
          std::vector<program::VariableId> uses) {
    const std::int64_t bytes = graph::element_bytes(context.output_type().dtype);
    std::vector<std::int64_t> cycles = mapping.elements_per_tile();
    for (std::int64_t& n : cycles)
        n = ipu::copy_cycles(context.target(), n * bytes, bytes);
    context.execute("Copy", ipu::codelets::copy, cycles, std::move(uses));
}

void lower_remote_load(LoweringContext& context) {
    const graph::Operation& op = context.operation();
    const program::TileMapping mapping =
        op.inputs.size() > 1 ? context.input_mapping(1) : context.linear(context.output_type());
    const Placed home = place_remotely(context.state(), op.inputs[0], mapping);
    const program::VariableId pad = landing_pad(context, mapping);
    context.stream(StepKind::Load, mapping, graph::element_bytes(context.output_type().dtype),
                   {home.variable, pad});
    copy(context, mapping, {pad, context.place_output(0, mapping)});
}

void lower_remote_store(LoweringContext& context) {
    const Placed home = context.input(1);
    const program::VariableId pad = landing_pad(context, home.mapping);
    std::vector<program::VariableId> uses{pad};
    context.bring(0, home.mapping.view(), program::needs_of(home.mapping), uses);
    copy(context, home.mapping, std::move(uses));
    context.stream(StepKind::Store, home.mapping, graph::element_bytes(context.output_type().dtype),
                   {pad, home.variable});
    context.alias_output(0, 1);
}

} // namespace

void add_remote_lowerings(LoweringTable& table) {
    table.set("remote_load", lower_remote_load);
    table.set("remote_store", lower_remote_store);
}

} // namespace tilescope::lowering
