// SPDX-License-Identifier: GPL-3.0-or-later
#include "file_tabs.h"

#include "base/try.h"
#include "base/wait_text.h"
#include "recent_files.h"
#include "ui/session/format.h"
#include "ui/session/profile_source.h"
#include "ui/theme/theme.h"
#include "ui/widgets/run_status.h"

#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QDesktopServices>
#include <QFileInfo>
#include <QMenu>
#include <QToolButton>
#include <QUrl>

namespace tilescope::ui {
namespace {

constexpr int unknown = -1; ///< status of a run

/// What is said of a run that has ended, or "" where nothing needs to be said.
QString endOf(const profile::RunRecord& run, const profile::ProgressRecord& progress) {
    const QString recorded = FileTabs::tr("Figures are of what was recorded.");
    switch (run.status) {
    case profile::RunStatus::Complete:
        return FileTabs::tr("The run is complete.");
    case profile::RunStatus::Cancelled:
        return (progress.steps == 0
                    ? FileTabs::tr("Cancelled. ")
                    : (progress.epochs > 1 ? FileTabs::tr("Cancelled in epoch %1 of %2, at step %3 of %4. ")
                                                 .arg(progress.epoch + 1)
                                                 .arg(progress.epochs)
                                           : FileTabs::tr("Cancelled at step %1 of %2. "))
                          .arg(formatCount(progress.step), formatCount(progress.steps))) +
               recorded;
    case profile::RunStatus::Failed:
        return FileTabs::tr("Failed: %1. ").arg(text(run.error)) + recorded;
    case profile::RunStatus::Killed:
        return FileTabs::tr("Ended without a word after %1. ")
                   .arg(text(wait_text(static_cast<double>(progress.elapsed_ms) * 1e-3))) +
               recorded;
    default:
        return {}; // still running, or the views say it all
    }
}

} // namespace

/// What a tab says of its file.
struct FileTabs::Head {
    profile::RunStatus status = profile::RunStatus::Running;
    QString what; ///< workload and target
    QString end;
};

Result<FileTabs::Head> FileTabs::headOf(const profile::Profile& file) {
    TRY(const auto run, file.run());
    TRY(const auto target, file.target());
    TRY(const auto progress, file.progress());
    QString what = text(run.name);
    if (target.tiles_per_ipu > 0)
        what += tr(", %1 × %2").arg(target.ipus).arg(text(target.generation));
    if (run.estimate)
        what += tr(", estimate");
    return Head{run.status, what, endOf(run, progress)};
}

FileTabs::FileTabs(QWidget* parent) : QTabBar(parent) {
    setObjectName(QStringLiteral("files"));
    setAccessibleName(tr("Open files"));
    setExpanding(false);
    setDrawBase(false);
    setElideMode(Qt::ElideMiddle);
    setUsesScrollButtons(true);
    setDocumentMode(true);
    setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Fixed);
}

void FileTabs::addFile(const QString& path, const std::shared_ptr<ProfileSource>& source) {
    paths_ << path;
    files_ << nullptr;
    const int index = addTab(QFileInfo(path).completeBaseName());
    auto* close = new QToolButton;
    close->setIcon(themeIcon(QStringLiteral("clear"), &Theme::muted));
    close->setProperty("close", true);
    close->setFocusPolicy(Qt::NoFocus); // Ctrl+W closes, too
    close->setToolTip(tr("Close (Ctrl+W)"));
    setTabButton(index, QTabBar::RightSide, close);
    fitCrosses();
    connect(close, &QToolButton::clicked, this, [this, close] {
        for (int i = 0; i < count(); ++i)
            if (tabButton(i, QTabBar::RightSide) == close)
                return Q_EMIT closeRequested(i);
    });
    setFile(index, source);
}

void FileTabs::setFile(int index, const std::shared_ptr<ProfileSource>& source) {
    files_[index] = source;
    setTabData(index, unknown);
    setTabToolTip(index, source ? paths_[index] : tr("Cannot be read: %1").arg(paths_[index]));
    nameForReaders(index);
    setTabIcon(index, {});
    if (!source)
        return;
    connect(source.get(), &ProfileSource::changed, this, [this, raw = source.get()] { ask(raw); });
    ask(source.get());
}

void FileTabs::setName(int index, const QString& name) {
    if (tabText(index) == name)
        return;
    setTabText(index, name);
    nameForReaders(index);
}

