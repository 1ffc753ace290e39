// SPDX-License-Identifier: GPL-3.0-or-later
#include "build_paths.h"
#include "compile/compiler.h"
#include "prepare/data_sets.h"
#include "prepare/job.h"
#include "run/executor.h"
#include "tests/core/operators/graph_runner.h"
#include "tests/core/run/run_into.h"
#include "tests/counted_allocations.h"
#include "tests/temporary_folder.h"
#include "workload/workload.h"

#include <algorithm>
#include <gtest/gtest.h>

using namespace tilescope;

namespace {

using test::registry;

/// The training of a sample on the synthetic digits, by steps.
class Training {
  public:
    Training(const std::string& sample, const std::vector<std::string>& settings, std::size_t threads)
        : executable_(compiled(sample, settings)), pool_(threads),
          executor_(executable_.graph, registry(), pool_, weights_) {
        const std::int64_t batch = executable_.graph.type(executable_.graph.feeds[0].value).shape[0];
        const run::DataSet data = prepare::synthetic_digits(batch, prepare::Split::Train, 1);
        std::vector<std::int64_t> all(static_cast<std::size_t>(batch));
        for (std::size_t i = 0; i < all.size(); ++i)
            all[i] = static_cast<std::int64_t>(i);
        run::gather(data, all, executor_.feed(0), executor_.feed(1));
    }
    void step() { executor_.step({1, steps_++, 0, true}); }
    const run::Weights& weights() const { return weights_; }
    double loss() const { return executor_.fetched(0).at(0); }

  private:
    static compile::Executable compiled(const std::string& sample, const std::vector<std::string>& settings) {
        const auto workload = workload::read_workload(
            std::string(TILESCOPE_SOURCE_DIR "/samples/") + sample + ".json", settings);
        EXPECT_TRUE(workload) << workload.error().line();
        compile::Options options;
        options.host_only = true;
        auto graph = workload::build_graph(*workload, registry(), workload::Mode::Train);
        EXPECT_TRUE(graph) << graph.error().line();
        auto executable = compile::compile(std::move(*graph), registry(), options);
        EXPECT_TRUE(executable) << executable.error().line();
        return std::move(*executable);
    }

    compile::Executable executable_;
    WorkerPool pool_;
    run::Weights weights_;
    run::Executor executor_;
    std::uint64_t steps_ = 0;
};

const std::pair<const char*, std::vector<std::string>> trainings[] = {
    {"keras_mnist", {}},
    {"mnist_rmsprop", {}},
    {"mnist_tf2", {}},
    {"mnist_rmsprop", {"compile.optimizer.name=nadam"}},
    {"fashion_mnist_cnn", {"fit.batch_size=8"}},
};

} // namespace

TEST(TrainingSteps, AllocateNothing) {
    for (const auto& [sample, settings] : trainings) {
        Training training(sample, settings, 1);
        for (int warm_up = 0; warm_up < 2; ++warm_up) // operations take room for what they keep
            training.step();
        const std::int64_t before = test::allocations;
        ASSERT_GT(before, 0);
        training.step();
        EXPECT_EQ(test::allocations - before, 0) << sample;
    }
}

namespace {

/// Notes the allocations whenever the session says how far it has come, every 16 steps.
class Counting : public run::Observer {
  public:
    std::vector<std::int64_t> so_far;
    void steps_done(std::int64_t, std::int64_t, double,
                    const std::vector<std::pair<std::string, double>>&) override {
        so_far.push_back(test::allocations);
    }
};

/// Two replicas with a norm whose statistics are those of both, which are computed side by side.
run::Job grouped() {
    const char* text = R"({
        "name": "grouped", "system": "pod4",
        "model": {"keras": {"class_name": "Sequential", "config": {"name": "digits", "layers": [
            {"class_name": "InputLayer", "config": {"name": "x", "batch_input_shape": [null, 784]}},
            {"class_name": "Dense", "config": {"name": "hidden", "units": 8}},
            {"class_name": "BatchNormalization", "config": {"name": "norm"}},
            {"class_name": "Dense", "config": {"name": "out", "units": 10, "activation": "softmax"}}]}}},
        "ipu_config": {"auto_select_ipus": 2,
            "norms": {"experimental": {"distributed_batch_norm_replica_group_size": 2}}},
        "data": {"train": {"synthetic": true, "samples": 4096}},
        "compile": {"optimizer": {"name": "sgd", "learning_rate": 0.01},
            "loss": "sparse_categorical_crossentropy", "steps_per_execution": 512},
        "fit": {"batch_size": 8, "epochs": 1}})";
    const auto workload = workload::parse_workload(text, "grouped.json");
    EXPECT_TRUE(workload) << (workload ? "" : workload.error().line());
    auto prepared = prepare::prepare_job(*workload, registry(), {}, CancelToken());
    EXPECT_TRUE(prepared) << (prepared ? "" : prepared.error().line());
    return std::move(prepared->job);
}

} // namespace

// What the session tells its observer takes a few: less than one for each step in between. Now and then it
// tells the file too.
TEST(TrainingSteps, OfAGroupOfReplicasAllocateNothing) {
    const tests::TemporaryFolder folder;
    run::Job job = grouped();
    ASSERT_EQ(job.norm_replicas, 2);
    ASSERT_EQ(job.training.replicas, 2);
    Counting counting;
    counting.so_far.reserve(64);
    ASSERT_TRUE(test::run_into(folder / "run.tilescope", std::move(job), counting, CancelToken(),
                               profile::RunStatus::Failed));
    ASSERT_GE(counting.so_far.size(), 32U);
    std::int64_t fewest = counting.so_far.back();
    for (std::size_t i = 2; i < counting.so_far.size(); ++i)
        fewest = std::min(fewest, counting.so_far[i] - counting.so_far[i - 1]);
    EXPECT_LT(fewest, 8);
}

TEST(TrainingSteps, AreTheSameForAnyNumberOfThreads) {
    for (const auto& [sample, settings] : trainings) {
        Training one(sample, settings, 1);
        for (int step = 0; step < 3; ++step)
            one.step();
        for (const std::size_t threads : {2, 3, 7}) {
            Training several(sample, settings, threads);
            for (int step = 0; step < 3; ++step)
                several.step();
            EXPECT_EQ(one.loss(), several.loss());
            for (const auto& [name, tensor] : one.weights())
                EXPECT_EQ(tensor.device_bytes(), several.weights().at(name).device_bytes())
                    << sample << ", " << name << ", " << threads << " threads";
        }
    }
}
