// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/entry.h"
#include "base/text.h"
#include "base/try.h"
#include "compile/operation_stages.h"
#include "compile/passes.h"
#include "reordering.h"

#include <map>
#include <string>
#include <tuple>
#include <utility>

namespace tilescope::compile {
namespace {

using graph::Operation;
using graph::Source;
using graph::ValueId;

/// All-reduces that may become one.
struct Cluster {
    std::vector<Operation> members;
    std::int64_t bytes = 0;
};

bool made_before_update(const graph::Graph& graph, ValueId id) {
    const graph::Value& value = graph.value(id);
    return value.source == Source::Operation && graph.operation(value.producer).phase != Phase::Update;
}

/// The all-reduces of one IPU, type and scale in their order, each in a cluster of at most so many bytes,
/// unless it has more itself (IPU TensorFlow, driver/passes/combine_instructions.cc). They read gradients,
/// all of which are there before the first of them.
std::vector<Cluster> clusters_of(const Compilation& c) {
    const graph::Graph& graph = c.graph();
    const std::vector<std::int32_t> stages = operation_stages(graph);
    std::vector<Cluster> clusters;
    std::map<std::tuple<std::int32_t, graph::DType, std::string>, std::size_t> open;
    for (const Operation& op : graph.operations()) {
        if (op.phase != Phase::Update)
            open.clear(); // it may make what a later one reads
        if (op.kind != "all_reduce" || !made_before_update(graph, op.inputs[0]))
            continue;
        const graph::TensorType& type = graph.type(op.inputs[0]);
        const std::int64_t bytes = type.bytes().value;
        const auto [at, fresh] = open.try_emplace(
            {c.options.schedule.ipu_of(entry(stages, op.id)), type.dtype, op.attributes.json()}, 0);
        if (fresh || clusters[at->second].bytes + bytes > c.options.most_merged_bytes) {
            at->second = clusters.size();
            clusters.emplace_back();
        }
        clusters[at->second].members.push_back(op);
        clusters[at->second].bytes += bytes;
    }
    std::erase_if(clusters, [](const Cluster& cluster) { return cluster.members.size() < 2; });
    return clusters;
}

} // namespace

Result<std::string> merge_collectives(Compilation& c) {
    if (c.options.most_merged_bytes == 0)
        return std::string("each collective by itself");
    graph::Graph& graph = c.graph();
    Reordering order(c);
    std::map<std::int32_t, const Cluster*> first; // by operation; null for the others of a cluster
    std::size_t merged = 0;
    const std::vector<Cluster> clusters = clusters_of(c);
    for (const Cluster& cluster : clusters) {
        for (const Operation& member : cluster.members)
            first[member.id.value] = nullptr;
        first[cluster.members.front().id.value] = &cluster;
        merged += cluster.members.size();
    }
    std::map<std::int32_t, ValueId> sums; // by the value whose place they take
    TRY(auto ordered, order.each([&](Operation& op) -> Result<void> {
        for (ValueId& input : op.inputs)
            if (const auto sum = sums.find(input.value); sum != sums.end())
                input = sum->second;
        const auto place = first.find(op.id.value);
        if (place == first.end()) {
            order.place(std::move(op));
            return {};
        }
        if (place->second == nullptr)
            return {};
        const std::vector<Operation>& members = place->second->members;
        std::vector<ValueId> gradients;
        gradients.reserve(members.size());
        for (const Operation& member : members)
            gradients.push_back(member.inputs[0]);
        order.build.scope.layer = graph::no_layer; // it is of several
        TRY(const auto outputs, order.add(op.kind, gradients, op.attributes, op.name + "/merged"));
        for (std::size_t i = 0; i < members.size(); ++i)
            sums[members[i].outputs[0].value] = outputs[i];
        return {};
    }));
    graph.set_operations(std::move(ordered));
    return count_text(static_cast<std::int64_t>(merged)) + " all-reduces -> " +
           count_text(static_cast<std::int64_t>(clusters.size()));
}

} // namespace tilescope::compile
