// SPDX-License-Identifier: GPL-3.0-or-later
#include "schema_check.h"

#include "base/try.h"
#include "schema.h"

#include <algorithm>
#include <cctype>
#include <map>

namespace tilescope::profile {
namespace {

struct Entity {
    std::string kind; ///< "table", "view", "index", "trigger"
    std::string sql;
    std::int64_t root_page = 0; ///< 0: it holds nothing itself
};
using Entities = std::map<std::string, Entity>; ///< by name in small letters, as SQLite compares them

Result<Entities> entities_of(sqlite3* db, const std::string& path) {
    TRY(auto statement,
        Statement::prepare(db, "SELECT lower(name), type, coalesce(sql, ''), rootpage FROM sqlite_master",
                           path));
    Entities entities;
    int code = SQLITE_ROW;
    while ((code = statement.step()) == SQLITE_ROW) {
        std::string name;
        Entity entity;
        statement.read_all(name, entity.kind, entity.sql, entity.root_page);
        entities[name] = std::move(entity);
    }
    if (code != SQLITE_DONE)
        return Failure(sqlite_error(db, code, path));
    return entities;
}

/// Those of an empty profile.
Result<Entities> made_by_us() {
    sqlite3* raw = nullptr;
    sqlite3_open(":memory:", &raw);
    const Database empty(raw);
    TRY(execute(raw, schema_sql() + views_sql(), "the schema"));
    return entities_of(raw, "the schema");
}

/// Whether an entity may stand for ours of its name.
bool may_be(const Entity& theirs, const Entity& ours, bool same_version) {
    if (theirs.kind == "view")
        return ours.kind == "view" && (!same_version || theirs.sql == ours.sql);
    return theirs.kind == ours.kind || !same_version;
}

Result<bool> computes_columns(sqlite3* db, const std::string& path) {
    TRY(auto statement,
        Statement::prepare(
            db,
            "SELECT 1 FROM sqlite_master t, pragma_table_xinfo(t.name) c WHERE t.type = 'table' "
            "AND c.hidden > 1 LIMIT 1", // pragma.html: 2 and 3 are generated columns
            path));
    const int code = statement.step();
    if (code != SQLITE_ROW && code != SQLITE_DONE)
        return Failure(sqlite_error(db, code, path));
    return code == SQLITE_ROW;
}

} // namespace

Result<void> check_schema(sqlite3* db, std::int64_t version, const std::string& path) {
    static const Result<Entities> ours = made_by_us();
    TRY(const Entities made, Result<Entities>(ours));
    TRY(const Entities found, entities_of(db, path));
    for (const auto& [name, entity] : found) {
        const auto known = made.find(name);
        const bool hollow = entity.kind == "trigger" || (entity.kind == "table" && entity.root_page == 0);
        if (hollow || (known != made.end() && !may_be(entity, known->second, version == schema_version)))
            return bad_input("the file has a " + entity.kind + " \"" + name + "\" that no Tilescope made",
                             path, "profile the workload again");
    }
    TRY(const bool computed, computes_columns(db, path));
    if (computed)
        return bad_input("the file has columns that are computed, which no Tilescope made", path,
                         "profile the workload again");
    return {};
}

} // namespace tilescope::profile
