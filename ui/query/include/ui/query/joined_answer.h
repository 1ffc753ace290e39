// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "profile/profile.h"

#include <string>
#include <vector>

namespace tilescope::ui {

/// The answers of two files to one query, row beside row.
struct JoinedAnswer {
    struct Row {
        const std::vector<profile::QueryCell>* now = nullptr; ///< null: only the base has it
        const std::vector<profile::QueryCell>* base = nullptr;
        const profile::QueryCell& key() const { return now != nullptr ? now->front() : base->front(); }
    };
    std::vector<std::string> columns;
    std::vector<Row> rows;
    std::size_t only_now = 0;
    std::size_t only_base = 0;

    /// Whether all that is in a column is a number.
    bool numeric(std::size_t column) const;
};

/// Rows are the same where their first column is; of several that are equal in it the first goes with the
/// first, and so on. Those of `now` in their order, then what only the base has. The answers have the same
/// columns and must outlive what is joined of them.
JoinedAnswer joined(const profile::QueryResult& now, const profile::QueryResult& base);

} // namespace tilescope::ui
