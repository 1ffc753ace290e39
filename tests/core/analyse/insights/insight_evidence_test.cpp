// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/costs.h"
#include "analyse/insight_rules.h"
#include "analyse/program_time.h"
#include "analyse/summary.h"
#include "profile/recorder.h"
#include "tests/record_rows.h"
#include "tests/temporary_folder.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

/// What the rules of the insights see of a file, worked out by hand.
namespace tilescope::analyse {
namespace {

using profile::StepKind;

/// Three stages on two IPUs of two tiles of 1,000 bytes: 0 and 2 on IPU 0, 1 on IPU 1. An engine run has two
/// weight updates of two micro-batches each, 2,000 cycles in all. Of an engine run
/// * block_0 takes 120 cycles to compute on IPU 0, 48 on both to bring its operand and 24 to lay that out,
/// * block_1 takes 240 to compute on IPU 1 and 60 to exchange, block_2 there 40 to compute,
/// * the update takes 200 on IPU 0.
struct File {
    tests::TemporaryFolder folder;
    std::string path = folder / "evidence.tilescope";
    std::int64_t steps = 0;

    explicit File(
        profile::RunRecord run = {},
        const std::function<void(profile::Recorder&)>& more = [](profile::Recorder&) {},
        std::int64_t stages = 3, bool executed = true) {
        run.steps_per_execution = 4;
        run.schedule = PipelineSchedule::Grouped;
        auto recorder = profile::Recorder::create(path, run).value();
        recorder->set(profile::TargetRecord{"pod4", "ipu2", 2, 2, 1000, 1e6, 6, 10, 5});
        for (std::int64_t i = 0; i < 2; ++i)
            recorder->add(profile::IpuRecord{i, i, "", 0, i, i});
        using profile::Phase;
        recorder->add(
            profile::OperationRecord{0, "block_0/MatMul", "matmul", -1, Phase::Forward, 0, 0, 0, "{}"});
        recorder->add(
            profile::OperationRecord{1, "block_1/MatMul", "matmul", -1, Phase::Forward, 1, 1, 0, "{}"});
        recorder->add(profile::OperationRecord{2, "last", "exp", -1, Phase::Forward, 0, 2, 0, "{}"});
        recorder->add(
            profile::OperationRecord{4, "block_2/MatMul", "matmul", -1, Phase::Forward, 1, 1, 0, "{}"});
        recorder->add(profile::OperationRecord{3, "update", "sgd_update", -1, Phase::Update, 0, -1, 0, "{}"});
        add_program(*recorder);
        if (executed)
            add_executions(*recorder);
        add_slots(*recorder, stages);
        add_memory(*recorder);
        more(*recorder);
        EXPECT_TRUE(recorder->finish(run.status, run.error));
    }

    void step(profile::Recorder& recorder, std::int64_t operation, std::int64_t ipu, std::int64_t runs,
              StepRole role, std::int64_t compute, std::int64_t exchange, std::int64_t set = -1) {
        profile::ProgramRecord row;
        row.id = 3 + steps++;
        row.parent_id = operation == 3 ? 1 : 2;
        row.kind = compute > 0 ? StepKind::Execute : StepKind::Exchange;
        row.operation_id = operation;
        row.compute_set_id = set;
        row.ipu = ipu;
        row.runs = runs;
        row.role = role;
        row.compute_cycles = compute;
        row.exchange_cycles = exchange;
        recorder.add(row);
    }

