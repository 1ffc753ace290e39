// SPDX-License-Identifier: GPL-3.0-or-later
#include "operation.h"

#include <algorithm>
#include <numeric>

/// Normalisations, made of reductions and elementwise operations.
namespace tilescope::onnx {
namespace {

using graph::Shape;

Integers axes_from(std::int64_t first, std::int64_t rank) {
    Integers axes;
    for (std::int64_t d = first; d < rank; ++d)
        axes.push_back(d);
    return axes;
}

/// A value for each channel, dimension 1, in the shape that broadcasts over x.
OnnxValue per_channel(const OnnxOperation& op, const OnnxValue& values, const OnnxValue& x) {
    Shape shape(static_cast<std::size_t>(std::max<std::int64_t>(x.rank() - 1, 1)), 1);
    shape[0] = values.type.elements();
    return reshape(op, values, shape);
}

struct Moments {
    OnnxValue centred, mean, variance;
};

Moments moments(const OnnxOperation& op, const OnnxValue& x, const Integers& axes) {
    const OnnxValue mean = reduce(op, "reduce_mean", x, axes, true);
    const OnnxValue centred = op.emit("subtract", {x, mean});
    return {centred, mean, reduce(op, "reduce_mean", op.emit("multiply", {centred, centred}), axes, true)};
}

OnnxValue inverse_deviation(const OnnxOperation& op, const OnnxValue& variance, double epsilon) {
    return op.emit("rsqrt", {op.emit("add", {variance, op.scalar_like(variance, epsilon)})});
}

OnnxValue blend(const OnnxOperation& op, const OnnxValue& old, const OnnxValue& now, double momentum) {
    return op.emit("add", {op.emit("multiply", {old, op.scalar_like(old, momentum)}),
                           op.emit("multiply", {now, op.scalar_like(now, 1 - momentum)})});
}

/// With the statistics of the batch, and the running ones as further outputs.
OnnxValues trained_batch_normalisation(const OnnxOperation& op) {
    const OnnxValue& x = op.in(0);
    Integers axes = axes_from(0, x.rank());
    axes.erase(axes.begin() + 1);
    const Moments m = moments(op, x, axes);
    const OnnxValue factor = op.emit("multiply", {inverse_deviation(op, m.variance, op.real("epsilon", 1e-5)),
                                                  per_channel(op, op.in(1), x)});
    const OnnxValue y =
        op.emit("add", {op.emit("multiply", {m.centred, factor}), per_channel(op, op.in(2), x)});
    const double momentum = op.real("momentum", 0.9);
    return {y, blend(op, op.in(3), reshape(op, m.mean, op.in(3).shape()), momentum),
            blend(op, op.in(4), reshape(op, m.variance, op.in(4).shape()), momentum)};
}

/// One scale and one shift for each channel, worked out beforehand where the statistics are known.
OnnxValues batch_normalisation(const OnnxOperation& op) {
    const OnnxValue& x = op.in(0);
    if (x.rank() < 2)
        throw OnnxRefusal("expects channels in dimension 1, got " + graph::to_string(x.type));
    if (op.opset >= 14 && op.flag("training_mode", false))
        return trained_batch_normalisation(op);
    const OnnxValue scale =
        op.emit("multiply", {op.in(1), inverse_deviation(op, op.in(4), op.real("epsilon", 1e-5))});
    const OnnxValue shift = op.emit("subtract", {op.in(2), op.emit("multiply", {op.in(3), scale})});
    const OnnxValue y = op.emit("multiply", {x, per_channel(op, scale, x)});
    return {op.emit("add", {y, per_channel(op, shift, x)})};
}

OnnxValues instance_normalisation(const OnnxOperation& op) {
    const OnnxValue& x = op.in(0);
    const Moments m = moments(op, x, axes_from(2, x.rank()));
    const OnnxValue factor = op.emit("multiply", {inverse_deviation(op, m.variance, op.real("epsilon", 1e-5)),
                                                  per_channel(op, op.in(1), x)});
    return {op.emit("add", {op.emit("multiply", {m.centred, factor}), per_channel(op, op.in(2), x)})};
}

OnnxValues layer_normalisation(const OnnxOperation& op) {
    const OnnxValue& x = op.in(0);
    const auto axis = static_cast<std::int64_t>(axis_of(op.integer("axis", -1), x.rank()));
    const Moments m = moments(op, x, axes_from(axis, x.rank()));
    const OnnxValue factor = inverse_deviation(op, m.variance, op.real("epsilon", 1e-5));
    OnnxValue y = op.emit("multiply", {op.emit("multiply", {m.centred, factor}), op.in(1)});
    if (op.has(2))
        y = op.emit("add", {y, op.in(2)});
    return {y, m.mean, factor};
}

OnnxValues mean_variance_normalisation(const OnnxOperation& op) {
    const Moments m = moments(op, op.in(0), op.integers("axes", {0, 2, 3}));
    const OnnxValue deviation = op.emit("sqrt", {m.variance});
    return {op.emit("divide", {m.centred, op.emit("add", {deviation, op.scalar_like(deviation, 1e-9)})})};
}

/// x / (bias + alpha mean(x^2 over `size` channels)) ^ beta; the mean is a pooling whose rows are channels.
OnnxValues local_response_normalisation(const OnnxOperation& op) {
    const OnnxValue& x = op.in(0);
    const std::int64_t size = op.integer("size", 1);
    if (x.rank() < 2 || size < 1)
        throw OnnxRefusal("expects channels in dimension 1 and a size of at least 1");
    const std::int64_t positions = graph::element_count(Shape(x.shape().begin() + 2, x.shape().end()));
    const OnnxValue squares =
        reshape(op, op.emit("multiply", {x, x}), {x.shape()[0], x.shape()[1], positions, 1});
    const OnnxValue means = op.emit("average_pool2d", {squares},
                                    {{"window", Integers{size, 1}},
                                     {"padding", Integers{(size - 1) / 2, 0, size / 2, 0}},
                                     {"count_include_pad", true}});
    const OnnxValue scaled =
        op.emit("add", {op.emit("multiply", {means, op.scalar_like(x, op.real("alpha", 1e-4))}),
                        op.scalar_like(x, op.real("bias", 1.0))});
    const OnnxValue powers = op.emit("power", {scaled, op.scalar_like(x, op.real("beta", 0.75))});
    return {op.emit("divide", {x, reshape(op, powers, x.shape())})};
}

/// x over its norm along one axis.
OnnxValues lp_normalisation(const OnnxOperation& op) {
    const OnnxValue& x = op.in(0);
    const auto axis = static_cast<std::int64_t>(axis_of(op.integer("axis", -1), x.rank()));
    if (op.integer("p", 2) == 1)
        return {op.emit("divide", {x, reduce(op, "reduce_sum", op.emit("abs", {x}), {axis}, true)})};
    const OnnxValue squares = reduce(op, "reduce_sum", op.emit("multiply", {x, x}), {axis}, true);
    return {op.emit("divide", {x, op.emit("sqrt", {squares})})};
}

} // namespace

void add_onnx_normalisations(OnnxMappings& m) {
    m["BatchNormalization"] = batch_normalisation;
    m["InstanceNormalization"] = instance_normalisation;
    m["LayerNormalization"] = layer_normalisation;
    m["MeanVarianceNormalization"] = mean_variance_normalisation;
    m["LRN"] = local_response_normalisation;
    m["LpNormalization"] = lp_normalisation;
}

} // namespace tilescope::onnx
