// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/units.h"
#include "families.h"
#include "ipu/elementwise_cycles.h"
#include "ipu/embedding_cycles.h"

#include <algorithm>

/// Embeddings as popops::embedding plans them: the table is cut into columns of 8 bytes first, then, where
/// tiles are left, into rows. Every tile looks up all ids in its part; with several parts of rows a second
/// look-up picks the one that had the row.
namespace tilescope::lowering {
namespace {

using program::TileMapping;
using program::TileNeed;

/// How a table [rows, width] lies over the tiles.
struct TableSplit {
    std::int64_t row_block = 1, row_parts = 1, column_block = 1;
    TileMapping mapping;
};

TableSplit split_of(LoweringContext& context, const graph::TensorType& table) {
    TableSplit split;
    const std::int64_t grain = context.target().vector_width(graph::element_bytes(table.dtype));
    const std::int64_t columns =
        std::clamp<std::int64_t>(ceil_div(table.shape[1], grain), 1, context.tiles());
    split.column_block = ceil_div(ceil_div(table.shape[1], grain), columns) * grain;
    const std::int64_t column_parts = ceil_div(table.shape[1], split.column_block);
    split.row_block = ceil_div(table.shape[0], std::max<std::int64_t>(context.tiles() / column_parts, 1));
    split.row_parts = ceil_div(table.shape[0], split.row_block);
    split.mapping = TileMapping::grid(table.shape, {split.row_block, split.column_block}, context.tiles());
    return split;
}

/// All ids on every tile that holds a part of the table.
void bring_ids(LoweringContext& context, std::size_t input, const TileMapping& table,
               std::vector<program::VariableId>& uses) {
    const program::Shape shape{context.input_type(input).elements()};
    std::vector<TileNeed> needs;
    for (const TileNeed& part : program::needs_of(table))
        needs.push_back({part.tile, {{0}, shape}});
    context.bring(input, shape, needs, uses);
}

std::vector<std::int64_t> on_tiles_of(const TileMapping& table, std::int64_t cycles) {
    std::vector<std::int64_t> result = table.elements_per_tile();
    for (std::int64_t& n : result)
        n = n == 0 ? 0 : cycles;
    return result;
}

/// Where looked up rows go: the exchange that brings them from every part of the table, and what each tile of
/// the output then does.
struct Gathering {
    program::Exchange exchange;
    std::vector<std::int32_t> received; ///< bytes, by tile
    std::vector<std::int64_t> picking;  ///< cycles, by tile
};

Gathering gathering_of(const LoweringContext& context, const TableSplit& split,
                       const std::vector<std::int32_t>& found, const std::vector<std::int64_t>& wanted,
                       std::int64_t bytes) {
    Gathering g;
    g.exchange.sent.assign(found.begin(), found.end());
    for (const std::int64_t n : wanted) {
        g.exchange.received.push_back(n * bytes * split.row_parts);
        g.received.push_back(static_cast<std::int32_t>(g.exchange.received.back()));
        g.picking.push_back(
            ipu::multi_slice_cycles(context.target(), ceil_div(n, split.column_block), split.column_block));
    }
    return g;
}

/// Every tile with a part of the table looks up all ids in it. Returns what holds the rows that it finds.
program::VariableId look_up(LoweringContext& context, const TableSplit& split, const program::Shape& table,
                            std::vector<program::VariableId> uses, std::vector<std::int32_t>& found) {
    const graph::DType dtype = context.output_type().dtype;
    const std::int64_t ids = context.input_type(1).elements();
    context.bring(0, table, program::needs_of(split.mapping), uses);
    bring_ids(context, 1, split.mapping, uses);
    found.assign(static_cast<std::size_t>(context.tiles()), 0);
    for (const TileNeed& part : program::needs_of(split.mapping))
        found[static_cast<std::size_t>(part.tile)] = static_cast<std::int32_t>(
            ids * (part.box.end[1] - part.box.begin[1]) * graph::element_bytes(dtype));
    const program::VariableId rows = context.temporary("rows found", dtype, found);
    uses.push_back(rows);
    const std::int64_t cycles = ipu::multi_slice_cycles(context.target(), ids, split.column_block);
    context.execute("MultiSlice", ipu::codelets::multi_slice, on_tiles_of(split.mapping, cycles),
                    std::move(uses));
    return rows;
}

/// The cycles of an elementwise operation on what each tile holds.
std::vector<std::int64_t> elementwise_on(const LoweringContext& context, const TileMapping& mapping,
                                         const std::vector<std::string>& kinds, std::int64_t bytes) {
    std::vector<std::int64_t> cycles = mapping.elements_per_tile();
    for (std::int64_t& n : cycles)
        n = n == 0 ? 0 : ipu::fused_elementwise_cycles(context.target(), kinds, bytes, n);
    return cycles;
}

/// Part after part of the rows: the part is sliced, ids are made those in it, rows of others are multiplied
/// by 0, and what is found is added to the result (IPU TensorFlow,
/// tensorflow/python/ipu/ops/embedding_ops.py, embedding_lookup). Only a part of the table is rearranged at a
/// time.
void lower_serial_lookup(LoweringContext& context) {
    const graph::TensorType table = context.input_type(0);
    const std::int64_t bytes = graph::element_bytes(table.dtype);
    const std::int64_t parts = context.attributes().integer("serialization_factor", 1);
    const TableSplit split = split_of(context, {table.dtype, {table.shape[0] / parts, table.shape[1]}});
    if (!context.placed(0))
        context.place_input(0, split_of(context, table).mapping);
    const TileMapping mapping = context.linear(context.output_type());
    const program::VariableId output = context.place_output(0, mapping);
    std::vector<std::int64_t> zeroing = mapping.elements_per_tile();
    for (std::int64_t& n : zeroing)
        n = ipu::fill_cycles(context.target(), bytes, n);
    context.execute("Zero", ipu::codelets::fill, zeroing, {output});

    context.begin_repeat("serial parts", parts);
    const Placed whole = context.input(0);
    std::vector<std::int64_t> slicing = whole.mapping.elements_per_tile();
    for (std::int64_t& n : slicing)
        n = n == 0 ? 0 : ipu::slice_cycles(context.target(), bytes, ceil_div(n, parts));
    context.execute("DynamicSlice", ipu::codelets::dynamic_slice, slicing, {whole.variable});
    const Placed ids = context.input(1);
    context.execute("IdsInPart", ipu::codelets::fused,
                    elementwise_on(context, ids.mapping, {"subtract", "less", "multiply"}, 4),
                    {ids.variable});
    std::vector<std::int32_t> found;
    program::VariableId rows = look_up(context, split, table.shape, {}, found);
    Gathering gather = gathering_of(context, split, found, mapping.elements_per_tile(), bytes);
    const DType dtype = table.dtype;
    const program::VariableId buffer = context.temporary("rows of all parts", dtype, gather.received);
    context.exchange_balanced({StepRole::Exchange, "exchange", "rows"}, std::move(gather.exchange),
                              {rows, buffer});
    rows = buffer;
    if (split.row_parts > 1) {
        std::vector<std::int32_t> picked;
        for (const std::int64_t n : mapping.elements_per_tile())
            picked.push_back(static_cast<std::int32_t>(n * bytes));
        rows = context.temporary("rows of the part", dtype, std::move(picked));
        context.execute("PickRows", ipu::codelets::multi_slice, gather.picking, {buffer, rows});
    }
    context.execute("AddRows", ipu::codelets::fused,
                    elementwise_on(context, mapping, {"multiply", "add"}, bytes), {rows, output});
    context.end_repeat();
}

void lower_lookup(LoweringContext& context) {
    const graph::TensorType table = context.input_type(0);
    if (context.attributes().integer("serialization_factor", 1) > 1) {
        lower_serial_lookup(context);
        return;
    }
    const std::int64_t bytes = graph::element_bytes(table.dtype);
    const TableSplit split = split_of(context, table);
    if (!context.placed(0))
        context.place_input(0, split.mapping);
    std::vector<std::int32_t> found;
    const program::VariableId rows = look_up(context, split, table.shape, {}, found);

    const TileMapping mapping = context.linear(context.output_type());
    Gathering gather = gathering_of(context, split, found, mapping.elements_per_tile(), bytes);
    const program::VariableId output = context.place_output(0, mapping);
    if (split.row_parts == 1) {
        context.exchange_balanced({StepRole::Exchange, "exchange", "rows"}, std::move(gather.exchange),
                                  {rows, output});
        return;
    }
    const program::VariableId buffer =
        context.temporary("rows of all parts", table.dtype, std::move(gather.received));
    context.exchange_balanced({StepRole::Exchange, "exchange", "rows"}, std::move(gather.exchange),
                              {rows, buffer});
    context.execute("PickRows", ipu::codelets::multi_slice, gather.picking, {buffer, output});
}

void lower_lookup_gradient(LoweringContext& context) {
    const graph::TensorType table = context.output_type();
    const std::int64_t bytes = graph::element_bytes(table.dtype);
    const std::int64_t ids = context.input_type(0).elements();
    const TableSplit split = split_of(context, table);
    const program::VariableId output = context.place_output(0, split.mapping);
    std::vector<std::int64_t> zeroing = split.mapping.elements_per_tile();
    for (std::int64_t& n : zeroing)
        n = ipu::fill_cycles(context.target(), bytes, n);
    context.execute("Zero", ipu::codelets::fill, zeroing, {output});
    std::vector<program::VariableId> uses;
    bring_ids(context, 0, split.mapping, uses);
    const program::Shape rows{ids, table.shape[1]};
    std::vector<TileNeed> needs = program::needs_of(split.mapping);
    for (TileNeed& need : needs)
        need.box = {{0, need.box.begin[1]}, {ids, need.box.end[1]}};
    context.bring(1, rows, needs, uses);
    uses.push_back(output);
    const std::int64_t cycles =
        ipu::multi_update_add_cycles(context.target(), bytes, ids, split.column_block);
    context.execute("MultiUpdateAdd", ipu::codelets::multi_update_add, on_tiles_of(split.mapping, cycles),
                    std::move(uses));
}

} // namespace

void add_embedding_lowerings(LoweringTable& table) {
    table.set("embedding_lookup", lower_lookup);
    table.set("embedding_lookup_gradient", lower_lookup_gradient);
}

} // namespace tilescope::lowering