/// As it is called, with how its run stands.
void FileTabs::nameForReaders(int index) {
    const int status = tabData(index).toInt();
    const QString state = !files_[index]      ? tr("cannot be read")
                          : status == unknown ? QString()
                                              : statusText(static_cast<profile::RunStatus>(status));
    setAccessibleTabName(index, state.isEmpty() ? tabText(index)
                                                : QStringLiteral("%1, %2").arg(tabText(index), state));
}

void FileTabs::removeFile(int index) {
    if (files_[index]) {
        files_[index]->disconnect(this);
        files_[index]->forget(this);
    }
    figures_of_.remove(paths_[index]);
    paths_.removeAt(index);
    files_.removeAt(index);
    removeTab(index);
}

void FileTabs::ask(const ProfileSource* source) {
    for (const auto& file : files_)
        if (file.get() == source)
            file->ask<Head>(this, QStringLiteral("tab"), headOf,
                            [this, path = file->path()](const Result<Head>& head) {
                                if (head)
                                    showState(path, *head);
                            });
}

/// Behind what the views have asked for, and again when the run has ended.
void FileTabs::askFigures(int index) {
    const QString path = paths_[index];
    const int status = tabData(index).toInt();
    if (figures_of_.value(path, unknown) == status)
        return;
    figures_of_[path] = status;
    files_[index]->ask<FileFigures>(this, QStringLiteral("figures"), readFigures,
                                    [path](const Result<FileFigures>& figures) {
                                        if (figures)
                                            rememberFigures(path, *figures);
                                    });
}

void FileTabs::showState(const QString& path, const Head& head) {
    const auto i = static_cast<int>(paths_.indexOf(path));
    if (i < 0)
        return;
    const int before = tabData(i).toInt();
    const int now = static_cast<int>(head.status);
    const bool well = head.status == profile::RunStatus::Complete;
    const bool was_running = before == static_cast<int>(profile::RunStatus::Running);
    setTabData(i, now);
    setTabToolTip(i, QStringLiteral("%1\n%2\n%3").arg(path, head.what, statusText(head.status)));
    nameForReaders(i);
    setTabIcon(i, statusIcon(head.status));
    askFigures(i);
    if (before != now && !head.end.isEmpty() && (was_running || !well))
        Q_EMIT ended(path, !well && head.status != profile::RunStatus::Cancelled, head.end);
}

void FileTabs::changeEvent(QEvent* event) {
    QTabBar::changeEvent(event);
    if (event->type() == QEvent::FontChange)
        fitCrosses();
}

/// To the size of text.
void FileTabs::fitCrosses() {
    const int side = fontMetrics().height() * 7 / 10;
    for (int i = 0; i < count(); ++i)
        if (auto* close = qobject_cast<QToolButton*>(tabButton(i, QTabBar::RightSide)))
            close->setIconSize({side, side});
}

void FileTabs::mouseReleaseEvent(QMouseEvent* event) {
    const int index = tabAt(event->position().toPoint());
    if (event->button() == Qt::MiddleButton && index >= 0)
        return Q_EMIT closeRequested(index);
    QTabBar::mouseReleaseEvent(event);
}

void FileTabs::contextMenuEvent(QContextMenuEvent* event) {
    const int index = event->reason() == QContextMenuEvent::Keyboard ? currentIndex() : tabAt(event->pos());
    if (index < 0)
        return;
    const QString path = paths_[index]; // files may go while the menu is open
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    const auto add = [&](const QString& name, auto done) {
        QAction* action = menu->addAction(name);
        connect(action, &QAction::triggered, this, done);
        return action;
    };
    const auto ask = [this, path](auto signal) {
        return [this, path, signal] {
            if (const auto now = paths_.indexOf(path); now >= 0)
                Q_EMIT(this->*signal)(static_cast<int>(now));
        };
    };
    add(tr("Compare the shown file with this"), ask(&FileTabs::baseRequested))
        ->setEnabled(index != currentIndex() && files_[index] != nullptr);
    add(tr("Reload"), ask(&FileTabs::reloadRequested));
    menu->addSeparator();
    add(tr("Copy path"), [path] { QApplication::clipboard()->setText(path); });
    add(tr("Show in folder"),
        [path] { QDesktopServices::openUrl(QUrl::fromLocalFile(QFileInfo(path).absolutePath())); });
    menu->addSeparator();
    add(tr("Close"), ask(&FileTabs::closeRequested));
    add(tr("Close others"), ask(&FileTabs::closeOthersRequested))->setEnabled(count() > 1);
    menu->popup(event->globalPos());
}

} // namespace tilescope::ui
