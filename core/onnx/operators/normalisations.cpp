// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/try.h"
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
Result<OnnxValue> per_channel(const OnnxOperation& op, const Result<OnnxValue>& made, const OnnxValue& x) {
    TRY(const OnnxValue values, made);
    Shape shape(static_cast<std::size_t>(std::max<std::int64_t>(x.rank() - 1, 1)), 1);
    shape[0] = values.type.elements();
    return reshape(op, values, shape);
}

Result<OnnxValue> in_float(const OnnxOperation& op, const Result<OnnxValue>& x) {
    return cast(op, x, graph::DType::Float32);
}

/// The same beside what `moments` gives.
Result<OnnxValue> scale_of(const OnnxOperation& op, const Result<OnnxValue>& made, const OnnxValue& x) {
    return per_channel(op, in_float(op, made), x);
}

struct Moments {
    OnnxValue centred, mean, variance;
};

/// In float32, as stash_type has it where it is not given: squares of halves soon do not fit a half.
Result<Moments> moments(const OnnxOperation& op, const OnnxValue& given, const Integers& axes) {
    TRY(const OnnxValue x, in_float(op, given));
    TRY(const OnnxValue mean, reduce(op, "reduce_mean", x, axes, true));
    TRY(const OnnxValue centred, op.emit("subtract", {x, mean}));
    TRY(const OnnxValue variance,
        reduce(op, "reduce_mean", op.emit("multiply", {centred, centred}), axes, true));
    return Moments{centred, mean, variance};
}

Result<OnnxValue> inverse_deviation(const OnnxOperation& op, const Result<OnnxValue>& made, double epsilon) {
    TRY(const OnnxValue variance, made);
    return op.emit("rsqrt", {op.emit("add", {variance, op.scalar_like(variance, epsilon)})});
}

/// The running statistics after `now`, that of the batch.
Result<OnnxValue> blend(const OnnxOperation& op, const Result<OnnxValue>& running, const OnnxValue& now,
                        double momentum) {
    TRY(const OnnxValue old, running);
    TRY(const OnnxValue fresh, reshape(op, cast(op, now, old.type.dtype), old.shape()));
    return op.emit("add", {op.emit("multiply", {old, op.scalar_like(old, momentum)}),
                           op.emit("multiply", {fresh, op.scalar_like(fresh, 1 - momentum)})});
}

/// With the statistics of the batch, and the running ones as further outputs.
Result<OnnxValues> trained_batch_normalisation(const OnnxOperation& op) {
    TRY(const OnnxValue x, op.in(0));
    Integers axes = axes_from(0, x.rank());
    axes.erase(axes.begin() + 1);
    TRY(const Moments m, moments(op, x, axes));
    TRY(const OnnxValue factor,
        op.emit("multiply",
                {inverse_deviation(op, m.variance, op.real("epsilon", 1e-5)), scale_of(op, op.in(1), x)}));
    TRY(const OnnxValue y,
        op.emit("add", {op.emit("multiply", {m.centred, factor}), scale_of(op, op.in(2), x)}));
    const double momentum = op.real("momentum", 0.9);
    return values_of({cast(op, y, x.type.dtype), blend(op, op.in(3), m.mean, momentum),
                      blend(op, op.in(4), m.variance, momentum)});
}

/// One scale and one shift for each channel, worked out beforehand where the statistics are known.
Result<OnnxValues> batch_normalisation(const OnnxOperation& op) {
    TRY(const OnnxValue x, op.in(0));
    if (x.rank() < 2)
        return refused("expects channels in dimension 1, got " + graph::to_string(x.type));
    if (op.opset < 9 && !op.flag("spatial", true))
        return unsupported("statistics for each place are not supported", "export the model with spatial 1");
    if (op.opset >= 14 && op.flag("training_mode", false))
        return trained_batch_normalisation(op);
    TRY(const OnnxValue scale,
        op.emit("multiply", {op.in(1), inverse_deviation(op, op.in(4), op.real("epsilon", 1e-5))}));
    TRY(const OnnxValue shift, op.emit("subtract", {op.in(2), op.emit("multiply", {op.in(3), scale})}));
    TRY(const OnnxValue y, op.emit("multiply", {x, per_channel(op, scale, x)}));
    return values_of({op.emit("add", {y, per_channel(op, shift, x)})});
}

Result<OnnxValues> instance_normalisation(const OnnxOperation& op) {
    TRY(const OnnxValue x, op.in(0));
    TRY(const Moments m, moments(op, x, axes_from(2, x.rank())));
    TRY(const OnnxValue factor,
        op.emit("multiply",
                {inverse_deviation(op, m.variance, op.real("epsilon", 1e-5)), scale_of(op, op.in(1), x)}));
    TRY(const OnnxValue y,
        op.emit("add", {op.emit("multiply", {m.centred, factor}), scale_of(op, op.in(2), x)}));
    return values_of({cast(op, y, x.type.dtype)});
}

