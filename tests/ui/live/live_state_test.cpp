// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/live/live_state.h"

#include <gtest/gtest.h>

namespace tilescope::ui {

// Scripts once recorded an evaluation as if one epoch were expected.
TEST(LiveState, ThereAreNeverFewerEpochsThanHaveMetrics) {
    LiveState state;
    state.run.status = profile::RunStatus::Complete;
    state.progress = {profile::RunActivity::Done, 0, 1, 0, 0, 1000};
    state.training.steps = 6;
    for (const std::int64_t epoch : {0, 1, 2})
        state.metrics.push_back({"loss", epoch, 2, 0.5});
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

} // namespace tilescope::ui
