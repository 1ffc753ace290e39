// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/operators/graph_runner.h"
#include "training/differentiation.h"
#include "training/optimisers.h"
#include "training/rate_schedule.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <numeric>

using namespace tilescope;
using graph::Builder;
using graph::Graph;
using test::floats;
using test::registry;

namespace {

constexpr int steps = 20;

/// Two variables under the loss sum (x - 3)^2, and what an optimiser makes of them.
std::vector<std::pair<double, double>> descend(const graph::OptimiserSpec& optimiser) {
    Graph graph;
    Builder build(graph, registry());
    const auto x = build.variable("x", floats({2}, {0, 5})).value();
    const auto loss =
        build.emit("reduce_sum", {build.emit("square", {build.emit("subtract", {x, build.scalar(3)})})})
            .value();
    const auto gradients = training::differentiate(build, loss, {x});
    EXPECT_TRUE(gradients);
    const auto added = training::add_optimiser(build, optimiser, *gradients);
    EXPECT_TRUE(added) << (added ? "" : added.error().line());
    std::vector<std::pair<double, double>> path;
    for (int step = 0; step < steps; ++step) {
        const auto values = test::run(graph, {});
        for (auto& variable : graph.variables)
            if (variable.next != graph::no_value)
                variable.initial = values[static_cast<std::size_t>(variable.next.value)];
        const auto now = graph.variables[0].initial.make();
        path.emplace_back(now.at(0), now.at(1));
    }
    return path;
}

/// One number's way by a rule of the literature: rule(w, g, t) is the next w.
using Rule = std::function<double(double w, double g, int t)>;

void expect_path(const graph::OptimiserSpec& optimiser, const std::function<Rule()>& rule) {
    const auto path = descend(optimiser);
    Rule first = rule();
    Rule second = rule();
    double a = 0;
    double b = 5;
    for (int t = 1; t <= steps; ++t) {
        a = first(a, 2 * (a - 3), t);
        b = second(b, 2 * (b - 3), t);
        EXPECT_NEAR(path[static_cast<std::size_t>(t - 1)].first, a, 2e-5) << optimiser.name << " " << t;
        EXPECT_NEAR(path[static_cast<std::size_t>(t - 1)].second, b, 2e-5) << optimiser.name << " " << t;
    }
}

/// What an update makes of a weight of 0 in each step, given its gradient: the slots stay, the weight does
/// not, so that its rounding hides nothing.
std::vector<float> strides(const std::string& kind, const std::vector<float>& gradients) {
    Graph graph;
    Builder build(graph, registry());
    std::vector<graph::ValueId> inputs;
    for (const char* name : {"w", "m", "v", "step", "g"})
        inputs.push_back(build.feed(name, {graph::DType::Float32, {}}).value());
    const auto outputs = build.add(kind, inputs, {{"learning_rate", 0.001}, {"epsilon", 1e-7}});
    EXPECT_TRUE(outputs);
    std::vector<float> slots{0, 0};
    std::vector<float> result;
    for (std::size_t t = 0; t < gradients.size(); ++t) {
        std::vector<test::HostTensor> feeds;
        for (const float value : {0.0F, slots[0], slots[1], static_cast<float>(t + 1), gradients[t]})
            feeds.push_back(floats({}, {value}));
        const auto values = test::run(graph, feeds);
        const auto made = [&](std::size_t k) {
            return static_cast<float>(values[static_cast<std::size_t>((*outputs)[k].value)].at(0));
        };
        slots = {made(1), made(2)};
        result.push_back(made(0));
    }
    return result;
}

/// Gradients of either sign and of several magnitudes.
std::vector<float> uneven_gradients() {
    std::vector<float> gradients;
    for (int t = 1; t <= 100; ++t)
        gradients.push_back(std::sin(static_cast<float>(t * t)) * static_cast<float>(1 + t % 7));
    return gradients;
}

} // namespace

