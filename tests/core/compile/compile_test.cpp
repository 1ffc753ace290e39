// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/random.h"
#include "compile/compiler.h"
#include "compile/passes.h"
#include "graph/builder.h"
#include "operators/operators.h"

#include <gtest/gtest.h>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

using namespace tilescope;
using graph::Builder;
using graph::DType;
using graph::FetchKind;
using graph::HostTensor;
using graph::ValueId;

namespace {

HostTensor random_tensor(graph::Shape shape, const char* name) {
    HostTensor x(graph::TensorType{DType::Float32, std::move(shape)});
    const RandomStream random(3, name);
    for (std::int64_t i = 0; i < x.elements(); ++i)
        x.set(i, static_cast<double>(random.uniform(static_cast<std::uint64_t>(i))) - 0.5);
    return x;
}

/// A convolution, a pooling and a dense layer with a loss, trained by Adam.
graph::Graph small_network(const graph::OperatorRegistry& registry, std::int64_t batch) {
    graph::Graph graph;
    graph.name = "small network";
    Builder build(graph, registry);
    const ValueId x = build.feed("x", {DType::Float32, {batch, 12, 12, 3}}).value();
    const ValueId labels = build.feed("labels", {DType::Int32, {batch}}).value();
    const ValueId w = build.variable("conv/kernel", random_tensor({3, 3, 3, 8}, "w")).value();
    const ValueId b = build.variable("conv/bias", random_tensor({8}, "b")).value();
    ValueId y = build.emit("relu", {build.emit("add", {build.emit("conv2d", {x, w}), b})}).value();
    y = build
            .emit("max_pool2d", {y},
                  {{"window", std::vector<std::int64_t>{2, 2}}, {"strides", std::vector<std::int64_t>{2, 2}}})
            .value();
    y = build.emit("reshape", {y}, {{"shape", std::vector<std::int64_t>{batch, -1}}}).value();
    const ValueId v = build.variable("dense/kernel", random_tensor({200, 10}, "v")).value();
    y = build.emit("matmul", {y, v}).value();
    const ValueId each =
        build.emit("sparse_categorical_crossentropy", {y, labels}, {{"from_logits", true}}).value();
    const ValueId loss = build.emit("reduce_mean", {each}).value();
    build.fetch("loss", loss, FetchKind::Loss);
    graph.training = graph::Training{loss, {"adam", {}}};
    return graph;
}

compile::Options options_for(std::int64_t tiles, std::int64_t bytes = 0) {
    ipu::TargetOverrides overrides;
    overrides.figures["tiles_per_ipu"] = static_cast<double>(tiles);
    if (bytes > 0)
        overrides.figures["bytes_per_tile"] = static_cast<double>(bytes);
    compile::Options options;
    options.target = *ipu::find_target("ipu2", overrides);
    options.schedule.steps_per_execution = 10;
    return options;
}

compile::Executable compiled(std::int64_t tiles, std::int64_t batch = 8, std::int64_t bytes = 0) {
    const auto registry = operators::standard_operators();
    auto executable = compile::compile(small_network(registry, batch), registry, options_for(tiles, bytes));
    EXPECT_TRUE(executable.has_value()) << executable.error().line();
    return std::move(*executable);
}

template<class T>
std::int64_t sum(const std::vector<T>& values) {
    return std::accumulate(values.begin(), values.end(), std::int64_t{0});
}

} // namespace

TEST(Compile, TheNumberOfThreadsChangesNothing) {
    const auto registry = operators::standard_operators();
    compile::Options options = options_for(300);
    options.threads = 1;
    const auto one = compile::compile(small_network(registry, 8), registry, options);
    options.threads = 5;
    const auto five = compile::compile(small_network(registry, 8), registry, options);
    ASSERT_TRUE(one.has_value() && five.has_value());
    EXPECT_EQ(one->program.print(), five->program.print());
    EXPECT_EQ(one->memory.addresses, five->memory.addresses);
    ASSERT_EQ(one->plans.size(), five->plans.size());
    for (std::size_t i = 0; i < one->plans.size(); ++i)
        for (std::size_t k = 0; k < one->plans[i].plans.size(); ++k)
            EXPECT_EQ(ipu::describe(one->plans[i].plans[k]), ipu::describe(five->plans[i].plans.at(k)));
    const compile::IpuMemory& a = one->memory.ipus[0];
    const compile::IpuMemory& b = five->memory.ipus[0];
    EXPECT_EQ(std::tie(a.peak, a.peak_step, a.interleaved, a.overflowed, a.with_gaps),
              std::tie(b.peak, b.peak_step, b.interleaved, b.overflowed, b.with_gaps));
    ASSERT_EQ(a.liveness.size(), b.liveness.size());
    for (std::size_t s = 0; s < a.liveness.size(); ++s)
        EXPECT_EQ(std::tie(a.liveness[s].not_always_live, a.liveness[s].max_tile),
                  std::tie(b.liveness[s].not_always_live, b.liveness[s].max_tile));
}

