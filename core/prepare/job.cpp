// SPDX-License-Identifier: GPL-3.0-or-later
#include "prepare/job.h"

#include "automatic_split.h"
#include "base/entry.h"
#include "base/text.h"
#include "base/try.h"
#include "check_rules.h"
#include "prepare/attach_devices.h"
#include "prepare/data_sets.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tilescope::prepare {
namespace {

using workload::DataSpec;
using workload::Workload;

constexpr std::int64_t synthetic_train = 60000; ///< as many as MNIST has
constexpr std::int64_t synthetic_test = 10000;

constexpr std::int64_t most_synthetic = 10'000'000;         ///< 31 GB of digits
constexpr std::int64_t most_random = std::int64_t{1} << 32; ///< numbers: 16 GiB
constexpr std::int64_t most_steps = 1'000'000'000;          ///< to be computed: weeks of the smallest model

struct Loaded {
    run::DataSet data;
    std::string note;
};

Result<run::DataSet> drawn(const DataSpec& spec, std::int64_t otherwise, const Workload& w) {
    const std::int64_t count = spec.samples > 0 ? spec.samples : otherwise;
    const std::int64_t each = graph::element_count(spec.random);
    if (spec.classes < 1 || spec.classes > most_synthetic || each > most_random / count)
        return bad_input(count_text(count) + " random samples of " + graph::to_string(spec.random) +
                             " are asked for, of " + count_text(spec.classes) + " classes",
                         w.path + ": data", "set \"samples\" to fewer, or only estimate");
    return random_data(spec.random, spec.classes, count, w.seed);
}

Result<Loaded> load(const DataSpec& spec, prepare::Split split, const JobOptions& options,
                    const Workload& w) {
    const std::int64_t built_in = split == prepare::Split::Train ? synthetic_train : synthetic_test;
    Loaded loaded;
    const auto digits = [&]() -> Result<run::DataSet> {
        if (spec.samples > most_synthetic)
            return bad_input(count_text(spec.samples) + " synthetic samples are asked for, at most " +
                                 count_text(most_synthetic) + " are made",
                             w.path + ": data", "set \"samples\" to at most that, or only estimate");
        return synthetic_digits(spec.samples > 0 ? spec.samples : built_in, split, w.seed);
    };
    if (!spec.file.empty()) {
        const bool words = w.train && w.train->vocabulary > 0; // an evaluation knows those of the training
        TRY(loaded.data, read_own_data(spec, words ? w.train->file : ""));
    } else if (!spec.random.empty()) {
        TRY(loaded.data, drawn(spec, built_in, w));
    } else if (spec.synthetic) {
        TRY(loaded.data, digits());
    } else {
        const std::string folder = options.data_folder.empty() ? "." : options.data_folder;
        // A folder that was named must hold the data, or say so; without one the built-in digits may stand
        // in.
        if (spec.allow_synthetic && options.data_folder.empty() && !has_idx(folder, spec.idx, split)) {
            TRY(loaded.data, digits());
            loaded.note =
                "built-in synthetic digits stand in for \"" + spec.idx + "\" (give its folder with --data)";
        } else {
            TRY(loaded.data, read_idx(folder, spec.idx, split));
        }
    }
    if (spec.samples > loaded.data.size())
        return bad_input("the data set has " + std::to_string(loaded.data.size()) + " samples, " +
                             std::to_string(spec.samples) + " are asked for",
                         w.path + ": data", "set \"samples\" to at most that");
    if (spec.samples > 0) {
        const auto kept = static_cast<std::size_t>(spec.samples);
        loaded.data.labels.resize(kept);
        loaded.data.samples.resize(kept *
                                   static_cast<std::size_t>(graph::element_count(loaded.data.sample_shape)));
    }
    return loaded;
}

/// How many classes fit: the width of one-hot labels, or of what the loss compares the classes with.
std::int64_t classes_that_fit(const graph::Graph& graph, const graph::TensorType& labels) {
    if (graph::is_floating(labels.dtype))
        return labels.shape.back();
    for (const graph::Operation& op : graph.operations())
        if (op.kind == "sparse_categorical_crossentropy")
            return graph.type(op.inputs[0]).shape.back();
    return 0;
}

/// The data must fill the model's feeds: as many values per sample, classes that the labels can hold.
Result<void> check_fit(const graph::Graph& graph, const run::DataSet& data, const Workload& w,
                       std::int64_t batch) {
    if (graph.feeds.size() != 2)
        return bad_input("the model and its loss have " + std::to_string(graph.feeds.size()) +
                             " inputs, a data set feeds samples and one kind of labels",
                         w.path + ": data");
    const graph::TensorType& images = graph.type(graph.feeds[0].value);
    const graph::TensorType& labels = graph.type(graph.feeds[1].value);
    const std::int64_t per_sample = graph::element_count(data.sample_shape);
    const auto is_whole = [](float value) { return value == std::floor(value); };
    if (images.dtype == graph::DType::Int32 &&
        !std::all_of(data.samples.begin(), data.samples.end(), is_whole))
        return bad_input("the model takes whole numbers, the data has others", w.path + ": data",
                         "give tokens or other whole numbers, not scaled ones");
    if (images.dtype == graph::DType::UInt8 &&
        !std::all_of(data.samples.begin(), data.samples.end(),
                     [](float value) { return value >= 0 && value <= 1; }))
        return bad_input("8-bit inputs are values of 0 … 1, the data have others",
                         w.path + ": data.eight_bit_io", "remove it, or give images or unsigned bytes");
    if (images.dtype == graph::DType::Bool || images.elements() != batch * per_sample)
        return bad_input("the model takes " + graph::to_string(images) + ", the data's samples are " +
                             graph::to_string(data.sample_shape),
                         w.path + ": data",
                         "use a model with that input shape, or compile and time this one with --estimate");
    const std::int64_t outputs = classes_that_fit(graph, labels);
    if (outputs < data.classes)
        return bad_input("the model has " + std::to_string(outputs) + " outputs, the data " +
                             std::to_string(data.classes) + " classes",
                         w.path + ": data", "give the last layer as many units as classes");
    return {};
}

/// How to make an epoch of `steps` steps one of whole engine runs of `unit`: "keep 57600 samples", as the
/// tutorial's make_divisible does, or the steps themselves where the workload sets them. "" where it is one,
/// or too short.
std::string whole_runs(const Workload& w, std::int64_t steps, std::int64_t unit) {
    const std::int64_t kept = steps / unit * unit;
    if (kept == 0 || kept == steps)
        return {};
    return w.steps_per_epoch > 0
               ? "set fit.steps_per_epoch to " + std::to_string(kept)
               : "keep " + std::to_string(kept * w.batch_size) + " samples (data.train.samples)";
}

/// The number of steps in an epoch, with every divisibility checked. An engine run is a multiple of `unit`
/// steps.
Result<std::int64_t> epoch_steps(const Workload& w, std::int64_t samples, std::int64_t unit) {
    std::int64_t steps = w.steps_per_epoch;
    const std::string place = w.path + ": fit.batch_size";
    if (samples < w.batch_size)
        return bad_input(std::to_string(samples) + " samples do not fill one batch of " +
                             std::to_string(w.batch_size),
                         place, "use a smaller batch or more samples");
    if (steps == 0) {
        if (samples % w.batch_size != 0)
            return bad_input(std::to_string(samples) + " samples leave a remainder of " +
                                 std::to_string(samples % w.batch_size) + " with batch size " +
                                 std::to_string(w.batch_size),
                             place,
                             "keep " + std::to_string(samples / w.batch_size * w.batch_size) +
                                 " samples (data.train.samples) or set fit.steps_per_epoch");
        steps = samples / w.batch_size;
    }
    if (steps % w.steps_per_execution == 0)
        return steps;
    std::int64_t below = std::min(w.steps_per_execution, steps);
    while (below > 0 && (steps % below != 0 || below % unit != 0))
        --below;
    std::string remedy = below > 0 ? "use " + std::to_string(below) : std::string();
    if (const std::string whole = whole_runs(w, steps, w.steps_per_execution); !whole.empty())
        remedy += (remedy.empty() ? "" : ", or ") + whole;
    if (remedy.empty())
        remedy = w.steps_per_epoch > 0
                     ? "set fit.steps_per_epoch to " + std::to_string(w.steps_per_execution)
                     : "use " + std::to_string(unit * w.batch_size) + " samples or more, or a smaller batch";
    return bad_input(std::to_string(steps) + " steps per epoch are not a multiple of steps_per_execution " +
                         std::to_string(w.steps_per_execution),
                     w.path + ": compile.steps_per_execution", remedy);
}

std::int64_t largest_divisor(std::int64_t n, std::int64_t most) {
    std::int64_t d = std::min(n, most);
    while (n % d != 0)
        --d;
    return d;
}

Failure indivisible_executions(const Workload& w, std::int64_t replicas, std::int64_t batches,
                               const std::string& what, std::int64_t samples) {
    const std::int64_t unit = replicas * batches;
    const std::int64_t below = w.steps_per_execution / unit * unit;
    std::string remedy =
        "use " + (below > 0 ? std::to_string(below) + " or " : "") + std::to_string(below + unit);
    const std::int64_t steps = w.steps_per_epoch > 0 ? w.steps_per_epoch : samples / w.batch_size;
    if (const std::string whole = whole_runs(w, steps, below > 0 ? below : unit); !whole.empty())
        remedy += "; with " + std::to_string(below > 0 ? below : unit) + ", " + whole;
    return bad_input("steps_per_execution " + std::to_string(w.steps_per_execution) +
                         " is not a multiple of the " + std::to_string(replicas) + " replicas times the " +
                         std::to_string(batches) + " " + what,
                     w.path + ": compile.steps_per_execution", remedy);
}

/// How an evaluation is dealt out.
struct EvaluationSplit {
    std::int64_t batch, steps, steps_per_execution;
    bool together; ///< replicas and stages at once
};

/// Every sample counts once: the batch is the largest one that leaves no remainder, `unit` batches at a time
/// if that can be.
EvaluationSplit split_evaluation(std::int64_t samples, const Workload& w, std::int64_t unit) {
    for (const std::int64_t together : {unit, std::int64_t{1}}) {
        std::int64_t batch = std::min(w.batch_size, samples);
        while (batch > 1 && (samples % batch != 0 || samples / batch % together != 0))
            --batch;
        if (samples / batch % together != 0)
            continue;
        const std::int64_t steps = samples / batch;
        const std::int64_t most = std::max<std::int64_t>(w.steps_per_execution / together, 1);
        return {batch, steps, together * largest_divisor(steps / together, most), together == unit};
    }
    return {1, samples, 1, false};
}

/// Stages follow each other: nothing that a stage reads is made in a later one.
Result<void> check_stage_order(const graph::Graph& graph, const Workload& w) {
    for (const graph::Operation& op : graph.operations())
        for (const graph::ValueId input : op.inputs)
            if (const graph::Value& value = graph.value(input); value.source == graph::Source::Operation) {
                const std::int32_t made = graph.operation(value.producer).placement.shard;
                if (op.placement.shard >= 0 && made > op.placement.shard && op.layer != graph::no_layer)
                    return bad_input("layer \"" + entry(graph.layers, op.layer).name + "\" of stage " +
                                         std::to_string(op.placement.shard) + " reads what stage " +
                                         std::to_string(made) + " makes",
                                     w.path + ": pipeline.stages",
                                     "put it into stage " + std::to_string(made) + " or a later one");
            }
    return {};
}

/// Named checkpoints are those of a recomputation, in a pipeline of one piece by piece.
Result<void> check_checkpoints(const Workload& w) {
    const std::string place = w.path + ": model.recomputation_checkpoints";
    if (w.checkpoints.empty())
        return {};
    if (!w.recomputes())
        return bad_input("layers are to be kept, and nothing is computed again", place,
                         "set ipu_config.allow_recompute");
    if (w.pipeline && !w.recomputes_piecewise())
        return bad_input(
            "each stage of a pipeline is computed again from its inputs; other checkpoints have no effect in "
            "the recomputation mode RecomputeThenBackpropagate",
            place,
            *w.pipeline == PipelineSchedule::Interleaved
                ? "use the schedule Grouped and RecomputeAndBackpropagateInterleaved, or remove them"
                : "set pipeline.recomputation_mode to RecomputeAndBackpropagateInterleaved, or remove them");
    return {};
}

/// Groups of replicas whose batch norms have their statistics in common are all of one size.
Result<void> check_norm_groups(const Workload& w, std::int64_t replicas) {
    const std::int64_t size = w.norm_replicas;
    if (replicas % size == 0 || w.device != RunDevice::Ipu)
        return {};
    const std::int64_t below = largest_divisor(replicas, size);
    return bad_input(counted_text(replicas, "replica") + " cannot be divided into groups of " +
                         std::to_string(size) + " whose batch norms share their statistics",
                     w.path + ": ipu_config.norms.experimental.distributed_batch_norm_replica_group_size",
                     replicas == 1 ? "remove it, or use more IPUs"
                                   : "use a divisor of " + std::to_string(replicas) + ", for example " +
                                         std::to_string(below));
}

/// A pipeline whose exchange with the host overlaps compute has an iteration more at either end (IPU
/// TensorFlow, driver/visitors/grouped_overlap_pipeline_visitor.cc).
Result<void> check_overlap(const Workload& w, const graph::Graph& graph, const run::Job& job) {
    if (job.training.pipeline != PipelineSchedule::Grouped ||
        !compile::place_io(graph, job.target, job.training, job.io_tiles).placed)
        return {};
    const std::int64_t least = compile::least_overlapped_micro_batches(graph.shards(), true);
    if (job.training.accumulation >= least)
        return {};
    return bad_input("with I/O tiles a pipeline of " + counted_text(graph.shards(), "stage") + " needs " +
                         std::to_string(least) + " micro-batches or more, and has " +
                         std::to_string(job.training.accumulation),
                     w.path + ": pipeline.gradient_accumulation_steps_per_replica",
                     "use " + std::to_string(2 * (least - 2)) + ", or remove ipu_config.io_tiles");
}

/// Cuts the model where that is left to the tool, for the program that is compiled as `how` says with
/// `batch_size` samples.
Result<void> cut(PreparedJob& p, std::int64_t batch_size, const compile::Options& how,
                 const graph::OperatorRegistry& registry, const JobOptions& options,
                 const CancelToken& cancel) {
    if (p.workload.automatic_stages == 0)
        return {};
    Workload model = p.workload;
    model.batch_size = batch_size;
    TRY(auto costs, model_costs(model, registry, how, options.compiling, cancel));
    TRY(p.job.compiled,
        split_automatically(model, std::move(costs), registry, how, options.compiling, cancel));
    p.workload.shards = std::move(model.shards);
    p.workload.automatic_stages = model.automatic_stages;
    return {};
}

Result<void> add_training(PreparedJob& p, const graph::OperatorRegistry& registry, const JobOptions& options,
                          const CancelToken& cancel) {
    const Workload& w = p.workload;
    if (!w.trains() && w.train)
        return bad_input("there is training data but no loss", w.path + ": compile.loss", "name a loss");
    if (!w.trains())
        return {};
    TRY(check_checkpoints(w));
    TRY(check_norm_groups(w, w.replicas()));
    TRY(cut(p, w.batch_size, run::training_options(p.job), registry, options, cancel));
    TRY(auto graph, workload::build_graph(w, registry, workload::Mode::Train));
    TRY(check_rules(w, graph));
    TRY(check_overlap(w, graph, p.job));
    std::int64_t samples = w.train->samples > 0 ? w.train->samples : synthetic_train;
    if (!options.estimate && !w.train->fed) {
        TRY(auto loaded, load(*w.train, prepare::Split::Train, options, w));
        TRY(check_fit(graph, loaded.data, w, w.batch_size));
        samples = loaded.data.size();
        p.data_note = loaded.note;
        p.job.train_data = std::move(loaded.data);
    }
    if (w.pipeline)
        TRY(check_stage_order(graph, w));
    const program::Schedule& schedule = p.job.training;
    const std::int64_t unit = schedule.batches_per_update(); // an engine run makes whole weight updates
    if (w.steps_per_execution % unit != 0)
        return indivisible_executions(w, schedule.replicas, schedule.accumulation, "accumulated batches",
                                      samples);
    TRY(p.job.steps_per_epoch, epoch_steps(w, samples, unit));
    if (!options.estimate)
        TRY(check_epochs(w.epochs, p.job.steps_per_epoch, w.path + ": fit.epochs"));
    p.job.train = std::move(graph);
    p.job.counts_on_ipu = w.global_step == CounterPlace::Ipu;
    return {};
}

/// How a step of the training is dealt out and compiled.
void schedule_training(run::Job& job, const Workload& w) {
    job.training = w.schedule();
    job.evaluation.ipus_per_replica = job.training.ipus_per_replica;
    job.evaluation.stage_ipus = job.training.stage_ipus;
    job.offload_state = w.offload_weight_update_variables;
    job.offload_weights = w.offload_weights;
    job.offload_activations = w.offload_activations;
    job.shard_state = w.replicated_optimizer_state_sharding;
    job.shard_weights = w.replicated_weight_sharding;
    job.most_merged = {w.maximum_cross_replica_sum_buffer_size, w.maximum_reduce_scatter_buffer_size,
                       w.maximum_all_gather_buffer_size};
    job.norm_replicas = w.device == RunDevice::Ipu ? w.norm_replicas : 1;
    job.io_tiles = {w.num_io_tiles, w.place_ops_on_io_tiles, w.io_tiles_memory_proportion};
    if (!w.trains())
        return;
    job.recompute = w.allow_recompute;
    for (const ForPart<bool>& rule : w.recompute_parts)
        job.recompute_parts.push_back({w.on_stages(rule.part), rule.value});
    job.checkpoints = w.checkpoints;
    job.recompute_piecewise = w.recomputes_piecewise();
}

/// Reads the data of an evaluation, and deals it out: by how many samples there are.
Result<void> schedule_evaluation(PreparedJob& p, const JobOptions& options) {
    const Workload& w = p.workload;
    const std::int64_t replicas = w.replicas();
    const std::int64_t micro_batches =
        w.pipeline ? program::pipeline_overlap(*w.pipeline, w.stages(), false) : 1;
    if (!w.trains() && w.steps_per_execution % (replicas * micro_batches) != 0)
        return indivisible_executions(w, replicas, micro_batches, "micro-batches of the pipeline", 0);
    EvaluationSplit split{w.batch_size, w.steps_per_execution, w.steps_per_execution, true};
    if (w.evaluate) {
        std::int64_t samples = w.evaluate->samples > 0 ? w.evaluate->samples : synthetic_test;
        if (!options.estimate) {
            TRY(auto loaded, load(*w.evaluate, prepare::Split::Test, options, w));
            samples = loaded.data.size();
            if (p.data_note.empty())
                p.data_note = loaded.note;
            p.job.evaluate_data = std::move(loaded.data);
        }
        split = split_evaluation(samples, w, replicas * micro_batches);
    }
    p.job.evaluate_batch_size = split.batch;
    p.job.evaluate_steps = split.steps;
    program::Schedule& schedule = p.job.evaluation;
    schedule.steps_per_execution = split.steps_per_execution;
    schedule.replicas = split.together ? static_cast<std::int32_t>(replicas) : 1;
    if (split.together && w.pipeline) { // all its batches are one round of the stages
        schedule.pipeline = w.pipeline;
        schedule.accumulation = split.steps_per_execution / schedule.replicas;
    }
    return {};
}

Result<void> add_evaluation(PreparedJob& p, const graph::OperatorRegistry& registry,
                            const JobOptions& options, const CancelToken& cancel) {
    if (!p.workload.evaluate && p.workload.trains())
        return {};
    TRY(schedule_evaluation(p, options));
    const std::int64_t batch_size = p.job.evaluate_batch_size;
    if (!p.workload.trains())
        TRY(cut(p, batch_size, run::evaluation_options(p.job), registry, options, cancel));
    Workload evaluation = p.workload;
    evaluation.batch_size = batch_size;
    TRY(auto graph, workload::build_graph(evaluation, registry, workload::Mode::Evaluate));
    TRY(check_rules(p.workload, graph));
    if (p.job.evaluate_data)
        TRY(check_fit(graph, *p.job.evaluate_data, p.workload, batch_size));
    p.job.evaluate = std::move(graph);
    return {};
}

/// What the target or the system refuses stands in the workload.
Failure in_file(Error error, const Workload& w) {
    error.place = w.path + ": " + error.place;
    return Failure(std::move(error));
}

/// Gives every operation of a small graph its IPU: the shard of its virtual device, counted over all devices.
Result<void> place_on_devices(graph::Graph& graph, const Workload& w, const program::Schedule& schedule) {
    const std::string prefix = graph::ipu_device_prefix;
    std::vector<graph::Operation> operations = graph.operations();
    for (graph::Operation& op : operations) {
        graph::Placement& placement = op.placement;
        if (placement.on_host())
            continue;
        const std::string place = w.path + ": node " + op.name;
        const std::size_t device =
            placement.device.empty() ? 0 : std::stoul(placement.device.substr(prefix.size()));
        if (device >= w.devices.size())
            return bad_input("there is no " + placement.device + " in a configuration of " +
                                 counted_text(static_cast<std::int64_t>(w.devices.size()), "device"),
                             place, "set ipu_config.auto_select_ipus to a list with one number for each");
        const std::int64_t ipus = w.devices[device].ipus / schedule.replicas;
        const std::string shard = std::to_string(placement.shard);
        const std::int32_t ipu = schedule.ipu_of(placement.shard);
        if (placement.shard >= 0 && (ipu < 0 || ipu >= ipus)) {
            const bool mapped = !schedule.stage_ipus.empty();
            return bad_input(
                (mapped ? "stage " + shard + " is mapped to IPU " + std::to_string(ipu) : "shard " + shard) +
                    (schedule.replicas > 1 ? " of a replica of " : " on a device of ") +
                    counted_text(ipus, "IPU"),
                place,
                std::string("use ") + (mapped ? "IPUs" : "shards") + " 0 to " + std::to_string(ipus - 1) +
                    ", or set ipu_config.auto_select_ipus");
        }
        placement.device = device == 0 ? std::string() : prefix + std::to_string(device);
        if (w.devices.size() == 1)
            continue;
        for (std::size_t before = 0; before < device; ++before)
            placement.shard =
                static_cast<std::int32_t>(std::max(placement.shard, 0) + w.devices[before].ipus);
        placement.shard = std::max(placement.shard, 0);
    }
    graph.set_operations(std::move(operations));
    return {};
}

/// AUTO as IPU TensorFlow takes it (ipu/attachment.h).
ipu::SelectionOrder order_of(const Workload& w) {
    if (w.selection_order != ipu::SelectionOrder::Auto)
        return w.selection_order;
    return w.pipeline && w.device_mapping.empty() ? ipu::SelectionOrder::Snake : ipu::SelectionOrder::Zigzag;
}

Result<void> attach(PreparedJob& p, const Workload& w) {
    auto target = ipu::find_target(w.target_version, w.target);
    if (!target)
        return in_file(target.error(), w);
    TRY(auto system, system_of(w));
    for (const auto& [asked, key] :
         {std::pair(w.offload_weight_update_variables, "offload_weight_update_variables"),
          std::pair(w.offload_weights, "offload_weights"),
          std::pair(w.offload_activations, "offload_activations")})
        if (w.device == RunDevice::Ipu && asked && system.streaming_bytes == 0)
            return bad_input(std::string(key) + " needs streaming memory, and " + system.title + " has none",
                             w.path + ": system",
                             "use a system of IPU-Machines, for example pod4, or remove it");
    TRY(auto devices, attach_devices(w, system));
    if (w.graph.empty() && w.ipus() % w.ipus_per_model() != 0)
        return bad_input(
            "the model's shards take " + std::to_string(w.ipus_per_model()) + " IPUs, " +
                std::to_string(w.ipus()) + " are asked for",
            w.path + ": ipu_config." +
                (w.devices.front().id == workload::any_device ? "auto_select_ipus" : "select_ipus"),
            "use " + std::to_string(w.ipus_per_model()) + " or a multiple");
    const ipu::Topology topology = system.topology();
    p.job.attachment = {topology, {}, system.ipus_per_machine, system.streaming_bytes};
    for (std::size_t i = 0; i < (w.graph.empty() ? 1 : devices.size()); ++i) {
        const ipu::IpuIds& members = devices[i].members;
        const auto together =
            w.graph.empty() ? w.ipus_per_model() : static_cast<std::int64_t>(members.size());
        const auto part =
            ipu::attach(topology, members, static_cast<std::int32_t>(together), order_of(w), w.mapped_ipus());
        p.job.attachment.ipus.insert(p.job.attachment.ipus.end(), part.ipus.begin(), part.ipus.end());
    }
    if (w.num_io_tiles + w.num_io_tiles % 2 >= target->tiles_per_ipu)
        return bad_input("an IPU of " + counted_text(target->tiles_per_ipu, "tile") + " cannot keep " +
                             std::to_string(w.num_io_tiles) + " of them for I/O and compute on others",
                         w.path + ": ipu_config.io_tiles.num_io_tiles");
    p.devices = std::move(devices);
    p.system = std::move(system);
    p.job.target = std::move(*target);
    return {};
}

/// A job of a workload, without its graphs.
PreparedJob begun(const Workload& given, const JobOptions& options) {
    PreparedJob p;
    p.workload = given;
    const Workload& w = p.workload;
    p.job.name = w.name;
    p.job.batch_size = w.batch_size;
    p.job.epochs = w.epochs;
    p.job.shuffle = w.shuffle;
    p.job.on_ipu = w.device == RunDevice::Ipu;
    p.job.estimate = options.estimate;
    p.job.planning = w.planning;
    for (ipu::PlanningRule& rule : p.job.planning.rules)
        rule.part = w.on_stages(rule.part);
    p.job.seed = w.seed;
    p.job.rounding = w.rounding;
    p.job.dump_directory = options.dump_directory;
    p.job.cache_directory = options.cache_directory;
    return p;
}

} // namespace

