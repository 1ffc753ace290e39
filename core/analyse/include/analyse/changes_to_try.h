// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/summary.h"

#include <string>
#include <vector>

namespace tilescope::analyse {

/// Settings, as `--set` takes them ("pipeline.stages=8": as many stages, cut automatically), that may help
/// with a finding: what changes least, and is compiled soonest, first. None of them is advice: what it gives
/// is known when it was compiled. Empty: nothing that one setting could change.
std::vector<std::string> changes_to_try(const Insight& insight, const Summary& summary);
/// The codes of the rules for whose findings there are changes.
std::vector<std::string> rules_with_changes();

} // namespace tilescope::analyse
