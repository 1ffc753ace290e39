// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "profile/sql_tables.h"

#include <gtest/gtest.h>
#include <sqlite3.h>
#include <string>

/// Makes a profile one of an older schema.
namespace tilescope::profile {

inline void run_sql(const std::string& path, const std::string& sql) {
    sqlite3* db = nullptr;
    ASSERT_EQ(sqlite3_open(path.c_str(), &db), SQLITE_OK);
    ASSERT_EQ(add_sql_tables(db), SQLITE_OK);
    // The connection's own views would be of tables that are taken away.
    std::string drop;
    const auto collect = [](void* to, int, char** row, char**) {
        *static_cast<std::string*>(to) += std::string("DROP VIEW temp.") + row[0] + ";";
        return 0;
    };
    ASSERT_EQ(
        sqlite3_exec(db, "SELECT name FROM sqlite_temp_schema WHERE type = 'view'", collect, &drop, nullptr),
        SQLITE_OK);
    ASSERT_EQ(sqlite3_exec(db, drop.c_str(), nullptr, nullptr, nullptr), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(db);
    sqlite3_close(db);
}

/// Takes away what schema 10 added.
inline const std::string without_workload_kind = "ALTER TABLE run DROP COLUMN workload_kind; ";
/// Takes away what schema 31 added.
inline const std::string without_stages =
    "DROP VIEW program; CREATE VIEW program AS SELECT s.id, s.parent_id, s.position, (SELECT value FROM text "
    "WHERE id = s.kind) AS kind, (SELECT value FROM text WHERE id = s.name) AS name, s.operation_id, "
    "s.compute_set_id, s.exchange_id, s.repeats, s.liveness_step, s.sync_cycles, s.exchange_cycles, "
    "s.compute_cycles, s.ipu, s.peer, s.runs, (SELECT value FROM text WHERE id = s.part) AS part, (SELECT "
    "value FROM text WHERE id = s.role) AS role, (SELECT value FROM text WHERE id = s.verb) AS verb, (SELECT "
    "value FROM text WHERE id = s.argument) AS argument, s.code_bytes FROM stored_program s; "
    "ALTER TABLE stored_program DROP COLUMN stage; ALTER TABLE stored_program DROP COLUMN peer_stage; ALTER "
    "TABLE stored_program DROP COLUMN activity; "
    "DROP VIEW further_step; CREATE VIEW further_step AS SELECT s.id, s.device_program_id, s.parent_id, "
    "s.position, (SELECT value FROM text WHERE id = s.kind) AS kind, (SELECT value FROM text WHERE id = "
    "s.name) AS name, s.operation_id, s.repeats, s.sync_cycles, s.exchange_cycles, s.compute_cycles, s.ipu, "
    "s.peer, s.runs, s.between_ipus, (SELECT value FROM text WHERE id = s.part) AS part, s.bytes, s.balance, "
    "(SELECT value FROM text WHERE id = s.role) AS role, (SELECT value FROM text WHERE id = s.verb) AS verb, "
    "(SELECT value FROM text WHERE id = s.argument) AS argument FROM stored_further_step s; ALTER TABLE "
    "stored_further_step DROP COLUMN stage; ALTER TABLE device DROP COLUMN routing; "
    "CREATE TABLE in_json AS SELECT operation_id, product, rank, placed, json_group_object(item, cycles) AS "
    "items FROM (SELECT i.*, t.value AS item FROM stored_plan_item i JOIN text t ON t.id = i.name ORDER BY "
    "position) GROUP BY operation_id, product, rank, placed; "
    "CREATE TABLE in_text AS SELECT c.operation_id, c.product, c.rank, iif(p.items IS NULL, c.items, "
    "json_set(c.items, '$.placed', json(p.items))) AS cost FROM in_json c LEFT JOIN in_json p ON "
    "p.operation_id = c.operation_id AND p.product = c.product AND p.rank = c.rank AND p.placed = 1 WHERE "
    "c.placed = 0; "
    "INSERT INTO text (value) SELECT DISTINCT cost FROM in_text; "
    "ALTER TABLE stored_plan ADD COLUMN cost INTEGER; UPDATE stored_plan SET cost = t.id FROM in_text c JOIN "
    "text t ON t.value = c.cost WHERE c.operation_id = stored_plan.operation_id AND c.product = "
    "stored_plan.product AND c.rank = stored_plan.rank; DROP TABLE in_json; DROP TABLE in_text; "
    "DROP VIEW plan_item; DROP TABLE stored_plan_item; DROP VIEW plan; CREATE VIEW plan AS SELECT "
    "s.operation_id, (SELECT value FROM text WHERE id = s.product) AS product, s.rank, (SELECT value FROM "
    "text WHERE id = s.description) AS description, (SELECT value FROM text WHERE id = s.cost) AS cost, "
    "s.cycles, s.temporary_bytes FROM stored_plan s; ";
/// Takes away what schemas 30 and 31 added.
inline const std::string without_cut =
    without_stages + "ALTER TABLE run DROP COLUMN cut; ALTER TABLE run DROP COLUMN eight_bit_io; ";
/// Takes away what schemas 29 to 31 added.
inline const std::string without_remedy_batch = without_cut + "ALTER TABLE remedy DROP COLUMN batch_size; ";
/// Takes away what schemas 28 to 31 added.
inline const std::string without_trimmed = without_remedy_batch + "ALTER TABLE run DROP COLUMN trimmed; ";
/// Takes away what schemas 26 to 31 added.
inline const std::string without_pass_share =
    without_trimmed +
    "ALTER TABLE progress DROP COLUMN pass_share; ALTER TABLE target DROP COLUMN data_path_bytes; ";
/// Takes away what schemas 25 to 31 added.
inline const std::string without_removed_operations =
    without_pass_share + "DROP VIEW removed_operation; DROP TABLE stored_removed_operation; ";
/// Takes away what schemas 24 to 31 added.
inline const std::string without_step_code =
    without_removed_operations +
    "DROP VIEW program; CREATE VIEW program AS SELECT s.id, s.parent_id, s.position, (SELECT value FROM text "
    "WHERE id = s.kind) AS kind, (SELECT value FROM text WHERE id = s.name) AS name, s.operation_id, "
    "s.compute_set_id, s.exchange_id, s.repeats, s.liveness_step, s.sync_cycles, s.exchange_cycles, "
    "s.compute_cycles, s.ipu, s.peer, s.runs, (SELECT value FROM text WHERE id = s.part) AS part, (SELECT "
    "value FROM text WHERE id = s.role) AS role, (SELECT value FROM text WHERE id = s.verb) AS verb, (SELECT "
    "value FROM text WHERE id = s.argument) AS argument FROM stored_program s; ALTER TABLE stored_program "
    "DROP COLUMN code_bytes; ";
/// Takes away what schemas 23 to 31 added.
inline const std::string without_cache_use =
    without_step_code +
    "ALTER TABLE device_program DROP COLUMN cache; ALTER TABLE device_program DROP COLUMN cache_key; ";
/// Takes away what schemas 22 to 31 added.
inline const std::string without_parts =
    without_cache_use +
    "ALTER TABLE run DROP COLUMN epochs; ALTER TABLE run DROP COLUMN available_memory_proportion; ALTER "
    "TABLE "
    "run DROP COLUMN recomputation; DROP VIEW operation; CREATE VIEW operation AS SELECT s.id, (SELECT value "
    "FROM text WHERE id = s.name) AS name, (SELECT value FROM text WHERE id = s.kind) AS kind, s.layer_id, "
    "(SELECT value FROM text WHERE id = s.phase) AS phase, s.ipu, s.stage, s.flops, (SELECT value FROM text "
    "WHERE id = s.attributes) AS attributes FROM stored_operation s; ALTER TABLE stored_operation DROP "
    "COLUMN "
    "group_replicas; DROP VIEW operation_part; DROP TABLE stored_operation_part; ";
/// Takes away what schemas 21 to 31 added.
inline const std::string without_io_tiles =
    without_parts +
    "ALTER TABLE device_program DROP COLUMN io_tiles; DROP TABLE schedule_io; DROP TABLE schedule_io_round; ";
/// Takes away what schemas 20 to 31 added.
inline const std::string without_metrics_within = without_io_tiles + "DROP TABLE metric_within; ";
/// Takes away what schemas 19 to 31 added.
inline const std::string without_rates =
    without_metrics_within +
    "ALTER TABLE target DROP COLUMN interleaved_bytes; ALTER TABLE target DROP COLUMN link_bytes_per_cycle; "
    "ALTER TABLE target DROP COLUMN host_bytes_per_cycle; ALTER TABLE target DROP COLUMN "
    "streaming_bytes_per_cycle; UPDATE stored_variable SET tensor_id = -1 WHERE role = (SELECT id FROM text "
    "WHERE value = 'host'); ";
/// Takes away what schemas 18 to 31 added.
inline const std::string without_bands = without_rates + "DROP TABLE error_band; ";
/// Takes away what schemas 17 to 31 added.
inline const std::string without_work =
    without_bands +
    "ALTER TABLE device_program DROP COLUMN training; DROP VIEW variable; CREATE VIEW variable AS SELECT "
    "s.id, (SELECT value FROM text WHERE id = s.name) AS name, (SELECT value FROM text WHERE id = "
    "s.category) AS category, s.layer_id, s.operation_id, s.tensor_id, i.id AS ipu, (SELECT value FROM text "
    "WHERE id = s.dtype) AS dtype, (SELECT value FROM text WHERE id = s.shape) AS shape, s.bytes, "
    "s.always_live, s.live_from, s.live_to, s.stash_depth, s.streaming_bytes FROM stored_variable s JOIN ipu "
    "i ON i.shard = s.ipu; ALTER TABLE stored_variable DROP COLUMN role; "
    "DROP VIEW program; CREATE VIEW program AS SELECT s.id, s.parent_id, s.position, (SELECT value FROM text "
    "WHERE id = s.kind) AS kind, (SELECT value FROM text WHERE id = s.name) AS name, s.operation_id, "
    "s.compute_set_id, s.exchange_id, s.repeats, s.liveness_step, s.sync_cycles, s.exchange_cycles, "
    "s.compute_cycles, s.ipu, s.peer, s.runs, (SELECT value FROM text WHERE id = s.part) AS part FROM "
    "stored_program s; ALTER TABLE stored_program DROP COLUMN role; ALTER TABLE stored_program DROP COLUMN "
    "verb; ALTER TABLE stored_program DROP COLUMN argument; "
    "DROP VIEW further_step; CREATE VIEW further_step AS SELECT s.id, s.device_program_id, s.parent_id, "
    "s.position, (SELECT value FROM text WHERE id = s.kind) AS kind, (SELECT value FROM text WHERE id = "
    "s.name) AS name, s.operation_id, s.repeats, s.sync_cycles, s.exchange_cycles, s.compute_cycles, s.ipu, "
    "s.peer, s.runs, s.between_ipus, (SELECT value FROM text WHERE id = s.part) AS part, s.bytes, s.balance "
    "FROM stored_further_step s; ALTER TABLE stored_further_step DROP COLUMN role; ALTER TABLE "
    "stored_further_step DROP COLUMN verb; ALTER TABLE stored_further_step DROP COLUMN argument; UPDATE "
    "stored_further_step SET operation_id = -1 WHERE operation_id = -2; ";
/// Takes away what schemas 16 to 31 added.
inline const std::string without_moves =
    without_work +
    "DROP TABLE exchange_variable; DROP VIEW exchange_moves; DROP TABLE stored_exchange_moves; DROP TABLE "
    "tile_needs; ";
/// Takes away what schemas 15 to 31 added.
inline const std::string without_streaming =
    without_moves +
    "DROP VIEW variable; ALTER TABLE stored_variable DROP COLUMN streaming_bytes; ALTER TABLE target DROP "
    "COLUMN streaming_bytes; CREATE VIEW variable AS SELECT s.id, (SELECT value FROM text WHERE id = s.name) "
    "AS name, (SELECT value FROM text WHERE id = s.category) AS category, s.layer_id, s.operation_id, "
    "s.tensor_id, each.id AS ipu, (SELECT value FROM text WHERE id = s.dtype) AS dtype, (SELECT value FROM "
    "text WHERE id = s.shape) AS shape, s.bytes, s.always_live, s.live_from, s.live_to, s.stash_depth FROM "
    "stored_variable s JOIN ipu each ON each.shard = s.ipu; ";
/// Takes away what schemas 14 to 31 added.
inline const std::string without_further_parts =
    without_streaming +
    "CREATE TABLE old_slot (stage INTEGER, start_cycle INTEGER, end_cycle INTEGER, slot INTEGER, activity "
    "TEXT, "
    "micro_batch INTEGER, PRIMARY KEY (stage, start_cycle)) WITHOUT ROWID; INSERT INTO old_slot SELECT "
    "stage, "
    "start_cycle, end_cycle, slot, activity, micro_batch FROM pipeline_slot WHERE device_program_id = 0; "
    "DROP "
    "TABLE pipeline_slot; ALTER TABLE old_slot RENAME TO pipeline_slot; DROP VIEW further_step; ALTER TABLE "
    "stored_further_step DROP COLUMN part; ALTER TABLE stored_further_step DROP COLUMN bytes; ALTER TABLE "
    "stored_further_step DROP COLUMN balance; CREATE VIEW further_step AS SELECT s.id, s.device_program_id, "
    "s.parent_id, s.position, (SELECT value FROM text WHERE id = s.kind) AS kind, (SELECT value FROM text "
    "WHERE "
    "id = s.name) AS name, s.operation_id, s.repeats, s.sync_cycles, s.exchange_cycles, s.compute_cycles, "
    "s.ipu, s.peer, s.runs, s.between_ipus FROM stored_further_step s; ";
/// Takes away what schemas 13 to 31 added.
inline const std::string without_peaks =
    without_further_parts +
    "ALTER TABLE run DROP COLUMN label; ALTER TABLE target DROP COLUMN half_flops_per_cycle; "
    "ALTER TABLE target DROP COLUMN float_flops_per_cycle; ALTER TABLE target DROP COLUMN "
    "exchange_bytes_per_cycle; ";
/// Takes away what schemas 11 to 31 added.
inline const std::string without_programs =
    without_peaks +
    "DROP TABLE remedy; DROP VIEW exchange; ALTER TABLE stored_exchange DROP COLUMN ring_phase; CREATE VIEW "
    "exchange AS SELECT s.id, (SELECT value FROM text WHERE id = s.name) AS name, (SELECT value FROM text "
    "WHERE "
    "id = s.kind) AS kind, s.operation_id, s.bytes, s.cycles, s.ipu, s.peer FROM stored_exchange s; DROP "
    "TABLE device_program; DROP TABLE schedule; DROP VIEW further_step; "
    "DROP TABLE stored_further_step; ";

} // namespace tilescope::profile
