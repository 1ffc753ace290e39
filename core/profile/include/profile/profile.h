// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/cancellation.h"
#include "base/error.h"
#include "profile/records.h"
#include "profile/shared_rows.h"

#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tilescope::profile {

/// Bytes of a category, each tile at its own peak step, over all tiles of one IPU (or all, ipu = -1).
struct CategoryBytes {
    MemoryCategory category = MemoryCategory::Variables;
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
    std::int64_t exchanged() const { return exchange + inter_ipu + host; } ///< moved, wherever to
    PhaseCycles times(std::int64_t count) const;
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
    ActivityCycles times(std::int64_t count) const;
    ActivityCycles& operator+=(const ActivityCycles& more);
};

inline constexpr std::int64_t several = -2; ///< where an id is asked for and there is more than one

/// What a slice of a time line comes to: that of one program step, or of several together.
struct SliceFigures {
    std::int64_t merged = 1;   ///< program steps, or executions, that it stands for; 0: what lies between
    std::int64_t longest = -1; ///< the step of them that takes longest
    std::int64_t longest_cycles = 0; ///< of that step
    PhaseCycles cycles;              ///< they add up to its length
    ActivityCycles activities;       ///< those of program steps; none where they are not known
    void add(const SliceFigures& next);
};

/// One slice of the time line of an IPU: a program step, neighbouring ones that are too short to be seen,
/// what lies between two (`merged` 0), or executions of a file of an older schema whose steps are not in it.
struct TraceSlice : SliceFigures {
    std::int64_t start_cycle = 0;
    std::int64_t end_cycle = 0;
    std::int64_t execution_id = -1; ///< -1 where several were merged
    std::int64_t step = -1;         ///< -1 where several were merged
    std::int64_t program_id = -1;   ///< -1 where several were merged
    std::int64_t operation_id = -1; ///< of all that was merged, or `several`; -1: none
    std::int64_t layer_id = -1;     ///< the same
    bool traced = true;             ///< it stands for program steps
};

/// Lengthens `sum` by `next`, which follows it. A slice of no program steps has a say in no id.
void join(TraceSlice& sum, const TraceSlice& next);

/// A stretch of the time line of an IPU that repeats.
struct TraceRepeats {
    std::int64_t start_cycle = 0;
    std::int64_t period_cycles = 0; ///< from one to the next, > 0
    std::int64_t count = 2;
};

/// What engine runs do by one schedule.
struct ScheduleSpan {
    /// Updates one after another that are as long as each other.
    struct Turns {
        std::int64_t first = 0;       ///< number of the first one
        std::int64_t start_cycle = 0; ///< as `first_step_cycle`
        std::int64_t count = 1;
        std::int64_t cycles = 0; ///< of each; of a last one by itself 0: up to the end of the run
    };
    std::int64_t schedule_id = 0;
    std::int64_t first_step_cycle = 0;  ///< since the run started, when the first IPU begins its first step
    std::int64_t updates = 0;           ///< of weights in a run; steps, where gradients are not accumulated
    std::int64_t device_program_id = 0; ///< whose schedule it is: 0, of the program that is described
    std::vector<Turns> turns = {};      ///< in order
};

/// What a part of a range of the time line of an IPU was spent on.
struct TraceTotal {
    enum class Of {
        Step,
        Launch,  ///< the host feeds and launches an execution: until its first program step on any IPU
        Waiting, ///< for other IPUs
        Untraced ///< executions whose program steps are not known
    };
    Of of = Of::Step;
    std::int64_t program_id = -1;   ///< of a Step, as the two that follow
    std::int64_t operation_id = -1; ///< -1: none
    std::int64_t layer_id = -1;     ///< -1: none
    PhaseCycles cycles;
    std::int64_t runs = 0;    ///< program steps, or executions
    std::int64_t longest = 0; ///< cycles of the longest of them
};

/// A figure of program steps: of one run of each, by id; NaN, or missing, where it is not known. Over time it
/// is a level that holds while a step runs, or an amount that goes evenly over one of its phases, and is none
/// at all other times.
struct StepFigure {
    enum class Over { Step, Exchange, Compute };
    Over over = Over::Step;
    std::vector<double> of_step;
};

