// SPDX-License-Identifier: GPL-3.0-or-later
#include "older_schema.h"
#include "profile/profile.h"
#include "profile/recorder.h"
#include "tests/profile_fixture.h"
#include "tests/temporary_folder.h"

#include <algorithm>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tilescope::profile {
namespace {

using tests::TemporaryFolder;

void overwrite(const std::string& path, std::streamoff at, std::size_t count) {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(at);
    file << std::string(count, '\x5A');
}

/// Makes tables of the views that took their place after schema 8, and numbers of tiles of each row.
const std::string with_texts = [] {
    std::string sql =
        without_programs + without_workload_kind +
        "CREATE TABLE old_tile_array (entity TEXT, entity_id INTEGER, ipu INTEGER, metric TEXT, data BLOB, "
        "sum "
        "INTEGER, PRIMARY KEY (entity, entity_id, ipu, metric)) WITHOUT ROWID; INSERT INTO old_tile_array "
        "SELECT entity, entity_id, ipu, metric, (SELECT data FROM tile_blob WHERE id = blob_id), sum FROM "
        "tile_array; ";
    const std::vector<std::string> names = {"tensor",   "operation", "variable", "compute_set",  "vertex",
                                            "exchange", "program",   "plan",     "oversize_tile"};
    for (const std::string& name : names)
        sql += "CREATE TABLE old_" + name + " AS SELECT * FROM " + name + "; ";
    sql += "CREATE TABLE old_liveness AS SELECT * FROM liveness; DROP VIEW operation_cost; DROP VIEW "
           "layer_memory; DROP VIEW category_memory; DROP VIEW tile_array; DROP VIEW liveness; ";
    for (const std::string& name : names)
        sql += "DROP VIEW " + name + "; DROP TABLE stored_" + name + "; ALTER TABLE old_" + name +
               " RENAME TO " + name + "; ";
    return sql +
           "ALTER TABLE old_tile_array RENAME TO tile_array; ALTER TABLE old_liveness RENAME TO liveness; "
           "DROP TABLE tile_blob; DROP TABLE tile_entry; DROP TABLE tile_metric; DROP TABLE text; DROP "
           "TABLE liveness_span; ";
}();

/// Gives each execution and each program step a row again, as schema 7 had it.
const std::string with_rows =
    "CREATE TABLE old_execution (id INTEGER PRIMARY KEY, kind TEXT, epoch INTEGER, first_step INTEGER, steps "
    "INTEGER, start_cycle INTEGER, cycles INTEGER, wall_us INTEGER, traced INTEGER); INSERT INTO "
    "old_execution "
    "SELECT id, kind, epoch, first_step, steps, start_cycle, cycles, wall_us, EXISTS (SELECT 1 FROM "
    "schedule_round r WHERE r.schedule_id = e.schedule_id) FROM temp.execution e; "
    "CREATE TABLE old_ipu (execution_id INTEGER, ipu INTEGER, compute INTEGER, exchange INTEGER, sync "
    "INTEGER, "
    "inter_ipu INTEGER, host INTEGER, waiting INTEGER, PRIMARY KEY (execution_id, ipu)) WITHOUT ROWID; "
    "INSERT "
    "INTO old_ipu SELECT * FROM temp.execution_ipu; "
    "CREATE TABLE old_trace (ipu INTEGER, start_cycle INTEGER, execution_id INTEGER, step INTEGER, "
    "program_id "
    "INTEGER, sync INTEGER, exchange INTEGER, compute INTEGER, PRIMARY KEY (ipu, start_cycle, execution_id, "
    "step, program_id)) WITHOUT ROWID; INSERT INTO old_trace SELECT ipu, start_cycle, execution_id, step, "
    "program_id, sync, exchange, compute FROM temp.trace; "
    "CREATE TABLE old_metric (execution_id INTEGER, name TEXT, value REAL, PRIMARY KEY (execution_id, name)) "
    "WITHOUT ROWID; INSERT INTO old_metric SELECT * FROM temp.metric; "
    "DROP TABLE temp.execution; DROP TABLE temp.execution_ipu; DROP TABLE temp.trace; DROP TABLE "
    "temp.metric; "
    "DROP VIEW execution; DROP VIEW execution_ipu; DROP VIEW trace; DROP TABLE execution_group; DROP TABLE "
    "execution_values; DROP TABLE schedule_ipu; DROP TABLE schedule_round; DROP TABLE block_part; ALTER "
    "TABLE "
    "old_execution RENAME TO execution; ALTER TABLE old_ipu RENAME TO execution_ipu; ALTER TABLE old_trace "
    "RENAME TO trace; ALTER TABLE old_metric RENAME TO metric; CREATE TABLE trace_block (ipu INTEGER); " +
    with_texts;

/// Takes away what schema 7 added.
const std::string without_parts = with_rows + "ALTER TABLE tile_array DROP COLUMN sum; "
                                              "ALTER TABLE program DROP COLUMN part; ";
/// And what schema 6 added.
const std::string without_kinds =
    without_parts + "ALTER TABLE run DROP COLUMN schedule; ALTER TABLE run DROP COLUMN global_step; "
                    "ALTER TABLE variable DROP COLUMN stash_depth; ";

class Open : public testing::Test {
  protected:
    void SetUp() override { ASSERT_TRUE(tests::record_fixture(path)); }
    /// Why `file` is refused: one line that names it.
    static std::string refusal(const std::string& file) {
        const auto profile = Profile::open(file);
        EXPECT_FALSE(profile);
        if (profile)
            return {};
        EXPECT_EQ(profile.error().kind, ErrorKind::BadInput);
        EXPECT_EQ(profile.error().place, file);
        EXPECT_FALSE(profile.error().remedy.empty());
        return profile.error().message;
    }
    const TemporaryFolder folder;
    const std::string path = folder / "a.tilescope";
};

TEST_F(Open, RefusesAMissingFileAndAFolder) {
    EXPECT_EQ(refusal(folder / "none.tilescope"), "there is no such file");
    EXPECT_EQ(refusal(folder.path().string()), "not a file");
}

TEST_F(Open, RefusesFilesOfOtherKinds) {
    std::ofstream(folder / "text") << "hello";
    std::ofstream(folder / "empty").flush();
    run_sql(folder / "other.db", "CREATE TABLE t (x)");
    EXPECT_EQ(refusal(folder / "text"), "the file is no Tilescope profile");
    EXPECT_EQ(refusal(folder / "empty"), "the file is no Tilescope profile");
    EXPECT_EQ(refusal(folder / "other.db"), "the file is a database, but no Tilescope profile");
}

TEST_F(Open, RefusesANewerSchemaAndNamesBothVersions) {
    run_sql(path, "PRAGMA user_version = 32");
    EXPECT_EQ(refusal(path), "the file has schema 32, this version reads up to 31");
    run_sql(path, "PRAGMA user_version = -8");
    EXPECT_EQ(refusal(path), "the file is damaged: it has schema -8");
}

TEST_F(Open, RefusesAFileThatWasCutShort) {
    const auto whole = std::filesystem::file_size(path);
    for (const auto size :
         {whole - 1, whole / 2, std::uintmax_t{4096}, std::uintmax_t{100}, std::uintmax_t{20}}) {
        std::filesystem::resize_file(path, size);
        EXPECT_EQ(refusal(path), "the file is damaged or is no Tilescope profile") << size;
    }
}

TEST_F(Open, RefusesADamagedTableOfContents) {
    overwrite(path, 100, 4000);
    EXPECT_EQ(refusal(path), "the file is damaged or is no Tilescope profile");
}

TEST_F(Open, RefusesAProfileWithoutItsTables) {
    run_sql(path, "DROP TABLE run");
    EXPECT_EQ(refusal(path), "the file is damaged or is no Tilescope profile");
}

TEST_F(Open, ReportsDamageThatIsMetLater) {
    std::int64_t page = 0;
    {
        const auto profile = Profile::open(path);
        page = std::stoll(*(*profile)
                               ->query("SELECT rootpage FROM sqlite_master WHERE name = 'block_part'")
                               ->rows[0][0]
                               .text);
    }
    overwrite(path, (page - 1) * 4096, 4096);
    const auto profile = Profile::open(path);
    ASSERT_TRUE(profile) << profile.error().line();
    const auto trace = (*profile)->trace(0, 0, 1'000'000, 0);
    ASSERT_FALSE(trace);
    EXPECT_EQ(trace.error().kind, ErrorKind::BadInput);
    EXPECT_TRUE((*profile)->operations()) << "the rest can still be read";
}

// Four tiles of 2^62 bytes each: one header, of a width of 0.
TEST_F(Open, ReportsNumbersOfTilesThatCannotBe) {
    run_sql(path, "UPDATE tile_blob SET base_id = -1, data = x'0004000000' || x'0000000000000040'");
    const auto profile = Profile::open(path);
    ASSERT_TRUE(profile) << profile.error().line();
    const auto values = (*profile)->tile_values("memory", 0, 0, "total");
    ASSERT_FALSE(values);
    EXPECT_NE(values.error().line().find("damaged"), std::string::npos) << values.error().line();
}

TEST_F(Open, NamesAKindThatItDoesNotKnow) {
    run_sql(path,
            "INSERT INTO text VALUES (9000, 'sideways'); UPDATE stored_operation SET phase = 9000 WHERE id = "
            "2; UPDATE run SET status = 'asleep'");
    const auto refused = Profile::open(path);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().line(), path +
                                          ": the file has a status \"asleep\", which this version does not "
                                          "know; open it with a newer Tilescope");
    run_sql(path, "UPDATE run SET status = 'complete'");
    const auto profile = Profile::open(path);
    ASSERT_TRUE(profile) << profile.error().line();
    const auto operations = (*profile)->operations();
    ASSERT_FALSE(operations);
    EXPECT_EQ(operations.error().kind, ErrorKind::BadInput);
    EXPECT_EQ(operations.error().message,
              "the file has a phase \"sideways\", which this version does not know");
    EXPECT_TRUE((*profile)->layers()) << "the rest can still be read";
}

