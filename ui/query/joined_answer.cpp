// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/query/joined_answer.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace tilescope::ui {

bool JoinedAnswer::numeric(std::size_t column) const {
    const auto number = [column](const std::vector<profile::QueryCell>* cells) {
        return cells == nullptr || !(*cells)[column].text || (*cells)[column].number;
    };
    return std::all_of(rows.begin(), rows.end(),
                       [&](const Row& row) { return number(row.now) && number(row.base); });
}

JoinedAnswer joined(const profile::QueryResult& now, const profile::QueryResult& base) {
    JoinedAnswer answer{now.columns, {}};
    using Place =
        std::pair<std::optional<std::string>, std::size_t>; // first column, and how many such before
    std::map<std::optional<std::string>, std::size_t> seen;
    std::map<Place, std::size_t> partner; // row of the base
    for (std::size_t r = 0; r < base.rows.size(); ++r) {
        const auto& key = base.rows[r].front().text;
        partner[{key, seen[key]++}] = r;
    }
    seen.clear();
    std::vector<bool> met(base.rows.size(), false);
    for (const auto& row : now.rows) {
        const auto& key = row.front().text;
        const auto found = partner.find({key, seen[key]++});
        answer.rows.push_back({&row, found == partner.end() ? nullptr : &base.rows[found->second]});
        if (found == partner.end())
            ++answer.only_now;
        else
            met[found->second] = true;
    }
    for (std::size_t r = 0; r < base.rows.size(); ++r)
        if (!met[r]) {
            answer.rows.push_back({nullptr, &base.rows[r]});
            ++answer.only_base;
        }
    return answer;
}

} // namespace tilescope::ui
