// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace tilescope::profile {

/// The numbers of (entity, entity_id, ipu, metric): what unpack_tile_values() takes. Those of other replicas
/// are the first one's. SQLite joins in this order because of CROSS JOIN; left to itself it goes through all
/// entries.
inline constexpr const char* tile_blobs_sql =
    "SELECT b.data, base.data FROM tile_metric m CROSS JOIN tile_entry e ON e.metric_id = m.id JOIN "
    "tile_blob b ON b.id = e.blob_id LEFT JOIN tile_blob base ON base.id = b.base_id WHERE m.entity = ?1 AND "
    "m.metric = ?4 "
    "AND e.entity_id = ?2 AND e.ipu = coalesce((SELECT shard FROM ipu WHERE id = ?3 AND (replica = 0 OR ?1 "
    "NOT IN ('compute_set', 'exchange'))), -1)";

} // namespace tilescope::profile
