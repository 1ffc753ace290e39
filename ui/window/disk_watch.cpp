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

DiskWatch::Seen DiskWatch::seenAt(const QString& path) {
    constexpr std::int64_t ns_per_s = 1'000'000'000;
    struct stat found {
    }, log{};
    if (::stat(QFile::encodeName(path).constData(), &found) != 0)
        return {};
    const bool pending = ::stat(QFile::encodeName(path + QStringLiteral("-wal")).constData(), &log) == 0 &&
                         log.st_size > 0; // whoever closes the file may still move it there
    return {{found.st_dev, found.st_ino},
            {found.st_size, found.st_mtim.tv_sec * ns_per_s + found.st_mtim.tv_nsec},
            pending || profile::writer_of(path.toStdString()) != 0};
}

/// Of what was opened by that name: the run that is being written to take it, where there is one.
DiskWatch::Seen DiskWatch::openedBy(const QString& path) {
    const std::string partial = profile::partial_path(path.toStdString());
    return seenAt(profile::writer_of(partial) != 0 ? QString::fromStdString(partial) : path);
}

void DiskWatch::add(const QString& path) {
    opened_[path] = {};
    watcher_.addPath(path);
    inBackground(
        this, [path] { return openedBy(path); },
        [this, path](const Seen& seen) {
            if (opened_.contains(path))
                opened_[path] = seen;
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
        Seen named;  ///< the file of that name
        Seen beside; ///< the run that will take it
    };
    inBackground(
        this,
        [paths = opened_.keys()] {
            QHash<QString, Found> now;
            for (const QString& path : paths)
                now[path] = {seenAt(path),
                             seenAt(QString::fromStdString(profile::partial_path(path.toStdString())))};
            return now;
        },
        [this](const QHash<QString, Found>& now) {
            for (auto found = now.begin(); found != now.end(); ++found) {
                const auto known = opened_.find(found.key());
                const auto [named, beside] = found.value();
                if (known == opened_.end() || !named.there() || !known->there())
                    continue;
                if (!watcher_.files().contains(found.key()))
                    watcher_.addPath(found.key()); // it was on the file that had the name before
                const bool same = known->file == named.file;
                if (known->file == beside.file || (same && known->written == named.written))
                    continue;
                const bool grown = same && (known->growing || named.growing);
                *known = named;
                if (!grown)
                    Q_EMIT replaced(found.key(), same);
            }
        });
}

} // namespace tilescope::ui
