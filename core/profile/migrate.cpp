// SPDX-License-Identifier: GPL-3.0-or-later
#include "migrate.h"

#include "base/try.h"
#include "fold_executions.h"
#include "profile/tile_array.h"
#include "rows.h"
#include "schema.h"

#include <array>
#include <numeric>

namespace tilescope::profile {
namespace {

/// migrations[v] turns schema v into v + 1. A new version is one more of them.
constexpr std::array<const char*, schema_version> migrations = {
    // 0, before the first release, had no summary of the trace.
    "",
    // 1 knew no pipelines, and not between which IPUs an exchange or a step is: those of one IPU.
    "ALTER TABLE exchange ADD COLUMN ipu INTEGER DEFAULT 0; ALTER TABLE exchange ADD COLUMN peer INTEGER "
    "DEFAULT -1; ALTER TABLE program ADD COLUMN ipu INTEGER DEFAULT 0; ALTER TABLE program ADD COLUMN peer "
    "INTEGER DEFAULT -1; CREATE TABLE pipeline_slot (stage INTEGER, start_cycle INTEGER, end_cycle INTEGER, "
    "slot INTEGER, activity TEXT, micro_batch INTEGER, PRIMARY KEY (stage, start_cycle)) WITHOUT ROWID; "
    "CREATE TABLE link_traffic (ipu INTEGER, peer INTEGER, kind TEXT, copies INTEGER, bytes INTEGER, cycles "
    "INTEGER, PRIMARY KEY (ipu, peer, kind)) WITHOUT ROWID",
    // 2 had no deflated tile arrays, those that it has are read as they are; an operation had one product,
    // and no loop within another.
    "CREATE TABLE planned (operation_id INTEGER, product TEXT, rank INTEGER, description TEXT, cost TEXT, "
    "cycles INTEGER, temporary_bytes INTEGER, PRIMARY KEY (operation_id, product, rank)) WITHOUT ROWID; "
    "INSERT INTO planned SELECT operation_id, o.name, rank, description, cost, cycles, temporary_bytes FROM "
    "plan JOIN operation AS o ON o.id = operation_id; DROP TABLE plan; ALTER TABLE planned RENAME TO plan; "
    "ALTER TABLE program ADD COLUMN runs INTEGER DEFAULT 1; UPDATE program SET runs = coalesce((SELECT "
    "r.repeats FROM program r WHERE r.id = program.parent_id AND r.kind = 'repeat' AND r.operation_id = "
    "program.operation_id), 1)",
    // 3 knew of its summaries of the trace neither operation, layer and activity nor whose exchange it was.
    "",
    // 4 counted the runs of a step within its operation only, and let all stages of a pipeline wait for the
    // host where the first or the last one does.
    "CREATE INDEX program_by_parent ON program (parent_id); WITH RECURSIVE tree (id, runs) AS (SELECT id, 1 "
    "FROM program WHERE parent_id < 0 UNION ALL SELECT p.id, t.runs * q.repeats FROM tree t JOIN program q "
    "ON "
    "q.id = t.id JOIN program p ON p.parent_id = t.id LIMIT (SELECT count(*) FROM program)) UPDATE program "
    "SET runs = tree.runs FROM tree WHERE "
    "tree.id = program.id; DROP INDEX program_by_parent; UPDATE program SET ipu = CASE WHEN name LIKE "
    "'infeed/%' THEN 0 ELSE (SELECT max(stage) FROM pipeline_slot) END WHERE ipu = -1 AND EXISTS (SELECT 1 "
    "FROM pipeline_slot)",
    // 5 had these in the workload's JSON and in the names of variables only: "TENSOR/stash of 4".
    "ALTER TABLE run ADD COLUMN schedule TEXT DEFAULT 'none'; ALTER TABLE run ADD COLUMN global_step TEXT "
    "DEFAULT 'none'; UPDATE run SET schedule = json_extract(workload, '$.pipeline.schedule') WHERE "
    "json_valid(workload) AND json_extract(workload, '$.pipeline.schedule') IN ('Grouped', 'Interleaved', "
    "'Sequential'); UPDATE run SET global_step = json_extract(workload, '$.compile.global_step') WHERE "
    "json_valid(workload) AND json_extract(workload, '$.compile.global_step') IN ('cpu', 'ipu'); ALTER TABLE "
    "variable ADD COLUMN stash_depth INTEGER DEFAULT 0; UPDATE variable SET stash_depth = CAST(substr(name, "
    "instr(name, '/stash of ') + 10) AS INTEGER), tensor_id = coalesce((SELECT id FROM tensor t WHERE t.name "
    "= "
    "substr(variable.name, 1, instr(variable.name, '/stash of ') - 1)), -1) WHERE instr(name, '/stash of ') "
    "> 0",
    // 6 told the parts of a program by names, phases and depth only, and had no sums over tiles.
    "ALTER TABLE tile_array ADD COLUMN sum INTEGER DEFAULT 0; UPDATE tile_array SET sum = tile_sum(data); "
    "ALTER TABLE program ADD COLUMN part TEXT DEFAULT 'whole'; CREATE INDEX "
    "program_by_parent ON program (parent_id); WITH RECURSIVE tree (id, part, depth) AS (SELECT id, 'whole', "
    "0 FROM program WHERE parent_id < 0 UNION ALL SELECT p.id, CASE WHEN t.depth > 2 OR t.part NOT IN "
    "('whole', 'micro_batches') THEN t.part WHEN p.operation_id >= 0 THEN CASE (SELECT phase FROM operation "
    "WHERE id = p.operation_id) WHEN 'update' THEN 'update' ELSE 'micro_batches' END WHEN t.depth = 0 THEN "
    "'whole' WHEN p.name IN ('infeed', 'outfeed') THEN p.name WHEN p.name = 'write variables' THEN 'update' "
    "ELSE 'micro_batches' END, t.depth + 1 FROM tree t JOIN program p ON p.parent_id = t.id LIMIT (SELECT "
    "count(*) FROM program)) UPDATE program "
    "SET part = tree.part FROM tree WHERE tree.id = program.id; DROP INDEX program_by_parent",
    // 7 had a row for each execution and each program step in it: see fold_executions().
    "",
    // 8 had every text and all numbers of the tiles in each row, and a row for each replica and program step.
    "CREATE TABLE text (id INTEGER PRIMARY KEY, value TEXT); "
    "INSERT INTO text SELECT row_number() OVER () - 1, value FROM (SELECT coalesce(name, '') AS value "
    "FROM tensor UNION SELECT coalesce(dtype, '') AS value FROM tensor UNION SELECT coalesce(shape, '')"
    " AS value FROM tensor UNION SELECT coalesce(name, '') AS value FROM operation UNION SELECT "
    "coalesce(kind, '') AS value FROM operation UNION SELECT coalesce(phase, '') AS value FROM "
    "operation UNION SELECT coalesce(attributes, '') AS value FROM operation UNION SELECT "
    "coalesce(name, '') AS value FROM variable UNION SELECT coalesce(category, '') AS value FROM "
    "variable UNION SELECT coalesce(dtype, '') AS value FROM variable UNION SELECT coalesce(shape, '') "
    "AS value FROM variable UNION SELECT coalesce(name, '') AS value FROM compute_set UNION SELECT "
    "coalesce(codelet, '') AS value FROM vertex UNION SELECT coalesce(name, '') AS value FROM exchange "
    "UNION SELECT coalesce(kind, '') AS value FROM exchange UNION SELECT coalesce(kind, '') AS value "
    "FROM program UNION SELECT coalesce(name, '') AS value FROM program UNION SELECT coalesce(part, '')"
    " AS value FROM program UNION SELECT coalesce(product, '') AS value FROM plan UNION SELECT "
    "coalesce(description, '') AS value FROM plan UNION SELECT coalesce(cost, '') AS value FROM plan); "
    "CREATE UNIQUE INDEX text_by_value ON text (value); "
    "CREATE TABLE stored_tensor (id INTEGER PRIMARY KEY, name INTEGER, dtype INTEGER, shape INTEGER, "
    "bytes INTEGER); "
    "INSERT INTO stored_tensor SELECT id, (SELECT t.id FROM text t WHERE t.value = coalesce(name, '')),"
    " (SELECT t.id FROM text t WHERE t.value = coalesce(dtype, '')), (SELECT t.id FROM text t WHERE "
    "t.value = coalesce(shape, '')), bytes FROM tensor; "
    "DROP TABLE tensor; "
    "CREATE TABLE stored_operation (id INTEGER PRIMARY KEY, name INTEGER, kind INTEGER, layer_id "
    "INTEGER, phase INTEGER, ipu INTEGER, stage INTEGER, flops INTEGER, attributes INTEGER); "
    "INSERT INTO stored_operation SELECT id, (SELECT t.id FROM text t WHERE t.value = coalesce(name, "
    "'')), (SELECT t.id FROM text t WHERE t.value = coalesce(kind, '')), layer_id, (SELECT t.id FROM "
    "text t WHERE t.value = coalesce(phase, '')), ipu, stage, flops, (SELECT t.id FROM text t WHERE "
    "t.value = coalesce(attributes, '')) FROM operation; "
    "DROP TABLE operation; "
    "CREATE TABLE stored_variable (id INTEGER PRIMARY KEY, name INTEGER, category INTEGER, layer_id "
    "INTEGER, operation_id INTEGER, tensor_id INTEGER, ipu INTEGER, dtype INTEGER, shape INTEGER, bytes"
    " INTEGER, always_live INTEGER, live_from INTEGER, live_to INTEGER, stash_depth INTEGER); "
    "INSERT INTO stored_variable SELECT id, (SELECT t.id FROM text t WHERE t.value = coalesce(name, "
    "'')), (SELECT t.id FROM text t WHERE t.value = coalesce(category, '')), layer_id, operation_id, "
    "tensor_id, ipu, (SELECT t.id FROM text t WHERE t.value = coalesce(dtype, '')), (SELECT t.id FROM "
    "text t WHERE t.value = coalesce(shape, '')), bytes, always_live, live_from, live_to, stash_depth "
    "FROM variable WHERE ipu IN (SELECT id FROM ipu WHERE replica = 0); "
    "DROP TABLE variable; "
    "CREATE TABLE stored_compute_set (id INTEGER PRIMARY KEY, name INTEGER, operation_id INTEGER, "
    "cycles INTEGER, balance REAL); "
    "INSERT INTO stored_compute_set SELECT id, (SELECT t.id FROM text t WHERE t.value = coalesce(name, "
    "'')), operation_id, cycles, balance FROM compute_set; "
    "DROP TABLE compute_set; "
    "CREATE TABLE stored_vertex (compute_set_id INTEGER, codelet INTEGER, count INTEGER, tiles "
    "INTEGER); "
    "INSERT INTO stored_vertex SELECT compute_set_id, (SELECT t.id FROM text t WHERE t.value = "
    "coalesce(codelet, '')), count, tiles FROM vertex; "
    "DROP TABLE vertex; "
    "CREATE TABLE stored_exchange (id INTEGER PRIMARY KEY, name INTEGER, kind INTEGER, operation_id "
    "INTEGER, bytes INTEGER, cycles INTEGER, ipu INTEGER, peer INTEGER); "
    "INSERT INTO stored_exchange SELECT id, (SELECT t.id FROM text t WHERE t.value = coalesce(name, "
    "'')), (SELECT t.id FROM text t WHERE t.value = coalesce(kind, '')), operation_id, bytes, cycles, "
    "ipu, peer FROM exchange; "
    "DROP TABLE exchange; "
    "CREATE TABLE stored_program (id INTEGER PRIMARY KEY, parent_id INTEGER, position INTEGER, kind "
    "INTEGER, name INTEGER, operation_id INTEGER, compute_set_id INTEGER, exchange_id INTEGER, repeats "
    "INTEGER, liveness_step INTEGER, sync_cycles INTEGER, exchange_cycles INTEGER, compute_cycles "
    "INTEGER, ipu INTEGER, peer INTEGER, runs INTEGER, part INTEGER); "
    "INSERT INTO stored_program SELECT id, parent_id, position, (SELECT t.id FROM text t WHERE t.value "
    "= coalesce(kind, '')), (SELECT t.id FROM text t WHERE t.value = coalesce(name, '')), operation_id,"
    " compute_set_id, exchange_id, repeats, liveness_step, sync_cycles, exchange_cycles, "
    "compute_cycles, ipu, peer, runs, (SELECT t.id FROM text t WHERE t.value = coalesce(part, '')) FROM"
    " program; "
    "DROP TABLE program; "
    "CREATE TABLE stored_plan (operation_id INTEGER, product INTEGER, rank INTEGER, description "
    "INTEGER, cost INTEGER, cycles INTEGER, temporary_bytes INTEGER, PRIMARY KEY (operation_id, "
    "product, rank)) WITHOUT ROWID; "
    "INSERT INTO stored_plan SELECT operation_id, (SELECT t.id FROM text t WHERE t.value = "
    "coalesce(product, '')), rank, (SELECT t.id FROM text t WHERE t.value = coalesce(description, '')),"
    " (SELECT t.id FROM text t WHERE t.value = coalesce(cost, '')), cycles, temporary_bytes FROM plan; "
    "DROP TABLE plan; "
    "DROP INDEX text_by_value; "
    "CREATE INDEX program_by_operation ON stored_program (operation_id); "
    "CREATE INDEX program_by_step ON stored_program (liveness_step) WHERE liveness_step >= 0; "
    "CREATE INDEX vertex_by_compute_set ON stored_vertex (compute_set_id); "
    "CREATE TABLE liveness_span (ipu INTEGER, step INTEGER, steps INTEGER, always_live_bytes INTEGER, "
    "not_always_live_bytes INTEGER, max_tile_bytes INTEGER, PRIMARY KEY (ipu, step)) WITHOUT ROWID; "
    "INSERT INTO liveness_span SELECT ipu, step, 1, always_live_bytes, not_always_live_bytes, "
    "max_tile_bytes FROM liveness WHERE ipu IN (SELECT id FROM ipu WHERE replica = 0); "
    "DROP TABLE liveness; "
    "CREATE TABLE stored_oversize_tile (ipu INTEGER, tile INTEGER, bytes INTEGER, program_id INTEGER); "
    "INSERT INTO stored_oversize_tile SELECT * FROM oversize_tile WHERE ipu IN (SELECT id FROM ipu WHERE "
    "replica = 0); "
    "DROP TABLE oversize_tile; "
    "CREATE TABLE tile_metric (id INTEGER PRIMARY KEY, entity TEXT, metric TEXT); "
    "INSERT INTO tile_metric SELECT row_number() OVER () - 1, entity, metric FROM (SELECT DISTINCT "
    "entity, metric FROM tile_array); "
    "CREATE TABLE tile_blob (id INTEGER PRIMARY KEY, base_id INTEGER, sum INTEGER, data BLOB); "
    "INSERT INTO tile_blob SELECT row_number() OVER () - 1, -1, sum, data FROM (SELECT DISTINCT sum, "
    "data FROM tile_array); "
    "CREATE INDEX blob_by_data ON tile_blob (data); "
    "CREATE TABLE tile_entry (metric_id INTEGER, entity_id INTEGER, ipu INTEGER, blob_id INTEGER, "
    "PRIMARY KEY (metric_id, entity_id, ipu)) WITHOUT ROWID; "
    "INSERT INTO tile_entry SELECT m.id, a.entity_id, a.ipu, b.id FROM tile_array a JOIN tile_metric m "
    "ON m.entity = a.entity AND m.metric = a.metric JOIN tile_blob b ON b.data = a.data AND b.sum = "
    "a.sum WHERE a.ipu IN (SELECT id FROM ipu WHERE replica = 0); "
    "DROP INDEX blob_by_data; "
    "DROP TABLE tile_array",
    // 9 said in the workload's JSON only whether it is a small graph.
    "ALTER TABLE run ADD COLUMN workload_kind TEXT DEFAULT 'model'; UPDATE run SET workload_kind = 'graph' "
    "WHERE json_valid(workload) AND json_extract(workload, '$.graph') IS NOT NULL",
    // 10 had the steps of the first program only, of which all schedules with steps were.
    "CREATE TABLE device_program (id INTEGER PRIMARY KEY, name TEXT, root_id INTEGER); "
    "CREATE TABLE stored_further_step (id INTEGER PRIMARY KEY, device_program_id INTEGER, parent_id INTEGER, "
    "position INTEGER, kind INTEGER, name INTEGER, operation_id INTEGER, repeats INTEGER, sync_cycles "
    "INTEGER, exchange_cycles INTEGER, compute_cycles INTEGER, ipu INTEGER, peer INTEGER, runs INTEGER, "
    "between_ipus INTEGER); "
    "CREATE TABLE schedule (id INTEGER PRIMARY KEY, device_program_id INTEGER); "
    "INSERT INTO schedule SELECT DISTINCT schedule_id, CASE WHEN schedule_id IN (SELECT schedule_id FROM "
    "schedule_round) THEN 0 ELSE -1 END FROM schedule_ipu; "
    "INSERT INTO device_program SELECT 0, CASE WHEN EXISTS (SELECT 1 FROM stored_operation o JOIN text t "
    "ON t.id = o.phase WHERE t.value = 'update') THEN 'training' ELSE 'inference' END, coalesce((SELECT "
    "min(id) FROM stored_program), -1)",
    // 11 told what was tried in the log only, in words.
    "CREATE TABLE remedy (id INTEGER PRIMARY KEY, change TEXT, ipus INTEGER, max_tile_bytes INTEGER, fits "
    "INTEGER, step_us REAL); "
    // Its exchanges said in their names only what they were of an all-reduce.
    "WITH word (value) AS (VALUES ('none'), ('reduce_scatter'), ('all_gather')) INSERT INTO text (value) "
    "SELECT "
    "value FROM word WHERE value NOT IN (SELECT value FROM text); "
    "ALTER TABLE stored_exchange ADD COLUMN ring_phase INTEGER; "
    "UPDATE stored_exchange SET ring_phase = (SELECT min(t.id) FROM text t WHERE t.value = CASE WHEN peer >= "
    "0 OR "
    "kind <> (SELECT k.id FROM text k WHERE k.value = 'inter_ipu') THEN 'none' WHEN (SELECT n.value FROM "
    "text n "
    "WHERE n.id = stored_exchange.name) LIKE '%/reduce-scatter' THEN 'reduce_scatter' WHEN (SELECT n.value "
    "FROM "
    "text n WHERE n.id = stored_exchange.name) LIKE '%/all-gather' THEN 'all_gather' ELSE 'none' END)",
    // 12 had neither a label nor the peaks, which a workload may set: what they were is not known.
    "ALTER TABLE run ADD COLUMN label TEXT DEFAULT ''; "
    "ALTER TABLE target ADD COLUMN half_flops_per_cycle INTEGER; "
    "ALTER TABLE target ADD COLUMN float_flops_per_cycle INTEGER; "
    "ALTER TABLE target ADD COLUMN exchange_bytes_per_cycle INTEGER",
    // 13 had of further programs neither pipelines, nor what their steps move, nor their parts, which follow
    // from how the compiler nests and names them.
    "CREATE TABLE slots_of_programs (stage INTEGER, start_cycle INTEGER, end_cycle INTEGER, slot INTEGER, "
    "activity TEXT, micro_batch INTEGER, device_program_id INTEGER, PRIMARY KEY (device_program_id, stage, "
    "start_cycle)) WITHOUT ROWID; "
    "INSERT INTO slots_of_programs SELECT stage, start_cycle, end_cycle, slot, activity, micro_batch, 0 FROM "
    "pipeline_slot; DROP TABLE pipeline_slot; ALTER TABLE slots_of_programs RENAME TO pipeline_slot; "
    "WITH word (value) AS (VALUES ('whole'), ('infeed'), ('micro_batches'), ('update'), ('outfeed')) INSERT "
    "INTO text (value) SELECT value FROM word WHERE value NOT IN (SELECT value FROM text); "
    "ALTER TABLE stored_further_step ADD COLUMN part INTEGER; "
    "ALTER TABLE stored_further_step ADD COLUMN bytes INTEGER DEFAULT -1; "
    "ALTER TABLE stored_further_step ADD COLUMN balance REAL DEFAULT -1; "
    "WITH RECURSIVE named (id, parent_id, kind, name, phase) AS MATERIALIZED (SELECT s.id, s.parent_id, "
    "(SELECT "
    "value FROM text WHERE id = s.kind), (SELECT value FROM text WHERE id = s.name), (SELECT t.value FROM "
    "stored_operation o JOIN text t ON t.id = o.phase WHERE o.id = s.operation_id) FROM stored_further_step "
    "s), placed (id, part, depth) AS (SELECT id, 'whole', 0 FROM named WHERE parent_id < 0 UNION ALL SELECT "
    "n.id, CASE WHEN n.name IN ('infeed', 'outfeed') AND depth < 3 THEN n.name WHEN n.name = 'write "
    "variables' AND depth < 3 THEN 'update' WHEN p.part NOT IN ('whole', 'micro_batches') THEN p.part WHEN "
    "depth = 0 THEN 'whole' WHEN n.phase = 'update' THEN 'update' ELSE 'micro_batches' END, depth + 1 FROM "
    "placed p JOIN named n ON n.parent_id = p.id LIMIT (SELECT count(*) FROM stored_further_step)) "
    "UPDATE stored_further_step SET part = (SELECT min(t.id) FROM text t JOIN placed p ON p.part = t.value "
    "WHERE p.id = stored_further_step.id); "
    // Engine runs without steps that do not evaluate are of the only program that 10 and before knew.
    "UPDATE schedule SET device_program_id = 0 WHERE device_program_id < 0 AND id IN (SELECT schedule_id "
    "FROM "
    "execution_group WHERE kind <> 'evaluate')",
    // 14 knew no streaming memory.
    "ALTER TABLE stored_variable ADD COLUMN streaming_bytes INTEGER DEFAULT 0; "
    "ALTER TABLE target ADD COLUMN streaming_bytes INTEGER",
    // 15 had of exchanges only what each tile sends and receives.
    "CREATE TABLE exchange_variable (exchange_id INTEGER, position INTEGER, variable_id INTEGER, bytes "
    "INTEGER, PRIMARY KEY (exchange_id, position)) WITHOUT ROWID; "
    "CREATE TABLE stored_exchange_moves (exchange_id INTEGER, axes INTEGER, first_tile INTEGER, "
    "element_bytes INTEGER, needs_id INTEGER, first_need_tile INTEGER, PRIMARY KEY (exchange_id)) WITHOUT "
    "ROWID; "
    "CREATE TABLE tile_needs (id INTEGER PRIMARY KEY, shape TEXT, data BLOB)",
    // 16 told in names only what a step does, and in depth and names which further steps an operation has.
    "ALTER TABLE device_program ADD COLUMN training INTEGER; "
    "UPDATE device_program SET training = name = 'training'; "
    "ALTER TABLE stored_variable ADD COLUMN role INTEGER; "
    "ALTER TABLE stored_program ADD COLUMN role INTEGER; ALTER TABLE stored_program ADD COLUMN verb INTEGER; "
    "ALTER TABLE stored_program ADD COLUMN argument INTEGER; "
    "ALTER TABLE stored_further_step ADD COLUMN role INTEGER; "
    "ALTER TABLE stored_further_step ADD COLUMN verb INTEGER; "
    "ALTER TABLE stored_further_step ADD COLUMN argument INTEGER; "
    "WITH RECURSIVE step (id, parent_id, operation_id, kind, name, part) AS MATERIALIZED (SELECT s.id, "
    "parent_id, operation_id, k.value, n.value, p.value FROM stored_further_step s JOIN text k ON k.id = "
    "s.kind JOIN text n ON n.id = s.name JOIN text p ON p.id = s.part), "
    "turn (id) AS (SELECT id FROM step WHERE kind = 'repeat' AND part = 'whole' UNION SELECT s.id FROM turn "
    "t "
    "JOIN step s ON s.parent_id = t.id WHERE s.name IN ('micro-batches', 'forward and backward') OR s.part "
    "IN "
    "('infeed', 'outfeed')), "
    "own (id) AS (SELECT s.id FROM turn t JOIN step s ON s.parent_id = t.id WHERE s.operation_id < 0 AND "
    "s.kind = 'sequence' AND s.name NOT IN ('micro-batches', 'forward and backward', 'write variables') AND "
    "s.part NOT IN ('infeed', 'outfeed') UNION SELECT s.id FROM own o JOIN step s ON s.parent_id = o.id "
    "WHERE "
    "s.operation_id < 0) "
    "UPDATE stored_further_step SET operation_id = -2 WHERE id IN (SELECT id FROM own); "
    "CREATE TABLE work (id INTEGER PRIMARY KEY, role TEXT, verb TEXT, argument TEXT); "
    "WITH step (id, operation_id, kind, name) AS (SELECT id, operation_id, kind, name FROM stored_program "
    "UNION ALL SELECT id, operation_id, kind, name FROM stored_further_step), "
    "said (id, host, kind, rest) AS (SELECT s.id, s.operation_id = -1, k.value, CASE WHEN substr(n.value, 1, "
    "length(o.value) + 1) = o.value || '/' THEN substr(n.value, length(o.value) + 2) ELSE n.value END FROM "
    "step s JOIN text k ON k.id = s.kind JOIN text n ON n.id = s.name LEFT JOIN stored_operation t ON t.id = "
    "s.operation_id LEFT JOIN text o ON o.id = t.name WHERE k.value NOT IN ('sequence', 'repeat')), "
    "cut (id, host, kind, rest, open) AS (SELECT id, host AND (kind = 'stream_copy' OR rest LIKE "
    "'%/rearrange'), kind, rest, CASE WHEN substr(rest, -1) = ')' THEN instr(rest, '(') ELSE 0 END FROM "
    "said), "
    "parts (id, host, kind, verb, argument) AS (SELECT id, host, kind, CASE WHEN host THEN CASE WHEN rest "
    "LIKE '%/begin' THEN 'begin' WHEN rest LIKE '%/end' THEN 'end' WHEN rest LIKE '%/rearrange' THEN "
    "'rearrange' ELSE '' END WHEN open > 0 THEN substr(rest, 1, open - 1) ELSE rest END, CASE WHEN host OR "
    "open = 0 THEN rest ELSE substr(rest, open + 1, length(rest) - open - 1) END FROM cut) "
    "INSERT INTO work SELECT id, CASE WHEN host THEN 'host' WHEN '/' || verb LIKE '%/copy' AND kind IN "
    "('exchange', 'stream_copy') THEN 'copy' WHEN '/' || verb LIKE '%/Rearrange' THEN 'rearrange' WHEN verb "
    "= "
    "'push' THEN 'push' WHEN verb = 'pop' THEN 'pop' WHEN kind = 'execute' THEN 'compute' WHEN '/' || verb "
    "LIKE '%/exchange' AND argument <> verb AND argument NOT LIKE '%partials' AND argument NOT LIKE "
    "'%result' AND argument NOT IN ('rows', 'slices') THEN 'bring' ELSE 'exchange' END, verb, CASE WHEN NOT "
    "host THEN iif(argument = verb, '', argument) WHEN verb = '' THEN argument ELSE substr(argument, 1, "
    "length(argument) - length(verb) - 1) END FROM parts; "
    "INSERT INTO text (value) SELECT value FROM (SELECT role AS value FROM work UNION SELECT verb FROM work "
    "UNION SELECT argument FROM work UNION SELECT 'structure' UNION SELECT 'compute' UNION SELECT 'copy' "
    "UNION SELECT 'push' UNION SELECT 'pop' UNION SELECT '') WHERE value NOT IN (SELECT value FROM text); "
    "CREATE TABLE number (value TEXT PRIMARY KEY, id INTEGER) WITHOUT ROWID; "
    "INSERT INTO number SELECT value, min(id) FROM text GROUP BY value; "
    "UPDATE stored_program SET role = (SELECT id FROM number WHERE value = 'structure'), verb = (SELECT id "
    "FROM number WHERE value = ''), argument = (SELECT id FROM number WHERE value = ''); "
    "UPDATE stored_further_step SET role = (SELECT id FROM number WHERE value = 'structure'), verb = (SELECT "
    "id FROM number WHERE value = ''), argument = (SELECT id FROM number WHERE value = ''); "
    "UPDATE stored_program AS s SET role = r.id, verb = v.id, argument = a.id FROM work w JOIN number r ON "
    "r.value = w.role JOIN number v ON v.value = w.verb JOIN number a ON a.value = w.argument WHERE w.id = "
    "s.id; "
    "UPDATE stored_further_step AS s SET role = r.id, verb = v.id, argument = a.id FROM work w JOIN number r "
    "ON r.value = w.role JOIN number v ON v.value = w.verb JOIN number a ON a.value = w.argument WHERE w.id "
    "= "
    "s.id; "
    "UPDATE stored_variable SET role = (SELECT r.id FROM text n JOIN number r ON r.value = CASE WHEN "
    "stash_depth > 0 OR instr(n.value, '/push(') > 0 THEN 'push' WHEN instr(n.value, '/pop(') > 0 THEN 'pop' "
    "WHEN instr(n.value, '/on IPU ') > 0 THEN 'copy' ELSE 'compute' END WHERE n.id = stored_variable.name); "
    "DROP TABLE work; DROP TABLE number",
    // 17 did not say how far predictions were from published figures.
    "CREATE TABLE error_band (kind TEXT, rows INTEGER, typical REAL, lowest REAL, highest REAL, source TEXT, "
    "PRIMARY KEY (kind)) WITHOUT ROWID",
    // 18 had of a target no rates outside of its IPUs, which are not known; only tiles of these two sizes
    // were
    // interleaved as is known. Whose buffer for the host one is, its name said.
    "ALTER TABLE target ADD COLUMN interleaved_bytes INTEGER; ALTER TABLE target ADD COLUMN "
    "link_bytes_per_cycle REAL; ALTER TABLE target ADD COLUMN host_bytes_per_cycle REAL; ALTER TABLE target "
    "ADD COLUMN streaming_bytes_per_cycle REAL; UPDATE target SET interleaved_bytes = CASE bytes_per_tile "
    "WHEN 638976 THEN 425984 WHEN 262144 THEN 131072 END; "
    "UPDATE stored_variable SET tensor_id = coalesce((SELECT min(t.id) FROM stored_tensor t JOIN text n ON "
    "n.id = t.name JOIN text o ON o.id = stored_variable.name WHERE o.value = n.value || '/stream'), -1) "
    "WHERE tensor_id < 0 AND role = (SELECT min(id) FROM text WHERE value = 'host')",
    // 19 had losses and metrics at the ends of executions only.
    "CREATE TABLE metric_within (execution_id INTEGER, epoch INTEGER, step INTEGER, name TEXT, value REAL)",
    // 20 knew no I/O tiles.
    "ALTER TABLE device_program ADD COLUMN io_tiles INTEGER DEFAULT 0; "
    "CREATE TABLE schedule_io (schedule_id INTEGER, ipu INTEGER, cycles INTEGER, hidden_cycles INTEGER, "
    "PRIMARY KEY (schedule_id, ipu)) WITHOUT ROWID; "
    "CREATE TABLE schedule_io_round (schedule_id INTEGER, ipu INTEGER, step INTEGER, start_cycle INTEGER, "
    "repeats INTEGER, period_cycles INTEGER, block_id INTEGER, PRIMARY KEY (schedule_id, ipu, start_cycle, "
    "step)) WITHOUT ROWID",
    // 21 had these in the JSON of the workload and of attributes only.
    "ALTER TABLE run ADD COLUMN epochs INTEGER DEFAULT 1; "
    "ALTER TABLE run ADD COLUMN available_memory_proportion REAL; "
    "ALTER TABLE run ADD COLUMN recomputation TEXT DEFAULT 'none'; "
    "UPDATE run SET epochs = json_extract(workload, '$.fit.epochs') WHERE json_valid(workload) AND "
    "json_type(workload, '$.fit.epochs') = 'integer'; "
    "UPDATE run SET available_memory_proportion = json_extract(workload, "
    "'$.ipu_config.available_memory_proportion') WHERE json_valid(workload) AND json_type(workload, "
    "'$.ipu_config.available_memory_proportion') IN ('real', 'integer'); "
    "UPDATE run SET recomputation = CASE json_type(workload, '$.ipu_config.allow_recompute') WHEN 'true' "
    "THEN 'on' WHEN 'false' THEN 'off' WHEN 'object' THEN 'parts' WHEN 'array' THEN 'parts' ELSE 'none' END "
    "WHERE json_valid(workload); "
    "ALTER TABLE stored_operation ADD COLUMN group_replicas INTEGER DEFAULT 0; "
    "UPDATE stored_operation SET group_replicas = json_extract(a.value, '$.group') FROM text a, text k WHERE "
    "a.id = stored_operation.attributes AND k.id = stored_operation.kind AND substr(k.value, 1, 6) "
    "= 'group_' AND json_valid(a.value) AND json_type(a.value, '$.group') = 'integer'; "
    "CREATE TABLE stored_operation_part (operation_id INTEGER, position INTEGER, kind INTEGER, PRIMARY KEY "
    "(operation_id, position)) WITHOUT ROWID; "
    "CREATE TABLE part (operation_id INTEGER, position INTEGER, kind TEXT); "
    "INSERT INTO part SELECT o.id, p.key, p.value FROM stored_operation o JOIN text k ON k.id = o.kind JOIN "
    "text a ON a.id = o.attributes JOIN json_each(iif(json_valid(a.value), a.value, '{}'), '$.kinds') p "
    "WHERE "
    "k.value = 'fused_elementwise' AND p.type = 'text' AND typeof(p.key) = 'integer'; "
    "INSERT INTO text (value) SELECT DISTINCT kind FROM part WHERE kind NOT IN (SELECT value FROM text); "
    "INSERT INTO stored_operation_part SELECT p.operation_id, p.position, min(t.id) FROM part p JOIN text t "
    "ON t.value = p.kind GROUP BY p.operation_id, p.position; "
    "DROP TABLE part",
    // 22 said in its log only what came of the cache of executables: that of the first program comes first,
    // and of others it is not known unless none was used.
    "ALTER TABLE device_program ADD COLUMN cache TEXT DEFAULT 'none'; "
    "ALTER TABLE device_program ADD COLUMN cache_key TEXT DEFAULT ''; "
    "CREATE TABLE said (id INTEGER PRIMARY KEY, cache TEXT, path TEXT); "
    "INSERT INTO said SELECT rowid, 'taken', substr(message, 47) FROM log WHERE message LIKE 'compilation "
    "was "
    "skipped: the executable is in %.executable'; "
    "INSERT INTO said SELECT rowid, 'kept', substr(message, 37) FROM log WHERE message LIKE 'compiled; the "
    "executable is kept in %.executable'; "
    "INSERT INTO said SELECT rowid, 'replaced', substr(message, 1, length(message) - 49) FROM log WHERE "
    "message "
    "LIKE '%.executable is damaged or of another program; compiled again'; "
    "UPDATE device_program SET cache = 'unused' WHERE NOT EXISTS (SELECT 1 FROM said); "
    "UPDATE device_program SET cache = (SELECT cache FROM said ORDER BY id LIMIT 1), cache_key = (SELECT "
    "replace(replace(path, rtrim(path, replace(path, '/', '')), ''), '.executable', '') FROM said ORDER BY "
    "id LIMIT "
    "1) WHERE id = 0 AND EXISTS (SELECT 1 FROM said); "
    "DROP TABLE said",
    // 23 did not say how much code each step adds.
    "ALTER TABLE stored_program ADD COLUMN code_bytes INTEGER",
    // 24 did not name what a pass removed. A dimension of the axes of exchange_moves had six numbers; where
    // there are seven already they are read as those of 25.
    "CREATE TABLE stored_removed_operation (compile_event_id INTEGER, position INTEGER, name INTEGER, kind "
    "INTEGER, layer_id INTEGER, PRIMARY KEY (compile_event_id, position)) WITHOUT ROWID",
    // 25 had thousandths of a pass as the epoch; the data path was 8 bytes where the workload had no other.
    "ALTER TABLE progress ADD COLUMN pass_share REAL; "
    "UPDATE progress SET pass_share = epoch / 1000.0, epoch = 0 WHERE activity = 'compile' AND epoch > 0; "
    "ALTER TABLE target ADD COLUMN data_path_bytes INTEGER; "
    "UPDATE target SET data_path_bytes = coalesce((SELECT json_extract(workload, "
    "'$.ipu_config.ipu_model.data_path_bytes') FROM run WHERE json_valid(workload)), 8) WHERE generation <> "
    "'cpu'",
    // 26 took each step of a small graph for a sample.
    "UPDATE run SET batch_size = NULL WHERE workload_kind = 'graph' OR batch_size <= 0",
    // 27 did not say that a file was trimmed: of engine runs that were left out it is not known.
    "ALTER TABLE run ADD COLUMN trimmed TEXT DEFAULT ''; "
    "UPDATE run SET trimmed = (SELECT count(*) FROM ipu) || ' of ' || (SELECT ipus FROM target) || ' IPUs' "
    "WHERE (SELECT count(*) FROM ipu) BETWEEN 1 AND (SELECT ipus FROM target) - 1",
    // 28 told the batch of what was tried in the text of its setting only.
    "ALTER TABLE remedy ADD COLUMN batch_size INTEGER; "
    "UPDATE remedy SET batch_size = CASE WHEN change LIKE 'fit.batch_size=%' THEN CAST(substr(change, "
    "length('fit.batch_size=') + 1) AS INTEGER) ELSE (SELECT batch_size FROM run) END",
    // 29 had these in the JSON of the workload only.
    "ALTER TABLE run ADD COLUMN cut TEXT DEFAULT 'none'; "
    "ALTER TABLE run ADD COLUMN eight_bit_io TEXT DEFAULT 'none'; "
    "UPDATE run SET cut = CASE WHEN 'integer' IN (json_type(workload, '$.pipeline.stages'), "
    "json_type(workload, '$.model.shards')) THEN 'automatic' WHEN json_type(workload, '$.pipeline.stages') "
    "IN ('object', 'array') OR json_type(workload, '$.model.shards') IN ('object', 'array') THEN 'by_hand' "
    "ELSE 'none' END, eight_bit_io = CASE json_type(workload, '$.data.eight_bit_io') WHEN 'true' THEN 'on' "
    "WHEN 'object' THEN 'on' ELSE iif(json_type(workload, '$.data') = 'object', 'off', 'none') END WHERE "
    "json_valid(workload)",
    // 30 had the items of a plan's cost as JSON, and what they are only in their names; of a step it said
    // neither the stage nor as what it counts, and of a device not how it is reached. A copy came from the
    // stage that makes the tensor of its name.
    "CREATE TABLE word (value TEXT PRIMARY KEY, id INTEGER) WITHOUT ROWID; "
    "CREATE TABLE item (operation_id, product, rank, placed, position, name, cycles); "
    "INSERT INTO item SELECT p.operation_id, p.product, p.rank, 0, e.id, e.key, e.value FROM stored_plan p "
    "JOIN text c ON c.id = p.cost JOIN json_each(iif(json_valid(c.value), c.value, '{}')) e WHERE e.type = "
    "'integer' AND typeof(e.key) = 'text'; "
    "INSERT INTO item SELECT p.operation_id, p.product, p.rank, 1, e.id, e.key, e.value FROM stored_plan p "
    "JOIN text c ON c.id = p.cost JOIN json_each(iif(json_valid(c.value), c.value, '{}'), '$.placed') e "
    "WHERE e.type = 'integer' AND typeof(e.key) = 'text'; "
    "CREATE TABLE needed AS SELECT DISTINCT name AS value FROM item UNION VALUES ('none'), ('forward'), "
    "('recompute'), ('backward'), ('copy'), ('update'), ('compute'), ('exchange'), ('sync'); "
    "INSERT INTO text (value) SELECT value FROM needed WHERE value NOT IN (SELECT value FROM text); "
    "INSERT INTO word SELECT value, min(id) FROM text WHERE value IN (SELECT value FROM needed) GROUP BY "
    "value; "
    "CREATE TABLE stored_plan_item (operation_id INTEGER, product INTEGER, rank INTEGER, placed INTEGER, "
    "position INTEGER, name INTEGER, kind INTEGER, cycles INTEGER, PRIMARY KEY (operation_id, product, rank, "
    "placed, position)) WITHOUT ROWID; "
    "INSERT INTO stored_plan_item SELECT i.operation_id, i.product, i.rank, i.placed, row_number() OVER "
    "(PARTITION BY i.operation_id, i.product, i.rank, i.placed ORDER BY i.position) - 1, n.id, k.id, "
    "i.cycles FROM item i JOIN word n ON n.value = i.name JOIN word k ON k.value = CASE WHEN i.name = 'sync' "
    "THEN 'sync' WHEN substr(i.name, 1, 9) = 'exchange_' THEN 'exchange' ELSE 'compute' END; "
    "CREATE TABLE planned (operation_id INTEGER, product INTEGER, rank INTEGER, description INTEGER, cycles "
    "INTEGER, temporary_bytes INTEGER, PRIMARY KEY (operation_id, product, rank)) WITHOUT ROWID; "
    "INSERT INTO planned SELECT operation_id, product, rank, description, cycles, temporary_bytes FROM "
    "stored_plan; DROP TABLE stored_plan; ALTER TABLE planned RENAME TO stored_plan; "
    "ALTER TABLE device ADD COLUMN routing TEXT DEFAULT ''; "
    "UPDATE device SET routing = 'DNC' WHERE multi = 0 AND type <> 'C2'; "
    "ALTER TABLE stored_program ADD COLUMN stage INTEGER DEFAULT -1; "
    "ALTER TABLE stored_program ADD COLUMN peer_stage INTEGER DEFAULT -1; "
    "ALTER TABLE stored_program ADD COLUMN activity INTEGER; "
    "ALTER TABLE stored_further_step ADD COLUMN stage INTEGER DEFAULT -1; "
    "UPDATE stored_program SET activity = (SELECT id FROM word WHERE value = 'none'); "
    "CREATE TABLE on_ipu (stage INTEGER PRIMARY KEY, ipu INTEGER); "
    "INSERT OR IGNORE INTO on_ipu SELECT stage, id FROM ipu WHERE stage >= 0 AND replica = 0; "
    "INSERT OR IGNORE INTO on_ipu SELECT stage, ipu FROM stored_operation WHERE stage >= 0 AND ipu >= 0; "
    "CREATE TABLE first_on (ipu INTEGER PRIMARY KEY, stage INTEGER); "
    "INSERT INTO first_on SELECT ipu, min(stage) FROM on_ipu GROUP BY ipu; "
    "CREATE TABLE maker (name INTEGER PRIMARY KEY, stage INTEGER); "
    "INSERT OR IGNORE INTO maker SELECT t.name, o.stage FROM operation_output x JOIN stored_tensor t ON t.id "
    "= x.tensor_id JOIN stored_operation o ON o.id = x.operation_id ORDER BY o.id; "
    "CREATE TABLE leaf (id INTEGER PRIMARY KEY, part TEXT, verb TEXT, phase TEXT, host INTEGER, copies "
    "INTEGER, made INTEGER, ipu INTEGER, reader INTEGER, reads INTEGER); "
    "INSERT INTO leaf SELECT p.id, part.value, verb.value, phase.value, o.id IS NULL, p.peer >= 0 OR "
    "role.value = 'copy', iif(p.peer >= 0 OR role.value = 'copy', m.stage, o.stage), p.ipu, o.stage, "
    "iif(p.peer >= 0, p.peer, p.ipu) FROM stored_program p JOIN text kind ON kind.id = p.kind JOIN text part "
    "ON part.id = p.part JOIN text role ON role.id = p.role LEFT JOIN text verb ON verb.id = p.verb LEFT "
    "JOIN stored_operation o ON o.id = p.operation_id LEFT JOIN text phase ON phase.id = o.phase LEFT JOIN "
    "maker m ON m.name = p.argument WHERE kind.value NOT IN ('sequence', 'repeat') AND EXISTS (SELECT 1 FROM "
    "on_ipu); "
    "UPDATE stored_program SET stage = coalesce(CASE WHEN l.part = 'update' AND l.ipu < 0 OR l.host AND "
    "l.verb = 'wait' THEN -1 WHEN l.host AND l.part = 'outfeed' THEN (SELECT max(stage) FROM on_ipu) ELSE "
    "coalesce((SELECT s.stage FROM on_ipu s WHERE s.stage = l.made AND s.ipu = l.ipu), (SELECT f.stage FROM "
    "first_on f WHERE f.ipu = l.ipu)) END, -1), peer_stage = coalesce(iif(l.copies AND l.ipu >= 0, "
    "coalesce((SELECT s.stage FROM on_ipu s WHERE s.stage = l.reader AND s.ipu = l.reads), (SELECT f.stage "
    "FROM first_on f WHERE f.ipu = l.reads)), -1), -1), activity = (SELECT id FROM word WHERE value = CASE "
    "WHEN l.part = 'update' THEN 'update' WHEN l.host AND l.verb = 'wait' THEN 'none' WHEN l.host AND l.part "
    "IN ('infeed', 'outfeed') AND EXISTS (SELECT 1 FROM schedule_io) THEN iif(l.verb = 'rearrange', 'copy', "
    "'none') WHEN l.host THEN 'forward' WHEN l.copies THEN 'copy' WHEN l.phase IN ('forward', 'recompute') "
    "THEN l.phase ELSE 'backward' END) FROM leaf l WHERE l.id = stored_program.id; "
    "UPDATE stored_program SET stage = o.stage FROM stored_operation o, text kind, text part WHERE o.id = "
    "stored_program.operation_id AND kind.id = stored_program.kind AND part.id = stored_program.part AND "
    "kind.value IN ('sequence', 'repeat') AND part.value = 'micro_batches'; "
    "CREATE TABLE fed AS SELECT parent_id AS id, min(stage) AS stage FROM stored_program GROUP BY parent_id "
    "HAVING min(stage) = max(stage); "
    "UPDATE stored_program SET stage = fed.stage FROM fed WHERE fed.id = stored_program.id AND "
    "stored_program.operation_id < 0; "
    "UPDATE stored_further_step SET stage = coalesce((SELECT o.stage FROM stored_operation o WHERE o.id = "
    "stored_further_step.operation_id), -1); "
    "DROP TABLE word; DROP TABLE item; DROP TABLE needed; DROP TABLE on_ipu; DROP TABLE first_on; DROP TABLE "
    "maker; DROP TABLE leaf; DROP TABLE fed",
};

/// tile_sum(data): the sum of the values of a row of `tile_array`, as it was until schema 8.
void tile_sum(sqlite3_context* context, int, sqlite3_value** arguments) {
    const auto values = unpack_tile_values({static_cast<const std::byte*>(sqlite3_value_blob(arguments[0])),
                                            static_cast<std::size_t>(sqlite3_value_bytes(arguments[0]))});
    if (values)
        sqlite3_result_int64(context, std::accumulate(values->begin(), values->end(), std::int64_t{0}));
    else
        sqlite3_result_error_code(context, SQLITE_CORRUPT);
}

/// Views hold no data: they are those of this version in the end, and in the way until then.
Result<void> drop_views(sqlite3* db, const std::string& path) {
    const std::string ours = views_sql();
    std::string sql;
    TRY(each_row(db, path, "SELECT name FROM sqlite_master WHERE type = 'view'", [&](const Statement& s) {
        std::string name;
        s.read(0, name);
        if (ours.find("CREATE VIEW " + name + " AS") != std::string::npos)
            sql += "DROP VIEW " + name + ";";
    }));
    return execute(db, sql, path);
}

} // namespace

Result<void> migrate(sqlite3* db, std::int64_t version, const std::string& path) {
    sqlite3_create_function(db, "tile_sum", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, nullptr, tile_sum, nullptr,
                            nullptr);
    TRY(drop_views(db, path));
    for (; version < schema_version; ++version) {
        TRY(execute(db, migrations[static_cast<std::size_t>(version)], path));
        if (version == 7)
            TRY(fold_executions(db, path));
    }
    TRY(execute(db, views_sql(), path));
    return execute(db, "PRAGMA user_version = " + std::to_string(schema_version), path);
}

} // namespace tilescope::profile
