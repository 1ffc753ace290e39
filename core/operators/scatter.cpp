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

/// What is put has the gradients of the places where it is; x keeps that of all others, or, where updates
/// are added, of all. `gather` reads at the same indices.
graph::GradientFunction gradient_by(const std::string& scatter, const std::string& gather) {
    return [scatter, gather](graph::GradientContext& g) -> Result<std::vector<ValueId>> {
        const std::string reduction = g.operation.attributes.text("reduction", "none");
        if (reduction != "none" && reduction != "add")
            return Failure(
                Error{ErrorKind::BadInput,
                      scatter + " has a gradient for the reductions none and add, not for " + reduction,
                      g.operation.name, "keep it off the way from the weights to the loss"});
        const ValueId dy = g.output_gradients[0];
        const ValueId places = g.operation.inputs[1];
        Attributes axis = counting_as(g.operation.attributes, {});
        if (scatter == "scatter_elements")
            axis.set("axis", g.operation.attributes.integer("axis"));
        TRY(const ValueId of_updates, g.build.emit(gather, {dy, places}, axis));
        if (reduction == "add")
            return std::vector<ValueId>{dy, graph::no_value, of_updates};
        const TensorType updates = g.build.type(g.operation.inputs[2]);
        TRY(const ValueId zeros,
            g.build.emit("broadcast_to", {g.build.scalar(0, updates.dtype)}, {{"shape", updates.shape}}));
        TRY(const ValueId of_x, g.build.emit(scatter, {dy, places, zeros}, axis));
        return std::vector<ValueId>{of_x, graph::no_value, of_updates};
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
