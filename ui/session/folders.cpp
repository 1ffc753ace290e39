// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/session/folders.h"

#include <QSettings>
#include <QStandardPaths>

namespace tilescope::ui {
namespace {

constexpr const char* data_key = "folders/data";
constexpr const char* executables_key = "folders/executables";
constexpr const char* beside_key = "folders/notes_beside";

} // namespace

QString dataFolder() {
    return QSettings().value(QLatin1String(data_key)).toString();
}

QString executableFolder() {
    return QSettings().value(QLatin1String(executables_key)).toString();
}

void setDataFolder(const QString& folder) {
    QSettings().setValue(QLatin1String(data_key), folder);
}

void setExecutableFolder(const QString& folder) {
    QSettings().setValue(QLatin1String(executables_key), folder);
}

bool notesBeside() {
    return QSettings().value(QLatin1String(beside_key), true).toBool();
}

void setNotesBeside(bool beside) {
    QSettings().setValue(QLatin1String(beside_key), beside);
}

QString ownNotesFolder() {
    return QStandardPaths::writableLocation(QStandardPaths::AppDataLocation) + QStringLiteral("/notes");
}

} // namespace tilescope::ui
