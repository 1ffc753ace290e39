// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>
#include <QString>
#include <QStringList>

namespace tilescope::ui {

/// A profile that is being written now.
struct RunningRun {
    QString path;
    QString name;     ///< the workload's
    QString activity; ///< "epoch 2 of 3, step 412 of 937"
    bool operator==(const RunningRun&) const = default;
};
/// Those in `folders`. Opens what is being written, and nothing else; takes as long as the disk does.
QList<RunningRun> runningRuns(const QStringList& folders);

/// Whether a process writes the profile of that name now.
bool isBeingWritten(const QString& path);

} // namespace tilescope::ui
