// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "profile/profile.h"
#include "profile/statement.h"

namespace tilescope::profile {

/// The reading side's connection: what all of Profile's queries are made of.
struct Profile::State {
    std::string path;
    std::string temporary; ///< a migrated copy to remove at the end, or ""
    Database db;

    ~State();

    /// All rows of a query: `read(statement)` makes each one.
    template <class Row, class Read, class... Arguments>
    Result<std::vector<Row>> rows(const std::string& sql, const Read& read, const Arguments&... arguments) const {
        auto statement = Statement::prepare(db.get(), sql, path);
        if (!statement)
            return Failure(statement.error());
        statement->bind_all(arguments...);
        std::vector<Row> result;
        int code = SQLITE_ROW;
        while ((code = statement->step()) == SQLITE_ROW) {
            result.emplace_back();
            read(*statement, result.back());
        }
        if (code != SQLITE_DONE)
            return Failure(sqlite_error(db.get(), code, path));
        return result;
    }

    /// The only row of a query; a default one where there is none.
    template <class Row, class Read, class... Arguments>
    Result<Row> row(const std::string& sql, const Read& read, const Arguments&... arguments) const {
        auto all = rows<Row>(sql, read, arguments...);
        if (!all)
            return Failure(all.error());
        return all->empty() ? Row{} : std::move(all->front());
    }
};

} // namespace tilescope::profile
