// SPDX-License-Identifier: GPL-3.0-or-later
#include "build_paths.h"
#include "compile/compiler.h"
#include "prepare/data_sets.h"
#include "run/executor.h"
#include "tests/core/operators/graph_runner.h"
#include "tests/counted_allocations.h"
#include "workload/workload.h"

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
