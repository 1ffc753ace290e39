// SPDX-License-Identifier: GPL-3.0-or-later
// Marks and their notes: the part of TraceView that keeps them.
#include "ui/session/format.h"
#include "ui/trace/trace_notes.h"
#include "ui/trace/trace_view.h"
#include "ui/widgets/leave_field.h"
#include "ui/widgets/view_action.h"

#include <QAction>
#include <QLineEdit>
#include <QMenu>
#include <algorithm>
#include <cmath>

namespace tilescope::ui {

void TraceView::makeMarkActions() {
    addViewAction(this, tr("Mark"), QStringLiteral("mark"), Qt::Key_M,
                  tr("Set a mark with a note at the pointer, or remove it (M)"), [this] { toggleMark(); });
    QAction* of_range = addKeyAction(timeline_, tr("Mark the range"), Qt::SHIFT | Qt::Key_M, [this] {
        if (const auto range = timeline_->range())
            mark(range->first, range->second);
        else
            Q_EMIT message(tr("Drag over the lanes to select a range first."));
    });
    of_range->setObjectName(QStringLiteral("markRange"));
    addKeyAction(timeline_, tr("Marks…"), Qt::CTRL | Qt::Key_M, [this] { listMarks(); });
    addKeyAction(timeline_, tr("Ruler"), Qt::Key_K, [this] { timeline_->measure(false); });
}

void TraceView::readMarks() {
    if (!sources().current)
        return setMarks({});
    auto marks = readNotes(sources().current->path());
    notes_readable_ = marks.has_value();
    if (!marks)
        Q_EMIT message(QString::fromStdString(marks.error().line()));
    setMarks(marks ? std::move(*marks) : std::vector<TimelineMark>());
}

void TraceView::setMarks(std::vector<TimelineMark> marks) {
    timeline_->setMarks(std::move(marks));
    totals_->setMarks(timeline_->marks(), clock());
}

double TraceView::clock() const {
    return feed_ != nullptr && feed_->tables() ? feed_->tables()->clock_hz : 0;
}

void TraceView::changeMarks(std::vector<TimelineMark> marks, const QString& what) {
    const QString path = sources().current ? sources().current->path() : QString();
    change(
        what, [this, path, marks = std::move(marks)] { keepMarks(path, marks); },
        [this, path, before = timeline_->marks()] { keepMarks(path, before); });
}

void TraceView::keepMarks(const QString& path, std::vector<TimelineMark> marks) {
    const bool shown = sources().current && sources().current->path() == path;
    if (!path.isEmpty() && (!shown || notes_readable_)) // what could not be read is not written over
        if (const auto written = writeNotes(path, marks); !written)
            Q_EMIT message(QString::fromStdString(written.error().line()));
    if (shown || path.isEmpty())
        setMarks(std::move(marks));
}

void TraceView::mark(std::int64_t from, std::int64_t to) {
    std::vector<TimelineMark> marks = timeline_->marks();
    marks.push_back({from, to, {}});
    changeMarks(std::move(marks), tr("set a mark"));
    const auto& kept = timeline_->marks();
    const auto set = std::find(kept.begin(), kept.end(), TimelineMark{from, to, {}});
    editNote(static_cast<std::size_t>(set - kept.begin()));
}

void TraceView::toggleMark() {
    std::vector<TimelineMark> marks = timeline_->marks();
    const std::int64_t at = timeline_->cursorCycle();
    constexpr double near_pixels = 5;
    const auto close = std::find_if(marks.begin(), marks.end(), [&](const TimelineMark& mark) {
        return std::abs(static_cast<double>(mark.from - at)) <
               near_pixels * timeline_->view().cyclesPerPixel();
    });
    if (close == marks.end())
        return mark(at, at);
    marks.erase(close);
    changeMarks(std::move(marks), tr("remove a mark"));
}

/// A field over the flag: Enter or leaving it keeps the note, Esc leaves it as it was.
void TraceView::editNote(std::size_t mark) {
    if (mark >= timeline_->marks().size())
        return;
    auto* field = new QLineEdit(timeline_->marks()[mark].note, timeline_->viewport());
    field->setObjectName(QStringLiteral("markNote"));
    field->setPlaceholderText(tr("note"));
    field->setAccessibleName(tr("Note of the mark"));
    const QSize size(fontMetrics().averageCharWidth() * 36, field->sizeHint().height());
    const QRect room = timeline_->viewport()->rect();
    const QPoint flag = timeline_->flagOf(mark).topLeft();
    field->setGeometry(QRect(QPoint(std::clamp(flag.x(), 0, std::max(0, room.width() - size.width())),
                                    std::max(0, std::min(flag.y(), room.height() - size.height()))),
                             size));
    const TimelineMark edited = timeline_->marks()[mark];
    const auto close = [this, field] {
        field->disconnect(this);
        field->hide();
        field->deleteLater();
        timeline_->setFocus();
    };
    const auto keep = [this, field, edited, close] {
        std::vector<TimelineMark> marks = timeline_->marks();
        const auto found = std::find(marks.begin(), marks.end(), edited);
        if (found != marks.end() && found->note != field->text()) {
            found->note = field->text();
            changeMarks(std::move(marks), tr("write a note"));
        }
        close();
    };
    leaveFieldBy({Qt::Key_Escape}, field, close);
    leaveFieldBy({Qt::Key_Return, Qt::Key_Enter}, field, keep); // which are keys of the lanes, too
    connect(field, &QLineEdit::editingFinished, this, keep);
    field->show();
    field->setFocus();
}

void TraceView::showMark(const TimelineMark& mark) {
    const auto from = static_cast<double>(mark.from);
    if (mark.to > mark.from)
        timeline_->frame(from, static_cast<double>(mark.to));
    else
        timeline_->reveal(from, from);
}

void TraceView::listMarks() {
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    const auto& marks = timeline_->marks();
    for (std::size_t i = 0; i < marks.size(); ++i) {
        const TimelineMark mark = marks[i];
        const QString at = clock() > 0 ? formatTime(mark.from, clock()) : formatCycles(mark.from);
        QMenu* one = menu->addMenu(
            QStringLiteral("%1  ·  %2").arg(mark.note.isEmpty() ? tr("mark %1").arg(i + 1) : mark.note, at));
        one->addAction(tr("Show"), this, [this, mark] { showMark(mark); });
        one->addAction(tr("Edit the note"), this, [this, i] { editNote(i); });
        one->addAction(tr("Remove"), this, [this, mark] {
            std::vector<TimelineMark> left = timeline_->marks();
            std::erase(left, mark);
            changeMarks(std::move(left), tr("remove a mark"));
        });
    }
    if (marks.empty())
        menu->addAction(tr("No marks: M sets one at the pointer"))->setEnabled(false);
    menu->popup(timeline_->viewport()->mapToGlobal(QPoint(timeline_->gutter(), 0)));
}

} // namespace tilescope::ui
