// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/operators/operator_cases.h"
#include "training/differentiation.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

using namespace tilescope;
using test::Case;
using test::cases;
using test::HostTensor;
using test::Ints;
using test::Loss;
using test::make_loss;
using test::mask;
using test::stops;
using test::ValueId;

namespace {

double evaluate(const Loss& loss, const std::vector<HostTensor>& feeds) {
    return test::run(loss.graph, feeds)[static_cast<std::size_t>(loss.value.value)].at(0);
}

HostTensor copy_of(const HostTensor& tensor) {
    HostTensor copy(tensor.type());
    for (std::int64_t i = 0; i < tensor.elements(); ++i)
        copy.set(i, tensor.at(i));
    return copy;
}

/// Compares the gradients of a loss with differences of its values.
void expect_gradients(const Loss& loss) {
    Loss backward = loss;
    graph::Builder build(backward.graph, test::registry());
    const auto gradients = training::differentiate(build, backward.value, backward.inputs);
    ASSERT_TRUE(gradients.has_value()) << gradients.error().line();
    const auto values = test::run(backward.graph, backward.feeds);
    for (std::size_t k = 0; k < backward.inputs.size(); ++k) {
        const ValueId id = (*gradients)[k];
        const std::int64_t n = loss.feeds[loss.places[k]].elements();
        for (std::int64_t i = 0; i < n; ++i) {
            constexpr double h = 2e-3;
            auto feeds = loss.feeds;
            feeds[loss.places[k]] = copy_of(loss.feeds[loss.places[k]]);
            const double x = loss.feeds[loss.places[k]].at(i);
            feeds[loss.places[k]].set(i, x + h);
            const double up = evaluate(loss, feeds);
            feeds[loss.places[k]].set(i, x - h);
            const double numeric = (up - evaluate(loss, feeds)) / (2 * h);
            const double analytic =
                id == graph::no_value ? 0 : values[static_cast<std::size_t>(id.value)].at(i);
            EXPECT_NEAR(analytic, numeric, 6e-3 + 6e-3 * std::fabs(numeric))
                << "input " << k << " element " << i;
        }
    }
}

} // namespace

TEST(Gradients, EveryDifferentiableOperationHasACaseHere) {
    const auto all = cases();
    for (const std::string& name : test::registry().names()) {
        const bool differentiable = static_cast<bool>(test::registry().at(name).gradient);
        EXPECT_TRUE(!differentiable || all.contains(name) || name == stops)
            << name << " has a gradient that no test checks";
    }
}

TEST(Gradients, AgreeWithFiniteDifferences) {
    for (const auto& [kind, c] : cases()) {
        SCOPED_TRACE(kind + " " + c.attributes.json());
        expect_gradients(make_loss(kind, c));
    }
}

// d (x stop(x)) = stop(x), half of what that of x x is.
TEST(Gradients, GoNoFurtherThanStopGradient) {
    Loss loss = make_loss("identity", Case{{{2, 3}}, {}});
    graph::Builder build(loss.graph, test::registry());
    const ValueId x = loss.inputs[0];
    const ValueId fixed = build.emit(stops, {x}).value();
    loss.value = build.emit("reduce_sum", {build.emit("multiply", {x, fixed})}).value();
    const auto gradient = training::differentiate(build, loss.value, {x});
    ASSERT_TRUE(gradient.has_value()) << gradient.error().line();
    const auto values = test::run(loss.graph, loss.feeds);
    for (std::int64_t i = 0; i < 6; ++i) {
        EXPECT_EQ(values[static_cast<std::size_t>((*gradient)[0].value)].at(i), loss.feeds[0].at(i));
        EXPECT_EQ(values[static_cast<std::size_t>(fixed.value)].at(i), loss.feeds[0].at(i));
    }
    const ValueId none = build.emit("reduce_sum", {fixed}).value();
    EXPECT_EQ(training::differentiate(build, none, {x})->front(), graph::no_value);
}

// d (x e^x), where e^x is held, is e^x, and that of this one e^x again; behind stop_gradient it would be 0.
TEST(Gradients, GoOnToWhatAProductHoldsOnceTheyAreDifferentiatedAgain) {
    Loss loss = make_loss("identity", Case{{{2, 3}}, {}});
    graph::Builder build(loss.graph, test::registry());
    const ValueId x = loss.inputs[0];
    const ValueId power = build.emit("exp", {x}).value();
    ValueId sum = build.emit("multiply", {x, power}, {{"holds_second", true}}).value();
    for (int order = 0; order < 2; ++order) {
        const auto gradient = training::differentiate(build, build.emit("reduce_sum", {sum}).value(), {x});
        ASSERT_TRUE(gradient.has_value()) << gradient.error().line();
        sum = gradient->front();
        const auto values = test::run(loss.graph, loss.feeds);
        for (std::int64_t i = 0; i < 6; ++i)
            EXPECT_EQ(values[static_cast<std::size_t>(sum.value)].at(i),
                      values[static_cast<std::size_t>(power.value)].at(i));
    }
}

