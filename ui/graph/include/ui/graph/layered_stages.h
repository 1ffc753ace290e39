// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/graph/layered_layout.h"

#include <utility>

/// The stages of a layered layout, one file each.
namespace tilescope::ui {

using Arcs = std::vector<std::pair<std::size_t, std::size_t>>;

/// Turns arcs round until there is no cycle: those that a depth-first walk finds pointing back. Returns which
/// arcs were turned. Arcs from a node to itself stay.
std::vector<bool> break_cycles(std::size_t nodes, Arcs& arcs);

/// layer[node], 0 at the top, each arc pointing at least one layer down; arcs are kept short. `arcs` has no
/// cycle; `weight` (by arc) says how much shortness matters.
std::vector<int> assign_layers(std::size_t nodes, const Arcs& arcs, const std::vector<int>& weight);

/// A graph whose arcs all join neighbouring layers: nodes, then a bend for each layer that a longer arc
/// passes.
struct ProperGraph {
    std::size_t nodes = 0;                       ///< vertices below this are nodes, the others bends
    std::vector<int> layer;                      ///< by vertex
    std::vector<int> lane;                       ///< by vertex
    std::vector<double> width;                   ///< by vertex
    std::vector<std::vector<std::size_t>> above; ///< by vertex: neighbours one layer up
    std::vector<std::vector<std::size_t>> below;
    std::vector<std::vector<std::size_t>> order; ///< by layer: its vertices from left to right
    bool bend(std::size_t vertex) const { return vertex >= nodes; }
};

/// Orders the vertices of each layer so that few arcs cross. Returns the crossings that are left.
std::size_t reduce_crossings(ProperGraph& graph, const CancelToken* cancel);
std::size_t count_crossings(const ProperGraph& graph);

/// x of the middle of each vertex: in order, apart by at least their widths and the spacing, near the
/// vertices that they are joined to; 0 is the left border of the leftmost.
std::vector<double> assign_positions(const ProperGraph& graph, const LayoutSpacing& spacing,
                                     const CancelToken* cancel);

} // namespace tilescope::ui
