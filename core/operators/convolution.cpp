// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/text.h"
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
using graph::element_count;
using graph::Shape;
using graph::TensorType;
using graph::to_string;
using graph::ValueId;

kernels::ConvShape conv_shape(const Shape& x, const Shape& w, const Shape& y, const Attributes& a) {
    const auto strides = a.integers("strides", {1, 1});
    const auto padding = a.integers("padding", {0, 0, 0, 0}); // top, left, bottom, right
    const auto dilations = a.integers("dilations", {1, 1});
    return {x[1],       x[2],       x[3],         y[1],         y[2],
            y[3],       w[0],       w[1],         strides[0],   strides[1],
            padding[0], padding[1], dilations[0], dilations[1], a.integer("groups", 1)};
}

std::int64_t out_extent(std::int64_t in, std::int64_t kernel, std::int64_t stride, std::int64_t dilation,
                        std::int64_t padding) {
    const std::int64_t span = (kernel - 1) * dilation + 1;
    return in + padding < span ? 0 : (in + padding - span) / stride + 1;
}

Result<Shape> output_shape(const Shape& x, const Shape& w, const Attributes& a) {
    const auto strides = a.integers("strides", {1, 1});
    const auto padding = a.integers("padding", {0, 0, 0, 0});
    const auto dilations = a.integers("dilations", {1, 1});
    const std::int64_t groups = a.integer("groups", 1);
    if (x.size() != 4 || w.size() != 4)
        return shape_error("x [batch, height, width, channels] and w [height, width, in, out]",
                           to_string(x) + " and " + to_string(w));
    if (strides.size() != 2 || padding.size() != 4 || dilations.size() != 2 || groups < 1 ||
        std::any_of(strides.begin(), strides.end(), [](auto v) { return v < 1; }) ||
        std::any_of(dilations.begin(), dilations.end(), [](auto v) { return v < 1; }) ||
        std::any_of(padding.begin(), padding.end(), [](auto v) { return v < 0; }))
        return shape_error("two strides and dilations of at least 1, four paddings of at least 0", a.json());
    if (x[3] != w[2] * groups || w[3] % groups != 0)
        return shape_error("channels that are a multiple of " + counted_text(groups, "group") + " of " +
                               std::to_string(w[2]),
                           to_string(x) + " and " + to_string(w));
    const std::int64_t height = out_extent(x[1], w[0], strides[0], dilations[0], padding[0] + padding[2]);
    const std::int64_t width = out_extent(x[2], w[1], strides[1], dilations[1], padding[1] + padding[3]);
    if (height < 1 || width < 1)
        return shape_error("a kernel that fits its input", to_string(x) + " and " + to_string(w));
    return Shape{x[0], height, width, w[3]};
}

constexpr std::int64_t filter_slices = 8; ///< partial sums of dw, added in order whatever the threads

double nanoseconds_of_image(const kernels::ConvShape& s) {
    return kernels::multiply_add_ns * static_cast<double>(s.out_height * s.out_width) *
           static_cast<double>(s.columns() * s.out_channels);
}

/// What a kernel makes of the first input and the filter, image by image, over all threads.
void compute_images(ComputeContext& c, decltype(kernels::KernelTable::conv_forward) kernel,
                    const kernels::ConvShape& s) {
    c.pool.parallel_for(static_cast<std::size_t>(c.outputs[0]->shape()[0]),
                        worth_a_thread(nanoseconds_of_image(s)), [&](std::size_t b, std::size_t e) {
                            kernel(s, c.inputs[0]->floats().data(), c.inputs[1]->floats().data(),
                                   c.outputs[0]->floats().data(), static_cast<std::int64_t>(b),
                                   static_cast<std::int64_t>(e));
                        });
}

void compute_forward(ComputeContext& c) {
    const auto kept = c.keep([&] {
        return conv_shape(c.inputs[0]->shape(), c.inputs[1]->shape(), c.outputs[0]->shape(), c.attributes);
    });
    compute_images(c, c.kernels.conv_forward, *kept);
}

void compute_input_gradient(ComputeContext& c) {
    const auto kept = c.keep([&] {
        return conv_shape(c.outputs[0]->shape(), c.inputs[1]->shape(), c.inputs[0]->shape(), c.attributes);
    });
    compute_images(c, c.kernels.conv_input_gradient, *kept);
}

void compute_filter_gradient(ComputeContext& c) {
    const std::int64_t batch = c.inputs[0]->shape()[0];
    const std::int64_t slices = std::clamp<std::int64_t>(batch, 1, filter_slices);
    const auto size = static_cast<std::size_t>(c.outputs[0]->elements());
    const auto kept = c.keep([&] {
        return conv_shape(c.inputs[0]->shape(), c.outputs[0]->shape(), c.inputs[1]->shape(), c.attributes);
    });
    thread_local std::vector<float> memory; // of all slices but the first, for all convolutions in turn
    memory.resize(std::max(memory.size(), size * static_cast<std::size_t>(slices - 1)));
    float* const partials = memory.data();
    float* const dw = c.outputs[0]->floats().data();
    const std::size_t grain = worth_a_thread(nanoseconds_of_image(*kept) * static_cast<double>(batch) /
                                             static_cast<double>(slices));
    c.pool.parallel_for(static_cast<std::size_t>(slices), grain, [&](std::size_t b, std::size_t e) {
        for (std::size_t i = b; i < e; ++i) {
            const auto slice = static_cast<std::int64_t>(i);
            c.kernels.conv_filter_gradient(*kept, c.inputs[0]->floats().data(), c.inputs[1]->floats().data(),
                                           i == 0 ? dw : partials + (i - 1) * size, slice * batch / slices,
                                           (slice + 1) * batch / slices);
        }
    });
    for (std::int64_t slice = 1; slice < slices; ++slice)
        c.kernels.binary(kernels::binary_kernel("add"), 0, dw, 1,
                         partials + static_cast<std::size_t>(slice - 1) * size, 1, dw,
                         static_cast<std::int64_t>(size));
}

