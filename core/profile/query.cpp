// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/try.h"
#include "connection.h"

#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <regex>

/// Free SQL from users, who may read everything and change nothing.
namespace tilescope::profile {
namespace {

/// Refuses, while a statement is prepared, what `sqlite3_stmt_readonly` would let through: opening other
/// files, transactions that would outlive the call, and pragmas that set something.
int refuse_side_effects(void*, int action, const char* name, const char* value, const char*, const char*) {
    switch (action) {
    case SQLITE_ATTACH:
    case SQLITE_DETACH:
    case SQLITE_TRANSACTION:
    case SQLITE_SAVEPOINT:
        return SQLITE_DENY;
    case SQLITE_PRAGMA: {
        const std::string pragma = name == nullptr ? "" : name;
        const bool describes = pragma.starts_with("table_") || pragma.starts_with("index_");
        return value == nullptr || describes ? SQLITE_OK : SQLITE_DENY;
    }
    default:
        return SQLITE_OK;
    }
}

/// Bytes before the first table that is named behind FROM or JOIN and is not there: SQLite does not tell.
std::optional<std::size_t> absent_table(sqlite3* db, const std::string& sql) {
    constexpr std::size_t most_read = 4000; // a match may go as deep as it is long
    if (sql.size() > most_read)
        return {};
    static const std::regex named(R"re(\b(?:FROM|JOIN)\s+(\w+))re", std::regex::icase);
    for (std::sregex_iterator match(sql.begin(), sql.end(), named), end; match != end; ++match) {
        const std::string name = match->str(1);
        const std::regex own("\\b" + name +
                                 R"re((?:\s*\([^)]*\))?\s+AS\s+(?:NOT\s+)?(?:MATERIALIZED\s+)?\()re",
                             std::regex::icase); // WITH name AS (
        sqlite3_stmt* raw = nullptr;
        const int code = sqlite3_prepare_v2(db, ("SELECT 1 FROM " + name).c_str(), -1, &raw, nullptr);
        sqlite3_finalize(raw);
        if (code != SQLITE_OK && !std::regex_search(sql, own))
            return static_cast<std::size_t>(match->position(1));
    }
    return {};
}

/// "SQL, line 2, column 8", counted from 1; columns in bytes.
std::string place_in(const std::string& sql, std::optional<std::size_t> offset) {
    if (!offset)
        return "SQL";
    const std::string before = sql.substr(0, *offset);
    const std::size_t line = before.rfind('\n');
    return fmt::format("SQL, line {}, column {}", std::count(before.begin(), before.end(), '\n') + 1,
                       line == std::string::npos ? before.size() + 1 : before.size() - line);
}

using QueryStatement = std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)>;

Result<QueryStatement> prepare_query(sqlite3* db, const std::string& sql) {
    sqlite3_stmt* raw = nullptr;
    const char* rest = nullptr;
    sqlite3_set_authorizer(db, refuse_side_effects, nullptr);
    const int code = sqlite3_prepare_v2(db, sql.c_str(), -1, &raw, &rest);
    const std::string message = sqlite3_errmsg(db);
    const int mistake = sqlite3_error_offset(db);
    sqlite3_set_authorizer(db, nullptr, nullptr);
    QueryStatement statement(raw, sqlite3_finalize);
    if (code == SQLITE_AUTH || (raw != nullptr && sqlite3_stmt_readonly(raw) == 0))
        return bad_input("the statement would change the file", "SQL", "only reading is allowed");
    if (code != SQLITE_OK) {
        const auto offset =
            mistake >= 0 ? std::optional(static_cast<std::size_t>(mistake)) : absent_table(db, sql);
        return Failure(Error{ErrorKind::BadInput, message, place_in(sql, offset),
                             "`tilescope query FILE \"SELECT name FROM sqlite_master\"` lists the tables",
                             offset});
    }
    if (raw == nullptr)
        return bad_input("the statement is empty", "SQL", "give a SELECT");
    // Whatever follows may only be blanks, comments and semicolons, which SQLite compiles to nothing.
    while (rest != nullptr && *rest != '\0') {
        sqlite3_stmt* second = nullptr;
        const char* at = rest;
        const int next = sqlite3_prepare_v2(db, at, -1, &second, &rest);
        sqlite3_finalize(second);
        if (next != SQLITE_OK || second != nullptr) {
            const auto offset = sql.find_first_not_of(" \t\r\n", static_cast<std::size_t>(at - sql.c_str()));
            return Failure(Error{ErrorKind::BadInput, "there is more than one statement",
                                 place_in(sql, offset), "give one at a time", offset});
        }
        if (rest == at)
            break;
    }
    return statement;
}

QueryCell cell(sqlite3_stmt* statement, int column) {
    const int type = sqlite3_column_type(statement, column);
    switch (type) {
    case SQLITE_NULL:
        return {};
    case SQLITE_BLOB:
        return {"<" + std::to_string(sqlite3_column_bytes(statement, column)) + " bytes>"};
    default: {
        const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement, column));
        return {std::string(text == nullptr ? "" : text,
                            static_cast<std::size_t>(sqlite3_column_bytes(statement, column))),
                type != SQLITE_TEXT};
    }
    }
}

} // namespace

Result<void> Profile::query(const std::string& sql,
                            const std::function<void(const std::vector<std::string>&)>& columns,
                            const std::function<void(const std::vector<QueryCell>&)>& row) const {
    sqlite3* db = state_->db.get();
    TRY(const auto statement, prepare_query(db, sql));
    const int count = sqlite3_column_count(statement.get());
    std::vector<std::string> names;
    names.reserve(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i)
        names.emplace_back(sqlite3_column_name(statement.get(), i));
    columns(names);
    std::vector<QueryCell> cells(static_cast<std::size_t>(count));
    int code = SQLITE_ROW;
    while ((code = sqlite3_step(statement.get())) == SQLITE_ROW) {
        for (int i = 0; i < count; ++i)
            cells[static_cast<std::size_t>(i)] = cell(statement.get(), i);
        row(cells);
    }
    if (code == SQLITE_INTERRUPT || code == SQLITE_CORRUPT)
        return Failure(sqlite_error(db, code, state_->path));
    if (code != SQLITE_DONE)
        return bad_input(sqlite3_errmsg(db), "SQL");
    return {};
}

Result<QueryResult> Profile::query(const std::string& sql) const {
    QueryResult result;
    TRY(query(
        sql, [&](const std::vector<std::string>& columns) { result.columns = columns; },
        [&](const std::vector<QueryCell>& row) { result.rows.push_back(row); }));
    return result;
}

Result<std::vector<std::string>> Profile::table_names() const {
    return state_->rows<std::string>("SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND "
                                     "name NOT LIKE 'sqlite\\_%' ESCAPE '\\' UNION SELECT name FROM "
                                     "sqlite_temp_master ORDER BY name",
                                     [](const Statement& s, std::string& name) { s.read_all(name); });
}

} // namespace tilescope::profile
