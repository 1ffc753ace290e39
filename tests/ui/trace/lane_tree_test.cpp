// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/trace/lanes_of_a_system.h"

#include <QMouseEvent>
#include <QTreeWidget>
#include <functional>

namespace tilescope::ui {
namespace {

using Ids = std::vector<std::int64_t>;

/// With the list of lanes open.
class ListedLanes : public LanesOfASystem {
  protected:
    ListedLanes() {
        shown.view.activateWindow();
        timeline().setFocus();
        press(Qt::Key_L);
        tree = shown.view.findChild<QTreeWidget*>(QStringLiteral("laneTree"));
        EXPECT_TRUE(tree->isVisible());
        EXPECT_TRUE(tree->hasFocus());
        QObject::connect(&shown.view, &View::made, &shown.view,
                         [this](const QString&, const auto& redo, const auto& undo) {
                             all_made.resize(made_now);
                             all_made.emplace_back(redo, undo);
                             ++made_now;
                         });
    }
    TimelineWidget& timeline() { return shown.view.timeline(); }
    QTreeWidgetItem* row(const QString& above, const QString& lane = {}) {
        for (int i = 0; i < tree->topLevelItemCount(); ++i) {
            QTreeWidgetItem* item = tree->topLevelItem(i);
            if (!item->text(0).startsWith(above))
                continue;
            for (int child = 0; !lane.isEmpty() && child < item->childCount(); ++child)
                if (item->child(child)->text(0) == lane) {
                    item->setExpanded(true);
                    tree->scrollToItem(item->child(child));
                    return item->child(child);
                }
            if (lane.isEmpty()) {
                tree->scrollToItem(item);
                return item;
            }
        }
        ADD_FAILURE() << above.toStdString() << " " << lane.toStdString();
        return tree->topLevelItem(0);
    }
    QPoint place(QTreeWidgetItem* item, int column) {
        return tree->visualRect(tree->indexFromItem(item, column)).center();
    }
    void clickEye(const QString& above, const QString& lane = {}) {
        QTest::mouseClick(tree->viewport(), Qt::LeftButton, {}, place(row(above, lane), 1));
        rest();
    }
    void key(QTreeWidgetItem* item, Qt::Key key, Qt::KeyboardModifiers modifiers = {}) {
        tree->setCurrentItem(item);
        QTest::keyClick(tree, key, modifiers);
        rest();
    }
    void drag(QWidget* viewport, QPoint from, QPoint to, const std::function<void()>& halfway = {}) {
        QTest::mousePress(viewport, Qt::LeftButton, {}, from);
        for (const double part : {0.3, 0.7, 1.0}) {
            if (part == 0.7 && halfway)
                halfway();
            const QPointF at = QPointF(from) + QPointF(to - from) * part;
            QMouseEvent move(QEvent::MouseMove, at, viewport->mapToGlobal(at), Qt::NoButton, Qt::LeftButton,
                             {});
            QApplication::sendEvent(viewport, &move);
        }
        QTest::mouseRelease(viewport, Qt::LeftButton, {}, to);
        rest();
    }
    QStringList names(QTreeWidgetItem* above) {
        QStringList all;
        for (int i = 0; i < above->childCount(); ++i)
            all << above->child(i)->text(0);
        return all;
    }
    QRect rect(std::size_t group, LaneKind kind) {
        const auto there = kinds(group);
        const auto at = std::find(there.begin(), there.end(), kind) - there.begin();
        return timeline().laneRect(group, static_cast<std::size_t>(at));
    }
    /// As the window does at its keys.
    void undo() {
        ASSERT_GT(made_now, 0U);
        all_made[--made_now].second();
        rest();
    }
    void redo() {
        ASSERT_LT(made_now, all_made.size());
        all_made[made_now++].first();
        rest();
    }
    std::vector<std::pair<std::function<void()>, std::function<void()>>> all_made;
    std::size_t made_now = 0; ///< of them, that are not undone
    static std::vector<LaneKind> without(std::vector<LaneKind> kinds, LaneKind kind) {
        std::erase(kinds, kind);
        return kinds;
    }
    QTreeWidget* tree = nullptr;
};

} // namespace

TEST_F(ListedLanes, TheTreeHasEachIpuWithWhatTheFileHasForIt) {
    QStringList top;
    for (int i = 0; i < tree->topLevelItemCount(); ++i)
        top << tree->topLevelItem(i)->text(0);
    EXPECT_EQ(top, (QStringList{QStringLiteral("All IPUs"), QStringLiteral("IPU 0"), QStringLiteral("IPU 1"),
                                QStringLiteral("IPU 2, replica 1"), QStringLiteral("IPU 3, replica 1"),
                                QStringLiteral("Links")}));
    EXPECT_FALSE(names(row(QStringLiteral("IPU 0"))).contains(QStringLiteral("Micro-batch")))
        << "it is no pipeline";
    press(Qt::Key_L);
    EXPECT_FALSE(tree->isVisible());
    EXPECT_TRUE(timeline().hasFocus());
}

TEST_F(ListedLanes, WhatIsPinnedIsToldInWords) {
    const auto said = [&] {
        return row(QStringLiteral("IPU 1"))->data(0, Qt::AccessibleTextRole).toString().toStdString();
    };
    EXPECT_EQ(said(), "IPU 1, shown");
    key(row(QStringLiteral("IPU 1")), Qt::Key_P);
    EXPECT_EQ(said(), "IPU 1, shown, pinned");
    key(row(QStringLiteral("IPU 1")), Qt::Key_P);
    EXPECT_EQ(said(), "IPU 1, shown");
}

TEST_F(ListedLanes, AnEyeHidesALaneOfOneIpuOrOfAllAndUndoBringsItBack) {
    const auto all = kinds();
    clickEye(QStringLiteral("IPU 1"), QStringLiteral("Operation"));
    EXPECT_EQ(kinds(0), all);
    EXPECT_EQ(kinds(1), without(all, LaneKind::Operation));
    EXPECT_TRUE(shown.view.findChild<QLabel*>(QStringLiteral("traceHidden"))
                    ->text()
                    .startsWith(QStringLiteral("1 lane hidden")));
    undo();
    EXPECT_EQ(kinds(1), all);
    redo();
    EXPECT_EQ(kinds(1), without(all, LaneKind::Operation));

    // Shown on some: the eye of all shows it everywhere, and the next click hides it everywhere.
    clickEye(QStringLiteral("All IPUs"), QStringLiteral("Operation"));
    EXPECT_EQ(kinds(1), all);
    clickEye(QStringLiteral("All IPUs"), QStringLiteral("Operation"));
    for (std::size_t group = 0; group < 4; ++group)
        EXPECT_EQ(kinds(group), without(all, LaneKind::Operation));
    clickEye(QStringLiteral("IPU 2"), QStringLiteral("Operation"));
    EXPECT_EQ(kinds(2), all) << "there alone";
    EXPECT_EQ(kinds(3), without(all, LaneKind::Operation));

    clickEye(QStringLiteral("IPU 2"));
    EXPECT_EQ(ipus(), (Ids{0, 1, 3}));
    for (int i = 0; i < 4; ++i)
        undo();
    EXPECT_EQ(ipus(), (Ids{0, 1, 2, 3}));
    undo();
    EXPECT_EQ(made_now, 0U);
    EXPECT_EQ(kinds(1), all);
}

TEST_F(ListedLanes, KeysDoWhatThePointerDoes) {
    const auto all = kinds();
    key(row(QStringLiteral("IPU 3")), Qt::Key_Space);
    EXPECT_EQ(ipus(), (Ids{0, 1, 2}));
    key(row(QStringLiteral("IPU 3")), Qt::Key_Space);
    key(row(QStringLiteral("IPU 1")), Qt::Key_Up, Qt::AltModifier);
    EXPECT_EQ(ipus(), (Ids{1, 0, 2, 3}));
    EXPECT_EQ(tree->currentItem()->text(0), QStringLiteral("IPU 1")) << "it goes along";
    key(row(QStringLiteral("IPU 3")), Qt::Key_P);
    EXPECT_EQ(ipus(), (Ids{3, 1, 0, 2}));
    key(row(QStringLiteral("IPU 3")), Qt::Key_P);
    key(row(QStringLiteral("All IPUs"), QStringLiteral("Layer")), Qt::Key_Down, Qt::AltModifier);
    auto wanted = without(all, LaneKind::Layer);
    wanted.insert(std::find(wanted.begin(), wanted.end(), LaneKind::Operation) + 1, LaneKind::Layer);
    EXPECT_EQ(kinds(0), wanted);
    EXPECT_EQ(kinds(3), wanted);
    const int before = rect(0, LaneKind::Phases).height();
    const int other = rect(0, LaneKind::Layer).height();
    key(row(QStringLiteral("All IPUs"), QStringLiteral("Phases")), Qt::Key_Plus);
    EXPECT_NEAR(rect(0, LaneKind::Phases).height(), before * 1.25, 1);
    EXPECT_EQ(rect(0, LaneKind::Layer).height(), other) << "the others stay as they are";
    key(tree->currentItem(), Qt::Key_Escape);
    EXPECT_FALSE(tree->isVisible());
}

TEST_F(ListedLanes, RowsAreDraggedToOtherPlacesAmongTheirLike) {
    const auto all = kinds();
    drag(tree->viewport(), place(row(QStringLiteral("IPU 3")), 0),
         tree->visualItemRect(row(QStringLiteral("IPU 0"))).topLeft() + QPoint(60, 2));
    EXPECT_EQ(ipus(), (Ids{3, 0, 1, 2}));
    drag(tree->viewport(), place(row(QStringLiteral("IPU 3")), 0),
         tree->visualItemRect(row(QStringLiteral("Links"))).center());
    EXPECT_EQ(ipus(), (Ids{0, 1, 2, 3})) << "behind the last IPU, not behind the links";
    QTreeWidgetItem* phases = row(QStringLiteral("All IPUs"), QStringLiteral("Phases"));
    drag(tree->viewport(), place(phases, 0),
         tree->visualItemRect(phases->parent()->child(0)).topLeft() + QPoint(60, 1));
    auto wanted = without(all, LaneKind::Phases);
    wanted.insert(wanted.begin(), LaneKind::Phases);
    EXPECT_EQ(kinds(0), wanted);
    EXPECT_EQ(kinds(2), wanted);
}

TEST_F(ListedLanes, ARowThatGoesWhileItIsDraggedIsLetGo) {
    key(row(QStringLiteral("IPU 3")), Qt::Key_Up, Qt::AltModifier);
    ASSERT_EQ(ipus(), (Ids{0, 1, 3, 2}));
    drag(tree->viewport(), place(row(QStringLiteral("IPU 3")), 0),
         tree->visualItemRect(row(QStringLiteral("IPU 0"))).topLeft() + QPoint(60, 2), [this] { undo(); });
    EXPECT_EQ(ipus(), (Ids{0, 1, 2, 3})) << "undone, and nothing was dropped";
}

TEST_F(ListedLanes, NamesInTheTimeLineAreDraggedToOtherPlacesAndHeights) {
    const auto all = kinds();
    drag(timeline().viewport(), {40, rect(0, LaneKind::Phases).center().y()},
         {40, rect(0, all.front()).top() + 2});
    auto wanted = without(all, LaneKind::Phases);
    wanted.insert(wanted.begin(), LaneKind::Phases);
    EXPECT_EQ(kinds(1), wanted);
    EXPECT_EQ(names(row(QStringLiteral("IPU 0"))).first(), QStringLiteral("Phases")) << "the tree goes along";
    undo();
    EXPECT_EQ(kinds(1), all);

    const int head = rect(0, all.front()).top() - 6; // that of the first IPU
    drag(timeline().viewport(), {60, rect(1, all.front()).top() - 6}, {60, head});
    EXPECT_EQ(ipus(), (Ids{1, 0, 2, 3}));
    undo();

    const QRect old = rect(0, LaneKind::Layer);
    const int other = rect(0, LaneKind::Phases).height();
    drag(timeline().viewport(), {40, old.bottom()}, {40, old.bottom() + 37});
    EXPECT_EQ(rect(0, LaneKind::Layer).height(), old.height() + 37);
    EXPECT_EQ(rect(3, LaneKind::Layer).height(), old.height() + 37) << "of every IPU";
    EXPECT_EQ(rect(0, LaneKind::Phases).height(), other);
    drag(timeline().viewport(), {40, rect(0, LaneKind::Layer).bottom()}, {40, 0});
    EXPECT_GE(rect(0, LaneKind::Layer).height(), timeline().fontMetrics().height()) << "its name has room";
    undo();
    undo();
    EXPECT_EQ(rect(0, LaneKind::Layer).height(), old.height());
    EXPECT_TRUE(timeline().heights().empty());
    QTest::mouseClick(timeline().viewport(), Qt::LeftButton, {}, {40, rect(0, LaneKind::Layer).bottom()});
    EXPECT_TRUE(timeline().heights().empty()) << "a click drags nothing";
}

TEST_F(ListedLanes, WithControlTheHeightOfOneLaneIsDragged) {
    const int height = rect(0, LaneKind::Layer).height();
    const auto dragEdge = [&](std::int64_t ipu, int by) {
        const int bottom = rect(ipu, LaneKind::Layer).bottom();
        QTest::mousePress(timeline().viewport(), Qt::LeftButton, Qt::ControlModifier, {40, bottom});
        QTest::mouseMove(timeline().viewport(), {40, bottom + by / 2});
        QTest::mouseMove(timeline().viewport(), {40, bottom + by});
        QTest::mouseRelease(timeline().viewport(), Qt::LeftButton, Qt::ControlModifier, {40, bottom + by});
        rest();
    };
    dragEdge(0, 40);
    EXPECT_EQ(rect(0, LaneKind::Layer).height(), height + 40);
    EXPECT_EQ(rect(1, LaneKind::Layer).height(), height) << "of another IPU";
    EXPECT_EQ(rect(0, LaneKind::Operation).height(), height) << "another lane of its IPU";

    // All lanes of the kind become taller; this one keeps what is its own, and both grow with the keys.
    drag(timeline().viewport(), {40, rect(1, LaneKind::Layer).bottom()},
         {40, rect(1, LaneKind::Layer).bottom() + 12});
    EXPECT_EQ(rect(0, LaneKind::Layer).height(), height + 40);
    EXPECT_EQ(rect(1, LaneKind::Layer).height(), height + 12);
    key(row(QStringLiteral("All IPUs"), QStringLiteral("Layer")), Qt::Key_Plus);
    EXPECT_NEAR(rect(0, LaneKind::Layer).height(), (height + 40) * 1.25, 1);
    EXPECT_NEAR(rect(1, LaneKind::Layer).height(), (height + 12) * 1.25, 1);
    undo();
    undo();

    // A double click gives it that of its kind again; all of it is undone.
    QTest::mouseDClick(timeline().viewport(), Qt::LeftButton, {}, {40, rect(0, LaneKind::Layer).bottom()});
    rest();
    EXPECT_EQ(rect(0, LaneKind::Layer).height(), height);
    EXPECT_TRUE(timeline().ownHeights().empty());
    undo();
    EXPECT_EQ(rect(0, LaneKind::Layer).height(), height + 40);
    undo();
    EXPECT_EQ(rect(0, LaneKind::Layer).height(), height);
    EXPECT_TRUE(shown.view.lanes().own_heights.empty());
}

TEST_F(ListedLanes, KeysMakeTheLaneOfTheChosenSliceTallerAndLower) {
    const int height = rect(0, LaneKind::Layer).height();
    const auto press = [&](Qt::Key way) {
        timeline().setFocus();
        QTest::keyClick(&timeline(), way, Qt::AltModifier | Qt::ShiftModifier);
        rest();
    };
    press(Qt::Key_Up);
    EXPECT_EQ(rect(0, LaneKind::Layer).height(), height) << "no slice is chosen yet";
    TimelineSlice slice;
    slice.start = 0;
    slice.end = 1000;
    slice.label = QStringLiteral("dense");
    timeline().sliceClicked(slice, LaneKind::Layer, 0, false);
    rest();
    press(Qt::Key_Up);
    EXPECT_NEAR(rect(0, LaneKind::Layer).height(), height * 1.25, 1);
    EXPECT_EQ(rect(1, LaneKind::Layer).height(), height) << "of another IPU";
    EXPECT_EQ(rect(0, LaneKind::Operation).height(), height) << "another lane of its IPU";
    press(Qt::Key_Down);
    press(Qt::Key_Down);
    EXPECT_NEAR(rect(0, LaneKind::Layer).height(), height / 1.25, 1);
    for (int i = 0; i < 3; ++i)
        undo();
    EXPECT_EQ(rect(0, LaneKind::Layer).height(), height);
}

TEST_F(ListedLanes, WhatWasArrangedIsKeptWithTheFile) {
    clickEye(QStringLiteral("IPU 1"), QStringLiteral("Operation"));
    clickEye(QStringLiteral("IPU 3"));
    drag(timeline().viewport(), {40, rect(0, LaneKind::Layer).bottom()},
         {40, rect(0, LaneKind::Layer).bottom() + 20});
    const LaneChoice own = shown.view.lanes();
    const tests::TemporaryFolder folder;
    ASSERT_TRUE(tests::record_system(folder / "other.tilescope", {2, 2, false}));
    const auto other = ProfileSource::open(QString::fromStdString(folder / "other.tilescope"));
    shown.view.setSources({other, nullptr});
    shown.settle();
    EXPECT_EQ(ipus(), (Ids{0, 1})) << "one replica, as any new file";
    EXPECT_TRUE(shown.view.lanes().hidden_lanes.empty());
    EXPECT_EQ(shown.view.lanes().heights, own.heights) << "which are a habit";
    const LaneChoice others = shown.view.lanes();
    all_made.back().second(); // as the window undoes it
    EXPECT_EQ(shown.view.lanes(), others) << "what is undone is of another file";
    all_made.back().first();
    shown.view.setSources({shown.source, nullptr});
    rest();
    EXPECT_EQ(shown.view.lanes(), own);
    EXPECT_EQ(ipus(), (Ids{0, 1, 2}));
    undo();
    EXPECT_FALSE(shown.view.lanes() == own) << "also after another file was shown";
    redo();
    EXPECT_EQ(shown.view.lanes(), own);

    const QJsonObject state = shown.view.saveState();
    TraceView later;
    later.restoreState(state);
    EXPECT_TRUE(later.findChild<QTreeWidget*>(QStringLiteral("laneTree"))->isVisibleTo(&later));
    later.setSources({shown.source, nullptr});
    EXPECT_EQ(later.lanes(), own);
    later.setSources({});
}

TEST(LaneChoice, IsWrittenAndReadWithoutLoss) {
    LaneChoice choice;
    choice.show(LaneKind::Layer, false);
    choice.hidden_lanes = {{3, LaneKind::Phases}, {0, LaneKind::LiveBytes}};
    choice.hidden_ipus = {2};
    choice.pin(1, true);
    choice.moveBefore(LaneKind::Phases, LaneKind::Execution);
    choice.heights = {{LaneKind::Phases, 4.5}};
    choice.own_heights = {{{2, LaneKind::Phases}, 7.25}, {{the_host, LaneKind::Host}, 2}};
    EXPECT_EQ(LaneChoice::read(choice.written()), choice);
    EXPECT_EQ(choice.orderedKinds().front(), LaneKind::Phases);
    choice.moveBefore(LaneKind::Phases, LaneKind::Tiles); // where it was
    EXPECT_TRUE(choice.lane_order.empty());
}

} // namespace tilescope::ui
