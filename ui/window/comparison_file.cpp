// SPDX-License-Identifier: GPL-3.0-or-later
#include "comparison_file.h"

#include <QCoreApplication>
#include <QFile>
#include <QSaveFile>

namespace tilescope::ui {
namespace {

constexpr qint64 most_bytes = 16 << 20;

QString tr(const char* source) {
    return QCoreApplication::translate("ComparisonFile", source);
}

} // namespace

Result<analyse::SavedComparison> readComparison(const QString& path) {
    const auto bad = [&](const QString& what, const QString& remedy) {
        return bad_input(what.toStdString(), path.toStdString(), remedy.toStdString());
    };
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return bad(tr("the comparison cannot be read: %1").arg(file.errorString()),
                   tr("check the path and who may read it"));
    if (file.size() > most_bytes)
        return bad(tr("it is too long for a comparison"), tr("check the path"));
    return analyse::parse_comparison(file.readAll().toStdString(), path.toStdString());
}

Result<void> writeComparison(const QString& path, const analyse::SavedComparison& comparison) {
    const QByteArray text =
        QByteArray::fromStdString(analyse::comparison_text(comparison, path.toStdString()));
    QSaveFile file(path);
    if (file.open(QIODevice::WriteOnly) && file.write(text) == text.size() && file.commit())
        return {};
    return system_failure(tr("the comparison cannot be saved: %1").arg(file.errorString()).toStdString(),
                          path.toStdString(), tr("choose another folder").toStdString());
}

} // namespace tilescope::ui
