// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/units.h"
#include "families.h"
#include "ipu/elementwise_cycles.h"
#include "ipu/reduction_cycles.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace tilescope::lowering {
namespace {

using program::Shape;
using program::TileMapping;
using program::TileNeed;

/// Partial sums on tiles, of all that is reduced side by side, and the variable that holds them.
struct Partials {
    program::VariableId variable;
    std::vector<std::int32_t> bytes; ///< by tile
    std::int64_t count = 0;          ///< of each, over all tiles
};

/// Gathers partials so that each of `shape` = [groups, outputs] values lies on one tile, which adds up its
/// share of them. The last stage makes the operation's outputs, which lie as the first of them.
Partials reduce_stage(LoweringContext& context, const ReductionParts& parts, const Partials& from,
                      const Shape& shape, bool last) {
    const DType dtype = parts.type.dtype;
    const auto sums = static_cast<std::int64_t>(parts.sources.size());
    const std::int64_t bytes = graph::element_bytes(parts.type.dtype) * sums;
    const auto tiles = static_cast<std::size_t>(context.tiles());
    const std::int64_t values = shape[0] * shape[1];
    const std::int64_t fan_in = ceil_div(from.count, values);
    // In between, the values are spread in grains of 8 over all tiles.
    const TileMapping mapping =
        last ? context.linear(context.output_type())
             : TileMapping::linear({values}, context.tiles(), std::min<std::int64_t>(8, values), 1);
    const std::vector<std::int64_t> owned = mapping.elements_per_tile();
    program::Exchange gather;
    gather.sent.assign(from.bytes.begin(), from.bytes.end());
    gather.received.resize(tiles);
    std::vector<std::int32_t> received(tiles);
    std::vector<std::int32_t> made(tiles);
    std::vector<std::int64_t> cycles(tiles, 0);
    for (std::size_t t = 0; t < tiles; ++t) {
        gather.received[t] = owned[t] * fan_in * bytes;
        received[t] = static_cast<std::int32_t>(gather.received[t]);
        made[t] = static_cast<std::int32_t>(owned[t] * bytes);
        cycles[t] = sums * ipu::reduce_cycles(context.target(), bytes / sums, owned[t], fan_in, false);
    }
    const program::VariableId buffer =
        context.temporary(last ? "gathered" : "gathered in between", dtype, received);
    context.exchange_balanced({StepRole::Exchange, "exchange", parts.prefix + "partials"}, std::move(gather),
                              {from.variable, buffer});
    std::vector<program::VariableId> uses{buffer};
    for (std::size_t i = 0; last && i < parts.sources.size(); ++i)
        uses.push_back(context.place_output(i, mapping));
    if (!last)
        uses.push_back(context.temporary("sums in between", dtype, made));
    const program::VariableId output = uses.back();
    context.execute(parts.prefix + (last ? "Reduce" : "ReduceInBetween"), ipu::codelets::reduce, cycles,
                    std::move(uses));
    return {output, made, values};
}

/// Which dimensions of `view`, a shape of the same tensor, are reduced; nothing where one is of dimensions
/// that are and such that are not.
std::optional<std::vector<bool>> reduced_dims(const Shape& shape, const std::vector<bool>& reduced,
                                              const Shape& view) {
    std::vector<bool> result(view.size(), false);
    std::size_t next = 0; // dimension of the shape
    for (std::size_t d = 0; d < view.size(); ++d) {
        std::optional<bool> is;
        for (std::int64_t extent = 1; extent < view[d]; ++next) {
            if (next == shape.size() || (shape[next] > 1 && is.value_or(reduced[next]) != reduced[next]))
                return std::nullopt;
            if (shape[next] > 1)
                is = reduced[next];
            extent *= shape[next];
            if (extent > view[d])
                return std::nullopt;
        }
        result[d] = is.value_or(false);
    }
    return result;
}

/// Of how many outputs each tile holds elements: those of its blocks. Where these do not follow the
/// dimensions, of as many as it can, or, over the last dimension, of as few.
std::vector<std::int64_t> outputs_on_tiles(const LoweringContext& context, const ReductionParts& parts,
                                           std::int64_t outputs) {
    const TileMapping& mapping = parts.sources[0].mapping;
    const Shape& shape = parts.type.shape;
    const std::int64_t depth = parts.type.elements() / outputs;
    std::vector<std::int64_t> result = mapping.elements_per_tile();
    std::vector<bool> reduced(shape.size(), !context.attributes().has("axes"));
    for (const std::int64_t axis : context.attributes().integers("axes"))
        reduced[static_cast<std::size_t>(axis < 0 ? axis + static_cast<std::int64_t>(shape.size()) : axis)] =
            true;
    const auto dims = reduced_dims(shape, reduced, mapping.view());
    std::vector<std::int64_t> kept(result.size(), 0);
    for (std::int64_t p = 0; dims && !mapping.is_linear() && p < mapping.parts(); ++p) {
        const program::Box box = mapping.box_of_part(p);
        std::int64_t of_block = box.elements() > 0 ? 1 : 0;
        for (std::size_t d = 0; d < dims->size(); ++d)
            if (!(*dims)[d])
                of_block *= box.end[d] - box.begin[d];
        kept[static_cast<std::size_t>(mapping.tile_of_part(p))] += of_block;
    }
    for (std::size_t t = 0; t < result.size(); ++t) {
        const std::int64_t held = result[t];
        if (held == 0)
            continue;
        std::int64_t here = held;
        if (kept[t] > 0)
            here = kept[t];
        else if (parts.innermost)
            here = ceil_div(held, std::min(depth, held));
        result[t] = std::min({outputs, held, here});
    }
    return result;
}

/// The reduction operations: their input 0 to their output 0.
void lower_reduce(LoweringContext& context) {
    const auto axes = context.attributes().integers("axes");
    const graph::TensorType in = context.input_type(0);
    const bool innermost =
        std::find(axes.begin(), axes.end(), static_cast<std::int64_t>(in.shape.size()) - 1) != axes.end();
    lower_reduction(context, {in, {context.input(0)}, innermost});
}

/// Whole rows of the last dimension on tiles, as many tiles as there are rows.
TileMapping rows(LoweringContext& context, const Shape& shape) {
    const std::int64_t width = shape.empty() ? 1 : shape.back();
    const std::int64_t count =
        shape.empty() ? 1 : graph::element_count(Shape(shape.begin(), shape.end() - 1));
    return TileMapping::grid({count, width}, {ceil_div(count, context.tiles()), width}, context.tiles());
}

/// Operations on rows (softmax, losses, argmax): the inputs come to the rows' tiles, then one compute set
/// whose cycles are those of its elementwise and reduction parts for each row.
void lower_rows(LoweringContext& context, const ipu::Codelet& codelet,
                const std::vector<std::pair<std::string, bool>>& parts) {
    const graph::TensorType in = context.input_type(0);
    const std::int64_t bytes = graph::element_bytes(in.dtype);
    const std::int64_t width = in.shape.empty() ? 1 : in.shape.back();
    const std::int64_t count = std::max<std::int64_t>(in.elements() / std::max<std::int64_t>(width, 1), 1);
    const TileMapping mapping = rows(context, in.shape);
    std::vector<program::VariableId> uses;
    for (std::size_t i = 0; i < context.operation().inputs.size(); ++i) {
        const graph::TensorType type = context.input_type(i);
        const std::int64_t per_row = std::max<std::int64_t>(type.elements() / count, 1);
        std::vector<TileNeed> needs = program::needs_of(mapping);
        Shape shape = {count, per_row};
        if (type.elements() < count) // one number for all rows
            shape = {1, std::max<std::int64_t>(type.elements(), 1)};
        for (TileNeed& need : needs) {
            if (shape[0] == 1)
                need.box = {{0, 0}, shape};
            else
                need.box = {{need.box.begin[0], 0}, {need.box.end[0], per_row}};
        }
        context.bring(i, shape, needs, uses);
    }
    const graph::TensorType out = context.output_type();
    const std::int64_t out_row = std::max<std::int64_t>(out.elements() / count, 1);
    const std::int64_t block = ceil_div(count, context.tiles());
    uses.push_back(
        context.place_output(0, TileMapping::grid({count, out_row}, {block, out_row}, context.tiles())));
    std::vector<std::int64_t> cycles = mapping.elements_per_tile();
    for (std::int64_t& value : cycles) {
        const std::int64_t n = value;
        value = 0;
        for (const auto& [part, reduces] : parts)
            if (n > 0)
                value += part == "argmax" ? ipu::argmax_cycles(context.target(), n / width, width)
                         : reduces ? ipu::reduce_cycles(context.target(), bytes, n / width, width, true)
                                   : ipu::elementwise_cycles(context.target(), part, bytes, true, n);
    }
    context.execute(codelet.name, codelet, cycles, std::move(uses));
}

LowerFunction by_rows(const ipu::Codelet& codelet, std::vector<std::pair<std::string, bool>> parts) {
    return [&codelet, parts = std::move(parts)](LoweringContext& context) {
        lower_rows(context, codelet, parts);
    };
}

} // namespace

