// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/try.h"
#include "kept_metrics.h"
#include "kept_of_file.h"
#include "profile/profile.h"
#include "statement.h"
#include "tables.h"
#include "time_tree.h"

#include <algorithm>
#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace tilescope::profile {

/// How many rows are made room for at once: large tables that grow take twice their memory.
struct Expected {
    std::size_t rows = 0;
    static Expected of(std::int64_t rows) {
        return {static_cast<std::size_t>(std::max<std::int64_t>(0, rows))};
    }
};

/// Whether a variable, or a category on one IPU, can have so many bytes; sums of them stay within 64 bits.
inline bool possible_bytes(std::int64_t bytes) {
    return bytes >= 0 && bytes <= std::int64_t{1} << 40;
}

/// The reading side's connection: what all of Profile's queries are made of.
struct Profile::State {
    std::string path;
    Database db;
    mutable std::map<std::string, Statement, std::less<>> statements; ///< by SQL; prepared once
    mutable std::unique_ptr<TimeTree> times;                          ///< of the executions
    std::shared_ptr<KeptOfFile> kept = std::make_shared<KeptOfFile>();
    mutable KeptMetrics metrics;
    std::atomic<bool> interrupted = false;

    ~State();

    TimeTree& time_tree() const {
        if (!times)
            times = std::make_unique<TimeTree>(db.get(), path);
        return *times;
    }

    /// Runs a query and calls `visit(statement)` for each row. `visit` must not run the same SQL again.
    template<class Visit, class... Arguments>
    Result<void> visit(const std::string& sql, const Visit& visit_row, const Arguments&... arguments) const {
        return run(
            sql, [&](Statement& statement) { statement.bind_all(arguments...); }, visit_row);
    }

    template<class Bind, class Visit>
    Result<void> run(const std::string& sql, const Bind& bind_values, const Visit& visit_row) const {
        auto found = statements.find(sql);
        if (found == statements.end()) {
            auto prepared = Statement::prepare(db.get(), sql, path);
            if (!prepared) // what is asked here is in every file that is whole
                return Failure(prepared.error().kind == ErrorKind::BadInput
                                   ? sqlite_error(nullptr, SQLITE_CORRUPT, path)
                                   : prepared.error());
            found = statements.emplace(sql, std::move(*prepared)).first;
        }
        Statement& statement = found->second;
        bind_values(statement);
        int code = SQLITE_ROW;
        while (statement.unknown().empty() && (code = statement.step()) == SQLITE_ROW)
            visit_row(statement);
        // Made before the reset, which forgets the message; a statement left open would hold back the log.
        Result<void> result;
        if (!statement.unknown().empty())
            result = bad_input("the file has a " + statement.unknown() + ", which this version does not know",
                               path, "open it with a newer Tilescope");
        else if (code != SQLITE_DONE)
            result = Failure(sqlite_error(db.get(), code, path));
        statement.reset();
        return result;
    }

    /// All rows of a query: `read(statement, row)` fills each one. `most`: how many are expected.
    template<class Row, class Read, class... Arguments>
    Result<std::vector<Row>> rows(Expected most, const std::string& sql, const Read& read,
                                  const Arguments&... arguments) const {
        std::vector<Row> result;
        result.reserve(most.rows);
        TRY(visit(
            sql, [&](const Statement& statement) { read(statement, result.emplace_back()); }, arguments...));
        return result;
    }
    template<class Row, class Read, class... Arguments>
    Result<std::vector<Row>> rows(const std::string& sql, const Read& read,
                                  const Arguments&... arguments) const {
        return rows<Row>(Expected{}, sql, read, arguments...);
    }

    /// Reads the texts that came to the file since.
    Result<void> read_texts() const {
        const std::lock_guard lock(kept->reading_texts);
        if (kept->texts_read && !kept->grows)
            return {};
        KeptTexts& texts = kept->texts;
        const std::int64_t last = texts.last();
        TRY(visit(
            "SELECT id, value FROM text WHERE id > ? ORDER BY id",
            [&](const Statement& statement) {
                std::int64_t id = 0;
                statement.read(0, id);
                texts.add(id, statement.text(1));
            },
            last));
        if (texts.last() != last)
            texts.shrink(); // they stay
        kept->texts_read = true;
        return {};
    }

    /// The rows of a table that `rest` of its SELECT leaves, in that order. `rest` sees the ids of texts
    /// that are stored once: looking one up for each row is most of what reading it would cost.
    template<class Row, class... Arguments>
    Result<std::vector<Row>> table(Expected most, const std::string& rest,
                                   const Arguments&... arguments) const {
        const std::string sql = text_of(table_of<Row>).select_ids() + " " + rest;
        if constexpr (table_of<Row>.storing == Storing::Plain)
            return rows<Row>(
                most, sql, [](const Statement& s, Row& row) { read(s, table_of<Row>, row); }, arguments...);
        else {
            TRY(read_texts());
            const KeptTexts& texts = kept->texts;
            Result<void> later; // reading what was added while the rows were read
            const auto text_of_id = [&](std::int64_t id) {
                if (later && id > texts.last())
                    later = read_texts();
                return texts[id];
            };
            TRY(auto all,
                rows<Row>(
                    most, sql, [&](const Statement& s, Row& row) { read(s, table_of<Row>, row, text_of_id); },
                    arguments...));
            TRY(later);
            return all;
        }
    }
    template<class Row, class... Arguments>
    Result<std::vector<Row>> table(const std::string& rest, const Arguments&... arguments) const {
        return table<Row>(Expected{}, rest, arguments...);
    }

    /// What is kept of a table, as `read(expected)` reads it: once for all who ask, and again where the file
    /// has more of it.
    template<class Row, class Read>
    Result<SharedRows<Row>> shared(KeptTable<Row>& table, const Read& read) const {
        const std::lock_guard lock(table.mutex);
        if (table.version && !kept->grows)
            return table.rows;
        TRY(const auto version, number("PRAGMA data_version"));
        if (table.version == version)
            return table.rows;
        // Before the rows: what comes in between is then read once more.
        TRY(const auto stored, number(rows_of_which_made<Row>()));
        if (!table.version || table.stored != stored) {
            TRY(auto all, read(Expected::of(stored)));
            all.shrink_to_fit(); // it stays
            table.rows = SharedRows<Row>(std::move(all));
            table.stored = stored;
        }
        table.version = version;
        return table.rows;
    }

    /// A table as a whole.
    template<class Row, class Read>
    requires std::invocable<const Read&, Expected> Result<SharedRows<Row>> shared(const Read& read)
    const { return shared<Row>(std::get<KeptTable<Row>>(kept->tables), read); }

    /// The same of the rows in that order.
    template<class Row>
    Result<SharedRows<Row>> shared(const std::string& order) const {
        return shared<Row>([&](Expected most) { return table<Row>(most, order); });
    }

    Result<std::int64_t> number(const std::string& sql) const {
        std::int64_t value = 0;
        TRY(visit(sql, [&](const Statement& statement) { statement.read(0, value); }));
        return value;
    }

    /// The row of a table that has one; a default one where it has none yet.
    template<class Row>
    Result<Row> only_row() const {
        TRY(auto all, table<Row>(""));
        return all.empty() ? Row{} : std::move(all.front());
    }

    /// The only row of a query; a default one where there is none.
    template<class Row, class Read, class... Arguments>
    Result<Row> row(const std::string& sql, const Read& read, const Arguments&... arguments) const {
        TRY(auto all, rows<Row>(sql, read, arguments...));
        return all.empty() ? Row{} : std::move(all.front());
    }
};

} // namespace tilescope::profile
