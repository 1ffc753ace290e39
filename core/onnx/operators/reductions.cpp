// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/try.h"
#include "operation.h"

#include <limits>
#include <numeric>

/// Reductions and the softmax family.
namespace tilescope::onnx {
namespace {

using graph::Shape;

using Step = Result<OnnxValue> (*)(const OnnxOperation&, const Result<OnnxValue>&);

Result<OnnxValue> as_is(const OnnxOperation&, const Result<OnnxValue>& x) {
    return x;
}
Result<OnnxValue> absolute(const OnnxOperation& op, const Result<OnnxValue>& x) {
    return op.emit("abs", {x});
}
Result<OnnxValue> squared(const OnnxOperation& op, const Result<OnnxValue>& x) {
    return op.emit("multiply", {x, x});
}
Result<OnnxValue> root(const OnnxOperation& op, const Result<OnnxValue>& x) {
    return op.emit("sqrt", {x});
}
Result<OnnxValue> logarithm(const OnnxOperation& op, const Result<OnnxValue>& x) {
    return op.emit("log", {x});
}

/// Axes are an attribute or, from opset 13 or 18 on, an input. Without any, all of them go, or none with
/// `noop_with_empty_axes`. Empty: nothing is reduced.
Result<Integers> reduced_axes(const OnnxOperation& op) {
    TRY(Integers axes, op.integers_or_input("axes", 1));
    if (!axes.empty() || op.flag("noop_with_empty_axes", false))
        return axes;
    TRY(const OnnxValue x, op.in(0));
    axes.resize(x.shape().size());
    std::iota(axes.begin(), axes.end(), 0);
    return axes;
}

/// What a reduction of no elements gives, as opset 20 has it.
double of_nothing(const std::string& kind, graph::DType dtype) {
    const bool whole = dtype == graph::DType::Int32;
    const double highest =
        whole ? std::numeric_limits<std::int32_t>::max() : std::numeric_limits<double>::infinity();
    const double lowest = whole ? std::numeric_limits<std::int32_t>::min() : -highest;
    return kind == "reduce_max"    ? lowest
           : kind == "reduce_min"  ? highest
           : kind == "reduce_prod" ? 1
           : kind == "reduce_mean" ? std::numeric_limits<double>::quiet_NaN()
                                   : 0;
}

/// x, which has no elements, reduced over `axes`.
Result<OnnxValue> reduced_nothing(const OnnxOperation& op, const std::string& kind, const OnnxValue& x,
                                  const Integers& axes) {
    std::vector<bool> gone(x.shape().size(), false);
    for (const std::int64_t axis : axes) {
        TRY(const std::size_t d, axis_of(axis, x.rank()));
        gone[d] = true;
    }
    Shape shape;
    for (std::size_t d = 0; d < gone.size(); ++d)
        if (!gone[d] || op.flag("keepdims", true))
            shape.push_back(gone[d] ? 1 : x.shape()[d]);
    graph::HostTensor values(graph::TensorType{x.type.dtype, shape});
    for (std::int64_t i = 0; i < values.elements(); ++i)
        values.set(i, of_nothing(kind, x.type.dtype));
    return op.graph.known(values);
}

OnnxMapping reduction(const char* kind, Step before = as_is, Step after = as_is) {
    return [kind, before, after](const OnnxOperation& op) -> Result<OnnxValues> {
        TRY(const Integers axes, reduced_axes(op));
        TRY(const OnnxValue given, op.in(0));
        if (given.type.elements() == 0 && !axes.empty())
            return values_of({after(op, reduced_nothing(op, kind, given, axes))});
        // Where the end is a small number again, what is before it need not fit half precision.
        const bool widens = after != as_is && given.type.dtype == graph::DType::Float16;
        TRY(const OnnxValue x, before(op, widens ? cast(op, given, graph::DType::Float32) : given));
        if (axes.empty())
            return values_of({cast(op, after(op, x), given.type.dtype)});
        return values_of(
            {cast(op, after(op, reduce(op, kind, x, axes, op.flag("keepdims", true))), given.type.dtype)});
    };
}

/// log(sum(exp(x - max))) + max, which does not overflow.
Result<OnnxValues> log_sum_exp(const OnnxOperation& op) {
    TRY(const OnnxValue x, op.in(0));
    TRY(const Integers axes, reduced_axes(op));
    if (axes.empty())
        return values_of({x});
    if (x.type.elements() == 0)
        return values_of({logarithm(op, reduced_nothing(op, "reduce_sum", x, axes))});
    TRY(const OnnxValue most, reduce(op, "reduce_max", x, axes, true));
    // Of infinite ones nothing is taken off: that would not be a number.
    TRY(const OnnxValue finite,
        op.emit("less",
                {op.emit("abs", {most}), op.scalar_like(most, std::numeric_limits<double>::infinity())}));
    TRY(const OnnxValue highest, op.emit("select", {finite, most, op.scalar_like(most, 0)}));
    TRY(const OnnxValue sum,
        reduce(op, "reduce_sum", op.emit("exp", {op.emit("subtract", {x, highest})}), axes, true));
    TRY(const OnnxValue y, op.emit("add", {op.emit("log", {sum}), highest}));
    if (op.flag("keepdims", true))
        return values_of({y});
    return values_of({reduce(op, "reduce_sum", y, axes, false)});
}

/// Along one axis; before opset 13 over all dimensions from the axis on, as one.
OnnxMapping softmax(const char* kind) {
    return [kind](const OnnxOperation& op) -> Result<OnnxValues> {
        TRY(const OnnxValue x, op.in(0));
        if (x.rank() == 0)
            return refused("expects at least one dimension, got " + graph::to_string(x.type));
        TRY(const std::size_t axis, axis_of(op.integer("axis", op.opset < 13 ? 1 : -1), x.rank()));
        if (op.opset >= 13)
            return values_of({axis_back(op, op.emit(kind, {axis_last(op, x, axis)}), axis)});
        const auto cut = x.shape().begin() + static_cast<std::ptrdiff_t>(axis);
        TRY(const OnnxValue rows, reshape(op, x,
                                          {graph::element_count(Shape(x.shape().begin(), cut)),
                                           graph::element_count(Shape(cut, x.shape().end()))}));
        return values_of({reshape(op, op.emit(kind, {rows}), x.shape())});
    };
}

} // namespace

void add_onnx_reductions(OnnxMappings& m) {
    m["ReduceSum"] = reduction("reduce_sum");
    m["ReduceMean"] = reduction("reduce_mean");
    m["ReduceMax"] = reduction("reduce_max");
    m["ReduceMin"] = reduction("reduce_min");
    m["ReduceProd"] = reduction("reduce_prod");
    m["ReduceL1"] = reduction("reduce_sum", absolute);
    m["ReduceL2"] = reduction("reduce_sum", squared, root);
    m["ReduceSumSquare"] = reduction("reduce_sum", squared);
    m["ReduceLogSum"] = reduction("reduce_sum", as_is, logarithm);
    m["ReduceLogSumExp"] = log_sum_exp;
    m["Softmax"] = softmax("softmax");
    m["LogSoftmax"] = softmax("log_softmax");
}

} // namespace tilescope::onnx
