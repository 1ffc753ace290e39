// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/operators/graph_runner.h"
#include "training/ctc_loss.h"
#include "training/differentiation.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <numeric>

namespace tilescope::training {
namespace {

using graph::DType;
using graph::HostTensor;
using graph::ValueId;

constexpr int steps = 5;
constexpr int classes = 3;
constexpr int most = 3;

/// Labels, and how many steps count.
struct Sample {
    std::vector<std::int32_t> labels;
    int steps;
};

// A label twice, which a blank must lie between; one that the others are padded with; none; all steps taken.
const std::vector<Sample> samples{{{1, 1}, 5}, {{1, 2, 1}, 4}, {{2}, 3},
                                  {{}, 2},     {{2, 1, 2}, 3}, {{1, 2}, 5}};

std::vector<float> logits() {
    std::vector<float> values(steps * samples.size() * classes);
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = 1.5F * static_cast<float>(std::sin(1.7 * static_cast<double>(i) + 0.3));
    return values;
}

/// log of the share of a class, worked out in doubles.
double log_share(const std::vector<float>& x, int step, std::size_t sample, int of) {
    const float* row = &x[(static_cast<std::size_t>(step) * samples.size() + sample) * classes];
    const double sum = std::accumulate(
        row, row + classes, 0.0, [](double total, float each) { return total + std::exp(double(each)); });
    return row[of] - std::log(sum);
}

/// -log of the sum over every way of giving each step a class that comes down to the labels, by trying all.
double by_all_alignments(const std::vector<float>& x, std::size_t sample, int blank) {
    const int count = samples[sample].steps;
    double total = 0;
    for (int way = 0; way < static_cast<int>(std::lround(std::pow(classes, count))); ++way) {
        std::vector<std::int32_t> left;
        double logarithm = 0;
        int before = -1;
        int rest = way;
        for (int t = 0; t < count; ++t, rest /= classes) {
            const int of = rest % classes;
            logarithm += log_share(x, t, sample, of);
            if (of != before && of != blank)
                left.push_back(of);
            before = of;
        }
        total += left == samples[sample].labels ? std::exp(logarithm) : 0;
    }
    return -std::log(total);
}

struct Losses {
    graph::Graph graph;
    ValueId x = graph::no_value;
    ValueId each = graph::no_value;
    ValueId sum = graph::no_value; ///< of a multiple of each
    ValueId gradient = graph::no_value;
};

Losses losses(bool of_logarithms = false) {
    Losses made;
    graph::Builder build(made.graph, test::registry());
    const auto n = static_cast<std::int64_t>(samples.size());
    std::vector<std::int32_t> labels;
    std::vector<std::int32_t> lengths;
    std::vector<std::int32_t> counts;
    std::vector<float> factors;
    for (const Sample& sample : samples) {
        std::vector<std::int32_t> padded = sample.labels;
        padded.resize(most, -1);
        labels.insert(labels.end(), padded.begin(), padded.end());
        lengths.push_back(static_cast<std::int32_t>(sample.labels.size()));
        counts.push_back(sample.steps);
        factors.push_back(static_cast<float>(factors.size()) - 1.5F);
    }
    made.x = build.feed("x", {DType::Float32, {steps, n, classes}}).value();
    CtcLoss loss{made.x,
                 of_logarithms,
                 build.constant("labels", HostTensor::of_ints({n, most}, labels)),
                 build.constant("lengths", HostTensor::of_ints({n}, lengths)),
                 build.constant("steps", HostTensor::of_ints({n}, counts)),
                 0};
    const auto each = add_ctc_loss(build, loss);
    EXPECT_TRUE(each) << (each ? "" : each.error().line());
    made.each = *each;
    const ValueId factor = build.constant("factors", HostTensor::of_floats({n}, factors));
    made.sum = build.emit("reduce_sum", {build.emit("multiply", {made.each, factor})}).value();
    made.gradient = training::differentiate(build, made.sum, {made.x})->front();
    return made;
}

HostTensor fed(const std::vector<float>& x) {
    return HostTensor::of_floats({steps, static_cast<std::int64_t>(samples.size()), classes}, x);
}

} // namespace

TEST(CtcLoss, IsTheSumOverAllAlignments) {
    const Losses made = losses();
    const auto values = test::run(made.graph, {fed(logits())});
    const HostTensor& each = values[static_cast<std::size_t>(made.each.value)];
    for (std::size_t i = 0; i < samples.size(); ++i)
        EXPECT_NEAR(each.at(static_cast<std::int64_t>(i)), by_all_alignments(logits(), i, 0), 2e-5) << i;
}

TEST(CtcLoss, TakesLogarithmsOfShares) {
    std::vector<float> x = logits();
    std::vector<float> logarithms;
    for (std::size_t i = 0; i < x.size(); ++i) {
        const std::size_t row = i / classes;
        logarithms.push_back(static_cast<float>(log_share(
            x, static_cast<int>(row / samples.size()), row % samples.size(), static_cast<int>(i % classes))));
    }
    const Losses made = losses(true);
    const auto values = test::run(made.graph, {fed(logarithms)});
    for (std::size_t i = 0; i < samples.size(); ++i)
        EXPECT_NEAR(values[static_cast<std::size_t>(made.each.value)].at(static_cast<std::int64_t>(i)),
                    by_all_alignments(x, i, 0), 2e-5);
}

// Against (f(x + h) - f(x - h)) / 2 h of the sum over alignments in doubles; 0 in steps that do not count.
TEST(CtcLoss, HasTheGradientOfTheSumOverAllAlignments) {
    const Losses made = losses();
    const std::vector<float> x = logits();
    const auto values = test::run(made.graph, {fed(x)});
    const HostTensor& gradient = values[static_cast<std::size_t>(made.gradient.value)];
    for (std::size_t i = 0; i < x.size(); ++i) {
        constexpr float h = 1.0F / 256;
        const std::size_t sample = i / classes % samples.size();
        auto up = x;
        auto down = x;
        up[i] += h;
        down[i] -= h;
        const double slope = (by_all_alignments(up, sample, 0) - by_all_alignments(down, sample, 0)) /
                             (double(up[i]) - down[i]);
        EXPECT_NEAR(gradient.at(static_cast<std::int64_t>(i)), (static_cast<double>(sample) - 1.5) * slope,
                    1e-4)
            << i;
    }
}

// Three steps do not hold two labels that are equal and one more.
TEST(CtcLoss, OfTooFewStepsIsInfiniteWithNoGradient) {
    graph::Graph graph;
    graph::Builder build(graph, test::registry());
    const ValueId x = build.feed("x", {DType::Float32, {3, 1, 3}}).value();
    const auto ints = [&](graph::Shape shape, std::vector<std::int32_t> values) {
        return build.constant("ints", HostTensor::of_ints(std::move(shape), values));
    };
    const ValueId loss =
        add_ctc_loss(build, {x, false, ints({1, 3}, {1, 1, 2}), ints({1}, {3}), ints({1}, {3}), 0}).value();
    const ValueId sum = build.emit("reduce_sum", {loss}).value();
    const ValueId gradient = training::differentiate(build, sum, {x})->front();
    const auto values = test::run(graph, {HostTensor::of_floats({3, 1, 3}, std::vector<float>(9, 0.5F))});
    EXPECT_EQ(values[static_cast<std::size_t>(loss.value)].at(0), std::numeric_limits<double>::infinity());
    for (std::int64_t i = 0; i < 9; ++i)
        EXPECT_EQ(values[static_cast<std::size_t>(gradient.value)].at(i), 0);
}

/// The loss of labels over two steps of three classes, the shares' logarithms given.
double loss_of_two_steps(const std::vector<float>& logarithms, const std::vector<std::int32_t>& labels) {
    graph::Graph graph;
    graph::Builder build(graph, test::registry());
    const ValueId x = build.feed("x", {DType::Float32, {2, 1, 3}}).value();
    const auto ints = [&](graph::Shape shape, const std::vector<std::int32_t>& values) {
        return build.constant("ints", HostTensor::of_ints(std::move(shape), values));
    };
    const ValueId loss =
        add_ctc_loss(build, {x, true, ints({1, 2}, labels), ints({1}, {2}), ints({1}, {2}), 0}).value();
    return test::run(graph,
                     {HostTensor::of_floats({2, 1, 3}, logarithms)})[static_cast<std::size_t>(loss.value)]
        .at(0);
}

// All shares are of the one alignment: nothing else has any.
TEST(CtcLoss, OfCertainSharesIsNothing) {
    constexpr float none = -std::numeric_limits<float>::infinity();
    EXPECT_EQ(loss_of_two_steps({none, 0, none, none, none, 0}, {1, 2}), 0);
}

TEST(CtcLoss, OfALabelThatIsNoClassIsInfinite) {
    const float third = -std::log(3.0F);
    EXPECT_NEAR(loss_of_two_steps(std::vector<float>(6, third), {1, 2}), 2 * std::log(3.0), 1e-5);
    for (const std::int32_t label : {3, -1})
        EXPECT_EQ(loss_of_two_steps(std::vector<float>(6, third), {1, label}),
                  std::numeric_limits<double>::infinity());
}

TEST(CtcLoss, RefusesWhatDoesNotFit) {
    graph::Graph graph;
    graph::Builder build(graph, test::registry());
    const ValueId x = build.feed("x", {DType::Float32, {3, 2, 4}}).value();
    const ValueId labels = build.feed("labels", {DType::Int32, {2, 1}}).value();
    const ValueId lengths = build.feed("lengths", {DType::Int32, {2}}).value();
    const ValueId others = build.feed("others", {DType::Int32, {3}}).value();
    EXPECT_TRUE(add_ctc_loss(build, {x, false, labels, lengths, lengths, 3}));
    const auto blank = add_ctc_loss(build, {x, false, labels, lengths, lengths, 4});
    ASSERT_FALSE(blank);
    EXPECT_EQ(blank.error().line(),
              "the blank 4 of a CTC loss is none of the 4 classes; give it a class from 0 on");
    EXPECT_FALSE(add_ctc_loss(build, {x, false, labels, lengths, others, 0}));
    EXPECT_FALSE(add_ctc_loss(build, {x, false, lengths, lengths, lengths, 0}));
    EXPECT_FALSE(add_ctc_loss(build, {labels, false, labels, lengths, lengths, 0}));
}

} // namespace tilescope::training