TEST(Compiler, BytesSentEqualBytesReceivedInEveryExchangeOnChip) {
    for (const auto& exchange : compiled(256).program.exchanges)
        if (exchange.kind == ExchangeKind::Internal) {
            EXPECT_EQ(sum(exchange.sent), sum(exchange.received)) << exchange.name;
        }
}

TEST(Compiler, NoTwoVariablesThatAreLiveTogetherOverlapOnATile) {
    const auto e = compiled(64);
    const auto& variables = e.program.variables;
    for (std::size_t t = 0; t < 64; ++t)
        for (std::size_t a = 0; a < variables.size(); ++a)
            for (std::size_t b = a + 1; b < variables.size(); ++b) {
                const auto at_a = e.memory.addresses[a][t];
                const auto at_b = e.memory.addresses[b][t];
                if (at_a < 0 || at_b < 0)
                    continue;
                const bool apart =
                    at_a + variables[a].tile_bytes[t] <= at_b || at_b + variables[b].tile_bytes[t] <= at_a;
                const auto& ra = e.memory.needed[a];
                const auto& rb = e.memory.needed[b];
                const bool together = variables[a].always_live || variables[b].always_live ||
                                      (ra.from <= rb.to && rb.from <= ra.to);
                ASSERT_TRUE(apart || !together)
                    << variables[a].name << " and " << variables[b].name << " on tile " << t;
            }
}

TEST(Compiler, LiveBytesNeverExceedWhatIsAllocated) {
    const auto e = compiled(64);
    for (std::size_t t = 0; t < 64; ++t) {
        EXPECT_LE(e.memory.ipus[0].always_live[t], e.memory.ipus[0].peak[t]);
        EXPECT_LE(e.memory.ipus[0].peak[t], e.memory.ipus[0].with_gaps[t]);
    }
    for (const auto& point : e.memory.ipus[0].liveness)
        EXPECT_LE(point.max_tile,
                  *std::max_element(e.memory.ipus[0].with_gaps.begin(), e.memory.ipus[0].with_gaps.end()));
}

TEST(Compiler, EveryVariableOfTheGraphHasAllItsBytesOnTiles) {
    const auto e = compiled(256);
    std::map<std::int32_t, std::int64_t> bytes;
    for (const auto& variable : e.program.variables)
        if (variable.value >= 0)
            bytes[variable.value] += variable.total_bytes();
    for (const auto& variable : e.graph.variables)
        EXPECT_EQ(bytes[variable.value.value], e.graph.type(variable.value).bytes().value) << variable.name;
}

TEST(Compiler, AStepIsAsLongAsItsSlowestTile) {
    const auto e = compiled(256);
    std::int64_t cycles = 0;
    for (const auto id : e.program.leaves()) {
        const auto& step = e.program.step(id);
        if (step.compute_set >= 0) {
            const auto& tiles =
                e.program.compute_sets[static_cast<std::size_t>(step.compute_set)].tile_cycles;
            EXPECT_EQ(step.compute_cycles, *std::max_element(tiles.begin(), tiles.end()));
        }
        cycles += step.sync_cycles + step.exchange_cycles + step.compute_cycles;
    }
    EXPECT_EQ(e.program.cycles(), 10 * cycles); // the loop of ten steps
}

TEST(Compiler, FusesAndDropsOperationsAndSaysSo) {
    const auto e = compiled(64);
    std::size_t fused = 0;
    for (const auto& op : e.graph.operations())
        fused += op.kind == "fused_elementwise" ? 1 : 0;
    EXPECT_GE(fused, 1U);                    // bias and relu
    std::map<std::string, std::string> said; // by pass
    for (const auto& event : e.events)
        said[event.name] = event.detail;
    EXPECT_NE(said["fuse elementwise"].find("->"), std::string::npos) << said["fuse elementwise"];
    EXPECT_TRUE(said["cancel transposes"].ends_with(" operations, as before")) << "there are none";
    std::size_t passes = 0;
    for (const auto& event : e.events) {
        EXPECT_GE(event.duration_us, 0);
        EXPECT_FALSE(event.parent_id >= 0 && event.detail.empty()) << event.name;
        passes += event.parent_id == 0 ? 1 : 0;
    }
    EXPECT_EQ(passes, compile::passes().size());
}

