// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "packed_values.h"
#include "schedule_book.h"
#include "statement.h"
#include "tables.h"
#include "text_book.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

namespace tilescope::profile {

/// A row of any table, as the recorder queues it.
using AnyRow =
    std::variant<TargetRecord, IpuRecord, DeviceRecord, LayerRecord, TensorRecord, OperationRecord,
                 VariableRecord, ComputeSetRecord, VertexRecord, ExchangeRecord, ExchangeVariableRecord,
                 ExchangeMovesRecord, TileNeedsRecord, ProgramRecord, LivenessSpanRecord, PlanRecord,
                 CompileEventRecord, RemovedOperationRecord, ExecutionRecord, ExecutionGroupRecord,
                 DeviceProgramRecord, FurtherStepRecord, ScheduleRecord, ScheduleIpuRecord,
                 ScheduleRoundRecord, ScheduleIoRecord, ScheduleIoRoundRecord, BlockPartRecord,
                 PipelineSlotRecord, LinkTrafficRecord, ErrorBandRecord, MetricRecord, MetricWithinRecord,
                 EpochMetricRecord, OutputRecord, LogRecord, OversizeTileRecord, RemedyRecord, TileMetric,
                 TileEntry, TileBlob>;

/// Inserts rows over a connection: each text once, executions that are alike as one row, numbers of
/// executions packed, and several rows of a table with one step of SQLite's, since each step costs as much as
/// a row. All functions return an SQLite code.
class RowWriter {
  public:
    /// The connection that is used from now on, which must outlive its use; nullptr ends that.
    void use(sqlite3* db) {
        db_ = db;
        inserts_ = {};
    }

    /// Rows may wait for others of their table, until `insert_rest` at the latest.
    int insert(AnyRow row);
    int insert_rest();
    /// At once.
    int insert(const RunRecord& row);
    int insert(const ProgressRecord& row);

  private:
    template<class Row>
    struct Insert {
        Statement one, batch;
        std::vector<Row> waiting;
    };
    template<class Rows>
    struct InsertsOf;
    template<class... Row>
    struct InsertsOf<std::variant<Row...>> {
        using Type = std::tuple<Insert<Row>..., Insert<RunRecord>, Insert<ProgressRecord>,
                                Insert<OperationInput>, Insert<OperationOutput>, Insert<OperationPart>,
                                Insert<PlanItemRow>, Insert<ExecutionValues>, Insert<TextRecord>>;
    };

    template<class Row>
    int write(Row row);
    template<class Row>
    int write(std::optional<Row> row) {
        return row ? write(std::move(*row)) : SQLITE_OK;
    }
    int write(const ExecutionRecord& row);
    int write(const MetricRecord& row);
    int write(OperationRecord row);
    int write(PlanRecord row);
    template<class Row>
    int write_now(const Row& row);
    template<class Row>
    int write_waiting();
    template<class Row>
    int step(Statement& statement, const Row* rows, std::size_t count);

    sqlite3* db_ = nullptr;
    InsertsOf<AnyRow>::Type inserts_;
    TextBook texts_; ///< ids in table `text`
    ExecutionGrouping executions_;
    ValueSeries values_;
};

} // namespace tilescope::profile
