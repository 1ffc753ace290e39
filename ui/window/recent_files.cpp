// SPDX-License-Identifier: GPL-3.0-or-later
#include "recent_files.h"

#include "analyse/costs.h"
#include "analyse/summary.h"
#include "analyse/tile_memory.h"
#include "base/try.h"
#include "ui/session/format.h"

#include <QCoreApplication>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSettings>
#include <QStringList>
#include <algorithm>

namespace tilescope::ui {
namespace {

constexpr const char* files_key = "window/recent";
constexpr const char* comparisons_key = "window/compared"; ///< paths, one in a line; the newest first
constexpr qsizetype most_files = 64;
constexpr qsizetype most_comparisons = 16;

QJsonObject written(const RecentFile& file) {
    QJsonObject object{{QStringLiteral("path"), file.path},
                       {QStringLiteral("opened"), file.opened.toString(Qt::ISODate)}};
    if (!file.figures)
        return object;
    const FileFigures& figures = *file.figures;
    object[QStringLiteral("status")] = static_cast<int>(figures.status);
    object[QStringLiteral("target")] = figures.target;
    object[QStringLiteral("estimate")] = figures.estimate;
    object[QStringLiteral("clock_hz")] = figures.clock_hz;
    if (figures.step_us)
        object[QStringLiteral("step_us")] = *figures.step_us;
    if (figures.fullest)
        object[QStringLiteral("fullest")] = *figures.fullest;
    return object;
}

RecentFile read(const QJsonObject& object) {
    const auto number = [&](const char* key) {
        const QJsonValue value = object[QLatin1String(key)];
        return value.isDouble() ? std::optional(value.toDouble()) : std::nullopt;
    };
    RecentFile file{object[QStringLiteral("path")].toString(),
                    QDateTime::fromString(object[QStringLiteral("opened")].toString(), Qt::ISODate),
                    {}};
    if (const auto status = number("status"))
        file.figures = FileFigures{static_cast<profile::RunStatus>(static_cast<int>(*status)),
                                   object[QStringLiteral("target")].toString(),
                                   object[QStringLiteral("estimate")].toBool(),
                                   number("step_us"),
                                   number("clock_hz").value_or(0),
                                   number("fullest")};
    return file;
}

} // namespace

Result<FileFigures> readFigures(const profile::Profile& file) {
    TRY(const auto run, file.run());
    TRY(const auto target, file.target());
    TRY(const auto kind, analyse::main_kind(file));
    TRY(const auto totals, file.execution_totals(kind));
    TRY(const auto fullest, analyse::fullest_tile(file));
    FileFigures figures{run.status,      QCoreApplication::translate("StartPage", "CPU"),
                        run.estimate,    analyse::step_us(run, target, totals),
                        target.clock_hz, {}};
    if (target.tiles_per_ipu > 0)
        figures.target = QStringLiteral("%1 × %2").arg(target.ipus).arg(text(target.generation));
    if (fullest)
        figures.fullest = fullest->share(target.bytes_per_tile);
    return figures;
}

QList<RecentFile> recentFiles() {
    QList<RecentFile> files;
    const QByteArray text = QSettings().value(QLatin1String(files_key)).toByteArray();
    for (const auto& each : QJsonDocument::fromJson(text).array())
        files << read(each.toObject());
    return files;
}

void setRecentFiles(const QList<RecentFile>& files) {
    QJsonArray all;
    for (const RecentFile& file : files.mid(0, most_files))
        all << written(file);
    QSettings().setValue(QLatin1String(files_key), QJsonDocument(all).toJson(QJsonDocument::Compact));
}

void rememberOpened(const QString& path) {
    QList<RecentFile> files = recentFiles();
    RecentFile file{path, {}, {}};
    for (qsizetype i = files.size() - 1; i >= 0; --i)
        if (files[i].path == path)
            file = files.takeAt(i);
    file.opened = QDateTime::currentDateTime();
    files.prepend(file);
    setRecentFiles(files);
}

void rememberFigures(const QString& path, const FileFigures& figures) {
    QList<RecentFile> files = recentFiles();
    for (RecentFile& file : files)
        if (file.path == path)
            file.figures = figures;
    setRecentFiles(files);
}

QList<QStringList> recentComparisons() {
    QList<QStringList> all;
    const QStringList written = QSettings().value(QLatin1String(comparisons_key)).toStringList();
    for (const QString& line : written)
        if (!line.isEmpty())
            all << line.split(QLatin1Char('\n'));
    return all;
}

void rememberComparison(const QStringList& paths) {
    QList<QStringList> all = recentComparisons();
    all.removeAll(paths);
    all.prepend(paths);
    QStringList written;
    for (const QStringList& each : all.mid(0, most_comparisons))
        written << each.join(QLatin1Char('\n'));
    QSettings().setValue(QLatin1String(comparisons_key), written);
}

} // namespace tilescope::ui
