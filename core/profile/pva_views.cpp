// SPDX-License-Identifier: GPL-3.0-or-later
#include "pva_views.h"

/// What libpva's names (docs.graphcore.ai/projects/libpva, api-python) are in a profile; the
/// package pva asks these views for them. Tiles are counted over all IPUs, as there.
namespace tilescope::profile {

const char* const pva_views_sql = R"sql(
CREATE TEMP VIEW pva_target AS
    SELECT 'Tilescope' AS type, generation AS architecture, ipus AS numIPUs,
        (SELECT max(1, count(DISTINCT replica)) FROM ipu) AS numReplicas, tiles_per_ipu AS tilesPerIpu,
        ipus * tiles_per_ipu AS numTiles, bytes_per_tile AS bytesPerTile,
        ipus * tiles_per_ipu * bytes_per_tile AS totalMemory, clock_hz AS clockFrequency
    FROM target;
CREATE TEMP VIEW pva_graph AS
    SELECT (SELECT count(*) FROM compute_set) AS numComputeSets, (SELECT count(*) FROM variable) AS numVars,
        (SELECT coalesce(sum(count), 0) FROM vertex) AS numVertices;
CREATE TEMP VIEW pva_tiles AS
    SELECT a.ipu * tiles_per_ipu + v.tile AS tileId, a.ipu,
        sum((a.metric = 'total_with_gaps') * v.value) AS includingGaps,
        sum((a.metric = 'total') * v.value) AS excludingGaps,
        sum((a.metric = 'always_live') * v.value) AS alwaysLiveBytes,
        sum(((a.metric = 'total') - (a.metric = 'always_live')) * v.value) AS notAlwaysLiveBytes
    FROM target, tile_array a, tile_values(a.entity, a.entity_id, a.ipu, a.metric) v
    WHERE a.entity = 'memory' AND a.metric IN ('total', 'total_with_gaps', 'always_live')
    GROUP BY a.ipu, v.tile;
CREATE TEMP VIEW pva_categories AS
    SELECT column1 AS name, column2 AS category FROM (VALUES
        ('variable', 'Variables'), ('constant', 'Constants'), ('rearrangement', 'Rearrangement Buffers'),
        ('message', 'Message Buffers'), ('vertexInstanceState', 'Vertex Instance State'),
        ('vertexCode', 'Vertex Code'), ('controlCode', 'Control Code'),
        ('internalExchangeCode', 'Internal Exchange Code'), ('hostExchangeCode', 'Host Exchange Code'),
        ('globalExchangeCode', 'Global Exchange Code'), ('stack', 'Stack'), ('controlId', NULL),
        ('controlTable', NULL), ('copyDescriptor', NULL), ('globalExchangePacketHeader', NULL),
        ('globalMessage', NULL), ('hostExchangePacketHeader', NULL), ('hostMessage', NULL),
        ('instrumentationResults', NULL), ('multipleSharing', NULL), ('sharedCodeStorage', NULL),
        ('sharedDataStorage', NULL), ('vectorListDescriptor', NULL), ('vertexFieldData', NULL));
CREATE TEMP VIEW pva_tile_categories AS
    SELECT a.ipu * tiles_per_ipu + v.tile AS tileId, c.name AS category, sum(v.value) AS total
    FROM target, tile_array a, tile_values(a.entity, a.entity_id, a.ipu, a.metric) v
        LEFT JOIN pva_categories c ON c.category = substr(a.entity, 10)
    WHERE a.entity LIKE 'category:%' GROUP BY a.ipu, a.entity, v.tile;
CREATE TEMP VIEW pva_computeSets AS
    SELECT id AS _id, name, cycles FROM compute_set;
CREATE TEMP VIEW pva_vertices AS
    SELECT compute_set_id AS computeset, codelet AS type, count, tiles FROM vertex;
CREATE TEMP VIEW pva_programs AS
    SELECT p.id AS _id, p.name, CASE p.kind WHEN 'sequence' THEN 'Sequence' WHEN 'repeat' THEN 'Repeat'
            WHEN 'execute' THEN 'OnTileExecute' WHEN 'stream_copy' THEN CASE p.verb
                WHEN 'begin' THEN 'StreamCopyBegin' WHEN 'end' THEN 'StreamCopyEnd' ELSE 'StreamCopyMid' END
            WHEN 'load' THEN 'StreamCopyMid' WHEN 'store' THEN 'StreamCopyMid'
            ELSE iif(e.kind = 'inter_ipu', 'GlobalExchange', 'DoExchange') END AS type,
        p.parent_id AS parent, p.position, p.compute_set_id AS computeset,
        p.operation_id AS operation, p.liveness_step AS livenessProgramStep,
        p.sync_cycles + p.exchange_cycles + p.compute_cycles AS cycles
    FROM program p LEFT JOIN exchange e ON e.id = p.exchange_id;
CREATE TEMP VIEW pva_livenessProgramSteps AS
    SELECT step, program_id AS program, ipu, not_always_live_bytes AS notAlwaysLiveMemory FROM liveness;
CREATE TEMP VIEW pva_variables AS
    SELECT r.id, r.ipu, r.name, r.dtype AS type, r.bytes, r.always_live AS alwaysLive, c.name AS category,
        r.operation_id AS operation, iif(r.always_live, 0, r.live_from) AS start,
        iif(r.always_live, (SELECT coalesce(max(step + steps), 1) - 1 FROM liveness_span), r.live_to) AS "end"
    FROM variable r LEFT JOIN pva_categories c ON c.category = r.category;
CREATE TEMP VIEW pva_loweredVariables AS
    SELECT r.id, r.name, b.value AS bytes, r.ipu, r.ipu * tiles_per_ipu + b.tile AS tileId, r.start, r."end",
        r.alwaysLive, r.category, (SELECT a.value FROM tile_values('variable', r.id, r.ipu, 'address') a
            WHERE a.tile = b.tile) AS offset
    FROM target, pva_variables r, tile_values('variable', r.id, r.ipu, 'bytes') b WHERE b.value > 0;
CREATE TEMP VIEW pva_runs AS
    SELECT id AS _id, kind || ' ' || id AS name, cycles FROM execution;
CREATE TEMP VIEW pva_steps AS
    SELECT execution_id AS run, program_id AS program, ipu, sync + exchange + compute AS cycles,
        start_cycle AS cyclesFrom, start_cycle + sync + exchange + compute AS cyclesTo
    FROM trace WHERE program_id IN (SELECT id FROM program);
CREATE TEMP VIEW pva_operations AS
    SELECT o.operation_id AS _id, o.name, o.kind, o.layer,
        (SELECT count(*) FROM program p WHERE p.operation_id = o.operation_id) AS programs,
        coalesce(min(p.liveness_step), -1) AS firstStepIndex, coalesce(max(p.liveness_step), -1) AS lastStepIndex
    FROM operation_cost o LEFT JOIN program p ON p.operation_id = o.operation_id AND p.liveness_step >= 0
    GROUP BY o.operation_id;
)sql";

} // namespace tilescope::profile
