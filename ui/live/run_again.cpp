// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/live/run_again.h"

#include "base/try.h"
#include "ui/live/workload_settings.h"
#include "ui/session/format.h"

#include <QCoreApplication>
#include <QFile>
#include <QFileInfo>

namespace tilescope::ui {

RunAgain runAgain(const profile::RunRecord& run) {
    const auto tr = [](const char* text) { return QCoreApplication::translate("RunAgain", text); };
    if (run.workload_path.empty())
        return {{}, {}, tr("This profile does not say which file was run.")};
    const QFileInfo named(text(run.workload_path));
    if (!named.isFile())
        return {named.filePath(), {}, tr("%1, which was run, is gone.").arg(named.filePath())};
    RunAgain again{named.absoluteFilePath(), {}, {}};
    if (!again.workload.endsWith(QLatin1String(".py"))) { // which says itself what it runs
        QFile file(again.workload);
        if (!file.open(QIODevice::ReadOnly))
            return {again.workload, {}, tr("%1 cannot be read.").arg(again.workload)};
        again.changes = changedSettings(file.readAll(), QByteArray::fromStdString(run.workload));
    }
    if (run.estimate)
        again.changes << QStringLiteral("estimate=true");
    return again;
}

Result<RunAgain> runAgainOf(const profile::Profile& file) {
    TRY(const auto run, file.run());
    return runAgain(run);
}

} // namespace tilescope::ui
