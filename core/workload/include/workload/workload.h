// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/error.h"
#include "base/kinds.h"
#include "base/part_of_model.h"
#include "graph/graph.h"
#include "graph/operator_registry.h"
#include "ipu/attachment.h"
#include "ipu/planning_options.h"
#include "ipu/target.h"
#include "program/schedule.h"

#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace tilescope::onnx {
struct OnnxModel;
}

namespace tilescope::workload {

/// Which data a run reads, and how: {"idx": "mnist", "one_hot": 10, "samples": 59968}.
struct DataSpec {
    std::string idx;             ///< folder of an IDX data set; "" for another source
    std::string file;            ///< data of one's own, a path; "" for another source
    std::string labels;          ///< path of their labels, where they are no part of the file
    graph::Shape image_size;     ///< [height, width] that images are scaled to; empty: as they are
    std::int64_t channels = 3;   ///< of images: 1 for grey
    std::int64_t sequence = 0;   ///< tokens of each text; 0: the file is no text
    std::int64_t vocabulary = 0; ///< words that are told apart, two of them no words; 0: tokens are numbers
    graph::Shape random;         ///< shape of random samples, without the batch; empty for another source
    std::int64_t classes = 10;   ///< of random labels
    bool synthetic = false;      ///< the built-in digits, by request
    bool allow_synthetic = true; ///< they may stand in where the IDX files are not found
    std::int64_t one_hot = 0;    ///< classes of a one-hot label; 0: int32 labels
    std::int64_t samples = 0;    ///< how many are used; 0: all
    bool fed = false;            ///< instead, the caller gives each batch
};

/// How 8-bit inputs become numbers on the IPU: (byte / 255 - offset) * scale of each channel.
struct EightBitIo {
    std::vector<double> offsets; ///< one for each channel, or one for all; none: 0
    std::vector<double> scales;  ///< the same; none: 1
};

constexpr std::int32_t any_device = -1;

/// One TensorFlow device, /device:IPU:n: the Poplar device that it asks for.
struct VirtualDevice {
    std::int64_t ipus = 1;
    std::int32_t id = any_device; ///< of "select_ipus"; any: the first free one with so many IPUs
};

/// A workload file with every default filled in (design: "Workload files"; JSON Schema in
/// resources/workload.schema.json).
struct Workload {
    std::string name;
    std::string path; ///< the file it came from
    RunDevice device = RunDevice::Ipu;
    std::string system = "ipu";
    std::vector<std::int32_t> busy;              ///< devices of the system that others use
    std::optional<std::int64_t> streaming_bytes; ///< of each IPU-Machine; absent: as the system has it
    std::uint64_t seed = 1;

    std::string target_version = "ipu2";
    ipu::TargetOverrides target;
    std::vector<VirtualDevice> devices{{}}; ///< /device:IPU:0, 1, …; one at least. The first runs the model.
    ipu::SelectionOrder selection_order = ipu::SelectionOrder::Auto;
    std::int64_t configurations = 1; ///< "ipu_config"s, each of which resets the one before; the last is here
    ipu::PlanningOptions planning;   ///< "available_memory_proportion", "partials_type", "products"
    bool allow_recompute = false;
    std::vector<ForPart<bool>> recompute_parts; ///< the same of parts of the model, in its place
    bool recomputes() const;                    ///< anything
    std::vector<std::string> checkpoints; ///< layers whose results recomputation keeps; empty: as it chooses
    std::int64_t maximum_cross_replica_sum_buffer_size =
        0;                                               ///< bytes of merged all-reduces; 0: none are merged
    std::int64_t maximum_reduce_scatter_buffer_size = 0; ///< the same of reduce-scatters
    std::int64_t maximum_all_gather_buffer_size = 0;     ///< and of all-gathers
    std::int64_t norm_replicas = 1;                      ///< "distributed_batch_norm_replica_group_size"
    StochasticRounding rounding = StochasticRounding::Off; ///< "floating_point_behaviour.esr"
    std::int64_t num_io_tiles = 0; ///< of each IPU, kept for the exchange with the host
    bool place_ops_on_io_tiles = false;
    double io_tiles_memory_proportion = 0.9; ///< "available_memory_proportion" of these

    std::string keras;      ///< the model's JSON text; "" for an ONNX model or a small graph
    std::string keras_path; ///< file it came from, or the workload's own for a model given inline
    std::string training;   ///< JSON text of how its file says it was compiled; "" where it does not
    std::string weights;    ///< file with the first values of its variables; "" for seeded ones
    std::vector<ForPart<std::string>> dtypes; ///< of layers, policies in place of those of the model's file
    /// An ONNX model instead; shared, for workloads are copied to try variants of them.
    std::shared_ptr<const onnx::OnnxModel> onnx;
    std::string onnx_path;
    std::map<std::string, std::int64_t> dimensions; ///< of the ONNX model's inputs, by name
    std::map<std::string, std::int32_t> shards; ///< of the model, by the first layer of each run of layers
    /// Shards or stages that the layers are to be cut into by their costs; 0: as `shards` says.
    std::int64_t automatic_stages = 0;
    std::string graph; ///< the small graph's JSON text

    std::optional<DataSpec> train;
    std::optional<DataSpec> evaluate;
    std::optional<EightBitIo> eight_bit_io; ///< floating inputs of the model come as bytes

