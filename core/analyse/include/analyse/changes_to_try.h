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
/// Whether the workload of a run says itself with which layers its stages or shards begin. A change to a
/// number of them does not keep that.
bool cut_by_hand(const profile::RunRecord& run);
/// Whether a change of a run of which that is so or not has the layers cut anew.
bool cuts_anew(const profile::RemedyRecord& change, bool cut_by_hand);
/// A change as a person reads it: "model.shards=2 on 2 IPUs, cut anew".
std::string remedy_text(const profile::RemedyRecord& change, bool cut_by_hand);
/// The codes of the rules for whose findings there are changes.
std::vector<std::string> rules_with_changes();

} // namespace tilescope::analyse
