// SPDX-License-Identifier: GPL-3.0-or-later
// What is compared in the window: with which base, which others, and the files that keep it.
#include "banner.h"
#include "base/try.h"
#include "comparison_file.h"
#include "hand_matching.h"
#include "recent_files.h"
#include "ui/compare/compare_view.h"
#include "ui/session/format.h"
#include "ui/window/main_window.h"

#include <QCursor>
#include <QFileDialog>
#include <QFileInfo>
#include <QJsonDocument>
#include <QJsonObject>
#include <QMenu>
#include <QMessageBox>
#include <QSettings>
#include <QToolButton>
#include <algorithm>
#include <utility>

namespace tilescope::ui {

void MainWindow::setBase(int index) {
    const bool can = index >= 0 && index < static_cast<int>(files_.size()) && index != current_ &&
                     shownSource() != nullptr && files_[static_cast<std::size_t>(index)].source;
    base_ = can ? index : -1;
    rememberCompared();
    updateSources();
}

void MainWindow::compare(const QStringList& paths) {
    compareAs(paths, {}, {});
}

/// `wanted_front`: which of them comes in front, and `saved_in` the file that says so; empty: none does.
void MainWindow::compareAs(const QStringList& paths, const QString& saved_in, const QString& wanted_front) {
    QStringList names;
    for (const QString& path : paths)
        if (const QString name = QFileInfo(path).absoluteFilePath(); !names.contains(name))
            names << name;
    if (names.size() < 2)
        return;
    const QString before = current_ >= 0 ? shownFile().path : QString();
    const QString base_before = base_ >= 0 ? files_[static_cast<std::size_t>(base_)].path : QString();
    for (const QString& name : names)
        addFile(name, false);
    QString front = names[1];
    for (const QString& wanted : {base_before, before, wanted_front})
        if (names.indexOf(wanted) > 0)
            front = wanted;
    compared_ = names;
    comparison_file_ = saved_in;
    if (current_ != indexOf(front))
        selectFile(indexOf(front));
    setBase(indexOf(names.front()));
    showView(QStringLiteral("compare"));
}

/// Of more than two, as long as base and shown file are among them and all are open.
QStringList MainWindow::comparedPaths() const {
    if (base_ < 0 || current_ < 0)
        return {};
    const QString base = files_[static_cast<std::size_t>(base_)].path;
    const QString front = files_[static_cast<std::size_t>(current_)].path;
    QStringList all{base};
    for (const QString& path : compared_)
        if (const int index = indexOf(path);
            path != base && index >= 0 && files_[static_cast<std::size_t>(index)].source)
            all << path;
    return all.contains(front) && compared_.contains(base) ? all : QStringList{base, front};
}

/// Once it is known that all of it can be read.
void MainWindow::rememberCompared() {
    const QStringList paths = comparedPaths();
    const bool opened = std::all_of(paths.begin(), paths.end(), [this](const QString& path) {
        return files_[static_cast<std::size_t>(indexOf(path))].opened;
    });
    if (!paths.isEmpty() && opened)
        rememberComparison(comparesAsSaved() ? QStringList{comparison_file_} : paths);
}

bool MainWindow::comparesAsSaved() const {
    return !comparison_file_.isEmpty() && comparedPaths() == compared_;
}

/// Another column in Compare, or the first one's base: a file that is open, or one that is opened.
void MainWindow::addCompared() {
    if (current_ < 0)
        return;
    const QStringList now = comparedPaths();
    const QString front = shownFile().path;
    const auto with = [this, now, front](const QStringList& more) {
        compare(now.isEmpty() ? more + QStringList{front} : now + more);
    };
    constexpr int most_recent = 6;
    auto* menu = new QMenu(this);
    menu->setObjectName(QStringLiteral("addCompared"));
    menu->setAttribute(Qt::WA_DeleteOnClose);
    for (const OpenFile& file : files_)
        if (file.source && !now.contains(file.path) && file.path != front)
            connect(menu->addAction(file.source->name()), &QAction::triggered, this,
                    [with, path = file.path] { with({path}); });
    menu->addSeparator();
    int offered = 0;
    for (const RecentFile& file : recentFiles())
        if (offered < most_recent && indexOf(file.path) < 0 && QFile::exists(file.path)) {
            ++offered;
            connect(menu->addAction(file.path), &QAction::triggered, this,
                    [with, path = file.path] { with({path}); });
        }
    menu->addSeparator();
    connect(menu->addAction(tr("Open…")), &QAction::triggered, this, [this, now, with] {
        const QStringList more = QFileDialog::getOpenFileNames(
            this, now.isEmpty() ? tr("Choose the base") : tr("Compare with the base"), {},
            tr("Profiles (*.tilescope);;All files (*)"));
        if (!more.isEmpty())
            with(more);
    });
    const bool of_button = compare_button_->underMouse() || compare_button_->hasFocus();
    menu->popup(of_button ? compare_button_->mapToGlobal(compare_button_->rect().bottomLeft())
                          : QCursor::pos());
}

void MainWindow::offerBases() {
    QStringList open;
    for (const OpenFile& file : files_)
        if (file.source)
            open << file.path;
    for (View* view : views_)
        if (auto* compare = qobject_cast<CompareView*>(view))
            compare->offer(open, recentComparisons());
}

void MainWindow::matchByHand(const analyse::HandMatches& by_hand) {
    if (base_ < 0 || current_ < 0)
        return;
    by_hand_->set(files_[static_cast<std::size_t>(base_)].path, shownFile().path, by_hand);
    updateSources();
}

Result<void> MainWindow::saveComparison(const QString& path) {
    const QStringList paths = comparedPaths();
    if (paths.isEmpty())
        return wrong_usage("nothing is compared", {}, "choose a base first");
    analyse::SavedComparison comparison{paths.front().toStdString(), {}, shownFile().path.toStdString()};
    for (const QString& run : paths.mid(1)) {
        QJsonObject of_views;
        for (const View* view : views_)
            if (const QJsonObject state = view->saveComparison(paths.front(), run); !state.isEmpty())
                of_views[view->id()] = state;
        const QByteArray views =
            of_views.isEmpty() ? QByteArray() : QJsonDocument(of_views).toJson(QJsonDocument::Compact);
        comparison.runs.push_back({run.toStdString(), by_hand_->of(paths.front(), run), views.toStdString()});
    }
    TRY(writeComparison(path, comparison));
    compared_ = paths;
    comparison_file_ = QFileInfo(path).absoluteFilePath();
    by_hand_->setSaved(comparison_file_, comparison);
    rememberCompared();
    updateTitle();
    return {};
}

void MainWindow::saveShownComparison() {
    if (!comparesAsSaved())
        return saveComparisonAs();
    if (const auto saved = saveComparison(comparison_file_); !saved)
        complain(saved.error());
}

void MainWindow::saveComparisonAs() {
    const QStringList paths = comparedPaths();
    if (paths.isEmpty())
        return;
    const QFileInfo front(shownFile().path);
    QString path = comparison_file_.isEmpty()
                       ? front.dir().filePath(
                             QStringLiteral("%1-against-%2.tilescope-compare")
                                 .arg(front.completeBaseName(), QFileInfo(paths.front()).completeBaseName()))
                       : comparison_file_;
    path = QFileDialog::getSaveFileName(this, tr("Save comparison"), path,
                                        tr("Comparisons (*.tilescope-compare)"));
    if (path.isEmpty())
        return;
    if (!analyse::is_comparison(path.toStdString()))
        path += QStringLiteral(".tilescope-compare");
    if (const auto saved = saveComparison(path); !saved)
        complain(saved.error());
}

/// What is open stays, and what is compared is not changed unless all of the file can be understood.
void MainWindow::openComparison(const QString& path) {
    const auto fail = [this](const Error& error) {
        complain(error);
        Q_EMIT fileFailed(error);
    };
    const auto comparison = readComparison(path);
    if (!comparison)
        return fail(comparison.error());
    const QString base = text(comparison->base);
    for (const analyse::SavedComparison::Run& run : comparison->runs) {
        const QJsonObject views = QJsonDocument::fromJson(QByteArray::fromStdString(run.views)).object();
        for (View* view : views_)
            if (const auto taken =
                    view->restoreComparison(base, text(run.path), views[view->id()].toObject());
                !taken) {
                Error error = taken.error();
                error.place = path.toStdString() + ", " + error.place;
                return fail(error);
            }
    }
    QStringList paths;
    for (const std::string& each : comparison->paths())
        paths << text(each);
    const QString file = QFileInfo(path).absoluteFilePath();
    const analyse::SavedComparison mine = by_hand_->asNow(*comparison);
    const bool lost = by_hand_->wouldLose(*comparison);
    by_hand_->setSaved(file, *comparison);
    by_hand_->set(*comparison);
    compareAs(paths, file, text(comparison->front));
    if (lost)
        tell(shownFile().path,
             {Notice::Kind::Told,
              tr("What was matched by hand in %1 holds now, in place of what you had matched.")
                  .arg(QFileInfo(path).fileName()),
              tr("Use mine"), [this, mine] {
                  by_hand_->set(mine);
                  updateSources();
              }});
}

/// What was compared when a window was closed last: its files are open again.
void MainWindow::reopenComparison() {
    const QSettings settings;
    const QStringList paths = settings.value(QStringLiteral("window/against")).toStringList();
    if (current_ < 0 || paths.indexOf(shownFile().path) < 1)
        return;
    compared_ = paths;
    const QString file = settings.value(QStringLiteral("window/comparisonFile")).toString();
    if (!file.isEmpty())
        if (const auto saved = readComparison(file)) {
            comparison_file_ = file;
            by_hand_->setSaved(file, *saved);
        }
    setBase(indexOf(paths.front()));
}

/// The settings keep what was matched, but a file that has been saved says something else.
bool MainWindow::mayForgetMatches() {
    for (const QString& file : by_hand_->changedFiles()) {
        QMessageBox box(QMessageBox::Question, tr("The comparison has changed"),
                        tr("Save the changed matches in %1?").arg(QFileInfo(file).fileName()),
                        QMessageBox::Save | QMessageBox::Discard | QMessageBox::Cancel, this);
        box.setObjectName(QStringLiteral("unsavedMatches"));
        box.setInformativeText(tr("What was matched by hand is not what the file has:\n%1").arg(file));
        box.setDefaultButton(QMessageBox::Save);
        const int answer = box.exec();
        if (answer == QMessageBox::Discard) {
            by_hand_->set(by_hand_->saved(file));
        } else if (answer != QMessageBox::Save) {
            return false;
        } else if (const auto saved = file == comparison_file_ && comparesAsSaved()
                                          ? saveComparison(file)
                                          : writeComparison(file, by_hand_->asNow(by_hand_->saved(file)));
                   !saved) {
            complain(saved.error());
            return false;
        }
    }
    return true;
}

} // namespace tilescope::ui
