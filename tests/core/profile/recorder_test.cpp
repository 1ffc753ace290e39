// SPDX-License-Identifier: GPL-3.0-or-later
#include "profile/profile.h"
#include "profile/recorder.h"
#include "tests/profile_fixture.h"
#include "tests/record_rows.h"
#include "tests/temporary_folder.h"

#include <array>
#include <chrono>
#include <csignal>
#include <fstream>
#include <gtest/gtest.h>
#include <set>
#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <tuple>
#include <unistd.h>

namespace tilescope::profile {
namespace {

using tests::TemporaryFolder;

std::unique_ptr<Recorder> create(const std::string& path, const std::string& name = "run") {
    RunRecord run;
    run.name = name;
    auto recorder = Recorder::create(path, run);
    EXPECT_TRUE(recorder) << recorder.error().line();
    return recorder ? std::move(*recorder) : nullptr;
}

std::unique_ptr<Profile> open(const std::string& path) {
    auto profile = Profile::open(path);
    EXPECT_TRUE(profile) << profile.error().line();
    return profile ? std::move(*profile) : nullptr;
}

std::set<std::string> files_in(const TemporaryFolder& folder) {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
        names.insert(entry.path().filename().string());
    return names;
}

/// One execution and its trace row, numbered.
void add_execution(Recorder& recorder, std::int64_t id) {
    ExecutionRecord execution;
    execution.id = id;
    execution.start_cycle = 100 * id;
    execution.cycles = 100;
    tests::record_rows(recorder, {execution}, {}, {{id, 0, 0, 0, 100 * id, 10, 20, 70}});
}

TEST(Recorder, LeavesOneFileThatNamesItsKindAndVersion) {
    const TemporaryFolder folder;
    const std::string path = folder / "a.tilescope";
    auto recorder = create(path);
    ASSERT_TRUE(recorder->finish(RunStatus::Complete));
    EXPECT_FALSE(std::filesystem::exists(path + "-wal"));
    EXPECT_FALSE(std::filesystem::exists(path + "-shm"));
    const auto profile = open(path);
    EXPECT_EQ(profile->query("PRAGMA application_id")->rows[0][0].text, std::to_string(0x54534350));
    EXPECT_EQ(profile->query("PRAGMA user_version")->rows[0][0].text, "31");
    EXPECT_EQ(profile->run()->status, RunStatus::Complete);
    EXPECT_GT(profile->run()->finished_unix_ms, 0);
    EXPECT_FALSE(std::filesystem::exists(path + "-shm"))
        << "reading a finished profile leaves nothing beside it";
}

TEST(Recorder, GivesBackEveryFieldOfEveryRecord) {
    const TemporaryFolder folder;
    const std::string path = folder / "a.tilescope";
    RunRecord run{RunStatus::Running,
                  "n",
                  "{}",
                  "w.json",
                  "1.2",
                  WorkloadKind::Graph,
                  RunDevice::Ipu,
                  0xFFFFFFFFFFFFFFFFU,
                  true,
                  "note",
                  11,
                  0,
                  1.5,
                  7,
                  8,
                  PipelineSchedule::Sequential,
                  CounterPlace::Cpu,
                  9,
                  "",
                  "v1"};
    auto created = Recorder::create(path, run);
    ASSERT_TRUE(created);
    Recorder& recorder = **created;
    recorder.set(TargetRecord{"pod4", "bow", 2, 1472, 638976, 1.85e9, 6, 7, {}, 9, 10, 11, 12.5, {}, 13.5});
    recorder.set(ProgressRecord{RunActivity::Train, 1, 2, 3, 4, 5});
    recorder.set(ProgressRecord{RunActivity::Train, 1, 2, 4, 4, 6});
    recorder.add(IpuRecord{1, 2, "/device:IPU:1", 3, 4, 5});
    recorder.add(DeviceRecord{4, true, "0 1", "10.0.0.1", 2, "M2000", DeviceState::Free, "DNC"});
    recorder.add(OperationRecord{
        3, "op \"quoted\"", "conv2d", 2, Phase::Backward, 1, 6, 1LL << 40, "{}", {9, 9, 8}, {7}});
    recorder.add(OperationRecord{4, "none", "nothing", -1, Phase::Update, 0, -1, 0, "", {}, {}});
    recorder.add(VariableRecord{5, "v", MemoryCategory::Constants, 1, 2, 3, 4, DType::Float16, "[2]", 6,
                                false, 7, 8, 9, 10});
    recorder.add(ComputeSetRecord{6, "cs", 1, 2, 0.25});
    recorder.add(VertexRecord{6, "Codelet<float>", 12, 3});
    recorder.add(ExchangeRecord{7, "x", ExchangeKind::Host, 1, 2, 3, 4, 5, RingPhase::AllGather});
    recorder.add(ProgramRecord{8,
                               1,
                               2,
                               StepKind::Execute,
                               "p",
                               3,
                               4,
                               5,
                               6,
                               7,
                               8,
                               9,
                               10,
                               11,
                               12,
                               13,
                               ProgramPart::Outfeed,
                               StepRole::Copy,
                               "v",
                               "o",
                               14,
                               15,
                               16,
                               PipelineActivity::Copy});
    recorder.add(LivenessSpanRecord{4, 7, 2, 4, 5, 6});
    recorder.add(
        PlanRecord{1, "p", 2, "d", 3, 4, {{"a", CostKind::Exchange, 5}, {"b", CostKind::Compute, 6}}, {}});
    recorder.add(
        PlanRecord{1, "p", 0, "d", 3, 4, {{"a", CostKind::Exchange, 7}}, {{"s", CostKind::Sync, 8}}});
    recorder.add(PlanRecord{1, "o", 0, "d", 3, 4, {}, {}});
    recorder.add(CompileEventRecord{1, 0, "pass", 2, 3, "detail"});
    const std::int64_t schedule = recorder.add_schedule({{0, 2, 3, 4, 5, 6, 7, 8}}, {});
    recorder.add(ExecutionRecord{1, ExecutionKind::Evaluate, 2, 3, 4, 5, 6, 7, schedule});
    recorder.add(PipelineSlotRecord{1, 2, 3, 4, PipelineActivity::Forward, 5});
    recorder.add(LinkTrafficRecord{1, 2, LinkKind::Copy, 3, 4, 5});
    recorder.add(ErrorBandRecord{FigureKind::Memory, 3, 1.25, 0.5, 1.5, "a, b, c"});
    recorder.add(MetricRecord{1, "loss", 0.1});
    recorder.add(MetricWithinRecord{2, 3, 40, "loss", 0.3});
    recorder.add(EpochMetricRecord{2, ExecutionKind::Predict, "accuracy", 0.2});
    recorder.add(OutputRecord{"o", DType::Float32, "[1]", "[1]", ""});
    recorder.add(LogRecord{5, Severity::Warning, "líne"});
    recorder.add(OversizeTileRecord{4, 2, 3, 4});
    recorder.add(RemedyRecord{"a=1", 2, 3, true, 4.5});
    ASSERT_TRUE((*created)->finish(RunStatus::OutOfMemory, "too big"));

    const auto profile = open(path);
    const auto r = profile->run().value();
    EXPECT_EQ(std::tie(r.name, r.workload, r.workload_path, r.tool_version, r.data_note, r.error, r.label),
              std::make_tuple("n", "{}", "w.json", "1.2", "note", "too big", "v1"));
    EXPECT_EQ(std::tie(r.workload_kind, r.device, r.schedule, r.global_step),
              std::make_tuple(WorkloadKind::Graph, RunDevice::Ipu, PipelineSchedule::Sequential,
                              CounterPlace::Cpu));
    EXPECT_EQ(std::tie(r.seed, r.estimate, r.started_unix_ms, r.compile_s, r.steps_per_execution,
                       r.batch_size, r.pid),
              std::make_tuple(0xFFFFFFFFFFFFFFFFU, true, 11, 1.5, 7, 8, 9));
    EXPECT_EQ(r.status, RunStatus::OutOfMemory);
    const auto t = profile->target().value();
    EXPECT_EQ(std::tie(t.system, t.generation, t.ipus, t.tiles_per_ipu, t.bytes_per_tile, t.clock_hz,
                       t.workers_per_tile),
              std::make_tuple("pod4", "bow", 2, 1472, 638976, 1.85e9, 6));
    EXPECT_EQ(t.half_flops_per_cycle, 7);
    EXPECT_EQ(t.streaming_bytes, 10);
    EXPECT_EQ(t.interleaved_bytes, 11);
    EXPECT_EQ(t.link_bytes_per_cycle, 12.5);
    EXPECT_EQ(t.host_bytes_per_cycle, std::nullopt);
    EXPECT_EQ(t.streaming_bytes_per_cycle, 13.5);
    EXPECT_EQ(t.float_flops_per_cycle, std::nullopt);
    EXPECT_EQ(t.exchange_bytes_per_cycle, 9);
    const auto p = profile->progress().value();
    EXPECT_EQ(std::tie(p.activity, p.epoch, p.epochs, p.step, p.steps, p.elapsed_ms),
              std::make_tuple(RunActivity::Train, 1, 2, 4, 4, 6));
    const auto i = profile->ipus().value().at(0);
    EXPECT_EQ(std::tie(i.id, i.device_id, i.device, i.replica, i.shard, i.stage),
              std::make_tuple(1, 2, "/device:IPU:1", 3, 4, 5));
    const auto d = profile->devices().value().at(0);
    EXPECT_EQ(std::tie(d.id, d.multi, d.members, d.machine, d.ipu_number, d.type, d.state),
              std::make_tuple(4, true, "0 1", "10.0.0.1", 2, "M2000", DeviceState::Free));
    const auto operations = profile->operations().value();
    const auto& o = operations.at(0);
    EXPECT_EQ(std::tie(o.id, o.name, o.kind, o.layer_id, o.ipu, o.stage, o.flops, o.attributes),
              std::make_tuple(3, "op \"quoted\"", "conv2d", 2, 1, 6, 1LL << 40, "{}"));
    EXPECT_EQ(o.phase, Phase::Backward);
    EXPECT_EQ(o.inputs, (std::vector<std::int64_t>{9, 9, 8})) << "an input that is used twice is kept twice";
    EXPECT_EQ(o.outputs, (std::vector<std::int64_t>{7}));
    EXPECT_TRUE(operations.at(1).inputs.empty());
    const auto v = profile->variables().value().at(0);
    EXPECT_EQ(std::tie(v.id, v.name, v.category, v.layer_id, v.operation_id, v.tensor_id, v.ipu, v.dtype,
                       v.shape, v.bytes, v.always_live, v.live_from, v.live_to, v.stash_depth,
                       v.streaming_bytes),
              std::make_tuple(5, "v", MemoryCategory::Constants, 1, 2, 3, 1, DType::Float16, "[2]", 6, false,
                              7, 8, 9, 10));
    const auto c = profile->compute_sets().value().at(0);
    EXPECT_EQ(std::tie(c.id, c.name, c.operation_id, c.cycles, c.balance),
              std::make_tuple(6, "cs", 1, 2, 0.25));
    const auto vertex = profile->vertices(6).value().at(0);
    EXPECT_EQ(std::tie(vertex.codelet, vertex.count, vertex.tiles), std::make_tuple("Codelet<float>", 12, 3));
    const auto band = profile->error_bands().value().at(0);
    EXPECT_EQ(std::tie(band.kind, band.rows, band.typical, band.lowest, band.highest, band.source),
              std::make_tuple(FigureKind::Memory, 3, 1.25, 0.5, 1.5, "a, b, c"));
    const auto x = profile->exchanges().value().at(0);
    EXPECT_EQ(std::tie(x.id, x.name, x.kind, x.operation_id, x.bytes, x.cycles, x.ipu, x.peer),
              std::make_tuple(7, "x", ExchangeKind::Host, 1, 2, 3, 4, 5));
    const auto g = profile->program().value().at(0);
    EXPECT_EQ(std::tie(g.id, g.parent_id, g.position, g.kind, g.name, g.operation_id, g.compute_set_id,
                       g.exchange_id, g.repeats, g.liveness_step, g.sync_cycles, g.exchange_cycles,
                       g.compute_cycles, g.ipu, g.peer),
              std::make_tuple(8, 1, 2, StepKind::Execute, "p", 3, 4, 5, 6, 7, 8, 9, 10, 11, 12));
    EXPECT_EQ(std::tie(g.code_bytes, g.stage, g.peer_stage, g.activity),
              std::make_tuple(14, 15, 16, PipelineActivity::Copy));
    const auto l = profile->liveness(1).value().at(0);
    EXPECT_EQ(
        std::tie(l.step, l.ipu, l.program_id, l.always_live_bytes, l.not_always_live_bytes, l.max_tile_bytes),
        std::make_tuple(7, 1, 8, 4, 5, 6));
    const auto plans = profile->plans(1).value();
    ASSERT_EQ(plans.size(), 3U);
    EXPECT_TRUE(plans[0].product == "o" && plans[0].items.empty() && plans[0].placed.empty());
    EXPECT_EQ(plans[1].items, (std::vector<PlanItem>{{"a", CostKind::Exchange, 7}}));
    EXPECT_EQ(plans[1].placed, (std::vector<PlanItem>{{"s", CostKind::Sync, 8}}));
    const PlanRecord& plan = plans[2];
    EXPECT_EQ(std::tie(plan.operation_id, plan.rank, plan.description, plan.cycles, plan.temporary_bytes),
              std::make_tuple(1, 2, "d", 3, 4));
    EXPECT_EQ(plan.items, (std::vector<PlanItem>{{"a", CostKind::Exchange, 5}, {"b", CostKind::Compute, 6}}));
    const auto e = profile->compile_events().value().at(0);
    EXPECT_EQ(std::tie(e.id, e.parent_id, e.name, e.start_us, e.duration_us, e.detail),
              std::make_tuple(1, 0, "pass", 2, 3, "detail"));
    const auto run_of = profile->executions().value().at(0);
    EXPECT_EQ(std::tie(run_of.id, run_of.epoch, run_of.first_step, run_of.steps, run_of.start_cycle,
                       run_of.cycles, run_of.wall_us, run_of.schedule_id),
              std::make_tuple(1, 2, 3, 4, 5, 6, 7, schedule));
    EXPECT_EQ(run_of.kind, ExecutionKind::Evaluate);
    const auto phases = profile->schedule_ipus().value().at(0);
    EXPECT_EQ(std::tie(phases.schedule_id, phases.ipu, phases.compute, phases.exchange, phases.sync,
                       phases.inter_ipu, phases.host, phases.waiting),
              std::make_tuple(schedule, 2, 3, 4, 5, 6, 7, 8));
    const auto slot = profile->pipeline_slots().value().at(0);
    EXPECT_EQ(
        std::tie(slot.stage, slot.start_cycle, slot.end_cycle, slot.slot, slot.activity, slot.micro_batch),
        std::make_tuple(1, 2, 3, 4, PipelineActivity::Forward, 5));
    const auto traffic = profile->link_traffic().value().at(0);
    EXPECT_EQ(
        std::tie(traffic.ipu, traffic.peer, traffic.kind, traffic.copies, traffic.bytes, traffic.cycles),
        std::make_tuple(1, 2, LinkKind::Copy, 3, 4, 5));
    EXPECT_EQ(profile->metrics().value().at(0).value, 0.1);
    const auto newest = profile->last_metrics().value().at(0);
    EXPECT_EQ(std::tie(newest.execution_id, newest.name, newest.value), std::make_tuple(2, "loss", 0.3))
        << "of an execution that has not ended";
    const auto m = profile->epoch_metrics().value().at(0);
    EXPECT_EQ(std::tie(m.epoch, m.name, m.value), std::make_tuple(2, "accuracy", 0.2));
    EXPECT_EQ(m.kind, ExecutionKind::Predict);
    EXPECT_EQ(profile->outputs().value().at(0).values, "[1]");
    EXPECT_EQ(profile->log().value().at(0).message, "líne");
    const auto tile = profile->oversize_tiles().value().at(0);
    EXPECT_EQ(std::tie(tile.ipu, tile.tile, tile.bytes, tile.program_id), std::make_tuple(1, 2, 3, 4));
    const auto remedy = profile->remedies().value().at(0);
    EXPECT_EQ(std::tie(remedy.change, remedy.ipus, remedy.max_tile_bytes, remedy.fits, remedy.step_us),
              std::make_tuple("a=1", 2, 3, true, 4.5));
}

TEST(Recorder, ReplacesAProfileButNoOtherFile) {
    const TemporaryFolder folder;
    const std::string path = folder / "a.tilescope";
    ASSERT_TRUE(create(path, "first")->finish(RunStatus::Complete));
    ASSERT_TRUE(create(path, "second")->finish(RunStatus::Complete));
    EXPECT_EQ(open(path)->run()->name, "second");

    const std::string note = folder / "notes.txt";
    std::ofstream(note) << "do not lose me";
    const auto refused = Recorder::create(note, {});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, ErrorKind::BadInput);
    EXPECT_EQ(refused.error().place, note);
    std::string kept;
    std::getline(std::ifstream(note), kept);
    EXPECT_EQ(kept, "do not lose me");

