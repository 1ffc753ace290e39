// SPDX-License-Identifier: GPL-3.0-or-later
#include "graph.h"

#include "base/try.h"
#include "base/worker_pool.h"
#include "operators/interpreter.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace tilescope::onnx {
namespace {

using graph::Attributes;
using graph::HostTensor;
using graph::TensorType;
using graph::ValueId;

constexpr std::int64_t largest_folded = 1 << 20;   ///< elements: larger results are made on the device
constexpr std::int64_t most_folded_work = 1 << 28; ///< operations on numbers: the device does more than these
constexpr std::int64_t largest_given = 4096;       ///< elements of a fed tensor that may decide about shapes

/// `whole`: the type of whole numbers.
OnnxTensor tensor_of(const HostTensor& tensor, const std::string& name, const char* whole = "int64") {
    OnnxTensor result;
    result.name = name;
    result.shape = tensor.shape();
    switch (tensor.type().dtype) {
    case graph::DType::Float32:
        result.type = "float";
        break;
    case graph::DType::Float16:
        result.type = "float16";
        break;
    case graph::DType::Int32:
        result.type = whole;
        break;
    case graph::DType::Bool:
        result.type = "bool";
        break;
    case graph::DType::UInt8:
        result.type = "uint8";
        break;
    }
    if (graph::is_floating(tensor.type().dtype)) {
        result.floats = tensor;
        return result;
    }
    for (std::int64_t i = 0; i < tensor.elements(); ++i)
        result.integers.push_back(static_cast<std::int64_t>(tensor.at(i)));
    return result;
}

/// Only what moves elements or works on each of them makes sense where there are none.
bool takes_empty(const graph::Operator& op) {
    static const std::set<std::string> moving = {"reshape", "transpose",    "slice", "concatenate",
                                                 "pad",     "broadcast_to", "take",  "cast"};
    return op.elementwise || moving.contains(op.name);
}

/// Copies of a weight, and what one of its readers makes of it, must stay one weight: they are made on the
/// device, where their gradients are added up.
bool copies_weights(const OnnxValues& inputs, const std::vector<TensorType>& results) {
    std::int64_t weights = 0;
    for (const OnnxValue& input : inputs)
        if (input.known->weight) {
            weights += input.type.elements();
            if (input.known->shared && graph::is_floating(input.type.dtype))
                return true;
        }
    return weights > 0 && std::any_of(results.begin(), results.end(), [weights](const TensorType& type) {
               return type.elements() > weights;
           });
}

/// Whether one of the inputs has whole numbers of 32 bits, which wrap around there as they do here.
bool of_int32(const OnnxValues& inputs) {
    return std::any_of(inputs.begin(), inputs.end(),
                       [](const OnnxValue& input) { return input.known->tensor.type == "int32"; });
}

/// Whether 32 bits are too few for what this operation makes: then it is some 2^32 away from what floats,
/// which are not exact, make of it.
bool leaves_int32(const graph::Operator& op, const std::vector<HostTensor>& in,
                  const std::vector<TensorType>& types, const Attributes& attributes,
                  const std::vector<HostTensor>& made, const operators::Machine& with) {
    static const std::set<std::string> arithmetic = {"add",   "subtract",   "multiply",
                                                     "power", "reduce_sum", "reduce_prod"};
    if (!arithmetic.contains(op.name) || types[0].dtype != graph::DType::Int32)
        return false;
    std::vector<HostTensor> floats;
    std::vector<const HostTensor*> pointers;
    floats.reserve(in.size());
    for (const HostTensor& tensor : in) {
        HostTensor& copy = floats.emplace_back(TensorType{graph::DType::Float32, tensor.shape()});
        for (std::int64_t i = 0; i < tensor.elements(); ++i)
            copy.set(i, tensor.at(i));
        pointers.push_back(&copy);
    }
    const auto about =
        operators::computed(op, pointers, {{graph::DType::Float32, types[0].shape}}, attributes, with);
    for (std::int64_t i = 0; i < made[0].elements(); ++i)
        if (std::abs(about[0].at(i) - made[0].at(i)) > 2147483648.0)
            return true;
    return false;
}

/// Reshaping keeps whole numbers exactly, whatever their size.
bool only_renames(const std::string& kind) {
    return kind == "reshape";
}

} // namespace

