// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/error.h"
#include "profile/kinds.h"

#include <QDateTime>
#include <QList>
#include <QString>
#include <QStringList>
#include <optional>

namespace tilescope::profile {
class Profile;
}

namespace tilescope::ui {

/// What the start page says of a file that it does not open. What is not known is not said.
struct FileFigures {
    profile::RunStatus status = profile::RunStatus::Running;
    QString target; ///< "16 × ipu2", "CPU"
    bool estimate = false;
    std::optional<double> step_us; ///< as analyse::step_us
    double clock_hz = 0;
    std::optional<double> fullest; ///< bytes of the fullest tile, gaps included, of its memory
};
Result<FileFigures> readFigures(const profile::Profile& file);

struct RecentFile {
    QString path;
    QDateTime opened;
    std::optional<FileFigures> figures;
};

/// The files that were open, the last one first, as the settings remember them.
QList<RecentFile> recentFiles();
void setRecentFiles(const QList<RecentFile>& files);
void rememberOpened(const QString& path);
void rememberFigures(const QString& path, const FileFigures& figures); ///< nothing, unless it is remembered

/// What was compared, the last first: the profiles, the base first, or the one file that it was saved in.
QList<QStringList> recentComparisons();
void rememberComparison(const QStringList& paths);

} // namespace tilescope::ui