    const std::string database = folder / "other.db";
    sqlite3* db = nullptr;
    sqlite3_open(database.c_str(), &db);
    sqlite3_exec(db, "CREATE TABLE mine (x)", nullptr, nullptr, nullptr);
    sqlite3_close(db);
    EXPECT_FALSE(Recorder::create(database, {})) << "another program's database";
    EXPECT_FALSE(Recorder::create(folder.path().string(), {})) << "a folder";
    EXPECT_FALSE(Recorder::create(folder / "no/such/folder.tilescope", {}));
}

TEST(Recorder, ReplacesADamagedProfile) {
    const TemporaryFolder folder;
    const std::string path = folder / "a.tilescope";
    ASSERT_TRUE(create(path)->finish(RunStatus::Complete));
    std::filesystem::resize_file(path, 9000);
    ASSERT_TRUE(create(path, "again")->finish(RunStatus::Complete));
    EXPECT_EQ(open(path)->run()->name, "again");
}

TEST(Recorder, DoesNotDisturbAReaderOfTheFileItReplaces) {
    const TemporaryFolder folder;
    const std::string path = folder / "a.tilescope";
    auto first = create(path, "first");
    auto reader = open(path); // of a file that is being written: in WAL mode
    ASSERT_TRUE(first->finish(RunStatus::Complete));
    auto second = create(path, "second");
    add_execution(*second, 0);
    ASSERT_TRUE(second->finish(RunStatus::Complete));
    EXPECT_EQ(reader->run()->name, "first");
    EXPECT_TRUE(reader->executions()->empty());
    reader.reset();
    EXPECT_EQ(open(path)->run()->name, "second");
    EXPECT_EQ(open(path)->executions()->size(), 1U);
    EXPECT_EQ(files_in(folder), std::set<std::string>{"a.tilescope"});
}

TEST(Recorder, LeavesAnEarlierProfileUntilItIsComplete) {
    const TemporaryFolder folder;
    const std::string path = folder / "a.tilescope";
    ASSERT_TRUE(create(path, "first")->finish(RunStatus::Complete));
    auto second = create(path, "second");
    EXPECT_TRUE(second->beside());
    EXPECT_EQ(second->path(), path + ".partial");
    EXPECT_EQ(open(path)->run()->name, "first");
    EXPECT_EQ(open(path)->run()->status, RunStatus::Complete);
    auto follower = std::move(*Profile::follow(path));
    EXPECT_EQ(follower->run()->name, "second");
    EXPECT_EQ(follower->run()->status, RunStatus::Running);
    ASSERT_TRUE(second->finish(RunStatus::Complete));
    EXPECT_EQ(second->path(), path);
    EXPECT_EQ(follower->run()->status, RunStatus::Complete) << "through the change of name";
    EXPECT_EQ(open(path)->run()->name, "second");
    EXPECT_EQ(std::move(*Profile::follow(path))->run()->name, "second");
    EXPECT_EQ(files_in(folder), std::set<std::string>{"a.tilescope"});
}

TEST(Recorder, LeavesAnEarlierProfileWhenItEndsEarly) {
    const TemporaryFolder folder;
    const std::string path = folder / "a.tilescope";
    ASSERT_TRUE(create(path, "first")->finish(RunStatus::Complete));
    for (const RunStatus status : {RunStatus::Failed, RunStatus::Cancelled, RunStatus::OutOfMemory}) {
        SCOPED_TRACE(to_string(status));
        auto second = create(path, to_string(status));
        ASSERT_TRUE(second->finish(status));
        EXPECT_EQ(second->path(), path + ".partial");
        EXPECT_EQ(open(path)->run()->name, "first");
        EXPECT_EQ(open(second->path())->run()->status, status) << "one is kept, that of the last run";
        EXPECT_EQ(files_in(folder), (std::set<std::string>{"a.tilescope", "a.tilescope.partial"}));
    }
}

TEST(Recorder, DropsAnEarlierProfileAtOnceWhereItIsToldTo) {
    const TemporaryFolder folder;
    const std::string path = folder / "a.tilescope";
    ASSERT_TRUE(create(path, "first")->finish(RunStatus::Complete));
    RunRecord run;
    run.name = "second";
    auto second = std::move(*Recorder::create(path, run, Recorder::Existing::Overwrite));
    EXPECT_FALSE(second->beside());
    EXPECT_EQ(open(path)->run()->name, "second");
    ASSERT_TRUE(second->finish(RunStatus::Cancelled));
    EXPECT_EQ(open(path)->run()->status, RunStatus::Cancelled);
    EXPECT_EQ(files_in(folder), std::set<std::string>{"a.tilescope"});
}

TEST(Recorder, TakesANameThatSomeoneElseWritesOnlyWhenThatHasEnded) {
    const TemporaryFolder folder;
    const std::string path = folder / "a.tilescope";
    auto first = create(path, "first");
    const auto refused = Recorder::create(path, {});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, ErrorKind::System);
    EXPECT_EQ(refused.error().place, path);
    EXPECT_EQ(refused.error().message, "process " + std::to_string(getpid()) + " is writing this profile");
    const std::string link = folder / "link.tilescope";
    std::filesystem::create_symlink(path, link);
    EXPECT_FALSE(Recorder::create(link, {})) << "by another name";
    ASSERT_TRUE(first->finish(RunStatus::Complete));
    ASSERT_TRUE(create(link, "second")->finish(RunStatus::Complete));
    EXPECT_TRUE(std::filesystem::is_symlink(link));
    EXPECT_EQ(open(path)->run()->name, "second");
}

