// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tests/system_fixture.h"
#include "tests/ui/view_test_support.h"
#include "ui/trace/totals_panel.h"
#include "ui/trace/trace_view.h"

#include <QLabel>
#include <QMenu>
#include <gtest/gtest.h>

namespace tilescope::ui {

/// Two replicas of two IPUs.
class LanesOfASystem : public testing::Test {
  protected:
    LanesOfASystem()
        : shown([](const std::string& path) {
              return tests::record_system(path, {2, 2, false});
          }) {
        shown.view.timeline().setAnimated(false);
        rest();
        folded = ipus();
        first_kinds = kinds();
        shown.view.setLanes(LaneChoice());
        rest();
    }
    void rest() {
        EXPECT_TRUE(QTest::qWaitFor([this] { return shown.view.totals().isVisible(); }, 20000));
        shown.settle();
    }
    std::vector<std::int64_t> ipus() {
        std::vector<std::int64_t> ids;
        for (const TimelineGroup& group : shown.view.timeline().groups())
            if (group.ipu >= 0) // else it is of the links
                ids.push_back(group.ipu);
        return ids;
    }
    std::vector<LaneKind> kinds(std::size_t group = 0) {
        std::vector<LaneKind> all;
        for (const TimelineLane& lane : shown.view.timeline().groups().at(group).lanes)
            all.push_back(lane.kind);
        return all;
    }
    std::vector<profile::IpuRecord> records() {
        return (*profile::Profile::open(shown.source->path().toStdString()))->ipus().value();
    }
    void press(Qt::Key key, Qt::KeyboardModifiers modifiers = {}) {
        QTest::keyClick(&shown.view.timeline(), key, modifiers);
        rest();
    }
    void choose(std::int64_t ipu) {
        Selection next = shown.selection.current();
        next.lookAt(ipu);
        shown.selection.set(next);
    }
    void trigger(const QString& name) {
        auto* menu = shown.view.findChild<QMenu*>(QStringLiteral("lanesMenu"));
        Q_EMIT menu->aboutToShow();
        for (QAction* action : menu->actions())
            if (action->text().startsWith(name)) {
                action->trigger();
                return rest();
            }
        ADD_FAILURE() << name.toStdString();
    }

    tests::ShownView<TraceView> shown;
    std::vector<std::int64_t> folded;  ///< IPUs that were shown at first
    std::vector<LaneKind> first_kinds; ///< the same of the lanes of the first of them
};

} // namespace tilescope::ui
