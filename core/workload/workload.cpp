// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/workload.h"

#include "base/try.h"
#include "eight_bit_io.h"
#include "formats/json_reader.h"
#include "ipu_config.h"
#include "keras/file.h"
#include "keras/training.h"
#include "onnx/model.h"
#include "optimiser_settings.h"
#include "parts.h"
#include "small_graph.h"
#include "workload_model.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

namespace tilescope::workload {
namespace {

namespace fs = std::filesystem;

/// Sets document[a][b][c] = value for "a.b.c=value"; null removes what is there.
Result<void> apply_override(formats::Json& document, const std::string& text) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0)
        return wrong_usage("--set " + text + " is not KEY=VALUE", "--set", "for example --set fit.epochs=1");
    formats::Json value = formats::Json::parse(text.substr(equals + 1), nullptr, false);
    if (value.is_discarded())
        value = text.substr(equals + 1);
    formats::Json* at = &document;
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

graph::Shape read_shape(const formats::Json& given, formats::ObjectReader& reader, const char* key) {
    graph::Shape shape;
    for (const formats::Json& extent : given)
        if (extent.is_number_integer() && extent.get<std::int64_t>() > 0 &&
            extent.get<std::int64_t>() < 1 << 20)
            shape.push_back(extent.get<std::int64_t>());
    if (!given.is_array() || shape.empty() || shape.size() != given.size())
        reader.fail(key, "expects the extents of a shape, got " + given.dump(), "give [28, 28, 1]");
    return shape;
}

DataSpec read_data(const formats::Json& object, const std::string& path, formats::Reading& reading) {
    formats::ObjectReader reader(object, path, reading);
    DataSpec spec;
    spec.idx = reader.text("idx");
    spec.file = beside(reading, reader.text("file"));
    spec.labels = beside(reading, reader.text("labels"));
    if (const formats::Json* shape = reader.member("random"))
        spec.random = read_shape(*shape, reader, "random");
    if (const formats::Json* size = reader.member("image_size")) {
        spec.image_size = read_shape(*size, reader, "image_size");
        if (spec.image_size.size() != 2)
            reader.fail("image_size", "expects height and width, got " + size->dump(), "give [64, 64]");
    }
    spec.channels = reader.integer("channels", 3);
    if (spec.channels != 1 && spec.channels != 3)
        reader.fail("channels", "expects 1 or 3, got " + std::to_string(spec.channels),
                    "use 1 for grey images");
    spec.sequence = reader.integer("sequence", 0);
    spec.vocabulary = reader.integer("vocabulary", 0);
    if (spec.sequence < 0 || spec.sequence > 1 << 20)
        reader.fail("sequence", "expects how many tokens a text has, got " + std::to_string(spec.sequence),
                    "give 128");
    if (spec.vocabulary != 0 && (spec.vocabulary < 2 || spec.sequence == 0))
        reader.fail("vocabulary", "expects at least 2, beside \"sequence\"", R"(give "sequence": 128)");
    spec.classes = reader.integer("classes", 10);
    spec.synthetic = reader.flag("synthetic", false);
    spec.allow_synthetic = reader.flag("allow_synthetic", true);
    spec.one_hot = reader.integer("one_hot", 0);
    spec.samples = reader.integer("samples", 0);
    reader.finish();
    if (spec.idx.empty() && spec.file.empty() && spec.random.empty() && !spec.synthetic)
        reader.fail("idx", "no data set is named",
                    R"(give "idx": "mnist", "file": "data.npz", "random": [28, 28, 1] or "synthetic": true)");
    return spec;
}

const std::map<graph::GradientReduction, std::string> reductions = {
    {graph::GradientReduction::Sum, "sum"},
    {graph::GradientReduction::Mean, "mean"},
    {graph::GradientReduction::RunningMean, "running_mean"}};

/// A list in the order of the outputs, or an object by their names; null where an output has none.
std::map<std::string, formats::Json> by_output(const formats::Json& value, const char* key,
                                               formats::ObjectReader& reader) {
    std::map<std::string, formats::Json> result;
    if (!value.is_array() && !value.is_object())
        reader.fail(key, "expects a value for each output, got " + value.dump());
    else
        for (const auto& [output, each] : value.items())
            if (!each.is_null())
                result[output] = each;
    return result;
}

/// One loss, or those of single outputs, and their weights.
void read_losses(formats::ObjectReader& reader, Workload& w) {
    const formats::Json* loss = reader.member("loss");
    const formats::Json* weights = reader.member("loss_weights");
    if (loss != nullptr && loss->is_string())
        w.loss = loss->get<std::string>();
    else if (loss != nullptr)
        for (const auto& [output, name] : by_output(*loss, "loss", reader)) {
            if (!name.is_string())
                reader.fail("loss", "expects the name of a loss for each output, got " + name.dump());
            else
                w.output_losses[output] = name;
        }
    if (weights == nullptr)
        return;
    for (const auto& [output, weight] : by_output(*weights, "loss_weights", reader)) {
        if (!weight.is_number())
            reader.fail("loss_weights", "expects a number for each output, got " + weight.dump());
        else
            w.loss_weights[output] = weight;
    }
}

void read_compile(const formats::Json& object, formats::Reading& reading, Workload& w) {
    formats::ObjectReader reader(object, "compile", reading);
    if (const formats::Json* optimiser = reader.member("optimizer"))
        read_optimiser(*optimiser, reading, w);
    w.loss_scale = reader.real("loss_scale", 1);
    if (!(w.loss_scale > 0))
        reader.fail("loss_scale", "expects a number above 0");
    read_losses(reader, w);
    w.from_logits = reader.flag("from_logits", false);
    w.steps_per_execution = reader.integer("steps_per_execution", 1, 1);
    const std::string place = reader.text("global_step", to_string(w.global_step));
    if (const auto known = parse<CounterPlace>(place))
        w.global_step = *known;
    else
        reader.fail("global_step", "expects none, cpu or ipu, got " + place);
    w.accumulation = reader.integer("gradient_accumulation_steps_per_replica", 1, 1);
    read_state_places(reader, w);
    const std::string reduction = reader.text("gradient_reduction", "sum");
    const auto named = std::find_if(reductions.begin(), reductions.end(),
                                    [&](const auto& known) { return known.second == reduction; });
    if (named == reductions.end())
        reader.fail("gradient_reduction", "expects sum, mean or running_mean, got " + reduction);
    else
        w.gradient_reduction = named->first;
    if (const formats::Json* metrics = reader.member("metrics")) {
        for (const formats::Json& metric : *metrics)
            if (metric.is_string())
                w.metrics.push_back(metric.get<std::string>());
            else
                reader.fail("metrics", "expects names, got " + metric.dump());
    }
    reader.finish();
}

constexpr std::int64_t most_prefetched = 255; ///< of an infeed queue of IPU TensorFlow

void read_fit(const formats::Json& object, formats::Reading& reading, Workload& w) {
    formats::ObjectReader reader(object, "fit", reading);
    w.batch_size = reader.integer("batch_size", w.batch_size, 1);
    if (w.batch_size > formats::most_setting)
        reader.fail("batch_size", "expects at most " + std::to_string(formats::most_setting),
                    "use a smaller batch");
    w.epochs = reader.integer("epochs", 1, 1);
    w.steps_per_epoch = reader.integer("steps_per_epoch", 0);
    w.shuffle = reader.flag("shuffle", true);
    w.prefetch_depth = reader.integer("prefetch_depth", 3, 1);
    if (w.prefetch_depth > most_prefetched)
        reader.fail("prefetch_depth", "expects 1 to " + std::to_string(most_prefetched) + ", got " +
                                          std::to_string(w.prefetch_depth));
    reader.finish();
}

bool is_keras_model(const formats::Json& document) {
    return document.is_object() && document.contains("class_name") && document.contains("config");
}

void read_system(const formats::Json& system, formats::Reading& reading, Workload& w) {
    if (system.is_string()) {
        w.system = system.get<std::string>();
        return;
    }
    formats::ObjectReader s(system, "system", reading);
    w.system = s.text("name", "ipu");
    if (const formats::Json* busy = s.member("busy")) {
        for (const formats::Json& id : *busy)
            if (id.is_number_integer())
                w.busy.push_back(id.get<std::int32_t>());
            else
                s.fail("busy", "expects device ids, got " + id.dump());
    }
    if (s.has("streaming_bytes"))
        w.streaming_bytes = s.integer("streaming_bytes", 0, 1);
    else
        s.member("streaming_bytes");
    s.finish();
}

/// The workload's `compile`; what it leaves open is as the model's file was compiled, where there are data to
/// train on or evaluate.
formats::Json with_model_settings(const formats::Json* settings, const formats::Json& document,
                                  const Workload& w) {
    formats::Json merged = settings == nullptr ? formats::Json() : *settings;
    if (w.training.empty() || !document.contains("data") || !(merged.is_object() || merged.is_null()))
        return merged;
    formats::Json saved = keras::compile_settings(w.training);
    if (merged.contains("loss"))
        saved.erase("from_logits");
    saved.update(merged.is_null() ? formats::Json::object() : merged);
    return saved;
}

Workload read_document(const formats::Json& document, formats::Reading& reading) {
    Workload w;
    w.path = reading.file;
    formats::ObjectReader root(document, "", reading);
    root.member("$schema");
    root.member("description");
    w.name = root.text("name", fs::path(w.path).stem().string());
    const std::string device = root.text("device", to_string(w.device));
    if (const auto known = parse<RunDevice>(device))
        w.device = *known;
    else
        root.fail("device", "there is no device \"" + device + "\"", "use \"ipu\" or \"cpu\"");
    w.seed = static_cast<std::uint64_t>(root.integer("seed", 1));
    if (const formats::Json* system = root.member("system"))
        read_system(*system, reading, w);
    read_model(root, reading, w);
    if (const formats::Json* config = root.member("ipu_config"))
        read_ipu_config(*config, reading, w);
    if (const formats::Json* data = root.member("data")) {
        formats::ObjectReader reader(*data, "data", reading);
        if (const formats::Json* train = reader.member("train"))
            w.train = read_data(*train, "data.train", reading);
        if (const formats::Json* evaluate = reader.member("evaluate"))
            w.evaluate = read_data(*evaluate, "data.evaluate", reading);
        if (const formats::Json* bytes = reader.member("eight_bit_io"))
            read_eight_bit_io(*bytes, reader, reading, w);
        reader.finish();
    }
    const formats::Json* settings = root.member("compile");
    if (const formats::Json merged = with_model_settings(settings, document, w); !merged.is_null())
        read_compile(merged, reading, w);
    if (const formats::Json* pipeline = root.member("pipeline"))
        read_pipeline(*pipeline, reading, w);
    if (const formats::Json* fit = root.member("fit"))
        read_fit(*fit, reading, w);
    if (w.offload_weight_update_variables && !w.pipeline && w.accumulation == 1)
        root.fail("compile.offload_weight_update_variables",
                  "is an option of pipelines and of gradient accumulation, and there is neither",
                  "remove it, or set compile.gradient_accumulation_steps_per_replica");
    if (!reading.error)
        check_list_lengths(document, root, w);
    if (w.automatic_stages > 0 &&
        std::any_of(w.dtypes.begin(), w.dtypes.end(), [](const auto& rule) { return rule.part.by_stage(); }))
        root.fail("model.dtype", "is told by stage, and where a stage begins depends on it",
                  std::string("name the layers with which ") +
                      (w.pipeline ? "stages begin (pipeline.stages)" : "shards begin (model.shards)"));
    root.finish();
    return w;
}

} // namespace