// What is asked of a profile would be asked of these, without end.
TEST_F(Open, RefusesTablesAndViewsThatAreNotItsOwn) {
    const std::string endless =
        " AS WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i, i AS id, "
        "'x' AS name FROM n";
    const std::map<std::string, std::string> changes = {
        {"DROP TABLE layer; CREATE VIEW Layer" + endless, "a view \"layer\""},
        {"DROP VIEW operation_cost; CREATE VIEW operation_cost" + endless, "a view \"operation_cost\""},
        {"DROP TABLE layer; CREATE VIRTUAL TABLE layer USING fts5(name)", "a table \"layer\""},
        {"DROP VIEW layer_memory; CREATE TABLE layer_memory (layer_id)", "a table \"layer_memory\""},
        {"CREATE TRIGGER t AFTER INSERT ON log BEGIN DELETE FROM log; END", "a trigger \"t\""},
        {"ALTER TABLE layer ADD COLUMN more TEXT AS (hex(zeroblob(500000000)))",
         "columns that are computed"}};
    for (const auto& [change, named] : changes) {
        const std::string file = folder / "changed.tilescope";
        std::filesystem::copy_file(path, file, std::filesystem::copy_options::overwrite_existing);
        run_sql(file, change);
        EXPECT_NE(refusal(file).find("the file has " + named), std::string::npos) << refusal(file);
    }
    run_sql(path, "CREATE VIEW own AS SELECT name FROM layer; CREATE TABLE notes (text)");
    const auto profile = Profile::open(path);
    EXPECT_TRUE(profile) << "what a reader adds is no harm: " << profile.error().line();
}

