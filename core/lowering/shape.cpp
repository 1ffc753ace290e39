// SPDX-License-Identifier: GPL-3.0-or-later
#include "families.h"
#include "ipu/elementwise_cycles.h"
#include "operators/families.h"

#include <numeric>

namespace tilescope::lowering {
namespace {

using program::TileMapping;

/// Same memory under another shape.
void lower_view(LoweringContext& context) {
    context.alias_output(0, 0);
}

/// How many elements stay side by side: rows that are neither moved nor cut, a part of a row where it begins
/// at a multiple of its length.
std::int64_t elements_side_by_side(const LoweringContext& context, std::size_t number) {
    const program::Shape& out = context.output_type(number).shape;
    const std::string& kind = context.operation().kind;
    const bool moves_blocks = kind == "concatenate" || kind == "slice" || kind == "pad" || kind == "split";
    if (!moves_blocks && kind != "transpose")
        return 1;
    const auto permutation = context.attributes().integers("permutation");
    const auto begin = context.attributes().integers(kind == "pad" ? "before" : "begin");
    std::int64_t sizes = 0; // what all places along a split dimension are multiples of
    for (const std::int64_t size : context.attributes().integers("sizes"))
        sizes = std::gcd(sizes, size);
    std::int64_t common = 0;
    for (std::size_t i = 0; i < context.operation().inputs.size(); ++i) {
        const program::Shape& in = context.input_type(i).shape;
        std::int64_t inner = 1;
        for (std::size_t d = out.size(); d-- > 0;) {
            if (!moves_blocks && permutation[d] != static_cast<std::int64_t>(d))
                break;
            if (in[d] != out[d]) {
                inner *= std::gcd(std::gcd(in[d], out[d]), begin.empty() ? sizes : begin[d]);
                break;
            }
            inner *= out[d];
        }
        common = std::gcd(common, inner);
    }
    return common;
}

/// Output `number` spread evenly; each tile receives its elements and puts them in order (an on-tile copy).
/// Which tile an element comes from is not followed: every byte is taken to cross, an upper bound.
void lower_rearrangement_of(LoweringContext& context, std::size_t number) {
    const graph::TensorType out = context.output_type(number);
    const std::int64_t bytes = graph::element_bytes(out.dtype);
    const TileMapping mapping = context.linear(out);
    const std::vector<std::int64_t> elements = mapping.elements_per_tile();
    const std::int64_t atom = elements_side_by_side(context, number) * bytes;
    program::Exchange exchange;
    exchange.received.resize(elements.size());
    exchange.sent.assign(elements.size(), 0);
    std::vector<std::int64_t> cycles(elements.size());
    for (std::size_t t = 0; t < elements.size(); ++t) {
        exchange.received[t] = elements[t] * bytes;
        cycles[t] = ipu::copy_cycles(context.target(), elements[t] * bytes, atom);
    }
    std::vector<program::VariableId> uses;
    for (std::size_t i = 0; i < context.operation().inputs.size(); ++i) {
        const std::vector<std::int64_t> held = context.input_mapping(i).elements_per_tile();
        std::int64_t all = 0;
        for (std::size_t t = 0; t < held.size(); ++t) {
            const std::int64_t here = held[t] * graph::element_bytes(context.input_type(i).dtype);
            exchange.sent[t] += here;
            all += here;
        }
        uses.push_back(context.input_variable(i));
        exchange.moved.push_back({uses.back(), all});
    }
    uses.push_back(context.place_output(number, mapping));
    context.exchange_balanced({StepRole::Exchange, "exchange", {}}, std::move(exchange), uses);
    context.execute({StepRole::Rearrange, "Rearrange", {}}, ipu::codelets::copy, cycles, {uses.back()});
}

void lower_rearrangement(LoweringContext& context) {
    lower_rearrangement_of(context, 0);
}

/// The parts stay where they are, as slices of Poplar's tensors do, which are views. What comes round to the
/// first tile within a part is rearranged: that is no mapping.
void lower_split(LoweringContext& context) {
    const program::Shape shape = context.input_type(0).shape;
    const auto axis = *operators::normal_axis(context.attributes().integer("axis", -1), shape.size());
    std::int64_t begin = 0;
    for (std::size_t i = 0; i < context.operation().outputs.size(); ++i) {
        const std::int64_t end = begin + context.output_type(i).shape[axis];
        if (auto part = context.input_mapping(0).part(shape, axis, begin, end))
            context.alias_output(i, 0, std::move(*part));
        else
            lower_rearrangement_of(context, i);
        begin = end;
    }
}

} // namespace

void add_shape_lowerings(LoweringTable& table) {
    for (const std::string& kind : table.registry().names())
        if (table.registry().at(kind).view)
            table.set(kind, lower_view);
    table.set("split", lower_split);
    for (const char* kind : {"transpose", "concatenate", "slice", "pad", "broadcast_to", "take"})
        table.set(kind, lower_rearrangement);
}

} // namespace tilescope::lowering
