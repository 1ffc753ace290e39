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

struct FreeValue {
    void operator()(sqlite3_value* value) const { sqlite3_value_free(value); }
};

struct Cursor {
    sqlite3_vtab_cursor base{};
    std::vector<std::unique_ptr<sqlite3_value, FreeValue>> arguments; ///< of a function
    std::unique_ptr<Rows> rows;
    bool ended = true;
    sqlite3_int64 row = 0;
};

Table& table_at(sqlite3_vtab* table) {
    return *reinterpret_cast<Table*>(table);
}
Cursor& cursor_at(sqlite3_vtab_cursor* cursor) {
    return *reinterpret_cast<Cursor*>(cursor);
}

int failed(sqlite3_vtab* table, const std::string& error) {
    sqlite3_free(table->zErrMsg);
    table->zErrMsg = sqlite3_mprintf("%s", error.c_str());
    return SQLITE_ERROR;
}
int failed(sqlite3_vtab* table, const Error& error) {
    return error.kind == ErrorKind::Cancelled ? SQLITE_INTERRUPT : failed(table, error.line());
}

/// "entity, entity_id": the arguments of a function, each followed by `suffix`.
std::string arguments_of(const VirtualTable& table, const std::string& suffix) {
    std::string list;
    for (const std::string_view argument : table.arguments)
        list += (list.empty() ? "" : ", ") + std::string(argument) + suffix;
    return list;
}

/// Those of a function are hidden columns after the others.
std::string declaration(const VirtualTable& table) {
    std::string columns;
    for (const TableText::Column& column : table.text.columns)
        columns += (columns.empty() ? "" : ", ") + column.name + " " + column.type;
    if (!table.arguments.empty())
        columns += ", " + arguments_of(table, " HIDDEN");
    return "CREATE TABLE x(" + columns + ")";
}

