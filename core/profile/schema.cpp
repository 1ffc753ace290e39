// SPDX-License-Identifier: GPL-3.0-or-later
#include "schema.h"

#include "tables.h"

namespace tilescope::profile {
namespace {

constexpr const char* indexes_sql = R"sql(
CREATE INDEX variable_by_operation ON variable (operation_id);
CREATE INDEX program_by_operation ON program (operation_id);
CREATE INDEX vertex_by_compute_set ON vertex (compute_set_id);
)sql";

} // namespace

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
    WITH fill AS (SELECT ipu, step, row_number() OVER
        (PARTITION BY ipu ORDER BY always_live_bytes + not_always_live_bytes DESC, step) AS place FROM liveness)
    SELECT l.id AS layer_id, l.name, v.ipu, sum(v.always_live * v.bytes) AS always_live_bytes,
        sum(CASE WHEN v.always_live OR p.step BETWEEN v.live_from AND v.live_to THEN v.bytes ELSE 0 END)
            AS live_at_peak_bytes
    FROM layer l JOIN variable v ON v.layer_id = l.id LEFT JOIN fill p ON p.ipu = v.ipu AND p.place = 1
    GROUP BY l.id, v.ipu;
CREATE VIEW category_memory AS
    SELECT substr(entity, 10) AS category, ipu,
        sum(CASE metric WHEN 'always_live' THEN sum ELSE 0 END) AS always_live_bytes,
        sum(CASE metric WHEN 'not_always_live' THEN sum ELSE 0 END) AS not_always_live_bytes
    FROM tile_array WHERE entity LIKE 'category:%' GROUP BY entity, ipu;
)sql";

std::vector<TableText> all_tables() {
    return {text_of(table_of<RunRecord>),          text_of(table_of<TargetRecord>),
            text_of(table_of<ProgressRecord>),     text_of(table_of<IpuRecord>),
            text_of(table_of<DeviceRecord>),       text_of(table_of<LayerRecord>),
            text_of(table_of<TensorRecord>),       text_of(table_of<OperationRecord>),
            text_of(table_of<OperationInput>),     text_of(table_of<OperationOutput>),
            text_of(table_of<VariableRecord>),     text_of(table_of<ComputeSetRecord>),
            text_of(table_of<VertexRecord>),       text_of(table_of<ExchangeRecord>),
            text_of(table_of<ProgramRecord>),      text_of(table_of<LivenessRecord>),
            text_of(table_of<PlanRecord>),         text_of(table_of<CompileEventRecord>),
            text_of(table_of<ExecutionRecord>),    text_of(table_of<ExecutionIpuRecord>),
            text_of(table_of<TraceRecord>),        text_of(table_of<TraceBlockRecord>),
            text_of(table_of<PipelineSlotRecord>), text_of(table_of<LinkTrafficRecord>),
            text_of(table_of<MetricRecord>),       text_of(table_of<EpochMetricRecord>),
            text_of(table_of<OutputRecord>),       text_of(table_of<LogRecord>),
            text_of(table_of<OversizeTileRecord>), text_of(table_of<TileArray>)};
}

std::string schema_sql() {
    std::string sql;
    for (const TableText& table : all_tables())
        sql += table.create();
    return sql + indexes_sql;
}

} // namespace tilescope::profile
