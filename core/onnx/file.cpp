// SPDX-License-Identifier: GPL-3.0-or-later
#include "onnx/file.h"

#include "base/try.h"
#include "tensor.h"

#include <filesystem>
#include <fstream>
#include <onnx/checker.h>
#include <onnx/defs/schema.h>
#include <onnx/onnx_pb.h>
#include <set>
#include <stdexcept>

namespace tilescope::onnx {
namespace {

bool own_domain(const std::string& domain) {
    return domain.empty() || domain == "ai.onnx";
}

Result<OnnxAttribute> attribute_of(const ::onnx::AttributeProto& proto, const std::string& folder,
                                   const std::string& place) {
    switch (proto.type()) {
    case ::onnx::AttributeProto::INT:
        return proto.i();
    case ::onnx::AttributeProto::FLOAT:
        return static_cast<double>(proto.f());
    case ::onnx::AttributeProto::STRING:
        return proto.s();
    case ::onnx::AttributeProto::INTS:
        return std::vector<std::int64_t>(proto.ints().begin(), proto.ints().end());
    case ::onnx::AttributeProto::FLOATS:
        return std::vector<double>(proto.floats().begin(), proto.floats().end());
    case ::onnx::AttributeProto::STRINGS:
        return std::vector<std::string>(proto.strings().begin(), proto.strings().end());
    case ::onnx::AttributeProto::TENSOR: {
        TRY(auto tensor, read_proto(proto.t(), folder, place));
        return tensor;
    }
    default:
        return OnnxAttribute{};
    }
}

Result<OnnxNode> node_of(const ::onnx::NodeProto& proto, const std::string& folder,
                         const std::string& place) {
    OnnxNode node;
    node.name = proto.name();
    node.kind = own_domain(proto.domain()) ? proto.op_type() : proto.domain() + "." + proto.op_type();
    node.inputs.assign(proto.input().begin(), proto.input().end());
    node.outputs.assign(proto.output().begin(), proto.output().end());
    for (const auto& attribute : proto.attribute()) {
        TRY(auto value, attribute_of(attribute, folder, place + ": node \"" + node.name + "\""));
        node.attributes.emplace(attribute.name(), std::move(value));
    }
    return node;
}

OnnxInput input_of(const ::onnx::ValueInfoProto& proto) {
    OnnxInput input;
    input.name = proto.name();
    if (!proto.type().has_tensor_type()) {
        input.type = not_a_tensor;
        return input;
    }
    const auto& type = proto.type().tensor_type();
    input.type = onnx_type_name(type.elem_type());
    input.ranked = type.has_shape();
    for (const auto& dimension : type.shape().dim())
        if (dimension.has_dim_value())
            input.shape.emplace_back(dimension.dim_value());
        else
            input.shape.emplace_back(dimension.dim_param());
    return input;
}

Result<std::int64_t> opset_of(const ::onnx::ModelProto& proto, const std::string& path) {
    for (const auto& import : proto.opset_import()) {
        if (!own_domain(import.domain()))
            continue;
        if (import.version() < 1 || import.version() > newest_opset)
            return bad_input("the model is of opset " + std::to_string(import.version()), path,
                             "export it with an opset from 1 to " + std::to_string(newest_opset));
        return import.version();
    }
    if (proto.opset_import_size() > 0)
        return bad_input("the model has no operators of ONNX itself, only of \"" +
                             proto.opset_import(0).domain() + "\"",
                         path, "export it with ONNX operators");
    return 1; // as IR versions before 3 mean it
}

Result<OnnxModel> model_of(const ::onnx::ModelProto& proto, const std::string& path) {
    OnnxModel model;
    TRY(const auto opset, opset_of(proto, path));
    model.opset = opset;
    model.ir_version = proto.ir_version();
    const auto& graph = proto.graph();
    model.name = graph.name();
    const std::string folder = std::filesystem::path(path).parent_path().string();
    if (graph.sparse_initializer_size() > 0)
        return not_supported("sparse initialisers are not supported", path,
                             "export the weights as dense tensors");
    std::set<std::string> initialised;
    for (const auto& initialiser : graph.initializer()) {
        TRY(auto tensor, read_proto(initialiser, folder, path));
        initialised.insert(tensor.name);
        model.initialisers.push_back(std::move(tensor));
    }
    for (const auto& input : graph.input())
        if (!initialised.contains(input.name()))
            model.inputs.push_back(input_of(input));
    for (const auto& output : graph.output())
        model.outputs.push_back(output.name());
    for (const auto& node : graph.node()) {
        TRY(auto read, node_of(node, folder, path));
        model.nodes.push_back(std::move(read));
    }
    return model;
}

/// The checker's text is of several lines, the first of which says what is wrong.
std::string first_line(const std::string& text) {
    return text.substr(0, text.find('\n'));
}

} // namespace

Result<OnnxModel> read_onnx_model(const std::string& path) {
    std::error_code ignored; // a pipe or a device may have no end
    if (const auto status = std::filesystem::status(path, ignored);
        std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
        return bad_input("is no regular file", path, "name an ONNX file");
    std::ifstream file(path, std::ios::binary);
    if (!file)
        return bad_input("the file is not there", path, "name an ONNX file");
    ::onnx::ModelProto proto;
    if (!proto.ParseFromIstream(&file) || !proto.has_graph())
        return bad_input("is no ONNX model, or is cut", path, "export the model again");
    return model_of(proto, path);
}

namespace {

/// Of ONNX' own operators in the libonnx that is installed.
std::int64_t newest_checked_opset() {
    const auto& versions = ::onnx::OpSchemaRegistry::DomainToVersionRange::Instance().Map();
    return versions.at(::onnx::ONNX_DOMAIN).second;
}

} // namespace

Result<void> check_onnx_model(const OnnxModel& model, const std::string& path) {
    if (model.opset > newest_checked_opset() || model.ir_version > ::onnx::IR_VERSION)
        return {};
    try {
        ::onnx::checker::check_model(path);
    } catch (const std::runtime_error& error) { // what libonnx throws
        return bad_input("is no valid ONNX model: " + first_line(error.what()), path,
                         "export the model again");
    }
    return {};
}

} // namespace tilescope::onnx
