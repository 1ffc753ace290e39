// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/cost_kind.h"
#include "base/ring_phase.h"
#include "base/step_work.h"
#include "profile/kinds.h"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// The rows of a profile file as plain data, one struct per table: what the recorder takes and the
/// reader gives. Ids are chosen by the writer, unique within their table, and start at 0;
/// -1 means "none". Units: bytes, tile cycles, microseconds (`_us`), as each name says.
namespace tilescope::profile {

/// Positions on a time line are below this, and so are sums of cycles over it: they stay within 64 bits.
/// Years of simulated time.
inline constexpr std::int64_t most_cycles = std::int64_t{1} << 58;

/// Table `run` (one row).
struct RunRecord {
    RunStatus status = RunStatus::Running;
    std::string name;          ///< the workload's name
    std::string workload;      ///< the workload as JSON, with every default filled in
    std::string workload_path; ///< the file it was read from
    std::string tool_version;
    WorkloadKind workload_kind = WorkloadKind::Model;
    RunDevice device = RunDevice::Ipu;
    std::uint64_t seed = 0;
    bool estimate = false;             ///< timed without computing values
    std::string data_note;             ///< which data was used, if not the data asked for
    std::int64_t started_unix_ms = 0;  ///< wall clock
    std::int64_t finished_unix_ms = 0; ///< 0 while running
    double compile_s = 0;              ///< wall time of compilation
    std::int64_t steps_per_execution = 1;
    std::optional<std::int64_t> batch_size;        ///< samples in a step of training, else of what there is
    std::optional<PipelineSchedule> schedule;      ///< of its pipeline
    CounterPlace global_step = CounterPlace::None; ///< where a counter of the steps is raised
    std::int64_t pid = 0;                          ///< process that writes the file
    std::string error;                             ///< one line, where status is failed or out_of_memory
    std::string label;       ///< what it is of, as its user calls it: a commit, a branch; "": not told
    std::int64_t epochs = 1; ///< asked for
    std::optional<double> available_memory_proportion; ///< of a tile, for the temporaries of plans
    std::optional<Recomputation> recomputation;        ///< asked for
    std::string trimmed;         ///< what of the run a trimmed file holds, "1 of 16 IPUs"; "": all of it
    std::optional<ModelCut> cut; ///< nullopt: it is in one piece
    std::optional<EightBitIo> eight_bit_io; ///< nullopt: no data set is fed
};

/// Table `target` (one row).
struct TargetRecord {
    std::string system;     ///< "ipu", "pod4", …
    std::string generation; ///< "ipu1", "ipu2", "bow"
    std::int64_t ipus = 1;
    std::int64_t tiles_per_ipu = 0;
    std::int64_t bytes_per_tile = 0;
    double clock_hz = 0;
    std::int64_t workers_per_tile = 6;
    /// At most, of one tile: two for each multiply-add of inputs of this type. Nullopt: the file does not
    /// say.
    std::optional<std::int64_t> half_flops_per_cycle = std::nullopt;
    std::optional<std::int64_t> float_flops_per_cycle = std::nullopt;
    std::optional<std::int64_t> exchange_bytes_per_cycle = std::nullopt; ///< into one tile at most
    std::optional<std::int64_t> streaming_bytes = std::nullopt; ///< memory of one IPU-Machine; 0: it has none
    std::optional<std::int64_t> interleaved_bytes = std::nullopt;   ///< of a tile's memory, at its end
    std::optional<double> link_bytes_per_cycle = std::nullopt;      ///< to a neighbour, each way
    std::optional<double> host_bytes_per_cycle = std::nullopt;      ///< of an IPU-Machine's host, each way
    std::optional<double> streaming_bytes_per_cycle = std::nullopt; ///< of an IPU-Machine, each way
    std::optional<std::int64_t> data_path_bytes = std::nullopt;     ///< that a tile loads in a cycle
};

/// Table `ipu`: the IPUs that the run uses.
struct IpuRecord {
    std::int64_t id = 0;        ///< index within the run, 0 …
    std::int64_t device_id = 0; ///< id within the system
    std::string device;         ///< "/device:IPU:0"
    std::int64_t replica = 0;
    std::int64_t shard = 0;
    std::int64_t stage = -1;
};

/// Table `device`: what the system offers, as `tilescope devices` lists it.
struct DeviceRecord {
    std::int64_t id = 0;
    bool multi = false;
    std::string members;         ///< device ids of a multi-IPU device in DNC order, space separated
    std::string machine;         ///< address of the simulated IPU-Machine
    std::int64_t ipu_number = 0; ///< IPU# within its machine
    std::string type;            ///< "M2000", "C2", …
    DeviceState state = DeviceState::Free;
    std::string routing = {}; ///< of a single IPU, as the vendor's monitor calls it, "DNC"; "": none
};

/// Table `layer`.
struct LayerRecord {
    std::int64_t id = 0;
    std::string name;
    std::string kind; ///< the class of the layer: "Conv2D"
    std::string output_shape;
    std::int64_t parameters = 0;
};

/// Table `tensor`: edges of the graph.
struct TensorRecord {
    std::int64_t id = 0;
    std::string name;
    DType dtype = DType::Float32;
    std::string shape; ///< "[64, 28, 28, 1]"
    std::int64_t bytes = 0;
};

/// Tables `operation`, `operation_input`, `operation_output`, `operation_part`.
struct OperationRecord {
    std::int64_t id = 0;
    std::string name;
    std::string kind; ///< the operator: "conv2d", "fused_elementwise"
    std::int64_t layer_id = -1;
    Phase phase = Phase::Forward;
    std::int64_t ipu = 0;
    std::int64_t stage = -1;
    std::int64_t flops = 0;            ///< floating-point operations of one step
    std::string attributes;            ///< JSON object
    std::vector<std::int64_t> inputs;  ///< tensor ids
    std::vector<std::int64_t> outputs; ///< tensor ids
    std::int64_t group_replicas = 0;   ///< of each group of replicas that it reduces over; 0: over all
    std::vector<std::string> parts;    ///< operators that were fused in it, in order; empty: none
};

/// Table `variable`: what occupies tile memory, and what lies in streaming memory instead. Its bytes on each
/// tile are the tile array
/// ("variable", id, ipu, "bytes"); its lowest address on each tile, where laid out, ("variable", id, ipu,
/// "address").
struct VariableRecord {
    std::int64_t id = 0;
    std::string name;
    MemoryCategory category = MemoryCategory::Variables;
    std::int64_t layer_id = -1;
    std::int64_t operation_id = -1; ///< the operation that makes it
    std::int64_t tensor_id = -1;    ///< what it holds, itself or copies
    std::int64_t ipu = 0;
    std::optional<DType> dtype; ///< none: it holds no elements
    std::string shape;
    std::int64_t bytes = 0; ///< over all tiles
    bool always_live = false;
    std::int64_t live_from =
        -1; ///< first step of `liveness` where it is live, or, if always live, needed; -1: none
    std::int64_t live_to = -1;         ///< last one, inclusive
    std::int64_t stash_depth = 0;      ///< of a FIFO of activations: the micro-batches that it holds; else 0
    std::int64_t streaming_bytes = 0;  ///< of what lies in streaming memory: those on tiles are 0
    StepRole role = StepRole::Compute; ///< of the step that it is there for
    /// Whether it is a buffer of a tensor in the order that the host has it in.
    bool host_buffer() const { return tensor_id >= 0 && role == StepRole::Host; }
    /// Whether it holds a tensor itself, not copies of it.
    bool holds_tensor() const { return tensor_id >= 0 && stash_depth == 0 && role != StepRole::Host; }
};
/// "float32 [64, 10]", or as much of that as it has.
std::string type_text(const VariableRecord& variable);

/// Table `compute_set`. Its cycles on each tile are the tile array ("compute_set", id, ipu, "cycles").
struct ComputeSetRecord {
    std::int64_t id = 0;
    std::string name;
    std::int64_t operation_id = -1;
    std::int64_t cycles = 0; ///< of the slowest tile
    double balance = 0;      ///< mean cycles of all tiles / cycles of the slowest, 0 … 1
};

/// Table `vertex`: how many vertices of one kind a compute set runs.
struct VertexRecord {
    std::int64_t compute_set_id = 0;
    std::string codelet; ///< "poplin::ConvPartial1x1Out<half,float>" style names of our own
    std::int64_t count = 0;
    std::int64_t tiles = 0; ///< tiles that hold at least one
};

/// Table `exchange`. Per tile: ("exchange", id, ipu, "sent") and ("exchange", id, ipu, "received"), bytes.
struct ExchangeRecord {
    std::int64_t id = 0;
    std::string name;
    ExchangeKind kind = ExchangeKind::Internal;
    std::int64_t operation_id = -1;
    std::int64_t bytes = 0;              ///< sum over sending tiles
    std::int64_t cycles = 0;             ///< without sync
    std::int64_t ipu = 0;                ///< of the first replica, whose tiles send; -1: all
    std::int64_t peer = -1;              ///< InterIpu: whose tiles receive; -1: those of every other replica
    std::optional<RingPhase> ring_phase; ///< that it is of an all-reduce
};

/// Table `exchange_variable`: whose bytes an exchange moves.
struct ExchangeVariableRecord {
    std::int64_t exchange_id = 0;
    std::int64_t position = 0;
    std::int64_t variable_id = -1;
    std::int64_t bytes = 0; ///< as ExchangeRecord counts them
};

/// Table `exchange_moves`: which elements of a tensor an exchange brings where. Of an exchange within an IPU
/// that has none it is not followed which tile sends to which.
struct ExchangeMovesRecord {
    std::int64_t exchange_id = 0;
    std::string axes; ///< JSON, an array for each dimension of the tensor: how the source cuts and deals it
    std::int64_t first_tile = 0;
    std::int64_t element_bytes = 1;
    std::int64_t needs_id = 0;
    std::int64_t first_need_tile = 0;
};

/// Table `tile_needs`: boxes of a tensor, and the tiles that need them.
struct TileNeedsRecord {
    std::int64_t id = 0;
    std::string shape;           ///< of the tensor, "[64, 10]": in its dimensions the boxes are
    std::vector<std::byte> data; ///< the differences of a mapping::NeedList, as pack_tile_values() packs them
};

/// Table `program`: the program tree. Leaves are program steps and carry the cycles of one execution.
struct ProgramRecord {
    std::int64_t id = 0;
    std::int64_t parent_id = -1;
    std::int64_t position = 0; ///< among its siblings
    StepKind kind = StepKind::Sequence;
    std::string name;
    std::int64_t operation_id = -1;
    std::int64_t compute_set_id = -1;
    std::int64_t exchange_id = -1;
    std::int64_t repeats = 1;        ///< of a "repeat"
    std::int64_t liveness_step = -1; ///< of a leaf: its index in `liveness`
    std::int64_t sync_cycles = 0;
    std::int64_t exchange_cycles = 0;
    std::int64_t compute_cycles = 0;
    std::int64_t ipu = 0;   ///< of the first replica, that runs the step; -1: all
    std::int64_t peer = -1; ///< the other side of a copy between IPUs
    std::int64_t runs = 1;  ///< in one engine run: the product of the repeats above it
    ProgramPart part = ProgramPart::Whole;
    StepRole role = StepRole::Structure;
    std::string verb; ///< this and the next as in StepWork
    std::string of;
    /// Of control and exchange code that a leaf adds, over the tiles of all its IPUs in the first replica;
    /// nullopt: not counted, or a file of a schema before 24.
    std::optional<std::int64_t> code_bytes = std::nullopt;
    /// Of a pipeline: of a leaf that does it, of a copy that sends; of what has steps in it that they are of.
    /// -1: none, several, or in an update all.
    std::int64_t stage = -1;
    std::int64_t peer_stage = -1; ///< of a copy: that it comes to. Both ends are busy with it
    /// Of a leaf: as what it counts for its stages; nullopt: none of their time.
    std::optional<PipelineActivity> activity = std::nullopt;
    StepWork work() const { return {role, verb, of}; }

