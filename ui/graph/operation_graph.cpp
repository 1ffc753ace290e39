// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/graph/operation_graph.h"

#include "analyse/operation_groups.h"
#include "base/try.h"
#include "ui/session/format.h"
#include "ui/widgets/operation_table.h"
#include "ui/widgets/tree_rows.h"

#include <QCoreApplication>
#include <algorithm>
#include <set>

namespace tilescope::ui {
namespace {

class Reader {
  public:
    explicit Reader(OperationGraph& graph) : graph_(graph) {}

    void makeNodes(const analyse::LiveVariables& live,
                   const std::vector<profile::VariableRecord>& variables) {
        for (std::size_t i = 0; i < graph_.tensors.size(); ++i)
            graph_.tensor_of_id[graph_.tensors[i].id] = i;
        for (const auto& op : graph_.operations) {
            graph_.node_of_operation[op.id] = graph_.nodes.size();
            for (const std::int64_t tensor : op.outputs)
                maker_[tensor] = graph_.nodes.size();
            GraphNode node;
            node.id = op.id;
            node.name = text(op.name);
            node.type = text(op.kind);
            node.phase = op.phase;
            node.layer = op.layer_id;
            if (!op.outputs.empty())
                node.shape = shapeOf(op.outputs.front());
            node.cost = analyse::cost_of_operation(graph_.costs, live, op.id);
            node.place = placeOf(op, node.cost);
            graph_.nodes.push_back(std::move(node));
        }
        graph_.total = analyse::cost_of_graph(graph_.costs, live, graph_.operations);
        makeSources(live, variables);
    }

    void makeEdges() {
        for (const auto& op : graph_.operations) {
            std::set<std::int64_t> seen; // x * x uses a tensor twice
            for (const std::int64_t tensor : op.inputs) {
                const auto from = maker_.find(tensor);
                const auto index = graph_.tensor_of_id.find(tensor);
                if (from != maker_.end() && index != graph_.tensor_of_id.end() && seen.insert(tensor).second)
                    graph_.edges.push_back({from->second, graph_.node_of_operation[op.id], index->second});
            }
        }
    }

    void makeGroups() {
        std::map<QString, std::size_t> group_of;
        for (std::size_t n = 0; n < graph_.nodes.size(); ++n) {
            GraphNode& node = graph_.nodes[n];
            const profile::LayerRecord* layer = graph_.layer(node.layer);
            const QString group_name = text(analyse::group_of_name(node.name.toStdString()));
            const QString name = layer != nullptr ? text(layer->name) : group_name;
            QString key = QStringLiteral("%1, %2").arg(name, phaseName(node.phase));
            if (layer == nullptr && (group_name == node.name || node.kind == GraphNode::Kind::Input))
                key = QStringLiteral("%1, %2 %3").arg(key).arg(static_cast<int>(node.kind)).arg(node.id);
            const auto [found, fresh] = group_of.try_emplace(key, graph_.groups.size());
            if (fresh) {
                GraphGroup group = GraphGroup::of(key, name, node, layer);
                if (layer != nullptr && node.phase == profile::Phase::Forward)
                    group.shape = text(layer->output_shape);
                graph_.groups.push_back(std::move(group));
            }
            node.group = found->second;
            GraphGroup& group = graph_.groups[node.group];
            if (node.kind == GraphNode::Kind::Operation)
                group.place =
                    group.members.empty() ? node.place : GraphPlace::common(group.place, node.place);
            group.members.push_back(n);
            node.label =
                node.name.startsWith(name + QLatin1Char('/')) ? node.name.mid(name.size() + 1) : node.name;
        }
        for (GraphGroup& group : graph_.groups) {
            std::vector<const GraphCost*> parts;
            parts.reserve(group.members.size());
            for (const std::size_t n : group.members)
                parts.push_back(&graph_.nodes[n].cost);
            group.cost = analyse::together(parts);
        }
    }

  private:
    static GraphPlace placeOf(const profile::OperationRecord& op, const GraphCost& cost) {
        GraphPlace place;
        if (op.ipu >= 0) // though what it gets from another IPU takes time there, too
            place.ipu = op.ipu;
        else if (cost.time.ipus.size() == 1)
            place.ipu = cost.time.ipus.front();
        if (op.stage >= 0)
            place.stage = op.stage;
        return place;
    }
    QString shapeOf(std::int64_t tensor) const {
        const auto found = graph_.tensor_of_id.find(tensor);
        return found == graph_.tensor_of_id.end() ? QString() : text(graph_.tensors[found->second].shape);
    }

