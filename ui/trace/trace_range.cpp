// SPDX-License-Identifier: GPL-3.0-or-later
// A time or a range of the time line that is typed: the part of TraceView with its field.
#include "ui/session/format.h"
#include "ui/timeline/typed_time.h"
#include "ui/trace/trace_view.h"
#include "ui/widgets/leave_field.h"
#include "ui/widgets/view_action.h"

#include <QLineEdit>
#include <algorithm>

namespace tilescope::ui {

void TraceView::makeRangeBox() {
    range_box_->setObjectName(QStringLiteral("traceRange"));
    range_box_->setPlaceholderText(tr("Time or range  ( Shift+R )"));
    range_box_->setAccessibleName(tr("Time or range"));
    range_box_->setToolTip(
        tr("Enter goes there: 277 ms, 368,000,000 (cycles); or selects it: 10 - 20 ms, 277 ms + 300 us"));
    range_box_->setClearButtonEnabled(true);
    range_box_->setMinimumWidth(fontMetrics().averageCharWidth() * 30);
    range_box_->setMaximumWidth(fontMetrics().averageCharWidth() * 36);
    connect(range_box_, &QLineEdit::returnPressed, this, [this] {
        if (range_box_->text().trimmed().isEmpty())
            clearRange();
        else if (!goToTime(range_box_->text()))
            return Q_EMIT message(
                tr("“%1” is no time and no range of it: 277 ms, 368,000,000, 10 - 20 ms, 277 ms + 300 us")
                    .arg(range_box_->text().trimmed()));
        timeline_->setFocus();
    });
    leaveFieldBy({Qt::Key_Escape}, range_box_, [this] {
        showRange();
        timeline_->setFocus();
    });
    addKeyAction(timeline_, tr("Type a time or a range"), Qt::SHIFT | Qt::Key_R, [this] {
        range_box_->setFocus();
        range_box_->selectAll();
    });
}

void TraceView::showRange() {
    const auto range = timeline_->range();
    const double hz = feed_ == nullptr || !feed_->tables() ? 0 : feed_->tables()->clock_hz;
    range_box_->setText(range ? rangeText(range->first, range->second, hz) : QString());
}

bool TraceView::goToTime(const QString& typed) {
    if (feed_ == nullptr || !feed_->tables()) {
        time_wanted_ = typed;
        return true;
    }
    const auto time = typedTime(typed, feed_->tables()->clock_hz);
    if (!time)
        return false;
    subject_due_ = false; // a time that was typed comes before what another view chose
    const auto [first, last] = timeline_->view().limits();
    if (time->to) {
        const std::int64_t from = std::clamp(time->from, first, last);
        const std::int64_t to = std::clamp(*time->to, first, last);
        if (from < to) {
            timeline_->setRange(std::pair(from, to));
            selectRange(selection() == nullptr ? -1 : selection()->current().ipu, false, from, to);
            timeline_->frame(static_cast<double>(from), static_cast<double>(to));
            return true;
        }
    } else if (time->from >= first && time->from <= last) {
        const double span = timeline_->view().span();
        const double at = static_cast<double>(time->from);
        timeline_->show(at - span / 2, at + span / 2);
        return true;
    }
    Q_EMIT message(tr("%1 is not on the time line, which ends at %2.")
                       .arg(typed.trimmed(), formatTime(last, feed_->tables()->clock_hz)));
    return true;
}

} // namespace tilescope::ui
