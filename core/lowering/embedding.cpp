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

void lower_lookup(LoweringContext& context) {
    const graph::TensorType table = context.input_type(0);
    const graph::TensorType out = context.output_type();
    const std::int64_t bytes = graph::element_bytes(table.dtype);
    const std::int64_t ids = context.input_type(1).elements();
    const TableSplit split = split_of(context, table);
    if (!context.placed(0))
        context.place_input(0, split.mapping);
    std::vector<program::VariableId> uses;
    context.bring(0, table.shape, program::needs_of(split.mapping), uses);
    bring_ids(context, 1, split.mapping, uses);
    std::vector<std::int32_t> found(static_cast<std::size_t>(context.tiles()));
    for (const TileNeed& part : program::needs_of(split.mapping))
        found[static_cast<std::size_t>(part.tile)] =
            static_cast<std::int32_t>(ids * (part.box.end[1] - part.box.begin[1]) * bytes);
    const program::VariableId rows = context.temporary("rows found", graph::to_string(table.dtype), found);
    uses.push_back(rows);
    const std::int64_t cycles = ipu::multi_slice_cycles(context.target(), ids, split.column_block);
    context.execute("MultiSlice", ipu::codelets::multi_slice, on_tiles_of(split.mapping, cycles),
                    std::move(uses));

    const TileMapping mapping = context.linear(out);
    const std::vector<std::int64_t> wanted = mapping.elements_per_tile();
    program::Exchange gather;
    gather.sent.assign(found.begin(), found.end());
    std::vector<std::int32_t> received(wanted.size());
    std::vector<std::int64_t> picking(wanted.size());
    for (std::size_t t = 0; t < wanted.size(); ++t) {
        gather.received.push_back(wanted[t] * bytes * split.row_parts);
        received[t] = static_cast<std::int32_t>(gather.received[t]);
        picking[t] = ipu::multi_slice_cycles(context.target(), ceil_div(wanted[t], split.column_block),
                                             split.column_block);
    }
    const program::VariableId output = context.place_output(0, mapping);
    if (split.row_parts == 1) {
        context.exchange_balanced({StepRole::Exchange, "exchange", "rows"}, std::move(gather),
                                  {rows, output});
        return;
    }
    const program::VariableId buffer =
        context.temporary("rows of all parts", graph::to_string(table.dtype), std::move(received));
    context.exchange_balanced({StepRole::Exchange, "exchange", "rows"}, std::move(gather), {rows, buffer});
    context.execute("PickRows", ipu::codelets::multi_slice, picking, {buffer, output});
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
