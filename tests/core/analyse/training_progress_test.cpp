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
    EXPECT_DOUBLE_EQ(training_seconds_left(progress, training).value_or(-1), 24);
    training.steps_per_epoch = 60; // an epoch before had more
    EXPECT_EQ(steps_per_epoch(progress, training), 60);
    EXPECT_DOUBLE_EQ(training_seconds_left(progress, training).value_or(-1), 30);
    training.steps = 180;
    EXPECT_FALSE(training_seconds_left(progress, training)) << "all is done";
    training.steps = 0;
    EXPECT_FALSE(training_seconds_left(progress, training)) << "nothing is done";
    training.steps = 30;
    progress.activity = profile::RunActivity::Evaluate;
    EXPECT_FALSE(training_seconds_left(progress, training));
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
