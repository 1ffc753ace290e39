// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/system_fixture.h"
#include "tests/ui/view_test_support.h"
#include "ui/trace/totals_panel.h"
#include "ui/trace/trace_view.h"

#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QToolButton>
#include <gtest/gtest.h>

namespace tilescope::ui {
namespace {

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
        LaneChoice all = shown.view.lanes();
        all.hidden_ipus.clear();
        shown.view.setLanes(all);
        rest();
    }
    void rest() {
        EXPECT_TRUE(QTest::qWaitFor([this] { return shown.view.totals().isVisible(); }, 20000));
        shown.settle();
        QTest::qWait(20); // answers that come within a frame are shown at once
        shown.settle();
    }
    std::vector<std::int64_t> ipus() {
        std::vector<std::int64_t> ids;
        for (const TimelineGroup& group : shown.view.timeline().groups())
            if (group.ipu >= 0) // else it is of the links
                ids.push_back(group.ipu);
        return ids;
    }
    std::vector<LaneKind> kinds() {
        std::vector<LaneKind> all;
        for (const TimelineLane& lane : shown.view.timeline().groups().at(0).lanes)
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
        next.ipu = ipu;
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
    std::vector<std::int64_t> folded; ///< IPUs that were shown at first
};

} // namespace

TEST_F(LanesOfASystem, ReplicasThatDoTheSameAreOneAtFirst) {
    EXPECT_EQ(folded, (std::vector<std::int64_t>{0, 1}));
    trigger(QStringLiteral("One replica"));
    const auto& groups = shown.view.timeline().groups();
    ASSERT_EQ(groups.size(), 2U);
    EXPECT_TRUE(groups[1].name.contains(QStringLiteral("(also 3)"))) << groups[1].name.toStdString();
    trigger(QStringLiteral("All IPUs"));
    EXPECT_FALSE(groups[1].name.contains(QStringLiteral("also")));
}

TEST_F(LanesOfASystem, AnIpuIsHiddenAndShownAgainByKeys) {
    ASSERT_EQ(ipus(), (std::vector<std::int64_t>{0, 1, 2, 3}));
    choose(2);
    shown.view.timeline().setFocus();
    press(Qt::Key_H);
    EXPECT_EQ(ipus(), (std::vector<std::int64_t>{0, 1, 3}));
    EXPECT_TRUE(shown.view.findChild<QLabel*>(QStringLiteral("traceHidden"))
                    ->text()
                    .startsWith(QStringLiteral("1 of 4 IPUs, which do the same, hidden")))
        << "IPU 0 of the other replica";
    choose(0);
    shown.view.timeline().setFocus();
    press(Qt::Key_H);
    EXPECT_TRUE(shown.view.findChild<QLabel*>(QStringLiteral("traceHidden"))
                    ->text()
                    .startsWith(QStringLiteral("2 of 4 IPUs hidden")));
    press(Qt::Key_H, Qt::ShiftModifier);
    EXPECT_EQ(ipus().size(), 4U);
}

TEST_F(LanesOfASystem, APinnedIpuStandsFirst) {
    choose(3);
    shown.view.timeline().setFocus();
    press(Qt::Key_P);
    EXPECT_EQ(ipus(), (std::vector<std::int64_t>{3, 0, 1, 2}));
    press(Qt::Key_P);
    EXPECT_EQ(ipus(), (std::vector<std::int64_t>{0, 1, 2, 3}));
}

TEST_F(LanesOfASystem, KeysMoveAnIpuPastItsNeighbours) {
    choose(2);
    shown.view.timeline().setFocus();
    press(Qt::Key_Up, Qt::AltModifier);
    EXPECT_EQ(ipus(), (std::vector<std::int64_t>{0, 2, 1, 3}));
    press(Qt::Key_Up, Qt::AltModifier);
    press(Qt::Key_Up, Qt::AltModifier); // it is the first
    EXPECT_EQ(ipus(), (std::vector<std::int64_t>{2, 0, 1, 3}));
    choose(1);
    press(Qt::Key_Down, Qt::AltModifier);
    EXPECT_EQ(ipus(), (std::vector<std::int64_t>{2, 0, 3, 1}));
    EXPECT_EQ(LaneChoice::read(shown.view.lanes().written()).order, shown.view.lanes().order);
    press(Qt::Key_P); // what is pinned is moved among the pinned
    choose(3);
    press(Qt::Key_P);
    EXPECT_EQ(ipus(), (std::vector<std::int64_t>{1, 3, 2, 0}));
    press(Qt::Key_Up, Qt::AltModifier);
    EXPECT_EQ(ipus(), (std::vector<std::int64_t>{3, 1, 2, 0}));
}

