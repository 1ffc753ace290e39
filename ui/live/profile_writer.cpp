// SPDX-License-Identifier: GPL-3.0-or-later
#include "profile_writer.h"

#include "profile/writer_lock.h"

#include <QDir>
#include <QFileInfo>
#include <csignal>
#include <sys/types.h>

namespace tilescope::ui {

bool writesProfile(const QString& profile_path, std::int64_t pid) {
    if (pid <= 0)
        return false;
    const QString lock = QString::fromStdString(profile::lock_path(profile_path.toStdString()));
    const QString path = QFileInfo(lock).canonicalFilePath();
    const QFileInfoList open =
        QDir(QStringLiteral("/proc/%1/fd").arg(pid)).entryInfoList(QDir::Files | QDir::System);
    for (const QFileInfo& file : open)
        if (!path.isEmpty() && file.symLinkTarget() == path)
            return true;
    return false;
}

bool interruptWriter(const QString& profile_path, std::int64_t pid) {
    return writesProfile(profile_path, pid) && ::kill(static_cast<pid_t>(pid), SIGINT) == 0;
}

} // namespace tilescope::ui