    void add_program(profile::Recorder& recorder) {
        recorder.add(profile::DeviceProgramRecord{0, "training", 0, true});
        const auto node = [&](std::int64_t id, StepKind kind, std::int64_t repeats, std::int64_t runs,
                              ProgramPart part) {
            profile::ProgramRecord row;
            row.id = id;
            row.parent_id = id - 1;
            row.kind = kind;
            row.repeats = repeats;
            row.runs = runs;
            row.part = part;
            recorder.add(row);
        };
        node(0, StepKind::Sequence, 1, 1, ProgramPart::Whole);
        node(1, StepKind::Repeat, 2, 1, ProgramPart::Whole);
        node(2, StepKind::Repeat, 2, 2, ProgramPart::MicroBatches);
        recorder.add(profile::ComputeSetRecord{0, "block_0/Convolve", 0, 30, 0.5});
        recorder.add(profile::ComputeSetRecord{1, "block_1/Convolve", 1, 60, 0.25});
        recorder.add(profile::ComputeSetRecord{2, "update/Add", 3, 100, 1});
        step(recorder, 0, 0, 4, StepRole::Compute, 30, 0, 0);
        step(recorder, 0, -1, 4, StepRole::Bring, 0, 12);
        step(recorder, 0, 0, 4, StepRole::Rearrange, 6, 0);
        step(recorder, 1, 1, 4, StepRole::Compute, 60, 0, 1);
        step(recorder, 1, 1, 4, StepRole::Exchange, 0, 15);
        step(recorder, 4, 1, 4, StepRole::Compute, 10, 0);
        step(recorder, 3, 0, 2, StepRole::Compute, 100, 0, 2);
    }

    static void add_executions(profile::Recorder& recorder) {
        tests::record_rows(recorder,
                           {{0, profile::ExecutionKind::Train, 0, 0, 4, 0, 2000},
                            {1, profile::ExecutionKind::Train, 0, 4, 4, 2000, 2000}},
                           {{0, 0, 344, 48, 0, 0, 100, 1508},
                            {0, 1, 280, 108, 0, 0, 100, 1512},
                            {1, 0, 344, 48, 0, 0, 100, 1508},
                            {1, 1, 280, 108, 0, 0, 100, 1512}});
    }

    static void add_slots(profile::Recorder& recorder, std::int64_t stages) {
        using profile::PipelineActivity;
        recorder.add(profile::PipelineSlotRecord{0, 0, 70, 0, PipelineActivity::Forward, 0});
        recorder.add(profile::PipelineSlotRecord{1, 70, 150, 1, PipelineActivity::Forward, 0});
        if (stages == 2)
            return;
        recorder.add(profile::PipelineSlotRecord{2, 150, 190, 2, PipelineActivity::Forward, 0});
        recorder.add(profile::PipelineSlotRecord{2, 190, 200, 2, PipelineActivity::Waiting});
    }

    /// Most is live on tile 0 of IPU 0, 500 bytes; with gaps tile 1 of IPU 1 needs most, 800.
    static void add_memory(profile::Recorder& recorder) {
        const auto add = [&](const std::string& entity, const char* metric, std::vector<std::int64_t> of_0,
                             std::vector<std::int64_t> of_1) {
            recorder.add_tile_values(entity, 0, 0, metric, of_0);
            recorder.add_tile_values(entity, 0, 1, metric, of_1);
        };
        add("memory", "always_live", {300, 200}, {200, 340});
        add("memory", "total", {500, 300}, {300, 450});
        add("memory", "total_with_gaps", {600, 300}, {300, 800});
        const auto category = [&](MemoryCategory of, std::vector<std::int64_t> of_0,
                                  std::vector<std::int64_t> of_1, const std::vector<std::int64_t>& more) {
            const std::string entity = "category:" + std::string(to_string(of));
            add(entity, "always_live", std::move(of_0), std::move(of_1));
            add(entity, "not_always_live", more, more);
        };
        category(MemoryCategory::Variables, {200, 150}, {150, 200}, {100, 100});
        category(MemoryCategory::VertexCode, {70, 30}, {30, 90}, {0, 0});
        category(MemoryCategory::ControlCode, {30, 20}, {20, 50}, {0, 0});
    }

