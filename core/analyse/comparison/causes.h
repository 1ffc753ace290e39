// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/comparison.h"
#include "fusion_changes.h"
#include "operation_changes.h"

#include <vector>

namespace tilescope::analyse {

// What takes time beside the layers.
inline constexpr const char* launching = "launching engine runs";
inline constexpr const char* copying = "copies from and to the host";

/// What makes the IPU time of the new run another one, what explains most first: layers with what changed in
/// them, the launches of engine runs, copies from and to the host, waiting. The cycles of all of them add up
/// to the change of the IPU time of one replica (of the IPU of `runs`) per its basis. First stands the
/// clock, where it differs: it changes time, not cycles.
/// Errors: those of reading the profiles.
Result<std::vector<Cause>> causes_of(const BothRuns& runs, const std::vector<FusionChange>& fusions);

/// nullopt where one of them was never run.
std::optional<TimeBridge> time_bridge(const BothRuns& runs);

/// Adds up the parts, and puts the largest first.
void close(Cause& cause, std::optional<double> Cause::*amount);
void largest_first(std::vector<Cause>& causes, std::optional<double> Cause::*amount);
/// "conv2d/Relu: lies on …", as part of the layer conv2d: "Relu lies on …"; "" of one that is unexplained.
std::string part_text(const Cause& part, const std::string& layer);

} // namespace tilescope::analyse
