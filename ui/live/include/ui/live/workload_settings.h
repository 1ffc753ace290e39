// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QJsonValue>
#include <QString>
#include <QStringList>
#include <map>
#include <optional>
#include <vector>

namespace tilescope::ui {

/// One form that a value may have.
struct ValueForm {
    QString type;                ///< of JSON Schema: "integer", "string"; empty: any
    std::optional<double> least; ///< of a number
    std::optional<double> most;  ///< of a number
    std::optional<double> above; ///< of a number, which is not this itself
    QStringList choices;         ///< of a text, or of true and false; empty: any
    bool holds(const QJsonValue& value) const;
    QString words() const; ///< "a whole number of at least 1"; empty: any value
};

/// A setting of a workload, as `--set` names it.
struct WorkloadSetting {
    QString key;         ///< "fit.batch_size"
    QString kind;        ///< "integer", "ipu or cpu"
    QString fallback;    ///< what it is where the workload does not say; empty: nothing is said of that
    QString description; ///< one sentence or more
    double least = 0, most = 0;           ///< of a number; both 0: not said
    std::map<QString, double> of_version; ///< a target's figure: what it is by ipu_config.ipu_model.version
    QStringList choices;                  ///< its values; empty: others may be
    std::vector<ValueForm> forms = {};    ///< of which its value has one; empty: any

    /// Why it cannot be that, as it is typed after `--set KEY=`; "": the schema has nothing against it.
    QString problemOf(const QString& typed) const;
};

/// Those of the workload's JSON Schema, in its order. What is chosen by the place in a list has no key.
std::vector<WorkloadSetting> workloadSettings(const QByteArray& schema);
/// Those of the schema that comes with the program.
const std::vector<WorkloadSetting>& workloadSettings();

/// Those that a run was asked with (`asked`: its workload with every default) other than the file says, as
/// `--set` takes them. What a file leaves open is what the schema says; a bare model leaves all open. The
/// name and what is run are left out: a model is named by where it was found.
QStringList changedSettings(const QByteArray& file, const QByteArray& asked);

} // namespace tilescope::ui
