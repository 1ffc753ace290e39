// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/lower_case.h"
#include "base/try.h"
#include "layers/hyperbolic.h"
#include "operation.h"
#include "tensor.h"

#include <cmath>
#include <limits>
#include <map>

/// Arithmetic, comparisons, logic, choices and casts.
namespace tilescope::onnx {
namespace {

using graph::DType;
using graph::Shape;

bool whole(const OnnxValue& x) {
    return x.type.dtype == DType::Int32;
}

OnnxMapping unary(const char* kind) {
    return [kind](const OnnxOperation& op) -> Result<OnnxValues> {
        return values_of({op.emit(kind, {op.in(0)})});
    };
}

/// Opsets before 7 line up the second operand with the dimensions of the first from `axis` on.
Result<OnnxValue> lined_up(const OnnxOperation& op, const OnnxValue& a, const OnnxValue& b) {
    if (op.opset >= 7 || !op.flag("broadcast", false) || !op.has_attribute("axis"))
        return b;
    TRY(const std::size_t axis, axis_of(op.integer("axis", 0), a.rank()));
    Shape shape = b.shape();
    while (shape.size() + axis < a.shape().size())
        shape.push_back(1);
    return reshape(op, b, shape);
}

OnnxMapping binary(const char* kind) {
    return [kind](const OnnxOperation& op) -> Result<OnnxValues> {
        TRY(const OnnxValue a, op.in(0));
        TRY(const OnnxValue b, op.in(1));
        return values_of({op.emit(kind, {a, lined_up(op, a, b)})});
    };
}

/// Any number of operands, one after another.
Result<OnnxValue> chain(const OnnxOperation& op, const char* kind) {
    TRY(OnnxValue result, op.in(0));
    for (std::size_t i = 1; i < op.inputs(); ++i) {
        TRY(result, op.emit(kind, {result, op.in(i)}));
    }
    return result;
}

OnnxMapping variadic(const char* kind) {
    return [kind](const OnnxOperation& op) -> Result<OnnxValues> { return values_of({chain(op, kind)}); };
}

Result<OnnxValues> mean(const OnnxOperation& op) {
    TRY(const OnnxValue sum, chain(op, "add"));
    if (op.inputs() == 1)
        return values_of({sum});
    return values_of(
        {op.emit("multiply", {sum, op.scalar_like(sum, 1.0 / static_cast<double>(op.inputs()))})});
}

Result<OnnxValues> absolute(const OnnxOperation& op) {
    TRY(const OnnxValue x, op.in(0));
    if (!whole(x))
        return values_of({op.emit("abs", {x})});
    return values_of({op.emit("maximum", {x, op.emit("subtract", {op.scalar_like(x, 0), x})})});
}

Result<OnnxValues> negated(const OnnxOperation& op) {
    TRY(const OnnxValue x, op.in(0));
    return values_of({whole(x) ? op.emit("subtract", {op.scalar_like(x, 0), x}) : op.emit("negate", {x})});
}

Result<OnnxValues> sign(const OnnxOperation& op) {
    TRY(const OnnxValue x, op.in(0));
    if (!whole(x))
        return values_of({op.emit("sign", {x})});
    const OnnxValue zero = op.scalar_like(x, 0);
    return values_of({op.emit("subtract", {cast(op, op.emit("greater", {x, zero}), DType::Int32),
                                           cast(op, op.emit("less", {x, zero}), DType::Int32)})});
}

/// The exponent where it is one number that is known and leaves the base's shape as it is.
Result<std::optional<double>> single_exponent(const OnnxValue& base, const OnnxValue& exponent) {
    if (!exponent.known || exponent.computed() || exponent.type.elements() != 1 ||
        exponent.rank() > base.rank() || !graph::is_floating(base.type.dtype))
        return std::nullopt;
    TRY(const graph::HostTensor tensor, device_tensor(exponent));
    return tensor.at(0);
}

/// Powers that an operation of their own computes, for a small part of the cycles.
const std::map<double, const char*> simple_powers = {
    {2, "square"}, {0.5, "sqrt"}, {-1, "reciprocal"}, {-0.5, "rsqrt"}};

/// The result has the base's type; a power of mixed types is worked out in floats.
Result<OnnxValues> power(const OnnxOperation& op) {
    TRY(const OnnxValue base, op.in(0));
    TRY(const OnnxValue given, op.in(1));
    TRY(const OnnxValue exponent, lined_up(op, base, given));
    TRY(const auto number, single_exponent(base, exponent));
    if (number == 1.0)
        return values_of({base});
    if (const auto simple = simple_powers.find(number.value_or(0)); simple != simple_powers.end())
        return values_of({op.emit(simple->second, {base})});
    if (base.type.dtype == exponent.type.dtype)
        return values_of({op.emit("power", {base, exponent})});
    const DType common = whole(base) ? exponent.type.dtype : base.type.dtype;
    TRY(const OnnxValue y, op.emit("power", {cast(op, base, common), cast(op, exponent, common)}));
    return values_of({cast(op, y, base.type.dtype)});
}

/// a - b trunc(a / b), with the sign of a; unless `fmod` that of b, by adding b where the signs differ.
Result<OnnxValues> modulo(const OnnxOperation& op) {
    TRY(const OnnxValue a, op.in(0));
    TRY(const OnnxValue b, op.in(1));
    const bool sign_of_a = op.flag("fmod", false);
    if (graph::is_floating(a.type.dtype)) {
        if (!sign_of_a)
            return refused("takes the modulus of floats without fmod", "set fmod to 1");
        return values_of({op.emit("fmod", {a, b})});
    }
    if (!whole(a))
        return refused("takes the modulus of truth values", "cast them to int32");
    const OnnxValue zero = op.scalar_like(a, 0);
    TRY(const OnnxValue left, op.emit("subtract", {a, op.emit("multiply", {op.emit("divide", {a, b}), b})}));
    if (sign_of_a)
        return values_of({left});
    TRY(const OnnxValue apart,
        op.emit("not_equal", {op.emit("less", {left, zero}), op.emit("less", {b, zero})}));
    TRY(const OnnxValue adds, op.emit("logical_and", {apart, op.emit("not_equal", {left, zero})}));
    return values_of({op.emit("add", {left, op.emit("multiply", {cast(op, adds, DType::Int32), b})})});
}

Result<OnnxValues> tangent(const OnnxOperation& op) {
    return values_of({op.emit("divide", {op.emit("sin", {op.in(0)}), op.emit("cos", {op.in(0)})})});
}

/// A hyperbolic function of a float32, of which halves are made and to which they are cut again.
OnnxMapping hyperbolic(Result<OnnxValue> (layers::Hyperbolic<OnnxOps>::*function)(const OnnxValue&) const) {
    return [function](const OnnxOperation& op) -> Result<OnnxValues> {
        TRY(const OnnxValue given, op.in(0));
        TRY(const OnnxValue x, cast(op, given, DType::Float32));
        const OnnxOps ops{op};
        return values_of({cast(op, (layers::Hyperbolic(ops).*function)(x), given.type.dtype)});
    };
}

Result<OnnxValues> is_nan(const OnnxOperation& op) {
    TRY(const OnnxValue x, op.in(0));
    return values_of({op.emit("not_equal", {x, x})});
}

Result<OnnxValues> is_infinite(const OnnxOperation& op) {
    TRY(const OnnxValue x, op.in(0));
    const OnnxValue most = op.scalar_like(x, std::numeric_limits<double>::infinity());
    const OnnxValue least = op.scalar_like(x, -std::numeric_limits<double>::infinity());
    const bool above = op.flag("detect_positive", true);
    const bool below = op.flag("detect_negative", true);
    if (above && below)
        return values_of({op.emit("equal", {op.emit("abs", {x}), most})});
    if (above || below)
        return values_of({op.emit("equal", {x, above ? most : least})});
    return values_of({op.emit("less", {x, x})});
}

/// Numbers nearer to 0 than lambd become 0, the others come nearer by the bias.
Result<OnnxValues> shrink(const OnnxOperation& op) {
    TRY(const OnnxValue x, op.in(0));
    const OnnxValue limit = op.scalar_like(x, op.real("lambd", 0.5));
    const OnnxValue bias = op.scalar_like(x, op.real("bias", 0));
    TRY(const OnnxValue below, op.emit("less", {x, op.emit("negate", {limit})}));
    TRY(const OnnxValue above, op.emit("greater", {x, limit}));
    TRY(const OnnxValue zero, op.emit("multiply", {x, op.scalar_like(x, 0)}));
    TRY(const OnnxValue high, op.emit("select", {above, op.emit("subtract", {x, bias}), zero}));
    return values_of({op.emit("select", {below, op.emit("add", {x, bias}), high})});
}

Result<OnnxValues> where(const OnnxOperation& op) {
    TRY(const OnnxValue condition, op.in(0));
    TRY(const OnnxValue yes, op.in(1));
    TRY(const OnnxValue no, op.in(2));
    auto shape = graph::broadcast(condition.shape(), yes.shape());
    if (shape)
        shape = graph::broadcast(*shape, no.shape());
    if (!shape)
        return refused("the operands' shapes do not broadcast");
    return values_of({op.emit("select", {broadcast(op, condition, *shape), broadcast(op, yes, *shape),
                                         broadcast(op, no, *shape)})});
}

/// Bounds are attributes before opset 11, then inputs.
Result<OnnxValues> clip(const OnnxOperation& op) {
    TRY(OnnxValue x, op.in(0));
    const auto bounded = [&](const char* kind, const char* name, std::size_t i) -> Result<OnnxValue> {
        if (op.has(i))
            return op.emit(kind, {x, op.in(i)});
        return op.has_attribute(name) ? op.emit(kind, {x, op.scalar_like(x, op.real(name, 0))}) : x;
    };
    TRY(x, bounded("maximum", "min", 1));
    return values_of({bounded("minimum", "max", 2)});
}

Result<OnnxValue> cast_to(const OnnxOperation& op, const Result<OnnxValue>& x, const std::string& type) {
    const auto dtype = device_type(type);
    const bool wraps = type == "int8" || type == "uint8" || type == "int16" || type == "uint16";
    if (!dtype || wraps)
        return refused("casts to " + type + ", which the device cannot hold",
                       "cast to float, float16, int32, int64 or bool");
    return cast(op, x, *dtype);
}

Result<OnnxValues> cast_operator(const OnnxOperation& op) {
    op.flag("saturate", true); // of casts to float8, which are refused
    if (op.opset >= 6)
        return values_of({cast_to(op, op.in(0), onnx_type_name(static_cast<int>(op.integer("to", 0))))});
    return values_of({cast_to(op, op.in(0), lower_case(op.text("to", "")))});
}

Result<OnnxValues> cast_like(const OnnxOperation& op) {
    op.flag("saturate", true);
    TRY(const OnnxValue like, op.in(1));
    if (!like.whole.empty())
        return values_of({cast_to(op, op.in(0), like.whole)});
    return values_of({cast(op, op.in(0), like.type.dtype)});
}

} // namespace

void add_onnx_elementwise(OnnxMappings& m) {
    for (const auto& [name, kind] : std::initializer_list<std::pair<const char*, const char*>>{
             {"Not", "logical_not"}, {"Floor", "floor"}, {"Ceil", "ceil"}, {"Round", "round"}})
        m[name] = unary(kind);
    for (const auto& [name, kind] :
         std::initializer_list<std::pair<const char*, const char*>>{{"Add", "add"},
                                                                    {"Sub", "subtract"},
                                                                    {"Mul", "multiply"},
                                                                    {"Div", "divide"},
                                                                    {"And", "logical_and"},
                                                                    {"Or", "logical_or"},
                                                                    {"Xor", "not_equal"},
                                                                    {"Equal", "equal"},
                                                                    {"Less", "less"},
                                                                    {"LessOrEqual", "less_equal"},
                                                                    {"Greater", "greater"},
                                                                    {"GreaterOrEqual", "greater_equal"}})
        m[name] = binary(kind);
    m["Max"] = variadic("maximum");
    m["Min"] = variadic("minimum");
    m["Sum"] = variadic("add");
    m["Mean"] = mean;
    m["Abs"] = absolute;
    m["Neg"] = negated;
    m["Sign"] = sign;
    m["Pow"] = power;
    m["Mod"] = modulo;
    m["Tan"] = tangent;
    m["Sinh"] = hyperbolic(&layers::Hyperbolic<OnnxOps>::sinh);
    m["Cosh"] = hyperbolic(&layers::Hyperbolic<OnnxOps>::cosh);
    m["Asinh"] = hyperbolic(&layers::Hyperbolic<OnnxOps>::asinh);
    m["Acosh"] = hyperbolic(&layers::Hyperbolic<OnnxOps>::acosh);
    m["Atanh"] = hyperbolic(&layers::Hyperbolic<OnnxOps>::atanh);
    m["IsNaN"] = is_nan;
    m["IsInf"] = is_infinite;
    m["Shrink"] = shrink;
    m["Where"] = where;
    m["Clip"] = clip;
    m["Cast"] = cast_operator;
    m["CastLike"] = cast_like;
}

} // namespace tilescope::onnx
