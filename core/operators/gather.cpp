// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/try.h"
#include "graph/builder.h"
#include "index_arithmetic.h"
#include "operators/families.h"

#include <algorithm>
#include <numeric>

namespace tilescope::operators {
namespace {

using graph::Attributes;
using graph::ComputeContext;
using graph::HostTensor;
using graph::no_value;
using graph::Shape;
using graph::TensorType;
using graph::to_string;
using graph::ValueId;
using Types = Result<std::vector<TensorType>>;

Types infer_gather(std::span<const TensorType> in, const Attributes& a) {
    TRY(expect_indices(in, 2, a));
    TRY(const auto axis, normal_axis(a.integer("axis"), in[0].shape.size()));
    Shape shape = in[0].shape;
    const auto at = shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(axis));
    shape.insert(at, in[1].shape.begin(), in[1].shape.end());
    return std::vector<TensorType>{{in[0].dtype, shape}};
}

void compute_gather(ComputeContext& c) {
    const HostTensor& x = *c.inputs[0];
    const Places places(c);
    const auto axis = *normal_axis(c.attributes.integer("axis"), x.shape().size());
    const std::int64_t inner = product(x.shape(), axis + 1, x.shape().size());
    const std::int64_t extent = x.shape()[axis];
    const std::int64_t count = places.indices.elements();
    for (std::int64_t i = 0; i < c.outputs[0]->elements(); ++i) {
        const std::int64_t row = i / inner;
        const auto index = places.index_at(row % count, extent);
        c.outputs[0]->set(i, index ? x.at((row / count * extent + *index) * inner + i % inner) : 0);
    }
}

/// dx is dy added up where it came from: the indexed dimensions come first, then a scatter along them.
Result<std::vector<ValueId>> gather_gradient(graph::GradientContext& g) {
    graph::Builder& build = g.build;
    const TensorType x = build.type(g.operation.inputs[0]);
    const Shape indices = build.type(g.operation.inputs[1]).shape;
    const auto axis = *normal_axis(g.operation.attributes.integer("axis"), x.shape.size());
    const std::size_t rank = build.type(g.output_gradients[0]).shape.size();
    std::vector<std::int64_t> to_front(rank);
    std::iota(to_front.begin(), to_front.end(), 0);
    const auto first = to_front.begin() + static_cast<std::ptrdiff_t>(axis);
    std::rotate(to_front.begin(), first, first + static_cast<std::ptrdiff_t>(indices.size()));
    TRY(const ValueId dy, build.emit("transpose", {g.output_gradients[0]}, {{"permutation", to_front}}));
    Shape pointers = indices;
    pointers.push_back(1);
    TRY(const ValueId places, build.emit("reshape", {g.operation.inputs[1]}, {{"shape", pointers}}));
    Shape turned = x.shape;
    std::rotate(turned.begin(), turned.begin() + static_cast<std::ptrdiff_t>(axis),
                turned.begin() + static_cast<std::ptrdiff_t>(axis) + 1);
    TRY(const ValueId zeros, build.emit("broadcast_to", {build.scalar(0, x.dtype)}, {{"shape", turned}}));
    TRY(const ValueId sums,
        build.emit("scatter_nd", {zeros, places, dy},
                   counting_as(g.operation.attributes, {{"reduction", std::string("add")}})));
    std::vector<std::int64_t> back;
    for (std::size_t d = 0; d < x.shape.size(); ++d)
        back.push_back(static_cast<std::int64_t>(d < axis ? d + 1 : d == axis ? 0 : d));
    return graph::values_of({build.emit("transpose", {sums}, {{"permutation", back}}), no_value});
}

Types infer_gather_elements(std::span<const TensorType> in, const Attributes& a) {
    TRY(expect_indices(in, 2, a));
    TRY(const auto axis, normal_axis(a.integer("axis"), in[0].shape.size()));
    TRY(expect_inside(in[1].shape, in[0].shape, axis));
    return std::vector<TensorType>{{in[0].dtype, in[1].shape}};
}

void compute_gather_elements(ComputeContext& c) {
    const HostTensor& x = *c.inputs[0];
    const auto axis = *normal_axis(c.attributes.integer("axis"), x.shape().size());
    for_each_element(Places(c), x.shape(), axis, [&](std::int64_t i, std::optional<std::int64_t> place) {
        c.outputs[0]->set(i, place ? x.at(*place) : 0);
    });
}

/// Where dy is added up: what was left out of x's dimensions comes back as zeros.
Result<std::vector<ValueId>> added_up(graph::GradientContext& g, const std::string& kind, ValueId places,
                                      Attributes attributes) {
    const TensorType x = g.build.type(g.operation.inputs[0]);
    TRY(const ValueId zeros,
        g.build.emit("broadcast_to", {g.build.scalar(0, x.dtype)}, {{"shape", x.shape}}));
    attributes.set("reduction", std::string("add"));
    return graph::values_of({g.build.emit(kind, {zeros, places, g.output_gradients[0]},
                                          counting_as(g.operation.attributes, std::move(attributes))),
                             no_value});
}

Result<std::vector<ValueId>> gather_elements_gradient(graph::GradientContext& g) {
    return added_up(g, "scatter_elements", g.operation.inputs[1],
                    {{"axis", g.operation.attributes.integer("axis")}});
}

/// Pointers of a scatter have the common dimensions' places before what is given.
Result<std::vector<ValueId>> gather_nd_gradient(graph::GradientContext& g) {
    ValueId places = g.operation.inputs[1];
    const auto batch = static_cast<std::size_t>(g.operation.attributes.integer("batch_dims"));
    if (batch > 0) {
        Shape shape = g.build.type(places).shape;
        shape.back() = static_cast<std::int64_t>(batch);
        HostTensor common(TensorType{graph::DType::Int32, shape});
        for (std::int64_t i = 0; i < common.elements(); ++i) {
            const auto dimension = static_cast<std::size_t>(i % shape.back());
            const std::int64_t inner = product(shape, dimension + 1, shape.size() - 1);
            common.set(i, static_cast<double>(i / shape.back() / inner % shape[dimension]));
        }
        const ValueId before = g.build.constant("batch", std::move(common));
        TRY(places, g.build.emit("concatenate", {before, places}, {{"axis", std::int64_t{-1}}}));
    }
    return added_up(g, "scatter_nd", places, {});
}

Types infer_gather_nd(std::span<const TensorType> in, const Attributes& a) {
    TRY(expect_indices(in, 2, a));
    const std::int64_t batch = a.integer("batch_dims");
    const Shape& x = in[0].shape;
    const Shape& indices = in[1].shape;
    const std::string got = to_string(in[0]) + " and " + to_string(in[1]);
    if (indices.empty() || batch < 0 || batch >= static_cast<std::int64_t>(indices.size()) ||
        batch > static_cast<std::int64_t>(x.size()) ||
        !std::equal(x.begin(), x.begin() + batch, indices.begin()))
        return shape_error("indices with the leading dimensions of x", got);
    const std::int64_t depth = indices.back();
    if (depth < 1 || batch + depth > static_cast<std::int64_t>(x.size()))
        return shape_error("as many indices as x has dimensions, at most", got);
    Shape shape(indices.begin(), indices.end() - 1);
    shape.insert(shape.end(), x.begin() + batch + depth, x.end());
    return std::vector<TensorType>{{in[0].dtype, shape}};
}

void compute_gather_nd(ComputeContext& c) {
    const HostTensor& x = *c.inputs[0];
    const auto batch = static_cast<std::size_t>(c.attributes.integer("batch_dims"));
    for_each_pointer(Places(c), x.shape(), batch,
                     [&](std::int64_t first, std::int64_t n, std::optional<std::int64_t> place) {
                         for (std::int64_t k = 0; k < n; ++k)
                             c.outputs[0]->set(first + k, place ? x.at(*place + k) : 0);
                     });
}

} // namespace

void add_gather_operators(graph::OperatorRegistry& registry) {
    registry.add({.name = "gather",
                  .summary =
                      "Slices of x along `axis` at int32 indices of any shape, which takes that axis' "
                      "place; an index outside gives 0, also a negative one, unless `from_end` says that "
                      "-1 is the last.",
                  .infer = infer_gather,
                  .gradient = gather_gradient,
                  .compute = compute_gather});
    registry.add({.name = "gather_elements",
                  .summary =
                      "y like the int32 indices: each element of x with its index along `axis`, outside 0; "
                      "`from_end` as of gather.",
                  .infer = infer_gather_elements,
                  .gradient = gather_elements_gradient,
                  .compute = compute_gather_elements});
    registry.add({.name = "gather_nd",
                  .summary = "Blocks of x that the last dimension of the int32 indices points to, after "
                             "`batch_dims` common dimensions; 0 for one outside, `from_end` as of gather.",
                  .infer = infer_gather_nd,
                  .gradient = gather_nd_gradient,
                  .compute = compute_gather_nd});
}

} // namespace tilescope::operators
