// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/pipeline.h"
#include "analyse/stage_host.h"
#include "profile/recorder.h"
#include "tests/system_fixture.h"
#include "tests/temporary_folder.h"

#include <gtest/gtest.h>
#include <map>

namespace tilescope::analyse {
namespace {

using Activity = PipelineActivity;
using tests::grouped_pipeline;

/// The schedules of two stages, equally long passes of 10 cycles, as the vendor's figures draw them.
std::vector<profile::PipelineSlotRecord> schedule(std::int64_t stages, std::int64_t batches,
                                                  bool sequential) {
    std::vector<profile::PipelineSlotRecord> records;
    const auto add = [&](std::int64_t stage, std::int64_t slot, Activity activity, std::int64_t batch) {
        records.push_back({stage, 10 * slot, 10 * slot + 10, slot, activity, batch});
    };
    for (std::int64_t s = 0; s < stages; ++s)
        for (std::int64_t m = 0; m < batches; ++m) {
            const std::int64_t first = (sequential ? 2 * stages : 2) * m;
            add(s, first + s, Activity::Forward, m);
            add(s, first + 2 * stages - 1 - s, Activity::Backward, m);
        }
    return records;
}

TEST(Pipeline, AddsUpCyclesByStageAndActivity) {
    const PipelineUpdate update = pipeline_update(grouped_pipeline());
    ASSERT_EQ(update.stages.size(), 2U);
    EXPECT_EQ(update.cycles, 420);
    EXPECT_EQ(update.micro_batches, 2);
    EXPECT_TRUE(update.training);
    const PipelineCycles& first = update.stages[0].cycles;
    EXPECT_EQ(first[Activity::Forward], 100);
    EXPECT_EQ(first[Activity::Recompute], 40);
    EXPECT_EQ(first[Activity::Backward], 140);
    EXPECT_EQ(first[Activity::Copy], 40);
    EXPECT_EQ(first[Activity::Update], 30);
    EXPECT_EQ(first[Activity::Waiting], 0);
    EXPECT_EQ(first[Activity::Idle], 70);
    EXPECT_EQ(first.total(), update.cycles);
    EXPECT_EQ(first.work(), 310) << "with the update of the weights";
    EXPECT_EQ(first.lost(), 110);
    EXPECT_DOUBLE_EQ(first.utilisation(), 310.0 / 420);
    const PipelineCycles& second = update.stages[1].cycles;
    EXPECT_EQ(second[Activity::Forward], 60);
    EXPECT_EQ(second[Activity::Backward], 80);
    EXPECT_EQ(second[Activity::Waiting], 80);
    EXPECT_EQ(second.total(), update.cycles);
    EXPECT_EQ(update.all_stages().total(), 2 * update.cycles);
    EXPECT_EQ(update_cycles(grouped_pipeline()), 420);
    EXPECT_EQ(update_cycles({}), 0);
    const PipelineCycles both = sum_of({first, second});
    EXPECT_EQ(both[Activity::Forward], 160);
    EXPECT_EQ(both.total(), 840);
}

TEST(Pipeline, ASlotOfTheGroupedScheduleHasTwoHalves) {
    const PipelineUpdate update = pipeline_update(grouped_pipeline());
    EXPECT_TRUE(update.halves);
    ASSERT_EQ(update.schedule.size(), 4U); // N + 2 (S - 1)
    EXPECT_EQ(update.schedule[1].start, 60);
    EXPECT_EQ(update.schedule[1].backward_half, 120);
    EXPECT_EQ(update.schedule[1].end, 170);
    EXPECT_EQ(update.schedule[0].backward_half, -1); // nothing to run backward yet
    EXPECT_EQ(update.schedule[3].backward_half, -1); // nothing to run forward any more
    EXPECT_EQ(update.places(), 8);
    for (const PipelineStage& stage : update.stages) {
        EXPECT_EQ(stage.passes, 4);
        EXPECT_DOUBLE_EQ(update.bubble(stage), 0.5); // 2 (S - 1) / (N + 2 (S - 1))
    }
    EXPECT_EQ(bubble_formula(update), "2 (S − 1) ÷ (N + 2 (S − 1))");
    auto records = grouped_pipeline();
    const auto pass = std::find_if(records.begin(), records.end(),
                                   [](const auto& record) { return record.activity == Activity::Backward; });
    pass->activity = Activity::Idle;
    EXPECT_EQ(bubble_formula(pipeline_update(records)), "") << "a pass less than the schedule makes";
}

TEST(Pipeline, BubblesOfInterleavedAndSequentialFollowTheirFormulas) {
    for (const std::int64_t stages : {2, 3, 4}) {
        const std::int64_t batches = 2 * stages;
        const PipelineUpdate interleaved = pipeline_update(schedule(stages, batches, false));
        EXPECT_FALSE(interleaved.halves);
        EXPECT_EQ(interleaved.places(), 2 * (batches - 1) + 2 * stages);
        const PipelineUpdate sequential = pipeline_update(schedule(stages, batches, true));
        EXPECT_EQ(sequential.places(), 2 * stages * batches);
        EXPECT_EQ(bubble_formula(interleaved), "(S − 1) ÷ (N + S − 1)");
        EXPECT_EQ(bubble_formula(sequential), "1 − 1 ÷ S");
        for (std::size_t s = 0; s < interleaved.stages.size(); ++s) {
            EXPECT_DOUBLE_EQ(interleaved.bubble(interleaved.stages[s]),
                             static_cast<double>(stages - 1) / static_cast<double>(batches + stages - 1));
            EXPECT_DOUBLE_EQ(sequential.bubble(sequential.stages[s]), 1 - 1.0 / static_cast<double>(stages));
        }
    }
}

TEST(Pipeline, ARangeCountsOnlyWhatLiesInIt) {
    const auto cycles = pipeline_cycles(grouped_pipeline(), 100, 160);
    ASSERT_EQ(cycles.size(), 2U);
    EXPECT_EQ(cycles[0][Activity::Forward], 10); // of 60 to 110
    EXPECT_EQ(cycles[0][Activity::Copy], 10);
    EXPECT_EQ(cycles[0][Activity::Idle], 40);
    EXPECT_EQ(cycles[1][Activity::Waiting], 10);
    EXPECT_EQ(cycles[1][Activity::Backward], 40);
    EXPECT_EQ(cycles[0].total(), 60);
    EXPECT_EQ(cycles[1].total(), 60);
}

TEST(Pipeline, AMicroBatchLastsFromItsFirstPassToItsLast) {
    EXPECT_EQ(micro_batch_span(grouped_pipeline(), 0), (std::pair<std::int64_t, std::int64_t>{0, 290}));
    EXPECT_EQ(micro_batch_span(grouped_pipeline(), 7), (std::pair<std::int64_t, std::int64_t>{0, 0}));
}

TEST(Pipeline, PassesLieBesideEachOtherInTheirStage) {
    const auto records = grouped_pipeline();
    for (const profile::PipelineSlotRecord& r : records) {
        if (!works_on_micro_batch(r.activity))
            continue;
        const auto* same = pass_of(records, r.stage, r.micro_batch, r.activity);
        ASSERT_NE(same, nullptr);
        EXPECT_EQ(same->start_cycle, r.start_cycle);
        const auto* next = pass_next_to(records, r.stage, r.start_cycle, false);
        if (next != nullptr) {
            EXPECT_EQ(next->stage, r.stage);
            EXPECT_GE(next->start_cycle, r.end_cycle);
            EXPECT_EQ(pass_next_to(records, r.stage, next->start_cycle, true)->start_cycle, r.start_cycle);
        }
    }
    EXPECT_EQ(pass_next_to(records, 0, -1, true), nullptr);
    EXPECT_EQ(pass_next_to(records, 0, -1, false)->start_cycle, 0);
    EXPECT_EQ(pass_of(records, 0, -1, profile::PipelineActivity::Idle), nullptr) << "no pass";
}

TEST(Pipeline, StashesAreKnownByTheirDepth) {
    profile::VariableRecord stash;
    stash.name = "its name says nothing";
    stash.tensor_id = 7;
    stash.operation_id = 3;
    stash.ipu = 1;
    stash.bytes = 4096;
    stash.stash_depth = 4;
    profile::VariableRecord other = stash;
    other.stash_depth = 0;
    profile::OperationRecord operation;
    operation.id = 3;
    operation.stage = 2;
    const auto found = stashes({other, stash}, {{6, "image"}, {7, "dense/Relu"}}, {operation});
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].tensor, "dense/Relu");
    EXPECT_EQ(found[0].depth, 4);
    EXPECT_EQ(found[0].ipu, 1);
    EXPECT_EQ(found[0].stage, 2) << "an IPU may have several";
    EXPECT_EQ(found[0].bytes, 4096);
}

