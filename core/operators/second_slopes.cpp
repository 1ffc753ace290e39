// SPDX-License-Identifier: GPL-3.0-or-later
#include "second_slopes.h"

#include "base/try.h"

#include <numbers>

namespace tilescope::operators::second_slopes {
namespace {

using graph::Attributes;
using graph::Builder;
using graph::ValueId;

/// Sums and products of values of one type.
class Terms {
  public:
    Terms(Builder& build, ValueId like) : build_(build), dtype_(build.type(like).dtype) {}

    Made number(double value) const { return build_.scalar(value, dtype_); }
    Made of(const char* kind, const Made& x) const { return build_.emit(kind, {x}); }
    Made sum(const Made& a, const Made& b) const { return build_.emit("add", {a, b}); }
    Made product(const Made& a, const Made& b) const { return build_.emit("multiply", {a, b}); }
    /// offset + factor x
    Made line(double offset, double factor, const Made& x) const {
        return sum(product(x, number(factor)), number(offset));
    }

  private:
    Builder& build_;
    graph::DType dtype_;
};

/// What NAME_gradient makes of `both` below 0, where the function has its own slope as that of its slope,
/// else 0.
Made below_zero(Builder& build, const char* gradient, ValueId x, ValueId both, const Attributes& attributes) {
    TRY(const ValueId below, build.emit("less", {x, build.scalar(0, build.type(x).dtype)}));
    return build.emit("select", {below, build.emit(gradient, {x, both}, attributes),
                                 build.scalar(0, build.type(both).dtype)});
}

} // namespace

Made straight(Builder&, ValueId, ValueId, const Attributes&) {
    return graph::no_value;
}

/// y (1 - y) has the slope 1 - 2 y.
Made sigmoid(Builder& build, ValueId y, ValueId both, const Attributes&) {
    const Terms t(build, y);
    return t.product(both, t.line(1, -2, y));
}

/// 1 - y y has the slope -2 y.
Made tanh(Builder& build, ValueId y, ValueId both, const Attributes&) {
    const Terms t(build, y);
    return t.product(both, t.product(y, t.number(-2)));
}

/// s(x), the sigmoid, has the slope s (1 - s).
Made softplus(Builder& build, ValueId x, ValueId both, const Attributes&) {
    return build.emit("sigmoid_gradient", {build.emit("sigmoid", {x}), both});
}

/// s(-x) has the slope -s (1 - s).
Made log_sigmoid(Builder& build, ValueId x, ValueId both, const Attributes& attributes) {
    return build.emit("negate", {softplus(build, x, both, attributes)});
}

/// s + x s (1 - s) has the slope s (1 - s) (2 + x (1 - 2 s)).
Made swish(Builder& build, ValueId x, ValueId both, const Attributes& attributes) {
    const Terms t(build, x);
    const Made bent = t.product(x, t.line(1, -2, t.of("sigmoid", x)));
    return t.product(t.sum(bent, t.number(2)), softplus(build, x, both, attributes));
}

/// 1 / (1 + |x|)^2 has the slope -2 sign(x) / (1 + |x|)^3.
Made softsign(Builder& build, ValueId x, ValueId both, const Attributes&) {
    const Terms t(build, x);
    TRY(const ValueId share, t.of("reciprocal", t.line(1, 1, t.of("abs", x))));
    const Made cube = t.product(t.of("square", share), share);
    return t.product(t.product(both, t.product(t.of("sign", x), t.number(-2))), cube);
}

Made elu(Builder& build, ValueId x, ValueId both, const Attributes& attributes) {
    return below_zero(build, "elu_gradient", x, both, attributes);
}

Made selu(Builder& build, ValueId x, ValueId both, const Attributes& attributes) {
    return below_zero(build, "selu_gradient", x, both, attributes);
}

/// Phi + x phi, of the normal distribution and its density phi, has the slope (2 - x^2) phi.
Made gelu(Builder& build, ValueId x, ValueId both, const Attributes&) {
    const Terms t(build, x);
    TRY(const ValueId square, t.of("square", x));
    const double height = std::numbers::inv_sqrtpi / std::numbers::sqrt2;
    const Made density = t.of("exp", t.product(square, t.number(-0.5)));
    return t.product(both, t.product(t.line(2 * height, -height, square), density));
}

/// Of u = c (x + a x^3) and t = tanh(u) the function is x (1 + t) / 2, and the slope of its slope
/// (1 - t^2) (c (1 + 6 a x^2) - x t (c (1 + 3 a x^2))^2).
Made gelu_tanh(Builder& build, ValueId x, ValueId both, const Attributes&) {
    constexpr double a = 0.044715;
    const double c = std::numbers::sqrt2 * std::numbers::inv_sqrtpi;
    const Terms t(build, x);
    TRY(const ValueId square, t.of("square", x));
    TRY(const ValueId bend, t.of("tanh", t.product(x, t.line(c, a * c, square))));
    const Made steep = t.of("square", t.line(c, 3 * a * c, square));
    const Made turns = t.product(t.product(x, bend), t.product(steep, t.number(-1)));
    const Made slope = t.sum(t.line(c, 6 * a * c, square), turns);
    return t.product(t.product(both, slope), t.line(1, -1, t.of("square", bend)));
}

/// Of w = tanh(softplus(x)) and s = sigmoid(x) the function is x w, and the slope of its slope
/// (1 - w^2) s (2 + x (1 - s - 2 w s)).
Made mish(Builder& build, ValueId x, ValueId both, const Attributes&) {
    const Terms t(build, x);
    TRY(const ValueId w, t.of("tanh", t.of("softplus", x)));
    TRY(const ValueId s, t.of("sigmoid", x));
    const Made bent = t.product(x, t.sum(t.number(1), t.product(s, t.line(-1, -2, w))));
    const Made rises = t.product(t.line(1, -1, t.of("square", w)), s);
    return t.product(both, t.product(rises, t.sum(bent, t.number(2))));
}

/// (1 + x / r) / 2, where r = sqrt(x^2 + 4), has the slope 2 / r^3.
Made squareplus(Builder& build, ValueId x, ValueId both, const Attributes&) {
    const Terms t(build, x);
    TRY(const ValueId share, t.of("rsqrt", t.line(4, 1, t.of("square", x))));
    const Made cube = t.product(t.of("square", share), share);
    return t.product(both, t.product(cube, t.number(2)));
}

} // namespace tilescope::operators::second_slopes
