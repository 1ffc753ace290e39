// SPDX-License-Identifier: GPL-3.0-or-later
#include "profile/table_text.h"

#include <cstddef>

namespace tilescope::profile {
namespace {

constexpr std::size_t widest = 110;

std::string in_sql(const std::string& name) {
    return name == "values" ? "\"values\"" : name; // the only keyword among them
}

/// Parts separated by commas, in indented lines.
std::string lines(const std::vector<std::string>& parts) {
    std::string text;
    std::string line = "   ";
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const std::string part = " " + parts[i] + (i + 1 < parts.size() ? "," : "");
        if (line.size() + part.size() > widest) {
            text += line + "\n";
            line = "   ";
        }
        line += part;
    }
    return text + line;
}

} // namespace

std::string TableText::stored_name() const {
    return plain() ? name : "stored_" + name;
}

std::string TableText::create() const {
    std::vector<std::string> parts;
    if (key.kind == Key::Kind::OneRow)
        parts.emplace_back("id INTEGER PRIMARY KEY CHECK (id = 0)");
    if (key.kind == Key::Kind::Numbered)
        parts.emplace_back("id INTEGER PRIMARY KEY");
    const bool by_id = key.columns == "id"; // SQLite's own row number
    for (const Column& column : columns)
        parts.push_back(in_sql(column.name) + " " +
                        (plain() || column.type != "TEXT" ? column.type : "INTEGER") +
                        (by_id && column.name == "id" ? " PRIMARY KEY" : ""));
    const bool by_columns = !key.columns.empty() && !by_id;
    if (by_columns)
        parts.push_back("PRIMARY KEY (" + std::string(key.columns) + ")");
    return "CREATE TABLE " + stored_name() + " (\n" + lines(parts) +
           (by_columns ? ") WITHOUT ROWID;\n" : ");\n");
}

std::string TableText::create_view() const {
    return plain() ? std::string() : "CREATE VIEW " + name + " AS " + rows_of_all_replicas(true) + ";\n";
}

std::string TableText::rows_of_all_replicas(bool texts) const {
    const bool replicas = storing == Storing::OnceForReplicas;
    std::vector<std::string> parts;
    for (const Column& column : columns)
        parts.push_back(replicas && column.name == "ipu" ? "i.id AS ipu"
                        : texts && column.type == "TEXT"
                            ? "(SELECT value FROM text WHERE id = s." + column.name + ") AS " + column.name
                            : "s." + column.name);
    return "SELECT\n" + lines(parts) + "\n    FROM " + stored_name() + " s" +
           (replicas ? " JOIN ipu i ON i.shard = s.ipu" : "");
}

std::string TableText::column_list(const std::string& prefix) const {
    std::string list;
    for (const Column& column : columns)
        list += (list.empty() ? "" : ", ") + prefix + in_sql(column.name);
    return list;
}

std::string TableText::insert(std::size_t rows) const {
    const bool one = key.kind == Key::Kind::OneRow;
    std::string places = one ? "(0" : "(";
    for (std::size_t i = 0; i < columns.size(); ++i)
        places += places.size() == 1 ? "?" : ", ?";
    places += ")";
    std::string all = places;
    for (std::size_t i = 1; i < rows; ++i)
        all += ", " + places;
    return (one ? "INSERT OR REPLACE INTO " : "INSERT INTO ") + stored_name() + " (" + (one ? "id, " : "") +
           column_list({}) + ") VALUES " + all;
}

std::string TableText::replace(std::size_t rows) const {
    constexpr std::string_view verb = "INSERT INTO";
    const std::string sql = insert(rows);
    return sql.starts_with(verb) ? "INSERT OR REPLACE INTO" + sql.substr(verb.size()) : sql;
}

std::string TableText::select(const std::string& prefix) const {
    return "SELECT " + column_list(prefix) + " FROM " + name;
}

std::string TableText::select_ids() const {
    return plain() ? select() : "SELECT " + column_list({}) + " FROM (" + rows_of_all_replicas(false) + ")";
}

} // namespace tilescope::profile
