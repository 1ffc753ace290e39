// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/run_status.h"

#include <QObject>

namespace tilescope::ui {

QString statusText(profile::RunStatus status) {
    switch (status) {
    case profile::RunStatus::Running:
        return QObject::tr("running");
    case profile::RunStatus::Complete:
        return QObject::tr("complete");
    case profile::RunStatus::Cancelled:
        return QObject::tr("cancelled");
    case profile::RunStatus::OutOfMemory:
        return QObject::tr("out of memory");
    case profile::RunStatus::Killed:
        return QObject::tr("killed");
    case profile::RunStatus::Diverged:
        return QObject::tr("diverged");
    case profile::RunStatus::Failed:
        break;
    }
    return QObject::tr("failed");
}

QString statusColor(profile::RunStatus status) {
    switch (status) {
    case profile::RunStatus::Complete:
        return QStringLiteral("@good");
    case profile::RunStatus::Running:
        return QStringLiteral("@accent");
    case profile::RunStatus::Cancelled:
        return QStringLiteral("@warning");
    default:
        return QStringLiteral("@bad");
    }
}

QString headingText(const QString& name, const QString& text, const QString& color) {
    return QStringLiteral("%1 <span style='font-size:small; color:%2'>● %3</span>")
        .arg(name.toHtmlEscaped(), color, text);
}

} // namespace tilescope::ui
