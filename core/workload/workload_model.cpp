// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload_model.h"

#include "keras/file.h"
#include "keras/model.h"
#include "onnx/model.h"
#include "parts.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>

namespace tilescope::workload {
namespace {

namespace fs = std::filesystem;

/// [0, 0, 1]: one for each layer of the model, in order.
void read_assignment(formats::ObjectReader& object, const char* key, const formats::Json& indices,
                     Workload& w) {
    if (w.onnx) {
        object.fail(key, "is a list, and an ONNX model's nodes have names",
                    "name the node with which each begins, or give a number");
        return;
    }
    const std::vector<std::string> layers = keras::keras_layer_names(w.keras);
    if (indices.size() != layers.size()) {
        object.fail(key,
                    "has " + std::to_string(indices.size()) + " numbers, the model " +
                        std::to_string(layers.size()) + " layers",
                    "give one for each, inputs not counted");
        return;
    }
    for (std::size_t i = 0; i < layers.size(); ++i) {
        if (!indices[i].is_number_unsigned() || indices[i].get<std::uint64_t>() > 255)
            object.fail(key, "expects numbers from 0 to 255, got " + indices[i].dump());
        else
            w.shards[layers[i]] = indices[i].get<std::int32_t>();
    }
}

/// {"LAYER": index}: that layer and those after it, up to the next that is named; or a list of one for each
/// layer; or how many there are to be.
void read_layers(formats::ObjectReader& object, const char* key, Workload& w) {
    const formats::Json* layers = object.member(key);
    if (layers == nullptr)
        return;
    if (layers->is_number_integer()) {
        w.automatic_stages = object.integer(key, 2, 2);
        if (w.automatic_stages > 256)
            object.fail(key, "expects a number from 2 to 256, got " + layers->dump());
        return;
    }
    if (layers->is_array()) {
        read_assignment(object, key, *layers, w);
        return;
    }
    if (!layers->is_object()) {
        object.fail(key, "expects an object of layers and their number, a list or a number",
                    "for example {\"dense\": 1}, [0, 0, 1] or 2");
        return;
    }
    for (const auto& [layer, index] : layers->items()) {
        if (!index.is_number_unsigned() || index.get<std::uint64_t>() > 255)
            object.fail(key + ("." + layer), "expects a number from 0 to 255, got " + index.dump());
        else
            w.shards[layer] = index.get<std::int32_t>();
    }
}

/// Stages must be numbered from 0 without a gap; the first layers are stage 0.
void check_stages(formats::ObjectReader& reader, const Workload& w) {
    std::set<std::int32_t> stages{0};
    for (const auto& [layer, stage] : w.shards)
        stages.insert(stage);
    std::int32_t expected = 0;
    for (const std::int32_t stage : stages) {
        if (stage != expected) {
            reader.fail("stages", "stage " + std::to_string(expected) + " has no layer",
                        "number the stages from 0 without a gap");
            return;
        }
        ++expected;
    }
    if (stages.size() < 2)
        reader.fail("stages", "a pipeline has two stages at least",
                    "name the layer with which stage 1 begins");
}

/// IPU TensorFlow's own rule for training, which it gives in these words (python/ipu/ops/pipelining_ops.py).
constexpr const char* no_interleaved_ipu = "the pipelining schedule 'Interleaved' does not currently support "
                                           "multiple pipeline stages on the same device "
                                           "for training graphs";

/// Two stages on one IPU: which schedules allow it.
void check_shared(formats::ObjectReader& reader, const Workload& w, std::size_t other, std::size_t stage) {
    const std::string both = "stages " + std::to_string(other) + " and " + std::to_string(stage) +
                             " are both mapped to IPU " + std::to_string(w.device_mapping[stage]);
    if (*w.pipeline == PipelineSchedule::Interleaved && w.trains())
        reader.fail("device_mapping", both + ": " + no_interleaved_ipu,
                    "use the schedule Grouped or Sequential");
    else if (*w.pipeline == PipelineSchedule::PopART && stage > 0 &&
             w.device_mapping[stage - 1] == w.device_mapping[stage])
        reader.fail("device_mapping", both + ": to PopART consecutive stages of one IPU are one stage",
                    "give their layers one stage, or use the schedule Grouped or Sequential");
}

/// Every stage has one of the IPUs of a replica: no higher a number than the stages would need one each.
void check_mapping(formats::ObjectReader& reader, const formats::Reading& reading, const Workload& w) {
    const auto stages = static_cast<std::size_t>(w.stages());
    if (w.device_mapping.size() != stages) {
        reader.fail("device_mapping",
                    "the mapping has " + std::to_string(w.device_mapping.size()) + " entries for " +
                        std::to_string(stages) + " stages",
                    "give the IPU of each stage");
        return;
    }
    const std::int64_t ipus = w.ipus_per_model();
    std::map<std::int32_t, std::size_t> stage_on;
    for (std::size_t stage = 0; stage < stages; ++stage) {
        const std::int32_t ipu = w.device_mapping[stage];
        if (ipu < 0 || ipu >= ipus)
            reader.fail("device_mapping",
                        "stage " + std::to_string(stage) + " is mapped to IPU " + std::to_string(ipu) +
                            ", and " + std::to_string(stages) + " stages have IPUs 0 to " +
                            std::to_string(ipus - 1),
                        "use one of these");
        else if (const auto [other, fresh] = stage_on.try_emplace(ipu, stage); !fresh)
            check_shared(reader, w, other->second, stage);
        if (reading.error)
            return;
    }
}

void read_mapping(formats::ObjectReader& reader, const formats::Json& mapping, Workload& w) {
    if (!mapping.is_array() || !std::all_of(mapping.begin(), mapping.end(), [](const formats::Json& entry) {
            return entry.is_number_integer() && std::abs(entry.get<std::int64_t>()) < 65536;
        })) {
        reader.fail("device_mapping", "expects a list with the IPU of each stage, got " + mapping.dump(),
                    "for example [0, 1, 3, 2]");
        return;
    }
    w.device_mapping = mapping.get<std::vector<std::int32_t>>();
}

/// The model from a file of any format, with its weights, or as it stands in the workload.
void read_keras(const formats::Json& keras, formats::Reading& reading, Workload& w) {
    if (!keras.is_string()) {
        w.keras_path = reading.file;
        w.keras = keras.dump();
        return;
    }
    w.keras_path = beside(reading, keras.get<std::string>());
    if (auto ours = check_model_kind(w.keras_path); !ours) {
        reading.error = ours.error();
        return;
    }
    auto file = keras::read_keras_file(w.keras_path);
    if (!file) {
        reading.error = file.error();
        return;
    }
    w.keras = std::move(file->model);
    w.training = std::move(file->training);
    if (file->has_weights)
        w.weights = w.keras_path;
}

/// A file, or false for seeded first values where the model's file has others.
void read_weights(formats::ObjectReader& reader, const formats::Json& weights, Workload& w) {
    if (weights.is_string())
        w.weights = (fs::path(w.path).parent_path() / weights.get<std::string>()).string();
    else if (weights == false)
        w.weights.clear();
    else
        reader.fail("weights", "expects a file or false, got " + weights.dump());
}

void read_dimensions(formats::ObjectReader& reader, Workload& w) {
    const formats::Json* dimensions = reader.member("dimensions");
    if (dimensions == nullptr)
        return;
    if (!dimensions->is_object()) {
        reader.fail("dimensions", "expects an object of extents by name, got " + dimensions->dump());
        return;
    }
    for (const auto& [name, extent] : dimensions->items())
        if (!extent.is_number_unsigned() || extent.get<std::uint64_t>() > 1U << 31)
            reader.fail("dimensions." + name, "expects a whole number, got " + extent.dump());
        else
            w.dimensions[name] = extent.get<std::int64_t>();
}

void read_checkpoints(formats::ObjectReader& reader, Workload& w) {
    const formats::Json* layers = reader.member("recomputation_checkpoints");
    if (layers == nullptr)
        return;
    if (!layers->is_array() || layers->empty() ||
        !std::all_of(layers->begin(), layers->end(),
                     [](const formats::Json& name) { return name.is_string(); }))
        reader.fail("recomputation_checkpoints", "expects a list of layers, got " + layers->dump(),
                    "for example [\"add_1\", \"add_2\"]");
    else
        w.checkpoints = layers->get<std::vector<std::string>>();
}

/// Policies as Keras names them: of all layers, of stages, or by rules.
void read_dtypes(formats::ObjectReader& model, formats::Reading& reading, Workload& w) {
    const formats::Json* given = model.member("dtype");
    if (given == nullptr)
        return;
    const auto read = [](const formats::Json& value) {
        const bool known = value == "float32" || value == "float16" || value == "mixed_float16";
        return known ? std::optional(value.get<std::string>()) : std::nullopt;
    };
    constexpr const char* expected = "float32, float16 or mixed_float16";
    if (given->is_array())
        w.dtypes = read_parts<std::string>(*given, "dtype", model, "model.dtype", reading, expected, read);
    else if (const auto all = read(*given))
        w.dtypes = {{{}, *all}};
    else
        model.fail("dtype",
                   std::string("expects ") + expected + ", or a list of these, got " + given->dump());
}

void read_onnx(formats::ObjectReader& reader, const formats::Json& file, formats::Reading& reading,
               Workload& w) {
    if (!file.is_string()) {
        reader.fail("onnx", "expects a file name, got " + file.dump());
        return;
    }
    w.onnx_path = (fs::path(reading.file).parent_path() / file.get<std::string>()).string();
    if (auto ours = check_model_kind(w.onnx_path); !ours) {
        reading.error = ours.error();
        return;
    }
    auto model = onnx::load_onnx_model(w.onnx_path);
    if (!model) {
        reading.error = model.error();
        return;
    }
    if (const std::int64_t batch = onnx::fixed_batch(*model); batch > 0)
        w.batch_size = batch; // unless another one is asked for
    w.onnx = std::make_shared<const onnx::OnnxModel>(std::move(*model));
}

} // namespace

std::string beside(const formats::Reading& reading, const std::string& name) {
    return name.empty() ? name : (fs::path(reading.file).parent_path() / name).string();
}

void read_model(formats::ObjectReader& root, formats::Reading& reading, Workload& w) {
    const formats::Json* model = root.member("model");
    const formats::Json* small = root.member("graph");
    if (small != nullptr)
        w.graph = small->dump();
    if (model != nullptr && small != nullptr)
        root.fail("graph", "there are a model and a graph", "remove one of them");
    if (model == nullptr) {
        if (small == nullptr)
            root.fail("model", "there is no model",
                      "give \"model\": {\"keras\": \"FILE.json\"}, {\"onnx\": \"FILE.onnx\"} or \"graph\"");
        return;
    }
    formats::ObjectReader reader(*model, "model", reading);
    const formats::Json* keras = reader.member("keras");
    const formats::Json* weights = reader.member("weights");
    const formats::Json* onnx = reader.member("onnx");
    read_dimensions(reader, w);
    reader.member("shards");
    read_checkpoints(reader, w);
    read_dtypes(reader, reading, w);
    reader.finish();
    if (keras != nullptr && onnx != nullptr)
        reader.fail("onnx", "there are a Keras model and an ONNX model", "remove one of them");
    if (onnx == nullptr && !w.dimensions.empty())
        reader.fail("dimensions", "are those of an ONNX model, and there is none", "remove them");
    if (reading.error)
        return;
    if (onnx != nullptr)
        read_onnx(reader, *onnx, reading, w);
    else if (keras == nullptr)
        reader.fail("keras", "there is no model", "give \"keras\": \"FILE.json\" or \"onnx\": \"FILE.onnx\"");
    else
        read_keras(*keras, reading, w);
    if (weights != nullptr && onnx != nullptr)
        reader.fail("weights", "are those of a Keras model, and there is none", "remove them");
    else if (!w.dtypes.empty() && onnx != nullptr)
        reader.fail("dtype", "is that of layers of a Keras model, and there is none",
                    "an ONNX file says the type of each tensor: convert the file");
    else if (weights != nullptr)
        read_weights(reader, *weights, w);
    read_layers(reader, "shards", w);
}

void read_state_places(formats::ObjectReader& reader, Workload& w) {
    if (reader.has("optimizer_state_offchip"))
        reader.fail("optimizer_state_offchip", "is the former name of a setting",
                    "the name is offload_weight_update_variables");
    w.offload_weight_update_variables =
        reader.flag("offload_weight_update_variables", w.offload_weight_update_variables);
    w.replicated_optimizer_state_sharding =
        reader.flag("replicated_optimizer_state_sharding", w.replicated_optimizer_state_sharding);
    w.offload_weights = reader.flag("offload_weights", w.offload_weights);
    if (w.offload_weights && !w.offload_weight_update_variables)
        reader.fail("offload_weights", "what only updates use must be offloaded before the weights are",
                    "set offload_weight_update_variables");
    if (w.replicated_optimizer_state_sharding && !w.offload_weight_update_variables)
        reader.fail("replicated_optimizer_state_sharding",
                    "optimizer state must be offloaded to be sharded over replicas",
                    "set offload_weight_update_variables");
    w.replicated_weight_sharding = reader.flag("replicated_weight_sharding", w.replicated_weight_sharding);
    if (w.replicated_weight_sharding && !w.offload_weights)
        reader.fail("replicated_weight_sharding", "weights must be offloaded to be sharded over replicas",
                    "set offload_weights");
}

const char* recomputation_mode(bool piecewise) {
    return piecewise ? "RecomputeAndBackpropagateInterleaved" : "RecomputeThenBackpropagate";
}

namespace {

/// Which modes go with which schedules: IPU TensorFlow, driver/tools/pipeline_util.cc; PopART computes again
/// from checkpoints.
bool goes_with(bool piecewise, PipelineSchedule schedule) {
    if (piecewise)
        return schedule != PipelineSchedule::Interleaved;
    return schedule == PipelineSchedule::Grouped || schedule == PipelineSchedule::Interleaved;
}

void read_recomputation_mode(formats::ObjectReader& reader, Workload& w) {
    const std::string name = reader.text("recomputation_mode", "Auto");
    for (const bool piecewise : {false, true})
        if (name == recomputation_mode(piecewise))
            w.recompute_piecewise = piecewise;
    if (name != "Auto" && !w.recompute_piecewise)
        reader.fail("recomputation_mode", "there is no mode \"" + name + "\"",
                    "use Auto, RecomputeThenBackpropagate or RecomputeAndBackpropagateInterleaved");
    else if (w.recompute_piecewise && w.pipeline && !goes_with(*w.recompute_piecewise, *w.pipeline))
        reader.fail("recomputation_mode",
                    std::string("pipeline schedule ") + to_string(*w.pipeline) + " does not support '" +
                        name + "' recomputation mode",
                    std::string("use ") + recomputation_mode(!*w.recompute_piecewise) +
                        ", or the schedule Grouped");
}

} // namespace

void read_pipeline(const formats::Json& object, formats::Reading& reading, Workload& w) {
    formats::ObjectReader reader(object, "pipeline", reading);
    const std::string name = reader.text("schedule", "Grouped");
    w.pipeline = parse<PipelineSchedule>(name);
    if (!w.pipeline)
        reader.fail("schedule", "there is no schedule \"" + name + "\"",
                    "use Grouped, Interleaved, Sequential or PopART");
    w.accumulation = reader.integer("gradient_accumulation_steps_per_replica", 1, 1);
    read_state_places(reader, w);
    w.offload_activations = reader.flag("offload_activations", false);
    if (w.offload_activations && w.pipeline == PipelineSchedule::Sequential)
        reader.fail("offload_activations", "under Sequential no activations wait in a stash",
                    "remove it, or use another schedule");
    read_recomputation_mode(reader, w);
    if ((!w.shards.empty() || w.automatic_stages > 0) && reader.has("stages"))
        reader.fail("stages", "there are stages and model.shards", "remove one of them");
    read_layers(reader, "stages", w);
    if (w.shards.empty() && w.automatic_stages == 0 && !reader.has("stages") && w.ipus() > 1)
        w.automatic_stages = w.ipus();
    const formats::Json* mapping = reader.member("device_mapping");
    if (mapping != nullptr)
        read_mapping(reader, *mapping, w);
    reader.finish();
    if (reading.error || !w.pipeline)
        return;
    if (w.automatic_stages == 0)
        check_stages(reader, w);
    if (mapping != nullptr && !reading.error)
        check_mapping(reader, reading, w);
    const std::int64_t stages = w.stages();
    const std::int64_t overlap = program::pipeline_overlap(*w.pipeline, stages);
    const std::int64_t least = program::least_micro_batches(*w.pipeline, stages);
    if (!reading.error && w.trains() && w.accumulation < least && least > overlap)
        reader.fail("gradient_accumulation_steps_per_replica",
                    "for pipelining, depth (gradient accumulation factor) must equal at least the number of "
                    "pipeline stages (" +
                        std::to_string(least) + "), which " + std::to_string(stages) +
                        " stages are forward and backward, the last one's as one",
                    "use " + std::to_string(least) + " or more");
    if (!reading.error && w.trains() && w.accumulation % overlap != 0)
        reader.fail("gradient_accumulation_steps_per_replica",
                    std::to_string(w.accumulation) + " is not a multiple of " + std::to_string(overlap) +
                        ", which " + name + " needs for " + std::to_string(stages) + " stages",
                    "use " +
                        (w.accumulation > overlap
                             ? std::to_string(w.accumulation / overlap * overlap) + " or "
                             : std::string()) +
                        std::to_string((w.accumulation / overlap + 1) * overlap));
}

} // namespace tilescope::workload
