// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/live/workload_settings.h"

#include <QCoreApplication>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QStringList>
#include <algorithm>
#include <cmath>
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

    /// Adds the forms that a schema allows. Where it is one by a pattern, its values are not checked.
    void addForms(const QJsonObject& schema, std::vector<ValueForm>& forms) const {
        const auto bound = [&](const char* name) {
            const QJsonValue value = schema[QLatin1String(name)];
            return value.isDouble() ? std::optional(value.toDouble()) : std::nullopt;
        };
        for (const char* several : {"oneOf", "anyOf"})
            for (const auto& way : schema[QLatin1String(several)].toArray())
                addForms(resolved(way.toObject()), forms);
        ValueForm form{{}, bound("minimum"), bound("maximum"), bound("exclusiveMinimum"), choices(schema)};
        const QJsonValue type = schema[QLatin1String("type")];
        for (const auto& one : type.isArray() ? type.toArray() : QJsonArray{type})
            if (one.isString()) {
                form.type = one.toString();
                forms.push_back(form);
            }
        if (const QJsonValue only = schema[QLatin1String("const")]; only.isBool())
            forms.push_back({QStringLiteral("boolean"), {}, {}, {}, {valueText(only)}});
        else if (schema.contains(QLatin1String("enum")))
            forms.push_back({QStringLiteral("string"), {}, {}, {}, form.choices});
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
        addForms(schema, setting.forms);
        settings_.push_back(std::move(setting));
    }

    QJsonObject definitions_;
    std::vector<WorkloadSetting> settings_;
};

/// As `--set` takes it: JSON, or else a text.
QJsonValue valueOf(const QString& typed) {
    const QJsonDocument list =
        QJsonDocument::fromJson(QStringLiteral("[%1]").arg(typed).toUtf8()); // which a single value is not
    const QJsonArray values = list.array();
    return values.size() == 1 ? values.first() : QJsonValue(typed);
}

/// What stands under "fit.batch_size"; undefined: nothing does. A text in place of an object is its name.
QJsonValue valueAt(const QJsonObject& root, const QString& key) {
    QJsonValue at = root;
    for (const QString& part : key.split(QLatin1Char('.')))
        if (!at.isString() || part != QLatin1String("name"))
            at = at.isObject() ? at.toObject().value(part) : QJsonValue(QJsonValue::Undefined);
    return at;
}

bool saysNothing(const QJsonValue& value) {
    return value.isUndefined() || value.isNull() || value.toString(QStringLiteral("-")).isEmpty() ||
           (value.isArray() && value.toArray().isEmpty()) || (value.isObject() && value.toObject().isEmpty());
}

bool isWhatIsRun(const QString& key) {
    return key == QLatin1String("name") || key.startsWith(QLatin1String("graph.")) ||
           key == QLatin1String("model.keras") || key == QLatin1String("model.weights") ||
           key == QLatin1String("model.onnx");
}

} // namespace

bool ValueForm::holds(const QJsonValue& value) const {
    if (type == QLatin1String("integer") || type == QLatin1String("number")) {
        const double number = value.toDouble();
        return value.isDouble() && (type == QLatin1String("number") || number == std::floor(number)) &&
               number >= least.value_or(number) && number <= most.value_or(number) &&
               (!above || number > *above);
    }
    if (type == QLatin1String("boolean"))
        return value.isBool() && (choices.isEmpty() || choices.contains(valueText(value)));
    if (type == QLatin1String("string")) // a number is no text, but what names a file may look like one
        return choices.isEmpty() || (value.isString() && choices.contains(value.toString()));
    if (type == QLatin1String("array"))
        return value.isArray();
    if (type == QLatin1String("object"))
        return value.isObject();
    return type != QLatin1String("null") || value.isNull();
}

QString ValueForm::words() const {
    if (!choices.isEmpty())
        return choices.join(text(" or "));
    const std::map<QString, QString> types{{QStringLiteral("integer"), text("a whole number")},
                                           {QStringLiteral("number"), text("a number")},
                                           {QStringLiteral("boolean"), text("true or false")},
                                           {QStringLiteral("array"), text("a list in [ ]")},
                                           {QStringLiteral("object"), text("an object in { }")},
                                           {QStringLiteral("null"), text("null")}};
    const auto found = types.find(type);
    if (found == types.end())
        return {};
    const auto number = [](double n) { return QString::number(n, 'g', 12); };
    if (least && most)
        return text("%1 from %2 to %3").arg(found->second, number(*least), number(*most));
    if (least)
        return text("%1 of at least %2").arg(found->second, number(*least));
    if (above)
        return text("%1 above %2").arg(found->second, number(*above));
    return most ? text("%1 of at most %2").arg(found->second, number(*most)) : found->second;
}

QString WorkloadSetting::problemOf(const QString& typed) const {
    const QJsonValue value = valueOf(typed);
    QStringList wanted;
    for (const ValueForm& form : forms) {
        const QString words = form.words();
        if (words.isEmpty() || form.holds(value))
            return {};
        wanted.append(words);
    }
    wanted.removeDuplicates();
    return wanted.isEmpty() ? QString() : text("%1 takes %2.").arg(key, wanted.join(text(", or ")));
}

std::vector<WorkloadSetting> workloadSettings(const QByteArray& schema) {
    const QJsonObject root = QJsonDocument::fromJson(schema).object();
    Reader reader(root);
    reader.read({}, root);
    return reader.take();
}

QStringList changedSettings(const QByteArray& file, const QByteArray& asked) {
    const QJsonObject read = QJsonDocument::fromJson(file).object();
    const bool bare = !read.contains(QLatin1String("model")) && !read.contains(QLatin1String("graph"));
    const QJsonObject said = bare ? QJsonObject() : read;
    const QJsonObject had = QJsonDocument::fromJson(asked).object();
    const QString version = valueAt(had, QStringLiteral("ipu_config.ipu_model.version")).toString();
    const std::vector<WorkloadSetting>& all = workloadSettings();
    QStringList changes;
    for (const WorkloadSetting& setting : all) {
        const QJsonValue now = valueAt(had, setting.key);
        const bool parts = now.isObject() && std::any_of(all.begin(), all.end(), [&](const auto& other) {
                               return other.key.startsWith(setting.key + QLatin1Char('.'));
                           });
        if (saysNothing(now) || parts || isWhatIsRun(setting.key))
            continue;
        const QJsonValue before = valueAt(said, setting.key);
        const auto of_version = setting.of_version.find(version);
        const bool same = !before.isUndefined() ? before == now
                          : of_version != setting.of_version.end()
                              ? now.toDouble() == of_version->second
                              : !setting.fallback.isEmpty() && now == valueOf(setting.fallback);
        if (!same)
            changes << setting.key + QLatin1Char('=') + valueText(now);
    }
    changes.removeDuplicates();
    return changes;
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
