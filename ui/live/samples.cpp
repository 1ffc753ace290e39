// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/live/samples.h"

#include <QCoreApplication>

namespace tilescope::ui {

QDir samplesFolder() {
    const QDir program(QCoreApplication::applicationDirPath());
    for (const char* folder : {"../share/tilescope/samples", "../../../samples"})
        if (const QDir samples(program.filePath(QLatin1String(folder))); samples.exists())
            return samples;
    return QDir(program.filePath(QStringLiteral("samples")));
}

QStringList sampleFiles() {
    const QDir folder = samplesFolder();
    QStringList paths = folder.entryList({QStringLiteral("*.json")}, QDir::Files, QDir::Name);
    for (QString& path : paths)
        path = QDir::cleanPath(folder.absoluteFilePath(path));
    return paths;
}

} // namespace tilescope::ui