const std::vector<std::int64_t>& integers_of(const OnnxValue& value) {
    return value.known->tensor.integers;
}

Result<HostTensor> device_tensor(const OnnxValue& value) {
    return narrowed(value.known->tensor);
}

OnnxValue OnnxGraph::known(OnnxTensor tensor, bool weight) {
    OnnxValue value;
    value.type = {device_type(tensor.type).value_or(graph::DType::Float32), tensor.shape};
    if (value.type.dtype == graph::DType::Int32)
        value.whole = tensor.type;
    value.known =
        std::make_shared<KnownTensor>(KnownTensor{std::move(tensor), weight, graph::no_value, nullptr});
    return value;
}

OnnxValue OnnxGraph::frozen(const OnnxValue& value) {
    KnownTensor& weight = *value.known;
    if (!weight.frozen)
        weight.frozen =
            std::make_shared<KnownTensor>(KnownTensor{weight.tensor, false, graph::no_value, nullptr});
    return {value.type, graph::no_value, weight.frozen, value.whole};
}

OnnxValue OnnxGraph::known(const HostTensor& tensor) {
    return known(tensor_of(tensor, "constant"));
}

OnnxValue OnnxGraph::scalar(double value, graph::DType dtype) {
    HostTensor tensor(TensorType{dtype, {}});
    tensor.set(0, value);
    return known(tensor);
}

OnnxValue OnnxGraph::whole_numbers(const std::vector<std::int64_t>& values) {
    OnnxTensor tensor{"constant", "int64", {static_cast<std::int64_t>(values.size())}, values, {}};
    return known(std::move(tensor));
}

Result<OnnxValue> OnnxGraph::feed(const std::string& name, TensorType type, const OnnxTensor* given) {
    OnnxValue value;
    value.type = type;
    TRY(value.id, build_.feed(name, std::move(type)));
    if (given != nullptr && value.type.elements() <= largest_given)
        value.known = std::make_shared<KnownTensor>(KnownTensor{*given, false, value.id, nullptr});
    return value;
}

Result<ValueId> OnnxGraph::on_device(const Result<OnnxValue>& made) {
    TRY(const OnnxValue value, made);
    if (value.computed())
        return value.id;
    KnownTensor& known = *value.known;
    if (known.id != graph::no_value)
        return known.id;
    TRY(HostTensor tensor, device_tensor(value));
    const bool variable = known.weight && graph::is_floating(tensor.type().dtype);
    if (!variable)
        return known.id = build_.constant(known.tensor.name, std::move(tensor));
    std::string name = known.tensor.name;
    for (int i = 1; !variable_names_.insert(name).second; ++i)
        name = known.tensor.name + "_" + std::to_string(i);
    TRY(known.id, build_.variable(name, std::move(tensor)));
    return known.id;
}

Result<OnnxValues> OnnxGraph::compute(const graph::Operator& op, const OnnxValues& inputs,
                                      const Attributes& attributes, const std::vector<TensorType>& types) {
    std::string name = "constant";
    bool weight = false;
    for (const OnnxValue& input : inputs)
        if (input.known->weight && !weight) {
            weight = true;
            name = input.known->tensor.name;
        }
    if (only_renames(op.name)) {
        OnnxTensor tensor = inputs[0].known->tensor;
        tensor.shape = types[0].shape;
        if (graph::is_floating(types[0].dtype))
            tensor.floats.reshape(types[0].shape);
        return values_of({known(std::move(tensor), weight)});
    }
    std::vector<HostTensor> in;
    for (const OnnxValue& input : inputs) {
        TRY(HostTensor tensor, device_tensor(input));
        in.push_back(std::move(tensor));
    }
    std::vector<const HostTensor*> in_pointers(in.size());
    std::transform(in.begin(), in.end(), in_pointers.begin(),
                   [](const HostTensor& tensor) { return &tensor; });
    const operators::Machine machine{build_.registry(), pool_, kernels::best_kernels()};
    const std::vector<HostTensor> out = operators::computed(op, in_pointers, types, attributes, machine);
    const bool wraps = of_int32(inputs);
    if (!wraps && leaves_int32(op, in, types, attributes, out, machine))
        return refused("makes whole numbers that the device's int32 does not hold",
                       "keep whole numbers between -2147483648 and 2147483647, or cast them to float");
    OnnxValues results;
    results.reserve(out.size());
    for (const HostTensor& tensor : out)
        results.push_back(known(tensor_of(tensor, name, wraps ? "int32" : "int64"), weight));
    return results;
}

