// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/graph/graph_coloring.h"

#include "ui/session/format.h"

#include <QCoreApplication>
#include <algorithm>
#include <iterator>

namespace tilescope::ui {
namespace {

QString tr(const char* source) {
    return QCoreApplication::translate("GraphScale", source);
}

bool isOperation(const OperationGraph& graph, const GraphBox& box) {
    return box.kind != GraphBox::Kind::Node || graph.nodes[box.index].kind == GraphNode::Kind::Operation;
}

} // namespace

QString coloringName(GraphColoring coloring) {
    switch (coloring) {
    case GraphColoring::Ipu:
        return tr("IPU");
    case GraphColoring::Stage:
        return tr("stage");
    case GraphColoring::Cycles:
        return tr("cycles");
    case GraphColoring::Memory:
        return tr("memory");
    case GraphColoring::Phase:
        break;
    }
    return tr("phase");
}

GraphScale::GraphScale(const OperationGraph& graph, const GraphScene& scene, GraphColoring coloring,
                       const GraphBaseline* base)
    : coloring_(coloring), base_(base) {
    for (const GraphBox& box : scene.boxes) {
        const auto amount = amountOf(graph, box);
        if (!amount)
            continue;
        if (coloring == GraphColoring::Ipu || coloring == GraphColoring::Stage)
            places_.insert(*amount);
        else if (box.kind != GraphBox::Kind::Frame)
            most_ = std::max(most_, *amount);
    }
}

std::optional<std::int64_t> GraphScale::amountOf(const OperationGraph& graph, const GraphBox& box) const {
    if (!isOperation(graph, box))
        return {};
    const bool node = box.kind == GraphBox::Kind::Node;
    const GraphCost& cost = node ? graph.nodes[box.index].cost : graph.groups[box.index].cost;
    const GraphPlace& place = node ? graph.nodes[box.index].place : graph.groups[box.index].place;
    switch (coloring_) {
    case GraphColoring::Ipu:
        return place.ipu;
    case GraphColoring::Stage:
        return place.stage;
    case GraphColoring::Cycles:
        return shownCycles(graph, base_, cost);
    case GraphColoring::Memory:
        return cost.bytes.at_peak;
    case GraphColoring::Phase:
        break;
    }
    return {};
}

std::optional<double> GraphScale::shareOf(const OperationGraph& graph, const GraphBox& box) const {
    const auto amount = amountOf(graph, box);
    if (!amount)
        return {};
    if (coloring_ == GraphColoring::Cycles || coloring_ == GraphColoring::Memory)
        return most_ == 0 ? 0 : std::min(1.0, static_cast<double>(*amount) / static_cast<double>(most_));
    const auto at = std::distance(places_.begin(), places_.find(*amount));
    return places_.size() < 2 ? 0.0 : static_cast<double>(at) / static_cast<double>(places_.size() - 1);
}

QString GraphScale::amountText(std::int64_t amount) const {
    switch (coloring_) {
    case GraphColoring::Ipu:
        return tr("IPU %1").arg(amount);
    case GraphColoring::Stage:
        return tr("stage %1").arg(amount);
    case GraphColoring::Memory:
        return formatBytes(static_cast<double>(amount));
    default:
        return formatCycles(amount);
    }
}

QString GraphScale::textOf(const OperationGraph& graph, const GraphBox& box) const {
    const auto amount = amountOf(graph, box);
    return amount ? amountText(*amount) : QString();
}

std::vector<std::pair<double, QString>> GraphScale::names() const {
    std::vector<std::pair<double, QString>> names;
    if (coloring_ == GraphColoring::Cycles || coloring_ == GraphColoring::Memory) {
        if (most_ > 0)
            names = {{0.0, QStringLiteral("0")}, {1.0, amountText(most_)}};
        return names;
    }
    for (const std::int64_t place : places_)
        names.emplace_back(places_.size() < 2
                               ? 0.0
                               : static_cast<double>(names.size()) / static_cast<double>(places_.size() - 1),
                           QString::number(place));
    return names;
}

} // namespace tilescope::ui
