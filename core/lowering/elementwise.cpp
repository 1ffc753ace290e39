// SPDX-License-Identifier: GPL-3.0-or-later
#include "families.h"
#include "ipu/elementwise_cycles.h"
#include "operators/fused_elementwise.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <optional>

namespace tilescope::lowering {
namespace {

namespace codelets = ipu::codelets;
using program::Box;
using program::Shape;
using program::TileMapping;
using program::TileNeed;

/// The largest operand with the output's shape decides where the work is done; without one it is spread
/// evenly.
TileMapping choose_mapping(LoweringContext& context) {
    const graph::TensorType& out = context.output_type();
    for (std::size_t i = 0; i < context.operation().inputs.size(); ++i)
        if (context.placed(i) && context.input_type(i).shape == out.shape)
            return context.input_mapping(i);
    return context.linear(out);
}

/// The shape of the operand that has a dimension for each of `view`, a shape of the full tensor: as long as
/// that, or 1. Nothing where the operand repeats along a part of one of them.
std::optional<Shape> grouped(const Shape& operand, const Shape& full, const Shape& view) {
    Shape result;
    const std::size_t skip = full.size() - operand.size();
    std::size_t next = 0; // dimension of the full shape
    for (const std::int64_t wanted : view) {
        std::int64_t extent = 1;
        std::int64_t own = 1;
        for (; extent < wanted && next < full.size(); ++next) {
            extent *= full[next];
            own *= next < skip ? 1 : operand[next - skip];
        }
        if (extent != wanted || (own != 1 && own != extent))
            return std::nullopt;
        result.push_back(own);
    }
    return result;
}

/// Of a run of the flat form: an operand of trailing dimensions repeats every so many elements.
void repeating_box(const Shape& operand, const Shape& full, const Box& run, Box& box) {
    const std::int64_t period = graph::element_count(operand);
    if (operand.size() == 1 && period == full.back() && run.end[0] - run.begin[0] < period &&
        run.begin[0] % period < (run.end[0] - 1) % period + 1) {
        box.begin[0] = run.begin[0] % period;
        box.end[0] = (run.end[0] - 1) % period + 1;
    }
}

/// Brings every input to where `mapping` does the work.
std::vector<program::VariableId> bring_inputs(LoweringContext& context, const TileMapping& mapping) {
    std::vector<program::VariableId> uses;
    const Shape& full = context.output_type().shape;
    const std::vector<TileNeed> whole = program::needs_of(mapping);
    for (std::size_t i = 0; i < context.operation().inputs.size(); ++i) {
        const Shape& shape = context.input_type(i).shape;
        if (shape == full) {
            if (!context.placed(i))
                context.place_input(i, mapping);
            if (context.input_mapping(i) == mapping)
                uses.push_back(context.input_variable(i));
            else
                context.bring(i, mapping.view(), whole, uses);
            continue;
        }
        const BroadcastNeeds needs = broadcast_needs(shape, full, mapping);
        context.bring(i, needs.shape, needs.needs, uses);
    }
    return uses;
}

std::vector<std::int64_t> cycles_by_tile(const TileMapping& mapping,
                                         const std::function<std::int64_t(std::int64_t)>& cycles) {
    std::vector<std::int64_t> result = mapping.elements_per_tile();
    for (std::int64_t& value : result)
        value = cycles(value);
    return result;
}

void lower_elementwise(LoweringContext& context, bool gradient) {
    const std::string kind = context.operation().kind;
    const bool binary = context.operation().inputs.size() > 1;
    const std::int64_t bytes = graph::element_bytes(context.input_type(0).dtype);
    const ipu::Codelet& codelet = !ipu::elementwise_parts(kind).empty() ? codelets::fused
                                  : gradient                            ? codelets::non_linearity_gradient
                                  : binary                              ? codelets::binary_op
                                                                        : codelets::unary_op;
    lower_elementwise_set(
        context, codelet,
        [&](std::int64_t n) { return ipu::elementwise_cycles(context.target(), kind, bytes, binary, n); },
        kind + "," + graph::to_string(context.input_type(0).dtype));
}

void lower_fused(LoweringContext& context) {
    const std::vector<std::string> kinds = operators::fused_kinds(context.attributes());
    const std::int64_t bytes = graph::element_bytes(context.output_type().dtype);
    std::string types;
    for (const std::string& kind : kinds)
        types += (types.empty() ? "" : ",") + kind;
    lower_elementwise_set(
        context, codelets::fused,
        [&](std::int64_t n) { return ipu::fused_elementwise_cycles(context.target(), kinds, bytes, n); },
        types);
}

void lower_cast(LoweringContext& context) {
    const std::int64_t from = graph::element_bytes(context.input_type(0).dtype);
    const std::int64_t to = graph::element_bytes(context.output_type().dtype);
    const bool byte_to_half = context.input_type(0).dtype == graph::DType::UInt8 && to == 2;
    lower_elementwise_set(context, codelets::cast, [&](std::int64_t n) {
        return byte_to_half ? ipu::byte_to_half_cycles(context.target(), n)
                            : ipu::cast_cycles(context.target(), from, to, n);
    });
}

void lower_dropout(LoweringContext& context) {
    const std::int64_t bytes = graph::element_bytes(context.output_type().dtype);
    lower_elementwise_set(context, codelets::dropout,
                          [&](std::int64_t n) { return ipu::dropout_cycles(context.target(), bytes, n); });
}

void lower_gaussian_noise(LoweringContext& context) {
    const std::int64_t bytes = graph::element_bytes(context.output_type().dtype);
    const double limit = context.operation().attributes.real("limit");
    lower_elementwise_set(
        context, limit > 0 ? codelets::truncated_noise : codelets::gaussian_noise,
        [&](std::int64_t n) { return ipu::normal_noise_cycles(context.target(), bytes, n, limit); });
}

} // namespace

void lower_elementwise_set(LoweringContext& context, const ipu::Codelet& codelet,
                           const std::function<std::int64_t(std::int64_t elements)>& cycles,
                           const std::string& types) {
    const TileMapping mapping = choose_mapping(context);
    std::vector<program::VariableId> uses = bring_inputs(context, mapping);
    std::optional<std::size_t> in_place; // a variable rather than what else may be overwritten
    for (std::size_t i = 0; i < context.operation().inputs.size(); ++i)
        if (context.may_overwrite(i) && context.input_mapping(i) == mapping &&
            (!in_place || context.updates_variable(i)))
            in_place = i;
    if (in_place)
        context.alias_output(0, *in_place);
    else
        uses.push_back(context.place_output(0, mapping));
    context.execute(context.operation().kind, codelet, cycles_by_tile(mapping, cycles), std::move(uses),
                    types);
}

BroadcastNeeds broadcast_needs(const Shape& operand, const Shape& full, const TileMapping& mapping) {
    const Shape& view = mapping.view();
    const std::optional<Shape> followed = grouped(operand, full, view);
    BroadcastNeeds result{followed.value_or(operand), program::needs_of(mapping)};
    for (TileNeed& need : result.needs) {
        Box box{Shape(result.shape.size(), 0), result.shape};
        if (followed)
            for (std::size_t d = 0; d < view.size(); ++d) {
                box.begin[d] = result.shape[d] == 1 ? 0 : need.box.begin[d];
                box.end[d] = result.shape[d] == 1 ? 1 : need.box.end[d];
            }
        else if (view.size() == 1)
            repeating_box(operand, full, need.box, box);
        need.box = std::move(box);
    }
    return result;
}

void add_elementwise_lowerings(LoweringTable& table) {
    table.set("cast", lower_cast);
    table.set("fused_elementwise", lower_fused);
    table.set("dropout", lower_dropout);
    table.set("dropout_gradient", lower_dropout);
    table.set("gaussian_noise", lower_gaussian_noise);
    for (const std::string& kind : table.registry().names())
        if (const graph::Operator& op = table.registry().at(kind); op.elementwise && !table.has(kind)) {
            if (!ipu::has_elementwise_price(kind)) {
                std::fprintf(stderr, "operator %s has no price: give it one in ipu/elementwise_cycles.cpp\n",
                             kind.c_str());
                std::abort();
            }
            table.set(kind, [gradient = op.non_linearity_gradient](LoweringContext& context) {
                lower_elementwise(context, gradient);
            });
        }
}

} // namespace tilescope::lowering