// Two stages and three slots, of which stage 0 passes in the first two and stage 1 in the last two: a third
// of the places of each is empty. 90 cycles for two micro-batches of two replicas are 22.5 a batch.
TEST(Pipeline, FiguresOfAllStagesByHand) {
    const PipelineUpdate update = pipeline_update({{0, 0, 30, 0, PipelineActivity::Forward, 0},
                                                   {0, 30, 60, 1, PipelineActivity::Forward, 1},
                                                   {0, 60, 90, 2, PipelineActivity::Idle, -1},
                                                   {1, 0, 30, 0, PipelineActivity::Idle, -1},
                                                   {1, 30, 60, 1, PipelineActivity::Forward, 0},
                                                   {1, 60, 90, 2, PipelineActivity::Forward, 1}});
    EXPECT_EQ(update.places(), 3);
    EXPECT_DOUBLE_EQ(update.bubble(update.stages.at(0)), 1.0 / 3);
    EXPECT_DOUBLE_EQ(update.bubble(), 1.0 / 3);
    EXPECT_EQ(update.cycles_per_batch(2), 22.5);
    EXPECT_EQ(PipelineUpdate{}.cycles_per_batch(2), std::nullopt);
}

TEST(Pipeline, StashesOfAStageAddUp) {
    const std::vector<Stash> stashes{{"a", 0, 0, 3, 300}, {"b", 0, 0, 5, 500}, {"c", 1, 1, 2, 40}};
    EXPECT_EQ(stash_figures(stashes).bytes, 840);
    EXPECT_EQ(stash_figures(stashes).deepest, 5);
    EXPECT_EQ(stash_figures(stashes, 0).bytes, 800);
    EXPECT_EQ(stash_figures(stashes, 1).deepest, 2);
    EXPECT_EQ(stash_figures(stashes, 2).bytes, 0);
    EXPECT_EQ(stashes[1].bytes_each(), 100);
}

