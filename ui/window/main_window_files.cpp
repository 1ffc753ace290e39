// SPDX-License-Identifier: GPL-3.0-or-later
// The files that are open in the window: opening, closing, choosing, which is the base, and what is there
// again the next time.
#include "basis_box.h"
#include "file_tabs.h"
#include "global_search.h"
#include "rail.h"
#include "recent_files.h"
#include "status_strip.h"
#include "ui/session/format.h"
#include "ui/window/main_window.h"

#include <QCloseEvent>
#include <QComboBox>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QJsonDocument>
#include <QLabel>
#include <QMenu>
#include <QMessageBox>
#include <QMimeData>
#include <QSettings>
#include <QSignalBlocker>
#include <QStackedWidget>
#include <algorithm>

namespace tilescope::ui {

Result<void> MainWindow::openFile(const QString& path) {
    if (const int open = indexOf(path); open >= 0) {
        selectFile(open);
        return {};
    }
    auto source = ProfileSource::open(path);
    if (!source) {
        showBanner(text(source.error().line()));
        return Failure(source.error());
    }
    banner_->hide();
    files_.push_back({std::move(*source), {}, {}, {}});
    const QString opened = files_.back().source->path();
    closed_.removeAll(opened);
    rememberOpened(opened);
    updateRecent();
    {
        const QSignalBlocker quiet(tabs_);
        tabs_->addFile(files_.back().source);
    }
    selectFile(static_cast<int>(files_.size()) - 1);
    return {};
}

void MainWindow::showBanner(const QString& text) {
    banner_->setText(text);
    banner_->show();
}

int MainWindow::indexOf(const QString& path) const {
    for (std::size_t i = 0; i < files_.size(); ++i)
        if (files_[i].source->path() == QFileInfo(path).absoluteFilePath())
            return static_cast<int>(i);
    return -1;
}

void MainWindow::openCompared(const QString& base, const QString& now) {
    if (openFile(base) && openFile(now)) {
        setBase(indexOf(base));
        showView(QStringLiteral("compare"));
    }
}

void MainWindow::openAnew(const QString& path) {
    if (const int open = indexOf(path); open >= 0) {
        closeFile(open);
        closed_.removeAll(QFileInfo(path).absoluteFilePath());
    }
    (void)openFile(path);
}

void MainWindow::openDialog() {
    for (const QString& path : QFileDialog::getOpenFileNames(this, tr("Open profiles"), {},
                                                             tr("Profiles (*.tilescope);;All files (*)")))
        (void)openFile(path);
}

void MainWindow::reopenLastFiles() {
    const QSettings settings;
    if (!settings.value(QStringLiteral("window/reopen"), true).toBool())
        return;
    const QString shown = settings.value(QStringLiteral("window/file")).toString();
    QStringList gone;
    for (const QString& path : settings.value(QStringLiteral("window/files")).toStringList())
        if (!QFileInfo::exists(path) || !openFile(path))
            gone << path;
    if (const int index = indexOf(shown); !shown.isEmpty() && index >= 0)
        selectFile(index);
    if (!gone.isEmpty())
        showBanner(tr("Gone since the last time: %1").arg(gone.join(QStringLiteral(", "))));
}

void MainWindow::closeFile(int index) {
    if (index < 0 || index >= static_cast<int>(files_.size()))
        return;
    closed_ << files_[static_cast<std::size_t>(index)].source->path();
    const auto closing = files_[static_cast<std::size_t>(index)].source; // outlives the views' use of it
    const bool shown = index == current_;
    if (shown || index == base_) {
        for (View* view : views_)
            view->setSources({});
        basis_box_->setSource({});
        status_->setSource({});
        base_ = -1;
    }
    {
        const QSignalBlocker quiet(tabs_);
        tabs_->removeFile(index);
    }
    files_.erase(files_.begin() + index);
    if (base_ > index)
        --base_;
    const int left = static_cast<int>(files_.size());
    const int next = shown ? std::min(index, left - 1) : current_ > index ? current_ - 1 : current_;
    current_ = shown ? -1 : next;
    selectFile(next);
}

void MainWindow::closeOthers(int index) {
    const QString kept = files_[static_cast<std::size_t>(index)].source->path();
    for (int i = static_cast<int>(files_.size()) - 1; i >= 0; --i)
        if (files_[static_cast<std::size_t>(i)].source->path() != kept)
            closeFile(i);
}

/// Each file is shown as it was left.
void MainWindow::selectFile(int index) {
    if (current_ >= 0 && current_ != index)
        shownFile().left = Place{currentView()->id(), selection_->current()};
    current_ = index;
    if (base_ == current_)
        base_ = -1;
    Place place{currentView()->id(), {}};
    if (current_ >= 0 && !shownFile().left.view.isEmpty())
        place = shownFile().left;
    place.selection.basis = selection_->current().basis;
    moving_ = true;
    updateSources();
    goTo(place);
    moving_ = false;
    visit();
}

void MainWindow::setBase(int index) {
    base_ = index >= 0 && index < static_cast<int>(files_.size()) && index != current_ ? index : -1;
    if (base_ >= 0)
        rememberComparison(files_[static_cast<std::size_t>(base_)].source->path(),
                           shownFile().source->path());
    updateSources();
}

void MainWindow::updateSources() {
    {
        const QSignalBlocker quiet(tabs_);
        tabs_->setCurrentIndex(current_);
    }
    base_box_->clear();
    base_box_->addItem(tr("no base"));
    for (const OpenFile& file : files_)
        base_box_->addItem(file.source->name());
    base_box_->setCurrentIndex(base_ + 1);
    against_action_->setVisible(files_.size() > 1);
    details_of_.clear();
    const auto at = [this](int i) { return i < 0 ? nullptr : files_[static_cast<std::size_t>(i)].source; };
    for (View* view : views_)
        view->setSources({at(current_), at(base_)});
    basis_box_->setSource(at(current_));
    status_->setSource(at(current_));
    enableCommands();
    showView(currentView()->id());
}

void MainWindow::enableCommands() {
    for (QAction* action : need_file_)
        action->setEnabled(current_ >= 0);
    rail_->setFileOpen(current_ >= 0);
}

MainWindow::OpenFile& MainWindow::shownFile() {
    return files_[static_cast<std::size_t>(current_)];
}

void MainWindow::updateRecent() {
    recent_->clear();
    for (const RecentFile& file : recentFiles())
        connect(recent_->addAction(file.path), &QAction::triggered, this,
                [this, path = file.path] { (void)openFile(path); });
    recent_->setEnabled(!recent_->isEmpty());
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
    if (event->mimeData()->hasUrls())
        event->acceptProposedAction();
}

/// A profile is opened, of two one may compare the newer with the older; a workload goes into the form for a
/// run.
void MainWindow::dropEvent(QDropEvent* event) {
    event->acceptProposedAction();
    QFileInfoList profiles;
    for (const QUrl& url : event->mimeData()->urls()) {
        const QFileInfo file(url.toLocalFile());
        if (file.suffix() == QLatin1String("json"))
            return setUpRun(file.absoluteFilePath());
        if (url.isLocalFile())
            profiles << file;
    }
    std::sort(profiles.begin(), profiles.end(),
              [](const QFileInfo& a, const QFileInfo& b) { return a.lastModified() < b.lastModified(); });
    for (const QFileInfo& file : profiles)
        if (!openFile(file.absoluteFilePath()))
            return;
    if (profiles.size() == 2 &&
        QMessageBox::question(this, tr("Compare"),
                              tr("Compare %1 against %2, the newer against the older?")
                                  .arg(profiles.back().fileName(), profiles.front().fileName())) ==
            QMessageBox::Yes)
        setBase(indexOf(profiles.front().absoluteFilePath()));
}

void MainWindow::closeEvent(QCloseEvent* event) {
    QSettings settings;
    settings.setValue(QStringLiteral("window/geometry"), saveGeometry());
    settings.setValue(QStringLiteral("window/state"), saveState());
    settings.setValue(QStringLiteral("window/view"), currentView()->id());
    settings.setValue(QStringLiteral("window/files"), openPaths());
    settings.setValue(QStringLiteral("window/file"), current_ >= 0 ? shownFile().source->path() : QString());
    for (const View* view : views_)
        settings.setValue(QStringLiteral("views/") + view->id(), QJsonDocument(view->saveState()).toJson());
    QMainWindow::closeEvent(event);
}

} // namespace tilescope::ui