    std::string optimiser = "sgd";
    graph::Attributes optimiser_settings;
    std::optional<graph::RateSchedule> rate_schedule;
    double loss_scale = 1;
    std::string loss; ///< of every output of a Keras model, of the first of an ONNX model
    /// Instead, those of single outputs, by their names or their numbers from 0; the others are not trained.
    std::map<std::string, std::string> output_losses;
    std::map<std::string, double> loss_weights; ///< of outputs, by name or number; 1 where absent
    bool from_logits = false;
    std::vector<std::string> metrics;
    std::int64_t steps_per_execution = 1;
    std::int64_t accumulation = 1;                    ///< "gradient_accumulation_steps_per_replica"
    bool offload_weight_update_variables = false;     ///< the optimiser's state to streaming memory
    bool offload_weights = false;                     ///< those that are trained too
    bool offload_activations = false;                 ///< the stashes of a pipeline too
    bool replicated_optimizer_state_sharding = false; ///< a share of it to each replica
    bool replicated_weight_sharding = false;          ///< and of the weights there
    CounterPlace global_step = CounterPlace::None;    ///< where a counter of the steps is kept
    graph::GradientReduction gradient_reduction = graph::GradientReduction::Sum;

    std::optional<PipelineSchedule> pipeline; ///< of the shards, which are its stages
    /// "recomputation_mode": RecomputeAndBackpropagateInterleaved rather than RecomputeThenBackpropagate;
    /// absent: Auto, which is the former for Sequential and PopART.
    std::optional<bool> recompute_piecewise;
    bool recomputes_piecewise() const {
        return recompute_piecewise.value_or(pipeline == PipelineSchedule::Sequential ||
                                            pipeline == PipelineSchedule::PopART);
    }
    /// By stage: which of its replica's IPUs, in the selection order; empty: 0, 1, 2 … An IPU may have
    /// several.
    std::vector<std::int32_t> device_mapping;
    /// The IPUs of the mapping, each once, in the order of the stages that they have first.
    std::vector<std::int32_t> mapped_ipus() const;
    /// By stage: the number of its IPU among `mapped_ipus`; empty without a mapping.
    std::vector<std::int32_t> stage_ipus() const;
    /// The stages that run on one of these IPUs, as a mapping counts them.
    std::vector<std::int32_t> stages_on(const std::vector<std::int32_t>& ipus) const;
    /// The same part, with the stages of its IPUs in their place.
    PartOfModel on_stages(PartOfModel part) const;

    std::int64_t batch_size = 32;
    std::int64_t epochs = 1;
    std::int64_t steps_per_epoch = 0; ///< 0: all the data
    bool shuffle = true;
    std::int64_t prefetch_depth = 3; ///< batches that the host may be ahead; changes nothing

    std::int64_t stages() const; ///< shards of the model
    /// Of /device:IPU:0, where models run.
    std::int64_t ipus() const { return devices.front().ipus; }
    /// IPUs that one copy of the model takes: as many as shards, or as the mapping names, up to a power of
    /// two. A small graph has those of all devices.
    std::int64_t ipus_per_model() const;
    std::int64_t replicas() const; ///< of the model; a CPU has one
    /// How its training is dealt out to IPUs and engine runs; without training it says only which IPUs there
    /// are.
    program::Schedule schedule() const;
    bool has_loss() const { return !loss.empty() || !output_losses.empty(); }
    bool trains() const { return train.has_value() && has_loss(); }
    /// One JSON document with every default filled in.
    std::string canonical_json() const;
};

/// `KEY=VALUE` of --set: a dotted path and a JSON value (or else a string).
using Overrides = std::vector<std::string>;

/// Refuses model files of other tools (a SavedModel, a frozen graph, PyTorch's own) and scripts, with the way
/// in; nothing where `path` may be read. Errors: BadInput.
Result<void> check_model_kind(const std::string& path);

/// Reads a workload, or a bare Keras (JSON, .h5 or .keras) or ONNX model with defaults. Errors: BadInput with
/// file and JSON path: syntax (line and column), unknown keys (the nearest known one), wrong types, missing
/// model files.
Result<Workload> read_workload(const std::string& path, const Overrides& overrides = {});

/// The same of a document that is no file; `place` stands for its path. Files that it names are looked for
/// beside `place`.
Result<Workload> parse_workload(const std::string& text, const std::string& place,
                                const Overrides& overrides = {});

/// Every key that a workload may have, as sorted dotted paths; `*` stands for a name of the user's choice.
/// What the JSON Schema is checked against.
std::vector<std::string> known_keys();

enum class Mode { Train, Evaluate };

/// The graph of one step. Train: forward, loss, metrics and what is to be trained; Evaluate: the same without
/// training. Variables have the same names and order in both. Errors: BadInput with the layer's place.
Result<graph::Graph> build_graph(const Workload& workload, const graph::OperatorRegistry& registry,
                                 Mode mode);

/// A model as `tilescope summary` shows it: layers, shapes, parameters, for any batch size.
struct ModelSummary {
    std::string name;
    std::vector<graph::Layer> layers; ///< of the outermost model, as Keras lists them
    std::int64_t parameters = 0;
    std::int64_t trainable = 0;
};
Result<ModelSummary> summarise(const Workload& workload, const graph::OperatorRegistry& registry);

/// Values that a small graph is fed with and should give.
struct SmallGraphValues {
    std::vector<graph::HostTensor> feeds; ///< in the order of the graph's feeds
    std::map<std::string, graph::HostTensor> expected;
};
Result<SmallGraphValues> small_graph_values(const Workload& workload, const graph::Graph& graph);

} // namespace tilescope::workload