Result<void> check_model_kind(const std::string& path) {
    struct Kind {
        const char* extension;
        const char* what;
        const char* remedy;
    };
    const char* from_keras =
        "save the Keras model with model.save(\"model.h5\") or as model.to_json(), and give "
        "that file";
    const char* from_tensorflow =
        "convert it to ONNX: python -m tf2onnx.convert --saved-model DIR --output model.onnx (--graphdef "
        "FILE for a "
        "frozen graph), or save the Keras model with model.save(\"model.h5\"), and give that file";
    const char* from_script = "run it: tilescope run SCRIPT.py";
    const char* from_torch = "export the model with torch.onnx.export, and give the .onnx file";
    const std::array<Kind, 5> kinds{
        {{".py", "a Python script is no workload", from_script},
         {".ipynb", "a notebook is not run here", from_keras},
         {".pb", "TensorFlow's graphs and SavedModels are not read", from_tensorflow},
         {".pt", "PyTorch's own files are not read", from_torch},
         {".pth", "PyTorch's own files are not read", from_torch}}};
    std::error_code ignored;
    const std::string extension =
        fs::exists(fs::path(path) / "saved_model.pb", ignored) ? ".pb" : fs::path(path).extension().string();
    for (const Kind& kind : kinds)
        if (extension == kind.extension && fs::exists(path, ignored))
            return bad_input(kind.what, path, kind.remedy);
    return {};
}

