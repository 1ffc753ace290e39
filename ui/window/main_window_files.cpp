// SPDX-License-Identifier: GPL-3.0-or-later
// The files that are open in the window: opening, closing, choosing, which is the base, and what is there
// again the next time.
#include "accuracy_note.h"
#include "analyse/comparison_file.h"
#include "banner.h"
#include "base/file_names.h"
#include "basis_box.h"
#include "details_dock.h"
#include "disk_watch.h"
#include "file_tabs.h"
#include "finding_marks.h"
#include "global_search.h"
#include "hand_matching.h"
#include "message_log.h"
#include "program_box.h"
#include "rail.h"
#include "recent_files.h"
#include "showing_switch.h"
#include "status_strip.h"
#include "ui/live/live_view.h"
#include "ui/live/run_again.h"
#include "ui/runs/runs_view.h"
#include "ui/session/format.h"
#include "ui/theme/theme.h"
#include "ui/window/main_window.h"
#include "undo_list.h"

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
#include <QPushButton>
#include <QSettings>
#include <QSignalBlocker>
#include <QStackedWidget>
#include <QToolBar>
#include <QToolButton>
#include <algorithm>
#include <utility>

namespace tilescope::ui {
namespace {

/// By its name, as the programs go by it.
bool isWorkload(const QString& path) {
    return path.endsWith(QLatin1String(".json"));
}

} // namespace

void MainWindow::openFile(const QString& path) {
    if (analyse::is_comparison(path.toStdString()))
        return openComparison(path);
    if (QFileInfo(path).isDir())
        return openFolder(path);
    if (isWorkload(path))
        return setUpRun(QFileInfo(path).absoluteFilePath());
    selectFile(addFile(path, false));
}

void MainWindow::openFolder(const QString& path) {
    findChild<RunsView*>()->readFolder(QFileInfo(path).absoluteFilePath());
    showView(QStringLiteral("runs"));
}

/// A tab for it, where it has none, or had none that could be read; which one. `keep`: also where it cannot
/// be read, as one that was open the last time.
int MainWindow::addFile(const QString& path, bool keep) {
    int index = indexOf(path);
    if (index >= 0 && files_[static_cast<std::size_t>(index)].source)
        return index;
    if (std::none_of(files_.begin(), files_.end(),
                     [](const OpenFile& file) { return file.source && !file.opened; }))
        bad_ = 0; // none is asked for any more
    const auto source = ProfileSource::open(path);
    const QString name = source->path();
    const QString before = current_ < 0 ? QString() : shownFile().path;
    connect(source.get(), &ProfileSource::opened, this, [this, name] {
        closed_.removeAll(name);
        if (const int opened = indexOf(name); opened >= 0)
            files_[static_cast<std::size_t>(opened)].opened = true;
        lookAtFirstIpu();
        visit();
        rememberOpened(name);
        rememberCompared();
        updateRecent();
        disk_->add(name);
        Q_EMIT fileOpened(name);
    });
    connect(
        source.get(), &ProfileSource::failed, this,
        [this, name, before, kept = keep || index >= 0](const Error& error) {
            kept ? keepMissing(name, error) : dropBad(name, before, error);
        },
        Qt::QueuedConnection); // the source does not outlive it
    const QSignalBlocker quiet(tabs_);
    if (index < 0) {
        OpenFile file;
        file.path = name;
        file.source = source;
        files_.push_back(std::move(file));
        tabs_->addFile(name, source);
        return static_cast<int>(files_.size()) - 1;
    }
    files_[static_cast<std::size_t>(index)].source = source;
    tabs_->setFile(index, source);
    return index;
}

/// What was open before is shown again.
void MainWindow::dropBad(const QString& path, const QString& before, const Error& error) {
    const bool shown = current_ >= 0 && shownFile().path == path;
    takeOut(indexOf(path));
    if (const int index = indexOf(before); shown && index >= 0)
        selectFile(index);
    complain(error, bad_++);
    Q_EMIT fileFailed(error);
}

/// A file that cannot be read keeps its tab.
void MainWindow::keepMissing(const QString& path, const Error& error) {
    const int index = indexOf(path);
    if (index < 0)
        return;
    const auto source = files_[static_cast<std::size_t>(index)].source; // outlives the views' use of it
    OpenFile& file = files_[static_cast<std::size_t>(index)];
    file.opened = false;
    file.reason = QFileInfo::exists(path) ? text(error.line()) : tr("Gone: %1").arg(path);
    messages_->add(QFileInfo(path).completeBaseName(), file.reason, true);
    letGo(index);
    file.source.reset();
    {
        const QSignalBlocker quiet(tabs_);
        tabs_->setFile(index, nullptr);
    }
    selectFile(current_);
    Q_EMIT fileFailed(error);
}

/// Another file in place of the one that is gone.
void MainWindow::findMissing() {
    const QString gone = shownFile().path;
    const QString found =
        QFileDialog::getOpenFileName(this, tr("Find %1").arg(QFileInfo(gone).fileName()),
                                     QFileInfo(gone).path(), tr("Profiles (*.tilescope);;All files (*)"));
    if (found.isEmpty())
        return;
    openFile(found);
    if (ProfileSource* source = shownSource())
        connect(source, &ProfileSource::opened, this, [this, gone] { closeFile(indexOf(gone)); });
}

void MainWindow::complain(const Error& error, int before) {
    messages_->add({}, text(error.line()), true);
    if (before == 0)
        return banner_->show({Notice::Kind::Bad, text(error.line()), {}, {}});
    banner_->show({Notice::Kind::Bad, tr("%1; and %2 more").arg(text(error.line()), formatCount(before)),
                   tr("Show all"), [this] { messages_->show(); }});
}

/// Beside the tabs, where there are more of them than one sees at once.
void MainWindow::makeFileList() {
    auto* list = new QToolButton;
    list->setObjectName(QStringLiteral("fileList"));
    list->setIcon(themeIcon(QStringLiteral("list")));
    list->setToolTip(tr("All open files"));
    list->setAccessibleName(list->toolTip());
    list->setPopupMode(QToolButton::InstantPopup);
    auto* menu = new QMenu(list);
    list->setMenu(menu);
    file_list_ = file_bar_->addWidget(list);
    file_list_->setVisible(false);
    connect(menu, &QMenu::aboutToShow, this, [this, menu] {
        menu->clear();
        for (int i = 0; i < tabs_->count(); ++i) {
            QAction* file = menu->addAction(tabs_->tabIcon(i), tabs_->tabText(i));
            QFont font = menu->font();
            font.setBold(i == current_);
            file->setFont(font);
            file->setToolTip(tabs_->tabToolTip(i));
            const QString path = files_[static_cast<std::size_t>(i)].path; // others may go meanwhile
            connect(file, &QAction::triggered, this, [this, path] {
                if (const int now = indexOf(path); now >= 0)
                    selectFile(now);
            });
        }
        menu->setToolTipsVisible(true);
    });
}

void MainWindow::tell(const QString& path, const Notice& notice) {
    messages_->add(QFileInfo(path).completeBaseName(), notice.text, notice.kind == Notice::Kind::Bad);
    if (const int index = indexOf(path); index >= 0)
        files_[static_cast<std::size_t>(index)].notice = std::make_shared<Notice>(notice);
    showNotice();
}

void MainWindow::showNotice() {
    const bool any = current_ >= 0 && shownFile().notice != nullptr;
    banner_->show(any ? *shownFile().notice : Notice{});
}

/// Another file has the name of an open one.
void MainWindow::takeReplaced(const QString& path, bool in_place) {
    const bool shown = shownSource() != nullptr && shownFile().path == path;
    if (shown && QSettings().value(QStringLiteral("window/reload"), false).toBool())
        return openAnew(path);
    tell(path, {Notice::Kind::Told,
                (in_place ? tr("%1 was written anew while it was open: what is shown may be of either.")
                          : tr("Another file has taken the name %1; what is shown is the one before."))
                    .arg(QFileInfo(path).fileName()),
                tr("Reload"), [this, path] { openAnew(path); }});
}

ProfileSource* MainWindow::shownSource() const {
    return current_ < 0 ? nullptr : files_[static_cast<std::size_t>(current_)].source.get();
}

int MainWindow::indexOf(const QString& path) const {
    for (std::size_t i = 0; i < files_.size(); ++i)
        if (files_[i].path == QFileInfo(path).absoluteFilePath())
            return static_cast<int>(i);
    return -1;
}

/// A file that cannot be read any more keeps its tab.
void MainWindow::openAnew(const QString& path) {
    const QString file = QFileInfo(path).absoluteFilePath(); // `path` may be that of the tab which goes
    if (const int open = indexOf(file); open >= 0 && files_[static_cast<std::size_t>(open)].source)
        takeOut(open);
    selectFile(addFile(file, true));
}

void MainWindow::openDialog() {
    for (const QString& path : QFileDialog::getOpenFileNames(
             this, tr("Open profiles or a comparison"), {},
             tr("Profiles and comparisons (*.tilescope *.tilescope-compare);;All files (*)")))
        openFile(path);
}

void MainWindow::reopenLastFiles() {
    const QSettings settings;
    if (!settings.value(QStringLiteral("window/reopen"), true).toBool())
        return;
    const QString shown = settings.value(QStringLiteral("window/file")).toString();
    for (const QString& path : settings.value(QStringLiteral("window/files")).toStringList())
        addFile(path, true);
    takeSession();
    if (const int index = indexOf(shown); index >= 0)
        selectFile(index);
    else if (current_ < 0 && !files_.empty())
        selectFile(0);
    reopenComparison();
}

void MainWindow::closeFile(int index) {
    if (index < 0 || index >= static_cast<int>(files_.size()))
        return;
    const QString path = files_[static_cast<std::size_t>(index)].path;
    closed_ << path;
    undo_->add(
        tr("closing %1").arg(QFileInfo(path).completeBaseName()), [this, path] { closeFile(indexOf(path)); },
        [this, path] { openFile(path); });
    takeOut(index);
}

void MainWindow::takeOut(int index) {
    if (index < 0)
        return;
    disk_->remove(files_[static_cast<std::size_t>(index)].path);
    const auto closing = files_[static_cast<std::size_t>(index)].source; // outlives the views' use of it
    const bool shown = index == current_;
    letGo(index);
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

/// Nothing shows the file any more, for the time being.
void MainWindow::letGo(int index) {
    if (index != current_ && index != base_)
        return;
    for (View* view : views_)
        view->setSources({});
    basis_box_->setSources({});
    program_box_->setSource({});
    status_->setSource({});
    marks_->setSource({});
    accuracy_->setSource({});
    base_ = -1;
}

void MainWindow::closeOthers(int index) {
    const QString kept = files_[static_cast<std::size_t>(index)].path;
    for (int i = static_cast<int>(files_.size()) - 1; i >= 0; --i)
        if (files_[static_cast<std::size_t>(i)].path != kept)
            closeFile(i);
}

/// Each file is shown as it was left.
void MainWindow::selectFile(int index) {
    sight_wanted_.reset();
    if (current_ != index) {
        leaveFile();
        details_->restorePinned(index < 0 ? QJsonObject() : files_[static_cast<std::size_t>(index)].pinned);
    }
    current_ = index;
    if (base_ == current_ || shownSource() == nullptr)
        base_ = -1;
    Place place{currentView()->id(), {}, showing_};
    place.selection.basis = BasisBox::first();
    if (current_ >= 0 && !shownFile().left.view.isEmpty())
        place = shownFile().left;
    place.selection.device_program = selection_->current().device_program;
    moving_ = true;
    updateSources();
    goTo(place);
    moving_ = false;
    visit();
    showNotice();
}

/// Files of one name are told apart by their folders.
void MainWindow::updateNames() {
    std::vector<std::string> paths;
    for (const OpenFile& file : files_)
        paths.push_back(file.path.toStdString());
    const std::vector<std::string> names = file_names(paths);
    for (std::size_t i = 0; i < files_.size(); ++i) {
        const QString name = text(names[i]);
        if (files_[i].source)
            files_[i].source->setName(name);
        tabs_->setName(static_cast<int>(i), name);
    }
}

void MainWindow::setUpRunAgain(const QStringList& changes) {
    if (current_ < 0 || !shownFile().source)
        return;
    shownFile().source->ask<RunAgain>(
        this, QStringLiteral("run again"), runAgainOf, [this, changes](const Result<RunAgain>& again) {
            const QString problem = again ? again->problem : text(again.error().line());
            if (problem.isEmpty())
                setUpRun(again->workload, again->changes + changes);
            else
                Q_EMIT currentView()->message(problem);
        });
}

void MainWindow::updateSources() {
    updateNames();
    {
        const QSignalBlocker quiet(tabs_);
        tabs_->setCurrentIndex(current_);
    }
    base_box_->clear();
    base_box_->addItem(tr("no base"));
    for (int i = 0; i < tabs_->count(); ++i)
        base_box_->addItem(tabs_->tabText(i));
    base_box_->setCurrentIndex(base_ + 1);
    against_action_->setVisible(base_ >= 0);
    compare_action_->setVisible(base_ < 0 && current_ >= 0);
    showing_switch_->setVisible(base_ >= 0);
    showing_switch_->setCurrent(shown());
    next_showing_->setEnabled(base_ >= 0);
    for (QAction* save : {save_comparison_, save_comparison_as_})
        save->setEnabled(base_ >= 0);
    details_of_.clear();
    const auto at = [this](int i) { return i < 0 ? nullptr : files_[static_cast<std::size_t>(i)].source; };
    const bool two = shown() == Showing::Both || shown() == Showing::Difference;
    Sources compared{at(current_), at(base_)};
    const QStringList paths = comparedPaths();
    for (const QString& path : paths) {
        compared.compared.push_back(at(indexOf(path)));
        if (path != paths.front())
            compared.compared_by_hand.push_back(by_hand_->of(paths.front(), path));
    }
    if (base_ >= 0)
        compared.by_hand = by_hand_->of(paths.front(), shownFile().path);
    lookAtFirstIpu();
    Sources shown_sources{at(frontFile()), two ? at(base_) : nullptr, shown() == Showing::Difference};
    shown_sources.by_hand = compared.by_hand;
    for (View* view : views_)
        view->setSources(view->comparesAlways() ? compared : shown_sources);
    offerBases();
    program_box_->setSource(at(frontFile()));
    status_->setSource(at(frontFile()));
    marks_->setSource(at(frontFile()));
    accuracy_->setSource(at(frontFile()));
    enableCommands();
    showView(currentView()->id());
}

/// Of the file in front, until another is chosen.
void MainWindow::lookAtFirstIpu() {
    if (frontFile() >= 0 && files_[static_cast<std::size_t>(frontFile())].source)
        selection_->setFirstIpu(files_[static_cast<std::size_t>(frontFile())].source->firstIpu());
}

Showing MainWindow::shown() const {
    return base_ < 0 ? Showing::New : showing_;
}

int MainWindow::frontFile() const {
    return shown() == Showing::Base ? base_ : current_;
}

/// What is selected in one file means nothing in the other.
void MainWindow::setShowing(Showing showing) {
    if (base_ < 0 || showing == showing_)
        return;
    const int before = frontFile();
    showing_ = showing;
    if (frontFile() != before) {
        const bool moving = std::exchange(moving_, true);
        Selection kept;
        kept.basis = selection_->current().basis;
        kept.device_program = selection_->current().device_program;
        selection_->set(kept);
        moving_ = moving;
    }
    updateSources();
}

void MainWindow::enableCommands() {
    for (QAction* action : need_tab_)
        action->setEnabled(current_ >= 0);
    for (QAction* action : need_file_)
        action->setEnabled(shownSource() != nullptr);
    rail_->setFileOpen(shownSource() != nullptr);
    constexpr int most_seen_at_once = 6;
    file_list_->setVisible(tabs_->count() > most_seen_at_once);
}

MainWindow::OpenFile& MainWindow::shownFile() {
    return files_[static_cast<std::size_t>(current_)];
}

void MainWindow::updateRecent() {
    recent_->clear();
    for (const RecentFile& file : recentFiles())
        connect(recent_->addAction(file.path), &QAction::triggered, this,
                [this, path = file.path] { openFile(path); });
    recent_->setEnabled(!recent_->isEmpty());
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
    if (event->mimeData()->hasUrls())
        event->acceptProposedAction();
}

/// A profile is opened, of two one may compare the newer with the older; a workload goes into the form for a
/// run, and of a folder all runs are shown.
void MainWindow::dropEvent(QDropEvent* event) {
    event->acceptProposedAction();
    QFileInfoList profiles;
    for (const QUrl& url : event->mimeData()->urls()) {
        const QFileInfo file(url.toLocalFile());
        if (isWorkload(file.filePath()) || file.isDir())
            return openFile(file.absoluteFilePath());
        if (url.isLocalFile())
            profiles << file;
    }
    std::sort(profiles.begin(), profiles.end(),
              [](const QFileInfo& a, const QFileInfo& b) { return a.lastModified() < b.lastModified(); });
    for (const QFileInfo& file : profiles)
        openFile(file.absoluteFilePath());
    if (profiles.size() == 2 &&
        QMessageBox::question(this, tr("Compare"),
                              tr("Compare %1 against %2, the newer against the older?")
                                  .arg(profiles.back().fileName(), profiles.front().fileName())) ==
            QMessageBox::Yes)
        setBase(indexOf(profiles.front().absoluteFilePath()));
}

bool MainWindow::mayClose() {
    auto* live = findChild<LiveView*>();
    if (!live->process().running())
        return true;
    QMessageBox box(QMessageBox::Question, tr("A run is still going"),
                    tr("The run that writes %1 is still going.")
                        .arg(QFileInfo(live->process().request().output).fileName()),
                    QMessageBox::NoButton, this);
    box.setObjectName(QStringLiteral("closing"));
    box.addButton(tr("Stop it and close"), QMessageBox::DestructiveRole);
    const QAbstractButton* leave = box.addButton(tr("Leave it running"), QMessageBox::AcceptRole);
    QPushButton* stay = box.addButton(tr("Stay"), QMessageBox::RejectRole);
    box.setDefaultButton(stay);
    box.setEscapeButton(stay);
    box.exec();
    if (box.clickedButton() == leave)
        live->process().leave();
    return box.clickedButton() != stay;
}

void MainWindow::closeEvent(QCloseEvent* event) {
    if (!mayForgetMatches() || !mayClose())
        return event->ignore();
    QSettings settings;
    settings.setValue(QStringLiteral("window/geometry"), saveGeometry());
    settings.setValue(QStringLiteral("window/state"), saveState());
    settings.setValue(QStringLiteral("window/view"), currentView()->id());
    settings.setValue(QStringLiteral("window/files"), openPaths());
    settings.setValue(QStringLiteral("window/file"), current_ >= 0 ? shownFile().path : QString());
    settings.setValue(QStringLiteral("window/against"), comparedPaths());
    settings.setValue(QStringLiteral("window/comparisonFile"),
                      comparesAsSaved() ? comparison_file_ : QString());
    for (const View* view : views_)
        settings.setValue(QStringLiteral("views/") + view->id(), QJsonDocument(stateOf(*view)).toJson());
    leaveFile();
    keepSession();
    QMainWindow::closeEvent(event);
}

} // namespace tilescope::ui
