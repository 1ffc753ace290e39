// SPDX-License-Identifier: GPL-3.0-or-later
#include "operation_details.h"

#include "analyse/like_names.h"
#include "analyse/parameters.h"
#include "analyse/plan_choice.h"
#include "base/try.h"
#include "ui/session/format.h"
#include "ui/session/subject_link.h"
#include "ui/widgets/operation_table.h"

#include <QCoreApplication>
#include <algorithm>
#include <set>

namespace tilescope::ui {
namespace {

QString tr(const char* source) {
    return QCoreApplication::translate("OperationDetails", source);
}

/// Of those that are made for it: links, what takes most first.
template<class Made>
void addVariables(DetailTable& table, const std::vector<profile::VariableRecord>& variables,
                  const Made& made) {
    QStringList lines;
    for (const profile::VariableRecord& variable : variables)
        if (made(variable))
            lines << inHtml(
                tr("%1&nbsp; %2, %3"),
                {Html{subjectLink(Subject::Variable, variable.id, text(variable.name), variable.ipu)},
                 to_string(variable.category), formatBytes(variable.bytes)});
    constexpr qsizetype most = 8;
    table.list(tr("Variables"), lines, most);
}

void addCost(OperationTable& table, const GraphCost& cost, const OperationGraph& graph,
             const GraphBaseline* base) {
    table.cost(cost, graph.costs, shownBasis(graph, base), graph.clock_hz);
}

QString layerText(const profile::LayerRecord* layer) {
    return layer == nullptr ? QString() : ui::layerText(*layer);
}

/// A node by one of its names: a link to the operation, where it is one that is there.
/// Of what is held against the base. 0, which leaves cycles, where it has another clock.
double comparedClock(const OperationGraph& graph, const GraphBaseline& base) {
    return base.clock_hz == graph.clock_hz ? graph.clock_hz : 0;
}

QString nodeText(const GraphNode& node, const QString& name) {
    const bool operation = node.kind == GraphNode::Kind::Operation && !node.gone;
    return subjectLink(Subject::Operation, operation ? node.id : -1, name);
}

/// "0 to 7": where the operations of a group run.
QString placesText(const OperationGraph& graph, const GraphGroup& group,
                   std::optional<std::int64_t> GraphPlace::*kind) {
    std::set<std::int64_t> places;
    for (const std::size_t node : group.members)
        if (const auto place = graph.nodes[node].place.*kind)
            places.insert(*place);
    return places.empty()       ? QString()
           : places.size() == 1 ? QString::number(*places.begin())
                                : tr("%1 to %2").arg(*places.begin()).arg(*places.rbegin());
}

/// What is in a group: rich text, and its cycles.
using Inside = std::vector<std::pair<QString, std::int64_t>>;

Inside operationsIn(const OperationGraph& graph, const GraphGroup& group, const GraphBaseline* base) {
    Inside inside;
    for (const std::size_t member : group.members) {
        const GraphNode& node = graph.nodes[member];
        const std::int64_t cycles = shownCycles(graph, base, node.cost);
        inside.emplace_back(
            node.kind == GraphNode::Kind::Operation
                ? tr("%1: %2").arg(nodeText(node, node.label), formatCyclesAndTime(cycles, graph.clock_hz))
                : asHtml(tr("%1: %2 %3").arg(node.label, node.type, node.shape)),
            cycles);
    }
    return inside;
}

/// Of a block.
Inside layersIn(const OperationGraph& graph, const GraphGroup& block, const GraphBaseline* base) {
    Inside inside;
    for (const std::size_t part : block.parts) {
        const GraphGroup& layer = graph.groups[part];
        const std::int64_t cycles = shownCycles(graph, base, layer.cost);
        inside.emplace_back(tr("%1: %2").arg(subjectLink(Subject::Layer, layer.layer, layer.name),
                                             formatCyclesAndTime(cycles, graph.clock_hz)),
                            cycles);
    }
    return inside;
}

/// Of a stack: its layers that are alike, from block to block, as one.
Inside likeLayersIn(const OperationGraph& graph, const GraphGroup& stack, const GraphBaseline* base) {
    std::vector<const GraphGroup*> layers;
    for (const std::size_t part : stack.parts) {
        const GraphGroup& block = graph.groups[part];
        if (block.parts.empty())
            layers.push_back(&block);
        for (const std::size_t layer : block.parts)
            layers.push_back(&graph.groups[layer]);
    }
    std::vector<std::string> names;
    names.reserve(layers.size());
    for (const GraphGroup* layer : layers)
        names.push_back(layer->name.toStdString());
    Inside inside;
    for (const analyse::LikeNames& alike : analyse::fold_names(names)) {
        std::vector<const GraphCost*> costs;
        for (const std::size_t member : alike.members)
            costs.push_back(&layers[member]->cost);
        const std::int64_t cycles = shownCycles(graph, base, analyse::together(costs));
        inside.emplace_back(
            inHtml(tr("%1: %2"), {analyse::text_of(alike), formatCyclesAndTime(cycles, graph.clock_hz)}),
            cycles);
    }
    return inside;
}

/// What takes most first.
void addInside(DetailTable& table, Inside inside) {
    std::stable_sort(inside.begin(), inside.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    QStringList lines;
    for (const auto& [line, cycles] : inside)
        lines << line;
    constexpr qsizetype most = 12;
    table.list(tr("Inside"), lines, most);
}

void addPlans(OperationTable& table, const std::string& operation,
              const std::vector<profile::PlanRecord>& plans, double clock_hz) {
    for (const profile::PlanRecord& plan : plans) {
        if (plan.rank == 0) {
            if (plan.product != operation)
                table.row(tr("Product"), text(plan.product));
            table.row(tr("Plan"), jsonText(plan.description));
            if (const auto choice = analyse::plan_choice(plan)) {
                table.row(tr("Planned cost"), text(analyse::to_string(choice->items)));
                table.row(tr("Planned time"), formatCyclesAndTime(plan.cycles, clock_hz));
                if (!choice->placed.empty()) {
                    table.row(tr("Cost in place"), text(analyse::to_string(choice->placed)));
                    table.row(tr("Time in place"), formatCyclesAndTime(choice->placed_cycles(), clock_hz));
                }
            }
            table.row(tr("Temporary"), tr("%1 on the fullest tile").arg(formatBytes(plan.temporary_bytes)));
        } else if (plan.rank == 1) {
            table.row(tr("Next best plan"), tr("%1: %2").arg(formatCyclesAndTime(plan.cycles, clock_hz),
                                                             jsonText(plan.description)));
        }
    }
}

} // namespace

Result<QString> nodeDetails(const profile::Profile& file, const OperationGraph& graph, std::size_t index,
                            const GraphBaseline* base) {
    const GraphNode& node = graph.nodes[index];
    OperationTable table;
    const profile::LayerRecord* layer = graph.layer(node.layer);
    const QString layer_text = layerText(layer);
    const profile::OperationRecord* op =
        node.kind == GraphNode::Kind::Operation ? graph.operation(node.id) : nullptr;
    if (node.gone) {
        table.row(tr("Operation"), node.type);
        table.row(tr("Phase"), phaseName(node.phase));
        table.richRow(tr("Layer"), layer_text);
        table.row(tr("Now"), tr("removed: the base alone has it"));
        if (base != nullptr)
            if (const auto before = baseCycles(graph, *base, base->nodes, index))
                table.row(tr("Base"),
                          QStringLiteral("%1 %2").arg(formatCyclesAndTime(*before, base->clock_hz),
                                                      basisText(graph, base)));
        return table.html(node.name);
    }
    if (op == nullptr) {
        table.row(tr("Tensor"), node.kind == GraphNode::Kind::Parameter ? tr("parameter") : tr("input"));
        table.richRow(tr("Layer"), layer_text);
        table.row(tr("Type"), QStringLiteral("%1 %2").arg(node.type, node.shape));
        TRY(const auto variables, file.variables());
        addVariables(table, variables, [&](const auto& variable) { return variable.tensor_id == node.id; });
        addCost(table, node.cost, graph, base);
        return table.html(node.name);
    }
    TRY(const auto plans, file.plans(op->id));
    TRY(const auto sets, file.compute_sets());
    TRY(const auto vertices, file.vertices());
    TRY(table.about(file, *op));
    TRY(const auto variables, file.variables(op->ipu));
    addVariables(table, variables, [op](const auto& variable) { return variable.operation_id == op->id; });
    table.row(tr("FLOP"), op->flops > 0 ? formatCount(op->flops) : QString());
    addCost(table, node.cost, graph, base);
    if (base != nullptr)
        table.base(baseCycles(graph, *base, base->nodes, index), shownCycles(graph, base, node.cost),
                   comparedClock(graph, *base));
    addPlans(table, op->name, plans, graph.clock_hz);
    for (const profile::ComputeSetRecord& set : sets) {
        if (set.operation_id != op->id)
            continue;
        QString line = tr("%1, balance %2")
                           .arg(formatCyclesAndTime(set.cycles, graph.clock_hz), formatPercent(set.balance));
        for (const profile::VertexRecord& vertex : vertices)
            if (vertex.compute_set_id == set.id)
                line += tr("\n%1 × %2 on %3 tiles")
                            .arg(formatCount(vertex.count), text(vertex.codelet), formatCount(vertex.tiles));
        const QString name = text(set.name);
        table.row(name.startsWith(node.name + QLatin1Char('/')) ? name.mid(node.name.size() + 1) : name,
                  line);
    }
    return table.html(node.name);
}

QString groupDetails(const OperationGraph& graph, std::size_t index, const GraphBaseline* base) {
    const GraphGroup& group = graph.groups[index];
    OperationTable table;
    const profile::LayerRecord* layer = graph.layer(group.layer);
    if (group.parts.empty())
        table.row(tr("Layer"), group.kind);
    else if (group.blocks > 0)
        table.row(tr("Blocks"), QStringLiteral("%1, %2").arg(group.blocks).arg(group.kind));
    else
        table.row(tr("Block"), group.kind);
    table.row(tr("Phase"), phaseName(group.phase));
    if (layer != nullptr) {
        table.row(tr("Output"), text(layer->output_shape));
        table.row(tr("Parameters"), formatCount(layer->parameters));
    }
    if (!group.parts.empty()) {
        table.row(tr("IPUs"), placesText(graph, group, &GraphPlace::ipu));
        table.row(tr("Stages"), placesText(graph, group, &GraphPlace::stage));
    }
    addCost(table, group.cost, graph, base);
    if (base != nullptr)
        table.base(baseCycles(graph, *base, base->groups, index), shownCycles(graph, base, group.cost),
                   comparedClock(graph, *base));
    addInside(table, group.parts.empty() ? operationsIn(graph, group, base)
                     : group.blocks > 0  ? likeLayersIn(graph, group, base)
                                         : layersIn(graph, group, base));
    return table.html(group.name);
}

QString graphDetails(const OperationGraph& graph, const GraphBaseline* base) {
    OperationTable table;
    const auto count = [](std::size_t n) { return formatCount(static_cast<std::int64_t>(n)); };
    table.row(tr("Operations"), count(graph.operations.size()));
    table.row(tr("Layers"), graph.layers.empty() ? QString() : count(graph.layers.size()));
    const std::int64_t parameters = analyse::parameters_of(graph.layers);
    table.row(tr("Parameters"), parameters > 0 ? formatCount(parameters) : QString());
    addCost(table, graph.total, graph, base);
    std::vector<const GraphNode*> costly;
    for (const GraphNode& node : graph.nodes)
        if (node.cost.time.cycles.total() > 0)
            costly.push_back(&node);
    std::stable_sort(costly.begin(), costly.end(), [](const auto* a, const auto* b) {
        return a->cost.time.cycles.total() > b->cost.time.cycles.total();
    });
    constexpr std::size_t most = 5;
    QStringList lines;
    for (std::size_t i = 0; i < std::min(most, costly.size()); ++i) // shares are of the IPUs that do it each
        lines << QStringLiteral("%1  %2").arg(
            formatCyclesAndTime(shownCycles(graph, base, costly[i]->cost), graph.clock_hz),
            nodeText(*costly[i], costly[i]->name));
    table.richRow(tr("Take most, each alone"), lines.join(QLatin1String("<br>")));
    return table.html(tr("Graph"));
}

} // namespace tilescope::ui
