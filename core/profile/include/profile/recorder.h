// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/cancellation.h"
#include "base/error.h"
#include "profile/records.h"
#include "profile/writer_lock.h"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tilescope::profile {

/// Table `liveness_span`: bytes live on one IPU of the first replica while program steps run that follow each
/// other, the same during all of them. The reader gives each step its LivenessRecord.
struct LivenessSpanRecord {
    std::int64_t ipu = 0;
    std::int64_t step = 0; ///< the first one, in the order of execution of the leaves
    std::int64_t steps = 1;
    std::int64_t always_live_bytes = 0;
    std::int64_t not_always_live_bytes = 0;
    std::int64_t max_tile_bytes = 0; ///< always and not always live, of the fullest tile
};

/// Writes one profile file. Every call only queues its row; one thread of the recorder's own writes them
/// in large transactions, at least twice a second while rows arrive, so that a reader can follow.
/// A failed write (full disk) is kept and returned by `finish`, and by `failure` at any time; what was
/// committed before stays valid. Not safe for use by several threads at once.
class Recorder {
  public:
    /// What becomes of a profile that has the name already.
    enum class Existing {
        Keep,     ///< it stays until this run is complete, which is written to partial_path() until then
        Overwrite ///< it is lost at once
    };
    /// Creates `path` with the current schema and a `run` row of status running. It appears whole. No other
    /// recorder, of any process, may write the same name until this one has ended.
    /// Errors: BadInput where the folder does not exist, is not writable, or the path is another kind of
    /// file; System where another process writes it, or the disk is full.
    /// `reserved`: what reserve() gave for the path.
    static Result<std::unique_ptr<Recorder>> create(const std::string& path, const RunRecord& run,
                                                    Existing existing = Existing::Keep,
                                                    std::optional<WriterLock> reserved = {});
    /// Ends the file with status failed if `finish` was not called.
    ~Recorder();
    Recorder(const Recorder&) = delete;
    Recorder& operator=(const Recorder&) = delete;

    /// The file that is written; after `finish`, where it is.
    const std::string& path() const { return path_; }
    /// Whether that is beside an earlier profile, which keeps the name.
    bool beside() const { return beside_; }

    void update(const RunRecord& run); ///< replaces the `run` row
    void set(const TargetRecord& target);
    void set(const ProgressRecord& progress);

    void add(const IpuRecord& row);
    void add(const DeviceRecord& row);
    void add(const LayerRecord& row);
    void add(const TensorRecord& row);
    void add(const OperationRecord& row);
    void add(const VariableRecord& row); ///< of the first replica, for which the others stand
    void add(const ComputeSetRecord& row);
    void add(const VertexRecord& row);
    void add(const ExchangeRecord& row);
    void add(const ExchangeVariableRecord& row);
    void add(const ExchangeMovesRecord& row);
    void add(const TileNeedsRecord& row);
    void add(const ProgramRecord& row);
    void add(const LivenessSpanRecord& row);
    void add(const PlanRecord& row);
    void add(const CompileEventRecord& row);
    void add(const RemovedOperationRecord& row);
    /// In the order of their ids. Those that go on as the ones before them take no room of their own, but for
    /// their wall time.
    void add(const ExecutionRecord& row);
    void add(const ExecutionGroupRecord& row); ///< many at once
    /// What a schedule is made of (BlockBuilder). Gives the id, the same for the same parts; their own
    /// `block_id` and `position` do not matter.
    std::int64_t add_block(std::vector<BlockPartRecord> parts);
    /// What the IPUs do in an engine run; the same. Without rounds its program steps are not known.
    std::int64_t add_schedule(std::vector<ScheduleIpuRecord> ipus, std::vector<ScheduleRoundRecord> rounds,
                              std::int64_t device_program_id = 0, ScheduleOfIo io = {});
    void add(const DeviceProgramRecord& row);
    void add(const FurtherStepRecord& row);
    void add(const PipelineSlotRecord& row);
    void add(const LinkTrafficRecord& row);
    void add(const ErrorBandRecord& row);
    void add(const MetricRecord& row); ///< those of one name in the order of the executions
    void add(const MetricWithinRecord& row);
    void add(const EpochMetricRecord& row);
    void add(const OutputRecord& row);
    void add(const LogRecord& row);
    void add(const OversizeTileRecord& row);
    void add(const RemedyRecord& row);

    /// A figure per tile of one IPU of the first replica, for which the others stand: values[tile]. Entities
    /// and metrics in use: "variable": bytes, address; "compute_set": cycles; "exchange": sent, received;
    /// "category:NAME" (entity_id 0): always_live, not_always_live (bytes at the tile's own peak step);
    /// "memory" (entity_id 0): total, total_with_gaps, always_live, interleaved, non_interleaved, overflowed,
    /// code, code_limit.
    void add_tile_values(const std::string& entity, std::int64_t entity_id, std::int64_t ipu,
                         const std::string& metric, std::span<const std::int64_t> values);

    /// Waits until everything queued so far is committed, or until `cancel` is raised.
    void flush(const CancelToken* cancel = nullptr);
    /// While `cancel` is raised a row does not wait for the disk, however many are queued. Null: none.
    void listen(const CancelToken* cancel);
    /// Writes everything, sets the status and closes the file, which is one plain file then; a complete one
    /// takes its name. Returns the first write error, if any.
    Result<void> finish(RunStatus status, const std::string& error = {});
    /// The first write error so far, or an empty string.
    std::string failure() const;

  private:
    struct State;
    template<class Row>
    void put(const Row& row);
    explicit Recorder(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
    std::string path_;
    bool beside_ = false;
};

} // namespace tilescope::profile
