// SPDX-License-Identifier: GPL-3.0-or-later
#include "build_paths.h"
#include "compile/compiler.h"
#include "prepare/data_sets.h"
#include "run/executor.h"
#include "tests/core/operators/graph_runner.h"
#include "workload/workload.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace tilescope;

namespace {

using enum graph::GradientReduction;

using test::registry;

/// Losses of the Keras CNN, dropout included, over `updates` weight updates on 64 samples each, dealt out in
/// batches to replicas and, one after another, to each of them.
std::vector<double> losses(std::int64_t replicas, graph::GradientReduction reduction, double learning_rate,
                           int updates, std::int64_t accumulation = 1, bool recompute = false) {
    const std::int64_t batches = replicas * accumulation;
    const std::int64_t batch = 64 / batches;
    const auto workload =
        workload::read_workload(TILESCOPE_SOURCE_DIR "/samples/keras_mnist.json",
                                {"fit.batch_size=" + std::to_string(batch),
                                 "compile.optimizer.learning_rate=" + std::to_string(learning_rate)});
    EXPECT_TRUE(workload) << workload.error().line();
    compile::Options options;
    options.host_only = true;
    options.schedule.replicas = static_cast<std::int32_t>(replicas);
    options.schedule.accumulation = accumulation;
    options.recompute = recompute;
    auto graph = workload::build_graph(*workload, registry(), workload::Mode::Train);
    graph->training->reduction = reduction;
    const auto executable = compile::compile(std::move(*graph), registry(), options);
    EXPECT_TRUE(executable) << executable.error().line();
    const run::DataSet data = prepare::synthetic_digits(64 * updates, prepare::Split::Train, 1);
    WorkerPool pool(2);
    run::Weights weights;
    run::Executor executor(executable->graph, registry(), pool, weights);
    std::vector<double> result;
    for (int update = 0; update < updates; ++update) {
        double loss = 0;
        graph::RandomState random{1, static_cast<std::uint64_t>(update), 0, true};
        for (std::int64_t r = 0; r < batches; ++r) {
            std::vector<std::int64_t> samples;
            for (std::int64_t i = 0; i < batch; ++i)
                samples.push_back(update * 64 + r * batch + i);
            run::gather(data, samples, executor.feed(0), executor.feed(1));
            random.sample_offset = r * batch;
            executor.compute(random);
            loss += executor.fetched(0).at(0) / static_cast<double>(batches);
        }
        executor.update(random);
        result.push_back(loss);
    }
    return result;
}

void expect_near(const std::vector<double>& a, const std::vector<double>& b) {
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i)
        EXPECT_NEAR(a[i], b[i], 1e-4) << "update " << i;
}

} // namespace

TEST(Replication, SummedGradientsTrainAsOneBatchWithTheLearningRateTimesTheReplicas) {
    const auto plain = losses(1, Sum, 0.04, 20);
    EXPECT_GT(std::fabs(plain.back() - plain.front()), 1e-3); // the weights move
    expect_near(losses(4, Sum, 0.01, 20), plain);
    expect_near(losses(2, Sum, 0.02, 20), plain);
}

TEST(Replication, MeanGradientsTrainAsOneBatchWithTheSameLearningRate) {
    expect_near(losses(4, Mean, 0.04, 20), losses(1, Sum, 0.04, 20));
}

TEST(Replication, ASumOfGradientsIsNotTheirMean) {
    const auto sum = losses(2, Sum, 0.02, 20);
    const auto mean = losses(2, Mean, 0.02, 20);
    EXPECT_GT(std::fabs(sum.back() - mean.back()), 1e-3);
}

TEST(GradientAccumulation, TrainsAsOneBatch) {
    const auto plain = losses(1, Sum, 0.08, 20);
    expect_near(losses(1, Sum, 0.01, 20, 8), plain);  // the sum of eight
    expect_near(losses(1, Mean, 0.08, 20, 8), plain); // their mean
    expect_near(losses(2, Sum, 0.01, 20, 4), plain);  // four on each of two replicas
}

TEST(GradientAccumulation, ARunningMeanTrainsAsTheMean) {
    const auto mean = losses(1, Mean, 0.04, 10, 4);
    expect_near(losses(1, RunningMean, 0.04, 10, 4), mean);
    expect_near(losses(2, RunningMean, 0.04, 10, 2), mean);
    expect_near(losses(1, Sum, 0.01, 10, 4), mean);
}

TEST(Recomputation, GivesTheSameLossesDropoutIncluded) {
    const auto kept = losses(1, Sum, 0.04, 5);
    const auto recomputed = losses(1, Sum, 0.04, 5, 1, true);
    EXPECT_EQ(recomputed, kept) << "the same operations on the same values";
}
