// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/try.h"
#include "graph/builder.h"
#include "operators/families.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tilescope::operators {
namespace {

using graph::Attributes;
using graph::ComputeContext;
using graph::DType;
using graph::Shape;
using graph::TensorType;
using graph::to_string;

Result<std::vector<TensorType>> infer(std::span<const TensorType> in, const Attributes& a) {
    TRY(expect_inputs(in, 1));
    const std::int64_t k = a.integer("k", 1);
    if (in[0].shape.empty() || k < 1 || k > in[0].shape.back())
        return shape_error("a k from 1 to the last dimension", std::to_string(k) + " of " + to_string(in[0]));
    Shape shape = in[0].shape;
    shape.back() = k;
    return std::vector<TensorType>{{in[0].dtype, shape}, {DType::Int32, shape}};
}

void compute(ComputeContext& c) {
    const auto& x = *c.inputs[0];
    const std::int64_t width = x.shape().back();
    const std::int64_t k = c.attributes.integer("k", 1);
    const bool largest = c.attributes.flag("largest", true);
    const auto kept = c.keep([&] { return std::vector<std::int64_t>(static_cast<std::size_t>(width)); });
    std::vector<std::int64_t>& order = *kept;
    for (std::int64_t row = 0; row * width < x.elements(); ++row) {
        const auto value = [&](std::int64_t i) { return x.at(row * width + i); };
        const auto below = [&](std::int64_t a, std::int64_t b) { // what is not a number is the largest
            return !std::isnan(value(a)) && (std::isnan(value(b)) || value(a) < value(b));
        };
        std::iota(order.begin(), order.end(), 0);
        std::partial_sort(order.begin(), order.begin() + k, order.end(), [&](std::int64_t a, std::int64_t b) {
            if (below(a, b) || below(b, a))
                return below(a, b) != largest;
            return a < b;
        });
        for (std::int64_t i = 0; i < k; ++i) {
            const std::int64_t from = order[static_cast<std::size_t>(i)];
            c.outputs[0]->set(row * k + i, value(from));
            c.outputs[1]->set(row * k + i, static_cast<double>(from));
        }
    }
}

/// Each value has the gradient of the element that it is; indices have none.
Result<std::vector<graph::ValueId>> gradient(graph::GradientContext& g) {
    if (g.output_gradients[0] == graph::no_value)
        return std::vector<graph::ValueId>{graph::no_value};
    const TensorType x = g.build.type(g.operation.inputs[0]);
    TRY(const graph::ValueId zeros,
        g.build.emit("broadcast_to", {g.build.scalar(0, x.dtype)}, {{"shape", x.shape}}));
    return graph::values_of(
        {g.build.emit("scatter_elements", {zeros, g.operation.outputs[1], g.output_gradients[0]},
                      {{"axis", std::int64_t{-1}}, {"reduction", std::string("add")}})});
}

} // namespace

void add_top_k_operator(graph::OperatorRegistry& registry) {
    graph::Operator op;
    op.name = "top_k";
    op.summary = "The `k` largest (or smallest, where not `largest`) of the last dimension, in order, and "
                 "their int32 indices; what is not a number is the largest.";
    op.infer = infer;
    op.compute = compute;
    op.gradient = gradient;
    op.flops = [](std::span<const TensorType> in, auto, const Attributes&) { return in[0].elements(); };
    registry.add(std::move(op));
}

} // namespace tilescope::operators
