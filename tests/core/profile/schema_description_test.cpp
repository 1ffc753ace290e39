// SPDX-License-Identifier: GPL-3.0-or-later
#include "build_paths.h"
#include "profile/profile.h"
#include "profile/recorder.h"
#include "profile/table_text.h"
#include "tests/profile_fixture.h"
#include "tests/temporary_folder.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <set>
#include <sstream>

namespace tilescope::profile {
namespace {

using tests::TemporaryFolder;

std::string read_description() {
    std::ifstream file(TILESCOPE_SOURCE_DIR "/resources/docs/schema.md");
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

/// The fenced blocks of one language, without their fences.
std::vector<std::string> blocks(const std::string& text, const std::string& language) {
    const std::string fence = "```" + language + "\n";
    std::vector<std::string> found;
    for (std::size_t at = text.find(fence); at != std::string::npos; at = text.find(fence, at)) {
        const std::size_t begin = at + fence.size();
        at = text.find("```", begin);
        found.push_back(text.substr(begin, at - begin));
    }
    return found;
}

/// The names in the first column of the table under "### name".
std::vector<std::string> described_columns(const std::string& text, const std::string& name) {
    std::vector<std::string> columns;
    const std::size_t heading = text.find("\n### " + name + "\n");
    if (heading == std::string::npos)
        return columns;
    std::istringstream lines(text.substr(heading + 1, text.find("\n#", heading + 5) - heading - 1));
    for (std::string line; std::getline(lines, line);)
        if (line.starts_with("| `"))
            columns.push_back(line.substr(3, line.find('`', 3) - 3));
    return columns;
}

class SchemaDescription : public testing::Test {
  protected:
    void SetUp() override {
        ASSERT_TRUE(tests::record_fixture(path));
        auto opened = Profile::open(path);
        ASSERT_TRUE(opened);
        profile = std::move(*opened);
    }
    std::vector<std::string> column_of(const std::string& sql) const {
        std::vector<std::string> values;
        const auto result = profile->query(sql);
        EXPECT_TRUE(result) << (result ? "" : result.error().line());
        if (result)
            for (const auto& row : result->rows)
                values.push_back(row.at(0).text.value_or(""));
        return values;
    }
    const TemporaryFolder folder;
    const std::string path = folder / "a.tilescope";
    const std::string text = read_description();
    std::unique_ptr<Profile> profile;
};

TEST_F(SchemaDescription, NamesTheVersionThatARecordedFileHas) {
    EXPECT_NE(text.find("This page describes schema version " + column_of("PRAGMA user_version").at(0) + "."),
              std::string::npos);
}

TEST_F(SchemaDescription, EndsWithWhatTheShellPrintsOfARecordedFile) {
    FILE* shell = popen(("sqlite3 -batch '" + path + "' .schema 2>&1").c_str(), "r");
    ASSERT_NE(shell, nullptr);
    std::string printed;
    char buffer[4096];
    for (std::size_t n = 0; (n = fread(buffer, 1, sizeof buffer, shell)) > 0;)
        printed.append(buffer, n);
    if (pclose(shell) != 0 && printed.find("not found") != std::string::npos)
        GTEST_SKIP() << "no sqlite3 program here";
    const auto sql = blocks(text, "sql");
    ASSERT_FALSE(sql.empty());
    EXPECT_EQ(sql.back(), printed);
}

TEST_F(SchemaDescription, NamesEveryColumnOfEveryTableAndViewInOrder) {
    const auto tables = column_of(
        "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%' "
        "UNION SELECT name FROM sqlite_temp_master");
    EXPECT_GT(tables.size(), 20U);
    const std::string stored = "stored_"; // as the view of the rest of the name
    for (const std::string& table : tables)
        EXPECT_EQ(described_columns(text, table.starts_with(stored) ? table.substr(stored.size()) : table),
                  column_of("SELECT name FROM pragma_table_info('" + table + "') ORDER BY cid"))
            << table;
}

/// The rest of a cell or line of the page, or nothing.
std::string cell(const std::string& text) {
    return text.empty() ? " " : " " + text + " ";
}

std::string one_line(std::string text) {
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text;
}

TEST_F(SchemaDescription, SaysOfEachTableWhatTheCodeSays) {
    auto tables = all_tables();
    for (TableText& table : worked_out_tables())
        tables.push_back(std::move(table));
    for (const TableText& table : tables) {
        SCOPED_TRACE(table.name);
        const std::size_t begin = text.find("\n### " + table.name + "\n");
        ASSERT_NE(begin, std::string::npos);
        const std::string section = text.substr(begin, text.find("\n#", begin + 1) - begin);
        EXPECT_NE(one_line(section).find("### " + table.name + "  " +
                                         (table.meaning.empty() ? "" : table.meaning + "  ") + "| column |"),
                  std::string::npos)
            << section;
        for (const TableText::Column& column : table.columns)
            EXPECT_NE(section.find("\n| `" + column.name + "` |" + cell(column.unit) + "|" +
                                   cell(column.meaning) + "|\n"),
                      std::string::npos)
                << column.name;
    }
}

TEST_F(SchemaDescription, NamesEveryArrayOfTiles) {
    for (const std::string& array : column_of(
             "SELECT DISTINCT '| `' || iif(entity LIKE 'category:%', 'category:NAME', entity) || '` | ' || "
             "iif(entity IN ('memory') OR entity LIKE 'category:%', '0', '`' || entity || '.id`') || "
             "' | `' || metric || '` |' FROM tile_array"))
        EXPECT_NE(text.find(array), std::string::npos) << array;
}

// The page's own program.
TEST_F(SchemaDescription, TellsHowToReadTheNumbersOfTiles) {
    if (!std::filesystem::exists("/usr/bin/python3"))
        GTEST_SKIP() << "no Python here";
    std::vector<std::vector<std::int64_t>> lists(4, std::vector<std::int64_t>(1472, -3));
    for (std::size_t t = 0; t < 1472; ++t) {
        lists[1][t] = static_cast<std::int64_t>(t * t * 7919 % 600'011); // widths
        lists[2][t] = lists[1][t] + (t < 100 ? 8 : -16);                 // by the difference
        lists[3][t] = t % 2 == 0 ? 100'000 : 5;                          // deflated
    }
    const TemporaryFolder scratch;
    const std::string file = scratch / "lists.tilescope";
    {
        auto recorder = *Recorder::create(file, {});
        recorder->add(IpuRecord{});
        for (std::size_t i = 0; i < lists.size(); ++i)
            recorder->add_tile_values("variable", static_cast<std::int64_t>(i), 0, "bytes", lists[i]);
        ASSERT_TRUE(recorder->finish(RunStatus::Complete));
    }
    const auto forms =
        (*Profile::open(file))
            ->query("SELECT group_concat(hex(substr(data, 1, 1)) || ' ' || base_id, ', ') FROM "
                    "(SELECT * FROM tile_blob ORDER BY id)");
    EXPECT_EQ(forms->rows[0][0].text, "10 -1, 84 -1, 10 1, 84 -1") << "each form";
    std::ofstream(scratch / "read.py") << "import sqlite3, sys\n"
                                       << blocks(text, "python").at(0)
                                       << "db = sqlite3.connect(sys.argv[1])\n"
                                          "for row in db.execute('SELECT blob_id FROM tile_array ORDER BY "
                                          "entity_id'):\n"
                                          "    print(tile_values(db, row[0]))\n";
    FILE* python = popen(("/usr/bin/python3 '" + (scratch / "read.py") + "' '" + file + "'").c_str(), "r");
    ASSERT_NE(python, nullptr);
    std::string printed;
    char buffer[4096];
    for (std::size_t n = 0; (n = fread(buffer, 1, sizeof buffer, python)) > 0;)
        printed.append(buffer, n);
    ASSERT_EQ(pclose(python), 0) << printed;
    std::string expected;
    for (const auto& list : lists) {
        std::string values;
        for (const std::int64_t value : list)
            values += (values.empty() ? "" : ", ") + std::to_string(value);
        expected += "[" + values + "]\n";
    }
    EXPECT_EQ(printed, expected);
}

TEST_F(SchemaDescription, AnswersItsQuestionsOnARecordedFile) {
    auto sql = blocks(text, "sql");
    sql.pop_back(); // the schema
    EXPECT_GE(sql.size(), 5U);
    for (const std::string& question : sql) {
        const auto result = profile->query(question);
        ASSERT_TRUE(result) << question << (result ? "" : result.error().line());
        EXPECT_FALSE(result->columns.empty()) << question;
        const bool asks_addresses = question.find("'address'") != std::string::npos; // the fixture has none
        EXPECT_EQ(result->rows.empty(), asks_addresses) << question;
    }
}

} // namespace
} // namespace tilescope::profile
