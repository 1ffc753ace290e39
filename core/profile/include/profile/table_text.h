// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

/// What the tables of a profile are called, hold and mean.
namespace tilescope::profile {

/// What identifies a row.
struct Key {
    enum class Kind {
        None,
        OneRow,   ///< a column `id` that is 0, beside those of the record
        Numbered, ///< a column `id` that counts, beside those of the record
        Columns
    };
    Kind kind;
    std::string_view columns; ///< of the record
};
inline constexpr Key no_key{Key::Kind::None, {}};
inline constexpr Key one_row{Key::Kind::OneRow, {}};
inline constexpr Key numbered{Key::Kind::Numbered, {}};
constexpr Key key(std::string_view columns) {
    return {Key::Kind::Columns, columns};
}

/// How the rows of a table are kept.
enum class Storing {
    Plain,
    TextsOnce,       ///< its texts are ids of table `text`; a view shows them
    OnceForReplicas, ///< the same, and the rows of the first replica stand for all: the view repeats them
};

/// A table's description without the types of its rows: what a page or a statement needs.
struct TableText {
    struct Column {
        std::string name;
        std::string type;
        std::string unit;
        std::string meaning;
    };
    std::string name;
    std::string meaning;
    Key key{};
    Storing storing = Storing::Plain;
    std::vector<Column> columns; ///< of the record

    bool plain() const { return storing == Storing::Plain; }
    std::string stored_name() const; ///< of the table, where `name` is that of a view
    std::string create() const;
    std::string create_view() const; ///< "" where there is none
    /// "INSERT OR REPLACE INTO NAME (…) VALUES (?, …), …" for the columns of so many records in order.
    std::string insert(std::size_t rows = 1) const;
    std::string replace(std::size_t rows = 1) const; ///< the same for rows whose keys may be there already
    /// "SELECT a, b … FROM NAME", each column with `prefix`.
    std::string select(const std::string& prefix = {}) const;
    /// The same with the ids of texts in their place, where texts are stored once.
    std::string select_ids() const;
    std::string column_list(const std::string& prefix) const;

  private:
    std::string rows_of_all_replicas(bool texts) const; ///< SELECT of what is not plain
};

/// Of all tables, in the order of their creation.
std::vector<TableText> all_tables();
/// Of those that are worked out as they are read: `trace`, `execution` …, and the rows of `tile_values`.
std::vector<TableText> worked_out_tables();

} // namespace tilescope::profile
