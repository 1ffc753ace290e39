// SPDX-License-Identifier: GPL-3.0-or-later
#include "graph/builder.h"

#include "base/nearest_name.h"
#include "base/try.h"

#include <algorithm>
#include <utility>

namespace tilescope::graph {
namespace {

Result<void> expect_size(const TensorType& type, const std::string& name) {
    auto ok = check_size(type.shape);
    if (!ok)
        ok.error().place = name;
    return ok;
}

/// Attributes of a wrong type come from workloads and texts of graphs.
Result<std::vector<TensorType>> inferred(const Operator& op, const std::vector<TensorType>& inputs,
                                         const Attributes& attributes) {
    try {
        return op.infer(inputs, attributes);
    } catch (const WrongAttribute& wrong) {
        return bad_input("attribute \"" + wrong.name() + "\" is of another type than \"" + op.name +
                             "\" expects",
                         {}, "see the page about operators");
    }
}

} // namespace

Result<void> check_size(const Shape& shape) {
    if (std::any_of(shape.begin(), shape.end(), [](std::int64_t extent) { return extent < 0; }))
        return bad_input("makes a tensor of shape " + to_string(shape), {}, "use extents of at least 0");
    const bool too_long = std::any_of(shape.begin(), shape.end(), // where another one is 0, too
                                      [](std::int64_t extent) { return extent > most_elements; });
    if (too_long || element_count(shape) > most_elements)
        return bad_input("makes a tensor of shape " + to_string(shape) + ", more than an IPU can hold", {},
                         "use a smaller batch or model");
    return {};
}

LayerId Builder::layer(std::string name, std::string kind) {
    graph_.layers.push_back({std::move(name), std::move(kind), {}, 0});
    return LayerId(static_cast<std::int32_t>(graph_.layers.size() - 1));
}

Result<ValueId> Builder::feed(const std::string& name, TensorType type) {
    TRY(expect_size(type, name));
    const auto index = static_cast<std::int32_t>(graph_.feeds.size());
    const ValueId id = graph_.add_value({std::move(type), name, Source::Feed, no_op, index, scope.layer});
    graph_.feeds.push_back({name, id, false});
    return id;
}

Result<ValueId> Builder::variable(const std::string& name, InitialValue initial, bool trainable) {
    TRY(expect_size(initial.type(), name));
    const auto index = static_cast<std::int32_t>(graph_.variables.size());
    const ValueId id = graph_.add_value({initial.type(), name, Source::Variable, no_op, index, scope.layer});
    graph_.variables.push_back({name, id, no_value, std::move(initial), trainable, scope.layer});
    return id;
}

ValueId Builder::constant(const std::string& name, HostTensor tensor) {
    const auto index = static_cast<std::int32_t>(graph_.constants.size());
    const ValueId id = graph_.add_value({tensor.type(), name, Source::Constant, no_op, index, scope.layer});
    graph_.constants.push_back({id, std::move(tensor)});
    return id;
}

ValueId Builder::scalar(double value, DType dtype) {
    HostTensor tensor(TensorType{dtype, {}});
    tensor.set(0, value);
    return constant("scalar", std::move(tensor));
}

Result<ValueId> Builder::as_type(const Result<ValueId>& value, DType dtype) {
    return value && type(*value).dtype == dtype
               ? value
               : emit("cast", {value}, {{"dtype", to_string(dtype)}}, "Cast");
}

void Builder::fetch(const std::string& name, ValueId value, FetchKind kind) {
    graph_.fetches.push_back({name, value, kind});
}

Result<std::vector<ValueId>> Builder::add(const std::string& kind, const Operands<ValueId>& inputs,
                                          Attributes attributes, const std::string& name) {
    TRY(const auto values, inputs.values());
    const Operator* op = registry_.find(kind);
    const std::string full_name = scope.prefix + (name.empty() ? kind : name);
    if (op == nullptr) {
        return bad_input("operation \"" + kind + "\" is not known", full_name,
                         remedy_for(kind, registry_.names()));
    }
    std::vector<TensorType> types;
    types.reserve(values.size());
    for (const ValueId input : values)
        types.push_back(graph_.type(input));
    if (!op->takes_bytes && !op->view && std::any_of(types.begin(), types.end(), [](const TensorType& in) {
            return in.dtype == DType::UInt8;
        }))
        return bad_input("operation \"" + kind + "\" does not compute in uint8", full_name,
                         "cast its inputs first");
    const auto failed = [&](Error error) {
        if (error.place.empty())
            error.place = full_name;
        return Failure(std::move(error));
    };
    auto outputs = inferred(*op, types, attributes);
    if (!outputs)
        return failed(outputs.error());
    for (const TensorType& output : *outputs)
        if (auto ok = check_size(output.shape); !ok)
            return failed(ok.error());
    if (graph_.operations().size() >= most_operations)
        return bad_input("the graph has more than " + std::to_string(most_operations) + " operations",
                         full_name, "use fewer time steps or layers");
    Operation operation;
    operation.kind = kind;
    operation.name = full_name;
    operation.inputs = values;
    operation.attributes = std::move(attributes);
    operation.phase = scope.phase;
    operation.layer = scope.layer;
    operation.placement = scope.placement;
    return graph_.operation(graph_.add_operation(std::move(operation), *outputs)).outputs;
}

Result<ValueId> Builder::emit(const std::string& kind, const Operands<ValueId>& inputs, Attributes attributes,
                              const std::string& name) {
    TRY(const auto outputs, add(kind, inputs, std::move(attributes), name));
    return outputs.front();
}

} // namespace tilescope::graph
