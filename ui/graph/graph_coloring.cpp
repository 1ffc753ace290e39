// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/graph/graph_coloring.h"

#include "analyse/operation_figures.h"
#include "ui/session/format.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>
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
    case GraphColoring::Share:
        return tr("share of time");
    case GraphColoring::Lost:
        return tr("lost cycles");
    case GraphColoring::Peak:
        return tr("share of peak");
    case GraphColoring::Phase:
        break;
    }
    return tr("phase");
}

GraphScale::GraphScale(const OperationGraph& graph, const GraphScene& scene, GraphColoring coloring,
                       const GraphBaseline* base)
    : coloring_(coloring), base_(base), clock_hz_(graph.clock_hz) {
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

std::optional<double> GraphScale::amountOf(const OperationGraph& graph, const GraphBox& box) const {
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
        return static_cast<double>(shownCycles(graph, base_, cost));
    case GraphColoring::Memory:
        return static_cast<double>(cost.bytes.at_peak);
    case GraphColoring::Share:
        return graph.costs.share_or_planned(cost.time);
    case GraphColoring::Lost:
        if (const auto lost = analyse::lost_cycles(cost.time))
            return static_cast<double>(graph.costs.in(shownBasis(graph, base_), static_cast<double>(*lost)));
        break;
    case GraphColoring::Peak:
        return graph.costs.share_of_peak(cost.time);
    case GraphColoring::Phase:
        break;
    }
    return {};
}

std::optional<double> GraphScale::shareOf(const OperationGraph& graph, const GraphBox& box) const {
    const auto amount = amountOf(graph, box);
    if (!amount)
        return {};
    if (isAmount(coloring_))
        return most_ == 0 ? 0 : std::min(1.0, *amount / most_);
    const auto at = std::distance(places_.begin(), places_.find(*amount));
    return places_.size() < 2 ? 0.0 : static_cast<double>(at) / static_cast<double>(places_.size() - 1);
}

QString GraphScale::amountText(double amount) const {
    switch (coloring_) {
    case GraphColoring::Ipu:
        return tr("IPU %1").arg(amount);
    case GraphColoring::Stage:
        return tr("stage %1").arg(amount);
    case GraphColoring::Memory:
        return formatBytes(amount);
    case GraphColoring::Share:
    case GraphColoring::Peak:
        return formatPercent(amount);
    default:
        return formatTime(amount, clock_hz_);
    }
}

QString GraphScale::textOf(const OperationGraph& graph, const GraphBox& box) const {
    const auto amount = amountOf(graph, box);
    return amount ? amountText(*amount) : QString();
}

std::vector<std::pair<double, QString>> GraphScale::names() const {
    std::vector<std::pair<double, QString>> names;
    if (isAmount(coloring_)) {
        if (most_ > 0)
            names = {{0.0, QStringLiteral("0")}, {1.0, amountText(most_)}};
        return names;
    }
    for (const double place : places_)
        names.emplace_back(places_.size() < 2
                               ? 0.0
                               : static_cast<double>(names.size()) / static_cast<double>(places_.size() - 1),
                           QString::number(place));
    return names;
}

} // namespace tilescope::ui
