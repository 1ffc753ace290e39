// SPDX-License-Identifier: GPL-3.0-or-later
// What the head says of who waits, and in which unit.
#include "profile/recorder.h"
#include "tests/record_rows.h"
#include "tests/ui/shown_text.h"
#include "tests/ui/told_details.h"
#include "tests/ui/view_test_support.h"
#include "ui/pipeline/pipeline_view.h"
#include "ui/session/format.h"

#include <gtest/gtest.h>

namespace tilescope::ui {
namespace {

using analyse::PipelineActivity;
using tests::shows;

/// Stage 1 works 90 of 100 cycles, stage 0 60; both copy for 10. Of the engine run IPU 0 waits 35 % of the
/// time: 30 cycles of the slot, and 5 while it copies. `several`: IPU 0 has stage 2 as well, which is short.
Result<void> record_uneven(const std::string& path, bool several) {
    auto recorder = profile::Recorder::create(path, {});
    if (!recorder)
        return Failure(recorder.error());
    profile::Recorder& r = **recorder;
    r.set(profile::TargetRecord{"pod4", "ipu2", 2, 16, 1000, 1.0e9, 6});
    for (std::int64_t ipu = 0; ipu < 2; ++ipu)
        r.add(profile::IpuRecord{ipu, ipu, "a", 0, ipu, ipu});
    r.add(profile::DeviceProgramRecord{0, "training", 0, true});
    r.add(profile::ProgramRecord{0, -1, 0, profile::StepKind::Sequence, "main"});
    if (several) {
        profile::OperationRecord third;
        third.name = "third";
        third.stage = 2;
        r.add(third);
        r.add(profile::PipelineSlotRecord{2, 0, 60, 0, PipelineActivity::Forward, 0});
        r.add(profile::PipelineSlotRecord{2, 60, 90, 0, PipelineActivity::Waiting, -1});
        r.add(profile::PipelineSlotRecord{2, 90, 100, 0, PipelineActivity::Copy, -1});
    }
    r.add(profile::PipelineSlotRecord{0, 0, 60, 0, PipelineActivity::Forward, 0});
    r.add(profile::PipelineSlotRecord{0, 60, 90, 0, PipelineActivity::Waiting, -1});
    r.add(profile::PipelineSlotRecord{0, 90, 100, 0, PipelineActivity::Copy, -1});
    r.add(profile::PipelineSlotRecord{1, 0, 90, 0, PipelineActivity::Forward, 0});
    r.add(profile::PipelineSlotRecord{1, 90, 100, 0, PipelineActivity::Copy, -1});
    tests::record_rows(r, {{0, profile::ExecutionKind::Train, 0, 0, 1, 0, 100, 1}},
                       {{0, 0, 60, 0, 0, 5, 0, 35}, {0, 1, 90, 0, 0, 5, 0, 5}});
    return (*recorder)->finish(profile::RunStatus::Complete);
}

TEST(PipelineWaits, AreThoseOfTheEngineRunsAsInSummary) {
    for (const auto& [several, said] :
         {std::pair(false, "Stage 1 sets each slot; the others wait 35.0 % of the time."),
          std::pair(true, "Stage 1 sets each slot; IPU 0 (stages 0, 2) waits 35.0 % of the time.")}) {
        const tests::ShownView<PipelineView> shown(
            [several = several](const std::string& path) { return record_uneven(path, several); });
        EXPECT_TRUE(shows(shown.view, QString::fromLatin1(said))) << said;
    }
}

// A slot of 90 cycles, of which 75 would be left: 85 with the copies.
TEST(PipelineWaits, AreToldInTheUnitThatIsWanted) {
    tests::ShownView<PipelineView> shown([](const std::string& path) { return record_uneven(path, false); });
    const tests::ToldDetails told(shown.view);
    shown.view.hide();
    shown.view.show();
    EXPECT_TRUE(shows(shown.view, QStringLiteral("Ideal with even stages: 85 ns.")));
    EXPECT_EQ(told.value("With even stages"), QStringLiteral("85 ns"));
    setUnits({.cycles = true});
    shown.view.writeAnew(); // as the window does
    EXPECT_TRUE(shows(shown.view, QStringLiteral("Ideal with even stages: 85 cycles.")));
    EXPECT_EQ(told.value("With even stages"), QStringLiteral("85 cycles"));
    setUnits({});
}

} // namespace
} // namespace tilescope::ui
