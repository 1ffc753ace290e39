// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/worker_pool.h"
#include "ops/families.h"
#include "ops/kernels/kernel_table.h"

#include <cmath>

/// Optimiser updates: inputs (variable, slots …, [step,] gradient), outputs (variable, slots …).
namespace tilescope::ops {
namespace {

using graph::Attributes;
using graph::ComputeContext;
using graph::element_count;
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

/// w -= rate g.
void sgd(ComputeContext& c) {
    float* w = start_from_input(c, 0);
    const float* g = c.inputs[1]->floats().data();
    const float rate = real(c, "learning_rate", 0.01);
    for (std::size_t i = 0; i < count(c); ++i)
        w[i] -= rate * g[i];
}

/// Keras: v = momentum v - rate g; w += v, or w += momentum v - rate g with Nesterov.
void momentum(ComputeContext& c) {
    float* w = start_from_input(c, 0);
    float* v = start_from_input(c, 1);
    const float* g = c.inputs[2]->floats().data();
    const float rate = real(c, "learning_rate", 0.01);
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
    const double step = c.inputs[3]->at(0);
    const double beta_1 = c.attributes.real("beta_1", 0.9);
    const double beta_2 = c.attributes.real("beta_2", 0.999);
    const double rate = c.attributes.real("learning_rate", 0.001) * std::sqrt(1 - std::pow(beta_2, step)) /
                        (1 - std::pow(beta_1, step));
    const float* g = c.inputs[4]->floats().data();
    const float epsilon = real(c, "epsilon", 1e-7);
    c.pool.parallel_for(count(c), grain, [&](std::size_t begin, std::size_t end) {
        c.kernels.adam(w + begin, m + begin, v + begin, g + begin, static_cast<float>(rate),
                       static_cast<float>(beta_1), static_cast<float>(beta_2), epsilon,
                       static_cast<std::int64_t>(end - begin));
    });
}

/// s = rho s + (1 - rho) g^2; w -= rate g / (sqrt(s) + epsilon) as tf.keras without momentum, or
/// rate g / sqrt(s + epsilon) as TF1 ("epsilon_inside"). TensorFlow starts s at 1 in TF1, at 0 in Keras.
void rmsprop(ComputeContext& c) {
    float* w = start_from_input(c, 0);
    float* s = start_from_input(c, 1);
    const float* g = c.inputs[2]->floats().data();
    const float rate = real(c, "learning_rate", 0.001);
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
    const float* g = c.inputs[3]->floats().data();
    const float rate = real(c, "learning_rate", 0.001);
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

void add(graph::OperatorRegistry& registry, const char* name, const char* summary, std::size_t slots,
         bool step, std::int64_t flops, graph::ComputeFunction compute, bool stateful = false) {
    graph::Operator op;
    op.name = name;
    op.summary = summary;
    op.infer = [slots, step](std::span<const TensorType> in,
                             const Attributes&) -> Result<std::vector<TensorType>> {
        if (auto ok = expect_inputs(in, slots + 2 + (step ? 1 : 0)); !ok)
            return Failure(ok.error());
        for (std::size_t i = 0; i < in.size(); ++i) {
            const bool is_step = step && i == slots + 1;
            if (is_step ? in[i].elements() != 1 : in[i].shape != in[0].shape)
                return shape_error(is_step ? "one step count" : "slots and a gradient like the variable",
                                   to_string(in[i]) + " for " + to_string(in[0]));
        }
        return std::vector<TensorType>(in.begin(), in.begin() + 1 + static_cast<std::ptrdiff_t>(slots));
    };
    op.compute = std::move(compute);
    op.flops = [flops](std::span<const TensorType> in, auto, const Attributes&) {
        return flops * in[0].elements();
    };
    op.in_place_input = 0;
    op.stateful = stateful;
    registry.add(std::move(op));
}

} // namespace

void add_update_operators(graph::OperatorRegistry& registry) {
    add(registry, "sgd_update", "w' = w - `learning_rate` g, from (w, g).", 0, false, 2, sgd);
    add(registry, "momentum_update", "SGD with `momentum` (`nesterov`), from (w, velocity, g).", 1, false, 5,
        momentum);
    add(registry, "adam_update", "Adam with `beta_1`, `beta_2`, `epsilon`, from (w, m, v, step, g).", 2, true,
        12, adam);
    add(registry, "rmsprop_update", "RMSprop with `rho`, `epsilon`, from (w, mean square, g).", 1, false, 8,
        rmsprop);
    add(registry, "rmsprop_momentum_update", "RMSprop with `momentum`, from (w, mean square, momentum, g).",
        2, false, 10, rmsprop_momentum);
    add(registry, "moving_average_update",
        "w' = `momentum` w + (1 - `momentum`) v, from (w, v): running statistics, with every batch.", 0,
        false, 3, moving_average, true);
}

} // namespace tilescope::ops