void lower_reduction(LoweringContext& context, const ReductionParts& parts) {
    const graph::TensorType& in = parts.type;
    const graph::TensorType out = context.output_type();
    const auto sums = static_cast<std::int64_t>(parts.sources.size());
    const std::int64_t bytes = graph::element_bytes(in.dtype);
    const std::int64_t outputs = std::max<std::int64_t>(out.elements(), 1);
    const std::vector<std::int64_t> held = parts.sources[0].mapping.elements_per_tile();
    const std::vector<std::int64_t> outputs_on = outputs_on_tiles(context, parts, outputs);

    const auto tiles = static_cast<std::size_t>(context.tiles());
    std::vector<std::int64_t> cycles(tiles, 0);
    std::vector<std::int32_t> partial_bytes(tiles, 0);
    std::int64_t partials = 0;
    for (std::size_t t = 0; t < tiles; ++t) {
        if (held[t] == 0)
            continue;
        const std::int64_t here = outputs_on[t];
        cycles[t] = sums * ipu::reduce_cycles(context.target(), bytes, here, ceil_div(held[t], here),
                                              parts.innermost);
        partial_bytes[t] = static_cast<std::int32_t>(here * bytes * sums);
        partials += here;
    }
    const program::VariableId partial = context.temporary(parts.prefix + "partials", in.dtype, partial_bytes);
    std::vector<program::VariableId> uses{partial};
    for (const Placed& source : parts.sources)
        if (std::find(uses.begin(), uses.end(), source.variable) == uses.end())
            uses.push_back(source.variable);
    context.execute(parts.prefix + "ReduceOnTile", ipu::codelets::reduce, cycles, std::move(uses));
    if (partials <= outputs) { // every output was whole on its tile
        const TileMapping mapping = context.linear(out);
        uses = {partial};
        for (std::size_t i = 0; i < parts.sources.size(); ++i)
            uses.push_back(context.place_output(i, mapping));
        program::Exchange move;
        move.sent.assign(partial_bytes.begin(), partial_bytes.end());
        const auto wanted = mapping.elements_per_tile();
        move.received.resize(tiles);
        std::transform(wanted.begin(), wanted.end(), move.received.begin(),
                       [&](auto n) { return n * bytes * sums; });
        context.exchange_balanced({StepRole::Exchange, "exchange", parts.prefix + "result"}, std::move(move),
                                  std::move(uses));
        return;
    }
    // Where one tile would receive too many partials, tiles in between add up some of them first.
    Partials gathered{partial, partial_bytes, partials};
    while (static_cast<double>(gathered.count) / static_cast<double>(outputs) >
           2 * std::sqrt(static_cast<double>(context.tiles()))) {
        const auto fan_in = static_cast<double>(gathered.count) / static_cast<double>(outputs);
        const auto groups = static_cast<std::int64_t>(std::ceil(std::sqrt(fan_in)));
        gathered = reduce_stage(context, parts, gathered, {groups, outputs}, false);
    }
    reduce_stage(context, parts, gathered, {1, outputs}, true);
}

