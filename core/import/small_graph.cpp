// SPDX-License-Identifier: GPL-3.0-or-later
#include "import/small_graph.h"

#include "base/nearest_name.h"
#include "base/random.h"
#include "import/json_reader.h"
#include "import/workload.h"

#include <algorithm>
#include <map>

namespace tilescope::import {
namespace {

using graph::HostTensor;
using graph::Shape;
using graph::ValueId;

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
Result<HostTensor> tensor_of(const Json& json, const std::string& place) {
    graph::DType dtype = graph::DType::Float32;
    const Json* values = &json;
    if (json.is_object()) {
        const std::string name = json.value("dtype", std::string("float32"));
        const auto known = graph::dtype_from_string(name);
        if (!known)
            return bad_input("element type " + name + " is not supported on the device", place,
                             "use float32, float16, int32 or bool");
        dtype = *known;
        if (const auto shape = json.find("shape"); shape != json.end() && !json.contains("values")) {
            const bool valid =
                shape->is_array() && std::all_of(shape->begin(), shape->end(), [](const Json& n) {
                    return n.is_number_unsigned() && n.get<std::uint64_t>() < (1U << 30);
                });
            if (!valid)
                return bad_input("\"shape\" is not a list of whole numbers", place);
            return made_up_values({dtype, shape->get<Shape>()}, place.substr(place.rfind('.') + 1));
        }
        if (!json.contains("values"))
            return bad_input("neither \"values\" nor \"shape\" is given", place);
        values = &json["values"];
    }
    Shape shape;
    for (const Json* level = values; level->is_array(); level = &(*level)[0]) {
        shape.push_back(static_cast<std::int64_t>(level->size()));
        if (level->empty())
            break;
    }
    HostTensor tensor(graph::TensorType{dtype, shape});
    std::int64_t at = 0;
    bool regular = true;
    const auto fill = [&](const auto& self, const Json& level, std::size_t depth) -> void {
        if (level.is_array()) {
            regular =
                regular && depth < shape.size() && static_cast<std::int64_t>(level.size()) == shape[depth];
            for (const Json& part : level)
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
        return bad_input("expects numbers in arrays of equal length", place);
    return tensor;
}

Result<graph::Attributes> attributes_of(const Json& json, const std::string& place) {
    graph::Attributes result;
    for (const auto& [key, value] : json.items()) {
        const auto all = [&value = value](auto test) {
            return value.is_array() && std::all_of(value.begin(), value.end(), test);
        };
        if (value.is_boolean())
            result.set(key, value.get<bool>());
        else if (value.is_number_integer())
            result.set(key, value.get<std::int64_t>());
        else if (value.is_number())
            result.set(key, value.get<double>());
        else if (value.is_string())
            result.set(key, value.get<std::string>());
        else if (all([](const Json& j) { return j.is_number_integer(); }))
            result.set(key, value.get<std::vector<std::int64_t>>());
        else
            return bad_input(
                "attribute \"" + key + "\" is neither a number, a text nor a list of whole numbers", place);
    }
    return result;
}

Result<void> add_nodes(graph::Builder& build, ObjectReader& reader, const std::string& path,
                       std::map<std::string, ValueId>& values, std::optional<Error>& error) {
    const Json* nodes = reader.member("nodes");
    if (nodes == nullptr || !nodes->is_array())
        return bad_input("\"nodes\" is missing", path + ": graph", "give a list of nodes");
    for (const Json& node : *nodes) {
        ObjectReader n(node, path, "graph.nodes", error);
        const std::string name = n.text("name");
        const std::string kind = n.text("op");
        const std::string device = n.text("device");
        const std::string place = path + ": node " + name;
        std::vector<ValueId> inputs;
        if (const Json* list = n.member("inputs"); list != nullptr && list->is_array())
            for (const Json& input : *list) {
                const std::string input_name = input.is_string() ? input.get<std::string>() : input.dump();
                const auto found = values.find(input_name);
                if (found == values.end()) {
                    std::vector<std::string> names;
                    for (const auto& [known, id] : values)
                        names.push_back(known);
                    const std::string nearest = nearest_name(input_name, names);
                    return bad_input("there is no \"" + input_name + "\" before it", place,
                                     nearest.empty() ? "" : "did you mean \"" + nearest + "\"?");
                }
                inputs.push_back(found->second);
            }
        graph::Attributes attributes;
        if (const Json* given = n.member("attributes")) {
            auto read = attributes_of(*given, place);
            if (!read)
                return Failure(read.error());
            attributes = std::move(*read);
        }
        n.finish();
        if (error)
            return Failure(*error);
        build.scope.placement.device = device;
        auto outputs = build.add(kind, inputs, std::move(attributes), name);
        if (!outputs) {
            Error failed = outputs.error();
            failed.place = place;
            return Failure(std::move(failed));
        }
        values[name] = outputs->front();
    }
    build.scope = {};
    return {};
}

} // namespace

Result<void> add_small_graph(graph::Builder& build, const std::string& text, const std::string& path) {
    const auto document = parse_json(text, path);
    if (!document)
        return Failure(document.error());
    std::optional<Error> error;
    ObjectReader reader(*document, path, "graph", error);
    std::map<std::string, ValueId> values;
    if (const Json* feeds = reader.member("feeds"); feeds != nullptr && feeds->is_object())
        for (const auto& [name, json] : feeds->items()) {
            const auto tensor = tensor_of(json, path + ": graph.feeds." + name);
            if (!tensor)
                return Failure(tensor.error());
            values[name] = build.feed(name, tensor->type());
        }
    if (auto ok = add_nodes(build, reader, path, values, error); !ok)
        return ok;
    const Json* fetches = reader.member("fetches");
    if (fetches == nullptr || !fetches->is_array())
        return bad_input("\"fetches\" is missing", path + ": graph", "name the nodes to fetch");
    for (const Json& fetch : *fetches) {
        const std::string name = fetch.is_string() ? fetch.get<std::string>() : fetch.dump();
        if (!values.contains(name))
            return bad_input("there is no node \"" + name + "\" to fetch", path + ": graph.fetches");
        build.fetch(name, values.at(name));
    }
    reader.member("expect");
    reader.finish();
    if (error)
        return Failure(*error);
    return {};
}

Result<SmallGraphValues> small_graph_values(const Workload& w, const graph::Graph& graph) {
    const auto document = parse_json(w.graph, w.path);
    if (!document)
        return Failure(document.error());
    SmallGraphValues values;
    for (const graph::Feed& feed : graph.feeds) {
        auto tensor = tensor_of((*document)["feeds"][feed.name], w.path + ": graph.feeds." + feed.name);
        if (!tensor)
            return Failure(tensor.error());
        values.feeds.push_back(std::move(*tensor));
    }
    if (document->contains("expect"))
        for (const auto& [name, json] : (*document)["expect"].items()) {
            auto tensor = tensor_of(json, w.path + ": graph.expect." + name);
            if (!tensor)
                return Failure(tensor.error());
            values.expected[name] = std::move(*tensor);
        }
    return values;
}

} // namespace tilescope::import
