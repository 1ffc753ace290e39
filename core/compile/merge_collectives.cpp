// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/entry.h"
#include "base/text.h"
#include "base/try.h"
#include "compile/operation_stages.h"
#include "compile/passes.h"
#include "reordering.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>

namespace tilescope::compile {
namespace {

using graph::Operation;
using graph::Source;
using graph::ValueId;

/// Collectives that may become one, where the first of them is, but all-gathers where the last is.
struct Cluster {
    std::vector<Operation> members;
    std::int64_t bytes = 0;
    std::int32_t place() const {
        return (members[0].kind == "all_gather" ? members.back() : members.front()).id.value;
    }
};

bool made_before_update(const graph::Graph& graph, ValueId id) {
    const graph::Value& value = graph.value(id);
    return value.source != Source::Operation || graph.operation(value.producer).phase != Phase::Update;
}

std::int64_t most_bytes(const MergedCollectives& most, const std::string& kind) {
    return kind == "all_reduce"       ? most.all_reduce
           : kind == "reduce_scatter" ? most.reduce_scatter
           : kind == "all_gather"     ? most.all_gather
                                      : 0;
}

/// Whether others of its kind may come to where it is, or it to them: all that a sum reads is there before
/// the update, and nothing reads the next value of a variable, which is gathered.
bool may_move(const graph::Graph& graph, const Operation& op, bool is_read) {
    if (op.kind == "all_gather")
        return op.inputs.size() == 2 && !is_read;
    return std::all_of(op.inputs.begin(), op.inputs.end(),
                       [&](ValueId id) { return made_before_update(graph, id); });
}

/// The collectives of one kind, IPU, type and scale in their order, each in a cluster of at most so many
/// bytes, unless it has more itself (IPU TensorFlow, driver/passes/combine_instructions.cc).
std::vector<Cluster> clusters_of(const Compilation& c) {
    const graph::Graph& graph = c.graph();
    const std::vector<std::int32_t> stages = operation_stages(graph);
    const auto users = graph.users();
    std::vector<Cluster> clusters;
    std::map<std::tuple<std::string, std::int32_t, graph::DType, std::string>, std::size_t> open;
    for (const Operation& op : graph.operations()) {
        if (op.phase != Phase::Update)
            open.clear(); // it may make what a later one reads
        const std::int64_t most = most_bytes(c.options.most_merged, op.kind);
        if (most == 0 || op.phase != Phase::Update || op.outputs.size() != 1 ||
            !may_move(graph, op, !entry(users, op.outputs[0]).empty()))
            continue;
        const graph::TensorType& type = graph.type(op.outputs[0]);
        const std::int64_t bytes = type.bytes().value;
        const auto [at, fresh] = open.try_emplace(
            {op.kind, c.options.schedule.ipu_of(entry(stages, op.id)), type.dtype, op.attributes.json()}, 0);
        if (fresh || clusters[at->second].bytes + bytes > most) {
            at->second = clusters.size();
            clusters.emplace_back();
        }
        clusters[at->second].members.push_back(op);
        clusters[at->second].bytes += bytes;
    }
    std::erase_if(clusters, [](const Cluster& cluster) { return cluster.members.size() < 2; });
    return clusters;
}

/// The inputs of all members: the first of each, then the second of each.
std::vector<ValueId> inputs_of(const Cluster& cluster) {
    std::vector<ValueId> inputs;
    for (std::size_t i = 0; i < cluster.members[0].inputs.size(); ++i)
        for (const Operation& member : cluster.members)
            inputs.push_back(member.inputs[i]);
    return inputs;
}

} // namespace

Result<std::string> merge_collectives(Compilation& c) {
    const MergedCollectives& most = c.options.most_merged;
    if (most.all_reduce == 0 && most.reduce_scatter == 0 && most.all_gather == 0)
        return std::string("each collective by itself");
    graph::Graph& graph = c.graph();
    Reordering order(c);
    std::map<std::int32_t, const Cluster*> clusters_at; // by operation; null for the others of a cluster
    std::size_t merged = 0;
    const std::vector<Cluster> clusters = clusters_of(c);
    for (const Cluster& cluster : clusters) {
        for (const Operation& member : cluster.members)
            clusters_at[member.id.value] = nullptr;
        clusters_at[cluster.place()] = &cluster;
        merged += cluster.members.size();
    }
    std::map<std::int32_t, ValueId> made; // by the value whose place they take
    const auto replace = [&](ValueId& id) {
        if (const auto found = made.find(id.value); found != made.end())
            id = found->second;
    };
    TRY(auto ordered, order.each([&](Operation& op) -> Result<void> {
        std::for_each(op.inputs.begin(), op.inputs.end(), replace);
        const auto place = clusters_at.find(op.id.value);
        if (place == clusters_at.end()) {
            order.place(std::move(op));
            return {};
        }
        if (place->second == nullptr)
            return {};
        const std::vector<Operation>& members = place->second->members;
        order.build.scope.layer = graph::no_layer; // it is of several
        TRY(const auto outputs,
            order.add(op.kind, inputs_of(*place->second), op.attributes, op.name + "/merged"));
        for (std::size_t i = 0; i < members.size(); ++i)
            made[members[i].outputs[0].value] = outputs[i];
        return {};
    }));
    graph.set_operations(std::move(ordered));
    for (graph::Variable& variable : graph.variables)
        replace(variable.next);
    for (graph::Fetch& fetch : graph.fetches)
        replace(fetch.value);
    if (merged == 0)
        return std::string("no collectives to merge");
    return count_text(static_cast<std::int64_t>(merged)) + " collectives -> " +
           count_text(static_cast<std::int64_t>(clusters.size()));
}

} // namespace tilescope::compile
