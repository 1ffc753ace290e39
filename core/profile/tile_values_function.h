// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "profile/sqlite_api.h"

namespace tilescope::profile {

/// The numbers of (entity, entity_id, ipu, metric): what unpack_tile_values() takes. Those of other replicas
/// are the first one's.
extern const char* const tile_blobs_sql;

/// Adds the table-valued function tile_values(entity, entity_id, ipu, metric) to a connection: rows
/// (tile, value) unpacked from table tile_blob. Returns an SQLite code.
int add_tile_values_function(sqlite3* db);

} // namespace tilescope::profile