int connect(sqlite3* db, void* kind, int, const char* const*, sqlite3_vtab** table, char**) {
    const auto* of = static_cast<const VirtualTable*>(kind);
    const int code = sqlite3_declare_vtab(db, declaration(*of).c_str());
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

/// Whether a plan has all arguments of a function: what `filter` is told.
constexpr int complete = 0, incomplete = 1;

/// The arguments of a function come first among those of `filter`: each must be known, and equal to one
/// value.
int take_arguments(sqlite3_vtab* table, sqlite3_index_info* info) {
    const VirtualTable& kind = *table_at(table).kind;
    std::vector<bool> given(kind.arguments.size());
    for (int i = 0; i < info->nConstraint; ++i) {
        const auto& constraint = info->aConstraint[i];
        const int argument = constraint.iColumn - static_cast<int>(kind.text.columns.size());
        if (argument < 0 || constraint.op != SQLITE_INDEX_CONSTRAINT_EQ)
            continue;
        if (constraint.usable == 0)
            return SQLITE_CONSTRAINT; // another plan has it known
        if (given[static_cast<std::size_t>(argument)])
            continue; // SQLite compares the second value with the first itself
        given[static_cast<std::size_t>(argument)] = true;
        info->aConstraintUsage[i].argvIndex = argument + 1;
        info->aConstraintUsage[i].omit = 1;
    }
    // Of a condition with OR, SQLite asks for a plan of each side alone: this must be none that it takes.
    info->idxNum = std::find(given.begin(), given.end(), false) == given.end() ? complete : incomplete;
    return SQLITE_OK;
}

bool is_bound(unsigned char op) {
    return op == SQLITE_INDEX_CONSTRAINT_EQ || op == SQLITE_INDEX_CONSTRAINT_GT ||
           op == SQLITE_INDEX_CONSTRAINT_GE || op == SQLITE_INDEX_CONSTRAINT_LT ||
           op == SQLITE_INDEX_CONSTRAINT_LE;
}

/// Each bound that can be used is an argument of `filter`; `idxStr` has a column and an operator for each.
/// SQLite checks them again, so that the rows may keep to them roughly.
int best_index(sqlite3_vtab* table, sqlite3_index_info* info) {
    const VirtualTable& kind = *table_at(table).kind;
    if (const int code = take_arguments(table, info); code != SQLITE_OK)
        return code;
    if (info->idxNum == incomplete) {
        std::fill_n(info->aConstraintUsage, info->nConstraint,
                    sqlite3_index_info::sqlite3_index_constraint_usage{});
        info->estimatedCost = 1e99;
        return SQLITE_OK;
    }
    std::string plan;
    double rows = kind.arguments.empty() ? 1e12 : 1500; // a function gives a value for each tile
    int arguments = static_cast<int>(kind.arguments.size());
    for (int i = 0; i < info->nConstraint; ++i) {
        const auto& constraint = info->aConstraint[i];
        const auto column = static_cast<std::size_t>(constraint.iColumn);
        if (!is_bound(constraint.op) || constraint.usable == 0 || constraint.iColumn < 0 ||
            column >= kind.text.columns.size() ||
            std::find(kind.bounded.begin(), kind.bounded.end(), kind.text.columns[column].name) ==
                kind.bounded.end())
            continue;
        info->aConstraintUsage[i].argvIndex = ++arguments;
        plan += static_cast<char>('A' + constraint.iColumn);
        plan += static_cast<char>(constraint.op);
        rows /= constraint.op == SQLITE_INDEX_CONSTRAINT_EQ ? 1000 : 4;
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

int open_cursor(sqlite3_vtab*, sqlite3_vtab_cursor** cursor) {
    auto* made = new (std::nothrow) Cursor{};
    if (made == nullptr)
        return SQLITE_NOMEM;
    *cursor = &made->base;
    return SQLITE_OK;
}

int close_cursor(sqlite3_vtab_cursor* cursor) {
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

int filter(sqlite3_vtab_cursor* cursor, int arguments_are, const char* plan, int count,
           sqlite3_value** values) {
    Cursor& c = cursor_at(cursor);
    Table& table = table_at(cursor->pVtab);
    if (arguments_are == incomplete)
        return failed(cursor->pVtab,
                      table.kind->text.name + " takes (" + arguments_of(*table.kind, "") + ")");
    const std::span given(values, static_cast<std::size_t>(count));
    const std::size_t arguments = table.kind->arguments.size();
    std::vector<Bounds> bounds(table.kind->text.columns.size());
    for (std::size_t i = arguments; i < given.size(); ++i, plan += 2)
        if (sqlite3_value_type(given[i]) == SQLITE_INTEGER)
            narrow(bounds[static_cast<std::size_t>(plan[0] - 'A')], plan[1], sqlite3_value_int64(given[i]));
    auto rows = table.kind->open({table.db, table.tree, table.kind->text, bounds, given.first(arguments)});
    if (!rows)
        return failed(cursor->pVtab, rows.error());
    c.arguments.clear();
    for (sqlite3_value* const argument : given.first(arguments))
        c.arguments.emplace_back(sqlite3_value_dup(argument));
    c.rows = std::move(*rows);
    c.row = -1;
    return next(cursor);
}

int at_end(sqlite3_vtab_cursor* cursor) {
    return cursor_at(cursor).ended ? 1 : 0;
}

int column(sqlite3_vtab_cursor* cursor, sqlite3_context* out, int index) {
    const Cursor& c = cursor_at(cursor);
    const std::size_t columns = table_at(cursor->pVtab).kind->text.columns.size();
    const auto at = static_cast<std::size_t>(index);
    if (at < columns)
        c.rows->column(index, out);
    else if (c.arguments[at - columns])
        sqlite3_result_value(out, c.arguments[at - columns].get());
    return SQLITE_OK;
}

int row_id(sqlite3_vtab_cursor* cursor, sqlite3_int64* id) {
    *id = cursor_at(cursor).row;
    return SQLITE_OK;
}

/// What is created under a name of its own, or, as a function, is there under that of the module.
sqlite3_module make_module(bool created) {
    sqlite3_module module{};
    if (created) {
        module.xCreate = connect;
        module.xDestroy = disconnect;
    }
    module.xConnect = connect;
    module.xBestIndex = best_index;
    module.xDisconnect = disconnect;
    module.xOpen = open_cursor;
    module.xClose = close_cursor;
    module.xFilter = filter;
    module.xNext = next;
    module.xEof = at_end;
    module.xColumn = column;
    module.xRowid = row_id;
    return module;
}

} // namespace

void give(sqlite3_context* out, std::int64_t value) {
    sqlite3_result_int64(out, value);
}

void give(sqlite3_context* out, double value) {
    sqlite3_result_double(out, value);
}

void give(sqlite3_context* out, const std::string& value) {
    sqlite3_result_text(out, value.data(), static_cast<int>(value.size()), SQLITE_TRANSIENT);
}

Bounds Scan::of(std::string_view column) const {
    const auto found = std::find_if(text.columns.begin(), text.columns.end(),
                                    [column](const auto& c) { return c.name == column; });
    return found == text.columns.end() ? Bounds{}
                                       : bounds[static_cast<std::size_t>(found - text.columns.begin())];
}

int add_virtual_table(sqlite3* db, const VirtualTable& table) {
    static const sqlite3_module created = make_module(true);
    static const sqlite3_module function = make_module(false);
    const std::string& name = table.text.name;
    auto* const kind = const_cast<VirtualTable*>(&table);
    if (!table.arguments.empty())
        return sqlite3_create_module(db, name.c_str(), &function, kind);
    const std::string module = "tilescope_" + name;
    const int code = sqlite3_create_module(db, module.c_str(), &created, kind);
    if (code != SQLITE_OK)
        return code;
    // SQLite looks into the schema of temporary tables first: this one is found before the file's view.
    const std::string sql = "CREATE VIRTUAL TABLE temp." + name + " USING " + module;
    return sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr);
}

} // namespace tilescope::profile
