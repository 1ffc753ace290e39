// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/error.h"
#include "time_tree.h"

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

/// Tables that are worked out as they are read (SQLite's virtual tables, vtab.html).
namespace tilescope::profile {

/// The whole numbers that a column may have; the rows that are given may have others, too.
struct Bounds {
    std::int64_t low = std::numeric_limits<std::int64_t>::min();
    std::int64_t high = std::numeric_limits<std::int64_t>::max();
};

/// The rows of one scan.
class RowSource {
  public:
    RowSource() = default;
    RowSource(const RowSource&) = delete;
    RowSource& operator=(const RowSource&) = delete;
    virtual ~RowSource() = default;
    /// Goes to the next row, the first one at first; false after the last.
    virtual Result<bool> next() = 0;
    virtual void column(int index, sqlite3_context* out) const = 0;
};

/// A table: its columns, and who makes its rows.
struct VirtualTable {
    const char* name;
    const char* columns;     ///< "ipu INTEGER, …"
    std::vector<int> pushed; ///< columns of whole numbers, bounds of which `open` makes use of
    int ordered = 0;         ///< the rows are in the order of the first so many columns
    using Open = Result<std::unique_ptr<RowSource>> (*)(sqlite3* db, TimeTree& tree,
                                                        const std::vector<Bounds>&);
    Open open; ///< bounds by column
};

/// Makes the table known to a connection under its name, in place of a view of that name. Returns an SQLite
/// code. `table` stays.
int add_virtual_table(sqlite3* db, const VirtualTable& table);

} // namespace tilescope::profile
