// SPDX-License-Identifier: GPL-3.0-or-later
#include "step_details.h"

#include "analyse/program_time.h"
#include "base/try.h"
#include "profile/lookup.h"
#include "ui/program/program_view.h"
#include "ui/session/format.h"
#include "ui/session/step_kind.h"
#include "ui/session/subject_link.h"
#include "ui/widgets/phase_look.h"

#include <QStringList>
#include <algorithm>

namespace tilescope::ui {
namespace {

/// Of a compute set, on the IPU that runs it: a link.
Result<QString> slowestTile(const profile::Profile& file, const ProgramStep& step, double clock_hz) {
    if (step.compute_set < 0)
        return QString();
    TRY(const auto ipus, file.ipus());
    TRY(const auto longest, analyse::longest_tile(file, step.compute_set));
    if (!longest)
        return QString();
    const QString name = ipus.size() > 1
                             ? ProgramView::tr("IPU %1 tile %2").arg(longest->ipu).arg(longest->tile)
                             : ProgramView::tr("tile %1").arg(longest->tile);
    return ProgramView::tr("%1, %2").arg(subjectLink(Subject::Tile, longest->tile, name, longest->ipu),
                                         formatTime(longest->cycles, clock_hz));
}

/// Whose bytes an exchange moves: links, what moves most first.
Result<void> addMoved(DetailTable& table, const profile::Profile& file, const ProgramStep& step) {
    if (step.exchange < 0)
        return {};
    TRY(const auto all, file.exchange_variables());
    auto moved = all.those([&](const auto& each) { return each.exchange_id == step.exchange; });
    std::stable_sort(moved.begin(), moved.end(),
                     [](const auto& a, const auto& b) { return a.bytes > b.bytes; });
    constexpr std::size_t most = 6;
    QStringList lines;
    for (std::size_t i = 0; i < std::min(most, moved.size()); ++i) {
        const profile::ExchangeVariableRecord& each = moved[i];
        TRY(const auto name, profile::name_of(file, profile::Named::Variable, each.variable_id));
        lines << ProgramView::tr("%1, %2").arg(subjectLink(Subject::Variable, each.variable_id, text(name)),
                                               formatBytes(each.bytes));
    }
    table.firstOf(ProgramView::tr("Moves"), lines, std::ssize(moved));
    return {};
}

} // namespace

Result<QString> stepDetails(const profile::Profile& file, const ProgramStep& step, const QString& layer,
                            const StepMeasure& measure, DetailTable table) {
    TRY(const auto vertices, file.vertices(step.compute_set));
    TRY(const auto operation, profile::name_of(file, profile::Named::Operation, step.operation));
    table.row(ProgramView::tr("Kind"), stepKindName(step.kind));
    table.row(ProgramView::tr("Part"), stepPartName(step.part));
    table.richRow(ProgramView::tr("Layer"), subjectLink(Subject::Layer, step.layer, layer));
    table.richRow(ProgramView::tr("Operation"),
                  subjectLink(Subject::Operation, step.operation, text(operation)));
    table.row(ProgramView::tr("Repeats"), step.repeats > 1 ? formatCount(step.repeats) : QString());
    const double clock_hz = measure.clock_hz;
    const auto shown = [&](std::int64_t of_execution) {
        return measure.loops.mean(of_execution, measure.basis);
    };
    table.row(ProgramView::tr("Runs"),
              text(analyse::runs_text(step.time.runs, measure.loops.count(measure.basis), measure.basis)));
    const auto cycles = [&](const QString& name, double value) {
        if (value > 0)
            table.row(name, formatCyclesAndTime(value, clock_hz));
    };
    cycles(ProgramView::tr("Each run"), step.time.each());
    cycles(ProgramView::tr("In all"), shown(step.time.elapsed));
    table.row(ProgramView::tr("Share"), formatPercent(step.share));
    if (measure.ipus > 1)
        table.row(ProgramView::tr("IPU time"), ProgramView::tr("of %1 IPUs added up:").arg(measure.ipus));
    const profile::PhaseCycles& phases = step.time.ipu_time;
    for (const PhaseLook& look : phaseLooks())
        cycles(look.title, shown(phases.*look.cycles));
    table.row(ProgramView::tr("Moved"),
              step.time.bytes > 0 ? formatBytes(shown(step.time.bytes)) : QString());
    if (step.balance >= 0)
        table.row(ProgramView::tr("Balance"), formatPercent(step.balance));
    table.row(ProgramView::tr("Code"),
              step.time.code_bytes ? formatBytes(static_cast<double>(*step.time.code_bytes)) : QString());
    TRY(const auto slowest, slowestTile(file, step, clock_hz));
    table.richRow(ProgramView::tr("Slowest tile"), slowest);
    TRY(addMoved(table, file, step));
    if (step.compute_set >= 0) {
        QStringList lines;
        for (const profile::VertexRecord& vertex : vertices)
            lines << ProgramView::tr("%1 × %2 on %3 tiles")
                         .arg(formatCount(vertex.count), QString::fromStdString(vertex.codelet),
                              formatCount(vertex.tiles));
        table.row(ProgramView::tr("Vertices"), lines.join(QLatin1Char('\n')));
    }
    return table.html(step.name);
}

} // namespace tilescope::ui
