// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/live/profile_writer.h"

#include <QDir>
#include <QFileInfo>
#include <csignal>
#include <sys/types.h>

namespace tilescope::ui {

Writer writerOf(const QString& profile_path, std::int64_t pid) {
    const QDir files(QStringLiteral("/proc/%1/fd").arg(pid));
    if (pid <= 0 || !QFileInfo::exists(QStringLiteral("/proc/%1").arg(pid)))
        return Writer::Gone;
    if (!QFileInfo(files.path()).isReadable())
        return Writer::Unknown;
    const QString path = QFileInfo(profile_path).canonicalFilePath();
    for (const QFileInfo& file : files.entryInfoList(QDir::Files | QDir::System))
        if (file.symLinkTarget() == path)
            return Writer::Writing;
    return Writer::Gone;
}

bool interruptWriter(const QString& profile_path, std::int64_t pid) {
    return writerOf(profile_path, pid) == Writer::Writing && ::kill(static_cast<pid_t>(pid), SIGINT) == 0;
}

} // namespace tilescope::ui