// The running means of a gradient that never changes, divided by what they have gathered, are that gradient,
// whatever the betas: each stride is as long as the rate, but for the rounding of 1 - beta^t. With a beta of
// 0.999 in one place and of 0.99900001287 (a float) in another they are 6.4e-6 too long.
TEST(Optimisers, AConstantGradientMovesAWeightByTheRate) {
    for (const auto& [kind, rate] :
         {std::pair{"adam_update", -0.001}, {"adamax_update", -0.001}, {"lamb_direction_update", 1.0}}) {
        const auto lengths = strides(kind, std::vector<float>(400, 3000.0F));
        EXPECT_NEAR(lengths.front() / rate, 1, 3e-7) << kind;
        const double mean = std::accumulate(lengths.begin(), lengths.end(), 0.0) / 400;
        EXPECT_NEAR(mean / rate, 1, 1e-6) << kind;
    }
}

// ApplyAdam of tensorflow/core/kernels/training_ops.cc, and the powers of tf.keras' Adam, in their floats.
TEST(Optimisers, AdamIsRoundedAsInTensorFlow) {
    const std::vector<float> gradients = uneven_gradients();
    const auto moved = strides("adam_update", gradients);
    const float beta_1 = 0.9F;
    const float beta_2 = 0.999F;
    float m = 0;
    float v = 0;
    for (std::size_t i = 0; i < gradients.size(); ++i) {
        const auto step = static_cast<float>(i + 1);
        const float alpha =
            0.001F * std::sqrt(1.0F - std::pow(beta_2, step)) / (1.0F - std::pow(beta_1, step));
        m += (gradients[i] - m) * (1.0F - beta_1);
        v += (gradients[i] * gradients[i] - v) * (1.0F - beta_2);
        EXPECT_NEAR(moved[i], -(m * alpha) / (std::sqrt(v) + 1e-7F), 1e-9) << i;
    }
}

TEST(Optimisers, AdamwDecaysTheWeightsBesideTheGradient) {
    expect_path({"adamw", {{"learning_rate", 0.1}, {"weight_decay", 0.2}}}, [] {
        return [m = 0.0, v = 0.0](double w, double g, int t) mutable {
            m = 0.9 * m + 0.1 * g;
            v = 0.999 * v + 0.001 * g * g;
            const double corrected = 0.1 * std::sqrt(1 - std::pow(0.999, t)) / (1 - std::pow(0.9, t));
            return w - 0.1 * 0.2 * w - corrected * m / (std::sqrt(v) + 1e-7);
        };
    });
}

// Reddi et al., 2018. The gradients become smaller on the way to 3, so that the greatest v is an early one.
TEST(Optimisers, AmsgradDividesByTheGreatestMomentSoFar) {
    expect_path({"adam", {{"learning_rate", 0.5}, {"beta_2", 0.5}, {"amsgrad", true}}}, [] {
        return [m = 0.0, v = 0.0, most = 0.0](double w, double g, int t) mutable {
            m = 0.9 * m + 0.1 * g;
            v = 0.5 * v + 0.5 * g * g;
            most = std::max(most, v);
            const double corrected = 0.5 * std::sqrt(1 - std::pow(0.5, t)) / (1 - std::pow(0.9, t));
            return w - corrected * m / (std::sqrt(most) + 1e-7);
        };
    });
}

// Graves, 2013, with each framework's place of epsilon.
TEST(Optimisers, CenteredRmspropDividesByTheVariance) {
    const auto rule = [](double momentum, bool tf1) {
        return [=] {
            return [=, s = tf1 ? 1.0 : 0.0, mean = 0.0, mom = 0.0](double w, double g, int) mutable {
                s = 0.9 * s + 0.1 * g * g;
                mean = 0.9 * mean + 0.1 * g;
                const double variance = s - mean * mean;
                const double below =
                    momentum > 0 || tf1 ? std::sqrt(variance + 0.01) : std::sqrt(variance) + 0.01;
                mom = momentum * mom + 0.05 * g / below;
                return w - mom;
            };
        };
    };
    graph::Attributes settings{{"learning_rate", 0.05}, {"epsilon", 0.01}, {"centered", true}};
    expect_path({"rmsprop", settings}, rule(0, false));
    settings.set("tf1", true);
    expect_path({"rmsprop", settings}, rule(0, true));
    settings.set("momentum", 0.5);
    expect_path({"rmsprop", settings}, rule(0.5, true));
}

TEST(Optimisers, AdamMayAddEpsilonToTheCorrectedMoment) {
    const graph::Attributes settings{{"learning_rate", 0.1}, {"epsilon", 0.5}, {"corrected_epsilon", true}};
    expect_path({"adam", settings}, [] {
        return [m = 0.0, v = 0.0](double w, double g, int t) mutable {
            m = 0.9 * m + 0.1 * g;
            v = 0.999 * v + 0.001 * g * g;
            return w - 0.1 * (m / (1 - std::pow(0.9, t))) / (std::sqrt(v / (1 - std::pow(0.999, t))) + 0.5);
        };
    });
}