TEST(Recorder, EndsAsOnePlainFileThoughReadersAreThere) {
    const TemporaryFolder folder;
    const std::string path = folder / "a.tilescope";
    auto recorder = create(path);
    add_execution(*recorder, 0);
    recorder->flush();
    const auto reader = open(path);
    EXPECT_EQ(reader->executions()->size(), 1U);
    add_execution(*recorder, 1);
    ASSERT_TRUE(recorder->finish(RunStatus::Complete));
    EXPECT_EQ(files_in(folder), std::set<std::string>{"a.tilescope"});
    std::array<char, 20> header{};
    std::ifstream(path, std::ios::binary).read(header.data(), header.size());
    EXPECT_EQ(std::pair(header[18], header[19]), std::pair('\1', '\1')) << "not in WAL mode";
    EXPECT_EQ(reader->executions()->size(), 2U) << "the reader goes on";
    EXPECT_EQ(open(path)->query("PRAGMA integrity_check")->rows[0][0].text, "ok");
    EXPECT_EQ(open(path)->executions()->size(), 2U);
}

TEST(Recorder, GivesBackAnyNumberOfRowsEachTextOnce) {
    for (const std::int64_t count : {1, 15, 16, 17, 3000}) {
        SCOPED_TRACE(count);
        const TemporaryFolder folder;
        const std::string path = folder / "a.tilescope";
        auto recorder = create(path);
        const auto tensor = [](std::int64_t i) {
            return TensorRecord{i, "tensor " + std::to_string(i), i % 2 == 0 ? DType::Int32 : DType::Bool,
                                std::string(static_cast<std::size_t>(i % 7), 'x'), i};
        };
        for (std::int64_t i = 0; i < count; ++i) {
            recorder->add(tensor(i));
            recorder->add(DeviceRecord{i, false, "", "", i, "C2", DeviceState::Free});
            if (i % 1000 == 500)
                recorder->flush();
        }
        ASSERT_TRUE(recorder->finish(RunStatus::Complete));
        const auto file = open(path);
        const auto tensors = *file->tensors();
        ASSERT_EQ(tensors.size(), static_cast<std::size_t>(count));
        for (std::int64_t i = 0; i < count; ++i) {
            const TensorRecord& got = tensors[static_cast<std::size_t>(i)];
            const TensorRecord wanted = tensor(i);
            EXPECT_EQ(std::tie(got.id, got.name, got.dtype, got.shape, got.bytes),
                      std::tie(wanted.id, wanted.name, wanted.dtype, wanted.shape, wanted.bytes));
        }
        EXPECT_EQ(file->query("SELECT count(*) FROM device")->rows[0][0].text, std::to_string(count));
        EXPECT_EQ(file->query("SELECT count(*) - count(DISTINCT value) FROM text")->rows[0][0].text, "0");
    }
}

