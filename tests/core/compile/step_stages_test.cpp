// SPDX-License-Identifier: GPL-3.0-or-later
#include "compile/step_stages.h"
#include "tests/core/compile/pass_program.h"

#include <map>
#include <string>
#include <tuple>

namespace tilescope::compile {
namespace {

using profile::PipelineActivity;
using Work = std::tuple<std::int32_t, std::int32_t, std::optional<PipelineActivity>>;

/// Three stages of one exp each, and the way back through them.
const char* const there_and_back = R"(graph "g" {
  feed %x : float32 [4]
  %a = exp(%x) shard 0
  %b = exp(%a) shard 1
  %c = exp(%b) shard 2
  %loss = reduce_sum(%c) shard 2
  %gb = multiply(%c, %c) backward shard 2
  %ga = multiply(%gb, %gb) backward shard 1
  %gw = multiply(%ga, %x) backward shard 0
  fetch "loss" = %loss loss
  fetch "gradient" = %gw
  train %loss "sgd" {}
})";

Executable pipelined(std::vector<std::int32_t> stage_ipus,
                     PipelineSchedule schedule = PipelineSchedule::Grouped) {
    Options options = options_for(1);
    options.schedule.accumulation = options.schedule.steps_per_execution = 8;
    options.schedule.ipus_per_replica = 1 + *std::max_element(stage_ipus.begin(), stage_ipus.end());
    options.schedule.pipeline = schedule;
    options.schedule.stage_ipus = std::move(stage_ipus);
    Executable executable = executable_after("plan, map and lower", there_and_back, options);
    executable.schedule = options.schedule;
    return executable;
}

/// By the names of steps.
std::multimap<std::string, Work> leaves_of(const Executable& e) {
    const std::vector<StepStage> stages = step_stages(e);
    std::multimap<std::string, Work> found;
    for (const program::StepId id : e.program.leaves()) {
        const StepStage& of = entry(stages, id);
        found.emplace(e.program.step(id).name, Work{of.stage, of.peer_stage, of.activity});
    }
    return found;
}

Work of(const std::multimap<std::string, Work>& leaves, const std::string& name) {
    std::optional<Work> only;
    for (const auto& [step, work] : leaves)
        if (step.starts_with(name)) {
            EXPECT_FALSE(only && *only != work) << name;
            only = work;
        }
    EXPECT_TRUE(only) << name;
    return only.value_or(Work{});
}

TEST(StepStages, AreThoseOfTheOperationsWhateverIpusHaveThem) {
    for (const std::vector<std::int32_t>& ipus :
         {std::vector<std::int32_t>{0, 1, 2}, {0, 1, 0}, {0, 0, 1}, {1, 0, 0}})
        for (const PipelineSchedule schedule : {PipelineSchedule::Grouped, PipelineSchedule::Interleaved}) {
            const auto leaves = leaves_of(pipelined(ipus, schedule));
            EXPECT_EQ(of(leaves, "a/exp"), Work(0, -1, PipelineActivity::Forward));
            EXPECT_EQ(of(leaves, "b/exp"), Work(1, -1, PipelineActivity::Forward));
            EXPECT_EQ(of(leaves, "c/exp"), Work(2, -1, PipelineActivity::Forward));
            EXPECT_EQ(of(leaves, "gb/multiply"), Work(2, -1, PipelineActivity::Backward));
            EXPECT_EQ(of(leaves, "ga/multiply"), Work(1, -1, PipelineActivity::Backward));
            EXPECT_EQ(of(leaves, "gw/multiply"), Work(0, -1, PipelineActivity::Backward));
            // From who made it to who reads it, on one IPU as between two.
            EXPECT_EQ(of(leaves, "b/copy(a)"), Work(0, 1, PipelineActivity::Copy));
            EXPECT_EQ(of(leaves, "c/copy(b)"), Work(1, 2, PipelineActivity::Copy));
            EXPECT_EQ(of(leaves, "ga/copy(gb)"), Work(2, 1, PipelineActivity::Copy));
            EXPECT_EQ(of(leaves, "gw/copy(ga)"), Work(1, 0, PipelineActivity::Copy));
            // The host feeds the first stage and reads the last one.
            EXPECT_EQ(of(leaves, "infeed/"), Work(0, -1, PipelineActivity::Forward));
            EXPECT_EQ(of(leaves, "outfeed/"), Work(2, -1, PipelineActivity::Forward));
        }
}

TEST(StepStages, OfWhatHasStepsInItAreTheirsWhereTheyAreOfOne) {
    const Executable e = pipelined({0, 1, 0});
    const std::vector<StepStage> stages = step_stages(e);
    std::map<std::string, std::int32_t> found;
    for (std::size_t i = 0; i < stages.size(); ++i)
        if (const program::Step& step = e.program.steps[i]; !step.leaf()) {
            found[step.name] = stages[i].stage;
            EXPECT_EQ(stages[i].activity, std::nullopt);
        }
    EXPECT_EQ(found["a"], 0);
    EXPECT_EQ(found["b"], 1) << "with the copy that comes to it";
    EXPECT_EQ(found["gw"], 0);
    EXPECT_EQ(found["infeed"], 0);
    EXPECT_EQ(found["outfeed"], 2);
    EXPECT_EQ(found["forward and backward"], -1);
}

TEST(StepStages, AreNoneWithoutAPipeline) {
    Options options = options_for(1);
    options.schedule.ipus_per_replica = 3;
    const Executable e = executable_after("plan, map and lower", there_and_back, options);
    for (const StepStage& step : step_stages(e)) {
        EXPECT_EQ(step.stage, -1);
        EXPECT_EQ(step.activity, std::nullopt);
    }
}

} // namespace
} // namespace tilescope::compile
