// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/app/command_fixture.h"

namespace tilescope::tests {
namespace {

class Query : public CommandTest {
  protected:
    const std::string file = record_training();
};

TEST_F(Query, EachFormatShowsTheSameRows) {
    const std::string sql = "SELECT 1.5 AS number, 'x,\"y' AS text, '12' AS label, NULL AS absent";
    EXPECT_EQ(document({"query", file, sql, "--format", "json"}),
              nlohmann::ordered_json::parse(
                  R"([{"number": 1.5, "text": "x,\"y", "label": "12", "absent": null}])"));
    EXPECT_EQ(printed({"query", file, sql, "--format", "csv"}),
              "number,text,label,absent\n1.5,\"x,\"\"y\",12,\n"); // RFC 4180
    const std::string table = printed({"query", file, sql});
    EXPECT_TRUE(holds(table, "number")) << table;
    EXPECT_TRUE(holds(table, "NULL")) << table;
}

TEST_F(Query, NoRowsAreAnEmptyAnswer) {
    const std::string sql = "SELECT id FROM layer WHERE id < 0";
    EXPECT_EQ(document({"query", file, sql, "--format", "json"}), nlohmann::ordered_json::array());
    EXPECT_EQ(printed({"query", file, sql, "--format", "csv"}), "id\n");
}

// Per-tile questions in SQL give what the report says.
TEST_F(Query, TheFullestTileIsTheReports) {
    const std::string fullest = "SELECT tile, value FROM tile_values('memory', 0, 0, 'total') "
                                "ORDER BY value DESC, tile LIMIT 1";
    const auto rows = document({"query", file, fullest, "--format", "json"});
    const auto memory = document({"report", file, "--format", "json"}).at("memory");
    ASSERT_EQ(rows.size(), 1U);
    EXPECT_EQ(rows.at(0).at("tile"), memory.at("max_tile"));
    EXPECT_EQ(rows.at(0).at("value"), memory.at("max_tile_bytes"));
    const auto tiles =
        document({"query", file, "SELECT count(*) AS n FROM tile_values('memory', 0, 0, 'total')", "--format",
                  "json"});
    EXPECT_EQ(tiles.at(0).at("n"), 1472);
}

TEST_F(Query, MistakesInSqlAreOneLine) {
    expect_failure(run({"query", file, "SELECT nope FROM run"}), 3,
                   {"SQL, line 1, column 8: no such column: nope"});
    expect_failure(run({"query", file, "nonsense"}), 3, {"SQL, line 1, column 1: ", "syntax error"});
    expect_failure(run({"query", file, ""}), 3, {"SQL: the statement is empty"});
    expect_failure(run({"query", file, "SELECT 1; SELECT 2"}), 3, {"one at a time"});
}

TEST_F(Query, NothingIsChanged) {
    const std::string before = read_file(file);
    for (const std::string& sql :
         {std::string("DELETE FROM run"), std::string("UPDATE run SET name = 'x'"),
          std::string("DROP TABLE run"), "ATTACH '" + (folder / "other.db") + "' AS other",
          "VACUUM INTO '" + (folder / "other.db") + "'"})
        expect_failure(run({"query", file, sql}), 3, {"SQL: "});
    EXPECT_EQ(read_file(file), before);
    EXPECT_EQ(files(), std::set<std::string>{"training.tilescope"});
}

} // namespace
} // namespace tilescope::tests
