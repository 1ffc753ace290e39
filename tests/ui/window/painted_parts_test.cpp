// SPDX-License-Identifier: GPL-3.0-or-later
/// What a screen reader is told of what views paint by hand.
#include "frame_fixture.h"
#include "tests/system_fixture.h"
#include "ui/compile/flame_chart.h"
#include "ui/graph/graph_view.h"
#include "ui/liveness/liveness_curve.h"
#include "ui/pipeline/pipeline_view.h"
#include "ui/sharding/sharding_view.h"
#include "ui/sharding/system_canvas.h"
#include "ui/tiles/tile_map.h"
#include "ui/trace/trace_view.h"

#include <QAccessible>
#include <QLabel>
#include <QLineEdit>

namespace tilescope::ui {
namespace {

class PaintedPartsOf : public Frame {
  protected:
    static QStringList names(const QAccessibleInterface& whole, QAccessible::Role role) {
        QStringList all;
        for (int i = 0; i < whole.childCount(); ++i)
            if (const auto* part = whole.child(i); part != nullptr && part->role() == role)
                all << part->text(QAccessible::Name);
        return all;
    }
};

TEST_F(PaintedPartsOf, TheFloorPlanAreItsTiles) {
    open("first.tilescope");
    press("G, M");
    settle();
    TileMap* map = nullptr;
    for (auto* each : window->findChildren<TileMap*>())
        map = each->isVisible() ? each : map;
    ASSERT_NE(map, nullptr);
    QAccessibleInterface* whole = QAccessible::queryAccessibleInterface(map);
    ASSERT_NE(whole, nullptr);
    EXPECT_EQ(whole->role(), QAccessible::Table);
    EXPECT_EQ(whole->childCount(), 64) << "the fixture's tiles";
    QAccessibleInterface* tile = whole->child(5);
    EXPECT_EQ(tile, whole->child(5)) << "made once";
    EXPECT_EQ(tile->role(), QAccessible::Cell);
    EXPECT_EQ(tile->text(QAccessible::Name), QStringLiteral("IPU 0 tile 5"));
    EXPECT_TRUE(tile->text(QAccessible::Value).contains(QStringLiteral("B"))) << "bytes";
    EXPECT_EQ(tile->text(QAccessible::Description), tile->text(QAccessible::Value))
        << "the bus of accessibility passes no value that is a text";
    EXPECT_EQ(tile->parent(), whole);
    EXPECT_EQ(whole->indexOfChild(tile), 5);
    const QPoint at = tile->rect().center();
    EXPECT_TRUE(whole->rect().contains(at));
    EXPECT_EQ(whole->childAt(at.x(), at.y()), tile);
    EXPECT_FALSE(tile->state().selected);
    QTest::mouseClick(map, Qt::LeftButton, {}, map->mapFromGlobal(at));
    settle();
    map->setFocus();
    EXPECT_TRUE(tile->state().selected);
    EXPECT_TRUE(tile->state().focused);
    EXPECT_EQ(whole->focusChild(), tile);
}

TEST_F(PaintedPartsOf, TheGraphAreItsBoxes) {
    open("first.tilescope");
    press("G, G");
    settle();
    auto& canvas = window->findChild<GraphView*>()->canvas();
    QAccessibleInterface* whole = QAccessible::queryAccessibleInterface(&canvas);
    ASSERT_EQ(whole->childCount(), 7) << "two layers, three phases each, and the input";
    const QStringList boxes = names(*whole, QAccessible::TreeItem);
    EXPECT_EQ(boxes.size(), 7);
    EXPECT_TRUE(boxes.contains(QStringLiteral("dense")) && boxes.contains(QStringLiteral("dense_1")))
        << boxes.join(QLatin1Char(';')).toStdString();
    for (int i = 0; i < whole->childCount(); ++i) {
        const QPoint at = whole->child(i)->rect().center();
        const QPointF box = canvas.toWidget(canvas.scene().boxes[static_cast<std::size_t>(i)].rect.center());
        EXPECT_LT((box - canvas.mapFromGlobal(at)).manhattanLength(), 3) << i;
    }
}

TEST_F(PaintedPartsOf, TheTraceAreItsLanesAndSlices) {
    open("first.tilescope");
    press("G, T");
    settle();
    auto& timeline = window->findChild<TraceView*>()->timeline();
    timeline.setAnimated(false);
    timeline.show(0, 4000);
    settle();
    const QAccessibleInterface* whole = QAccessible::queryAccessibleInterface(&timeline);
    const QStringList lanes = names(*whole, QAccessible::List);
    EXPECT_EQ(lanes.filter(QStringLiteral(", Operation")).size(), 1)
        << lanes.join(QLatin1Char(';')).toStdString();
    EXPECT_TRUE(lanes.front().startsWith(QStringLiteral("IPU 0")));
    EXPECT_FALSE(names(*whole, QAccessible::ListItem).isEmpty());
    for (int i = 0; i < whole->childCount(); ++i) { // a curve is no number of things
        const QString value = whole->child(i)->text(QAccessible::Value);
        if (whole->child(i)->text(QAccessible::Name).endsWith(QStringLiteral(", Live memory"))) {
            EXPECT_TRUE(value.endsWith(QStringLiteral("at most"))) << value.toStdString();
        }
    }
    EXPECT_EQ(lanes.filter(QStringLiteral(", Live memory")).size(), 1);
    QRect last;
    for (int i = 0; i < whole->childCount(); ++i) { // slices lie within their lanes
        const QAccessibleInterface* part = whole->child(i);
        if (part->role() == QAccessible::List)
            last = part->rect();
        else
            EXPECT_TRUE(last.top() <= part->rect().top() && last.bottom() >= part->rect().bottom())
                << part->text(QAccessible::Name).toStdString();
    }
}

TEST_F(PaintedPartsOf, ShardingAreItsBoxesAndArrows) {
    ASSERT_TRUE(tests::record_system(folder / "system.tilescope", {2, 2, false}));
    open("system.tilescope");
    press("G, H");
    settle();
    auto& canvas = window->findChild<ShardingView*>()->canvas();
    QAccessibleInterface* whole = QAccessible::queryAccessibleInterface(&canvas);
    const QStringList boxes = names(*whole, QAccessible::TreeItem);
    ASSERT_EQ(boxes.size(), 4);
    EXPECT_TRUE(boxes[1].startsWith(QStringLiteral("IPU 1: ")));
    EXPECT_EQ(names(*whole, QAccessible::ListItem).size(),
              static_cast<qsizetype>(canvas.layoutShown().arrows.size()));
    canvas.setFocus();
    QTest::keyClick(&canvas, Qt::Key_End);
    settle();
    EXPECT_EQ(whole->focusChild(), whole->child(3));
    EXPECT_TRUE(whole->child(3)->state().selected);
    EXPECT_TRUE(whole->child(3)->text(QAccessible::Value).contains(QStringLiteral("fullest tile")));
    const QPoint at = whole->child(2)->rect().center();
    EXPECT_EQ(whole->childAt(at.x(), at.y()), whole->child(2));
}

TEST_F(PaintedPartsOf, LivenessAndCompileAreTheirStepsAndPasses) {
    open("first.tilescope");
    press("G, L");
    settle();
    auto* curve = window->findChild<LivenessCurve*>();
    QAccessibleInterface* whole = QAccessible::queryAccessibleInterface(curve);
    const int all = whole->childCount();
    ASSERT_GT(all, 3);
    EXPECT_TRUE(whole->child(1)->text(QAccessible::Name).startsWith(QStringLiteral("step 1, ")));
    EXPECT_TRUE(whole->child(1)->text(QAccessible::Value).contains(QStringLiteral("live, of which")));
    curve->setFocus();
    QTest::keyClick(curve, Qt::Key_Home);
    settle();
    EXPECT_EQ(whole->focusChild(), whole->child(0));
    curve->zoomBy(4);
    EXPECT_LT(whole->childCount(), all) << "those in view";
    EXPECT_GT(whole->childCount(), 0);
    press("G, C");
    settle();
    auto* passes = window->findChild<FlameChart*>();
    passes->setFocus();
    whole = QAccessible::queryAccessibleInterface(passes);
    EXPECT_EQ(names(*whole, QAccessible::TreeItem).value(1), QStringLiteral("verify"));
    EXPECT_TRUE(whole->child(1)->text(QAccessible::Value).contains(QStringLiteral("20.0 %")));
    QTest::keyClick(passes, Qt::Key_Right);
    QTest::keyClick(passes, Qt::Key_Down);
    EXPECT_EQ(whole->focusChild(), whole->child(1));
}

TEST_F(PaintedPartsOf, HowManyHitsASearchHasIsTextForScreenReaders) {
    open("first.tilescope");
    press("G, G");
    settle();
    auto* graph = window->findChild<GraphView*>();
    graph->searchField().setText(QStringLiteral("dense_1/MatMul"));
    settle();
    QStringList told;
    for (const QLabel* label : graph->findChildren<QLabel*>())
        told << label->accessibleName();
    EXPECT_TRUE(told.join(QLatin1Char(';')).contains(QStringLiteral(" hit")));
}

TEST_F(PaintedPartsOf, ThePipelineAreItsStagesAndSlots) {
    ASSERT_TRUE(tests::record_system(folder / "pipeline.tilescope", {2, 2, true}));
    open("pipeline.tilescope");
    press("G, K");
    settle();
    auto& timeline = window->findChild<PipelineView*>()->timeline();
    const QAccessibleInterface* whole = QAccessible::queryAccessibleInterface(&timeline);
    EXPECT_EQ(names(*whole, QAccessible::List).size(), 2) << "stages";
    const QStringList slots_told = names(*whole, QAccessible::ListItem);
    for (const char* slot : {"micro-batch 0, forward", "micro-batch 0, backward"})
        EXPECT_EQ(slots_told.count(QLatin1String(slot)), 2)
            << "on each stage: " << slots_told.join(QLatin1Char(';')).toStdString();
}

} // namespace
} // namespace tilescope::ui
