// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/random.h"
#include "tests/fuzz/imports.h"
#include "tests/temporary_folder.h"

#include <algorithm>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sqlite3.h>
#include <utility>

namespace tilescope::tests {
namespace {

using Json = nlohmann::json;

/// Puts values of each kind in place of every value of `document`, one at a time.
void change_each(Json& document, Json& value, const std::function<void()>& changed) {
    static const Json others = Json::parse(R"([null, true, -7, "other", [], [7], {"other": 7}])");
    for (const Json& other : others) {
        const Json before = std::exchange(value, other);
        changed();
        value = before;
    }
    if (value.is_structured())
        for (Json& part : value)
            change_each(document, part, changed);
}

class Replay : public testing::TestWithParam<Import> {};

TEST_P(Replay, SeedsAreTakenOver) {
    for (const Seed& seed : GetParam().seeds())
        EXPECT_EQ(GetParam().take(seed.bytes), "") << seed.name;
}

TEST_P(Replay, WhatIsCutIsRefused) {
    EXPECT_NE(GetParam().take(""), "");
    for (const Seed& seed : GetParam().seeds())
        EXPECT_NE(GetParam().take(seed.bytes.substr(0, seed.bytes.size() / 3)), "") << seed.name;
}

// Taken over or refused in one line.
TEST_P(Replay, NoDamageEndsTheProgram) {
    constexpr std::uint64_t rounds = 20;
    const RandomStream random(1, GetParam().name);
    std::uint64_t drawn = 0;
    for (const Seed& seed : GetParam().seeds())
        for (std::uint64_t round = 0; round < rounds; ++round) {
            std::string bytes = seed.bytes;
            for (int change = 0; change < 3; ++change) {
                const std::size_t at = random.bits(drawn++) % bytes.size();
                bytes[at] = static_cast<char>(random.bits(drawn++));
            }
            EXPECT_EQ(GetParam().take(bytes).find('\n'), std::string::npos) << seed.name;
        }
}

// A value that is of another kind than its place asks for, or of another that it takes, too.
TEST_P(Replay, NoValueOfAnotherKindEndsTheProgram) {
    for (const Seed& seed : GetParam().seeds()) {
        Json document = Json::parse(seed.bytes, nullptr, false);
        if (document.is_discarded() || seed.bytes.size() > 4096)
            continue;
        change_each(document, document, [&] {
            const std::string text = document.dump();
            EXPECT_EQ(GetParam().take(text).find('\n'), std::string::npos) << text;
        });
    }
}

/// Calls `changed` with the bytes of a database for each column of its tables and each of some values, which
/// all rows have there then, and says which.
void change_columns(const std::string& bytes,
                    const std::function<void(const std::string& what, const std::string& bytes)>& changed) {
    const TemporaryFolder folder;
    const std::string path = folder / "changed";
    const auto run = [&](const std::string& sql, std::vector<std::string>* rows) {
        const auto take = [](void* to, int, char** row, char**) {
            static_cast<std::vector<std::string>*>(to)->emplace_back(row[0]);
            return 0;
        };
        sqlite3* db = nullptr;
        sqlite3_open(path.c_str(), &db);
        // Some columns must be whole numbers: those keep what they have.
        sqlite3_exec(db, sql.c_str(), rows == nullptr ? nullptr : +take, rows, nullptr);
        sqlite3_close(db);
    };
    const auto write = [&] { std::ofstream(path, std::ios::binary) << bytes; };
    write();
    std::vector<std::string> columns;
    run("SELECT s.name || ' SET ' || c.name FROM sqlite_schema s, pragma_table_info(s.name) c "
        "WHERE s.type = 'table'",
        &columns);
    EXPECT_FALSE(columns.empty());
    for (const std::string& column : columns)
        for (const char* value : {"0", "4611686018427387904", "'[1,2]'"}) {
            const std::string sql = "UPDATE OR IGNORE " + column + " = " + value;
            write();
            run("PRAGMA synchronous = OFF; " + sql, nullptr);
            std::ifstream file(path, std::ios::binary);
            changed(sql, std::string(std::istreambuf_iterator<char>(file), {}));
        }
}

// As what another program wrote, or a damaged page: what belongs together is in no file of ours apart.
TEST(ProfileColumns, NoOddValueEndsTheProgram) {
    const Import& profile = import_named("profile");
    change_columns(profile.seeds().front().bytes, [&](const std::string& what, const std::string& bytes) {
        SCOPED_TRACE(what);
        EXPECT_EQ(profile.take(bytes).find('\n'), std::string::npos);
    });
}

INSTANTIATE_TEST_SUITE_P(Imports, Replay, testing::ValuesIn(imports()),
                         [](const auto& each) { return each.param.name; });

} // namespace
} // namespace tilescope::tests
