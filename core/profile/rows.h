// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/try.h"
#include "statement.h"
#include "tables.h"

#include <string>

/// Reading of rows over any connection, as one of SQLite's own programs has it.
namespace tilescope::profile {

template<class Visit, class... Arguments>
Result<void> each_row(sqlite3* db, const std::string& path, const std::string& sql, const Visit& visit,
                      const Arguments&... arguments) {
    TRY(auto statement, Statement::prepare(db, sql, path));
    statement.bind_all(arguments...);
    int code = SQLITE_ROW;
    while ((code = statement.step()) == SQLITE_ROW) {
        visit(statement);
        if (!statement.unknown().empty())
            return bad_input("the file has a " + statement.unknown() + ", which this version does not know",
                             path, "open it with a newer Tilescope");
    }
    return code == SQLITE_DONE ? Result<void>() : Failure(sqlite_error(db, code, path));
}

template<class Row, class Visit, class... Arguments>
Result<void> each(sqlite3* db, const std::string& path, const std::string& rest, const Visit& visit,
                  const Arguments&... arguments) {
    return each_row(
        db, path, text_of(table_of<Row>).select() + " " + rest,
        [&](const Statement& statement) {
            Row row;
            read(statement, table_of<Row>, row);
            visit(row);
        },
        arguments...);
}

} // namespace tilescope::profile