// The gradients at first are -6 and 4: cut to 2, and to 1/2 of their norm.
TEST(Optimisers, GradientsAreClippedBeforeTheyAreApplied) {
    expect_path({"sgd", {{"learning_rate", 0.1}, {"clipvalue", 2.0}}},
                [] { return [](double w, double g, int) { return w - 0.1 * std::clamp(g, -2.0, 2.0); }; });
    for (const char* of : {"clipnorm", "global_clipnorm"}) {
        const auto path = descend({"sgd", {{"learning_rate", 0.1}, {of, 0.5}}});
        double a = 0;
        double b = 5;
        for (const auto& [first, second] : path) {
            const double scale = 0.5 / std::max(0.5, std::hypot(2 * (a - 3), 2 * (b - 3)));
            a -= 0.1 * scale * 2 * (a - 3);
            b -= 0.1 * scale * 2 * (b - 3);
            EXPECT_NEAR(first, a, 2e-5) << of;
            EXPECT_NEAR(second, b, 2e-5) << of;
        }
    }
}

TEST(Optimisers, AdagradDividesByAllSquaresSoFar) {
    expect_path({"adagrad", {{"learning_rate", 0.5}}}, [] {
        return [s = 0.1](double w, double g, int) mutable {
            s += g * g;
            return w - 0.5 * g / (std::sqrt(s) + 1e-7);
        };
    });
}

TEST(Optimisers, AdadeltaScalesByItsOwnUpdates) {
    expect_path({"adadelta", {{"learning_rate", 1.0}, {"epsilon", 1e-2}}}, [] {
        return [s = 0.0, a = 0.0](double w, double g, int) mutable {
            s = 0.95 * s + 0.05 * g * g;
            const double d = std::sqrt((a + 1e-2) / (s + 1e-2)) * g;
            a = 0.95 * a + 0.05 * d * d;
            return w - d;
        };
    });
}

// McMahan et al., 2013, algorithm 1, with Keras' l2_shrinkage_regularization_strength and beta.
TEST(Optimisers, FtrlLeavesSmallWeightsAtZero) {
    expect_path({"ftrl",
                 {{"learning_rate", 0.5},
                  {"l1_regularization_strength", 5.0},
                  {"l2_regularization_strength", 0.2},
                  {"l2_shrinkage_regularization_strength", 0.05},
                  {"beta", 0.3}}},
                [] {
                    return [n = 0.1, z = 0.0](double w, double g, int) mutable {
                        const double sigma = (std::sqrt(n + g * g) - std::sqrt(n)) / 0.5;
                        z += g + 2 * 0.05 * w - sigma * w;
                        n += g * g;
                        const double l1 = z < 0 ? -5.0 : 5.0;
                        return std::fabs(z) <= 5 ? 0.0 : (l1 - z) / ((0.3 + std::sqrt(n)) / 0.5 + 2 * 0.2);
                    };
                });
}

TEST(Optimisers, FtrlTakesAnotherPowerOfTheSumOfSquares) {
    expect_path({"ftrl",
                 {{"learning_rate", 0.5},
                  {"learning_rate_power", -0.3},
                  {"l1_regularization_strength", 0.4},
                  {"l2_regularization_strength", 0.2},
                  {"beta", 0.3}}},
                [] {
                    return [n = 0.1, z = 0.0](double w, double g, int) mutable {
                        const double sigma = (std::pow(n + g * g, 0.3) - std::pow(n, 0.3)) / 0.5;
                        z += g - sigma * w;
                        n += g * g;
                        const double l1 = z < 0 ? -0.4 : 0.4;
                        return std::fabs(z) <= 0.4 ? 0.0
                                                   : (l1 - z) / ((0.3 + std::pow(n, 0.3)) / 0.5 + 2 * 0.2);
                    };
                });
}

TEST(Optimisers, AdamaxUsesTheLargestGradient) {
    expect_path({"adamax", {{"learning_rate", 0.1}}}, [] {
        return [m = 0.0, u = 0.0](double w, double g, int t) mutable {
            m = 0.9 * m + 0.1 * g;
            u = std::max(0.999 * u, std::fabs(g));
            return w - 0.1 / (1 - std::pow(0.9, t)) * m / (u + 1e-7);
        };
    });
}

