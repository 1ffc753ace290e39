// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/pipeline_pace.h"

#include <gtest/gtest.h>

namespace tilescope::analyse {

// Two slots of 100 cycles: stage 1 works all of them, stage 0 60 of each, stage 2 80 of one and then idles.
TEST(PipelinePace, IsThatOfTheStagesThatDoNotWait) {
    using Activity = PipelineActivity;
    const PipelineUpdate update = pipeline_update({{0, 0, 60, 0, Activity::Forward, 0},
                                                   {0, 60, 100, 0, Activity::Waiting, -1},
                                                   {0, 100, 160, 1, Activity::Forward, 1},
                                                   {0, 160, 200, 1, Activity::Waiting, -1},
                                                   {1, 0, 100, 0, Activity::Forward, 0},
                                                   {1, 100, 200, 1, Activity::Forward, 1},
                                                   {2, 0, 80, 0, Activity::Forward, 0},
                                                   {2, 80, 100, 0, Activity::Waiting, -1},
                                                   {2, 100, 200, 1, Activity::Idle, -1}});
    const PipelinePace pace = pipeline_pace(update);
    EXPECT_EQ(pace.stages, (std::vector<std::int64_t>{1}));
    EXPECT_DOUBLE_EQ(pace.others_wait, 100.0 / 400);
    profile::PhaseCycles ran; // of the engine runs, on each of two IPUs
    ran.compute = 120;
    ran.waiting = 80;
    EXPECT_DOUBLE_EQ(pipeline_pace(update, {{0, ran}, {1, {}}, {2, ran}}).others_wait, 160.0 / 400)
        << "with what is waited for in copies";
    EXPECT_DOUBLE_EQ(pace.even_cycles, 200 - (100 - 80.0) - (100 - 80.0)) << "of those that make a pass";
    EXPECT_TRUE(pipeline_pace({}).stages.empty());
    EXPECT_EQ(pipeline_pace({}).even_cycles, 0);
}

// Both wait 50 cycles for the host, and stage 0 another 40 for stage 1.
TEST(PipelinePace, WhatAllWaitForIsNotGainedByEvenStages) {
    using Activity = PipelineActivity;
    const PipelinePace pace = pipeline_pace(pipeline_update({{0, 0, 60, 0, Activity::Forward, 0},
                                                             {0, 60, 150, 0, Activity::Waiting, -1},
                                                             {1, 0, 100, 0, Activity::Forward, 0},
                                                             {1, 100, 150, 0, Activity::Waiting, -1}}));
    EXPECT_DOUBLE_EQ(pace.even_cycles, 130) << "slots of 80 cycles and the wait";
}

// Each waits for the other in one half of the slot: passes of 100 cycles would take 200, not 280.
TEST(PipelinePace, StagesThatAreLongestByTurnsAreUnevenInEachHalf) {
    using Activity = PipelineActivity;
    const PipelinePace pace = pipeline_pace(pipeline_update({{0, 0, 60, 0, Activity::Forward, 0},
                                                             {0, 60, 140, 0, Activity::Waiting, -1},
                                                             {0, 140, 160, 0, Activity::Recompute, 0},
                                                             {0, 160, 280, 0, Activity::Backward, 0},
                                                             {1, 0, 140, 0, Activity::Forward, 0},
                                                             {1, 140, 200, 0, Activity::Backward, 0},
                                                             {1, 200, 280, 0, Activity::Waiting, -1}}));
    EXPECT_DOUBLE_EQ(pace.even_cycles, 200);
}

} // namespace tilescope::analyse
