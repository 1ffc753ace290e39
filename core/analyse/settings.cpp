// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/settings.h"

#include "analyse/parameters.h"
#include "base/text.h"
#include "json_text.h"
#include "setting_order.h"

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>

namespace tilescope::analyse {
namespace {

using SortedJson = nlohmann::json;
using Settings = std::map<std::string, SortedJson>; ///< by dotted key

struct KnownSetting {
    const char* key;
    const char* name;
    FigureUnit unit = FigureUnit::None;
};

/// What weighs most first; the other keys follow in alphabetical order under their own names.
constexpr std::array known_settings{
    KnownSetting{"run.status", "status", FigureUnit::Words},
    KnownSetting{"run.estimate", "estimate"},
    KnownSetting{"run.trimmed", "trimmed to"},
    KnownSetting{"run.workload", "workload"},
    KnownSetting{"model.keras", "model"},
    KnownSetting{"model.onnx", "model"},
    KnownSetting{"graph", "graph"},
    KnownSetting{"device", "device"},
    KnownSetting{"target.generation", "generation"},
    KnownSetting{"target.system", "system"},
    KnownSetting{"target.ipus", "IPUs"},
    KnownSetting{"target.tiles_per_ipu", "tiles"},
    KnownSetting{"target.bytes_per_tile", "memory of a tile", FigureUnit::Bytes},
    KnownSetting{"target.clock_hz", "clock", FigureUnit::Hz},
    KnownSetting{"ipu_config.io_tiles.num_io_tiles", "I/O tiles"},
    KnownSetting{"ipu_config.floating_point_behaviour.esr", "stochastic rounding"},
    KnownSetting{"fit.batch_size", "batch"},
    KnownSetting{"fit.epochs", "epochs"},
    KnownSetting{"fit.steps_per_epoch", "steps per epoch"},
    KnownSetting{"compile.steps_per_execution", "steps per execution"},
    KnownSetting{"pipeline.schedule", "schedule"},
    KnownSetting{"seed", "seed"},
    KnownSetting{"run.data_note", "data"},
    KnownSetting{"run.tool_version", "tool version"}};

/// Models and graphs are compared as a whole, and so are the maps from layers to stages.
bool is_leaf(const std::string& key, const SortedJson& value) {
    constexpr std::array whole{"model.keras", "graph", "pipeline.stages", "model.shards"};
    return !value.is_object() || std::find(whole.begin(), whole.end(), key) != whole.end();
}

void flatten(const SortedJson& value, const std::string& key, Settings& out) {
    if (is_leaf(key, value)) {
        out[key] = value;
        return;
    }
    for (const auto& [name, inner] : value.items())
        flatten(inner, key.empty() ? name : std::string(key).append(".").append(name), out);
}

/// The workload as it was read, with every default, and what came of it.
Settings settings_of(const profile::RunRecord& run, const profile::TargetRecord& target) {
    Settings all;
    if (const SortedJson workload = read_json(run.workload); workload.is_object())
        flatten(workload, "", all);
    for (const char* told_by_the_target :
         {"name", "system.name", "ipu_config.ipu_model.version", "ipu_config.ipu_model.tiles_per_ipu",
          "ipu_config.ipu_model.bytes_per_tile", "ipu_config.ipu_model.clock_hz"})
        all.erase(told_by_the_target);
    all["run.status"] = profile::to_string(run.status);
    all["run.estimate"] = run.estimate;
    all["run.workload"] = run.name;
    all["run.data_note"] = run.data_note;
    all["run.trimmed"] = run.trimmed;
    all["run.tool_version"] = run.tool_version;
    if (target.tiles_per_ipu == 0)
        return all;
    all["target.generation"] = target.generation;
    all["target.system"] = target.system;
    all["target.ipus"] = target.ipus;
    all["target.tiles_per_ipu"] = target.tiles_per_ipu;
    all["target.bytes_per_tile"] = target.bytes_per_tile;
    all["target.clock_hz"] = target.clock_hz;
    return all;
}

/// A model or a graph is too large to be told here: its size stands for it.
std::string size_of(const Summary& s) {
    const auto layers = std::count_if(s.layers.begin(), s.layers.end(),
                                      [](const LayerCost& layer) { return !layer.name.empty(); });
    return SortedJson(counted_text(layers, "layer") + ", " +
                      counted_text(parameters_of(s.layers), "parameter"))
        .dump();
}

std::string told(const SortedJson& value) {
    return value.is_string()                                   ? value.get<std::string>()
           : value.is_object() && value.contains("class_name") ? told(value["class_name"])
                                                               : value.dump();
}

/// What stands there in a document; null: nothing does.
const SortedJson& inside(const SortedJson& json, const char* pointer) {
    static const SortedJson nothing;
    const SortedJson::json_pointer where(pointer);
    return json.contains(where) ? json[where] : nothing;
}

/// Of Keras models of as many layers: what the layers have otherwise but for their names, on both sides:
/// "conv2d: activation relu".
std::vector<std::array<std::string, 2>> layer_settings(const SortedJson& base, const SortedJson& now) {
    const SortedJson &before = inside(base, "/config/layers"), &after = inside(now, "/config/layers");
    std::vector<std::array<std::string, 2>> all;
    if (!before.is_array() || !after.is_array() || before.size() != after.size())
        return all;
    for (std::size_t i = 0; i < before.size(); ++i) {
        const SortedJson &a = inside(before[i], "/config"), &b = inside(after[i], "/config");
        if (!a.is_object() || !b.is_object())
            continue;
        const std::string layer = b.contains("name") ? told(b["name"]) + ": " : std::string();
        SortedJson both = b;
        both.update(a); // what one side has alone is null on the other
        for (const auto& [key, one] : both.items()) {
            const SortedJson was = a.value(key, SortedJson()), is = b.value(key, SortedJson());
            if (key == "name" || was == is)
                continue;
            const bool alike = told(was) == told(is); // what differs lies deeper
            const std::string what = layer + key + " ";
            all.push_back({what + (alike ? was.dump() : told(was)), what + (alike ? is.dump() : told(is))});
        }
    }
    return all;
}

/// The sizes of two models, and where these are the same what else differs first.
SettingDifference model_difference(const KnownSetting& known, const SortedJson& a, const SortedJson& b,
                                   const Summary& base, const Summary& now) {
    SettingDifference d{known.key, known.name, known.unit, a.is_null() ? "null" : size_of(base),
                        b.is_null() ? "null" : size_of(now)};
    if (d.base != d.now)
        return d;
    const auto others = layer_settings(a, b);
    if (others.empty())
        return d;
    const auto more = static_cast<std::int64_t>(others.size()) - 1;
    const std::string rest = more > 0 ? ", and " + counted_text(more, "other setting") : std::string();
    d.base = SortedJson(others.front()[0]).dump();
    d.now = SortedJson(others.front()[1] + rest).dump();
    return d;
}

std::string size_of(const SortedJson& graph) {
    const bool nodes = graph.is_object() && graph.contains("nodes");
    return nodes ? SortedJson(count_text(static_cast<std::int64_t>(graph["nodes"].size())) + " nodes").dump()
                 : "null";
}

} // namespace

bool weighs_more(const std::string& a, const std::string& b) {
    const auto place = [](const std::string& key) {
        return std::find_if(known_settings.begin(), known_settings.end(),
                            [&](const KnownSetting& known) { return key == known.key; });
    };
    return std::pair(place(a), a) < std::pair(place(b), b);
}

std::vector<Setting> settings(const profile::RunRecord& run, const profile::TargetRecord& target) {
    Settings all = settings_of(run, target);
    for (const char* whole : {"model.keras", "graph"})
        all.erase(whole);
    std::vector<Setting> result;
    const auto take = [&](const std::string& key, const char* name, FigureUnit unit) {
        if (const auto found = all.find(key); found != all.end()) {
            result.push_back({key, name, unit, found->second.dump()});
            all.erase(found);
        }
    };
    for (const KnownSetting& known : known_settings)
        take(known.key, known.name, known.unit);
    while (!all.empty()) {
        const std::string key = all.begin()->first;
        take(key, key.c_str(), FigureUnit::None);
    }
    return result;
}

std::vector<SettingDifference> setting_differences(const Summary& base, const Summary& now) {
    Settings before = settings_of(base.run, base.target);
    Settings after = settings_of(now.run, now.target);
    std::vector<SettingDifference> differences;
    const auto take = [&](const std::string& key, const char* name, FigureUnit unit) {
        const SortedJson a = before.contains(key) ? before[key] : SortedJson();
        const SortedJson b = after.contains(key) ? after[key] : SortedJson();
        before.erase(key);
        after.erase(key);
        if (a == b)
            return;
        if (key == "model.keras")
            differences.push_back(model_difference({key.c_str(), name, unit}, a, b, base, now));
        else if (key == "graph")
            differences.push_back({key, name, unit, size_of(a), size_of(b)});
        else
            differences.push_back({key, name, unit, a.dump(), b.dump()});
    };
    for (const KnownSetting& known : known_settings)
        take(known.key, known.name, known.unit);
    Settings rest = before;
    rest.insert(after.begin(), after.end());
    for (const auto& [key, value] : rest)
        take(key, key.c_str(), FigureUnit::None);
    return differences;
}

std::string setting_text(const std::string& json, FigureUnit unit) {
    const SortedJson value = read_json(json);
    if (value.is_null() || (value.is_string() && value.get_ref<const std::string&>().empty()))
        return "–";
    if (value.is_boolean())
        return value.get<bool>() ? "yes" : "no";
    if (unit == FigureUnit::Bytes)
        return bytes_text(value.get<double>());
    if (unit == FigureUnit::Hz)
        return clock_text(value.get<double>());
    const std::string text = value.is_string() ? value.get<std::string>() : json;
    return unit == FigureUnit::Words ? spaced_text(text) : text;
}

} // namespace tilescope::analyse