    Evidence evidence() const {
        const auto file = profile::Profile::open(path).value();
        const auto summary = summarise(*file);
        EXPECT_TRUE(summary) << summary.error().line();
        const auto costs = Costs::read(*file);
        EXPECT_TRUE(costs) << costs.error().line();
        const auto evidence = evidence_of(*file, *summary, *costs);
        EXPECT_TRUE(evidence) << evidence.error().line();
        return *evidence;
    }
};

const Evidence::Operations* find(const Evidence& e, const std::string& name) {
    for (const Evidence::Operations& of : e.operations)
        if (of.name == name)
            return &of;
    ADD_FAILURE() << name;
    return nullptr;
}

} // namespace

TEST(InsightEvidence, TimeIsPerWeightUpdate) {
    const Evidence e = File().evidence();
    EXPECT_EQ(e.per, "weight update");
    EXPECT_EQ(e.elapsed, 1000);
    EXPECT_FALSE(e.planned);
    EXPECT_EQ(e.updates, 1);
    EXPECT_EQ(std::tuple(e.executions, e.steps, e.steps_per_execution), std::tuple(2, 8, 4));
    ASSERT_EQ(e.ipus.size(), 2U);
    EXPECT_EQ(std::tuple(e.ipus[0].id, e.ipus[0].cycles, e.ipus[0].compute), std::tuple(0, 4000, 688));
    EXPECT_EQ(std::tuple(e.ipus[1].id, e.ipus[1].cycles, e.ipus[1].compute), std::tuple(1, 4000, 560));
}

TEST(InsightEvidence, TimeIsPlannedWhereNoEngineRunHasEnded) {
    const File file(
        {}, [](profile::Recorder&) {}, 3, false);
    const auto planned = planned_cycles(**profile::Profile::open(file.path)).value();
    EXPECT_GT(planned, 0);
    const Evidence e = file.evidence();
    EXPECT_TRUE(e.planned);
    EXPECT_EQ(e.elapsed, static_cast<double>(planned) / 2) << "of two weight updates";
}

namespace {

/// A step that runs compute set 3, of 20 cycles; IPU -1: each.
void add_computing(profile::Recorder& recorder, std::int64_t parent, std::int64_t operation, std::int64_t ipu,
                   std::int64_t runs) {
    profile::ProgramRecord row;
    row.id = 100;
    row.parent_id = parent;
    row.kind = StepKind::Execute;
    row.operation_id = operation;
    row.compute_set_id = 3;
    row.ipu = ipu;
    row.runs = runs;
    row.role = StepRole::Compute;
    row.compute_cycles = 20;
    recorder.add(row);
}

} // namespace

// Of an engine run block_0 computes 120 cycles on IPU 0, half of them in vain; block_1 240 on IPU 1 and
// block_2 80 there, of which three quarters and a half are lost.
TEST(InsightEvidence, ComputeSetsThatAreAlikeLoseTogether) {
    const File file({}, [](profile::Recorder& recorder) {
        recorder.add(profile::ComputeSetRecord{3, "block_2/Convolve", 4, 20, 0.5});
        add_computing(recorder, 2, 4, 1, 4);
    });
    const Evidence e = file.evidence();
    ASSERT_EQ(e.compute_sets.size(), 2U);
    const Evidence::ComputeSets& blocks = e.compute_sets[0];
    EXPECT_EQ(blocks.name, "block_*/Convolve");
    EXPECT_EQ(blocks.count, 3);
    EXPECT_EQ(std::tuple(blocks.operation, blocks.ipu), std::tuple(1, 1)) << "where most is lost";
    EXPECT_DOUBLE_EQ(blocks.cycles, (240 + 80) / 2.0) << "on IPU 1";
    EXPECT_DOUBLE_EQ(blocks.lost, (180 + 40) / 2.0);
    EXPECT_DOUBLE_EQ(blocks.balance(), 1 - 220.0 / 320);
    const Evidence::ComputeSets& update = e.compute_sets[1];
    EXPECT_EQ(std::tuple(update.name, update.count, update.operation, update.ipu),
              std::tuple("update/Add", 1, 3, 0));
    EXPECT_EQ(std::tuple(update.cycles, update.lost), std::tuple(100.0, 0.0));
}

TEST(InsightEvidence, AComputeSetOfEveryIpuLosesOnEachWhatItTakesThere) {
    const File file({}, [](profile::Recorder& recorder) {
        recorder.add(profile::ComputeSetRecord{3, "all/Fill", 3, 20, 0.5});
        add_computing(recorder, 1, 3, -1, 2);
    });
    const Evidence e = file.evidence();
    const auto fill = std::find_if(e.compute_sets.begin(), e.compute_sets.end(),
                                   [](const auto& of) { return of.name == "all/Fill"; });
    ASSERT_NE(fill, e.compute_sets.end());
    EXPECT_EQ(std::tuple(fill->cycles, fill->lost), std::tuple(20.0, 10.0)) << "once in an update";
}

TEST(InsightEvidence, OperationsThatAreAlikeAreOneAndWhatTakesNoTimeIsNone) {
    const Evidence e = File().evidence();
    EXPECT_EQ(e.operations.size(), 2U) << "the last stage has no steps";
    if (const Evidence::Operations* blocks = find(e, "block_*/MatMul"); blocks != nullptr) {
        EXPECT_EQ(blocks->count, 3);
        EXPECT_EQ(blocks->cycles, (120 + 2 * 48 + 24 + 240 + 60 + 40) / 2);
        EXPECT_EQ(blocks->exchange, (2 * 48 + 60) / 2);
        EXPECT_EQ(blocks->arranging, (2 * 48 + 24) / 2);
        EXPECT_EQ(blocks->longest, (240 + 60 + 40 + 48) / 2) << "IPU 1";
        EXPECT_EQ(std::tuple(blocks->operation, blocks->ipu), std::tuple(1, 1)) << "which takes more";
    }
    if (const Evidence::Operations* update = find(e, "update"); update != nullptr) {
        EXPECT_EQ(std::tuple(update->count, update->cycles, update->arranging), std::tuple(1, 100, 0));
    }
    EXPECT_EQ(e.arranging, 60);
    EXPECT_EQ(e.operation_cycles, 290 + 100);
}

// Of an engine run ten compute sets take 560 cycles; nothing syncs, and no FLOPs are counted.
TEST(InsightEvidence, ThePaceIsThatOfTheRunsOfComputeSetsAndSyncs) {
    const Evidence e = File().evidence();
    EXPECT_EQ(e.set_cycles, 560.0 / 10);
    EXPECT_EQ(e.sync_cycles, 0);
    EXPECT_EQ(e.peak_share, std::nullopt);
    EXPECT_EQ(e.busy, (120 + 2 * 48 + 24 + 240 + 60 + 40 + 200) / 2.0 / 2) << "of two IPUs and updates";
    profile::RunRecord run;
    run.batch_size = 8;
    const File synced(run, [](profile::Recorder& recorder) {
        recorder.add(
            profile::OperationRecord{5, "more", "matmul", -1, profile::Phase::Forward, 0, 0, 40, "{}"});
        for (const auto& [id, runs, sync] : {std::tuple(100, 4, 10), std::tuple(101, 2, 40)}) {
            profile::ProgramRecord row;
            row.id = id;
            row.parent_id = 2;
            row.kind = StepKind::Exchange;
            row.operation_id = 5;
            row.runs = runs;
            row.sync_cycles = sync;
            recorder.add(row);
        }
    });
    EXPECT_EQ(synced.evidence().sync_cycles, 120.0 / 6);
    EXPECT_EQ(synced.evidence().batch_size, 8);
    EXPECT_GT(synced.evidence().peak_share.value_or(0), 0);
}

// The host has 100 cycles of an engine run on each of two IPUs: of those of IPU 0 20 until it answers, 12 for
// data in and 4 out, and 6 for a load of streaming memory.
TEST(InsightEvidence, TimeOfTheHostIsToldByWhatItGoesTo) {
    EXPECT_EQ(File().evidence().host.launch, 200) << "no step meets it";
    const File file({}, [](profile::Recorder& recorder) {
        auto add = [&recorder, id = 100](StepKind kind, ProgramPart part, const char* verb, std::int64_t runs,
                                         std::int64_t cycles) mutable {
            profile::ProgramRecord row;
            row.id = id++;
            row.parent_id = 2;
            row.kind = kind;
            row.ipu = 0;
            row.runs = runs;
            row.part = part;
            row.role = StepRole::Host;
            row.verb = verb;
            row.exchange_cycles = cycles;
            row.sync_cycles = 7; // a phase of its own
            recorder.add(row);
        };
        add(StepKind::StreamCopy, ProgramPart::Infeed, "begin", 4, 5);
        add(StepKind::StreamCopy, ProgramPart::Infeed, "", 4, 3);
        add(StepKind::StreamCopy, ProgramPart::Infeed, "end", 4, 0);
        add(StepKind::StreamCopy, ProgramPart::Outfeed, "", 4, 1);
        add(StepKind::Load, ProgramPart::Update, "", 2, 3);
    });
    const auto parts = [](const HostTime& of) {
        return std::tuple(of.launch, of.answers, of.feeds, of.results, of.io_tiles, of.streaming);
    };
    EXPECT_EQ(parts(file.evidence().host), std::tuple(158, 20, 12, 4, 0, 6));
    // On I/O tiles streams pass beside compute: of 60 cycles in two engine runs 20 are hidden by it.
    const auto profile = profile::Profile::open(file.path).value();
    const auto program = profile->program().value();
    const auto costs = Costs::read(*profile).value();
    EXPECT_EQ(parts(host_time(program, costs, {32, 60, 20}, 2)), std::tuple(174, 0, 0, 0, 20, 6));
    const File planned(
        {}, [](profile::Recorder&) {}, 3, false);
    EXPECT_EQ(planned.evidence().host.total(), 0) << "no engine run has ended";
}

TEST(InsightEvidence, StagesOfOneIpuWorkTogether) {
    const Evidence e = File().evidence();
    EXPECT_EQ(e.stages, (std::vector<std::int64_t>{70 + 40, 80}));
    EXPECT_EQ(e.first_stages, (std::vector<std::int64_t>{0, 1}));
}

TEST(InsightEvidence, StagesOfIpusOfTheirOwnAreOnlyStages) {
    const File file(
        {}, [](profile::Recorder&) {}, 2);
    const Evidence e = file.evidence();
    EXPECT_EQ(e.stages, (std::vector<std::int64_t>{70, 80}));
    EXPECT_TRUE(e.first_stages.empty());
}

TEST(InsightEvidence, TheFullestTileAndThatWhichMustFitAreTwo) {
    const Evidence e = File().evidence();
    const auto tile = [](const std::optional<Evidence::Tile>& of) {
        return std::tuple(of->ipu, of->tile, of->bytes);
    };
    ASSERT_TRUE(e.fullest && e.highest);
    EXPECT_EQ(tile(e.fullest), std::tuple(0, 0, 500));
    EXPECT_EQ(tile(e.highest), std::tuple(1, 1, 800));
    EXPECT_EQ(e.total_bytes, 1550);
    EXPECT_EQ(e.highest_code, 90 + 50) << "of that which must fit";
    EXPECT_EQ(e.shortage, "");
}

TEST(InsightEvidence, SaysWhatTheRunSaid) {
    profile::RunRecord run;
    EXPECT_FALSE(File(run).evidence().counter_on_ipu);
    EXPECT_FALSE(File(run).evidence().small_graph);
    run.global_step = profile::CounterPlace::Ipu;
    EXPECT_TRUE(File(run).evidence().counter_on_ipu);
    run.status = profile::RunStatus::Diverged;
    run.error = "loss is not a number";
    EXPECT_EQ(File(run).evidence().divergence, run.error);
    EXPECT_EQ(File(run).evidence().shortage, "");
    run.status = profile::RunStatus::OutOfMemory;
    run.error = "streaming memory is full";
    EXPECT_EQ(File(run).evidence().shortage, run.error) << "every tile has room";
    EXPECT_EQ(File(run).evidence().divergence, "");
    const File graph(profile::RunRecord(), [](profile::Recorder& recorder) {
        recorder.add(profile::OutputRecord{"y", DType::Float32, "[1]", "[1]"});
    });
    EXPECT_TRUE(graph.evidence().small_graph);
}

} // namespace tilescope::analyse