namespace {

/// A workload's document; a bare model is one that has nothing else.
Result<formats::Json> read_json_workload(const std::string& path) {
    const auto bare = [&](formats::Json model) {
        return formats::Json{{"name", fs::path(path).stem().string()},
                             {"model", {{"keras", std::move(model)}}}};
    };
    if (onnx::is_onnx_file(path))
        return formats::Json{{"name", fs::path(path).stem().string()},
                             {"model", {{"onnx", fs::path(path).filename().string()}}}};
    if (keras::is_binary_keras_file(path))
        return bare(fs::path(path).filename().string());
    TRY(check_model_kind(path));
    TRY(const auto text, formats::read_text(path));
    auto document = formats::parse_json(text, path);
    if (document && is_keras_model(*document))
        return bare(std::move(*document));
    return document;
}

Result<Workload> complete_workload(formats::Json document, const std::string& path,
                                   const Overrides& overrides) {
    for (const std::string& text_override : overrides)
        TRY(apply_override(document, text_override));
    formats::Reading reading{path, {}, {}};
    Workload workload = read_document(document, reading);
    if (reading.error)
        return Failure(std::move(*reading.error));
    return workload;
}

} // namespace

Result<Workload> read_workload(const std::string& path, const Overrides& overrides) {
    TRY(auto document, read_json_workload(path));
    return complete_workload(std::move(document), path, overrides);
}

