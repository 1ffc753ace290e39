// SPDX-License-Identifier: GPL-3.0-or-later
// The context menu of the time line.
#include "ui/session/subject_menu.h"
#include "ui/trace/slice_text.h"
#include "ui/trace/trace_view.h"

#include <QAction>
#include <QCoreApplication>
#include <QMouseEvent>

namespace tilescope::ui {

void TraceView::makeMenu() {
    const auto choose_at = [this](const QPoint& at) { // as a click does; beside slices nothing is let go
        if (timeline_->description(at).isEmpty())
            return;
        QWidget* lanes = timeline_->viewport();
        const QPointF global(lanes->mapToGlobal(at));
        for (const auto& [kind, held] : {std::pair(QEvent::MouseButtonPress, Qt::LeftButton),
                                         std::pair(QEvent::MouseButtonRelease, Qt::NoButton)}) {
            QMouseEvent click(kind, at, global, Qt::LeftButton, held, {});
            QCoreApplication::sendEvent(lanes, &click);
        }
    };
    offerMenu(
        timeline_, choose_at, [this] { return timeline_->viewport()->mapFromGlobal(belowChosen()); },
        [this](const QPoint& global) {
            if (feed_ != nullptr && feed_->tables() && selection() != nullptr)
                showMenu(global);
        });
}

/// The program steps of the selected range, else of the chosen slice; "": neither is of an IPU of the file.
QString TraceView::stepsSql() const {
    const auto range = timeline_->range();
    const bool base = range ? range_base_ : chosen_.base;
    const std::int64_t ipu = range ? range_ipu_ : chosen_.ipu;
    if (base || ipu < 0 || (!range && chosen_.start < 0))
        return {};
    return QStringLiteral("SELECT * FROM trace WHERE ipu = %1 AND start_cycle >= %2 AND start_cycle < %3\n"
                          "ORDER BY start_cycle")
        .arg(ipu)
        .arg(range ? range->first : chosen_.start)
        .arg(range ? range->second : chosen_.end);
}

void TraceView::showMenu(const QPoint& global) {
    SubjectMenu menu(*this);
    const Selection& s = selection()->current();
    QStringList places;
    const auto place = [&places](const char* view) { places << QLatin1String(view); };
    if (s.operation >= 0 || s.layer >= 0 || s.program >= 0)
        for (const char* view : {"operations", "program", "graph", "liveness", "memory"})
            place(view);
    if (s.program >= 0)
        place("exchange");
    if (s.micro_batch >= 0)
        place("pipeline");
    place("sharding");
    menu.goTo(places);
    for (const char* action : {"fit", "mark", "rangeOfSlice", "markRange", "pinIpu", "pinLane", "hideIpu"})
        menu.add(findChild<QAction*>(QLatin1String(action)));
    const QString sql = stepsSql();
    menu.add(
        tr("Open as SQL"), [this, sql] { Q_EMIT sqlRequested(sql); }, !sql.isEmpty());
    if (const SliceText& slice = totals_->slice(); chosen_.start >= 0 && !slice.rows.empty()) {
        QStringList heads, cells;
        for (const auto& [head, value] : slice.rows) {
            heads << head;
            cells << value;
        }
        menu.copy(tr("Copy name"), slice.title);
        menu.copy(tr("Copy row"), cells.join(QLatin1Char('\t')));
        menu.copy(tr("Copy row as Markdown"), markdownRow(heads, cells));
    }
    menu.save(*timeline_);
    menu.popup(global);
}

} // namespace tilescope::ui
