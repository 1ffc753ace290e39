// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "statement.h"

#include <cstdint>
#include <string>

namespace tilescope::profile {

/// Whether what a file has under the names of a profile's tables and views is that: a table holds rows, and a
/// view of this schema is as this program writes it. A file from elsewhere may have views without end in
/// their place, tables of other programs, columns that are computed, or triggers, all of which are refused.
/// Errors: BadInput, naming the table.
Result<void> check_schema(sqlite3* db, std::int64_t version, const std::string& path);

} // namespace tilescope::profile