/// A stretch of a time line by such a figure.
struct FigureSum {
    double cycles = 0; ///< for which the figure is known
    double sum = 0;    ///< of an amount; of a level, times the cycles for which it holds
    double least = 0;  ///< per cycle, as the next; both 0 where no cycle is known
    double most = 0;
    void add(const FigureSum& more);
    double mean() const { return cycles > 0 ? sum / cycles : 0; } ///< per cycle
};

/// What the compiler made, once for all replicas.
struct ProgramSize {
    std::int64_t operations = 0;
    std::int64_t steps = 0; ///< that do something: repeats and sequences are not counted
    std::int64_t compute_sets = 0;
    std::int64_t exchanges = 0;
    std::int64_t variables = 0;
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
    /// Makes the call in progress (on another thread) end with Cancelled, and what it asks from then on: it
    /// may be between two of its queries. Until `resume`.
    void interrupt();
    void resume();
    /// Changes whenever another connection commits to the file; cheap enough to poll.
    std::int64_t data_version() const;

    /// Its status is killed where the row says running, but nobody writes the file any more.
    Result<RunRecord> run() const;
    Result<TargetRecord> target() const;
    Result<ProgressRecord> progress() const;
    Result<std::vector<IpuRecord>> ipus() const;
    Result<std::vector<DeviceRecord>> devices() const;
    // What the compiler made is read once for all who ask, and again where the file has more of it.
    Result<SharedRows<LayerRecord>> layers() const;
    Result<SharedRows<TensorRecord>> tensors() const;
    Result<SharedRows<OperationRecord>> operations() const;
    Result<SharedRows<VariableRecord>> variables(std::int64_t ipu = -1) const; ///< largest first
    Result<SharedRows<ComputeSetRecord>> compute_sets() const;
    Result<SharedRows<VertexRecord>> vertices(std::int64_t compute_set_id = -1) const;
    Result<SharedRows<ExchangeRecord>> exchanges() const;
    Result<SharedRows<ExchangeVariableRecord>> exchange_variables() const; ///< by exchange and position
    /// Of one exchange; nullopt where it is not followed which tile sends to which.
    Result<std::optional<ExchangeMovesRecord>> exchange_moves(std::int64_t exchange_id) const;
    Result<std::optional<TileNeedsRecord>> tile_needs(std::int64_t id) const;
    Result<SharedRows<ProgramRecord>> program() const; ///< of the first device program, by id
    Result<std::vector<DeviceProgramRecord>> device_programs() const;
    Result<std::vector<FurtherStepRecord>> further_steps() const; ///< of the others, by id
    Result<std::vector<LivenessRecord>> liveness(std::int64_t ipu) const;
    Result<std::vector<PlanRecord>> plans(std::int64_t operation_id = -1) const;
    Result<std::vector<CompileEventRecord>> compile_events() const;
    /// By pass, in order of execution; none in files before schema 25.
    Result<std::vector<RemovedOperationRecord>> removed_operations() const;
    Result<ProgramSize> program_size() const;
    /// Of a device program, by stage and time.
    Result<std::vector<PipelineSlotRecord>> pipeline_slots(std::int64_t device_program = 0) const;
    Result<std::vector<ErrorBandRecord>>
    error_bands() const; ///< by kind; none in files from before schema 18
    Result<std::vector<LinkTrafficRecord>> link_traffic() const; ///< by ipu, peer and kind
    /// All executions, in order of time.
    Result<std::vector<ExecutionGroupRecord>> execution_groups() const;
    /// Some of them one by one: from the one of id `from` on, at most `most`.
    Result<std::vector<ExecutionRecord>> executions(std::int64_t from = 0, std::int64_t most = 4096) const;
    Result<std::vector<ScheduleIpuRecord>> schedule_ipus() const; ///< by schedule and IPU
    /// Of those schedules whose program steps are known, by id.
    Result<std::vector<ScheduleSpan>> schedule_spans() const;
    /// Of executions of the ids `from` to `to`, by id and name.
    Result<std::vector<MetricRecord>>
    metrics(std::int64_t from = 0, std::int64_t to = std::numeric_limits<std::int64_t>::max()) const;
    Result<std::vector<MetricRecord>>
    last_metrics() const; ///< the newest; of an execution that still runs, too
    Result<std::vector<EpochMetricRecord>> epoch_metrics() const;
    Result<std::vector<OutputRecord>> outputs() const;
    /// In order; skips the first `after_row`.
    Result<std::vector<LogRecord>> log(std::int64_t after_row = 0) const;
    Result<std::vector<OversizeTileRecord>> oversize_tiles() const;
    Result<std::vector<RemedyRecord>> remedies() const; ///< in the order in which they were tried

