// SPDX-License-Identifier: GPL-3.0-or-later
// Products that grow, and tiles that become more: no step backwards but for the reasons that are written
// here.
#include "compile/compiler.h"
#include "graph/builder.h"
#include "operators/operators.h"
#include "tests/core/compile/pass_text.h"
#include "tests/planned_costs.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace tilescope::compile {
namespace {

using graph::DType;

struct Product {
    std::int64_t m, k, n;
    DType type = DType::Float16;
    const char* target = "ipu2";
    std::int64_t tiles = 0; ///< 0: as many as there are
};

Executable compiled(const Product& p) {
    const graph::OperatorRegistry registry = operators::standard_operators();
    graph::Graph graph;
    graph::Builder build(graph, registry);
    const auto a = build.feed("a", {p.type, {p.m, p.k}});
    const auto b = build.feed("b", {p.type, {p.k, p.n}});
    build.fetch("y", build.add("matmul", {*a, *b}, {}, "product")->front());
    Options options;
    options.target = *ipu::find_target(
        p.target, {{{"tiles_per_ipu", static_cast<double>(p.tiles)}}, {}}); // 0 leaves them as they are
    return *compile(std::move(graph), registry, options);
}

/// Cycles of a product without those that bring its operands from the host and the result to it.
struct Taken {
    std::int64_t cycles = 0;
    std::int64_t copied = 0; ///< of these, to lay operands out in another order
    std::int64_t paired = 0; ///< of these, by which pairs of tiles have each other's input later than planned
    bool pads = false;       ///< since they do not fill the vertex's groups of channels
    std::string plan;
};

Taken taken(const Product& p) {
    const Executable e = compiled(p);
    const ipu::ConvPlan& plan = e.plans.at(0).plans.at(0);
    EXPECT_EQ(plan.splits.serial(), 1) << "each step runs once";
    Taken result;
    result.plan = ipu::describe(plan);
    if (const std::int64_t users = plan.splits.out_channels; users % 2 == 0)
        result.paired = plan.cost.exchange_inputs / (users - 1);
    for (const program::StepId id : e.program.leaves()) {
        const program::Step& step = e.program.step(id);
        if (!step.name.starts_with("product/"))
            continue;
        result.cycles += step.cycles();
        if (step.work.verb == "Rearrange")
            result.copied += step.cycles();
    }
    const std::int64_t columns = plan.transform.swap ? p.m : p.n;
    result.pads = p.k % plan.grouping.in_channels != 0 || columns % plan.grouping.out_channels != 0;
    return result;
}

/// Expects a product that is larger, or has fewer tiles, to take no fewer cycles, but for two reasons.
/// The smaller one has channels that fill no group of its vertex and are padded, for which its operand is
/// copied, and the larger one has not: PopLibs copies them likewise, and counts it (lib/poplin/ConvModel.cpp,
/// addTransformCycleEstimate; ConvVertices.cpp, Padder). Or tiles share the input of the smaller one in
/// pairs, which PopLibs' model takes for faster than it is by what the two of a pair have of each other, and
/// those of the larger one do not.
void expect_no_step_backwards(const Taken& smaller, const Taken& larger, const std::string& name) {
    const bool copies_less = smaller.pads && !larger.pads;
    const std::int64_t pairs_less = std::max<std::int64_t>(0, smaller.paired - larger.paired);
    EXPECT_GE(larger.cycles, smaller.cycles - (copies_less ? smaller.copied : 0) - pairs_less)
        << name << ": " << smaller.plan << ", then " << larger.plan;
}

void sweep(const std::vector<Product>& growing) {
    std::vector<Taken> before;
    for (const Product& p : growing) {
        const Taken now = taken(p);
        if (!before.empty())
            expect_no_step_backwards(before.back(), now,
                                     std::to_string(p.m) + " x " + std::to_string(p.k) + " x " +
                                         std::to_string(p.n) + " on " + std::to_string(p.tiles) + " tiles");
        before.push_back(now);
    }
}

/// A step of y = x w + b in training, without what comes from the host and goes there.
struct Trained {
    std::int64_t cycles = 0;
    /// Of these, by product that the rows do not fill whole groups of channels of: to lay its operands out.
    std::map<std::string, std::int64_t> padded = {};
    std::int64_t unplanned = 0; ///< the most of these that exchanges take beside their words
    bool joint = false;         ///< its products have one plan
    std::string plans;
};

Trained trained(std::int64_t rows, std::int64_t k, std::int64_t n, const std::string& type) {
    const auto tensor = [&](const std::string& extents) { return " : " + type + " [" + extents + "]"; };
    const std::string m = std::to_string(rows), in = std::to_string(k), out = std::to_string(n);
    Options options;
    options.target = *ipu::find_target("ipu2");
    const Executable e =
        *compile(graph_of("graph \"g\" {\n  feed %x" + tensor(m + ", " + in) + "\n  variable %w" +
                          tensor(in + ", " + out) + " = 0.5\n  variable %b" + tensor(out) + R"( = 0.5
  %y = matmul(%x, %w)
  %z = add(%y, %b)
  %loss = reduce_sum(%z)
  fetch "loss" = %loss loss
  train %loss "sgd"
})"),
                 registry(), options);
    Trained result;
    for (const lowering::OperationPlan& product : e.plans) {
        const ipu::ConvPlan& plan = product.plans.at(0);
        result.plans += product.product + " " + ipu::describe(plan) + "\n";
        result.joint = result.joint || plan.transform.joint;
        const bool forward = product.product == "y"; // the other one sums over the rows
        const std::int64_t group = !forward              ? plan.grouping.in_channels
                                   : plan.transform.swap ? plan.grouping.out_channels
                                                         : 1;
        if (rows % group != 0)
            result.padded[product.product] = 0;
    }
    std::int64_t brought = 0; // by the step before
    for (const program::StepId id : e.program.leaves()) {
        const program::Step& step = e.program.step(id);
        if (step.kind == StepKind::StreamCopy)
            continue;
        result.cycles += step.cycles();
        const auto product = result.padded.find(step.name.substr(0, step.name.rfind('/')));
        if (step.work.verb == "Rearrange" && product != result.padded.end())
            product->second += brought + step.cycles();
        brought = step.work.role == StepRole::Bring ? step.cycles() : 0;
        if (step.kind == StepKind::Exchange)
            result.unplanned += step.sync_cycles + tests::longest_way(options.target);
    }
    return result;
}

