// SPDX-License-Identifier: GPL-3.0-or-later
#include "training/losses.h"

#include "base/try.h"

#include <cmath>
#include <functional>
#include <map>

namespace tilescope::training {
namespace {

using graph::Builder;
using graph::Shape;
using graph::ValueId;

constexpr double epsilon = 1e-7; ///< Keras' backend epsilon

/// Arithmetic on values of the output's type.
class Terms {
  public:
    Terms(Builder& build, const Compared& compared)
        : p(compared.output), t(compared.labels), build_(build), from_logits_(compared.from_logits) {}

    const ValueId p; ///< predictions
    const ValueId t; ///< labels, truth

    Result<ValueId> on(const char* kind, const Result<ValueId>& a) { return build_.emit(kind, {a}); }
    Result<ValueId> on(const char* kind, const Result<ValueId>& a, const Result<ValueId>& b) {
        return build_.emit(kind, {a, b});
    }
    Result<ValueId> on(const char* kind, const Result<ValueId>& a, double b) {
        return on(kind, a, like(a, b));
    }
    Result<ValueId> on(const char* kind, double a, const Result<ValueId>& b) {
        return on(kind, like(b, a), b);
    }
    Result<ValueId> clipped(const Result<ValueId>& a, double low, double high) {
        return on("minimum", on("maximum", a, low), high);
    }
    Result<ValueId> log(const Result<ValueId>& a) { return on("log", a); }
    /// Over the last axis, which is kept as 1.
    Result<ValueId> last(const char* reduction, const Result<ValueId>& a) {
        return build_.emit(reduction, {a}, {{"axes", Shape{-1}}, {"keep_dims", true}});
    }
    Result<ValueId> cast_to_float(const Result<ValueId>& a) {
        return build_.emit("cast", {a}, {{"dtype", std::string("float32")}});
    }
    /// In the type of the output.
    Result<ValueId> cast_to_output(const Result<ValueId>& a) {
        return build_.emit("cast", {a}, {{"dtype", std::string(graph::to_string(build_.type(p).dtype))}});
    }
    Result<ValueId> argmax(const Result<ValueId>& a) {
        return build_.emit("argmax", {a}, {{"axis", std::int64_t{-1}}});
    }
    Result<ValueId> difference() { return on("subtract", p, t); }
    /// Labels that are all 0 or 1 as -1 and 1; others as they are.
    Result<ValueId> signs() {
        TRY(const ValueId binary, on("logical_or", on("equal", t, 0.0), on("equal", t, 1.0)));
        TRY(const ValueId all, on("reduce_min", cast_to_output(binary)));
        return on("add", t, on("multiply", all, on("subtract", t, 1.0)));
    }
    bool sparse() const { return !graph::is_floating(build_.type(t).dtype); }
    bool one_value() const { return build_.type(p).shape.back() == 1; }

    /// What the output is made of where its last operation is `kind`, or the output where it is logits
    /// itself; no_value where it is neither.
    ValueId logits(const char* kind) const {
        const graph::Value& value = build_.graph().value(p);
        if (from_logits_)
            return p;
        if (value.source == graph::Source::Operation && build_.graph().operation(value.producer).kind == kind)
            return build_.graph().operation(value.producer).inputs[0];
        return graph::no_value;
    }
    Result<ValueId> crossentropy(const std::string& kind) {
        ValueId predictions = logits("softmax");
        bool known = predictions != graph::no_value;
        if (!known && sparse()) { // Keras takes the logarithms for logits, so that they need not add up to 1
            TRY(predictions, log(clipped(p, epsilon, 1 - epsilon)));
            known = true;
        }
        predictions = known ? predictions : p;
        const graph::Attributes attributes{{"from_logits", known}};
        const Shape shape = build_.type(predictions).shape;
        if (shape.size() == 2)
            return build_.emit(kind, {predictions, t}, attributes);
        const auto flat = [&](const Result<ValueId>& a, Shape to) {
            return build_.emit("reshape", {a}, {{"shape", to}});
        };
        const auto values = build_.emit(
            kind,
            {flat(predictions, {-1, shape.back()}), flat(t, sparse() ? Shape{-1} : Shape{-1, shape.back()})},
            attributes);
        return flat(values, {shape.begin(), shape.end() - 1});
    }

  private:
    Result<ValueId> like(const Result<ValueId>& made, double value) {
        TRY(const ValueId other, made);
        return build_.scalar(value, build_.type(other).dtype);
    }

