// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "profile/sqlite_api.h"

namespace tilescope::profile {

/// Adds to a connection what SQL sees of a profile beyond its tables: the table-valued function
/// tile_values(entity, entity_id, ipu, metric), rows (tile, value) unpacked from `tile_array`, and
/// tile_regions(ipu, tile), worked out of them; the tables `trace`, `execution`, `execution_ipu` and
/// `metric`, whose rows are worked out as they are asked for; and views with the names of PopVision's
/// library, pva_tiles and so on. Returns an SQLite code.
int add_sql_tables(sqlite3* db);

} // namespace tilescope::profile
