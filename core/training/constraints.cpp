// SPDX-License-Identifier: GPL-3.0-or-later
#include "training/constraints.h"

#include "base/nearest_name.h"
#include "base/try.h"

#include <algorithm>
#include <map>

namespace tilescope::training {

using graph::Attributes;
using graph::Builder;
using graph::Constraint;
using graph::Shape;
using graph::ValueId;
namespace {

/// Operations of one constraint.
class WeightTerms {
  public:
    WeightTerms(Builder& build, const Constraint& constraint, ValueId weight, std::string name)
        : w(weight), settings(constraint.settings), build_(build), name_(std::move(name)) {}

    const ValueId w;
    const Attributes& settings;

    Result<ValueId> on(const char* kind, const graph::Operands<ValueId>& inputs, Attributes attributes = {}) {
        return build_.emit(kind, inputs, std::move(attributes), name_);
    }
    ValueId number(double value) { return build_.scalar(value, build_.type(w).dtype); }
    Result<ValueId> norm() {
        TRY(const ValueId sum, on("reduce_sum", {on("square", {w})},
                                  {{"axes", settings.integers("axes", {0})}, {"keep_dims", true}}));
        return on("sqrt", {sum});
    }
    Result<ValueId> clipped(const Result<ValueId>& x, double low, double high) {
        return on("minimum", {on("maximum", {x, number(low)}), number(high)});
    }
    /// w desired / (epsilon + norm).
    Result<ValueId> scaled(const Result<ValueId>& desired, const Result<ValueId>& norm) {
        constexpr double epsilon = 1e-7;
        return on("multiply", {w, on("divide", {desired, on("add", {norm, number(epsilon)})})});
    }
    const Shape& shape() const { return build_.type(w).shape; }
    std::string type_name() const { return graph::to_string(build_.type(w).dtype); }

  private:
    Builder& build_;
    std::string name_;
};

Result<ValueId> max_norm(WeightTerms& t) {
    TRY(const ValueId norm, t.norm());
    return t.scaled(t.clipped(norm, 0, t.settings.real("max_value", 2)), norm);
}

Result<ValueId> min_max_norm(WeightTerms& t) {
    TRY(const ValueId norm, t.norm());
    const double rate = t.settings.real("rate", 1);
    TRY(ValueId desired, t.clipped(norm, t.settings.real("min_value", 0), t.settings.real("max_value", 1)));
    if (rate != 1) {
        TRY(desired, t.on("add", {t.on("multiply", {desired, t.number(rate)}),
                                  t.on("multiply", {norm, t.number(1 - rate)})}));
    }
    return t.scaled(desired, norm);
}

Result<ValueId> unit_norm(WeightTerms& t) {
    return t.scaled(t.number(1), t.norm());
}

Result<ValueId> non_neg(WeightTerms& t) {
    TRY(const ValueId kept,
        t.on("cast", {t.on("greater_equal", {t.w, t.number(0)})}, {{"dtype", t.type_name()}}));
    return t.on("multiply", {t.w, kept});
}

/// Every element of a kernel becomes the one of its ring that Keras takes: with start = n / 2, ring i around
/// the middle is element (start + i, start + i), and the middle itself element (start - 1, start - 1).
Result<ValueId> radial_constraint(WeightTerms& t) {
    const Shape shape = t.shape(); // a copy: the graph grows
    const std::int64_t n = shape[0];
    const std::int64_t start = n / 2;
    std::vector<std::int64_t> places;
    for (std::int64_t i = 0; i < n * n; ++i) {
        const std::int64_t row = i / n;
        const std::int64_t column = i % n;
        // From the outside: ring 0 has the elements at the rim.
        const std::int64_t depth = std::min({row, column, n - 1 - row, n - 1 - column});
        const std::int64_t innermost = (n - 1) / 2;
        const std::int64_t from =
            depth == innermost ? std::max<std::int64_t>(start - 1, 0) : start + start - 1 - depth;
        places.push_back(from * n + from);
    }
    TRY(const ValueId flat, t.on("reshape", {t.w}, {{"shape", Shape{n * n, shape[2], shape[3]}}}));
    TRY(const ValueId taken, t.on("take", {flat}, {{"axis", std::int64_t{0}}, {"indices", places}}));
    return t.on("reshape", {taken}, {{"shape", shape}});
}

const std::map<std::string, Result<ValueId> (*)(WeightTerms&)>& constraints() {
    static const std::map<std::string, Result<ValueId> (*)(WeightTerms&)> all = {
        {"max_norm", max_norm},
        {"min_max_norm", min_max_norm},
        {"non_neg", non_neg},
        {"radial_constraint", radial_constraint},
        {"unit_norm", unit_norm}};
    return all;
}

} // namespace

std::vector<std::string> constraint_names() {
    std::vector<std::string> names;
    for (const auto& [name, formula] : constraints())
        names.push_back(name);
    return names;
}

Result<void> check_constraint(const Constraint& constraint, const Shape& shape) {
    if (!constraints().contains(constraint.name)) {
        return not_supported(
            "constraint \"" + constraint.name + "\" is not supported", {},
            remedy_for(constraint.name, constraint_names(),
                       "use max_norm, min_max_norm, non_neg, radial_constraint or unit_norm"));
    }
    const auto rank = static_cast<std::int64_t>(shape.size());
    if (constraint.name == "radial_constraint" && (rank != 4 || shape[0] != shape[1]))
        return bad_input("a radial constraint is one of square kernels, not of " + graph::to_string(shape),
                         {}, "use it for a convolution of two dimensions");
    if (constraint.name == "non_neg" || constraint.name == "radial_constraint")
        return {};
    for (const std::int64_t axis : constraint.settings.integers("axes", {0}))
        if (axis < -rank || axis >= rank)
            return bad_input("axis " + std::to_string(axis) + " of constraint \"" + constraint.name +
                             "\" is none of " + graph::to_string(shape));
    return {};
}

Result<ValueId> constrained(Builder& build, const Constraint& constraint, ValueId w,
                            const std::string& name) {
    WeightTerms terms(build, constraint, w, name);
    return constraints().at(constraint.name)(terms);
}

} // namespace tilescope::training
