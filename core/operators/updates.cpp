// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/try.h"
#include "base/worker_pool.h"
#include "kernels/kernel_table.h"
#include "operators/families.h"

#include <cmath>

/// Optimiser updates: inputs (variable, slots …, scalars …, gradient), outputs (variable, slots …). The
/// scalars are the step, from 1, where the optimiser counts them, then Nadam's momentum product, then, with
/// `scheduled_rate`, a factor of the learning rate.
namespace tilescope::operators {
namespace {

using graph::Attributes;
using graph::ComputeContext;
using graph::element_count;
using graph::HostTensor;
using graph::TensorType;
using graph::to_string;

constexpr std::size_t grain = 8192;

float* start_from_input(ComputeContext& c, std::size_t i) {
    auto from = c.inputs[i]->floats();
    std::copy(from.begin(), from.end(), c.outputs[i]->floats().begin());
    return c.outputs[i]->floats().data();
}

std::size_t count(const ComputeContext& c) {
    return static_cast<std::size_t>(c.outputs[0]->elements());
}
float real(const ComputeContext& c, const char* name, double otherwise) {
    return static_cast<float>(c.attributes.real(name, otherwise));
}

std::span<const float> gradient(const ComputeContext& c) {
    return c.inputs[c.inputs.size() - 1]->floats();
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
void sgd(ComputeContext& c) {
    float* w = start_from_input(c, 0);
    const float* g = gradient(c).data();
    const auto rate = static_cast<float>(rate_of(c, 0.01));
    for (std::size_t i = 0; i < count(c); ++i)
        w[i] -= rate * g[i];
}

/// Keras: v = momentum v - rate g; w += v, or w += momentum v - rate g with Nesterov.
void momentum(ComputeContext& c) {
    float* w = start_from_input(c, 0);
    float* v = start_from_input(c, 1);
    const float* g = gradient(c).data();
    const auto rate = static_cast<float>(rate_of(c, 0.01));
    const float momentum = real(c, "momentum", 0);
    const bool nesterov = c.attributes.flag("nesterov");
    for (std::size_t i = 0; i < count(c); ++i) {
        v[i] = momentum * v[i] - rate * g[i];
        w[i] += nesterov ? momentum * v[i] - rate * g[i] : v[i];
    }
}

/// m and v as in Kingma and Ba, 2015; w -= rate sqrt(1 - b2^t) / (1 - b1^t) m / (sqrt(v) + epsilon), the form
/// of both tf.keras and TF1 (their "epsilon hat").
void adam(ComputeContext& c) {
    float* w = start_from_input(c, 0);
    float* m = start_from_input(c, 1);
    float* v = start_from_input(c, 2);
    const Decay beta_1 = beta_1_of(c);
    const Decay beta_2 = beta_2_of(c);
    const double base = rate_of(c, 0.001);
    const float rate =
        static_cast<float>(base) * std::sqrt(beta_2.gathered(*c.inputs[3])) / beta_1.gathered(*c.inputs[3]);
    const float* g = gradient(c).data();
    const auto kept = static_cast<float>(1 - base * c.attributes.real("weight_decay", 0));
    if (kept != 1.0F) // decoupled: the weights decay, not the gradient (Loshchilov and Hutter, 2019)
        std::transform(w, w + count(c), w, [kept](float value) { return value * kept; });
    const float epsilon = real(c, "epsilon", 1e-7);
    c.pool.parallel_for(count(c), grain, [&](std::size_t begin, std::size_t end) {
        c.kernels.adam(w + begin, m + begin, v + begin, g + begin, rate, beta_1.taken, beta_2.taken, epsilon,
                       static_cast<std::int64_t>(end - begin));
    });
}

/// s = rho s + (1 - rho) g^2; w -= rate g / (sqrt(s) + epsilon) as tf.keras without momentum, or
/// rate g / sqrt(s + epsilon) as TF1 ("epsilon_inside"). TensorFlow starts s at 1 in TF1, at 0 in Keras.
void rmsprop(ComputeContext& c) {
    float* w = start_from_input(c, 0);
    float* s = start_from_input(c, 1);
    const float* g = gradient(c).data();
    const auto rate = static_cast<float>(rate_of(c, 0.001));
    const float rho = real(c, "rho", 0.9);
    const float epsilon = real(c, "epsilon", 1e-7);
    const bool inside = c.attributes.flag("epsilon_inside");
    for (std::size_t i = 0; i < count(c); ++i) {
        s[i] = rho * s[i] + (1 - rho) * g[i] * g[i];
        w[i] -= rate * g[i] / (inside ? std::sqrt(s[i] + epsilon) : std::sqrt(s[i]) + epsilon);
    }
}

/// The same with momentum: mom = momentum mom + rate g / sqrt(s + epsilon); w -= mom (both frameworks).
void rmsprop_momentum(ComputeContext& c) {
    float* w = start_from_input(c, 0);
    float* s = start_from_input(c, 1);
    float* mom = start_from_input(c, 2);
    const float* g = gradient(c).data();
    const auto rate = static_cast<float>(rate_of(c, 0.001));
    const float rho = real(c, "rho", 0.9);
    const float momentum = real(c, "momentum", 0);
    const float epsilon = real(c, "epsilon", 1e-7);
    for (std::size_t i = 0; i < count(c); ++i) {
        s[i] = rho * s[i] + (1 - rho) * g[i] * g[i];
        mom[i] = momentum * mom[i] + rate * g[i] / std::sqrt(s[i] + epsilon);
        w[i] -= mom[i];
    }
}

/// w = momentum w + (1 - momentum) g: the running statistics of batch normalisation.
void moving_average(ComputeContext& c) {
    float* w = start_from_input(c, 0);
    const float* g = c.inputs[1]->floats().data();
    const float momentum = real(c, "momentum", 0.99);
    for (std::size_t i = 0; i < count(c); ++i)
        w[i] = w[i] * momentum + g[i] * (1 - momentum);
}

/// s += g^2; w -= rate g / (sqrt(s) + epsilon) (Duchi et al., 2011; tf.keras).
void adagrad(ComputeContext& c) {
    float* w = start_from_input(c, 0);
    float* s = start_from_input(c, 1);
    const float* g = gradient(c).data();
    const auto rate = static_cast<float>(rate_of(c, 0.001));
    const float epsilon = real(c, "epsilon", 1e-7);
    for (std::size_t i = 0; i < count(c); ++i) {
        s[i] += g[i] * g[i];
        w[i] -= rate * g[i] / (std::sqrt(s[i]) + epsilon);
    }
}

/// s = rho s + (1 - rho) g^2; d = g sqrt(a + epsilon) / sqrt(s + epsilon); a = rho a + (1 - rho) d^2;
/// w -= rate d (Zeiler, 2012; tf.keras).
void adadelta(ComputeContext& c) {
    float* w = start_from_input(c, 0);
    float* s = start_from_input(c, 1);
    float* a = start_from_input(c, 2);
    const float* g = gradient(c).data();
    const auto rate = static_cast<float>(rate_of(c, 0.001));
    const float rho = real(c, "rho", 0.95);
    const float epsilon = real(c, "epsilon", 1e-7);
    for (std::size_t i = 0; i < count(c); ++i) {
        s[i] = rho * s[i] + (1 - rho) * g[i] * g[i];
        const float d = g[i] * std::sqrt(a[i] + epsilon) / std::sqrt(s[i] + epsilon);
        a[i] = rho * a[i] + (1 - rho) * d * d;
        w[i] -= rate * d;
    }
}

/// m as Adam; u = max(beta_2 u, |g|); w -= rate / (1 - beta_1^t) m / (u + epsilon) (Kingma and Ba, 2015,
/// section 7; tf.keras).
void adamax(ComputeContext& c) {
    float* w = start_from_input(c, 0);
    float* m = start_from_input(c, 1);
    float* u = start_from_input(c, 2);
    const float* g = gradient(c).data();
    const Decay beta_1 = beta_1_of(c);
    const Decay beta_2 = beta_2_of(c);
    const float epsilon = real(c, "epsilon", 1e-7);
    const float rate = static_cast<float>(rate_of(c, 0.001)) / beta_1.gathered(*c.inputs[3]);
    for (std::size_t i = 0; i < count(c); ++i) {
        m[i] += (g[i] - m[i]) * beta_1.taken;
        u[i] = std::max(beta_2.kept * u[i], std::fabs(g[i]));
        w[i] -= rate * m[i] / (u[i] + epsilon);
    }
}

/// Adam with Nesterov momentum and the momentum schedule mu_t = beta_1 (1 - 0.5 0.96^(0.004 t)) of tf.keras
/// (Dozat, 2016). The scalar after the step is the product of mu up to this step.
void nadam(ComputeContext& c) {
    float* w = start_from_input(c, 0);
    float* m = start_from_input(c, 1);
    float* v = start_from_input(c, 2);
    const float* g = gradient(c).data();
    const double step = c.inputs[3]->at(0);
    const float product = static_cast<float>(c.inputs[4]->at(0));
    const Decay beta_1 = beta_1_of(c);
    const Decay beta_2 = beta_2_of(c);
    const auto mu = [&](double t) {
        return beta_1.kept * static_cast<float>(1 - 0.5 * std::pow(0.96, 0.004 * t));
    };
    const auto rate = static_cast<float>(rate_of(c, 0.001));
    const float epsilon = real(c, "epsilon", 1e-7);
    const float now = (1 - mu(step)) / (1 - product);
    const float next = mu(step + 1) / (1 - product * mu(step + 1));
    const float correction = beta_2.gathered(*c.inputs[3]);
    for (std::size_t i = 0; i < count(c); ++i) {
        m[i] = beta_1.kept * m[i] + beta_1.taken * g[i];
        v[i] = beta_2.kept * v[i] + beta_2.taken * g[i] * g[i];
        w[i] -= rate * (now * g[i] + next * m[i]) / (std::sqrt(v[i] / correction) + epsilon);
    }
}

/// The direction of LAMB (You et al., 2020; tensorflow_addons): from (w, m, v, step, g), first output
/// m^ / (sqrt(v^) + epsilon) + decay w.
void lamb_direction(ComputeContext& c) {
    const float* w = c.inputs[0]->floats().data();
    float* d = c.outputs[0]->floats().data();
    float* m = start_from_input(c, 1);
    float* v = start_from_input(c, 2);
    const float* g = gradient(c).data();
    const Decay beta_1 = beta_1_of(c);
    const Decay beta_2 = beta_2_of(c);
    const float epsilon = real(c, "epsilon", 1e-6);
    const float decay = real(c, "weight_decay", 0);
    const float first = beta_1.gathered(*c.inputs[3]);
    const float second = beta_2.gathered(*c.inputs[3]);
    for (std::size_t i = 0; i < count(c); ++i) {
        m[i] = beta_1.kept * m[i] + beta_1.taken * g[i];
        v[i] = beta_2.kept * v[i] + beta_2.taken * g[i] * g[i];
        d[i] = m[i] / first / (std::sqrt(v[i] / second) + epsilon) + decay * w[i];
    }
}

void add(graph::OperatorRegistry& registry, const char* name, const char* summary, std::size_t slots,
         std::size_t scalars, std::int64_t flops, graph::ComputeFunction compute, bool stateful = false) {
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
    op.compute = std::move(compute);
    op.flops = [flops](std::span<const TensorType> in, auto, const Attributes&) {
        return flops * in[0].elements();
    };
    op.stateful = stateful;
    registry.add(std::move(op));
}

} // namespace

void add_update_operators(graph::OperatorRegistry& registry) {
    add(registry, "sgd_update", "w' = w - `learning_rate` g, from (w, g).", 0, 0, 2, sgd);
    add(registry, "momentum_update", "SGD with `momentum` (`nesterov`), from (w, velocity, g).", 1, 0, 5,
        momentum);
    add(registry, "adam_update",
        "Adam with `beta_1`, `beta_2`, `epsilon` and decoupled `weight_decay`, from (w, m, v, step, g).", 2,
        1, 12, adam);
    add(registry, "rmsprop_update", "RMSprop with `rho`, `epsilon`, from (w, mean square, g).", 1, 0, 8,
        rmsprop);
    add(registry, "rmsprop_momentum_update", "RMSprop with `momentum`, from (w, mean square, momentum, g).",
        2, 0, 10, rmsprop_momentum);
    add(registry, "adagrad_update", "Adagrad with `epsilon`, from (w, sum of squares, g).", 1, 0, 6, adagrad);
    add(registry, "adadelta_update",
        "Adadelta with `rho`, `epsilon`, from (w, mean square, mean square of updates, g).", 2, 0, 14,
        adadelta);
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