Result<Workload> parse_workload(const std::string& text, const std::string& place,
                                const Overrides& overrides) {
    TRY(auto document, formats::parse_json(text, place));
    return complete_workload(std::move(document), place, overrides);
}

std::vector<std::string> known_keys() {
    // What is asked for while a document is read that has every object there is.
    const formats::Json every_object = {
        {"system", formats::Json::object()},
        {"model",
         {{"keras", formats::Json::object()}, {"dtype", formats::Json::array({formats::Json::object()})}}},
        {"graph",
         {{"nodes", {formats::Json::object()}},
          {"feeds", {{"*", formats::Json::object()}}},
          {"expect", {{"*", formats::Json::object()}}}}},
        {"ipu_config",
         {{"ipu_model", formats::Json::object()},
          {"optimizations", formats::Json::object()},
          {"floating_point_behaviour", formats::Json::object()},
          {"norms", {{"experimental", formats::Json::object()}}},
          {"io_tiles", formats::Json::object()},
          {"allow_recompute", formats::Json::array({formats::Json::object()})},
          {"products", formats::Json::array({formats::Json::object()})}}},
        {"data",
         {{"train", formats::Json::object()},
          {"evaluate", formats::Json::object()},
          {"eight_bit_io", formats::Json::object()}}},
        {"compile", {{"optimizer", {{"learning_rate", formats::Json::object()}}}}},
        {"pipeline", {{"stages", formats::Json::object()}}},
        {"fit", formats::Json::object()}};
    formats::Reading reading;
    read_document(every_object, reading);
    read_small_graph(every_object["graph"], reading);
    std::vector<std::string> keys;
    for (std::string key : reading.keys) {
        if (const std::size_t first = key.find("[0]"); first != std::string::npos)
            key.erase(first, 3); // one of a list
        keys.push_back(std::move(key));
    }
    return keys;
}

