// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/pipeline.h"
#include "analyse/replicas.h"
#include "analyse/stage_ipus.h"
#include "analyse/summary.h"
#include "profile/lookup.h"
#include "tests/system_fixture.h"
#include "tests/temporary_folder.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace tilescope::analyse {
namespace {

using Stages = std::vector<std::int64_t>;
using profile::PipelineActivity;

profile::IpuRecord ipu(std::int64_t id, std::int64_t replica, std::int64_t shard, std::int64_t stage) {
    return {id, id, "/device:IPU:0", replica, shard, stage};
}

profile::OperationRecord operation(std::int64_t stage, std::int64_t ipu) {
    profile::OperationRecord record;
    record.stage = stage;
    record.ipu = ipu;
    return record;
}

} // namespace

// Stages 0, 1 and 2 on IPUs 0, 1 and 0, in two replicas.
TEST(StageIpus, AnIpuMayHaveSeveral) {
    const std::vector ipus{ipu(0, 0, 0, 0), ipu(1, 0, 1, 1), ipu(2, 1, 0, 0), ipu(3, 1, 1, 1)};
    const auto on = stage_ipus({operation(0, 0), operation(1, 1), operation(2, 0), operation(-1, 1)}, ipus);
    EXPECT_EQ(on, (std::map<std::int64_t, std::int64_t>{{0, 0}, {1, 1}, {2, 0}}));
    EXPECT_EQ(stages_on(ipus[0], on), (Stages{0, 2}));
    EXPECT_EQ(stages_on(ipus[2], on), (Stages{0, 2}));
    EXPECT_EQ(stages_on(ipus[3], on), (Stages{1}));
    EXPECT_TRUE(stage_ipus({operation(-1, 0)}, {ipu(0, 0, 0, -1)}).empty());
}

TEST(StageIpus, OfAProfileAreKnownWithoutItsOperations) {
    const tests::TemporaryFolder folder;
    tests::SystemFixture system;
    system.pipelined = system.comes_back = true;
    ASSERT_TRUE(tests::record_system(folder / "run.tilescope", system));
    const auto file = profile::Profile::open(folder / "run.tilescope");
    ASSERT_TRUE(file);
    const auto ipus = (*file)->ipus().value();
    const auto operations = (*file)->operations().value();
    const auto on = stage_ipus(**file, ipus);
    ASSERT_TRUE(on);
    EXPECT_EQ(*on, (std::map<std::int64_t, std::int64_t>{{0, 0}, {1, 1}, {2, 0}}));
    EXPECT_EQ(*on, stage_ipus(operations, ipus));
    const auto summary = summarise(**file);
    ASSERT_TRUE(summary);
    EXPECT_EQ(summary->ipus.at(0).stages, (Stages{0, 2}));
    EXPECT_EQ(summary->ipus.at(1).stages, (Stages{1}));
    EXPECT_EQ(document(*summary).at("ipus").at(0).at("stages"), (Stages{0, 2}));
}

TEST(StageIpus, AreLikeThoseOfTheOtherReplicas) {
    const std::vector ipus{ipu(0, 0, 0, 0), ipu(1, 0, 1, 1), ipu(2, 1, 0, 0), ipu(3, 1, 1, 1)};
    EXPECT_EQ(all_like(1, ipus), (std::vector<std::int64_t>{1, 3}));
    EXPECT_EQ(all_like(2, ipus), (std::vector<std::int64_t>{0, 2}));
    EXPECT_TRUE(all_like(9, ipus).empty());
}

TEST(StageIpus, HaveNames) {
    EXPECT_EQ(stages_text({}), "");
    EXPECT_EQ(stages_text({3}), "stage 3");
    EXPECT_EQ(stages_text({0, 4}), "stages 0, 4");
    EXPECT_EQ(stages_text({2, 3}), "stages 2, 3");
    EXPECT_EQ(stages_text({0, 1, 2}), "stages 0 to 2");
    EXPECT_EQ(stage_numbers({0, 4}), "0, 4");
    EXPECT_EQ(stage_numbers({}), "");
}

// Stage 2 rests while stage 0 works on the same IPU.
TEST(StageIpus, WhatAnIpuDoesLeavesOutStagesThatRest) {
    const std::vector<profile::PipelineSlotRecord> slots{{2, 0, 10, 0, PipelineActivity::Idle, -1},
                                                         {2, 10, 30, 1, PipelineActivity::Forward, 0},
                                                         {0, 0, 10, 0, PipelineActivity::Forward, 0},
                                                         {0, 10, 30, 1, PipelineActivity::Waiting, 0},
                                                         {1, 0, 30, 0, PipelineActivity::Idle, -1}};
    const auto both = slots_on(slots, {0, 2});
    ASSERT_EQ(both.size(), 2U);
    EXPECT_EQ(both[0].stage, 0);
    EXPECT_EQ(both[1].stage, 2);
    const auto alone = slots_on(slots, {1});
    ASSERT_EQ(alone.size(), 1U);
    EXPECT_EQ(alone[0].activity, PipelineActivity::Idle);
}

