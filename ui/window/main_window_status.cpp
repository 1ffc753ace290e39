// SPDX-License-Identifier: GPL-3.0-or-later
// The status bar: the state of the file and of the selection, and what is said in passing.
#include "basis_box.h"
#include "job_list.h"
#include "message_log.h"
#include "passing_message.h"
#include "program_box.h"
#include "status_strip.h"
#include "ui/session/format.h"
#include "ui/window/main_window.h"

#include <QAction>
#include <QLabel>
#include <QStatusBar>
#include <QStatusTipEvent>
#include <QTimer>
#include <algorithm>

namespace tilescope::ui {

void MainWindow::makeStatusBar() {
    basis_box_ = new BasisBox(selection_);
    program_box_ = new ProgramBox(selection_);
    connect(program_box_, &ProgramBox::headsChanged, this, &MainWindow::showProgramHead);
    status_ = new StatusStrip(selection_);
    statusBar()->setSizeGripEnabled(false);
    statusBar()->setContentsMargins(0, 0, 8, 0);
    // All to stay (addPermanentWidget): nothing that is said in passing hides the state of the file.
    statusBar()->addPermanentWidget(status_->fileLabel());
    statusBar()->addPermanentWidget(passing_, 1);
    for (QWidget* state : QList<QWidget*>{status_, program_box_, basis_box_})
        statusBar()->addPermanentWidget(state);
    connect(status_, &StatusStrip::unitsToggled, this, &MainWindow::toggleUnits);
    connect(status_, &StatusStrip::jobsWanted, this, &MainWindow::showJobs);
    auto* watch = new QTimer(this);
    constexpr int every_ms = 250;
    watch->start(every_ms);
    connect(watch, &QTimer::timeout, this, [this] {
        constexpr double noticed_s = 0.2;
        const QList<RunningJob> jobs = runningJobs();
        status_->setJobs(static_cast<int>(std::count_if(jobs.begin(), jobs.end(), [](const RunningJob& job) {
            return job.seconds < 0 || job.seconds >= noticed_s;
        })));
        watchSight();
        takeZoom();
    });
}

/// Which program the view in front shows, where the file has several.
void MainWindow::showProgramHead() {
    const auto [head, whole] = program_box_->head(currentView()->programs());
    program_head_->setText(head);
    program_head_->setToolTip(whole);
    program_head_action_->setVisible(!head.isEmpty());
}

void MainWindow::toggleUnits() {
    Units now = units();
    now.cycles = !now.cycles;
    setUnits(now);
    writeAnew();
}

/// Figures are written in other units now.
void MainWindow::writeAnew() {
    for (View* view : views_)
        view->writeAnew();
    status_->showUnits();
}

/// In passing, and for Help > Messages.
void MainWindow::say(const QString& of, const QString& text) {
    passing_->say(text);
    messages_->add(of, text);
}

/// Of a command that the pointer is on: what it does.
bool MainWindow::event(QEvent* event) {
    if (event->type() != QEvent::StatusTip)
        return QMainWindow::event(event);
    passing_->pointAt(static_cast<QStatusTipEvent*>(event)->tip());
    return true;
}

} // namespace tilescope::ui