namespace {

formats::Json data_json(const DataSpec& d) {
    if (d.fed)
        return {{"fed", true}, {"samples", d.samples}};
    formats::Json data{{"one_hot", d.one_hot}, {"samples", d.samples}};
    if (!d.file.empty()) {
        data["file"] = fs::absolute(d.file).string();
        if (!d.labels.empty())
            data["labels"] = fs::absolute(d.labels).string();
        if (!d.image_size.empty())
            data["image_size"] = d.image_size;
        data.update({{"channels", d.channels}, {"sequence", d.sequence}, {"vocabulary", d.vocabulary}});
    } else if (!d.random.empty()) {
        data.update({{"random", d.random}, {"classes", d.classes}});
    } else {
        data.update({{"idx", d.idx}, {"synthetic", d.synthetic}, {"allow_synthetic", d.allow_synthetic}});
    }
    return data;
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
    const std::int64_t used =
        device_mapping.empty() ? stages() : static_cast<std::int64_t>(mapped_ipus().size());
    while (count < used)
        count *= 2;
    return count;
}

std::int64_t Workload::replicas() const {
    return device == RunDevice::Ipu ? ipus() / std::max<std::int64_t>(1, ipus_per_model()) : 1;
}

program::Schedule Workload::schedule() const {
    program::Schedule schedule;
    schedule.ipus_per_replica = static_cast<std::int32_t>(ipus_per_model());
    schedule.stage_ipus = stage_ipus();
    if (!trains())
        return schedule;
    schedule.steps_per_execution = steps_per_execution;
    schedule.replicas = static_cast<std::int32_t>(replicas());
    schedule.accumulation = accumulation;
    if (accumulation > 1) // a pipeline of one micro-batch is its stages in turn
        schedule.pipeline = pipeline;
    return schedule;
}

std::vector<std::int32_t> Workload::mapped_ipus() const {
    std::vector<std::int32_t> ipus;
    for (const std::int32_t ipu : device_mapping)
        if (std::find(ipus.begin(), ipus.end(), ipu) == ipus.end())
            ipus.push_back(ipu);
    return ipus;
}

bool Workload::recomputes() const {
    return allow_recompute || std::any_of(recompute_parts.begin(), recompute_parts.end(),
                                          [](const ForPart<bool>& rule) { return rule.value; });
}

std::vector<std::int32_t> Workload::stages_on(const std::vector<std::int32_t>& ipus) const {
    std::vector<std::int32_t> result;
    for (std::int32_t stage = 0; stage < stages(); ++stage) {
        const std::int32_t ipu =
            device_mapping.empty() ? stage : device_mapping.at(static_cast<std::size_t>(stage));
        if (std::find(ipus.begin(), ipus.end(), ipu) != ipus.end())
            result.push_back(stage);
    }
    return result;
}

PartOfModel Workload::on_stages(PartOfModel part) const {
    if (part.ipus.empty())
        return part;
    std::vector<std::int32_t> both;
    for (const std::int32_t stage : stages_on(std::exchange(part.ipus, {})))
        if (part.stages.empty() ||
            std::find(part.stages.begin(), part.stages.end(), stage) != part.stages.end())
            both.push_back(stage);
    if (both.empty())
        both.push_back(-1); // none
    part.stages = std::move(both);
    return part;
}

std::vector<std::int32_t> Workload::stage_ipus() const {
    const std::vector<std::int32_t> ipus = mapped_ipus();
    std::vector<std::int32_t> result;
    for (const std::int32_t ipu : device_mapping)
        result.push_back(static_cast<std::int32_t>(std::find(ipus.begin(), ipus.end(), ipu) - ipus.begin()));
    return result;
}

std::string Workload::canonical_json() const {
    formats::Json document{{"name", name},
                           {"device", to_string(device)},
                           {"seed", seed},
                           {"system", {{"name", system}, {"busy", busy}}}};
    if (streaming_bytes)
        document["system"]["streaming_bytes"] = *streaming_bytes;
    if (!graph.empty())
        document["graph"] = formats::Json::parse(graph);
    else if (onnx)
        document["model"] = {{"onnx", onnx_path}, {"dimensions", dimensions}};
    else
        document["model"]["keras"] = formats::Json::parse(keras, nullptr, false);
    if (!weights.empty())
        document["model"]["weights"] = fs::absolute(weights).string();
    if (!checkpoints.empty())
        document["model"]["recomputation_checkpoints"] = checkpoints;
    if (!dtypes.empty())
        document["model"]["dtype"] = parts_json(dtypes, "dtype");
    for (const auto& [layer, index] : shards)
        (pipeline ? document["pipeline"]["stages"] : document["model"]["shards"])[layer] = index;
    if (automatic_stages > 0)
        (pipeline ? document["pipeline"]["stages"] : document["model"]["shards"]) = automatic_stages;
    if (pipeline) {
        document["pipeline"]["schedule"] = to_string(*pipeline);
        document["pipeline"]["gradient_accumulation_steps_per_replica"] = accumulation;
        if (!device_mapping.empty())
            document["pipeline"]["device_mapping"] = device_mapping;
        if (recompute_piecewise)
            document["pipeline"]["recomputation_mode"] = recomputation_mode(*recompute_piecewise);
    }
    document["ipu_config"] = ipu_config_json(*this);
    if (train)
        document["data"]["train"] = data_json(*train);
    if (evaluate)
        document["data"]["evaluate"] = data_json(*evaluate);
    if (eight_bit_io)
        document["data"]["eight_bit_io"] = eight_bit_io_json(*eight_bit_io);
    document["compile"] = {
        {"optimizer", optimiser_json(*this)},
        {"loss_scale", loss_scale},
        {"loss", output_losses.empty() ? formats::Json(loss) : formats::Json(output_losses)},
        {"from_logits", from_logits},
        {"metrics", metrics},
        {"gradient_accumulation_steps_per_replica", pipeline ? 1 : accumulation},
        {"gradient_reduction", reductions.at(gradient_reduction)},
        {"global_step", to_string(global_step)},
        {"steps_per_execution", steps_per_execution}};
    formats::Json& places = document[pipeline ? "pipeline" : "compile"];
    places["offload_weight_update_variables"] = offload_weight_update_variables;
    places["offload_weights"] = offload_weights;
    if (pipeline)
        places["offload_activations"] = offload_activations;
    places["replicated_optimizer_state_sharding"] = replicated_optimizer_state_sharding;
    places["replicated_weight_sharding"] = replicated_weight_sharding;
    if (!loss_weights.empty())
        document["compile"]["loss_weights"] = loss_weights;
    document["fit"] = {{"batch_size", batch_size},
                       {"epochs", epochs},
                       {"steps_per_epoch", steps_per_epoch},
                       {"shuffle", shuffle},
                       {"prefetch_depth", prefetch_depth}};
    return document.dump();
}

} // namespace tilescope::workload