TEST(Recorder, LetsReadersFollowWhileItWrites) {
    const TemporaryFolder folder;
    const std::string path = folder / "a.tilescope";
    auto recorder = create(path);
    const auto reader = open(path);
    EXPECT_EQ(reader->run()->status, RunStatus::Running);
    const std::int64_t before = reader->data_version();
    EXPECT_EQ(reader->data_version(), before) << "nothing was written in between";
    add_execution(*recorder, 0);
    // Without a flush: rows arrive by themselves within half a second.
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (reader->data_version() == before && std::chrono::steady_clock::now() < deadline)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    EXPECT_EQ(reader->executions()->size(), 1U);
    add_execution(*recorder, 1);
    recorder->flush();
    EXPECT_EQ(reader->executions(1)->at(0).id, 1) << "only what is new";
    EXPECT_EQ(reader->trace(0, 0, 1000, 0)->size(), 2U);
    ASSERT_TRUE(recorder->finish(RunStatus::Cancelled));
    EXPECT_EQ(reader->run()->status, RunStatus::Cancelled);
}

TEST(Recorder, SaysFailedWhenItIsDroppedWithoutAnEnd) {
    const TemporaryFolder folder;
    const std::string path = folder / "a.tilescope";
    create(path).reset();
    EXPECT_EQ(open(path)->run()->status, RunStatus::Failed);
    EXPECT_FALSE(open(path)->run()->error.empty());
}

