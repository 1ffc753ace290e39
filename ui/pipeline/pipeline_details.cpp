// SPDX-License-Identifier: GPL-3.0-or-later
// What is told of the whole pipeline, and at the side of the pass that is chosen.
#include "analyse/pipeline_pace.h"
#include "analyse/stage_ipus.h"
#include "base/share.h"
#include "ui/pipeline/pipeline_view.h"
#include "ui/session/format.h"
#include "ui/timeline/pipeline_slice.h"
#include "ui/widgets/detail_table.h"

#include <QStringList>
#include <algorithm>

namespace tilescope::ui {

/// Which stages set the pace, and what the update would take if all had as much to do.
QString PipelineView::paceText() const {
    const analyse::PipelinePace pace = analyse::pipeline_pace(data_.ipu_update, data_.ipu_phases);
    if (data_.ipu_update.stages.size() < 2)
        return {};
    if (pace.others_wait == 0)
        return inHtml(tr("<br>The stages are even: beside copies none waits more than %1 of the time."),
                      {formatPercent(analyse::most_wait_of_pace)});
    std::vector<std::int64_t> stages = pace.stages;
    if (data_.stagesShareIpus()) { // they are IPUs
        stages.clear();
        for (const auto& [stage, ipu] : data_.stage_ipus)
            if (std::find(pace.stages.begin(), pace.stages.end(), ipu) != pace.stages.end())
                stages.push_back(stage);
    }
    const QString names = asHead(text(analyse::stages_text(stages)));
    const QString wait = formatPercent(pace.others_wait);
    const QString ideal =
        inHtml(tr(" Ideal with even stages: %1."), {formatTime(pace.even_cycles, data_.clock_hz)});
    if (names.isEmpty())
        return inHtml(tr("<br>Each stage waits for others in turn, %1 of the time."), {wait}) + ideal;
    return inHtml(stages.size() == 1 ? tr("<br>%1 sets each slot; %2 of the time.")
                                     : tr("<br>%1 set each slot; %2 of the time."),
                  {names, othersWaitText(pace, wait)}) +
           ideal;
}

/// "IPU 0 (stages 0 and 4) waits 37.2 %": the wait is that of IPUs, not of their stages, where they have
/// several.
QString PipelineView::othersWaitText(const analyse::PipelinePace& pace, const QString& wait) const {
    if (!data_.stagesShareIpus())
        return tr("the others wait %1").arg(wait);
    QStringList others;
    for (const analyse::PipelineStage& ipu : data_.ipu_update.stages) {
        if (std::find(pace.stages.begin(), pace.stages.end(), ipu.stage) != pace.stages.end())
            continue;
        std::vector<std::int64_t> stages;
        for (const auto& [stage, on] : data_.stage_ipus)
            if (on == ipu.stage)
                stages.push_back(stage);
        others << tr("IPU %1 (%2)").arg(ipu.stage).arg(text(analyse::stages_text(stages)));
    }
    constexpr qsizetype most_named = 2;
    return others.size() == 1           ? tr("%1 waits %2").arg(others.front(), wait)
           : others.size() > most_named ? tr("the other %1 IPUs wait %2").arg(others.size()).arg(wait)
                                        : tr("%1 wait %2").arg(others.join(tr(" and ")), wait);
}

void PipelineView::tellDetails() {
    if (!isVisible() || !data_.any())
        return;
    const auto* pass = analyse::pass_of(data_.records, stage_, micro_batch_, chosenActivity());
    Q_EMIT detailsChanged(pass == nullptr ? detailsOfAll()
                                          : sliceText(data_, pipelineSlice(*pass), pass->stage));
}

/// Of the whole update, while no pass is chosen.
QString PipelineView::detailsOfAll() const {
    const analyse::PipelineUpdate& update = data_.update;
    DetailTable table;
    table.row(tr("Length"), formatCyclesAndTime(update.cycles, data_.clock_hz));
    if (const auto cycles = update.cycles_per_batch(data_.replicas))
        table.row(tr("Per batch, without launching"), formatTime(*cycles, data_.clock_hz));
    if (data_.ipu_update.stages.size() > 1)
        table.row(tr("With even stages"),
                  formatTime(analyse::pipeline_pace(data_.ipu_update).even_cycles, data_.clock_hz));
    table.row(tr("Slots"), formatCount(std::ssize(update.schedule)));
    const std::string formula = analyse::bubble_formula(update);
    table.row(tr("Bubble of a stage"),
              formula.empty()
                  ? formatPercent(update.bubble())
                  : tr("%1 = %2, of S = %3 stages and N = %4 micro-batches")
                        .arg(formatPercent(update.bubble()), text(formula),
                             formatCount(std::ssize(update.stages)), formatCount(update.micro_batches)));
    const analyse::PipelineCycles all = data_.ipu_update.all_stages();
    QStringList lines;
    for (const analyse::PipelineActivity activity : analyse::pipeline_activities)
        if (all[activity] > 0)
            lines << asHtml(tr("%1: %2").arg(activityName(activity), formatPercent(all.share(activity))));
    table.list(tr("Time of all IPUs"), lines, lines.size());
    if (const auto host = data_.hostCycles())
        if (const auto share = share_of(*host, all.total()))
            table.row(tr("Of it the host's"),
                      tr("%1, within the passes and the update").arg(formatPercent(*share)));
    const analyse::StashFigures stashes = analyse::stash_figures(data_.stashes);
    if (stashes.deepest > 0)
        table.row(tr("Stashes"),
                  tr("%1, up to %2 deep").arg(formatBytes(stashes.bytes)).arg(stashes.deepest));
    table.row(tr("To see more"), tr("Click a pass, or choose one with the arrow keys."));
    return table.html(update.training ? tr("One weight update") : tr("One engine run"));
}

} // namespace tilescope::ui
