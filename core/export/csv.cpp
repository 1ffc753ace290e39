// SPDX-License-Identifier: GPL-3.0-or-later
#include "export/csv.h"

#include "base/csv_field.h"
#include "base/nearest_name.h"
#include "base/try.h"

#include <algorithm>

namespace tilescope::exports {

Result<void> csv(const profile::Profile& profile, const std::string& table, std::ostream& out) {
    TRY(const auto names, profile.table_names());
    if (std::find(names.begin(), names.end(), table) == names.end()) {
        std::string remedy = remedy_for(table, names);
        remedy += remedy.empty() ? "there are:" : " there are:";
        for (const std::string& name : names)
            remedy += " " + name;
        return wrong_usage("no table \"" + table + "\"", profile.path(), remedy);
    }
    const std::string sql =
        table == "tile_array"
            ? "SELECT a.entity, a.entity_id, a.ipu, a.metric, v.tile, v.value FROM tile_array a "
              "JOIN tile_values(a.entity, a.entity_id, a.ipu, a.metric) v"
            : "SELECT * FROM \"" + table + "\"";
    return profile.query(
        sql,
        [&out](const std::vector<std::string>& columns) {
            for (std::size_t i = 0; i < columns.size(); ++i)
                out << (i == 0 ? "" : ",") << csv_field(columns[i]);
            out << '\n';
        },
        [&out](const std::vector<profile::QueryCell>& row) {
            for (std::size_t i = 0; i < row.size(); ++i)
                out << (i == 0 ? "" : ",") << csv_field(row[i].text.value_or(""));
            out << '\n';
        });
}

} // namespace tilescope::exports
