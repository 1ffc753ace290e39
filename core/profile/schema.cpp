// SPDX-License-Identifier: GPL-3.0-or-later
#include "schema.h"

namespace tilescope::profile {

const char* const schema_sql = R"sql(
CREATE TABLE run (
    id INTEGER PRIMARY KEY CHECK (id = 0), status TEXT NOT NULL, name TEXT, workload TEXT, workload_path TEXT,
    tool_version TEXT, device TEXT, seed INTEGER, estimate INTEGER, data_note TEXT, started_unix_ms INTEGER,
    finished_unix_ms INTEGER, compile_s REAL, steps_per_execution INTEGER, batch_size INTEGER, pid INTEGER,
    error TEXT);
CREATE TABLE target (
    id INTEGER PRIMARY KEY CHECK (id = 0), system TEXT, generation TEXT, ipus INTEGER, tiles_per_ipu INTEGER,
    bytes_per_tile INTEGER, clock_hz REAL, workers_per_tile INTEGER);
CREATE TABLE progress (
    id INTEGER PRIMARY KEY CHECK (id = 0), activity TEXT, epoch INTEGER, epochs INTEGER, step INTEGER,
    steps INTEGER, elapsed_ms INTEGER);
CREATE TABLE ipu (
    id INTEGER PRIMARY KEY, device_id INTEGER, device TEXT, replica INTEGER, shard INTEGER, stage INTEGER);
CREATE TABLE device (
    id INTEGER PRIMARY KEY, multi INTEGER, members TEXT, machine TEXT, ipu_number INTEGER, type TEXT, state TEXT);
CREATE TABLE layer (
    id INTEGER PRIMARY KEY, name TEXT, kind TEXT, output_shape TEXT, parameters INTEGER);
CREATE TABLE tensor (
    id INTEGER PRIMARY KEY, name TEXT, dtype TEXT, shape TEXT, bytes INTEGER);
CREATE TABLE operation (
    id INTEGER PRIMARY KEY, name TEXT, kind TEXT, layer_id INTEGER, phase TEXT, ipu INTEGER, stage INTEGER,
    flops INTEGER, attributes TEXT);
CREATE TABLE operation_input (
    operation_id INTEGER, position INTEGER, tensor_id INTEGER, PRIMARY KEY (operation_id, position)) WITHOUT ROWID;
CREATE TABLE operation_output (
    operation_id INTEGER, position INTEGER, tensor_id INTEGER, PRIMARY KEY (operation_id, position)) WITHOUT ROWID;
CREATE TABLE variable (
    id INTEGER PRIMARY KEY, name TEXT, category TEXT, layer_id INTEGER, operation_id INTEGER, tensor_id INTEGER,
    ipu INTEGER, dtype TEXT, shape TEXT, bytes INTEGER, always_live INTEGER, live_from INTEGER, live_to INTEGER);
CREATE TABLE compute_set (
    id INTEGER PRIMARY KEY, name TEXT, operation_id INTEGER, cycles INTEGER, balance REAL);
CREATE TABLE vertex (
    compute_set_id INTEGER, codelet TEXT, count INTEGER, tiles INTEGER);
CREATE TABLE exchange (
    id INTEGER PRIMARY KEY, name TEXT, kind TEXT, operation_id INTEGER, bytes INTEGER, cycles INTEGER,
    ipu INTEGER, peer INTEGER);
CREATE TABLE program (
    id INTEGER PRIMARY KEY, parent_id INTEGER, position INTEGER, kind TEXT, name TEXT, operation_id INTEGER,
    compute_set_id INTEGER, exchange_id INTEGER, repeats INTEGER, liveness_step INTEGER, sync_cycles INTEGER,
    exchange_cycles INTEGER, compute_cycles INTEGER, ipu INTEGER, peer INTEGER, runs INTEGER);
CREATE TABLE liveness (
    step INTEGER, ipu INTEGER, program_id INTEGER, always_live_bytes INTEGER, not_always_live_bytes INTEGER,
    max_tile_bytes INTEGER, PRIMARY KEY (ipu, step)) WITHOUT ROWID;
CREATE TABLE plan (
    operation_id INTEGER, product TEXT, rank INTEGER, description TEXT, cost TEXT, cycles INTEGER,
    temporary_bytes INTEGER, PRIMARY KEY (operation_id, product, rank)) WITHOUT ROWID;
CREATE TABLE compile_event (
    id INTEGER PRIMARY KEY, parent_id INTEGER, name TEXT, start_us INTEGER, duration_us INTEGER, detail TEXT);
CREATE TABLE execution (
    id INTEGER PRIMARY KEY, kind TEXT, epoch INTEGER, first_step INTEGER, steps INTEGER, start_cycle INTEGER,
    cycles INTEGER, wall_us INTEGER, traced INTEGER);
CREATE TABLE execution_ipu (
    execution_id INTEGER, ipu INTEGER, compute INTEGER, exchange INTEGER, sync INTEGER, inter_ipu INTEGER,
    host INTEGER, waiting INTEGER, PRIMARY KEY (execution_id, ipu)) WITHOUT ROWID;
CREATE TABLE trace (
    ipu INTEGER, start_cycle INTEGER, execution_id INTEGER, step INTEGER, program_id INTEGER, sync INTEGER,
    exchange INTEGER, compute INTEGER,
    PRIMARY KEY (ipu, start_cycle, execution_id, step, program_id)) WITHOUT ROWID;
CREATE TABLE trace_block (
    ipu INTEGER, level INTEGER, start_cycle INTEGER, block INTEGER, end_cycle INTEGER, rows INTEGER,
    execution_id INTEGER, step INTEGER, operation_id INTEGER, layer_id INTEGER, longest_program_id INTEGER,
    longest_cycles INTEGER, sync INTEGER, exchange INTEGER, inter_ipu INTEGER, host INTEGER, compute INTEGER,
    forward INTEGER, recompute INTEGER, backward INTEGER, update_weights INTEGER, copy INTEGER, other INTEGER,
    PRIMARY KEY (ipu, level, start_cycle, block)) WITHOUT ROWID;
CREATE INDEX variable_by_operation ON variable (operation_id);
CREATE INDEX program_by_operation ON program (operation_id);
CREATE INDEX vertex_by_compute_set ON vertex (compute_set_id);
CREATE TABLE pipeline_slot (
    stage INTEGER, start_cycle INTEGER, end_cycle INTEGER, slot INTEGER, activity TEXT, micro_batch INTEGER,
    PRIMARY KEY (stage, start_cycle)) WITHOUT ROWID;
CREATE TABLE link_traffic (
    ipu INTEGER, peer INTEGER, kind TEXT, copies INTEGER, bytes INTEGER, cycles INTEGER,
    PRIMARY KEY (ipu, peer, kind)) WITHOUT ROWID;
CREATE TABLE metric (
    execution_id INTEGER, name TEXT, value REAL, PRIMARY KEY (execution_id, name)) WITHOUT ROWID;
CREATE TABLE epoch_metric (
    epoch INTEGER, kind TEXT, name TEXT, value REAL);
CREATE TABLE output (
    name TEXT, dtype TEXT, shape TEXT, "values" TEXT, expected TEXT);
CREATE TABLE log (
    id INTEGER PRIMARY KEY, time_ms INTEGER, level TEXT, message TEXT);
CREATE TABLE oversize_tile (
    ipu INTEGER, tile INTEGER, bytes INTEGER, program_id INTEGER);
CREATE TABLE tile_array (
    entity TEXT, entity_id INTEGER, ipu INTEGER, metric TEXT, data BLOB,
    PRIMARY KEY (entity, entity_id, ipu, metric)) WITHOUT ROWID;
)sql";