Result<PreparedJob> prepare_job(const Workload& given, const graph::OperatorRegistry& registry,
                                const JobOptions& options, const CancelToken& cancel) {
    PreparedJob p = begun(given, options);
    const Workload& w = p.workload;
    TRY(attach(p, w));
    schedule_training(p.job, w);
    p.stages = w.pipeline ? w.stages() : 0;
    if (!w.graph.empty()) {
        TRY(check_norm_groups(w, p.job.evaluation.replicas));
        TRY(auto graph, workload::build_graph(w, registry, workload::Mode::Evaluate));
        TRY(place_on_devices(graph, w, p.job.evaluation));
        TRY(check_rules(w, graph));
        TRY(auto values, workload::small_graph_values(w, graph));
        p.job.once = std::move(graph);
        p.job.feeds = std::move(values.feeds);
        p.job.expected = std::move(values.expected);
        p.job.batch_size = 1;
        return p;
    }
    TRY(add_training(p, registry, options, cancel));
    TRY(add_evaluation(p, registry, options, cancel));
    p.batch_size = w.trains() ? p.job.batch_size : p.job.evaluate_batch_size;
    return p;
}

Result<PreparedJob> prepare_graph(const Workload& given, graph::Graph graph, program::Schedule schedule,
                                  std::optional<std::int64_t> batch_size, const JobOptions& options) {
    PreparedJob p = begun(given, options);
    const Workload& w = p.workload;
    TRY(attach(p, w));
    schedule_training(p.job, w);
    if (w.ipus_per_model() % schedule.replicas != 0)
        return bad_input(counted_text(schedule.replicas, "replica") + " on a device of " +
                             counted_text(w.ipus_per_model(), "IPU"),
                         w.path, "set ipu_config.auto_select_ipus to a multiple of the replicas");
    TRY(check_norm_groups(w, schedule.replicas));
    schedule.ipus_per_replica = static_cast<std::int32_t>(w.ipus_per_model() / schedule.replicas);
    TRY(place_on_devices(graph, w, schedule));
    p.job.batch_size = batch_size.value_or(1);
    p.batch_size = batch_size;
    p.stages = schedule.pipeline ? graph.shards() : 0;
    (graph.training ? p.job.training : p.job.evaluation) = std::move(schedule);
    (graph.training ? p.job.train : p.job.once) = std::move(graph);
    return p;
}

Result<void> check_epochs(std::int64_t epochs, std::int64_t steps, const std::string& place) {
    if (epochs <= most_steps / steps)
        return {};
    return bad_input(count_text(epochs) + " epochs of " + count_text(steps) +
                         " steps are more than can be computed: at most " + count_text(most_steps) +
                         " steps in all",
                     place, "train fewer epochs, or only estimate (--estimate)");
}

} // namespace tilescope::prepare
