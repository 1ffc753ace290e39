// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/never_run.h"
#include "tests/record_rows.h"
#include "tests/ui/shown_text.h"
#include "tests/ui/view_test_support.h"
#include "ui/summary/summary_view.h"
#include "ui/widgets/data_table.h"

#include <gtest/gtest.h>

namespace tilescope::ui {

/// One engine run that trains, and, if `evaluates`, one that evaluates.
Result<void> record_run_of_both(const std::string& path, bool evaluates) {
    auto recorder = profile::Recorder::create(path, {});
    if (!recorder)
        return Failure(recorder.error());
    profile::Recorder& r = **recorder;
    r.set(profile::TargetRecord{"ipu", "ipu2", 1, 2, 1024, 1e9, 6});
    r.add(profile::IpuRecord{0, 0, "/device:IPU:0", 0, 0, -1});
    r.add(profile::DeviceProgramRecord{0, "training", 0, true});
    r.add(profile::ProgramRecord{0, -1, 0, profile::StepKind::Sequence, "main"});
    tests::record_rows(r, {{0, profile::ExecutionKind::Train, 0, 0, 1, 0, 100, 1}},
                       {{0, 0, 80, 0, 0, 0, 20, 0}});
    if (evaluates) {
        r.add(profile::DeviceProgramRecord{1, "evaluation", 1, false});
        r.add(profile::ProgramRecord{1, -1, 1, profile::StepKind::Sequence, "evaluate"});
        tests::record_rows(r, {{1, profile::ExecutionKind::Evaluate, 0, 0, 1, 100, 50, 1}},
                           {{1, 0, 30, 0, 0, 0, 20, 0}}, {}, 1);
    }
    return r.finish(profile::RunStatus::Complete);
}

TEST(WhoseTime, IsOfTrainingWhereTheRunEvaluatesToo) {
    for (const bool evaluates : {false, true}) {
        const tests::ShownView<SummaryView> shown(
            [evaluates](const std::string& path) { return record_run_of_both(path, evaluates); });
        EXPECT_EQ(tests::shows(shown.view, QStringLiteral("all IPU time of training")), evaluates);
        EXPECT_EQ(tests::shows(shown.view, QStringLiteral("all IPU time of the run")), !evaluates);
    }
}

TEST(WhoseTime, OfAProgramThatNeverRanIsPlanned) {
    const tests::ShownView<SummaryView> shown(tests::never_run(profile::RunStatus::OutOfMemory));
    EXPECT_TRUE(tests::shows(shown.view, QStringLiteral("shares of the planned time of the IPUs")));
    const auto* layers = shown.view.findChild<DataTable*>(QStringLiteral("summaryLayers"));
    EXPECT_TRUE(tests::shown_rows(*layers->view(), QLatin1Char('|')).contains(QStringLiteral("|37.5 %|")))
        << "60 cycles behind a launch of 100";
}

} // namespace tilescope::ui
