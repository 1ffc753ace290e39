// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/graph/graph_canvas.h"

#include <QImage>
#include <QPainter>
#include <QTest>
#include <cstdlib>
#include <gtest/gtest.h>

namespace tilescope::ui {
namespace {

constexpr std::size_t rows = 40;
constexpr std::size_t columns = 40;

/// Operations in a grid, each feeding the one below it: more than can be painted at each move.
struct Crowd {
    Crowd() {
        auto graph = std::make_shared<OperationGraph>();
        GraphScene scene;
        for (std::size_t i = 0; i < rows * columns; ++i) {
            GraphNode node;
            node.id = static_cast<std::int64_t>(i);
            node.name = node.label = QStringLiteral("op%1").arg(i);
            node.phase = i % 2 == 0 ? profile::Phase::Forward : profile::Phase::Backward;
            node.group = i;
            GraphGroup group = GraphGroup::of(node.name, node.name, node, nullptr);
            group.members = {i};
            graph->nodes.push_back(node);
            graph->groups.push_back(group);
            const std::size_t row = i / columns;
            const std::size_t column = i % columns;
            const QRectF rect(static_cast<double>(column) * 200, static_cast<double>(row) * 120, 160, 60);
            scene.boxes.push_back({GraphBox::Kind::Node, i, rect});
            scene.box_of_node.push_back(i);
            scene.bounds |= rect;
            if (i >= columns) {
                GraphLine line;
                line.from = i - columns;
                line.to = i;
                line.route = {scene.boxes[line.from].rect.center() + QPointF(0, 30),
                              rect.center() - QPointF(0, 30)};
                line.bounds = QRectF(line.route[0], line.route[1]).normalized();
                scene.lines.push_back(line);
            }
        }
        canvas.resize(800, 600);
        canvas.setScene(graph, scene);
        canvas.show();
        canvas.fit();
    }

    /// As it is painted without a picture of it.
    QImage painted() {
        QImage image(canvas.size(), QImage::Format_RGB32);
        image.fill(Theme::of(&canvas).window);
        QPainter painter(&image);
        painter.scale(canvas.scale(), canvas.scale());
        painter.translate(-canvas.visible().topLeft());
        GraphPainter(*canvas.graph(), canvas.scene(), Theme::of(&canvas), canvas.font(), canvas.scale())
            .paint(painter, canvas.marks(), canvas.visible());
        return image;
    }
    /// Share of the pixels whose lightness differs by more than a step of smoothing; the small map in the
    /// corner counts for nothing.
    double differing(const QImage& a, const QImage& b) const {
        int differ = 0;
        int all = 0;
        for (int y = 0; y < a.height(); ++y)
            for (int x = 0; x < a.width(); ++x) {
                if (x > a.width() - 260 && y > a.height() - 200)
                    continue;
                ++all;
                differ += std::abs(qGray(a.pixel(x, y)) - qGray(b.pixel(x, y))) > 12 ? 1 : 0;
            }
        return static_cast<double>(differ) / all;
    }
    QImage shown() { return canvas.grab().toImage().convertToFormat(QImage::Format_RGB32); }
    bool becomesWhole() {
        return QTest::qWaitFor([&] { return differing(shown(), painted()) < 0.001; }, 20000);
    }
    QColor middleOf(std::size_t box) {
        return shown().pixelColor(canvas.toWidget(canvas.scene().boxes[box].rect.center()).toPoint());
    }

    GraphCanvas canvas;
};

TEST(GraphBackdrop, BoxesAreThereAtOnceAndAllOfTheDrawingSoonAfter) {
    Crowd crowd;
    const QImage at_once = crowd.shown();
    const QRectF first = crowd.canvas.scene().boxes[0].rect;
    EXPECT_NE(at_once.pixelColor(crowd.canvas.toWidget(first.center()).toPoint()),
              Theme::of(&crowd.canvas).window);
    EXPECT_GT(crowd.differing(at_once, crowd.painted()), 0.001) << "lines and outlines come later";
    EXPECT_TRUE(crowd.becomesWhole());
}

TEST(GraphBackdrop, FollowsWhereOneGoes) {
    Crowd crowd;
    ASSERT_TRUE(crowd.becomesWhole());
    crowd.canvas.zoomTo(0.17); // with outlines and arrows
    EXPECT_TRUE(crowd.becomesWhole());
    crowd.canvas.fit();
    EXPECT_TRUE(crowd.becomesWhole());
}

TEST(GraphBackdrop, MarksAreSeenAtOnceOverThePicture) {
    Crowd crowd;
    ASSERT_TRUE(crowd.becomesWhole());
    const QColor before = crowd.middleOf(85);
    crowd.canvas.setMarks({85}, 85);
    EXPECT_NE(crowd.middleOf(85), before);
    EXPECT_EQ(crowd.middleOf(85),
              crowd.painted().pixelColor(
                  crowd.canvas.toWidget(crowd.canvas.scene().boxes[85].rect.center()).toPoint()));
    crowd.canvas.setMarks({}, GraphScene::no_box);
    EXPECT_EQ(crowd.middleOf(85), before);
    crowd.canvas.setHits({3, 4});
    EXPECT_TRUE(crowd.becomesWhole());
}

} // namespace
} // namespace tilescope::ui
