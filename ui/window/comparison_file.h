// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/error.h"

#include <QJsonObject>
#include <QString>
#include <QStringList>
#include <vector>

namespace tilescope::ui {

/// What a NAME.tilescope-compare file holds: which profiles are compared, and how views show that.
struct SavedComparison {
    struct Run {
        QString path;      ///< absolute; relative to the file within it
        QJsonObject views; ///< View::saveComparison of base and this, by the view's id
    };
    QString base;
    std::vector<Run> runs; ///< at least one
    QString front;         ///< path of the one that was in front

    QStringList paths() const; ///< the base first
};

bool isComparison(const QString& path); ///< by its name
/// Errors name the file, the place in it and the remedy.
Result<SavedComparison> readComparison(const QString& path);
Result<void> writeComparison(const QString& path, const SavedComparison& comparison);

} // namespace tilescope::ui
