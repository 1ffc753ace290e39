// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/error.h"
#include "profile/sqlite_api.h"

#include <cstdint>
#include <string>

namespace tilescope::profile {

/// Brings a copy of a profile of an older schema to the current one. `path` is the place of errors.
Result<void> migrate(sqlite3* db, std::int64_t version, const std::string& path);

} // namespace tilescope::profile
