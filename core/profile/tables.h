// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "compile_tables.h"
#include "exchange_tables.h"
#include "profile/recorder.h"
#include "profile/records.h"
#include "schedule_tables.h"
#include "table.h"
#include "worked_out_tables.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

/// All tables of a profile, each described once. resources/docs/schema.md says the same, which a test
/// compares.
namespace tilescope::profile {

/// Rows of `operation_input`, `operation_output` and `operation_part`, which are lists in an OperationRecord.
struct OperationInput {
    std::int64_t operation_id = 0;
    std::int64_t position = 0;
    std::int64_t tensor_id = 0;
};
struct OperationOutput {
    std::int64_t operation_id = 0;
    std::int64_t position = 0;
    std::int64_t tensor_id = 0;
};
struct OperationPart {
    std::int64_t operation_id = 0;
    std::int64_t position = 0;
    std::string kind;
};

/// A text that rows of several tables have.
struct TextRecord {
    std::int64_t id = 0;
    std::string value;
};

/// Numbers of the tiles of an IPU, as pack_tile_values() makes them.
struct TileBlob {
    std::int64_t id = 0;
    std::int64_t base_id = -1;
    std::int64_t sum = 0;
    std::vector<std::byte> data;
};
struct TileMetric {
    std::int64_t id = 0;
    std::string entity;
    std::string metric;
};
struct TileEntry {
    std::int64_t metric_id = 0;
    std::int64_t entity_id = 0;
    std::int64_t ipu = 0;
    std::int64_t blob_id = 0;
};

/// Values of executions `first_id` and those that follow, as pack_values() makes them.
struct ExecutionValues {
    std::string series;
    std::int64_t first_id = 0;
    std::int64_t count = 0;
    std::vector<std::byte> data;
};

template<>
inline constexpr auto table_of<RunRecord> = table<RunRecord>(
    "run", "One row.", one_row,
    column("status", &RunRecord::status, "",
           "`running` (also of a run that was killed: see above), `complete`, `cancelled`, `out_of_memory`, "
           "`failed` or `diverged` (complete, but the losses are not numbers)"),
    column("name", &RunRecord::name, "", "the workload's name"),
    column("workload", &RunRecord::workload, "", "the workload as JSON, with every default filled in"),
    column("workload_path", &RunRecord::workload_path, "", "the file it was read from"),
    column("tool_version", &RunRecord::tool_version, "", "version of Tilescope that wrote the file"),
    column("workload_kind", &RunRecord::workload_kind, "",
           "`model`, whose results are losses and metrics, or `graph`, whose results are its outputs"),
    column("device", &RunRecord::device, "", "`ipu` or `cpu`"),
    column("seed", &RunRecord::seed, "", "seed of all random numbers"),
    column("estimate", &RunRecord::estimate, "", "1: timed without computing values"),
    column("data_note", &RunRecord::data_note, "", "which data was used, where it is not what was asked for"),
    column("started_unix_ms", &RunRecord::started_unix_ms, "ms", "wall clock, since 1970"),
    column("finished_unix_ms", &RunRecord::finished_unix_ms, "ms", "the same; 0 while running"),
    column("compile_s", &RunRecord::compile_s, "s", "wall time of compilation"),
    column("steps_per_execution", &RunRecord::steps_per_execution, "steps", "in one engine run"),
    column("batch_size", &RunRecord::batch_size, "samples",
           "in a step of training, or else of what there is; NULL: not known, or not the same in all steps"),
    column("schedule", &RunRecord::schedule, "",
           "of the pipeline: `Grouped`, `Interleaved`, `Sequential` or `PopART`; `none`: no pipeline"),
    column("global_step", &RunRecord::global_step, "",
           "where a counter of the steps is raised: `none`, `cpu` or `ipu`, where it takes an engine run of "
           "its own"),
    column("pid", &RunRecord::pid, "", "process that writes the file"),
    column("error", &RunRecord::error, "", "one line, where status is `failed` or `out_of_memory`"),
    column("label", &RunRecord::label, "", "what it is of, as its user calls it: a commit, a branch"),
    column("epochs", &RunRecord::epochs, "epochs", "that were asked for"),
    column("available_memory_proportion", &RunRecord::available_memory_proportion, "0 … 1",
           "of a tile, for the temporaries of plans; NULL: not known"),
    column("recomputation", &RunRecord::recomputation, "",
           "whether activations are computed again: `on`, `off`, or of `parts` of the model; `none`: not "
           "known"),
    column("trimmed", &RunRecord::trimmed, "",
           "what of the run the file holds, where `trim` left out IPUs or engine runs: `1 of 16 IPUs`"),
    column("cut", &RunRecord::cut, "",
           "how the model came to lie on several IPUs: `automatic`, `by_hand`; `none`: it is in one piece"),
    column("eight_bit_io", &RunRecord::eight_bit_io, "",
           "whether what is fed comes as bytes: `on`, `off`; `none`: no data set is fed"));

template<>
inline constexpr auto table_of<TargetRecord> = table<TargetRecord>(
    "target", "One row: what the run was compiled for (page *targets*).", one_row,
    column("system", &TargetRecord::system, "", "`ipu`, `pod4`, `pod16`, `pod64`, `pod256`, `server16`"),
    column("generation", &TargetRecord::generation, "",
           "`ipu1`, `ipu2`, `bow`; `cpu` where nothing was simulated"),
    column("ipus", &TargetRecord::ipus, "IPUs", "that the run uses"),
    column("tiles_per_ipu", &TargetRecord::tiles_per_ipu, "tiles"),
    column("bytes_per_tile", &TargetRecord::bytes_per_tile, "bytes"),
    column("clock_hz", &TargetRecord::clock_hz, "Hz", "cycles per second"),
    column("workers_per_tile", &TargetRecord::workers_per_tile, "workers"),
    column("half_flops_per_cycle", &TargetRecord::half_flops_per_cycle, "FLOPs",
           "of one tile at most, with inputs of 16 bits; NULL: recorded by an older version"),
    column("float_flops_per_cycle", &TargetRecord::float_flops_per_cycle, "FLOPs",
           "the same with inputs of 32 bits"),
    column("exchange_bytes_per_cycle", &TargetRecord::exchange_bytes_per_cycle, "bytes",
           "into one tile at most; NULL: recorded by an older version"),
    column("streaming_bytes", &TargetRecord::streaming_bytes, "bytes", "of one IPU-Machine; NULL: not told"),
    column("interleaved_bytes", &TargetRecord::interleaved_bytes, "bytes",
           "of a tile's memory, at its end; NULL: recorded by an older version"),
    column("link_bytes_per_cycle", &TargetRecord::link_bytes_per_cycle, "bytes",
           "between two neighbouring IPUs, each way; NULL: recorded by an older version"),
    column(
        "host_bytes_per_cycle", &TargetRecord::host_bytes_per_cycle, "bytes",
        "between an IPU-Machine and its host, each way, for those of its IPUs that copy at the same time (an "
        "estimate: page *targets*, 9); NULL: recorded by an older version"),
    column("streaming_bytes_per_cycle", &TargetRecord::streaming_bytes_per_cycle, "bytes",
           "of an IPU-Machine's memory, each way, for all its IPUs; NULL: recorded by an older version"),
    column("data_path_bytes", &TargetRecord::data_path_bytes, "bytes",
           "that a tile loads in a cycle; NULL: not told"));

template<>
inline constexpr auto table_of<ProgressRecord> = table<ProgressRecord>(
    "progress", "One row: where a running profile stands.", one_row,
    column("activity", &ProgressRecord::activity, "", "`compile`, `train`, `evaluate`, `predict` or `done`"),
    column("epoch", &ProgressRecord::epoch, "", "from 0"),
    column("epochs", &ProgressRecord::epochs, "epochs", "in all"),
    column("step", &ProgressRecord::step, "steps", "done in this epoch; passes while compiling"),
    column("steps", &ProgressRecord::steps, "steps", "in all; passes while compiling"),
    column("elapsed_ms", &ProgressRecord::elapsed_ms, "ms", "wall time since the run started"),
    column(
        "pass_share", &ProgressRecord::pass_share, "",
        "while compiling, what is done of what the pass does to one operation or IPU after the other, 0 to "
        "1; NULL: it does no such thing"));

template<>
inline constexpr auto table_of<IpuRecord> =
    table<IpuRecord>("ipu", "The IPUs that the run uses.", key("id"),
                     column("id", &IpuRecord::id, "", "index within the run; `ipu` in other tables"),
                     column("device_id", &IpuRecord::device_id, "", "`device.id`"),
                     column("device", &IpuRecord::device, "", "name in TensorFlow's style, `/device:IPU:0`"),
                     column("replica", &IpuRecord::replica), column("shard", &IpuRecord::shard),
                     column("stage", &IpuRecord::stage, "", "its first pipeline stage; -1: none"));

template<>
inline constexpr auto table_of<DeviceRecord> = table<DeviceRecord>(
    "device", "What the system offers, as `tilescope devices` lists it.", key("id"),
    column("id", &DeviceRecord::id, "", "device id of the driver"),
    column("multi", &DeviceRecord::multi, "", "1: several IPUs under one id"),
    column("members", &DeviceRecord::members, "",
           "ids of its IPUs in their logical order, separated by spaces"),
    column("machine", &DeviceRecord::machine, "", "of a single IPU: its machine or card"),
    column("ipu_number", &DeviceRecord::ipu_number, "", "of a single IPU: its number in the machine"),
    column("type", &DeviceRecord::type, "", "board, `M2000` or `C2`"),
    column("state", &DeviceRecord::state, "", "`free`, `busy` or `attached`"),
    column("routing", &DeviceRecord::routing, "",
           "of a single IPU: how it is reached, as the vendor's monitor calls it, `DNC`; empty: nothing "
           "routes, as to a card on PCI Express"));

template<>
inline constexpr auto table_of<LayerRecord> = table<LayerRecord>(
    "layer", "", key("id"), column("id", &LayerRecord::id),
    column("name", &LayerRecord::name, "", "as in the model"),
    column("kind", &LayerRecord::kind, "", "class of the layer, `Conv2D`"),
    column("output_shape", &LayerRecord::output_shape, "elements", "`[64, 28, 28, 32]`, batch first"),
    column("parameters", &LayerRecord::parameters, "elements", "trained and not"));

template<>
inline constexpr auto table_of<TensorRecord> = table<TensorRecord>(
    "tensor", "The edges of the graph after all graph passes.", key("id"), Storing::TextsOnce,
    column("id", &TensorRecord::id), column("name", &TensorRecord::name),
    column("dtype", &TensorRecord::dtype, "", "`float32`, `float16`, `int32`, `bool` or `uint8`"),
    column("shape", &TensorRecord::shape, "elements", "`[64, 10]`"),
    column("bytes", &TensorRecord::bytes, "bytes", "elements times their size"));

template<>
inline constexpr auto table_of<OperationRecord> = table<OperationRecord>(
    "operation", "The nodes of the graph.", key("id"), Storing::TextsOnce,
    column("id", &OperationRecord::id, "", "in order of execution"),
    column("name", &OperationRecord::name, "",
           "a path: the layer, or what else it belongs to, `/`, what it does there"),
    column("kind", &OperationRecord::kind, "", "the operator (page *operators*)"),
    column("layer_id", &OperationRecord::layer_id),
    column("phase", &OperationRecord::phase, "", "`forward`, `recompute`, `backward` or `update`"),
    column("ipu", &OperationRecord::ipu, "", "of the first replica, that runs it"),
    column("stage", &OperationRecord::stage, "", "pipeline stage; -1: none"),
    column("flops", &OperationRecord::flops, "flops", "floating-point operations each time it runs"),
    column("attributes", &OperationRecord::attributes, "", "JSON object"),
    column("group_replicas", &OperationRecord::group_replicas, "replicas",
           "of each group that it reduces over; 0: it reduces over all, or not over replicas"));

template<>
inline constexpr auto table_of<OperationInput> =
    table<OperationInput>("operation_input", "", key("operation_id, position"),
                          column("operation_id", &OperationInput::operation_id),
                          column("position", &OperationInput::position, "", "from 0"),
                          column("tensor_id", &OperationInput::tensor_id));

template<>
inline constexpr auto table_of<OperationOutput> =
    table<OperationOutput>("operation_output", "", key("operation_id, position"),
                           column("operation_id", &OperationOutput::operation_id),
                           column("position", &OperationOutput::position, "", "from 0"),
                           column("tensor_id", &OperationOutput::tensor_id));

template<>
inline constexpr auto table_of<OperationPart> = table<OperationPart>(
    "operation_part", "The operators that were fused in one operation.", key("operation_id, position"),
    Storing::TextsOnce, column("operation_id", &OperationPart::operation_id),
    column("position", &OperationPart::position, "", "in order of execution, from 0"),
    column("kind", &OperationPart::kind, "", "the operator"));

template<>
inline constexpr auto table_of<VariableRecord> = table<VariableRecord>(
    "variable", "What memory holds: data, code, stacks, buffers. Per tile: `bytes`, `address`.", key("id"),
    Storing::OnceForReplicas, column("id", &VariableRecord::id), column("name", &VariableRecord::name),
    column("category", &VariableRecord::category, "", "page *memory categories*"),
    column("layer_id", &VariableRecord::layer_id),
    column("operation_id", &VariableRecord::operation_id, "", "the operation that makes it"),
    column(
        "tensor_id", &VariableRecord::tensor_id, "",
        "the tensor that it holds: itself, in a FIFO (`stash_depth`), or in the order of the host (`role`)"),
    column("ipu", &VariableRecord::ipu),
    column("dtype", &VariableRecord::dtype, "", "`none` of code and other memory without elements"),
    column("shape", &VariableRecord::shape, "elements"),
    column("bytes", &VariableRecord::bytes, "bytes", "over all tiles"),
    column("always_live", &VariableRecord::always_live, "", "1: during the whole run"),
    column("live_from", &VariableRecord::live_from, "",
           "first `liveness.step` where it is live; of what is always live, that needs it; -1: none"),
    column("live_to", &VariableRecord::live_to, "", "last one, inclusive"),
    column("stash_depth", &VariableRecord::stash_depth, "micro-batches",
           "that a FIFO of activations of a pipeline holds; 0: it is none"),
    column("streaming_bytes", &VariableRecord::streaming_bytes, "bytes", "not on tiles: in its IPU-Machine"),
    column("role", &VariableRecord::role, "", "of the step that it is there for, as in `program`"));

template<>
inline constexpr auto table_of<ComputeSetRecord> = table<ComputeSetRecord>(
    "compute_set", "Vertices that run at once, between two syncs. Per tile: `cycles`.", key("id"),
    Storing::TextsOnce, column("id", &ComputeSetRecord::id), column("name", &ComputeSetRecord::name),
    column("operation_id", &ComputeSetRecord::operation_id),
    column("cycles", &ComputeSetRecord::cycles, "cycles", "of the slowest tile"),
    column("balance", &ComputeSetRecord::balance, "0 … 1",
           "mean cycles of all tiles / cycles of the slowest"));

template<>
inline constexpr auto table_of<VertexRecord> = table<VertexRecord>(
    "vertex", "", no_key, Storing::TextsOnce, column("compute_set_id", &VertexRecord::compute_set_id),
    column("codelet", &VertexRecord::codelet, "", "what the vertices run"),
    column("count", &VertexRecord::count, "vertices"),
    column("tiles", &VertexRecord::tiles, "tiles", "that hold at least one"));

template<>
inline constexpr auto table_of<ProgramRecord> = table<ProgramRecord>(
    "program",
    "The program tree. Leaves are program steps; their cycles are those of executing the leaf once. Times "
    "`runs` they are those of an engine run.",
    key("id"), Storing::TextsOnce, column("id", &ProgramRecord::id),
    column("parent_id", &ProgramRecord::parent_id, "", "-1: the root"),
    column("position", &ProgramRecord::position, "", "among its siblings, from 0"),
    column("kind", &ProgramRecord::kind, "",
           "`sequence`, `repeat`, or of a leaf `execute`, `exchange`, `stream_copy`, `load`, `store`"),
    column("name", &ProgramRecord::name),
    column("operation_id", &ProgramRecord::operation_id, "", "the operation that it belongs to"),
    column("compute_set_id", &ProgramRecord::compute_set_id, "", "of `execute`"),
    column("exchange_id", &ProgramRecord::exchange_id, "",
           "of `exchange`, `load`, `store` and of a `stream_copy` that moves data"),
    column("repeats", &ProgramRecord::repeats, "", "of `repeat`; else 1"),
    column("liveness_step", &ProgramRecord::liveness_step, "",
           "of a leaf: its place in the order of execution; else -1"),
    column("sync_cycles", &ProgramRecord::sync_cycles, "cycles"),
    column("exchange_cycles", &ProgramRecord::exchange_cycles, "cycles",
           "of a `stream_copy`: with the host, or waiting for it; `load`, `store`: with streaming memory"),
    column("compute_cycles", &ProgramRecord::compute_cycles, "cycles", "of the slowest tile"),
    column("ipu", &ProgramRecord::ipu, "",
           "of the first replica, that runs the step; -1: all of them, as they wait for the host together"),
    column("peer", &ProgramRecord::peer, "", "the other side of a copy between IPUs; else -1"),
    column("runs", &ProgramRecord::runs, "",
           "how often it runs in one engine run: the product of the `repeats` above it"),
    column(
        "part", &ProgramRecord::part, "",
        "what it is there for: `infeed`, `micro_batches` (the model's work on each of them), `update` of the "
        "weights, `outfeed`; `whole`: the root, and the `repeat` that goes through weight updates. The "
        "`repeat` of `micro_batches` that belongs to no operation goes through the micro-batches of an "
        "update"),
    column("role", &ProgramRecord::role, "",
           "what a leaf does for its operation: `compute`, `bring` an operand to the tiles that need it, "
           "`rearrange` it there, `exchange` what the operation has made, `copy` to another IPU or stage, "
           "`push` to and "
           "`pop` from a stash; `host`: with the host. `structure`: a sequence or a loop"),
    column("verb", &ProgramRecord::verb, "",
           "of a leaf: what its name says behind that of the operation, `Convolve`; with the host `begin`, "
           "`end`, `rearrange` or `wait` (for I/O tiles)"),
    column(
        "argument", &ProgramRecord::of, "",
        "of a leaf: the tensor, or `input`, `weights`, `partials` …, that this is done with; with the host "
        "the stream"),
    column("code_bytes", &ProgramRecord::code_bytes, "bytes",
           "of control and exchange code that a leaf adds, over all tiles of its IPUs in the first replica: "
           "of what shares the code of an equal one, a call; NULL: not counted"),
    column("stage", &ProgramRecord::stage, "",
           "of a pipeline: of a leaf that does it, of a copy that sends; of what has steps in it that all of "
           "them are of, a copy being of the one that it comes to; -1: none, several, or in an update all"),
    column("peer_stage", &ProgramRecord::peer_stage, "",
           "of a copy: the stage that it comes to, which is as busy with it; else -1"),
    column("activity", &ProgramRecord::activity, "",
           "of a leaf: as what it counts for its stages, as in `pipeline_slot`; `none`: it is none of the "
           "time of a stage, as what I/O tiles do beside the passes"));

/// A view.
template<>
inline constexpr auto table_of<LivenessRecord> = table<LivenessRecord>(
    "liveness", "", key("ipu, step"), column("step", &LivenessRecord::step),
    column("ipu", &LivenessRecord::ipu), column("program_id", &LivenessRecord::program_id),
    column("always_live_bytes", &LivenessRecord::always_live_bytes),
    column("not_always_live_bytes", &LivenessRecord::not_always_live_bytes),
    column("max_tile_bytes", &LivenessRecord::max_tile_bytes));

template<>
inline constexpr auto table_of<LivenessSpanRecord> = table<LivenessSpanRecord>(
    "liveness_span",
    "Bytes live on an IPU while program steps run, of which neighbours are alike; `liveness` has each of "
    "them. Their order is that of the leaves of the program.",
    key("ipu, step"),
    column("ipu", &LivenessSpanRecord::ipu, "", "of the first replica; the others are like it"),
    column("step", &LivenessSpanRecord::step, "", "the first one, from 0"),
    column("steps", &LivenessSpanRecord::steps),
    column("always_live_bytes", &LivenessSpanRecord::always_live_bytes, "bytes", "over all tiles"),
    column("not_always_live_bytes", &LivenessSpanRecord::not_always_live_bytes, "bytes", "over all tiles"),
    column("max_tile_bytes", &LivenessSpanRecord::max_tile_bytes, "bytes", "both, on the fullest tile"));

template<>
inline constexpr auto table_of<ExecutionGroupRecord> = table<ExecutionGroupRecord>(
    "execution_group",
    "Engine runs that follow each other and differ in their number only; `execution` has each of them.",
    key("id"), column("id", &ExecutionGroupRecord::id, "", "of the first one, in order of time"),
    column("count", &ExecutionGroupRecord::count, "", "engine runs"),
    column("kind", &ExecutionGroupRecord::kind, "", "`train`, `evaluate` or `predict`"),
    column("epoch", &ExecutionGroupRecord::epoch, "", "of the first one, from 0"),
    column("executions_per_epoch", &ExecutionGroupRecord::executions_per_epoch, "",
           "after which an epoch ends; 0: all are of one epoch"),
    column("first_step", &ExecutionGroupRecord::first_step, "steps", "of the first one, within the epoch"),
    column("steps", &ExecutionGroupRecord::steps, "steps", "of each one"),
    column("start_cycle", &ExecutionGroupRecord::start_cycle, "cycles",
           "of the first one, on the run's simulated time line"),
    column("period_cycles", &ExecutionGroupRecord::period_cycles, "cycles",
           "from the start of one to that of the next"),
    column("cycles", &ExecutionGroupRecord::cycles, "cycles",
           "of each one, from start to end, host time included"),
    column("wall_us", &ExecutionGroupRecord::wall_us, "us", "of the host that simulates, over all of them"),
    column("schedule_id", &ExecutionGroupRecord::schedule_id, "",
           "what the IPUs do in each of them; -1: computed on the host"));

template<>
inline constexpr auto table_of<ExecutionValues> = table<ExecutionValues>(
    "execution_values",
    "Numbers of engine runs that differ from one to the next, packed: see *Numbers of every engine run*.",
    key("series, first_id"),
    column("series", &ExecutionValues::series, "", "`wall_us`, or `metric:` and the name of a metric"),
    column("first_id", &ExecutionValues::first_id, "", "`execution.id` of the first one"),
    column("count", &ExecutionValues::count, "", "engine runs that follow each other"),
    column("data", &ExecutionValues::data, "", "their values, packed"));

template<>
inline constexpr auto table_of<DeviceProgramRecord> = table<DeviceProgramRecord>(
    "device_program",
    "What was compiled, in this order. The first one is what `program`, the graph and the memory are of.",
    key("id"), column("id", &DeviceProgramRecord::id),
    column("name", &DeviceProgramRecord::name, "",
           "what it is for: `training`, `evaluation`, `inference`; `the graph`"),
    column("root_id", &DeviceProgramRecord::root_id, "",
           "root of its steps in `program`, or else in `further_step`; -1: computed on the host"),
    column("training", &DeviceProgramRecord::training, "", "1: it updates weights"),
    column("io_tiles", &DeviceProgramRecord::io_tiles, "",
           "of each IPU, the last ones, that are kept for the exchange with the host"),
    column("cache", &DeviceProgramRecord::cache, "",
           "of executables: `unused`; `kept`: compiled, and kept for later runs; `taken` from it; "
           "`replaced`: what "
           "it had could not be used; `not_kept`: compiled, and could not be kept; `none`: not known"),
    column("cache_key", &DeviceProgramRecord::cache_key, "", "by which the cache knows it"));

template<>
inline constexpr auto table_of<FurtherStepRecord> = table<FurtherStepRecord>(
    "further_step",
    "The steps of the other device programs, which `trace` has beside those of `program`: an evaluation "
    "beside training, and what a script ran later.",
    key("id"), Storing::TextsOnce,
    column("id", &FurtherStepRecord::id, "", "goes on from those of `program`: an id is in one of the two"),
    column("device_program_id", &FurtherStepRecord::device_program_id),
    column("parent_id", &FurtherStepRecord::parent_id, "", "-1: a root"),
    column("position", &FurtherStepRecord::position, "", "among its siblings, from 0"),
    column("kind", &FurtherStepRecord::kind, "", "as in `program`"), column("name", &FurtherStepRecord::name),
    column(
        "operation_id", &FurtherStepRecord::operation_id, "",
        "the operation of the same name in the graph that the profile has; -1: none; -2: one that this graph "
        "does not have"),
    column("repeats", &FurtherStepRecord::repeats, "", "of `repeat`; else 1"),
    column("sync_cycles", &FurtherStepRecord::sync_cycles, "cycles"),
    column("exchange_cycles", &FurtherStepRecord::exchange_cycles, "cycles"),
    column("compute_cycles", &FurtherStepRecord::compute_cycles, "cycles", "of the slowest tile"),
    column("ipu", &FurtherStepRecord::ipu, "", "of the first replica, that runs the step; -1: all of them"),
    column("peer", &FurtherStepRecord::peer, "", "the other side of a copy between IPUs; else -1"),
    column("runs", &FurtherStepRecord::runs, "", "how often it runs in one engine run"),
    column("between_ipus", &FurtherStepRecord::between_ipus, "", "1: its exchange goes over the links"),
    column("part", &FurtherStepRecord::part, "", "as in `program`"),
    column("bytes", &FurtherStepRecord::bytes, "bytes",
           "that its exchange moves each time; -1: not known, of files before schema 14"),
    column("balance", &FurtherStepRecord::balance, "",
           "of a compute set: mean cycles of all tiles / cycles of the slowest, 0 to 1; else -1"),
    column("role", &FurtherStepRecord::role, "", "as in `program`"),
    column("verb", &FurtherStepRecord::verb, "", "as in `program`"),
    column("argument", &FurtherStepRecord::of, "", "as in `program`"),
    column("stage", &FurtherStepRecord::stage, "", "as in `program`"));

template<>
inline constexpr auto table_of<PipelineSlotRecord> = table<PipelineSlotRecord>(
    "pipeline_slot",
    "What the IPU of a stage does while a pipeline makes one weight update (without training: one engine "
    "run), without gaps from the first cycle to the last. Every replica does the same.",
    key("device_program_id, stage, start_cycle"), column("stage", &PipelineSlotRecord::stage),
    column("start_cycle", &PipelineSlotRecord::start_cycle, "cycles", "since the first micro-batch began"),
    column("end_cycle", &PipelineSlotRecord::end_cycle, "cycles"),
    column("slot", &PipelineSlotRecord::slot, "", "of the schedule, from 0; -1 for the update"),
    column(
        "activity", &PipelineSlotRecord::activity, "",
        "`forward`, `recompute`, `backward`, `copy` to another IPU or stage, `update`, `waiting` while other "
        "stages have more to do in the slot, `idle` with nothing to do in it"),
    column("micro_batch", &PipelineSlotRecord::micro_batch, "", "from 0; -1: none"),
    column("device_program_id", &PipelineSlotRecord::device_program_id, "", "whose pipeline it is"));

template<>
inline constexpr auto table_of<LinkTrafficRecord> = table<LinkTrafficRecord>(
    "link_traffic",
    "What goes over the links from one IPU to another for one weight update: for one step where batches are "
    "not accumulated.",
    key("ipu, peer, kind"), column("ipu", &LinkTrafficRecord::ipu, "", "sends"),
    column("peer", &LinkTrafficRecord::peer, "", "receives"),
    column("kind", &LinkTrafficRecord::kind, "",
           "`copy` of tensors between shards or stages; `all_reduce`: a collective between replicas, of "
           "gradients, of state that they share, or of norm statistics"),
    column("copies", &LinkTrafficRecord::copies, "", "how many exchanges"),
    column("bytes", &LinkTrafficRecord::bytes, "bytes"),
    column("cycles", &LinkTrafficRecord::cycles, "cycles", "of all of them, without sync"));

template<>
inline constexpr auto table_of<ErrorBandRecord> = table<ErrorBandRecord>(
    "error_band", "How far predictions were from published figures of their kind, when the run was made.",
    key("kind"), column("kind", &ErrorBandRecord::kind, "", "`compute`, `host` (whole steps) or `memory`"),
    column("rows", &ErrorBandRecord::rows, "", "published figures"),
    column("typical", &ErrorBandRecord::typical, "", "factor by which they are off either way"),
    column("lowest", &ErrorBandRecord::lowest, "", "predicted over published time or bytes"),
    column("highest", &ErrorBandRecord::highest, "", "the same"),
    column("source", &ErrorBandRecord::source, "", "names of the rows of bench/fidelity"));

template<>
inline constexpr auto table_of<MetricWithinRecord> = table<MetricWithinRecord>(
    "metric_within",
    "Losses and metrics within executions of training, noted some times a second of wall time.", no_key,
    column("execution_id", &MetricWithinRecord::execution_id, "",
           "`execution.id`; the last may still run, and not be there yet"),
    column("epoch", &MetricWithinRecord::epoch, "", "from 0"),
    column("step", &MetricWithinRecord::step, "steps", "done in this epoch"),
    column("name", &MetricWithinRecord::name, "", "`loss`, `accuracy` …"),
    column("value", &MetricWithinRecord::value, "", "mean over the epoch so far, as in `metric`"));

template<>
inline constexpr auto table_of<EpochMetricRecord> =
    table<EpochMetricRecord>("epoch_metric", "", no_key,
                             column("epoch", &EpochMetricRecord::epoch, "", "from 0; 0 for the evaluation"),
                             column("kind", &EpochMetricRecord::kind, "", "`train` or `evaluate`"),
                             column("name", &EpochMetricRecord::name, "", "`loss`, `accuracy` …"),
                             column("value", &EpochMetricRecord::value, "", "mean over the epoch"));

template<>
inline constexpr auto table_of<OutputRecord> = table<OutputRecord>(
    "output", "What a small graph fetched.", no_key, column("name", &OutputRecord::name),
    column("dtype", &OutputRecord::dtype), column("shape", &OutputRecord::shape, "elements", "`[2]`"),
    column("values", &OutputRecord::values, "", "JSON, nested as the shape says"),
    column("expected", &OutputRecord::expected, "", "the same; empty where the workload expects nothing"));

template<>
inline constexpr auto table_of<LogRecord> = table<LogRecord>(
    "log", "", numbered, column("time_ms", &LogRecord::time_ms, "ms", "wall time since the run started"),
    column("level", &LogRecord::level, "", "`info`, `warning` or `error`"),
    column("message", &LogRecord::message));

template<>
inline constexpr auto table_of<OversizeTileRecord> = table<OversizeTileRecord>(
    "oversize_tile", "The tiles that do not fit, where status is `out_of_memory`.", no_key,
    Storing::OnceForReplicas, column("ipu", &OversizeTileRecord::ipu),
    column("tile", &OversizeTileRecord::tile),
    column("bytes", &OversizeTileRecord::bytes, "bytes", "needed, gaps included"),
    column("program_id", &OversizeTileRecord::program_id, "", "the step at which the most is live"));

template<>
inline constexpr auto table_of<RemedyRecord> = table<RemedyRecord>(
    "remedy",
    "What was compiled again to see what would help, where status is `out_of_memory`, in that order.",
    numbered, column("change", &RemedyRecord::change, "", "a setting of the workload, `fit.batch_size=32`"),
    column("ipus", &RemedyRecord::ipus, "IPUs", "that all replicas take with it; 0: as many as before"),
    column("max_tile_bytes", &RemedyRecord::max_tile_bytes, "bytes", "of the fullest tile, gaps included"),
    column("fits", &RemedyRecord::fits, "", "1: into every tile"),
    column("step_us", &RemedyRecord::step_us, "us", "simulated time of a step, host included"),
    column("batch_size", &RemedyRecord::batch_size, "samples", "in a step with it; none of a small graph"));

template<>
inline constexpr auto table_of<TextRecord> =
    table<TextRecord>("text", "Names, shapes and other texts, each of which is here once.", key("id"),
                      column("id", &TextRecord::id), column("value", &TextRecord::value));

template<>
inline constexpr auto table_of<TileBlob> = table<TileBlob>(
    "tile_blob", "Numbers of every tile of an IPU, each list of them once: see *Numbers of every tile*.",
    key("id"), column("id", &TileBlob::id),
    column("base_id", &TileBlob::base_id, "",
           "a list to which these numbers are to be added, whose own `base_id` is -1; -1: none"),
    column("sum", &TileBlob::sum, "", "of the numbers, `base_id` included"),
    column("data", &TileBlob::data, "", "packed"));

template<>
inline constexpr auto table_of<TileMetric> = table<TileMetric>("tile_metric", "What there are numbers of.",
                                                               key("id"), column("id", &TileMetric::id),
                                                               column("entity", &TileMetric::entity),
                                                               column("metric", &TileMetric::metric));

template<>
inline constexpr auto table_of<TileEntry> = table<TileEntry>(
    "tile_entry", "Whose numbers they are. `tile_array` has the same by name, and for every IPU.",
    key("metric_id, entity_id, ipu"), column("metric_id", &TileEntry::metric_id, "", "`tile_metric.id`"),
    column("entity_id", &TileEntry::entity_id),
    column("ipu", &TileEntry::ipu, "", "of the first replica; the others are like it"),
    column("blob_id", &TileEntry::blob_id, "", "`tile_blob.id`"));

} // namespace tilescope::profile
