// SPDX-License-Identifier: GPL-3.0-or-later
// What the panel at the side says of a pass, or of a plan: which it was that was chosen last.
#include "analyse/plan_choice.h"
#include "base/share.h"
#include "ui/compile/compile_view.h"
#include "ui/session/format.h"
#include "ui/session/subject_link.h"
#include "ui/widgets/detail_table.h"

#include <QStringList>
#include <set>

namespace tilescope::ui {
namespace {

constexpr qsizetype most_lines = 10;

/// Of a part: a link to its layer, where it has one.
QString partLink(const analyse::CompilePart& part) {
    return subjectLink(Subject::Layer, part.layer_id, text(part.event.name));
}

} // namespace

QString CompileView::detailsOf(const analyse::CompilePart& part) const {
    const analyse::CompileTime& time = *read_->time;
    DetailTable table;
    table.row(tr("Wall time"), formatWallTime(part.event.duration_us));
    if (const analyse::CompilePart* whole = time.whole_of(part)) {
        if (const auto share = time.share(part))
            table.row(tr("Share"), tr("%1 of the compilation").arg(formatPercent(*share)));
        if (const auto share = share_of(part.event.duration_us, whole->event.duration_us);
            share && whole->depth > 0)
            table.row(tr("Part of"), tr("%1, %2 of it").arg(text(whole->event.name), formatPercent(*share)));
        table.row(tr("Begins"), tr("after %1").arg(formatWallTime(part.event.start_us)));
    }
    const auto layer = read_->layers.find(part.layer_id);
    table.richRow(tr("Layer"), layer == read_->layers.end()
                                   ? QString()
                                   : subjectLink(Subject::Layer, part.layer_id, layer->second));
    table.row(tr("Changed"), text(part.event.detail));
    if (base_ && !base_->parts.empty()) { // the whole may be called otherwise
        const analyse::CompilePart* then =
            part.depth == 0 ? &base_->parts.front() : base_->part_named(part.event.name);
        table.row(tr("Base"),
                  then == nullptr
                      ? tr("does not have it")
                      : tr("%1, %2").arg(formatWallTime(then->event.duration_us),
                                         formatChange(static_cast<double>(then->event.duration_us),
                                                      static_cast<double>(part.event.duration_us))));
    }
    QStringList removed;
    for (const profile::RemovedOperationRecord& operation : read_->removed)
        if (operation.compile_event_id == part.event.id)
            removed << asHtml(text(operation.name));
    table.list(tr("Removed"), removed, most_lines);
    QStringList longest;
    for (const analyse::CompilePart* each : time.parts_of(part))
        longest << tr("%1, %2").arg(partLink(*each), formatWallTime(each->event.duration_us));
    table.list(tr("Its parts"), longest, most_lines);
    return table.html(text(part.event.name));
}

QString CompileView::detailsOf(const analyse::ChosenPlan& plan) const {
    DetailTable table;
    table.row(tr("Products"), formatCount(std::ssize(plan.operations)));
    const auto choice = analyse::plan_choice(plan.record);
    if (choice) {
        table.row(tr("Decided"), text(choice->description()));
        QStringList items;
        for (const analyse::PlanChoice::Item& item : choice->items)
            if (item.cycles != 0)
                items << tr("%1: %2").arg(asHtml(item.name), formatCycles(item.cycles));
        table.list(tr("Costs"), items, items.size());
    }
    table.row(tr("One run"), formatCycles(plan.record.cycles));
    table.row(tr("Temporary"), tr("%1 on the fullest tile").arg(formatBytes(plan.record.temporary_bytes)));
    if (plan.other) {
        if (const auto other = analyse::plan_choice(*plan.other); other && choice) {
            table.row(tr("Runner-up"), text(other->summary));
            table.row(tr("Against it"), text(analyse::against(*choice, *other)));
        }
    }
    const std::set<std::int64_t> made_for(plan.operations.begin(), plan.operations.end());
    QStringList operations;
    for (const profile::OperationRecord& operation : read_->operations)
        if (made_for.contains(operation.id))
            operations << subjectLink(Subject::Operation, operation.id, text(operation.name));
    table.list(tr("Made for"), operations, most_lines);
    return table.html(choice ? text(choice->summary) : text(plan.record.product));
}

/// Where nothing was chosen, of the compilation.
void CompileView::tellDetails() {
    if (!isVisible() || !read_ || read_->time->parts.empty())
        return;
    if (plan_ >= 0 && plan_ < std::ssize(read_->plans))
        return Q_EMIT detailsChanged(detailsOf(read_->plans[static_cast<std::size_t>(plan_)]));
    const analyse::CompilePart* part = read_->time->part(chart_->chosen());
    Q_EMIT detailsChanged(detailsOf(part == nullptr ? read_->time->parts.front() : *part));
}

} // namespace tilescope::ui
