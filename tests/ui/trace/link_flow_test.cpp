// SPDX-License-Identifier: GPL-3.0-or-later
#include "profile/recorder.h"
#include "tests/record_rows.h"
#include "tests/ui/view_test_support.h"
#include "ui/trace/trace_view.h"

#include <QLineEdit>
#include <QMenu>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTextDocumentFragment>
#include <array>

namespace tilescope::ui {
namespace {

using namespace profile;

constexpr std::int64_t copy = 1, scatter = 2, gather = 3, local = 4; ///< program steps

/// Two replicas of two shards on IPUs 0 to 3. In each of two weight updates of 1,000 cycles a tensor is
/// copied from shard 0 to shard 1 twice, at 100 and at 300, which takes 10 cycles of sync and 40 over the
/// links; from 500 to 550 and from 600 to 650 both IPUs of shard 0 reduce gradients with each other.
Result<void> record(const std::string& path) {
    auto recorder = Recorder::create(path, {});
    if (!recorder)
        return Failure(recorder.error());
    Recorder& r = **recorder;
    r.set(TargetRecord{"pod4", "ipu2", 4, 16, 1000, 1.0e9, 6});
    for (std::int64_t ipu = 0; ipu < 4; ++ipu)
        r.add(IpuRecord{ipu, ipu, "a", ipu / 2, ipu % 2, -1});
    r.add(OperationRecord{0, "copy", "copy", -1, Phase::Forward});
    r.add(OperationRecord{1, "all_reduce", "all_reduce", -1, Phase::Update});
    r.add(ExchangeRecord{0, "copy", ExchangeKind::InterIpu, 0, 800, 40, 0, 1});
    r.add(ExchangeRecord{2, "reduce", ExchangeKind::InterIpu, 1, 400, 40, 0, -1});
    r.add(ExchangeRecord{1, "in", ExchangeKind::Internal, 0});
    r.add(ProgramRecord{0, -1, 0, StepKind::Sequence, "main"});
    const auto step = [&](std::int64_t id, const char* name, std::int64_t operation, std::int64_t exchange,
                          std::int64_t peer) {
        ProgramRecord row{id, 0, id, StepKind::Exchange, name, operation, -1, exchange};
        row.ipu = 0;
        row.peer = peer;
        r.add(row);
    };
    step(copy, "copy", 0, 0, 1);
    step(scatter, "reduce-scatter", 1, 2, -1);
    step(gather, "all-gather", 1, 2, -1);
    step(local, "exchange", 0, 1, -1);
    r.add(LinkTrafficRecord{0, 1, LinkKind::Copy, 2, 100, 40});
    r.add(LinkTrafficRecord{0, 2, LinkKind::AllReduce, 2, 100, 40});
    r.add(LinkTrafficRecord{2, 0, LinkKind::AllReduce, 2, 100, 40});
    std::vector<TraceRecord> rows;
    std::vector<tests::ExecutionOnIpu> phases;
    for (std::int64_t ipu = 0; ipu < 4; ++ipu) {
        for (std::int64_t update = 0; update < 2; ++update) {
            const std::int64_t begin = 1000 * update;
            rows.push_back({0, update, local, ipu, begin, 0, 50, 0});
            for (const std::int64_t at : {100, 300})
                rows.push_back({0, update, copy, ipu, begin + at, 10, 40, 0});
            if (ipu % 2 == 0) {
                rows.push_back({0, update, scatter, ipu, begin + 500, 10, 40, 0});
                rows.push_back({0, update, gather, ipu, begin + 600, 10, 40, 0});
            }
        }
        const std::int64_t links = ipu % 2 == 0 ? 320 : 160;
        phases.push_back({0, ipu, 0, 100, links / 4, links, 0, 2000 - 100 - links / 4 - links});
    }
    tests::record_rows(r, {{0, ExecutionKind::Train, 0, 0, 2, 0, 2000, 1}}, phases, rows);
    return (*recorder)->finish(RunStatus::Complete);
}

/// The program step of an IPU that begins at a cycle.
TraceSlice step_at(const Profile& file, std::int64_t ipu, std::int64_t cycle) {
    TraceSlice found;
    EXPECT_TRUE(file.trace_steps(ipu, cycle, cycle + 1, nullptr, [&](const TraceSlice& slice) {
        found = slice;
        return false;
    }));
    EXPECT_EQ(found.start_cycle, cycle);
    return found;
}

class LinkFlows : public testing::Test {
  protected:
    LinkFlows() {
        EXPECT_TRUE(record(folder / "a.tilescope"));
        file = std::move(*Profile::open(folder / "a.tilescope"));
    }
    std::optional<LinkFlow> through(std::int64_t ipu, std::int64_t cycle) {
        return LinkFlow::through(*file, ipu, step_at(*file, ipu, cycle)).value();
    }
    tests::TemporaryFolder folder;
    std::unique_ptr<Profile> file;
};

} // namespace

TEST_F(LinkFlows, ACopyGoesFromItsSenderToItsReceiverInTheSameReplica) {
    for (const std::int64_t replica : {0, 1}) {
        const std::int64_t sender = 2 * replica;
        const auto sent = through(sender, 1300); // the second of the second update
        ASSERT_TRUE(sent);
        EXPECT_FALSE(sent->reduces());
        ASSERT_EQ(sent->arrows().size(), 1U);
        const TimelineFlow& arrow = sent->arrows()[0];
        EXPECT_EQ(arrow.from_ipu, sender);
        EXPECT_EQ(arrow.from, 1310) << "when all have come";
        EXPECT_EQ(arrow.to_ipu, sender + 1);
        EXPECT_EQ(arrow.to, 1350);
        ASSERT_TRUE(sent->next(1));
        EXPECT_EQ(sent->next(1)->ipu, sender + 1);
        EXPECT_EQ(sent->next(1)->step.start_cycle, 1300);
        EXPECT_FALSE(sent->next(-1));
        const auto received = through(sender + 1, 100);
        ASSERT_TRUE(received);
        EXPECT_FALSE(received->next(1));
        EXPECT_EQ(received->next(-1)->ipu, sender);
        EXPECT_EQ(received->next(-1)->step.start_cycle, 100);
    }
}

// Four replicas, which send gradients around one ring and statistics within groups of two.
TEST(LinkFlowsOfGroups, StayWithinTheGroup) {
    const tests::TemporaryFolder folder;
    auto recorder = Recorder::create(folder / "groups.tilescope", {});
    ASSERT_TRUE(recorder);
    Recorder& r = **recorder;
    r.set(TargetRecord{"pod4", "ipu2", 4, 16, 1000, 1.0e9, 6});
    constexpr std::array<std::int64_t, 4> ring{0, 2, 3, 1};
    for (std::int64_t ipu = 0; ipu < 4; ++ipu)
        r.add(IpuRecord{ipu, ipu, "a", ipu, 0, -1});
    for (std::size_t i = 0; i < 4; ++i) {
        const std::int64_t next = ring[(i + 1) % 4];
        r.add(LinkTrafficRecord{ring[i], next, LinkKind::AllReduce, 2, 100, 40});
        if (next != (ring[i] ^ 1))
            r.add(LinkTrafficRecord{ring[i], ring[i] ^ 1, LinkKind::AllReduce, 2, 100, 40});
    }
    r.add(ProgramRecord{0, -1, 0, StepKind::Sequence, "main"});
    for (std::int64_t id = 0; id < 2; ++id) {
        OperationRecord operation{id, "sum", id == 0 ? "group_mean" : "all_reduce", -1, Phase::Backward};
        operation.group_replicas = id == 0 ? 2 : 0;
        r.add(operation);
        r.add(ExchangeRecord{id, "sum", ExchangeKind::InterIpu, id, 400, 40, 0, -1});
        r.add(ProgramRecord{1 + id, 0, 1 + id, StepKind::Exchange, "sum", id, -1, id});
    }
    std::vector<TraceRecord> rows;
    std::vector<tests::ExecutionOnIpu> phases;
    for (std::int64_t ipu = 0; ipu < 4; ++ipu) {
        rows.push_back({0, 0, 1, ipu, 100, 10, 40, 0});
        rows.push_back({0, 0, 2, ipu, 500, 10, 40, 0});
        phases.push_back({0, ipu, 0, 0, 20, 80, 0, 900});
    }
    tests::record_rows(r, {{0, ExecutionKind::Train, 0, 0, 1, 0, 1000, 1}}, phases, rows);
    ASSERT_TRUE((*recorder)->finish(RunStatus::Complete));
    const auto groups = std::move(*Profile::open(folder / "groups.tilescope"));
    const auto links = LinkFlow::within(*groups, 3, 0, 1000, 10).value();
    ASSERT_EQ(links.size(), 2U);
    EXPECT_EQ(links[0].peer, 2) << "the other one of its group";
    EXPECT_EQ(links[1].peer, 1) << "the next around the ring";
    EXPECT_EQ(LinkFlow::through(*groups, 3, step_at(*groups, 3, 100)).value()->arrows().size(), 2U);
    EXPECT_EQ(LinkFlow::through(*groups, 3, step_at(*groups, 3, 500)).value()->arrows().size(), 4U);
}

TEST_F(LinkFlows, AnAllReduceGoesRoundTheReplicasInEachOfItsRounds) {
    const auto first = through(2, 1500);
    ASSERT_TRUE(first);
    EXPECT_TRUE(first->reduces());
    ASSERT_EQ(first->arrows().size(), 4U) << "two rounds of two replicas";
    std::int64_t chosen = 0;
    for (const TimelineFlow& arrow : first->arrows()) {
        EXPECT_EQ(arrow.from_ipu + arrow.to_ipu, 2) << "0 and 2 send to each other";
        EXPECT_TRUE((arrow.from == 1510 && arrow.to == 1550) || (arrow.from == 1610 && arrow.to == 1650));
        chosen += arrow.chosen ? 1 : 0;
    }
    EXPECT_EQ(chosen, 1);
    ASSERT_EQ(first->stops().size(), 2U);
    EXPECT_FALSE(first->next(-1));
    EXPECT_EQ(first->next(1)->ipu, 0) << "that it sends to";
    EXPECT_EQ(first->next(1)->step.start_cycle, 1600);
    const auto last = through(0, 600);
    ASSERT_TRUE(last);
    EXPECT_EQ(last->next(-1)->ipu, 2);
    EXPECT_EQ(last->next(-1)->step.start_cycle, 500);
    EXPECT_FALSE(last->next(1));
}

TEST_F(LinkFlows, OfAStretchAreTheCopiesAndRoundsThatLieInIt) {
    const auto within = [&](std::int64_t ipu, std::int64_t from, std::int64_t to, std::size_t most = 16) {
        return LinkFlow::within(*file, ipu, from, to, most).value();
    };
    const auto all = within(2, 0, 1000);
    ASSERT_EQ(all.size(), 4U);
    for (const std::size_t sent : {0U, 1U}) {
        EXPECT_EQ(all[sent].step.start_cycle, sent == 0 ? 100 : 300);
        EXPECT_EQ(all[sent].peer, 3) << "in its own replica";
        EXPECT_TRUE(all[sent].sends);
        EXPECT_FALSE(all[sent].reduces);
    }
    EXPECT_EQ(all[2].peer, 0) << "that of the other replica";
    EXPECT_TRUE(all[2].reduces);
    const auto received = within(1, 1000, 2000);
    ASSERT_EQ(received.size(), 2U);
    EXPECT_FALSE(received[0].sends);
    EXPECT_EQ(received[0].peer, 0);
    EXPECT_EQ(received[0].step.start_cycle, 1100);
    EXPECT_EQ(within(2, 120, 560).size(), 2U) << "whole ones";
    EXPECT_EQ(within(2, 0, 2000, 3).size(), 3U);
    EXPECT_TRUE(within(0, 0, 60).empty());
}

TEST_F(LinkFlows, WhatStaysOnItsIpuHasNone) {
    EXPECT_FALSE(through(0, 1000));
}

TEST(TraceLinks, BracketsFollowACopyToItsOtherIpu) {
    tests::ShownView<TraceView> shown(record, {1200, 1200});
    TimelineWidget& timeline = shown.view.timeline();
    timeline.setAnimated(false);
    shown.view.activateWindow();
    timeline.setFocus();
    QSignalSpy details(&shown.view, &View::detailsChanged);
    const auto wait = [&] {
        shown.settle();
        shown.settle();
    };
    EXPECT_TRUE(QTest::qWaitFor([&] { return shown.view.totals().isVisible(); }, 20000));
    wait();
    shown.view.setLanes(LaneChoice());
    timeline.show(0, 1000);
    wait();
    std::size_t lane = 0;
    while (timeline.groups()[0].lanes[lane].kind != LaneKind::Program)
        ++lane;
    const QRect rect = timeline.laneRect(0, lane);
    QTest::mouseClick(timeline.viewport(), Qt::LeftButton, {},
                      {rect.left() + static_cast<int>(timeline.view().x(325)), rect.center().y()});
    wait();
    EXPECT_EQ(shown.selection.current().program, copy);
    ASSERT_EQ(timeline.flows().size(), 1U);
    EXPECT_EQ(timeline.flows()[0].to_ipu, 1);
    ASSERT_FALSE(details.empty());
    const QString told = QTextDocumentFragment::fromHtml(details.back()[0].toString()).toPlainText();
    EXPECT_TRUE(told.contains(QStringLiteral("Sent by IPU 0"))) << told.toStdString();
    EXPECT_TRUE(told.contains(QStringLiteral("Received by IPU 1"))) << told.toStdString();
    QTest::keyClick(&timeline, Qt::Key_BracketRight);
    wait();
    EXPECT_EQ(shown.selection.current().ipu, 1);
    EXPECT_EQ(shown.selection.current().program, copy);
    ASSERT_EQ(timeline.flows().size(), 1U) << "the same";
    QTest::keyClick(&timeline, Qt::Key_BracketRight);
    wait();
    EXPECT_EQ(shown.selection.current().ipu, 1) << "it ends there";
    QTest::keyClick(&timeline, Qt::Key_BracketLeft);
    wait();
    EXPECT_EQ(shown.selection.current().ipu, 0);
    QTest::keyClick(&timeline, Qt::Key_Escape);
    wait();
    EXPECT_TRUE(timeline.flows().empty());
    QTest::mouseClick(timeline.viewport(), Qt::LeftButton, {},
                      {rect.left() + static_cast<int>(timeline.view().x(325)), rect.center().y()});
    QTest::keyClick(&timeline, Qt::Key_Escape); // before the file has answered
    wait();
    EXPECT_TRUE(timeline.flows().empty()) << "what was let go of stays away";
}

TEST(TraceLinks, SeveralFlowsOfASliceAreOfferedAndOneIsFollowedAtOnce) {
    tests::ShownView<TraceView> shown(record, {1200, 1200});
    TimelineWidget& timeline = shown.view.timeline();
    timeline.setAnimated(false);
    shown.view.activateWindow();
    timeline.setFocus();
    EXPECT_TRUE(QTest::qWaitFor([&] { return shown.view.totals().isVisible(); }, 20000));
    shown.view.setLanes(LaneChoice());
    timeline.show(0, 1000);
    shown.settle();
    const auto click = [&](LaneKind kind, double cycle) {
        timeline.verticalScrollBar()->setValue(0);
        std::size_t lane = 0;
        while (timeline.groups()[0].lanes[lane].kind != kind)
            ++lane;
        const QRect rect = timeline.laneRect(0, lane);
        QTest::mouseClick(timeline.viewport(), Qt::LeftButton, {},
                          {rect.left() + static_cast<int>(timeline.view().x(cycle)), rect.center().y()});
        shown.settle();
    };
    const auto menu = [&]() -> QMenu* {
        for (auto* each : shown.view.findChildren<QMenu*>(QStringLiteral("flowMenu")))
            if (each->isVisible())
                return each;
        return nullptr;
    };
    const auto press = [&](Qt::Key key, Qt::KeyboardModifiers modifiers = {}) {
        QTest::keyClick(&timeline, key, modifiers);
        shown.settle();
    };
    click(LaneKind::Step, 700); // a weight update with two copies and two rounds
    EXPECT_TRUE(timeline.flows().empty());
    press(Qt::Key_BracketRight, Qt::ControlModifier);
    ASSERT_NE(menu(), nullptr);
    QStringList offered;
    for (const QAction* action : menu()->actions())
        if (!action->isSeparator())
            offered << action->text();
    EXPECT_EQ(offered,
              (QStringList{QStringLiteral("Copy to IPU 1 at 100 ns:  copy"),
                           QStringLiteral("Copy to IPU 1 at 300 ns:  copy"),
                           QStringLiteral("Round of an all-reduce to IPU 2 at 500 ns:  reduce-scatter"),
                           QStringLiteral("Round of an all-reduce to IPU 2 at 600 ns:  all-gather")}));
    QTest::keyClick(menu(), Qt::Key_Down);
    QTest::keyClick(menu(), Qt::Key_Return);
    shown.settle();
    ASSERT_EQ(timeline.flows().size(), 1U);
    EXPECT_EQ(timeline.flows()[0].from, 310) << "the second copy";
    press(Qt::Key_BracketRight);
    EXPECT_EQ(shown.selection.current().ipu, 1);
    EXPECT_EQ(shown.selection.current().program, copy);

    click(LaneKind::Step, 700);
    press(Qt::Key_BracketRight); // which goes along at once, after it was chosen
    ASSERT_NE(menu(), nullptr);
    menu()->actions().at(3)->trigger();
    menu()->close();
    shown.settle();
    ASSERT_EQ(timeline.flows().size(), 4U);
    EXPECT_EQ(shown.selection.current().program, -1) << "the last round has no next one";
    press(Qt::Key_BracketLeft);
    EXPECT_EQ(shown.selection.current().program, scatter);
    EXPECT_EQ(shown.selection.current().ipu, 2);

    click(LaneKind::Operation, 320); // one copy alone: no question
    press(Qt::Key_BracketRight);
    EXPECT_EQ(menu(), nullptr);
    EXPECT_EQ(shown.selection.current().ipu, 1);
    click(LaneKind::Program, 20);
    QSignalSpy said(&shown.view, &View::message);
    press(Qt::Key_BracketRight, Qt::ControlModifier);
    EXPECT_EQ(said.last().at(0).toString(),
              QStringLiteral("Nothing goes from here to another IPU, or comes from one."));
}

TEST(TraceLinks, EachLinkHasALaneWithTheBytesThatGoOverIt) {
    tests::ShownView<TraceView> shown(record, {1200, 1200});
    TimelineWidget& timeline = shown.view.timeline();
    timeline.setAnimated(false);
    LaneChoice lanes = shown.view.lanes();
    lanes.show(LaneKind::LinkRate, true);
    shown.view.setLanes(lanes);
    const auto wait = [&] {
        shown.settle();
        shown.settle();
    };
    wait();
    timeline.show(0, 1000);
    wait();
    ASSERT_EQ(timeline.groups().back().ipu, the_links);
    const auto names = [&] {
        QStringList all;
        for (const TimelineLane& lane : timeline.groups().back().lanes)
            all << lane.name + QStringLiteral(", ") + lane.remark;
        return all;
    };
    EXPECT_EQ(names(),
              (QStringList{QStringLiteral("IPU 0 → 1, copies"), QStringLiteral("IPU 0 → 2, collectives")}))
        << "of the replica that stands for the other";
    const LaneCurve& copies = timeline.groups().back().lanes[0].curve;
    EXPECT_DOUBLE_EQ(copies.over(0, 1000).sum, 2 * 800) << "two copies of 800 bytes";
    EXPECT_DOUBLE_EQ(copies.over(110, 150).sum, 800) << "after the sync";
    EXPECT_DOUBLE_EQ(copies.top, 20) << "bytes per cycle";
    EXPECT_DOUBLE_EQ(timeline.groups().back().lanes[1].curve.over(0, 1000).sum, 2 * 400);
    lanes = shown.view.lanes();
    lanes.hidden_ipus.clear();
    shown.view.setLanes(lanes);
    wait();
    EXPECT_EQ(names().size(), 3) << "and from IPU 2 to IPU 0";
}

TEST(TraceSearch, FindsTheStepsOfReplicasThatDoTheSameOnce) {
    tests::ShownView<TraceView> shown(record, {1200, 1200});
    auto& field = *shown.view.findChild<QLineEdit*>(QStringLiteral("traceSearch"));
    field.setText(QStringLiteral("all_reduce"));
    shown.settle();
    EXPECT_EQ(shown.view.hits().size(), 4U) << "two rounds in two updates";
    for (const TraceHit& hit : shown.view.hits())
        EXPECT_EQ(hit.ipu, 0);
    LaneChoice all = shown.view.lanes();
    all.hidden_ipus.clear();
    shown.view.setLanes(all);
    field.clear();
    field.setText(QStringLiteral("all_reduce"));
    shown.settle();
    EXPECT_EQ(shown.view.hits().size(), 8U) << "on IPU 0 and on IPU 2";
}

} // namespace tilescope::ui
