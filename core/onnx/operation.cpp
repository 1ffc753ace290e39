// SPDX-License-Identifier: GPL-3.0-or-later
#include "operation.h"

#include "base/try.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace tilescope::onnx {

using graph::Shape;

Result<OnnxValue> OnnxOperation::in(std::size_t i) const {
    if (!has(i))
        return refused("input " + std::to_string(i) + " is missing", "export the model again");
    return *inputs_[i];
}

Result<OnnxValues> OnnxOperation::all_inputs() const {
    OnnxValues values(inputs());
    for (std::size_t i = 0; i < inputs(); ++i) {
        TRY(values[i], in(i));
    }
    return values;
}

bool OnnxOperation::has_attribute(const std::string& name) const {
    asked_.insert(name);
    return node_.attributes.contains(name);
}

namespace {

/// Attributes that change nothing here: what the shapes of inputs say already, how memory is used, and what
/// only training or another form of the node reads.
bool is_harmless(const std::string& kind, const std::string& attribute) {
    static const std::map<std::string, std::set<std::string>> of_kinds = {
        {"BatchNormalization", {"is_test", "momentum"}},
        {"Conv", {"kernel_shape"}},
        {"ConvTranspose", {"kernel_shape"}},
        {"Dropout", {"is_test", "ratio", "seed"}},
        {"GRU", {"hidden_size", "output_sequence"}},
        {"Gemm", {"broadcast"}}, // it always does
        {"LSTM", {"hidden_size", "output_sequence"}},
        {"MaxPool", {"storage_order"}}, // of the places of the largest
        {"Pad", {"value"}},             // of another mode than constant
        {"RNN", {"hidden_size", "output_sequence"}},
        {"Resize", {"extrapolation_value", "keep_aspect_ratio_policy"}}, // of places outside, and of sizes
        {"TopK", {"sorted"}},                                            // they always are
    };
    const bool reduces = kind.starts_with("Reduce");
    if (attribute == "consumed_inputs" || (reduces && attribute == "noop_with_empty_axes") ||
        (reduces && attribute == "keepdims"))
        return true;
    const auto found = of_kinds.find(kind);
    return found != of_kinds.end() && found->second.contains(attribute);
}

} // namespace

Result<void> OnnxOperation::check_attributes(bool all_asked) const {
    TRY(attributes_);
    for (const auto& [name, value] : node_.attributes)
        if (all_asked && !asked_.contains(name) && !is_harmless(node_.kind, name))
            return unsupported("attribute \"" + name + "\" is not supported", "export the model without it");
    return {};
}

template<class T>
const T* OnnxOperation::attribute(const std::string& name) const {
    asked_.insert(name);
    const auto found = node_.attributes.find(name);
    if (found == node_.attributes.end())
        return nullptr;
    const T* value = std::get_if<T>(&found->second);
    if (value == nullptr && attributes_)
        attributes_ =
            refused("attribute \"" + name + "\" is of an unexpected type", "export the model again");
    return value;
}

std::int64_t OnnxOperation::integer(const std::string& name, std::int64_t otherwise) const {
    const auto* value = attribute<std::int64_t>(name);
    return value == nullptr ? otherwise : *value;
}
double OnnxOperation::real(const std::string& name, double otherwise) const {
    const auto* value = attribute<double>(name);
    return value == nullptr ? otherwise : *value;
}
std::string OnnxOperation::text(const std::string& name, const std::string& otherwise) const {
    const auto* value = attribute<std::string>(name);
    return value == nullptr ? otherwise : *value;
}
Integers OnnxOperation::integers(const std::string& name, const Integers& otherwise) const {
    const auto* value = attribute<Integers>(name);
    return value == nullptr ? otherwise : *value;
}
std::vector<double> OnnxOperation::reals(const std::string& name) const {
    const auto* value = attribute<std::vector<double>>(name);
    return value == nullptr ? std::vector<double>{} : *value;
}
std::vector<std::string> OnnxOperation::texts(const std::string& name,
                                              const std::vector<std::string>& otherwise) const {
    const auto* value = attribute<std::vector<std::string>>(name);
    return value == nullptr ? otherwise : *value;
}
const OnnxTensor* OnnxOperation::tensor(const std::string& name) const {
    return attribute<OnnxTensor>(name);
}

