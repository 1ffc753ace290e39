// SPDX-License-Identifier: GPL-3.0-or-later
#include "document.h"

#include "formats/json_reader.h"

#include <algorithm>

namespace tilescope::keras {
namespace {

using formats::Json;
using formats::member;

bool names_tensor(const Json& node) {
    return node.is_array() && node.size() >= 3 && node[0].is_string() && node[1].is_number_integer() &&
           node[2].is_number_integer();
}

void collect(const Json& node, std::vector<TensorName>& out) {
    if (names_tensor(node)) {
        out.push_back({node[0].get<std::string>(), node[1].get<std::int64_t>(), node[2].get<std::int64_t>()});
    } else if (node.is_object() && node.contains("keras_history")) {
        collect(node["keras_history"], out);
    } else if (node.is_array() || node.is_object()) {
        for (const Json& part : node)
            collect(part, out);
    }
}

/// The arguments that Keras 2 writes into each of a node's tensors: ["name", 0, 0, {"argument": …}].
const Json& arguments_of(const Json& node) {
    static const Json none = Json::object();
    if (names_tensor(node))
        return node.size() > 3 && node[3].is_object() ? node[3] : none;
    for (const Json& part : node)
        if (part.is_array() || part.is_object())
            return arguments_of(part);
    return none;
}

/// Whether a constant stands where Keras 2 writes a tensor.
bool holds_constant(const Json& node) {
    return node.is_array() && ((!node.empty() && node[0] == "_CONSTANT_VALUE") ||
                               std::any_of(node.begin(), node.end(), holds_constant));
}

} // namespace

Result<ModelKind> check_model(const Json& document, const std::string& path) {
    if (!document.is_object() || !document.contains("class_name") || !document.contains("config"))
        return bad_input("not a Keras model: \"class_name\" and \"config\" are missing", path,
                         "write it with model.to_json()");
    const std::string kind = formats::name_in(document["class_name"], "");
    const Json& layers = layers_of(document["config"]);
    if (!layers.is_array() || layers.empty())
        return bad_input("the model has no layers", path);
    if (kind == "Sequential")
        return ModelKind::Sequential;
    if (kind == "Functional" || kind == "Model")
        return ModelKind::Functional;
    return not_supported("model class \"" + kind + "\" is not supported", path,
                         "use a Sequential or Functional model");
}

Result<void> check_layer(const Json& description, const std::string& path) {
    const bool has_class = description.is_object() && description.contains("class_name") &&
                           description["class_name"].is_string() && description.contains("config");
    if (!has_class || !(description["config"].is_object() || is_model(description)))
        return bad_input("a layer without class_name and config", path,
                         "write the file with model.to_json()");
    return {};
}

const Json& layers_of(const Json& config) {
    return config.is_object() && config.contains("layers") ? config["layers"] : config;
}

std::string layer_name(const Json& description) {
    const Json& config = description.contains("config") ? description["config"] : description;
    for (const Json* name :
         {&member(config, "name"), &member(description, "name"), &member(description, "class_name")})
        if (name->is_string())
            return name->get<std::string>();
    return "layer";
}

bool keras3_layer(const Json& config) {
    return member(config, "dtype").contains("module");
}

bool is_model(const Json& description) {
    const Json& kind = member(description, "class_name");
    return kind == "Sequential" || kind == "Functional" || kind == "Model";
}

const Json& first_config(const Json& description) {
    const Json& config = description["config"];
    if (!is_model(description))
        return config;
    const Json& layers = layers_of(config);
    return layers.is_array() && !layers.empty() && layers[0].is_object() && layers[0].contains("config")
               ? first_config(layers[0])
               : config;
}

Json input_shape(const Json& config) {
    for (const char* key : {"batch_input_shape", "batch_shape"})
        if (config.contains(key) && !config[key].is_null())
            return config[key];
    return nullptr;
}

Result<graph::Shape> static_shape(const Json& shape, std::int64_t batch, const std::string& place) {
    if (!shape.is_array() || shape.empty())
        return bad_input("the input has no shape", place, "give the first layer a batch_input_shape");
    graph::Shape result;
    for (std::size_t d = 0; d < shape.size(); ++d) {
        if (d == 0)
            result.push_back(batch);
        else if (shape[d].is_number_integer() && shape[d].get<std::int64_t>() > 0)
            result.push_back(shape[d].get<std::int64_t>());
        else
            return bad_input("shape " + shape.dump() + " is not static", place,
                             "give every dimension but the batch a size");
    }
    return result;
}

Result<Precision> precision_of(const Json& config, const std::string& place) {
    const Json& dtype = member(config, "dtype");
    return precision_named(
        formats::name_in(dtype.is_object() ? member(member(dtype, "config"), "name") : dtype, "float32"),
        place);
}

Result<Precision> precision_named(const std::string& name, const std::string& place) {
    if (name == "mixed_float16")
        return Precision{graph::DType::Float16, graph::DType::Float32};
    const auto known = graph::dtype_from_string(name);
    if (!known)
        return not_supported("element type " + name + " is not supported on the device", place,
                             name == "mixed_bfloat16"
                                 ? "use mixed_float16"
                                 : "cast it on the host to float32, float16, int32 or bool");
    return Precision{*known, *known};
}

std::vector<TensorName> tensors_in(const Json& node) {
    std::vector<TensorName> names;
    collect(node, names);
    return names;
}

Result<LayerCall> call_in(const Json& node, const std::string& place) {
    const bool keras3 = node.is_object() && node.contains("args");
    const Json& given = keras3 ? node["args"] : node;
    LayerCall call{tensors_in(given)};
    if (holds_constant(given))
        return bad_input("the layer is called with a constant", place, "give it an input of the model");
    if (keras3) // further arguments by position: tensors, or left out at the end
        for (std::size_t i = 0, read = 0; i < (given.is_array() ? given.size() : 0); ++i) {
            const std::size_t more = tensors_in(given[i]).size();
            read += more;
            if (i > 0 && more == 0 && (!given[i].is_null() || read < call.inputs.size()))
                return bad_input("argument " + std::to_string(i + 1) +
                                     " of the call is no tensor: " + given[i].dump(),
                                 place, "give it by its name");
        }
    const Json& named = keras3 ? member(node, "kwargs") : arguments_of(node);
    for (const auto& [name, value] : named.items()) {
        const auto tensors = tensors_in(value);
        if (!tensors.empty() && value.is_array() && !names_tensor(value) &&
            std::count(value.begin(), value.end(), nullptr) > 0)
            return bad_input("argument \"" + name + "\" of the call leaves some of its tensors out", place,
                             "give all or none of them");
        if (!tensors.empty())
            call.named[name] = tensors;
        else if (!value.is_null())
            call.settings[name] = value;
    }
    return call;
}

} // namespace tilescope::keras
