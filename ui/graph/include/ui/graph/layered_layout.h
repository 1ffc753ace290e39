// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/cancellation.h"

#include <cstddef>
#include <optional>
#include <vector>

/// A layered drawing of a directed graph, after Sugiyama, Tagawa and Toda (1981): break cycles, give each
/// node a layer, order the layers so that few edges cross, then give coordinates. No Qt in here.
namespace tilescope::ui {

/// A node that stands above or below all others: where edges pass the border of a drawing within a drawing.
enum class Gate { None, Top, Bottom };

struct LayoutNode {
    double width = 0;
    double height = 0;
    int lane = 0; ///< within a layer, nodes of a lower lane stand left of those of a higher one
    Gate gate = Gate::None;
};

struct LayoutEdge {
    std::size_t from = 0;
    std::size_t to = 0;
    bool upward = false;              ///< points against the flow: `to` stands above `from`
    std::optional<double> leaves_at;  ///< x where it leaves `from`, from its middle; spread evenly if empty
    std::optional<double> arrives_at; ///< the same at `to`
};

struct LayoutSpacing {
    double between_nodes = 26;
    double between_lanes = 44;
    double between_layers = 46;
    double between_lines = 12; ///< edges that pass a layer
};

struct LayoutPoint {
    double x = 0;
    double y = 0;
};

struct Layout {
    std::vector<LayoutPoint> centers;             ///< by node
    std::vector<int> layers;                      ///< by node, 0 at the top
    std::vector<std::vector<LayoutPoint>> routes; ///< by edge: from the border of `from` to that of `to`
    double width = 0;                             ///< everything lies in [0, width] x [0, height]
    double height = 0;
    std::size_t crossings = 0; ///< of edges between neighbouring layers
};

/// Lays out a graph; edges may form cycles, repeat, and point to their own node (no route then). Routes are
/// polylines: pieces that are not vertical lie between two layers, so that no edge crosses a node. Edges that
/// would pass very many layers of a large graph get a route of two points. Empty only when cancelled.
std::optional<Layout> layered_layout(const std::vector<LayoutNode>& nodes,
                                     const std::vector<LayoutEdge>& edges, const LayoutSpacing& spacing = {},
                                     const CancelToken* cancel = nullptr);

} // namespace tilescope::ui
