// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace tilescope::profile {

inline constexpr std::int64_t application_id = 0x54534350; ///< "TSCP", in the file's header
inline constexpr std::int64_t schema_version = 4;          ///< user_version

/// The SQL that makes an empty profile: tables, indexes, views.
extern const char* const schema_sql;

} // namespace tilescope::profile
