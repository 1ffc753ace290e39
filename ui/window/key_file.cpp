// SPDX-License-Identifier: GPL-3.0-or-later
#include "key_file.h"

#include "key_bindings.h"
#include "ui/session/format.h"

#include <QCoreApplication>
#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSaveFile>

namespace tilescope::ui {
namespace {

constexpr qint64 most_bytes = 1 << 20;

QString tr(const char* source) {
    return QCoreApplication::translate("KeyFile", source);
}

} // namespace

Result<void> writeKeys(const QString& path, const KeyBindings& keys) {
    const QJsonObject own = QJsonObject::fromVariantMap(keys.own());
    const QByteArray text = QJsonDocument(QJsonObject{{QStringLiteral("tilescope_keys"), own}}).toJson();
    QSaveFile file(path);
    if (file.open(QIODevice::WriteOnly) && file.write(text) == text.size() && file.commit())
        return {};
    return system_failure(tr("the keys cannot be saved: %1").arg(file.errorString()).toStdString(),
                          path.toStdString(), tr("choose another folder").toStdString());
}

Result<QStringList> readKeys(const QString& path, KeyBindings& keys) {
    const auto bad = [&](const QString& what) {
        return bad_input(what.toStdString(), path.toStdString(),
                         tr("choose a file that was exported in the settings").toStdString());
    };
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return bad(tr("the keys cannot be read: %1").arg(file.errorString()));
    if (file.size() > most_bytes)
        return bad(tr("it is too long for keys"));
    QJsonParseError error;
    const QJsonDocument document = QJsonDocument::fromJson(file.readAll(), &error);
    if (error.error != QJsonParseError::NoError)
        return bad(tr("it holds no keys: %1").arg(error.errorString()));
    if (!document[QLatin1String("tilescope_keys")].isObject())
        return bad(tr("it holds no keys"));
    const QJsonObject given = document[QLatin1String("tilescope_keys")].toObject();
    for (auto each = given.begin(); each != given.end(); ++each) {
        const QString wanted = each.value().toString();
        const QKeySequence read(wanted, QKeySequence::PortableText);
        if (!each.value().isString() || read.isEmpty() != wanted.isEmpty() ||
            read.toString(QKeySequence::PortableText).isEmpty() != wanted.isEmpty())
            return bad(tr("what “%1” has is no keys").arg(each.key()));
    }
    return keys.takeOwn(given.toVariantMap());
}

} // namespace tilescope::ui
