// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/trace/lanes_of_a_system.h"

#include <QAction>
#include <QLineEdit>
#include <QToolButton>

namespace tilescope::ui {

TEST_F(LanesOfASystem, ReplicasThatDoTheSameAreOneAtFirst) {
    EXPECT_EQ(folded, (std::vector<std::int64_t>{0, 1}));
    trigger(QStringLiteral("One replica"));
    const auto& groups = shown.view.timeline().groups();
    ASSERT_EQ(groups.size(), 2U);
    EXPECT_TRUE(groups[1].name.contains(QStringLiteral("(also 3)"))) << groups[1].name.toStdString();
    trigger(QStringLiteral("All IPUs"));
    EXPECT_FALSE(groups[1].name.contains(QStringLiteral("also")));
}

TEST_F(LanesOfASystem, OfSeveralIpusEachHasFewLanesAtFirst) {
    EXPECT_EQ(first_kinds, (std::vector{LaneKind::Operation, LaneKind::Phases})) << "it has no pipeline";
    EXPECT_GT(kinds().size(), first_kinds.size());
    LaneChoice usual;
    usual.showUsual(records());
    EXPECT_EQ(laneSets(0, records()).at(0).lanes, usual) << "they can be had again";
    EXPECT_TRUE(usual.shows(LaneKind::MicroBatch));
    EXPECT_TRUE(usual.shows(LaneKind::Host));
    // Another file with one IPU has all of them again; what was chosen by hand holds for both.
    const std::vector one{records().front()};
    usual.showUsual(one);
    EXPECT_EQ(usual, LaneChoice());
    LaneChoice own;
    own.show(LaneKind::Layer, false);
    LaneChoice of_system = own;
    of_system.showUsual(records());
    EXPECT_EQ(of_system.hidden_kinds, own.hidden_kinds);
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

TEST_F(LanesOfASystem, FlatIsALaneOfStepsForEachIpuAndTheOthersComeBack) {
    const auto nested = kinds();
    ASSERT_GT(nested.size(), 3U);
    shown.view.timeline().setFocus();
    press(Qt::Key_L, Qt::ShiftModifier);
    for (std::size_t group = 0; group < 4; ++group)
        EXPECT_EQ(kinds(group), std::vector<LaneKind>{LaneKind::Program}) << group;
    EXPECT_TRUE(shown.view.findChild<QAction*>(QStringLiteral("flat"))->isChecked());
    const LaneChoice flat = shown.view.lanes();
    EXPECT_EQ(LaneChoice::read(flat.written()), flat) << "the others come back in the next session, too";
    press(Qt::Key_L, Qt::ShiftModifier);
    EXPECT_EQ(kinds(), nested);
    EXPECT_FALSE(shown.view.findChild<QAction*>(QStringLiteral("flat"))->isChecked());
}

TEST_F(LanesOfASystem, KeysFoldAnIpuToItsPhasesAndAllOfThem) {
    TimelineWidget& timeline = shown.view.timeline();
    const auto seen = [&](std::size_t group) {
        std::vector<LaneKind> all;
        const auto& lanes = timeline.groups().at(group).lanes;
        for (std::size_t lane = 0; lane < lanes.size(); ++lane)
            if (timeline.laneRect(group, lane).height() > 0)
                all.push_back(lanes[lane].kind);
        return all;
    };
    const auto nested = seen(1);
    const std::vector<LaneKind> phases{LaneKind::Phases};
    choose(1);
    timeline.setFocus();
    press(Qt::Key_E);
    EXPECT_EQ(seen(1), phases);
    EXPECT_NE(seen(0), phases);
    press(Qt::Key_E, Qt::ShiftModifier);
    EXPECT_EQ(seen(0), phases);
    EXPECT_EQ(seen(1), phases);
    press(Qt::Key_E, Qt::ShiftModifier);
    EXPECT_EQ(seen(1), nested);
}

TEST_F(LanesOfASystem, APinnedIpuStandsFirst) {
    choose(3);
    shown.view.timeline().setFocus();
    press(Qt::Key_P);
    EXPECT_EQ(ipus(), (std::vector<std::int64_t>{3, 0, 1, 2}));
    press(Qt::Key_P);
    EXPECT_EQ(ipus(), (std::vector<std::int64_t>{0, 1, 2, 3}));
}

TEST_F(LanesOfASystem, APinnedLaneStandsAloneAboveItsIpu) {
    LaneChoice next = shown.view.lanes();
    next.pin(3, LaneKind::Execution, true);
    shown.view.setLanes(next);
    rest();
    EXPECT_EQ(ipus(), (std::vector<std::int64_t>{3, 0, 1, 2, 3}));
    EXPECT_EQ(kinds(0), std::vector<LaneKind>{LaneKind::Execution});
    EXPECT_TRUE(shown.view.timeline().groups()[0].fixed);
    const auto others = kinds(4);
    EXPECT_EQ(std::count(others.begin(), others.end(), LaneKind::Execution), 0);
    EXPECT_EQ(LaneChoice::read(next.written()), next);

    shown.view.timeline().show(0, 100); // of the first execution
    rest();
    // A key lets go the lane of the slice that is chosen.
    const QRect lane = shown.view.timeline().laneRect(0, 0);
    QTest::mouseClick(shown.view.timeline().viewport(), Qt::LeftButton, {}, lane.center());
    press(Qt::Key_P, Qt::ShiftModifier);
    EXPECT_EQ(ipus(), (std::vector<std::int64_t>{0, 1, 2, 3}));
    press(Qt::Key_P, Qt::ShiftModifier);
    EXPECT_EQ(ipus(), (std::vector<std::int64_t>{3, 0, 1, 2, 3}));
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

TEST_F(LanesOfASystem, TheMenuChoosesIpusAndReplicas) {
    trigger(QStringLiteral("One replica"));
    EXPECT_EQ(ipus(), (std::vector<std::int64_t>{0, 1}));
    trigger(QStringLiteral("Only IPU 0"));
    EXPECT_EQ(ipus(), (std::vector<std::int64_t>{0}));
    trigger(QStringLiteral("All IPUs"));
    EXPECT_EQ(ipus().size(), 4U);
    trigger(QStringLiteral("Host"));
    EXPECT_EQ(kinds(), (std::vector<LaneKind>{LaneKind::Execution}));
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
    shown.view.setLanes(laneSets(2, records()).at(2).lanes);
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
