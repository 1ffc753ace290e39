// SPDX-License-Identifier: GPL-3.0-or-later
#include "virtual_table.h"

#include <algorithm>
#include <new>

namespace tilescope::profile {
namespace {

struct Table {
    sqlite3_vtab base{};
    sqlite3* db = nullptr;
    const VirtualTable* kind = nullptr;
    TimeTree tree;
    Table(sqlite3* connection, const VirtualTable* table)
        : db(connection), kind(table), tree(connection, "the profile") {}
};

struct Cursor {
    sqlite3_vtab_cursor base{};
    std::unique_ptr<RowSource> rows;
    bool ended = true;
    sqlite3_int64 row = 0;
};

Table& table_at(sqlite3_vtab* table) {
    return *reinterpret_cast<Table*>(table);
}
Cursor& cursor_at(sqlite3_vtab_cursor* cursor) {
    return *reinterpret_cast<Cursor*>(cursor);
}

int failed(sqlite3_vtab* table, const Error& error) {
    if (error.kind == ErrorKind::Cancelled)
        return SQLITE_INTERRUPT;
    sqlite3_free(table->zErrMsg);
    table->zErrMsg = sqlite3_mprintf("%s", error.line().c_str());
    return SQLITE_ERROR;
}

int connect(sqlite3* db, void* kind, int, const char* const*, sqlite3_vtab** table, char**) {
    const auto* of = static_cast<const VirtualTable*>(kind);
    const int code = sqlite3_declare_vtab(db, ("CREATE TABLE x(" + std::string(of->columns) + ")").c_str());
    if (code != SQLITE_OK)
        return code;
    auto* made = new (std::nothrow) Table(db, of);
    if (made == nullptr)
        return SQLITE_NOMEM;
    *table = &made->base;
    return SQLITE_OK;
}

int disconnect(sqlite3_vtab* table) {
    delete &table_at(table);
    return SQLITE_OK;
}

/// Each bound that can be used is an argument of `filter`; `idxStr` has a column and an operator for each.
/// SQLite checks them again, so that `open` may keep to them roughly.
int best_index(sqlite3_vtab* table, sqlite3_index_info* info) {
    const VirtualTable& kind = *table_at(table).kind;
    std::string plan;
    double rows = 1e12;
    int arguments = 0;
    for (int i = 0; i < info->nConstraint; ++i) {
        const auto& constraint = info->aConstraint[i];
        const bool equal = constraint.op == SQLITE_INDEX_CONSTRAINT_EQ;
        const bool bound = equal || constraint.op == SQLITE_INDEX_CONSTRAINT_GT ||
                           constraint.op == SQLITE_INDEX_CONSTRAINT_GE ||
                           constraint.op == SQLITE_INDEX_CONSTRAINT_LT ||
                           constraint.op == SQLITE_INDEX_CONSTRAINT_LE;
        if (!bound || constraint.usable == 0 ||
            std::find(kind.pushed.begin(), kind.pushed.end(), constraint.iColumn) == kind.pushed.end())
            continue;
        info->aConstraintUsage[i].argvIndex = ++arguments;
        plan += static_cast<char>('A' + constraint.iColumn);
        plan += static_cast<char>(constraint.op);
        rows /= equal ? 1000 : 4;
    }
    info->idxStr = sqlite3_mprintf("%s", plan.c_str());
    if (info->idxStr == nullptr)
        return SQLITE_NOMEM;
    info->needToFreeIdxStr = 1;
    bool in_order = info->nOrderBy <= kind.ordered;
    for (int i = 0; i < info->nOrderBy; ++i)
        in_order = in_order && info->aOrderBy[i].iColumn == i && info->aOrderBy[i].desc == 0;
    info->orderByConsumed = in_order ? 1 : 0;
    info->estimatedCost = std::max(rows, 1.0);
    info->estimatedRows = static_cast<sqlite3_int64>(std::max(rows, 1.0));
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
    delete &cursor_at(cursor);
    return SQLITE_OK;
}

int next(sqlite3_vtab_cursor* cursor) {
    Cursor& c = cursor_at(cursor);
    const auto more = c.rows->next();
    if (!more)
        return failed(cursor->pVtab, more.error());
    c.ended = !*more;
    ++c.row;
    return SQLITE_OK;
}

void narrow(Bounds& bounds, int op, std::int64_t value) {
    if (op == SQLITE_INDEX_CONSTRAINT_EQ || op == SQLITE_INDEX_CONSTRAINT_GE ||
        op == SQLITE_INDEX_CONSTRAINT_GT)
        bounds.low = std::max(bounds.low, value);
    if (op == SQLITE_INDEX_CONSTRAINT_EQ || op == SQLITE_INDEX_CONSTRAINT_LE ||
        op == SQLITE_INDEX_CONSTRAINT_LT)
        bounds.high = std::min(bounds.high, value);
}

int filter(sqlite3_vtab_cursor* cursor, int, const char* plan, int count, sqlite3_value** arguments) {
    Cursor& c = cursor_at(cursor);
    Table& table = table_at(cursor->pVtab);
    std::vector<Bounds> bounds(32);
    for (int i = 0; i < count; ++i)
        if (sqlite3_value_type(arguments[i]) == SQLITE_INTEGER)
            narrow(bounds[static_cast<std::size_t>(plan[2 * i] - 'A')], plan[2 * i + 1],
                   sqlite3_value_int64(arguments[i]));
    auto rows = table.kind->open(table.db, table.tree, bounds);
    if (!rows)
        return failed(cursor->pVtab, rows.error());
    c.rows = std::move(*rows);
    c.row = -1;
    return next(cursor);
}

int at_end(sqlite3_vtab_cursor* cursor) {
    return cursor_at(cursor).ended ? 1 : 0;
}

int column(sqlite3_vtab_cursor* cursor, sqlite3_context* out, int index) {
    cursor_at(cursor).rows->column(index, out);
    return SQLITE_OK;
}

int row_id(sqlite3_vtab_cursor* cursor, sqlite3_int64* id) {
    *id = cursor_at(cursor).row;
    return SQLITE_OK;
}

sqlite3_module make_module() {
    sqlite3_module module{};
    module.xCreate = connect;
    module.xConnect = connect;
    module.xBestIndex = best_index;
    module.xDisconnect = disconnect;
    module.xDestroy = disconnect;
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

int add_virtual_table(sqlite3* db, const VirtualTable& table) {
    static const sqlite3_module module = make_module();
    const std::string name = "tilescope_" + std::string(table.name);
    const int code = sqlite3_create_module(db, name.c_str(), &module, const_cast<VirtualTable*>(&table));
    if (code != SQLITE_OK)
        return code;
    // SQLite looks into the schema of temporary tables first: this one is found before the file's view.
    const std::string sql = "CREATE VIRTUAL TABLE temp." + std::string(table.name) + " USING " + name;
    return sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr);
}

} // namespace tilescope::profile
