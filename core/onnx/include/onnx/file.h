// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/error.h"
#include "graph/tensor.h"

#include <cstdint>
#include <map>
#include <optional>
#include <ostream>
#include <string>
#include <variant>
#include <vector>

/// ONNX files as plain data; what they mean is worked out elsewhere.
namespace tilescope::onnx {

/// A tensor of a file. Integers and truth values are kept exactly, floats as the device will have them.
struct OnnxTensor {
    std::string name;
    std::string type; ///< ONNX's name of the element type: "float", "int64", "bool" …
    graph::Shape shape;
    std::vector<std::int64_t> integers; ///< where the type is whole numbers or bool
    graph::HostTensor floats;           ///< where it is floating: float32, or float16
};

/// What the device holds elements of a type as; nullopt for a type that it cannot have.
std::optional<graph::DType> device_type(const std::string& onnx_type);

/// The tensor as the device has it: int64 and others as int32, double and bfloat16 as float32.
/// Errors: BadInput naming the tensor and its first value that does not fit.
Result<graph::HostTensor> narrowed(const OnnxTensor& tensor);

/// monostate: a kind that no supported operator has (a graph, a sparse tensor).
using OnnxAttribute =
    std::variant<std::monostate, std::int64_t, double, std::string, std::vector<std::int64_t>,
                 std::vector<double>, std::vector<std::string>, OnnxTensor>;

struct OnnxNode {
    std::string name;
    std::string kind; ///< "Conv"; with its domain in front where that is not ONNX's own
    std::vector<std::string> inputs;
    std::vector<std::string> outputs;
    std::map<std::string, OnnxAttribute> attributes;
};

inline constexpr const char* not_a_tensor = "no tensor";

/// A dimension of an input: a number, a name, or "" where it is neither.
using OnnxDimension = std::variant<std::int64_t, std::string>;

struct OnnxInput {
    std::string name;
    std::string type;   ///< `not_a_tensor` for a sequence, an optional or a map
    bool ranked = true; ///< false: not even the number of dimensions is known
    std::vector<OnnxDimension> shape;
};

struct OnnxModel {
    std::string name;
    std::int64_t opset = 0;
    std::int64_t ir_version = 0;   ///< of the file's format
    std::vector<OnnxInput> inputs; ///< those without an initialiser
    std::vector<std::string> outputs;
    std::vector<OnnxTensor> initialisers;
    std::vector<OnnxNode> nodes;
};

/// Reads a model with its external data. Errors: BadInput for a file that is missing, damaged or no ONNX
/// model, for a newer opset, and for tensors that cannot be read.
Result<OnnxModel> read_onnx_model(const std::string& path);
/// What libonnx' checker objects to, if the model is not newer than it. Errors: BadInput.
Result<void> check_onnx_model(const OnnxModel& model, const std::string& path);

/// Reads a TensorProto file (`input_0.pb`). Errors: BadInput where it is missing, damaged or of a type that
/// cannot be read.
Result<OnnxTensor> read_onnx_tensor(const std::string& path);
/// Writes one.
void write_onnx_tensor(std::ostream& out, const std::string& name, const graph::HostTensor& tensor);

constexpr std::int64_t newest_opset = 21;

} // namespace tilescope::onnx
