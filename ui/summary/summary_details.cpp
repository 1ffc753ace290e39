// SPDX-License-Identifier: GPL-3.0-or-later
#include "summary_details.h"

#include "analyse/figures.h"
#include "analyse/headline.h"
#include "analyse/history.h"
#include "base/text.h"
#include "ui/session/format.h"
#include "ui/session/subject_link.h"
#include "ui/summary/figure_definition.h"
#include "ui/summary/summary_view.h"
#include "ui/widgets/card.h"
#include "ui/widgets/detail_table.h"

#include <QLocale>
#include <QStringList>
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace tilescope::ui {
namespace {

bool isSimulated(const analyse::Summary& s) {
    return s.run.device != profile::RunDevice::Cpu;
}

/// As analyse::figures() calls it.
QString nameOf(CardFigure figure) {
    switch (figure) {
    case CardFigure::StepTime:
        return QStringLiteral("step time");
    case CardFigure::Throughput:
        return QStringLiteral("throughput");
    case CardFigure::FullestTile:
        return QStringLiteral("fullest tile with gaps");
    case CardFigure::Rate:
        return QStringLiteral("rate");
    case CardFigure::None:
        break;
    }
    return {};
}

/// "12 steps in 4 engine runs"
QString runsText(std::int64_t executions, std::int64_t steps) {
    return SummaryView::tr("%1 in %2")
        .arg(formatCounted(steps, SummaryView::tr("step"), SummaryView::tr("steps")),
             formatCounted(executions, SummaryView::tr("engine run"), SummaryView::tr("engine runs")));
}

/// What times are of; "": the file has none.
QString timesText(const analyse::Summary& s) {
    return s.executions > 0 ? runsText(s.executions, s.steps)
           : s.planned > 0  ? SummaryView::tr("as planned: no engine run has ended")
                            : QString();
}

QString exactly(double value, const QString& unit) {
    return inHtml(QStringLiteral("<b>%1 %2</b>"), {text(fixed_text(value, 3)), unit});
}

/// What comparisons and the documentation call a figure; where a key is of several, its last word.
QString nameOf(const std::string& key) {
    for (const analyse::Figure& figure : analyse::figures()) {
        const QString known = QString::fromUtf8(figure.key).remove(QStringLiteral("[]"));
        if (known == text(key))
            return text(figure.name);
    }
    return text(key.substr(key.rfind('.') + 1)).replace(QLatin1Char('_'), QLatin1Char(' '));
}

/// Reasons, each with the figures of the report that are absent for it, in the order of the first of them.
std::vector<std::pair<QString, QStringList>> absentByReason(const analyse::Summary& s) {
    std::vector<std::pair<QString, QStringList>> by_reason;
    for (const analyse::Absence& each : s.absent) {
        const QString reason = text(each.reason);
        auto at = std::find_if(by_reason.begin(), by_reason.end(),
                               [&](const auto& known) { return known.first == reason; });
        if (at == by_reason.end())
            at = by_reason.insert(at, {reason, {}});
        at->second << nameOf(each.figure);
    }
    return by_reason;
}

} // namespace

std::optional<double> valueOf(const analyse::Summary& s, CardFigure figure) {
    switch (figure) {
    case CardFigure::StepTime:
        return s.step_us;
    case CardFigure::Throughput:
        return s.samples_per_s;
    case CardFigure::FullestTile:
        return s.memory ? std::optional(static_cast<double>(s.memory->fullest_with_gaps.bytes))
                        : std::nullopt;
    case CardFigure::Rate:
        return analyse::flops_per_s(s);
    case CardFigure::None:
        break;
    }
    return {};
}

QString whyAbsent(const analyse::Summary& s, CardFigure figure) {
    return text(s.why_absent(figure == CardFigure::FullestTile         ? "memory"
                             : figure == CardFigure::Throughput        ? "timing.samples_per_s"
                             : figure == CardFigure::Rate && s.step_us ? "timing.peak_share"
                                                                       : "timing.step_us"));
}

QString exactHtml(const analyse::Summary& s, CardFigure figure) {
    const auto value = valueOf(s, figure);
    if (!value)
        return {};
    switch (figure) {
    case CardFigure::StepTime:
        return isSimulated(s) ? exactly(*value * 1e-6 * s.target.clock_hz, SummaryView::tr("cycles")) +
                                    SummaryView::tr(", %1 µs").arg(text(fixed_text(*value, 3)))
                              : exactly(*value, SummaryView::tr("µs"));
    case CardFigure::Throughput:
        return exactly(*value, SummaryView::tr("samples per second"));
    case CardFigure::FullestTile:
        return inHtml(QStringLiteral("<b>%1</b>"), {SummaryView::tr("%1 of %2 bytes")
                                                        .arg(formatCount(s.memory->fullest_with_gaps.bytes),
                                                             formatCount(s.target.bytes_per_tile))});
    case CardFigure::Rate:
        return exactly(*value * 1e-9, SummaryView::tr("GFLOP per second"));
    case CardFigure::None:
        break;
    }
    return {};
}

FigureKind kindOf(CardFigure figure) {
    return figure == CardFigure::FullestTile ? FigureKind::Memory
           : figure == CardFigure::Rate      ? FigureKind::Compute
                                             : FigureKind::Host;
}

QString bandText(const analyse::Summary& s, FigureKind kind) {
    const profile::ErrorBandRecord* known = analyse::band_of(s.error_bands, kind);
    return known == nullptr ? QString() : text(analyse::error_text(*known));
}

/// Of each card the exact value, how it comes about, and how far off figures of its kind are.
void SummaryView::showTips(const analyse::Summary& s) {
    const auto tip = [&](FigureCard* card, const QString& formula) {
        const CardFigure figure = figureOf(card);
        QStringList lines{exactHtml(s, figure), asHtml(formula), asHtml(bandText(s, kindOf(figure))),
                          asHtml(leads_[card])};
        lines.removeAll(QString());
        card->setToolTip(QStringLiteral("<p>") + lines.join(QStringLiteral("</p><p>")) +
                         QStringLiteral("</p>"));
    };
    tip(step_, isSimulated(s) ? tr("Time of the engine runs, launching included, divided by their steps")
                              : tr("Wall time of the engine runs divided by their steps"));
    tip(throughput_, tr("Samples of a step divided by the step time"));
    tip(memory_, tr("The highest end of the allocations of one tile of any IPU: these bytes must fit"));
    tip(rate_,
        tr("Floating-point operations of all replicas, as the graph counts them, divided by the time; of the "
           "peak: the cycles that they would take at the peak of their types, of all cycles of the IPUs"));
}

CardFigure SummaryView::figureOf(const FigureCard* card) const {
    return card == step_         ? CardFigure::StepTime
           : card == throughput_ ? CardFigure::Throughput
           : card == memory_     ? CardFigure::FullestTile
           : card == rate_       ? CardFigure::Rate
                                 : CardFigure::None;
}

/// The panel itself may take the focus, and what it says stays.
void SummaryView::noteFocus(QWidget* now) {
    if (now == nullptr || !isAncestorOf(now))
        return;
    const auto* card = qobject_cast<FigureCard*>(now);
    if (std::exchange(front_, card) != card)
        tellDetails();
}

void SummaryView::tellDetails() {
    if (!isVisible())
        return;
    const CardFigure figure = figureOf(front_);
    Q_EMIT detailsChanged(!now_ ? QString()
                          : figure == CardFigure::None
                              ? detailsOfAll(now_->summary)
                              : detailsOf(now_->summary, base_ ? &base_->run.summary : nullptr, figure));
}

QString detailsOf(const analyse::Summary& s, const analyse::Summary* base, CardFigure figure) {
    DetailTable table;
    const auto value = valueOf(s, figure);
    table.richRow(SummaryView::tr("Value"), exactHtml(s, figure));
    if (!value)
        table.row(SummaryView::tr("Absent"), whyAbsent(s, figure));
    if (base != nullptr) {
        const auto before = valueOf(*base, figure);
        table.richRow(SummaryView::tr("Base"), exactHtml(*base, figure));
        table.row(SummaryView::tr("Change"), value && before ? formatChange(*before, *value) : QString());
    }
    if (figure == CardFigure::FullestTile && s.memory) {
        const auto link = [](const analyse::FullestTile& of) {
            return subjectLink(Subject::Tile, of.tile,
                               SummaryView::tr("IPU %1 tile %2").arg(of.ipu).arg(of.tile), of.ipu);
        };
        table.richRow(SummaryView::tr("Tile"), link(s.memory->fullest_with_gaps));
        if (const auto free = s.free_bytes())
            table.row(SummaryView::tr("Free"), formatBytes(*free));
        table.row(SummaryView::tr("Without gaps"), SummaryView::tr("%1 on the tile with most live at once")
                                                       .arg(formatBytes(s.memory->fullest.bytes)));
        if (const analyse::FullestTile& most = s.memory->most_code; s.memory->code_limit && most.bytes > 0)
            table.richRow(SummaryView::tr("Most code"),
                          inHtml(SummaryView::tr("%1 on %2, %3 of the first %4 of a tile, where instructions "
                                                 "are fetched from"),
                                 {formatBytes(most.bytes), Html{link(most)},
                                  formatPercent(most.share(*s.memory->code_limit).value_or(0)),
                                  formatBytes(*s.memory->code_limit)}));
    }
    if (figure == CardFigure::Rate && s.peak_share)
        table.row(SummaryView::tr("Of peak"), formatPercent(*s.peak_share));
    if (figure == CardFigure::Rate && s.model_flops_utilisation)
        table.row(
            SummaryView::tr("Without recomputation"),
            SummaryView::tr("%1 (model FLOPs utilisation)").arg(formatPercent(*s.model_flops_utilisation)));
    if (figure != CardFigure::FullestTile)
        table.row(SummaryView::tr("Of"), timesText(s));
    if (const auto known = definitionOf(nameOf(figure))) {
        table.row(SummaryView::tr("Per"), known->per);
        table.row(SummaryView::tr("Definition"), known->text);
    }
    table.row(SummaryView::tr("To trust"), bandText(s, kindOf(figure)));
    return table.html(asHead(nameOf(figure)));
}

QString detailsOfAll(const analyse::Summary& s) {
    DetailTable table;
    table.row(SummaryView::tr("Recorded"),
              s.run.started_unix_ms > 0
                  ? SummaryView::tr("%1 UTC").arg(text(analyse::date_text(s.run.started_unix_ms)))
                  : QString());
    table.row(SummaryView::tr("By version"), text(s.run.tool_version));
    table.row(SummaryView::tr("Times"), timesText(s));
    table.row(SummaryView::tr("Layers"), text(analyse::per(s.basis)));
    if (s.loops.replicas > 1)
        table.row(SummaryView::tr("Costs"),
                  SummaryView::tr("of one of %1 replicas").arg(formatCount(s.loops.replicas)));
    constexpr qsizetype most = 8;
    table.list(SummaryView::tr("Programs"), s.programs.size(), most, [&](std::size_t i) {
        const analyse::DeviceProgram& program = s.programs[i];
        return asHtml(program.ran && program.ran->executions > 0
                          ? SummaryView::tr("%1: %2").arg(
                                text(program.label()), runsText(program.ran->executions, program.ran->steps))
                          : text(program.label()));
    });
    for (const auto& [kind, name] : {std::pair(FigureKind::Compute, SummaryView::tr("Compute")),
                                     std::pair(FigureKind::Host, SummaryView::tr("Whole steps")),
                                     std::pair(FigureKind::Memory, SummaryView::tr("Memory"))})
        if (const profile::ErrorBandRecord* known = analyse::band_of(s.error_bands, kind))
            table.row(name, SummaryView::tr("%1, of %2")
                                .arg(text(analyse::range_text(*known)),
                                     formatCounted(known->rows, SummaryView::tr("figure"),
                                                   SummaryView::tr("figures"))));
    const auto absent = absentByReason(s);
    table.list(SummaryView::tr("Absent"), absent.size(), most, [&](std::size_t i) {
        return asHtml(
            SummaryView::tr("%1: %2").arg(absent[i].first, absent[i].second.join(QStringLiteral(", "))));
    });
    return table.html(SummaryView::tr("What the figures rest on"));
}

} // namespace tilescope::ui
