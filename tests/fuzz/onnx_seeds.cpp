// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/fuzz/seeds.h"
#include "tests/onnx_model_maker.h"

#include <onnx/onnx_pb.h>

namespace tilescope::tests {
namespace {

using Attributes = std::map<std::string, OnnxModelMaker::Attribute>;
using Ints = std::vector<std::int64_t>;

Seed convolutions() {
    OnnxModelMaker maker;
    maker.input("x", {"batch", std::int64_t{2}, std::int64_t{8}, std::int64_t{8}});
    maker.floats("w", {2, 1, 3, 3}, std::vector<float>(18, 0.5F));
    maker.floats("b", {2}, {1, 2});
    maker.node("Conv", {"x", "w", "b"}, {"c"},
               {{"group", std::int64_t{2}}, {"pads", Ints{1, 1, 1, 1}}, {"strides", Ints{1, 1}}});
    maker.node("Relu", {"c"}, {"r"});
    maker.node("MaxPool", {"r"}, {"p"},
               {{"kernel_shape", Ints{2, 2}}, {"strides", Ints{2, 2}}, {"ceil_mode", std::int64_t{1}}});
    maker.node("ConvTranspose", {"p", "w"}, {"t"},
               {{"group", std::int64_t{2}}, {"auto_pad", std::string("SAME_UPPER")}});
    maker.node("GlobalAveragePool", {"t"}, {"g"});
    maker.node("Flatten", {"g"}, {"y"}, {{"axis", std::int64_t{1}}});
    maker.output("y");
    return {"convolutions", maker.bytes()};
}

/// Operators that take what they do from known tensors.
Seed shapes() {
    OnnxModelMaker maker;
    maker.input("x", {std::int64_t{2}, std::int64_t{3}, std::int64_t{4}});
    maker.integers("shape", {2}, {0, -1});
    maker.integers("starts", {1}, {0});
    maker.integers("ends", {1}, {9223372036854775807});
    maker.integers("axes", {1}, {1});
    maker.integers("steps", {1}, {2});
    maker.integers("repeats", {2}, {2, 1});
    maker.integers("pads", {4}, {0, 1, 0, 1});
    maker.integers("wide", {2}, {4, 8});
    maker.node("Reshape", {"x", "shape"}, {"r"});
    maker.node("Slice", {"r", "starts", "ends", "axes", "steps"}, {"s"});
    maker.node("Tile", {"s", "repeats"}, {"t"});
    maker.node("Pad", {"t", "pads"}, {"p"});
    maker.node("Shape", {"p"}, {"n"});
    maker.node("ConstantOfShape", {"n"}, {"z"});
    maker.node("Add", {"p", "z"}, {"a"});
    maker.node("Expand", {"a", "wide"}, {"e"});
    maker.node("Gather", {"e", "axes"}, {"g"}, {{"axis", std::int64_t{1}}});
    maker.node("ReduceSum", {"g", "axes"}, {"q"}, {{"keepdims", std::int64_t{0}}});
    maker.node("OneHot", {"axes", "steps", "repeats"}, {"unused"});
    maker.node("Transpose", {"g"}, {"y"}, {{"perm", Ints{1, 0}}});
    maker.output("y");
    maker.output("q");
    return {"shapes", maker.bytes()};
}

Seed recurrent() {
    OnnxModelMaker maker;
    maker.input("x", {std::int64_t{3}, std::int64_t{2}, std::int64_t{2}});
    maker.floats("w", {1, 8, 2}, std::vector<float>(16, 0.5F));
    maker.floats("r", {1, 8, 2}, std::vector<float>(16, 0.5F));
    maker.node("LSTM", {"x", "w", "r"}, {"y", "h"},
               {{"hidden_size", std::int64_t{2}}, {"direction", std::string("forward")}});
    maker.output("h");
    return {"recurrent", maker.bytes()};
}

Seed external() {
    OnnxModelMaker maker;
    maker.input("x", {std::int64_t{4}, std::int64_t{4}});
    maker.external("w", {4, 4}, external_file);
    maker.node("Gemm", {"x", "w"}, {"g"}, {{"transB", std::int64_t{1}}});
    maker.node("Softmax", {"g"}, {"s"}, {{"axis", std::int64_t{-1}}});
    maker.node("Einsum", {"s", "w"}, {"y"}, {{"equation", std::string("ij,jk->ik")}});
    maker.output("y");
    return {"external", maker.bytes()};
}

Seed data(const std::string& name, int type, const Ints& shape, const std::string& raw) {
    onnx::TensorProto tensor;
    tensor.set_name(name);
    tensor.set_data_type(type);
    tensor.mutable_dims()->Assign(shape.begin(), shape.end());
    tensor.set_raw_data(raw);
    return {name + ".pb", tensor.SerializeAsString()};
}

Seed beside() {
    onnx::TensorProto tensor;
    tensor.set_data_type(onnx::TensorProto::FLOAT);
    tensor.add_dims(8);
    tensor.set_data_location(onnx::TensorProto::EXTERNAL);
    for (const auto& [key, value] : {std::pair{"location", external_file}, {"offset", "4"}}) {
        auto* entry = tensor.add_external_data();
        entry->set_key(key);
        entry->set_value(value);
    }
    return {"beside.pb", tensor.SerializeAsString()};
}

Seed in_fields() {
    onnx::TensorProto tensor;
    tensor.set_data_type(onnx::TensorProto::INT64);
    tensor.add_dims(2);
    tensor.add_int64_data(1);
    tensor.add_int64_data(-2);
    return {"fields.pb", tensor.SerializeAsString()};
}

} // namespace

std::vector<Seed> onnx_model_seeds() {
    return {convolutions(), shapes(), recurrent(), external()};
}

std::vector<Seed> onnx_tensor_seeds() {
    using onnx::TensorProto;
    return {data("float", TensorProto::FLOAT, {2, 2}, std::string(16, '\x3F')),
            data("half", TensorProto::FLOAT16, {2}, std::string(4, '\x3C')),
            data("bytes", TensorProto::UINT8, {3}, "abc"),
            data("bool", TensorProto::BOOL, {1, 2}, std::string(2, '\1')),
            data("double", TensorProto::DOUBLE, {}, std::string(8, '\x3F')),
            beside(),
            in_fields()};
}

} // namespace tilescope::tests
