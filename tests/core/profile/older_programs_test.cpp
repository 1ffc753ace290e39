// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/host_work.h"
#include "older_schema.h"
#include "profile/profile.h"
#include "profile/recorder.h"
#include "tests/temporary_folder.h"

#include <optional>
#include <string>
#include <vector>

namespace tilescope::profile {
namespace {

// What stands in which part of a program follows from how the compiler nests it; what moves is not known.
TEST(OlderPrograms, HaveTheirPartsByHowTheyAreNested) {
    const tests::TemporaryFolder folder;
    const std::string made = folder / "further.tilescope";
    using Part = ProgramPart;
    const std::vector<FurtherStepRecord> steps = [] {
        std::vector<FurtherStepRecord> all;
        const auto add = [&](std::int64_t parent, StepKind kind, const char* name, Part part) {
            FurtherStepRecord step;
            step.id = 1 + static_cast<std::int64_t>(all.size());
            step.parent_id = parent;
            step.kind = kind;
            step.name = name;
            step.part = part;
            step.bytes = kind == StepKind::Exchange ? 64 : 0;
            all.push_back(step);
            return step.id;
        };
        const auto root = add(-1, StepKind::Sequence, "model", Part::Whole);
        const auto rounds = add(root, StepKind::Repeat, "steps", Part::Whole);
        const auto batches = add(rounds, StepKind::Repeat, "micro-batches", Part::MicroBatches);
        const auto infeed = add(batches, StepKind::Sequence, "infeed", Part::Infeed);
        add(infeed, StepKind::StreamCopy, "x", Part::Infeed);
        const auto work = add(batches, StepKind::Sequence, "forward and backward", Part::MicroBatches);
        const auto operation = add(work, StepKind::Sequence, "scan", Part::MicroBatches);
        const auto loop = add(operation, StepKind::Repeat, "turns", Part::MicroBatches);
        add(loop, StepKind::Exchange, "infeed", Part::MicroBatches); // an operation may name its own so
        const auto write = add(rounds, StepKind::Sequence, "write variables", Part::Update);
        add(write, StepKind::Execute, "copy", Part::Update);
        const auto outfeed = add(batches, StepKind::Sequence, "outfeed", Part::Outfeed);
        add(outfeed, StepKind::StreamCopy, "y", Part::Outfeed);
        return all;
    }();
    {
        auto recorder = std::move(*Recorder::create(made, {}));
        recorder->add(ProgramRecord{0, -1, 0, StepKind::Sequence, "first"});
        recorder->add(DeviceProgramRecord{0, "training", 0, true});
        recorder->add(DeviceProgramRecord{1, "evaluation", 1});
        for (const FurtherStepRecord& step : steps)
            recorder->add(step);
        recorder->add(PipelineSlotRecord{0, 0, 10, 0, PipelineActivity::Forward, 0, 0});
        ASSERT_TRUE(recorder->finish(RunStatus::Complete));
    }
    run_sql(made, "DROP VIEW main.trace; " + without_further_parts + "PRAGMA user_version = 13");
    const auto profile = std::move(*Profile::open(made));
    const auto read = profile->further_steps().value();
    ASSERT_EQ(read.size(), steps.size());
    for (std::size_t i = 0; i < steps.size(); ++i) {
        EXPECT_EQ(read[i].part, steps[i].part) << steps[i].name << " " << steps[i].id;
        EXPECT_EQ(read[i].bytes, -1);
    }
    EXPECT_EQ(profile->pipeline_slots()->size(), 1U);
    EXPECT_TRUE(profile->pipeline_slots(1)->empty());
}

/// Three stages on two IPUs: 0 and 2 on IPU 0. Operation n is of stage n and makes tensor "n"; operation 3 is
/// the backward pass of stage 1. Each row has the stage, the one that a copy comes to, and the activity.
class OlderStages : public testing::Test {
  protected:
    using Kind = StepKind;
    using Part = ProgramPart;
    using Is = PipelineActivity;
    struct Told {
        std::int64_t stage = -1, peer_stage = -1;
        std::optional<PipelineActivity> activity;
        bool operator==(const Told&) const = default;
    };
    std::int64_t add(std::int64_t parent, Kind kind, Part part, std::int64_t operation, Told told) {
        ProgramRecord step;
        step.id = static_cast<std::int64_t>(steps_.size());
        step.parent_id = parent;
        step.kind = kind;
        step.part = part;
        step.operation_id = operation;
        step.ipu = operation < 0 ? -1 : operation % 2;
        step.role = is_leaf(kind) ? operation < 0 ? StepRole::Host : StepRole::Compute : StepRole::Structure;
        step.stage = told.stage;
        step.peer_stage = told.peer_stage;
        step.activity = told.activity;
        steps_.push_back(step);
        return step.id;
    }
    void host(std::int64_t parent, Part part, std::int64_t ipu, HostWork work, Told told) {
        add(parent, Kind::StreamCopy, part, -1, told);
        steps_.back().ipu = ipu;
        steps_.back().verb = to_string(work);
    }
    void copy(std::int64_t parent, Part part, std::int64_t operation, const std::string& tensor,
              std::int64_t from, std::int64_t to, Told told) {
        add(parent, to < 0 ? Kind::Execute : Kind::Exchange, part, operation, told);
        steps_.back().role = StepRole::Copy;
        steps_.back().of = tensor;
        steps_.back().ipu = from;
        steps_.back().peer = to;
    }
    /// What a file of schema 30 with these steps says when it is read.
    std::vector<Told> older(bool io_tiles = false) {
        const std::string path = folder_ / "older.tilescope";
        auto recorder = std::move(*Recorder::create(path, {}, Recorder::Existing::Overwrite));
        for (std::int64_t ipu = 0; ipu < 2; ++ipu)
            recorder->add(IpuRecord{ipu, ipu, "", 0, ipu, ipu});
        for (std::int64_t id = 0; id < 4; ++id) {
            recorder->add(TensorRecord{id, std::to_string(id)});
            OperationRecord operation;
            operation.id = id;
            operation.phase = id == 3 ? Phase::Backward : Phase::Forward;
            operation.ipu = id % 2;
            operation.stage = id == 3 ? 1 : id;
            operation.outputs = {id};
            recorder->add(operation);
        }
        for (const ProgramRecord& step : steps_)
            recorder->add(step);
        if (io_tiles)
            recorder->add_schedule({{0, 0, 9}}, {}, 0, {{{0, 0, 5, 0}}, {}});
        EXPECT_TRUE(recorder->finish(RunStatus::Complete));
        recorder.reset();
        run_sql(path, "DROP VIEW main.trace; " + without_stages + "PRAGMA user_version = 30");
        const auto profile = Profile::open(path);
        EXPECT_TRUE(profile) << profile.error().line();
        std::vector<Told> told;
        const auto program = (*profile)->program();
        for (const ProgramRecord& step : *program)
            told.push_back({step.stage, step.peer_stage, step.activity});
        return told;
    }
    std::vector<Told> recorded() const {
        std::vector<Told> told;
        for (const ProgramRecord& step : steps_)
            told.push_back({step.stage, step.peer_stage, step.activity});
        return told;
    }
    std::vector<ProgramRecord> steps_;
    tests::TemporaryFolder folder_;
};

TEST_F(OlderStages, FollowFromOperationsTensorsAndIpus) {
    const auto root = add(-1, Kind::Sequence, Part::Whole, -1, {});
    const auto infeed = add(root, Kind::Sequence, Part::Infeed, -1, {0, -1, {}});
    host(infeed, Part::Infeed, 0, HostWork::Begin, {0, -1, Is::Forward});
    const auto work = add(root, Kind::Sequence, Part::MicroBatches, -1, {});
    for (std::int64_t stage = 0; stage < 3; ++stage) {
        const auto of = add(work, Kind::Sequence, Part::MicroBatches, stage, {stage, -1, {}});
        if (stage > 0)
            copy(of, Part::MicroBatches, stage, std::to_string(stage - 1), (stage - 1) % 2, stage % 2,
                 {stage - 1, stage, Is::Copy});
        if (stage == 2) // what stage 0 made waits on the same IPU
            copy(of, Part::MicroBatches, stage, "0", 0, -1, {0, 2, Is::Copy});
        add(of, Kind::Execute, Part::MicroBatches, stage, {stage, -1, Is::Forward});
    }
    const auto back = add(work, Kind::Sequence, Part::MicroBatches, 3, {1, -1, {}});
    copy(back, Part::MicroBatches, 3, "2", 0, 1, {2, 1, Is::Copy});
    add(back, Kind::Execute, Part::MicroBatches, 3, {1, -1, Is::Backward});
    add(root, Kind::Execute, Part::Update, 2, {2, -1, Is::Update});
    copy(root, Part::Update, 1, "2", 0, 1, {2, 1, Is::Update});
    host(root, Part::Update, -1, HostWork::Begin, {-1, -1, Is::Update});
    const auto outfeed = add(root, Kind::Sequence, Part::Outfeed, -1, {2, -1, {}});
    host(outfeed, Part::Outfeed, 0, HostWork::End, {2, -1, Is::Forward});
    EXPECT_EQ(older(), recorded());
}

TEST_F(OlderStages, HaveTheHostBesideThemOnIoTiles) {
    const auto infeed = add(-1, Kind::Sequence, Part::Infeed, -1, {0, -1, {}});
    host(infeed, Part::Infeed, 0, HostWork::Stream, {0, -1, {}});
    host(infeed, Part::Infeed, 0, HostWork::Rearrange, {0, -1, Is::Copy});
    const auto outfeed = add(-1, Kind::Sequence, Part::Outfeed, -1, {2, -1, {}});
    host(outfeed, Part::Outfeed, 0, HostWork::Rearrange, {2, -1, Is::Copy});
    host(outfeed, Part::Outfeed, 0, HostWork::End, {2, -1, {}});
    EXPECT_EQ(older(true), recorded());
}

TEST_F(OlderStages, APlansItemsWereJson) {
    const std::string path = folder_ / "plans.tilescope";
    const std::vector<PlanItem> items{{"rearrange", CostKind::Compute, 5},
                                      {"exchange_inputs", CostKind::Exchange, 7},
                                      {"partials", CostKind::Compute, 100}};
    const std::vector<PlanItem> placed{{"sync", CostKind::Sync, 9}, {"partials", CostKind::Compute, 30}};
    auto recorder = std::move(*Recorder::create(path, {}));
    recorder->add(PlanRecord{1, "p", 0, "{}", 112, 4, items, placed});
    recorder->add(PlanRecord{1, "p", 1, "{}", 100, 4, {items[2]}, {}});
    recorder->add(PlanRecord{2, "q", 0, "{}", 0, 4, {}, {}});
    recorder->add(DeviceRecord{0, false, "", "", 0, "C2"});
    recorder->add(DeviceRecord{1, false, "", "", 0, "M2000"});
    recorder->add(DeviceRecord{2, true, "0 1", "", 0, "M2000"});
    EXPECT_TRUE(recorder->finish(RunStatus::Complete));
    recorder.reset();
    run_sql(path, "DROP VIEW main.trace; " + without_stages + "PRAGMA user_version = 30");
    const auto profile = Profile::open(path);
    ASSERT_TRUE(profile) << profile.error().line();
    const auto plans = (*profile)->plans();
    ASSERT_TRUE(plans);
    ASSERT_EQ(plans->size(), 3U);
    EXPECT_EQ((*plans)[0].items, items);
    EXPECT_EQ((*plans)[0].placed, placed);
    EXPECT_EQ((*plans)[0].cycles, 112);
    EXPECT_EQ((*plans)[1].items, std::vector<PlanItem>{items[2]});
    EXPECT_TRUE((*plans)[1].placed.empty());
    EXPECT_TRUE((*plans)[2].items.empty());
    const auto devices = (*profile)->devices();
    ASSERT_TRUE(devices);
    EXPECT_EQ((*devices)[0].routing, "");
    EXPECT_EQ((*devices)[1].routing, "DNC");
    EXPECT_EQ((*devices)[2].routing, "");
}

// A step that is its own parent, and two of one number: no tree, of which nothing can be told.
TEST(OlderPrograms, ThatAreNoTreeAreRefused) {
    const tests::TemporaryFolder folder;
    const std::string path = folder / "older.tilescope";
    sqlite3* db = nullptr;
    ASSERT_EQ(sqlite3_open(path.c_str(), &db), SQLITE_OK);
    const std::string sql =
        "CREATE TABLE program (id, parent_id, position, kind, name, operation_id, compute_set_id, "
        "exchange_id, "
        "repeats, liveness_step, sync_cycles, exchange_cycles, compute_cycles, ipu, peer, runs); CREATE "
        "TABLE run "
        "(id, status, workload); CREATE TABLE pipeline_slot (stage, start_cycle, end_cycle, slot, activity, "
        "micro_batch); INSERT INTO program (id, parent_id, repeats) VALUES (1, -1, 1), (1, 1, 1); PRAGMA "
        "application_id = " +
        std::to_string(0x54534350) + "; PRAGMA user_version = 4";
    ASSERT_EQ(sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK);
    sqlite3_close(db);
    const auto profile = Profile::open(path);
    ASSERT_FALSE(profile);
    EXPECT_EQ(profile.error().kind, ErrorKind::BadInput);
}

} // namespace
} // namespace tilescope::profile
