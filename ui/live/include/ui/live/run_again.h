// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "profile/profile.h"

#include <QString>
#include <QStringList>

namespace tilescope::ui {

/// How a run that was recorded is asked for again.
struct RunAgain {
    QString workload;    ///< path of the file, or where it was; "": not told
    QStringList changes; ///< what the run had other than the file has it, as `--set` takes it
    QString problem;     ///< why it cannot be asked for; "": it can
};
/// It reads the workload's file: nothing for the thread of the window.
RunAgain runAgain(const profile::RunRecord& run);
Result<RunAgain> runAgainOf(const profile::Profile& file);

} // namespace tilescope::ui
