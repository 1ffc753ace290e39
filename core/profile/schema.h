// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tilescope::profile {

inline constexpr std::string_view sqlite_head = "SQLite format 3"; ///< how each such file begins
inline constexpr std::int64_t application_id = 0x54534350;         ///< "TSCP", in the file's header
inline constexpr std::int64_t schema_version = 31;                 ///< user_version

/// The SQL that makes an empty profile: tables and indexes, then the views over them.
std::string schema_sql();
std::string views_sql();

} // namespace tilescope::profile
