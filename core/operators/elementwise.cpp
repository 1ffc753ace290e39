// SPDX-License-Identifier: GPL-3.0-or-later
#include "operators/elementwise.h"

#include "base/text.h"
#include "base/try.h"
#include "base/worker_pool.h"
#include "broadcasting.h"
#include "graph/builder.h"
#include "operators/families.h"
#include "second_slopes.h"
#include "whole_numbers.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <tuple>

namespace tilescope::operators {
namespace {

using graph::Attributes;
using graph::Builder;
using graph::ComputeContext;
using graph::DType;
using graph::GradientContext;
using graph::HostTensor;
using graph::no_value;
using graph::Shape;
using graph::TensorType;
using graph::to_string;
using graph::ValueId;
using kernels::Binary;

constexpr std::size_t grain = worth_a_thread(kernels::element_ns); ///< elements
/// Of an operation of two: there is no gradient by the second, as if it were a number. Unlike behind
/// stop_gradient, a gradient that is made of it goes on to it where it is differentiated again.
constexpr auto holds_second = "holds_second";

/// dx of a unary function from its input, its output and dy; no_value where it is 0 everywhere.
using Slope = Result<ValueId> (*)(Builder& build, ValueId x, ValueId y, ValueId dy);
using Second = Result<ValueId> (*)(Builder& build, ValueId at, ValueId both, const Attributes& attributes);

/// The gradient of a unary function: a kernel of its own, NAME_gradient, or made of other operations.
struct Gradient {
    enum class From { Input, Output, Composed } from;
    Slope slope; ///< where it is composed
    /// How a loss depends on what that kernel takes beside dy (second_slopes.h). Without it gradients are not
    /// differentiated again.
    Second second;
};
Gradient of_input(Second second) {
    return {Gradient::From::Input, nullptr, second};
}
Gradient of_output(Second second) {
    return {Gradient::From::Output, nullptr, second};
}
Gradient composed(Slope slope) {
    return {Gradient::From::Composed, slope, nullptr};
}

ValueId number(Builder& build, ValueId like, double value) {
    return build.scalar(value, build.type(like).dtype);
}

struct UnaryRow {
    const char* name;
    const char* formula;
    Gradient gradient;
    const char* keras = nullptr; ///< as which activation Keras has it
    const char* onnx = nullptr;  ///< as which operator ONNX has it, without attributes
    /// Of what has an alpha: Keras' own, where an operation does not say one.
    std::optional<double> alpha = std::nullopt;
};

const std::vector<UnaryRow>& unary_rows() {
    static const std::vector<UnaryRow> rows = {
        {"identity", "x",
         composed([](Builder&, ValueId, ValueId, ValueId dy) -> Result<ValueId> { return dy; })},
        {"stop_gradient", "x, of which no gradient goes further",
         composed([](Builder&, ValueId, ValueId, ValueId) -> Result<ValueId> { return no_value; })},
        {"relu", "max(x, 0)", of_output(second_slopes::straight), "relu", "Relu"},
        {"relu6", "min(max(x, 0), 6)", of_output(second_slopes::straight), "relu6"},
        {"sigmoid", "1 / (1 + exp(-x))", of_output(second_slopes::sigmoid), "sigmoid", "Sigmoid"},
        {"tanh", "tanh(x)", of_output(second_slopes::tanh), "tanh", "Tanh"},
        {"exp", "exp(x)", composed([](Builder& b, ValueId, ValueId y, ValueId dy) -> Result<ValueId> {
             return b.emit("multiply", {dy, y});
         }),
         nullptr, "Exp"},
        {"log", "log(x)", composed([](Builder& b, ValueId x, ValueId, ValueId dy) -> Result<ValueId> {
             return b.emit("divide", {dy, x});
         }),
         nullptr, "Log"},
        {"sqrt", "sqrt(x)", composed([](Builder& b, ValueId x, ValueId y, ValueId dy) -> Result<ValueId> {
             return b.emit("divide", {b.emit("multiply", {dy, number(b, x, 0.5)}), y});
         }),
         nullptr, "Sqrt"},
        {"rsqrt", "1 / sqrt(x)",
         composed([](Builder& b, ValueId x, ValueId y, ValueId dy) -> Result<ValueId> {
             TRY(const ValueId cube, b.emit("multiply", {b.emit("square", {y}), y})); // -1/2 y^3
             return b.emit("multiply", {dy, b.emit("multiply", {cube, number(b, x, -0.5)})});
         })},
        {"reciprocal", "1 / x", composed([](Builder& b, ValueId, ValueId y, ValueId dy) -> Result<ValueId> {
             return b.emit("multiply", {dy, b.emit("negate", {b.emit("square", {y})})});
         }),
         nullptr, "Reciprocal"},
        {"negate", "-x", composed([](Builder& b, ValueId, ValueId, ValueId dy) -> Result<ValueId> {
             return b.emit("negate", {dy});
         })},
        {"square", "x x", composed([](Builder& b, ValueId x, ValueId, ValueId dy) -> Result<ValueId> {
             return b.emit("multiply", {dy, b.emit("multiply", {x, number(b, x, 2.0)})});
         })},
        {"abs", "|x|", of_input(second_slopes::straight)},
        {"sign", "-1, 0 or 1",
         composed([](Builder&, ValueId, ValueId, ValueId) -> Result<ValueId> { return no_value; })},
        {"softplus", "log(1 + exp(x))", of_input(second_slopes::softplus), "softplus", "Softplus"},
        {"log_sigmoid", "-log(1 + exp(-x))", of_input(second_slopes::log_sigmoid), "log_sigmoid"},
        {"softsign", "x / (1 + |x|)", of_input(second_slopes::softsign), "softsign", "Softsign"},
        {"elu", "x, or alpha (exp(x) - 1) below 0", of_input(second_slopes::elu), "elu", nullptr, 1.0},
        {"selu", "the self-normalising elu", of_input(second_slopes::selu), "selu"},
        {"leaky_relu", "x, or alpha x below 0", of_input(second_slopes::straight), nullptr, nullptr, 0.3},
        {"gelu", "x Phi(x)", of_input(second_slopes::gelu), "gelu"},
        {"gelu_tanh", "gelu by its tanh approximation", of_input(second_slopes::gelu_tanh)},
        {"swish", "x sigmoid(x)", of_input(second_slopes::swish), "swish"},
        {"mish", "x tanh(log(1 + exp(x)))", of_input(second_slopes::mish), "mish", "Mish"},
        {"squareplus", "(x + sqrt(x x + 4)) / 2", of_input(second_slopes::squareplus), "squareplus"},
        {"hard_sigmoid", "clip(0.2 x + 0.5, 0, 1)", of_input(second_slopes::straight), "hard_sigmoid"},
        {"erf", "erf(x)", composed([](Builder& b, ValueId x, ValueId, ValueId dy) -> Result<ValueId> {
             TRY(const ValueId bell,
                 b.emit("exp", {b.emit("negate", {b.emit("square", {x})})})); // 2 / sqrt(pi) exp(-x^2)
             return b.emit("multiply", {dy, b.emit("multiply", {bell, number(b, x, 1.1283791670955126)})});
         }),
         nullptr, "Erf"},
        {"sin", "sin(x)", composed([](Builder& b, ValueId x, ValueId, ValueId dy) -> Result<ValueId> {
             return b.emit("multiply", {dy, b.emit("cos", {x})});
         }),
         nullptr, "Sin"},
        {"cos", "cos(x)", composed([](Builder& b, ValueId x, ValueId, ValueId dy) -> Result<ValueId> {
             return b.emit("multiply", {dy, b.emit("negate", {b.emit("sin", {x})})});
         }),
         nullptr, "Cos"},
    };
    return rows;
}

/// The gradients by both operands, of the output's shape, from (a, b, y, dy).
using Slopes = Result<std::vector<ValueId>>;

/// dy where the comparison of a with b holds, else 0.
Result<ValueId> where(Builder& build, const char* comparison, ValueId a, ValueId b, ValueId dy) {
    TRY(const ValueId holds, build.emit(comparison, {a, b}));
    return build.emit("multiply",
                      {dy, build.emit("cast", {holds}, {{"dtype", to_string(build.type(dy).dtype)}})});
}

/// d a^b = b a^(b - 1) da + a^b log(a) db; as in TensorFlow nothing by b where a is not above 0.
Slopes power_slopes(Builder& build, ValueId a, ValueId b, ValueId y, ValueId dy) {
    TRY(const ValueId less, build.emit("subtract", {b, number(build, b, 1.0)}));
    TRY(const ValueId slope, build.emit("multiply", {b, build.emit("power", {a, less})}));
    TRY(const ValueId da, build.emit("multiply", {dy, slope}));
    TRY(const ValueId above, build.emit("greater", {a, number(build, a, 0.0)}));
    TRY(const ValueId base, build.emit("select", {above, a, number(build, a, 1.0)}));
    return graph::values_of(
        {da, build.emit("multiply", {dy, build.emit("multiply", {y, build.emit("log", {base})})})});
}

/// The angle of the point (b, a): (b da - a db) / (a^2 + b^2)
Slopes angle_slopes(Builder& build, ValueId a, ValueId b, ValueId, ValueId dy) {
    TRY(const ValueId squares, build.emit("add", {build.emit("square", {a}), build.emit("square", {b})}));
    TRY(const ValueId share, build.emit("divide", {dy, squares}));
    TRY(const ValueId da, build.emit("multiply", {share, b}));
    return graph::values_of({da, build.emit("negate", {build.emit("multiply", {share, a})})});
}

struct BinaryRow {
    const char* name;
    const char* formula;
    double (*of_integers)(double a, double b);
    Slopes (*gradient)(Builder& build, ValueId a, ValueId b, ValueId y, ValueId dy);
};

/// What 64 bits make of two numbers of 32, in 32.
template<class F>
double of_ints(double a, double b, const F& function) {
    return wrapped(function(static_cast<std::int64_t>(a), static_cast<std::int64_t>(b)));
}

double power_of_ints(double a, double b) {
    if (b < 0)
        return std::pow(a, b); // of which 0 or 1 is left before the point
    double power = 1;
    for (auto rest = static_cast<std::int64_t>(b); rest > 0; rest /= 2, a = of_ints(a, a, std::multiplies()))
        if (rest % 2 == 1)
            power = of_ints(power, a, std::multiplies());
    return power;
}

const std::vector<BinaryRow>& binary_rows() {
    static const std::vector<BinaryRow> rows = {
        {"add", "a + b", [](double a, double b) { return of_ints(a, b, std::plus<std::int64_t>()); },
         [](Builder&, ValueId, ValueId, ValueId, ValueId dy) -> Slopes {
             return graph::values_of({dy, dy});
         }},
        {"subtract", "a - b", [](double a, double b) { return of_ints(a, b, std::minus<std::int64_t>()); },
         [](Builder& build, ValueId, ValueId, ValueId, ValueId dy) -> Slopes {
             return graph::values_of({dy, build.emit("negate", {dy})});
         }},
        {"multiply", "a b", [](double a, double b) { return of_ints(a, b, std::multiplies<std::int64_t>()); },
         [](Builder& build, ValueId a, ValueId b, ValueId, ValueId dy) -> Slopes {
             TRY(const ValueId da, build.emit("multiply", {dy, b}));
             return graph::values_of({da, build.emit("multiply", {dy, a})});
         }},
        {"divide", "a / b", [](double a, double b) { return b == 0 ? 0 : std::trunc(a / b); },
         [](Builder& build, ValueId, ValueId b, ValueId y, ValueId dy) -> Slopes {
             TRY(const ValueId da, build.emit("divide", {dy, b}));
             return graph::values_of({da, build.emit("negate", {build.emit("multiply", {da, y})})});
         }},
        {"maximum", "max(a, b)", [](double a, double b) { return std::max(a, b); },
         [](Builder& build, ValueId a, ValueId b, ValueId, ValueId dy) -> Slopes {
             TRY(const ValueId da, where(build, "greater_equal", a, b, dy));
             return graph::values_of({da, where(build, "less", a, b, dy)});
         }},
        {"minimum", "min(a, b)", [](double a, double b) { return std::min(a, b); },
         [](Builder& build, ValueId a, ValueId b, ValueId, ValueId dy) -> Slopes {
             TRY(const ValueId da, where(build, "less_equal", a, b, dy));
             return graph::values_of({da, where(build, "greater", a, b, dy)});
         }},
        {"power", "a to the power of b", power_of_ints, power_slopes},
        {"atan2", "the angle of the point (b, a), from -pi to pi",
         [](double a, double b) { return std::atan2(a, b); }, angle_slopes},
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

Result<std::vector<ValueId>> binary_gradient(GradientContext& g, const BinaryRow& row) {
    const ValueId a = g.operation.inputs[0];
    const ValueId b = g.operation.inputs[1];
    TRY(const auto slopes, row.gradient(g.build, a, b, g.operation.outputs[0], g.output_gradients[0]));
    TRY(const ValueId da, sum_to(g.build, slopes[0], g.build.type(a).shape));
    if (g.operation.attributes.flag(holds_second))
        return std::vector<ValueId>{da, no_value};
    return graph::values_of({da, sum_to(g.build, slopes[1], g.build.type(b).shape)});
}

Result<std::vector<ValueId>> unary_gradient(GradientContext& g, const UnaryRow& row) {
    const ValueId x = g.operation.inputs[0];
    const ValueId y = g.operation.outputs[0];
    const ValueId dy = g.output_gradients[0];
    if (row.gradient.from == Gradient::From::Composed)
        return graph::values_of({row.gradient.slope(g.build, x, y, dy)});
    const bool of_output = row.gradient.from == Gradient::From::Output;
    return graph::values_of(
        {g.build.emit(std::string(row.name) + "_gradient", {of_output ? y : x, dy}, g.operation.attributes)});
}

float alpha_of(const UnaryRow& row, const Attributes& attributes) {
    return row.alpha ? static_cast<float>(attributes.real("alpha", *row.alpha)) : 1;
}

void add_unary(graph::OperatorRegistry& registry, const UnaryRow& row) {
    graph::Operator op;
    op.name = row.name;
    op.summary = std::string("y = ") + row.formula + ", element by element; x and y of one shape.";
    if (row.alpha)
        op.summary += " alpha is " + number_text(*row.alpha) + " where it is not given.";
    if (row.keras != nullptr)
        op.summary += std::string(" Keras' activation ") + row.keras + ".";
    if (row.onnx != nullptr)
        op.summary += std::string(" ONNX: ") + row.onnx + ".";
    op.infer = [](std::span<const TensorType> inputs,
                  const Attributes& a) -> Result<std::vector<TensorType>> {
        auto types = same_as_first(1)(inputs, a);
        if (types && !is_floating(inputs[0].dtype))
            return shape_error("a float input", to_string(inputs[0]));
        return types;
    };
    op.gradient = [row](GradientContext& g) { return unary_gradient(g, row); };
    op.compute = [row, kernel = kernels::unary_kernel(row.name)](ComputeContext& c) {
        const float alpha = alpha_of(row, c.attributes);
        c.pool.parallel_for(static_cast<std::size_t>(c.outputs[0]->elements()), grain,
                            [&](std::size_t begin, std::size_t end) {
                                c.kernels.unary(kernel, alpha, c.inputs[0]->floats().data() + begin,
                                                c.outputs[0]->floats().data() + begin,
                                                static_cast<std::int64_t>(end - begin));
                            });
    };
    op.elementwise = true;
    registry.add(std::move(op));
    if (row.gradient.from == Gradient::From::Composed)
        return;
    graph::Operator gradient;
    gradient.name = std::string(row.name) + "_gradient";
    gradient.summary = std::string("dx of ") + row.name + " from its " +
                       (row.gradient.from == Gradient::From::Output ? "output" : "input") +
                       " and dy, element by element.";
    gradient.infer = of_floats(same_as_first(2));
    gradient.compute = [row, kernel = kernels::binary_kernel(gradient.name)](ComputeContext& c) {
        compute_binary(c, kernel, alpha_of(row, c.attributes));
    };
    gradient.elementwise = gradient.non_linearity_gradient = true;
    if (row.gradient.second != nullptr)
        gradient.gradient = [second =
                                 row.gradient.second](GradientContext& g) -> Result<std::vector<ValueId>> {
            const ValueId at = g.operation.inputs[0];
            const ValueId dy = g.operation.inputs[1];
            const ValueId ddx = g.output_gradients[0];
            TRY(const ValueId both, g.build.emit("multiply", {dy, ddx}));
            TRY(const ValueId by_at, second(g.build, at, both, g.operation.attributes));
            return graph::values_of(
                {by_at, g.build.emit(g.operation.kind, {at, ddx}, g.operation.attributes)});
        };
    registry.add(std::move(gradient));
}

void add_binary(graph::OperatorRegistry& registry, const BinaryRow& row) {
    graph::Operator op;
    op.name = row.name;
    op.summary = std::string("y = ") + row.formula + ", element by element, with broadcasting.";
    op.infer = [](std::span<const TensorType> inputs, const Attributes&) { return infer_binary(inputs, {}); };
    op.gradient = [row](GradientContext& g) { return binary_gradient(g, row); };
    op.compute = [of_integers = row.of_integers,
                  kernel = kernels::binary_kernel(row.name)](ComputeContext& c) {
        if (is_floating(c.outputs[0]->type().dtype))
            compute_binary(c, kernel, 0);
        else
            compute_generic(c, of_integers);
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
        TRY(expect_inputs(in, 3));
        const auto fits = [&](const TensorType& branch) {
            return branch.dtype == in[1].dtype && (branch.shape == in[0].shape || branch.shape.empty());
        };
        if (in[0].dtype != DType::Bool || !fits(in[1]) || !fits(in[2]))
            return shape_error("a bool condition and two tensors of its shape or scalars",
                               to_string(in[0]) + ", " + to_string(in[1]) + " and " + to_string(in[2]));
        return std::vector<TensorType>{{in[1].dtype, in[0].shape}};
    };
    select.gradient = [](GradientContext& g) -> Result<std::vector<ValueId>> {
        const auto [condition, a, b] =
            std::tie(g.operation.inputs[0], g.operation.inputs[1], g.operation.inputs[2]);
        const ValueId dy = g.output_gradients[0];
        const ValueId zero = g.build.scalar(0, g.build.type(dy).dtype);
        TRY(const ValueId da, g.build.emit("select", {condition, dy, zero}));
        TRY(const ValueId db, g.build.emit("select", {condition, zero, dy}));
        return graph::values_of({no_value, sum_to(g.build, da, g.build.type(a).shape),
                                 sum_to(g.build, db, g.build.type(b).shape)});
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
        TRY(expect_inputs(in, 1));
        const auto dtype = graph::dtype_from_string(a.text("dtype"));
        if (!dtype)
            return shape_error("a dtype of float32, float16, int32 or bool", "\"" + a.text("dtype") + "\"");
        return std::vector<TensorType>{{*dtype, in[0].shape}};
    };
    cast.gradient = [](GradientContext& g) -> Result<std::vector<ValueId>> {
        return graph::values_of(
            {g.build.emit("cast", {g.output_gradients[0]},
                          {{"dtype", to_string(g.build.type(g.operation.inputs[0]).dtype)}})});
    };
    cast.takes_bytes = true;
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
            return ElementwiseBlock{kernels::unary_kernel(kind), {}, alpha_of(row, attributes)};
        if (row.gradient.from != Gradient::From::Composed && kind == std::string(row.name) + "_gradient")
            return ElementwiseBlock{{}, kernels::binary_kernel(kind), alpha_of(row, attributes)};
    }
    for (const BinaryRow& row : binary_rows())
        if (kind == row.name)
            return ElementwiseBlock{{}, kernels::binary_kernel(kind), 0};
    return std::nullopt;
}

std::vector<UnaryFunction> unary_functions() {
    std::vector<UnaryFunction> functions;
    for (const UnaryRow& row : unary_rows())
        functions.push_back(
            {row.name, row.keras == nullptr ? "" : row.keras, row.onnx == nullptr ? "" : row.onnx});
    return functions;
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
