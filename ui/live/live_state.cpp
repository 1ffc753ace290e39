// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/live/live_state.h"

#include "analyse/costs.h"
#include "analyse/stage_ipus.h"
#include "analyse/training_metrics.h"
#include "analyse/training_progress.h"
#include "base/host_process.h"
#include "base/share.h"
#include "base/try.h"
#include "ui/session/format.h"
#include "ui/widgets/run_status.h"

#include <QCoreApplication>
#include <algorithm>

namespace tilescope::ui {
namespace {

constexpr std::int64_t most_spans = 600; ///< more than a chart has pixels to tell apart
constexpr std::int64_t most_stages = 40; ///< more epochs are one stage

QString tr(const char* text) {
    return QCoreApplication::translate("LiveState", text);
}

double share(std::int64_t part, std::int64_t all) {
    return std::clamp(share_of(part, all).value_or(0), 0.0, 1.0);
}

} // namespace

Result<LiveState> readLiveState(const profile::Profile& file, const std::vector<analyse::FullestTile>& known,
                                const std::map<std::int64_t, std::int64_t>& known_stages) {
    TRY(auto run, file.run());
    TRY(auto target, file.target());
    TRY(auto progress, file.progress());
    TRY(auto training, file.execution_totals(profile::ExecutionKind::Train));
    TRY(const auto kind, analyse::main_kind(file));
    TRY(auto main, file.execution_totals(kind));
    TRY(auto evaluation, file.execution_totals(profile::ExecutionKind::Evaluate));
    TRY(auto prediction, file.execution_totals(profile::ExecutionKind::Predict));
    TRY(auto phases, file.phase_history(most_spans));
    TRY(auto course, readCourse(file, progress, training));
    TRY(auto epoch_metrics, file.epoch_metrics());
    TRY(auto ipus, file.ipus());
    TRY(auto devices, file.devices());
    TRY(auto log, file.log());
    TRY(auto outputs, file.outputs());
    constexpr double minute = 60; // seconds
    TRY(auto recent, analyse::recent_use(file, minute));
    auto fullest = known;
    if (fullest.size() != ipus.size()) {
        TRY(fullest, analyse::fullest_tiles(file, ipus));
        if (std::none_of(fullest.begin(), fullest.end(), [](const auto& tile) { return tile.bytes > 0; }))
            fullest.clear(); // not laid out yet
    }
    auto stage_ipus = known_stages;
    if (stage_ipus.empty() &&
        std::any_of(ipus.begin(), ipus.end(), [](const auto& ipu) { return ipu.stage >= 0; })) {
        TRY(const auto operations, file.operations());
        stage_ipus = analyse::stage_ipus(operations, ipus);
    }
    std::vector<profile::PhaseCycles> by_ipu;
    for (const profile::IpuRecord& ipu : ipus) {
        TRY(const auto cycles, file.phase_cycles(kind, ipu.id));
        by_ipu.push_back(cycles);
    }
    const auto process = run.status == profile::RunStatus::Running ? host_process(run.pid) : std::nullopt;
    LiveState state{std::move(run),
                    std::move(target),
                    progress,
                    training,
                    kind,
                    main,
                    evaluation,
                    prediction,
                    std::move(by_ipu),
                    std::move(phases),
                    std::move(course),
                    std::move(epoch_metrics),
                    std::move(ipus),
                    std::move(stage_ipus),
                    std::move(devices),
                    std::move(log),
                    std::move(outputs),
                    std::move(recent),
                    std::move(fullest),
                    process};
    TRY(state.too_full, tooFull(file));
    return state;
}

std::int64_t LiveState::epochs() const {
    std::int64_t most = progress.epochs;
    for (const profile::MetricPoint& point : course.points)
        most = std::max(most, point.epoch + 1);
    return most;
}

std::optional<double> LiveState::newest(const std::string& metric) const {
    const auto found = std::find_if(course.points.rbegin(), course.points.rend(),
                                    [&](const auto& m) { return m.name == metric; });
    return found == course.points.rend() ? std::optional<double>() : found->value;
}

std::optional<double> LiveState::evaluated(const std::string& metric) const {
    for (const auto& m : epoch_metrics)
        if (m.kind == profile::ExecutionKind::Evaluate && m.name == metric)
            return m.value;
    return {};
}

std::vector<std::string> LiveState::metricNames() const {
    std::vector<std::string> names;
    for (const auto& m : course.points)
        if (std::find(names.begin(), names.end(), m.name) == names.end())
            names.push_back(m.name);
    return names;
}

std::string LiveState::firstMetric() const {
    return analyse::first_metric(metricNames());
}

std::optional<double> LiveState::trainingSecondsLeft() const {
    return running() ? analyse::training_seconds_left(work_since.value_or(progress), progress, training)
                     : std::nullopt;
}

std::optional<double> LiveState::passSecondsLeft() const {
    return running() && work_since ? analyse::pass_seconds_left(*work_since, progress) : std::nullopt;
}

/// A stage for each epoch, or one for all where they are many. `here`: of the one under way.
static std::vector<Stage> epochStages(const LiveState& s, bool compiling, Stage::State here) {
    using State = Stage::State;
    const profile::ProgressRecord& p = s.progress;
    const std::int64_t count = s.epochs();
    const bool training = p.activity == profile::RunActivity::Train;
    const auto epochs = static_cast<double>(count);
    const double done = compiling  ? 0
                        : training ? static_cast<double>(p.epoch) + share(p.step, p.steps)
                                   : epochs;
    if (count > most_stages)
        return {{tr("%1 epochs").arg(formatCount(count)), std::min(done / epochs, 1.0),
                 compiling  ? State::Ahead
                 : training ? here
                            : State::Done}};
    std::vector<Stage> stages;
    for (std::int64_t epoch = 0; epoch < count; ++epoch) {
        Stage stage{tr("Epoch %1").arg(epoch + 1), std::clamp(done - static_cast<double>(epoch), 0.0, 1.0)};
        const bool left = stage.done >= 1 && (!training || epoch + 1 < count);
        stage.state = left ? State::Done : training && epoch == p.epoch ? here : State::Ahead;
        stages.push_back(std::move(stage));
    }
    return stages;
}

std::vector<Stage> stagesOf(const LiveState& s) {
    using State = Stage::State;
    const auto& p = s.progress;
    const bool complete = profile::ran_to_its_end(s.run.status);
    const State here = complete ? State::Done : s.running() ? State::Current : State::Stopped;
    const bool compiling =
        p.activity == profile::RunActivity::Prepare || p.activity == profile::RunActivity::Compile;
    const bool small_graph = s.kind == profile::ExecutionKind::Predict && s.main.executions > 0;
    std::vector<Stage> stages{{tr("Compile"), compiling && !complete ? analyse::share_of_compilation(p) : 1,
                               compiling ? here : State::Done}};
    if (small_graph)
        stages.push_back({tr("Run"), 1, State::Done});
    if ((s.training.steps > 0 || compiling || p.activity == profile::RunActivity::Train) && !small_graph)
        for (Stage& stage : epochStages(s, compiling, here))
            stages.push_back(std::move(stage));
    const bool evaluated = std::any_of(s.epoch_metrics.begin(), s.epoch_metrics.end(), [](const auto& m) {
        return m.kind == profile::ExecutionKind::Evaluate;
    });
    if (p.activity == profile::RunActivity::Evaluate)
        stages.push_back(
            {tr("Evaluate"), evaluated ? 1 : share(p.step, p.steps), evaluated ? State::Done : here});
    else if (evaluated)
        stages.push_back({tr("Evaluate"), 1, State::Done});
    return stages;
}

QString metricsText(const analyse::MetricValues& values, const QString& separator) {
    QStringList all;
    for (const auto& [name, value] : values)
        all << tr("%1 %2").arg(text(name), text(analyse::metric_text(name, value)));
    return all.join(separator);
}

QString activityText(const LiveState& s) {
    const auto& p = s.progress;
    const QString steps =
        p.steps > 0 ? tr(", step %1 of %2").arg(formatCount(p.step), formatCount(p.steps)) : QString();
    if (p.activity == profile::RunActivity::Train)
        return tr("epoch %1 of %2").arg(p.epoch + 1).arg(s.epochs()) + steps;
    if (p.activity == profile::RunActivity::Evaluate)
        return tr("evaluation") + steps;
    if (p.activity == profile::RunActivity::Predict)
        return tr("prediction") + steps;
    if (p.activity == profile::RunActivity::Done)
        return s.training.steps > 0
                   ? tr("%1 of training").arg(formatCounted(s.training.steps, tr("step"), tr("steps")))
                   : tr("done");
    if (p.activity == profile::RunActivity::Compile)
        return p.steps > 0 ? tr("compilation, %1").arg(passText(p)) : tr("compilation");
    return tr("preparation");
}

} // namespace tilescope::ui
