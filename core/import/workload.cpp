// SPDX-License-Identifier: GPL-3.0-or-later
#include "import/workload.h"

#include "base/nearest_name.h"
#include "import/ipu_config.h"
#include "import/json_reader.h"
#include "import/keras_file.h"
#include "import/keras_model.h"
#include "import/keras_training.h"
#include "import/onnx_model.h"
#include "import/optimiser_settings.h"
#include "import/small_graph.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <numeric>
#include <optional>
#include <set>

namespace tilescope::import {
namespace {

namespace fs = std::filesystem;

/// Sets document[a][b][c] = value for "a.b.c=value"; null removes what is there.
Result<void> apply_override(Json& document, const std::string& text) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0)
        return wrong_usage("--set " + text + " is not KEY=VALUE", "--set", "for example --set fit.epochs=1");
    Json value = Json::parse(text.substr(equals + 1), nullptr, false);
    if (value.is_discarded())
        value = text.substr(equals + 1);
    Json* at = &document;
    std::string path = text.substr(0, equals);
    while (!path.empty()) {
        const std::size_t dot = path.find('.');
        const std::string key = path.substr(0, dot);
        path = dot == std::string::npos ? "" : path.substr(dot + 1);
        if (!at->is_object() && !at->is_null())
            return bad_input("\"" + key + "\" is set in what is no object", "--set " + text);
        if (path.empty() && value.is_null() && at->is_object()) {
            at->erase(key);
            return {};
        }
        at = &(*at)[key];
    }
    *at = std::move(value);
    return {};
}

