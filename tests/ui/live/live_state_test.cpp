// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/shown_text.h"
#include "ui/live/live_state.h"
#include "ui/live/run_page.h"

#include <gtest/gtest.h>

namespace tilescope::ui {

// Scripts once recorded an evaluation as if one epoch were expected.
TEST(LiveState, ThereAreNeverFewerEpochsThanHaveMetrics) {
    LiveState state;
    state.run.status = profile::RunStatus::Complete;
    state.progress = {profile::RunActivity::Done, 0, 1, 0, 0, 1000};
    state.training.steps = 6;
    for (const std::int64_t epoch : {0, 1, 2})
        state.course.points.push_back({"loss", epoch, 2, 0.5});
    state.epoch_metrics = {{0, profile::ExecutionKind::Evaluate, "loss", 0.4}};
    EXPECT_EQ(state.epochs(), 3);
    QStringList names;
    for (const Stage& stage : stagesOf(state)) {
        names << stage.name;
        EXPECT_EQ(stage.state, Stage::State::Done) << stage.name.toStdString();
    }
    EXPECT_EQ(names.join(QStringLiteral(", ")).toStdString(), "Compile, Epoch 1, Epoch 2, Epoch 3, Evaluate");
    state.progress.epochs = 5; // the run goes on to five
    EXPECT_EQ(state.epochs(), 5);
}

// Of a step of a second each, as far as is seen; 3 of 10 are done.
TEST(LiveState, TimeIsLeftBeforeTheFirstExecutionHasEnded) {
    LiveState state;
    state.progress = {profile::RunActivity::Train, 0, 1, 3, 10, 7000};
    EXPECT_FALSE(state.trainingSecondsLeft());
    state.work_since = profile::ProgressRecord{profile::RunActivity::Train, 0, 1, 1, 10, 5000};
    EXPECT_DOUBLE_EQ(state.trainingSecondsLeft().value_or(-1), 7);
}

/// A page of a run, as it is shown.
bool tells(const LiveState& state, const char* words) {
    RunPage page;
    page.show(state, QStringLiteral("run.tilescope"), nullptr);
    page.resize(1200, 900);
    static_cast<QWidget&>(page).show();
    return tests::shows(page, QString::fromUtf8(words));
}

TEST(RunPage, OfAnExecutionThatDidNotEndThePhasesAreNotKnown) {
    LiveState state;
    state.run.device = profile::RunDevice::Ipu;
    state.progress = {profile::RunActivity::Train, 0, 1, 780, 936, 90'000};
    EXPECT_TRUE(tells(state, "The first execution has not ended yet"));
    state.run.status = profile::RunStatus::Cancelled;
    EXPECT_TRUE(tells(state, "The run ended within its first execution"));
    state.progress.activity = profile::RunActivity::Compile;
    EXPECT_TRUE(tells(state, "This run recorded no executions."));
}

TEST(RunPage, ThePictureOfAGraphIsOfItsOutputs) {
    LiveState state;
    EXPECT_TRUE(tells(state, "Loss and metrics, means of each epoch so far"));
    state.run.workload_kind = profile::WorkloadKind::Graph;
    EXPECT_TRUE(tells(state, "Outputs"));
    EXPECT_FALSE(tells(state, "Loss and metrics"));
}

} // namespace tilescope::ui
