// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/operators/graph_runner.h"
#include "training/differentiation.h"
#include "training/losses.h"

#include <cmath>
#include <gtest/gtest.h>

namespace tilescope::training {
namespace {

using graph::DType;
using graph::HostTensor;

HostTensor row(const std::vector<float>& values) {
    return HostTensor::of_floats({1, static_cast<std::int64_t>(values.size())}, values);
}

/// The mean of a loss (or metric) of one sample.
double mean_of(const std::string& name, const std::vector<float>& output, const std::vector<float>& labels,
               bool metric = false) {
    static const graph::OperatorRegistry registry = operators::standard_operators();
    graph::Graph graph;
    graph::Builder build(graph, registry);
    const auto p = build.feed("p", row(output).type()).value();
    const auto t = build.feed("t", row(labels).type()).value();
    const auto values =
        metric ? add_metric_values(build, name, {p, t, false}) : add_loss_values(build, name, {p, t, false});
    EXPECT_TRUE(values) << (values ? "" : values.error().line());
    const auto mean = build.emit("reduce_mean", {*values}).value();
    return test::run(graph, {row(output), row(labels)})[static_cast<std::size_t>(mean.value)].at(0);
}

const std::vector<float> shares{0.2F, 0.7F, 0.1F};
const std::vector<float> second{0, 1, 0};
const std::vector<float> guesses{2, 5};
const std::vector<float> truths{4, 4};

} // namespace

// Each worked out by hand from Keras' formula.
TEST(Losses, GiveTheValuesOfKerasFormulas) {
    EXPECT_NEAR(mean_of("mean_squared_error", shares, second), (0.04 + 0.09 + 0.01) / 3, 1e-6);
    EXPECT_NEAR(mean_of("mae", shares, second), 0.2, 1e-6);
    EXPECT_NEAR(mean_of("binary_crossentropy", shares, second),
                -(std::log(0.8) + std::log(0.7) + std::log(0.9)) / 3, 1e-6);
    // Keras clips to 1e-7, and adds it once more within the logarithms.
    EXPECT_NEAR(mean_of("binary_crossentropy", {0, 0}, {1, 0}), -std::log(2e-7) / 2, 1e-4);
    EXPECT_NEAR(mean_of("hinge", shares, second), (1.2 + 0.3 + 1.1) / 3, 1e-6);
    EXPECT_NEAR(mean_of("squared_hinge", shares, second), (1.44 + 0.09 + 1.21) / 3, 1e-6);
    // Labels that are not all 0 or 1 stay as they are, of which Keras makes -1 and 1 else.
    const std::vector<float> signs{0, 1, -1};
    EXPECT_NEAR(mean_of("hinge", shares, signs), (1 + 0.3 + 1.1) / 3, 1e-6);
    EXPECT_NEAR(mean_of("squared_hinge", shares, signs), (1 + 0.09 + 1.21) / 3, 1e-6);
    EXPECT_NEAR(mean_of("categorical_hinge", shares, second), 0.2 - 0.7 + 1, 1e-6);
    EXPECT_NEAR(mean_of("kl_divergence", shares, second), std::log(1 / 0.7), 1e-5);
    EXPECT_NEAR(mean_of("categorical_crossentropy", shares, second), -std::log(0.7), 1e-6);
    EXPECT_NEAR(mean_of("mape", guesses, truths), 37.5, 1e-4);
    EXPECT_NEAR(mean_of("msle", guesses, truths),
                (std::pow(std::log(3.0 / 5), 2) + std::pow(std::log(6.0 / 5), 2)) / 2, 1e-6);
    EXPECT_NEAR(mean_of("huber", guesses, truths), ((2 - 0.5) + 0.5) / 2, 1e-6);
    EXPECT_NEAR(mean_of("log_cosh", guesses, truths),
                (std::log(std::cosh(2.0)) + std::log(std::cosh(1.0))) / 2, 1e-6);
    EXPECT_NEAR(mean_of("poisson", guesses, truths), ((2 - 4 * std::log(2)) + (5 - 4 * std::log(5))) / 2,
                1e-5);
    EXPECT_NEAR(mean_of("cosine_similarity", guesses, truths), -28 / std::sqrt(29.0 * 32), 1e-6);
    EXPECT_NEAR(mean_of("cosine_similarity", guesses, truths, true), 28 / std::sqrt(29.0 * 32), 1e-6);
}

// The sigmoid of 0 is a half: weights that begin as zeros are there.
TEST(Losses, OfLogitsOfZeroHaveTheSlopeOfTheSigmoid) {
    static const graph::OperatorRegistry registry = operators::standard_operators();
    graph::Graph graph;
    graph::Builder build(graph, registry);
    const auto p = build.feed("p", row({0, 0, 0}).type()).value();
    const auto t = build.feed("t", row({0, 1, 0.25F}).type()).value();
    const auto values = add_loss_values(build, "binary_crossentropy", {p, t, true});
    ASSERT_TRUE(values) << values.error().line();
    const auto mean = build.emit("reduce_mean", {*values}).value();
    const auto slopes = differentiate(build, mean, {p});
    ASSERT_TRUE(slopes) << slopes.error().line();
    const auto all = test::run(graph, {row({0, 0, 0}), row({0, 1, 0.25F})});
    const auto& slope = all[static_cast<std::size_t>(slopes->front().value)];
    EXPECT_NEAR(slope.at(0), 0.5 / 3, 1e-6);
    EXPECT_NEAR(slope.at(1), -0.5 / 3, 1e-6);
    EXPECT_NEAR(slope.at(2), 0.25 / 3, 1e-6);
}

TEST(Losses, MetricsCountHits) {
    EXPECT_EQ(mean_of("accuracy", shares, second, true), 1);
    EXPECT_EQ(mean_of("categorical_accuracy", shares, {1, 0, 0}, true), 0);
    EXPECT_NEAR(mean_of("binary_accuracy", shares, {1, 1, 0}, true), 2.0 / 3, 1e-6);
    EXPECT_NEAR(mean_of("binary_accuracy", shares, {1, 2, 0.5F}, true), 0, 1e-6)
        << "labels that are neither 0 nor 1 are never met";
    EXPECT_EQ(mean_of("accuracy", {0.3F}, {0}, true), 1) << "one value is a yes or no";
    const std::vector<float> seven{7, 6, 5, 4, 3, 2, 1};
    EXPECT_EQ(mean_of("top_k_categorical_accuracy", seven, {0, 0, 0, 0, 1, 0, 0}, true), 1);
    EXPECT_EQ(mean_of("top_k_categorical_accuracy", seven, {0, 0, 0, 0, 0, 1, 0}, true), 0);
}

// d loss / d p against (loss(p + h) - loss(p - h)) / 2 h.
TEST(Losses, HaveTheGradientsOfTheirValues) {
    const graph::OperatorRegistry registry = operators::standard_operators();
    for (const std::string& name : loss_names()) {
        if (sparse_labels(name))
            continue;
        graph::Graph graph;
        graph::Builder build(graph, registry);
        const auto p = build.feed("p", row(shares).type()).value();
        const auto t = build.feed("t", row(second).type()).value();
        const auto loss = build.emit("reduce_mean", {*add_loss_values(build, name, {p, t, false})}).value();
        const auto gradient = training::differentiate(build, loss, {p});
        ASSERT_TRUE(gradient) << name;
        const std::vector<float> labels = name.find("percentage") != std::string::npos || name == "mape"
                                              ? std::vector<float>{0.5F, 1, 2}
                                              : second;
        const auto values = test::run(graph, {row(shares), row(labels)});
        for (std::size_t i = 0; i < shares.size(); ++i) {
            constexpr float h = 1e-3F;
            auto up = shares;
            auto down = shares;
            up[i] += h;
            down[i] -= h;
            const double slope = (mean_of(name, up, labels) - mean_of(name, down, labels)) / (2 * h);
            const double found =
                values[static_cast<std::size_t>((*gradient)[0].value)].at(static_cast<std::int64_t>(i));
            EXPECT_NEAR(found, slope, 2e-3 * std::max(1.0, std::fabs(slope))) << name << " " << i;
        }
    }
}

TEST(Losses, RefuseClassesWhereTheyNeedValues) {
    const graph::OperatorRegistry registry = operators::standard_operators();
    graph::Graph graph;
    graph::Builder build(graph, registry);
    const auto p = build.feed("p", {DType::Float32, {4, 3}}).value();
    const auto t = build.feed("t", {DType::Int32, {4}}).value();
    EXPECT_FALSE(add_loss_values(build, "mse", {p, t, false}));
    EXPECT_FALSE(add_metric_values(build, "binary_accuracy", {p, t, false}));
    EXPECT_TRUE(add_metric_values(build, "accuracy", {p, t, false}));
}

} // namespace tilescope::training
