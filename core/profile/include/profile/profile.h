// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/cancellation.h"
#include "base/error.h"
#include "profile/records.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tilescope::profile {

/// Bytes of a category, each tile at its own peak step, over all tiles of one IPU (or all, ipu = -1).
struct CategoryBytes {
    std::string category;
    std::int64_t always_live = 0;
    std::int64_t not_always_live = 0;
};

/// A variable and its bytes on the tiles that were asked for.
struct VariableOnTiles {
    VariableRecord variable;
    std::int64_t bytes = 0;
};

/// Cycles by phase. `waiting` is idle time while other IPUs work.
struct PhaseCycles {
    std::int64_t compute = 0;
    std::int64_t exchange = 0;
    std::int64_t sync = 0;
    std::int64_t inter_ipu = 0;
    std::int64_t host = 0;
    std::int64_t waiting = 0;
    std::int64_t total() const { return compute + exchange + sync + inter_ipu + host + waiting; }
    PhaseCycles& operator+=(const PhaseCycles& more);
    bool operator==(const PhaseCycles&) const = default;
};

/// Cycles by what they are spent on: program steps of operations by their phase, copies to another IPU, and
/// steps that belong to no operation.
struct ActivityCycles {
    std::int64_t forward = 0;
    std::int64_t recompute = 0;
    std::int64_t backward = 0;
    std::int64_t update = 0;
    std::int64_t copy = 0;
    std::int64_t other = 0;
    std::int64_t total() const { return forward + recompute + backward + update + copy + other; }
    ActivityCycles& operator+=(const ActivityCycles& more);
};

inline constexpr std::int64_t several = -2; ///< where an id is asked for and there is more than one

/// One slice of the time line of an IPU: a program step, neighbouring ones of one execution that are too
/// short to be seen, or executions whose steps were not traced.
struct TraceSlice {
    std::int64_t start_cycle = 0;
    std::int64_t end_cycle = 0;
    std::int64_t execution_id = -1; ///< -1 where executions were merged
    std::int64_t step = -1;         ///< -1 where several were merged
    std::int64_t program_id = -1;   ///< -1 where several were merged
    std::int64_t operation_id = -1; ///< of all that was merged, or `several`; -1: none
    std::int64_t layer_id = -1;     ///< the same
    std::int64_t longest_program_id =
        -1;                          ///< the step that takes longest; program_id where nothing was merged
    std::int64_t longest_cycles = 0; ///< of that step
    std::int64_t merged = 1;         ///< program steps that it stands for, or executions
    bool traced = true;              ///< it stands for program steps
    PhaseCycles cycles;              ///< of what it stands for; what lies between is not in them
    ActivityCycles activities;       ///< the same cycles; none where steps were not traced
};

/// Lengthens `sum` by `next`, which follows it. A slice of no program steps has a say in no id.
void join(TraceSlice& sum, const TraceSlice& next);

/// An execution whose program steps are in the trace.
struct TracedExecution {
    std::int64_t id = 0;
    std::int64_t start_cycle = 0;
    std::int64_t end_cycle = 0;
    std::int64_t first_step_cycle = 0; ///< at which the first of its IPUs begins its first program step
    std::int64_t updates = 0; ///< of weights, as far as traced; steps where gradients are not accumulated
};

/// Executions that follow each other on one IPU, taken together.
struct PhaseSpan {
    std::int64_t ipu = 0;
    std::int64_t start_cycle = 0;
    std::int64_t end_cycle = 0;
    std::int64_t executions = 0;
    PhaseCycles cycles;
};

/// The running mean of a loss or metric of training after `steps` steps of an epoch.
struct MetricPoint {
    std::string name;
    std::int64_t epoch = 0; ///< 0-based
    std::int64_t steps = 0;
    double value = 0;
};

/// Sums over the executions of one kind.
struct ExecutionTotals {
    std::int64_t executions = 0;
    std::int64_t steps = 0;
    std::int64_t cycles = 0;
    std::int64_t wall_us = 0;
    std::int64_t steps_per_epoch = 0; ///< as far as recorded: the most steps of any epoch
};

/// One value of an answer to a query, as SQLite writes it.
struct QueryCell {
    std::optional<std::string> text; ///< nullopt is NULL; a blob is "<N bytes>"
    bool number = false;             ///< stored as an integer or a real, not as text that looks like one
};

struct QueryResult {
    std::vector<std::string> columns;
    std::vector<std::vector<QueryCell>> rows;
};

/// Reads one profile file, finished or still growing. An object belongs to one thread; open one per thread.
/// Every call sees the newest committed state. Methods return an Error of kind BadInput when the file is
/// damaged under way, Cancelled when `interrupt` was called.
class Profile {
  public:
    /// Errors: BadInput for a missing file, a file that is no profile, a damaged one, one of a newer schema
    /// (each one sentence). An older schema is migrated on a temporary copy.
    static Result<std::unique_ptr<Profile>> open(const std::string& path);
    /// The run that is being written to take this name, where there is one; else as `open`.
    static Result<std::unique_ptr<Profile>> follow(const std::string& path);
    ~Profile();
    Profile(const Profile&) = delete;
    Profile& operator=(const Profile&) = delete;

    const std::string& path() const; ///< of the file that was opened
    /// Makes the call in progress (on another thread) end with Cancelled.
    void interrupt();
    /// Changes whenever another connection commits to the file; cheap enough to poll.
    std::int64_t data_version() const;

