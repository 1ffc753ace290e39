// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/try.h"
#include "graph/builder.h"
#include "kernels/kernel_table.h"
#include "operators/families.h"

#include <algorithm>
#include <cmath>

namespace tilescope::operators {
namespace {

using graph::Attributes;
using graph::Builder;
using graph::ComputeContext;
using graph::TensorType;
using graph::to_string;
using graph::ValueId;

Result<std::vector<TensorType>> infer(std::span<const TensorType> in, const Attributes& a,
                                      std::size_t count) {
    auto types = same_as_first(count)(in, a);
    if (types && (in[0].shape.empty() || !is_floating(in[0].dtype)))
        return shape_error("a float tensor with at least one dimension", to_string(in[0]));
    if (types) {
        TRY(const auto axis, normal_axis(a.integer("axis", -1), in[0].shape.size()));
        if (axis + 1 != in[0].shape.size())
            return shape_error("the last axis", std::to_string(axis) + " (transpose first)");
    }
    return types;
}

/// Calls row(inputs at the row, output at the row, width) for each row of the last dimension.
template<class Row>
void rows(ComputeContext& c, const Row& row) {
    const std::int64_t width = c.outputs[0]->shape().back();
    for (std::int64_t at = 0; at < c.outputs[0]->elements(); at += width)
        row(c.inputs[0]->floats().data() + at,
            (c.inputs.size() > 1 ? c.inputs[1] : c.inputs[0])->floats().data() + at,
            c.outputs[0]->floats().data() + at, width);
}

void softmax_row(const kernels::KernelTable& table, const float* x, float* y, std::int64_t n) {
    static const kernels::Binary add = kernels::binary_kernel("add");
    static const kernels::Binary multiply = kernels::binary_kernel("multiply");
    static const kernels::Unary exp = kernels::unary_kernel("exp");
    const float highest = -table.maximum(x, n);
    table.binary(add, 0, x, 1, &highest, 0, y, n);
    table.unary(exp, 0, y, y, n);
    const float scale = 1.0F / table.sum(y, n);
    table.binary(multiply, 0, y, 1, &scale, 0, y, n);
}

/// The sums of a b along the last axis, which stays as one.
Result<ValueId> row_dots(Builder& build, ValueId a, ValueId b) {
    const auto last = static_cast<std::int64_t>(build.type(a).shape.size()) - 1;
    TRY(const ValueId products, build.emit("multiply", {a, b}));
    return build.emit("reduce_sum", {products},
                      {{"axes", std::vector<std::int64_t>{last}}, {"keep_dims", true}});
}

/// Of y (dy - sum(y dy)) by y: u (dy - sum(y dy)) - dy sum(y u); and by dy: y (u - sum(y u)).
Result<std::vector<ValueId>> second_of_softmax(graph::GradientContext& g) {
    Builder& build = g.build;
    const ValueId y = g.operation.inputs[0];
    const ValueId dy = g.operation.inputs[1];
    const ValueId u = g.output_gradients[0];
    TRY(const ValueId rest, build.emit("subtract", {dy, row_dots(build, y, dy)}));
    TRY(const ValueId first, build.emit("multiply", {u, rest}));
    TRY(const ValueId other, build.emit("multiply", {dy, row_dots(build, y, u)}));
    TRY(const ValueId by_y, build.emit("subtract", {first, other}));
    return graph::values_of({by_y, build.emit("softmax_gradient", {y, u})});
}

/// Of dy - exp(y) sum(dy) by y: -u exp(y) sum(dy); and by dy: u - sum(u exp(y)).
Result<std::vector<ValueId>> second_of_log_softmax(graph::GradientContext& g) {
    Builder& build = g.build;
    const ValueId dy = g.operation.inputs[1];
    const ValueId u = g.output_gradients[0];
    const auto last = static_cast<std::int64_t>(build.type(dy).shape.size()) - 1;
    TRY(const ValueId share, build.emit("exp", {g.operation.inputs[0]}));
    TRY(const ValueId total,
        build.emit("reduce_sum", {dy}, {{"axes", std::vector<std::int64_t>{last}}, {"keep_dims", true}}));
    TRY(const ValueId product, build.emit("multiply", {build.emit("multiply", {u, share}), total}));
    TRY(const ValueId by_y, build.emit("negate", {product}));
    return graph::values_of({by_y, build.emit("subtract", {u, row_dots(build, u, share)})});
}

void add(graph::OperatorRegistry& registry, const char* name, const char* summary, std::size_t inputs,
         std::int64_t flops, graph::GradientFunction gradient, graph::ComputeFunction compute) {
    graph::Operator op;
    op.name = name;
    op.summary = summary;
    op.infer = [inputs](std::span<const TensorType> in, const Attributes& a) { return infer(in, a, inputs); };
    op.gradient = std::move(gradient);
    op.compute = std::move(compute);
    op.flops = [flops](auto, std::span<const TensorType> out, const Attributes&) {
        return flops * out[0].elements();
    };
    registry.add(std::move(op));
}

} // namespace

void add_softmax_operators(graph::OperatorRegistry& registry) {
    add(
        registry, "softmax", "exp(x) over its sum along the last axis.", 1, 5,
        [](graph::GradientContext& g) -> Result<std::vector<ValueId>> {
            return graph::values_of(
                {g.build.emit("softmax_gradient", {g.operation.outputs[0], g.output_gradients[0]})});
        },
        [](ComputeContext& c) {
            rows(c, [&](const float* x, const float*, float* y, std::int64_t n) {
                softmax_row(c.kernels, x, y, n);
            });
        });
    add(registry, "softmax_gradient", "dx = y (dy - sum(y dy)) along the last axis, from y and dy.", 2, 4,
        second_of_softmax, [](ComputeContext& c) {
            rows(c, [](const float* y, const float* dy, float* dx, std::int64_t n) {
                float dot = 0;
                for (std::int64_t i = 0; i < n; ++i)
                    dot += y[i] * dy[i];
                for (std::int64_t i = 0; i < n; ++i)
                    dx[i] = y[i] * (dy[i] - dot);
            });
        });
    add(
        registry, "log_softmax", "x - log(sum(exp(x))) along the last axis.", 1, 5,
        [](graph::GradientContext& g) -> Result<std::vector<ValueId>> {
            return graph::values_of(
                {g.build.emit("log_softmax_gradient", {g.operation.outputs[0], g.output_gradients[0]})});
        },
        [](ComputeContext& c) {
            rows(c, [&](const float* x, const float*, float* y, std::int64_t n) {
                const float highest = c.kernels.maximum(x, n);
                float total = 0;
                for (std::int64_t i = 0; i < n; ++i)
                    total += std::exp(x[i] - highest);
                const float shift = std::log(total);
                for (std::int64_t i = 0; i < n; ++i) // one after the other, for the digits
                    y[i] = (x[i] - highest) - shift;
            });
        });
    add(registry, "log_softmax_gradient", "dx = dy - exp(y) sum(dy) along the last axis, from y and dy.", 2,
        4, second_of_log_softmax, [](ComputeContext& c) {
            rows(c, [&](const float* y, const float* dy, float* dx, std::int64_t n) {
                const float total = c.kernels.sum(dy, n);
                for (std::int64_t i = 0; i < n; ++i)
                    dx[i] = dy[i] - std::exp(y[i]) * total;
            });
        });
}

} // namespace tilescope::operators
