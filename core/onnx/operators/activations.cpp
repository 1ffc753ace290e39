// SPDX-License-Identifier: GPL-3.0-or-later
#include "operation.h"
#include "operators/elementwise.h"

#include <random>

/// Activation functions, by their formulas in ONNX's operator reference.
namespace tilescope::onnx {
namespace {

using graph::Shape;

OnnxMapping plain(const std::string& kind) {
    return [kind](const OnnxOperation& op) -> OnnxValues { return {op.emit(kind, {op.in(0)})}; };
}

OnnxMapping with_alpha(const char* kind, double otherwise) {
    return [kind, otherwise](const OnnxOperation& op) -> OnnxValues {
        return {op.emit(kind, {op.in(0)}, {{"alpha", op.real("alpha", otherwise)}})};
    };
}

OnnxValue positive_part(const OnnxOperation& op, const OnnxValue& x) {
    return op.emit("maximum", {x, op.scalar_like(x, 0)});
}
OnnxValue negative_part(const OnnxOperation& op, const OnnxValue& x) {
    return op.emit("minimum", {x, op.scalar_like(x, 0)});
}
OnnxValue scaled(const OnnxOperation& op, const OnnxValue& x, double factor) {
    return op.emit("multiply", {x, op.scalar_like(x, factor)});
}

/// alpha x + beta, cut to [0, 1].
OnnxValue hard_sigmoid_of(const OnnxOperation& op, const OnnxValue& x, double alpha, double beta) {
    const OnnxValue line = op.emit("add", {scaled(op, x, alpha), op.scalar_like(x, beta)});
    return op.emit("minimum", {positive_part(op, line), op.scalar_like(x, 1)});
}

OnnxValues hard_sigmoid(const OnnxOperation& op) {
    return {hard_sigmoid_of(op, op.in(0), op.real("alpha", 0.2), op.real("beta", 0.5))};
}

OnnxValues hard_swish(const OnnxOperation& op) {
    return {op.emit("multiply", {op.in(0), hard_sigmoid_of(op, op.in(0), 1.0 / 6.0, 0.5)})};
}

/// max(0, x) + min(0, alpha (exp(x / alpha) - 1))
OnnxValues celu(const OnnxOperation& op) {
    const double alpha = op.real("alpha", 1.0);
    const OnnxValue below = op.emit("elu", {scaled(op, negative_part(op, op.in(0)), 1.0 / alpha)});
    return {op.emit("add", {positive_part(op, op.in(0)), scaled(op, below, alpha)})};
}

OnnxValues selu(const OnnxOperation& op) {
    const double alpha = op.real("alpha", op.opset < 6 ? 1.6732 : 1.67326319217681884765625);
    const double gamma = op.real("gamma", op.opset < 6 ? 1.0507 : 1.05070102214813232421875);
    return {scaled(op, op.emit("elu", {op.in(0)}, {{"alpha", alpha}}), gamma)};
}

OnnxValues thresholded_relu(const OnnxOperation& op) {
    const OnnxValue& x = op.in(0);
    const OnnxValue above = op.emit("greater", {x, op.scalar_like(x, op.real("alpha", 1.0))});
    return {op.emit("multiply", {x, cast(op, above, x.type.dtype)})};
}

/// Before opset 7 the slope has one value for each channel, dimension 1.
OnnxValues prelu(const OnnxOperation& op) {
    const OnnxValue& x = op.in(0);
    OnnxValue slope = op.in(1);
    if (op.opset < 7 && slope.rank() == 1 && slope.shape()[0] > 1 && x.rank() > 2) {
        Shape shape(x.shape().size() - 1, 1);
        shape[0] = slope.shape()[0];
        slope = reshape(op, slope, shape);
    }
    return {op.emit("add", {positive_part(op, x), op.emit("multiply", {slope, negative_part(op, x)})})};
}

/// The mask of ONNX's reference implementation: kept where NumPy's generator, seeded anew for each run, draws
/// at least the ratio. Its numbers have 53 bits, of two draws of a Mersenne twister.
graph::HostTensor reference_mask(const Shape& shape, std::int64_t seed, double ratio) {
    std::mt19937 generator(static_cast<std::uint32_t>(seed));
    graph::HostTensor mask(graph::TensorType{graph::DType::Bool, shape});
    for (std::int64_t i = 0; i < mask.elements(); ++i) {
        const double high = generator() >> 5;
        const double low = generator() >> 6;
        mask.set(i, (high * 67108864.0 + low) / 9007199254740992.0 >= ratio ? 1 : 0);
    }
    return mask;
}

/// Passes its input on, but for nodes of opset 12 and later that ask for training; older ones leave that to
/// whoever runs them, and this is an inference.
OnnxValues dropout(const OnnxOperation& op) {
    const OnnxValue& x = op.in(0);
    const bool training = op.opset >= 12 && op.has(2) && op.known_integer(2) != 0;
    const double ratio = op.has(1) && training ? op.known_real(1) : 0.5;
    if (!training || ratio == 0)
        return {x, broadcast(op, op.graph.scalar(1, graph::DType::Bool), x.shape())};
    if (!op.has_attribute("seed") || !(ratio > 0 && ratio < 1))
        throw OnnxRefusal("trains without a seed, or with a ratio that is not below 1",
                          "give it a seed, or export the model for inference");
    const OnnxValue mask = op.graph.known(reference_mask(x.shape(), op.integer("seed", 0), ratio));
    const OnnxValue kept = op.emit("multiply", {x, cast(op, mask, x.type.dtype)});
    return {scaled(op, kept, 1 / (1 - ratio)), mask};
}

} // namespace

void add_onnx_activations(OnnxMappings& m) {
    for (const operators::UnaryFunction& function : operators::unary_functions())
        if (!function.onnx.empty())
            m[function.onnx] = plain(function.name);
    m["Elu"] = with_alpha("elu", 1.0);
    m["LeakyRelu"] = with_alpha("leaky_relu", 0.01);
    m["HardSigmoid"] = hard_sigmoid;
    m["HardSwish"] = hard_swish;
    m["Celu"] = celu;
    m["Selu"] = selu;
    m["ThresholdedRelu"] = thresholded_relu;
    m["PRelu"] = prelu;
    m["Dropout"] = dropout;
}

} // namespace tilescope::onnx
