// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/costs.h"
#include "analyse/graph_cost.h"
#include "analyse/hand_matches.h"
#include "profile/shared_rows.h"

#include <QString>
#include <cstddef>
#include <map>
#include <optional>
#include <vector>

namespace tilescope::ui {

using analyse::GraphCost;

/// Where operations run, in the first replica; nullopt: nowhere alone.
struct GraphPlace {
    std::optional<std::int64_t> ipu;
    std::optional<std::int64_t> stage; ///< of a pipeline
    bool operator==(const GraphPlace&) const = default;
    static GraphPlace common(const GraphPlace& a, const GraphPlace& b); ///< what both share
};

/// An operation, or a tensor that no operation makes.
struct GraphNode {
    enum class Kind { Operation, Input, Parameter };
    Kind kind = Kind::Operation;
    std::int64_t id = -1; ///< of the operation, or of the tensor
    QString name;
    QString label; ///< the name without that of its group
    QString type;  ///< the operator, or the element type
    QString shape; ///< of what it makes first
    profile::Phase phase = profile::Phase::Forward;
    std::int64_t layer = -1;
    std::size_t group = 0;
    GraphCost cost;
    GraphPlace place;  ///< of an operation
    bool gone = false; ///< it is the base's alone; it has no id here
};

/// The operations of one layer that belong to the same phase of training; operations without a layer go by
/// the first part of their name ("loss/mean"). A group of one is drawn as its member. Behind those of the
/// layers: blocks that repeat ("layer_3"), and stacks of blocks ("layer_* × 24").
struct GraphGroup {
    QString key; ///< the same in every run: "conv2d, backward"
    QString name;
    QString kind;  ///< class of the layer, or empty; how many layers a block has
    QString shape; ///< of a layer's output, for its forward group
    profile::Phase phase = profile::Phase::Forward;
    std::int64_t layer = -1;
    std::vector<std::size_t> members;                  ///< nodes
    std::vector<std::size_t> parts;                    ///< groups that a block or a stack holds
    std::size_t within = static_cast<std::size_t>(-1); ///< the block or stack that holds it, or no_group
    std::size_t blocks = 0;                            ///< of a stack
    GraphCost cost;
    GraphPlace place; ///< that all of its operations share
    bool folds() const { return members.size() > 1; }
    /// One without members yet; `layer`: of `node`, in the file that has it, or null.
    static GraphGroup of(const QString& key, const QString& name, const GraphNode& node,
                         const profile::LayerRecord* layer);
};

/// A tensor on its way from what makes it to an operation that uses it.
struct GraphEdge {
    std::size_t from = 0; ///< nodes
    std::size_t to = 0;
    std::size_t tensor = 0;
};

/// The recorded graph as the drawing needs it.
struct OperationGraph {
    std::vector<GraphNode> nodes;
    std::vector<GraphGroup> groups;
    std::size_t layer_groups = 0; ///< how many of them are of layers; the others hold these
    std::vector<GraphEdge> edges;
    std::vector<profile::TensorRecord> tensors;
    profile::SharedRows<profile::OperationRecord> operations;
    profile::SharedRows<profile::LayerRecord> layers;
    std::map<std::int64_t, std::size_t> node_of_operation;
    std::map<std::int64_t, std::size_t> tensor_of_id; ///< index in `tensors`
    GraphCost total;
    analyse::Costs costs; ///< turns the figures of an engine run into those per weight update or step
    std::optional<analyse::Basis> basis; ///< what figures are asked for per; nullopt: the usual basis
    double clock_hz = 0;

    static Result<OperationGraph> read(const profile::Profile& file);
    const profile::LayerRecord* layer(std::int64_t id) const;         ///< null: none
    const profile::OperationRecord* operation(std::int64_t id) const; ///< null: none
    std::optional<std::size_t> nodeOf(std::int64_t operation) const;
    static constexpr std::size_t no_group = static_cast<std::size_t>(-1);
    std::vector<std::size_t> holders(std::size_t group) const; ///< itself first, what holds all of them last
    /// Nodes whose name, operator, shape or layer contains `text` (case ignored), in order.
    std::vector<std::size_t> find(const QString& wanted) const;
};

/// Adds the blocks of layers that repeat (analyse::find_stacks), and their stacks; takes them away.
void foldBlocks(OperationGraph& graph);
void unfoldBlocks(OperationGraph& graph);

/// What another run takes for the same; nullopt: it has no such node or group.
struct GraphBaseline {
    using Costs = std::vector<std::optional<analyse::Cost>>;
    Costs nodes;
    Costs groups;
    analyse::Costs costs;
    double clock_hz = 0;
};

/// Two runs: what is the same is told by analyse::match.
struct ComparedGraphs {
    OperationGraph both; ///< that of the new run; behind its nodes, groups and edges those of the base alone
    GraphBaseline base;
};
ComparedGraphs compareGraphs(const OperationGraph& now, const OperationGraph& base,
                             const analyse::HandMatches& by_hand = {});

/// What has become of a node or a group since the base.
enum class GraphChange { Same, Less, More, Added, Removed };
QString changeName(GraphChange change); ///< "added"

/// What the cycles that are shown are per: what was asked for where the graph and its base (or null) have it.
analyse::Basis shownBasis(const OperationGraph& graph, const GraphBaseline* base);
/// Cycles of a node or group, and of the same one of the base (nullopt: it has none).
std::int64_t shownCycles(const OperationGraph& graph, const GraphBaseline* base, const GraphCost& cost);
std::optional<std::int64_t> baseCycles(const OperationGraph& graph, const GraphBaseline& base,
                                       const GraphBaseline::Costs& costs, std::size_t index);
/// A group is removed or added where all that is in it is.
GraphChange nodeChange(const OperationGraph& graph, const GraphBaseline& base, std::size_t index);
GraphChange groupChange(const OperationGraph& graph, const GraphBaseline& base, std::size_t index);
/// "per weight update, one of 4 replicas"
QString basisText(const OperationGraph& graph, const GraphBaseline* base);

QString phaseName(profile::Phase phase); ///< "forward", for people

} // namespace tilescope::ui
