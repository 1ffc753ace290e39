// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/command.h"
#include "base/csv_field.h"
#include "base/try.h"
#include "export/text_table.h"
#include "profile/profile.h"

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>

namespace tilescope::app {
namespace {

struct QueryOptions {
    std::string file;
    std::string sql;
    std::string format = "table";
};

/// JSON has no infinities; SQLite writes them as Inf.
bool json_number(const profile::QueryCell& cell) {
    return cell.number && nlohmann::json::accept(*cell.text);
}

void print_table(const profile::QueryResult& result) {
    std::vector<bool> right(result.columns.size(), !result.rows.empty());
    for (const auto& row : result.rows)
        for (std::size_t i = 0; i < row.size(); ++i)
            right[i] = right[i] && (!row[i].text || row[i].number);
    exports::TextTable table(result.columns, right);
    for (const auto& row : result.rows) {
        std::vector<std::string> cells;
        cells.reserve(row.size());
        for (const auto& cell : row)
            cells.push_back(cell.text.value_or("NULL"));
        table.add(std::move(cells));
    }
    table.print(std::cout);
}

void print_csv(const profile::QueryResult& result) {
    for (std::size_t i = 0; i < result.columns.size(); ++i)
        std::cout << (i == 0 ? "" : ",") << csv_field(result.columns[i]);
    std::cout << '\n';
    for (const auto& row : result.rows) {
        for (std::size_t i = 0; i < row.size(); ++i)
            std::cout << (i == 0 ? "" : ",") << csv_field(row[i].text.value_or(""));
        std::cout << '\n';
    }
}

void print_json(const profile::QueryResult& result) {
    auto rows = nlohmann::ordered_json::array();
    for (const auto& row : result.rows) {
        nlohmann::ordered_json object = nlohmann::ordered_json::object();
        for (std::size_t i = 0; i < row.size(); ++i)
            object[result.columns[i]] = !row[i].text          ? nlohmann::ordered_json(nullptr)
                                        : json_number(row[i]) ? nlohmann::ordered_json::parse(*row[i].text)
                                                              : nlohmann::ordered_json(*row[i].text);
        rows.push_back(std::move(object));
    }
    std::cout << rows.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) << '\n';
}

Result<void> query(const QueryOptions& o) {
    TRY(const auto profile, profile::Profile::open(o.file));
    TRY(const auto result, profile->query(o.sql));
    if (o.format == "csv")
        print_csv(result);
    else if (o.format == "json")
        print_json(result);
    else
        print_table(result);
    return {};
}

} // namespace

void add_query_command(CLI::App& program, Action& action) {
    auto options = std::make_shared<QueryOptions>();
    CLI::App* command = program.add_subcommand("query", "Ask a profile in SQL");
    command->add_option("FILE", options->file, "Profile")->required();
    command->add_option("SQL", options->sql, "A SELECT statement")->required();
    command->add_option("--format", options->format, "table, csv or json")
        ->check(CLI::IsMember({"table", "csv", "json"}))
        ->capture_default_str();
    command->footer(
        "Examples:\n"
        "  tilescope query run.tilescope \"SELECT name, bytes FROM variable ORDER BY bytes DESC LIMIT 10\"\n"
        "  tilescope query run.tilescope \"SELECT tile, value FROM tile_values('memory', 0, 0, 'total')\n"
        "                                 ORDER BY value DESC LIMIT 5\"\n");
    command->callback([options, &action] { action = [options] { return query(*options); }; });
}

} // namespace tilescope::app