// Stages 0 and 2 of IPU 5 work from 0 to 10 and from 20 to 30; between them stage 0 waits from 12 to 16 and
// stage 2 from 14 to 17, and from 30 to the end at 40 both have nothing to do. Stage 1 has IPU 6 to itself.
TEST(StageIpus, AnIpuRestsWhereAllItsStagesDo) {
    const std::vector<profile::PipelineSlotRecord> slots{
        {0, 0, 10, 0, PipelineActivity::Forward, 0},   {0, 10, 12, 1, PipelineActivity::Idle, -1},
        {0, 12, 16, 1, PipelineActivity::Waiting, -1}, {0, 16, 40, 1, PipelineActivity::Idle, -1},
        {1, 0, 40, 0, PipelineActivity::Forward, 0},   {2, 0, 14, 0, PipelineActivity::Idle, -1},
        {2, 14, 17, 1, PipelineActivity::Waiting, -1}, {2, 17, 20, 1, PipelineActivity::Idle, -1},
        {2, 20, 30, 1, PipelineActivity::Backward, 0}, {2, 30, 40, 2, PipelineActivity::Idle, -1}};
    const auto by_ipu = slots_by_ipu(slots, {{0, 5}, {1, 6}, {2, 5}});
    const auto between = pipeline_cycles(by_ipu, 12, 17); // where they lie, not only how long they are
    EXPECT_EQ(between[0][PipelineActivity::Waiting], 5);
    EXPECT_EQ(between[0].total(), 5);
    const PipelineUpdate update = pipeline_update(by_ipu);
    ASSERT_EQ(update.stages.size(), 2U);
    const PipelineCycles& shared = update.stages[0].cycles;
    EXPECT_EQ(update.stages[0].stage, 5);
    EXPECT_EQ(shared[PipelineActivity::Forward], 10);
    EXPECT_EQ(shared[PipelineActivity::Backward], 10);
    EXPECT_EQ(shared[PipelineActivity::Waiting], 5);
    EXPECT_EQ(shared[PipelineActivity::Idle], 15);
    EXPECT_DOUBLE_EQ(shared.utilisation(), 0.5);
    EXPECT_EQ(update.stages[1].cycles[PipelineActivity::Forward], 40);
    EXPECT_EQ(slots_by_ipu(slots, {{0, 5}, {1, 6}, {2, 7}}).size(), slots.size());
}

// Stages 0 and 2 of IPU 5 take part in one copy from 10 to 20, which goes on to 24 for stage 2 while stage 0
// works again from 22 on; both update at the end, stage 0 from 30 to 38 and stage 2 from 36 to 40.
TEST(StageIpus, TimeOfTwoStagesAtOnceCountsOnce) {
    const std::vector<profile::PipelineSlotRecord> slots{
        {0, 0, 10, 0, PipelineActivity::Forward, 0},   {0, 10, 20, 0, PipelineActivity::Copy, 0},
        {0, 20, 22, 1, PipelineActivity::Idle, -1},    {0, 22, 30, 1, PipelineActivity::Forward, 1},
        {0, 30, 38, -1, PipelineActivity::Update, -1}, {0, 38, 40, -1, PipelineActivity::Waiting, -1},
        {1, 0, 40, 0, PipelineActivity::Forward, 0},   {2, 0, 10, 0, PipelineActivity::Idle, -1},
        {2, 10, 24, 0, PipelineActivity::Copy, -1},    {2, 24, 36, 1, PipelineActivity::Waiting, -1},
        {2, 36, 40, -1, PipelineActivity::Update, -1}};
    const auto by_ipu = slots_by_ipu(slots, {{0, 5}, {1, 6}, {2, 5}});
    const PipelineUpdate update = pipeline_update(by_ipu);
    ASSERT_EQ(update.stages.size(), 2U);
    const PipelineCycles& shared = update.stages[0].cycles;
    EXPECT_EQ(shared[PipelineActivity::Forward], 18);
    EXPECT_EQ(shared[PipelineActivity::Copy], 12);
    EXPECT_EQ(shared[PipelineActivity::Update], 10);
    EXPECT_EQ(shared.total(), update.cycles);
    EXPECT_EQ(update.all_stages().total(), 2 * update.cycles);
    std::int64_t at = 0;
    for (const profile::PipelineSlotRecord& slot : by_ipu)
        if (slot.stage == 5) {
            EXPECT_EQ(slot.start_cycle, at);
            at = slot.end_cycle;
        }
    EXPECT_EQ(at, 40);
}

} // namespace tilescope::analyse
