// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "graph.h"

#include <functional>
#include <set>
#include <string>
#include <vector>

namespace tilescope::onnx {

using Integers = std::vector<std::int64_t>;

/// One node while it is taken over: its inputs and attributes, and the graph that its operations are added
/// to. Errors say what does not fit; the node's place is added where it is taken over.
class OnnxOperation {
  public:
    OnnxOperation(const OnnxNode& node, std::int64_t opset_version,
                  std::vector<std::optional<OnnxValue>> inputs, OnnxGraph& graph_to_extend)
        : opset(opset_version), graph(graph_to_extend), node_(node), inputs_(std::move(inputs)) {}

    const std::int64_t opset;
    OnnxGraph& graph;

    const std::string& kind() const { return node_.kind; }
    std::size_t inputs() const { return inputs_.size(); }
    std::size_t outputs() const { return node_.outputs.size(); }
    /// Whether output i is named, so that something may read it.
    bool wants(std::size_t i) const { return i < node_.outputs.size() && !node_.outputs[i].empty(); }
    bool has(std::size_t i) const { return i < inputs_.size() && inputs_[i].has_value(); }
    /// Of input i; 0 where it is missing.
    std::int64_t elements(std::size_t i) const { return has(i) ? inputs_[i]->type.elements() : 0; }
    /// Errors: an input that is missing.
    Result<OnnxValue> in(std::size_t i) const;
    Result<OnnxValues> all_inputs() const;

    /// Attributes. One of an unexpected type counts as absent here, and is refused by `check_attributes`.
    bool has_attribute(const std::string& name) const;
    std::int64_t integer(const std::string& name, std::int64_t otherwise) const;
    double real(const std::string& name, double otherwise) const;
    std::string text(const std::string& name, const std::string& otherwise) const;
    Integers integers(const std::string& name, const Integers& otherwise = {}) const;
    std::vector<double> reals(const std::string& name) const;
    std::vector<std::string> texts(const std::string& name, const std::vector<std::string>& otherwise) const;
    const OnnxTensor* tensor(const std::string& name) const; ///< nullptr where absent
    bool flag(const std::string& name, bool otherwise) const { return integer(name, otherwise ? 1 : 0) != 0; }

    /// Errors: an attribute that was asked for and is of another type; where all were asked for that are read
    /// at all, one that was not and that changes something, so that nothing is left out in silence.
    Result<void> check_attributes(bool all_asked) const;

    /// The values of an input that decides about shapes. Errors: values that are not known.
    Result<Integers> known_integers(std::size_t i) const;
    Result<std::vector<double>> known_reals(std::size_t i) const;
    /// The first of them. Errors: an input without values, too.
    Result<std::int64_t> known_integer(std::size_t i) const;
    Result<double> known_real(std::size_t i) const;
    /// Attribute `name` (older opsets), or input i (newer ones), or `otherwise` where there is neither.
    Result<Integers> integers_or_input(const std::string& name, std::size_t i,
                                       const Integers& otherwise = {}) const;

    Result<OnnxValue> emit(const std::string& operation, const OnnxOperands& values,
                           graph::Attributes attributes = {}) const {
        return graph.emit(operation, values, std::move(attributes));
    }
    OnnxValue scalar_like(const OnnxValue& value, double number) const {
        return graph.scalar(number, value.type.dtype);
    }

  private:
    template<class T>
    const T* attribute(const std::string& name) const;
    template<class T>
    Result<T> first(const Result<std::vector<T>>& known, std::size_t i) const;
    const OnnxNode& node_;
    std::vector<std::optional<OnnxValue>> inputs_;
    mutable Result<void> attributes_;
    mutable std::set<std::string> asked_;
};

/// How a node of one kind becomes operations: its outputs, as many as are made.
using OnnxMapping = std::function<Result<OnnxValues>(const OnnxOperation&)>;
using OnnxMappings = std::map<std::string, OnnxMapping>;

/// All kinds that are supported, by ONNX's names.
const OnnxMappings& onnx_mappings();

/// The families, one file each.
void add_onnx_elementwise(OnnxMappings& mappings);
void add_onnx_activations(OnnxMappings& mappings);
void add_onnx_shapes(OnnxMappings& mappings);
void add_onnx_slices(OnnxMappings& mappings);
void add_onnx_indexing(OnnxMappings& mappings);
void add_onnx_reductions(OnnxMappings& mappings);
void add_onnx_normalisations(OnnxMappings& mappings);
void add_onnx_einsum(OnnxMappings& mappings);
void add_onnx_products(OnnxMappings& mappings);
void add_onnx_convolutions(OnnxMappings& mappings);
void add_onnx_pooling(OnnxMappings& mappings);
void add_onnx_resizing(OnnxMappings& mappings);
void add_onnx_sampling(OnnxMappings& mappings);
void add_onnx_losses(OnnxMappings& mappings);
void add_onnx_recurrent(OnnxMappings& mappings);

/// Shorthands of the families. They take what is to make a tensor, too, and pass its failure on.
Result<OnnxValue> reshape(const OnnxOperation& op, const Result<OnnxValue>& x, graph::Shape shape);
Result<OnnxValue> transpose(const OnnxOperation& op, const Result<OnnxValue>& x, Integers permutation);
Result<OnnxValue> broadcast(const OnnxOperation& op, const Result<OnnxValue>& x, const graph::Shape& shape);
Result<OnnxValue> cast(const OnnxOperation& op, const Result<OnnxValue>& x, graph::DType dtype);
/// An operation on a value and a number of its type.
Result<OnnxValue> with(const OnnxOperation& op, const char* kind, const Result<OnnxValue>& value,
                       double number);
Result<OnnxValue> slice(const OnnxOperation& op, const Result<OnnxValue>& value, std::size_t axis,
                        std::int64_t begin, std::int64_t size);
/// Slices of `value` along `axis` at `indices`, in that order.
Result<OnnxValue> take(const OnnxOperation& op, const Result<OnnxValue>& value, std::size_t axis,
                       const Integers& indices);
Result<OnnxValue> reduce(const OnnxOperation& op, const std::string& kind, const Result<OnnxValue>& x,
                         const Integers& axes, bool keep_dims);
/// `axis` from the end where it is negative. Errors: one that is out of range.
Result<std::size_t> axis_of(std::int64_t axis, std::int64_t rank);
/// Errors: more elements than are named one by one.
Result<void> expect_countable(std::int64_t n);
/// 0, 1, …, n - 1 as int32.
Result<OnnxValue> count_up(const OnnxOperation& op, std::int64_t n);
/// `value` with `axis` moved to the end, and back.
Result<OnnxValue> axis_last(const OnnxOperation& op, const Result<OnnxValue>& value, std::size_t axis);
Result<OnnxValue> axis_back(const OnnxOperation& op, const Result<OnnxValue>& value, std::size_t axis);
/// Whether `value`, a class index [..], is the class of each position: `classes` inserted as dimension
/// `axis`.
Result<OnnxValue> is_class(const OnnxOperation& op, const Result<OnnxValue>& value, std::size_t axis,
                           std::int64_t classes);

/// A node's graph as the recipes of core/layers extend it.
struct OnnxOps {
    using Value = OnnxValue;
    const OnnxOperation& op;
    graph::Shape shape(const OnnxValue& x) const { return x.shape(); }
    OnnxValue number(const OnnxValue& x, double value) const { return op.scalar_like(x, value); }
    Result<OnnxValue> emit(const std::string& kind, const OnnxOperands& values,
                           graph::Attributes attributes) const {
        return op.emit(kind, values, std::move(attributes));
    }
};

} // namespace tilescope::onnx
