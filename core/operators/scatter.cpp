// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/try.h"
#include "graph/builder.h"
#include "index_arithmetic.h"
#include "operators/families.h"
#include "operators/interpreter.h"

#include <algorithm>

namespace tilescope::operators {
namespace {

using graph::Attributes;
using graph::ComputeContext;
using graph::HostTensor;
using graph::Shape;
using graph::TensorType;
using graph::to_string;
using graph::ValueId;
using Types = Result<std::vector<TensorType>>;

const std::vector<std::string>& scatter_reductions() {
    static const std::vector<std::string> all{"none", "add", "mul", "min", "max"};
    return all;
}

Result<void> expect_scatter(std::span<const TensorType> in, const Attributes& a) {
    TRY(expect_indices(in, 3, a));
    const std::string reduction = a.text("reduction", "none");
    if (const auto& known = scatter_reductions();
        std::find(known.begin(), known.end(), reduction) == known.end())
        return shape_error("a reduction of none, add, mul, min or max", "\"" + reduction + "\"");
    if (in[2].dtype != in[0].dtype)
        return shape_error("updates of x's type", to_string(in[0]) + " and " + to_string(in[2]));
    return {};
}

Types infer_scatter_elements(std::span<const TensorType> in, const Attributes& a) {
    TRY(expect_scatter(in, a));
    TRY(const auto axis, normal_axis(a.integer("axis"), in[0].shape.size()));
    TRY(expect_inside(in[1].shape, in[0].shape, axis));
    if (in[2].shape != in[1].shape)
        return shape_error("as many updates as indices", to_string(in[1]) + " and " + to_string(in[2]));
    return std::vector<TensorType>{in[0]};
}

Types infer_scatter_nd(std::span<const TensorType> in, const Attributes& a) {
    TRY(expect_scatter(in, a));
    const Shape& x = in[0].shape;
    const Shape& indices = in[1].shape;
    const std::int64_t depth = indices.empty() ? 0 : indices.back();
    if (depth < 1 || depth > static_cast<std::int64_t>(x.size()))
        return shape_error("as many indices as x has dimensions, at most",
                           to_string(in[0]) + " and " + to_string(in[1]));
    Shape expected(indices.begin(), indices.end() - 1);
    expected.insert(expected.end(), x.begin() + depth, x.end());
    if (in[2].shape != expected)
        return shape_error("updates of shape " + to_string(expected), to_string(in[2]));
    return std::vector<TensorType>{in[0]};
}

/// Puts `value` at `place` as the reduction says.
void put(HostTensor& y, std::int64_t place, double value, const std::string& reduction) {
    const double before = y.at(place);
    y.set(place, reduction == "add"   ? before + value
                 : reduction == "mul" ? before * value
                 : reduction == "min" ? std::min(before, value)
                 : reduction == "max" ? std::max(before, value)
                                      : value);
}

void compute_scatter_elements(ComputeContext& c) {
    copy_first(c);
    const Shape& x = c.inputs[0]->shape();
    const std::string reduction = c.attributes.text("reduction", "none");
    const auto axis = *normal_axis(c.attributes.integer("axis"), x.size());
    for_each_element(Places(c), x, axis, [&](std::int64_t i, std::optional<std::int64_t> place) {
        if (place)
            put(*c.outputs[0], *place, c.inputs[2]->at(i), reduction);
    });
}

void compute_scatter_nd(ComputeContext& c) {
    copy_first(c);
    const std::string reduction = c.attributes.text("reduction", "none");
    for_each_pointer(Places(c), c.inputs[0]->shape(), 0,
                     [&](std::int64_t first, std::int64_t n, std::optional<std::int64_t> place) {
                         for (std::int64_t k = 0; place && k < n; ++k)
                             put(*c.outputs[0], *place + k, c.inputs[2]->at(first + k), reduction);
                     });
}

/// A scatter while its gradient is made.
struct Scattered {
    graph::GradientContext& context;
    const std::string& scatter;
    const std::string& gather; ///< what reads at the same indices
    Attributes places;         ///< how both find them

    graph::Builder& build = context.build;
    ValueId dy = context.output_gradients[0];
    ValueId x = context.operation.inputs[0];
    ValueId indices = context.operation.inputs[1];
    ValueId updates = context.operation.inputs[2];