TEST(Optimisers, NadamLooksAheadAlongItsMomentumSchedule) {
    expect_path({"nadam", {{"learning_rate", 0.1}}}, [] {
        return [m = 0.0, v = 0.0, product = 1.0](double w, double g, int t) mutable {
            const auto mu = [](int at) { return 0.9 * (1 - 0.5 * std::pow(0.96, 0.004 * at)); };
            product *= mu(t);
            m = 0.9 * m + 0.1 * g;
            v = 0.999 * v + 0.001 * g * g;
            const double ahead = (1 - mu(t)) * g / (1 - product) + mu(t + 1) * m / (1 - product * mu(t + 1));
            return w - 0.1 * ahead / (std::sqrt(v / (1 - std::pow(0.999, t))) + 1e-7);
        };
    });
}

// LAMB scales the step of a whole variable: both of its numbers together.
TEST(Optimisers, LambStepsAsFarAsItsWeightsAreLong) {
    const auto path = descend({"lamb", {{"learning_rate", 0.1}, {"weight_decay", 0.01}}});
    double w[2] = {0, 5};
    double m[2] = {0, 0};
    double v[2] = {0, 0};
    for (int t = 1; t <= steps; ++t) {
        double d[2];
        for (int i = 0; i < 2; ++i) {
            const double g = 2 * (w[i] - 3);
            m[i] = 0.9 * m[i] + 0.1 * g;
            v[i] = 0.999 * v[i] + 0.001 * g * g;
            d[i] = m[i] / (1 - std::pow(0.9, t)) / (std::sqrt(v[i] / (1 - std::pow(0.999, t))) + 1e-6) +
                   0.01 * w[i];
        }
        const double ratio = std::hypot(w[0], w[1]) / std::hypot(d[0], d[1]);
        for (int i = 0; i < 2; ++i)
            w[i] -= 0.1 * ratio * d[i];
        EXPECT_NEAR(path[static_cast<std::size_t>(t - 1)].first, w[0], 1e-4) << t;
        EXPECT_NEAR(path[static_cast<std::size_t>(t - 1)].second, w[1], 1e-4) << t;
    }
}

TEST(Optimisers, ASchedulesRateIsThatOfTheStep) {
    graph::OptimiserSpec spec{"sgd", {}};
    spec.schedule = graph::RateSchedule{
        "ExponentialDecay", {{"initial_learning_rate", 0.2}, {"decay_rate", 0.5}, {"decay_steps", 10.0}}};
    expect_path(spec, [] {
        return [](double w, double g, int t) { return w - 0.2 * std::pow(0.5, (t - 1) / 10.0) * g; };
    });
}

TEST(Optimisers, AScaledLossIsScaledBack) {
    graph::OptimiserSpec spec{"sgd", {{"learning_rate", 0.1}}};
    spec.loss_scale = 8; // the loss of the test is not scaled: only the way back is seen
    expect_path(spec, [] { return [](double w, double g, int) { return w - 0.1 * g / 8; }; });
}

