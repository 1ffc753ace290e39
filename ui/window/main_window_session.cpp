// SPDX-License-Identifier: GPL-3.0-or-later
// How each file was shown, from one time to the next, and what goes on now.
#include "details_dock.h"
#include "job_list.h"
#include "ui/live/live_view.h"
#include "ui/runs/runs_view.h"
#include "ui/session/format.h"
#include "ui/window/main_window.h"
#include "view_state.h"

#include <QDateTime>
#include <QFileInfo>
#include <QJsonDocument>
#include <QSettings>
#include <QStackedWidget>

namespace tilescope::ui {
namespace {

constexpr const char* session_key = "window/session";

/// A file that is another one now has other operations, steps and times.
QString stampOf(const QString& path) {
    const QFileInfo file(path);
    return QStringLiteral("%1 %2").arg(file.size()).arg(file.lastModified().toMSecsSinceEpoch());
}

const View* viewOf(const QObject* part) {
    while (part != nullptr && qobject_cast<const View*>(part) == nullptr)
        part = part->parent();
    return static_cast<const View*>(part);
}

/// "Trace, totals" of a query that a view calls "trace totals".
QString nameOf(const ProfileSource::Waiting& query) {
    if (query.receiver == nullptr)
        return MainWindow::tr("Opening");
    const View* view = viewOf(query.receiver);
    if (view == nullptr)
        return MainWindow::tr("Status bar, %1").arg(query.topic);
    const QString topic =
        query.topic.startsWith(view->id()) ? query.topic.mid(view->id().size()).trimmed() : query.topic;
    return topic.isEmpty() ? view->title() : QStringLiteral("%1, %2").arg(view->title(), topic);
}

} // namespace

QJsonObject MainWindow::stateOf(const View& view) {
    QJsonObject state = view.saveState();
    state[QStringLiteral("arrangement")] = arrangementOf(view);
    return state;
}

void MainWindow::leaveFile() {
    if (current_ < 0)
        return;
    OpenFile& file = shownFile();
    file.left = Place{currentView()->id(), selection_->current(), shown()};
    file.pinned = details_->savePinned();
    for (const View* view : views_)
        if (file.source != nullptr && !file.source->waitsFor(*view) &&
            !file.zooms.contains(view->id())) // else it has never been shown since
            if (const QJsonArray zooms = zoomsOf(*view); !zooms.isEmpty())
                file.zooms[view->id()] = zooms;
}

void MainWindow::takeZoom() {
    if (shownSource() == nullptr || stack_->currentWidget() != pages_ ||
        !shownFile().zooms.contains(currentView()->id()))
        return;
    for (const OpenFile& file : files_)
        if (file.source != nullptr && file.source->waitsFor(*currentView()))
            return; // it may still show the file before
    setZooms(*currentView(), shownFile().zooms.take(currentView()->id()));
}

void MainWindow::keepSession() const {
    QJsonArray files;
    for (const OpenFile& file : files_) {
        if (file.source == nullptr)
            continue;
        QJsonObject zooms;
        for (const auto& [view, zoom] : file.zooms.asKeyValueRange())
            zooms[view] = zoom;
        files << QJsonObject{{QStringLiteral("path"), file.path},
                             {QStringLiteral("stamp"), stampOf(file.path)},
                             {QStringLiteral("place"), placeToJson(file.left)},
                             {QStringLiteral("zooms"), zooms},
                             {QStringLiteral("pinned"), file.pinned}};
    }
    QSettings().setValue(QLatin1String(session_key), QJsonDocument(files).toJson(QJsonDocument::Compact));
}

void MainWindow::takeSession() {
    const QByteArray kept = QSettings().value(QLatin1String(session_key)).toByteArray();
    for (const auto& each : QJsonDocument::fromJson(kept).array()) {
        const QString path = each[QStringLiteral("path")].toString();
        const int index = indexOf(path);
        if (index < 0 || index == current_ || each[QStringLiteral("stamp")].toString() != stampOf(path))
            continue;
        OpenFile& file = files_[static_cast<std::size_t>(index)];
        file.left = placeFromJson(each[QStringLiteral("place")].toObject());
        file.pinned = each[QStringLiteral("pinned")].toObject();
        const QJsonObject zooms = each[QStringLiteral("zooms")].toObject();
        for (auto zoom = zooms.begin(); zoom != zooms.end(); ++zoom)
            file.zooms[zoom.key()] = zoom->toArray();
    }
}

QList<RunningJob> MainWindow::runningJobs() {
    QList<RunningJob> jobs;
    auto* live = findChild<LiveView*>();
    if (live->process().running())
        jobs << RunningJob{tr("Run"), QFileInfo(live->process().request().output).fileName(),
                           live->activity(), -1, [live] { live->process().cancel(); }};
    auto* runs = findChild<RunsView*>();
    if (const auto reading = runs->reading())
        jobs << RunningJob{tr("Runs, reading a folder"),
                           {},
                           tr("%1 of %2").arg(formatCount(reading->first), formatCount(reading->second)),
                           -1,
                           [runs] { runs->cancelReading(); }};
    for (const OpenFile& file : files_) {
        if (file.source == nullptr)
            continue;
        for (const ProfileSource::Waiting& query : file.source->waiting()) {
            const QString what = nameOf(query);
            RunningJob job{
                what, file.source->name(), query.running ? QString() : tr("waits"), query.seconds, {}};
            if (query.receiver == nullptr)
                job.cancel = [this, path = file.path] { closeFile(indexOf(path)); };
            else
                job.cancel = [this, source = file.source, query, what] {
                    source->stop(query.receiver, query.topic);
                    say(source->name(), tr("Cancelled: %1. F5 reads the file anew.").arg(what));
                };
            jobs << job;
        }
    }
    return jobs;
}

void MainWindow::showJobs() {
    (new JobList([this] { return runningJobs(); }, this))->popUp();
}

} // namespace tilescope::ui
