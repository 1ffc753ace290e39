// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/graph/graph_scene.h"

#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace tilescope::ui {

/// What the boxes of a graph have their colours by.
enum class GraphColoring { Phase, Ipu, Stage, Cycles, Memory, Share, Lost, Peak };
inline constexpr int graph_colorings = 8;
/// Colours tell an amount, from none to the most; else which of several it is.
constexpr bool isAmount(GraphColoring coloring) {
    return coloring >= GraphColoring::Cycles;
}
QString coloringName(GraphColoring coloring); ///< "IPU"

/// The places of boxes on a scale of colours, from the least to the most that a drawing has.
class GraphScale {
  public:
    GraphScale() = default;
    /// Of the boxes of `scene`; by phase there is no scale. `graph` must stay.
    GraphScale(const OperationGraph& graph, const GraphScene& scene, GraphColoring coloring,
               const GraphBaseline* base = nullptr);

    GraphColoring coloring() const { return coloring_; }
    /// 0 to 1; nullopt where a box has no place: data and parameters, and what lies on several IPUs or
    /// stages.
    std::optional<double> shareOf(const OperationGraph& graph, const GraphBox& box) const;
    /// What stands at the box in words: "IPU 3", "stage 2", "1.2 MiB"; "": nothing.
    QString textOf(const OperationGraph& graph, const GraphBox& box) const;
    /// The names along the scale: each IPU or stage, or its two ends. Empty: there is nothing to tell apart.
    std::vector<std::pair<double, QString>> names() const;

  private:
    std::optional<double> amountOf(const OperationGraph& graph, const GraphBox& box) const;
    QString amountText(double amount) const;
    GraphColoring coloring_ = GraphColoring::Phase;
    const GraphBaseline* base_ = nullptr;
    std::set<double> places_; ///< numbers of the IPUs or stages that are there
    double most_ = 0;         ///< cycles, bytes or share
    double clock_hz_ = 0;
};

} // namespace tilescope::ui
