// SPDX-License-Identifier: GPL-3.0-or-later
#include "schema.h"

#include "tables.h"

namespace tilescope::profile {
namespace {

constexpr const char* indexes_sql = R"sql(
CREATE INDEX program_by_operation ON stored_program (operation_id);
CREATE INDEX program_by_step ON stored_program (liveness_step) WHERE liveness_step >= 0;
CREATE INDEX vertex_by_compute_set ON stored_vertex (compute_set_id);
)sql";

/// Beside those of tables whose texts are stored once.
constexpr const char* more_views_sql = R"sql(
CREATE VIEW execution AS
    WITH RECURSIVE one (first, number) AS (SELECT id, 0 FROM execution_group
        UNION ALL SELECT first, number + 1 FROM one JOIN execution_group ON id = first WHERE number + 1 < count)
    SELECT id + number AS id, kind,
        CASE executions_per_epoch WHEN 0 THEN epoch
            ELSE epoch + (first_step / steps + number) / executions_per_epoch END AS epoch,
        CASE executions_per_epoch WHEN 0 THEN first_step + number * steps
            ELSE (first_step / steps + number) % executions_per_epoch * steps END AS first_step,
        steps, start_cycle + number * period_cycles AS start_cycle, cycles,
        CASE count WHEN 1 THEN wall_us END AS wall_us, schedule_id
    FROM one JOIN execution_group ON id = first;
CREATE VIEW execution_ipu AS
    SELECT e.id AS execution_id, i.ipu, i.compute, i.exchange, i.sync, i.inter_ipu, i.host, i.waiting
    FROM execution e JOIN schedule_ipu i ON i.schedule_id = e.schedule_id;
CREATE VIEW trace AS
    WITH RECURSIVE one_step (id, parent_id, operation_id) AS (SELECT id, parent_id, operation_id FROM program
        UNION ALL SELECT id, parent_id, operation_id FROM further_step),
    owner (program_id, at, operation_id) AS (SELECT id, parent_id, operation_id FROM one_step
        UNION ALL SELECT o.program_id, p.parent_id, p.operation_id FROM owner o JOIN one_step p ON p.id = o.at
        WHERE o.operation_id < 0),
    piece (ipu, execution_id, step, start_cycle, left, period, steps, block_id, program_id, sync, exchange, compute) AS (
        SELECT r.ipu, e.id, r.step, e.start_cycle + r.start_cycle, r.repeats, r.period_cycles, 1, r.block_id, -1, 0, 0, 0
            FROM execution e JOIN schedule_round r ON r.schedule_id = e.schedule_id
        UNION ALL SELECT ipu, execution_id, step + steps, start_cycle + period, left - 1, period, steps, block_id,
            program_id, sync, exchange, compute FROM piece WHERE left > 1
        UNION ALL SELECT p.ipu, p.execution_id, p.step, p.start_cycle + b.start_cycle, b.repeats, b.period_cycles, 0,
            b.part_block_id, b.program_id, b.sync, b.exchange, b.compute
            FROM piece p JOIN block_part b ON b.block_id = p.block_id)
    SELECT ipu, start_cycle, execution_id, step, p.program_id, sync, exchange, compute,
        coalesce(o.operation_id, -1) AS operation_id
    FROM piece p LEFT JOIN owner o ON o.program_id = p.program_id AND o.operation_id >= 0 WHERE block_id < 0;
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
    WITH fill AS (SELECT ipu, step, row_number() OVER (PARTITION BY ipu
        ORDER BY always_live_bytes + not_always_live_bytes DESC, step) AS place FROM liveness_span)
    SELECT l.id AS layer_id, l.name, i.id AS ipu, sum(v.always_live * v.bytes) AS always_live_bytes,
        sum(CASE WHEN v.always_live OR p.step BETWEEN v.live_from AND v.live_to THEN v.bytes ELSE 0 END)
            AS live_at_peak_bytes
    FROM layer l JOIN stored_variable v ON v.layer_id = l.id JOIN ipu i ON i.shard = v.ipu
        LEFT JOIN fill p ON p.ipu = v.ipu AND p.place = 1
    GROUP BY l.id, i.id;
CREATE VIEW category_memory AS
    SELECT substr(entity, 10) AS category, ipu,
        sum(CASE metric WHEN 'always_live' THEN sum ELSE 0 END) AS always_live_bytes,
        sum(CASE metric WHEN 'not_always_live' THEN sum ELSE 0 END) AS not_always_live_bytes
    FROM tile_array WHERE entity LIKE 'category:%' GROUP BY entity, ipu;
CREATE VIEW liveness AS
    SELECT p.liveness_step AS step, i.id AS ipu, p.id AS program_id, s.always_live_bytes, s.not_always_live_bytes,
        s.max_tile_bytes
    FROM ipu i CROSS JOIN liveness_span s ON s.ipu = i.shard CROSS JOIN stored_program p
        ON p.liveness_step >= 0 AND p.liveness_step BETWEEN s.step AND s.step + s.steps - 1;
CREATE VIEW tile_array AS
    SELECT m.entity, e.entity_id, i.id AS ipu, m.metric, b.sum, e.blob_id
    FROM tile_metric m JOIN tile_entry e ON e.metric_id = m.id JOIN ipu i ON i.shard = e.ipu
        JOIN tile_blob b ON b.id = e.blob_id
    WHERE i.replica = 0 OR m.entity NOT IN ('compute_set', 'exchange');
)sql";

} // namespace

