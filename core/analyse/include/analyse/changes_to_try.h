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
/// Whether a change of a run has the layers cut anew: to a number of stages or shards, where the workload
/// says itself with which layers they begin.
bool cuts_anew(const profile::RemedyRecord& change, bool cut_by_hand);
/// A change as a person reads it: "model.shards=2 on 2 IPUs, cut anew".
std::string remedy_text(const profile::RemedyRecord& change, bool cut_by_hand);
/// The codes of the rules for whose findings there are changes.
std::vector<std::string> rules_with_changes();

} // namespace tilescope::analyse
