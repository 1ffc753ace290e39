// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/phases.h"
#include "base/share.h"
#include "base/try.h"
#include "live_step.h"
#include "profile/lookup.h"
#include "ui/session/format.h"
#include "ui/session/step_kind.h"
#include "ui/session/subject_link.h"
#include "ui/widgets/detail_table.h"

#include <QStringList>
#include <algorithm>

namespace tilescope::ui {
namespace {

/// What the program step is.
Result<void> addStep(DetailTable& table, const profile::Profile& file, std::int64_t program) {
    TRY(const auto steps, file.program());
    const auto step =
        std::find_if(steps.begin(), steps.end(), [program](const auto& each) { return each.id == program; });
    if (step == steps.end())
        return {};
    table.row(LivenessView::tr("Kind"), stepKindName(step->kind));
    TRY(const auto operations, file.operations());
    for (const profile::OperationRecord& operation : operations) {
        if (operation.id != step->operation_id)
            continue;
        table.richRow(LivenessView::tr("Operation"),
                      subjectLink(Subject::Operation, operation.id, text(operation.name)));
        TRY(const auto layer, profile::name_of(file, profile::Named::Layer, operation.layer_id));
        table.richRow(LivenessView::tr("Layer"),
                      subjectLink(Subject::Layer, operation.layer_id, text(layer)));
    }
    TRY(const auto target, file.target());
    table.row(LivenessView::tr("Each run"),
              formatCyclesAndTime(analyse::cycles_of_run(*step), target.clock_hz));
    return {};
}

QString ofWhole(std::int64_t bytes, std::int64_t whole) {
    const auto share = share_of(bytes, whole);
    return share ? LivenessView::tr("%1, %2 of %3")
                       .arg(formatBytes(bytes), formatPercent(*share), formatBytes(whole))
                 : formatBytes(bytes);
}

/// How many there are and what they take, and below it the largest: links.
void addVariables(DetailTable& table, const QString& name, const analyse::Liveness& live,
                  const std::vector<std::size_t>& indices, std::int64_t bytes) {
    if (indices.empty())
        return;
    constexpr qsizetype most = 7;
    table.list(name, indices.size() + 1, most, [&](std::size_t line) {
        if (line == 0)
            return LivenessView::tr("%1, %2").arg(
                formatCounted(indices.size(), LivenessView::tr("variable"), LivenessView::tr("variables")),
                formatBytes(bytes));
        const profile::VariableRecord& v = live.variables[indices[line - 1]];
        return LivenessView::tr("%1, %2").arg(subjectLink(Subject::Variable, v.id, text(v.name), v.ipu),
                                              formatBytes(v.bytes));
    });
}

/// How far below the peak it is.
QString peakText(const analyse::Liveness& live, const analyse::Liveness::Point& here) {
    const auto at = static_cast<std::size_t>(live.peak());
    const analyse::Liveness::Point& peak = live.points[at];
    if (peak.step == here.step)
        return LivenessView::tr("it is the peak step");
    return LivenessView::tr("%1 more at %2, step %3")
        .arg(formatBytes(peak.total() - here.total()),
             subjectLink(Subject::Step, peak.program, text(live.step_names[at])), formatCount(peak.step));
}

QString baseText(const LivenessView::Base& base, const analyse::Liveness::Point& here) {
    const auto step = base.stepOf(here.program);
    if (!step)
        return LivenessView::tr("has no such step");
    const analyse::Liveness& live = *base.read.live;
    const auto& then = live.points[static_cast<std::size_t>(live.point_of(*step))];
    return LivenessView::tr("%1 at its step %2, %3")
        .arg(formatBytes(then.total()), formatCount(*step),
             formatChange(static_cast<double>(then.total()), static_cast<double>(here.total())));
}

} // namespace

Result<QString> detailsOfStep(const profile::Profile& file, const LivenessView::Read& now, std::int64_t step,
                              const LivenessView::Base* base) {
    const analyse::Liveness& live = *now.live;
    const auto at = static_cast<std::size_t>(live.point_of(step));
    const analyse::Liveness::Point& here = live.points[at];
    DetailTable table;
    table.row(LivenessView::tr("Step"),
              LivenessView::tr("%1 of %2").arg(formatCount(here.step), formatCount(live.steps())));
    TRY(addStep(table, file, here.program));
    table.row(LivenessView::tr("On"), placeOf(live));
    table.row(LivenessView::tr("Live"), ofWhole(here.total(), live.limit()));
    table.row(LivenessView::tr("Always live"), formatBytes(here.always));
    table.row(LivenessView::tr("Not always live"), formatBytes(here.not_always));
    if (live.chosen.size() != 1 && live.fullest_known())
        table.row(LivenessView::tr("Fullest tile"), ofWhole(here.fullest_tile, live.bytes_per_tile));
    const analyse::Liveness::Turn turn = live.turn_at(here.step);
    if (turn.change)
        table.row(LivenessView::tr("Since the step before"),
                  formatBytesDifference(static_cast<double>(*turn.change)));
    addVariables(table, LivenessView::tr("Appear"), live, turn.appear, turn.appear_bytes);
    addVariables(table, LivenessView::tr("Gone"), live, turn.gone, turn.gone_bytes);
    table.richRow(LivenessView::tr("Peak"), peakText(live, here));
    if (base != nullptr)
        table.row(LivenessView::tr("Base"), baseText(*base, here));
    return table.html(text(live.step_names[at]));
}

} // namespace tilescope::ui
