// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/try.h"
#include "broadcasting.h"
#include "graph/builder.h"
#include "operators/families.h"

#include <cmath>
#include <string>

/// What divisions of floats leave. Neither is a - b q with a quotient q that is rounded: where a is many
/// times b, or b is infinite, that has no digit right.
namespace tilescope::operators {
namespace {

using graph::Attributes;
using graph::ComputeContext;
using graph::GradientContext;
using graph::TensorType;
using graph::ValueId;

struct RemainderRow {
    const char* name;
    const char* formula;
    double (*apply)(double a, double b);
};

/// As floats of 32 bits, so that a sum is rounded as theirs are.
double floor_mod(double a, double b) {
    const auto divisor = static_cast<float>(b);
    const float left = std::fmod(static_cast<float>(a), divisor);
    return left != 0 && (left < 0) != (divisor < 0) ? left + divisor : left;
}

const std::vector<RemainderRow>& remainder_rows() {
    static const std::vector<RemainderRow> rows = {
        {"fmod", "what is left of a after whole times b, with the sign of a",
         [](double a, double b) { return std::fmod(a, b); }},
        {"floor_mod", "what is left of a after whole times b, with the sign of b", floor_mod},
    };
    return rows;
}

/// y = a - q b with a whole q, which stays as it is: da = dy, db = -q dy.
Result<std::vector<ValueId>> gradient(GradientContext& g) {
    const ValueId a = g.operation.inputs[0];
    const ValueId b = g.operation.inputs[1];
    const ValueId dy = g.output_gradients[0];
    TRY(const ValueId whole, g.build.emit("subtract", {a, g.operation.outputs[0]}));
    TRY(const ValueId quotient, g.build.emit("round", {g.build.emit("divide", {whole, b})}));
    TRY(const ValueId db, g.build.emit("negate", {g.build.emit("multiply", {dy, quotient})}));
    TRY(const ValueId by_a, sum_to(g.build, dy, g.build.type(a).shape));
    return graph::values_of({by_a, sum_to(g.build, db, g.build.type(b).shape)});
}

} // namespace

void add_remainder_operators(graph::OperatorRegistry& registry) {
    for (const RemainderRow& row : remainder_rows()) {
        graph::Operator op;
        op.name = row.name;
        op.summary =
            std::string("y = ") + row.formula + ", for floats, element by element, with broadcasting.";
        op.infer = of_floats(
            [](std::span<const TensorType> inputs, const Attributes&) { return infer_binary(inputs, {}); });
        op.gradient = gradient;
        op.compute = [apply = row.apply](ComputeContext& c) { compute_generic(c, apply); };
        op.elementwise = true;
        registry.add(std::move(op));
    }
}

} // namespace tilescope::operators
