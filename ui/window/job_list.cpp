// SPDX-License-Identifier: GPL-3.0-or-later
#include "job_list.h"

#include "ui/session/format.h"

#include <QGridLayout>
#include <QLabel>
#include <QPushButton>
#include <QTimer>
#include <QVBoxLayout>

namespace tilescope::ui {
namespace {

enum Part { What, State, Cancel };

/// A row is the same as long as this is: its button keeps the focus.
QString nameOf(const RunningJob& job) {
    return job.what + QLatin1Char('\n') + job.of;
}

QString stateOf(const RunningJob& job) {
    QStringList parts;
    if (!job.state.isEmpty())
        parts << job.state;
    if (job.seconds >= 1)
        parts << JobList::tr("%1 s").arg(formatCount(static_cast<std::int64_t>(job.seconds)));
    return parts.join(QStringLiteral(", "));
}

} // namespace

JobList::JobList(std::function<QList<RunningJob>()> jobs, QWidget* parent)
    : QFrame(parent, Qt::Popup), jobs_(std::move(jobs)), rows_(new QGridLayout), timer_(new QTimer(this)) {
    setObjectName(QStringLiteral("jobs"));
    setAccessibleName(tr("What goes on now"));
    setProperty("card", true);
    setAttribute(Qt::WA_DeleteOnClose); // dozens of rows take half a MiB, and the window's picture one
    auto* title = new QLabel(tr("What goes on now"));
    QFont bold = title->font();
    bold.setWeight(QFont::DemiBold);
    title->setFont(bold);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(14, 10, 14, 12);
    layout->addWidget(title);
    layout->addLayout(rows_);
    layout->setSizeConstraint(QLayout::SetFixedSize);
    rows_->setHorizontalSpacing(18);
    constexpr int every_ms = 250;
    timer_->setInterval(every_ms);
    connect(timer_, &QTimer::timeout, this, &JobList::look);
}

void JobList::popUp() {
    look();
    show();
    place();
    timer_->start();
    if (auto* first = findChild<QPushButton*>())
        first->setFocus(Qt::PopupFocusReason);
    else
        setFocus(Qt::PopupFocusReason);
}

void JobList::place() {
    const QWidget* window = parentWidget();
    const QRect area(window->mapToGlobal(QPoint()), window->size());
    constexpr int above_status = 30;
    move(area.right() - width() - 8, area.bottom() - height() - above_status);
}

void JobList::look() {
    const QList<RunningJob> jobs = jobs_();
    QStringList names;
    for (const RunningJob& job : jobs)
        names << nameOf(job);
    if (names != shown_) {
        shown_ = names;
        while (QLayoutItem* item = rows_->takeAt(0)) {
            item->widget()->hide();
            item->widget()->deleteLater(); // its button may be what is pressed
            delete item;
        }
        for (int i = 0; i < static_cast<int>(jobs.size()); ++i) {
            auto* what = new QLabel(jobs[i].of.isEmpty() ? jobs[i].what
                                                         : tr("%1 of %2").arg(jobs[i].what, jobs[i].of));
            auto* state = new QLabel;
            state->setObjectName(QStringLiteral("jobState"));
            state->setForegroundRole(QPalette::PlaceholderText);
            auto* cancel = new QPushButton(tr("Cancel"));
            cancel->setAccessibleName(tr("Cancel %1").arg(what->text()));
            cancel->setEnabled(jobs[i].cancel != nullptr);
            connect(cancel, &QPushButton::clicked, this, [this, i] { // that of now, by its place
                const QList<RunningJob> now = jobs_();
                if (i < now.size() && nameOf(now[i]) == shown_->at(i) && now[i].cancel)
                    now[i].cancel();
                look();
            });
            rows_->addWidget(what, i, What);
            rows_->addWidget(state, i, State);
            rows_->addWidget(cancel, i, Cancel);
        }
        if (jobs.isEmpty())
            rows_->addWidget(new QLabel(tr("Nothing: all is answered, and no run of this window is going.")),
                             0, What);
        if (isVisible()) {
            layout()->activate();
            place();
        }
    }
    for (int i = 0; i < static_cast<int>(jobs.size()); ++i)
        static_cast<QLabel*>(rows_->itemAtPosition(i, State)->widget())->setText(stateOf(jobs[i]));
}

} // namespace tilescope::ui
