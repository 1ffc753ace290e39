// SPDX-License-Identifier: GPL-3.0-or-later
#include "older_schema.h"
#include "profile/profile.h"
#include "profile/recorder.h"
#include "tests/temporary_folder.h"

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
