// SPDX-License-Identifier: GPL-3.0-or-later
#include "operation.h"
#include "tensor.h"

/// Arithmetic, comparisons, logic, choices and casts.
namespace tilescope::onnx {
namespace {

using graph::DType;
using graph::Shape;

bool whole(const OnnxValue& x) {
    return x.type.dtype == DType::Int32;
}

OnnxMapping unary(const char* kind) {
    return [kind](const OnnxOperation& op) -> OnnxValues { return {op.emit(kind, {op.in(0)})}; };
}

/// Opsets before 7 line up the second operand with the dimensions of the first from `axis` on.
OnnxValue lined_up(const OnnxOperation& op, const OnnxValue& a, const OnnxValue& b) {
    if (op.opset >= 7 || !op.has_attribute("axis") || !op.flag("broadcast", false))
        return b;
    const std::size_t axis = axis_of(op.integer("axis", 0), a.rank());
    Shape shape = b.shape();
    while (shape.size() + axis < a.shape().size())
        shape.push_back(1);
    return reshape(op, b, shape);
}

OnnxMapping binary(const char* kind) {
    return [kind](const OnnxOperation& op) -> OnnxValues {
        return {op.emit(kind, {op.in(0), lined_up(op, op.in(0), op.in(1))})};
    };
}

/// Any number of operands, one after another.
OnnxValue chain(const OnnxOperation& op, const char* kind) {
    OnnxValue result = op.in(0);
    for (std::size_t i = 1; i < op.inputs(); ++i)
        result = op.emit(kind, {result, op.in(i)});
    return result;
}

OnnxMapping variadic(const char* kind) {
    return [kind](const OnnxOperation& op) -> OnnxValues { return {chain(op, kind)}; };
}

OnnxValues mean(const OnnxOperation& op) {
    const OnnxValue sum = chain(op, "add");
    if (op.inputs() == 1)
        return {sum};
    return {op.emit("multiply", {sum, op.scalar_like(sum, 1.0 / static_cast<double>(op.inputs()))})};
}

OnnxValues absolute(const OnnxOperation& op) {
    const OnnxValue& x = op.in(0);
    if (!whole(x))
        return {op.emit("abs", {x})};
    return {op.emit("maximum", {x, op.emit("subtract", {op.scalar_like(x, 0), x})})};
}

OnnxValues negated(const OnnxOperation& op) {
    const OnnxValue& x = op.in(0);
    return {whole(x) ? op.emit("subtract", {op.scalar_like(x, 0), x}) : op.emit("negate", {x})};
}

OnnxValues sign(const OnnxOperation& op) {
    const OnnxValue& x = op.in(0);
    if (!whole(x))
        return {op.emit("sign", {x})};
    const OnnxValue zero = op.scalar_like(x, 0);
    return {op.emit("subtract", {cast(op, op.emit("greater", {x, zero}), DType::Int32),
                                 cast(op, op.emit("less", {x, zero}), DType::Int32)})};
}

/// Powers that an operation of their own computes, for a small part of the cycles; nullopt for others.
std::optional<OnnxValue> simple_power(const OnnxOperation& op, const OnnxValue& base,
                                      const OnnxValue& exponent) {
    if (!exponent.known || exponent.computed() || exponent.type.elements() != 1 ||
        exponent.rank() > base.rank() || !graph::is_floating(base.type.dtype))
        return std::nullopt;
    const double power = device_tensor(exponent).at(0);
    if (power == 1)
        return base;
    if (power == 2)
        return op.emit("square", {base});
    if (power == 0.5)
        return op.emit("sqrt", {base});
    if (power == -1)
        return op.emit("reciprocal", {base});
    if (power == -0.5)
        return op.emit("rsqrt", {base});
    return std::nullopt;
}

/// The result has the base's type; a power of mixed types is worked out in floats.
OnnxValues power(const OnnxOperation& op) {
    const OnnxValue& base = op.in(0);
    const OnnxValue exponent = lined_up(op, base, op.in(1));
    if (auto simple = simple_power(op, base, exponent))
        return {*simple};
    if (base.type.dtype == exponent.type.dtype)
        return {op.emit("power", {base, exponent})};
    const DType common = whole(base) ? exponent.type.dtype : base.type.dtype;
    const OnnxValue y = op.emit("power", {cast(op, base, common), cast(op, exponent, common)});
    return {cast(op, y, base.type.dtype)};
}

/// What is left of |a| after it was divided by |b|; the sign is that of a. Where the quotient is rounded up
/// or down to a whole number, what is left is b too little or too much.
OnnxValue remainder_of_floats(const OnnxOperation& op, const OnnxValue& a, const OnnxValue& b) {
    const OnnxValue divisor = op.emit("abs", {b});
    const OnnxValue all = op.emit("abs", {a});
    const auto times = [&](const char* comparison, const OnnxValue& x, const OnnxValue& limit) {
        return op.emit("multiply", {divisor, cast(op, op.emit(comparison, {x, limit}), a.type.dtype)});
    };
    const OnnxValue quotient = op.emit("floor", {op.emit("divide", {all, divisor})});
    OnnxValue left = op.emit("subtract", {all, op.emit("multiply", {quotient, divisor})});
    left = op.emit("add", {left, times("less", left, op.scalar_like(a, 0))});
    left = op.emit("subtract", {left, times("greater_equal", left, divisor)});
    return op.emit("multiply", {op.emit("sign", {a}), left});
}

/// a - b trunc(a / b), with the sign of a; unless `fmod` that of b, by adding b where the signs differ.
OnnxValues modulo(const OnnxOperation& op) {
    const OnnxValue& a = op.in(0);
    const OnnxValue& b = op.in(1);
    const bool sign_of_a = op.flag("fmod", false);
    if (graph::is_floating(a.type.dtype)) {
        if (!sign_of_a)
            throw OnnxRefusal("takes the modulus of floats without fmod", "set fmod to 1");
        return {remainder_of_floats(op, a, b)};
    }
    if (!whole(a))
        throw OnnxRefusal("takes the modulus of truth values", "cast them to int32");
    const OnnxValue zero = op.scalar_like(a, 0);
    const OnnxValue left = op.emit("subtract", {a, op.emit("multiply", {op.emit("divide", {a, b}), b})});
    if (sign_of_a)
        return {left};
    const OnnxValue apart = op.emit("not_equal", {op.emit("less", {left, zero}), op.emit("less", {b, zero})});
    const OnnxValue adds = op.emit("logical_and", {apart, op.emit("not_equal", {left, zero})});
    return {op.emit("add", {left, op.emit("multiply", {cast(op, adds, DType::Int32), b})})};
}

OnnxValues tangent(const OnnxOperation& op) {
    return {op.emit("divide", {op.emit("sin", {op.in(0)}), op.emit("cos", {op.in(0)})})};
}

/// (exp(x) - exp(-x)) / 2, or with + the hyperbolic cosine.
OnnxMapping hyperbolic(const char* combine) {
    return [combine](const OnnxOperation& op) -> OnnxValues {
        const OnnxValue& x = op.in(0);
        const OnnxValue up = op.emit("exp", {x});
        const OnnxValue down = op.emit("exp", {op.emit("negate", {x})});
        return {op.emit("multiply", {op.emit(combine, {up, down}), op.scalar_like(x, 0.5)})};
    };
}

OnnxValues where(const OnnxOperation& op) {
    auto shape = graph::broadcast(op.in(0).shape(), op.in(1).shape());
    if (shape)
        shape = graph::broadcast(*shape, op.in(2).shape());
    if (!shape)
        throw OnnxRefusal("the operands' shapes do not broadcast");
    return {op.emit("select", {broadcast(op, op.in(0), *shape), broadcast(op, op.in(1), *shape),
                               broadcast(op, op.in(2), *shape)})};
}

/// Bounds are attributes before opset 11, then inputs.
OnnxValues clip(const OnnxOperation& op) {
    OnnxValue x = op.in(0);
    const auto bound = [&](const char* name, std::size_t i) -> std::optional<OnnxValue> {
        if (op.has(i))
            return op.in(i);
        if (op.has_attribute(name))
            return op.scalar_like(x, op.real(name, 0));
        return std::nullopt;
    };
    if (const auto low = bound("min", 1))
        x = op.emit("maximum", {x, *low});
    if (const auto high = bound("max", 2))
        x = op.emit("minimum", {x, *high});
    return {x};
}

OnnxValue cast_to(const OnnxOperation& op, const OnnxValue& x, const std::string& type) {
    const auto dtype = device_type(type);
    const bool wraps = type == "int8" || type == "uint8" || type == "int16" || type == "uint16";
    if (!dtype || wraps)
        throw OnnxRefusal("casts to " + type + ", which the device cannot hold",
                          "cast to float, float16, int32, int64 or bool");
    return cast(op, x, *dtype);
}

OnnxValues cast_operator(const OnnxOperation& op) {
    if (op.opset >= 6)
        return {cast_to(op, op.in(0), onnx_type_name(static_cast<int>(op.integer("to", 0))))};
    std::string type = op.text("to", "");
    for (char& c : type)
        c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return {cast_to(op, op.in(0), type)};
}

OnnxValues cast_like(const OnnxOperation& op) {
    return {cast(op, op.in(0), op.in(1).type.dtype)};
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
    m["Sinh"] = hyperbolic("subtract");
    m["Cosh"] = hyperbolic("add");
    m["Where"] = where;
    m["Clip"] = clip;
    m["Cast"] = cast_operator;
    m["CastLike"] = cast_like;
}

} // namespace tilescope::onnx
