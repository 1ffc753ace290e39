// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/graph/layered_layout.h"

#include "ui/graph/layered_stages.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tilescope::ui {
namespace {

/// Moves gates to a layer of their own, over or under all others.
void move_gates(const std::vector<LayoutNode>& nodes, std::vector<int>& layer) {
    int top = 0;
    int bottom = -1;
    for (std::size_t v = 0; v < nodes.size(); ++v)
        if (nodes[v].gate == Gate::None) {
            top = bottom < 0 ? layer[v] : std::min(top, layer[v]);
            bottom = std::max(bottom, layer[v]);
        }
    bool any_on_top = false;
    for (std::size_t v = 0; v < nodes.size(); ++v) {
        any_on_top |= nodes[v].gate == Gate::Top;
        if (nodes[v].gate != Gate::None)
            layer[v] = nodes[v].gate == Gate::Top ? top - 1 : bottom + 1;
    }
    for (int& at : layer)
        at -= any_on_top ? top - 1 : top;
}

struct Bands { ///< by layer
    std::vector<double> top, bottom;
};

/// Bends for arcs that pass layers, the shortest arcs first while there is room for them.
std::vector<std::vector<std::size_t>> add_bends(ProperGraph& graph, const Arcs& arcs) {
    std::vector<std::vector<std::size_t>> bends(arcs.size());
    std::vector<std::size_t> by_span(arcs.size());
    std::iota(by_span.begin(), by_span.end(), std::size_t{0});
    const auto span = [&](std::size_t a) { return graph.layer[arcs[a].second] - graph.layer[arcs[a].first]; };
    std::stable_sort(by_span.begin(), by_span.end(),
                     [&](std::size_t a, std::size_t b) { return span(a) < span(b); });
    std::size_t room = 10'000 + 3 * graph.nodes;
    for (const std::size_t a : by_span) {
        const auto [from, to] = arcs[a];
        if (span(a) < 1)
            continue;
        const auto needed = static_cast<std::size_t>(span(a) - 1);
        if (needed > room)
            break;
        room -= needed;
        std::size_t before = from;
        for (int layer = graph.layer[from] + 1; layer <= graph.layer[to]; ++layer) {
            std::size_t next = to;
            if (layer < graph.layer[to]) {
                next = graph.layer.size();
                graph.layer.push_back(layer);
                graph.lane.push_back(graph.lane[to]);
                graph.width.push_back(0);
                graph.above.emplace_back();
                graph.below.emplace_back();
                bends[a].push_back(next);
            }
            graph.below[before].push_back(next);
            graph.above[next].push_back(before);
            before = next;
        }
    }
    return bends;
}

Bands bands_of(const std::vector<LayoutNode>& nodes, const ProperGraph& graph, double gap) {
    Bands bands;
    double y = 0;
    for (const auto& layer : graph.order) {
        double tallest = 0;
        for (const std::size_t v : layer)
            tallest = std::max(tallest, graph.bend(v) ? 0 : nodes[v].height);
        bands.top.push_back(y);
        bands.bottom.push_back(y + tallest);
        y += tallest + gap;
    }
    return bands;
}

/// Where arcs touch a node's upper or lower border: as asked, else spread in the order of their other ends.
class Ports {
  public:
    Ports(const std::vector<LayoutNode>& nodes, const Arcs& arcs, const std::vector<double>& x,
          const std::vector<std::vector<std::size_t>>& bends)
        : at_(2 * arcs.size(), 0) {
        std::vector<std::vector<End>> lower(nodes.size()), upper(nodes.size());
        for (std::size_t a = 0; a < arcs.size(); ++a) {
            const auto [from, to] = arcs[a];
            lower[from].push_back({2 * a, x[bends[a].empty() ? to : bends[a].front()]});
            upper[to].push_back({2 * a + 1, x[bends[a].empty() ? from : bends[a].back()]});
        }
        for (std::size_t v = 0; v < nodes.size(); ++v)
            for (auto* ends : {&lower[v], &upper[v]})
                spread(*ends, nodes[v].width, x[v]);
    }
    double leaves(std::size_t arc) const { return at_[2 * arc]; }
    double arrives(std::size_t arc) const { return at_[2 * arc + 1]; }

