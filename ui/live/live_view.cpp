// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/live/live_view.h"

#include "analyse/training_progress.h"
#include "live_details.h"
#include "profile_writer.h"
#include "ui/live/run_form.h"
#include "ui/live/run_page.h"
#include "ui/theme/theme.h"
#include "ui/widgets/told_keys.h"

#include <QAction>
#include <QFileInfo>
#include <QKeyEvent>
#include <QMessageBox>
#include <QPushButton>
#include <QStackedWidget>
#include <QVBoxLayout>
#include <utility>

namespace tilescope::ui {

LiveView::LiveView(QWidget* parent)
    : View(parent), stack_(new QStackedWidget), form_(new RunForm), page_(new RunPage),
      new_run_(new QAction(themeIcon(QStringLiteral("play")), tr("New run…"), this)),
      hold_(new QAction(themeIcon(QStringLiteral("pin")), tr("Hold the display"), this)),
      cancel_(new QAction(themeIcon(QStringLiteral("stop")), tr("Stop the run…"), this)) {
    stack_->addWidget(form_);
    stack_->addWidget(page_);
    tellKeys(this, tr("Live"), {{tr("Space"), tr("holds the display, or lets it go on")}});
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(stack_);
    new_run_->setToolTip(tr("Set up a run (Ctrl+R)"));
    cancel_->setObjectName(QStringLiteral("stopTheRun"));
    cancel_->setShortcut(QKeySequence(QStringLiteral("Ctrl+.")));
    cancel_->setToolTip(tr("End the run cleanly (Ctrl+.)"));
    cancel_->setEnabled(false);
    hold_->setCheckable(true);
    hold_->setToolTip(tr("Show what there is now until it is pressed again; the run goes on (Space)"));
    connect(hold_, &QAction::toggled, this, &LiveView::hold);
    connect(new_run_, &QAction::triggered, this, &LiveView::showForm);
    connect(cancel_, &QAction::triggered, this, &LiveView::askWhetherToCancel);
    leadFrom(page_->error(), *this);
    connect(page_, &RunPage::newRunRequested, this, &LiveView::showForm);
    connect(page_, &RunPage::cancelRequested, this, &LiveView::askWhetherToCancel);
    connect(page_, &RunPage::phaseChosen, this, &LiveView::showPhase);
    connect(page_, &RunPage::lineChosen, this, [this](std::int64_t line) {
        line_ = line;
        tellDetails();
    });
    connect(form_, &RunForm::startRequested, this, &LiveView::start);
    connect(form_, &RunForm::followRequested, this, &View::fileRequested);
    connect(form_, &RunForm::backRequested, this, &LiveView::showPage);
    connect(&process_, &ProfileProcess::fileStarted, this, [this](const QString& path) {
        form_->setStarting(false);
        cancel_->setEnabled(!stoppable().isEmpty());
        Q_EMIT fileRequested(path);
    });
    connect(&process_, &ProfileProcess::finished, this, &LiveView::ended);
}

QString LiveView::activity() const {
    const bool shown = sources().current &&
                       sources().current->path() == QFileInfo(process_.request().output).absoluteFilePath();
    return shown && state_ ? activityText(*state_) : QString();
}

bool LiveView::showsForm() const {
    return stack_->currentWidget() == form_;
}

void LiveView::startOver(bool another) {
    base_.reset();
    asking_ = false;
    ask_again_ = false;
    if (another) {
        state_.reset();
        newer_.reset();
        line_ = -1;
        tellDetails();
        hold_->setChecked(false);
        page_->showError({});
        form_->setWayBack(sources().current ? sources().current->name() : QString());
        cancel_->setEnabled(!stoppable().isEmpty());
    }
    if (!sources().current)
        return stack_->setCurrentWidget(form_);
    if (another)
        showPage();
    if (sources().base)
        askBase();
}

void LiveView::askBase() {
    sources().base->ask<LiveState>(
        this, QStringLiteral("base run"), [](const profile::Profile& file) { return readLiveState(file); },
        [this](Result<LiveState> base) {
            if (!base)
                return;
            base_ = std::move(*base);
            if (state_)
                page_->show(*state_, sources().current->path(), &*base_);
        });
}

void LiveView::follow(const Selection& selection) {
    if (selection.log >= 0)
        page_->chooseLine(selection.log);
}

/// Of the form there are none.
void LiveView::tellDetails() {
    if (isVisible())
        Q_EMIT detailsChanged(showsForm() || !state_ ? QString() : detailsOf(*state_, line_));
}

void LiveView::refresh() {
    ask_again_ = asking_; // a newer question would cancel the one under way, and a busy file never be shown
    if (asking_ || !sources().current)
        return;
    asking_ = true;
    sources().current->ask<LiveState>(
        this, QStringLiteral("run"),
        [known = state_ ? state_->fullest : std::vector<analyse::FullestTile>(),
         stages = state_ ? state_->stage_ipus : std::map<std::int64_t, std::int64_t>()](
            const profile::Profile& file) { return readLiveState(file, known, stages); },
        [this](Result<LiveState> state) {
            asking_ = false;
            if (ask_again_)
                refresh();
            if (!state)
                return page_->showError(QString::fromStdString(state.error().line()));
            const std::optional<LiveState>& before = newer_ ? newer_ : state_;
            state->work_since = before && before->work_since
                                    ? analyse::same_work_since(*before->work_since, state->progress)
                                    : state->progress;
            (hold_->isChecked() && state_ ? newer_ : state_) = std::move(*state);
            showState();
        });
}

/// What is held stays; how far it is behind grows.
void LiveView::showState() {
    if (!state_ || !sources().current)
        return;
    if (newer_)
        return page_->showHeld(newer_->main.steps - state_->main.steps, newer_->running());
    page_->show(*state_, sources().current->path(), base_ ? &*base_ : nullptr);
    cancel_->setEnabled(!stoppable().isEmpty());
    tellDetails();
}

void LiveView::hold(bool held) {
    if (!held && newer_)
        state_ = std::exchange(newer_, {});
    if (held && state_)
        page_->showHeld(0, state_->running());
    else
        page_->endHold();
    if (!held)
        showState();
}

void LiveView::keyPressEvent(QKeyEvent* event) {
    if (event->key() != Qt::Key_Space || showsForm())
        return View::keyPressEvent(event);
    hold_->toggle();
    event->accept();
}

/// The profile of the run that is shown, if it can be ended from here, else of the one that was started here;
/// "": there is none.
QString LiveView::stoppable() const {
    if (state_ && state_->running() && sources().current &&
        writesProfile(sources().current->path(), state_->run.pid))
        return sources().current->path();
    return process_.running() ? QFileInfo(process_.request().output).absoluteFilePath() : QString();
}

void LiveView::showForm() {
    if (state_ && form_->request().workload.isEmpty())
        if (const QString path = QString::fromStdString(state_->run.workload_path); QFileInfo(path).isFile())
            form_->setWorkload(QFileInfo(path).absoluteFilePath());
    stack_->setCurrentWidget(form_);
    if (isVisible())
        form_->begin();
    tellDetails();
}

void LiveView::showPage() {
    stack_->setCurrentWidget(page_);
    tellDetails();
}

void LiveView::start(const RunRequest& request) {
    if (process_.running())
        return form_->showError(
            tr("A run is going on: %1. Cancel it or wait for its end before the next one.")
                .arg(process_.request().output));
    form_->showError({});
    form_->setStarting(true);
    page_->setOwn(request);
    process_.start(request);
    cancel_->setEnabled(!stoppable().isEmpty());
}

/// Once: what is recorded until then stays.
void LiveView::askWhetherToCancel() {
    const QString path = stoppable();
    if (path.isEmpty() || findChild<QMessageBox*>() != nullptr)
        return;
    auto* box = new QMessageBox(QMessageBox::Question, tr("Stop the run"),
                                tr("Stop the run that writes %1?").arg(QFileInfo(path).fileName()), {}, this);
    box->setInformativeText(tr("What was recorded stays: it can be opened, and compared."));
    box->setAttribute(Qt::WA_DeleteOnClose);
    QPushButton* stop = box->addButton(tr("Stop"), QMessageBox::AcceptRole);
    box->addButton(tr("Go on"), QMessageBox::RejectRole);
    box->setDefaultButton(stop);
    stop->setObjectName(QStringLiteral("stopRun"));
    connect(stop, &QPushButton::clicked, this, [this, path] { cancel(path); });
    box->open();
}

void LiveView::cancel(const QString& path) {
    if (stoppable() != path) // it has ended meanwhile
        return;
    if (process_.running() && QFileInfo(process_.request().output).absoluteFilePath() == path)
        process_.cancel();
    else if (!interruptWriter(path, state_->run.pid))
        return page_->showError(
            tr("Process %1 cannot be asked to end; only its owner can, on its own machine: "
               "kill -INT %1")
                .arg(state_->run.pid));
    if (sources().current && sources().current->path() == path)
        page_->setCancelling();
}

void LiveView::ended(bool cancelled, const QString& error) {
    form_->setStarting(false);
    cancel_->setEnabled(!stoppable().isEmpty());
    Q_EMIT message(cancelled         ? tr("The run was cancelled")
                   : error.isEmpty() ? tr("The run is complete")
                                     : error);
    const bool shown = sources().current && !showsForm() &&
                       QFileInfo(process_.request().output).absoluteFilePath() == sources().current->path();
    if (shown)
        page_->showError(error);
    else
        form_->showError(error);
}

QJsonObject LiveView::saveState() const {
    return form_->saveState();
}

void LiveView::restoreState(const QJsonObject& state) {
    form_->restoreState(state);
}

} // namespace tilescope::ui
