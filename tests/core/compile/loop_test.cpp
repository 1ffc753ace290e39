// SPDX-License-Identifier: GPL-3.0-or-later
#include "compile/compiler.h"
#include "graph/scan.h"
#include "operators/operators.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>

namespace tilescope::compile {
namespace {

using graph::DType;
using graph::ScanInputs;
using graph::ScanOutputs;
using graph::ValueId;

const graph::OperatorRegistry& registry() {
    static const graph::OperatorRegistry all = operators::standard_operators();
    return all;
}

/// h' = tanh(x + h W) over a sequence of x, [steps, 4, 16]; the loss is the mean of the last h.
Executable compiled(std::int64_t steps, bool trained) {
    graph::Graph graph;
    graph::Builder build(graph, registry());
    const ValueId h = build.feed("h", {DType::Float32, {4, 16}}).value();
    const ValueId x = build.feed("x", {DType::Float32, {steps, 4, 16}}).value();
    const ValueId w =
        build.variable("w", graph::InitialValue::filled({DType::Float32, {16, 16}}, 0.1)).value();
    const auto made =
        graph::add_scan(build, {{h}, {x}, {w}}, false, [](graph::Builder& body, const ScanInputs& in) {
            const ValueId product = body.emit("matmul", {in.states[0], in.fixed[0]}).value();
            const ValueId next = body.emit("tanh", {body.emit("add", {in.sequences[0], product})}).value();
            return Result<ScanOutputs>(ScanOutputs{{next}, {}});
        });
    const ValueId loss = build.emit("reduce_mean", {made->states[0]}).value();
    build.fetch("loss", loss, graph::FetchKind::Loss);
    if (trained)
        graph.training = graph::Training{loss, {"sgd", {}}};
    Options options;
    options.target = *ipu::find_target("ipu2", {});
    return *compile(std::move(graph), registry(), options);
}

const program::Variable& variable(const Executable& executable, const std::string& name, LiveRange& range) {
    const auto& all = executable.program.variables;
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const auto& each) { return each.name == name; });
    EXPECT_NE(found, all.end()) << name;
    range = executable.memory.needed[static_cast<std::size_t>(found - all.begin())];
    return *found;
}

/// The leaves that the repeats over the steps have within them, as indices: first and last of each.
std::vector<LiveRange> loops_of(const Executable& executable) {
    const auto leaves = executable.program.leaves();
    std::vector<LiveRange> loops;
    for (std::size_t s = 0; s < executable.program.steps.size(); ++s) {
        const program::Step& step = executable.program.steps[s];
        if (step.kind != StepKind::Repeat || step.operation < 0)
            continue;
        program::Program part = executable.program;
        part.root = program::StepId(static_cast<std::int32_t>(s));
        const auto own = part.leaves();
        const auto first = std::find(leaves.begin(), leaves.end(), own.front()) - leaves.begin();
        loops.push_back({static_cast<std::int32_t>(first),
                         static_cast<std::int32_t>(first + static_cast<std::ptrdiff_t>(own.size())) - 1});
    }
    return loops;
}

TEST(Loop, HasItsBodyOnceHoweverManyStepsItTakes) {
    for (const bool trained : {false, true}) {
        const Executable few = compiled(3, trained);
        const Executable many = compiled(30, trained);
        EXPECT_EQ(few.program.leaves().size(), many.program.leaves().size());
        EXPECT_EQ(few.program.compute_sets.size(), many.program.compute_sets.size());
        for (const program::Step& step : many.program.steps)
            EXPECT_TRUE(step.kind != StepKind::Repeat || step.operation < 0 || step.repeats == 30);
        EXPECT_GT(many.program.cycles(), few.program.cycles());
        EXPECT_EQ(loops_of(many).size(), trained ? 2U : 1U);
    }
}

// The state is written before the loop, and read after it; the weights are always live.
TEST(Loop, KeepsWhatGoesFromStepToStep) {
    const Executable executable = compiled(8, false);
    const LiveRange loop = loops_of(executable).at(0);
    LiveRange range;
    variable(executable, "scan/state", range);
    EXPECT_LT(range.from, loop.from);
    EXPECT_GT(range.to, loop.to);
    EXPECT_TRUE(variable(executable, "w", range).always_live);
    variable(executable, "scan/slice", range); // taken anew in each step
    EXPECT_GE(range.from, loop.from);
    EXPECT_LE(range.to, loop.to);
}

// The sequence comes before the loop and its last slice is read in the loop's last step.
TEST(Loop, KeepsTheSequenceToItsEnd) {
    const Executable executable = compiled(8, false);
    const LiveRange loop = loops_of(executable).at(0);
    LiveRange range;
    variable(executable, "x", range);
    EXPECT_LT(range.from, loop.from);
    EXPECT_GE(range.to, loop.to);
}

// A slice has 4 x 16 elements: one on each of 64 tiles, wherever the product lies, and all of its steps
// there.
TEST(Loop, DealsSlicesToAsManyTilesAsTheyHaveElements) {
    const Executable executable = compiled(8, true);
    LiveRange range;
    const program::Variable& x = variable(executable, "x", range);
    for (std::size_t t = 0; t < x.tile_bytes.size(); ++t)
        EXPECT_EQ(x.tile_bytes[t], t < 64 ? 8 * 4 : 0) << t;
}

// x is taken in the forward loop, which puts tanh's output and the state before it; both are taken in the
// backward one. A slice of one element on a tile: 25 + 6 (39 + 24).
TEST(Loop, TakesAndPutsEachSliceInAComputeSetOfItsOwn) {
    const Executable executable = compiled(8, true);
    std::map<std::string, int> count;
    for (const program::ComputeSet& set : executable.program.compute_sets)
        for (const std::string verb : {"take", "put"})
            if (set.name.find("/" + verb + "(") != std::string::npos) {
                ++count[verb];
                EXPECT_EQ(set.cycles(), 403) << set.name;
            }
    EXPECT_EQ(count["take"], 3);
    EXPECT_EQ(count["put"], 2);
}

// The forward loop saves tanh's output and the state before it, which its gradient and that of w read; both
// have a slice for each step.
TEST(Loop, SavesForTheBackwardLoopWhatThatReads) {
    const Executable executable = compiled(8, true);
    const auto forward =
        std::find_if(executable.graph.operations().begin(), executable.graph.operations().end(),
                     [](const graph::Operation& op) { return op.kind == "scan"; });
    ASSERT_NE(forward, executable.graph.operations().end());
    ASSERT_EQ(forward->outputs.size(), 3U);
    for (const std::size_t i : {1U, 2U})
        EXPECT_EQ(executable.graph.type(forward->outputs[i]).shape, (graph::Shape{8, 4, 16}));
}

} // namespace
} // namespace tilescope::compile