    /// values[tile], or an empty vector where there is none.
    Result<std::vector<std::int64_t>> tile_values(const std::string& entity, std::int64_t entity_id,
                                                  std::int64_t ipu, const std::string& metric) const;
    /// Of the variables of an IPU, or of all, that lie in streaming memory.
    Result<std::int64_t> streaming_bytes(std::int64_t ipu = -1) const;
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
    /// The same over the executions of one device program.
    Result<PhaseCycles> program_phases(std::int64_t device_program, std::int64_t ipu = -1) const;
    Result<ExecutionTotals> program_totals(std::int64_t device_program) const;
    /// Cycles by phase over the whole run, by IPU and in order of time: neighbouring executions are added up
    /// so that each IPU has at most `most` spans (`most` > 0).
    Result<std::vector<PhaseSpan>> phase_history(std::int64_t most) const;
    /// Running means of training in order: those of every n-th execution, so that there are about `most` of
    /// each name (`most` > 0), and always the last ones of each epoch; as many at most within executions,
    /// also of one that still runs.
    Result<std::vector<MetricPoint>> metric_history(std::int64_t most) const;
    /// First and last cycle of the whole time line.
    Result<std::pair<std::int64_t, std::int64_t>> time_range() const;
    /// From now on the time line of a file in which nothing was executed is that of these executions: what
    /// the calls below answer, but none of those above.
    void suppose(const ExecutionGroupRecord& executions) const;
    /// The time line of `ipu` over [from, to), in order: its program steps, neighbours merged where they are
    /// shorter than `resolution` cycles, and what lies between them: until the first program step of an
    /// execution on any IPU that is the host's, which feeds and launches it; later it is waiting, for other
    /// IPUs. What the range cuts is given whole. Time that no execution covers has no slice.
    Result<std::vector<TraceSlice>> trace(std::int64_t ipu, std::int64_t from, std::int64_t to,
                                          std::int64_t resolution) const;
    /// The same of its I/O tiles, where what they exchange with the host overlaps compute: their own program
    /// steps, and waiting between them. Nothing where it does not.
    Result<std::vector<TraceSlice>> io_trace(std::int64_t ipu, std::int64_t from, std::int64_t to,
                                             std::int64_t resolution) const;
    /// What the I/O tiles of each IPU exchange in an engine run, by schedule and IPU.
    Result<std::vector<ScheduleIoRecord>> schedule_io() const;
    /// Its program steps one by one, in order, as long as `visit` returns true; of `programs` alone, which
    /// are sorted, where it is not null. What has none of them is passed over. Errors: Cancelled as well.
    Result<void> trace_steps(std::int64_t ipu, std::int64_t from, std::int64_t to,
                             const std::vector<std::int64_t>* programs,
                             const std::function<bool(const TraceSlice&)>& visit) const;
    /// The repeats that the cycle `at` of the time line of `ipu` lies in, the outermost first.
    Result<std::vector<TraceRepeats>> trace_repeats(std::int64_t ipu, std::int64_t at) const;
    /// What [from, to) of one IPU was spent on, largest first: exact, in a time that grows with the logarithm
    /// of what is in it. Program steps that the range cuts count with what lies in it; executions of which
    /// only the phases are known by their share.
    Result<std::vector<TraceTotal>> trace_totals(std::int64_t ipu, std::int64_t from, std::int64_t to) const;

    /// A figure along the time line of `ipu`: `count` stretches of `width` (> 0) cycles from `from` on. A
    /// level is known while program steps run, an amount wherever these are; it costs the number of
    /// stretches, not that of the steps.
    Result<std::vector<FigureSum>> trace_figure(std::int64_t ipu, std::int64_t from, std::int64_t width,
                                                std::size_t count, const StepFigure& figure) const;

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
