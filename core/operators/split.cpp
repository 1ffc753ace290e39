// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/try.h"
#include "graph/builder.h"
#include "operators/families.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace tilescope::operators {
namespace {

using graph::Attributes;
using graph::ComputeContext;
using graph::Shape;
using graph::TensorType;
using graph::ValueId;

Result<std::vector<TensorType>> infer(std::span<const TensorType> in, const Attributes& a) {
    TRY(expect_inputs(in, 1));
    TRY(const auto axis, normal_axis(a.integer("axis", -1), in[0].shape.size()));
    const auto sizes = a.integers("sizes");
    const bool positive = std::all_of(sizes.begin(), sizes.end(), [](std::int64_t n) { return n > 0; });
    if (!positive || std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0}) != in[0].shape[axis])
        return shape_error("positive sizes that add up to " + std::to_string(in[0].shape[axis]), a.json());
    std::vector<TensorType> outputs;
    for (const std::int64_t size : sizes) {
        outputs.push_back(in[0]);
        outputs.back().shape[axis] = size;
    }
    return outputs;
}

Result<std::vector<ValueId>> gradient(graph::GradientContext& g) {
    std::vector<ValueId> parts;
    for (std::size_t i = 0; i < g.output_gradients.size(); ++i) {
        ValueId part = g.output_gradients[i];
        if (part == graph::no_value)
            part = g.build.constant("zeros", graph::HostTensor(g.build.type(g.operation.outputs[i])));
        parts.push_back(part);
    }
    return graph::values_of(
        {g.build.emit("concatenate", parts, {{"axis", g.operation.attributes.integer("axis", -1)}})});
}

void compute(ComputeContext& c) {
    const Shape& shape = c.inputs[0]->shape();
    const auto axis = *normal_axis(c.attributes.integer("axis", -1), shape.size());
    const std::int64_t inner = std::accumulate(shape.begin() + static_cast<std::ptrdiff_t>(axis) + 1,
                                               shape.end(), std::int64_t{1}, std::multiplies<>());
    const std::int64_t row = shape[axis] * inner;
    std::int64_t begin = 0;
    for (graph::HostTensor* output : c.outputs) {
        const std::int64_t width = output->shape()[axis] * inner;
        for (std::int64_t i = 0; i < output->elements(); ++i)
            output->set(i, c.inputs[0]->at(i / width * row + begin + i % width));
        begin += width;
    }
}

} // namespace

void add_split_operator(graph::OperatorRegistry& registry) {
    registry.add({.name = "split",
                  .summary = "Parts of x along `axis`, of `sizes` that add up to its extent.",
                  .infer = infer,
                  .gradient = gradient,
                  .compute = compute});
}

} // namespace tilescope::operators
