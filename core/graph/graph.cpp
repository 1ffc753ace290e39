// SPDX-License-Identifier: GPL-3.0-or-later
#include "graph/graph.h"

#include "base/entry.h"

#include <algorithm>
#include <utility>

namespace tilescope::graph {

const HostTensor* Graph::constant(ValueId id) const {
    const Value& v = value(id);
    return v.source == Source::Constant ? &constants[static_cast<std::size_t>(v.index)].tensor : nullptr;
}

ValueId Graph::add_value(Value value) {
    values_.push_back(std::move(value));
    return ValueId(static_cast<std::int32_t>(values_.size() - 1));
}

OpId Graph::add_operation(Operation operation, const std::vector<TensorType>& outputs) {
    const OpId id(static_cast<std::int32_t>(operations_.size()));
    operation.id = id;
    const std::string base = operation.name.empty() ? operation.kind : operation.name;
    operation.name = base;
    auto [known, fresh] = names_.try_emplace(base, 1);
    while (!fresh) {
        operation.name = base + "_" + std::to_string(known->second++);
        fresh = names_.try_emplace(operation.name, 1).second;
    }
    operation.outputs.clear();
    for (std::size_t i = 0; i < outputs.size(); ++i)
        operation.outputs.push_back(add_value(
            {outputs[i], outputs.size() == 1 ? operation.name : operation.name + ":" + std::to_string(i),
             Source::Operation, id, static_cast<std::int32_t>(i), operation.layer}));
    operations_.push_back(std::move(operation));
    return id;
}

ValueId Graph::add_output(OpId id, TensorType type) {
    const Operation& op = operation(id);
    const auto index = static_cast<std::int32_t>(op.outputs.size());
    if (index == 1)
        value(op.outputs[0]).name = op.name + ":0";
    const ValueId added = add_value(
        {std::move(type), op.name + ":" + std::to_string(index), Source::Operation, id, index, op.layer});
    operation(id).outputs.push_back(added);
    return added;
}

void Graph::set_operations(std::vector<Operation> operations) {
    operations_ = std::move(operations);
    for (Value& v : values_)
        if (v.source == Source::Operation)
            v.producer = no_op;
    for (std::size_t i = 0; i < operations_.size(); ++i) {
        Operation& op = operations_[i];
        op.id = OpId(static_cast<std::int32_t>(i));
        for (std::size_t k = 0; k < op.outputs.size(); ++k) {
            value(op.outputs[k]).producer = op.id;
            value(op.outputs[k]).index = static_cast<std::int32_t>(k);
        }
    }
}

std::int32_t Graph::shards() const {
    std::int32_t highest = 0;
    for (const Operation& op : operations_)
        highest = std::max(highest, op.placement.shard);
    return highest + 1;
}

std::vector<std::vector<OpId>> Graph::users() const {
    std::vector<std::vector<OpId>> result(values_.size());
    for (const Operation& op : operations_)
        for (const ValueId input : op.inputs) {
            auto& list = entry(result, input);
            if (list.empty() || list.back() != op.id)
                list.push_back(op.id);
        }
    return result;
}

} // namespace tilescope::graph
