// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/graph/graph_canvas.h"

#include <QImage>
#include <QSignalSpy>
#include <QTest>
#include <QToolTip>
#include <gtest/gtest.h>

namespace tilescope::ui {
namespace {

using profile::Phase;

constexpr double row = 100;

/// Operations in two columns: forward at the left, one below the other; backward at the right, far below.
struct Columns {
    explicit Columns(std::size_t layers) : graph(std::make_shared<OperationGraph>()) {
        for (std::size_t i = 0; i < layers; ++i)
            add(QStringLiteral("layer_%1").arg(i), Phase::Forward, QPointF(0, row * static_cast<double>(i)));
        for (std::size_t i = 0; i < layers; ++i)
            add(QStringLiteral("layer_%1").arg(i), Phase::Backward,
                QPointF(400, row * static_cast<double>(3 * layers - i)));
        for (std::size_t i = 0; i + 1 < layers; ++i)
            join(i, i + 1, 10);
        for (std::size_t i = 0; i < layers; ++i)
            join(i, layers + i, 100 + static_cast<std::int64_t>(i));
        makeStubs(*graph, {}, scene);
    }
    void add(const QString& name, Phase phase, const QPointF& at) {
        GraphNode node;
        node.id = static_cast<std::int64_t>(graph->nodes.size());
        node.name = node.label = name;
        node.phase = phase;
        node.group = graph->groups.size();
        GraphGroup group = GraphGroup::of(name, name, node, nullptr);
        group.members = {graph->nodes.size()};
        scene.box_of_node.push_back(scene.boxes.size());
        scene.boxes.push_back({GraphBox::Kind::Node, graph->nodes.size(), QRectF(at, QSizeF(160, 60))});
        scene.bounds |= scene.boxes.back().rect;
        graph->nodes.push_back(node);
        graph->groups.push_back(group);
    }
    void join(std::size_t from, std::size_t to, std::int64_t bytes) {
        GraphLine line;
        line.from = from;
        line.to = to;
        line.bytes = bytes;
        line.tensors = {graph->tensors.size()};
        graph->tensors.emplace_back();
        line.route = {scene.boxes[from].rect.center() + QPointF(0, 30),
                      scene.boxes[to].rect.center() - QPointF(0, 30)};
        line.bounds = QRectF(line.route[0], line.route[1]).normalized();
        scene.lines.push_back(line);
    }
    std::shared_ptr<OperationGraph> graph;
    GraphScene scene;
};

TEST(GraphStubs, LinesThatGoFarToBackwardAreDrawnAtTheirEnds) {
    const Columns few(9);
    EXPECT_TRUE(few.scene.stubs.empty()) << "so few can be followed";
    const Columns many(12);
    EXPECT_EQ(many.scene.stubs.size(), 24U) << "at both ends";
    for (const GraphLine& line : many.scene.lines)
        EXPECT_EQ(line.stub, line.bytes >= 100);
    const QPointF middle = (many.scene.lines[15].route[0] + many.scene.lines[15].route[1]) / 2;
    ASSERT_TRUE(many.scene.lines[15].stub);
    EXPECT_EQ(many.scene.lineAt(middle, 3), GraphScene::no_box) << "where nothing is drawn nothing is hit";
}

TEST(GraphStubs, WhatManyReadIsDrawnAtItsEnds) {
    Columns columns(3);
    for (int i = 0; i < 13; ++i) {
        columns.add(QStringLiteral("reader"), Phase::Forward, QPointF(200.0 * i, -300));
        columns.join(0, columns.scene.boxes.size() - 1, 4);
        columns.scene.lines.back().tensors = {0}; // the same for all
    }
    columns.scene.stubs.clear();
    makeStubs(*columns.graph, {}, columns.scene);
    ASSERT_EQ(columns.scene.stubs.size(), 15U) << "of the box, its 13 readers and the next layer";
    EXPECT_EQ(columns.scene.stubs.front().lines.size(), 14U);
}

TEST(GraphStubs, NamesHaveTheRoomThatNothingElseTakes) {
    Columns columns(12);
    for (GraphGroup& group : columns.graph->groups)
        group.name = QStringLiteral("a_layer_with_a_long_name/and_a_part");
    for (GraphNode& node : columns.graph->nodes)
        node.label = QStringLiteral("a_layer_with_a_long_name/and_a_part");
    columns.scene.stubs.clear();
    makeStubs(*columns.graph, {}, columns.scene);
    const GraphScene& scene = columns.scene;
    ASSERT_FALSE(scene.stubs.empty());
    int whole = 0;
    for (const GraphStub& stub : scene.stubs) {
        EXPECT_EQ(stub.name, QStringLiteral("a_layer_with_a_long_name/and_a_part"));
        whole += stub.rect.width() >= 7.0 * static_cast<double>(stub.name.size()) ? 1 : 0;
        for (const GraphBox& box : scene.boxes)
            EXPECT_FALSE(stub.rect.intersects(box.rect));
        for (const GraphStub& other : scene.stubs)
            EXPECT_TRUE(&stub == &other || !stub.rect.intersects(other.rect));
    }
    EXPECT_GT(whole, 0);
}

TEST(GraphStubs, PointingJoinsThemAndAClickGoesToTheOtherEnd) {
    Columns columns(12);
    GraphCanvas canvas;
    canvas.resize(700, 500);
    canvas.setScene(columns.graph, columns.scene);
    canvas.show();
    canvas.zoomTo(1);
    canvas.reveal(0);
    const auto& stubs = canvas.scene().stubs;
    const auto first = std::find_if(stubs.begin(), stubs.end(),
                                    [](const GraphStub& stub) { return stub.box == 0 && stub.out; });
    ASSERT_NE(first, stubs.end());
    const QPoint at = canvas.toWidget(first->rect.center()).toPoint();
    QTest::mouseMove(&canvas, {2, 2});
    const QImage apart = canvas.grab().toImage();
    QTest::mouseMove(&canvas, at);
    EXPECT_NE(canvas.grab().toImage(), apart);
    EXPECT_TRUE(QToolTip::text().contains(QStringLiteral("a click goes to layer_0")))
        << QToolTip::text().toStdString();
    const QSignalSpy chosen(&canvas, &GraphCanvas::boxChosen);
    QTest::mouseClick(&canvas, Qt::LeftButton, {}, at);
    ASSERT_EQ(chosen.size(), 1);
    EXPECT_EQ(chosen[0][0].value<std::size_t>(), 12U);
    EXPECT_TRUE(canvas.visible().intersects(canvas.scene().boxes[12].rect)) << "it comes into sight";
}

} // namespace
} // namespace tilescope::ui
