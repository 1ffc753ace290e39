// SPDX-License-Identifier: GPL-3.0-or-later
#include "profile/recorder.h"
#include "tests/system_fixture.h"
#include "tests/ui/view_test_support.h"
#include "ui/pipeline/pipeline_view.h"
#include "ui/theme/application_font.h"

#include <QApplication>
#include <QComboBox>

namespace tilescope::ui {
namespace {

using analyse::PipelineActivity;

/// Stages 0 and 2 are on IPU 0, stage 1 on IPU 1.
TEST(PipelineStages, StagesOfAnIpuStandBeneathEachOther) {
    tests::ShownView<PipelineView> shown([](const std::string& path) -> Result<void> {
        auto recorder = profile::Recorder::create(path, {});
        if (!recorder)
            return Failure(recorder.error());
        profile::Recorder& r = **recorder;
        r.set(profile::TargetRecord{"pod4", "ipu2", 2, 16, 1000, 1.0e9, 6});
        for (std::int64_t ipu = 0; ipu < 2; ++ipu)
            r.add(profile::IpuRecord{ipu, ipu, "a", 0, ipu, ipu});
        r.add(profile::DeviceProgramRecord{0, "training", 0, true});
        r.add(profile::ProgramRecord{0, -1, 0, profile::StepKind::Sequence, "main"});
        profile::OperationRecord third;
        third.name = "third";
        third.stage = 2;
        r.add(third);
        for (std::int64_t stage = 0; stage < 3; ++stage) {
            r.add(profile::PipelineSlotRecord{stage, 0, 100, 0, PipelineActivity::Forward, 0});
            r.add(profile::PipelineSlotRecord{stage, 100, 200, 1, PipelineActivity::Backward, 0});
        }
        return (*recorder)->finish(profile::RunStatus::Complete);
    });
    TimelineWidget& timeline = shown.view.timeline();
    ASSERT_EQ(timeline.groups().size(), 1U);
    const auto& group = timeline.groups()[0];
    QStringList rows;
    for (const TimelineLane& lane : group.lanes)
        rows << QStringLiteral("%1, %2").arg(group.remark(lane), lane.name);
    EXPECT_EQ(rows, (QStringList{QStringLiteral("IPU 0, Stage 0"), QStringLiteral("IPU 0, Stage 2"),
                                 QStringLiteral("IPU 1, Stage 1")}));
    // Down goes to the row below.
    timeline.setAnimated(false);
    shown.view.activateWindow();
    timeline.setFocus();
    for (const std::int64_t ipu : {0, 0, 1}) {
        EXPECT_EQ(shown.selection.current().ipu, ipu);
        QTest::keyClick(&timeline, Qt::Key_Down);
        shown.settle();
    }
}

TEST(PipelineStages, EightStagesAreAllSeenInALowWindow) {
    constexpr std::int64_t stages = 8;
    tests::ShownView<PipelineView> shown(
        [](const std::string& path) -> Result<void> {
            auto recorder = profile::Recorder::create(path, {});
            if (!recorder)
                return Failure(recorder.error());
            profile::Recorder& r = **recorder;
            r.set(profile::TargetRecord{"pod16", "ipu2", stages, 16, 1000, 1.0e9, 6});
            r.add(profile::DeviceProgramRecord{0, "training", 0, true});
            r.add(profile::ProgramRecord{0, -1, 0, profile::StepKind::Sequence, "main"});
            for (std::int64_t stage = 0; stage < stages; ++stage) {
                r.add(profile::IpuRecord{stage, stage, "a", 0, stage, stage});
                r.add(profile::PipelineSlotRecord{stage, 0, 100, 0, PipelineActivity::Forward, 0});
                r.add(profile::PipelineSlotRecord{stage, 100, 200, 1, PipelineActivity::Backward, 0});
            }
            return (*recorder)->finish(profile::RunStatus::Complete);
        },
        QSize(956, 560));
    TimelineWidget& timeline = shown.view.timeline();
    ASSERT_EQ(timeline.groups().size(), 1U);
    ASSERT_EQ(timeline.groups()[0].lanes.size(), 8U);
    for (std::size_t lane = 0; lane < 8; ++lane)
        EXPECT_GE(timeline.laneRect(0, lane).height(), timeline.fontMetrics().height() - 1) << lane;
    EXPECT_LE(timeline.laneRect(0, 7).bottom(), timeline.viewport()->height());
}

/// The least window, and text of one and a half.
TEST(PipelineStages, LargeTextInALowWindowLeavesThemTheirLines) {
    applyFont(*qApp, {}, 150);
    tests::ShownView<PipelineView> shown(
        [](const std::string& path) {
            return tests::record_system(path, {2, 1, true});
        },
        QSize(934, 530));
    const TimelineWidget& timeline = shown.view.timeline();
    const QRect seen = timeline.viewport()->visibleRegion().boundingRect();
    for (std::size_t stage = 0; stage < 2; ++stage) {
        const QRect lane = timeline.laneRect(0, stage);
        EXPECT_GE(lane.height(), timeline.fontMetrics().height() * 5 / 4) << stage;
        EXPECT_TRUE(seen.top() <= lane.top() && lane.bottom() <= seen.bottom()) << stage;
    }
    applyFont(*qApp, {}, 100);
}

TEST(PipelineStages, TheNumberOfTheReplicaIsWholeBesideTheLegend) {
    tests::ShownView<PipelineView> shown(
        [](const std::string& path) {
            return tests::record_system(path, {2, 2, true});
        },
        QSize(640, 560));
    const auto* replica = shown.view.findChild<QComboBox*>(QStringLiteral("pipelineReplica"));
    ASSERT_TRUE(replica->isVisible());
    const int text = replica->fontMetrics().horizontalAdvance(QStringLiteral("Replica 0"));
    EXPECT_GE(replica->sizeHint().width(), text + 20) << "with the arrow";
    EXPECT_GE(replica->width(), replica->sizeHint().width());
}

} // namespace
} // namespace tilescope::ui
