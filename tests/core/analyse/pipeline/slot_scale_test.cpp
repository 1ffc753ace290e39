// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/slot_scale.h"
#include "tests/system_fixture.h"

#include <gtest/gtest.h>

namespace tilescope::analyse {

// Slots of 60, 110, 130 and 90 cycles, and an update of 30 behind them: each slot is as wide as the longest.
TEST(SlotScale, EachSlotIsAsWideAsAnother) {
    const SlotScale scale(pipeline_update(tests::grouped_pipeline()));
    EXPECT_EQ(scale.width(), 130);
    EXPECT_EQ(scale.place(0), 0);
    EXPECT_EQ(scale.place(30), 65) << "half of the first";
    EXPECT_EQ(scale.place(60), 130);
    EXPECT_EQ(scale.place(115), 195) << "half of the second";
    EXPECT_EQ(scale.place(170), 260);
    EXPECT_EQ(scale.place(300), 390);
    EXPECT_EQ(scale.place(390), 520);
    EXPECT_EQ(scale.place(420), 550) << "the update, as the longest slot";
    EXPECT_EQ(scale.cycle(195), 115);
    EXPECT_EQ(scale.cycle(545), 415);
}

TEST(SlotScale, NoTwoCyclesHaveTheSamePlace) {
    const SlotScale scale(pipeline_update(tests::grouped_pipeline()));
    for (std::int64_t cycle = 0; cycle < 450; ++cycle) {
        EXPECT_EQ(scale.cycle(scale.place(cycle)), cycle);
        EXPECT_LT(scale.place(cycle), scale.place(cycle + 1));
    }
}

TEST(SlotScale, WithoutSlotsPlacesAreCycles) {
    const SlotScale none{PipelineUpdate()};
    EXPECT_EQ(none.width(), 0);
    EXPECT_EQ(none.place(17), 17);
    EXPECT_EQ(none.cycle(17), 17);
}

} // namespace tilescope::analyse
