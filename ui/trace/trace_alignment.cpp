// SPDX-License-Identifier: GPL-3.0-or-later
// How a time line stands against that of the base.
#include "align_bar.h"
#include "base/try.h"
#include "trace_aligner.h"
#include "ui/trace/trace_view.h"

#include <QJsonArray>
#include <algorithm>

namespace tilescope::ui {

void TraceView::makeAligning() {
    align_bar_->hide();
    connect(align_bar_, &AlignBar::chosen, this, &TraceView::align);
    connect(timeline_, &TimelineWidget::baseDragged, this, [this](qint64 cycles) {
        if (aligner_ == nullptr)
            return;
        dragging_ = true;
        Alignment by_hand;
        by_hand.on = Alignment::On::Offset;
        by_hand.offset = aligner_->shift() + cycles;
        align(by_hand);
    });
    connect(timeline_, &TimelineWidget::baseDropped, this, [this] {
        dragging_ = false;
        showLimits();
        totals_timer_.start();
    });
}

/// With other files: as these were aligned before.
void TraceView::startAligning() {
    align_bar_->setVisible(feed_ != nullptr && base_ != nullptr);
    if (feed_ == nullptr || base_ == nullptr)
        return;
    aligner_ = new TraceAligner(*feed_, *base_, alignment(), sources().by_hand, this);
    connect(aligner_, &TraceAligner::changed, this, &TraceView::showAligned);
    connect(aligner_, &TraceAligner::matched, this, [this] {
        followNow(); // the base may have a partner of what is selected
        if (sources().difference)
            totals_timer_.start();
    });
}

/// That more is known of the files.
void TraceView::tellAligner() {
    if (aligner_ == nullptr)
        return;
    const TraceTables& tables = *feed_->tables();
    align_bar_->setChoices(tables.epochs(), tables.steps(), tables.program().operationNames());
    aligner_->tablesRead();
}

void TraceView::showAligned() {
    if (feed_ == nullptr || base_ == nullptr || !feed_->tables())
        return;
    align_bar_->setCurrent(aligner_->alignment(), aligner_->shift(), aligner_->found(), aligner_->words());
    base_->setShift(aligner_->shift());
    showLimits();
    rebuild();
    if (sources().difference && !dragging_) // it is of what is aligned
        totals_timer_.start();
}

void TraceView::showLimits() {
    if (dragging_ || feed_ == nullptr || !feed_->tables())
        return; // what is dragged must not change the scale under the pointer
    auto range = feed_->tables()->range;
    if (base_ != nullptr && base_->tables())
        range = {std::min(range.first, base_->tables()->range.first + shift(true)),
                 std::max(range.second, base_->tables()->range.second + shift(true))};
    timeline_->setLimits(range.first, range.second);
}

std::int64_t TraceView::shift(bool base) const {
    return base && aligner_ != nullptr ? aligner_->shift() : 0;
}

Alignment TraceView::alignment() const {
    if (!sources().base || !sources().current)
        return {};
    const QString base = sources().base->path();
    const QString now = sources().current->path();
    if (const auto found = alignments_.find({base, now}); found != alignments_.end())
        return found->second;
    const auto other = alignments_.find({now, base});
    return other != alignments_.end() ? other->second.swapped() : Alignment();
}

void TraceView::align(const Alignment& wanted) {
    if (aligner_ == nullptr)
        return;
    alignments_[{sources().base->path(), sources().current->path()}] = wanted;
    aligner_->setAlignment(wanted);
}

QJsonObject TraceView::saveComparison(const QString& base, const QString& now) const {
    const auto found = alignments_.find({base, now});
    return found == alignments_.end() || found->second.on == Alignment::On::Beginning
               ? QJsonObject()
               : QJsonObject{{QStringLiteral("align"), found->second.written()}};
}

Result<void> TraceView::restoreComparison(const QString& base, const QString& now, const QJsonObject& state) {
    Alignment alignment;
    if (const QJsonValue written = state[QStringLiteral("align")]; !written.isUndefined()) {
        TRY(alignment, Alignment::read(written.toObject()));
    }
    alignments_[{base, now}] = alignment;
    if (aligner_ != nullptr && sources().base->path() == base && sources().current->path() == now)
        aligner_->setAlignment(alignment);
    return {};
}

/// Both files' lanes of an IPU lie below each other, their counters below those.
void TraceView::addCompared(std::vector<TimelineGroup>& groups, const TimelineGroup& now,
                            const TimelineGroup& base) {
    for (const bool counters : {false, true})
        for (const TimelineGroup* group : {&now, &base}) {
            TimelineGroup part = *group;
            part.lanes = group->lanes.those(
                [&](const TimelineLane& lane) { return counterOf(lane.kind).has_value() == counters; });
            part.name += group->base ? tr("  (base)") : QString();
            part.name += counters ? tr("  ·  counters") : QString();
            if (!part.lanes.empty())
                groups.push_back(std::move(part));
        }
}

QJsonArray TraceView::keptAlignments() const {
    constexpr qsizetype most = 64;
    QJsonArray kept;
    for (const auto& [files, alignment] : alignments_)
        if (alignment.on != Alignment::On::Beginning && kept.size() < most)
            kept.append(QJsonObject{{QStringLiteral("base"), files.first},
                                    {QStringLiteral("now"), files.second},
                                    {QStringLiteral("align"), alignment.written()}});
    return kept;
}

void TraceView::takeAlignments(const QJsonArray& kept) {
    for (const auto& each : kept) {
        const QJsonObject object = each.toObject();
        if (const auto alignment = Alignment::read(object[QStringLiteral("align")].toObject()))
            alignments_[{object[QStringLiteral("base")].toString(),
                         object[QStringLiteral("now")].toString()}] = *alignment;
    }
}

} // namespace tilescope::ui
