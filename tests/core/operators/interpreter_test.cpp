// SPDX-License-Identifier: GPL-3.0-or-later
#include "graph/scan.h"
#include "operators/fused_elementwise.h"
#include "operators/interpreter.h"
#include "tests/core/operators/graph_runner.h"

#include <atomic>
#include <cstdlib>
#include <gtest/gtest.h>
#include <memory>
#include <new>

namespace {

std::atomic<std::int64_t> allocations{0};

} // namespace

// All allocations of this test program are counted. Not inlined: GCC would take free() for a mistake.
[[gnu::noinline]] void* operator new(std::size_t size) {
    ++allocations;
    if (void* memory = std::malloc(size))
        return memory;
    throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new(std::size_t size, std::align_val_t alignment) {
    ++allocations;
    const auto to = static_cast<std::size_t>(alignment);
    if (void* memory = std::aligned_alloc(to, (size + to - 1) / to * to))
        return memory;
    throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
    std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
    std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::align_val_t) noexcept {
    std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
    std::free(memory);
}

using namespace tilescope;
using graph::Builder;
using graph::DType;
using graph::Graph;
using graph::TensorType;
using graph::ValueId;
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
        const ValueId z = b.emit("add", {b.emit("matmul", {h, in.fixed[0]}), in.fixed[1]});
        const auto parts = b.add("split", {z}, {{"axis", std::int64_t{1}}, {"sizes", Ints{units, units}}});
        const ValueId gate = b.emit("sigmoid", {(*parts)[0]});
        const ValueId mixed = b.emit("multiply", {gate, b.emit("tanh", {(*parts)[1]})});
        const ValueId fused = b.emit("fused_elementwise", {mixed, in.sequences[0]},
                                     operators::fused_attributes({{"multiply", {0, 1}}, {"relu", {2}}}));
        const ValueId turned = b.emit("transpose", {fused}, {{"permutation", Ints{1, 0}}});
        const ValueId back = b.emit("transpose", {turned}, {{"permutation", Ints{1, 0}}});
        const ValueId half =
            b.emit("slice", {back}, {{"begin", Ints{0, 0}}, {"size", Ints{batch, units / 2}}});
        const ValueId whole = b.emit("concatenate", {half, half}, {{"axis", std::int64_t{1}}});
        const ValueId mean = b.emit("reduce_mean", {whole}, {{"axes", Ints{1}}, {"keep_dims", true}});
        const ValueId inside =
            b.emit("greater", {b.emit("broadcast_to", {mean}, {{"shape", Ints{batch, units}}}), h});
        const ValueId next = b.emit("select", {inside, whole, b.emit("swish", {h})});
        return graph::ScanOutputs{{next}, {b.emit("subtract", {next, mixed})}};
    };
}

/// A loop of so many steps, fed with h, x, w and a bias.
Graph loop_of(std::int64_t steps) {
    Graph graph;
    Builder build(graph, registry());
    const ValueId h = build.feed("h", {DType::Float32, {batch, units}});
    const ValueId x = build.feed("x", {DType::Float32, {steps, batch, units}});
    const ValueId w = build.feed("w", {DType::Float32, {units, 2 * units}});
    const ValueId bias = build.feed("bias", {DType::Float32, {2 * units}});
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
    const ValueId w = build.variable("w", test::floats({2, 3}, {1, 2, 3, 4, 5, 6}));
    const ValueId flat = build.emit("reshape", {w}, {{"shape", Ints{6}}});
    const ValueId twice = build.emit("add", {flat, flat});
    HostTensor held = test::floats({2, 3}, {1, 2, 3, 4, 5, 6});
    operators::Interpreter values(graph, registry(), {held});
    held.set(4, 50);
    WorkerPool pool(1);
    values.run_batch({registry(), pool, kernels::best_kernels()}, {});
    EXPECT_EQ(values.at(flat).floats().data(), held.floats().data());
    EXPECT_EQ(values.at(twice).at(4), 100);
}
