// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "graph/builder.h"
#include "graph/operands.h"
#include "onnx/file.h"

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace tilescope {
class WorkerPool;
}

namespace tilescope::onnx {

/// A node cannot be taken over. Its place is added where the node is known.
inline Failure refused(std::string message, std::string remedy = {}) {
    return bad_input(std::move(message), {}, std::move(remedy));
}

/// The same of what ONNX has and is not there.
inline Failure unsupported(std::string message, std::string remedy = {}) {
    return not_supported(std::move(message), {}, std::move(remedy));
}

/// A tensor whose values are known while the graph is built.
struct KnownTensor {
    OnnxTensor tensor;
    bool weight = false;                 ///< made of initialisers: on the device a variable, unless frozen
    graph::ValueId id = graph::no_value; ///< on the device, once an operation there reads it
    std::shared_ptr<KnownTensor> frozen; ///< of a weight: the same values as a constant, once so used
    bool shared = false;                 ///< a weight that several nodes read, and that stays one
};

/// A tensor of the model: known, or made on the device, or both where it follows from inputs whose values
/// were given.
struct OnnxValue {
    graph::TensorType type;
    graph::ValueId id = graph::no_value;
    std::shared_ptr<KnownTensor> known;
    std::string whole; ///< of a tensor of the model, "int8" … "uint64"; "" where it is no whole number

    bool computed() const { return id != graph::no_value; }
    const graph::Shape& shape() const { return type.shape; }
    std::int64_t rank() const { return static_cast<std::int64_t>(type.shape.size()); }
};

using OnnxValues = std::vector<OnnxValue>;

using OnnxOperands = graph::Operands<OnnxValue>;

/// The outputs of a node, or the first failure among them.
inline Result<OnnxValues> values_of(const OnnxOperands& outputs) {
    return outputs.values();
}

/// The graph that a model becomes. What follows from known tensors alone is computed at once; a tensor is put
/// on the device only where an operation reads it there.
class OnnxGraph {
  public:
    OnnxGraph(graph::Builder& build, WorkerPool& pool) : build_(build), pool_(pool) {}

    OnnxValue known(OnnxTensor tensor, bool weight = false);
    OnnxValue known(const graph::HostTensor& tensor);
    /// A known tensor as something that training leaves as it is.
    OnnxValue frozen(const OnnxValue& value);
    OnnxValue scalar(double value, graph::DType dtype);
    OnnxValue whole_numbers(const std::vector<std::int64_t>& values); ///< int64 [n]
    /// What is fed. `given`: its values, where they are known and may decide about shapes.
    Result<OnnxValue> feed(const std::string& name, graph::TensorType type, const OnnxTensor* given);

    /// Adds an operation with one output, but for those that leave a shape as it is.
    Result<OnnxValue> emit(const std::string& kind, const OnnxOperands& inputs,
                           graph::Attributes attributes = {});
    /// The same for operations with several outputs.
    Result<OnnxValues> emit_all(const std::string& kind, const OnnxOperands& operands,
                                graph::Attributes attributes = {});
    /// The value on the device. Errors: values that do not fit the device's type.
    Result<graph::ValueId> on_device(const Result<OnnxValue>& made);
    graph::Builder& build() { return build_; }

  private:
    /// The same of the same weight is made once.
    Result<OnnxValues> folded_result(const graph::Operator& op, const OnnxValues& inputs,
                                     const graph::Attributes& attributes,
                                     const std::vector<graph::TensorType>& types);
    Result<OnnxValues> compute(const graph::Operator& op, const OnnxValues& inputs,
                               const graph::Attributes& attributes,
                               const std::vector<graph::TensorType>& types);
    /// Whether the results of an operation are made while the graph is built.
    static Result<bool> folds(const graph::Operator& op, const OnnxValues& inputs,
                              const graph::Attributes& attributes,
                              const std::vector<graph::TensorType>& types,
                              const std::vector<graph::TensorType>& results);

    graph::Builder& build_;
    WorkerPool& pool_;
    /// What was made of a weight: by operation with its attributes, and the weight.
    std::map<std::pair<std::string, std::shared_ptr<KnownTensor>>, OnnxValues> made_of_weights_;
    std::set<std::string> variable_names_;
    std::size_t emitted_ = 0; ///< operations, with those whose results are known at once
};

/// The elements of a known tensor of whole numbers, or of truth values.
const std::vector<std::int64_t>& integers_of(const OnnxValue& value);
/// The tensor as the device has it. Errors: values that do not fit its type.
Result<graph::HostTensor> device_tensor(const OnnxValue& value);

} // namespace tilescope::onnx
