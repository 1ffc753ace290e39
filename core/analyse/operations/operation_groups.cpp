// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/operation_groups.h"

#include "analyse/like_names.h"
#include "base/text.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace tilescope::analyse {
namespace {

/// A name with the layer in it: "layer_3_output/MatMul" is "", "layer_3_output", "/MatMul".
struct NameParts {
    std::string before, layer, after;
};

std::optional<NameParts> parts_of(const OperationFigures& op) {
    const std::string& name = op.record.name;
    const std::size_t at = op.layer.empty() ? std::string::npos : name.find(op.layer);
    if (at == std::string::npos)
        return std::nullopt;
    return NameParts{name.substr(0, at), op.layer, name.substr(at + op.layer.size())};
}

using Tensors = std::map<std::int64_t, const profile::TensorRecord*>; ///< by id

/// What operations that are alike have in common.
using AlikeKey = std::vector<std::string>;

std::optional<AlikeKey> alike_key(const OperationFigures& op, const Tensors& tensors) {
    const auto parts = parts_of(op);
    if (!parts)
        return std::nullopt;
    AlikeKey key{parts->before, parts->after, op.record.kind, profile::to_string(op.record.phase),
                 std::to_string(op.record.flops)};
    const Numbered layer(parts->layer);
    key.insert(key.end(), layer.between.begin(), layer.between.end());
    for (const auto* ids : {&op.record.inputs, &op.record.outputs})
        for (const std::int64_t id : *ids)
            if (const auto tensor = tensors.find(id); tensor != tensors.end())
                key.push_back(to_string(tensor->second->dtype) + tensor->second->shape);
    return key;
}

/// Of operations that are alike.
std::string common_name(const std::vector<OperationFigures>& operations,
                        const std::vector<std::size_t>& members) {
    const NameParts first = parts_of(operations[members.front()]).value();
    Numbered layers(first.layer);
    for (const std::size_t member : members)
        layers.merge(Numbered(operations[member].layer));
    return first.before + layers.text() + first.after;
}

/// The text that all have; else how many there are: "3 kinds".
std::string common_or_count(const std::vector<OperationFigures>& operations,
                            const std::vector<std::size_t>& members, const char* what, auto text_of) {
    std::vector<std::string> texts;
    texts.reserve(members.size());
    for (const std::size_t member : members)
        texts.push_back(text_of(operations[member]));
    std::sort(texts.begin(), texts.end());
    texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
    return texts.size() == 1 ? texts.front()
                             : count_text(static_cast<std::int64_t>(texts.size())) + " " + what;
}

OperationFigures together(const std::vector<OperationFigures>& operations,
                          const std::vector<std::size_t>& members) {
    OperationFigures all = operations[members.front()];
    std::int64_t computed = 0; // cycles of compute sets
    for (const std::size_t member : members) {
        const OperationFigures& op = operations[member];
        if (op.balance)
            computed += op.cost.cycles.compute;
        if (member == members.front())
            continue;
        if (op.record.ipu != all.record.ipu)
            all.record.ipu = -1; // of several
        all.cost += op.cost;
        all.runs += op.runs;
        all.live += op.live;
        all.unbalanced += op.unbalanced;
        all.lost = all.lost && op.lost ? std::optional(*all.lost + *op.lost) : std::nullopt;
        all.exchanged_bytes += op.exchanged_bytes;
        all.rearranged_bytes += op.rearranged_bytes;
        all.temporary_bytes = std::max(all.temporary_bytes, op.temporary_bytes);
        all.code_bytes =
            all.code_bytes && op.code_bytes ? std::optional(*all.code_bytes + *op.code_bytes) : std::nullopt;
    }
    all.balance = computed > 0
                      ? std::optional(1 - static_cast<double>(all.unbalanced) / static_cast<double>(computed))
                      : std::nullopt;
    all.record.kind = common_or_count(operations, members, "kinds",
                                      [](const OperationFigures& op) { return op.record.kind; });
    all.plan =
        common_or_count(operations, members, "plans", [](const OperationFigures& op) { return op.plan; });
    std::vector<std::string> layers;
    layers.reserve(members.size());
    for (const std::size_t member : members)
        layers.push_back(operations[member].layer);
    all.layer = common_text(layers);
    return all;
}

} // namespace

std::vector<OperationGroup> group_operations(const std::vector<OperationFigures>& operations,
                                             const std::vector<profile::TensorRecord>& tensors,
                                             OperationGrouping grouping) {
    Tensors by_id;
    for (const auto& tensor : tensors)
        by_id[tensor.id] = &tensor;
    std::map<AlikeKey, std::vector<std::size_t>> by_key;
    std::vector<const std::vector<std::size_t>*> group_of(operations.size(), nullptr);
    for (std::size_t i = 0; i < operations.size() && grouping != OperationGrouping::None; ++i) {
        const OperationFigures& op = operations[i];
        const auto key = grouping == OperationGrouping::Alike   ? alike_key(op, by_id)
                         : grouping == OperationGrouping::Layer ? std::optional(AlikeKey{op.layer})
                                                                : std::optional(AlikeKey{op.record.kind});
        if (!key)
            continue;
        auto& members = by_key[*key];
        members.push_back(i);
        group_of[i] = &members;
    }
    const std::size_t least = grouping == OperationGrouping::Alike ? least_alike : 2;
    std::vector<OperationGroup> groups;
    for (std::size_t i = 0; i < operations.size(); ++i) {
        if (group_of[i] == nullptr || group_of[i]->size() < least) {
            groups.push_back({operations[i], {i}, {operations[i].record.phase}});
            continue;
        }
        const std::vector<std::size_t>& members = *group_of[i];
        if (members.front() != i)
            continue;
        OperationGroup group{together(operations, members), members, {}};
        for (const std::size_t member : members)
            group.phases.insert(operations[member].record.phase);
        group.all.record.name = grouping == OperationGrouping::Alike   ? common_name(operations, members)
                                : grouping == OperationGrouping::Layer ? operations[i].layer
                                                                       : operations[i].record.kind;
        groups.push_back(std::move(group));
    }
    return groups;
}

const OperationGroup& slowest_of(const std::vector<OperationGroup>& groups) {
    return *std::max_element(groups.begin(), groups.end(), [](const auto& a, const auto& b) {
        return a.all.cost.cycles.total() < b.all.cost.cycles.total();
    });
}

const OperationFigures& slowest_in(const OperationGroup& group,
                                   const std::vector<OperationFigures>& operations) {
    const auto slowest =
        std::max_element(group.members.begin(), group.members.end(), [&](std::size_t a, std::size_t b) {
            return operations[a].cost.cycles.total() < operations[b].cost.cycles.total();
        });
    return operations[*slowest];
}

} // namespace tilescope::analyse
