// SPDX-License-Identifier: GPL-3.0-or-later
#include "operation.h"

/// Losses of class probabilities: x [batch, classes, …], classes [batch, …].
namespace tilescope::onnx {
namespace {

using graph::Shape;

/// The value of each position's class: of [batch, classes, …], or of `values` [classes].
OnnxValue at_class(const OnnxOperation& op, const OnnxValue& hit, const OnnxValue& values) {
    const OnnxValue all = broadcast(op, values, hit.shape());
    const OnnxValue zeros = broadcast(op, op.scalar_like(values, 0), hit.shape());
    return reduce(op, "reduce_sum", op.emit("select", {hit, all, zeros}), {1}, false);
}

OnnxValue total(const OnnxOperation& op, const char* kind, const OnnxValue& x) {
    return op.emit(kind, {x});
}

/// -log p of the class, times its weight; positions of class `ignore_index` weigh nothing.
OnnxValue negative_log_likelihood(const OnnxOperation& op, const OnnxValue& log_p, const OnnxValue& classes) {
    if (log_p.rank() < 2 || classes.rank() + 1 != log_p.rank())
        throw OnnxRefusal("classes " + graph::to_string(classes.type) + " do not fit " +
                          graph::to_string(log_p.type));
    const OnnxValue hit = is_class(op, classes, 1, log_p.shape()[1]);
    OnnxValue loss = op.emit("negate", {at_class(op, hit, log_p)});
    std::optional<OnnxValue> weights;
    if (op.has(2)) {
        Shape along(log_p.shape().size() - 1, 1);
        along[0] = log_p.shape()[1];
        weights = at_class(op, hit, reshape(op, op.in(2), along));
    }
    if (op.has_attribute("ignore_index")) {
        const OnnxValue ignored = op.scalar_like(classes, static_cast<double>(op.integer("ignore_index", 0)));
        const OnnxValue counts = cast(op, op.emit("not_equal", {classes, ignored}), log_p.type.dtype);
        weights = weights ? op.emit("multiply", {*weights, counts}) : counts;
    }
    if (weights)
        loss = op.emit("multiply", {loss, *weights});
    const std::string reduction = op.text("reduction", "mean");
    if (reduction == "none")
        return loss;
    if (reduction == "sum")
        return total(op, "reduce_sum", loss);
    if (!weights)
        return total(op, "reduce_mean", loss);
    return op.emit("divide", {total(op, "reduce_sum", loss), total(op, "reduce_sum", *weights)});
}

OnnxValues nll_loss(const OnnxOperation& op) {
    return {negative_log_likelihood(op, op.in(0), op.in(1))};
}

OnnxValues softmax_cross_entropy(const OnnxOperation& op) {
    if (op.in(0).rank() < 2)
        throw OnnxRefusal("expects [batch, classes, …], got " + graph::to_string(op.in(0).type));
    const OnnxValue log_p = axis_back(op, op.emit("log_softmax", {axis_last(op, op.in(0), 1)}), 1);
    return {negative_log_likelihood(op, log_p, op.in(1)), log_p};
}

} // namespace

void add_onnx_losses(OnnxMappings& m) {
    m["NegativeLogLikelihoodLoss"] = nll_loss;
    m["SoftmaxCrossEntropyLoss"] = softmax_cross_entropy;
}

} // namespace tilescope::onnx
