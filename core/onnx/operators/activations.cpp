// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/try.h"
#include "operation.h"
#include "operators/elementwise.h"

#include <random>

/// Activation functions, by their formulas in ONNX's operator reference.
namespace tilescope::onnx {
namespace {

using graph::Shape;

OnnxMapping plain(const std::string& kind) {
    return [kind](const OnnxOperation& op) -> Result<OnnxValues> {
        return values_of({op.emit(kind, {op.in(0)})});
    };
}

OnnxMapping with_alpha(const char* kind, double otherwise) {
    return [kind, otherwise](const OnnxOperation& op) -> Result<OnnxValues> {
        return values_of({op.emit(kind, {op.in(0)}, {{"alpha", op.real("alpha", otherwise)}})});
    };
}

Result<OnnxValue> positive_part(const OnnxOperation& op, const Result<OnnxValue>& x) {
    return with(op, "maximum", x, 0);
}
Result<OnnxValue> negative_part(const OnnxOperation& op, const Result<OnnxValue>& x) {
    return with(op, "minimum", x, 0);
}
Result<OnnxValue> scaled(const OnnxOperation& op, const Result<OnnxValue>& x, double factor) {
    return with(op, "multiply", x, factor);
}

Result<OnnxValues> gelu(const OnnxOperation& op) {
    const std::string approximate = op.text("approximate", "none");
    if (approximate != "none" && approximate != "tanh")
        return unsupported("approximate \"" + approximate + "\" is not supported", "use none or tanh");
    return values_of({op.emit(approximate == "none" ? "gelu" : "gelu_tanh", {op.in(0)})});
}

/// alpha x + beta, cut to [0, 1].
Result<OnnxValue> hard_sigmoid_of(const OnnxOperation& op, const Result<OnnxValue>& x, double alpha,
                                  double beta) {
    const auto line = with(op, "add", scaled(op, x, alpha), beta);
    return with(op, "minimum", positive_part(op, line), 1);
}

Result<OnnxValues> hard_sigmoid(const OnnxOperation& op) {
    return values_of({hard_sigmoid_of(op, op.in(0), op.real("alpha", 0.2), op.real("beta", 0.5))});
}

Result<OnnxValues> hard_swish(const OnnxOperation& op) {
    return values_of({op.emit("multiply", {op.in(0), hard_sigmoid_of(op, op.in(0), 1.0 / 6.0, 0.5)})});
}

/// max(0, x) + min(0, alpha (exp(x / alpha) - 1))
Result<OnnxValues> celu(const OnnxOperation& op) {
    const double alpha = op.real("alpha", 1.0);
    TRY(const OnnxValue below, op.emit("elu", {scaled(op, negative_part(op, op.in(0)), 1.0 / alpha)}));
    return values_of({op.emit("add", {positive_part(op, op.in(0)), scaled(op, below, alpha)})});
}

Result<OnnxValues> selu(const OnnxOperation& op) {
    const double alpha = op.real("alpha", op.opset < 6 ? 1.6732 : 1.67326319217681884765625);
    const double gamma = op.real("gamma", op.opset < 6 ? 1.0507 : 1.05070102214813232421875);
    return values_of({scaled(op, op.emit("elu", {op.in(0)}, {{"alpha", alpha}}), gamma)});
}

Result<OnnxValues> thresholded_relu(const OnnxOperation& op) {
    TRY(const OnnxValue x, op.in(0));
    TRY(const OnnxValue above, op.emit("greater", {x, op.scalar_like(x, op.real("alpha", 1.0))}));
    return values_of({op.emit("select", {above, x, op.scalar_like(x, 0)})});
}

/// Before opset 7 the slope has one value for each channel, dimension 1.
Result<OnnxValues> prelu(const OnnxOperation& op) {
    TRY(const OnnxValue x, op.in(0));
    TRY(OnnxValue slope, op.in(1));
    if (op.opset < 7 && slope.rank() == 1 && slope.shape()[0] > 1 && x.rank() > 2) {
        Shape shape(x.shape().size() - 1, 1);
        shape[0] = slope.shape()[0];
        TRY(slope, reshape(op, slope, shape));
    }
    return values_of(
        {op.emit("add", {positive_part(op, x), op.emit("multiply", {slope, negative_part(op, x)})})});
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
Result<OnnxValues> dropout(const OnnxOperation& op) {
    TRY(const OnnxValue x, op.in(0));
    TRY(const std::int64_t training, op.opset >= 12 && op.has(2) ? op.known_integer(2) : 0);
    TRY(const double ratio, op.has(1) && training != 0 ? op.known_real(1) : 0.5);
    if (training == 0 || ratio == 0)
        return values_of({x, broadcast(op, op.graph.scalar(1, graph::DType::Bool), x.shape())});
    if (!op.has_attribute("seed") || !(ratio > 0 && ratio < 1))
        return refused("trains without a seed, or with a ratio that is not below 1",
                       "give it a seed, or export the model for inference");
    const OnnxValue mask = op.graph.known(reference_mask(x.shape(), op.integer("seed", 0), ratio));
    TRY(const OnnxValue kept, op.emit("multiply", {x, cast(op, mask, x.type.dtype)}));
    return values_of({scaled(op, kept, 1 / (1 - ratio)), mask});
}

} // namespace

void add_onnx_activations(OnnxMappings& m) {
    for (const operators::UnaryFunction& function : operators::unary_functions())
        if (!function.onnx.empty())
            m[function.onnx] = plain(function.name);
    m["Gelu"] = gelu;
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
