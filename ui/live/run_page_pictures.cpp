// SPDX-License-Identifier: GPL-3.0-or-later
// Curves, phases and gauges of the page.
#include "analyse/devices.h"
#include "analyse/phases.h"
#include "analyse/replicas.h"
#include "analyse/stage_ipus.h"
#include "analyse/summary.h"
#include "analyse/training_metrics.h"
#include "analyse/training_progress.h"
#include "ui/live/phase_chart.h"
#include "ui/live/run_page.h"
#include "ui/session/also_text.h"
#include "ui/session/format.h"
#include "ui/widgets/card.h"
#include "ui/widgets/ipu_gauges.h"
#include "ui/widgets/line_chart.h"
#include "ui/widgets/phase_look.h"
#include "ui/widgets/share_bar.h"

#include <QLabel>
#include <algorithm>
#include <map>
#include <utility>

namespace tilescope::ui {
namespace {

constexpr int card_lines = 15; // of text, at least

} // namespace

void RunPage::showCurves(const LiveState* base) {
    const std::int64_t epochs =
        std::max({state_.epochs(), base != nullptr ? base->epochs() : 0, std::int64_t{1}});
    const auto draw = [&](LineChart* chart, bool losses) {
        std::vector<Curve> curves;
        int color = 0;
        for (const std::string& name : state_.metricNames()) {
            if (analyse::is_loss(name) != losses)
                continue;
            const QString shown = QString::fromStdString(name);
            const ThemeColor own =
                losses && color == 0 ? ThemeColor(&Theme::compute) : ThemeColor::series(color);
            ++color;
            curves.push_back({shown, own, state_.course.of(name)});
            if (const auto tested = state_.evaluated(name); tested && !curves.back().points.empty())
                curves.push_back({tr("%1, evaluation").arg(shown),
                                  own,
                                  {{curves.back().points.back().x(), *tested}},
                                  false,
                                  true});
            if (base != nullptr)
                curves.push_back({tr("%1 (base)").arg(shown), own, base->course.of(name), true});
        }
        chart->setVisible(!curves.empty());
        chart->setCurves(std::move(curves), std::pair(0.0, static_cast<double>(epochs)));
    };
    draw(loss_, true);
    draw(metric_, false);
    no_curves_->setVisible(state_.course.points.empty());
    const bool graph = !state_.outputs.empty() || state_.run.workload_kind == profile::WorkloadKind::Graph;
    curves_title_->setText(graph ? tr("Outputs") : tr("Loss and metrics, means of each epoch so far"));
    curves_->setMinimumHeight(graph ? 0 : card_lines * fontMetrics().height());
    curves_->setVisible(!state_.run.estimate); // which has no values
    no_curves_->setAlignment(state_.outputs.empty() ? Qt::AlignCenter : Qt::AlignLeft | Qt::AlignTop);
    if (!state_.outputs.empty()) {
        QStringList lines;
        for (const auto& o : state_.outputs)
            lines << inHtml(tr("<b>%1</b> = %2"), {o.name, QString::fromStdString(o.values).left(80)}) +
                         (o.expected.empty() ? QString()
                                             : inHtml(tr(", expected %1"), {text(o.expected).left(80)}));
        no_curves_->setText(lines.join(QStringLiteral("<br>")));
    } else if (graph) {
        no_curves_->setText(state_.running() ? tr("They come when the graph has run.")
                                             : tr("This run recorded no outputs."));
    } else {
        no_curves_->setText(state_.running() ? tr("The curves begin with the first execution.")
                                             : tr("This run recorded no losses."));
    }
}

void RunPage::showPhases() {
    shares_->setParts(phaseShares(analyse::sum_of(state_.by_ipu)));
    std::vector<profile::PhaseSpan> spans = state_.phases;
    std::map<std::int64_t, QString> names;
    for (const profile::IpuRecord& ipu : state_.ipus)
        if (analyse::first_like(ipu, state_.ipus) == ipu.id)
            names[ipu.id] = ipuName(ipu.id, analyse::all_like(ipu.id, state_.ipus));
        else
            std::erase_if(spans, [&](const profile::PhaseSpan& span) { return span.ipu == ipu.id; });
    phases_->setSpans(std::move(spans), state_.target.clock_hz, std::move(names));
    const bool some = !state_.phases.empty();
    shares_->setVisible(some);
    shares_of_->setVisible(some);
    shares_of_->setText(state_.kind == profile::ExecutionKind::Train
                            ? tr("Training, all IPU time; below every engine run")
                            : tr("All IPU time"));
    phases_->parentWidget()->parentWidget()->setVisible(some);
    no_phases_->setVisible(!some);
    auto* card = findChild<QWidget*>(QStringLiteral("utilisation"));
    card->setVisible(!state_.too_full); // which is said above: there will be none
    card->setMinimumHeight(some || state_.running() ? card_lines * fontMetrics().height() : 0);
    const std::int64_t ended =
        state_.training.executions + state_.evaluation.executions + state_.prediction.executions;
    const bool under_way = analyse::in_first_execution(state_.progress, ended);
    no_phases_->setText(state_.run.device == profile::RunDevice::Cpu
                            ? tr("This run computes on the host: there are no IPU phases.")
                        : state_.running() && under_way
                            ? tr("The first execution has not ended yet: then its phases are here.")
                        : state_.running() ? tr("The phases begin with the first execution.")
                        : under_way
                            ? tr("The run ended within its first execution, whose phases are not known.")
                            : tr("This run recorded no executions."));
}

/// How full each IPU is, and how much it computes of late. Those of replicas that do the same stand for one.
void RunPage::showGauges() {
    const auto recent = state_.run.estimate ? std::nullopt : state_.recent; // which takes no time to compute
    std::vector<IpuGauges::Gauge> gauges;
    for (std::size_t i = 0; i < state_.ipus.size(); ++i) {
        const profile::IpuRecord& ipu = state_.ipus[i];
        if (analyse::first_like(ipu, state_.ipus) != ipu.id)
            continue;
        IpuGauges::Gauge gauge{
            ipuName(ipu.id, analyse::all_like(ipu.id, state_.ipus),
                    text(analyse::stages_text(analyse::stages_on(ipu, state_.stage_ipus))))};
        if (i < state_.fullest.size())
            gauge.setFull(state_.fullest[i].bytes, state_.target.bytes_per_tile);
        if (recent)
            if (const auto found = recent->by_ipu.find(ipu.id); found != recent->by_ipu.end())
                gauge.setBusy(analyse::utilisation(found->second));
        if (!recent && i < state_.by_ipu.size())
            gauge.setBusy(analyse::utilisation(state_.by_ipu[i]));
        gauges.push_back(std::move(gauge));
    }
    const QString runs = !recent ? QString()
                         : recent->executions == 1
                             ? tr("1 engine run")
                             : tr("%1 engine runs").arg(formatCount(recent->executions));
    const QString of_time =
        recent ? tr("in the last %1 of wall time (%2)").arg(formatSeconds(recent->seconds), runs)
               : tr("over all engine runs");
    gauges_of_->setText(tr("Fullest tile, gaps included, of its memory; share of the time in which it "
                           "computes, %1")
                            .arg(of_time));
    ipus_->setVisible(!gauges.empty() && state_.run.device != profile::RunDevice::Cpu);
    gauges_->setGauges(std::move(gauges));
}

} // namespace tilescope::ui