TEST(Recorder, TakesStepsOfNoLength) {
    const TemporaryFolder folder;
    const std::string path = folder / "a.tilescope";
    auto recorder = create(path);
    std::vector<TraceRecord> rows;
    for (std::int64_t program = 0; program < 3; ++program)
        rows.push_back({0, 0, program, 0, 50, 0, 0, program == 2 ? 10 : 0});
    tests::record_rows(*recorder, {}, {}, rows);
    ASSERT_TRUE(recorder->finish(RunStatus::Complete));
    EXPECT_EQ(open(path)->query("SELECT count(*) FROM trace")->rows[0][0].text, "3");
}

TEST(Recorder, KeepsAMillionQueuedRowsInBoundedMemory) {
    const TemporaryFolder folder;
    const std::string path = folder / "a.tilescope";
    auto recorder = create(path);
    const auto start = std::chrono::steady_clock::now();
    for (std::int64_t i = 0; i < 1'000'000; ++i)
        recorder->add(ProgramRecord{i, -1, i, StepKind::Execute, "step"});
    ASSERT_TRUE(recorder->finish(RunStatus::Complete));
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    RecordProperty("seconds", std::to_string(took.count()));
#ifndef __SANITIZE_THREAD__ // which keeps several bytes for each
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    EXPECT_LT(usage.ru_maxrss, 600 * 1024) << "KiB; a million queued closures would be more with their rows";
#endif
    EXPECT_EQ(open(path)->query("SELECT count(*) FROM program")->rows[0][0].text, "1000000");
}

