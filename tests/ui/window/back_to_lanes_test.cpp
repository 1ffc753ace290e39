// SPDX-License-Identifier: GPL-3.0-or-later
#include "frame_fixture.h"
#include "tests/system_fixture.h"
#include "ui/trace/trace_view.h"

#include <QScrollBar>

namespace tilescope::ui {
namespace {

/// Two replicas of two IPUs, all of whose lanes are shown: in a low window not all of them are in sight.
class BackToLanes : public Frame {
  protected:
    BackToLanes() {
        EXPECT_TRUE(tests::record_system(folder / "system.tilescope", {2, 2, false}));
        window->resize(1280, 700);
        window->showView(QStringLiteral("trace"));
        open("system.tilescope");
        trace = window->findChild<TraceView*>();
        trace->timeline().setAnimated(false);
        trace->setLanes(LaneChoice());
        settle();
    }
    void choose(std::int64_t ipu) {
        auto* selection = window->findChild<SelectionModel*>();
        Selection next = selection->current();
        next.lookAt(ipu);
        selection->set(next);
        settle();
        pause(); // a place of its own, whose sight is kept
    }
    bool shows(std::int64_t ipu) const { return trace->timeline().showsGroup(ipu); }

    TraceView* trace = nullptr;
};

TEST_F(BackToLanes, AnIpuThatIsChosenElsewhereIsBroughtInSight) {
    EXPECT_TRUE(shows(0));
    EXPECT_FALSE(shows(3));
    choose(3);
    EXPECT_TRUE(shows(3));
    choose(0);
    EXPECT_TRUE(shows(0));
}

TEST_F(BackToLanes, GoingBackShowsTheLanesOfWhatWasChosen) {
    choose(3);
    trace->timeline().verticalScrollBar()->setValue(0); // to what is chosen next
    pause();
    ASSERT_FALSE(shows(3));
    choose(0);
    press("Alt+Left");
    settle();
    EXPECT_TRUE(QTest::qWaitFor([this] { return shows(3); }, 5000));
    EXPECT_EQ(window->findChild<SelectionModel*>()->current().ipu, 3);
}

TEST_F(BackToLanes, GoingBackFromAnotherViewShowsWhatWasInSight) {
    choose(0);
    QScrollBar& lanes = *trace->timeline().verticalScrollBar();
    lanes.setValue(lanes.maximum()); // to look at what runs at the same time
    pause();
    ASSERT_FALSE(shows(0));
    ASSERT_TRUE(shows(3));
    window->showView(QStringLiteral("operations"));
    settle();
    pause();
    press("Alt+Left");
    settle();
    pause();
    EXPECT_TRUE(shows(3));
    EXPECT_EQ(lanes.value(), lanes.maximum());
    EXPECT_EQ(window->findChild<SelectionModel*>()->current().ipu, 0);
}

} // namespace
} // namespace tilescope::ui
