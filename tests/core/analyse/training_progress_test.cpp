// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/devices.h"
#include "analyse/parameters.h"
#include "analyse/training_progress.h"

#include <gtest/gtest.h>
#include <vector>

namespace tilescope::analyse {

// 30 of 3 epochs of 50 steps took 6 s: the other 120 take 24.
TEST(TrainingProgress, TheRestTakesAsLongAsTheStepsBefore) {
    profile::ProgressRecord progress;
    progress.activity = profile::RunActivity::Train;
    progress.epochs = 3;
    progress.steps = 50;
    profile::ExecutionTotals training;
    training.steps = 30;
    training.wall_us = 6'000'000;
    EXPECT_EQ(steps_per_epoch(progress, training), 50);
    EXPECT_DOUBLE_EQ(training_seconds_left(progress, progress, training).value_or(-1), 24);
    training.steps_per_epoch = 60; // an epoch before had more
    EXPECT_EQ(steps_per_epoch(progress, training), 60);
    EXPECT_DOUBLE_EQ(training_seconds_left(progress, progress, training).value_or(-1), 30);
    training.steps = 180;
    EXPECT_FALSE(training_seconds_left(progress, progress, training)) << "all is done";
    training.steps = 0;
    EXPECT_FALSE(training_seconds_left(progress, progress, training)) << "nothing is done";
    training.steps = 30;
    progress.activity = profile::RunActivity::Evaluate;
    EXPECT_FALSE(training_seconds_left(progress, progress, training));
}

// A loop of an epoch of 936 steps on the device: 276 of them took 44 s, 100 at 20 s.
TEST(TrainingProgress, TheFirstEngineRunTellsHowLongTheRestTakesToo) {
    using profile::RunActivity;
    const profile::ProgressRecord first{RunActivity::Train, 0, 2, 100, 936, 20'000};
    const profile::ProgressRecord now{RunActivity::Train, 0, 2, 276, 936, 44'000};
    profile::ExecutionTotals training;
    EXPECT_EQ(same_work_since(first, now).elapsed_ms, 20'000);
    // 176 steps in 24 s; 2 x 936 - 276 = 1,596 are left.
    EXPECT_DOUBLE_EQ(training_seconds_left(first, now, training).value_or(-1), 24.0 * 1596 / 176);
    EXPECT_FALSE(training_seconds_left(now, now, training)) << "nothing was seen of it";
    EXPECT_FALSE(training_seconds_left(first, {RunActivity::Train, 0, 2, 101, 936, 20'100}, training))
        << "too little";
    EXPECT_FALSE(training_seconds_left({RunActivity::Compile, 0, 2, 3, 12, 1000}, now, training));
    EXPECT_EQ(same_work_since(now, first).elapsed_ms, 20'000) << "it went back: another run";
    // The first has ended, in 100 s; 500 steps of the second are done, 436 are left.
    training.steps = 936;
    training.steps_per_epoch = 936;
    training.wall_us = 100'000'000;
    const profile::ProgressRecord second{RunActivity::Train, 1, 2, 500, 936, 170'000};
    EXPECT_DOUBLE_EQ(training_seconds_left(first, second, training).value_or(-1), 100.0 * 436 / 936);
    EXPECT_EQ(same_work_since(first, second).elapsed_ms, 20'000);
}

TEST(TrainingProgress, AnExecutionUnderWayIsNoneThatHasEnded) {
    using profile::RunActivity;
    EXPECT_TRUE(in_first_execution({RunActivity::Train, 0, 2, 109, 936, 20'000}, 0));
    EXPECT_FALSE(in_first_execution({RunActivity::Train, 0, 2, 109, 936, 20'000}, 1));
    EXPECT_FALSE(in_first_execution({RunActivity::Compile, 0, 2, 3, 12, 1000}, 0));
}

// A quarter of the work took two seconds: the half that is left takes four.
TEST(CompilationProgress, TheRestOfAPassTakesAsLongAsWhatWasSeen) {
    using profile::RunActivity;
    const profile::ProgressRecord first{RunActivity::Compile, 0, 2, 3, 12, 1000, 0.25};
    const profile::ProgressRecord now{RunActivity::Compile, 0, 2, 3, 12, 3000, 0.5};
    EXPECT_EQ(share_of_pass(now), 0.5);
    EXPECT_DOUBLE_EQ(share_of_compilation(now),
                     (static_cast<double>(now.step) + 0.5) / static_cast<double>(now.steps));
    EXPECT_EQ(same_work_since(first, now).elapsed_ms, 1000);
    EXPECT_DOUBLE_EQ(pass_seconds_left(first, now).value_or(-1), 4);
    EXPECT_FALSE(pass_seconds_left(now, now)) << "nothing was seen of it";
    EXPECT_FALSE(pass_seconds_left(first, {RunActivity::Compile, 0, 2, 3, 12, 1100, 0.26})) << "too little";
    for (const profile::ProgressRecord& other :
         {profile::ProgressRecord{RunActivity::Compile, 0, 2, 3, 12, 3000, 0.1},
          {RunActivity::Compile, 0, 2, 4, 12, 3000, 0.5},
          {RunActivity::Train, 1, 2, 3, 12, 3000}})
        EXPECT_EQ(same_work_since(first, other).elapsed_ms, 3000) << "it is other work";
    EXPECT_FALSE(share_of_pass({RunActivity::Compile, 0, 2, 3, 12, 1000})) << "not begun, or not told";
    EXPECT_FALSE(share_of_pass({RunActivity::Train, 1, 2, 3, 12, 1000})) << "an epoch";
}

TEST(Devices, HaveTheCyclesOfTheirIpus) {
    std::vector<profile::IpuRecord> ipus(3);
    ipus[0].device_id = 4;
    ipus[1].device_id = 7;
    ipus[2].device_id = 4;
    std::vector<profile::PhaseCycles> cycles(3);
    cycles[0].compute = 10;
    cycles[1].compute = 20;
    cycles[2].host = 5;
    const auto by_device = cycles_by_device(ipus, cycles);
    ASSERT_EQ(by_device.size(), 2U);
    EXPECT_EQ(by_device.at(4).total(), 15);
    EXPECT_EQ(by_device.at(7).compute, 20);
    EXPECT_EQ(sum_of(cycles).total(), 35);
    EXPECT_EQ(sum_of(std::vector<profile::PhaseCycles>()).total(), 0);
}

TEST(Parameters, AreThoseOfAllLayers) {
    std::vector<profile::LayerRecord> layers(2);
    layers[0].parameters = 72;
    layers[1].parameters = 8;
    EXPECT_EQ(parameters_of(layers), 80);
    EXPECT_EQ(parameters_of(std::vector<profile::LayerRecord>()), 0);
}

} // namespace tilescope::analyse
