// SPDX-License-Identifier: GPL-3.0-or-later
#include "operators/elementwise.h"

#include "base/worker_pool.h"
#include "graph/builder.h"
#include "operators/families.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <tuple>

namespace tilescope::operators {
namespace {

using graph::Attributes;
using graph::Builder;
using graph::ComputeContext;
using graph::DType;
using graph::element_count;
using graph::GradientContext;
using graph::HostTensor;
using graph::no_value;
using graph::Shape;
using graph::TensorType;
using graph::to_string;
using graph::ValueId;
using kernels::Binary;
using kernels::Unary;

constexpr std::size_t grain = 8192; ///< elements for which a thread is worth waking

struct UnaryRow {
    const char* name;
    Unary kind;
    std::optional<Binary> gradient; ///< (x or y, dy)
    bool of_output = false;         ///< the gradient takes the output
    const char* formula;
};

const std::vector<UnaryRow>& unary_rows() {
    static const std::vector<UnaryRow> rows = {
        {"identity", Unary::Identity, {}, false, "x"},
        {"relu", Unary::Relu, Binary::ReluGradient, true, "max(x, 0)"},
        {"relu6", Unary::Relu6, Binary::Relu6Gradient, true, "min(max(x, 0), 6)"},
        {"sigmoid", Unary::Sigmoid, Binary::SigmoidGradient, true, "1 / (1 + exp(-x))"},
        {"tanh", Unary::Tanh, Binary::TanhGradient, true, "tanh(x)"},
        {"exp", Unary::Exp, {}, true, "exp(x)"},
        {"log", Unary::Log, {}, false, "log(x)"},
        {"sqrt", Unary::Sqrt, {}, true, "sqrt(x)"},
        {"rsqrt", Unary::Rsqrt, {}, true, "1 / sqrt(x)"},
        {"reciprocal", Unary::Reciprocal, {}, true, "1 / x"},
        {"negate", Unary::Negate, {}, false, "-x"},
        {"square", Unary::Square, {}, false, "x x"},
        {"abs", Unary::Abs, Binary::AbsGradient, false, "|x|"},
        {"sign", Unary::Sign, {}, false, "-1, 0 or 1"},
        {"softplus", Unary::Softplus, Binary::SoftplusGradient, false, "log(1 + exp(x))"},
        {"softsign", Unary::Softsign, Binary::SoftsignGradient, false, "x / (1 + |x|)"},
        {"elu", Unary::Elu, Binary::EluGradient, false, "x, or alpha (exp(x) - 1) below 0"},
        {"selu", Unary::Selu, Binary::SeluGradient, false, "the self-normalising elu"},
        {"leaky_relu", Unary::LeakyRelu, Binary::LeakyReluGradient, false, "x, or alpha x below 0"},
        {"gelu", Unary::Gelu, Binary::GeluGradient, false, "x Phi(x)"},
        {"gelu_tanh", Unary::GeluTanh, Binary::GeluTanhGradient, false, "gelu by its tanh approximation"},
        {"swish", Unary::Swish, Binary::SwishGradient, false, "x sigmoid(x)"},
        {"hard_sigmoid", Unary::HardSigmoid, Binary::HardSigmoidGradient, false, "clip(0.2 x + 0.5, 0, 1)"},
        {"erf", Unary::Erf, {}, false, "erf(x)"},
        {"sin", Unary::Sin, {}, false, "sin(x)"},
        {"cos", Unary::Cos, {}, false, "cos(x)"},
    };
    return rows;
}

struct BinaryRow {
    const char* name;
    Binary kind;
    const char* formula;
};

const std::vector<BinaryRow>& binary_rows() {
    static const std::vector<BinaryRow> rows = {
        {"add", Binary::Add, "a + b"},
        {"subtract", Binary::Subtract, "a - b"},
        {"multiply", Binary::Multiply, "a b"},
        {"divide", Binary::Divide, "a / b"},
        {"maximum", Binary::Maximum, "max(a, b)"},
        {"minimum", Binary::Minimum, "min(a, b)"},
        {"power", Binary::Power, "a to the power of b"},
    };
    return rows;
}

struct LogicRow {
    const char* name;
    const char* formula;
    bool (*apply)(double, double);
};

const std::vector<LogicRow>& logic_rows() {
    static const std::vector<LogicRow> rows = {
        {"equal", "a = b", [](double a, double b) { return a == b; }},
        {"not_equal", "a != b", [](double a, double b) { return a != b; }},
        {"less", "a < b", [](double a, double b) { return a < b; }},
        {"less_equal", "a <= b", [](double a, double b) { return a <= b; }},
        {"greater", "a > b", [](double a, double b) { return a > b; }},
        {"greater_equal", "a >= b", [](double a, double b) { return a >= b; }},
        {"logical_and", "a and b", [](double a, double b) { return a != 0 && b != 0; }},
        {"logical_or", "a or b", [](double a, double b) { return a != 0 || b != 0; }},
    };
    return rows;
}

Result<std::vector<TensorType>> infer_binary(std::span<const TensorType> inputs,
                                             std::optional<DType> result) {
    if (auto ok = expect_inputs(inputs, 2); !ok)
        return Failure(ok.error());
    const auto shape = graph::broadcast(inputs[0].shape, inputs[1].shape);
    if (!shape)
        return shape_error("shapes that broadcast", to_string(inputs[0]) + " and " + to_string(inputs[1]));
    if (inputs[0].dtype != inputs[1].dtype)
        return shape_error("inputs of one type", to_string(inputs[0]) + " and " + to_string(inputs[1]));
    return std::vector<TensorType>{{result.value_or(inputs[0].dtype), *shape}};
}

/// Offset of each operand as the output is walked row by row (rows of the innermost dimension).
class BroadcastWalk {
  public:
    BroadcastWalk(const Shape& out, const Shape& operand) : out_(out), operand_(operand) {}
    std::int64_t row_offset(std::int64_t row) const {
        std::int64_t offset = 0;
        std::int64_t step = operand_.empty() ? 1 : operand_.back();
        const std::size_t extra = out_.size() - operand_.size();
        for (std::size_t d = out_.size() - 1; d-- > extra;) {
            const std::int64_t extent = operand_[d - extra];
            offset += extent == 1 ? 0 : row % out_[d] * step;
            row /= out_[d];
            step *= extent;
        }
        return offset;
    }
    std::int64_t inner() const { return operand_.empty() || operand_.back() == 1 ? 0 : 1; }

