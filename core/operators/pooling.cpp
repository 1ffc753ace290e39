// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/try.h"
#include "base/worker_pool.h"
#include "graph/builder.h"
#include "kernels/kernel_table.h"
#include "operators/families.h"

#include <algorithm>

namespace tilescope::operators {
namespace {

using graph::Attributes;
using graph::ComputeContext;
using graph::Shape;
using graph::TensorType;
using graph::to_string;
using graph::ValueId;

kernels::PoolShape pool_shape(const Shape& x, const Shape& y, const Attributes& a) {
    const auto window = a.integers("window", {1, 1});
    const auto strides = a.integers("strides", {1, 1});
    const auto padding = a.integers("padding", {0, 0, 0, 0}); // top, left, bottom, right
    return {x[1],      x[2],       x[3],       y[1],       y[2],       window[0],
            window[1], strides[0], strides[1], padding[0], padding[1], a.flag("count_include_pad")};
}

Result<std::vector<TensorType>> infer_pool(std::span<const TensorType> in, const Attributes& a) {
    TRY(expect_inputs(in, 1));
    const auto window = a.integers("window", {1, 1});
    const auto strides = a.integers("strides", {1, 1});
    const auto padding = a.integers("padding", {0, 0, 0, 0});
    if (in[0].shape.size() != 4 || !is_floating(in[0].dtype))
        return shape_error("a float tensor [batch, height, width, channels]", to_string(in[0]));
    if (window.size() != 2 || strides.size() != 2 || padding.size() != 4 ||
        std::min(window[0], window[1]) < 1 || std::min(strides[0], strides[1]) < 1)
        return shape_error("two extents and strides of at least 1, four paddings", a.json());
    Shape y = in[0].shape;
    for (std::size_t d = 0; d < 2; ++d) {
        const std::int64_t room = y[d + 1] + padding[d] + padding[d + 2] - window[d];
        if (room < 0 || padding[d] >= window[d] || padding[d + 2] >= window[d])
            return shape_error("a window that fits its input", a.json() + " on " + to_string(in[0]));
        y[d + 1] = room / strides[d] + 1;
    }
    return std::vector<TensorType>{{in[0].dtype, y}};
}

using Pool = void (*)(const kernels::PoolShape&, const float*, float*, std::int64_t, std::int64_t);
/// `x` and `y`: the tensors whose shapes are those of the pooling's input and output.
void run(ComputeContext& c, const graph::HostTensor& x, const graph::HostTensor& y, Pool kernel) {
    const auto kept = c.keep([&] { return pool_shape(x.shape(), y.shape(), c.attributes); });
    const kernels::PoolShape& s = *kept;
    c.pool.parallel_for(static_cast<std::size_t>(c.outputs[0]->shape()[0]), 1,
                        [&](std::size_t b, std::size_t e) {
                            kernel(s, c.inputs[0]->floats().data(), c.outputs[0]->floats().data(),
                                   static_cast<std::int64_t>(b), static_cast<std::int64_t>(e));
                        });
}

Result<std::vector<TensorType>> infer_picked(std::span<const TensorType> in, const Attributes& a) {
    TRY(expect_inputs(in, 2));
    if (in[1] != in[0])
        return shape_error("two tensors of one type", to_string(in[0]) + " and " + to_string(in[1]));
    return infer_pool(in.first(1), a);
}

/// Of one image: what `given` has where the first largest element of x is in each window.
void pick(const kernels::PoolShape& s, const float* x, const float* given, float* y) {
    const auto place = [&](std::int64_t row, std::int64_t column) {
        return (row * s.width + column) * s.channels;
    };
    for (std::int64_t at = 0; at < s.out_height * s.out_width; ++at) {
        const std::int64_t top = at / s.out_width * s.stride_y - s.pad_top;
        const std::int64_t left = at % s.out_width * s.stride_x - s.pad_left;
        const std::int64_t first_row = std::max<std::int64_t>(top, 0);
        const std::int64_t first_column = std::max<std::int64_t>(left, 0);
        for (std::int64_t channel = 0; channel < s.channels; ++channel) {
            std::int64_t best = place(first_row, first_column) + channel;
            for (std::int64_t row = first_row; row < std::min(top + s.window_y, s.height); ++row)
                for (std::int64_t column = first_column; column < std::min(left + s.window_x, s.width);
                     ++column)
                    if (const std::int64_t here = place(row, column) + channel; x[here] > x[best])
                        best = here;
            y[at * s.channels + channel] = given[best];
        }
    }
}

void compute_picked(ComputeContext& c) {
    const auto kept =
        c.keep([&] { return pool_shape(c.inputs[0]->shape(), c.outputs[0]->shape(), c.attributes); });
    const kernels::PoolShape& s = *kept;
    const std::int64_t image = s.height * s.width * s.channels;
    const std::int64_t pooled = s.out_height * s.out_width * s.channels;
    c.pool.parallel_for(
        static_cast<std::size_t>(c.outputs[0]->shape()[0]), 1, [&](std::size_t begin, std::size_t end) {
            for (auto i = static_cast<std::int64_t>(begin); i < static_cast<std::int64_t>(end); ++i)
                pick(s, c.inputs[0]->floats().data() + i * image, c.inputs[1]->floats().data() + i * image,
                     c.outputs[0]->floats().data() + i * pooled);
        });
}

graph::FlopsFunction window_flops() {
    return [](std::span<const TensorType> in, std::span<const TensorType> out, const Attributes& a) {
        const auto window = a.integers("window", {1, 1});
        return std::min(in.back().elements(), out[0].elements()) * window[0] * window[1];
    };
}

} // namespace

void add_pooling_operators(graph::OperatorRegistry& registry) {
    graph::Operator max;
    max.name = "max_pool2d";
    max.summary =
        "Largest value of each window: x [batch, h, w, c] to [batch, h', w', c] with `window`, `strides` "
        "and `padding` (top, left, bottom, right).";
    max.infer = infer_pool;
    max.gradient = [](graph::GradientContext& g) -> Result<std::vector<ValueId>> {
        return graph::values_of({g.build.emit(
            "max_pool2d_gradient", {g.operation.inputs[0], g.operation.outputs[0], g.output_gradients[0]},
            g.operation.attributes)});
    };
    max.compute = [](ComputeContext& c) { run(c, *c.inputs[0], *c.outputs[0], c.kernels.max_pool); };
    max.flops = window_flops();
    registry.add(std::move(max));

    graph::Operator max_gradient;
    max_gradient.name = "max_pool2d_gradient";
    max_gradient.summary =
        "dx of max_pool2d from x, y and dy; goes to the first largest element of a window.";
    max_gradient.infer = [](std::span<const TensorType> in,
                            const Attributes& a) -> Result<std::vector<TensorType>> {
        TRY(expect_inputs(in, 3));
        TRY(const auto y, infer_pool(in.first(1), a));
        if (in[1] != y.front() || in[2] != y.front())
            return shape_error("y and dy of shape " + to_string(y.front()),
                               to_string(in[1]) + " and " + to_string(in[2]));
        return std::vector<TensorType>{in[0]};
    };
    max_gradient.compute = [](ComputeContext& c) {
        const auto kept =
            c.keep([&] { return pool_shape(c.inputs[0]->shape(), c.inputs[1]->shape(), c.attributes); });
        const kernels::PoolShape& s = *kept;
        c.pool.parallel_for(
            static_cast<std::size_t>(c.outputs[0]->shape()[0]), 1, [&](std::size_t b, std::size_t e) {
                c.kernels.max_pool_gradient(s, c.inputs[0]->floats().data(), c.inputs[2]->floats().data(),
                                            c.outputs[0]->floats().data(), static_cast<std::int64_t>(b),
                                            static_cast<std::int64_t>(e));
            });
    };
    max_gradient.flops = window_flops();
    max_gradient.gradient = [](graph::GradientContext& g) -> Result<std::vector<ValueId>> {
        const auto picked = g.build.emit("max_pool2d_picked", {g.operation.inputs[0], g.output_gradients[0]},
                                         g.operation.attributes);
        return graph::values_of({graph::no_value, graph::no_value, picked});
    };
    registry.add(std::move(max_gradient));

    graph::Operator picked;
    picked.name = "max_pool2d_picked";
    picked.summary =
        "What another tensor of x's shape has at the first largest element of each window of x, as of "
        "max_pool2d.";
    picked.infer = infer_picked;
    picked.gradient = [](graph::GradientContext& g) -> Result<std::vector<ValueId>> {
        const ValueId x = g.operation.inputs[0];
        const Attributes& a = g.operation.attributes;
        return graph::values_of(
            {graph::no_value,
             g.build.emit("max_pool2d_gradient",
                          {x, g.build.emit("max_pool2d", {x}, a), g.output_gradients[0]}, a)});
    };
    picked.compute = compute_picked;
    picked.flops = window_flops();
    registry.add(std::move(picked));

    graph::Operator average;
    average.name = "average_pool2d";
    average.summary = "Mean of each window: x [batch, h, w, c] to [batch, h', w', c]; padding counts where "
                      "`count_include_pad`.";
    average.infer = infer_pool;
    average.gradient = [](graph::GradientContext& g) -> Result<std::vector<ValueId>> {
        Attributes a = g.operation.attributes;
        a.set("shape", g.build.type(g.operation.inputs[0]).shape);
        return graph::values_of({g.build.emit("average_pool2d_gradient", {g.output_gradients[0]}, a)});
    };
    average.compute = [](ComputeContext& c) { run(c, *c.inputs[0], *c.outputs[0], c.kernels.average_pool); };
    average.flops = window_flops();
    registry.add(std::move(average));

    graph::Operator average_gradient;
    average_gradient.name = "average_pool2d_gradient";
    average_gradient.summary = "dx of average_pool2d from dy; `shape` is the shape of x.";
    average_gradient.infer = [](std::span<const TensorType> in,
                                const Attributes& a) -> Result<std::vector<TensorType>> {
        TRY(expect_inputs(in, 1));
        const std::vector<TensorType> x{{in[0].dtype, a.integers("shape")}};
        TRY(const auto y, infer_pool(x, a));
        if (y.front() != in[0])
            return shape_error("dy of shape " + to_string(y.front()), to_string(in[0]));
        return x;
    };
    average_gradient.compute = [](ComputeContext& c) {
        run(c, *c.outputs[0], *c.inputs[0], c.kernels.average_pool_gradient);
    };
    average_gradient.flops = window_flops();
    average_gradient.gradient = [](graph::GradientContext& g) -> Result<std::vector<ValueId>> {
        return graph::values_of(
            {g.build.emit("average_pool2d", {g.output_gradients[0]}, g.operation.attributes)});
    };
    registry.add(std::move(average_gradient));
}

} // namespace tilescope::operators