/// Runs `work` in a child process and returns its wait status.
template<class Work>
int in_child(const Work& work) {
    const pid_t child = fork();
    if (child == 0) {
        work();
        _exit(0);
    }
    int status = -1;
    waitpid(child, &status, 0);
    return status;
}

TEST(Recorder, LeavesAValidFileWithAllCommittedExecutionsWhenKilled) {
    const TemporaryFolder folder;
    const std::string path = folder / "a.tilescope";
    int ready[2];
    ASSERT_EQ(pipe(ready), 0);
    const pid_t child = fork();
    if (child == 0) {
        auto recorder = Recorder::create(path, {});
        for (std::int64_t id = 0; id < 100; ++id)
            add_execution(**recorder, id);
        (*recorder)->flush();
        const char byte = 1;
        if (write(ready[1], &byte, 1) != 1)
            _exit(1);
        for (std::int64_t id = 100;; ++id) // killed in here
            add_execution(**recorder, id);
    }
    char byte = 0;
    ASSERT_EQ(read(ready[0], &byte, 1), 1);
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status));
    close(ready[0]);
    close(ready[1]);

    const auto profile = open(path);
    const auto executions = profile->executions().value();
    EXPECT_GE(executions.size(), 100U);
    for (std::size_t i = 0; i < executions.size(); ++i)
        ASSERT_EQ(executions[i].id, static_cast<std::int64_t>(i)) << "none is missing in between";
    EXPECT_EQ(profile->query("PRAGMA integrity_check")->rows[0][0].text, "ok");
    EXPECT_EQ(profile->run()->status, RunStatus::Killed);
    const std::string counted =
        "SELECT count(*) FROM trace WHERE execution_id < " + std::to_string(executions.size() - 1);
    EXPECT_EQ(profile->query(counted)->rows[0][0].text, std::to_string(executions.size() - 1));
    ASSERT_TRUE(create(path, "next")->finish(RunStatus::Complete)) << "and can be replaced";
    EXPECT_EQ(open(path)->run()->name, "next");
}

