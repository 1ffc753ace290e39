// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "profile/table_text.h"
#include "statement.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

/// How a table is described, once: its creation, insertion and reading and its text come from that.
namespace tilescope::profile {

template<class Row, class Value, class Owner>
constexpr auto& at(Row& row, Value Owner::*member) {
    return row.*member;
}
template<class Member>
struct Column {
    std::string_view name;
    Member member; ///< pointer to a member of the row, or `via` one
    std::string_view unit;
    std::string_view meaning; ///< beyond what the name says; Markdown
};

template<class Row, class... Member>
struct Table {
    std::string_view name;
    std::string_view meaning; ///< Markdown
    Key key;
    Storing storing;
    std::tuple<Column<Member>...> columns;

    template<class Visit>
    constexpr void for_each(const Visit& visit) const {
        std::apply([&](const auto&... column) { (visit(column), ...); }, columns);
    }
};

/// The description of the table that has such rows.
template<class Row>
inline constexpr auto table_of = nullptr;

template<class Member>
constexpr Column<Member> column(std::string_view name, Member member, std::string_view unit = {},
                                std::string_view meaning = {}) {
    return {name, member, unit, meaning};
}

template<class Row, class... Member>
constexpr Table<Row, Member...> table(std::string_view name, std::string_view meaning, Key key,
                                      Column<Member>... columns) {
    return {name, meaning, key, Storing::Plain, {columns...}};
}
/// One whose texts are the ids of those in table `text`, so that each is there once; a view shows them.
template<class Row, class... Member>
constexpr Table<Row, Member...> table(std::string_view name, std::string_view meaning, Key key,
                                      Storing storing, Column<Member>... columns) {
    return {name, meaning, key, storing, {columns...}};
}

/// As SQLite stores a member.
template<class Value>
constexpr std::string_view sql_type() {
    if constexpr (std::is_same_v<Value, double> || std::is_same_v<Value, std::optional<double>>)
        return "REAL";
    else if constexpr (std::is_integral_v<Value> || std::is_same_v<Value, std::optional<std::int64_t>>)
        return "INTEGER";
    else if constexpr (std::is_same_v<Value, std::vector<std::byte>>)
        return "BLOB";
    else {
        static_assert(std::is_same_v<Value, std::string> ||
                      requires(Statement & s, const Value& v) { s.bind(1, v); });
        return "TEXT";
    }
}

template<class Row, class... Member>
TableText text_of(const Table<Row, Member...>& table) {
    TableText text{std::string(table.name), std::string(table.meaning), table.key, table.storing, {}};
    const Row row;
    table.for_each([&](const auto& column) {
        using Value = std::remove_cvref_t<decltype(at(row, column.member))>;
        text.columns.push_back({std::string(column.name), std::string(sql_type<Value>()),
                                std::string(column.unit), std::string(column.meaning)});
    });
    return text;
}

/// Binds the members of a row, which must stay until after the step, to `TableText::insert`, behind the
/// `index` members that are bound already; counts them.
template<class Row, class... Member>
void bind(Statement& statement, const Table<Row, Member...>& table, const Row& row, int& index) {
    table.for_each([&](const auto& column) {
        const auto& value = at(row, column.member);
        if constexpr (requires { statement.bind_kept(0, value); })
            statement.bind_kept(++index, value);
        else
            statement.bind(++index, value);
    });
}

/// The same where texts are stored once: `id_of(text)` is what takes the place of one.
template<class Row, class... Member, class IdOf>
void bind(Statement& statement, const Table<Row, Member...>& table, const Row& row, int& index,
          const IdOf& id_of) {
    table.for_each([&](const auto& column) {
        const auto& value = at(row, column.member);
        using Value = std::remove_cvref_t<decltype(value)>;
        if constexpr (std::is_enum_v<Value>)
            statement.bind(++index, id_of(to_string(value)));
        else if constexpr (requires { requires Spelled<typename Value::value_type>; })
            statement.bind(++index, id_of(value ? to_string(*value) : Statement::none));
        else if constexpr (sql_type<Value>() == "TEXT")
            statement.bind(++index, id_of(value));
        else
            statement.bind(++index, value);
    });
}

/// Reads the members of a row, of which `first` is the first column of the statement.
template<class Row, class... Member>
void read(const Statement& statement, const Table<Row, Member...>& table, Row& row, int first = 0) {
    table.for_each([&](const auto& column) { statement.read(first++, at(row, column.member)); });
}

/// The same of TableText::select_ids: `text_of(id)` is what an id stands for.
template<class Row, class... Member, class TextOf>
void read(const Statement& statement, const Table<Row, Member...>& table, Row& row, const TextOf& text_of) {
    int index = 0;
    table.for_each([&](const auto& column) {
        auto& value = at(row, column.member);
        if constexpr (sql_type<std::remove_cvref_t<decltype(value)>>() == "TEXT") {
            std::int64_t id = 0;
            statement.read(index++, id);
            statement.take(text_of(id), value);
        } else {
            statement.read(index++, value);
        }
    });
}

} // namespace tilescope::profile
