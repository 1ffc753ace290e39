// SPDX-License-Identifier: GPL-3.0-or-later
// Folds layers that repeat into blocks, and blocks into stacks.
#include "analyse/stacks.h"
#include "ui/graph/operation_graph.h"
#include "ui/session/format.h"

#include <QCoreApplication>
#include <algorithm>
#include <iterator>
#include <set>

namespace tilescope::ui {
namespace {

using profile::Phase;

/// Where a group of a layer stands.
struct Place {
    std::size_t stack = 0;
    std::size_t block = 0;
    auto operator<=>(const Place&) const = default;
};

class Folder {
  public:
    explicit Folder(OperationGraph& graph) : graph_(graph), place_(graph.groups.size()) {}

    void fold() {
        findStacks();
        placeOthers();
        placeSources();
        for (std::size_t stack = 0; stack < stacks_.size(); ++stack)
            for (const Phase phase : {Phase::Forward, Phase::Recompute, Phase::Backward, Phase::Update})
                make(stack, phase);
    }

  private:
    bool runsForward(const GraphGroup& group) const {
        return group.phase == Phase::Forward &&
               std::any_of(group.members.begin(), group.members.end(),
                           [this](std::size_t node) { return isOperation(node); });
    }

    bool isOperation(std::size_t node) const {
        return graph_.nodes[node].kind == GraphNode::Kind::Operation && !graph_.nodes[node].gone;
    }

    /// Its operations; what they use besides lies in one layer also where many share it, as a constant.
    std::string structureOf(const GraphGroup& group) const {
        QString all = group.kind;
        for (const std::size_t member : group.members)
            if (const GraphNode& node = graph_.nodes[member]; isOperation(member))
                all += QStringLiteral("\n%1 %2").arg(node.type, node.shape);
        return all.toStdString();
    }

    /// Of what runs forward; a run's backward passes and updates are those of the same layers.
    void findStacks() {
        std::vector<std::size_t> part_of(graph_.groups.size(), OperationGraph::no_group);
        for (std::size_t g = 0; g < graph_.groups.size(); ++g) {
            const GraphGroup& group = graph_.groups[g];
            if (!runsForward(group))
                continue;
            part_of[g] = groups_.size();
            groups_.push_back(g);
            parts_.structure.push_back(structureOf(group));
            parts_.names.push_back(group.name.toStdString());
        }
        for (const GraphEdge& edge : graph_.edges) {
            const std::size_t from = part_of[graph_.nodes[edge.from].group];
            const std::size_t to = part_of[graph_.nodes[edge.to].group];
            if (from != to && from != OperationGraph::no_group && to != OperationGraph::no_group &&
                isOperation(edge.from))
                parts_.edges.emplace_back(from, to);
        }
        stacks_ = analyse::find_stacks(parts_);
        for (std::size_t s = 0; s < stacks_.size(); ++s)
            for (std::size_t i = 0; i < stacks_[s].count * stacks_[s].period; ++i)
                place_[groups_[stacks_[s].first + i]] = Place{s, i / stacks_[s].period};
    }

    /// Groups of other phases stand where the one of their layer does; without layers, that of their name.
    void placeOthers() {
        using Name = std::pair<std::int64_t, QString>;
        std::map<Name, std::optional<Place>> of_name;
        for (const std::size_t g : groups_) {
            const auto [found, fresh] =
                of_name.try_emplace({graph_.groups[g].layer, graph_.groups[g].name}, place_[g]);
            if (!fresh)
                found->second.reset(); // it does not say which one
        }
        for (std::size_t g = 0; g < graph_.groups.size(); ++g) {
            const auto found = of_name.find({graph_.groups[g].layer, graph_.groups[g].name});
            if (graph_.groups[g].phase != Phase::Forward && found != of_name.end())
                place_[g] = found->second;
        }
    }

    /// Data and parameters that one block alone uses stand in it.
    void placeSources() {
        std::map<std::size_t, std::set<std::optional<Place>>> readers;
        for (const GraphEdge& edge : graph_.edges)
            readers[graph_.nodes[edge.from].group].insert(place_[graph_.nodes[edge.to].group]);
        for (std::size_t g = 0; g < graph_.groups.size(); ++g) {
            const bool sources = std::all_of(
                graph_.groups[g].members.begin(), graph_.groups[g].members.end(),
                [&](std::size_t node) { return graph_.nodes[node].kind != GraphNode::Kind::Operation; });
            if (sources && readers[g].size() == 1)
                place_[g] = *readers[g].begin();
        }
    }

