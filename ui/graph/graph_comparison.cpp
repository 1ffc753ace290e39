// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/graph_cost.h"
#include "analyse/matching.h"
#include "analyse/operation_groups.h"
#include "ui/graph/operation_graph.h"
#include "ui/session/format.h"

#include <QCoreApplication>
#include <algorithm>
#include <utility>

namespace tilescope::ui {
namespace {

constexpr std::size_t nowhere = static_cast<std::size_t>(-1);

/// Puts what a base has alone behind what a graph has.
class Merger {
  public:
    Merger(const OperationGraph& now, const OperationGraph& base, const analyse::HandMatches& by_hand)
        : base_(base),
          matching_(analyse::match({base.layers, base.operations}, {now.layers, now.operations}, by_hand)),
          result_{now, {{}, {}, base.costs, base.clock_hz}}, place_(base.nodes.size(), nowhere) {
        unfoldBlocks(result_.both);
        for (const auto& [here, there] : matching_.layers)
            layer_here_[there] = here;
        for (std::size_t group = 0; group < now.layer_groups; ++group)
            group_of_[now.groups[group].key] = group;
        for (std::size_t node = 0; node < now.nodes.size(); ++node)
            if (now.nodes[node].kind != GraphNode::Kind::Operation)
                source_of_[now.nodes[node].name] = node;
    }

    ComparedGraphs merge() {
        for (const auto& [here, there] : matching_.operations)
            place_[base_.node_of_operation.at(there)] = result_.both.node_of_operation.at(here);
        for (std::size_t node = 0; node < base_.nodes.size(); ++node)
            if (base_.nodes[node].kind == GraphNode::Kind::Operation && place_[node] == nowhere)
                add(node);
        addEdges();
        foldBlocks(result_.both);
        addCosts();
        return std::move(result_);
    }

  private:
    void add(std::size_t of_base) {
        GraphNode node = base_.nodes[of_base];
        const profile::LayerRecord* layer = base_.layer(node.layer);
        const auto here = layer_here_.find(node.layer);
        node.layer = here == layer_here_.end() ? -1 : here->second;
        node.id = -1;
        node.gone = true;
        node.cost = {};
        const profile::LayerRecord* layer_here = result_.both.layer(node.layer);
        const QString name = layer_here != nullptr ? text(layer_here->name)
                             : layer != nullptr    ? text(layer->name)
                                                   : text(analyse::group_of_name(node.name.toStdString()));
        const QString key = QStringLiteral("%1, %2").arg(name, phaseName(node.phase));
        const auto [found, fresh] = group_of_.try_emplace(key, result_.both.groups.size());
        if (fresh)
            result_.both.groups.push_back(GraphGroup::of(key, name, node, layer));
        node.group = found->second;
        place_[of_base] = result_.both.nodes.size();
        result_.both.groups[node.group].members.push_back(place_[of_base]);
        result_.both.nodes.push_back(std::move(node));
    }

    bool gone(std::size_t of_base) const {
        return place_[of_base] != nowhere && result_.both.nodes[place_[of_base]].gone;
    }

    /// Those from or to what is gone; data and parameters that both have go by their names.
    void addEdges() {
        std::map<std::size_t, std::size_t> tensors;
        for (const GraphEdge& edge : base_.edges) {
            if (!gone(edge.from) && !gone(edge.to))
                continue;
            if (place_[edge.from] == nowhere) {
                const auto source = source_of_.find(base_.nodes[edge.from].name);
                if (source == source_of_.end())
                    add(edge.from);
                else
                    place_[edge.from] = source->second;
            }
            const auto [tensor, fresh] = tensors.try_emplace(edge.tensor, result_.both.tensors.size());
            if (fresh)
                result_.both.tensors.push_back(base_.tensors[edge.tensor]);
            result_.both.edges.push_back({place_[edge.from], place_[edge.to], tensor->second});
        }
    }

    void addCosts() {
        GraphBaseline& base = result_.base;
        base.nodes.resize(result_.both.nodes.size());
        base.groups.resize(result_.both.groups.size());
        std::vector<std::vector<const analyse::Cost*>> parts(base.groups.size());
        for (std::size_t node = 0; node < base_.nodes.size(); ++node) {
            if (place_[node] == nowhere || base_.nodes[node].kind != GraphNode::Kind::Operation)
                continue;
            const analyse::Cost& cost = base_.nodes[node].cost.time;
            base.nodes[place_[node]] = cost;
            for (const std::size_t holder : result_.both.holders(result_.both.nodes[place_[node]].group))
                parts[holder].push_back(&cost);
        }
        for (std::size_t group = 0; group < parts.size(); ++group)
            if (!parts[group].empty())
                base.groups[group] = analyse::together(parts[group]);
    }

    const OperationGraph& base_;
    const analyse::Matching matching_;
    ComparedGraphs result_;
    std::vector<std::size_t> place_; ///< nodes of the base in what both have
    std::map<std::int64_t, std::int64_t> layer_here_;
    std::map<QString, std::size_t> group_of_;  ///< by key
    std::map<QString, std::size_t> source_of_; ///< data and parameters by name
};

GraphChange change(std::optional<std::int64_t> before, std::int64_t now) {
    return !before || (*before == 0 && now > 0) ? GraphChange::Added
           : now < *before                      ? GraphChange::Less
           : now > *before                      ? GraphChange::More
                                                : GraphChange::Same;
}

} // namespace

ComparedGraphs compareGraphs(const OperationGraph& now, const OperationGraph& base,
                             const analyse::HandMatches& by_hand) {
    return Merger(now, base, by_hand).merge();
}

QString changeName(GraphChange change) {
    const auto tr = [](const char* source) { return QCoreApplication::translate("OperationGraph", source); };
    switch (change) {
    case GraphChange::Less:
        return tr("less time");
    case GraphChange::More:
        return tr("more time");
    case GraphChange::Added:
        return tr("added");
    case GraphChange::Removed:
        return tr("removed");
    case GraphChange::Same:
        break;
    }
    return tr("the same");
}

GraphChange nodeChange(const OperationGraph& graph, const GraphBaseline& base, std::size_t index) {
    const GraphNode& node = graph.nodes[index];
    if (node.gone)
        return GraphChange::Removed;
    if (node.kind != GraphNode::Kind::Operation)
        return GraphChange::Same;
    return change(baseCycles(graph, base, base.nodes, index), shownCycles(graph, &base, node.cost));
}

GraphChange groupChange(const OperationGraph& graph, const GraphBaseline& base, std::size_t index) {
    const GraphGroup& group = graph.groups[index];
    const auto all = [&](auto is) {
        return std::all_of(group.members.begin(), group.members.end(),
                           [&](std::size_t node) { return is(graph.nodes[node]); });
    };
    if (all([](const GraphNode& node) { return node.gone; }))
        return GraphChange::Removed;
    if (all([](const GraphNode& node) { return node.kind != GraphNode::Kind::Operation; }))
        return GraphChange::Same;
    return change(baseCycles(graph, base, base.groups, index), shownCycles(graph, &base, group.cost));
}

} // namespace tilescope::ui
