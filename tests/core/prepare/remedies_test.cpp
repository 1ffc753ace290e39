// SPDX-License-Identifier: GPL-3.0-or-later
#include "build_paths.h"
#include "prepare/job.h"
#include "prepare/remedies.h"
#include "run/clock.h"
#include "tests/core/operators/graph_runner.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <numeric>

namespace tilescope::prepare {
namespace {

using test::registry;

/// The tutorial's network on an IPU of 24 tiles, which is too small for it.
Result<PreparedJob> prepared(const workload::Overrides& more, const CancelToken& cancel) {
    workload::Overrides settings = {"system=pod4", "ipu_config.ipu_model.tiles_per_ipu=24",
                                    "fit.batch_size=32", "fit.steps_per_epoch=8"};
    settings.insert(settings.end(), more.begin(), more.end());
    const auto workload = workload::read_workload(TILESCOPE_SOURCE_DIR "/samples/keras_mnist.json", settings);
    if (!workload)
        return Failure(workload.error());
    return prepare_job(*workload, registry(), {.estimate = true}, cancel);
}

} // namespace

// Each cut is compiled under its number while it is looked for; what is told of it is what a run over as many
// IPUs comes to.
TEST(Remedies, ACutIsCompiledOnceAndToldOfAsARunHasIt) {
    const CancelToken cancel;
    const auto small = prepared({}, cancel);
    ASSERT_TRUE(small) << small.error().line();
    std::map<std::string, int> compiled;
    RemedySearch search;
    search.most = 20;
    search.compiling = [&](const std::string& what, const std::string&, std::size_t number, std::size_t) {
        compiled[what] += number == 0 ? 1 : 0;
    };
    const auto remedies =
        try_remedies(small->workload, registry(), run::training_options(small->job), search, cancel);
    const auto over_two = std::find_if(remedies.begin(), remedies.end(), [](const Remedy& each) {
        return each.change == "model.shards=2" && each.ipus == 2;
    });
    ASSERT_NE(over_two, remedies.end());
    EXPECT_EQ(over_two->batch_size, 32);
    EXPECT_EQ(std::count_if(remedies.begin(), remedies.end(),
                            [](const Remedy& each) {
                                return each.change == "fit.batch_size=16" && each.batch_size == 16;
                            }),
              1);
    const std::string change = "model.shards=2 on 2 IPUs";
    EXPECT_EQ(compiled.count(change), 0U);
    EXPECT_EQ(compiled[change + ", cut 1"], 1);
    const auto on_one = std::count_if(compiled.begin(), compiled.end(), [](const auto& each) {
        return each.first.ends_with(", the model for one IPU, to cut it");
    });
    EXPECT_EQ(on_one, 1) << "for any number of parts";

    auto run = prepared({"model.shards=2", "ipu_config.auto_select_ipus=2"}, cancel);
    ASSERT_TRUE(run) << run.error().line();
    const compile::Options options = run::training_options(run->job);
    const auto executable = compile::compile(std::move(*run->job.train), registry(), options);
    ASSERT_TRUE(executable) << executable.error().line();
    EXPECT_EQ(over_two->fits, executable->fits());
    EXPECT_EQ(over_two->highest_tile_bytes, executable->highest_tile_bytes());
    const double step_us = static_cast<double>(run::execution_cycles(*executable)) / options.target.clock_hz *
                           1e6 / static_cast<double>(options.schedule.steps_per_execution);
    EXPECT_DOUBLE_EQ(over_two->step_us, step_us);
}

// A momentum is as large as its variable: without it on the tiles there is room for the rest.
TEST(Remedies, StateInStreamingMemoryIsTriedWhereThereIsStateAndGradientsAreAccumulated) {
    const CancelToken cancel;
    const auto tried = [&](const workload::Overrides& more) {
        const auto small = prepared(more, cancel);
        EXPECT_TRUE(small) << small.error().line();
        RemedySearch search;
        search.most = 20;
        return try_remedies(small->workload, registry(), run::training_options(small->job), search, cancel);
    };
    const auto offloaded = [](const std::vector<Remedy>& remedies) {
        return std::find_if(remedies.begin(), remedies.end(), [](const Remedy& each) {
            return each.change == "compile.offload_weight_update_variables=true";
        });
    };
    const std::string momentum = R"(compile.optimizer={"name": "sgd", "momentum": 0.9})";
    const std::string accumulated = "compile.gradient_accumulation_steps_per_replica=4";
    const std::string steps = "compile.steps_per_execution=8";
    const auto with_state = tried({momentum, accumulated, steps});
    const auto found = offloaded(with_state);
    ASSERT_NE(found, with_state.end());
    const auto compiled = [&](const workload::Overrides& settings) {
        const auto job = prepared(settings, cancel);
        return compile::compile(*job->job.train, registry(), run::training_options(job->job));
    };
    const auto always_live = [](const compile::Executable& executable) {
        const std::vector<std::int64_t>& tiles = executable.memory.ipus.front().always_live;
        return std::accumulate(tiles.begin(), tiles.end(), std::int64_t{0});
    };
    const auto plain = compiled({momentum, accumulated, steps});
    const auto changed = compiled({momentum, accumulated, steps, found->change});
    ASSERT_TRUE(plain && changed);
    EXPECT_EQ(found->highest_tile_bytes, changed->highest_tile_bytes());
    EXPECT_LT(always_live(*changed), always_live(*plain));
    const auto without_state = tried({accumulated, steps});
    EXPECT_EQ(offloaded(without_state), without_state.end());
    const auto each_batch = tried({momentum});
    EXPECT_EQ(offloaded(each_batch), each_batch.end());
    const auto cards = tried({momentum, accumulated, steps, "system=server16"});
    EXPECT_EQ(offloaded(cards), cards.end());
}

} // namespace tilescope::prepare
