// SPDX-License-Identifier: GPL-3.0-or-later
#include "compile/record_executable.h"
#include "graph/builder.h"
#include "profile/profile.h"
#include "tests/core/compile/pass_text.h"
#include "tests/temporary_folder.h"

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace tilescope::compile {
namespace {

/// Dense layers, transposed between, and trained over several batches: every pass has something to do.
graph::Graph layered_network(std::int64_t layers) {
    graph::Graph graph;
    graph.name = "network";
    graph::Builder build(graph, registry());
    const auto emit = [&](const char* kind, const std::vector<graph::ValueId>& inputs,
                          graph::Attributes attributes = {}) {
        return build.emit(kind, inputs, std::move(attributes)).value();
    };
    graph::ValueId y = build.feed("x", {graph::DType::Float32, {8, 8}}).value();
    for (std::int64_t layer = 0; layer < layers; ++layer) {
        const std::string name = "dense" + std::to_string(layer);
        build.scope.layer = build.layer(name, "Dense");
        const auto kernel =
            build.variable(name, graph::InitialValue::filled({graph::DType::Float32, {8, 8}}, 0)).value();
        y = emit("relu", {emit("matmul", {y, kernel})});
        y = emit("transpose", {y}, {{"permutation", graph::Shape{1, 0}}});
    }
    const graph::ValueId loss = emit("reduce_mean", {emit("square", {y})});
    build.fetch("loss", loss, graph::FetchKind::Loss);
    graph.training = graph::Training{loss, {"sgd", {{"momentum", 0.9}}}};
    return graph;
}

/// In which the pass has something to do: weights in streaming memory are not shared by replicas.
Options options_for_pass(const std::string& pass) {
    Options options = options_for(16);
    options.schedule.accumulation = 2;
    options.schedule.replicas = 2;
    options.schedule.steps_per_execution = 4;
    options.recompute = true;
    options.offload_state = true;
    options.offload_weights = pass == "offload weights";
    options.shard_state = !options.offload_weights;
    options.most_merged = {1 << 20, 1 << 20, 1 << 20};
    options.norm_replicas = 2;
    return options;
}

Options options() {
    return options_for_pass("");
}

/// The executable goes to a cache, or comes from one.
enum class Cache { None, Kept, Loaded };

/// How often a pass asks whether it is to end: the highest poll of its own at which a raised token ends it.
/// What comes after the last pass that runs counts with it.
std::int64_t polls_of(const std::string& pass, std::int64_t layers, Cache cache = Cache::None) {
    const auto heard_at = [&](std::int64_t poll) {
        CancelToken cancel;
        const tests::TemporaryFolder folder;
        Options some = options_for_pass(pass);
        some.cache_directory = cache != Cache::None ? folder / "cache" : "";
        if (cache == Cache::Loaded) {
            EXPECT_TRUE(compile(layered_network(layers), registry(), some));
        }
        const auto executable = compile(
            layered_network(layers), registry(), some,
            [&](const std::string& started, std::size_t, std::size_t) {
                cancel.cancel_at_poll(started == pass ? poll : 0);
            },
            &cancel);
        if (!executable) {
            EXPECT_EQ(executable.error().kind, ErrorKind::Cancelled) << executable.error().line();
            EXPECT_TRUE(cache != Cache::Kept || std::filesystem::is_empty(folder.path()) ||
                        std::filesystem::is_empty(some.cache_directory));
        }
        return !executable.has_value();
    };
    std::int64_t last = 1; // found by doubling and halving
    while (heard_at(2 * last))
        last *= 2;
    for (std::int64_t step = last / 2; step > 0; step /= 2)
        if (heard_at(last + step))
            last += step;
    return last - 1; // but for the compiler's own, when the pass has ended
}

} // namespace

TEST(Cancel, EveryPassAsksAgainAfterABoundedAmountOfWork) {
    constexpr std::int64_t few = 4;
    constexpr std::int64_t many = 16;
    for (const Pass& pass : passes())
        EXPECT_GE(polls_of(pass.name, many) - polls_of(pass.name, few), many - few) << pass.name;
}

TEST(Cancel, KeepingAndLoadingAnExecutableAsksForEachOfItsVariablesAndLeavesNoPartOfIt) {
    const auto variables = [](std::int64_t layers) {
        return static_cast<std::int64_t>(
            compile(layered_network(layers), registry(), options())->program.variables.size());
    };
    constexpr std::int64_t few = 2;
    constexpr std::int64_t many = 8;
    for (const auto& [pass, cache] :
         {std::pair(passes().back().name, Cache::Kept), std::pair("fuse elementwise", Cache::Loaded)}) {
        const auto more = [in = pass, kept = cache](std::int64_t layers) {
            return polls_of(in, layers, kept) - polls_of(in, layers);
        };
        EXPECT_GE(more(many) - more(few), variables(many) - variables(few)) << pass;
    }
}

TEST(Cancel, RecordingAnExecutableEndsWhereItIsHeard) {
    const auto executable = compile(layered_network(16), registry(), options());
    ASSERT_TRUE(executable);
    const tests::TemporaryFolder folder;
    const std::string path = folder / "run.tilescope";
    auto recorder = profile::Recorder::create(path, {});
    ASSERT_TRUE(recorder) << recorder.error().line();
    CancelToken cancel;
    cancel.cancel_at_poll(static_cast<std::int64_t>(executable->graph.operations().size()) + 10);
    record(*executable, registry(), **recorder, &cancel);
    ASSERT_TRUE((*recorder)->finish(profile::RunStatus::Cancelled));
    const auto profile = profile::Profile::open(path);
    ASSERT_TRUE(profile) << profile.error().line();
    EXPECT_EQ((*profile)->operations()->size(), executable->graph.operations().size());
    EXPECT_EQ((*profile)->program()->size(), 9);
    EXPECT_TRUE((*profile)->variables()->empty());
}

TEST(Cancel, ATokenThatIsNotRaisedChangesNothing) {
    const CancelToken cancel;
    const auto with = compile(layered_network(4), registry(), options(), {}, &cancel);
    const auto without = compile(layered_network(4), registry(), options());
    ASSERT_TRUE(with.has_value() && without.has_value());
    EXPECT_EQ(with->program.print(), without->program.print());
    EXPECT_EQ(with->memory.addresses, without->memory.addresses);
}

} // namespace tilescope::compile