// Three updates of four micro-batches: each brings its batch to the first stage and takes the result of the
// second one.
TEST(Pipeline, TheHostsPartOfPassesIsWhatGoesToItAndComesFromIt) {
    const tests::TemporaryFolder folder;
    const std::string path = folder / "run.tilescope";
    auto recorder = *profile::Recorder::create(path, profile::RunRecord{});
    profile::Recorder& r = *recorder;
    r.set(profile::TargetRecord{"pod4", "ipu2", 2, 4, 1000, 1e9, 6});
    for (std::int64_t ipu = 0; ipu < 2; ++ipu) {
        r.add(profile::IpuRecord{ipu, ipu, "", 0, ipu, ipu});
        r.add(profile::OperationRecord{ipu, "op", "matmul", -1, profile::Phase::Forward, ipu, ipu});
    }
    r.add(profile::DeviceProgramRecord{0, "training", 0, true});
    using profile::ProgramPart;
    const auto step = [&](std::int64_t id, std::int64_t parent, StepKind kind, std::int64_t repeats,
                          ProgramPart part, std::int64_t operation = -1, std::int64_t exchange = 0,
                          std::int64_t compute = 0, std::int64_t ipu = -1, std::int64_t runs = 1) {
        const std::int64_t position = id == 7 ? 3 : id; // the batch comes in first, whatever its number is
        profile::ProgramRecord row{id, parent, position, kind,    "step", operation, -1,   -1,  repeats,
                                   -1, 5,      exchange, compute, ipu,    -1,        runs, part};
        if (is_leaf(kind)) {
            row.stage = ipu;
            row.activity = PipelineActivity::Forward;
        }
        r.add(row);
    };
    step(0, -1, StepKind::Sequence, 1, ProgramPart::Whole);
    step(1, 0, StepKind::Repeat, 3, ProgramPart::Whole);
    step(2, 1, StepKind::Repeat, 4, ProgramPart::MicroBatches);
    step(7, 2, StepKind::StreamCopy, 1, ProgramPart::Infeed, -1, 30, 0, 0, 12);
    step(4, 2, StepKind::Execute, 1, ProgramPart::MicroBatches, 0, 0, 100, 0, 12);
    step(5, 2, StepKind::Execute, 1, ProgramPart::MicroBatches, 1, 0, 100, 1, 12);
    step(6, 2, StepKind::StreamCopy, 1, ProgramPart::Outfeed, -1, 10, 0, 1, 12);
    ASSERT_TRUE(r.finish(profile::RunStatus::Complete));
    const auto host = stage_host_cycles(**profile::Profile::open(path));
    ASSERT_TRUE(host);
    EXPECT_EQ(*host, (std::map<std::int64_t, std::int64_t>{{0, 4 * 30}, {1, 4 * 10}})) << "of each update";
    // Each step begins with a sync of 5: those of stage 0 take 5 + 30 and 5 + 100, of stage 1 105 and 5 + 10.
    const auto passes = hosted_passes(**profile::Profile::open(path));
    ASSERT_TRUE(passes);
    ASSERT_EQ(passes->size(), 2U);
    using Stretches = std::vector<std::pair<std::int64_t, std::int64_t>>;
    const HostedPass& first = passes->at({0, PipelineActivity::Forward});
    EXPECT_EQ(first.cycles, 140);
    EXPECT_EQ(first.host, (Stretches{{5, 35}}));
    const HostedPass& last = passes->at({1, PipelineActivity::Forward});
    EXPECT_EQ(last.cycles, 120);
    EXPECT_EQ(last.host, (Stretches{{110, 120}}));
    EXPECT_EQ(last.host_cycles(), 10);
    EXPECT_EQ(host_in(*passes, {0, 200, 340, 1, PipelineActivity::Forward, 1}), &first);
    EXPECT_EQ(host_in(*passes, {0, 200, 300, 1, PipelineActivity::Forward, 1}), nullptr) << "a part of one";
    EXPECT_EQ(host_in(*passes, {0, 200, 340, 1, PipelineActivity::Backward, 1}), nullptr);
}

