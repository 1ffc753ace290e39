// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/units.h"
#include "families.h"
#include "ipu/elementwise_cycles.h"

#include <algorithm>

namespace tilescope::lowering {
namespace {

using program::Shape;
using program::TileMapping;
using program::TileNeed;

/// All of input i on every tile that has a part of `mapping`.
void bring_everywhere(LoweringContext& context, std::size_t i, const TileMapping& mapping,
                      std::vector<program::VariableId>& uses) {
    const Shape shape{context.input_type(i).elements()};
    std::vector<TileNeed> needs;
    const std::vector<std::int64_t> held = mapping.elements_per_tile();
    for (std::size_t t = 0; t < held.size(); ++t)
        if (held[t] > 0 && shape[0] > 0)
            needs.push_back({static_cast<std::int64_t>(t), {{0}, shape}});
    context.bring(i, shape, needs, uses);
}

/// The share of `elements` that falls to each tile where `all` are spread as `held` is: which ones the
/// indices ask for is known only in the run, so they are taken to be spread evenly.
std::vector<std::int64_t> shares(std::vector<std::int64_t> held, std::int64_t all, std::int64_t elements) {
    for (std::int64_t& n : held)
        n = ceil_div(n * elements, std::max<std::int64_t>(all, 1));
    return held;
}

std::vector<std::int32_t> bytes_of(const std::vector<std::int64_t>& elements, std::int64_t bytes) {
    std::vector<std::int32_t> result(elements.size());
    std::transform(elements.begin(), elements.end(), result.begin(),
                   [bytes](std::int64_t n) { return static_cast<std::int32_t>(n * bytes); });
    return result;
}

std::vector<std::int64_t> slice_cycles(const LoweringContext& context, std::vector<std::int64_t> elements,
                                       std::int64_t bytes) {
    for (std::int64_t& n : elements)
        n = ipu::slice_cycles(context.target(), bytes, n);
    return elements;
}

/// PopLibs' multi-slice (lib/popops/DynamicSlice.cpp): the indices go to every tile with a part of x, each
/// slices what it has, and the slices are exchanged to where the output lies.
void lower_gather(LoweringContext& context) {
    const graph::TensorType x = context.input_type(0);
    const graph::TensorType y = context.output_type();
    const std::int64_t bytes = graph::element_bytes(y.dtype);
    const TileMapping source = context.input_mapping(0);
    const std::vector<std::int64_t> held = source.elements_per_tile();
    std::vector<program::VariableId> uses{context.input_variable(0)};
    bring_everywhere(context, 1, source, uses);
    const std::vector<std::int64_t> sliced = shares(held, x.elements(), y.elements());
    const program::VariableId slices = context.temporary("slices", y.dtype, bytes_of(sliced, bytes));
    uses.push_back(slices);
    context.execute("MultiSlice", ipu::codelets::multi_slice, slice_cycles(context, sliced, bytes),
                    std::move(uses));
    const TileMapping mapping = context.linear(y);
    const program::VariableId output = context.place_output(0, mapping);
    program::Exchange exchange;
    const std::vector<std::int32_t> sent = bytes_of(sliced, bytes);
    exchange.sent.assign(sent.begin(), sent.end());
    exchange.received = mapping.elements_per_tile();
    for (std::int64_t& n : exchange.received)
        n *= bytes;
    context.exchange_balanced({StepRole::Exchange, "exchange", "slices"}, std::move(exchange),
                              {slices, output});
}

/// The same for an update: x is copied, the indices go to every tile with a part of it, and each update to
/// the tile that it is for.
void lower_scatter(LoweringContext& context) {
    const graph::TensorType x = context.input_type(0);
    const std::int64_t bytes = graph::element_bytes(x.dtype);
    const TileMapping mapping = context.input_mapping(0);
    const std::vector<std::int64_t> held = mapping.elements_per_tile();
    std::vector<program::VariableId> uses;
    if (context.may_overwrite(0)) {
        context.alias_output(0, 0);
        uses.push_back(context.input_variable(0));
    } else {
        const program::VariableId copy = context.place_output(0, mapping);
        std::vector<std::int64_t> cycles = held;
        for (std::int64_t& n : cycles)
            n = ipu::copy_cycles(context.target(), n * bytes, 8); // in one piece
        context.execute("Copy", ipu::codelets::copy, cycles, {context.input_variable(0), copy});
        uses.push_back(copy);
    }
    bring_everywhere(context, 1, mapping, uses);
    const std::vector<std::int64_t> updated = shares(held, x.elements(), context.input_type(2).elements());
    const std::vector<std::int32_t> received = bytes_of(updated, bytes);
    const program::VariableId updates = context.temporary("updates", x.dtype, received);
    program::Exchange exchange;
    exchange.sent = context.input_mapping(2).elements_per_tile();
    exchange.received.assign(received.begin(), received.end());
    context.exchange_balanced({StepRole::Bring, "exchange", "updates"}, std::move(exchange),
                              {context.input_variable(2), updates});
    uses.push_back(updates);
    context.execute("MultiUpdate", ipu::codelets::multi_update, slice_cycles(context, updated, bytes),
                    std::move(uses));
}

/// Compare-and-swap stages of a bitonic network for rows of n elements: L (L + 1) / 2, L = log2(n) upwards.
std::int64_t bitonic_stages(std::int64_t n) {
    std::int64_t levels = 0;
    while ((std::int64_t{1} << levels) < n)
        ++levels;
    return levels * (levels + 1) / 2;
}

/// Whole rows on tiles, sorted there by a bitonic network as in PopLibs' lib/popops/BitonicTopK.cpp. A stage
/// keeps the larger and the smaller of each pair and selects their indices: an inference from the elementwise
/// vertices that these are.
void lower_top_k(LoweringContext& context) {
    const graph::TensorType x = context.input_type(0);
    const std::int64_t bytes = graph::element_bytes(x.dtype);
    const std::int64_t width = std::max<std::int64_t>(x.shape.back(), 1);
    const std::int64_t k = context.output_type().shape.back();
    const std::int64_t rows = std::max<std::int64_t>(x.elements() / width, 1);
    const std::int64_t block = ceil_div(rows, context.tiles());
    const TileMapping mapping = TileMapping::grid({rows, width}, {block, width}, context.tiles());
    std::vector<program::VariableId> uses;
    context.bring(0, {rows, width}, program::needs_of(mapping), uses);
    for (std::size_t i = 0; i < 2; ++i)
        uses.push_back(context.place_output(i, TileMapping::grid({rows, k}, {block, k}, context.tiles())));
    std::vector<std::int64_t> cycles = mapping.elements_per_tile();
    for (std::int64_t& n : cycles)
        n = bitonic_stages(width) * (ipu::elementwise_cycles(context.target(), "maximum", bytes, true, n) +
                                     ipu::elementwise_cycles(context.target(), "select", 4, true, n));
    context.execute("TopK", ipu::codelets::compare_and_swap, cycles, std::move(uses));
}

} // namespace

void add_indexing_lowerings(LoweringTable& table) {
    for (const char* kind : {"gather", "gather_elements", "gather_nd"})
        table.set(kind, lower_gather);
    for (const char* kind : {"scatter_elements", "scatter_nd"})
        table.set(kind, lower_scatter);
    table.set("top_k", lower_top_k);
}

} // namespace tilescope::lowering
