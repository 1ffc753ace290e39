// SPDX-License-Identifier: GPL-3.0-or-later
#include "profile/recorder.h"
#include "tests/record_rows.h"
#include "tests/ui/view_test_support.h"
#include "ui/trace/trace_lanes.h"
#include "ui/trace/trace_view.h"

#include <QSignalSpy>
#include <QTextDocumentFragment>

namespace tilescope::ui {
namespace {

using namespace profile;
using Pass = PipelineActivity;

/// Two replicas of two stages on IPUs 0 to 3; an engine run of two weight updates of 500 cycles each, after a
/// launch of 100. Micro-batch 0 goes forward on stage 0 from 0 to 100, on stage 1 from 100 to 150, back there
/// until 200, and back on stage 0 from 300 to 400; micro-batch 1 each time 100 cycles later. `more`: IPU 0
/// has a third stage, too, which is idle but from 200 to 300, and an evaluation of a pipeline of its own
/// follows, in which micro-batch 0 goes forward on stage 0 for 80 cycles and then on stage 1 for 70.
Result<void> record(const std::string& path, bool more) {
    auto recorder = Recorder::create(path, {});
    if (!recorder)
        return Failure(recorder.error());
    Recorder& r = **recorder;
    r.set(TargetRecord{"pod4", "ipu2", 4, 16, 1000, 1.0e9, 6});
    for (std::int64_t ipu = 0; ipu < 4; ++ipu)
        r.add(IpuRecord{ipu, ipu, "a", ipu / 2, ipu % 2, ipu % 2});
    r.add(ProgramRecord{0, -1, 0, StepKind::Sequence, "main"});
    r.add(ProgramRecord{1, 0, 0, StepKind::Execute, "work"});
    const auto slot = [&](std::int64_t stage, std::int64_t from, std::int64_t to, Pass pass,
                          std::int64_t batch) {
        r.add(PipelineSlotRecord{stage, from, to, from / 100, pass, batch});
    };
    slot(0, 0, 90, Pass::Forward, 0);
    slot(0, 90, 100, Pass::Copy, 0);
    slot(0, 100, 200, Pass::Forward, 1);
    slot(0, 200, 300, Pass::Idle, -1);
    slot(0, 300, 400, Pass::Backward, 0);
    slot(0, 400, 500, Pass::Backward, 1);
    slot(1, 0, 100, Pass::Idle, -1);
    for (const std::int64_t batch : {0, 1}) {
        slot(1, 100 + 100 * batch, 150 + 100 * batch, Pass::Forward, batch);
        slot(1, 150 + 100 * batch, 200 + 100 * batch, Pass::Backward, batch);
    }
    slot(1, 300, 500, Pass::Idle, -1);
    std::vector<TraceRecord> rows;
    std::vector<tests::ExecutionOnIpu> phases;
    for (std::int64_t ipu = 0; ipu < 4; ++ipu) {
        for (std::int64_t update = 0; update < 2; ++update)
            rows.push_back({0, update, 1, ipu, 100 + 500 * update, 0, 0, 500});
        phases.push_back({0, ipu, 1000, 0, 0, 0, 100, 0});
    }
    tests::record_rows(r, {{0, ExecutionKind::Train, 0, 0, 4, 0, 1100, 1}}, phases, rows);
    if (more) {
        OperationRecord third;
        third.name = "third";
        third.stage = 2;
        r.add(third);
        slot(2, 200, 300, Pass::Forward, 1);
        r.add(DeviceProgramRecord{0, "training", 0, true});
        r.add(DeviceProgramRecord{1, "evaluation", 2});
        r.add(FurtherStepRecord{2, 1, -1, 0, StepKind::Sequence, "evaluation"});
        r.add(FurtherStepRecord{3, 1, 2, 0, StepKind::Execute, "forward"});
        r.add(PipelineSlotRecord{0, 0, 80, 0, Pass::Forward, 0, 1});
        r.add(PipelineSlotRecord{1, 80, 150, 1, Pass::Forward, 0, 1});
        std::vector<TraceRecord> evaluated;
        std::vector<tests::ExecutionOnIpu> spent;
        for (std::int64_t ipu = 0; ipu < 4; ++ipu) {
            evaluated.push_back({1, 0, 3, ipu, 1100, 0, 0, 150});
            spent.push_back({1, ipu, 150, 0, 0, 0, 0, 0});
        }
        tests::record_rows(r, {{1, ExecutionKind::Evaluate, 0, 0, 2, 1100, 150, 1}}, spent, evaluated, 1);
    }
    return (*recorder)->finish(RunStatus::Complete);
}

struct ShownFlow : tests::ShownView<TraceView> {
    explicit ShownFlow(bool more = false)
        : ShownView([more](const std::string& path) { return record(path, more); }, {1200, 900}) {
        view.timeline().setAnimated(false);
        view.activateWindow();
        view.timeline().setFocus();
        wait();
    }
    void wait() { settle(); }
    void click(std::int64_t ipu, double cycle) {
        for (std::size_t g = 0; g < view.timeline().groups().size(); ++g)
            for (std::size_t l = 0; l < view.timeline().groups()[g].lanes.size(); ++l)
                if (view.timeline().groups()[g].ipu == ipu &&
                    view.timeline().groups()[g].lanes[l].kind == LaneKind::MicroBatch) {
                    const QRect rect = view.timeline().laneRect(g, l);
                    QTest::mouseClick(
                        view.timeline().viewport(), Qt::LeftButton, {},
                        {rect.left() + static_cast<int>(view.timeline().view().x(cycle)), rect.center().y()});
                    return wait();
                }
        ADD_FAILURE() << "no lane of micro-batches on IPU " << ipu;
    }
    void expect(std::int64_t ipu, std::int64_t batch, Pass pass) const {
        EXPECT_EQ(selection.current().ipu, ipu);
        EXPECT_EQ(selection.current().micro_batch, batch);
        EXPECT_EQ(selection.current().activity, pass);
    }
};

TEST(TraceFlow, ChoosingAMicroBatchDrawsItsWayOverTheStagesOfItsReplica) {
    ShownFlow shown;
    shown.click(0, 650); // of the second update
    shown.expect(0, 0, Pass::Forward);
    EXPECT_EQ(shown.view.timeline().highlight().micro_batch, 0);
    const auto& flows = shown.view.timeline().flows();
    ASSERT_EQ(flows.size(), 3U) << "four passes; the copy is no pass";
    EXPECT_EQ(flows[0].from_ipu, 0);
    EXPECT_EQ(flows[0].from, 690);
    EXPECT_EQ(flows[0].to_ipu, 1);
    EXPECT_EQ(flows[0].to, 700);
    EXPECT_TRUE(flows[0].chosen);
    EXPECT_EQ(flows[1].from_ipu, 1);
    EXPECT_EQ(flows[1].to_ipu, 1) << "the last stage turns";
    EXPECT_FALSE(flows[1].chosen);
    EXPECT_EQ(flows[2].to_ipu, 0);
    EXPECT_EQ(flows[2].to, 900);
    shown.click(0, 750);
    shown.expect(0, 1, Pass::Forward);
    EXPECT_EQ(shown.view.timeline().flows()[0].to, 800);
}

TEST(TraceFlow, TheWayOfAMicroBatchStandsBesideIt) {
    ShownFlow shown;
    QSignalSpy details(&shown.view, &View::detailsChanged);
    shown.click(0, 650);
    ASSERT_FALSE(details.empty());
    const auto told = [&] {
        return QTextDocumentFragment::fromHtml(details.back()[0].toString()).toPlainText();
    };
    const QString text = told();
    const auto at = [&](const char* words) { return text.indexOf(QLatin1String(words)); };
    ASSERT_GE(at("Way of micro-batch 0"), 0) << text.toStdString();
    EXPECT_LT(at("forward, IPU 0"), at("forward, IPU 1"));
    EXPECT_LT(at("forward, IPU 1"), at("backward, IPU 1"));
    EXPECT_LT(at("backward, IPU 1"), at("backward, IPU 0")) << text.toStdString();
    EXPECT_EQ(text.count(QStringLiteral(", IPU ")), 4) << "passes; the copy is no pass";
    shown.click(0, 650);
    QTest::keyClick(&shown.view.timeline(), Qt::Key_Escape);
    EXPECT_FALSE(told().contains(QStringLiteral("Way of"))) << told().toStdString();
}

TEST(TraceFlow, BracketsGoAlongTheWayAndShowAnIpuThatIsHidden) {
    ShownFlow shown;
    LaneChoice lanes = shown.view.lanes();
    lanes.show(1, false, {{0, 0, "a", 0, 0, 0}, {1, 1, "a", 0, 1, 1}});
    shown.view.setLanes(lanes);
    shown.click(0, 150);
    QTest::keyClick(&shown.view.timeline(), Qt::Key_BracketRight);
    shown.expect(1, 0, Pass::Forward);
    EXPECT_TRUE(shown.view.lanes().shows(std::int64_t{1}));
    QTest::keyClick(&shown.view.timeline(), Qt::Key_BracketRight);
    shown.expect(1, 0, Pass::Backward);
    QTest::keyClick(&shown.view.timeline(), Qt::Key_BracketRight);
    shown.expect(0, 0, Pass::Backward);
    QTest::keyClick(&shown.view.timeline(), Qt::Key_BracketRight);
    shown.expect(0, 0, Pass::Backward); // it was the last one
    QTest::keyClick(&shown.view.timeline(), Qt::Key_BracketLeft);
    shown.expect(1, 0, Pass::Backward);
    QTest::keyClick(&shown.view.timeline(), Qt::Key_Escape);
    EXPECT_TRUE(shown.view.timeline().flows().empty());
    EXPECT_EQ(shown.selection.current().micro_batch, -1);
}

TEST(TraceFlow, WhatRunsDuringAPassBelongsToItsMicroBatch) {
    ShownFlow shown;
    const auto tables = TraceTables::read(**Profile::open(shown.source->path().toStdString())).value();
    const auto flow = MicroBatchFlow::during(tables, 3, 0, 600 + 260); // of the second weight update
    ASSERT_TRUE(flow);
    EXPECT_EQ(flow->microBatch(), 1);
    EXPECT_EQ(flow->ipu(), 3);
    EXPECT_EQ(flow->pass(), Pass::Backward);
    EXPECT_EQ(flow->slice().start, 600 + 250);
    EXPECT_EQ(MicroBatchFlow::during(tables, 0, 0, 195)->pass(), Pass::Forward) << "it is being copied";
    EXPECT_FALSE(MicroBatchFlow::during(tables, 0, 0, 350)) << "idle";
    EXPECT_FALSE(MicroBatchFlow::during(tables, 0, 0, 50)) << "the launch";
    EXPECT_FALSE(MicroBatchFlow::during(tables, 0, 7, 195)) << "no such run";
}

TEST(TraceFlow, AnIpuOfSeveralStagesShowsTheMicroBatchesOfAll) {
    ShownFlow shown(true);
    EXPECT_TRUE(shown.view.timeline().groups()[0].name.startsWith(QStringLiteral("IPU 0, stages 0, 2")))
        << shown.view.timeline().groups()[0].name.toStdString();
    shown.click(0, 350); // of stage 2
    shown.expect(0, 1, Pass::Forward);
    EXPECT_EQ(shown.view.timeline().flows().size(), 4U);
}

TEST(TraceFlow, AFurtherProgramHasItsOwnMicroBatches) {
    ShownFlow shown(true);
    shown.click(0, 1140);
    shown.expect(0, 0, Pass::Forward);
    ASSERT_EQ(shown.view.timeline().flows().size(), 1U);
    EXPECT_EQ(shown.view.timeline().flows()[0].to_ipu, 1);
    EXPECT_EQ(shown.view.timeline().flows()[0].to, 1180);
    // A view of that program chooses another pass of it.
    Selection chosen;
    chosen.lookAt(1);
    chosen.micro_batch = 0;
    chosen.device_program = "evaluation";
    shown.selection.set(chosen);
    shown.wait();
    EXPECT_LT(shown.view.timeline().view().from(), 1180);
    EXPECT_GE(shown.view.timeline().view().to(), 1250);
    EXPECT_LT(shown.view.timeline().view().span(), 150);
}

TEST(TraceFlow, APassThatWasChosenBeforeIsThatOfItsUpdate) {
    ShownFlow shown;
    shown.click(0, 650); // of the second update
    const Selection second = shown.selection.current();
    shown.click(0, 150); // of the first
    ASSERT_EQ(shown.view.timeline().flows().size(), 3U);
    EXPECT_EQ(shown.view.timeline().flows()[0].from, 190);
    shown.selection.set(second);
    shown.wait();
    shown.expect(0, 0, Pass::Forward);
    ASSERT_EQ(shown.view.timeline().flows().size(), 3U);
    EXPECT_EQ(shown.view.timeline().flows()[0].from, 690);
}

// As Alt+Left does: another view had chosen it, of any update; since then its next pass was looked at.
TEST(TraceFlow, APassOfAnyUpdateIsThatOfTheUpdateThatIsLookedAt) {
    ShownFlow shown;
    Selection any = shown.selection.current();
    any.follow(0);
    shown.selection.set(any);
    shown.wait();
    ASSERT_EQ(shown.view.timeline().flows().size(), 3U);
    EXPECT_EQ(shown.view.timeline().flows()[0].from, 190);
    QTest::keyClick(&shown.view.timeline(), Qt::Key_BracketRight);
    shown.wait();
    shown.expect(1, 0, Pass::Forward);
    shown.selection.set(any);
    shown.wait();
    shown.expect(0, 0, Pass::Forward);
    ASSERT_EQ(shown.view.timeline().flows().size(), 3U);
    EXPECT_EQ(shown.view.timeline().flows()[0].from, 190) << "and not 690, of the second update";
}

// Two batches go through its pipeline, and no weights are updated.
TEST(TraceFlow, AnEvaluationHasNoWeightUpdates) {
    ShownFlow shown(true);
    shown.view.setLanes(LaneChoice());
    shown.wait();
    QStringList texts;
    for (const TimelineGroup& group : shown.view.timeline().groups())
        for (const TimelineLane& lane : group.lanes)
            if (group.ipu == 0 && lane.kind == LaneKind::Step)
                for (const TimelineSlice& slice : lane.slices)
                    texts << slice.label;
    EXPECT_EQ(texts.join(QStringLiteral("; ")),
              QStringLiteral("update 1, steps 1–2; update 2, steps 3–4; steps 1–2"));
    QSignalSpy details(&shown.view, &View::detailsChanged);
    shown.click(0, 1140);
    ASSERT_FALSE(details.empty());
    const QString told = details.back().at(0).toString();
    EXPECT_TRUE(told.contains(QStringLiteral("evaluate, steps 1–2"))) << told.toStdString();
    EXPECT_FALSE(told.contains(QStringLiteral("Weight update"))) << told.toStdString();
}

TEST(TraceFlow, APassThatAnotherViewChoseIsFramed) {
    ShownFlow shown;
    Selection chosen = shown.selection.current();
    chosen.lookAt(2); // stage 0 of the other replica
    chosen.micro_batch = 1;
    chosen.activity = Pass::Backward;
    shown.selection.set(chosen);
    shown.wait();
    const TimelineViewport& seen = shown.view.timeline().view();
    EXPECT_LT(seen.from(), 500);
    EXPECT_GT(seen.to(), 600);
    EXPECT_LT(seen.span(), 150) << "from 500 to 600, and a margin";
    ASSERT_EQ(shown.view.timeline().flows().size(), 3U);
    EXPECT_EQ(shown.view.timeline().flows()[0].to_ipu, 3) << "its own replica";
    QTest::keyClick(&shown.view.timeline(), Qt::Key_BracketLeft);
    shown.expect(3, 1, Pass::Backward);
}

/// The lane of micro-batches of IPU 0, for pixels of `resolution` cycles.
TimelineLane seen_at(std::int64_t resolution) {
    const QTemporaryDir folder;
    const std::string path = folder.filePath(QStringLiteral("run.tilescope")).toStdString();
    EXPECT_TRUE(record(path, false));
    const auto profile = Profile::open(path);
    EXPECT_TRUE(profile);
    const auto tables = TraceTables::read(**profile);
    EXPECT_TRUE(tables);
    for (TimelineLane& lane : trace_lanes(*tables, {0, 0, 1100, resolution, {}}))
        if (lane.kind == LaneKind::MicroBatch)
            return std::move(lane);
    ADD_FAILURE() << "no lane of micro-batches";
    return {};
}

using Seen = std::tuple<std::int64_t, std::int64_t, Pass, std::int64_t>;
std::vector<Seen> boxes_of(const TimelineLane& lane) {
    std::vector<Seen> boxes;
    for (const TimelineSlice& slice : lane.slices)
        boxes.emplace_back(slice.start, slice.end, slice.activity, slice.merged);
    return boxes;
}

TEST(TraceFlow, PassesNarrowerThanPixelsAreSharesOfStretchesAndAreCounted) {
    // A turn is a pixel of 100 cycles long: 90 forward, 10 copied are one stretch, with no name. The passes
    // after it are alone until the next turn begins, and keep theirs.
    const TimelineLane lane = seen_at(100);
    EXPECT_EQ(boxes_of(lane), (std::vector<Seen>{{100, 190, Pass::Forward, 1},
                                                 {190, 200, Pass::Copy, 1},
                                                 {200, 300, Pass::Forward, 1},
                                                 {400, 500, Pass::Backward, 1},
                                                 {500, 600, Pass::Backward, 1},
                                                 {600, 690, Pass::Forward, 1},
                                                 {690, 700, Pass::Copy, 1},
                                                 {700, 800, Pass::Forward, 1},
                                                 {900, 1000, Pass::Backward, 1},
                                                 {1000, 1100, Pass::Backward, 1}}));
    EXPECT_TRUE(lane.slices[0].label.isEmpty());
    EXPECT_EQ(lane.slices[4].label, QStringLiteral("1 B"));

    // Of a pixel and a half: what comes before the backward passes is one stretch, they are another.
    EXPECT_EQ(boxes_of(seen_at(150)), (std::vector<Seen>{{100, 290, Pass::Forward, 2},
                                                         {290, 300, Pass::Copy, 1},
                                                         {400, 600, Pass::Backward, 2},
                                                         {600, 790, Pass::Forward, 2},
                                                         {790, 800, Pass::Copy, 1},
                                                         {900, 1100, Pass::Backward, 2}}));
}

TEST(TraceFlow, WeightUpdatesNarrowerThanPixelsAreSharesAndTheirPassesAreCounted) {
    // Both updates in one stretch: 2 x 190 of 1,000 cycles forward, 2 x 10 copied, 2 x 200 backward.
    EXPECT_EQ(boxes_of(seen_at(500)),
              (std::vector<Seen>{
                  {100, 480, Pass::Forward, 4}, {480, 880, Pass::Backward, 4}, {880, 900, Pass::Copy, 2}}));
}

TEST(TraceFlow, ItIsTheWeightUpdateInViewThatIsFramed) {
    ShownFlow shown;
    shown.view.timeline().show(590, 800);
    shown.wait();
    Selection chosen = shown.selection.current();
    chosen.micro_batch = 0;
    chosen.activity = Pass::Forward;
    shown.selection.set(chosen);
    EXPECT_NEAR(shown.view.timeline().view().from(), 600 - 90 / 8.0, 1) << "of the second update";
}

} // namespace
} // namespace tilescope::ui
