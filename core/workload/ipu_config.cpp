// SPDX-License-Identifier: GPL-3.0-or-later
#include "ipu_config.h"

#include "base/text.h"
#include "ipu/system.h"
#include "parts.h"

#include <set>
#include <utility>

namespace tilescope::workload {
namespace {

/// Of "optimizations".
constexpr std::pair<const char*, std::int64_t Workload::*> buffer_sizes[] = {
    {"maximum_cross_replica_sum_buffer_size", &Workload::maximum_cross_replica_sum_buffer_size},
    {"maximum_reduce_scatter_buffer_size", &Workload::maximum_reduce_scatter_buffer_size},
    {"maximum_all_gather_buffer_size", &Workload::maximum_all_gather_buffer_size}};

constexpr std::int64_t most_devices = 65'535; ///< more than any system has

/// A number, or a list of one or more.
std::vector<std::int64_t> read_numbers(formats::ObjectReader& reader, const char* key, std::int64_t least,
                                       const std::string& remedy) {
    const formats::Json* value = reader.member(key);
    std::vector<std::int64_t> numbers;
    if (value == nullptr)
        return numbers;
    const formats::Json list = value->is_array() ? *value : formats::Json::array({*value});
    for (const formats::Json& number : list)
        if (number.is_number_integer() && number.get<std::int64_t>() >= least &&
            number.get<std::int64_t>() <= most_devices)
            numbers.push_back(number.get<std::int64_t>());
        else
            reader.fail(key,
                        "expects whole numbers from " + std::to_string(least) + " to " +
                            count_text(most_devices) + ", got " + number.dump(),
                        remedy);
    if (list.empty())
        reader.fail(key, "the list is empty", remedy);
    return numbers;
}

/// IPUs of the device with this id; 1 where the system has none, which attaching tells.
std::int64_t ipus_of(const std::string& system, std::int64_t id) {
    const auto found = ipu::find_system(system);
    const ipu::Device* device = found ? found->find(static_cast<std::int32_t>(id)) : nullptr;
    return device == nullptr ? 1 : static_cast<std::int64_t>(device->members.size());
}

void read_devices(formats::ObjectReader& reader, Workload& w) {
    const auto counts =
        read_numbers(reader, "auto_select_ipus", 1, "for example 4, or [2, 2] for two devices");
    const auto ids = read_numbers(reader, "select_ipus", 0, "for example 24, or [24, 25] for two devices");
    if (!counts.empty() && !ids.empty())
        reader.fail("select_ipus", "auto_select_ipus and select_ipus are both given", "remove one of them");
    if (std::set<std::int64_t>(ids.begin(), ids.end()).size() != ids.size())
        reader.fail("select_ipus", "a device is selected twice", "name each id once");
    w.devices.clear();
    for (const std::int64_t count : counts)
        w.devices.push_back({count, any_device});
    for (const std::int64_t id : ids)
        w.devices.push_back({ipus_of(w.system, id), static_cast<std::int32_t>(id)});
    if (w.devices.empty())
        w.devices.push_back({});
}

void read_model(const formats::Json& model, const std::string& path, formats::Reading& reading, Workload& w) {
    formats::ObjectReader m(model, path, reading);
    w.target_version = m.text("version", "ipu2");
    for (const ipu::TargetFigure& figure : ipu::target_figures())
        if (m.has(figure.name))
            w.target.figures[figure.name] =
                figure.whole ? static_cast<double>(m.integer(figure.name, 0)) : m.real(figure.name, 0);
    w.target.compile_ipu_code = m.flag("compile_ipu_code", true);
    for (const ipu::TargetFigure& figure : ipu::target_figures())
        m.member(figure.name);
    m.finish();
}

std::optional<double> proportion_of(const formats::Json& value, formats::ObjectReader& reader) {
    if (value.is_number() && value.get<double>() > 0 && value.get<double>() <= 1)
        return value.get<double>();
    reader.fail("available_memory_proportion", "expects a number above 0 and up to 1, got " + value.dump());
    return std::nullopt;
}

std::optional<bool> half_partials_of(const formats::Json& value, formats::ObjectReader& reader) {
    if (value == "float32" || value == "float16")
        return value == "float16";
    reader.fail("partials_type", "expects float32 or float16, got " + value.dump());
    return std::nullopt;
}

/// A setting of all products; a list of one for each IPU becomes rules.
template<class Read>
auto read_by_ipu(
    formats::ObjectReader& reader, const char* key, const Read& read, Workload& w,
    std::invoke_result_t<Read, const formats::Json&, formats::ObjectReader&> ipu::PlanningRule::*set) {
    std::invoke_result_t<Read, const formats::Json&, formats::ObjectReader&> all;
    const formats::Json* given = reader.member(key);
    if (given == nullptr)
        return all;
    if (!given->is_array())
        return read(*given, reader);
    if (given->empty())
        reader.fail(key, "the list is empty", "give one value for each IPU");
    for (std::size_t i = 0; i < given->size(); ++i) {
        ipu::PlanningRule rule;
        rule.part.ipus = {static_cast<std::int32_t>(i)};
        rule.*set = read((*given)[i], reader);
        w.planning.rules.push_back(std::move(rule));
    }
    return all;
}

void read_rule(const formats::Json& rule, const std::string& path, formats::Reading& reading, Workload& w) {
    formats::ObjectReader reader(rule, path, reading);
    ipu::PlanningRule result;
    if (reader.member("of") != nullptr) {
        const std::string of = reader.text("of");
        result.of = parse<ipu::ProductKind>(of);
        if (!result.of)
            reader.fail("of", "there are no products \"" + of + "\"", "use convolutions or matmuls");
    }
    result.part = read_part(reader);
    result.passes =
        read_each(reader, "passes", "forward, backward and update", [](const formats::Json& pass) {
            const auto phase = pass.is_string() ? parse<Phase>(pass.get<std::string>()) : std::nullopt;
            return phase == Phase::Recompute ? std::nullopt : phase;
        });
    if (const formats::Json* proportion = reader.member("available_memory_proportion"))
        result.available_memory_proportion = proportion_of(*proportion, reader);
    if (const formats::Json* partials = reader.member("partials_type"))
        result.half_partials = half_partials_of(*partials, reader);
    if (reader.member("gather_output") != nullptr)
        result.gather_output = reader.flag("gather_output", false);
    if (reader.member("clear_pass_type") != nullptr)
        result.clear_pass_type = reader.flag("clear_pass_type", false);
    if (!reading.error && !result.available_memory_proportion && !result.half_partials &&
        !result.gather_output && !result.clear_pass_type)
        reader.fail("available_memory_proportion", "the rule sets nothing",
                    "give it, partials_type, gather_output or clear_pass_type");
    reader.finish();
    w.planning.rules.push_back(std::move(result));
}

void read_rules(const formats::Json& rules, const std::string& path, formats::ObjectReader& config,
                formats::Reading& reading, Workload& w) {
    if (!rules.is_array())
        config.fail("products", "expects a list of rules, got " + rules.dump());
    else
        for (std::size_t i = 0; i < rules.size(); ++i)
            read_rule(rules[i], path + "[" + std::to_string(i) + "]", reading, w);
}

/// Of all, or of stages or layers.
void read_recompute(formats::ObjectReader& config, const std::string& path, formats::Reading& reading,
                    Workload& w) {
    w.allow_recompute = false;
    w.recompute_parts.clear();
    const formats::Json* given = config.member("allow_recompute");
    if (given == nullptr || !given->is_array()) {
        w.allow_recompute = config.flag("allow_recompute", false);
        return;
    }
    w.recompute_parts =
        read_parts<bool>(*given, "allow_recompute", config, path + ".allow_recompute", reading,
                         "true or false", [](const formats::Json& value) {
                             return value.is_boolean() ? std::optional(value.get<bool>()) : std::nullopt;
                         });
}

formats::Json rule_json(const ipu::PlanningRule& rule) {
    formats::Json json = formats::Json::object();
    if (rule.of)
        json["of"] = to_string(*rule.of);
    write_part(rule.part, json);
    for (const Phase pass : rule.passes)
        json["passes"].push_back(to_string(pass));
    if (rule.available_memory_proportion)
        json["available_memory_proportion"] = *rule.available_memory_proportion;
    if (rule.half_partials)
        json["partials_type"] = *rule.half_partials ? "float16" : "float32";
    if (rule.gather_output)
        json["gather_output"] = *rule.gather_output;
    if (rule.clear_pass_type)
        json["clear_pass_type"] = *rule.clear_pass_type;
    return json;
}

constexpr const char* norm_replicas_key = "distributed_batch_norm_replica_group_size";

void read_norms(const formats::Json& norms, const std::string& path, formats::Reading& reading, Workload& w) {
    formats::ObjectReader reader(norms, path, reading);
    if (const formats::Json* experimental = reader.member("experimental")) {
        formats::ObjectReader e(*experimental, path + ".experimental", reading);
        w.norm_replicas = e.integer(norm_replicas_key, 1, 1);
        e.finish();
    }
    reader.finish();
}

void read_floating_point(const formats::Json& behaviour, const std::string& path, formats::Reading& reading,
                         Workload& w) {
    formats::ObjectReader reader(behaviour, path, reading);
    const std::string rounding = reader.text("esr", to_string(w.rounding));
    if (const auto known = parse<StochasticRounding>(rounding))
        w.rounding = *known;
    else
        reader.fail("esr", "there is no stochastic rounding \"" + rounding + "\"",
                    "use OFF, ON or REPLICA_IDENTICAL_ONLY");
    reader.finish();
}

/// As IPUConfig.io_tiles, with its rules (IPU TensorFlow, driver/poplar_compiler.cc, python/ipu/config.py).
void read_io_tiles(const formats::Json& tiles, const std::string& path, formats::Reading& reading,
                   Workload& w) {
    constexpr std::int64_t most = 192;
    formats::ObjectReader reader(tiles, path, reading);
    w.num_io_tiles = reader.integer("num_io_tiles", 0, 0);
    if (w.num_io_tiles > most)
        reader.fail("num_io_tiles", "expects 0 to " + std::to_string(most) + " tiles of each IPU, got " +
                                        std::to_string(w.num_io_tiles));
    w.place_ops_on_io_tiles = reader.flag("place_ops_on_io_tiles", false);
    if (w.place_ops_on_io_tiles && w.num_io_tiles == 0)
        reader.fail("place_ops_on_io_tiles", "there are no I/O tiles to place anything on",
                    "set num_io_tiles to 2 … 192, or remove it");
    if (const formats::Json* proportion = reader.member("available_memory_proportion"))
        w.io_tiles_memory_proportion =
            proportion_of(*proportion, reader).value_or(w.io_tiles_memory_proportion);
    reader.finish();
}

void read_one(const formats::Json& config, const std::string& path, formats::Reading& reading, Workload& w) {
    formats::ObjectReader reader(config, path, reading);
    read_devices(reader, w);
    const std::string order = reader.text("selection_order", "AUTO");
    if (const auto known = ipu::selection_order(order))
        w.selection_order = *known;
    else
        reader.fail("selection_order", "there is no selection order \"" + order + "\"",
                    "use AUTO, ZIGZAG, SNAKE or HOOF");
    w.planning = {};
    w.planning.all.available_memory_proportion =
        read_by_ipu(reader, "available_memory_proportion", proportion_of, w,
                    &ipu::PlanningRule::available_memory_proportion)
            .value_or(w.planning.all.available_memory_proportion);
    w.planning.all.half_partials =
        read_by_ipu(reader, "partials_type", half_partials_of, w, &ipu::PlanningRule::half_partials)
            .value_or(false);
    read_recompute(reader, path, reading, w);
    if (const formats::Json* products = reader.member("products"))
        read_rules(*products, path + ".products", reader, reading, w);
    w.target_version = "ipu2";
    w.target = {};
    if (const formats::Json* model = reader.member("ipu_model"))
        read_model(*model, path + ".ipu_model", reading, w);
    for (const auto& [name, bytes] : buffer_sizes)
        w.*bytes = 0;
    if (const formats::Json* optimizations = reader.member("optimizations")) {
        formats::ObjectReader o(*optimizations, path + ".optimizations", reading);
        for (const auto& [name, bytes] : buffer_sizes)
            w.*bytes = o.integer(name, 0);
        o.finish();
    }
    w.norm_replicas = 1;
    if (const formats::Json* norms = reader.member("norms"))
        read_norms(*norms, path + ".norms", reading, w);
    w.rounding = StochasticRounding::Off;
    if (const formats::Json* behaviour = reader.member("floating_point_behaviour"))
        read_floating_point(*behaviour, path + ".floating_point_behaviour", reading, w);
    w.num_io_tiles = 0;
    w.place_ops_on_io_tiles = false;
    w.io_tiles_memory_proportion = 0.9;
    if (const formats::Json* tiles = reader.member("io_tiles"))
        read_io_tiles(*tiles, path + ".io_tiles", reading, w);
    if (w.num_io_tiles > 0 && w.norm_replicas > 1)
        reader.fail("io_tiles",
                    std::string("norms.experimental.") + norm_replicas_key +
                        " is not supported with I/O tiles",
                    "remove one of them");
    reader.finish();
}

} // namespace

void read_ipu_config(const formats::Json& config, formats::Reading& reading, Workload& workload) {
    if (!config.is_array()) {
        read_one(config, "ipu_config", reading, workload);
        return;
    }
    if (config.empty())
        formats::ObjectReader(formats::Json::object(), "", reading)
            .fail("ipu_config", "the list of configurations is empty", "give one, or remove the key");
    for (std::size_t i = 0; i < config.size(); ++i)
        read_one(config[i], "ipu_config[" + std::to_string(i) + "]", reading, workload);
    workload.configurations = static_cast<std::int64_t>(config.size());
}

formats::Json ipu_config_json(const Workload& w) {
    const bool automatic = w.devices.front().id == any_device;
    std::vector<std::int64_t> numbers;
    for (const VirtualDevice& device : w.devices)
        numbers.push_back(automatic ? device.ipus : device.id);
    formats::Json optimizations = formats::Json::object();
    for (const auto& [name, bytes] : buffer_sizes)
        optimizations[name] = w.*bytes;
    formats::Json config{
        {"selection_order", ipu::to_string(w.selection_order)},
        {"available_memory_proportion", w.planning.all.available_memory_proportion},
        {"allow_recompute", w.recompute_parts.empty() ? formats::Json(w.allow_recompute)
                                                      : parts_json(w.recompute_parts, "allow_recompute")},
        {"partials_type", w.planning.all.half_partials ? "float16" : "float32"},
        {"optimizations", std::move(optimizations)},
        {"io_tiles",
         {{"num_io_tiles", w.num_io_tiles},
          {"place_ops_on_io_tiles", w.place_ops_on_io_tiles},
          {"available_memory_proportion", w.io_tiles_memory_proportion}}},
        {"norms", {{"experimental", {{norm_replicas_key, w.norm_replicas}}}}},
        {"ipu_model",
         {{"version", w.target_version}, {"compile_ipu_code", w.target.compile_ipu_code.value_or(true)}}}};
    if (w.rounding != StochasticRounding::Off)
        config["floating_point_behaviour"]["esr"] = to_string(w.rounding);
    for (const ipu::PlanningRule& rule : w.planning.rules)
        config["products"].push_back(rule_json(rule));
    config[automatic ? "auto_select_ipus" : "select_ipus"] =
        numbers.size() == 1 ? formats::Json(numbers.front()) : formats::Json(numbers);
    for (const auto& [figure, value] : w.target.figures)
        config["ipu_model"][figure] = value;
    return config;
}

} // namespace tilescope::workload