    Result<ValueId> read(ValueId from) const { return build.emit(gather, {from, indices}, places); }
    Result<ValueId> put_into(ValueId to, ValueId values, const std::string& reduction) const {
        Attributes attributes = places;
        attributes.set("reduction", reduction);
        return build.emit(scatter, {to, indices, values}, attributes);
    }
    /// 1 where two are equal, 0 elsewhere.
    Result<ValueId> equal(ValueId a, ValueId b) const {
        TRY(const ValueId same, build.emit("equal", {a, b}));
        return build.emit("cast", {same}, {{"dtype", to_string(build.type(dy).dtype)}});
    }
    Result<ValueId> filled(double number, ValueId like) const {
        const TensorType type = build.type(like);
        return build.emit("broadcast_to", {build.scalar(number, type.dtype)}, {{"shape", type.shape}});
    }
};

/// What is put has the gradients of the places where it is; x keeps that of all others, or, where updates
/// are added, of all.
Result<std::vector<ValueId>> gradient_of_values(const Scattered& s, bool added) {
    TRY(const ValueId of_updates, s.read(s.dy));
    if (added)
        return std::vector<ValueId>{s.dy, graph::no_value, of_updates};
    TRY(const ValueId zeros, s.filled(0, s.updates));
    TRY(const ValueId of_x, s.put_into(s.dy, zeros, "none"));
    return std::vector<ValueId>{of_x, graph::no_value, of_updates};
}

/// All that are as the largest, or the smallest, share its gradient.
Result<std::vector<ValueId>> gradient_of_extremes(const Scattered& s) {
    const ValueId y = s.context.operation.outputs[0];
    TRY(const ValueId of_x, s.equal(s.x, y));
    TRY(const ValueId extremes, s.read(y));
    TRY(const ValueId of_updates, s.equal(s.updates, extremes));
    TRY(const ValueId count, s.put_into(of_x, of_updates, "add"));
    TRY(const ValueId share, s.build.emit("divide", {s.dy, count}));
    TRY(const ValueId shares, s.read(share));
    return graph::values_of({s.build.emit("multiply", {share, of_x}), graph::no_value,
                             s.build.emit("multiply", {shares, of_updates})});
}

/// Each factor has the product of all others, as they are counted that are not 0.
Result<std::vector<ValueId>> gradient_of_products(const Scattered& s) {
    graph::Builder& build = s.build;
    const ValueId zero = build.scalar(0, build.type(s.dy).dtype);
    TRY(const ValueId is_zero, build.emit("equal", {s.updates, zero}));
    TRY(const ValueId zeros, s.equal(s.updates, zero));
    TRY(const ValueId factors,
        build.emit("select", {is_zero, build.scalar(1, build.type(s.dy).dtype), s.updates}));
    TRY(const ValueId ones_of_x, s.filled(1, s.x));
    TRY(const ValueId zeros_of_x, s.filled(0, s.x));
    TRY(const ValueId product, s.put_into(ones_of_x, factors, "mul"));
    TRY(const ValueId count, s.put_into(zeros_of_x, zeros, "add"));
    TRY(const ValueId has_none, s.equal(count, zero));
    TRY(const ValueId scaled, build.emit("multiply", {s.dy, product}));
    TRY(const ValueId of_x, build.emit("multiply", {scaled, has_none}));
    TRY(const ValueId with_x, build.emit("multiply", {scaled, s.x}));
    TRY(const ValueId all, s.read(with_x));
    TRY(const ValueId others, build.emit("divide", {all, factors}));
    TRY(const ValueId counts, s.read(count));
    TRY(const ValueId is_alone, s.equal(counts, zeros));
    return graph::values_of({of_x, graph::no_value, build.emit("multiply", {others, is_alone})});
}

/// `gather` reads at the same indices.
graph::GradientFunction gradient_by(const std::string& scatter, const std::string& gather) {
    return [scatter, gather](graph::GradientContext& g) -> Result<std::vector<ValueId>> {
        const std::string reduction = g.operation.attributes.text("reduction", "none");
        Attributes places = counting_as(g.operation.attributes, {});
        if (scatter == "scatter_elements")
            places.set("axis", g.operation.attributes.integer("axis"));
        const Scattered scattered{g, scatter, gather, std::move(places)};
        if (reduction == "none" || reduction == "add")
            return gradient_of_values(scattered, reduction == "add");
        return reduction == "mul" ? gradient_of_products(scattered) : gradient_of_extremes(scattered);
    };
}

} // namespace

void add_scatter_operators(graph::OperatorRegistry& registry) {
    graph::Operator elements;
    elements.name = "scatter_elements";
    elements.summary =
        "x with updates put at int32 indices along `axis`; `reduction` (none, add, mul, min, "
        "max) says how; an index outside is ignored, also a negative one, unless `from_end` says "
        "that -1 is the last.";
    elements.infer = infer_scatter_elements;
    elements.compute = compute_scatter_elements;
    elements.flops = [](std::span<const TensorType> in, auto, const Attributes& a) {
        return a.text("reduction", "none") == "none" ? 0 : in[2].elements();
    };
    graph::Operator blocks = elements;
    elements.gradient = gradient_by("scatter_elements", "gather_elements");
    blocks.gradient = gradient_by("scatter_nd", "gather_nd");
    registry.add(std::move(elements));
    blocks.name = "scatter_nd";
    blocks.summary = "x with blocks of updates put where the last dimension of the int32 indices points to; "
                     "`reduction` (none, add, mul, min, max) says how; one outside is ignored, `from_end` as "
                     "of scatter_elements.";
    blocks.infer = infer_scatter_nd;
    blocks.compute = compute_scatter_nd;
    registry.add(std::move(blocks));
}

} // namespace tilescope::operators