TEST(Recorder, KeepsWhatItHasAndSaysSoWhenTheDiskIsFull) {
    const TemporaryFolder folder;
    const std::string path = folder / "a.tilescope";
    const int status = in_child([&] {
        std::signal(SIGXFSZ, SIG_IGN);
        const rlimit quota{1 << 20, 1 << 20};
        setrlimit(RLIMIT_FSIZE, &quota);
        auto recorder = Recorder::create(path, {});
        if (!recorder)
            _exit(10);
        add_execution(**recorder, 0);
        (*recorder)->flush();
        for (std::int64_t id = 1; id < 300'000; ++id)
            add_execution(**recorder, id);
        (*recorder)->flush();
        if ((*recorder)->failure().empty())
            _exit(11);
        const auto done = (*recorder)->finish(RunStatus::Complete);
        if (done)
            _exit(12);
        if (done.error().line().find(path) == std::string::npos || done.error().kind != ErrorKind::System)
            _exit(13);
    });
    ASSERT_TRUE(WIFEXITED(status));
    ASSERT_EQ(WEXITSTATUS(status), 0);
    const auto profile = open(path);
    EXPECT_GE(profile->executions()->size(), 1U);
    EXPECT_EQ(profile->query("PRAGMA integrity_check")->rows[0][0].text, "ok");
    EXPECT_EQ(profile->run()->status, RunStatus::Failed);
}

TEST(Recorder, LeavesNoFileWhenTheDiskIsFullFromTheStart) {
    const TemporaryFolder folder;
    const std::string path = folder / "a.tilescope";
    const int status = in_child([&] {
        std::signal(SIGXFSZ, SIG_IGN);
        const rlimit quota{20'000, 20'000};
        setrlimit(RLIMIT_FSIZE, &quota);
        if (Recorder::create(path, {}))
            _exit(10);
    });
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0);
    EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

} // namespace
} // namespace tilescope::profile