    /// The loop over weight updates, or what inference does in turns, and that over micro-batches within it.
    bool loops_over_updates() const { return kind == StepKind::Repeat && part == ProgramPart::Whole; }
    bool loops_over_micro_batches() const {
        return kind == StepKind::Repeat && part == ProgramPart::MicroBatches && operation_id == -1;
    }
};

/// Table `liveness`: bytes live while one program step of one IPU runs.
struct LivenessRecord {
    std::int64_t step = 0; ///< order of execution of the leaves
    std::int64_t ipu = 0;
    std::int64_t program_id = 0;
    std::int64_t always_live_bytes = 0;
    std::int64_t not_always_live_bytes = 0;
    std::int64_t max_tile_bytes = 0; ///< always and not always live, of the fullest tile
};

/// A part of what a plan costs.
struct PlanItem {
    std::string name; ///< "exchange_inputs"
    CostKind kind = CostKind::Compute;
    std::int64_t cycles = 0;
    bool operator==(const PlanItem&) const = default;
};

/// Tables `plan` and `plan_item`: the planner's choice for a product of an operation (rank 0) and its
/// runners-up (rank 1 …).
struct PlanRecord {
    std::int64_t operation_id = 0;
    std::string product; ///< the operation's name, or that of one in the body of its loop
    std::int64_t rank = 0;
    std::string description;          ///< JSON: vertex kind, splits, grouping, types
    std::int64_t cycles = 0;          ///< the sum of `items`
    std::int64_t temporary_bytes = 0; ///< of the fullest tile
    std::vector<PlanItem> items;      ///< what it was chosen by, in the order in which they happen
    /// Of the chosen plan the same with the operands where they lie; empty: the file does not say it.
    std::vector<PlanItem> placed;
};

/// Table `compile_event`: a tree of passes and their parts.
struct CompileEventRecord {
    std::int64_t id = 0;
    std::int64_t parent_id = -1;
    std::string name;
    std::int64_t start_us = 0; ///< since compilation began
    std::int64_t duration_us = 0;
    std::string detail; ///< what it changed: "412 -> 268 operations"
};

/// Table `removed_operation`: what a pass took out of the graph, alone or into another operation.
struct RemovedOperationRecord {
    std::int64_t compile_event_id = 0; ///< of the pass
    std::int64_t position = 0;         ///< in order of execution, from 0
    std::string name;
    std::string kind;           ///< the operator
    std::int64_t layer_id = -1; ///< -1: none
};

/// One engine run of `steps` steps, as the view `execution` has it.
struct ExecutionRecord {
    std::int64_t id = 0;
    ExecutionKind kind = ExecutionKind::Train;
    std::int64_t epoch = 0;      ///< 0-based
    std::int64_t first_step = 0; ///< within the epoch
    std::int64_t steps = 1;
    std::int64_t start_cycle = 0;        ///< on the run's simulated time line
    std::int64_t cycles = 0;             ///< from start to end, host time included
    std::optional<std::int64_t> wall_us; ///< of the host that simulates, where it is known of this one alone
    std::int64_t schedule_id = -1;       ///< `schedule.id`: what the IPUs do in it; -1: computed on the host
};

/// Table `device_program`: what was compiled, in this order. The profile describes the first one.
struct DeviceProgramRecord {
    std::int64_t id = 0;
    std::string name;          ///< what it is for: "training", "evaluation"
    std::int64_t root_id = -1; ///< of its steps; -1: it has none, being computed on the host
    bool training = false;     ///< it updates weights
    std::int64_t io_tiles = 0; ///< of each IPU, the last ones, kept for the exchange with the host
    std::optional<CacheUse> cache = std::nullopt; ///< nullopt: not known
    std::string cache_key = {};                   ///< by which the cache knows it; "" without one
};

/// The operation of a further step that the described graph does not have.
inline constexpr std::int64_t not_described = -2;

/// Table `further_step`: a step of a device program that the profile does not describe. Ids go on from those
/// of `program`.
struct FurtherStepRecord {
    std::int64_t id = 0;
    std::int64_t device_program_id = 1;
    std::int64_t parent_id = -1;
    std::int64_t position = 0; ///< among its siblings
    StepKind kind = StepKind::Sequence;
    std::string name;
    std::int64_t operation_id = -1; ///< of the described graph, of the same name; or not_described
    std::int64_t repeats = 1;       ///< of a "repeat"
    std::int64_t sync_cycles = 0;
    std::int64_t exchange_cycles = 0;
    std::int64_t compute_cycles = 0;
    std::int64_t ipu = 0; ///< as in ProgramRecord
    std::int64_t peer = -1;
    std::int64_t runs = 1;
    bool between_ipus = false; ///< its exchange goes over the links
    ProgramPart part = ProgramPart::Whole;
    std::int64_t bytes = 0; ///< that its exchange moves each time; -1: files of schemas before 14 do not say
    double balance = -1;    ///< of a compute set, as in ComputeSetRecord; -1: none, or not known
    StepRole role = StepRole::Structure; ///< as in ProgramRecord, as are the next three
    std::string verb;
    std::string of;
    std::int64_t stage = -1;
    StepWork work() const { return {role, verb, of}; }
};

/// Table `schedule`: what the IPUs do in an engine run.
struct ScheduleRecord {
    std::int64_t id = 0;
    std::int64_t device_program_id = 0;
};

/// Table `execution_group`: engine runs that follow each other and differ in their number only.
struct ExecutionGroupRecord {
    std::int64_t id = 0; ///< of the first one; the others have the ids that follow
    std::int64_t count = 1;
    ExecutionKind kind = ExecutionKind::Train;
    std::int64_t epoch = 0;                ///< of the first one
    std::int64_t executions_per_epoch = 0; ///< 0: all are of one epoch
    std::int64_t first_step = 0;           ///< of the first one, within its epoch
    std::int64_t steps = 1;                ///< of each one
    std::int64_t start_cycle = 0;          ///< of the first one
    std::int64_t period_cycles = 0;        ///< from the start of one to that of the next
    std::int64_t cycles = 0;               ///< of each one
    std::int64_t wall_us = 0;              ///< of all
    std::int64_t schedule_id = -1;