TEST(Schedules, GiveKerasRates) {
    using Settings = graph::Attributes;
    const auto rate = [](const std::string& name, const Settings& settings, float step) {
        Graph graph;
        Builder build(graph, registry());
        const auto at = build.feed("step", {graph::DType::Float32, {}}).value();
        const auto value = training::add_rate(build, {name, settings}, at);
        EXPECT_TRUE(value) << (value ? "" : value.error().line());
        return test::run(graph, {floats({}, {step})})[static_cast<std::size_t>(value->value)].at(0);
    };
    const Settings halves{{"initial_learning_rate", 0.1}, {"decay_rate", 0.5}, {"decay_steps", 10.0}};
    EXPECT_NEAR(rate("ExponentialDecay", halves, 20), 0.025, 1e-7);
    EXPECT_NEAR(rate("InverseTimeDecay", halves, 20), 0.05, 1e-7);
    Settings stairs = halves;
    stairs.set("staircase", true);
    EXPECT_NEAR(rate("ExponentialDecay", stairs, 19), 0.05, 1e-7);
    const Settings squares{
        {"initial_learning_rate", 0.1}, {"end_learning_rate", 0.01}, {"power", 2.0}, {"decay_steps", 10.0}};
    EXPECT_NEAR(rate("PolynomialDecay", squares, 5), 0.09 * 0.25 + 0.01, 1e-7);
    EXPECT_NEAR(rate("PolynomialDecay", squares, 50), 0.01, 1e-7);
    Settings rising = squares; // step 15 is three quarters of two decays
    rising.set("cycle", true);
    EXPECT_NEAR(rate("PolynomialDecay", rising, 0), 0.1, 1e-7);
    EXPECT_NEAR(rate("PolynomialDecay", rising, 5), 0.09 * 0.25 + 0.01, 1e-7);
    EXPECT_NEAR(rate("PolynomialDecay", rising, 10), 0.01, 1e-7);
    EXPECT_NEAR(rate("PolynomialDecay", rising, 15), 0.09 * 0.0625 + 0.01, 1e-7);
    const Settings wave{{"initial_learning_rate", 0.1}, {"alpha", 0.1}, {"decay_steps", 10.0}};
    EXPECT_NEAR(rate("CosineDecay", wave, 0), 0.1, 1e-7);
    EXPECT_NEAR(rate("CosineDecay", wave, 5), 0.1 * (0.9 * 0.5 + 0.1), 1e-7);
    EXPECT_NEAR(rate("CosineDecay", wave, 99), 0.01, 1e-7);
    // Waves of 10 and 20 steps, the second one half as high; of 10 each, where t_mul is 1.
    Settings waves{{"initial_learning_rate", 0.1},
                   {"alpha", 0.1},
                   {"first_decay_steps", 10.0},
                   {"t_mul", 2.0},
                   {"m_mul", 0.5}};
    EXPECT_NEAR(rate("CosineDecayRestarts", waves, 0), 0.1, 1e-7);
    EXPECT_NEAR(rate("CosineDecayRestarts", waves, 5), 0.1 * (0.9 * 0.5 + 0.1), 1e-7);
    EXPECT_NEAR(rate("CosineDecayRestarts", waves, 10), 0.1 * (0.9 * 0.5 + 0.1), 1e-7);
    EXPECT_NEAR(rate("CosineDecayRestarts", waves, 20), 0.1 * (0.9 * 0.25 + 0.1), 1e-7);
    waves.set("t_mul", 1.0);
    EXPECT_NEAR(rate("CosineDecayRestarts", waves, 25), 0.1 * (0.9 * 0.125 + 0.1), 1e-7);
    const Settings parts{{"boundaries", std::vector<double>{10, 20}},
                         {"values", std::vector<double>{1, 0.5, 0.1}}};
    for (const auto& [step, expected] :
         {std::pair{0.F, 1.0}, {10.F, 1.0}, {11.F, 0.5}, {20.F, 0.5}, {21.F, 0.1}})
        EXPECT_NEAR(rate("PiecewiseConstantDecay", parts, step), expected, 1e-6);
    const Settings far{{"boundaries", std::vector<double>{10, 20}},
                       {"values", std::vector<double>{10, 1e-6, 1e-8}}};
    for (const auto& [step, expected] : {std::pair{10.F, 10.F}, {11.F, 1e-6F}, {21.F, 1e-8F}})
        EXPECT_EQ(static_cast<float>(rate("PiecewiseConstantDecay", far, step)), expected)
            << "not of differences";
}

TEST(Schedules, WhatDoesNotFitIsRefused) {
    Graph graph;
    Builder build(graph, registry());
    const auto step = build.feed("step", {graph::DType::Float32, {}}).value();
    EXPECT_FALSE(training::add_rate(build, {"ExponentialDeca", {}}, step));
    EXPECT_FALSE(
        training::add_rate(build,
                           {"PiecewiseConstantDecay",
                            {{"values", std::vector<double>{1}}, {"boundaries", std::vector<double>{1}}}},
                           step));
    EXPECT_FALSE(training::add_rate(build, {"CosineDecay", {{"decay_steps", 0.0}}}, step));
    EXPECT_FALSE(training::add_rate(build, {"CosineDecayRestarts", {{"first_decay_steps", 0.0}}}, step));
    EXPECT_FALSE(training::add_rate(build, {"CosineDecayRestarts", {{"t_mul", 0.0}}}, step));
}
