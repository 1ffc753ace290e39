// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/graph/layered_layout.h"
#include "ui/graph/layered_stages.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <map>
#include <random>

namespace tilescope::ui {
namespace {

std::vector<LayoutNode> boxes(std::size_t count, double width = 100, double height = 40) {
    return std::vector<LayoutNode>(count, LayoutNode{width, height});
}

std::vector<LayoutEdge> edges(const Arcs& arcs) {
    std::vector<LayoutEdge> result;
    for (const auto& [from, to] : arcs)
        result.push_back({from, to, false, {}, {}});
    return result;
}

/// Arcs from lower to higher numbers, each node with `degree` of them to nodes among the next `reach`.
Arcs random_arcs(std::size_t nodes, std::size_t degree, std::size_t reach, unsigned seed) {
    std::mt19937 random(seed);
    Arcs arcs;
    for (std::size_t v = 0; v + 1 < nodes; ++v)
        for (std::size_t d = 0; d < degree; ++d)
            arcs.emplace_back(v, v + 1 + random() % std::min(reach, nodes - v - 1));
    return arcs;
}

struct Box {
    double left, top, right, bottom;
};
Box box_of(const Layout& layout, const std::vector<LayoutNode>& nodes, std::size_t v) {
    const auto [x, y] = layout.centers[v];
    return {x - nodes[v].width / 2, y - nodes[v].height / 2, x + nodes[v].width / 2, y + nodes[v].height / 2};
}

TEST(LayeredLayout, PutsAChainInOneStraightColumn) {
    const auto nodes = boxes(6);
    const auto layout = layered_layout(nodes, edges({{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}}));
    ASSERT_TRUE(layout);
    EXPECT_EQ(layout->layers, (std::vector<int>{0, 1, 2, 3, 4, 5}));
    for (const LayoutPoint& center : layout->centers)
        EXPECT_DOUBLE_EQ(center.x, layout->centers[0].x);
    const LayoutSpacing spacing;
    EXPECT_DOUBLE_EQ(layout->height, 6 * 40 + 5 * spacing.between_layers);
    EXPECT_DOUBLE_EQ(layout->width, 100);
    for (const auto& route : layout->routes) // straight down, from border to border
        for (const LayoutPoint& point : route)
            EXPECT_DOUBLE_EQ(point.x, layout->centers[0].x);
}

TEST(LayeredLayout, LeavesNoCrossingWhereNoneIsNeeded) {
    // Two trees whose leaves are numbered so that the order of numbers would cross.
    const Arcs arcs = {{0, 2}, {1, 3}, {0, 4}, {1, 5}, {0, 6}, {1, 7}};
    const auto layout = layered_layout(boxes(8), edges(arcs));
    ASSERT_TRUE(layout);
    EXPECT_EQ(layout->crossings, 0U);
}

TEST(LayeredLayout, KeepsTheOneCrossingOfACompletePairOfPairs) {
    const auto layout = layered_layout(boxes(4), edges({{0, 2}, {0, 3}, {1, 2}, {1, 3}}));
    ASSERT_TRUE(layout);
    EXPECT_EQ(layout->crossings, 1U); // K2,2 drawn in two layers
}

TEST(LayeredLayout, BreaksCyclesAndStillDrawsEveryEdge) {
    const auto layout = layered_layout(boxes(4), edges({{0, 1}, {1, 2}, {2, 0}, {2, 3}, {3, 3}}));
    ASSERT_TRUE(layout);
    EXPECT_EQ(layout->layers, (std::vector<int>{0, 1, 2, 3}));
    ASSERT_EQ(layout->routes.size(), 5U);
    const auto& back = layout->routes[2]; // from 2 up to 0
    EXPECT_GT(back.front().y, back.back().y);
    EXPECT_TRUE(layout->routes[4].empty()); // a node's edge to itself
}

TEST(LayeredLayout, DrawsUpwardEdgesUpward) {
    auto arcs = edges({{0, 1}, {1, 2}, {2, 3}});
    arcs[1].upward = true; // 2 stands above 1
    const auto layout = layered_layout(boxes(4), arcs);
    ASSERT_TRUE(layout);
    EXPECT_LT(layout->layers[2], layout->layers[1]);
    EXPECT_GT(layout->routes[1].front().y, layout->routes[1].back().y);
    EXPECT_LT(layout->layers[0], layout->layers[1]);
}

TEST(LayeredLayout, KeepsLanesSideBySide) {
    auto nodes = boxes(9);
    for (std::size_t v = 0; v < nodes.size(); ++v)
        nodes[v].lane = static_cast<int>(v % 3);
    Arcs arcs;
    for (std::size_t v = 0; v + 3 < nodes.size(); ++v)
        arcs.emplace_back(v, v + 3);
    for (std::size_t v = 0; v < 6; ++v)
        arcs.emplace_back(v, 6 + (v + 1) % 3);
    const auto layout = layered_layout(nodes, edges(arcs));
    ASSERT_TRUE(layout);
    for (std::size_t a = 0; a < nodes.size(); ++a)
        for (std::size_t b = 0; b < nodes.size(); ++b)
            if (layout->layers[a] == layout->layers[b] && nodes[a].lane < nodes[b].lane) {
                EXPECT_LT(layout->centers[a].x, layout->centers[b].x);
            }
}

TEST(LayeredLayout, PutsGatesOverAndUnderEverything) {
    auto nodes = boxes(3);
    nodes.push_back({5, 0, 0, Gate::Top});
    nodes.push_back({5, 0, 0, Gate::Bottom});
    const auto layout = layered_layout(nodes, edges({{0, 1}, {1, 2}, {3, 1}, {0, 4}}));
    ASSERT_TRUE(layout);
    EXPECT_DOUBLE_EQ(layout->centers[3].y, 0);
    EXPECT_DOUBLE_EQ(layout->centers[4].y, layout->height);
}

TEST(LayeredLayout, TakesEmptyAndLooseGraphs) {
    const auto empty = layered_layout({}, {});
    ASSERT_TRUE(empty);
    EXPECT_TRUE(empty->centers.empty());
    const auto loose = layered_layout(boxes(3), {});
    ASSERT_TRUE(loose);
    EXPECT_EQ(loose->layers, (std::vector<int>{0, 0, 0}));
    EXPECT_DOUBLE_EQ(loose->height, 40);
}

TEST(LayeredLayout, StopsWhenCancelled) {
    CancelToken cancel;
    cancel.cancel();
    EXPECT_FALSE(layered_layout(boxes(3), edges({{0, 1}}), {}, &cancel));
}

class RandomLayout : public testing::TestWithParam<unsigned> {};

TEST_P(RandomLayout, NodesNeverOverlapAndEdgesNeverRunThroughThem) {
    std::mt19937 random(GetParam());
    constexpr int count = 60;
    std::vector<LayoutNode> nodes;
    nodes.reserve(count);
    for (int i = 0; i < count; ++i)
        nodes.push_back({60.0 + static_cast<double>(random() % 120),
                         20.0 + static_cast<double>(random() % 60), static_cast<int>(random() % 3)});
    Arcs arcs = random_arcs(nodes.size(), 2, 20, GetParam());
    for (int i = 0; i < 5; ++i) // and some that close cycles
        arcs.emplace_back(40 + random() % 20, random() % 20);
    const auto layout = layered_layout(nodes, edges(arcs));
    ASSERT_TRUE(layout);
    std::vector<Box> rects;
    for (std::size_t v = 0; v < nodes.size(); ++v)
        rects.push_back(box_of(*layout, nodes, v));
    constexpr double eps = 1e-6;
    for (std::size_t a = 0; a < rects.size(); ++a) {
        EXPECT_GE(rects[a].left, -eps);
        EXPECT_LE(rects[a].right, layout->width + eps);
        EXPECT_LE(rects[a].bottom, layout->height + eps);
        for (std::size_t b = a + 1; b < rects.size(); ++b) {
            const bool apart = rects[a].right < rects[b].left + eps || rects[b].right < rects[a].left + eps ||
                               rects[a].bottom < rects[b].top + eps || rects[b].bottom < rects[a].top + eps;
            EXPECT_TRUE(apart) << a << " and " << b;
        }
    }
    for (std::size_t e = 0; e < arcs.size(); ++e) {
        const auto& route = layout->routes[e];
        ASSERT_GE(route.size(), 2U);
        for (std::size_t i = 0; i + 1 < route.size(); ++i) {
            const auto [left, right] = std::minmax(route[i].x, route[i + 1].x);
            const auto [top, bottom] = std::minmax(route[i].y, route[i + 1].y);
            for (std::size_t v = 0; v < rects.size(); ++v) {
                if (v == arcs[e].first || v == arcs[e].second)
                    continue;
                const bool touches = right > rects[v].left + eps && left < rects[v].right - eps &&
                                     bottom > rects[v].top + eps && top < rects[v].bottom - eps;
                EXPECT_FALSE(touches) << "edge " << e << " runs through node " << v;
            }
        }
    }
}

TEST_P(RandomLayout, CountsCrossingsAsPairwiseComparisonDoes) {
    std::mt19937 random(GetParam());
    ProperGraph graph;
    graph.nodes = 24;
    graph.order.resize(3);
    for (std::size_t v = 0; v < graph.nodes; ++v) {
        graph.layer.push_back(static_cast<int>(v / 8));
        graph.order[v / 8].push_back(v);
    }
    graph.lane.assign(graph.nodes, 0);
    graph.above.resize(graph.nodes);
    graph.below.resize(graph.nodes);
    Arcs arcs;
    for (int i = 0; i < 40; ++i)
        if (const std::size_t from = random() % 16; true)
            arcs.emplace_back(from, (from / 8 + 1) * 8 + random() % 8);
    for (const auto& [from, to] : arcs) {
        graph.below[from].push_back(to);
        graph.above[to].push_back(from);
    }
    std::size_t expected = 0; // numbers are places here
    for (std::size_t a = 0; a < arcs.size(); ++a)
        for (std::size_t b = 0; b < arcs.size(); ++b)
            expected += arcs[a].first / 8 == arcs[b].first / 8 && arcs[a].first < arcs[b].first &&
                                arcs[a].second > arcs[b].second
                            ? 1
                            : 0;
    EXPECT_EQ(count_crossings(graph), expected);
    const std::size_t left = reduce_crossings(graph, nullptr);
    EXPECT_LE(left, expected);
    EXPECT_EQ(left, count_crossings(graph));
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomLayout, testing::Values(1U, 2U, 3U, 4U, 5U));

/// A chain of layers, their gradients, and edges from each layer to its gradient.
std::vector<LayoutEdge> training(std::vector<LayoutNode>& nodes, std::size_t layers) {
    nodes = boxes(2 * layers);
    std::vector<LayoutEdge> result;
    for (std::size_t l = 0; l < layers; ++l) {
        nodes[layers + l].lane = 1;
        if (l + 1 < layers) {
            result.push_back({l, l + 1, false, {}, {}});
            result.push_back({layers + l + 1, layers + l, true, {}, {}});
        }
        result.push_back({l, layers + l, false, {}, {}});
    }
    return result;
}

TEST(LayeredLayout, DrawsGradientsBesideTheirLayersInTwoColumns) {
    std::vector<LayoutNode> nodes;
    const auto arcs = training(nodes, 30);
    const auto layout = layered_layout(nodes, arcs);
    ASSERT_TRUE(layout);
    EXPECT_EQ(layout->crossings, 0U);
    for (std::size_t l = 0; l < 30; ++l) {
        EXPECT_DOUBLE_EQ(layout->centers[l].x, layout->centers[0].x);
        EXPECT_DOUBLE_EQ(layout->centers[30 + l].x, layout->centers[30].x);
        EXPECT_EQ(layout->layers[30 + l], layout->layers[l] + 1);
    }
}

/// No two boxes of a layer overlap.
void expect_laid_out(const std::vector<LayoutNode>& nodes, const std::vector<LayoutEdge>& arcs) {
    const auto layout = layered_layout(nodes, arcs);
    ASSERT_TRUE(layout);
    ASSERT_EQ(layout->centers.size(), nodes.size());
    std::map<int, std::vector<std::size_t>> rows;
    for (std::size_t v = 0; v < nodes.size(); ++v)
        rows[layout->layers[v]].push_back(v);
    for (auto& [layer, row] : rows) {
        std::sort(row.begin(), row.end(),
                  [&](std::size_t a, std::size_t b) { return layout->centers[a].x < layout->centers[b].x; });
        for (std::size_t i = 1; i < row.size(); ++i)
            EXPECT_GE(layout->centers[row[i]].x - nodes[row[i]].width / 2,
                      layout->centers[row[i - 1]].x + nodes[row[i - 1]].width / 2);
    }
}

TEST(LayeredLayout, LaysOutFiveThousandNodes) {
    std::vector<LayoutNode> nodes;
    const auto arcs = training(nodes, 2500);
    expect_laid_out(nodes, arcs);
    Arcs hub;
    for (std::size_t v = 1; v < 5000; ++v) { // one tensor that every layer of a long chain uses
        hub.emplace_back(0, v);
        if (v > 1)
            hub.emplace_back(v - 1, v);
    }
    expect_laid_out(boxes(5000), edges(hub));
    Arcs flat;
    for (std::size_t v = 1; v < 5000; ++v)
        flat.emplace_back(0, v);
    expect_laid_out(boxes(5000), edges(flat));
}

} // namespace
} // namespace tilescope::ui
