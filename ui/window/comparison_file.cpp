// SPDX-License-Identifier: GPL-3.0-or-later
#include "comparison_file.h"

#include "base/try.h"

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QSaveFile>
#include <algorithm>

namespace tilescope::ui {
namespace {

constexpr int version = 1;
constexpr qint64 most_bytes = 16 << 20;

QString tr(const char* source) {
    return QCoreApplication::translate("ComparisonFile", source);
}

Failure bad(const QString& path, const QString& what, const QString& remedy) {
    return bad_input(what.toStdString(), path.toStdString(), remedy.toStdString());
}

/// A path within the file as an absolute one.
Result<QString> pathOf(const QJsonValue& value, const QString& file, const QString& member) {
    if (!value.isString() || value.toString().isEmpty())
        return bad(file, tr("\"%1\" is no path").arg(member), tr("name a profile, relative to this file"));
    return QDir::cleanPath(QFileInfo(file).absoluteDir().absoluteFilePath(value.toString()));
}

Result<QJsonObject> documentOf(const QString& path) {
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return bad(path, tr("the comparison cannot be read: %1").arg(file.errorString()),
                   tr("check the path and who may read it"));
    if (file.size() > most_bytes)
        return bad(path, tr("it is too long for a comparison"), tr("check the path"));
    const QByteArray text = file.readAll();
    QJsonParseError error;
    const QJsonDocument document = QJsonDocument::fromJson(text, &error);
    if (document.isObject())
        return document.object();
    if (error.error == QJsonParseError::NoError)
        return bad(path, tr("it holds no comparison"), tr("save the comparison again"));
    return bad(path,
               tr("it is no comparison: %1 at line %2")
                   .arg(error.errorString())
                   .arg(text.left(error.offset).count('\n') + 1),
               tr("mend the syntax there, or save the comparison again"));
}

} // namespace

QStringList SavedComparison::paths() const {
    QStringList all{base};
    for (const Run& run : runs)
        all << run.path;
    return all;
}

bool isComparison(const QString& path) {
    return path.endsWith(QLatin1String(".tilescope-compare"));
}

Result<SavedComparison> readComparison(const QString& path) {
    TRY(const QJsonObject object, documentOf(path));
    const QJsonValue written = object[QStringLiteral("tilescope-compare")];
    if (!written.isDouble())
        return bad(path, tr("it is no comparison: \"tilescope-compare\" has no version"),
                   tr("open a file that was saved by File > Save comparison"));
    if (written.toInt() != version)
        return bad(path, tr("its version is %1").arg(written.toInt()),
                   tr("this program reads version %1: use the one that saved it").arg(version));
    SavedComparison comparison;
    TRY(comparison.base, pathOf(object[QStringLiteral("base")], path, QStringLiteral("base")));
    const QJsonArray runs = object[QStringLiteral("runs")].toArray();
    if (runs.isEmpty())
        return bad(path, tr("\"runs\" is empty"), tr("name the profiles that are compared with the base"));
    for (qsizetype i = 0; i < runs.size(); ++i) {
        const QJsonObject run = runs[i].toObject();
        const QString member = QStringLiteral("runs[%1].file").arg(i);
        TRY(const QString file, pathOf(run[QStringLiteral("file")], path, member));
        if (comparison.paths().contains(file))
            return bad(path, tr("\"%1\" is there twice").arg(member), tr("name each profile once"));
        comparison.runs.push_back({file, run[QStringLiteral("views")].toObject()});
    }
    comparison.front = comparison.runs.front().path;
    if (const QJsonValue front = object[QStringLiteral("front")]; !front.isUndefined()) {
        TRY(comparison.front, pathOf(front, path, QStringLiteral("front")));
    }
    return comparison;
}

Result<void> writeComparison(const QString& path, const SavedComparison& comparison) {
    const QDir folder = QFileInfo(path).absoluteDir();
    QJsonArray runs;
    for (const SavedComparison::Run& run : comparison.runs) {
        QJsonObject object{{QStringLiteral("file"), folder.relativeFilePath(run.path)}};
        if (!run.views.isEmpty())
            object[QStringLiteral("views")] = run.views;
        runs.append(object);
    }
    const QByteArray text =
        QJsonDocument(QJsonObject{{QStringLiteral("tilescope-compare"), version},
                                  {QStringLiteral("base"), folder.relativeFilePath(comparison.base)},
                                  {QStringLiteral("runs"), runs},
                                  {QStringLiteral("front"), folder.relativeFilePath(comparison.front)}})
            .toJson();
    QSaveFile file(path);
    if (file.open(QIODevice::WriteOnly) && file.write(text) == text.size() && file.commit())
        return {};
    return system_failure(tr("the comparison cannot be saved: %1").arg(file.errorString()).toStdString(),
                          path.toStdString(), tr("choose another folder").toStdString());
}

} // namespace tilescope::ui
