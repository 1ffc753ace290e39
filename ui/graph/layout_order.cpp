// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/graph/layered_stages.h"

#include <algorithm>

namespace tilescope::ui {
namespace {

using Places = std::vector<std::size_t>; ///< by vertex: its place in its layer

void number(const std::vector<std::size_t>& layer, Places& place) {
    for (std::size_t i = 0; i < layer.size(); ++i)
        place[layer[i]] = i;
}

Places places_of(const ProperGraph& graph) {
    Places place(graph.layer.size());
    for (const auto& layer : graph.order)
        number(layer, place);
    return place;
}

/// Crossings of the arcs between a layer and the one below, in E log V (Barth, Juenger and Mutzel, 2002).
std::size_t crossings_below(const ProperGraph& graph, const Places& place, std::size_t layer) {
    if (layer + 1 >= graph.order.size())
        return 0;
    const std::size_t size = graph.order[layer + 1].size();
    std::vector<std::size_t> tree(size + 1, 0);
    std::size_t seen = 0;
    std::size_t crossings = 0;
    std::vector<std::size_t> ends;
    for (const std::size_t v : graph.order[layer]) {
        ends.clear();
        for (const std::size_t to : graph.below[v])
            ends.push_back(place[to]);
        std::sort(ends.begin(), ends.end());
        for (const std::size_t end : ends) { // arcs seen before that end further right
            std::size_t not_right = 0;
            for (std::size_t i = end + 1; i > 0; i -= i & (~i + 1))
                not_right += tree[i];
            crossings += seen - not_right;
        }
        for (const std::size_t end : ends)
            for (std::size_t i = end + 1; i <= size; i += i & (~i + 1))
                ++tree[i];
        seen += ends.size();
    }
    return crossings;
}

std::size_t count(const ProperGraph& graph, const Places& place) {
    std::size_t sum = 0;
    for (std::size_t layer = 0; layer < graph.order.size(); ++layer)
        sum += crossings_below(graph, place, layer);
    return sum;
}

/// Sorts a layer by lane, then by the mean place of each vertex's neighbours in the layer before.
void sort_layer(ProperGraph& graph, Places& place, std::size_t at, bool down) {
    auto& layer = graph.order[at];
    struct Key {
        int lane;
        double mean;
        std::size_t vertex;
    };
    std::vector<Key> keys;
    keys.reserve(layer.size());
    const std::size_t before = down ? at - 1 : at + 1;
    const double stretch = static_cast<double>(graph.order[before].size()) /
                           static_cast<double>(std::max<std::size_t>(1, layer.size()));
    for (const std::size_t v : layer) {
        const auto& neighbours = down ? graph.above[v] : graph.below[v];
        double mean = (static_cast<double>(place[v]) + 0.5) * stretch - 0.5; // stays where it is
        if (!neighbours.empty()) {
            mean = 0;
            for (const std::size_t u : neighbours)
                mean += static_cast<double>(place[u]);
            mean /= static_cast<double>(neighbours.size());
        }
        keys.push_back({graph.lane[v], mean, v});
    }
    std::stable_sort(keys.begin(), keys.end(), [](const Key& a, const Key& b) {
        return a.lane != b.lane ? a.lane < b.lane : a.mean < b.mean;
    });
    for (std::size_t i = 0; i < keys.size(); ++i)
        layer[i] = keys[i].vertex;
    number(layer, place);
}

/// Crossings of the arcs of two neighbours, with `left` on the left.
std::size_t pair_crossings(const std::vector<std::size_t>& left, const std::vector<std::size_t>& right,
                           const Places& place) {
    std::size_t sum = 0;
    for (const std::size_t l : left)
        for (const std::size_t r : right)
            sum += place[l] > place[r] ? 1 : 0;
    return sum;
}

/// Swaps neighbours while that takes crossings away.
void swap_neighbours(ProperGraph& graph, Places& place) {
    constexpr int most_rounds = 10;
    bool better = true;
    for (int round = 0; better && round < most_rounds; ++round) {
        better = false;
        for (auto& layer : graph.order)
            for (std::size_t i = 0; i + 1 < layer.size(); ++i) {
                const std::size_t a = layer[i];
                const std::size_t b = layer[i + 1];
                if (graph.lane[a] != graph.lane[b])
                    continue;
                const auto cost = [&](std::size_t l, std::size_t r) {
                    return pair_crossings(graph.above[l], graph.above[r], place) +
                           pair_crossings(graph.below[l], graph.below[r], place);
                };
                if (cost(b, a) < cost(a, b)) {
                    std::swap(layer[i], layer[i + 1]);
                    std::swap(place[a], place[b]);
                    better = true;
                }
            }
    }
}

/// A first order: vertices as a depth-first walk meets them, lane by lane.
void order_by_walk(ProperGraph& graph) {
    std::vector<bool> seen(graph.layer.size(), false);
    std::vector<std::size_t> open;
    for (const bool sources : {true, false})
        for (std::size_t root = 0; root < graph.layer.size(); ++root) {
            if (seen[root] || (sources && !graph.above[root].empty()))
                continue;
            open.assign(1, root);
            while (!open.empty()) {
                const std::size_t v = open.back();
                open.pop_back();
                if (seen[v])
                    continue;
                seen[v] = true;
                graph.order[static_cast<std::size_t>(graph.layer[v])].push_back(v);
                open.insert(open.end(), graph.below[v].rbegin(), graph.below[v].rend());
            }
        }
    for (auto& layer : graph.order)
        std::stable_sort(layer.begin(), layer.end(),
                         [&](std::size_t a, std::size_t b) { return graph.lane[a] < graph.lane[b]; });
}

} // namespace

std::size_t count_crossings(const ProperGraph& graph) {
    return count(graph, places_of(graph));
}

std::size_t reduce_crossings(ProperGraph& graph, const CancelToken* cancel) {
    int layers = 0;
    for (const int layer : graph.layer)
        layers = std::max(layers, layer + 1);
    graph.order.assign(static_cast<std::size_t>(layers), {});
    order_by_walk(graph);
    Places place = places_of(graph);
    auto best = graph.order;
    std::size_t fewest = count(graph, place);
    constexpr int most_rounds = 12;
    constexpr int patience = 3;
    constexpr std::size_t small = 4000; // vertices; swapping pays for pictures that one looks at closely
    for (int round = 0, since = 0; round < most_rounds && since < patience && fewest > 0; ++round, ++since) {
        if (is_cancelled(cancel))
            break;
        for (std::size_t at = 1; at < graph.order.size(); ++at)
            sort_layer(graph, place, at, true);
        for (std::size_t at = graph.order.size(); at-- > 1;)
            sort_layer(graph, place, at - 1, false);
        if (graph.layer.size() <= small)
            swap_neighbours(graph, place);
        const std::size_t now = count(graph, place);
        if (now < fewest) {
            fewest = now;
            best = graph.order;
            since = -1;
        }
    }
    graph.order = std::move(best);
    return fewest;
}

} // namespace tilescope::ui