TEST_F(LanesOfASystem, TheMenuChoosesLanesAndReplicas) {
    const auto before = kinds();
    trigger(QStringLiteral("Operation"));
    auto wanted = before;
    std::erase(wanted, LaneKind::Operation);
    EXPECT_EQ(kinds(), wanted);
    trigger(QStringLiteral("One replica"));
    EXPECT_EQ(ipus(), (std::vector<std::int64_t>{0, 1}));
    trigger(QStringLiteral("Only IPU 0"));
    EXPECT_EQ(ipus(), (std::vector<std::int64_t>{0}));
    trigger(QStringLiteral("All IPUs"));
    EXPECT_EQ(ipus().size(), 4U);
    const QJsonObject state = shown.view.saveState();
    trigger(QStringLiteral("Operation"));
    EXPECT_EQ(kinds(), before);
    shown.view.restoreState(state);
    rest();
    EXPECT_EQ(kinds(), wanted);
}

TEST_F(LanesOfASystem, AFilterShowsTheLanesThatItNames) {
    auto& field = *shown.view.findChild<QLineEdit*>(QStringLiteral("laneFilter"));
    field.setText(QStringLiteral("ipu [1-2] (phases|layer)"));
    rest();
    EXPECT_EQ(ipus(), (std::vector<std::int64_t>{1, 2}));
    EXPECT_EQ(kinds(), (std::vector<LaneKind>{LaneKind::Layer, LaneKind::Phases}));
    auto& text = *shown.view.findChild<QLabel*>(QStringLiteral("traceHidden"));
    EXPECT_TRUE(text.text().startsWith(QStringLiteral("only lanes with “ipu [1-2] (phases|layer)”")))
        << text.text().toStdString();
    field.setText(QStringLiteral("[")); // no expression, and in no name
    rest();
    EXPECT_TRUE(ipus().empty());
    EXPECT_EQ(shown.view.timeline().emptyText(), QStringLiteral("Nothing matches “[”."));
    Q_EMIT text.linkActivated(QStringLiteral("all"));
    rest();
    EXPECT_EQ(ipus().size(), 4U);
}

TEST_F(LanesOfASystem, SetsOfLanesAreKeptFromFileToFile) {
    const auto all = kinds();
    shown.view.setLanes(laneSets(2, records()).at(1).lanes);
    rest();
    EXPECT_EQ(ipus(), (std::vector<std::int64_t>{2})) << "one IPU in depth";
    auto deep = all;
    deep.push_back(LaneKind::Tiles);
    EXPECT_EQ(kinds(), deep);
    LaneChoice own;
    own.show(LaneKind::Layer, false);
    own.setFilter(QStringLiteral("IPU 3"));
    own.pin(3, true);
    shown.view.setLanes(own);
    rest();
    shown.view.saveLanes(QStringLiteral("mine"));
    const QJsonObject state = shown.view.saveState();

    tests::ShownView<TraceView> other([](const std::string& path) {
        return tests::record_system(path, {2, 2, false});
    });
    other.view.restoreState(state);
    ASSERT_EQ(other.view.savedLanes().size(), 1U);
    EXPECT_EQ(other.view.savedLanes()[0].name, QStringLiteral("mine"));
    EXPECT_EQ(other.view.savedLanes()[0].lanes, own);
    EXPECT_TRUE(other.view.lanes().filter().isEmpty()) << "which is of the moment";
    other.view.saveLanes(QStringLiteral("mine"));
    EXPECT_EQ(other.view.savedLanes().size(), 1U) << "in place of the old one";
}

TEST_F(LanesOfASystem, TotalsOfAllIpusAreTheSumOfTheirs) {
    const auto total = [&] { return shown.view.totals().totals().phases.total(); };
    std::int64_t sum = 0;
    for (std::int64_t ipu = 0; ipu < 4; ++ipu)
        sum += shown.source->path().isEmpty()
                   ? 0
                   : analyse::range_totals(**profile::Profile::open(shown.source->path().toStdString()), ipu,
                                           shown.view.totals().totals().range)
                         ->phases.total();
    shown.view.findChild<QToolButton*>(QStringLiteral("allIpus"))->click();
    rest();
    EXPECT_EQ(total(), sum);
    EXPECT_TRUE(shown.view.findChild<QLabel*>(QStringLiteral("rangeHeadline"))
                    ->text()
                    .contains(QStringLiteral("of all IPUs in")));
}

TEST_F(LanesOfASystem, ANewUserSeesNoTilesAtFirst) {
    const auto before = kinds();
    EXPECT_EQ(std::count(before.begin(), before.end(), LaneKind::Tiles), 0);
    shown.view.restoreState({}); // nothing is remembered
    rest();
    EXPECT_EQ(kinds(), before);
}

TEST(LaneChoice, TheLastIpuAndTheLastLaneStay) {
    std::vector<profile::IpuRecord> ipus(2);
    ipus[1].id = 1;
    LaneChoice choice;
    for (const std::int64_t ipu : {0, 1})
        choice.show(ipu, false, ipus);
    EXPECT_EQ(choice.ordered(ipus).size(), 1U);
    for (const LaneKind kind : LaneChoice::kinds)
        choice.show(kind, false);
    EXPECT_EQ(choice.hidden_kinds.size() + 1, LaneChoice::kinds.size());
}

} // namespace tilescope::ui