TEST_F(Open, ReadsColumnsByTheirNames) {
    const auto before = (*Profile::open(path))->layers().value();
    run_sql(path,
            "CREATE TABLE other (parameters INTEGER, note TEXT, kind TEXT, output_shape TEXT, name TEXT, "
            "id INTEGER PRIMARY KEY); INSERT INTO other SELECT parameters, 'more', kind, output_shape, "
            "name, id FROM layer; DROP VIEW layer_memory; DROP VIEW operation_cost; DROP TABLE layer; "
            "ALTER TABLE other RENAME TO layer");
    const auto after = (*Profile::open(path))->layers().value();
    ASSERT_FALSE(before.empty());
    ASSERT_EQ(after.size(), before.size());
    for (std::size_t i = 0; i < after.size(); ++i)
        EXPECT_EQ(
            std::tie(after[i].id, after[i].name, after[i].kind, after[i].output_shape, after[i].parameters),
            std::tie(before[i].id, before[i].name, before[i].kind, before[i].output_shape,
                     before[i].parameters));
}

TEST_F(Open, SurvivesDamageAnywhere) {
    std::string bytes;
    {
        std::ifstream file(path, std::ios::binary);
        bytes.assign(std::istreambuf_iterator<char>(file), {});
    }
    const std::string damaged = folder / "damaged.tilescope";
    for (std::size_t at = 0; at + 64 < bytes.size(); at += 4099) {
        std::string copy = bytes;
        copy.replace(at, 64, std::string(64, '\xFF'));
        std::ofstream(damaged, std::ios::binary | std::ios::trunc) << copy;
        const auto profile = Profile::open(damaged);
        if (!profile)
            continue;
        (void)(*profile)->operations();
        (void)(*profile)->trace(0, 0, 1'000'000, 10);
        (void)(*profile)->tile_values("memory", 0, 0, "total");
        (void)(*profile)->query("SELECT * FROM tile_values('memory', 0, 0, 'total')");
        (void)(*profile)->variables_on_tiles(0, {1});
    }
}

