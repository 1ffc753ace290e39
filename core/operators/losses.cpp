// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/try.h"
#include "graph/builder.h"
#include "kernels/kernel_table.h"
#include "operators/families.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace tilescope::operators {
namespace {

using graph::Attributes;
using graph::ComputeContext;
using graph::DType;
using graph::no_value;
using graph::Shape;
using graph::TensorType;
using graph::to_string;
using graph::ValueId;

constexpr float clip = 1e-7F; ///< Keras' backend epsilon: probabilities are kept in [1e-7, 1 - 1e-7]

Result<std::vector<TensorType>> infer_loss(std::span<const TensorType> in, bool sparse) {
    TRY(expect_inputs(in, 2));
    const std::string got = to_string(in[0]) + " and " + to_string(in[1]);
    if (in[0].shape.size() != 2 || !is_floating(in[0].dtype))
        return shape_error("float predictions [batch, classes]", to_string(in[0]));
    if (sparse && (in[1].dtype != DType::Int32 || in[1].shape != Shape{in[0].shape[0]}))
        return shape_error("int32 labels [batch]", got);
    if (!sparse && in[1] != in[0])
        return shape_error("labels like the predictions", got);
    return std::vector<TensorType>{{in[0].dtype, {in[0].shape[0]}}};
}

/// The label of class k of a row: 1 or 0 where labels are classes.
struct Labels {
    const graph::HostTensor& tensor;
    bool sparse;
    std::int64_t classes;
    float at(std::int64_t row, std::int64_t k) const {
        if (sparse)
            return class_of(row) == k ? 1.0F : 0.0F;
        return tensor.floats()[static_cast<std::size_t>(row * classes + k)];
    }
    /// Whether a row's class is one of them. Where it is none, loss and gradient are not a number, as on
    /// every device that XLA compiles for (tf.nn.sparse_softmax_cross_entropy_with_logits).
    bool has_class(std::int64_t row) const {
        return !sparse || (class_of(row) >= 0 && class_of(row) < classes);
    }
    std::int32_t class_of(std::int64_t row) const { return tensor.ints()[static_cast<std::size_t>(row)]; }
};

/// The powers of what each of n logits is below the highest, and their sum.
struct Powers {
    float highest, sum;
};
Powers powers_of(const kernels::KernelTable& table, const float* x, float* powers, std::int64_t n) {
    static const kernels::Binary subtract = kernels::binary_kernel("subtract");
    static const kernels::Unary exp = kernels::unary_kernel("exp");
    const float highest = table.maximum(x, n);
    table.binary(subtract, 0, x, 1, &highest, 0, powers, n);
    table.unary(exp, 0, powers, powers, n);
    return {highest, table.sum(powers, n)};
}

void compute_loss(ComputeContext& c, bool sparse) {
    const std::int64_t classes = c.inputs[0]->shape()[1];
    const auto powers = c.keep([&] { return std::vector<float>(static_cast<std::size_t>(classes)); });
    const Labels labels{*c.inputs[1], sparse, classes};
    const bool from_logits = c.attributes.flag("from_logits");
    for (std::int64_t row = 0; row < c.inputs[0]->shape()[0]; ++row) {
        const float* x = c.inputs[0]->floats().data() + row * classes;
        // log p of class k: (x[k] - highest) - shift from logits, one after the other for the digits; log of
        // the clipped share from probabilities.
        float highest = 0;
        float shift = 0;
        float total = 1;
        if (from_logits) {
            const Powers row_powers = powers_of(c.kernels, x, powers->data(), classes);
            highest = row_powers.highest;
            shift = std::log(row_powers.sum);
        } else if (!sparse) { // Keras divides dense probabilities by their sum
            total = c.kernels.sum(x, classes);
        }
        const auto log_p = [&](std::int64_t k) {
            return from_logits ? (x[k] - highest) - shift
                               : std::log(std::clamp(x[k] / total, clip, 1.0F - clip));
        };
        float loss = labels.has_class(row) ? 0.0F : std::numeric_limits<float>::quiet_NaN();
        if (sparse && labels.has_class(row))
            loss -= log_p(labels.class_of(row));
        for (std::int64_t k = 0; !sparse && k < classes; ++k)
            if (const float label = labels.at(row, k); label != 0.0F)
                loss -= label * log_p(k);
        c.outputs[0]->floats()[static_cast<std::size_t>(row)] = loss;
    }
}

/// From logits: dy (softmax sum(labels) - labels). From probabilities: the derivative of the clipped log.
void compute_gradient(ComputeContext& c, bool sparse) {
    const std::int64_t classes = c.inputs[0]->shape()[1];
    const Labels labels{*c.inputs[1], sparse, classes};
    const bool from_logits = c.attributes.flag("from_logits");
    for (std::int64_t row = 0; row < c.inputs[0]->shape()[0]; ++row) {
        const float* x = c.inputs[0]->floats().data() + row * classes;
        float* dx = c.outputs[0]->floats().data() + row * classes;
        const float dy = c.inputs[2]->floats()[static_cast<std::size_t>(row)];
        if (!labels.has_class(row)) {
            std::fill_n(dx, classes, std::numeric_limits<float>::quiet_NaN());
            continue;
        }
        if (from_logits) {
            const float sum = powers_of(c.kernels, x, dx, classes).sum;
            float weight = sparse ? 1.0F : 0.0F;
            for (std::int64_t k = 0; !sparse && k < classes; ++k)
                weight += labels.at(row, k);
            for (std::int64_t k = 0; k < classes; ++k)
                dx[k] = dx[k] / sum * weight;
            if (sparse)
                dx[labels.class_of(row)] -= 1.0F;
            for (std::int64_t k = 0; k < classes; ++k)
                dx[k] = dy * (sparse ? dx[k] : dx[k] - labels.at(row, k));
            continue;
        }
        const float total = sparse ? 1.0F : c.kernels.sum(x, classes);
        float shared = 0; // what every class gets through the sum that divides
        for (std::int64_t k = 0; k < classes; ++k) {
            const float p = x[k] / total;
            const bool inside = p > clip && p < 1.0F - clip;
            const float slope = inside ? labels.at(row, k) / p : 0.0F;
            dx[k] = -dy * slope / total;
            shared += sparse ? 0.0F : dy * slope * p / total;
        }
        for (std::int64_t k = 0; k < classes; ++k)
            dx[k] += shared;
    }
}

/// -log(p) dy, of the share p of each class, as the loss takes it.
Result<ValueId> by_labels(graph::GradientContext& g) {
    graph::Builder& build = g.build;
    const ValueId x = g.operation.inputs[0];
    const graph::DType dtype = build.type(x).dtype;
    const std::int64_t rows = build.type(x).shape[0];
    TRY(const ValueId column,
        build.emit("reshape", {build.emit("negate", {g.output_gradients[0]})}, {{"shape", Shape{rows, 1}}}));
    if (g.operation.attributes.flag("from_logits"))
        return build.emit("multiply", {build.emit("log_softmax", {x}), column});
    TRY(const ValueId total,
        build.emit("reduce_sum", {x}, {{"axes", std::vector<std::int64_t>{1}}, {"keep_dims", true}}));
    TRY(const ValueId above,
        build.emit("maximum", {build.emit("divide", {x, total}), build.scalar(clip, dtype)}));
    TRY(const ValueId share, build.emit("minimum", {above, build.scalar(1.0F - clip, dtype)}));
    return build.emit("multiply", {build.emit("log", {share}), column});
}

/// Of dy (softmax(x) sum(labels) - labels), from logits, by x, by labels that are computed, and by dy.
Result<std::vector<ValueId>> second_of_logits(graph::GradientContext& g, bool sparse) {
    graph::Builder& build = g.build;
    const graph::Operation& op = g.operation;
    if (!op.attributes.flag("from_logits"))
        return bad_input("operation \"" + op.kind + "\" of probabilities has no gradient", op.name,
                         "take the loss from logits");
    const ValueId x = op.inputs[0];
    const ValueId u = g.output_gradients[0];
    const Shape rows = build.type(op.inputs[2]).shape;
    const graph::Attributes along{{"axes", std::vector<std::int64_t>{1}}, {"keep_dims", false}};
    TRY(ValueId weight,
        build.emit("broadcast_to", {build.scalar(1.0, build.type(x).dtype)}, {{"shape", rows}}));
    TRY(const ValueId of_one, build.emit(op.kind, {x, op.inputs[1], weight}, op.attributes));
    TRY(const ValueId by_dy, build.emit("reduce_sum", {build.emit("multiply", {u, of_one})}, along));
    if (!sparse) {
        TRY(weight, build.emit("reduce_sum", {op.inputs[1]}, along));
    }
    TRY(const ValueId scale, build.emit("multiply", {weight, op.inputs[2]}));
    TRY(const ValueId column, build.emit("reshape", {scale}, {{"shape", Shape{rows[0], 1}}}));
    TRY(const ValueId shares, build.emit("softmax", {x}));
    TRY(const ValueId turned, build.emit("softmax_gradient", {shares, u}));
    TRY(const ValueId by_x, build.emit("multiply", {turned, column}));
    if (sparse || !g.wanted[1])
        return graph::values_of({by_x, no_value, by_dy});
    TRY(const ValueId dy, build.emit("reshape", {op.inputs[2]}, {{"shape", Shape{rows[0], 1}}}));
    TRY(const ValueId meant, build.emit("reduce_sum", {build.emit("multiply", {shares, u})},
                                        {{"axes", std::vector<std::int64_t>{1}}, {"keep_dims", true}}));
    const auto by_labels = build.emit("multiply", {build.emit("subtract", {meant, u}), dy});
    return graph::values_of({by_x, by_labels, by_dy});
}

void add_crossentropy(graph::OperatorRegistry& registry, const std::string& name, bool sparse) {
    graph::Operator op;
    op.name = name;
    op.summary =
        sparse ? "Loss [batch] of predictions [batch, classes] for int32 labels [batch]; `from_logits`."
               : "Loss [batch] of predictions [batch, classes] for labels of that shape; `from_logits`.";
    op.infer = [sparse](std::span<const TensorType> in, const Attributes&) { return infer_loss(in, sparse); };
    op.gradient = [name, sparse](graph::GradientContext& g) -> Result<std::vector<ValueId>> {
        const auto by_x = g.build.emit(name + "_gradient",
                                       {g.operation.inputs[0], g.operation.inputs[1], g.output_gradients[0]},
                                       g.operation.attributes);
        return graph::values_of({by_x, sparse || !g.wanted[1] ? Result<ValueId>(no_value) : by_labels(g)});
    };
    op.compute = [sparse](ComputeContext& c) { compute_loss(c, sparse); };
    op.flops = [](std::span<const TensorType> in, auto, const Attributes&) { return 5 * in[0].elements(); };
    registry.add(std::move(op));

    graph::Operator gradient;
    gradient.name = name + "_gradient";
    gradient.summary =
        "Gradient of " + name + " by the predictions, from predictions, labels and dy [batch].";
    gradient.infer = [sparse](std::span<const TensorType> in,
                              const Attributes&) -> Result<std::vector<TensorType>> {
        TRY(expect_inputs(in, 3));
        TRY(const auto loss, infer_loss(in.first(2), sparse));
        if (in[2] != loss.front())
            return shape_error("dy of type " + to_string(loss.front()), to_string(in[2]));
        return std::vector<TensorType>{in[0]};
    };
    gradient.gradient = [sparse](graph::GradientContext& g) { return second_of_logits(g, sparse); };
    gradient.compute = [sparse](ComputeContext& c) { compute_gradient(c, sparse); };
    gradient.flops = [](std::span<const TensorType> in, auto, const Attributes&) {
        return 5 * in[0].elements();
    };
    registry.add(std::move(gradient));
}

} // namespace

void add_loss_operators(graph::OperatorRegistry& registry) {
    add_crossentropy(registry, "categorical_crossentropy", false);
    add_crossentropy(registry, "sparse_categorical_crossentropy", true);
}

} // namespace tilescope::operators