// A scaled loss may overflow: what the other branch gets is 0, not inf - inf.
TEST(Gradients, OfABranchThatIsNotTakenAreZeroWhateverArrives) {
    graph::Graph graph;
    graph::Builder build(graph, test::registry());
    const ValueId condition = build.feed("condition", {graph::DType::Bool, {2}}).value();
    const ValueId a = build.feed("a", {graph::DType::Float32, {2}}).value();
    const ValueId b = build.feed("b", {graph::DType::Float32, {2}}).value();
    const ValueId factor = build.feed("factor", {graph::DType::Float32, {2}}).value();
    const ValueId y = build.emit("select", {condition, a, b}).value();
    const ValueId loss = build.emit("reduce_sum", {build.emit("multiply", {y, factor})}).value();
    const auto gradients = training::differentiate(build, loss, {a, b});
    ASSERT_TRUE(gradients.has_value());
    const float infinity = std::numeric_limits<float>::infinity();
    const auto values = test::run(graph, {mask({2}), test::floats({2}, {1, 1}), test::floats({2}, {1, 1}),
                                          test::floats({2}, {infinity, infinity})});
    const auto at = [&](std::size_t k, std::int64_t i) {
        return values[static_cast<std::size_t>((*gradients)[k].value)].at(i);
    };
    EXPECT_EQ(at(0, 0), infinity); // the mask holds for the first element
    EXPECT_EQ(at(0, 1), 0);
    EXPECT_EQ(at(1, 0), 0);
    EXPECT_EQ(at(1, 1), infinity);
}

// The statistics depend on x too: what a norm layer does in training.
TEST(Gradients, ReachXThroughMeanAndVariance) {
    for (const Ints& axes : {Ints{0, 1}, Ints{2}, Ints{1, 2}}) {
        SCOPED_TRACE(axes.size());
        Loss loss = make_loss("identity", Case{{{3, 2, 4}}, {}});
        graph::Builder build(loss.graph, test::registry());
        const ValueId x = loss.inputs[0];
        const auto statistics = build.add("moments", {x}, {{"axes", axes}});
        ASSERT_TRUE(statistics.has_value());
        const ValueId y = build
                              .emit("normalise", {x, statistics->at(0), statistics->at(1)},
                                    {{"axes", axes}, {"epsilon", 1e-3}})
                              .value();
        loss.value =
            build.emit("reduce_sum", {build.emit("multiply", {build.emit("square", {y}), x})}).value();
        expect_gradients(loss);
    }
}

namespace {

/// The gradient of the sum of an operation's output by one of its inputs.
std::vector<double> slope(const std::string& kind, const std::vector<HostTensor>& inputs, std::size_t by,
                          const test::Attributes& attributes = {}) {
    graph::Graph graph;
    graph::Builder build(graph, test::registry());
    std::vector<ValueId> fed;
    fed.reserve(inputs.size());
    for (const HostTensor& input : inputs)
        fed.push_back(build.feed("x", input.type()).value());
    const ValueId y = build.add(kind, fed, attributes).value()[0];
    const ValueId loss = build.emit("reduce_sum", {y}).value();
    const ValueId found = training::differentiate(build, loss, {fed[by]}).value()[0];
    const auto values = test::run(graph, inputs);
    std::vector<double> result;
    for (std::int64_t i = 0; i < inputs[by].elements(); ++i)
        result.push_back(values[static_cast<std::size_t>(found.value)].at(i));
    return result;
}

} // namespace

// Of each the product of the others, with one 0, two and none.
TEST(Gradients, OfProductsAreNotSpoiltByZeros) {
    const HostTensor x = test::floats({3, 3}, {2, 0, 3, 0, 0, 5, 2, 3, 4});
    EXPECT_EQ(slope("reduce_prod", {x}, 0, {{"axes", Ints{1}}}),
              (std::vector<double>{0, 6, 0, 0, 0, 0, 12, 8, 6}));
    EXPECT_EQ(slope("reduce_prod", {test::floats({2}, {0, 7})}, 0), (std::vector<double>{7, 0}));
    EXPECT_EQ(slope("reduce_prod", {test::floats({2, 1}, {0, 7})}, 0, {{"axes", Ints{1}}}),
              (std::vector<double>{1, 1}));
}

// x^y log x; nothing where x has no logarithm, as in TensorFlow (math_grad.py, _PowGrad).
TEST(Gradients, OfPowersByTheirExponentAreZeroWithoutALogarithm) {
    const auto found = slope("power", {test::floats({4}, {-2, 0, 1, 2}), test::floats({4}, {3, 2, 5, 3})}, 1);
    EXPECT_EQ(std::vector<double>(found.begin(), found.end() - 1), (std::vector<double>{0, 0, 0}));
    EXPECT_NEAR(found[3], 8 * std::log(2.0), 1e-5);
}
