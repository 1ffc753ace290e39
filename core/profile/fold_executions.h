// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/error.h"
#include "profile/sqlite_api.h"

#include <string>

namespace tilescope::profile {

/// Turns the tables of schema 7 that had a row for each execution (`execution`, `execution_ipu`, `metric`)
/// and for each program step in it (`trace`) into schedules and groups. An execution whose steps were not
/// traced gets the schedule of one that has the same kind, length and phases on each IPU, as a simulated
/// program repeats itself; where there is none, its phases are all that is known.
Result<void> fold_executions(sqlite3* db, const std::string& path);

} // namespace tilescope::profile