Result<Integers> OnnxOperation::known_integers(std::size_t i) const {
    TRY(const OnnxValue value, in(i));
    if (!value.known)
        return refused("input " + std::to_string(i) + " \"" + node_.inputs[i] +
                           "\" decides about shapes, and its values are not known before the run",
                       "make it an initialiser; tilescope infer takes it from its file too");
    if (graph::is_floating(value.type.dtype))
        return refused("input " + std::to_string(i) + " \"" + node_.inputs[i] + "\" is not whole numbers");
    return integers_of(value);
}

Result<std::vector<double>> OnnxOperation::known_reals(std::size_t i) const {
    TRY(const OnnxValue value, in(i));
    if (value.known && graph::is_floating(value.type.dtype)) {
        const auto floats = value.known->tensor.floats.floats();
        return std::vector<double>(floats.begin(), floats.end());
    }
    TRY(const Integers whole, known_integers(i));
    return std::vector<double>(whole.begin(), whole.end());
}

template<class T>
Result<T> OnnxOperation::first(const Result<std::vector<T>>& known, std::size_t i) const {
    TRY(const std::vector<T> values, known);
    if (values.empty())
        return refused("input " + std::to_string(i) + " \"" + node_.inputs[i] + "\" has no values",
                       "export the model again");
    return values.front();
}

Result<std::int64_t> OnnxOperation::known_integer(std::size_t i) const {
    return first(known_integers(i), i);
}
Result<double> OnnxOperation::known_real(std::size_t i) const {
    return first(known_reals(i), i);
}

Result<Integers> OnnxOperation::integers_or_input(const std::string& name, std::size_t i,
                                                  const Integers& otherwise) const {
    if (has_attribute(name))
        return integers(name);
    return has(i) ? known_integers(i) : otherwise;
}

const OnnxMappings& onnx_mappings() {
    static const OnnxMappings all = [] {
        OnnxMappings mappings;
        add_onnx_elementwise(mappings);
        add_onnx_activations(mappings);
        add_onnx_shapes(mappings);
        add_onnx_slices(mappings);
        add_onnx_indexing(mappings);
        add_onnx_reductions(mappings);
        add_onnx_normalisations(mappings);
        add_onnx_products(mappings);
        add_onnx_einsum(mappings);
        add_onnx_convolutions(mappings);
        add_onnx_pooling(mappings);
        add_onnx_resizing(mappings);
        add_onnx_sampling(mappings);
        add_onnx_losses(mappings);
        add_onnx_recurrent(mappings);
        return mappings;
    }();
    return all;
}

Result<OnnxValue> reshape(const OnnxOperation& op, const Result<OnnxValue>& x, Shape shape) {
    return op.emit("reshape", {x}, {{"shape", std::move(shape)}});
}

Result<OnnxValue> transpose(const OnnxOperation& op, const Result<OnnxValue>& x, Integers permutation) {
    return op.emit("transpose", {x}, {{"permutation", std::move(permutation)}});
}

Result<OnnxValue> broadcast(const OnnxOperation& op, const Result<OnnxValue>& x, const Shape& shape) {
    return op.emit("broadcast_to", {x}, {{"shape", shape}});
}

Result<OnnxValue> cast(const OnnxOperation& op, const Result<OnnxValue>& x, graph::DType dtype) {
    return x && x->type.dtype == dtype ? x : op.emit("cast", {x}, {{"dtype", graph::to_string(dtype)}});
}

Result<OnnxValue> with(const OnnxOperation& op, const char* kind, const Result<OnnxValue>& value,
                       double number) {
    TRY(const OnnxValue x, value);
    return op.emit(kind, {x, op.scalar_like(x, number)});
}

