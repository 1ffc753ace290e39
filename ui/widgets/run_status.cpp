// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/run_status.h"

#include "analyse/training_progress.h"
#include "ui/session/format.h"
#include "ui/theme/theme.h"

#include <QObject>
#include <utility>

namespace tilescope::ui {
namespace {

/// Its colour, by its name for a ThemedLabel.
std::pair<const char*, ThemeColor> roleOf(profile::RunStatus status) {
    switch (status) {
    case profile::RunStatus::Complete:
        return {"@good", &Theme::good};
    case profile::RunStatus::Running:
        return {"@accent", &Theme::accent};
    case profile::RunStatus::Cancelled:
        return {"@warning", &Theme::warning};
    default:
        return {"@bad", &Theme::bad};
    }
}

} // namespace

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
    return QLatin1String(roleOf(status).first);
}

QIcon statusIcon(profile::RunStatus status) {
    return themeIcon(QStringLiteral("dot"), roleOf(status).second);
}

QString passText(const profile::ProgressRecord& progress) {
    const QString pass =
        QObject::tr("pass %1 of %2").arg(formatCount(progress.step + 1), formatCount(progress.steps));
    const auto done = analyse::share_of_pass(progress);
    return done ? QObject::tr("%1, %2 of its work").arg(pass, formatPercent(*done)) : pass;
}

QString headingText(const QString& name, const QString& text, const QString& color) {
    return inHtml(QStringLiteral("%1 <span style='font-size:small; color:%2'>● %3</span>"),
                  {name, color, text});
}

} // namespace tilescope::ui
