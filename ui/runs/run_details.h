// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/run_list.h"

#include <QString>
#include <optional>

namespace tilescope::ui {

/// What a run is told against, and what that is to it: "the run before".
struct RunReference {
    analyse::RunEntry run;
    QString what;
};

/// What the panel at the side says of a run: what it ran on, how it ended, its figures with what they changed
/// by, its last losses and metrics, and the settings in which it differs. On any thread.
QString detailsOf(const analyse::RunEntry& run, const analyse::RunResults& results,
                  const std::optional<RunReference>& against, const QString& folder);

} // namespace tilescope::ui