    /// One of them, 0 … count - 1. Its wall time is known where it is the only one.
    ExecutionRecord at(std::int64_t index) const;
    /// The index of the last one in the same epoch as the one of `index`.
    std::int64_t last_of_epoch(std::int64_t index) const;
    std::int64_t end_cycle() const { return start_cycle + (count - 1) * period_cycles + cycles; }
    /// The index of the last one that begins at a cycle or before it, else 0.
    std::int64_t index_at(std::int64_t cycle) const;
    /// How many begin before a cycle: the index of the first that does not, or `count`.
    std::int64_t begun_before(std::int64_t cycle) const;
    /// `period_cycles`, to divide by: at least 1.
    std::int64_t period() const;
};

/// Table `schedule_ipu`: where the cycles of an engine run go on one IPU. The six add up to its cycles.
struct ScheduleIpuRecord {
    std::int64_t schedule_id = 0;
    std::int64_t ipu = 0;
    std::int64_t compute = 0;
    std::int64_t exchange = 0;
    std::int64_t sync = 0;
    std::int64_t inter_ipu = 0;
    std::int64_t host = 0;
    std::int64_t waiting = 0; ///< idle while other IPUs work
    auto operator<=>(const ScheduleIpuRecord&) const = default;
};

/// Table `schedule_round`: what an IPU does in `repeats` weight updates of an engine run (steps, where it
/// does not train), one like the other.
struct ScheduleRoundRecord {
    std::int64_t schedule_id = 0;
    std::int64_t ipu = 0;
    std::int64_t step = 0;        ///< the first one, within the engine run
    std::int64_t start_cycle = 0; ///< of the first one, since the engine run started
    std::int64_t repeats = 1;
    std::int64_t period_cycles = 0; ///< from one start to the next
    std::int64_t block_id = -1;
    auto operator<=>(const ScheduleRoundRecord&) const = default;
};

/// Table `schedule_io`: what the I/O tiles of an IPU exchange with the host in an engine run, where that
/// overlaps compute.
struct ScheduleIoRecord {
    std::int64_t schedule_id = 0;
    std::int64_t ipu = 0;
    std::int64_t cycles = 0;
    std::int64_t hidden_cycles = 0; ///< while the other tiles compute: no part of the engine run's own
    auto operator<=>(const ScheduleIoRecord&) const = default;
};

/// Table `schedule_io_round`: the same, step by step, beside `schedule_round`.
struct ScheduleIoRoundRecord : ScheduleRoundRecord {
    auto operator<=>(const ScheduleIoRoundRecord&) const = default;
};

/// What the I/O tiles do beside a schedule.
struct ScheduleOfIo {
    std::vector<ScheduleIoRecord> ipus;
    std::vector<ScheduleIoRoundRecord> rounds;
    auto operator<=>(const ScheduleOfIo&) const = default;
};

/// Table `block_part`: a block is a piece of the time line of an IPU, which may occur in many places. A part
/// of it is a program step, or another block (of a smaller id), `repeats` times.
struct BlockPartRecord {
    std::int64_t block_id = 0;
    std::int64_t position = 0;
    std::int64_t start_cycle = 0; ///< since the block began
    std::int64_t repeats = 1;
    std::int64_t period_cycles = 0; ///< from one start to the next
    std::int64_t part_block_id = -1;
    std::int64_t program_id = -1; ///< of a program step, as the cycles that follow
    std::int64_t sync = 0;
    std::int64_t exchange = 0;
    std::int64_t compute = 0;
    auto operator<=>(const BlockPartRecord&) const = default;
};

/// A row of `trace`: one executed program step on one IPU. Phases follow each other: sync, exchange, compute.
/// For a stream copy `exchange` is the host transfer. `step` is the step within the execution.
struct TraceRecord {
    std::int64_t execution_id = 0;
    std::int64_t step = 0;
    std::int64_t program_id = 0;
    std::int64_t ipu = 0;
    std::int64_t start_cycle = 0;
    std::int64_t sync = 0;
    std::int64_t exchange = 0;
    std::int64_t compute = 0;
    std::int64_t end_cycle() const { return start_cycle + sync + exchange + compute; }
};

/// Table `pipeline_slot`: what the IPU of a stage does while the pipeline makes one weight update, without
/// gaps from the first cycle to the last. Every replica does the same.
struct PipelineSlotRecord {
    std::int64_t stage = 0;
    std::int64_t start_cycle = 0; ///< since the weight update's first micro-batch began
    std::int64_t end_cycle = 0;
    std::int64_t slot = 0; ///< of the schedule, 0 …; -1 for the update
    PipelineActivity activity =
        PipelineActivity::Idle; ///< Copy: to another IPU or stage; Waiting: others have more
                                ///< to do in the slot; Idle: nothing to do in it
    std::int64_t micro_batch = -1;
    std::int64_t device_program_id = 0;
};

/// Table `link_traffic`: what goes over the links from one IPU to another for one weight update (for one step
/// where batches are not accumulated).
struct LinkTrafficRecord {
    std::int64_t ipu = 0;           ///< sends
    std::int64_t peer = 0;          ///< receives
    LinkKind kind = LinkKind::Copy; ///< of tensors between shards or stages; AllReduce: of gradients
    std::int64_t copies = 0;        ///< exchanges
    std::int64_t bytes = 0;
    std::int64_t cycles = 0; ///< of these exchanges, without sync
};

/// Table `error_band`: how far predictions of a kind were from what is published, when the run was made.
struct ErrorBandRecord {
    FigureKind kind = FigureKind::Compute;
    std::int64_t rows = 0; ///< published figures
    double typical = 1;    ///< factor by which they are off either way
    double lowest = 1;     ///< predicted over published time or bytes
    double highest = 1;
    std::string source; ///< the published figures, by their names in bench/fidelity
};

/// A row of `metric`: running value at the end of an execution.
struct MetricRecord {
    std::int64_t execution_id = 0;
    std::string name; ///< "loss", "accuracy"
    double value = 0; ///< mean over the epoch so far, as Keras shows it
};

/// Table `metric_within`: a running value within an execution of training, noted some times a second.
struct MetricWithinRecord {
    std::int64_t execution_id = 0; ///< which may still run, and then has no row of its own
    std::int64_t epoch = 0;        ///< 0-based
    std::int64_t step = 0;         ///< steps done in this epoch
    std::string name;              ///< "loss", "accuracy"
    double value = 0;              ///< mean over the epoch so far
};

/// Table `epoch_metric`: final value of an epoch, or of the evaluation (kind evaluate, epoch 0).
struct EpochMetricRecord {
    std::int64_t epoch = 0;
    ExecutionKind kind = ExecutionKind::Train;
    std::string name; ///< "loss", "accuracy", "steps"
    double value = 0;
};

/// Table `output`: values fetched by a small graph.
struct OutputRecord {
    std::string name;
    DType dtype = DType::Float32;
    std::string shape;
    std::string values;   ///< JSON, nested as the shape says
    std::string expected; ///< JSON, or "" where the workload expects nothing
};

/// Table `log`.
struct LogRecord {
    std::int64_t time_ms = 0; ///< since the run started
    Severity level = Severity::Info;
    std::string message;
};

/// Table `progress` (one row): where a running profile stands.
struct ProgressRecord {
    RunActivity activity = RunActivity::Prepare;
    std::int64_t epoch = 0; ///< 0-based
    std::int64_t epochs = 0;
    std::int64_t step = 0; ///< steps done in this epoch (or passes of compilation)
    std::int64_t steps = 0;
    std::int64_t elapsed_ms = 0;                     ///< wall time since the run started
    std::optional<double> pass_share = std::nullopt; ///< of what the pass does, while compiling, 0 to 1
};

/// Table `oversize_tile`: tiles that do not fit, where status is out_of_memory.
struct OversizeTileRecord {
    std::int64_t ipu = 0;
    std::int64_t tile = 0;
    std::int64_t bytes = 0;       ///< needed
    std::int64_t program_id = -1; ///< the step at which the most is needed
};

/// Table `remedy`: a change with which a workload that is out of memory was compiled again.
struct RemedyRecord {
    std::string change;              ///< "fit.batch_size=32"
    std::int64_t ipus = 0;           ///< of all replicas; 0: as many as before
    std::int64_t max_tile_bytes = 0; ///< of the fullest tile, gaps included
    bool fits = false;
    double step_us = 0;                          ///< simulated time of one step, host included
    std::optional<std::int64_t> batch_size = {}; ///< samples in a step with it; none of a small graph
};

} // namespace tilescope::profile
