// SPDX-License-Identifier: GPL-3.0-or-later
#include "program/pipeline_schedule.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <set>

using namespace tilescope;
using namespace tilescope::program;

namespace {

/// Those of IPU TensorFlow.
constexpr PipelineSchedule all[] = {PipelineSchedule::Grouped, PipelineSchedule::Interleaved,
                                    PipelineSchedule::Sequential};

/// The most micro-batches that are between their forward and their backward pass on a stage.
std::int64_t most_held(PipelineSchedule schedule, std::int64_t stages, std::int32_t stage,
                       std::int64_t batches) {
    std::int64_t held = 0;
    std::int64_t most = 0;
    for (const auto& slot : pipeline_slots(schedule, stages, batches)) {
        for (const PipelineWork& work : slot)
            held += work.stage == stage && !work.backward ? 1 : 0;
        most = std::max(most, held);
        for (const PipelineWork& work : slot)
            held -= work.stage == stage && work.backward ? 1 : 0;
    }
    return most;
}

} // namespace

TEST(PipelineSchedule, EveryMicroBatchPassesEveryStageOnceEachWayAndInOrder) {
    for (const PipelineSchedule schedule : all)
        for (const std::int64_t stages : {2, 3, 4, 8}) {
            const std::int64_t batches = 2 * pipeline_overlap(schedule, stages);
            std::map<std::pair<std::int64_t, std::int64_t>, std::size_t> forward, backward;
            const auto slots = pipeline_slots(schedule, stages, batches);
            for (std::size_t t = 0; t < slots.size(); ++t) {
                std::set<std::int32_t> busy;
                for (const PipelineWork& work : slots[t]) {
                    EXPECT_TRUE(busy.insert(work.stage).second) << "a stage does one thing in a slot";
                    const bool fresh = (work.backward ? backward : forward)
                                           .emplace(std::pair(work.micro_batch, work.stage), t)
                                           .second;
                    EXPECT_TRUE(fresh);
                }
            }
            EXPECT_EQ(forward.size(), static_cast<std::size_t>(stages * batches));
            EXPECT_EQ(backward.size(), static_cast<std::size_t>(stages * batches));
            for (std::int64_t m = 0; m < batches; ++m)
                for (std::int64_t s = 0; s < stages; ++s) {
                    EXPECT_LT((forward[{m, s}]), (backward[{m, s}]));
                    if (s > 0) {
                        EXPECT_LT((forward[{m, s - 1}]), (forward[{m, s}]));
                        EXPECT_LT((backward[{m, s}]), (backward[{m, s - 1}]));
                    }
                }
        }
}

// Read off the vendor's figures of the schedules.
TEST(PipelineSchedule, HasThePublishedNumbersOfSlots) {
    const std::size_t stages = 4;
    const std::size_t batches = 16;
    // Grouped: N + 2 (S - 1) slots of two halves, the first backward half and the last forward halves empty.
    EXPECT_EQ(pipeline_slots(PipelineSchedule::Grouped, stages, batches).size(),
              2 * (batches + 2 * (stages - 1)));
    EXPECT_EQ(pipeline_slots(PipelineSchedule::Interleaved, stages, batches).size(),
              2 * (batches - 1) + 2 * stages);
    EXPECT_EQ(pipeline_slots(PipelineSchedule::Sequential, stages, batches).size(), 2 * stages * batches);
}

TEST(PipelineSchedule, StagesHoldAsManyMicroBatchesAsTheReferenceSays) {
    for (std::int32_t s = 0; s < 4; ++s) {
        EXPECT_EQ(most_held(PipelineSchedule::Grouped, 4, s, 16), 2 * (4 - s) - 1);
        EXPECT_EQ(most_held(PipelineSchedule::Interleaved, 4, s, 16), 4 - s);
        EXPECT_EQ(most_held(PipelineSchedule::Sequential, 4, s, 16), 1);
        for (const PipelineSchedule schedule : all)
            EXPECT_EQ(stash_depth(schedule, 4, s) + 1, most_held(schedule, 4, s, 16));
    }
}

// PopART's notes: G + 2 S - 2 cycles; in one, stage s has the forward pass of micro-batch c - s and the
// backward pass of c - 2 (S - 1) + s, the last stage both of one; stash rows are restore stage - stash stage
// + 1, of 2 S - 1 stages.
TEST(PipelineSchedule, PopartsCyclesHaveAForwardAndABackwardPassOfEachStage) {
    constexpr std::int64_t stages = 5;
    constexpr std::int64_t batches = 20;
    const auto slots = pipeline_slots(PipelineSchedule::PopART, stages, batches);
    ASSERT_EQ(slots.size(), static_cast<std::size_t>(batches + 2 * stages - 2));
    for (std::size_t c = 0; c < slots.size(); ++c) {
        std::vector<PipelineWork> expected;
        const auto add = [&](std::int64_t s, std::int64_t batch, bool backward) {
            if (batch >= 0 && batch < batches)
                expected.push_back({static_cast<std::int32_t>(s), batch, backward});
        };
        const auto cycle = static_cast<std::int64_t>(c);
        for (std::int64_t s = 0; s < stages; ++s)
            add(s, cycle - s, false);
        for (std::int64_t s = stages - 1; s >= 0; --s)
            add(s, cycle - 2 * (stages - 1) + s, true);
        EXPECT_EQ(slots[c], expected) << "cycle " << c;
    }
    for (std::int32_t s = 0; s < stages; ++s) {
        const std::int64_t rows = 2 * stages - 2 - s - s + 1; // its backward stage is 2 S - 2 - s
        EXPECT_EQ(stash_depth(PipelineSchedule::PopART, stages, s), s + 1 < stages ? rows : 0);
        EXPECT_EQ(most_held(PipelineSchedule::PopART, stages, s, batches), rows);
    }
    EXPECT_EQ(least_micro_batches(PipelineSchedule::PopART, stages), 9);
    EXPECT_EQ(pipeline_slots(PipelineSchedule::PopART, stages, batches, false),
              pipeline_slots(PipelineSchedule::Grouped, stages, batches, false));
}

TEST(PipelineSchedule, TheBubbleOfTheGroupedScheduleIsTheClosedFormula) {
    for (const std::int64_t stages : {2, 4, 8})
        for (const std::int64_t batches : {2 * stages, 8 * stages}) {
            std::int64_t busy = 0;
            const auto slots = pipeline_slots(PipelineSchedule::Grouped, stages, batches);
            for (const auto& slot : slots)
                busy += static_cast<std::int64_t>(slot.size());
            const double share =
                1 - static_cast<double>(busy) /
                        static_cast<double>(static_cast<std::int64_t>(slots.size()) * stages);
            const double n = static_cast<double>(batches);
            const double idle = 2 * (static_cast<double>(stages) - 1);
            EXPECT_NEAR(share, idle / (n + idle), 1e-12);
        }
}