  private:
    struct End {
        std::size_t slot;
        double other;
    };
    /// An edge that goes straight on keeps the middle.
    void spread(std::vector<End>& ends, double width, double middle) {
        std::stable_sort(ends.begin(), ends.end(),
                         [](const End& a, const End& b) { return a.other < b.other; });
        constexpr double widest_step = 14;
        const auto count = static_cast<double>(ends.size());
        double anchor = (count - 1) / 2;
        for (std::size_t i = 0; i < ends.size(); ++i)
            if (std::abs(ends[i].other - middle) < 0.5)
                anchor = static_cast<double>(i);
        const double step = std::min(widest_step, width * 0.4 / std::max(1.0, count));
        for (std::size_t i = 0; i < ends.size(); ++i)
            at_[ends[i].slot] = (static_cast<double>(i) - anchor) * step;
    }
    std::vector<double> at_;
};

void add_point(std::vector<LayoutPoint>& route, double x, double y) {
    route.push_back({x, y});
}

} // namespace

std::optional<Layout> layered_layout(const std::vector<LayoutNode>& nodes,
                                     const std::vector<LayoutEdge>& edges, const LayoutSpacing& spacing,
                                     const CancelToken* cancel) {
    Layout layout;
    Arcs arcs;
    std::vector<int> weight;
    for (const LayoutEdge& edge : edges) {
        arcs.emplace_back(edge.upward ? edge.to : edge.from, edge.upward ? edge.from : edge.to);
        weight.push_back(nodes[edge.from].lane == nodes[edge.to].lane ? 2 : 1);
    }
    const std::vector<bool> turned = break_cycles(nodes.size(), arcs);
    ProperGraph graph;
    graph.nodes = nodes.size();
    graph.layer = assign_layers(nodes.size(), arcs, weight);
    move_gates(nodes, graph.layer);
    layout.layers = graph.layer;
    for (const LayoutNode& node : nodes) {
        graph.lane.push_back(node.lane);
        graph.width.push_back(node.width);
    }
    graph.above.resize(nodes.size());
    graph.below.resize(nodes.size());
    const auto bends = add_bends(graph, arcs);
    layout.crossings = reduce_crossings(graph, cancel);
    const std::vector<double> x = assign_positions(graph, spacing, cancel);
    if (is_cancelled(cancel))
        return std::nullopt;

    const Bands bands = bands_of(nodes, graph, spacing.between_layers);
    layout.height = bands.bottom.empty() ? 0 : bands.bottom.back();
    for (std::size_t v = 0; v < graph.layer.size(); ++v)
        layout.width = std::max(layout.width, x[v] + graph.width[v] / 2);
    for (std::size_t v = 0; v < nodes.size(); ++v) {
        const auto at = static_cast<std::size_t>(graph.layer[v]);
        layout.centers.push_back({x[v], (bands.top[at] + bands.bottom[at]) / 2});
    }
    const Ports ports(nodes, arcs, x, bends);
    for (std::size_t a = 0; a < arcs.size(); ++a) {
        const auto [from, to] = arcs[a];
        std::vector<LayoutPoint> route;
        if (from != to) {
            const bool against = edges[a].upward != turned[a];
            const auto& leaves = against ? edges[a].arrives_at : edges[a].leaves_at;
            const auto& arrives = against ? edges[a].leaves_at : edges[a].arrives_at;
            const double x0 = x[from] + leaves.value_or(ports.leaves(a));
            const double x1 = x[to] + arrives.value_or(ports.arrives(a));
            const double y0 = layout.centers[from].y + nodes[from].height / 2;
            const double y1 = layout.centers[to].y - nodes[to].height / 2;
            add_point(route, x0, y0);
            const bool routed = graph.layer[to] - graph.layer[from] == 1 || !bends[a].empty();
            if (routed) {
                add_point(route, x0, bands.bottom[static_cast<std::size_t>(graph.layer[from])]);
                for (const std::size_t bend : bends[a]) {
                    const auto at = static_cast<std::size_t>(graph.layer[bend]);
                    add_point(route, x[bend], bands.top[at]);
                    add_point(route, x[bend], bands.bottom[at]);
                }
                add_point(route, x1, bands.top[static_cast<std::size_t>(graph.layer[to])]);
            }
            add_point(route, x1, y1);
            if (against)
                std::reverse(route.begin(), route.end());
        }
        layout.routes.push_back(std::move(route));
    }
    return layout;
}

} // namespace tilescope::ui
