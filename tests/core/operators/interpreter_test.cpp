// SPDX-License-Identifier: GPL-3.0-or-later
#include "graph/scan.h"
#include "operators/fused_elementwise.h"
#include "operators/interpreter.h"
#include "tests/core/operators/graph_runner.h"
#include "tests/counted_allocations.h"

#include <gtest/gtest.h>
#include <memory>
#include <random>

using namespace tilescope;
using graph::Builder;
using graph::DType;
using graph::Graph;
using graph::ValueId;
using test::allocations;
using test::HostTensor;
using test::registry;

namespace {

using Ints = std::vector<std::int64_t>;

constexpr std::int64_t batch = 6;
constexpr std::int64_t units = 1024; ///< enough for several threads

/// A recurrent cell with gates, a mask, a fused expression and rearrangements.
graph::ScanStep cell() {
    return [](Builder& b, const graph::ScanInputs& in) -> Result<graph::ScanOutputs> {
        const ValueId h = in.states[0];
        const ValueId z = b.emit("add", {b.emit("matmul", {h, in.fixed[0]}), in.fixed[1]}).value();
        const auto parts = b.add("split", {z}, {{"axis", std::int64_t{1}}, {"sizes", Ints{units, units}}});
        const ValueId gate = b.emit("sigmoid", {(*parts)[0]}).value();
        const ValueId mixed = b.emit("multiply", {gate, b.emit("tanh", {(*parts)[1]})}).value();
        const ValueId fused = b.emit("fused_elementwise", {mixed, in.sequences[0]},
                                     operators::fused_attributes({{"multiply", {0, 1}}, {"relu", {2}}}))
                                  .value();
        const ValueId turned = b.emit("transpose", {fused}, {{"permutation", Ints{1, 0}}}).value();
        const ValueId back = b.emit("transpose", {turned}, {{"permutation", Ints{1, 0}}}).value();
        const ValueId half =
            b.emit("slice", {back}, {{"begin", Ints{0, 0}}, {"size", Ints{batch, units / 2}}}).value();
        const ValueId whole = b.emit("concatenate", {half, half}, {{"axis", std::int64_t{1}}}).value();
        const ValueId mean = b.emit("reduce_mean", {whole}, {{"axes", Ints{1}}, {"keep_dims", true}}).value();
        const ValueId inside =
            b.emit("greater", {b.emit("broadcast_to", {mean}, {{"shape", Ints{batch, units}}}), h}).value();
        const ValueId next = b.emit("select", {inside, whole, b.emit("swish", {h})}).value();
        return graph::ScanOutputs{{next}, {b.emit("subtract", {next, mixed}).value()}};
    };
}

/// A loop of so many steps, fed with h, x, w and a bias.
Graph loop_of(std::int64_t steps) {
    Graph graph;
    Builder build(graph, registry());
    const ValueId h = build.feed("h", {DType::Float32, {batch, units}}).value();
    const ValueId x = build.feed("x", {DType::Float32, {steps, batch, units}}).value();
    const ValueId w = build.feed("w", {DType::Float32, {units, 2 * units}}).value();
    const ValueId bias = build.feed("bias", {DType::Float32, {2 * units}}).value();
    const auto made = graph::add_scan(build, {{h}, {x}, {w, bias}}, false, cell());
    EXPECT_TRUE(made) << (made ? "" : made.error().line());
    build.fetch("h", made->states[0]);
    build.fetch("y", made->sequences[0]);
    return graph;
}

void fill_feeds(const Graph& graph, operators::Interpreter& values) {
    for (const graph::Feed& feed : graph.feeds) {
        HostTensor& tensor = values.at(feed.value);
        for (std::int64_t i = 0; i < tensor.elements(); ++i)
            tensor.set(i, static_cast<double>(i * 37 % 101) / 5000.0 - 0.01);
    }
}

} // namespace

TEST(Interpreter, AStepOfALoopAllocatesNothing) {
    for (const std::int64_t steps : {1, 9}) {
        const Graph graph = loop_of(steps);
        operators::Interpreter values(graph, registry());
        fill_feeds(graph, values);
        WorkerPool pool(2);
        const operators::Machine machine{registry(), pool, kernels::best_kernels()};
        for (int warm_up = 0; warm_up < 3; ++warm_up) // threads take room for their blocks once
            values.run_batch(machine, {});
        const std::int64_t before = allocations;
        ASSERT_GT(before, 0);
        values.run_batch(machine, {});
        EXPECT_EQ(allocations - before, 0) << steps << " steps";
    }
}

