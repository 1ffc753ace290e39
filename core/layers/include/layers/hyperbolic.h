// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/try.h"
#include "graph/attributes.h"
#include "graph/operands.h"

/// Hyperbolic functions and their inverses, element by element, of float32. They keep their digits where
/// exponentials and logarithms alone would lose them, and so do their gradients: a branch that is not taken
/// is finite, too, as 0 times infinity is not 0.
///
/// `Ops` adds operations: a type `Value`, `emit(kind, operands, attributes)`, which gives a Result<Value>,
/// and `number(x, value)`: a number of the type of x.
namespace tilescope::layers {

template<class Ops>
class Hyperbolic {
  public:
    using Value = typename Ops::Value;
    using Made = Result<Value>;

    explicit Hyperbolic(const Ops& ops) : ops_(ops) {}

    Made cosh(const Value& x) const {
        TRY(const Value growing, half_of_exp(on("multiply", {side_of(x), x})));
        return on("add", {growing, other_half(growing)});
    }

    /// 2 t / (1 - t^2) with t = tanh(x / 2) near 0, where the difference of exponentials has no digits.
    Made sinh(const Value& x) const {
        TRY(const Value side, side_of(x));
        TRY(const Value size, on("multiply", {side, x}));
        TRY(const Value growing, half_of_exp(size));
        const Made far = on("multiply", {side, on("subtract", {growing, other_half(growing)})});
        const Made close = with("maximum", with("minimum", x, 1), -1);
        TRY(const Value t, on("tanh", {with("multiply", close, 0.5)}));
        const Made rest = on("subtract", {ops_.number(x, 1), on("square", {t})});
        const Made near = on("divide", {with("multiply", t, 2), rest});
        return on("select", {with("less", size, 1), near, far});
    }

    /// log(1 + (a + a^2 / (1 + sqrt(a^2 + 1)))) of a = |x|.
    Made asinh(const Value& x) const {
        TRY(const Value side, side_of(x));
        TRY(const Value size, on("multiply", {side, x}));
        TRY(const Value a, with("minimum", size, far_out));
        TRY(const Value square, on("multiply", {a, a}));
        const Made root = on("sqrt", {with("add", square, 1)});
        const Made bent = on("divide", {square, with("add", root, 1)});
        TRY(const Value near, log1p_of(on("add", {a, bent})));
        return on("multiply", {side, far_or(size, near)});
    }

    /// log(1 + (t + sqrt(t) sqrt(t + 2))) of t = x - 1.
    Made acosh(const Value& x) const {
        TRY(const Value t, with("subtract", with("minimum", x, far_out), 1));
        const Made root = on("multiply", {on("sqrt", {t}), on("sqrt", {with("add", t, 2)})});
        TRY(const Value near, log1p_of(on("add", {t, root})));
        return far_or(x, near);
    }

    /// (log(1 + x) - log(1 - x)) / 2.
    Made atanh(const Value& x) const {
        return with("multiply", on("subtract", {log1p(x), log1p_of(on("negate", {x}))}), 0.5);
    }

    /// log(1 + x): that of what 1 + x is rounded to, and what was rounded off, over the sum.
    Made log1p(const Value& x) const {
        constexpr double whole = 1e4; // what is rounded off shows in no logarithm of this size
        TRY(const Value near, with("minimum", x, whole));
        TRY(const Value sum, with("add", near, 1));
        const Made lost = on("subtract", {with("subtract", sum, 1), near});
        const Made below = on("select", {with("equal", sum, 0), ops_.number(x, 1), sum});
        return on("subtract", {on("log", {with("add", x, 1)}), on("divide", {lost, below})});
    }

  private:
    /// From here on x^2 + 1 and x^2 - 1 are x^2 to every digit.
    static constexpr double far_out = 1e4;

    Made on(const char* kind, const graph::Operands<Value>& operands) const {
        return ops_.emit(kind, operands, {});
    }
    Made with(const char* kind, const Made& value, double number) const {
        TRY(const Value x, value);
        return on(kind, {x, ops_.number(x, number)});
    }
    Made log1p_of(const Made& made) const {
        TRY(const Value x, made);
        return log1p(x);
    }
    /// 1 where x is not below 0, else -1: unlike its sign, with a gradient at 0.
    Made side_of(const Value& x) const {
        return on("select", {with("greater_equal", x, 0), ops_.number(x, 1), ops_.number(x, -1)});
    }
    /// exp(x) / 2, which is finite as long as the hyperbolic functions are.
    Made half_of_exp(const Made& x) const {
        TRY(const Value root, on("exp", {with("multiply", x, 0.5)}));
        return on("multiply", {with("multiply", root, 0.5), root});
    }
    /// exp(-x) / 2 of exp(x) / 2.
    Made other_half(const Value& growing) const {
        return on("divide", {ops_.number(growing, 0.25), growing});
    }
    /// log(2 x) of what is far out, else `near`.
    Made far_or(const Value& x, const Value& near) const {
        const Made far = on("add", {on("log", {with("maximum", x, 1)}), on("log", {ops_.number(x, 2)})});
        return on("select", {with("greater", x, far_out), far, near});
    }

    const Ops& ops_;
};

} // namespace tilescope::layers