  private:
    const Shape& out_;
    const Shape& operand_;
};

/// The shape that is walked: that of a scalar has one row too.
const Shape& walked(const HostTensor& y) {
    static const Shape one{1};
    return y.shape().empty() ? one : y.shape();
}

void compute_binary(ComputeContext& c, Binary kind, float alpha) {
    const HostTensor& a = *c.inputs[0];
    const HostTensor& b = *c.inputs[1];
    HostTensor& y = *c.outputs[0];
    const std::int64_t n = y.elements();
    if (a.shape() == y.shape() && b.shape() == y.shape()) {
        c.pool.parallel_for(static_cast<std::size_t>(n), grain, [&](std::size_t begin, std::size_t end) {
            c.kernels.binary(kind, alpha, a.floats().data() + begin, 1, b.floats().data() + begin, 1,
                             y.floats().data() + begin, static_cast<std::int64_t>(end - begin));
        });
        return;
    }
    if (n == 0)
        return;
    const Shape& out = walked(y);
    const BroadcastWalk walk_a(out, a.shape());
    const BroadcastWalk walk_b(out, b.shape());
    const std::int64_t row = out.back();
    c.pool.parallel_for(
        static_cast<std::size_t>(n / row), std::max<std::size_t>(1, grain / static_cast<std::size_t>(row)),
        [&](std::size_t begin, std::size_t end) {
            for (auto r = static_cast<std::int64_t>(begin); r < static_cast<std::int64_t>(end); ++r)
                c.kernels.binary(kind, alpha, a.floats().data() + walk_a.row_offset(r), walk_a.inner(),
                                 b.floats().data() + walk_b.row_offset(r), walk_b.inner(),
                                 y.floats().data() + r * row, row);
        });
}

/// Any element types, one element at a time: integers, logic, comparisons.
template<class F>
void compute_generic(ComputeContext& c, const F& f) {
    const HostTensor& a = *c.inputs[0];
    const HostTensor& b = *c.inputs[1];
    HostTensor& y = *c.outputs[0];
    const Shape& out = walked(y);
    const BroadcastWalk walk_a(out, a.shape());
    const BroadcastWalk walk_b(out, b.shape());
    const std::int64_t row = out.back();
    for (std::int64_t i = 0; i < y.elements(); ++i) {
        const std::int64_t r = i / row;
        const std::int64_t k = i % row;
        y.set(i, f(a.at(walk_a.row_offset(r) + k * walk_a.inner()),
                   b.at(walk_b.row_offset(r) + k * walk_b.inner())));
    }
}

double apply_int(Binary kind, double a, double b) {
    switch (kind) {
    case Binary::Add:
        return a + b;
    case Binary::Subtract:
        return a - b;
    case Binary::Multiply:
        return a * b;
    case Binary::Divide:
        return b == 0 ? 0 : std::trunc(a / b);
    case Binary::Maximum:
        return std::max(a, b);
    case Binary::Minimum:
        return std::min(a, b);
    default:
        return std::pow(a, b);
    }
}

/// A gradient of the output's shape summed down to the shape of a broadcast operand.
ValueId sum_to(Builder& build, ValueId gradient, const Shape shape) { // a copy: the graph grows
    const Shape from = build.type(gradient).shape;
    if (from == shape)
        return gradient;
    std::vector<std::int64_t> axes;
    const std::size_t extra = from.size() - shape.size();
    for (std::size_t d = 0; d < from.size(); ++d)
        if (d < extra || (shape[d - extra] == 1 && from[d] != 1))
            axes.push_back(static_cast<std::int64_t>(d));
    const ValueId sum = build.emit("reduce_sum", {gradient}, {{"axes", axes}, {"keep_dims", false}});
    return build.type(sum).shape == shape ? sum : build.emit("reshape", {sum}, {{"shape", shape}});
}

std::vector<ValueId> binary_gradient(GradientContext& g, Binary kind) {
    Builder& build = g.build;
    const ValueId a = g.operation.inputs[0];
    const ValueId b = g.operation.inputs[1];
    const ValueId y = g.operation.outputs[0];
    const ValueId dy = g.output_gradients[0];
    ValueId da = dy;
    ValueId db = dy;
    const auto mask = [&](const char* comparison) {
        const ValueId where = build.emit(comparison, {a, b});
        return build.emit("cast", {where}, {{"dtype", to_string(build.type(dy).dtype)}});
    };
    switch (kind) {
    case Binary::Add:
        break;
    case Binary::Subtract:
        db = build.emit("negate", {dy});
        break;
    case Binary::Multiply:
        da = build.emit("multiply", {dy, b});
        db = build.emit("multiply", {dy, a});
        break;
    case Binary::Divide:
        da = build.emit("divide", {dy, b});
        db = build.emit("negate", {build.emit("multiply", {da, y})});
        break;
    case Binary::Maximum:
        da = build.emit("multiply", {dy, mask("greater_equal")});
        db = build.emit("multiply", {dy, mask("less")});
        break;
    case Binary::Minimum:
        da = build.emit("multiply", {dy, mask("less_equal")});
        db = build.emit("multiply", {dy, mask("greater")});
        break;
    default: { // power: d a^b = b a^(b - 1) da + a^b log(a) db
        const ValueId one = build.scalar(1.0, build.type(b).dtype);
        const ValueId slope =
            build.emit("multiply", {b, build.emit("power", {a, build.emit("subtract", {b, one})})});
        da = build.emit("multiply", {dy, slope});
        db = build.emit("multiply", {dy, build.emit("multiply", {y, build.emit("log", {a})})});
    }
    }
    return {sum_to(build, da, build.type(a).shape), sum_to(build, db, build.type(b).shape)};
}

std::vector<ValueId> unary_gradient(GradientContext& g, const UnaryRow& row) {
    Builder& build = g.build;
    const ValueId x = g.operation.inputs[0];
    const ValueId y = g.operation.outputs[0];
    const ValueId dy = g.output_gradients[0];
    if (row.gradient)
        return {build.emit(std::string(row.name) + "_gradient", {row.of_output ? y : x, dy},
                           g.operation.attributes)};
    const auto dtype = build.type(x).dtype;
    const auto times = [&](ValueId factor) { return std::vector{build.emit("multiply", {dy, factor})}; };
    switch (row.kind) {
    case Unary::Exp:
        return times(y);
    case Unary::Log:
        return {build.emit("divide", {dy, x})};
    case Unary::Sqrt:
        return {build.emit("divide", {build.emit("multiply", {dy, build.scalar(0.5, dtype)}), y})};
    case Unary::Rsqrt: // -1/2 y^3
        return times(build.emit(
            "multiply", {build.emit("multiply", {build.emit("square", {y}), y}), build.scalar(-0.5, dtype)}));
    case Unary::Reciprocal:
        return times(build.emit("negate", {build.emit("square", {y})}));
    case Unary::Negate:
        return {build.emit("negate", {dy})};
    case Unary::Square:
        return times(build.emit("multiply", {x, build.scalar(2.0, dtype)}));
    case Unary::Erf: // 2 / sqrt(pi) exp(-x^2)
        return times(
            build.emit("multiply", {build.emit("exp", {build.emit("negate", {build.emit("square", {x})})}),
                                    build.scalar(1.1283791670955126, dtype)}));
    case Unary::Sin:
        return times(build.emit("cos", {x}));
    case Unary::Cos:
        return times(build.emit("negate", {build.emit("sin", {x})}));
    case Unary::Sign:
        return {no_value};
    case Unary::Identity:
        return {dy};
    default:
        std::fprintf(stderr, "operator %s has no gradient\n", row.name);
        std::abort();
    }
}

float alpha_of(std::string_view name, const Attributes& attributes) {
    // Keras' defaults: 1 for ELU, 0.3 for LeakyReLU.
    return static_cast<float>(attributes.real("alpha", name.starts_with("leaky_relu") ? 0.3 : 1.0));
}

void add_unary(graph::OperatorRegistry& registry, const UnaryRow& row) {
    graph::Operator op;
    op.name = row.name;
    op.summary = std::string("y = ") + row.formula + ", element by element; x and y of one shape.";
    op.infer = [](std::span<const TensorType> inputs,
                  const Attributes& a) -> Result<std::vector<TensorType>> {
        auto types = same_as_first(1)(inputs, a);
        if (types && !is_floating(inputs[0].dtype))
            return shape_error("a float input", to_string(inputs[0]));
        return types;
    };
    op.gradient = [row](GradientContext& g) { return unary_gradient(g, row); };
    op.compute = [row](ComputeContext& c) {
        const float alpha = alpha_of(row.name, c.attributes);
        c.pool.parallel_for(static_cast<std::size_t>(c.outputs[0]->elements()), grain,
                            [&](std::size_t begin, std::size_t end) {
                                c.kernels.unary(row.kind, alpha, c.inputs[0]->floats().data() + begin,
                                                c.outputs[0]->floats().data() + begin,
                                                static_cast<std::int64_t>(end - begin));
                            });
    };
    op.elementwise = true;
    registry.add(std::move(op));
    if (!row.gradient)
        return;
    graph::Operator gradient;
    gradient.name = std::string(row.name) + "_gradient";
    gradient.summary = std::string("dx of ") + row.name + " from its " +
                       (row.of_output ? "output" : "input") + " and dy, element by element.";
    gradient.infer = of_floats(same_as_first(2));
    gradient.compute = [row](ComputeContext& c) {
        compute_binary(c, *row.gradient, alpha_of(row.name, c.attributes));
    };
    gradient.elementwise = true;
    registry.add(std::move(gradient));
}

void add_binary(graph::OperatorRegistry& registry, const BinaryRow& row) {
    graph::Operator op;
    op.name = row.name;
    op.summary = std::string("y = ") + row.formula + ", element by element, with broadcasting.";
    op.infer = [](std::span<const TensorType> inputs, const Attributes&) { return infer_binary(inputs, {}); };
    op.gradient = [row](GradientContext& g) { return binary_gradient(g, row.kind); };
    op.compute = [row](ComputeContext& c) {
        if (is_floating(c.outputs[0]->type().dtype))
            compute_binary(c, row.kind, 0);
        else
            compute_generic(c, [row](double a, double b) { return apply_int(row.kind, a, b); });
    };
    op.elementwise = true;
    registry.add(std::move(op));
}

void add_select_and_cast(graph::OperatorRegistry& registry) {
    graph::Operator select;
    select.name = "select";
    select.summary =
        "y = a where the condition (bool) holds, else b; a and b of the condition's shape or scalars.";
    select.infer = [](std::span<const TensorType> in, const Attributes&) -> Result<std::vector<TensorType>> {
        if (auto ok = expect_inputs(in, 3); !ok)
            return Failure(ok.error());
        const auto fits = [&](const TensorType& branch) {
            return branch.dtype == in[1].dtype && (branch.shape == in[0].shape || branch.shape.empty());
        };
        if (in[0].dtype != DType::Bool || !fits(in[1]) || !fits(in[2]))
            return shape_error("a bool condition and two tensors of its shape or scalars",
                               to_string(in[0]) + ", " + to_string(in[1]) + " and " + to_string(in[2]));
        return std::vector<TensorType>{{in[1].dtype, in[0].shape}};
    };
    select.gradient = [](GradientContext& g) -> std::vector<ValueId> {
        const auto [condition, a, b] =
            std::tie(g.operation.inputs[0], g.operation.inputs[1], g.operation.inputs[2]);
        const ValueId dy = g.output_gradients[0];
        const ValueId zero = g.build.scalar(0, g.build.type(dy).dtype);
        const ValueId da = g.build.emit("select", {condition, dy, zero});
        const ValueId db = g.build.emit("select", {condition, zero, dy});
        return {no_value, sum_to(g.build, da, g.build.type(a).shape),
                sum_to(g.build, db, g.build.type(b).shape)};
    };
    select.compute = [](ComputeContext& c) {
        const auto branch = [&](std::size_t k, std::int64_t i) {
            return c.inputs[k]->at(c.inputs[k]->shape().empty() ? 0 : i);
        };
        for (std::int64_t i = 0; i < c.outputs[0]->elements(); ++i)
            c.outputs[0]->set(i, branch(c.inputs[0]->at(i) != 0 ? 1 : 2, i));
    };
    select.elementwise = true;
    registry.add(std::move(select));

    graph::Operator cast;
    cast.name = "cast";
    cast.summary = "The same values as elements of type `dtype`; floats are cut towards zero for int32.";
    cast.infer = [](std::span<const TensorType> in, const Attributes& a) -> Result<std::vector<TensorType>> {
        if (auto ok = expect_inputs(in, 1); !ok)
            return Failure(ok.error());
        const auto dtype = graph::dtype_from_string(a.text("dtype"));
        if (!dtype)
            return shape_error("a dtype of float32, float16, int32 or bool", "\"" + a.text("dtype") + "\"");
        return std::vector<TensorType>{{*dtype, in[0].shape}};
    };
    cast.gradient = [](GradientContext& g) -> std::vector<ValueId> {
        return {g.build.emit("cast", {g.output_gradients[0]},
                             {{"dtype", to_string(g.build.type(g.operation.inputs[0]).dtype)}})};
    };
    cast.compute = [](ComputeContext& c) {
        for (std::int64_t i = 0; i < c.outputs[0]->elements(); ++i)
            c.outputs[0]->set(i, c.inputs[0]->at(i));
    };
    registry.add(std::move(cast));

    graph::Operator logical_not;
    logical_not.name = "logical_not";
    logical_not.summary = "y = not x, for bool tensors.";
    logical_not.infer = same_as_first(1);
    logical_not.compute = [](ComputeContext& c) {
        for (std::int64_t i = 0; i < c.outputs[0]->elements(); ++i)
            c.outputs[0]->set(i, c.inputs[0]->at(i) == 0 ? 1 : 0);
    };
    logical_not.elementwise = true;
    registry.add(std::move(logical_not));
}

} // namespace

std::optional<ElementwiseBlock> elementwise_block(const std::string& kind, const Attributes& attributes) {
    for (const UnaryRow& row : unary_rows()) {
        if (kind == row.name)
            return ElementwiseBlock{row.kind, {}, alpha_of(kind, attributes)};
        if (row.gradient && kind == std::string(row.name) + "_gradient")
            return ElementwiseBlock{{}, row.gradient, alpha_of(kind, attributes)};
    }
    for (const BinaryRow& row : binary_rows())
        if (kind == row.name)
            return ElementwiseBlock{{}, row.kind, 0};
    return std::nullopt;
}

void add_elementwise_operators(graph::OperatorRegistry& registry) {
    for (const UnaryRow& row : unary_rows())
        add_unary(registry, row);
    for (const BinaryRow& row : binary_rows())
        add_binary(registry, row);
    for (const LogicRow& row : logic_rows()) {
        graph::Operator op;
        op.name = row.name;
        op.summary = std::string("y (bool): ") + row.formula + ", element by element, with broadcasting.";
        op.infer = [](std::span<const TensorType> inputs, const Attributes&) {
            return infer_binary(inputs, DType::Bool);
        };
        op.compute = [row](ComputeContext& c) {
            compute_generic(c, [row](double a, double b) { return row.apply(a, b) ? 1.0 : 0.0; });
        };
        op.elementwise = true;
        registry.add(std::move(op));
    }
    add_select_and_cast(registry);
}

} // namespace tilescope::operators