// What is kept from run to run must not be seen in the results: the second run begins as the first did.
TEST(Interpreter, ALoopThatRunsAgainGivesTheSame) {
    const Graph graph = loop_of(4);
    operators::Interpreter values(graph, registry());
    fill_feeds(graph, values);
    WorkerPool pool(2);
    const operators::Machine machine{registry(), pool, kernels::best_kernels()};
    std::vector<std::vector<std::byte>> results;
    for (int run = 0; run < 2; ++run) {
        values.run_batch(machine, {});
        for (const graph::Fetch& fetch : graph.fetches)
            results.push_back(values.at(fetch.value).device_bytes());
    }
    EXPECT_EQ(results[0], results[2]);
    EXPECT_EQ(results[1], results[3]);
    std::vector<HostTensor> feeds; // one operation after another, with nothing kept
    for (const graph::Feed& feed : graph.feeds)
        feeds.push_back(values.at(feed.value));
    const auto plain = test::run(graph, feeds);
    for (std::size_t k = 0; k < 2; ++k)
        EXPECT_EQ(plain[static_cast<std::size_t>(graph.fetches[k].value.value)].device_bytes(), results[k]);
}

TEST(Interpreter, ViewsAndVariablesAreTheMemoryOfWhatTheyShow) {
    Graph graph;
    Builder build(graph, registry());
    const ValueId w = build.variable("w", test::floats({2, 3}, {1, 2, 3, 4, 5, 6})).value();
    const ValueId flat = build.emit("reshape", {w}, {{"shape", Ints{6}}}).value();
    const ValueId twice = build.emit("add", {flat, flat}).value();
    HostTensor held = test::floats({2, 3}, {1, 2, 3, 4, 5, 6});
    operators::Interpreter values(graph, registry(), {held});
    held.set(4, 50);
    WorkerPool pool(1);
    values.run_batch({registry(), pool, kernels::best_kernels()}, {});
    EXPECT_EQ(values.at(flat).floats().data(), held.floats().data());
    EXPECT_EQ(values.at(twice).at(4), 100);
}

TEST(Interpreter, ValuesThatAreDeadShareTheirMemory) {
    constexpr std::int64_t elements = 1000;
    Graph graph;
    Builder build(graph, registry());
    ValueId x = build.feed("x", {DType::Float32, {elements}}).value();
    for (int i = 0; i < 50; ++i)
        x = build.emit("square", {x}).value();
    const ValueId kept = build.emit("negate", {x}).value();
    for (int i = 0; i < 50; ++i)
        x = build.emit("abs", {x}).value();
    graph.fetches.push_back({"kept", kept, graph::FetchKind::Output});
    graph.fetches.push_back({"x", x, graph::FetchKind::Output});
    operators::Interpreter values(graph, registry());
    // What is kept, and what operations write over each other, in whole blocks of 64 bytes.
    EXPECT_EQ(values.shared_bytes(), 2 * (elements * 4 + 32));
    EXPECT_EQ(values.needed_bytes(), values.shared_bytes());
    values.at(graph.feeds[0].value).floats()[7] = -1;
    WorkerPool pool(1);
    values.run_batch({registry(), pool, kernels::best_kernels()}, {});
    EXPECT_EQ(values.at(kept).at(7), -1);
    EXPECT_EQ(values.at(x).at(7), 1);
    EXPECT_EQ(values.at(x).at(8), 0);
}

namespace {

/// w -= rate g for two variables, the second's gradient being the first's old value.
struct TwoUpdates {
    Graph graph;
    ValueId first, second;
    explicit TwoUpdates(bool fetches_old) {
        Builder build(graph, registry());
        first = build.variable("a", test::floats({3}, {1, 2, 3})).value();
        second = build.variable("b", test::floats({3}, {10, 20, 30})).value();
        build.scope.phase = Phase::Update;
        const ValueId g = build.feed("g", {DType::Float32, {3}}).value();
        graph.variables[0].next = build.emit("sgd_update", {first, g}, {{"learning_rate", 1.0}}).value();
        graph.variables[1].next = build.emit("sgd_update", {second, first}, {{"learning_rate", 1.0}}).value();
        if (fetches_old)
            graph.fetches.push_back({"old", second, graph::FetchKind::Output});
    }
};

} // namespace

TEST(Interpreter, UpdatesAreWrittenOverWhatNothingReadsAnyMore) {
    for (const bool fetches_old : {false, true}) {
        const TwoUpdates updates(fetches_old);
        const std::vector<HostTensor> variables{test::floats({3}, {1, 2, 3}),
                                                test::floats({3}, {10, 20, 30})};
        operators::Interpreter values(updates.graph, registry(), variables);
        values.at(updates.graph.feeds[0].value).set(0, 0.5);
        WorkerPool pool(2);
        values.run_update({registry(), pool, kernels::best_kernels()}, {});
        const ValueId next_a = updates.graph.variables[0].next;
        const ValueId next_b = updates.graph.variables[1].next;
        EXPECT_EQ(values.at(next_a).at(0), 0.5);
        EXPECT_EQ(values.at(next_b).at(0), 9); // from the old value of the first
        EXPECT_EQ(variables[0].at(0), 1) << "which is read after its update is made";
        EXPECT_EQ(values.at(next_b).shares_memory(values.at(updates.second)), !fetches_old);
        EXPECT_EQ(variables[1].at(0), fetches_old ? 10 : 9);
    }
}

