// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/training_step.h"

#include <gtest/gtest.h>

namespace tilescope::run {
namespace {

// Two replicas of three micro-batches make one update: batches 6 to 11 are of the second one.
TEST(TrainingSteps, AreCountedWithinTheirUpdate) {
    program::Schedule schedule;
    schedule.replicas = 2;
    schedule.accumulation = 3;
    const auto step = [&](std::int64_t first) {
        return training_step(first, 2, schedule, 16, 7, StochasticRounding::Off);
    };
    const TrainingStep second = step(8);
    ASSERT_EQ(second.random.size(), 2U);
    EXPECT_EQ(second.random[0].step, 1U);
    EXPECT_EQ(second.random[0].sample_offset, 2 * 16);
    EXPECT_EQ(second.random[1].sample_offset, 3 * 16);
    EXPECT_EQ(second.random[1].seed, 7U);
    EXPECT_TRUE(second.random[1].training);
    EXPECT_FALSE(second.ends_update);
    EXPECT_FALSE(step(6).ends_update);
    EXPECT_TRUE(step(10).ends_update);
    EXPECT_EQ(step(10).random[1].step, 1U);
    EXPECT_EQ(step(12).random[0].step, 2U);
    EXPECT_EQ(step(12).random[0].sample_offset, 0);
}

} // namespace
} // namespace tilescope::run
