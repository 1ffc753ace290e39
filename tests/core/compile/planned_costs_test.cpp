// SPDX-License-Identifier: GPL-3.0-or-later
#include "compile/compiler.h"
#include "graph/builder.h"
#include "operators/operators.h"
#include "tests/planned_costs.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>

/// What the planner takes a product for is what the program does: products of the samples on an IPU of their
/// own.
namespace tilescope::compile {
namespace {

using graph::Shape;

struct Product {
    const char* kind;
    Shape a, b;
    graph::DType type = graph::DType::Float16;
    graph::Attributes attributes = {};
    double memory = 0.6; ///< available_memory_proportion
};

const std::vector<Product>& products() {
    using graph::DType;
    const graph::Attributes same3{{"padding", Shape{1, 1, 1, 1}}};
    const graph::Attributes gradient3{{"padding", Shape{1, 1, 1, 1}}, {"shape", Shape{3, 3, 64, 64}}};
    const graph::Attributes strided{{"strides", Shape{2, 2}}};
    static const std::vector<Product> all = {
        // BERT: queries, attention, intermediate and output of a layer.
        {"matmul", {512, 1024}, {1024, 1024}},
        {"matmul", {64, 128, 64}, {64, 64, 128}},
        {"matmul", {512, 1024}, {1024, 4096}, DType::Float16, {}, 0.1},
        {"matmul", {512, 4096}, {4096, 1024}, DType::Float16, {}, 0.05},
        {"matmul", {512, 4096}, {512, 1024}, DType::Float16, {{"transpose_a", true}}},
        {"matmul", {512, 4096}, {1024, 4096}, DType::Float16, {{"transpose_b", true}}},
        // ResNet-50: its first layer, one of each size of kernel and stride.
        {"conv2d", {4, 230, 230, 3}, {7, 7, 3, 64}, DType::Float16, strided},
        {"conv2d", {4, 56, 56, 64}, {1, 1, 64, 256}},
        {"conv2d", {4, 28, 28, 128}, {3, 3, 128, 128}, DType::Float16, same3},
        {"conv2d", {4, 56, 56, 256}, {1, 1, 256, 512}, DType::Float16, strided},
        {"conv2d_filter_gradient", {20, 56, 56, 64}, {20, 56, 56, 64}, DType::Float16, gradient3, 0.15},
        // The tutorials' dense layers and convolutions.
        {"matmul", {64, 1600}, {1600, 10}, DType::Float32},
        {"matmul", {32, 784}, {784, 256}, DType::Float32},
        {"matmul", {2, 50176}, {50176, 32}},
        {"conv2d", {64, 28, 28, 1}, {3, 3, 1, 32}, DType::Float32},
        {"conv2d", {64, 13, 13, 32}, {3, 3, 32, 64}, DType::Float32},
    };
    return all;
}

Executable compiled(const Product& product, std::int64_t tiles = 1472) {
    const graph::OperatorRegistry registry = operators::standard_operators();
    graph::Graph graph;
    graph::Builder build(graph, registry);
    const auto a = build.feed("a", {product.type, product.a});
    const auto b = build.feed("b", {product.type, product.b});
    build.fetch("y", build.add(product.kind, {*a, *b}, product.attributes)->front());
    Options options;
    options.target = *ipu::find_target("ipu2");
    options.target.tiles_per_ipu = tiles;
    options.planning.all.available_memory_proportion = product.memory;
    return *compile(std::move(graph), registry, options);
}

/// How an operand comes to the tiles that need it.
struct Brought {
    std::int64_t cycles = 0; ///< of its words and messages, once
    std::int64_t held = 0;   ///< bytes that a tile has of it, at most
};

/// `operand`: "input" or "weights" as the plan calls them. Of a chip whose fabric is not known the way of a
/// word is the target's set-up.
Brought brought(const Executable& executable, const std::string& operand) {
    const program::Program& program = executable.program;
    Brought result;
    for (const program::StepId id : program.leaves()) {
        const program::Step& step = program.step(id);
        if (step.exchange < 0 || step.work.role != StepRole::Bring || step.work.of != operand ||
            step.work.verb != "exchange")
            continue;
        const auto& held = program.variable(step.uses.at(0)).tile_bytes;
        result.cycles = step.exchange_cycles - executable.target.exchange_setup_cycles;
        result.held = *std::max_element(held.begin(), held.end());
    }
    return result;
}

/// The most bytes that a tile receives of the input of a product.
std::int64_t most_received_of_input(const program::Program& program) {
    std::int64_t most = 0;
    for (const program::StepId id : program.leaves())
        if (const program::Step& step = program.step(id); step.exchange >= 0 && step.work.of == "input") {
            const auto& received = program.exchanges[static_cast<std::size_t>(step.exchange)].received;
            most = std::max(most, *std::max_element(received.begin(), received.end()));
        }
    return most;
}

} // namespace

TEST(PlannedCosts, AreThoseOfTheProgram) {
    std::size_t serial_plans = 0;
    for (const Product& product : products()) {
        const Executable executable = compiled(product);
        const ipu::ConvPlan& plan = executable.plans.at(0).plans.at(0);
        serial_plans += plan.splits.serial() > 1 ? 1 : 0;
        const auto compared =
            tests::expect_planned_costs(executable.program, executable.target, executable.plans);
        EXPECT_TRUE(compared.uneven.empty()) << product.kind << ipu::describe(plan);
    }
    EXPECT_GT(serial_plans, 0U);
}

/// Operands that lie as the plan asks for come in its cycles, but for the share of one tile. The planner
/// takes, as PopLibs does, what a pair of tiles has of each other to come at twice the rate, where it comes
/// at the single one: costed so, it would choose another plan for the product of bench/fidelity's
/// tf-mm-infer, of a third of the published bytes. And there may be fewer pieces of whole groups of channels
/// than tiles that need them, so that one has no share and receives all.
TEST(PlannedCosts, OperandsComeInTheCyclesOfThePlan) {
    std::size_t compared = 0, exact = 0, kernels_cut = 0;
    for (const Product& product : products()) {
        const Executable executable = compiled(product, 1470);
        const ipu::ConvPlan& plan = executable.plans.at(0).plans.at(0);
        const ipu::ConvSplits& s = plan.splits;
        // Padding of channels is not compared, which the planner counts and the program does not send.
        if (product.a.size() == 4 && product.a[3] % plan.grouping.in_channels != 0)
            continue;
        kernels_cut += s.kernel_height > 1 ? 1 : 0;
        const std::int64_t rate = executable.target.exchange_bytes_per_cycle;
        const auto compare = [&](const char* operand, std::int64_t planned, std::int64_t times) {
            const Brought there = brought(executable, operand);
            const std::int64_t beyond = there.cycles - planned / times;
            EXPECT_GE(beyond, 0) << operand << " of " << product.kind << ipu::describe(plan);
            EXPECT_LE(beyond, ceil_div(there.held, rate))
                << operand << " of " << product.kind << ipu::describe(plan);
            compared += planned > 0 ? 1 : 0;
            exact += planned > 0 && beyond == 0 ? 1 : 0;
        };
        compare("input", plan.cost.exchange_inputs, s.serial_in);
        compare("weights", plan.cost.exchange_weights, s.serial());
    }
    EXPECT_GT(compared, 15U);
    EXPECT_GE(exact, 3U);
    EXPECT_GT(kernels_cut, 0U) << "parts of a kernel read the same rows";
}

/// A kernel whose columns became channels is read row by row: no row is there once for each row of the
/// kernel.
TEST(PlannedCosts, AnExpandedInputIsReceivedAsPlanned) {
    std::size_t expanded = 0;
    for (const Product& product : products()) {
        const Executable executable = compiled(product);
        const ipu::ConvPlan& plan = executable.plans.at(0).plans.at(0);
        const std::int64_t parts = plan.splits.out_channels;
        if (!plan.transform.expand_width || plan.transform.swap || parts == 1 || plan.splits.serial() > 1)
            continue;
        ++expanded;
        const std::int64_t rate = executable.target.exchange_bytes_per_cycle * (parts % 2 == 0 ? 2 : 1);
        EXPECT_LE(most_received_of_input(executable.program), plan.cost.exchange_inputs * rate)
            << product.kind << graph::to_string(product.a) << ipu::describe(plan);
    }
    EXPECT_GT(expanded, 0U);
}

/// An operand that lies in the order of its elements has each serial part on other tiles: it is laid out as
/// the plan asks for, once, before the loop (PopLibs lib/poplin/Convolution.cpp, rearrangeIfSplitOverTiles).
TEST(PlannedCosts, AnOperandWhosePartsLieApartIsLaidOutBeforeTheLoop) {
    const graph::OperatorRegistry registry = operators::standard_operators();
    for (const bool in_order : {false, true}) {
        graph::Graph graph;
        graph::Builder build(graph, registry);
        auto a = build.feed("a", {graph::DType::Float16, {512, 4096}});
        const auto b = build.feed("b", {graph::DType::Float16, {4096, 1024}});
        if (in_order)
            a = build.add("relu", {*a}, {}, "relu")->front();
        build.fetch("y", build.add("matmul", {*a, *b}, {}, "product")->front());
        Options options;
        options.target = *ipu::find_target("ipu2");
        options.planning.all.available_memory_proportion = 0.05;
        const Executable executable = *compile(std::move(graph), registry, options);
        const ipu::ConvPlan& plan = executable.plans.at(0).plans.at(0);
        ASSERT_GT(plan.splits.serial_out, 1) << ipu::describe(plan);
        ASSERT_TRUE(plan.transform.swap) << "rows are what is sliced";
        tests::expect_planned_costs(executable.program, executable.target, executable.plans);
        std::size_t laid_out = 0;
        bool looped = false;
        for (const program::Step& step : executable.program.steps) {
            looped = looped || step.name == "product/serial parts";
            if (step.name.starts_with("product/Rearrange")) {
                EXPECT_FALSE(looped) << step.name;
                ++laid_out;
            }
        }
        EXPECT_EQ(laid_out, in_order ? 1U : 0U) << ipu::describe(plan);
    }
}

/// A kernel of one with a stride of 2 reads a quarter of the positions, and no other is brought and laid out.
TEST(PlannedCosts, PositionsThatNobodyReadsAreNotLaidOut) {
    const Executable executable = compiled(
        {"conv2d", {4, 56, 56, 256}, {1, 1, 256, 512}, graph::DType::Float16, {{"strides", Shape{2, 2}}}});
    const ipu::ConvPlan& plan = executable.plans.at(0).plans.at(0);
    ASSERT_TRUE(plan.transform.expand_height && plan.transform.expand_width) << ipu::describe(plan);
    constexpr std::int64_t read = 4 * 28 * 28 * 256 * 2;
    const program::Program& program = executable.program;
    std::int64_t laid_out = 0, received = 0;
    for (const program::StepId id : program.leaves()) {
        const program::Step& step = program.step(id);
        if (step.work.of != "input")
            continue;
        if (step.work.verb == "Rearrange")
            laid_out = program.variable(step.uses.back()).total_bytes();
        else if (laid_out == 0)
            received += program.exchanges[static_cast<std::size_t>(step.exchange)].bytes();
    }
    EXPECT_GE(laid_out, read);
    EXPECT_LE(laid_out, read + 1472 * 2) << "at most an element more on each tile";
    EXPECT_LE(received, laid_out);
}

} // namespace tilescope::compile