Result<OnnxValues> OnnxGraph::folded_result(const graph::Operator& op, const OnnxValues& inputs,
                                            const Attributes& attributes,
                                            const std::vector<TensorType>& types) {
    if (inputs.size() != 1 || !inputs[0].known->weight)
        return compute(op, inputs, attributes, types);
    const auto [made, fresh] =
        made_of_weights_.try_emplace({op.name + attributes.json(), inputs[0].known}, OnnxValues());
    if (fresh) {
        TRY(made->second, compute(op, inputs, attributes, types));
    }
    return made->second;
}

Result<bool> OnnxGraph::folds(const graph::Operator& op, const OnnxValues& inputs,
                              const Attributes& attributes, const std::vector<TensorType>& types,
                              const std::vector<TensorType>& results) {
    bool all_known = !op.random && !op.stateful;
    bool computed = false;
    std::int64_t size = 0;
    for (const OnnxValue& input : inputs) {
        all_known = all_known && input.known;
        computed = computed || input.computed();
        size = std::max(size, input.type.elements());
    }
    for (const TensorType& type : results) {
        TRY(graph::check_size(type.shape));
        all_known = all_known && type.elements() <= std::max(computed ? largest_given : largest_folded, size);
    }
    return all_known && !(op.flops && op.flops(types, results, attributes) > most_folded_work) &&
           !copies_weights(inputs, results);
}

Result<OnnxValues> OnnxGraph::emit_all(const std::string& kind, const OnnxOperands& operands,
                                       Attributes attributes) {
    TRY(const OnnxValues inputs, operands.values());
    const graph::Operator& op = build_.registry().at(kind);
    std::vector<TensorType> types;
    types.reserve(inputs.size());
    for (const OnnxValue& input : inputs) {
        types.push_back(input.type);
        if (input.type.elements() == 0 && !takes_empty(op))
            return refused("works on a tensor without elements, " + graph::to_string(input.type),
                           "use a batch and extents of at least 1");
    }
    TRY(const auto inferred, op.infer(types, attributes));
    if (++emitted_ > graph::most_operations)
        return refused("the model takes more than " + std::to_string(graph::most_operations) + " operations",
                       "use fewer time steps or nodes");
    TRY(const bool folded, folds(op, inputs, attributes, types, inferred));
    OnnxValues results;
    if (folded) {
        TRY(results, folded_result(op, inputs, attributes, inferred));
        if (std::none_of(inputs.begin(), inputs.end(), [](const OnnxValue& v) { return v.computed(); }))
            return results;
    }
    std::vector<ValueId> ids;
    for (const OnnxValue& input : inputs) {
        TRY(const ValueId id, on_device(input));
        ids.push_back(id);
    }
    TRY(const auto outputs, build_.add(kind, ids, std::move(attributes)));
    results.resize(outputs.size());
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        results[i].type = inferred[i];
        results[i].id = outputs[i];
    }
    return results;
}

Result<OnnxValue> OnnxGraph::emit(const std::string& kind, const OnnxOperands& inputs,
                                  Attributes attributes) {
    const bool keeps_shape = kind == "reshape" || kind == "broadcast_to";
    if (keeps_shape && inputs.values() && inputs.values()->front().shape() == attributes.integers("shape"))
        return inputs.values()->front();
    TRY(const OnnxValues outputs, emit_all(kind, inputs, std::move(attributes)));
    return outputs.front();
}

} // namespace tilescope::onnx