// Of two equal sums one is left, what nothing reads goes, and a multiplication goes into what reads it.
TEST(Compiler, NamesWhatEachPassRemoves) {
    const auto registry = operators::standard_operators();
    graph::Graph graph;
    Builder build(graph, registry);
    const ValueId x = build.feed("x", {DType::Float32, {64, 64}}).value();
    const auto named = [&](const char* kind, const std::vector<ValueId>& inputs, const char* name) {
        return build.add(kind, inputs, {}, name)->front();
    };
    const ValueId once = named("add", {x, x}, "once");
    const ValueId again = named("add", {x, x}, "again");
    named("exp", {x}, "unread");
    build.fetch("y", named("subtract", {named("multiply", {once, again}, "product"), x}, "difference"));
    compile::Options how;
    how.target = *ipu::find_target("ipu2");
    const auto e = *compile::compile(std::move(graph), registry, how);
    std::map<std::string, std::set<std::string>> removed; // by pass
    for (const profile::RemovedOperationRecord& operation : e.removed)
        removed[e.events.at(static_cast<std::size_t>(operation.compile_event_id)).name].insert(
            operation.name + " " + operation.kind);
    const auto& left = e.graph.operations();
    ASSERT_EQ(left.size(), 2U);
    EXPECT_EQ(left[0].name, "once") << "read twice";
    EXPECT_EQ(left[1].name, "difference");
    EXPECT_EQ(removed["merge common subexpressions"], std::set<std::string>{"again add"});
    EXPECT_EQ(removed["remove dead code"], std::set<std::string>{"unread exp"});
    EXPECT_EQ(removed["fuse elementwise"], std::set<std::string>{"product multiply"});
    EXPECT_EQ(removed.size(), 3U);
}

TEST(Compiler, PartsOfAPassLieWithinIt) {
    const auto e = compiled(64);
    std::map<std::int64_t, std::int64_t> parts;
    for (const auto& event : e.events)
        if (event.parent_id > 0)
            parts[event.parent_id] += event.duration_us;
    ASSERT_FALSE(parts.empty());
    for (const auto& [pass, duration] : parts)
        EXPECT_LE(duration, e.events[static_cast<std::size_t>(pass)].duration_us);
}

TEST(Compiler, ValuesThatAreComputedInPlaceHaveNoMemoryOfTheirOwn) {
    const auto registry = operators::standard_operators();
    graph::Graph graph;
    Builder build(graph, registry);
    const ValueId x = build.feed("x", {DType::Float32, {64, 64}}).value();
    const ValueId w = build.variable("w", random_tensor({64, 64}, "w")).value();
    const ValueId product = build.emit("matmul", {x, w}).value();
    const ValueId once = build.emit("relu", {product}).value();
    const ValueId twice = build.emit("matmul", {once, w}).value();
    build.fetch("y", build.emit("matmul", {twice, once}).value());
    const auto e = *compile::compile(std::move(graph), registry, options_for(64));
    const auto own = [&](ValueId id) {
        return std::count_if(e.program.variables.begin(), e.program.variables.end(),
                             [&](const auto& variable) { return variable.value == id.value; });
    };
    EXPECT_EQ(own(product), 1);
    EXPECT_EQ(own(once), 0); // relu writes over the product, which nobody else reads
    EXPECT_EQ(own(twice), 1);
}

TEST(Compiler, EqualLayersShareTheirCode) {
    const auto registry = operators::standard_operators();
    const auto code_of = [&](int layers) {
        graph::Graph graph;
        Builder build(graph, registry);
        ValueId y = build.feed("x", {DType::Float32, {64, 64}}).value();
        for (int i = 0; i < layers; ++i)
            y = build
                    .emit("relu", {build.emit("matmul", {y, build.variable("w" + std::to_string(i),
                                                                           random_tensor({64, 64}, "w"))})})
                    .value();
        build.fetch("y", y);
        const auto e = *compile::compile(std::move(graph), registry, options_for(64));
        std::int64_t bytes = 0;
        for (const auto& variable : e.program.variables)
            if (variable.category == MemoryCategory::VertexCode ||
                variable.category == MemoryCategory::VertexInstanceState)
                bytes += variable.total_bytes();
        return bytes;
    };
    EXPECT_LT(code_of(8), 2 * code_of(2));
}

TEST(Compiler, AMatrixProductsSumsLieInInterleavedMemory) {
    const auto e = compiled(64);
    const std::int64_t region = e.target.bytes_per_tile - e.target.interleaved_bytes_per_tile;
    std::size_t found = 0;
    for (std::size_t v = 0; v < e.program.variables.size(); ++v)
        for (std::size_t t = 0; t < 64 && e.program.variables[v].interleaved; ++t)
            if (e.memory.addresses[v][t] >= 0) {
                EXPECT_GE(e.memory.addresses[v][t], region);
                ++found;
            }
    EXPECT_GT(found, 0U);
    EXPECT_GT(sum(e.memory.ipus[0].interleaved), 0);
    for (std::size_t t = 0; t < 64; ++t)
        EXPECT_LE(e.memory.ipus[0].interleaved[t] + e.memory.ipus[0].overflowed[t], e.memory.ipus[0].peak[t]);
}

