// SPDX-License-Identifier: GPL-3.0-or-later
#include "small_graph.h"

#include "base/nearest_name.h"
#include "base/random.h"
#include "base/try.h"
#include "formats/json_reader.h"
#include "workload/workload.h"

#include <algorithm>
#include <map>
#include <variant>

namespace tilescope::workload {
namespace {

using graph::HostTensor;
using graph::Shape;
using graph::ValueId;

constexpr std::int64_t most_made_up = std::int64_t{1} << 26; ///< elements of a tensor

/// Numbers between -1 and 1 that depend on the tensor's name alone.
HostTensor made_up_values(graph::TensorType type, const std::string& name) {
    HostTensor tensor(std::move(type));
    const RandomStream random(0, name);
    for (std::int64_t i = 0; i < tensor.elements(); ++i)
        tensor.set(i, 2.0 * static_cast<double>(random.uniform(static_cast<std::uint64_t>(i))) - 1.0);
    tensor.round_to_type();
    return tensor;
}

/// Nested arrays of numbers as a tensor; the nesting is the shape.
HostTensor tensor_of(const formats::Json& json, const std::string& path, formats::Reading& reading) {
    graph::DType dtype = graph::DType::Float32;
    const formats::Json* values = &json;
    const auto fail = [&](std::string message, std::string remedy = {},
                          ErrorKind kind = ErrorKind::BadInput) {
        if (!reading.error)
            reading.error = Error{kind, std::move(message), reading.file + ": " + path, std::move(remedy)};
        return HostTensor(graph::TensorType{dtype, {}});
    };
    if (json.is_object()) {
        formats::ObjectReader reader(json, path, reading);
        const std::string name = reader.text("dtype", "float32");
        values = reader.member("values");
        const formats::Json* shape = reader.member("shape");
        reader.finish();
        const auto known = graph::dtype_from_string(name);
        if (!known)
            return fail("element type " + name + " is not supported on the device",
                        "use float32, float16, int32 or bool", ErrorKind::NotSupported);
        dtype = *known;
        if ((values == nullptr) == (shape == nullptr))
            return fail("expects either \"values\" or \"shape\"");
        if (shape != nullptr) {
            const bool valid =
                shape->is_array() && std::all_of(shape->begin(), shape->end(), [](const formats::Json& n) {
                    return n.is_number_unsigned() && n.get<std::uint64_t>() < (1U << 30);
                });
            const bool open = shape->is_array() &&
                              std::any_of(shape->begin(), shape->end(),
                                          [](const formats::Json& n) { return n.is_null() || n == -1; });
            if (open)
                return fail("\"shape\" leaves an extent open",
                            "shapes are fixed on the IPU: give each a number");
            if (!valid)
                return fail("\"shape\" is not a list of whole numbers");
            if (graph::element_count(shape->get<Shape>()) > most_made_up)
                return fail("\"shape\" is of more than " + std::to_string(most_made_up) + " elements",
                            "use a smaller tensor");
            return made_up_values({dtype, shape->get<Shape>()}, path.substr(path.rfind('.') + 1));
        }
    }
    Shape shape;
    for (const formats::Json* level = values; level->is_array(); level = &(*level)[0]) {
        shape.push_back(static_cast<std::int64_t>(level->size()));
        if (level->empty())
            break;
    }
    HostTensor tensor(graph::TensorType{dtype, shape});
    std::int64_t at = 0;
    bool regular = true;
    const auto fill = [&](const auto& self, const formats::Json& level, std::size_t depth) -> void {
        if (level.is_array()) {
            regular =
                regular && depth < shape.size() && static_cast<std::int64_t>(level.size()) == shape[depth];
            for (const formats::Json& part : level)
                if (regular)
                    self(self, part, depth + 1);
            return;
        }
        regular = regular && depth == shape.size() && (level.is_number() || level.is_boolean());
        if (regular)
            tensor.set(at++, level.is_boolean() ? (level.get<bool>() ? 1.0 : 0.0) : level.get<double>());
    };
    fill(fill, *values, 0);
    if (!regular)
        return fail("expects numbers in arrays of equal length");
    return tensor;
}

std::map<std::string, HostTensor> tensors_of(formats::ObjectReader& graph, const std::string& key,
                                             formats::Reading& reading) {
    std::map<std::string, HostTensor> tensors;
    const formats::Json* object = graph.member(key);
    if (object == nullptr)
        return tensors;
    if (!object->is_object())
        graph.fail(key, "expects an object of values by name, got " + object->dump());
    else
        for (const auto& [name, json] : object->items()) {
            std::string place = "graph.";
            place.append(key).append(".").append(name);
            tensors.emplace(name, tensor_of(json, place, reading));
        }
    return tensors;
}

std::vector<std::string> names_of(formats::ObjectReader& object, const std::string& key) {
    std::vector<std::string> names;
    const formats::Json* list = object.member(key);
    if (list == nullptr)
        return names;
    if (!list->is_array())
        object.fail(key, "expects a list of names, got " + list->dump());
    else
        for (const formats::Json& name : *list)
            names.push_back(name.is_string() ? name.get<std::string>() : name.dump());
    return names;
}

graph::Attributes attributes_of(formats::ObjectReader& node) {
    graph::Attributes result;
    const formats::Json* given = node.member("attributes");
    if (given == nullptr)
        return result;
    if (!given->is_object())
        node.fail("attributes", "expects an object, got " + given->dump());
    else
        for (const auto& [key, value] : given->items()) {
            const auto whole = [](const formats::Json& j) {
                return formats::is_count(j, -formats::most_setting);
            };
            const auto all = [&value = value](auto test) {
                return value.is_array() && std::all_of(value.begin(), value.end(), test);
            };
            if (value.is_boolean())
                result.set(key, value.get<bool>());
            else if (whole(value))
                result.set(key, value.get<std::int64_t>());
            else if (value.is_number_float())
                result.set(key, value.get<double>());
            else if (value.is_string())
                result.set(key, value.get<std::string>());
            else if (all(whole))
                result.set(key, value.get<std::vector<std::int64_t>>());
            else
                node.fail("attributes",
                          "attribute \"" + key +
                              "\" is neither a number, a text nor a list of whole numbers, or is beyond " +
                              std::to_string(formats::most_setting));
        }
    return result;
}

bool known_device(const std::string& device) {
    const std::string ipu = graph::ipu_device_prefix;
    const std::string number = device.starts_with(ipu) ? device.substr(ipu.size()) : std::string();
    return device.empty() || device == graph::host_device ||
           (!number.empty() && number.size() < 4 &&
            std::all_of(number.begin(), number.end(), [](char c) { return c >= '0' && c <= '9'; }));
}

Result<ValueId> add_node(graph::Builder& build, const SmallNode& node, const std::string& path,
                         const std::map<std::string, ValueId>& values) {
    const std::string place = path + ": node " + node.name;
    std::vector<ValueId> inputs;
    for (const std::string& input : node.inputs) {
        const auto found = values.find(input);
        if (found == values.end()) {
            std::vector<std::string> names;
            names.reserve(values.size());
            for (const auto& [known, id] : values)
                names.push_back(known);
            return bad_input("there is no \"" + input + "\" before it", place, remedy_for(input, names));
        }
        inputs.push_back(found->second);
    }
    build.scope.placement.device = node.device;
    build.scope.placement.shard = static_cast<std::int32_t>(node.shard);
    auto made = build.emit(node.op, inputs, node.attributes, node.name);
    build.scope = {};
    if (!made)
        made.error().place = place;
    return made;
}

Result<SmallGraph> parse_small_graph(const std::string& text, const std::string& path) {
    TRY(const auto document, formats::parse_json(text, path));
    formats::Reading reading{path, {}, {}};
    SmallGraph graph = read_small_graph(document, reading);
    if (reading.error)
        return Failure(std::move(*reading.error));
    return graph;
}

} // namespace

SmallGraph read_small_graph(const formats::Json& document, formats::Reading& reading) {
    formats::ObjectReader reader(document, "graph", reading);
    SmallGraph graph;
    const formats::Json* nodes = reader.member("nodes");
    if (nodes == nullptr || !nodes->is_array())
        reader.fail("nodes", "there is no list of nodes", "give \"nodes\": [...]");
    else
        for (const formats::Json& json : *nodes) {
            formats::ObjectReader n(json, "graph.nodes", reading);
            SmallNode node;
            node.name = n.text("name");
            node.op = n.text("op");
            node.device = n.text("device");
            if (!known_device(node.device))
                n.fail("device", "there is no device \"" + node.device + "\"",
                       "use /device:IPU:0 and so on, or /device:CPU:0");
            if (n.has("shard"))
                node.shard = n.integer("shard", 0, 0);
            n.member("shard");
            node.inputs = names_of(n, "inputs");
            node.attributes = attributes_of(n);
            n.finish();
            graph.nodes.push_back(std::move(node));
        }
    graph.feeds = tensors_of(reader, "feeds", reading);
    graph.linear = names_of(reader, "linear");
    for (const std::string& name : graph.linear)
        if (!graph.feeds.contains(name))
            reader.fail("linear", "there is no feed \"" + name + "\"", "name feeds of the graph");
    graph.fetches = names_of(reader, "fetches");
    if (graph.fetches.empty())
        reader.fail("fetches", "nothing is fetched", "name the nodes to fetch");
    graph.expected = tensors_of(reader, "expect", reading);
    reader.finish();
    return graph;
}

Result<void> add_small_graph(graph::Builder& build, const std::string& text, const std::string& path) {
    TRY(const auto graph, parse_small_graph(text, path));
    std::map<std::string, ValueId> values;
    for (const auto& [name, tensor] : graph.feeds) {
        TRY(values[name], build.feed(name, tensor.type()));
    }
    for (graph::Feed& feed : build.graph().feeds)
        feed.linear = std::find(graph.linear.begin(), graph.linear.end(), feed.name) != graph.linear.end();
    for (const SmallNode& node : graph.nodes) {
        TRY(values[node.name], add_node(build, node, path, values));
    }
    for (const std::string& fetch : graph.fetches) {
        if (!values.contains(fetch))
            return bad_input("there is no node \"" + fetch + "\" to fetch", path + ": graph.fetches");
        build.fetch(fetch, values.at(fetch));
    }
    return {};
}

Result<SmallGraphValues> small_graph_values(const Workload& w, const graph::Graph& graph) {
    TRY(auto read, parse_small_graph(w.graph, w.path));
    SmallGraphValues values;
    for (const graph::Feed& feed : graph.feeds)
        values.feeds.push_back(std::move(read.feeds.at(feed.name)));
    values.expected = std::move(read.expected);
    return values;
}

} // namespace tilescope::workload
