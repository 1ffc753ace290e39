// SPDX-License-Identifier: GPL-3.0-or-later
// Batch norms whose statistics are those of a group of replicas, beside one replica with all their samples.
#include "compile/compiler.h"
#include "prepare/data_sets.h"
#include "run/executor.h"
#include "tests/core/operators/graph_runner.h"
#include "training/differentiation.h"
#include "workload/workload.h"

#include <cmath>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace tilescope {
namespace {

using Json = nlohmann::json;
using graph::ValueId;

constexpr std::int64_t group_samples = 32; // of an update
constexpr int group_updates = 12;

Json norm_layer(const std::string& kind, const std::string& name, Json config) {
    config["name"] = name;
    return {{"class_name", kind}, {"config", std::move(config)}};
}

/// A digit's numbers through two dense layers, each with a norm, and dropout.
graph::Graph norms_graph(std::int64_t batch) {
    Json input{{"class_name", "InputLayer"},
               {"config", {{"name", "x"}, {"batch_input_shape", Json::array({nullptr, 784})}}}};
    const Json model{
        {"class_name", "Sequential"},
        {"config",
         {{"name", "digits"},
          {"layers",
           Json::array({std::move(input),
                        norm_layer("Dense", "hidden", {{"units", 24}, {"activation", "relu"}}),
                        norm_layer("BatchNormalization", "norm", {{"momentum", 0.5}}),
                        norm_layer("Dropout", "dropout", {{"rate", 0.25}}),
                        norm_layer("Dense", "next", {{"units", 16}}),
                        norm_layer("BatchNormalization", "norm2", Json::object()),
                        norm_layer("Dense", "out", {{"units", 10}, {"activation", "softmax"}})})}}}};
    const Json text{{"name", "groups"},
                    {"model", {{"keras", model}}},
                    {"compile",
                     {{"optimizer", {{"name", "sgd"}, {"learning_rate", 0.2}}},
                      {"loss", "sparse_categorical_crossentropy"}}},
                    {"fit", {{"batch_size", batch}}}};
    const auto workload = workload::parse_workload(text.dump(), "groups.json");
    EXPECT_TRUE(workload) << (workload ? "" : workload.error().line());
    auto graph = workload::build_graph(*workload, test::registry(), workload::Mode::Train);
    EXPECT_TRUE(graph) << (graph ? "" : graph.error().line());
    graph->training->reduction = graph::GradientReduction::Mean;
    return std::move(*graph);
}

struct Setting {
    std::int32_t replicas = 1;
    std::int64_t group = 1;
    std::int64_t accumulation = 1;
    bool recompute = false;
};

struct InGroups {
    std::vector<double> losses; ///< of updates
    run::Weights weights;
};

InGroups train_in_groups(const Setting& setting) {
    const std::int64_t batches = setting.replicas * setting.accumulation;
    const std::int64_t batch = group_samples / batches;
    compile::Options options;
    options.host_only = true;
    options.schedule.replicas = setting.replicas;
    options.schedule.accumulation = setting.accumulation;
    options.norm_replicas = setting.group;
    options.recompute = setting.recompute;
    const auto executable = compile::compile(norms_graph(batch), test::registry(), options);
    EXPECT_TRUE(executable) << executable.error().line();
    const run::DataSet data =
        prepare::synthetic_digits(group_samples * group_updates, prepare::Split::Train, 1);
    WorkerPool pool(2);
    InGroups outcome;
    run::Executor executor(executable->graph, test::registry(), pool, outcome.weights);
    const auto lanes = static_cast<std::int64_t>(executor.lanes());
    EXPECT_EQ(lanes, setting.group);
    for (int update = 0; update < group_updates; ++update) {
        double loss = 0;
        for (std::int64_t first = 0; first < batches; first += lanes) {
            std::vector<graph::RandomState> random;
            for (std::int64_t lane = 0; lane < lanes; ++lane) {
                const std::int64_t begin = (first + lane) * batch;
                std::vector<std::int64_t> of_lane;
                for (std::int64_t i = 0; i < batch; ++i)
                    of_lane.push_back(update * group_samples + begin + i);
                const auto at = static_cast<std::size_t>(lane);
                run::gather(data, of_lane, executor.feed(0, at), executor.feed(1, at));
                random.push_back({1, static_cast<std::uint64_t>(update), begin, true});
            }
            executor.compute_lanes(random);
            for (std::size_t lane = 0; lane < executor.lanes(); ++lane)
                loss += executor.fetched(0, lane).at(0) / static_cast<double>(batches);
        }
        executor.update({1, static_cast<std::uint64_t>(update), 0, true});
        outcome.losses.push_back(loss);
    }
    return outcome;
}

double farthest(const std::vector<double>& a, const std::vector<double>& b) {
    double most = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        most = std::max(most, std::fabs(a[i] - b[i]));
    return most;
}

TEST(NormGroups, TrainAsOneReplicaWithTheSamplesOfAll) {
    const InGroups one = train_in_groups({});
    const InGroups two = train_in_groups({.replicas = 2, .group = 2});
    EXPECT_GT(std::fabs(one.losses.back() - one.losses.front()), 0.1) << "the weights move";
    EXPECT_LT(farthest(two.losses, one.losses), 1e-4);
    EXPECT_LT(farthest(train_in_groups({.replicas = 4, .group = 4}).losses, one.losses), 1e-4);
    EXPECT_GT(farthest(train_in_groups({.replicas = 2}).losses, one.losses), 1e-3)
        << "without a group they differ";
    for (const char* name : {"norm/moving_mean", "norm/moving_variance"}) {
        const auto& of_two = two.weights.at(name).floats();
        const auto& of_one = one.weights.at(name).floats();
        for (std::size_t i = 0; i < of_one.size(); ++i)
            EXPECT_NEAR(of_two[i], of_one[i], 1e-4 * (1 + std::fabs(of_one[i]))) << name << ' ' << i;
    }
}

TEST(NormGroups, OfSomeReplicasTrainAsFewerReplicasWithMoreSamplesEach) {
    const auto two = train_in_groups({.replicas = 2}).losses;
    EXPECT_LT(farthest(train_in_groups({.replicas = 4, .group = 2}).losses, two), 1e-4);
    const auto accumulated = train_in_groups({.replicas = 1, .accumulation = 4}).losses;
    EXPECT_LT(farthest(train_in_groups({.replicas = 2, .group = 2, .accumulation = 4}).losses, accumulated),
              1e-4);
}

TEST(NormGroups, AreNotComputedAgain) {
    const Setting kept{.replicas = 2, .group = 2};
    Setting again = kept;
    again.recompute = true;
    EXPECT_EQ(train_in_groups(again).losses, train_in_groups(kept).losses);
}

/// The sum over both replicas of reduce_sum(normalise(x)^2 x), and its gradient by x, of both.
struct Sums {
    double loss = 0;
    std::vector<std::vector<float>> gradients;
};

Sums sums_of(const std::vector<std::vector<float>>& x) {
    const graph::Attributes axes{{"axes", std::vector<std::int64_t>{0, 1}}, {"epsilon", 1e-3}};
    graph::Graph graph;
    graph::Builder build(graph, test::registry());
    const ValueId in = build.feed("x", {graph::DType::Float32, {3, 2, 4}}).value();
    const auto statistics = build.add("moments", {in}, {{"axes", std::vector<std::int64_t>{0, 1}}}).value();
    const ValueId y = build.emit("normalise", {in, statistics[0], statistics[1]}, axes).value();
    const ValueId loss =
        build.emit("reduce_sum", {build.emit("multiply", {build.emit("square", {y}), in})}).value();
    build.fetch("loss", loss);
    build.fetch("gradient", training::differentiate(build, loss, {in}).value()[0]);
    compile::Options options;
    options.host_only = true;
    options.schedule.replicas = 2;
    options.norm_replicas = 2;
    const auto executable = compile::compile(std::move(graph), test::registry(), options);
    EXPECT_TRUE(executable) << executable.error().line();
    WorkerPool pool(1);
    run::Weights weights;
    run::Executor executor(executable->graph, test::registry(), pool, weights);
    for (std::size_t lane = 0; lane < 2; ++lane)
        std::copy(x[lane].begin(), x[lane].end(), executor.feed(0, lane).floats().begin());
    executor.compute_lanes(std::vector<graph::RandomState>(2));
    Sums sums;
    for (std::size_t lane = 0; lane < 2; ++lane) {
        sums.loss += executor.fetched(0, lane).at(0);
        const auto gradient = executor.fetched(1, lane).floats();
        sums.gradients.emplace_back(gradient.begin(), gradient.end());
    }
    return sums;
}

TEST(NormGroups, GradientsAreThoseOfTheLossesOfAllReplicas) {
    std::vector<std::vector<float>> x(2, std::vector<float>(24));
    for (std::size_t lane = 0; lane < 2; ++lane)
        for (std::size_t i = 0; i < 24; ++i)
            x[lane][i] = std::sin(static_cast<float>(7 * i + 5 * lane + 1)) + static_cast<float>(lane);
    const Sums sums = sums_of(x);
    for (std::size_t lane = 0; lane < 2; ++lane)
        for (std::size_t i = 0; i < 24; ++i) {
            constexpr float step = 1e-2F;
            auto more = x;
            auto less = x;
            more[lane][i] += step;
            less[lane][i] -= step;
            const double slope = (sums_of(more).loss - sums_of(less).loss) / (2 * step);
            EXPECT_NEAR(sums.gradients[lane][i], slope, 5e-3 * (1 + std::fabs(slope))) << lane << ' ' << i;
        }
}

} // namespace
} // namespace tilescope