TEST(Compiler, TwiceTheTilesNeverMakeALargeProductSlower) {
    const auto registry = operators::standard_operators();
    std::int64_t before = 0;
    for (const std::int64_t tiles : {46, 92, 184, 368, 736, 1472}) {
        graph::Graph graph;
        Builder build(graph, registry);
        const ValueId x = build.feed("x", {DType::Float32, {1024, 1024}}).value();
        const ValueId w = build.feed("w", {DType::Float32, {1024, 1024}}).value();
        build.fetch("y", build.emit("matmul", {x, w}).value());
        const auto e = *compile::compile(std::move(graph), registry, options_for(tiles));
        const std::int64_t cycles = e.program.cycles();
        EXPECT_TRUE(before == 0 || cycles <= before) << tiles << " tiles";
        before = cycles;
    }
}

TEST(Compiler, SaysWhichTileRunsOutOfMemoryAndWhy) {
    const auto e = compiled(4, 64, 16384);
    ASSERT_FALSE(e.fits());
    const Error error = compile::out_of_memory(e);
    EXPECT_EQ(error.kind, ErrorKind::OutOfMemory);
    EXPECT_NE(error.message.find("16,384"), std::string::npos);
    EXPECT_NE(error.message.find("its largest are"), std::string::npos);
}

TEST(Compiler, LargerBatchesNeverTakeFewerCycles) {
    std::int64_t before = 0;
    for (const std::int64_t batch : {4, 8, 16, 32, 64}) {
        const std::int64_t cycles = compiled(256, batch).program.cycles();
        EXPECT_GE(cycles, before) << "batch " << batch;
        before = cycles;
    }
}

TEST(Compiler, HalfPartialsMakeAHalfProductFasterAndAFloatProductNot) {
    const auto registry = operators::standard_operators();
    const auto cycles = [&](DType dtype, bool half_partials) {
        graph::Graph graph;
        Builder build(graph, registry);
        const ValueId x = build.feed("x", {dtype, {1024, 1024}}).value();
        const ValueId w = build.feed("w", {dtype, {1024, 1024}}).value();
        build.fetch("y", build.emit("matmul", {x, w}).value());
        compile::Options options = options_for(1472);
        options.planning.all.half_partials = half_partials;
        return compile::compile(std::move(graph), registry, options)->program.cycles();
    };
    EXPECT_LT(cycles(DType::Float16, true), cycles(DType::Float16, false));
    EXPECT_EQ(cycles(DType::Float32, true), cycles(DType::Float32, false));
}

TEST(Planner, MoreTilesNeverMakeALargeProductSlower) {
    std::int64_t before = 0;
    for (const std::int64_t tiles : {1, 2, 4, 16, 64, 256, 1024}) {
        ipu::TargetOverrides overrides;
        overrides.figures["tiles_per_ipu"] = static_cast<double>(tiles);
        ipu::ConvPlanner planner(*ipu::find_target("ipu2", overrides));
        ipu::ConvProblem problem;
        problem.in_width = problem.out_width = 512;
        problem.in_channels = 512;
        problem.out_channels = 512;
        const std::int64_t cycles = planner.plan(problem).front().cost.cycles();
        EXPECT_TRUE(before == 0 || cycles <= before) << tiles << " tiles";
        before = cycles;
    }
}

TEST(Planner, NeverBeatsTheHardwaresPeak) {
    const ipu::Target target = *ipu::find_target("ipu2");
    ipu::ConvPlanner planner(target);
    for (const std::int64_t n : {64, 256, 1024}) {
        ipu::ConvProblem problem;
        problem.in_width = problem.out_width = n;
        problem.in_channels = n;
        problem.out_channels = n;
        const auto& plan = planner.plan(problem).front();
        const double macs = static_cast<double>(n * n * n);
        EXPECT_GE(static_cast<double>(plan.cost.cycles()),
                  macs / static_cast<double>(target.tiles_per_ipu * target.peak_macs(4)));
        EXPECT_LE(plan.splits.tiles(), target.tiles_per_ipu);
    }
}

TEST(Targets, RefuseFiguresOutOfRangeAndNameTheNearestGeneration) {
    const auto unknown = ipu::find_target("ipu22");
    ASSERT_FALSE(unknown.has_value());
    EXPECT_NE(unknown.error().remedy.find("ipu2"), std::string::npos);
    ipu::TargetOverrides overrides;
    overrides.figures["tiles_per_ipu"] = 100000;
    EXPECT_FALSE(ipu::find_target("ipu2", overrides).has_value());
}