/// The same of a layer with more rows, for two reasons. The fewer ones do not fill the groups of channels of
/// a product, and are padded, brought and copied. Or PopLibs takes three plans to be faster than one, in
/// whose cycles exchanges have neither the sync nor the way of their words (lib/poplin/ConvModel.cpp), and
/// the three have more exchanges.
void expect_no_step_backwards(const Trained& fewer, const Trained& more, const std::string& name) {
    std::int64_t padded_less = 0;
    for (const auto& [product, cycles] : fewer.padded)
        padded_less += more.padded.contains(product) ? 0 : cycles;
    const bool one_plan = more.joint && !fewer.joint;
    const std::int64_t exchanges_less = std::max<std::int64_t>(0, fewer.unplanned - more.unplanned);
    EXPECT_GE(more.cycles, fewer.cycles - padded_less - (one_plan ? exchanges_less : 0))
        << name << ":\n"
        << fewer.plans << more.plans;
}

} // namespace

TEST(Sweep, ABatchOfOneRowMoreTakesNoLessTime) {
    for (const auto& [k, n, type] : {std::tuple<std::int64_t, std::int64_t, DType>{784, 256, DType::Float32},
                                     {1024, 1024, DType::Float16}}) {
        std::vector<Product> growing;
        for (std::int64_t m = 1; m <= 34; ++m)
            growing.push_back({m, k, n, type});
        sweep(growing);
    }
}

TEST(Sweep, ALargerSquareTakesNoLessTime) {
    for (const DType type : {DType::Float16, DType::Float32}) {
        std::vector<Product> growing;
        for (std::int64_t n = 64; n <= 768; n += 32)
            growing.push_back({n, n, n, type});
        sweep(growing);
    }
}

TEST(Sweep, FewerTilesTakeNoLessTime) {
    for (const std::int64_t n : {256, 512}) {
        std::vector<Product> growing;
        for (const std::int64_t tiles : {1288, 1104, 920, 736, 552, 368, 184})
            growing.push_back({n, n, n, DType::Float16, "ipu2", tiles});
        sweep(growing);
    }
}

// A dense layer in training, with all that a step of it does on the device: its products, the sum of the
// bias's gradient and the updates.
TEST(Sweep, ALayerInTrainingTakesNoLessTimeForMoreRows) {
    for (const auto& [k, n, type] :
         {std::tuple<std::int64_t, std::int64_t, const char*>{784, 256, "float32"}, {512, 512, "float16"}}) {
        std::optional<Trained> before;
        for (const std::int64_t rows : {1, 2, 3, 4, 6, 8, 12, 16, 20, 24, 32, 48, 64, 96, 128}) {
            const Trained now = trained(rows, k, n, type);
            if (before)
                expect_no_step_backwards(*before, now, std::to_string(rows) + " rows of " + type);
            before = now;
        }
    }
}

// Squares of halves on a Mk1, whose tiles have 256 KiB: none needs more than they have where a larger one
// does not. The partial sums lie in the upper half, and the operand that a tile receives in one piece beside
// them.
TEST(Sweep, NoSquareFailsWhereALargerOneFits) {
    bool larger_fits = false;
    for (std::int64_t n = 4096; n >= 512; n -= 256) {
        const Executable e = compiled({n, n, n, DType::Float16, "ipu1"});
        EXPECT_TRUE(e.fits() || !larger_fits) << n << ": " << out_of_memory(e).line();
        larger_fits = larger_fits || e.fits();
    }
    EXPECT_TRUE(larger_fits);
}

} // namespace tilescope::compile
