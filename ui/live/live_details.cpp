// SPDX-License-Identifier: GPL-3.0-or-later
#include "live_details.h"

#include "analyse/summary.h"
#include "analyse/training_metrics.h"
#include "base/text.h"
#include "ui/live/live_view.h"
#include "ui/session/format.h"
#include "ui/widgets/detail_table.h"
#include "ui/widgets/run_status.h"

#include <QStringList>
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace tilescope::ui {
namespace {

QString deviceText(const LiveState& s) {
    if (s.run.device == profile::RunDevice::Cpu || s.target.tiles_per_ipu <= 0)
        return LiveView::tr("the host");
    return LiveView::tr("%1: %2 × %3 of %4 tiles, %5")
        .arg(text(s.target.system), formatCount(s.target.ipus), text(s.target.generation),
             formatCount(s.target.tiles_per_ipu), text(clock_text(s.target.clock_hz)));
}

/// How often it ran, and how fast, in simulated time and in that of the host.
void addRuns(DetailTable& table, const LiveState& s, const QString& name,
             const profile::ExecutionTotals& ran) {
    if (ran.executions == 0)
        return;
    QStringList lines{LiveView::tr("%1, %2").arg(
        formatCounted(ran.executions, LiveView::tr("engine run"), LiveView::tr("engine runs")),
        formatCounted(ran.steps, LiveView::tr("step"), LiveView::tr("steps")))};
    const auto rate = [&](std::optional<double> step_us, const QString& time) {
        if (step_us.value_or(0) <= 0)
            return;
        const auto samples = analyse::samples_per_s(s.run.batch_size, step_us);
        lines << time.arg(formatSeconds(*step_us * 1e-6)) +
                     (samples ? LiveView::tr(", %1 samples/s").arg(formatAmount(*samples)) : QString());
    };
    if (s.run.device != profile::RunDevice::Cpu && s.target.clock_hz > 0) {
        lines << LiveView::tr("%1 simulated").arg(formatCyclesAndTime(ran.cycles, s.target.clock_hz));
        rate(analyse::step_us(s.run, s.target, ran), LiveView::tr("%1 per step, simulated"));
    }
    rate(analyse::wall_step_us(s.run, ran), LiveView::tr("%1 per step of wall time"));
    table.row(name, lines.join(QLatin1Char('\n')));
}

} // namespace

QString detailsOf(const LiveState& s, std::int64_t line) {
    DetailTable table;
    table.row(LiveView::tr("Status"), statusText(s.run.status));
    table.row(LiveView::tr("Device"), deviceText(s));
    table.row(LiveView::tr("Batch"), s.run.batch_size ? formatCount(*s.run.batch_size) : QString());
    addRuns(table, s, LiveView::tr("Training"), s.training);
    addRuns(table, s, LiveView::tr("Evaluation"), s.evaluation);
    addRuns(table, s, LiveView::tr("Prediction"), s.prediction);
    const QString lines = QStringLiteral("\n");
    analyse::MetricValues last;
    for (const std::string& name : s.metricNames())
        last.emplace_back(name, *s.newest(name));
    std::stable_partition(last.begin(), last.end(),
                          [](const auto& value) { return analyse::is_loss(value.first); });
    if (!last.empty())
        table.row(LiveView::tr("Epoch %1").arg(formatCount(s.course.points.back().epoch + 1)),
                  metricsText(last, lines));
    const analyse::RunResults results = analyse::results_of(s.epoch_metrics);
    table.row(LiveView::tr("On test data"), metricsText(results.evaluation, lines));
    constexpr qsizetype most = 8;
    table.list(LiveView::tr("Epochs"), results.epochs.size(), most, [&](std::size_t back) { // the last first
        const analyse::EpochResult& epoch = results.epochs[results.epochs.size() - 1 - back];
        return asHtml(LiveView::tr("%1: %2").arg(formatCount(epoch.epoch),
                                                 metricsText(epoch.metrics, QStringLiteral(", "))));
    });
    if (line >= 0 && line < std::ssize(s.log)) {
        const profile::LogRecord& said = s.log[static_cast<std::size_t>(line)];
        table.row(LiveView::tr("Message"),
                  LiveView::tr("%1, %2: %3")
                      .arg(formatSeconds(static_cast<double>(said.time_ms) * 1e-3),
                           text(profile::to_string(said.level)), text(said.message)));
    }
    return table.html(text(s.run.name));
}

} // namespace tilescope::ui