namespace {

/// A graph of operations drawn at random on [4, 4] and [16], with variables that take next values, some of
/// them in the update; three values are fetched.
class RandomGraph {
  public:
    Graph graph;
    explicit RandomGraph(std::uint32_t seed) : random_(seed), build_(graph, registry()) {
        for (const char* name : {"x", "y"})
            pool_.push_back(build_.feed(name, {DType::Float32, {4, 4}}).value());
        for (const char* name : {"u", "v", "w"})
            pool_.push_back(build_.variable(name, test::floats({4, 4}, numbers(16))).value());
        bias_ = build_.variable("bias", test::floats({4}, numbers(4))).value();
        add_operations(30);
        for (const char* name : {"a", "b", "c"})
            graph.fetches.push_back({name, any(), graph::FetchKind::Output});
        graph.variables[0].next = any_made();
        build_.scope.phase = Phase::Update;
        add_operations(6);
        const Ints shape{4, 4};
        const ValueId gradient = build_.emit("reshape", {any()}, {{"shape", shape}}).value();
        const ValueId w = graph.variables[2].value;
        graph.variables[2].next = build_.emit("sgd_update", {w, gradient}, {{"learning_rate", 0.25}}).value();
        const ValueId v = graph.variables[1].value;
        graph.variables[1].next = build_.emit("subtract", {v, gradient}).value();
    }
    std::vector<float> numbers(std::size_t n) {
        std::vector<float> all(n);
        for (float& x : all)
            x = std::uniform_real_distribution<float>(-1, 1)(random_);
        return all;
    }

  private:
    std::size_t up_to(std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n)(random_); }
    ValueId any() { return pool_[up_to(pool_.size() - 1)]; }
    ValueId any_made() { return pool_[5 + up_to(pool_.size() - 6)]; }
    ValueId square(ValueId x) {
        return graph.type(x).shape.size() == 2 ? x
                                               : build_.emit("reshape", {x}, {{"shape", Ints{4, 4}}}).value();
    }
    void add_operations(int count) {
        for (int i = 0; i < count; ++i)
            pool_.push_back(operation(square(any()), square(any())));
    }
    ValueId operation(ValueId a, ValueId b) {
        switch (up_to(9)) {
        case 0:
            return build_.emit("add", {a, b}).value();
        case 1:
            return build_.emit("multiply", {bias_, a}).value();
        case 2:
            return build_.emit("tanh", {a}).value();
        case 3:
            return build_.emit("transpose", {a}, {{"permutation", Ints{1, 0}}}).value();
        case 4:
            return build_.emit("matmul", {a, b}).value();
        case 5:
            return build_.emit("reshape", {a}, {{"shape", Ints{16}}}).value();
        case 6:
            return build_
                .emit("fused_elementwise", {b, a},
                      operators::fused_attributes({{"tanh", {1}}, {"subtract", {0, 2}}}))
                .value();
        case 7:
            return build_.emit("dropout", {a}, {{"rate", 0.5}, {"salt", std::int64_t{3}}}).value();
        case 8:
            return build_.emit("select", {build_.emit("greater", {a, b}), b, a}).value();
        default:
            return build_.emit("softmax", {a}).value();
        }
    }

    std::mt19937 random_;
    Builder build_;
    std::vector<ValueId> pool_; ///< of 16 elements each
    ValueId bias_;
};

} // namespace

// Each value has memory of its own in test::run.
TEST(Interpreter, SharedMemoryIsNotSeenInTheResults) {
    for (std::uint32_t seed = 0; seed < 300; ++seed) {
        RandomGraph of(seed);
        const Graph& graph = of.graph;
        std::vector<HostTensor> variables;
        for (const graph::Variable& variable : graph.variables)
            variables.push_back(variable.initial.make());
        operators::Interpreter values(graph, registry(), variables);
        std::vector<HostTensor> feeds;
        for (const graph::Feed& feed : graph.feeds) {
            feeds.push_back(test::floats({4, 4}, of.numbers(16)));
            operators::copy_values(feeds.back(), values.at(feed.value));
        }
        const graph::RandomState random{5, 3, 0, true};
        const auto apart = test::run(graph, feeds, kernels::best_kernels(), 2, random);
        WorkerPool pool(2);
        const operators::Machine machine{registry(), pool, kernels::best_kernels()};
        values.run_batch(machine, random);
        values.run_update(machine, random);
        const auto expect_same = [&](ValueId id) {
            EXPECT_EQ(values.at(id).device_bytes(), apart[static_cast<std::size_t>(id.value)].device_bytes())
                << "seed " << seed << ", value " << id.value;
        };
        for (const graph::Fetch& fetch : graph.fetches)
            expect_same(fetch.value);
        for (const graph::Variable& variable : graph.variables)
            if (variable.next != graph::no_value)
                expect_same(variable.next);
    }
}
