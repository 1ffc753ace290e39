// SPDX-License-Identifier: GPL-3.0-or-later
#include "kept_executables.h"

#include <QDir>
#include <QRegularExpression>

namespace tilescope::ui {
namespace {

/// As the cache names its entries.
QFileInfoList entriesOf(const QString& folder) {
    if (folder.isEmpty())
        return {};
    static const QRegularExpression name(QStringLiteral("^[0-9a-f]{32}\\.executable$"));
    QFileInfoList entries = QDir(folder).entryInfoList(QDir::Files);
    entries.removeIf([](const QFileInfo& file) { return !name.match(file.fileName()).hasMatch(); });
    return entries;
}

} // namespace

KeptExecutables keptExecutables(const QString& folder) {
    KeptExecutables kept;
    for (const QFileInfo& file : entriesOf(folder)) {
        ++kept.count;
        kept.bytes += file.size();
    }
    return kept;
}

KeptExecutables removeExecutables(const QString& folder) {
    for (const QFileInfo& file : entriesOf(folder))
        QFile::remove(file.filePath());
    return keptExecutables(folder);
}

} // namespace tilescope::ui
