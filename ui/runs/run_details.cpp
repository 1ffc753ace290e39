// SPDX-License-Identifier: GPL-3.0-or-later
#include "run_details.h"

#include "run_text.h"
#include "ui/live/live_state.h"
#include "ui/runs/runs_view.h"
#include "ui/session/format.h"
#include "ui/widgets/detail_table.h"
#include "ui/widgets/judged_text.h"

#include <QDir>
#include <QStringList>
#include <utility>
#include <vector>

namespace tilescope::ui {
namespace {

using analyse::RunEntry;

QString settingText(const RunEntry& run, const char* key) {
    const analyse::Setting* setting = run.setting(key);
    return setting == nullptr ? QString() : text(analyse::setting_text(setting->json, setting->unit));
}

QString targetText(const RunEntry& run) {
    const auto tiles = run.number("target.tiles_per_ipu");
    return !tiles ? RunsView::tr("the host")
                  : RunsView::tr("%1: %2 × %3 of %4 tiles, %5")
                        .arg(settingText(run, "target.system"),
                             formatAmount(run.number("target.ipus").value_or(0)),
                             settingText(run, "target.generation"), formatAmount(*tiles),
                             settingText(run, "target.clock_hz"));
}

/// A value, and what it changed by from that of the other run.
void addFigure(DetailTable& table, const QString& name, const QString& value,
               const std::optional<double>& now, const std::optional<double>& before, analyse::Sense sense) {
    QString html = asHtml(value);
    if (now && before)
        html += QStringLiteral(", ") +
                judgedHtml(formatChange(*before, *now), analyse::judged(*before, *now, sense));
    table.richRow(name, html);
}

} // namespace

QString RunsView::detailsHint() const {
    return tr(
        "Choose a run in the chart or the table: what it ran on, how it ended and its results are told "
        "here, and in what it differs from the run of its workload before. Of two that are chosen, each "
        "stands against the other.");
}

QString detailsOf(const RunEntry& run, const analyse::RunResults& results,
                  const std::optional<RunReference>& against, const QString& folder) {
    DetailTable table;
    table.row(RunsView::tr("File"), QDir::toNativeSeparators(text(run.path)));
    table.row(RunsView::tr("Workload"), text(run.workload));
    table.row(RunsView::tr("Label"), text(run.label));
    table.row(RunsView::tr("Recorded"),
              run.started_unix_ms > 0
                  ? RunsView::tr("%1 UTC").arg(text(analyse::date_text(run.started_unix_ms)))
                  : QString());
    table.row(RunsView::tr("Status"), outcomeText(run));
    if (!run.error.empty())
        return table.html(fileText(run.path, folder));
    table.row(RunsView::tr("Target"), targetText(run));
    table.row(RunsView::tr("Memory"), fitText(run));
    for (const analyse::RunFigure figure : analyse::run_figures)
        if (run[figure])
            addFigure(table, asHead(runFigureName(figure)), runFigureText(figure, *run[figure]), run[figure],
                      against ? against->run[figure] : std::nullopt, analyse::figure(figure).sense);
    const QString lines = QStringLiteral("\n");
    if (!results.epochs.empty())
        table.row(RunsView::tr("Epoch %1").arg(formatCount(results.epochs.back().epoch)),
                  metricsText(results.epochs.back().metrics, lines));
    table.row(RunsView::tr("On test data"), metricsText(results.evaluation, lines));
    if (!against)
        return table.html(fileText(run.path, folder));
    table.row(RunsView::tr("Against"),
              RunsView::tr("%1, %2").arg(fileText(against->run.path, folder), against->what));
    QStringList differences;
    for (const auto& setting : analyse::setting_differences(against->run, run))
        differences << asHtml(RunsView::tr("%1: %2, there %3")
                                  .arg(text(setting.name),
                                       text(analyse::setting_text(setting.now, setting.unit)),
                                       text(analyse::setting_text(setting.base, setting.unit))));
    constexpr qsizetype most = 20;
    table.list(RunsView::tr("Differs in"),
               differences.isEmpty() ? QStringList{RunsView::tr("no setting")} : differences, most);
    return table.html(fileText(run.path, folder));
}

} // namespace tilescope::ui
