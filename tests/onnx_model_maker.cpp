// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/onnx_model_maker.h"

#include <fstream>
#include <onnx/onnx_pb.h>

namespace tilescope::tests {
namespace {

void describe(::onnx::ValueInfoProto& value, const std::string& name, int type) {
    value.set_name(name);
    value.mutable_type()->mutable_tensor_type()->set_elem_type(type);
}

} // namespace

OnnxModelMaker::OnnxModelMaker(std::int64_t opset) : model_(std::make_unique<::onnx::ModelProto>()) {
    model_->set_ir_version(7);
    model_->add_opset_import()->set_version(opset);
    model_->mutable_graph()->set_name("made");
}

OnnxModelMaker::OnnxModelMaker(OnnxModelMaker&&) noexcept = default;
OnnxModelMaker::~OnnxModelMaker() = default;

void OnnxModelMaker::input(const std::string& name, const std::vector<Dimension>& shape, int type) {
    auto* value = model_->mutable_graph()->add_input();
    describe(*value, name, type);
    auto* dimensions = value->mutable_type()->mutable_tensor_type()->mutable_shape();
    for (const Dimension& dimension : shape)
        if (const auto* extent = std::get_if<std::int64_t>(&dimension))
            dimensions->add_dim()->set_dim_value(*extent);
        else
            dimensions->add_dim()->set_dim_param(std::get<std::string>(dimension));
}

void OnnxModelMaker::sequence(const std::string& name) {
    auto* value = model_->mutable_graph()->add_input();
    value->set_name(name);
    value->mutable_type()->mutable_sequence_type()->mutable_elem_type()->mutable_tensor_type()->set_elem_type(
        ::onnx::TensorProto::FLOAT);
}

void OnnxModelMaker::output(const std::string& name, int type) {
    auto* value = model_->mutable_graph()->add_output();
    describe(*value, name, type);
    value->mutable_type()->mutable_tensor_type()->mutable_shape(); // there must be one
}

void OnnxModelMaker::node(const std::string& kind, const std::vector<std::string>& inputs,
                          const std::vector<std::string>& outputs,
                          const std::map<std::string, Attribute>& attributes) {
    auto* node = model_->mutable_graph()->add_node();
    node->set_op_type(kind);
    node->set_name(outputs.front() + "_node");
    for (const std::string& name : inputs)
        node->add_input(name);
    for (const std::string& name : outputs)
        node->add_output(name);
    for (const auto& [name, value] : attributes) {
        auto* attribute = node->add_attribute();
        attribute->set_name(name);
        if (const auto* number = std::get_if<std::int64_t>(&value)) {
            attribute->set_type(::onnx::AttributeProto::INT);
            attribute->set_i(*number);
        } else if (const auto* text = std::get_if<std::string>(&value)) {
            attribute->set_type(::onnx::AttributeProto::STRING);
            attribute->set_s(*text);
        } else if (const auto* reals = std::get_if<std::vector<float>>(&value)) {
            attribute->set_type(::onnx::AttributeProto::FLOATS);
            attribute->mutable_floats()->Assign(reals->begin(), reals->end());
        } else if (const auto* texts = std::get_if<std::vector<std::string>>(&value)) {
            attribute->set_type(::onnx::AttributeProto::STRINGS);
            for (const std::string& each : *texts)
                attribute->add_strings(each);
        } else {
            attribute->set_type(::onnx::AttributeProto::INTS);
            for (const std::int64_t each : std::get<std::vector<std::int64_t>>(value))
                attribute->add_ints(each);
        }
    }
}

void OnnxModelMaker::floats(const std::string& name, const std::vector<std::int64_t>& shape,
                            const std::vector<float>& values) {
    auto* tensor = model_->mutable_graph()->add_initializer();
    tensor->set_name(name);
    tensor->set_data_type(::onnx::TensorProto::FLOAT);
    tensor->mutable_dims()->Assign(shape.begin(), shape.end());
    tensor->mutable_float_data()->Assign(values.begin(), values.end());
}

void OnnxModelMaker::integers(const std::string& name, const std::vector<std::int64_t>& shape,
                              const std::vector<std::int64_t>& values) {
    auto* tensor = model_->mutable_graph()->add_initializer();
    tensor->set_name(name);
    tensor->set_data_type(::onnx::TensorProto::INT64);
    tensor->mutable_dims()->Assign(shape.begin(), shape.end());
    tensor->mutable_int64_data()->Assign(values.begin(), values.end());
}

void OnnxModelMaker::external(const std::string& name, const std::vector<std::int64_t>& shape,
                              const std::string& location, const std::map<std::string, std::string>& more) {
    floats(name, shape, {});
    auto* tensor = model_->mutable_graph()->mutable_initializer(model_->graph().initializer_size() - 1);
    tensor->set_data_location(::onnx::TensorProto::EXTERNAL);
    const auto say = [&](const std::string& key, const std::string& value) {
        auto* entry = tensor->add_external_data();
        entry->set_key(key);
        entry->set_value(value);
    };
    say("location", location);
    for (const auto& [key, value] : more)
        say(key, value);
}

std::string OnnxModelMaker::bytes() const {
    return model_->SerializeAsString();
}

std::string OnnxModelMaker::write(const std::string& path) const {
    std::ofstream(path, std::ios::binary) << bytes();
    return path;
}

} // namespace tilescope::tests
