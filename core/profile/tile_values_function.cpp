// SPDX-License-Identifier: GPL-3.0-or-later
#include "tile_values_function.h"

#include "profile/tile_array.h"

#include <memory>
#include <new>
#include <vector>

/// An eponymous virtual table, as SQLite's documentation describes them (vtab.html, section "Table-valued
/// functions"): its hidden columns are the arguments.
namespace tilescope::profile {
namespace {

enum Column { column_tile, column_value, column_entity, column_entity_id, column_ipu, column_metric };

struct Table {
    sqlite3_vtab base;
    sqlite3* db;
};

struct Cursor {
    sqlite3_vtab_cursor base;
    std::vector<std::int64_t> values;
    std::size_t at = 0;
};

int connect(sqlite3* db, void*, int, const char* const*, sqlite3_vtab** table, char**) {
    const int code = sqlite3_declare_vtab(db, "CREATE TABLE x(tile INTEGER, value INTEGER, entity HIDDEN, "
                                              "entity_id HIDDEN, ipu HIDDEN, metric HIDDEN)");
    if (code != SQLITE_OK)
        return code;
    auto* made = new (std::nothrow) Table{};
    if (made == nullptr)
        return SQLITE_NOMEM;
    made->db = db;
    *table = &made->base;
    return SQLITE_OK;
}

int disconnect(sqlite3_vtab* table) {
    delete reinterpret_cast<Table*>(table);
    return SQLITE_OK;
}

/// All four arguments must be given, by equality; they reach `filter` in their order.
int best_index(sqlite3_vtab* table, sqlite3_index_info* info) {
    int found[4] = {-1, -1, -1, -1};
    for (int i = 0; i < info->nConstraint; ++i) {
        const auto& constraint = info->aConstraint[i];
        const int argument = constraint.iColumn - column_entity;
        if (argument < 0 || constraint.op != SQLITE_INDEX_CONSTRAINT_EQ)
            continue;
        if (constraint.usable == 0)
            return SQLITE_CONSTRAINT;
        found[argument] = i;
    }
    for (int argument = 0; argument < 4; ++argument) {
        if (found[argument] < 0) {
            table->zErrMsg = sqlite3_mprintf("tile_values takes (entity, entity_id, ipu, metric)");
            return SQLITE_ERROR;
        }
        info->aConstraintUsage[found[argument]].argvIndex = argument + 1;
        info->aConstraintUsage[found[argument]].omit = 1;
    }
    info->estimatedCost = 1500;
    info->estimatedRows = 1500;
    return SQLITE_OK;
}

int open(sqlite3_vtab*, sqlite3_vtab_cursor** cursor) {
    auto* made = new (std::nothrow) Cursor{};
    if (made == nullptr)
        return SQLITE_NOMEM;
    *cursor = &made->base;
    return SQLITE_OK;
}

int close(sqlite3_vtab_cursor* cursor) {
    delete reinterpret_cast<Cursor*>(cursor);
    return SQLITE_OK;
}

int filter(sqlite3_vtab_cursor* cursor, int, const char*, int count, sqlite3_value** arguments) {
    auto& c = *reinterpret_cast<Cursor*>(cursor);
    c.at = 0;
    c.values.clear();
    sqlite3_stmt* raw = nullptr;
    const int prepared =
        sqlite3_prepare_v2(reinterpret_cast<Table*>(cursor->pVtab)->db, tile_blobs_sql, -1, &raw, nullptr);
    const auto finalize = [](sqlite3_stmt* statement) { sqlite3_finalize(statement); };
    const std::unique_ptr<sqlite3_stmt, decltype(finalize)> statement(raw, finalize);
    if (prepared != SQLITE_OK || count != 4) {
        cursor->pVtab->zErrMsg =
            sqlite3_mprintf("tile_values reads Tilescope profiles; this database is none");
        return SQLITE_ERROR;
    }
    for (int i = 0; i < count; ++i)
        sqlite3_bind_value(raw, i + 1, arguments[i]);
    const int code = sqlite3_step(raw);
    if (code == SQLITE_DONE)
        return SQLITE_OK;
    if (code != SQLITE_ROW)
        return code;
    const auto blob = [&](int column) {
        return std::span(static_cast<const std::byte*>(sqlite3_column_blob(raw, column)),
                         static_cast<std::size_t>(sqlite3_column_bytes(raw, column)));
    };
    auto values = unpack_tile_values(blob(0), blob(1));
    if (!values)
        return SQLITE_CORRUPT;
    c.values = std::move(*values);
    return SQLITE_OK;
}

int next(sqlite3_vtab_cursor* cursor) {
    ++reinterpret_cast<Cursor*>(cursor)->at;
    return SQLITE_OK;
}

int at_end(sqlite3_vtab_cursor* cursor) {
    const auto& c = *reinterpret_cast<Cursor*>(cursor);
    return c.at >= c.values.size() ? 1 : 0;
}

int column(sqlite3_vtab_cursor* cursor, sqlite3_context* context, int index) {
    const auto& c = *reinterpret_cast<Cursor*>(cursor);
    if (index == column_tile)
        sqlite3_result_int64(context, static_cast<sqlite3_int64>(c.at));
    else if (index == column_value)
        sqlite3_result_int64(context, c.values[c.at]);
    return SQLITE_OK;
}

int row_id(sqlite3_vtab_cursor* cursor, sqlite3_int64* id) {
    *id = static_cast<sqlite3_int64>(reinterpret_cast<Cursor*>(cursor)->at);
    return SQLITE_OK;
}

sqlite3_module make_module() {
    sqlite3_module module{};
    module.xConnect = connect;
    module.xBestIndex = best_index;
    module.xDisconnect = disconnect;
    module.xOpen = open;
    module.xClose = close;
    module.xFilter = filter;
    module.xNext = next;
    module.xEof = at_end;
    module.xColumn = column;
    module.xRowid = row_id;
    return module;
}

} // namespace

const char* const tile_blobs_sql =
    "SELECT b.data, base.data FROM tile_metric m JOIN tile_entry e ON e.metric_id = m.id JOIN tile_blob b ON "
    "b.id = e.blob_id LEFT JOIN tile_blob base ON base.id = b.base_id WHERE m.entity = ?1 AND m.metric = ?4 "
    "AND e.entity_id = ?2 AND e.ipu = coalesce((SELECT shard FROM ipu WHERE id = ?3 AND (replica = 0 OR ?1 "
    "NOT "
    "IN ('compute_set', 'exchange'))), -1)";

int add_tile_values_function(sqlite3* db) {
    static const sqlite3_module module = make_module();
    return sqlite3_create_module(db, "tile_values", &module, nullptr);
}

} // namespace tilescope::profile
