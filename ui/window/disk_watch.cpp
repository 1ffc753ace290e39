// SPDX-License-Identifier: GPL-3.0-or-later
#include "disk_watch.h"

#include "profile/writer_lock.h"
#include "ui/session/in_background.h"

#include <QFile>
#include <QStringList>
#include <sys/stat.h>

namespace tilescope::ui {
namespace {

constexpr int settle_ms = 300; ///< a file is written in many steps

} // namespace

DiskWatch::DiskWatch(QObject* parent) : QObject(parent) {
    soon_.setSingleShot(true);
    soon_.setInterval(settle_ms);
    connect(&watcher_, &QFileSystemWatcher::fileChanged, this, &DiskWatch::look);
    connect(&soon_, &QTimer::timeout, this, &DiskWatch::lookNow);
}

DiskWatch::Identity DiskWatch::identityOf(const QString& path) {
    struct stat found {};
    if (::stat(QFile::encodeName(path).constData(), &found) != 0)
        return {};
    return {found.st_dev, found.st_ino};
}

/// Of what was opened by that name: the run that is being written to take it, where there is one.
DiskWatch::Identity DiskWatch::openedBy(const QString& path) {
    const std::string partial = profile::partial_path(path.toStdString());
    return identityOf(profile::writer_of(partial) != 0 ? QString::fromStdString(partial) : path);
}

void DiskWatch::add(const QString& path) {
    opened_[path] = {};
    watcher_.addPath(path);
    inBackground(
        this, [path] { return openedBy(path); },
        [this, path](const Identity& identity) {
            if (opened_.contains(path))
                opened_[path] = identity;
        });
}

void DiskWatch::remove(const QString& path) {
    opened_.remove(path);
    watcher_.removePath(path);
}

void DiskWatch::look() {
    soon_.start();
}

void DiskWatch::lookNow() {
    struct Found {
        Identity named;  ///< the file of that name
        Identity beside; ///< the run that will take it
    };
    inBackground(
        this,
        [paths = opened_.keys()] {
            QHash<QString, Found> now;
            for (const QString& path : paths)
                now[path] = {identityOf(path),
                             identityOf(QString::fromStdString(profile::partial_path(path.toStdString())))};
            return now;
        },
        [this](const QHash<QString, Found>& now) {
            for (auto found = now.begin(); found != now.end(); ++found) {
                const auto known = opened_.find(found.key());
                const auto [named, beside] = found.value();
                if (known == opened_.end() || named == Identity{} || *known == Identity{})
                    continue;
                if (!watcher_.files().contains(found.key()))
                    watcher_.addPath(found.key()); // it was on the file that had the name before
                if (*known == named || *known == beside)
                    continue;
                *known = named;
                Q_EMIT replaced(found.key());
            }
        });
}

} // namespace tilescope::ui
