// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/micro_batch_life.h"
#include "analyse/pipeline.h"
#include "tests/system_fixture.h"

#include <gtest/gtest.h>

namespace tilescope::analyse {
namespace {

TEST(MicroBatchLife, IsItsPassesWithTheCopiesAndTheWaitingBetweenThem) {
    const auto records = tests::grouped_pipeline();
    const MicroBatchLife life = micro_batch_life(records, 0);
    using A = PipelineActivity;
    struct Expected {
        A activity;
        std::int64_t stage, start, copied, waited;
        std::optional<std::int64_t> kept;
    };
    // Forward on stage 0 until 50 and, copied until 60, on stage 1 until 90. There it waits for the copies
    // from 110 on, goes back until 160, is copied until 170, and waits for stage 0.
    const std::vector<Expected> expected{{A::Forward, 0, 0, 0, 0, {}},
                                         {A::Forward, 1, 60, 10, 0, {}},
                                         {A::Backward, 1, 120, 10, 20, 30},
                                         {A::Recompute, 0, 200, 10, 30, 150},
                                         {A::Backward, 0, 220, 0, 0, {}}};
    ASSERT_EQ(life.passes.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
        EXPECT_EQ(life.passes[i].pass.activity, expected[i].activity) << i;
        EXPECT_EQ(life.passes[i].pass.stage, expected[i].stage) << i;
        EXPECT_EQ(life.passes[i].pass.start_cycle, expected[i].start) << i;
        EXPECT_EQ(life.passes[i].copied, expected[i].copied) << i;
        EXPECT_EQ(life.passes[i].waited, expected[i].waited) << i;
        EXPECT_EQ(life.passes[i].kept, expected[i].kept) << i;
    }
    EXPECT_EQ(life.work, 50 + 30 + 40 + 20 + 70);
    EXPECT_EQ(life.copies, 30);
    EXPECT_EQ(life.waiting, 50);
    EXPECT_EQ(life.cycles(), 290);
    for (const std::int64_t batch : {0, 1}) {
        const auto [from, to] = micro_batch_span(records, batch);
        EXPECT_EQ(micro_batch_life(records, batch).cycles(), to - from) << batch;
    }
    EXPECT_TRUE(micro_batch_life(records, 7).passes.empty());
}

} // namespace
} // namespace tilescope::analyse