/// [0, 0, 1]: one for each layer of the model, in order.
void read_assignment(ObjectReader& object, const char* key, const Json& indices, Workload& w) {
    if (w.onnx) {
        object.fail(key, "is a list, and an ONNX model's nodes have names",
                    "name the node with which each begins, or give a number");
        return;
    }
    const std::vector<std::string> layers = keras_layer_names(w.keras);
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
void read_layers(ObjectReader& object, const char* key, Workload& w) {
    const Json* layers = object.member(key);
    if (layers == nullptr)
        return;
    if (layers->is_number_integer()) {
        w.automatic_stages = object.integer(key, 2, 2);
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
void check_stages(ObjectReader& reader, const Workload& w) {
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

/// Every stage has one of the IPUs of a replica, and no two the same.
void check_mapping(ObjectReader& reader, const Workload& w) {
    const auto stages = static_cast<std::size_t>(w.stages());
    if (w.device_mapping.size() != stages) {
        reader.fail("device_mapping",
                    "the mapping has " + std::to_string(w.device_mapping.size()) + " entries for " +
                        std::to_string(stages) + " stages",
                    "give the IPU of each stage");
        return;
    }
    std::map<std::int32_t, std::size_t> stage_on;
    for (std::size_t stage = 0; stage < stages; ++stage) {
        const std::int32_t ipu = w.device_mapping[stage];
        if (ipu < 0 || ipu >= w.ipus_per_model())
            reader.fail("device_mapping",
                        "stage " + std::to_string(stage) + " is mapped to IPU " + std::to_string(ipu) +
                            ", and " + std::to_string(stages) + " stages have IPUs 0 to " +
                            std::to_string(w.ipus_per_model() - 1),
                        "use one of these");
        else if (const auto [other, fresh] = stage_on.try_emplace(ipu, stage); !fresh)
            reader.fail("device_mapping",
                        "stages " + std::to_string(other->second) + " and " + std::to_string(stage) +
                            " are both mapped to IPU " + std::to_string(ipu),
                        "give each stage an IPU of its own");
    }
}

void read_mapping(ObjectReader& reader, const Json& mapping, Workload& w) {
    if (!mapping.is_array() || !std::all_of(mapping.begin(), mapping.end(), [](const Json& entry) {
            return entry.is_number_integer() && std::abs(entry.get<std::int64_t>()) < 65536;
        })) {
        reader.fail("device_mapping", "expects a list with the IPU of each stage, got " + mapping.dump(),
                    "for example [0, 1, 3, 2]");
        return;
    }
    w.device_mapping = mapping.get<std::vector<std::int32_t>>();
}

void read_pipeline(const Json& object, Reading& reading, Workload& w) {
    ObjectReader reader(object, "pipeline", reading);
    const std::string name = reader.text("schedule", "Grouped");
    w.pipeline = program::pipeline_schedule(name);
    if (!w.pipeline)
        reader.fail("schedule", "there is no schedule \"" + name + "\"",
                    "use Grouped, Interleaved or Sequential");
    w.accumulation = reader.integer("gradient_accumulation_steps_per_replica", 1, 1);
    if ((!w.shards.empty() || w.automatic_stages > 0) && reader.has("stages"))
        reader.fail("stages", "there are stages and model.shards", "remove one of them");
    read_layers(reader, "stages", w);
    if (w.shards.empty() && w.automatic_stages == 0 && !reader.has("stages") && w.ipus() > 1)
        w.automatic_stages = w.ipus();
    const Json* mapping = reader.member("device_mapping");
    if (mapping != nullptr)
        read_mapping(reader, *mapping, w);
    reader.finish();
    if (reading.error || !w.pipeline)
        return;
    if (w.automatic_stages == 0)
        check_stages(reader, w);
    if (mapping != nullptr && !reading.error)
        check_mapping(reader, w);
    const std::int64_t stages = w.stages();
    const std::int64_t overlap = program::pipeline_overlap(*w.pipeline, stages);
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

std::string beside(const Reading& reading, const std::string& name) {
    return (fs::path(reading.file).parent_path() / name).string();
}

/// The model from a file of any format, with its weights, or as it stands in the workload.
void read_keras(const Json& keras, Reading& reading, Workload& w) {
    if (!keras.is_string()) {
        w.keras_path = reading.file;
        w.keras = keras.dump();
        return;
    }
    w.keras_path = beside(reading, keras.get<std::string>());
    auto file = read_keras_file(w.keras_path);
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
void read_weights(ObjectReader& reader, const Json& weights, Workload& w) {
    if (weights.is_string())
        w.weights = (fs::path(w.path).parent_path() / weights.get<std::string>()).string();
    else if (weights == false)
        w.weights.clear();
    else
        reader.fail("weights", "expects a file or false, got " + weights.dump());
}

void read_dimensions(ObjectReader& reader, Workload& w) {
    const Json* dimensions = reader.member("dimensions");
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

void read_onnx(ObjectReader& reader, const Json& file, Reading& reading, Workload& w) {
    if (!file.is_string()) {
        reader.fail("onnx", "expects a file name, got " + file.dump());
        return;
    }
    w.onnx_path = (fs::path(reading.file).parent_path() / file.get<std::string>()).string();
    auto model = load_onnx_model(w.onnx_path);
    if (!model) {
        reading.error = model.error();
        return;
    }
    if (const std::int64_t batch = fixed_batch(*model); batch > 0)
        w.batch_size = batch; // unless another one is asked for
    w.onnx = std::make_shared<const OnnxModel>(std::move(*model));
}

void read_model(ObjectReader& root, Reading& reading, Workload& w) {
    const Json* model = root.member("model");
    const Json* small = root.member("graph");
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
    ObjectReader reader(*model, "model", reading);
    const Json* keras = reader.member("keras");
    const Json* weights = reader.member("weights");
    const Json* onnx = reader.member("onnx");
    read_dimensions(reader, w);
    reader.member("shards");
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
    else if (weights != nullptr)
        read_weights(reader, *weights, w);
    read_layers(reader, "shards", w);
}

DataSpec read_data(const Json& object, const std::string& path, Reading& reading) {
    ObjectReader reader(object, path, reading);
    DataSpec spec;
    spec.idx = reader.text("idx");
    spec.synthetic = reader.flag("synthetic", false);
    spec.allow_synthetic = reader.flag("allow_synthetic", true);
    spec.one_hot = reader.integer("one_hot", 0);
    spec.samples = reader.integer("samples", 0);
    reader.finish();
    if (spec.idx.empty() && !spec.synthetic)
        reader.fail("idx", "no data set is named", "give \"idx\": \"mnist\" or \"synthetic\": true");
    return spec;
}

const std::map<graph::GradientReduction, std::string> reductions = {
    {graph::GradientReduction::Sum, "sum"},
    {graph::GradientReduction::Mean, "mean"},
    {graph::GradientReduction::RunningMean, "running_mean"}};

void read_compile(const Json& object, Reading& reading, Workload& w) {
    ObjectReader reader(object, "compile", reading);
    if (const Json* optimiser = reader.member("optimizer"))
        read_optimiser(*optimiser, reading, w);
    w.loss_scale = reader.real("loss_scale", 1);
    if (!(w.loss_scale > 0))
        reader.fail("loss_scale", "expects a number above 0");
    w.loss = reader.text("loss");
    w.from_logits = reader.flag("from_logits", false);
    w.steps_per_execution = reader.integer("steps_per_execution", 1, 1);
    w.global_step = reader.text("global_step", "none");
    if (w.global_step != "none" && w.global_step != "cpu" && w.global_step != "ipu")
        reader.fail("global_step", "expects none, cpu or ipu, got " + w.global_step);
    w.accumulation = reader.integer("gradient_accumulation_steps_per_replica", 1, 1);
    const std::string reduction = reader.text("gradient_reduction", "sum");
    const auto named = std::find_if(reductions.begin(), reductions.end(),
                                    [&](const auto& known) { return known.second == reduction; });
    if (named == reductions.end())
        reader.fail("gradient_reduction", "expects sum, mean or running_mean, got " + reduction);
    else
        w.gradient_reduction = named->first;
    if (const Json* metrics = reader.member("metrics")) {
        for (const Json& metric : *metrics)
            if (metric.is_string())
                w.metrics.push_back(metric.get<std::string>());
            else
                reader.fail("metrics", "expects names, got " + metric.dump());
    }
    reader.finish();
}

void read_fit(const Json& object, Reading& reading, Workload& w) {
    ObjectReader reader(object, "fit", reading);
    w.batch_size = reader.integer("batch_size", w.batch_size, 1);
    w.epochs = reader.integer("epochs", 1, 1);
    w.steps_per_epoch = reader.integer("steps_per_epoch", 0);
    w.shuffle = reader.flag("shuffle", true);
    reader.finish();
}

bool is_keras_model(const Json& document) {
    return document.is_object() && document.contains("class_name") && document.contains("config");
}

void read_system(const Json& system, Reading& reading, Workload& w) {
    if (system.is_string()) {
        w.system = system.get<std::string>();
        return;
    }
    ObjectReader s(system, "system", reading);
    w.system = s.text("name", "ipu");
    if (const Json* busy = s.member("busy")) {
        for (const Json& id : *busy)
            if (id.is_number_integer())
                w.busy.push_back(id.get<std::int32_t>());
            else
                s.fail("busy", "expects device ids, got " + id.dump());
    }
    s.finish();
}

/// The workload's `compile`; what it leaves open is as the model's file was compiled, where there are data to
/// train on or evaluate.
Json with_model_settings(const Json* settings, const Json& document, const Workload& w) {
    Json merged = settings == nullptr ? Json() : *settings;
    if (w.training.empty() || !document.contains("data") || !(merged.is_object() || merged.is_null()))
        return merged;
    Json saved = compile_settings(w.training);
    if (merged.contains("loss"))
        saved.erase("from_logits");
    saved.update(merged.is_null() ? Json::object() : merged);
    return saved;
}

Workload read_document(const Json& document, Reading& reading) {
    Workload w;
    w.path = reading.file;
    ObjectReader root(document, "", reading);
    root.member("$schema");
    root.member("description");
    w.name = root.text("name", fs::path(w.path).stem().string());
    w.device = root.text("device", "ipu");
    if (w.device != "ipu" && w.device != "cpu")
        root.fail("device", "there is no device \"" + w.device + "\"", "use \"ipu\" or \"cpu\"");
    w.seed = static_cast<std::uint64_t>(root.integer("seed", 1));
    if (const Json* system = root.member("system"))
        read_system(*system, reading, w);
    read_model(root, reading, w);
    if (const Json* config = root.member("ipu_config"))
        read_ipu_config(*config, reading, w);
    if (const Json* data = root.member("data")) {
        ObjectReader reader(*data, "data", reading);
        if (const Json* train = reader.member("train"))
            w.train = read_data(*train, "data.train", reading);
        if (const Json* evaluate = reader.member("evaluate"))
            w.evaluate = read_data(*evaluate, "data.evaluate", reading);
        reader.finish();
    }
    const Json* settings = root.member("compile");
    if (const Json merged = with_model_settings(settings, document, w); !merged.is_null())
        read_compile(merged, reading, w);
    if (const Json* pipeline = root.member("pipeline"))
        read_pipeline(*pipeline, reading, w);
    if (const Json* fit = root.member("fit"))
        read_fit(*fit, reading, w);
    root.finish();
    return w;
}

/// A workload's document; a bare model is one that has nothing else.
Result<Json> read_json_workload(const std::string& path) {
    const auto bare = [&](Json model) {
        return Json{{"name", fs::path(path).stem().string()}, {"model", {{"keras", std::move(model)}}}};
    };
    if (is_onnx_file(path))
        return Json{{"name", fs::path(path).stem().string()},
                    {"model", {{"onnx", fs::path(path).filename().string()}}}};
    if (is_binary_keras_file(path))
        return bare(fs::path(path).filename().string());
    const auto text = read_text(path);
    if (!text)
        return Failure(text.error());
    auto document = parse_json(*text, path);
    if (document && is_keras_model(*document))
        return bare(std::move(*document));
    return document;
}

} // namespace

Result<Workload> read_workload(const std::string& path, const Overrides& overrides) {
    auto read = read_json_workload(path);
    if (!read)
        return Failure(read.error());
    Json document = std::move(*read);
    for (const std::string& text_override : overrides)
        if (auto ok = apply_override(document, text_override); !ok)
            return Failure(ok.error());

    Reading reading{path, {}, {}};
    Workload workload = read_document(document, reading);
    if (reading.error)
        return Failure(std::move(*reading.error));
    return workload;
}

std::vector<std::string> known_keys() {
    // What is asked for while a document is read that has every object there is.
    const Json every_object = {{"system", Json::object()},
                               {"model", {{"keras", Json::object()}}},
                               {"graph",
                                {{"nodes", {Json::object()}},
                                 {"feeds", {{"*", Json::object()}}},
                                 {"expect", {{"*", Json::object()}}}}},
                               {"ipu_config", {{"ipu_model", Json::object()}}},
                               {"data", {{"train", Json::object()}, {"evaluate", Json::object()}}},
                               {"compile", {{"optimizer", {{"learning_rate", Json::object()}}}}},
                               {"pipeline", {{"stages", Json::object()}}},
                               {"fit", Json::object()}};
    Reading reading;
    read_document(every_object, reading);
    read_small_graph(every_object["graph"], reading);
    return {reading.keys.begin(), reading.keys.end()};
}

namespace {

Json data_json(const DataSpec& d) {
    return {{"idx", d.idx},
            {"synthetic", d.synthetic},
            {"allow_synthetic", d.allow_synthetic},
            {"one_hot", d.one_hot},
            {"samples", d.samples}};
}

} // namespace

std::int64_t Workload::stages() const {
    if (automatic_stages > 0)
        return automatic_stages;
    std::int64_t highest = 0;
    for (const auto& [layer, index] : shards)
        highest = std::max<std::int64_t>(highest, index);
    return highest + 1;
}

std::int64_t Workload::ipus_per_model() const {
    std::int64_t count = 1;
    if (!graph.empty())
        return std::accumulate(
            devices.begin(), devices.end(), std::int64_t{0},
            [](std::int64_t sum, const VirtualDevice& virtual_device) { return sum + virtual_device.ipus; });
    while (count < stages())
        count *= 2;
    return count;
}

std::string Workload::canonical_json() const {
    Json document{
        {"name", name}, {"device", device}, {"seed", seed}, {"system", {{"name", system}, {"busy", busy}}}};
    if (!graph.empty())
        document["graph"] = Json::parse(graph);
    else if (onnx)
        document["model"] = {{"onnx", onnx_path}, {"dimensions", dimensions}};
    else
        document["model"]["keras"] = Json::parse(keras, nullptr, false);
    if (!weights.empty())
        document["model"]["weights"] = fs::absolute(weights).string();
    for (const auto& [layer, index] : shards)
        (pipeline ? document["pipeline"]["stages"] : document["model"]["shards"])[layer] = index;
    if (automatic_stages > 0)
        (pipeline ? document["pipeline"]["stages"] : document["model"]["shards"]) = automatic_stages;
    if (pipeline) {
        document["pipeline"]["schedule"] = program::to_string(*pipeline);
        document["pipeline"]["gradient_accumulation_steps_per_replica"] = accumulation;
        if (!device_mapping.empty())
            document["pipeline"]["device_mapping"] = device_mapping;
    }
    document["ipu_config"] = ipu_config_json(*this);
    if (train)
        document["data"]["train"] = data_json(*train);
    if (evaluate)
        document["data"]["evaluate"] = data_json(*evaluate);
    document["compile"] = {{"optimizer", optimiser_json(*this)},
                           {"loss_scale", loss_scale},
                           {"loss", loss},
                           {"from_logits", from_logits},
                           {"metrics", metrics},
                           {"gradient_accumulation_steps_per_replica", pipeline ? 1 : accumulation},
                           {"gradient_reduction", reductions.at(gradient_reduction)},
                           {"global_step", global_step},
                           {"steps_per_execution", steps_per_execution}};
    document["fit"] = {{"batch_size", batch_size},
                       {"epochs", epochs},
                       {"steps_per_epoch", steps_per_epoch},
                       {"shuffle", shuffle}};
    return document.dump();
}

} // namespace tilescope::import