    Builder& build_;
    bool from_logits_;
};

using Formula = std::function<Result<ValueId>(Terms&)>;

Result<ValueId> squared(Terms& e) {
    return e.on("square", e.difference());
}
Result<ValueId> absolute(Terms& e) {
    return e.on("abs", e.difference());
}
Result<ValueId> percentage(Terms& e) {
    TRY(const ValueId scale, e.on("maximum", e.on("abs", e.t), epsilon));
    return e.on("multiply", e.on("abs", e.on("divide", e.difference(), scale)), 100.0);
}
Result<ValueId> squared_logarithmic(Terms& e) {
    const auto log = [&](ValueId x) { return e.log(e.on("add", e.on("maximum", x, epsilon), 1.0)); };
    return e.on("square", e.on("subtract", log(e.p), log(e.t)));
}
/// max(x, 0) - x t + log(1 + exp(-|x|)) of logits x, which no probability of 0 or 1 spoils. At 0, where
/// weights may begin, max(x, 0) and min(-x, x) have the slopes that they have above: together half, as the
/// sigmoid.
Result<ValueId> binary_crossentropy(Terms& e) {
    if (const ValueId x = e.logits("sigmoid"); x != graph::no_value) {
        TRY(const ValueId rest, e.on("softplus", e.on("minimum", e.on("negate", x), x)));
        return e.on("add", e.on("subtract", e.on("maximum", x, 0.0), e.on("multiply", x, e.t)), rest);
    }
    TRY(const ValueId p, e.clipped(e.p, epsilon, 1 - epsilon));
    const auto log = [&](const Result<ValueId>& x) { return e.log(e.on("add", x, epsilon)); }; // as in Keras
    TRY(const ValueId hit, e.on("multiply", e.t, log(p)));
    TRY(const ValueId miss, e.on("multiply", e.on("subtract", 1.0, e.t), log(e.on("subtract", 1.0, p))));
    return e.on("negate", e.on("add", hit, miss));
}
Result<ValueId> hinge(Terms& e) {
    return e.on("maximum", e.on("subtract", 1.0, e.on("multiply", e.signs(), e.p)), 0.0);
}
Result<ValueId> categorical_hinge(Terms& e) {
    TRY(const ValueId right, e.last("reduce_sum", e.on("multiply", e.t, e.p)));
    TRY(const ValueId wrong, e.last("reduce_max", e.on("multiply", e.on("subtract", 1.0, e.t), e.p)));
    return e.on("maximum", e.on("add", e.on("subtract", wrong, right), 1.0), 0.0);
}
/// d^2 / 2 up to a distance of 1, then |d| - 1/2: with c = min(|d|, 1), c |d| - c^2 / 2 is both.
Result<ValueId> huber(Terms& e) {
    TRY(const ValueId d, absolute(e));
    TRY(const ValueId c, e.on("minimum", d, 1.0));
    return e.on("subtract", e.on("multiply", c, d), e.on("multiply", e.on("square", c), 0.5));
}
Result<ValueId> log_cosh(Terms& e) {
    TRY(const ValueId d, e.difference());
    return e.on("subtract", e.on("add", d, e.on("softplus", e.on("multiply", d, -2.0))), std::log(2.0));
}
Result<ValueId> poisson(Terms& e) {
    return e.on("subtract", e.p, e.on("multiply", e.t, e.log(e.on("add", e.p, epsilon))));
}
Result<ValueId> divergence(Terms& e) {
    TRY(const ValueId t, e.clipped(e.t, epsilon, 1));
    TRY(const ValueId p, e.clipped(e.p, epsilon, 1));
    return e.last("reduce_sum", e.on("multiply", t, e.log(e.on("divide", t, p))));
}
/// Of vectors scaled to length 1 (tf.math.l2_normalize): x / sqrt(max(sum x^2, 1e-12)).
Result<ValueId> cosine(Terms& e) {
    const auto unit = [&](ValueId x) -> Result<ValueId> {
        TRY(const ValueId length, e.on("maximum", e.last("reduce_sum", e.on("square", x)), 1e-12));
        return e.on("multiply", x, e.on("rsqrt", length));
    };
    return e.last("reduce_sum", e.on("multiply", unit(e.t), unit(e.p)));
}

/// Formulas by name; the first of each is Keras' function name.
const std::map<std::string, Formula>& losses() {
    static const std::map<std::string, Formula> all = [] {
        std::map<std::string, Formula> formulas;
        const auto add = [&](std::initializer_list<const char*> names, Result<ValueId> (*formula)(Terms&)) {
            for (const char* name : names)
                formulas[name] = [formula](Terms& e) -> Result<ValueId> { return formula(e); };
        };
        add({"mean_squared_error", "mse"}, squared);
        add({"mean_absolute_error", "mae"}, absolute);
        add({"mean_absolute_percentage_error", "mape"}, percentage);
        add({"mean_squared_logarithmic_error", "msle"}, squared_logarithmic);
        add({"binary_crossentropy", "bce"}, binary_crossentropy);
        add({"hinge"}, hinge);
        add({"squared_hinge"}, [](Terms& e) { return e.on("square", hinge(e)); });
        add({"categorical_hinge"}, categorical_hinge);
        add({"huber", "huber_loss"}, huber);
        add({"log_cosh", "logcosh"}, log_cosh);
        add({"poisson"}, poisson);
        add({"kl_divergence", "kullback_leibler_divergence", "kld"}, divergence);
        add({"cosine_similarity"}, [](Terms& e) { return e.on("negate", cosine(e)); });
        for (const char* name : {"categorical_crossentropy", "sparse_categorical_crossentropy"})
            formulas[name] = [name](Terms& e) { return e.crossentropy(name); };
        return formulas;
    }();
    return all;
}

Result<ValueId> equal_classes(Terms& e) {
    const auto truth = e.sparse() ? e.t : e.argmax(e.t);
    return e.cast_to_float(e.on("equal", e.argmax(e.p), truth));
}
/// Whether an output above one half stands for a label of 1, any other for one of 0.
Result<ValueId> equal_halves(Terms& e) {
    return e.cast_to_float(e.on("equal", e.cast_to_output(e.on("greater", e.p, 0.5)), e.t));
}
/// Whether fewer than five classes are rated above the true one.
Result<ValueId> among_five(Terms& e) {
    TRY(const ValueId rated, e.last("reduce_sum", e.on("multiply", e.t, e.p)));
    TRY(const ValueId above, e.last("reduce_sum", e.cast_to_float(e.on("greater", e.p, rated))));
    return e.cast_to_float(e.on("less", above, 5.0));
}

/// Metrics that are no losses. "accuracy" is that of the labels and the output's width, as in Keras.
const std::map<std::string, Result<ValueId> (*)(Terms&)>& accuracies() {
    static const auto by_shape = [](Terms& e) {
        return !e.sparse() && e.one_value() ? equal_halves(e) : equal_classes(e);
    };
    static const std::map<std::string, Result<ValueId> (*)(Terms&)> all = {
        {"accuracy", by_shape},
        {"acc", by_shape},
        {"categorical_accuracy", equal_classes},
        {"sparse_categorical_accuracy", equal_classes},
        {"binary_accuracy", equal_halves},
        {"top_k_categorical_accuracy", among_five}};
    return all;
}

Result<void> check(const Builder& build, const std::string& name, const Compared& compared) {
    const graph::TensorType& output = build.type(compared.output);
    const graph::TensorType& labels = build.type(compared.labels);
    if (!graph::is_floating(output.dtype) || output.shape.size() < 2)
        return bad_input("a model's output " + to_string(output) + " cannot be compared with labels", name,
                         "end the model with a layer of floats [batch, …]");
    const bool classes = sparse_labels(name) || accuracies().contains(name);
    if (!graph::is_floating(labels.dtype) &&
        (!classes || name == "top_k_categorical_accuracy" || name == "binary_accuracy"))
        return bad_input("\"" + name + "\" compares with labels like the output, not with classes", name,
                         "use a loss that is not sparse");
    return {};
}

} // namespace

std::vector<std::string> loss_names() {
    std::vector<std::string> names;
    for (const auto& [name, formula] : losses())
        names.push_back(name);
    return names;
}

std::vector<std::string> metric_names() {
    std::vector<std::string> names = loss_names();
    for (const auto& [name, formula] : accuracies())
        names.push_back(name);
    return names;
}

bool sparse_labels(const std::string& loss) {
    return loss == "sparse_categorical_crossentropy";
}

Result<ValueId> add_loss_values(Builder& build, const std::string& loss, const Compared& compared) {
    TRY(check(build, loss, compared));
    Terms terms(build, compared);
    return losses().at(loss)(terms);
}

Result<ValueId> add_metric_values(Builder& build, const std::string& metric, const Compared& compared) {
    TRY(check(build, metric, compared));
    Terms terms(build, compared);
    if (metric == "cosine_similarity") // the similarity itself, which the loss negates
        return cosine(terms);
    const auto accuracy = accuracies().find(metric);
    return accuracy == accuracies().end() ? losses().at(metric)(terms) : accuracy->second(terms);
}

} // namespace tilescope::training