std::vector<TableText> all_tables() {
    return {text_of(table_of<RunRecord>),
            text_of(table_of<TargetRecord>),
            text_of(table_of<ProgressRecord>),
            text_of(table_of<IpuRecord>),
            text_of(table_of<DeviceRecord>),
            text_of(table_of<LayerRecord>),
            text_of(table_of<TensorRecord>),
            text_of(table_of<OperationRecord>),
            text_of(table_of<OperationInput>),
            text_of(table_of<OperationOutput>),
            text_of(table_of<OperationPart>),
            text_of(table_of<VariableRecord>),
            text_of(table_of<ComputeSetRecord>),
            text_of(table_of<VertexRecord>),
            text_of(table_of<ExchangeRecord>),
            text_of(table_of<ExchangeVariableRecord>),
            text_of(table_of<ExchangeMovesRecord>),
            text_of(table_of<TileNeedsRecord>),
            text_of(table_of<ProgramRecord>),
            text_of(table_of<LivenessSpanRecord>),
            text_of(table_of<PlanRecord>),
            text_of(table_of<PlanItemRow>),
            text_of(table_of<CompileEventRecord>),
            text_of(table_of<RemovedOperationRecord>),
            text_of(table_of<ExecutionGroupRecord>),
            text_of(table_of<ExecutionValues>),
            text_of(table_of<DeviceProgramRecord>),
            text_of(table_of<FurtherStepRecord>),
            text_of(table_of<ScheduleRecord>),
            text_of(table_of<ScheduleIpuRecord>),
            text_of(table_of<ScheduleRoundRecord>),
            text_of(table_of<ScheduleIoRecord>),
            text_of(table_of<ScheduleIoRoundRecord>),
            text_of(table_of<BlockPartRecord>),
            text_of(table_of<PipelineSlotRecord>),
            text_of(table_of<LinkTrafficRecord>),
            text_of(table_of<ErrorBandRecord>),
            text_of(table_of<MetricWithinRecord>),
            text_of(table_of<EpochMetricRecord>),
            text_of(table_of<OutputRecord>),
            text_of(table_of<LogRecord>),
            text_of(table_of<OversizeTileRecord>),
            text_of(table_of<RemedyRecord>),
            text_of(table_of<TileMetric>),
            text_of(table_of<TileEntry>),
            text_of(table_of<TileBlob>),
            text_of(table_of<TextRecord>)};
}

std::vector<TableText> worked_out_tables() {
    return {text_of(table_of<ExecutionRecord>), text_of(table_of<ExecutionIpuRow>),
            text_of(table_of<TraceRow>),        text_of(table_of<MetricRecord>),
            text_of(table_of<TileValueRow>),    text_of(table_of<TileRegionRow>)};
}

std::string views_sql() {
    std::string sql;
    for (const TableText& table : all_tables())
        sql += table.create_view();
    return sql + more_views_sql;
}

std::string schema_sql() {
    std::string sql;
    for (const TableText& table : all_tables())
        sql += table.create();
    return sql + indexes_sql;
}

} // namespace tilescope::profile
