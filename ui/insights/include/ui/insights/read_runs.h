// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/matching.h"
#include "analyse/summary.h"
#include "ui/session/view.h"

#include <functional>
#include <optional>
#include <vector>

namespace tilescope::ui {

/// What Summary and Insights show of a run.
struct ReadRun {
    analyse::Summary summary;
    analyse::Parts parts;
    std::vector<profile::RemedyRecord> remedies; ///< that were compiled as it did not fit: what fits first
};

/// The same of the base, and which of its parts the new run has.
struct ReadBase {
    ReadRun run;
    analyse::Matching matching;
    analyse::OldNames names; ///< what the base calls the new run's operations
};

/// Asks for the current file, then for the base, where there is one. Costs of both are per what both runs
/// have: as `wanted`, where they do. An unreadable base is not heard of.
void readRuns(QObject* by, const Sources& sources, std::optional<analyse::Basis> wanted,
              const std::function<void(Result<ReadRun>)>& have_run,
              const std::function<void(ReadBase)>& have_base);

} // namespace tilescope::ui