    /// What operations use and none makes: data that comes in, and the parameters of layers.
    void makeSources(const analyse::LiveVariables& live,
                     const std::vector<profile::VariableRecord>& variables) {
        std::map<std::int64_t, const profile::VariableRecord*> variable_of;
        for (const auto& variable : variables)
            if (variable.holds_tensor())
                variable_of.try_emplace(variable.tensor_id, &variable);
        for (const auto& op : graph_.operations)
            for (const std::int64_t id : op.inputs) {
                const auto index = graph_.tensor_of_id.find(id);
                if (maker_.contains(id) || index == graph_.tensor_of_id.end())
                    continue;
                const profile::TensorRecord& tensor = graph_.tensors[index->second];
                const auto variable = variable_of.find(id);
                GraphNode node;
                node.id = id;
                node.name = text(tensor.name);
                node.type = text(to_string(tensor.dtype));
                node.shape = text(tensor.shape);
                node.cost = analyse::cost_of_source(live, id);
                const bool parameter = variable != variable_of.end() && variable->second->layer_id >= 0;
                node.kind = parameter ? GraphNode::Kind::Parameter : GraphNode::Kind::Input;
                node.layer = parameter ? variable->second->layer_id : -1;
                maker_[id] = graph_.nodes.size();
                graph_.nodes.push_back(std::move(node));
            }
    }

    OperationGraph& graph_;
    std::map<std::int64_t, std::size_t> maker_; ///< node by tensor
};

} // namespace

GraphGroup GraphGroup::of(const QString& key, const QString& name, const GraphNode& node,
                          const profile::LayerRecord* layer) {
    GraphGroup group;
    group.key = key;
    group.name = name;
    group.kind = layer != nullptr ? text(layer->kind) : QString();
    group.phase = node.phase;
    group.layer = node.layer;
    return group;
}

GraphPlace GraphPlace::common(const GraphPlace& a, const GraphPlace& b) {
    return {a.ipu == b.ipu ? a.ipu : std::nullopt, a.stage == b.stage ? a.stage : std::nullopt};
}

QString phaseName(profile::Phase phase) {
    switch (phase) {
    case profile::Phase::Recompute:
        return QCoreApplication::translate("OperationGraph", "recompute");
    case profile::Phase::Backward:
        return QCoreApplication::translate("OperationGraph", "backward");
    case profile::Phase::Update:
        return QCoreApplication::translate("OperationGraph", "update");
    case profile::Phase::Forward:
        break;
    }
    return QCoreApplication::translate("OperationGraph", "forward");
}

analyse::Basis shownBasis(const OperationGraph& graph, const GraphBaseline* base) {
    const analyse::Loops* before = base == nullptr ? nullptr : &base->costs.loops();
    return analyse::common_basis(before, graph.costs.loops(), graph.basis);
}

std::int64_t shownCycles(const OperationGraph& graph, const GraphBaseline* base, const GraphCost& cost) {
    return graph.costs.in(shownBasis(graph, base), cost.time.cycles).total();
}

std::optional<std::int64_t> baseCycles(const OperationGraph& graph, const GraphBaseline& base,
                                       const GraphBaseline::Costs& costs, std::size_t index) {
    if (index >= costs.size() || !costs[index])
        return std::nullopt;
    return base.costs.in(shownBasis(graph, &base), costs[index]->cycles).total();
}

QString basisText(const OperationGraph& graph, const GraphBaseline* base) {
    return perText(graph.costs, shownBasis(graph, base));
}

Result<OperationGraph> OperationGraph::read(const profile::Profile& file) {
    OperationGraph graph;
    TRY(graph.operations, file.operations());
    TRY(const auto tensors, file.tensors());
    graph.tensors.assign(tensors.begin(), tensors.end());
    TRY(graph.layers, file.layers());
    TRY(graph.costs, analyse::Costs::read(file));
    TRY(const auto live, analyse::live_variables(file));
    TRY(const auto variables, file.variables());
    const auto target = file.target();
    graph.clock_hz = target ? target->clock_hz : 0; // a run on the host has none
    Reader reader(graph);
    reader.makeNodes(live, variables);
    reader.makeEdges();
    reader.makeGroups();
    foldBlocks(graph);
    return graph;
}

const profile::LayerRecord* OperationGraph::layer(std::int64_t id) const {
    const auto found = std::lower_bound(layers.begin(), layers.end(), id,
                                        [](const auto& layer, std::int64_t at) { return layer.id < at; });
    return found != layers.end() && found->id == id ? &*found : nullptr;
}

const profile::OperationRecord* OperationGraph::operation(std::int64_t id) const {
    const auto found = std::lower_bound(operations.begin(), operations.end(), id,
                                        [](const auto& op, std::int64_t at) { return op.id < at; });
    return found != operations.end() && found->id == id ? &*found : nullptr;
}

std::optional<std::size_t> OperationGraph::nodeOf(std::int64_t operation) const {
    const auto found = node_of_operation.find(operation);
    return found == node_of_operation.end() ? std::nullopt : std::optional(found->second);
}

std::vector<std::size_t> OperationGraph::find(const QString& wanted) const {
    std::vector<std::size_t> hits;
    const TextMatch match(wanted);
    for (std::size_t n = 0; n < nodes.size() && !match.empty(); ++n) {
        const QStringList fields{nodes[n].name, nodes[n].type, nodes[n].shape, groups[nodes[n].group].name};
        if (match(fields.join(QLatin1Char('\n')).toLower()))
            hits.push_back(n);
    }
    return hits;
}

} // namespace tilescope::ui
