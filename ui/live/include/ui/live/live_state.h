// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/recent_use.h"
#include "analyse/tile_memory.h"
#include "analyse/training_metrics.h"
#include "base/host_process.h"
#include "profile/profile.h"
#include "ui/live/metric_course.h"
#include "ui/widgets/too_full.h"

#include <QString>
#include <map>
#include <optional>
#include <vector>

namespace tilescope::ui {

/// All that the live view shows of a file, read in one go.
struct LiveState {
    profile::RunRecord run;
    profile::TargetRecord target;
    profile::ProgressRecord progress;
    profile::ExecutionTotals training;
    profile::ExecutionKind kind{}; ///< of the engine runs that the run is about
    profile::ExecutionTotals main; ///< of these
    profile::ExecutionTotals evaluation, prediction;
    std::vector<profile::PhaseCycles> by_ipu; ///< of these, as `ipus`
    std::vector<profile::PhaseSpan> phases;   ///< of all engine runs
    MetricCourse course;
    std::vector<profile::EpochMetricRecord> epoch_metrics;
    std::vector<profile::IpuRecord> ipus;
    std::map<std::int64_t, std::int64_t> stage_ipus; ///< as `analyse::stage_ipus` says
    std::vector<profile::DeviceRecord> devices;
    std::vector<profile::LogRecord> log;
    std::vector<profile::OutputRecord> outputs;
    std::optional<analyse::RecentUse> recent; ///< of the last minute of wall time
    /// As `ipus`, once the memory was laid out; then it stays as it is.
    std::vector<analyse::FullestTile> fullest;
    std::optional<HostProcess> process; ///< that writes the file, while it does
    /// How far the run was when what the compilation does now was seen first.
    std::optional<profile::ProgressRecord> work_since = {};
    std::optional<TooFull> too_full = {}; ///< where it did not fit

    bool running() const { return run.status == profile::RunStatus::Running; }
    /// Epochs of training: those that are expected, and never fewer than have metrics.
    std::int64_t epochs() const;
    /// The newest running mean of training.
    std::optional<double> newest(const std::string& metric) const;
    /// The result of the evaluation.
    std::optional<double> evaluated(const std::string& metric) const;
    /// Losses and metrics of training, as they come.
    std::vector<std::string> metricNames() const;
    /// The first metric that is no loss, or "".
    std::string firstMetric() const;
    /// Wall time that the rest of training takes at the mean speed so far, seconds; none before the first
    /// execution and after the last.
    std::optional<double> trainingSecondsLeft() const;
    /// The same of what the pass of a compilation is at.
    std::optional<double> passSecondsLeft() const;
};
/// `known`: what an earlier state of the file had of its tiles, which is not read again.
Result<LiveState> readLiveState(const profile::Profile& file,
                                const std::vector<analyse::FullestTile>& known = {},
                                const std::map<std::int64_t, std::int64_t>& known_stages = {});

/// A part of a run's way: compilation, an epoch, the evaluation.
struct Stage {
    enum class State { Ahead, Current, Done, Stopped };
    QString name;
    double done = 0; ///< 0 … 1
    State state = State::Ahead;
};
/// The way of a run in order. A run that has ended early has one Stopped stage: where it stood.
std::vector<Stage> stagesOf(const LiveState& state);

/// Losses and metrics with their names, parted by `separator`: "loss 0.0312, accuracy 97.5 %".
QString metricsText(const analyse::MetricValues& values, const QString& separator);

/// What the run does or how it ended, in a few words: "epoch 2 of 3, step 412 of 937".
QString activityText(const LiveState& state);

} // namespace tilescope::ui