void add_reduction_lowerings(LoweringTable& table) {
    for (const char* kind : {"reduce_sum", "reduce_mean", "reduce_max", "reduce_min", "reduce_prod"})
        table.set(kind, lower_reduce);
    table.set("argmax", by_rows(ipu::codelets::arg_max, {{"argmax", true}}));
    // PopLibs lib/popnn/NonLinearity.cpp: max, subtract, exp, sum, reciprocal, multiply.
    table.set(
        "softmax",
        by_rows(ipu::codelets::softmax,
                {{"max", true}, {"subtract", false}, {"exp", false}, {"sum", true}, {"multiply", false}}));
    table.set(
        "log_softmax",
        by_rows(ipu::codelets::log_softmax,
                {{"max", true}, {"subtract", false}, {"exp", false}, {"sum", true}, {"subtract", false}}));
    // Product, sum, subtract, multiply.
    table.set("softmax_gradient",
              by_rows(ipu::codelets::softmax_gradient,
                      {{"multiply", false}, {"sum", true}, {"subtract", false}, {"multiply", false}}));
    table.set("log_softmax_gradient",
              by_rows(ipu::codelets::log_softmax_gradient,
                      {{"sum", true}, {"exp", false}, {"multiply", false}, {"subtract", false}}));
    // From logits: the softmax, then the transform; from probabilities: clip, log, multiply, sum.
    for (const char* kind : {"categorical_crossentropy", "sparse_categorical_crossentropy"}) {
        table.set(kind, by_rows(ipu::codelets::cross_entropy, {{"max", true},
                                                               {"exp", false},
                                                               {"sum", true},
                                                               {"log", false},
                                                               {"multiply", false},
                                                               {"sum", true}}));
        table.set(
            std::string(kind) + "_gradient",
            by_rows(
                ipu::codelets::cross_entropy_gradient,
                {{"max", true}, {"exp", false}, {"sum", true}, {"subtract", false}, {"multiply", false}}));
    }
}

} // namespace tilescope::lowering
