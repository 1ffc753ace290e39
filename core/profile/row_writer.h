// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "packed_values.h"
#include "schedule_book.h"
#include "statement.h"
#include "tables.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <variant>

namespace tilescope::profile {

/// A row of any table, as the recorder queues it.
using AnyRow = std::variant<TargetRecord, IpuRecord, DeviceRecord, LayerRecord, TensorRecord, OperationRecord,
                            VariableRecord, ComputeSetRecord, VertexRecord, ExchangeRecord, ProgramRecord,
                            LivenessSpanRecord, PlanRecord, CompileEventRecord, ExecutionRecord,
                            ExecutionGroupRecord, DeviceProgramRecord, FurtherStepRecord, ScheduleRecord,
                            ScheduleIpuRecord, ScheduleRoundRecord, BlockPartRecord, PipelineSlotRecord,
                            LinkTrafficRecord, MetricRecord, EpochMetricRecord, OutputRecord, LogRecord,
                            OversizeTileRecord, TileMetric, TileEntry, TileBlob>;

/// Inserts rows over a connection: each text once, executions that are alike as one row, numbers of
/// executions packed. All functions return an SQLite code.
class RowWriter {
  public:
    /// The connection that is used from now on, which must outlive its use; nullptr ends that.
    void use(sqlite3* db) {
        db_ = db;
        inserts_.clear();
    }

    int insert(const AnyRow& row);
    int insert(const RunRecord& row);
    int insert(const ProgressRecord& row);
    /// What more rows may still be added to.
    int insert_open();

  private:
    template<class Row>
    int write(const Row& row);
    template<class Row>
    int write(const std::optional<Row>& row) {
        return row ? write(*row) : SQLITE_OK;
    }
    int write(const ExecutionRecord& row);
    int write(const MetricRecord& row);
    int write(const OperationRecord& row);

    sqlite3* db_ = nullptr;
    std::deque<Statement> inserts_; ///< by number_of<Row>; they stay where they are as it grows
    std::unordered_map<std::string, std::int64_t> texts_; ///< ids in table `text`
    ExecutionGrouping executions_;
    ValueSeries values_;
};

} // namespace tilescope::profile