    /// Its status is killed where the row says running, but nobody writes the file any more.
    Result<RunRecord> run() const;
    Result<TargetRecord> target() const;
    Result<ProgressRecord> progress() const;
    Result<std::vector<IpuRecord>> ipus() const;
    Result<std::vector<DeviceRecord>> devices() const;
    Result<std::vector<LayerRecord>> layers() const;
    Result<std::vector<TensorRecord>> tensors() const;
    Result<std::vector<OperationRecord>> operations() const;
    Result<std::vector<VariableRecord>> variables(std::int64_t ipu = -1) const; ///< largest first
    Result<std::vector<ComputeSetRecord>> compute_sets() const;
    Result<std::vector<VertexRecord>> vertices(std::int64_t compute_set_id = -1) const;
    Result<std::vector<ExchangeRecord>> exchanges() const;
    Result<std::vector<ProgramRecord>> program() const; ///< by id
    Result<std::vector<LivenessRecord>> liveness(std::int64_t ipu) const;
    Result<std::vector<PlanRecord>> plans(std::int64_t operation_id = -1) const;
    Result<std::vector<CompileEventRecord>> compile_events() const;
    Result<std::vector<PipelineSlotRecord>> pipeline_slots() const; ///< by stage and time
    Result<std::vector<LinkTrafficRecord>> link_traffic() const;    ///< by ipu, peer and kind
    Result<std::vector<ExecutionRecord>> executions(std::int64_t after_id = -1) const;
    Result<std::vector<ExecutionIpuRecord>> execution_ipus(std::int64_t after_execution_id = -1) const;
    Result<std::vector<MetricRecord>> metrics(std::int64_t after_execution_id = -1) const;
    Result<std::vector<EpochMetricRecord>> epoch_metrics() const;
    Result<std::vector<OutputRecord>> outputs() const;
    /// In order; skips the first `after_row`.
    Result<std::vector<LogRecord>> log(std::int64_t after_row = 0) const;
    Result<std::vector<OversizeTileRecord>> oversize_tiles() const;

    /// values[tile], or an empty vector where there is none.
    Result<std::vector<std::int64_t>> tile_values(const std::string& entity, std::int64_t entity_id,
                                                  std::int64_t ipu, const std::string& metric) const;
    /// Categories present, largest first.
    Result<std::vector<CategoryBytes>> memory_by_category(std::int64_t ipu = -1) const;
    /// Variables with bytes on any of `tiles` of `ipu` (all tiles where empty), most bytes first.
    Result<std::vector<VariableOnTiles>> variables_on_tiles(std::int64_t ipu,
                                                            const std::vector<std::int64_t>& tiles) const;
    /// The program step (index in `liveness`) at which most bytes of an IPU are live; -1: none is recorded.
    Result<std::int64_t> peak_step(std::int64_t ipu) const;
    /// Cycles by phase over the executions of a kind, of one IPU, or of all added up (ipu = -1).
    Result<PhaseCycles> phase_cycles(std::optional<ExecutionKind> kind = {}, std::int64_t ipu = -1) const;
    Result<ExecutionTotals> execution_totals(ExecutionKind kind) const;
    /// Cycles by phase over the whole run, by IPU and in order of time: neighbouring executions are added up
    /// so that each IPU has at most `most` spans (`most` > 0).
    Result<std::vector<PhaseSpan>> phase_history(std::int64_t most) const;
    /// Running means of training in order: those of every n-th execution, so that there are about `most` of
    /// each name (`most` > 0), and always the last ones of each epoch.
    Result<std::vector<MetricPoint>> metric_history(std::int64_t most) const;
    /// First and last cycle of the whole time line.
    Result<std::pair<std::int64_t, std::int64_t>> time_range() const;
    /// Program steps of `ipu` that overlap [from, to), neighbours of one execution merged where they are
    /// shorter than `resolution` cycles, in order. Executions that were not traced appear as slices too.
    Result<std::vector<TraceSlice>> trace(std::int64_t ipu, std::int64_t from, std::int64_t to,
                                          std::int64_t resolution) const;
    /// Traced executions that overlap [from, to), in order.
    Result<std::vector<TracedExecution>> traced_executions(std::int64_t from, std::int64_t to) const;
    /// Cycles by program step over [from, to) of one IPU: exact totals, without merging. Of executions that
    /// were not traced, all in one slice, those that the range cuts count by their share in it.
    Result<std::vector<TraceSlice>> trace_totals(std::int64_t ipu, std::int64_t from, std::int64_t to) const;

    /// Any SQL statement that only reads; the table-valued function tile_values(entity, entity_id, ipu,
    /// metric) yields (tile, value). Errors: BadInput with SQLite's message.
    Result<QueryResult> query(const std::string& sql) const;
    /// The same without keeping the rows: `columns` is called once, then `row` for each row.
    Result<void> query(const std::string& sql,
                       const std::function<void(const std::vector<std::string>&)>& columns,
                       const std::function<void(const std::vector<QueryCell>&)>& row) const;
    /// Tables and views that `query` can name, in alphabetical order.
    Result<std::vector<std::string>> table_names() const;

  private:
    struct State;
    explicit Profile(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

} // namespace tilescope::profile