const char* const views_sql = R"sql(
DROP VIEW IF EXISTS operation_cost;
DROP VIEW IF EXISTS layer_memory;
DROP VIEW IF EXISTS category_memory;
CREATE VIEW operation_cost AS
    WITH step AS (SELECT *, runs * CASE WHEN peer >= 0 THEN 2
        WHEN ipu < 0 THEN (SELECT count(*) FROM ipu WHERE replica = 0) ELSE 1 END AS times
        FROM program WHERE kind NOT IN ('sequence', 'repeat'))
    SELECT o.id AS operation_id, o.name, o.kind, o.phase, l.name AS layer,
        coalesce(sum(s.sync_cycles * s.times), 0) AS sync_cycles,
        coalesce(sum(s.exchange_cycles * s.times), 0) AS exchange_cycles,
        coalesce(sum(s.compute_cycles * s.times), 0) AS compute_cycles
    FROM operation o LEFT JOIN layer l ON l.id = o.layer_id LEFT JOIN step s ON s.operation_id = o.id
    GROUP BY o.id;
CREATE VIEW layer_memory AS
    SELECT l.id AS layer_id, l.name, sum(CASE WHEN v.always_live THEN v.bytes ELSE 0 END) AS always_live_bytes,
        sum(CASE WHEN v.always_live THEN 0 ELSE v.bytes END) AS not_always_live_bytes
    FROM layer l LEFT JOIN variable v ON v.layer_id = l.id GROUP BY l.id;
CREATE VIEW category_memory AS
    SELECT category, ipu, sum(CASE WHEN always_live THEN bytes ELSE 0 END) AS always_live_bytes,
        sum(CASE WHEN always_live THEN 0 ELSE bytes END) AS not_always_live_bytes
    FROM variable GROUP BY category, ipu;
)sql";

} // namespace tilescope::profile
