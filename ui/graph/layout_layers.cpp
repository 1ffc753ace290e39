// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/graph/layered_stages.h"

#include <algorithm>
#include <limits>

namespace tilescope::ui {
namespace {

struct Neighbours {
    std::vector<std::vector<std::size_t>> out, in; ///< arc ids by node
    Neighbours(std::size_t nodes, const Arcs& arcs) : out(nodes), in(nodes) {
        for (std::size_t a = 0; a < arcs.size(); ++a)
            if (arcs[a].first != arcs[a].second) {
                out[arcs[a].first].push_back(a);
                in[arcs[a].second].push_back(a);
            }
    }
};

std::vector<std::size_t> topological_order(const Arcs& arcs, const Neighbours& n) {
    std::vector<std::size_t> order;
    std::vector<std::size_t> waits(n.in.size());
    for (std::size_t v = 0; v < n.in.size(); ++v) {
        waits[v] = n.in[v].size();
        if (waits[v] == 0)
            order.push_back(v);
    }
    for (std::size_t i = 0; i < order.size(); ++i)
        for (const std::size_t a : n.out[order[i]])
            if (--waits[arcs[a].second] == 0)
                order.push_back(arcs[a].second);
    return order;
}

} // namespace

std::vector<bool> break_cycles(std::size_t nodes, Arcs& arcs) {
    std::vector<bool> turned(arcs.size(), false);
    const Neighbours n(nodes, arcs);
    enum class Mark : char { New, Open, Done };
    std::vector<Mark> mark(nodes, Mark::New);
    std::vector<std::pair<std::size_t, std::size_t>> path; // node, next arc to follow
    const auto walk = [&](std::size_t root) {
        path.assign(1, {root, 0});
        mark[root] = Mark::Open;
        while (!path.empty()) {
            auto& [v, next] = path.back();
            if (next == n.out[v].size()) {
                mark[v] = Mark::Done;
                path.pop_back();
                continue;
            }
            const std::size_t a = n.out[v][next++];
            const std::size_t to = arcs[a].second;
            if (mark[to] == Mark::Open)
                turned[a] = true;
            else if (mark[to] == Mark::New) {
                mark[to] = Mark::Open;
                path.emplace_back(to, 0);
            }
        }
    };
    for (const bool sources : {true, false}) // what nothing points to comes first
        for (std::size_t v = 0; v < nodes; ++v)
            if (mark[v] == Mark::New && (!sources || n.in[v].empty()))
                walk(v);
    for (std::size_t a = 0; a < arcs.size(); ++a)
        if (turned[a])
            std::swap(arcs[a].first, arcs[a].second);
    return turned;
}

std::vector<int> assign_layers(std::size_t nodes, const Arcs& arcs, const std::vector<int>& weight) {
    const Neighbours n(nodes, arcs);
    const std::vector<std::size_t> order = topological_order(arcs, n);
    std::vector<int> layer(nodes, 0);
    const auto highest = [&](std::size_t v) { // the layer under all that point to v
        int at = 0;
        for (const std::size_t a : n.in[v])
            at = std::max(at, layer[arcs[a].first] + 1);
        return at;
    };
    const auto lowest = [&](std::size_t v) {
        int at = std::numeric_limits<int>::max();
        for (const std::size_t a : n.out[v])
            at = std::min(at, layer[arcs[a].second] - 1);
        return at;
    };
    const auto pull = [&](std::size_t v) { // > 0: down
        int sum = 0;
        for (const std::size_t a : n.out[v])
            sum += weight[a];
        for (const std::size_t a : n.in[v])
            sum -= weight[a];
        return sum;
    };
    for (const std::size_t v : order)
        layer[v] = highest(v);
    constexpr int rounds = 4;
    for (int round = 0; round < rounds; ++round) {
        for (auto v = order.rbegin(); v != order.rend(); ++v)
            if (!n.out[*v].empty() && (n.in[*v].empty() || pull(*v) > 0))
                layer[*v] = lowest(*v);
        for (const std::size_t v : order)
            if (!n.in[v].empty() && pull(v) <= 0)
                layer[v] = highest(v);
    }
    if (nodes > 0) {
        const int top = *std::min_element(layer.begin(), layer.end());
        for (int& at : layer)
            at -= top;
    }
    return layer;
}

} // namespace tilescope::ui