TEST(Pipeline, NothingRecordedIsNoPipeline) {
    const PipelineUpdate update = pipeline_update({});
    EXPECT_TRUE(update.stages.empty());
    EXPECT_EQ(update.places(), 0);
    EXPECT_EQ(update.all_stages().total(), 0);
    EXPECT_EQ(update.all_stages().utilisation(), 0);
}

TEST(Passes, OfAMicroBatchAreInTheOrderInWhichTheyAreMade) {
    const std::vector<profile::PipelineSlotRecord> records{
        {0, 0, 10, 0, PipelineActivity::Forward, 4},    {0, 10, 12, 0, PipelineActivity::Copy, 4},
        {0, 40, 45, 2, PipelineActivity::Recompute, 4}, {0, 45, 60, 2, PipelineActivity::Backward, 4},
        {1, 0, 20, 0, PipelineActivity::Forward, 3},    {1, 20, 30, 1, PipelineActivity::Forward, 4},
        {1, 30, 36, 1, PipelineActivity::Backward, 4},  {1, 36, 40, 1, PipelineActivity::Waiting, 4}};
    const auto passes = passes_of(records, 4);
    std::vector<std::int64_t> starts;
    std::vector<std::int64_t> stages;
    for (const auto& pass : passes) {
        starts.push_back(pass.start_cycle);
        stages.push_back(pass.stage);
    }
    EXPECT_EQ(starts, (std::vector<std::int64_t>{0, 20, 30, 40, 45}));
    EXPECT_EQ(stages, (std::vector<std::int64_t>{0, 1, 1, 0, 0}));
    EXPECT_TRUE(passes_of(records, 9).empty());
}

} // namespace
} // namespace tilescope::analyse