/// Scale and shift have a value for each group in opset 18, for each channel from 21 on.
Result<OnnxValues> group_normalisation(const OnnxOperation& op) {
    TRY(const OnnxValue x, op.in(0));
    const std::int64_t groups = op.integer("num_groups", 0);
    op.integer("stash_type", 1); // no less than it asks for: see moments
    if (x.rank() < 2 || groups < 1 || x.shape()[1] % groups != 0)
        return refused("the channels of " + graph::to_string(x.type) + " are not cut into " +
                       std::to_string(groups) + " groups");
    const std::int64_t channels = x.shape()[1] / groups;
    const std::int64_t places = graph::element_count(Shape(x.shape().begin() + 2, x.shape().end()));
    const bool of_channels = op.opset >= 21;
    const Shape each{groups, of_channels ? channels : 1, 1};
    TRY(const OnnxValue apart, reshape(op, x, {x.shape()[0], groups, channels, places}));
    TRY(const Moments m, moments(op, apart, {2, 3}));
    TRY(const OnnxValue factor,
        op.emit("multiply", {inverse_deviation(op, m.variance, op.real("epsilon", 1e-5)),
                             reshape(op, in_float(op, op.in(1)), each)}));
    TRY(const OnnxValue y, op.emit("add", {op.emit("multiply", {m.centred, factor}),
                                           reshape(op, in_float(op, op.in(2)), each)}));
    return values_of({reshape(op, cast(op, y, x.type.dtype), x.shape())});
}

Result<OnnxValues> layer_normalisation(const OnnxOperation& op) {
    TRY(const OnnxValue x, op.in(0));
    TRY(const std::size_t axis, axis_of(op.integer("axis", -1), x.rank()));
    TRY(const Moments m, moments(op, x, axes_from(static_cast<std::int64_t>(axis), x.rank())));
    TRY(const OnnxValue factor, inverse_deviation(op, m.variance, op.real("epsilon", 1e-5)));
    op.integer("stash_type", 1); // no less than it asks for: see moments
    TRY(const OnnxValue normal, cast(op, op.emit("multiply", {m.centred, factor}), x.type.dtype));
    TRY(OnnxValue y, op.emit("multiply", {normal, op.in(1)}));
    if (op.has(2)) {
        TRY(y, op.emit("add", {y, op.in(2)}));
    }
    return values_of({y, m.mean, factor});
}

Result<OnnxValues> mean_variance_normalisation(const OnnxOperation& op) {
    TRY(const OnnxValue x, op.in(0));
    TRY(const Moments m, (moments(op, x, op.integers("axes", {0, 2, 3}))));
    TRY(const OnnxValue deviation, op.emit("sqrt", {m.variance}));
    TRY(const OnnxValue y,
        op.emit("divide", {m.centred, op.emit("add", {deviation, op.scalar_like(deviation, 1e-9)})}));
    return values_of({cast(op, y, x.type.dtype)});
}

/// x / (bias + alpha mean(x^2 over `size` channels)) ^ beta; the mean is a pooling whose rows are channels.
Result<OnnxValues> local_response_normalisation(const OnnxOperation& op) {
    TRY(const OnnxValue x, op.in(0));
    const std::int64_t size = op.integer("size", 1);
    if (x.rank() < 2 || size < 1)
        return refused("expects channels in dimension 1 and a size of at least 1");
    const std::int64_t positions = graph::element_count(Shape(x.shape().begin() + 2, x.shape().end()));
    TRY(const OnnxValue squares,
        reshape(op, op.emit("multiply", {x, x}), {x.shape()[0], x.shape()[1], positions, 1}));
    TRY(const OnnxValue means, op.emit("average_pool2d", {squares},
                                       {{"window", Integers{size, 1}},
                                        {"padding", Integers{(size - 1) / 2, 0, size / 2, 0}},
                                        {"count_include_pad", true}}));
    TRY(const OnnxValue scaled,
        op.emit("add", {op.emit("multiply", {means, op.scalar_like(x, op.real("alpha", 1e-4))}),
                        op.scalar_like(x, op.real("bias", 1.0))}));
    TRY(const OnnxValue powers, op.emit("power", {scaled, op.scalar_like(x, op.real("beta", 0.75))}));
    return values_of({op.emit("divide", {x, reshape(op, powers, x.shape())})});
}

/// x over its norm along one axis.
Result<OnnxValues> lp_normalisation(const OnnxOperation& op) {
    TRY(const OnnxValue given, op.in(0));
    TRY(const OnnxValue x, in_float(op, given));
    TRY(const std::size_t last, axis_of(op.integer("axis", -1), x.rank()));
    const auto axis = static_cast<std::int64_t>(last);
    if (op.integer("p", 2) == 1)
        return values_of(
            {cast(op, op.emit("divide", {x, reduce(op, "reduce_sum", op.emit("abs", {x}), {axis}, true)}),
                  given.type.dtype)});
    TRY(const OnnxValue squares, reduce(op, "reduce_sum", op.emit("multiply", {x, x}), {axis}, true));
    return values_of({cast(op, op.emit("divide", {x, op.emit("sqrt", {squares})}), given.type.dtype)});
}

} // namespace

void add_onnx_normalisations(OnnxMappings& m) {
    m["BatchNormalization"] = batch_normalisation;
    m["InstanceNormalization"] = instance_normalisation;
    m["GroupNormalization"] = group_normalisation;
    m["LayerNormalization"] = layer_normalisation;
    m["MeanVarianceNormalization"] = mean_variance_normalisation;
    m["LRN"] = local_response_normalisation;
    m["LpNormalization"] = lp_normalisation;
}

} // namespace tilescope::onnx
