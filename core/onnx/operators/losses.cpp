// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/try.h"
#include "operation.h"

/// Losses of class probabilities: x [batch, classes, …], classes [batch, …].
namespace tilescope::onnx {
namespace {

using graph::Shape;

/// The value of each position's class: of [batch, classes, …], or of `values` [classes].
Result<OnnxValue> at_class(const OnnxOperation& op, const OnnxValue& hit, const Result<OnnxValue>& made) {
    TRY(const OnnxValue values, made);
    TRY(const OnnxValue all, broadcast(op, values, hit.shape()));
    TRY(const OnnxValue zeros, broadcast(op, op.scalar_like(values, 0), hit.shape()));
    return reduce(op, "reduce_sum", op.emit("select", {hit, all, zeros}), {1}, false);
}

Result<OnnxValue> total(const OnnxOperation& op, const char* kind, const OnnxValue& x) {
    return op.emit(kind, {x});
}

/// -log p of the class, times its weight; positions of class `ignore_index` weigh nothing.
Result<OnnxValue> negative_log_likelihood(const OnnxOperation& op, const OnnxValue& log_p,
                                          const OnnxValue& classes) {
    if (log_p.rank() < 2 || classes.rank() + 1 != log_p.rank())
        return refused("classes " + graph::to_string(classes.type) + " do not fit " +
                       graph::to_string(log_p.type));
    TRY(const OnnxValue hit, is_class(op, classes, 1, log_p.shape()[1]));
    TRY(OnnxValue loss, op.emit("negate", {at_class(op, hit, log_p)}));
    std::optional<OnnxValue> weights;
    if (op.has(2)) {
        Shape along(log_p.shape().size() - 1, 1);
        along[0] = log_p.shape()[1];
        TRY(weights, at_class(op, hit, reshape(op, op.in(2), along)));
    }
    if (op.has_attribute("ignore_index")) {
        const OnnxValue ignored = op.scalar_like(classes, static_cast<double>(op.integer("ignore_index", 0)));
        TRY(const OnnxValue counts, cast(op, op.emit("not_equal", {classes, ignored}), log_p.type.dtype));
        TRY(weights, weights ? op.emit("multiply", {*weights, counts}) : counts);
    }
    if (weights) {
        TRY(loss, op.emit("multiply", {loss, *weights}));
    }
    const std::string reduction = op.text("reduction", "mean");
    if (reduction == "none")
        return loss;
    if (reduction == "sum")
        return total(op, "reduce_sum", loss);
    if (!weights)
        return total(op, "reduce_mean", loss);
    return op.emit("divide", {total(op, "reduce_sum", loss), total(op, "reduce_sum", *weights)});
}

Result<OnnxValues> nll_loss(const OnnxOperation& op) {
    TRY(const OnnxValue log_p, op.in(0));
    TRY(const OnnxValue classes, op.in(1));
    return values_of({negative_log_likelihood(op, log_p, classes)});
}

Result<OnnxValues> softmax_cross_entropy(const OnnxOperation& op) {
    TRY(const OnnxValue x, op.in(0));
    TRY(const OnnxValue classes, op.in(1));
    if (x.rank() < 2)
        return refused("expects [batch, classes, …], got " + graph::to_string(x.type));
    TRY(const OnnxValue log_p, axis_back(op, op.emit("log_softmax", {axis_last(op, x, 1)}), 1));
    return values_of({negative_log_likelihood(op, log_p, classes), log_p});
}

} // namespace

void add_onnx_losses(OnnxMappings& m) {
    m["NegativeLogLikelihoodLoss"] = nll_loss;
    m["SoftmaxCrossEntropyLoss"] = softmax_cross_entropy;
}

} // namespace tilescope::onnx
