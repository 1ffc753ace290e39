// SPDX-License-Identifier: GPL-3.0-or-later
#include "build_paths.h"
#include "compile/compiler.h"
#include "prepare/data_sets.h"
#include "run/executor.h"
#include "tests/core/operators/graph_runner.h"
#include "workload/workload.h"

#include <gtest/gtest.h>

using namespace tilescope;

namespace {

enum class State {
    OnTiles,
    Offloaded,
    Sharded,
    WithWeights,
    WithSharedWeights,
    SharedWithWeights,
    AllShared
};

bool weights_are_offloaded(State state) {
    return state >= State::WithWeights;
}
bool weights_are_shared(State state) {
    return state == State::WithSharedWeights || state == State::AllShared;
}
bool state_is_shared(State state) {
    return state == State::Sharded || state == State::SharedWithWeights || state == State::AllShared;
}

/// Losses of the tutorial's network over so many micro-batches of 4, four to a weight update: two of each of
/// two replicas.
std::vector<double> losses_of(const std::string& optimiser, State state, int micro_batches,
                              const std::string& dtype = "float32",
                              const compile::MergedCollectives& merged = {}) {
    const auto workload = workload::read_workload(
        TILESCOPE_SOURCE_DIR "/samples/keras_mnist.json",
        {"fit.batch_size=4", "compile.optimizer=" + optimiser, "model.dtype=" + dtype});
    EXPECT_TRUE(workload) << workload.error().line();
    compile::Options options;
    options.host_only = true;
    options.schedule.accumulation = 2;
    options.schedule.replicas = 2;
    options.offload_state = state != State::OnTiles;
    options.shard_state = state_is_shared(state);
    options.offload_weights = weights_are_offloaded(state);
    options.shard_weights = weights_are_shared(state);
    options.most_merged = merged;
    auto graph = workload::build_graph(*workload, test::registry(), workload::Mode::Train);
    const auto executable = compile::compile(std::move(*graph), test::registry(), options);
    EXPECT_TRUE(executable) << executable.error().line();
    const auto has = [&](const std::string& kind) {
        const auto& operations = executable->graph.operations();
        return std::any_of(operations.begin(), operations.end(),
                           [&](const graph::Operation& op) { return op.kind == kind; });
    };
    EXPECT_EQ(has("remote_load"), state != State::OnTiles);
    EXPECT_EQ(has("reduce_scatter"), state_is_shared(state)) << "else each replica updates all of it";
    const auto& operations = executable->graph.operations();
    const auto gathers = std::any_of(operations.begin(), operations.end(), [](const graph::Operation& op) {
        return op.kind == "all_gather" || (op.kind == "remote_load" && op.attributes.has("replicas"));
    });
    EXPECT_EQ(gathers, state_is_shared(state) || weights_are_shared(state));
    const run::DataSet data = prepare::synthetic_digits(4L * micro_batches, prepare::Split::Train, 1);
    WorkerPool pool(2);
    run::Weights weights;
    run::Executor executor(executable->graph, test::registry(), pool, weights);
    std::vector<double> losses;
    for (int b = 0; b < micro_batches; ++b) {
        std::vector<std::int64_t> samples;
        for (std::int64_t i = 0; i < 4; ++i)
            samples.push_back(4L * b + i);
        run::gather(data, samples, executor.feed(0), executor.feed(1));
        const graph::RandomState random{1, static_cast<std::uint64_t>(b), 0, true};
        executor.compute(random);
        losses.push_back(executor.fetched(0).at(0));
        if (b % 4 == 3)
            executor.update(random);
    }
    return losses;
}

const char* const with_state[] = {R"({"name": "sgd", "momentum": 0.9})", R"("adam")",
                                  R"({"name": "rmsprop", "momentum": 0.5})", R"("lamb")"};

} // namespace

// Where state lives changes no value of it: the losses are equal bit for bit.
TEST(StreamingMemory, OffloadedStateTrainsToTheSameLosses) {
    for (const char* optimiser : with_state) {
        const auto plain = losses_of(optimiser, State::OnTiles, 40);
        EXPECT_NE(plain.front(), plain.back()) << optimiser;
        EXPECT_EQ(losses_of(optimiser, State::Offloaded, 40), plain) << optimiser;
    }
}

TEST(StreamingMemory, OffloadedWeightsTrainToTheSameLosses) {
    for (const char* optimiser : with_state)
        for (const char* dtype : {"float32", "mixed_float16"}) {
            const auto plain = losses_of(optimiser, State::OnTiles, 40, dtype);
            EXPECT_NE(plain.front(), plain.back()) << optimiser << ", " << dtype;
            EXPECT_EQ(losses_of(optimiser, State::WithWeights, 40, dtype), plain)
                << optimiser << ", " << dtype;
        }
}

TEST(StreamingMemory, StateAndWeightsThatReplicasShareTrainToTheSameLossesOverAHundredUpdates) {
    for (const char* optimiser : with_state) {
        const auto plain = losses_of(optimiser, State::OnTiles, 400);
        for (const State state :
             {State::Sharded, State::WithSharedWeights, State::SharedWithWeights, State::AllShared}) {
            const auto shared = losses_of(optimiser, state, 400);
            ASSERT_EQ(shared.size(), plain.size());
            for (std::size_t i = 0; i < plain.size(); ++i)
                EXPECT_NEAR(shared[i], plain[i], 1e-4) << optimiser << ", micro-batch " << i;
        }
    }
}

// Merged or each by itself: the same bytes, and the same losses bit for bit.
TEST(StreamingMemory, MergedCollectivesTrainToTheSameLosses) {
    for (const char* optimiser : with_state)
        EXPECT_EQ(losses_of(optimiser, State::Sharded, 40, "float32", {0, 1 << 20, 1 << 20}),
                  losses_of(optimiser, State::Sharded, 40))
            << optimiser;
}