Result<std::vector<ValueId>> gradient(graph::GradientContext& g) {
    const ValueId x = g.operation.inputs[0];
    const ValueId w = g.operation.inputs[1];
    const ValueId dy = g.output_gradients[0];
    Attributes a = g.operation.attributes;
    a.set("shape", g.build.type(x).shape);
    TRY(const ValueId dx, g.build.emit("conv2d_input_gradient", {dy, w}, a));
    a.set("shape", g.build.type(w).shape);
    return graph::values_of({dx, g.build.emit("conv2d_filter_gradient", {x, dy}, a)});
}

/// Of dx = conv^T(dy, w), which is linear in both: the convolution of dx's gradient, and the filter gradient
/// with that in the place of x.
Result<std::vector<ValueId>> gradient_of_input_gradient(graph::GradientContext& g) {
    const ValueId dy = g.operation.inputs[0];
    const ValueId w = g.operation.inputs[1];
    const ValueId ddx = g.output_gradients[0];
    Attributes a = g.operation.attributes;
    TRY(const ValueId ddy, g.build.emit("conv2d", {ddx, w}, a));
    a.set("shape", g.build.type(w).shape);
    return graph::values_of({ddy, g.build.emit("conv2d_filter_gradient", {ddx, dy}, a)});
}

/// Of dw, which is linear in both x and dy, and of w's shape as its gradient.
Result<std::vector<ValueId>> gradient_of_filter_gradient(graph::GradientContext& g) {
    const ValueId x = g.operation.inputs[0];
    const ValueId dy = g.operation.inputs[1];
    const ValueId ddw = g.output_gradients[0];
    Attributes a = g.operation.attributes;
    const auto by_dy = g.build.emit("conv2d", {x, ddw}, a);
    a.set("shape", g.build.type(x).shape);
    return graph::values_of({g.build.emit("conv2d_input_gradient", {dy, ddw}, a), by_dy});
}

/// The gradients' shapes are an attribute: with strides they do not follow from dy alone.
graph::InferFunction infer_gradient(bool of_input) {
    return
        [of_input](std::span<const TensorType> in, const Attributes& a) -> Result<std::vector<TensorType>> {
            TRY(expect_inputs(in, 2));
            const Shape shape = a.integers("shape");
            TRY(const auto forward,
                of_input ? output_shape(shape, in[1].shape, a) : output_shape(in[0].shape, shape, a));
            const Shape& dy = in[of_input ? 0 : 1].shape;
            if (forward != dy)
                return shape_error("dy of shape " + to_string(forward), to_string(dy));
            return std::vector<TensorType>{{in[0].dtype, shape}};
        };
}

std::int64_t flops(const Shape& y, const Shape& w) {
    return 2 * element_count(y) * w[0] * w[1] * w[2];
}

} // namespace

void add_convolution_operators(graph::OperatorRegistry& registry) {
    graph::Operator op;
    op.name = "conv2d";
    op.summary =
        "y [batch, h', w', out] = x [batch, h, w, in] * w [kh, kw, in / groups, out] with `strides`, "
        "`padding` (top, left, bottom, right), `dilations` and `groups`.";
    op.infer = [](std::span<const TensorType> in, const Attributes& a) -> Result<std::vector<TensorType>> {
        TRY(expect_inputs(in, 2));
        if (in[0].dtype != in[1].dtype || !is_floating(in[0].dtype))
            return shape_error("two float tensors of one type",
                               to_string(in[0]) + " and " + to_string(in[1]));
        TRY(const auto shape, output_shape(in[0].shape, in[1].shape, a));
        return std::vector<TensorType>{{in[0].dtype, shape}};
    };
    op.gradient = gradient;
    op.compute = compute_forward;
    op.flops = [](std::span<const TensorType> in, std::span<const TensorType> out, const Attributes&) {
        return flops(out[0].shape, in[1].shape);
    };
    registry.add(std::move(op));

    graph::Operator dx;
    dx.name = "conv2d_input_gradient";
    dx.summary = "dx of conv2d from dy and w; `shape` is the shape of x.";
    dx.infer = of_floats(infer_gradient(true));
    dx.gradient = gradient_of_input_gradient; // as a transposed convolution it is part of a forward pass
    dx.compute = compute_input_gradient;
    dx.flops = [](std::span<const TensorType> in, std::span<const TensorType>, const Attributes&) {
        return flops(in[0].shape, in[1].shape);
    };
    registry.add(std::move(dx));

    graph::Operator dw;
    dw.name = "conv2d_filter_gradient";
    dw.summary = "dw of conv2d from x and dy; `shape` is the shape of w.";
    dw.infer = of_floats(infer_gradient(false));
    dw.gradient = gradient_of_filter_gradient;
    dw.compute = compute_filter_gradient;
    dw.flops = [](std::span<const TensorType> in, std::span<const TensorType> out, const Attributes&) {
        return flops(in[1].shape, out[0].shape);
    };
    registry.add(std::move(dw));
}

} // namespace tilescope::operators