namespace {

Result<std::int64_t> extent_of(const OnnxValue& x, std::size_t axis) {
    if (axis >= x.shape().size())
        return refused("expects more dimensions than " + graph::to_string(x.type) + " has");
    return x.shape()[axis];
}

} // namespace

Result<OnnxValue> slice(const OnnxOperation& op, const Result<OnnxValue>& value, std::size_t axis,
                        std::int64_t begin, std::int64_t size) {
    TRY(const OnnxValue x, value);
    TRY(const std::int64_t all, extent_of(x, axis));
    if (begin == 0 && size == all)
        return x;
    Shape from(x.shape().size(), 0);
    Shape extent = x.shape();
    from[axis] = begin;
    extent[axis] = size;
    return op.emit("slice", {x}, {{"begin", from}, {"size", extent}});
}

Result<OnnxValue> take(const OnnxOperation& op, const Result<OnnxValue>& value, std::size_t axis,
                       const Integers& indices) {
    TRY(const OnnxValue x, value);
    TRY(const std::int64_t all, extent_of(x, axis));
    std::int64_t counted = 0;
    const bool in_order =
        std::all_of(indices.begin(), indices.end(), [&](std::int64_t at) { return at == counted++; });
    if (all == counted && in_order)
        return x;
    return op.emit("take", {x}, {{"axis", static_cast<std::int64_t>(axis)}, {"indices", indices}});
}

Result<OnnxValue> reduce(const OnnxOperation& op, const std::string& kind, const Result<OnnxValue>& x,
                         const Integers& axes, bool keep_dims) {
    return op.emit(kind, {x}, {{"axes", axes}, {"keep_dims", keep_dims}});
}

Result<std::size_t> axis_of(std::int64_t axis, std::int64_t rank) {
    if (axis < -rank || axis >= rank)
        return refused("axis " + std::to_string(axis) + " is not one of a tensor of " + std::to_string(rank) +
                       " dimensions");
    return static_cast<std::size_t>(axis < 0 ? axis + rank : axis);
}

Result<void> expect_countable(std::int64_t n) {
    constexpr std::int64_t most = 1 << 24;
    if (n < 0 || n > most)
        return refused("counts " + std::to_string(n) + " elements one by one",
                       "use at most " + std::to_string(most));
    return {};
}

Result<OnnxValue> count_up(const OnnxOperation& op, std::int64_t n) {
    TRY(expect_countable(n));
    Integers numbers(static_cast<std::size_t>(n));
    std::iota(numbers.begin(), numbers.end(), 0);
    return op.graph.whole_numbers(numbers);
}

Result<OnnxValue> axis_last(const OnnxOperation& op, const Result<OnnxValue>& value, std::size_t axis) {
    TRY(const OnnxValue x, value);
    Integers permutation;
    for (std::size_t d = 0; d < x.shape().size(); ++d)
        if (d != axis)
            permutation.push_back(static_cast<std::int64_t>(d));
    permutation.push_back(static_cast<std::int64_t>(axis));
    return transpose(op, x, permutation);
}

Result<OnnxValue> axis_back(const OnnxOperation& op, const Result<OnnxValue>& value, std::size_t axis) {
    TRY(const OnnxValue x, value);
    Integers permutation;
    for (std::int64_t d = 0; d + 1 < x.rank(); ++d)
        permutation.push_back(d);
    permutation.insert(permutation.begin() + static_cast<std::ptrdiff_t>(axis), x.rank() - 1);
    return transpose(op, x, permutation);
}

Result<OnnxValue> is_class(const OnnxOperation& op, const Result<OnnxValue>& value, std::size_t axis,
                           std::int64_t classes) {
    TRY(const OnnxValue indices, value);
    Shape one = indices.shape();
    one.insert(one.begin() + static_cast<std::ptrdiff_t>(axis), 1);
    Shape along(indices.shape().size() + 1 - axis, 1);
    along[0] = classes;
    return op.emit("equal", {reshape(op, indices, one), reshape(op, count_up(op, classes), along)});
}

} // namespace tilescope::onnx