    void make(std::size_t stack, Phase phase) {
        std::vector<std::vector<std::size_t>> blocks(stacks_[stack].count);
        for (std::size_t g = 0; g < place_.size(); ++g)
            if (place_[g] && place_[g]->stack == stack && graph_.groups[g].phase == phase)
                blocks[place_[g]->block].push_back(g);
        const std::size_t most =
            std::max_element(blocks.begin(), blocks.end(), [](const auto& a, const auto& b) {
                return a.size() < b.size();
            })->size();
        std::vector<std::size_t> made;
        for (std::size_t b = 0; b < blocks.size(); ++b)
            if (blocks[b].size() == 1)
                made.push_back(blocks[b].front());
            else if (!blocks[b].empty())
                made.push_back(add(QStringLiteral("block"), blockName(stack, b), phase, blocks[b]));
        if (made.size() < 2)
            return;
        const QString name =
            QStringLiteral("%1 × %2").arg(stackName(stack), formatCount(std::int64_t(made.size())));
        const std::size_t all = add(QStringLiteral("stack"), name, phase, made);
        graph_.groups[all].kind =
            most > 1 ? QCoreApplication::translate("OperationGraph", "%1 layers each").arg(most)
                     : graph_.groups[made.front()].kind;
        graph_.groups[all].blocks = made.size();
    }

    /// What holds `parts`; its key names the first of them, which stays when the model grows.
    std::size_t add(const QString& sort, const QString& name, Phase phase, std::vector<std::size_t> parts) {
        const std::size_t index = graph_.groups.size();
        GraphGroup group;
        group.key = QStringLiteral("%1 of %2").arg(sort, graph_.groups[parts.front()].key);
        group.name = name;
        group.phase = phase;
        std::vector<const GraphCost*> costs;
        for (const std::size_t part : parts) {
            GraphGroup& inner = graph_.groups[part];
            inner.within = index;
            group.place = part == parts.front() ? inner.place : GraphPlace::common(group.place, inner.place);
            costs.push_back(&inner.cost);
            group.members.insert(group.members.end(), inner.members.begin(), inner.members.end());
            if (!inner.shape.isEmpty())
                group.shape = inner.shape;
        }
        group.cost = analyse::together(costs);
        if (sort == QLatin1String("block"))
            group.kind = QCoreApplication::translate("OperationGraph", "%1 layers").arg(parts.size());
        group.parts = std::move(parts);
        graph_.groups.push_back(std::move(group));
        return index;
    }

    std::vector<std::string> namesOf(std::size_t stack, std::size_t from_block, std::size_t blocks) const {
        const auto begin =
            std::next(parts_.names.begin(),
                      static_cast<std::ptrdiff_t>(stacks_[stack].first + from_block * stacks_[stack].period));
        return {begin, std::next(begin, static_cast<std::ptrdiff_t>(blocks * stacks_[stack].period))};
    }
    QString stackName(std::size_t stack) const {
        const std::string name = analyse::stack_name(stacks_[stack], namesOf(stack, 0, stacks_[stack].count));
        return name.empty() ? QCoreApplication::translate("OperationGraph", "block") : text(name);
    }
    QString blockName(std::size_t stack, std::size_t block) const {
        const std::string name = analyse::block_name(namesOf(stack, block, 1));
        return name.empty() ? QCoreApplication::translate("OperationGraph", "block %1").arg(block + 1)
                            : text(name);
    }

    OperationGraph& graph_;
    std::vector<std::optional<Place>> place_; ///< by group
    std::vector<std::size_t> groups_;         ///< by part
    analyse::PartSequence parts_;
    std::vector<analyse::Stack> stacks_;
};

} // namespace

void foldBlocks(OperationGraph& graph) {
    graph.layer_groups = graph.groups.size();
    Folder(graph).fold();
}

void unfoldBlocks(OperationGraph& graph) {
    graph.groups.resize(graph.layer_groups);
    for (GraphGroup& group : graph.groups)
        group.within = OperationGraph::no_group;
}

std::vector<std::size_t> OperationGraph::holders(std::size_t group) const {
    std::vector<std::size_t> all;
    for (; group != no_group; group = groups[group].within)
        all.push_back(group);
    return all;
}

} // namespace tilescope::ui
