// SPDX-License-Identifier: GPL-3.0-or-later
#include "profile/records.h"

#include <gtest/gtest.h>
#include <utility>

namespace tilescope::profile {
namespace {

/// Four engine runs of 80 cycles, every 100 from 1000 on: they begin at 1000, 1100, 1200 and 1300.
ExecutionGroupRecord four() {
    ExecutionGroupRecord group;
    group.count = 4;
    group.start_cycle = 1000;
    group.period_cycles = 100;
    group.cycles = 80;
    return group;
}

TEST(ExecutionGroup, TheOneAtACycleIsTheLastThatHasBegun) {
    for (const auto& [cycle, index] : {std::pair(-5, 0),
                                       {0, 0},
                                       {999, 0},
                                       {1000, 0},
                                       {1099, 0},
                                       {1100, 1},
                                       {1101, 1},
                                       {1299, 2},
                                       {1300, 3},
                                       {1379, 3},
                                       {5000, 3}})
        EXPECT_EQ(four().index_at(cycle), index) << cycle;
}

TEST(ExecutionGroup, ThoseThatBeginBeforeACycleDoNotBeginAtIt) {
    for (const auto& [cycle, count] :
         {std::pair(-5, 0), {1000, 0}, {1001, 1}, {1100, 1}, {1101, 2}, {1300, 3}, {1301, 4}, {5000, 4}})
        EXPECT_EQ(four().begun_before(cycle), count) << cycle;
}

// One that was computed on the host takes no cycles.
TEST(ExecutionGroup, WithoutAPeriodCyclesCountOneByOne) {
    ExecutionGroupRecord group;
    group.start_cycle = 7;
    EXPECT_EQ(group.period(), 1);
    EXPECT_EQ(group.index_at(7), 0);
    EXPECT_EQ(group.begun_before(7), 0);
    EXPECT_EQ(group.begun_before(8), 1);
    EXPECT_EQ(group.begun_before(9), 1);
}

} // namespace
} // namespace tilescope::profile
