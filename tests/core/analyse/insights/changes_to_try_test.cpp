// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/changes_to_try.h"
#include "analyse/insight_rules.h"

#include <gtest/gtest.h>

namespace tilescope::analyse {
namespace {

/// Of an epoch of 936 steps of so many samples.
Summary summary(std::int64_t batch_size) {
    Summary s;
    s.run.batch_size = batch_size;
    s.steps = 1872;
    s.epochs.resize(2);
    s.stages.resize(4);
    s.loops.training = true;
    return s;
}

using Changes = std::vector<std::string>;

Changes changes(const char* code, const Summary& of) {
    Insight insight;
    insight.code = code;
    return changes_to_try(insight, of);
}

} // namespace

TEST(ChangesToTry, AreOfRulesThatThereAre) {
    for (const std::string& code : rules_with_changes())
        EXPECT_TRUE(std::any_of(insight_rules().begin(), insight_rules().end(), [&](const Rule& rule) {
            return rule.code == code;
        })) << code;
}

TEST(ChangesToTry, AreSettingsOtherThanThoseOfTheRun) {
    Summary s = summary(64);
    s.run.recomputation = profile::Recomputation::Off;
    s.run.available_memory_proportion = 0.6;
    s.run.schedule = PipelineSchedule::Grouped;
    s.loops.micro_batches = 8;
    EXPECT_EQ(changes("host_bound", s), Changes{"compile.steps_per_execution=936"}); // of an epoch
    EXPECT_EQ(changes("stage_imbalance", s), Changes{"pipeline.stages=4"});
    EXPECT_EQ(changes("tile_nearly_full", s),
              (Changes{"ipu_config.available_memory_proportion=0.3", "ipu_config.allow_recompute=true",
                       "fit.batch_size=32"}));
    EXPECT_EQ(changes("out_of_memory", s), changes("tile_nearly_full", s));
    EXPECT_EQ(changes("inter_ipu_bound", s),
              (Changes{"pipeline.gradient_accumulation_steps_per_replica=16", "pipeline.stages=4"}));
    EXPECT_EQ(changes("exchange_bound", s),
              (Changes{"ipu_config.available_memory_proportion=0.9", "fit.batch_size=128"}));
    EXPECT_EQ(changes("training_diverged", s), Changes{});
    s.run.schedule.reset();
    EXPECT_EQ(changes("inter_ipu_bound", s), Changes{"compile.gradient_accumulation_steps_per_replica=16"});
    s.run.workload_kind = profile::WorkloadKind::Graph;
    EXPECT_EQ(changes("sync_bound", s), Changes{}) << "a small graph has no batch";
}

TEST(ChangesToTry, OfTheHostsTimeFollowWhatItGoesTo) {
    Summary s = summary(64);
    s.ipus.resize(1);
    s.run.steps_per_execution = 936;
    s.run.eight_bit_io = profile::EightBitIo::Off;
    const std::string io = R"(ipu_config.io_tiles={"num_io_tiles": 32, "place_ops_on_io_tiles": true})";
    EXPECT_EQ(changes("host_time", s), Changes{io}) << "an epoch of 468 steps is no engine run of 936";
    Insight insight;
    insight.code = "host_time";
    insight.figures = {{"feeds_share", 0.11, FigureUnit::Share}};
    EXPECT_EQ(changes_to_try(insight, s), (Changes{io, "data.eight_bit_io=true"}));
    s.run.eight_bit_io = profile::EightBitIo::On;
    EXPECT_EQ(changes_to_try(insight, s), Changes{io});
    s.io.tiles = 32;
    s.run.steps_per_execution = 234;
    EXPECT_EQ(changes_to_try(insight, s), (Changes{"compile.steps_per_execution=936", "fit.batch_size=128"}));
    s.run.workload_kind = profile::WorkloadKind::Graph;
    EXPECT_EQ(changes_to_try(insight, s), Changes{}) << "a small graph has none of these settings";
}

TEST(ChangesToTry, KeepIoTilesWhereTheyOverlapCompute) {
    const auto tries = [](std::size_t ipus, std::int64_t steps, std::optional<PipelineSchedule> schedule) {
        Summary s = summary(1);
        s.ipus.resize(ipus);
        s.loops.replicas = 2;
        s.run.steps_per_execution = steps;
        s.run.schedule = schedule;
        const Changes all = changes("host_time", s);
        return std::any_of(all.begin(), all.end(),
                           [](const std::string& each) { return each.starts_with("ipu_config.io_tiles="); });
    };
    EXPECT_TRUE(tries(2, 936, {})) << "two replicas of one IPU";
    EXPECT_FALSE(tries(2, 1, {})) << "there is no loop";
    EXPECT_FALSE(tries(4, 936, {})) << "shards";
    EXPECT_TRUE(tries(4, 936, PipelineSchedule::Grouped));
    EXPECT_FALSE(tries(4, 936, PipelineSchedule::Sequential));
}

TEST(ChangesToTry, CountTheStepsOfAnEpochThatIsOnlyEstimated) {
    Summary s = summary(64);
    s.epochs.clear(); // there are no losses
    s.run.epochs = 3;
    EXPECT_EQ(changes("host_bound", s), Changes{"compile.steps_per_execution=624"}) << "1872 of 3 epochs";
}

TEST(ChangesToTry, LeaveOutABatchWithWhichExecutionsWouldNotBeWhole) {
    const auto of = [](int steps_per_execution) {
        Summary s = summary(64);
        s.run.steps_per_execution = steps_per_execution;
        return changes("sync_bound", s);
    };
    EXPECT_EQ(of(936), Changes{}) << "an epoch would have 468 steps";
    EXPECT_EQ(of(468), Changes{"fit.batch_size=128"});
    EXPECT_EQ(changes("small_batch", summary(64)), Changes{"fit.batch_size=128"});
}

TEST(ChangesToTry, SayWhereTheCutOfTheWorkloadIsNotKept) {
    Summary s = summary(64);
    s.run.schedule = PipelineSchedule::Grouped;
    const profile::RemedyRecord stages{"pipeline.stages=8", 16}, shards{"model.shards=2", 2},
        batch{"fit.batch_size=4", 0};
    for (const bool by_hand : {true, false}) {
        const std::string anew = by_hand ? ", cut anew" : "";
        EXPECT_EQ(remedy_text(stages, by_hand), "pipeline.stages=8 on 16 IPUs" + anew);
        EXPECT_EQ(remedy_text(shards, by_hand), "model.shards=2 on 2 IPUs" + anew);
        EXPECT_EQ(remedy_text(batch, by_hand), "fit.batch_size=4");
    }
    s.run.cut = profile::ModelCut::Automatic;
    EXPECT_EQ(changes("stage_imbalance", s), Changes{}) << "it was cut so";
    s.run.cut = profile::ModelCut::ByHand;
    EXPECT_EQ(changes("stage_imbalance", s), Changes{"pipeline.stages=4"});
}

TEST(ChangesToTry, LeaveOutWhatIsSoAlready) {
    Summary s = summary(1);
    s.run.recomputation = profile::Recomputation::On;
    s.run.available_memory_proportion = 0.2;
    EXPECT_EQ(changes("tile_nearly_full", s), Changes{});
    EXPECT_EQ(changes("stage_imbalance", s), Changes{}) << "there is no pipeline";
    s.run.recomputation = profile::Recomputation::Parts;
    EXPECT_EQ(changes("tile_nearly_full", s), Changes{}) << "which parts is said one by one";
    EXPECT_EQ(changes("host_bound", summary(0)), Changes{"compile.steps_per_execution=936"});
    EXPECT_EQ(changes("tile_nearly_full", summary(0)), Changes{})
        << "the file does not say what it was asked for";
}

} // namespace tilescope::analyse
