// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/try.h"
#include "base/worker_pool.h"
#include "kernels/kernel_table.h"
#include "operators/families.h"
#include "product_updates.h"

#include <algorithm>
#include <cmath>
#include <functional>

/// Optimiser updates: inputs (variable, slots …, scalars …, gradient), outputs (variable, slots …). The
/// scalars are the step, from 1, where the optimiser counts them, then Nadam's momentum product, then, with
/// `scheduled_rate`, a factor of the learning rate.
namespace tilescope::operators {
namespace {

using graph::Attributes;
using graph::ComputeContext;
using graph::HostTensor;
using graph::TensorType;
using graph::to_string;

using kernels::UpdateFactors;

constexpr std::size_t update_grain = worth_a_thread(kernels::element_ns); ///< elements

float real(const ComputeContext& c, const char* name, double otherwise) {
    return static_cast<float>(c.attributes.real(name, otherwise));
}

double rate_of(const ComputeContext& c, double otherwise) {
    const double factor = c.attributes.flag("scheduled_rate") ? c.inputs[c.inputs.size() - 2]->at(0) : 1.0;
    return c.attributes.real("learning_rate", otherwise) * factor;
}

/// How a running mean decays, as TensorFlow works with it: one float from which all else follows. The
/// correction divides by what the mean has gathered, so the two must not be of different numbers.
struct Decay {
    float kept;
    float taken = 1.0F - kept;
    /// 1 - kept^step: the sum of the weights in the mean after so many steps.
    float gathered(const HostTensor& step) const {
        return 1.0F - std::pow(kept, static_cast<float>(step.at(0)));
    }
};
Decay beta_1_of(const ComputeContext& c) {
    return {real(c, "beta_1", 0.9)};
}
Decay beta_2_of(const ComputeContext& c) {
    return {real(c, "beta_2", 0.999)};
}

/// w -= rate g.
UpdateFactors sgd(const ComputeContext& c) {
    return {.rate = static_cast<float>(rate_of(c, 0.01))};
}

/// Keras: v = momentum v - rate g; w += v, or w += momentum v - rate g with Nesterov.
UpdateFactors momentum(const ComputeContext& c) {
    return {.rate = static_cast<float>(rate_of(c, 0.01)), .momentum = real(c, "momentum", 0)};
}

/// m and v as in Kingma and Ba, 2015, rounded as TensorFlow does: m += (g - m) (1 - b1), v += (g^2 - v) (1 -
/// b2); w -= rate sqrt(1 - b2^t) / (1 - b1^t) m / (sqrt(v) + epsilon), the form of both tf.keras and TF1
/// (their "epsilon hat"). With `corrected_epsilon`, epsilon stands beside the root of the corrected v, v / (1
/// - b2^t), as in algorithm 1 there. Decay is decoupled: of the weights, not of the gradient (Loshchilov and
/// Hutter, 2019).
UpdateFactors adam(const ComputeContext& c) {
    const Decay beta_1 = beta_1_of(c);
    const Decay beta_2 = beta_2_of(c);
    const double base = rate_of(c, 0.001);
    const HostTensor& step = *c.inputs[c.outputs.size()]; // after the slots
    const float root = std::sqrt(beta_2.gathered(step));
    return {.rate = static_cast<float>(base) * root / beta_1.gathered(step),
            .epsilon = real(c, "epsilon", 1e-7) * (c.attributes.flag("corrected_epsilon") ? root : 1.0F),
            .taken_1 = beta_1.taken,
            .taken_2 = beta_2.taken,
            .weights_kept = static_cast<float>(1 - base * c.attributes.real("weight_decay", 0))};
}

/// s = rho s + (1 - rho) g^2; w -= rate g / (sqrt(s) + epsilon) as tf.keras without momentum, or
/// rate g / sqrt(s + epsilon) as TF1 ("epsilon_inside"). TensorFlow starts s at 1 in TF1, at 0 in Keras.
/// With momentum: mom = momentum mom + rate g / sqrt(s + epsilon); w -= mom (both frameworks).
UpdateFactors rmsprop(const ComputeContext& c) {
    return {.rate = static_cast<float>(rate_of(c, 0.001)),
            .momentum = real(c, "momentum", 0),
            .rho = real(c, "rho", 0.9),
            .epsilon = real(c, "epsilon", 1e-7)};
}

/// w = momentum w + (1 - momentum) g: the running statistics of batch normalisation.
UpdateFactors moving_average(const ComputeContext& c) {
    return {.momentum = real(c, "momentum", 0.99)};
}

/// s += g^2; w -= rate g / (sqrt(s) + epsilon) (Duchi et al., 2011; tf.keras).
UpdateFactors adagrad(const ComputeContext& c) {
    return {.rate = static_cast<float>(rate_of(c, 0.001)), .epsilon = real(c, "epsilon", 1e-7)};
}

/// s = rho s + (1 - rho) g^2; d = g sqrt(a + epsilon) / sqrt(s + epsilon); a = rho a + (1 - rho) d^2;
/// w -= rate d (Zeiler, 2012; tf.keras).
UpdateFactors adadelta(const ComputeContext& c) {
    return {.rate = static_cast<float>(rate_of(c, 0.001)),
            .rho = real(c, "rho", 0.95),
            .epsilon = real(c, "epsilon", 1e-7)};
}

/// n = n + g^2; z = z + g + 2 shrinkage w - (sqrt(n) - sqrt(n before)) / rate w; w = 0 where |z| <= l1, else
/// (sign(z) l1 - z) / (sqrt(n) / rate + 2 l2 + beta / rate) (McMahan et al., 2013; tf.keras, with its
/// l2_shrinkage and the learning rate's power of -0.5).
UpdateFactors ftrl(const ComputeContext& c) {
    const double rate = rate_of(c, 0.001);
    return {.rate = static_cast<float>(rate),
            .l1 = real(c, "l1_regularization_strength", 0),
            .l2 = real(c, "l2_regularization_strength", 0) +
                  static_cast<float>(c.attributes.real("beta", 0) / (2 * rate)),
            .shrinkage = real(c, "l2_shrinkage_regularization_strength", 0)};
}

/// m as Adam; u = max(beta_2 u, |g|); w -= rate / (1 - beta_1^t) m / (u + epsilon) (Kingma and Ba, 2015,
/// section 7; tf.keras).
UpdateFactors adamax(const ComputeContext& c) {
    const Decay beta_1 = beta_1_of(c);
    return {.rate = static_cast<float>(rate_of(c, 0.001)) / beta_1.gathered(*c.inputs[3]),
            .epsilon = real(c, "epsilon", 1e-7),
            .taken_1 = beta_1.taken,
            .kept_2 = beta_2_of(c).kept};
}

/// m = beta_1 m + (1 - beta_1) g and v likewise of g^2.
UpdateFactors means(const ComputeContext& c, double epsilon) {
    const Decay beta_1 = beta_1_of(c);
    const Decay beta_2 = beta_2_of(c);
    return {.epsilon = real(c, "epsilon", epsilon),
            .kept_1 = beta_1.kept,
            .taken_1 = beta_1.taken,
            .kept_2 = beta_2.kept,
            .taken_2 = beta_2.taken,
            .correction_1 = beta_1.gathered(*c.inputs[3]),
            .correction_2 = beta_2.gathered(*c.inputs[3])};
}

/// Adam with Nesterov momentum and the momentum schedule mu_t = beta_1 (1 - 0.5 0.96^(0.004 t)) of tf.keras
/// (Dozat, 2016). The scalar after the step is the product of mu up to this step.
UpdateFactors nadam(const ComputeContext& c) {
    const double step = c.inputs[3]->at(0);
    const float product = static_cast<float>(c.inputs[4]->at(0));
    UpdateFactors f = means(c, 1e-7);
    const auto mu = [&](double t) {
        return f.kept_1 * static_cast<float>(1 - 0.5 * std::pow(0.96, 0.004 * t));
    };
    f.rate = static_cast<float>(rate_of(c, 0.001));
    f.now = (1 - mu(step)) / (1 - product);
    f.next = mu(step + 1) / (1 - product * mu(step + 1));
    return f;
}

/// The direction of LAMB (You et al., 2020; tensorflow_addons): from (w, m, v, step, g), first output
/// m^ / (sqrt(v^) + epsilon) + decay w.
UpdateFactors lamb_direction(const ComputeContext& c) {
    UpdateFactors f = means(c, 1e-6);
    f.decay = real(c, "weight_decay", 0);
    return f;
}

using FactorsOf = UpdateFactors (*)(const ComputeContext&);

/// Which kernel an operation's attributes ask for.
struct Kernels {
    kernels::Update usual, other;
    const char* flag; ///< the attribute that asks for the other
    kernels::Update of(const Attributes& a) const { return flag != nullptr && a.flag(flag) ? other : usual; }
};

void compute_range(ComputeContext& c, const Kernels& kinds, FactorsOf factors, std::size_t begin,
                   std::size_t end) {
    float* values[3] = {};
    for (std::size_t i = 0; i < c.outputs.size(); ++i) {
        const float* from = c.inputs[i]->floats().data() + begin;
        values[i] = c.outputs[i]->floats().data() + begin;
        if (values[i] != from)
            std::copy_n(from, end - begin, values[i]);
    }
    c.kernels.update(kinds.of(c.attributes), factors(c), values[0], values[1], values[2],
                     c.inputs[c.inputs.size() - 1]->floats().data() + begin,
                     static_cast<std::int64_t>(end - begin));
}

using Range = std::function<void(ComputeContext&, std::size_t begin, std::size_t end)>;

void add(graph::OperatorRegistry& registry, const char* name, const char* summary, std::size_t slots,
         std::size_t scalars, std::int64_t flops, const Range& range, bool stateful = false) {
    graph::Operator op;
    op.name = name;
    op.summary = summary;
    op.infer = of_floats([slots, scalars](std::span<const TensorType> in,
                                          const Attributes& attributes) -> Result<std::vector<TensorType>> {
        const std::size_t numbers = scalars + (attributes.flag("scheduled_rate") ? 1 : 0);
        TRY(expect_inputs(in, slots + 2 + numbers));
        for (std::size_t i = 0; i < in.size(); ++i) {
            const bool number = i > slots && i <= slots + numbers;
            if (number ? in[i].elements() != 1 : in[i].shape != in[0].shape)
                return shape_error(number ? "a single number" : "slots and a gradient like the variable",
                                   to_string(in[i]) + " for " + to_string(in[0]));
        }
        return std::vector<TensorType>(in.begin(), in.begin() + 1 + static_cast<std::ptrdiff_t>(slots));
    });
    op.compute_range = range;
    op.compute = [range](ComputeContext& c) {
        c.pool.parallel_for(static_cast<std::size_t>(c.outputs[0]->elements()), update_grain,
                            [&](std::size_t begin, std::size_t end) { range(c, begin, end); });
    };
    op.in_place = graph::InPlace::Paired;
    op.flops = [flops](std::span<const TensorType> in, auto, const Attributes&) {
        return flops * in[0].elements();
    };
    op.stateful = stateful;
    registry.add(std::move(op));
}

void add(graph::OperatorRegistry& registry, const char* name, const char* summary, std::size_t slots,
         std::size_t scalars, std::int64_t flops, FactorsOf factors, bool stateful = false,
         const char* flag = nullptr, const char* other = nullptr) {
    const kernels::Update usual = kernels::update_kernel(name);
    const Kernels kinds{usual, other == nullptr ? usual : kernels::update_kernel(other), flag};
    add(
        registry, name, summary, slots, scalars, flops,
        [kinds, factors](ComputeContext& c, std::size_t begin, std::size_t end) {
            compute_range(c, kinds, factors, begin, end);
        },
        stateful);
}

/// f(factors, w, s, t, u, g) on each element: updates with as many slots as the kernels do not take. Those
/// that the optimiser lacks are not touched.
template<class F>
Range three_slots(FactorsOf factors, F f) {
    return [factors, f](ComputeContext& c, std::size_t begin, std::size_t end) {
        const UpdateFactors of = factors(c);
        float* values[4] = {};
        float unused = 0;
        for (std::size_t k = 0; k < c.outputs.size(); ++k) {
            const float* from = c.inputs[k]->floats().data() + begin;
            values[k] = c.outputs[k]->floats().data() + begin;
            if (values[k] != from)
                std::copy_n(from, end - begin, values[k]);
        }
        const float* g = c.inputs[c.inputs.size() - 1]->floats().data() + begin;
        for (std::size_t i = 0; i < end - begin; ++i)
            f(of, values[0][i], values[1][i], values[2][i], values[3] == nullptr ? unused : values[3][i],
              g[i]);
    };
}

/// Adam, whose v is the greatest so far (Reddi et al., 2018; tf.keras).
void amsgrad(const UpdateFactors& f, float& w, float& m, float& v, float& most, float g) {
    m += (g - m) * f.taken_1;
    v += (g * g - v) * f.taken_2;
    most = std::max(most, v);
    w = w * f.weights_kept - f.rate * m / (std::sqrt(most) + f.epsilon);
}

/// RMSprop by the variance: the square of the mean gradient is taken off the mean square (tf.keras, TF1).
void centered(const UpdateFactors& f, float& w, float& s, float& mean, float&, float g) {
    s = f.rho * s + (1 - f.rho) * g * g;
    mean = f.rho * mean + (1 - f.rho) * g;
    w -= f.rate * g / (std::sqrt(s - mean * mean) + f.epsilon);
}
void centered_inside(const UpdateFactors& f, float& w, float& s, float& mean, float&, float g) {
    s = f.rho * s + (1 - f.rho) * g * g;
    mean = f.rho * mean + (1 - f.rho) * g;
    w -= f.rate * g / std::sqrt(s - mean * mean + f.epsilon);
}
void centered_momentum(const UpdateFactors& f, float& w, float& s, float& mom, float& mean, float g) {
    s = f.rho * s + (1 - f.rho) * g * g;
    mean = f.rho * mean + (1 - f.rho) * g;
    mom = f.momentum * mom + f.rate * g / std::sqrt(s - mean * mean + f.epsilon);
    w -= mom;
}

/// FTRL whose rate falls by another power of the sum of squares than its root: n^-power stands where the root
/// does (tf.keras, TF1).
void ftrl_of_power(ComputeContext& c, std::size_t begin, std::size_t end) {
    const float power = real(c, "learning_rate_power", -0.5);
    const auto element = [power](const UpdateFactors& f, float& w, float& n, float& z, float&, float g) {
        const float before = std::pow(n, -power);
        n += g * g;
        const float now = std::pow(n, -power);
        z += g + 2 * f.shrinkage * w - (now - before) / f.rate * w;
        const float beyond = std::max(std::fabs(z) - f.l1, 0.0F);
        w = -std::copysign(beyond, z) / (now / f.rate + 2 * f.l2);
    };
    three_slots(ftrl, element)(c, begin, end);
}

void add_centered(graph::OperatorRegistry& registry) {
    const Range outside = three_slots(rmsprop, centered);
    const Range inside = three_slots(rmsprop, centered_inside);
    add(registry, "rmsprop_centered_update",
        "RMSprop by the variance of the gradient, from (w, mean square, mean, g).", 2, 0, 12,
        [=](ComputeContext& c, std::size_t begin, std::size_t end) {
            (c.attributes.flag("epsilon_inside") ? inside : outside)(c, begin, end);
        });
    add(registry, "rmsprop_centered_momentum_update",
        "RMSprop by the variance with `momentum`, from (w, mean square, momentum, mean, g).", 3, 0, 14,
        three_slots(rmsprop, centered_momentum));
}

} // namespace

float descent_rate(const ComputeContext& update) {
    return sgd(update).rate;
}

void add_update_operators(graph::OperatorRegistry& registry) {
    add(registry, "sgd_update", "w' = w - `learning_rate` g, from (w, g).", 0, 0, 2, sgd);
    add(registry, "momentum_update", "SGD with `momentum` (`nesterov`), from (w, velocity, g).", 1, 0, 5,
        momentum, false, "nesterov", "nesterov_update");
    add(registry, "accumulated_momentum_update",
        "SGD with `momentum` (`nesterov`) of gradients, which the rate scales as they are applied "
        "(TF1), from (w, accumulator, g).",
        1, 0, 5, momentum, false, "nesterov", "accumulated_nesterov_update");
    add(registry, "adam_update",
        "Adam with `beta_1`, `beta_2`, `epsilon` and decoupled `weight_decay`, from (w, m, v, step, g).", 2,
        1, 12, adam);
    add(registry, "adam_amsgrad_update",
        "Adam by the greatest v so far, with the same settings, from (w, m, v, greatest v, step, g).", 3, 1,
        13, three_slots(adam, amsgrad));
    add_centered(registry);
    add(registry, "rmsprop_update", "RMSprop with `rho`, `epsilon`, from (w, mean square, g).", 1, 0, 8,
        rmsprop, false, "epsilon_inside", "rmsprop_inside_update");
    add(registry, "rmsprop_momentum_update", "RMSprop with `momentum`, from (w, mean square, momentum, g).",
        2, 0, 10, rmsprop);
    add(registry, "adagrad_update", "Adagrad with `epsilon`, from (w, sum of squares, g).", 1, 0, 6, adagrad);
    add(registry, "adadelta_update",
        "Adadelta with `rho`, `epsilon`, from (w, mean square, mean square of updates, g).", 2, 0, 14,
        adadelta);
    add(registry, "ftrl_update",
        "FTRL with `l1_regularization_strength`, `l2_regularization_strength`, "
        "`l2_shrinkage_regularization_strength`, `beta`, from (w, sum of squares, linear, g).",
        2, 0, 14, ftrl);
    add(registry, "ftrl_power_update",
        "FTRL with a `learning_rate_power` other than -0.5, and the same settings, from (w, sum of squares, "
        "linear, g).",
        2, 0, 14, ftrl_of_power);
    add(registry, "adamax_update", "Adamax with `beta_1`, `beta_2`, `epsilon`, from (w, m, u, step, g).", 2,
        1, 9, adamax);
    add(registry, "nadam_update",
        "Nadam with `beta_1`, `beta_2`, `epsilon`, from (w, m, v, step, product of the momentum schedule, "
        "g).",
        2, 2, 15, nadam);
    add(registry, "lamb_direction_update",
        "LAMB's direction with `beta_1`, `beta_2`, `epsilon`, `weight_decay`, from (w, m, v, step, g).", 2, 1,
        14, lamb_direction);
    add(registry, "moving_average_update",
        "w' = `momentum` w + (1 - `momentum`) v, from (w, v): running statistics, with every batch.", 0, 0, 3,
        moving_average, true);
}

} // namespace tilescope::operators
