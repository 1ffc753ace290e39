// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "profile/sqlite_api.h"

namespace tilescope::profile {

/// Adds the table-valued function tile_values(entity, entity_id, ipu, metric) to a connection: rows
/// (tile, value) unpacked from table tile_array. Returns an SQLite code.
int add_tile_values_function(sqlite3* db);

} // namespace tilescope::profile
