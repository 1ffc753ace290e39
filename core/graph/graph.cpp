// SPDX-License-Identifier: GPL-3.0-or-later
#include "graph/graph.h"

#include <algorithm>
#include <utility>

namespace tilescope::graph {
namespace {

std::string phase_name(Phase phase) {
    switch (phase) {
    case Phase::Recompute:
        return "recompute";
    case Phase::Backward:
        return "backward";
    case Phase::Update:
        return "update";
    case Phase::Forward:
        break;
    }
    return "forward";
}

} // namespace

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
    const auto count = ++name_counts_[base];
    operation.name = count == 1 ? base : base + "_" + std::to_string(count - 1);
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
    const ValueId value = add_value(
        {std::move(type), op.name + ":" + std::to_string(index), Source::Operation, id, index, op.layer});
    operation(id).outputs.push_back(value);
    return value;
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
            auto& list = result[static_cast<std::size_t>(input.value)];
            if (list.empty() || list.back() != op.id)
                list.push_back(op.id);
        }
    return result;
}

std::string Graph::print() const {
    std::string text = "graph " + name + "\n";
    const auto label = [](ValueId id) { return "%" + std::to_string(id.value); };
    const auto source = [&](const char* what, const std::string& label_text, ValueId id) {
        text += "  " + label(id) + " = " + what + " " + label_text + " : " + to_string(type(id)) + "\n";
    };
    for (const Feed& feed : feeds)
        source("feed", feed.name, feed.value);
    for (const Variable& variable : variables)
        source("variable", variable.name, variable.value);
    for (const Constant& constant : constants)
        source("constant", value(constant.value).name, constant.value);
    for (const Operation& op : operations_) {
        text += "  ";
        for (std::size_t i = 0; i < op.outputs.size(); ++i)
            text += (i == 0 ? "" : ", ") + label(op.outputs[i]);
        text += " = " + op.kind + "(";
        for (std::size_t i = 0; i < op.inputs.size(); ++i)
            text += (i == 0 ? "" : ", ") + label(op.inputs[i]);
        text += ") ";
        if (!op.attributes.all().empty())
            text += op.attributes.json() + " ";
        text += ": ";
        for (std::size_t i = 0; i < op.outputs.size(); ++i)
            text += (i == 0 ? "" : ", ") + to_string(type(op.outputs[i]));
        text += "  # " + op.name + " " + phase_name(op.phase) + "\n";
    }
    for (const Variable& variable : variables)
        if (variable.next != no_value)
            text += "  next " + variable.name + " = " + label(variable.next) + "\n";
    for (const Fetch& fetch : fetches)
        text += "  fetch " + fetch.name + " = " + label(fetch.value) + "\n";
    return text;
}

} // namespace tilescope::graph
