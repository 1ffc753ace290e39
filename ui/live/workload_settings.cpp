// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/live/workload_settings.h"

#include <QCoreApplication>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QStringList>
#include <utility>

namespace tilescope::ui {
namespace {

QString text(const char* source) {
    return QCoreApplication::translate("WorkloadSettings", source);
}

QString valueText(const QJsonValue& value) {
    if (value.isString())
        return value.toString();
    return QString::fromUtf8(QJsonDocument(QJsonArray{value}).toJson(QJsonDocument::Compact))
        .chopped(1)
        .mid(1);
}

QString joined(const QJsonArray& values) {
    QStringList words;
    for (const auto& value : values)
        words.append(valueText(value));
    return words.join(text(" or "));
}

class Reader {
  public:
    explicit Reader(const QJsonObject& schema) : definitions_(schema[QLatin1String("$defs")].toObject()) {}

    void read(const QString& prefix, const QJsonObject& schema) {
        const QJsonObject properties = schema[QLatin1String("properties")].toObject();
        for (auto it = properties.begin(); it != properties.end(); ++it) {
            const QString key = prefix + it.key();
            if (it.key().startsWith(QLatin1Char('$')) || it.key() == QLatin1String("description"))
                continue;
            const QJsonObject own = resolved(it.value().toObject());
            const bool group = own.contains(QLatin1String("properties"));
            if (!group)
                add(key, own);
            read(key + QLatin1Char('.'), own);
            for (const auto& way : own[QLatin1String("oneOf")].toArray())
                read(key + QLatin1Char('.'), resolved(way.toObject()));
        }
    }
    std::vector<WorkloadSetting> take() { return std::move(settings_); }

  private:
    /// What `$ref` points at, with what is said beside it.
    QJsonObject resolved(const QJsonObject& schema) const {
        const QString reference = schema[QLatin1String("$ref")].toString();
        if (reference.isEmpty())
            return schema;
        QJsonObject found = definitions_[reference.section(QLatin1Char('/'), -1)].toObject();
        for (auto it = schema.begin(); it != schema.end(); ++it)
            found[it.key()] = it.value();
        return found;
    }

    QString kind(const QJsonObject& schema) const {
        if (schema.contains(QLatin1String("enum")))
            return joined(schema[QLatin1String("enum")].toArray());
        if (schema[QLatin1String("type")].isArray())
            return joined(schema[QLatin1String("type")].toArray());
        QStringList ways;
        for (const auto& way : schema[QLatin1String("oneOf")].toArray())
            ways.append(kind(resolved(way.toObject())));
        ways.removeAll(QString());
        return ways.isEmpty() ? schema[QLatin1String("type")].toString() : ways.join(text(" or "));
    }

    /// The values that a schema names; empty: it leaves them open.
    static QStringList choices(const QJsonObject& schema) {
        QStringList all;
        for (const auto& value : schema[QLatin1String("enum")].toArray())
            all.append(value.toString());
        return all;
    }

    void add(const QString& key, const QJsonObject& schema) {
        WorkloadSetting setting{key,
                                kind(schema),
                                schema.contains(QLatin1String("default"))
                                    ? valueText(schema[QLatin1String("default")])
                                    : QString(),
                                schema[QLatin1String("description")].toString(),
                                schema[QLatin1String("minimum")].toDouble(),
                                schema[QLatin1String("maximum")].toDouble(),
                                {},
                                choices(schema)};
        const QJsonObject versions = schema[QLatin1String("x-defaults")].toObject();
        for (auto it = versions.begin(); it != versions.end(); ++it)
            setting.of_version[it.key()] = it.value().toDouble();
        settings_.push_back(std::move(setting));
    }

    QJsonObject definitions_;
    std::vector<WorkloadSetting> settings_;
};

} // namespace

std::vector<WorkloadSetting> workloadSettings(const QByteArray& schema) {
    const QJsonObject root = QJsonDocument::fromJson(schema).object();
    Reader reader(root);
    reader.read({}, root);
    return reader.take();
}

const std::vector<WorkloadSetting>& workloadSettings() {
    static const std::vector<WorkloadSetting> settings = [] {
        QFile file(QStringLiteral(":/workload.schema.json"));
        return file.open(QIODevice::ReadOnly) ? workloadSettings(file.readAll())
                                              : std::vector<WorkloadSetting>();
    }();
    return settings;
}

} // namespace tilescope::ui
