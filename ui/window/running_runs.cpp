// SPDX-License-Identifier: GPL-3.0-or-later
#include "running_runs.h"

#include "base/try.h"
#include "profile/writer_lock.h"
#include "ui/live/live_state.h"
#include "ui/session/format.h"

#include <QDir>

namespace tilescope::ui {
namespace {

constexpr qsizetype ending = 5; ///< of ".lock"

Result<RunningRun> read(const QString& path) {
    TRY(const auto file, profile::Profile::follow(path.toStdString()));
    LiveState state;
    TRY(state.run, file->run());
    TRY(state.progress, file->progress());
    TRY(state.training, file->execution_totals(profile::ExecutionKind::Train));
    return RunningRun{path, text(state.run.name), activityText(state)};
}

} // namespace

bool isBeingWritten(const QString& path) {
    const std::string name = path.toStdString();
    return profile::writer_of(name) != 0 || profile::writer_of(profile::partial_path(name)) != 0;
}

QList<RunningRun> runningRuns(const QStringList& folders) {
    QList<RunningRun> runs;
    for (const QString& folder : folders)
        for (const QString& lock : QDir(folder).entryList({QStringLiteral("*.lock")}, QDir::Files)) {
            const QString path = QDir(folder).filePath(lock.chopped(ending));
            if (!isBeingWritten(path))
                continue;
            if (const auto run = read(path))
                runs << *run;
        }
    return runs;
}

} // namespace tilescope::ui
