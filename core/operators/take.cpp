// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/try.h"
#include "graph/builder.h"
#include "operators/families.h"

#include <algorithm>

namespace tilescope::operators {
namespace {

using graph::Attributes;
using graph::ComputeContext;
using graph::HostTensor;
using graph::Shape;
using graph::TensorType;
using graph::ValueId;

Result<std::vector<TensorType>> infer(std::span<const TensorType> in, const Attributes& a) {
    TRY(expect_inputs(in, 1));
    TRY(const auto axis, normal_axis(a.integer("axis"), in[0].shape.size()));
    const std::int64_t extent = in[0].shape[axis];
    const auto indices = a.integers("indices");
    for (const std::int64_t index : indices)
        if (index < 0 || index >= extent)
            return shape_error("indices from 0 to " + std::to_string(extent - 1), std::to_string(index));
    Shape shape = in[0].shape;
    shape[axis] = static_cast<std::int64_t>(indices.size());
    return std::vector<TensorType>{{in[0].dtype, shape}};
}

void compute(ComputeContext& c) {
    const HostTensor& x = *c.inputs[0];
    HostTensor& y = *c.outputs[0];
    const auto axis = *normal_axis(c.attributes.integer("axis"), x.shape().size());
    const auto kept = c.keep([&] { return c.attributes.integers("indices"); });
    const std::vector<std::int64_t>& indices = *kept;
    std::int64_t inner = 1;
    for (std::size_t d = axis + 1; d < x.shape().size(); ++d)
        inner *= x.shape()[d];
    const std::int64_t extent = x.shape()[axis];
    const auto taken = static_cast<std::int64_t>(indices.size());
    for (std::int64_t i = 0; i < y.elements(); ++i) {
        const std::int64_t row = i / inner;
        const std::int64_t from = row / taken * extent + indices[static_cast<std::size_t>(row % taken)];
        y.set(i, x.at(from * inner + i % inner));
    }
}

/// dy times the matrix [taken, extent] that has a 1 where a slice came from: slices taken twice add up.
Result<std::vector<ValueId>> gradient(graph::GradientContext& g) {
    const TensorType x = g.build.type(g.operation.inputs[0]);
    const auto axis = *normal_axis(g.operation.attributes.integer("axis"), x.shape.size());
    const auto indices = g.operation.attributes.integers("indices");
    const auto taken = static_cast<std::int64_t>(indices.size());
    HostTensor origin(TensorType{x.dtype, {taken, x.shape[axis]}});
    for (std::int64_t i = 0; i < taken; ++i)
        origin.set(i * x.shape[axis] + indices[static_cast<std::size_t>(i)], 1);
    std::vector<std::int64_t> to_last;
    std::vector<std::int64_t> back;
    for (std::size_t d = 0; d < x.shape.size(); ++d)
        if (d != axis)
            to_last.push_back(static_cast<std::int64_t>(d));
    for (std::size_t d = 0; d + 1 < x.shape.size(); ++d)
        back.push_back(static_cast<std::int64_t>(d));
    to_last.push_back(static_cast<std::int64_t>(axis));
    back.insert(back.begin() + static_cast<std::ptrdiff_t>(axis),
                static_cast<std::int64_t>(x.shape.size()) - 1);
    TRY(const ValueId turned, g.build.emit("transpose", {g.output_gradients[0]}, {{"permutation", to_last}}));
    TRY(const ValueId rows,
        g.build.emit("reshape", {turned}, {{"shape", std::vector<std::int64_t>{-1, taken}}}));
    TRY(const ValueId product, g.build.emit("matmul", {rows, g.build.constant("origin", std::move(origin))}));
    Shape shape;
    for (const std::int64_t d : to_last)
        shape.push_back(x.shape[static_cast<std::size_t>(d)]);
    TRY(const ValueId dx, g.build.emit("reshape", {product}, {{"shape", shape}}));
    return graph::values_of({g.build.emit("transpose", {dx}, {{"permutation", back}})});
}

} // namespace

void add_take_operator(graph::OperatorRegistry& registry) {
    registry.add(
        {.name = "take",
         .summary = "Slices of x along `axis` at `indices`, which are known beforehand, in that order.",
         .infer = infer,
         .gradient = gradient,
         .compute = compute});
}

} // namespace tilescope::operators
