// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/changes_to_try.h"
#include "analyse/insight_rules.h"

#include <gtest/gtest.h>

namespace tilescope::analyse {
namespace {

Summary summary(const std::string& workload) {
    Summary s;
    s.run.workload = workload;
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
    const Summary s = summary(R"({"compile": {"steps_per_execution": 1}, "fit": {"batch_size": 64},
        "ipu_config": {"allow_recompute": false, "available_memory_proportion": 0.6},
        "pipeline": {"gradient_accumulation_steps_per_replica": 8}})");
    EXPECT_EQ(changes("host_bound", s), Changes{"compile.steps_per_execution=936"}); // of an epoch
    EXPECT_EQ(changes("stage_imbalance", s), Changes{"pipeline.stages=4"});
    EXPECT_EQ(changes("tile_nearly_full", s),
              (Changes{"ipu_config.available_memory_proportion=0.3", "ipu_config.allow_recompute=true",
                       "fit.batch_size=32"}));
    EXPECT_EQ(changes("inter_ipu_bound", s),
              (Changes{"pipeline.gradient_accumulation_steps_per_replica=16", "pipeline.stages=4"}));
    EXPECT_EQ(changes("exchange_bound", s),
              (Changes{"ipu_config.available_memory_proportion=0.9", "fit.batch_size=128"}));
    EXPECT_EQ(changes("training_diverged", s), Changes{});
}

TEST(ChangesToTry, LeaveOutABatchWithWhichExecutionsWouldNotBeWhole) {
    const auto of = [](int steps_per_execution) {
        return changes("sync_bound",
                       summary(R"({"fit": {"batch_size": 64}, "compile": {"steps_per_execution": )" +
                               std::to_string(steps_per_execution) + "}}"));
    };
    EXPECT_EQ(of(936), Changes{}) << "an epoch would have 468 steps";
    EXPECT_EQ(of(468), Changes{"fit.batch_size=128"});
}

TEST(ChangesToTry, LeaveOutWhatIsSoAlready) {
    const Summary s = summary(R"({"fit": {"batch_size": 1}, "ipu_config": {"allow_recompute": true,
        "available_memory_proportion": 0.2}})");
    EXPECT_EQ(changes("tile_nearly_full", s), Changes{});
    EXPECT_EQ(changes("stage_imbalance", s), Changes{}) << "there is no pipeline";
    EXPECT_EQ(changes("host_bound", summary("{")), Changes{"compile.steps_per_execution=936"});
    EXPECT_EQ(changes("sync_bound", summary("{")), Changes{})
        << "the file does not say what it was asked for";
}

} // namespace tilescope::analyse