TEST_F(Open, MigratesAnOlderSchemaOnACopy) {
    run_sql(
        path,
        without_kinds +
            "DROP TABLE trace_block; DROP TABLE pipeline_slot; DROP TABLE "
            "link_traffic; ALTER TABLE "
            "exchange DROP COLUMN ipu; ALTER TABLE exchange DROP COLUMN peer; ALTER TABLE program DROP "
            "COLUMN ipu; ALTER TABLE program DROP COLUMN peer; ALTER TABLE program "
            "DROP "
            "COLUMN runs; CREATE TABLE old (operation_id INTEGER, "
            "rank INTEGER, description TEXT, cost TEXT, cycles INTEGER, temporary_bytes INTEGER, PRIMARY "
            "KEY (operation_id, rank)) WITHOUT ROWID; INSERT INTO old SELECT operation_id, rank, "
            "description, cost, cycles, temporary_bytes FROM plan; DROP TABLE plan; ALTER TABLE old RENAME "
            "TO plan; PRAGMA user_version = 0");
    const auto before = std::filesystem::last_write_time(path);
    const auto size = std::filesystem::file_size(path);
    const TemporaryFolder temporary;
    setenv("TMPDIR", temporary.path().c_str(), 1);
    {
        const auto profile = Profile::open(path);
        ASSERT_TRUE(profile) << profile.error().line();
        EXPECT_EQ((*profile)->path(), path);
        EXPECT_EQ((*profile)->query("PRAGMA user_version")->rows[0][0].text, "31");
        EXPECT_TRUE((*profile)->remedies()->empty());
        EXPECT_EQ((*profile)->program()->at(3).runs, tests::small_fixture.steps_per_execution);
        const auto cost =
            (*profile)->query("SELECT compute_cycles FROM operation_cost WHERE operation_id = 1");
        EXPECT_EQ(cost->rows[0][0].text, std::to_string(tests::small_fixture.steps_per_execution *
                                                        tests::fixture_compute_cycles(1)));
        EXPECT_EQ((*profile)->program()->at(1).name, "steps");
        EXPECT_TRUE((*profile)->pipeline_slots()->empty());
        const auto operations = (*profile)->operations().value();
        const auto plans = (*profile)->plans(-1).value();
        EXPECT_FALSE(plans.empty());
        for (const PlanRecord& plan : plans)
            EXPECT_EQ(plan.product, operations.at(static_cast<std::size_t>(plan.operation_id)).name);
        EXPECT_EQ((*profile)->run()->name, "fixture");
        EXPECT_FALSE((*profile)->trace(0, 0, 10'000, 1000)->empty());
        EXPECT_TRUE(std::filesystem::is_empty(temporary.path()))
            << "a copy without a name goes with its reader";
    }
    unsetenv("TMPDIR");
    EXPECT_EQ(std::filesystem::last_write_time(path), before);
    EXPECT_EQ(std::filesystem::file_size(path), size);
}

TEST_F(Open, TakesThePartsOfAnOlderProgramFromItsNamesAndPhases) {
    const char* const parts = "SELECT part FROM program ORDER BY id";
    const char* const sums = "SELECT sum FROM tile_array ORDER BY entity, entity_id, ipu, metric";
    const auto texts = [&](const char* sql) {
        std::vector<std::string> column;
        const auto rows = (*Profile::open(path))->query(sql).value().rows;
        column.reserve(rows.size());
        for (const auto& row : rows)
            column.push_back(row[0].text.value_or("NULL"));
        return column;
    };
    const auto recorded_parts = texts(parts);
    const auto recorded_sums = texts(sums);
    EXPECT_EQ(recorded_parts.at(1), "whole") << "the loop over steps";
    EXPECT_EQ(recorded_parts.at(2), "infeed");
    EXPECT_EQ(recorded_parts.at(3), "micro_batches");
    EXPECT_NE(std::find(recorded_parts.begin(), recorded_parts.end(), "update"), recorded_parts.end());
    run_sql(path, without_parts + "PRAGMA user_version = 6");
    EXPECT_EQ(texts(parts), recorded_parts);
    EXPECT_EQ(texts(sums), recorded_sums);
}

TEST_F(Open, TakesWhatAnOlderTargetSurelyWasAndLeavesOutItsRates) {
    const auto target = [&](const std::string& bytes) {
        const std::string old = folder / "old.tilescope";
        std::filesystem::copy_file(path, old, std::filesystem::copy_options::overwrite_existing);
        run_sql(old,
                without_rates + "UPDATE target SET bytes_per_tile = " + bytes + "; PRAGMA user_version = 18");
        return (*Profile::open(old))->target().value();
    };
    EXPECT_EQ(target("638976").interleaved_bytes, 425'984);
    EXPECT_EQ(target("262144").interleaved_bytes, 131'072);
    EXPECT_EQ(target("100000").interleaved_bytes, std::nullopt);
    EXPECT_EQ(target("638976").link_bytes_per_cycle, std::nullopt);
    EXPECT_EQ(target("638976").host_bytes_per_cycle, std::nullopt);
    EXPECT_EQ(target("638976").streaming_bytes_per_cycle, std::nullopt);
}

TEST_F(Open, FindsWhoseBufferForTheHostOneOfAnOlderFileIs) {
    run_sql(
        path,
        without_rates +
            "INSERT INTO text SELECT max(id) + 1, (SELECT n.value FROM stored_tensor t JOIN text n ON "
            "n.id = t.name WHERE t.id = 3) || '/stream' FROM text; INSERT INTO text SELECT max(id) + 1, "
            "'host' FROM text WHERE 'host' NOT IN (SELECT value FROM text); INSERT INTO stored_variable "
            "(id, name, category, tensor_id, ipu, dtype, shape, role) SELECT 9000 + v.add_id, "
            "(SELECT id FROM text WHERE value LIKE '%/stream'), category, -1, ipu, dtype, shape, (SELECT "
            "min(id) FROM text WHERE value = v.role) FROM stored_variable, (SELECT 0 AS add_id, 'host' AS "
            "role UNION SELECT 1, 'compute') v WHERE id = 0; PRAGMA user_version = 18");
    std::map<std::int64_t, VariableRecord> variables;
    const auto all = (*Profile::open(path))->variables().value();
    for (const VariableRecord& v : all)
        variables[v.id] = v;
    EXPECT_EQ(variables.at(9000).tensor_id, 3);
    EXPECT_TRUE(variables.at(9000).host_buffer());
    EXPECT_FALSE(variables.at(9000).holds_tensor());
    EXPECT_EQ(variables.at(9001).tensor_id, -1) << "only what is there for the host is its buffer";
}

TEST_F(Open, TakesKindsOfAnOlderFileFromItsWorkloadAndNames) {
    const auto older = [&](const std::string& workload) {
        const std::string old = folder / "old.tilescope";
        std::filesystem::copy_file(path, old, std::filesystem::copy_options::overwrite_existing);
        run_sql(old, without_kinds + "UPDATE run SET workload = '" + workload +
                         "'; INSERT INTO variable (id, "
                         "ipu, category, name, tensor_id) VALUES (9000, 0, 'Variables', (SELECT name FROM "
                         "tensor WHERE id = "
                         "3) || '/stash of 12', -1), (9001, 0, 'Variables', 'stash of 3', -1); PRAGMA "
                         "user_version = 5");
        return std::move(*Profile::open(old));
    };
    auto profile = older(R"({"pipeline": {"schedule": "Interleaved"}, "compile": {"global_step": "ipu"}})");
    EXPECT_EQ(profile->run()->schedule, PipelineSchedule::Interleaved);
    EXPECT_EQ(profile->run()->global_step, CounterPlace::Ipu);
    std::map<std::int64_t, VariableRecord> variables;
    const auto all = profile->variables().value();
    for (const VariableRecord& v : all)
        variables[v.id] = v;
    EXPECT_EQ(variables.at(9000).stash_depth, 12);
    EXPECT_EQ(variables.at(9000).tensor_id, 3);
    EXPECT_EQ(variables.at(9001).stash_depth, 0);
    EXPECT_EQ(variables.at(0).stash_depth, 0);
    for (const char* workload : {"{}", R"({"pipeline": null, "compile": {}})",
                                 R"({"pipeline": {"schedule": 7}})", "no JSON", R"(["pipeline"])"}) {
        profile = older(workload);
        EXPECT_EQ(profile->run()->schedule, std::nullopt) << workload;
        EXPECT_EQ(profile->run()->global_step, CounterPlace::None) << workload;
    }
}

TEST_F(Open, ReadsOutOfAnOldWorkloadWhetherItIsAGraph) {
    const auto kind_of = [&](const std::string& workload) {
        const std::string old = folder / "old.tilescope";
        std::filesystem::copy_file(path, old, std::filesystem::copy_options::overwrite_existing);
        run_sql(old, without_workload_kind + "UPDATE run SET workload = '" + workload +
                         "'; CREATE VIEW \"one's \"\"own\"\"\" AS SELECT 1; DROP VIEW main.trace; " +
                         without_programs + "PRAGMA user_version = 9");
        return (*Profile::open(old))->run()->workload_kind;
    };
    EXPECT_EQ(kind_of(R"({"graph": {"nodes": []}})"), WorkloadKind::Graph);
    for (const char* model :
         {R"({"model": {"keras": "m.json"}})", R"({"graph": null})", "{}", "no JSON", "[1]"})
        EXPECT_EQ(kind_of(model), WorkloadKind::Model) << model;
}

TEST_F(Open, FoldsTheRowsOfAnOlderFileWithoutLosingAny) {
    const std::vector<std::string> queries = {
        "SELECT id, kind, epoch, first_step, steps, start_cycle, cycles, wall_us FROM execution ORDER BY id",
        "SELECT * FROM execution_ipu ORDER BY execution_id, ipu",
        "SELECT * FROM metric ORDER BY execution_id, name",
        "SELECT * FROM trace WHERE execution_id < 3 ORDER BY ipu, start_cycle"};
    const auto texts = [&] {
        const auto profile = std::move(*Profile::open(path));
        std::vector<std::vector<std::string>> rows;
        for (const std::string& sql : queries) {
            const auto result = profile->query(sql).value();
            for (const auto& row : result.rows)
                for (rows.emplace_back(); const QueryCell& cell : row)
                    rows.back().push_back(cell.text.value_or("NULL"));
        }
        return rows;
    };
    const auto expected = texts();
    ASSERT_GT(expected.size(), 20U);
    run_sql(path, with_rows + "PRAGMA user_version = 7");
    EXPECT_EQ(texts(), expected);
}

TEST_F(Open, KeepsWhatAnOlderFileHasOfEachReplicaOnce) {
    const std::vector<std::string> queries = {
        "SELECT * FROM tensor ORDER BY id",
        "SELECT * FROM operation ORDER BY id",
        "SELECT * FROM variable ORDER BY id, ipu",
        "SELECT * FROM compute_set ORDER BY id",
        "SELECT * FROM vertex ORDER BY compute_set_id, codelet",
        "SELECT * FROM exchange ORDER BY id",
        "SELECT * FROM program ORDER BY id",
        "SELECT * FROM plan ORDER BY operation_id, product, rank",
        "SELECT * FROM liveness ORDER BY ipu, step",
        "SELECT * FROM layer_memory ORDER BY layer_id, ipu",
        "SELECT * FROM operation_cost ORDER BY operation_id",
        "SELECT * FROM category_memory ORDER BY category, ipu",
        ("SELECT a.entity, a.entity_id, a.ipu, a.metric, a.sum, v.tile, v.value FROM tile_array a JOIN "
         "tile_values(a.entity, a.entity_id, a.ipu, a.metric) v ORDER BY 1, 2, 3, 4, 6")};
    const auto texts = [&] {
        const auto profile = std::move(*Profile::open(path));
        std::vector<std::vector<std::string>> rows;
        for (const std::string& sql : queries) {
            const auto result = profile->query(sql).value();
            EXPECT_FALSE(result.rows.empty()) << sql;
            for (const auto& row : result.rows)
                for (rows.emplace_back(); const QueryCell& cell : row)
                    rows.back().push_back(cell.text.value_or("NULL"));
        }
        return rows;
    };
    // A second replica, whose rows were the first one's; how much code steps add was not known.
    run_sql(path, "INSERT INTO ipu SELECT 1, 1, device, 1, shard, stage FROM ipu; UPDATE stored_program SET "
                  "code_bytes = NULL");
    const auto expected = texts();
    run_sql(path, with_rows + "PRAGMA user_version = 7");
    EXPECT_EQ(texts(), expected);
}

// Of schema 10 all steps were those of the first program, and an evaluation beside training had none.
TEST_F(Open, KnowsWhichScheduleOfAnOlderProfileIsOfItsProgram) {
    run_sql(path, "DROP VIEW main.trace; " + without_programs + "PRAGMA user_version = 10");
    const auto profile = std::move(*Profile::open(path));
    const auto programs = profile->device_programs().value();
    ASSERT_EQ(programs.size(), 1U);
    EXPECT_EQ(programs[0].name, "training");
    EXPECT_EQ(programs[0].root_id, 0);
    EXPECT_TRUE(profile->further_steps()->empty());
    // An engine run of training that has no steps in the file is of its program, too.
    const auto differing = profile->query(
        "SELECT count(*), sum(device_program_id <> iif(id IN (SELECT schedule_id FROM execution_group WHERE "
        "kind = 'train'), 0, -1)) FROM schedule");
    EXPECT_NE(differing->rows[0][0].text, "0");
    EXPECT_EQ(differing->rows[0][1].text, "0");
    EXPECT_NE(profile->query("SELECT count(*) FROM trace")->rows[0][0].text, "0");
}

// The peaks of schema 12 were not told: a workload could have set others than its generation's.
TEST_F(Open, DoesNotMakeUpWhatAnOlderProfileDidNotTell) {
    run_sql(path, "DROP VIEW main.trace; " + without_peaks + "PRAGMA user_version = 12");
    const auto profile = std::move(*Profile::open(path));
    EXPECT_EQ(profile->target()->half_flops_per_cycle, std::nullopt);
    EXPECT_EQ(profile->target()->streaming_bytes, std::nullopt);
    EXPECT_EQ(profile->run()->label, "");
}

TEST_F(Open, KnowsTheStepsOfAnOlderExecutionByThoseOfOneThatIsAlike) {
    const auto traced = [&] { // of four that train, and one that evaluates
        return (*Profile::open(path))
            ->query("SELECT group_concat(DISTINCT execution_id) FROM trace")
            ->rows[0][0]
            .text;
    };
    EXPECT_EQ(traced(), "0,1,2");
    run_sql(path, with_rows + "PRAGMA user_version = 7");
    EXPECT_EQ(traced(), "0,1,2,3") << "the fourth is as long and has the same phases";
}

TEST_F(Open, ReadsAFinishedProfileInAFolderThatCannotBeWritten) {
    ASSERT_EQ(chmod(path.c_str(), 0444), 0);
    ASSERT_EQ(chmod(folder.path().c_str(), 0555), 0);
    const pid_t child = fork();
    if (child == 0) {
        if (geteuid() == 0 && setuid(65534) != 0)
            _exit(2);
        const auto profile = Profile::open(path);
        _exit(profile && (*profile)->run()->name == "fixture" ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_EQ(chmod(folder.path().c_str(), 0755), 0);
    EXPECT_EQ(WEXITSTATUS(status), 0);
}

// The writer's last transactions are still in its log, which a reader must neither move nor add to.
TEST_F(Open, ReadsAKilledProfileAndWritesNothing) {
    const std::string killed = folder / "killed #1.tilescope";
    const pid_t writer = fork();
    if (writer == 0) {
        auto recorder = Recorder::create(killed, {});
        (*recorder)->add(LayerRecord{0, "dense", "Dense", "[1]", 1});
        (*recorder)->flush();
        _exit(0); // without an end, as a signal does
    }
    waitpid(writer, nullptr, 0);
    std::filesystem::remove(killed + "-shm"); // as after a copy of both files
    ASSERT_GT(std::filesystem::file_size(killed + "-wal"), 0U);
    std::map<std::string, std::pair<std::uintmax_t, std::filesystem::file_time_type>> before;
    const auto look = [&] {
        decltype(before) all;
        for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
            all[entry.path().filename().string()] = {entry.file_size(), entry.last_write_time()};
        return all;
    };
    before = look();
    ASSERT_EQ(chmod(folder.path().c_str(), 0555), 0);
    const pid_t reader = fork();
    if (reader == 0) {
        if (geteuid() == 0 && setuid(65534) != 0)
            _exit(2);
        const auto profile = Profile::open(killed);
        _exit(profile && (*profile)->layers()->size() == 1 && (*profile)->run()->status == RunStatus::Killed
                  ? 0
                  : 1);
    }
    int status = 0;
    waitpid(reader, &status, 0);
    ASSERT_EQ(chmod(folder.path().c_str(), 0755), 0);
    EXPECT_EQ(WEXITSTATUS(status), 0);
    {
        const auto one = Profile::open(killed);
        const auto other = Profile::open(killed);
        ASSERT_TRUE(one && other);
        EXPECT_EQ((*one)->layers()->size(), 1U);
        EXPECT_EQ((*other)->run()->status, RunStatus::Killed);
    }
    EXPECT_EQ(look(), before);
}

TEST_F(Open, ReadsAFileWhoseNameHasCharactersOfAnUri) {
    const std::string odd = folder / "50% of #1?.tilescope";
    std::filesystem::rename(path, odd);
    const auto profile = Profile::open(odd);
    ASSERT_TRUE(profile) << profile.error().line();
    EXPECT_EQ((*profile)->run()->name, "fixture");
}

TEST_F(Open, LeavesNothingBesideAFinishedProfile) {
    for (int i = 0; i < 2; ++i)
        EXPECT_TRUE((*Profile::open(path))->operations());
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

} // namespace
} // namespace tilescope::profile
