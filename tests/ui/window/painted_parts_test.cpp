// SPDX-License-Identifier: GPL-3.0-or-later
/// What a screen reader is told of what views paint by hand.
#include "frame_fixture.h"
#include "tests/system_fixture.h"
#include "ui/graph/graph_view.h"
#include "ui/pipeline/pipeline_view.h"
#include "ui/tiles/tile_map.h"
#include "ui/trace/trace_view.h"

#include <QAccessible>

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
    QTest::qWait(50);
    const QAccessibleInterface* whole = QAccessible::queryAccessibleInterface(&timeline);
    const QStringList lanes = names(*whole, QAccessible::List);
    EXPECT_EQ(lanes.filter(QStringLiteral(", Operation")).size(), 1)
        << lanes.join(QLatin1Char(';')).toStdString();
    EXPECT_TRUE(lanes.front().startsWith(QStringLiteral("IPU 0")));
    EXPECT_FALSE(names(*whole, QAccessible::ListItem).isEmpty());
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

TEST_F(PaintedPartsOf, ThePipelineAreItsStagesAndSlots) {
    ASSERT_TRUE(tests::record_system(folder / "pipeline.tilescope", {2, 2, true}));
    open("pipeline.tilescope");
    press("G, K");
    settle();
    auto& timeline = window->findChild<PipelineView*>()->timeline();
    const QAccessibleInterface* whole = QAccessible::queryAccessibleInterface(&timeline);
    EXPECT_EQ(names(*whole, QAccessible::List).size(), 2) << "stages";
    EXPECT_FALSE(names(*whole, QAccessible::ListItem).isEmpty());
}

} // namespace
} // namespace tilescope::ui
