// SPDX-License-Identifier: GPL-3.0-or-later
#include "build_paths.h"
#include "older_schema.h"
#include "profile/profile.h"
#include "tests/profile_fixture.h"
#include "tests/temporary_folder.h"

#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <gtest/gtest.h>
#include <thread>

namespace tilescope::profile {
namespace {

class Query : public testing::Test {
  protected:
    void SetUp() override {
        ASSERT_TRUE(tests::record_fixture(path));
        profile = std::move(*Profile::open(path));
    }
    std::string value(const std::string& sql) const {
        const auto result = profile->query(sql);
        EXPECT_TRUE(result) << result.error().line();
        return result ? result->rows.at(0).at(0).text.value_or("NULL") : std::string();
    }
    const tests::TemporaryFolder folder;
    const std::string path = folder / "a.tilescope";
    std::unique_ptr<Profile> profile;
};

TEST_F(Query, GivesColumnsAndRowsAsText) {
    const auto result =
        profile->query("SELECT id, name, NULL AS none, 1.5 AS x, x'0102' AS b FROM layer ORDER BY id")
            .value();
    EXPECT_EQ(result.columns, (std::vector<std::string>{"id", "name", "none", "x", "b"}));
    ASSERT_EQ(result.rows.size(), 2U);
    EXPECT_EQ(result.rows[1][1].text, "dense_1");
    EXPECT_EQ(result.rows[1][2].text, std::nullopt);
    EXPECT_EQ(result.rows[1][3].text, "1.5");
    EXPECT_EQ(result.rows[1][4].text, "<2 bytes>");
}

TEST_F(Query, TellsNumbersFromTextThatLooksLikeThem) {
    const auto result = profile->query("SELECT 7, 0.5, '7', '-1e3', NULL, x'07'").value();
    std::vector<bool> numbers;
    for (const QueryCell& cell : result.rows.at(0))
        numbers.push_back(cell.number);
    EXPECT_EQ(numbers, (std::vector<bool>{true, true, false, false, false, false}));
}

TEST_F(Query, TellsWhereAMistakeIs) {
    const auto mistake = [this](const std::string& sql) {
        const auto result = profile->query(sql);
        EXPECT_FALSE(result) << sql;
        const Error error = result ? Error() : result.error();
        return error.place + ": " + (error.offset ? sql.substr(*error.offset) : "nowhere");
    };
    EXPECT_EQ(mistake("SELECT name,\n  layer.nme FROM layer"), "SQL, line 2, column 3: layer.nme FROM layer");
    EXPECT_EQ(mistake("SELECT name FROM layer WHERE AND 1"), "SQL, line 1, column 30: AND 1");
    EXPECT_EQ(mistake("SELECT most(id) FROM layer"), "SQL, line 1, column 8: most(id) FROM layer");
    // Tables, whose place SQLite keeps for itself: those of the statement's own are there.
    EXPECT_EQ(mistake("SELECT name FROM layers"), "SQL, line 1, column 18: layers");
    EXPECT_EQ(mistake("WITH layers(x) AS (SELECT 1) SELECT x FROM layers join variables"),
              "SQL, line 1, column 56: variables");
    EXPECT_EQ(mistake("SELECT 1 FROM layer, layers"), "SQL: nowhere");
    EXPECT_EQ(mistake("SELECT 1;\nSELECT 2"), "SQL, line 2, column 1: SELECT 2");
}

TEST_F(Query, UnpacksTileArrays) {
    // 16384 bytes over 64 tiles.
    EXPECT_EQ(value("SELECT count(*) || ' ' || min(value) || ' ' || max(value) FROM tile_values('variable', "
                    "0, 0, 'bytes')"),
              "64 256 256");
    EXPECT_EQ(value("SELECT group_concat(value) FROM (SELECT value FROM tile_values('exchange', 3, 0, "
                    "'sent') WHERE tile < 5)"),
              "0,8,16,24,0");
    EXPECT_EQ(
        value("SELECT count(*) FROM tile_values('variable', 0, 0, 'bytes') WHERE tile = 3 OR tile = 5 OR "
              "value < 0"),
        "2");
    EXPECT_EQ(value("SELECT count(*) FROM tile_values('variable', 999, 0, 'bytes')"), "0")
        << "no such entity";
}

// Names of any length, and executions that are far apart.
TEST_F(Query, OfAnySizeComesToAnEnd) {
    EXPECT_FALSE(profile->query("SELECT * FROM " + std::string(1'000'000, 'a')));
    const std::string distant = folder / "distant.tilescope";
    std::filesystem::copy_file(profile->path(), distant);
    const std::string before = value("SELECT count(*) FROM metric");
    run_sql(
        distant,
        "UPDATE execution_values SET first_id = 288230376151711743 WHERE first_id = (SELECT max(first_id) "
        "FROM execution_values)");
    const auto of_distant = std::move(*Profile::open(distant));
    EXPECT_EQ(of_distant->query("SELECT count(*) FROM metric")->rows.at(0).at(0).text, before);
}

TEST_F(Query, JoinsTileArraysWithTables) {
    // One array per compute set: the slowest tile takes the compute set's cycles.
    EXPECT_EQ(value("SELECT count(*) FROM compute_set c WHERE c.cycles = "
                    "(SELECT max(value) FROM tile_values('compute_set', c.id, 0, 'cycles'))"),
              "12");
    EXPECT_EQ(
        value("SELECT sum(t.value) FROM variable v JOIN tile_values('variable', v.id, v.ipu, 'bytes') t"),
        value("SELECT sum(bytes) FROM variable"));
}

TEST_F(Query, SaysHowTileValuesIsCalled) {
    const auto result = profile->query("SELECT * FROM tile_values('variable')");
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().kind, ErrorKind::BadInput);
    EXPECT_NE(result.error().message.find("(entity, entity_id, ipu, metric)"), std::string::npos);
}

TEST_F(Query, RefusesEverythingThatDoesMoreThanRead) {
    const std::string other = folder / "other.db";
    for (const std::string sql :
         {"DELETE FROM run", "UPDATE run SET name = 'x'", "INSERT INTO log VALUES (99, 0, 'info', 'x')",
          "DROP TABLE run", "CREATE TABLE x (a)", "CREATE TEMP TABLE x (a)", "PRAGMA query_only = 0",
          "PRAGMA user_version = 7", "PRAGMA journal_mode = DELETE", "BEGIN", "SAVEPOINT s", "VACUUM",
          "REINDEX"}) {
        const auto result = profile->query(sql);
        ASSERT_FALSE(result) << sql;
        EXPECT_EQ(result.error().kind, ErrorKind::BadInput);
    }
    EXPECT_FALSE(profile->query("ATTACH '" + other + "' AS other"));
    EXPECT_FALSE(profile->query("VACUUM INTO '" + other + "'"));
    EXPECT_FALSE(std::filesystem::exists(other));
    EXPECT_EQ(value("SELECT count(*) FROM run"), "1");
}

TEST_F(Query, TakesOneStatementWithWhateverFollowsIt) {
    EXPECT_EQ(value("SELECT 1;"), "1");
    EXPECT_EQ(value("SELECT 1; -- a remark\n /* another */ ;\n"), "1");
    EXPECT_EQ(value("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5) SELECT "
                    "sum(i) FROM n"),
              "15");
    EXPECT_FALSE(profile->query("SELECT 1; SELECT 2"));
    EXPECT_FALSE(profile->query("SELECT 1; nonsense"));
    EXPECT_FALSE(profile->query(""));
    EXPECT_FALSE(profile->query(" -- only a remark"));
    const auto wrong = profile->query("SELECT nme FROM run");
    ASSERT_FALSE(wrong);
    EXPECT_EQ(wrong.error().message, "no such column: nme");
}

TEST_F(Query, DescribesTheTables) {
    EXPECT_EQ(value("SELECT count(*) FROM pragma_table_info('ipu')"), "6");
    EXPECT_TRUE(profile->query("PRAGMA table_info(run)"));
    const auto names = profile->table_names().value();
    EXPECT_NE(std::find(names.begin(), names.end(), "operation_cost"), names.end());
    EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
}

TEST_F(Query, EndsAsCancelledWhenItIsInterrupted) {
    std::atomic<bool> done = false;
    std::thread interrupter([&] {
        while (!done) {
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
            profile->interrupt();
        }
    });
    const auto result = profile->query(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n");
    done = true;
    interrupter.join();
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().kind, ErrorKind::Cancelled);
    profile->resume();
    EXPECT_EQ(value("SELECT 1"), "1") << "the next one works again";
}

TEST_F(Query, AnInterruptThatComesBeforeItsFirstRowIsNotLost) {
    profile->interrupt(); // no statement runs, as between two of a longer call
    const auto result = profile->query(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n");
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().kind, ErrorKind::Cancelled);
}

TEST_F(Query, StopsHandingOutRowsOneByOneInOrder) {
    std::vector<std::string> seen;
    ASSERT_TRUE(profile->query(
        "SELECT id FROM operation ORDER BY id DESC LIMIT 3",
        [](const auto& columns) { EXPECT_EQ(columns.size(), 1U); },
        [&](const auto& row) { seen.push_back(*row[0].text); }));
    EXPECT_EQ(seen, (std::vector<std::string>{"11", "10", "9"}));
}

TEST_F(Query, TileValuesLoadsIntoTheSqliteShell) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "an extension with a sanitizer needs a shell with it";
#endif
    const std::string command = "sqlite3 -batch '" + path +
                                "' \".load '" TILESCOPE_BIN_DIR "/tilescope_sqlite'\" "
                                "\"SELECT sum(value) FROM tile_values('variable', 0, 0, 'bytes')\" 2>&1";
    FILE* shell = popen(command.c_str(), "r");
    ASSERT_NE(shell, nullptr);
    std::string output;
    std::array<char, 256> part{};
    while (fgets(part.data(), part.size(), shell) != nullptr)
        output += part.data();
    const int status = pclose(shell);
    if (output.find("not found") != std::string::npos)
        GTEST_SKIP() << "no sqlite3 program here";
    EXPECT_EQ(status, 0);
    EXPECT_EQ(output, "16384\n");
}

} // namespace
} // namespace tilescope::profile
