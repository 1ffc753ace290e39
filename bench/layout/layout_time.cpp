// SPDX-License-Identifier: GPL-3.0-or-later
/// How long the graph view's layout of 5,000 nodes takes, beside the limit that it is to keep: one second, so
/// that the view opens while the user looks.
#include "bench/table.h"
#include "ui/graph/layered_layout.h"

#include <chrono>
#include <cstdio>
#include <random>

using namespace tilescope;
using namespace tilescope::ui;

namespace {

constexpr std::size_t count = 5000;
constexpr double limit_s = 1;
bench::Table table("layout");

/// A chain of layers with, beside it, the chain of their gradients, which read the layers' results.
std::vector<LayoutEdge> training() {
    constexpr std::size_t layers = count / 2;
    std::vector<LayoutEdge> edges;
    for (std::size_t l = 0; l + 1 < layers; ++l) {
        edges.push_back({l, l + 1, false, {}, {}});
        edges.push_back({layers + l + 1, layers + l, true, {}, {}});
        edges.push_back({l, layers + l, false, {}, {}});
    }
    return edges;
}

/// Each node with two arcs to nodes among the next forty.
std::vector<LayoutEdge> mesh() {
    std::mt19937 random(7);
    std::vector<LayoutEdge> edges;
    for (std::size_t v = 0; v + 1 < count; ++v)
        for (int degree = 0; degree < 2; ++degree)
            edges.push_back({v, std::min(count - 1, v + 1 + random() % 40), false, {}, {}});
    return edges;
}

/// One tensor that every layer of a long chain uses.
std::vector<LayoutEdge> hub() {
    std::vector<LayoutEdge> edges;
    for (std::size_t v = 1; v < count; ++v) {
        edges.push_back({0, v, false, {}, {}});
        edges.push_back({v - 1, v, false, {}, {}});
    }
    return edges;
}

void measure(const char* name, const std::vector<LayoutEdge>& edges) {
    const std::vector<LayoutNode> nodes(count, LayoutNode{100, 40});
    const auto begin = std::chrono::steady_clock::now();
    const auto layout = layered_layout(nodes, edges);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    table.at_most(name, seconds, "s", limit_s, "(" + std::to_string(edges.size()) + " edges)");
}

} // namespace

int main() {
    measure("training", training());
    measure("mesh", mesh());
    measure("chain with a hub", hub());
    return table.exit_code();
}
