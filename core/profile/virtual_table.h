// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/try.h"
#include "tables.h"
#include "time_tree.h"

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Tables that are worked out as they are read (SQLite's virtual tables and table-valued functions,
/// vtab.html), each row of which is described like those of the other tables, by table_of<Row>.
namespace tilescope::profile {

/// The whole numbers that a column may have; the rows that are given may have others, too.
struct Bounds {
    std::int64_t low = std::numeric_limits<std::int64_t>::min();
    std::int64_t high = std::numeric_limits<std::int64_t>::max();
    bool operator==(const Bounds&) const = default;
};

/// What is asked of a table once.
struct Scan {
    sqlite3* db;
    TimeTree& tree;
    const TableText& text;
    std::span<const Bounds> bounds;      ///< by column
    std::span<sqlite3_value*> arguments; ///< of a function

    Bounds of(std::string_view column) const;
};

/// The rows of one scan, whatever they are.
class Rows {
  public:
    Rows() = default;
    Rows(const Rows&) = delete;
    Rows& operator=(const Rows&) = delete;
    virtual ~Rows() = default;
    /// Goes to the next row, the first one at first; false after the last.
    virtual Result<bool> next() = 0;
    /// A column of the row that it is at.
    virtual void column(int index, sqlite3_context* out) const = 0;
};

void give(sqlite3_context* out, std::int64_t value);
void give(sqlite3_context* out, double value);
void give(sqlite3_context* out, const std::string& value);
template<Spelled Kind>
void give(sqlite3_context* out, Kind value) {
    give(out, to_string(value));
}
template<class Value>
void give(sqlite3_context* out, const std::optional<Value>& value) {
    if (value) // else it is NULL
        give(out, *value);
}

template<class Row>
class RowsOf : public Rows {
  public:
    using RowType = Row;
    Result<bool> next() final {
        TRY(row_, next_row());
        return row_ != nullptr;
    }
    void column(int index, sqlite3_context* out) const final {
        int at_column = 0;
        table_of<Row>.for_each([&](const auto& column) {
            if (at_column++ == index)
                give(out, at(*row_, column.member));
        });
    }

  protected:
    /// The next row, the first one at first, which stays until the next call; nullptr after the last.
    virtual Result<const Row*> next_row() = 0;

  private:
    const Row* row_ = nullptr;
};

/// Where its rows come from, and what SQLite may rely on.
struct VirtualTable {
    TableText text;
    std::vector<std::string_view> bounded;   ///< columns of whole numbers, bounds of which the rows keep to
    int ordered = 0;                         ///< the rows are in the order of the first so many columns
    std::vector<std::string_view> arguments; ///< of a table-valued function, all of which must be given
    Result<std::unique_ptr<Rows>> (*open)(const Scan&);
};

/// The one whose rows `RowsOfTable::open` makes.
template<class RowsOfTable>
VirtualTable virtual_table(std::vector<std::string_view> bounded, int ordered,
                           std::vector<std::string_view> arguments = {}) {
    return {text_of(table_of<typename RowsOfTable::RowType>), std::move(bounded), ordered,
            std::move(arguments), RowsOfTable::open};
}

/// Makes the table known to a connection under its name, in place of a view of that name. Returns an SQLite
/// code. `table` stays.
int add_virtual_table(sqlite3* db, const VirtualTable& table);

} // namespace tilescope::profile
