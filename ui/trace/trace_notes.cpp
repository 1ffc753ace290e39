// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/trace/trace_notes.h"

#include "trace_text.h"
#include "ui/session/folders.h"

#include <QCryptographicHash>
#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSaveFile>
#include <algorithm>

namespace tilescope::ui {
namespace {

Failure bad(const QString& path, const QString& why) {
    return bad_input(text("the notes cannot be kept here: %1").arg(why).toStdString(), path.toStdString(),
                     text("mend the file or remove it").toStdString());
}

bool write(const QString& path, const QByteArray& document) {
    QSaveFile file(path);
    return file.open(QIODevice::WriteOnly) && file.write(document) == document.size() && file.commit();
}

} // namespace

QString notesPath(const QString& profile) {
    return profile + QStringLiteral(".notes.json");
}

QString ownNotesPath(const QString& profile) {
    const QByteArray path = QFileInfo(profile).absoluteFilePath().toUtf8();
    return ownNotesFolder() + QLatin1Char('/') +
           QString::fromLatin1(QCryptographicHash::hash(path, QCryptographicHash::Sha1).toHex()) +
           QStringLiteral(".json");
}

Result<std::vector<TimelineMark>> readNotes(const QString& profile) {
    std::vector<TimelineMark> marks;
    QStringList places{notesPath(profile), ownNotesPath(profile)};
    const QFileInfo beside(places[0]);
    const QFileInfo own(places[1]);
    if (!notesBeside() || (beside.isFile() && own.isFile() && own.lastModified() >= beside.lastModified()))
        std::reverse(places.begin(), places.end());
    QFile file(places.front());
    if (!QFileInfo(file).isFile())
        file.setFileName(places.back());
    if (!file.exists())
        return marks;
    if (!file.open(QIODevice::ReadOnly))
        return bad(file.fileName(), file.errorString());
    QJsonParseError error;
    const QJsonDocument document = QJsonDocument::fromJson(file.readAll(), &error);
    if (!document.isObject() || !document.object()[QStringLiteral("marks")].isArray())
        return bad(file.fileName(),
                   error.error != QJsonParseError::NoError ? error.errorString() : text("it holds no marks"));
    for (const auto& entry : document.object()[QStringLiteral("marks")].toArray()) {
        const QJsonObject object = entry.toObject();
        const QJsonValue cycle = object[QStringLiteral("cycle")];
        if (!cycle.isDouble() || cycle.toInteger(-1) < 0)
            return bad(file.fileName(), text("a mark has no cycle"));
        TimelineMark mark{cycle.toInteger(), 0, object[QStringLiteral("note")].toString()};
        mark.to = std::max<std::int64_t>(mark.from, object[QStringLiteral("to")].toInteger(mark.from));
        marks.push_back(std::move(mark));
    }
    return marks;
}

Result<void> writeNotes(const QString& profile, const std::vector<TimelineMark>& marks) {
    // Where notes are in the user's own folder, those beside the profile may be another's: they stay, and an
    // empty list of one's own hides them.
    if (marks.empty() && (notesBeside() || !QFileInfo::exists(notesPath(profile)))) {
        QFile::remove(notesPath(profile));
        QFile::remove(ownNotesPath(profile));
        return {};
    }
    QJsonArray array;
    for (const TimelineMark& mark : marks) {
        QJsonObject object{{QStringLiteral("cycle"), static_cast<qint64>(mark.from)}};
        if (mark.to > mark.from)
            object[QStringLiteral("to")] = static_cast<qint64>(mark.to);
        if (!mark.note.isEmpty())
            object[QStringLiteral("note")] = mark.note;
        array.append(object);
    }
    const QByteArray document = QJsonDocument(QJsonObject{{QStringLiteral("marks"), array}}).toJson();
    if (notesBeside() && write(notesPath(profile), document)) {
        QFile::remove(ownNotesPath(profile));
        return {};
    }
    const QString own = ownNotesPath(profile);
    QDir().mkpath(QFileInfo(own).absolutePath());
    if (!write(own, document))
        return bad(own, text("the notes cannot be written"));
    return {};
}

} // namespace tilescope::ui
