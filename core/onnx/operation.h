// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "graph.h"

#include <functional>
#include <string>
#include <vector>

namespace tilescope::onnx {

using Integers = std::vector<std::int64_t>;
using OnnxValues = std::vector<OnnxValue>;

/// One node while it is taken over: its inputs and attributes, and the graph that its operations are added
/// to. What does not fit throws OnnxRefusal.
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
    const OnnxValue& in(std::size_t i) const;
    OnnxValues all_inputs() const;

    bool has_attribute(const std::string& name) const { return node_.attributes.contains(name); }
    std::int64_t integer(const std::string& name, std::int64_t otherwise) const;
    double real(const std::string& name, double otherwise) const;
    std::string text(const std::string& name, const std::string& otherwise) const;
    Integers integers(const std::string& name, const Integers& otherwise = {}) const;
    std::vector<double> reals(const std::string& name) const;
    std::vector<std::string> texts(const std::string& name, const std::vector<std::string>& otherwise) const;
    const OnnxTensor* tensor(const std::string& name) const; ///< nullptr where absent
    bool flag(const std::string& name, bool otherwise) const { return integer(name, otherwise ? 1 : 0) != 0; }

    /// The values of an input that decides about shapes. Throws where they are not known.
    Integers known_integers(std::size_t i) const;
    std::vector<double> known_reals(std::size_t i) const;
    /// The first of them. Throws where there is none, too.
    std::int64_t known_integer(std::size_t i) const;
    double known_real(std::size_t i) const;
    /// Attribute `name` (older opsets), or input i (newer ones), or `otherwise` where there is neither.
    Integers integers_or_input(const std::string& name, std::size_t i, const Integers& otherwise = {}) const;

    OnnxValue emit(const std::string& operation, OnnxValues values, graph::Attributes attributes = {}) const {
        return graph.emit(operation, std::move(values), std::move(attributes));
    }
    OnnxValue scalar_like(const OnnxValue& value, double number) const {
        return graph.scalar(number, value.type.dtype);
    }

  private:
    template<class T>
    const T* attribute(const std::string& name) const;
    template<class T>
    T first(const std::vector<T>& values, std::size_t i) const;
    const OnnxNode& node_;
    std::vector<std::optional<OnnxValue>> inputs_;
};

/// How a node of one kind becomes operations: its outputs, as many as are made.
using OnnxMapping = std::function<OnnxValues(const OnnxOperation&)>;
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
void add_onnx_losses(OnnxMappings& mappings);
void add_onnx_recurrent(OnnxMappings& mappings);

/// Shorthands of the families.
OnnxValue reshape(const OnnxOperation& op, const OnnxValue& x, graph::Shape shape);
OnnxValue transpose(const OnnxOperation& op, const OnnxValue& x, Integers permutation);
OnnxValue broadcast(const OnnxOperation& op, const OnnxValue& x, const graph::Shape& shape);
OnnxValue cast(const OnnxOperation& op, const OnnxValue& x, graph::DType dtype);
OnnxValue slice(const OnnxOperation& op, const OnnxValue& x, std::size_t axis, std::int64_t begin,
                std::int64_t size);
/// Slices of x along `axis` at `indices`, in that order.
OnnxValue take(const OnnxOperation& op, const OnnxValue& x, std::size_t axis, const Integers& indices);
OnnxValue reduce(const OnnxOperation& op, const std::string& kind, const OnnxValue& x, const Integers& axes,
                 bool keep_dims);
/// `axis` from the end where it is negative. Throws where it is out of range.
std::size_t axis_of(std::int64_t axis, std::int64_t rank);
/// Throws where `n` elements are too many to be named one by one.
void expect_countable(std::int64_t n);
/// 0, 1, …, n - 1 as int32.
OnnxValue count_up(const OnnxOperation& op, std::int64_t n);
/// x with `axis` moved to the end, and back.
OnnxValue axis_last(const OnnxOperation& op, const OnnxValue& x, std::size_t axis);
OnnxValue axis_back(const OnnxOperation& op, const OnnxValue& x, std::size_t axis);
/// Whether a class index [..] is the class of each position: `classes` inserted as dimension `axis`.
OnnxValue is_class(const OnnxOperation& op, const OnnxValue& indices, std::size_t axis, std::int64_t classes);

} // namespace tilescope::onnx
