// SPDX-License-Identifier: GPL-3.0-or-later
#include "operators/fused_elementwise.h"
#include "operators/interpreter.h"
#include "tests/allocations.h"
#include "tests/core/operators/operator_cases.h"
#include "training/differentiation.h"

#include <gtest/gtest.h>
#include <set>

using namespace tilescope;
using test::HostTensor;
using test::ValueId;

namespace {

/// An operation that has no gradient, on inputs of its own.
struct Plain {
    std::string kind;
    std::vector<HostTensor> inputs;
    graph::Attributes attributes;
};

std::vector<Plain> plain_operations() {
    const HostTensor x = test::floats({2, 3}, {1, 2, 3, 4, 5, 6});
    const HostTensor rows = HostTensor::of_ints({1, 3}, std::vector<std::int32_t>{1, 0, 1});
    const HostTensor pointers = HostTensor::of_ints({2, 1}, std::vector<std::int32_t>{1, 0});
    const graph::Attributes axis{{"axis", std::int64_t{0}}};
    std::vector<Plain> all{
        {"argmax", {x}, {}},
        {"top_k", {x}, {{"k", std::int64_t{2}}}},
        {"sign", {x}, {}},
        {"logical_not", {test::mask({2, 3})}, {}},
        {"fused_elementwise", {x}, operators::fused_attributes({{"tanh", {0}}, {"multiply", {1, 0}}})},
        {"gather_elements", {x, rows}, axis},
        {"gather_nd", {x, pointers}, {}},
        {"scatter_elements", {x, rows, test::floats({1, 3}, {7, 8, 9})}, axis},
        {"all_reduce", {x, x}, {{"scale", 0.5}}},
        {"group_mean", {x, x}, {{"group", std::int64_t{2}}}},
        {"group_moments", {x}, {{"axes", std::vector<std::int64_t>{0}}, {"group", std::int64_t{2}}}},
        {"group_gather", {x}, {{"group", std::int64_t{2}}}},
        {"group_scatter", {x}, {{"group", std::int64_t{2}}}},
        {"group_all_to_all", {x}, {{"group", std::int64_t{2}}}},
        {"group_index", {}, {{"group", std::int64_t{2}}}},
        {"reduce_scatter", {x, x}, {{"scale", 0.5}}},
        {"take_share", {x}, {}},
        {"all_gather", {x}, {}},
        {"accumulate", {x, x}, {}},
        {"accumulated", {x}, {}},
        {"remote_load", {x}, {}},
        {"remote_store", {x, x}, {}},
        {"stop_gradient", {x}, {}},
    };
    for (const char* kind : {"equal", "not_equal", "less", "less_equal", "greater", "greater_equal"})
        all.push_back({kind, {x, x}, {}});
    for (const char* kind : {"logical_and", "logical_or"})
        all.push_back({kind, {test::mask({2, 3}), test::mask({3})}, {}});
    for (const char* kind : {"bitwise_and", "bitwise_or", "bitwise_xor", "left_shift", "right_shift"})
        all.push_back({kind, {rows, rows}, {}});
    all.push_back({"bitwise_not", {rows}, {}});
    return all;
}

/// Computes a graph three times, and counts what the third takes. Its kinds of operations go into `kinds`.
void expect_no_allocations(const graph::Graph& graph, const std::vector<HostTensor>& feeds,
                           std::set<std::string>& kinds) {
    operators::Interpreter values(graph, test::registry());
    for (std::size_t i = 0; i < feeds.size(); ++i)
        operators::copy_values(feeds[i], values.at(graph.feeds[i].value));
    WorkerPool pool(1);
    const operators::Machine machine{test::registry(), pool, kernels::best_kernels()};
    const graph::RandomState random{5, 3, 0, true};
    for (int warm_up = 0; warm_up < 2; ++warm_up)
        values.run_batch(machine, random);
    const std::int64_t before = test::allocations;
    ASSERT_GT(before, 0);
    values.run_batch(machine, random);
    EXPECT_EQ(test::allocations - before, 0);
    for (const graph::Operation& op : graph.operations())
        kinds.insert(op.kind);
}

} // namespace

// The body of a loop may hold any of them but the updates of variables.
TEST(Operators, ThatComputeAgainAllocateNothing) {
    std::set<std::string> kinds;
    for (const auto& [kind, c] : test::cases()) {
        SCOPED_TRACE(kind + " " + c.attributes.json());
        test::Loss loss = test::make_loss(kind, c);
        graph::Builder build(loss.graph, test::registry());
        ASSERT_TRUE(training::differentiate(build, loss.value, loss.inputs));
        expect_no_allocations(loss.graph, loss.feeds, kinds);
    }
    for (const Plain& plain : plain_operations()) {
        SCOPED_TRACE(plain.kind);
        graph::Graph graph;
        graph::Builder build(graph, test::registry());
        std::vector<ValueId> inputs;
        for (const HostTensor& input : plain.inputs)
            inputs.push_back(build.feed("x", input.type()).value());
        const auto made = build.add(plain.kind, inputs, plain.attributes);
        ASSERT_TRUE(made) << made.error().line();
        expect_no_allocations(graph, plain.inputs, kinds);
    }
    for (const std::string& name : test::registry().names())
        EXPECT_TRUE(kinds.contains(name) || name.ends_with("_update")) << name << " is computed by no case";
}
