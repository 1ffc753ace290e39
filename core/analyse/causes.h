// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/comparison.h"
#include "analyse/costs.h"
#include "analyse/matching.h"

#include <map>
#include <string>
#include <vector>

namespace tilescope::analyse {

/// One side of a comparison, as its causes are looked for.
struct CauseSide {
    const Summary& summary;
    const Costs& costs;
    const Parts& parts;
    const std::map<std::int64_t, std::string>& plans; ///< in short, by operation
    const profile::Profile& file;                     ///< which knows what else was weighed
};

/// What makes the IPU time of the new run another one, what explains most first: layers, the launches of
/// engine runs, copies from and to the host, waiting. The cycles of all of them add up to the change of the
/// IPU time of one replica (of the IPU `c.ipu`) per `c.basis`. First stands the clock, where it differs: it
/// changes time, not cycles.
std::vector<Cause> causes_of(const Comparison& c, const CauseSide& base, const CauseSide& now,
                             const Matching& matching);

} // namespace tilescope::analyse
