// SPDX-License-Identifier: GPL-3.0-or-later
// Training in float16 with weights of float16, rounded to the nearest and at random, beside float32.
#include "compile/compiler.h"
#include "prepare/data_sets.h"
#include "prepare/job.h"
#include "run/executor.h"
#include "tests/core/operators/graph_runner.h"
#include "workload/workload.h"

#include <cmath>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace tilescope {
namespace {

using Json = nlohmann::json;

constexpr std::int64_t digits = 64; // of a batch
constexpr std::uint64_t steps = 400;

workload::Workload digits_workload(const char* type, const char* rounding) {
    const auto layer = [&](const char* kind, Json config) {
        config["dtype"] = type;
        return Json{{"class_name", kind}, {"config", std::move(config)}};
    };
    const Json model{
        {"class_name", "Sequential"},
        {"config",
         {{"name", "digits"},
          {"layers",
           Json::array({layer("Dense", {{"name", "hidden"},
                                        {"units", 24},
                                        {"activation", "relu"},
                                        {"batch_input_shape", Json::array({nullptr, 784})}}),
                        layer("Dense", {{"name", "out"}, {"units", 10}, {"activation", "softmax"}})})}}}};
    const Json text{{"name", "rounding"},
                    {"model", {{"keras", model}}},
                    {"ipu_config", {{"floating_point_behaviour", {{"esr", rounding}}}}},
                    {"compile",
                     {{"optimizer", {{"name", "sgd"}, {"learning_rate", 0.0002}}},
                      {"loss_scale", 128},
                      {"loss", "sparse_categorical_crossentropy"}}},
                    {"fit", {{"batch_size", digits}}}};
    auto workload = workload::parse_workload(text.dump(), "rounding.json");
    EXPECT_TRUE(workload) << (workload ? "" : workload.error().line());
    return std::move(*workload);
}

/// The kernel of the last layer before and after training on one batch of digits, again and again.
struct Trained {
    std::vector<float> before, after;
};

Trained trained(const char* type, const char* rounding) {
    const workload::Workload workload = digits_workload(type, rounding);
    auto graph = workload::build_graph(workload, test::registry(), workload::Mode::Train);
    EXPECT_TRUE(graph) << (graph ? "" : graph.error().line());
    compile::Options options;
    options.host_only = true;
    const auto executable = compile::compile(std::move(*graph), test::registry(), options);
    EXPECT_TRUE(executable) << (executable ? "" : executable.error().line());
    run::Weights weights;
    WorkerPool pool(1);
    run::Executor executor(executable->graph, test::registry(), pool, weights);
    std::vector<std::int64_t> all;
    for (std::int64_t i = 0; i < digits; ++i)
        all.push_back(i);
    run::gather(prepare::synthetic_digits(digits, prepare::Split::Train, 1), all, executor.feed(0),
                executor.feed(1));
    const auto kernel = [&] {
        const auto values = weights.at("out/kernel").floats();
        return std::vector<float>(values.begin(), values.end());
    };
    Trained result{kernel(), {}};
    for (std::uint64_t step = 0; step < steps; ++step)
        executor.step({1, step, 0, true, workload.rounding});
    result.after = kernel();
    return result;
}

/// How far training has moved the kernel, along the way that float32 went: 1 for as far.
double moved_along(const Trained& some, const Trained& whole) {
    double along = 0, length = 0;
    for (std::size_t i = 0; i < whole.before.size(); ++i) {
        const double way = static_cast<double>(whole.after[i] - whole.before[i]);
        along += way * static_cast<double>(some.after[i] - some.before[i]);
        length += way * way;
    }
    return along / length;
}

} // namespace

// Updates are a tenth of a weight's last place and less: to the nearest, next to none of them counts.
TEST(StochasticRounding, LetsSmallUpdatesOfFloat16WeightsCount) {
    const Trained whole = trained("float32", "OFF");
    const double nearest = moved_along(trained("float16", "OFF"), whole);
    EXPECT_LT(nearest, 0.5);
    for (const char* rounding : {"ON", "REPLICA_IDENTICAL_ONLY"})
        EXPECT_NEAR(moved_along(trained("float16", rounding), whole), 1, 0.1) << rounding;
}

TEST(StochasticRounding, IsReadFromTheWorkloadAndWritten) {
    const workload::Workload on = digits_workload("float16", "REPLICA_IDENTICAL_ONLY");
    EXPECT_EQ(on.rounding, StochasticRounding::ReplicaIdenticalOnly);
    const auto again = workload::parse_workload(on.canonical_json(), "again.json");
    ASSERT_TRUE(again);
    EXPECT_EQ(again->rounding, StochasticRounding::ReplicaIdenticalOnly);
    Json changed = Json::parse(on.canonical_json());
    changed["ipu_config"]["floating_point_behaviour"]["esr"] = "MAYBE";
    const auto wrong = workload::parse_workload(changed.dump(), "wrong.json");
    ASSERT_FALSE(wrong);
    EXPECT_EQ(wrong.error().line(),
              "wrong.json: ipu_config.floating_point_behaviour.esr: there is no stochastic rounding "
              "\"MAYBE\"; use OFF, ON or REPLICA_IDENTICAL_ONLY");
}

} // namespace tilescope
