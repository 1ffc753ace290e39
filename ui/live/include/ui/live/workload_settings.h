// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QString>
#include <QStringList>
#include <map>
#include <vector>

namespace tilescope::ui {

/// A setting of a workload, as `--set` names it.
struct WorkloadSetting {
    QString key;         ///< "fit.batch_size"
    QString kind;        ///< "integer", "ipu or cpu"
    QString fallback;    ///< what it is where the workload does not say; empty: nothing is said of that
    QString description; ///< one sentence or more
    double least = 0, most = 0;           ///< of a number; both 0: not said
    std::map<QString, double> of_version; ///< a target's figure: what it is by ipu_config.ipu_model.version
    QStringList choices;                  ///< its values; empty: others may be
};

/// Those of the workload's JSON Schema, in its order. What is chosen by the place in a list has no key.
std::vector<WorkloadSetting> workloadSettings(const QByteArray& schema);
/// Those of the schema that comes with the program.
const std::vector<WorkloadSetting>& workloadSettings();

} // namespace tilescope::ui
