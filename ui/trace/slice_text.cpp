// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/trace/slice_text.h"

#include "base/share.h"
#include "trace_text.h"
#include "ui/session/format.h"
#include "ui/session/subject_link.h"
#include "ui/widgets/phase_look.h"

#include <cmath>

namespace tilescope::ui {
namespace {

class Text {
  public:
    explicit Text(const TraceTables& tables) : tables_(tables) {}

    void row(const QString& name, const QString& value) {
        if (!value.isEmpty())
            rows.emplace_back(name, value);
    }
    QString cycles(std::int64_t value) const { return formatCyclesAndTime(value, tables_.clock_hz); }
    void time(const profile::PhaseCycles& spent) {
        for (const PhaseLook& look : phaseLooks())
            if (const auto share = analyse::phase_share(spent, look.cycles); share && *share > 0)
                row(look.title,
                    QStringLiteral("%1, %2").arg(cycles(spent.*look.cycles), formatPercent(*share)));
    }
    std::vector<std::pair<QString, QString>> rows;

  private:
    const TraceTables& tables_;
};

/// "Merged: 96 program steps of 12 operations, 115,241 cycles. Longest: NAME, 23,408 cycles (20.3 %)."
QString merged_sentence(const TraceTables& tables, const TimelineSlice& slice, const QString& unit,
                        std::optional<std::int64_t> operations) {
    const std::int64_t length = slice.end - slice.start;
    QString what = QStringLiteral("%1 %2").arg(formatCount(slice.merged), unit);
    if (operations)
        what += *operations == 1 ? text(" of 1 operation")
                                 : text(" of %1 operations").arg(formatCount(*operations));
    QString sentence = text("Merged: %1, %2.").arg(what, formatCyclesAndTime(length, tables.clock_hz));
    if (const auto share = share_of(slice.longest_cycles, length); share && slice.longest >= 0)
        sentence +=
            text(" Longest: %1, %2 (%3).")
                .arg(tables.program().step(slice.longest).name,
                     formatCyclesAndTime(slice.longest_cycles, tables.clock_hz), formatPercent(*share));
    return sentence;
}

} // namespace

QString SliceText::html(bool linked) const {
    QString table;
    for (const auto& [name, value] : rows) {
        const auto link = linked ? links.find(name) : links.end();
        table += inHtml(QStringLiteral("<tr><td>%1&nbsp;&nbsp;</td><td align=right>%2</td></tr>"),
                        {name, link == links.end() ? HtmlPart(value) : HtmlPart(Html{link->second})});
    }
    const QString said = sentence.isEmpty() ? QString() : inHtml(QStringLiteral("<p>%1</p>"), {sentence});
    return inHtml(QStringLiteral("<h3>%1</h3>%2<table>%3</table>"), {title, Html{said}, Html{table}});
}

SliceText slice_text(const TraceTables& tables, const TimelineSlice& slice, const TimelineLane& lane,
                     std::int64_t ipu, std::optional<std::int64_t> operations) {
    Text rows(tables);
    const bool merged = slice.label.isEmpty();
    if (ipu >= 0) // else it is the host's
        rows.row(text("IPU"), QString::number(ipu));
    rows.row(text("Execution"), tables.executionName(slice.execution));
    if (slice.step >= 0 && tables.updates(slice.execution))
        rows.row(text("Weight update of the execution"), formatCount(slice.step + 1));
    else if (slice.step >= 0 && tables.stepsOfTurn(slice.execution) == 1)
        rows.row(text("Step of the execution"), formatCount(slice.step + 1));
    if (slice.micro_batch >= 0)
        rows.row(text("Micro-batch"), formatCount(slice.micro_batch));
    rows.row(text("Layer"), tables.program().layerName(slice.layer));
    rows.row(text("Operation"), tables.program().operationName(slice.operation));
    rows.row(text("Program step"),
             slice.program >= 0 ? tables.program().step(slice.program).name : QString());
    rows.row(text("Start"), rows.cycles(slice.start));
    rows.row(text("Length"), rows.cycles(slice.end - slice.start));
    if (!merged && slice.merged > 1)
        rows.row(text("Program steps"), formatCount(slice.merged));
    rows.time(slice.cycles);
    if (lane.tiles)
        if (const auto found = lane.tiles->slowest.find(slice.program); found != lane.tiles->slowest.end()) {
            rows.row(text("Slowest tile"),
                     text("%1: computes %2")
                         .arg(formatCount(found->second.tile), rows.cycles(found->second.cycles)));
            rows.row(text("Mean of all tiles"), rows.cycles(std::llround(found->second.mean)));
            rows.row(text("Vertices of the compute set"), QString::fromStdString(found->second.vertices));
        }
    if (!slice.traced)
        rows.row(text("Trace"), text("none: only the totals of the execution are known"));
    std::map<QString, QString> links;
    const auto link = [&](const char* row, Subject subject, std::int64_t id) {
        for (const auto& [name, value] : rows.rows)
            if (name == text(row))
                links[name] = subjectLink(subject, id, value);
    };
    if (slice.micro_batch >= 0)
        links[text("Micro-batch")] =
            subjectLink(Subject::MicroBatch, slice.micro_batch, formatCount(slice.micro_batch), ipu);
    link("IPU", Subject::Ipu, ipu);
    link("Layer", Subject::Layer, slice.layer);
    link("Operation", Subject::Operation, slice.operation);
    link("Program step", Subject::Step, slice.program);
    if (merged)
        return {text("Merged"), merged_sentence(tables, slice, lane.unit, operations), std::move(rows.rows),
                std::move(links)};
    return {slice.label, {}, std::move(rows.rows), std::move(links)};
}

} // namespace tilescope::ui
